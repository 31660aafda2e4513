#!/bin/bash
# Hostile surroundings: standard streams that are closed, small stacks, few descriptors, no /proc.
# What cannot be done is told in one line.
. "$(dirname "$0")/lib.sh"

sine_csv 200 2 >a.csv
ok "a result to read" "$ws" emd a.csv --fs 100 -q -o a.h5

# closed NAME STATUS COMMAND...: standard output is closed.
closed()
{
	local name=$1 want=$2 status
	shift 2
	cases=$((cases + 1))
	"$@" >&- 2>"$box/err" </dev/null
	status=$?
	err=$(cat "$box/err")
	[ $status = "$want" ] || failed "$name" "status $status, not $want"
	[ "$(wc -l <"$box/err")" = $((want > 0)) ] || failed "$name" "not a line"
}

# ---- Closed streams ------------------------------------------------------------------

closed "a result" 0 "$ws" emd a.csv -o b.h5
that "is whole" "$ws" info b.h5
closed "a figure" 0 "$ws" plot a.h5 -o b.png
that "is there" test -s b.png
closed "what is printed" 4 "$ws" info a.csv
closed "a result on standard output" 4 "$ws" emd a.csv -o -
closed "JSON" 4 "$ws" emd a.csv -o c.h5 --json
closed "a plan" 4 "$ws" emd a.csv -o d.h5 --dry-run
closed "help" 4 "$ws" --help
cases=$((cases + 1))
"$ws" emd a.csv -o e.h5 -q <&- >&- 2>&- || failed "all closed" "status $?"
that "all closed: whole" "$ws" info e.h5
cases=$((cases + 1))
"$ws" emd a.csv -o full.h5 >/dev/full 2>/dev/null && failed "a full disk" "is no failure"

# ---- Small stacks --------------------------------------------------------------------

# small NAME COMMAND...: in 64 KB of stack it is done.  Sanitizers need more.
small()
{
	local name=$1
	shift
	cases=$((cases + 1))
	(ulimit -s 64 && "$@") >/dev/null 2>"$box/err" </dev/null ||
		{ err=$(cat "$box/err"); failed "$name, 64 KB of stack" "status $?"; }
}

if [ -e "$build/faults/libfaults.so" ]; then
	small info "$ws" info a.h5
	small plot "$ws" plot a.h5 -o s.png
	small emd "$ws" emd a.csv -o s1.h5 -q --plot s1.svg
	small memd "$ws" memd a.csv -o s2.mat --threads 3 --directions 8
	small hht "$ws" hht a.csv --fs 100 -o s3.npy --cycle-table s3.csv --plot s3.png
	small cwt "$ws" cwt a.csv --freqs 0.1:0.4:4 -o s4.h5 --plot s4.png
	small conv "$ws" conv a.csv --mask-formula gabor --scales 2:4:2 -o s5.csv
	small compare "$ws" compare a.h5 a.h5 --plot s6.png
else
	echo "SKIPPED  small stacks: built with sanitizers"
fi

# ---- Freed memory that is written over, as hardened allocators do ---------------------

for job in "emd a.csv -o m.h5 --plot m.png" "emd a.csv -o m.mat" "cwt a.csv --freqs 0.1:0.4:4 -o m.npy" \
	"conv a.csv --mask-formula gabor --scales 2:4:2 -o m2.csv --write-masks m3.h5" "info a.h5"; do
	# shellcheck disable=SC2086
	ok "freed memory: $job" env MALLOC_PERTURB_=165 "$ws" $job
done

# ---- Few descriptors -----------------------------------------------------------------

for n in 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do
	for job in "emd a.csv -q -o n.h5 --overwrite" "emd a.h5 -q -o n.npy --overwrite" \
		"hht a.csv --fs 100 -q -o n.h5 --cycle-table n.csv --plot n.png --overwrite"; do
		cases=$((cases + 1))
		# shellcheck disable=SC2086
		(ulimit -n $n && exec "$ws" $job) >"$box/out" 2>"$box/err" </dev/null
		status=$?
		err=$(cat "$box/err")
		lines=$(wc -l <"$box/err")
		case $status in
		0) [ "$lines" = 0 ] || failed "$job, $n descriptors" "done, and says so" ;;
		127) [ $n -lt 6 ] || failed "$job, $n descriptors" "cannot be loaded" ;;
		3 | 4) [ "$lines" = 1 ] || failed "$job, $n descriptors" "$lines lines" ;;
		*) failed "$job, $n descriptors" "status $status" ;;
		esac
	done
done
[ $status = 0 ] || failed "18 descriptors" "are not enough"
rm -f n.* .wavesift*

# ---- No locks --------------------------------------------------------------------------

# A file system such as Lustre without flock: HDF5 would refuse to read there.
none=$build/faults/no_locks.so
if [ -e "$none" ] && LD_PRELOAD=$none "$ws" --version >"$box/out" 2>&1; then
	notes "no locks: emd" "keeps no locks" env LD_PRELOAD="$none" "$ws" emd a.csv -o locks.h5
	that "no locks: once" test "$(echo "$err" | wc -l)" = 1
	ok "no locks: reading" env LD_PRELOAD="$none" "$ws" info locks.h5 --verify
	rm -f locks.h5
else
	echo "SKIPPED  no locks: no library for LD_PRELOAD"
fi

# ---- No /proc ------------------------------------------------------------------------

if grep -qs '^WAVESIFT_SANITIZE:STRING=.' "$build/CMakeCache.txt"; then
	echo "SKIPPED  no /proc: sanitizers need it"
elif unshare -rm mount -t tmpfs none /proc 2>/dev/null; then
	without()
	{
		unshare -rm sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$@"
	}
	ok "no /proc: emd" without "$ws" emd a.csv -q -o p.h5 --threads 2
	that "no /proc: the same" cmp <("$ws" emd a.csv -q -o - --threads 2) \
		<(without "$ws" emd a.csv -q -o - --threads 2)
	ok "no /proc: devices" without "$ws" devices --json
	that "no /proc: memory that there is" test "$(sed -n 's/.*"memory[a-z_]*": \([0-9]*\).*/\1/p' \
		"$box/out" | head -1)" -lt 1000000000000000
	fails "no /proc: HDF5" 3 "mount it" without "$ws" info a.h5
else
	echo "SKIPPED  no /proc: needs unshare"
fi
finish
