# lib.sh - end-to-end tests of the program; sourced by tests/cli/test_*.sh.
#
#     ok      NAME COMMAND...           exits 0, nothing on standard error
#     notes   NAME WORDS COMMAND...     exits 0, and standard error is lines
#             "wavesift: note: ...", of which one has WORDS
#     noted   NAME COMMAND...           the same, but for notes
#     fails   NAME STATUS WORDS COMMAND...  exits STATUS, leaves no file, and
#             standard error is one line "wavesift: ..." that has WORDS, besides notes
#     that    NAME CONDITION...         a shell test holds, such as has WORDS
#     finish                            the verdict
#
# Each test runs in a new, empty folder; $ws is the program, $eeg a recording.
# $out and $err hold what the last command printed.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
build=${WAVESIFT_BUILD:-$root/build}
ws=$build/wavesift
eeg=$root/examples/data/eeg.edf
data=${WAVESIFT_DATA:-$root/../shared/data}

box=$(mktemp -d)
# A child that a signal ends before it has become its program comes here too.
trap '[ $BASHPID = $$ ] && rm -rf "$box"' EXIT
mkdir "$box/work"
cd "$box/work" || exit 1
failures=0
cases=0
out=
err=

failed()
{
	failures=$((failures + 1))
	printf 'FAIL  %s: %s\n' "$1" "$2"
	printf '      stderr: %s\n' "$err"
}

run()
{
	"$@" >"$box/out" 2>"$box/err" </dev/null
	local status=$?
	out=$(tr -d '\0' <"$box/out")
	err=$(cat "$box/err")
	return $status
}

ok()
{
	local name=$1 status
	shift
	cases=$((cases + 1))
	run "$@"
	status=$?
	if [ $status -ne 0 ]; then
		failed "$name" "exit status $status"
	elif [ -n "$err" ]; then
		failed "$name" "standard error is not empty"
	fi
}

notes()
{
	local name=$1 words=$2 status
	shift 2
	cases=$((cases + 1))
	run "$@"
	status=$?
	if [ $status -ne 0 ]; then
		failed "$name" "exit status $status"
	elif grep -qv '^wavesift: note: ' "$box/err"; then
		failed "$name" "a line of standard error is no note"
	elif [ "${err/"$words"/}" = "$err" ]; then
		failed "$name" "no note has \"$words\""
	fi
}

noted()
{
	local name=$1 status
	shift
	cases=$((cases + 1))
	run "$@"
	status=$?
	if [ $status -ne 0 ]; then
		failed "$name" "exit status $status"
	elif grep -qv '^wavesift: note: ' "$box/err"; then
		failed "$name" "standard error has more than notes"
	fi
}

fails()
{
	local name=$1 want=$2 words=$3 before status
	shift 3
	cases=$((cases + 1))
	before=$(find . | sort)
	run "$@"
	status=$?
	if [ $status -ne "$want" ]; then
		failed "$name" "exit status $status, not $want"
	elif [ "$(grep -vc '^wavesift: note: ' "$box/err")" -ne 1 ] ||
		grep -qv '^wavesift: ' "$box/err"; then
		failed "$name" "standard error is not one line of wavesift's"
	elif [ "${err/"$words"/}" = "$err" ]; then
		failed "$name" "standard error does not have \"$words\""
	fi
	[ "$before" = "$(find . | sort)" ] || failed "$name" "left a file: $(ls -A | tr '\n' ' ')"
}

that()
{
	local name=$1
	shift
	cases=$((cases + 1))
	"$@" >/dev/null 2>&1 || failed "$name" "not so: $*"
}

# Does $out have these words?
has()
{
	case $out in
	*"$1"*) return 0 ;;
	esac
	return 1
}

# Have two results the same arrays?  A MAT file begins with the time of day, and ends with how it was
# made.
same_arrays()
{
	local -i one two
	case $1 in
	*.mat)
		one=$(grep -abo provenance "$1" | head -1 | cut -d: -f1)
		two=$(grep -abo provenance "$2" | head -1 | cut -d: -f1)
		# 48 bytes lead to its name.
		[ $one = $two ] && [ $one -gt 1000 ] && cmp -i 128 -n $((one - 176)) "$1" "$2"
		;;
	*) cmp "$1" "$2" ;;
	esac
}

# same NAME A B: two results (.h5) hold the same arrays, axes and facts, but for how they were made.
same()
{
	cases=$((cases + 1))
	run "$build/same_result" "$2" "$3" || failed "$1" "$out"
}

# height FILE.png: in pixels.
height()
{
	echo $((16#$(od -An -tx1 -j20 -N4 "$1" | tr -d ' ')))
}

# Optional data: skips NAME where the file is absent.
have()
{
	[ -e "$2" ] && return 0
	printf 'SKIPPED  %s: no %s\n' "$1" "$(basename "$2")"
	return 1
}

finish()
{
	printf '%d cases, %d failures\n' "$cases" "$failures"
	[ "$failures" -eq 0 ]
	exit
}

# ---- Recordings made on the spot -------------------------------------------------

# runs NAME STATUS COMMAND..: exits with it, whatever standard error has.
runs()
{
	local name=$1 want=$2 status
	shift 2
	cases=$((cases + 1))
	run "$@"
	status=$?
	[ $status -eq "$want" ] || failed "$name" "exit status $status, not $want"
}

# says WORDS: the last command did, on standard error.
says()
{
	case $err in
	*"$1"*) return 0 ;;
	esac
	return 1
}

# count WORDS FILE: lines that have them.
count()
{
	grep -c -- "$1" "$2"
}

# sine_csv SAMPLES CHANNELS: columns of two tones each.
sine_csv()
{
	awk -v n="$1" -v c="$2" 'BEGIN {
		for (j = 1; j <= c; j++) printf "%sch%d", (j > 1 ? "," : ""), j
		print ""
		for (i = 0; i < n; i++) {
			for (j = 1; j <= c; j++)
				printf "%s%.17g", (j > 1 ? "," : ""), sin(0.7 * i + j) + sin(0.05 * i * j)
			print ""
		}
	}'
}

pad()
{
	printf "%-$2.$2s" "$1"
}

# small_edf RATE...: an EDF of one second of silence, a signal of each rate.
small_edf()
{
	local n=$# i rate total=0
	pad 0 8; pad 'X X X X' 80; pad 'Startdate X X X X' 80; pad 01.01.20 8; pad 00.00.00 8
	pad $((256 * (n + 1))) 8; pad '' 44; pad 1 8; pad 1 8; pad "$n" 4
	for ((i = 1; i <= n; i++)); do pad "S$i" 16; done
	for ((i = 1; i <= n; i++)); do pad '' 80; done
	for ((i = 1; i <= n; i++)); do pad uV 8; done
	for ((i = 1; i <= n; i++)); do pad -100 8; done
	for ((i = 1; i <= n; i++)); do pad 100 8; done
	for ((i = 1; i <= n; i++)); do pad -32768 8; done
	for ((i = 1; i <= n; i++)); do pad 32767 8; done
	for ((i = 1; i <= n; i++)); do pad '' 80; done
	for rate; do pad "$rate" 8; done
	for ((i = 1; i <= n; i++)); do pad '' 32; done
	for rate; do total=$((total + 2 * rate)); done
	head -c "$total" /dev/zero
}

# recording OFFSET: an EDF of two channels, S1 and S2, with samples of a real one from there.
recording()
{
	small_edf 200 200 | head -c 768
	tail -c +$((3000 + $1)) "$eeg" | head -c 800
}

# brainvision NAME: NAME.vhdr of a recording of two channels, A and B, at 100 Hz.
brainvision()
{
	cat >"$1.vhdr" <<END
Brain Vision Data Exchange Header File Version 1.0
[Common Infos]
Codepage=UTF-8
DataFile=$1.eeg
MarkerFile=$1.vmrk
DataFormat=BINARY
DataOrientation=MULTIPLEXED
NumberOfChannels=2
SamplingInterval=10000
[Binary Infos]
BinaryFormat=INT_16
[Channel Infos]
Ch1=A,,1,uV
Ch2=B,,1,uV
END
}
