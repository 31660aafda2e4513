#!/bin/bash
# The public headers as Julia reads them: a script of clang's syntax tree (header_julia.py) declares
# all structs, binds all functions by ccall, and analyses a signal.  WAVESIFT_JULIA names Julia's
# command; exit 77 where there is none.
set -eu
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
build=${WAVESIFT_BUILD:-$root/build}
julia=${WAVESIFT_JULIA:-julia}
clang=$(command -v clang || command -v clang-14 || true)
script=$(mktemp)
trap 'rm -f "$script"' EXIT
if [ -n "$clang" ]; then
	python3 "$root/tests/header_julia.py" "$clang" "$root/include" "$build/libwavesift.so" \
		>"$script"
fi
if [ -z "$clang" ] || ! command -v "$julia" >/dev/null; then
	echo "SKIPPED: clang and julia are needed (WAVESIFT_JULIA names its command)"
	exit 77
fi
"$julia" --startup-file=no "$script"
