#!/bin/bash
# The public header alone compiles as C99 and as C++, without a warning, and a
# program of either language links with the library.
set -eu
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
build=${WAVESIFT_BUILD:-$root/build}
# A sanitized library needs its runtime; those builds check the header only.
link=yes
grep -q '^WAVESIFT_SANITIZE:STRING=..*' "$build/CMakeCache.txt" && link=
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
printf '#include <wavesift/wavesift.h>\nint main(void) { return ws_version()[0] == 0; }\n' >"$box/a.c"
cp "$box/a.c" "$box/a.cc"
strict="-Wall -Wextra -Wpedantic -Werror -I$root/include"
for compiler in "${CC:-cc} -std=c99 $box/a.c" "${CXX:-c++} -std=c++11 $box/a.cc"; do
	if [ -n "$link" ]; then
		$compiler $strict -L"$build" -lwavesift -o "$box/a"
		LD_LIBRARY_PATH=$build "$box/a"
	else
		$compiler $strict -fsyntax-only
	fi
done
