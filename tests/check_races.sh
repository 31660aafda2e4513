#!/bin/bash
# Nothing is reported of the examples by valgrind's memcheck, helgrind and drd, nor of two threads
# with one plan (two_threads.c) by helgrind, drd or, in a build for it, the thread sanitizer; and a
# race of the caller's own is.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
build=${WAVESIFT_BUILD:-$root/build}
failures=0
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT

fail()
{
	echo "FAIL  $1"
	sed 's/^/    /' "$box/out" | grep -v '%' | head -40
	failures=$((failures + 1))
}

# WORD NAME COMMAND...: a race is found.
finds()
{
	local word=$1 name=$2
	shift 2
	"$@" >"$box/out" 2>&1 && fail "$name: passes by a race of the caller's"
	grep -q "$word" "$box/out" || fail "$name: no \"$word\""
}

sanitizers=$(sed -n 's/^WAVESIFT_SANITIZE:STRING=//p' "$build/CMakeCache.txt")
if [ "$sanitizers" = thread ]; then
	"$build/two_threads" >"$box/out" 2>&1 || fail "two threads: exit status $?"
	finds 'WARNING: ThreadSanitizer: data race' "thread sanitizer" "$build/two_threads" shared
	exit $((failures > 0))
elif [ -n "$sanitizers" ]; then
	echo "not with the sanitizers $sanitizers, which run the examples themselves"
	exit 0
fi
if ! command -v valgrind >/dev/null; then
	echo "SKIPPED: valgrind is needed (scripts/setup.sh --dev)"
	exit 77
fi

# TOOL COMMAND...
beneath()
{
	local tool=$1
	shift
	valgrind --tool="$tool" -q --error-exitcode=99 --suppressions="$root/tests/valgrind.supp" "$@" \
		>"$box/out" 2>&1
}

# Each does what it does a few times less.
declare -A less=([decompose]='s/\.modes = 4/&, .realizations = 16/' [stream]='s/CHANNELS = 16/CHANNELS = 3/')
mkdir "$box/examples"
for source in "$root"/examples/*.c; do
	name=$(basename "$source" .c)
	[ "$name" = device ] && continue
	if [ -z "${less[$name]:-}" ]; then
		cp "$build/examples/$name" "$box/examples"
		continue
	fi
	sed "${less[$name]}" "$source" >"$box/$name.c"
	cmp -s "$source" "$box/$name.c" && echo "$name: nothing to lessen" >"$box/out" && fail "$name"
	${CC:-cc} -g -I"$root/include" "$box/$name.c" -o "$box/examples/$name" \
		-L"$build" -lwavesift -lm -Wl,-rpath,"$build" 2>"$box/out" || fail "$name: compiler"
done
for source in "$root"/examples/*.c; do
	name=$(basename "$source" .c)
	[ "$name" = device ] && continue
	beneath memcheck --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all \
		"$box/examples/$name" || fail "$name: memcheck"
done
for tool in helgrind drd; do
	# Where a build had no headers of valgrind, its barriers are unknown to both.
	if ! grep -q 'valgrind/helgrind.h' "$build"/CMakeFiles/core.dir/src/base/barrier.c.o.d 2>/dev/null &&
		! ninja -C "$build" -t deps CMakeFiles/core.dir/src/base/barrier.c.o 2>/dev/null |
		grep -q 'valgrind/helgrind.h'; then
		echo "SKIPPED: the library was built without valgrind's headers"
		continue
	fi
	for source in "$root"/examples/*.c; do
		name=$(basename "$source" .c)
		[ "$name" = device ] && continue
		beneath "$tool" "$box/examples/$name" || fail "$name: $tool"
	done
	beneath "$tool" "$build/two_threads" || fail "two threads: $tool"
	finds "$([ "$tool" = drd ] && echo Conflicting || echo 'Possible data race')" "$tool" \
		valgrind --tool="$tool" -q --error-exitcode=99 "$build/two_threads" shared
done
exit $((failures > 0))
