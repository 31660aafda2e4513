#!/bin/bash
# Runs each fuzz target of a build for some seconds on a copy of its corpus, and judges what it
# finds.
#
#     scripts/fuzz.sh BUILD SECONDS [FORMAT...]
#
# A fault in our code ends the run with status 1.  HDF5 and libsndfile run in the target's
# own process, and have faults (fuzz/known/README.md): a file on which a library crashes, hangs or
# takes too much memory must not get past the decoder, so it goes through the program ($WAVESIFT,
# else build/wavesift): status 0, 2, 3 or 4, and one line where it is not 0.
#
# As many targets run at a time as there are processors ($FUZZ_JOBS: another number).
#
# BUILD/findings keeps the files, BUILD/tally a line for each run: time, target, executions,
# processor seconds, findings in libraries.  scripts/fuzz_libraries.sh makes instrumented libraries.
set -euo pipefail
build=$(cd "$1" && pwd) seconds=$2
shift 2
root=$(cd "$(dirname "$0")/.." && pwd)
program=${WAVESIFT:-$root/build/wavesift}
[ $# -gt 0 ] || set -- $(cd "$build" && ls | sed -n 's/^fuzz_\([a-z0-9_]*\)$/\1/p')
# An allocation fails where it would in the decoder, whose address space is bounded.
export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0:max_allocation_size_mb=128
ASAN_OPTIONS+=:quarantine_size_mb=16:malloc_context_size=8
export UBSAN_OPTIONS=print_stacktrace=1
bad=0
jobs=${FUZZ_JOBS:-$(nproc)}
[ -x "$program" ] || { echo "no $program: build it first, or set WAVESIFT" >&2; exit 2; }

# Of a report on standard input the first frame that is neither the sanitizer's nor the C library's,
# nor of a function that only allocates.  Frames of libraries without line numbers, as Debian builds
# them, count too.
frame()
{
	grep -aE '^ *#[0-9]+ 0x[0-9a-f]+ +(in .*/[^ ]+:[0-9]+|.*\(/[^)]*\.so)' |
		grep -avE 'compiler-rt|/sysdeps/|\.\./csu|llvm-project|/fuzz/fuzz|in H5(MM|FL)_' |
		grep -avE '\(/[^)]*/lib(c|m|gcc_s)\.so' |
		head -1 | sed -E 's/.* in ([^ ]+) ([^ ]+).*/\1 \2/; s/^ *#[0-9]+ [^ ]+ +/static /' || true
}

# judge FORMAT FILE
judge()
{
	local format=$1 file=$2 where memory status lines name=$build/findings/try_$1
	timeout 120 "$build/fuzz_$format" -rss_limit_mb=2048 "$file" >"$file.report" 2>&1 || true
	where=$(frame <"$file.report")
	memory=
	if grep -aq 'ERROR.*buffer-overflow' "$file.report"; then
		memory=$(sed -n '/allocated by thread/,$p' "$file.report" | frame)
	fi
	# A promise of every recording that does not hold is ours, too; and so is memory that we
	# handed to a library and it leaves.
	if [ "${where#* "$root/src/"}" != "$where" ] || [ "${memory#* "$root/src/"}" != "$memory" ] ||
		grep -aq ' in fuzz_require ' "$file.report"
	then
		echo "fuzz_$format: OURS: $file: $where${memory:+, memory of $memory}" >&2
		bad=1
		return
	fi
	case $format in
	hdf5|result|masks) name+=.h5 ;;
	mat) name+=.mat ;;
	eeglab) name+=.set ;;
	sound) name+=.wav ;;
	*)
		# Our own readers: but what a library decodes is known by its content, too.
		if [ -z "$where" ]; then
			echo "fuzz_$format: $file: no frame of a library" >&2
			bad=1
			return
		fi
		name+=.$format
		;;
	esac
	cp "$file" "$name"
	local signal=$build/findings/signal_$format.csv out=$build/findings/out_$format
	printf '1\n2\n' >"$signal"
	for command in info plot $([ $format = masks ] && echo conv); do
		status=0
		case $command in
		info) set -- "$name" ;;
		plot) set -- "$name" -o "$out.png" ;;
		conv) set -- "$signal" --masks "$name" -o "$out.npy" ;;
		esac
		timeout 60 "$program" $command "$@" >/dev/null 2>"$file.told" || status=$?
		lines=$(wc -l <"$file.told")
		rm -f "$out.png" "$out.npy"
		case $status in
		0) ;;
		2|3|4) [ "$lines" = 1 ] || status=lines ;;
		*) status=status ;;
		esac
		case $status in
		lines|status)
			echo "fuzz_$format: OUT OF THE DECODER: $command $file:" \
				"$(head -1 "$file.told")" >&2
			bad=1
			;;
		esac
	done
	rm -f "$name" "$signal" "$file.told"
	echo "fuzz_$format: in a library: ${where:-hang or memory}"
}

# run FORMAT: one target; the status is 1 where it found a fault of ours.
run()
{
	local format=$1 corpus=$build/corpus/$1 found=$build/findings/$1 log=$build/findings/$1.log
	local executions processor
	mkdir -p "$corpus" "$found"
	cp -n "$root/fuzz/corpus/$format"/* "$corpus/" 2>/dev/null || true
	echo "fuzz_$format: $seconds s"
	TIMEFORMAT='PROCESSOR %U %S'
	{ time "$build/fuzz_$format" -fork=1 -entropic=0 -ignore_crashes=1 -ignore_ooms=1 \
		-ignore_timeouts=1 -timeout=15 -rss_limit_mb=2048 -max_len=65536 -max_total_time="$seconds" \
		-artifact_prefix="$found/" "$corpus" >"$log" 2>&1 || true; } 2>>"$log.time"
	for file in "$found"/crash-* "$found"/oom-* "$found"/timeout-* "$found"/leak-*; do
		case $file in *.report|*.told|*'*') continue ;; esac
		[ -e "$file.report" ] || judge "$format" "$file"
	done
	executions=$(grep -aoE '^#[0-9]+:' "$log" | tail -1 | tr -dc 0-9 || true)
	processor=$(tail -1 "$log.time" | awk '{ print $2 + $3 }')
	echo "$(date -u +%FT%TZ) $format ${executions:-0} $processor $(find "$found" -type f \
		! -name '*.report' | wc -l)" | tee -a "$build/tally"
	return $bad
}

running=0 failed=0
for format; do
	run "$format" &
	running=$((running + 1))
	[ "$running" -lt "$jobs" ] && continue
	wait -n || failed=1
	running=$((running - 1))
done
for ((; running > 0; --running)); do
	wait -n || failed=1
done
exit $failed
