#!/bin/bash
# check_make.sh - `make` where there is nothing to build with, and after a configuration that failed.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
mkdir "$box/bin"
for tool in make sh chmod; do
	ln -s "$(command -v $tool)" "$box/bin/$tool"
done

die()
{
	echo "check_make: $1"
	cat "$box/said"
	exit 1
}

# plain: `make` with these programs alone.
plain()
{
	PATH=$box/bin make --no-print-directory -C "$root" BUILD="$box/build" JOBS=1 CC=cc \
		>"$box/said" 2>&1
}

# program NAME: one that is there, and does what standard input says.
program()
{
	{ echo '#!/bin/sh'; cat; } >"$box/bin/$1"
	chmod +x "$box/bin/$1"
}

plain && die "succeeds without a compiler"
[ "$(wc -l <"$box/said")" = 1 ] || die "without tools it says more than one line"
grep -q 'make setup' "$box/said" || die "it does not name make setup"
program cmake <<<'exit 1'
plain
[ "$(wc -l <"$box/said")" = 1 ] || die "without a compiler it says more than one line"
program cc <<<"exit 0"
plain && die "succeeds where it cannot be configured"
grep -q 'make setup' "$box/said" || die "a failed configuration does not name make setup"
# Now it can: it is configured again, and built.
program cmake <<EOF
echo cmake "\$1"
[ "\$1" = --build ] || : >"$box/build/cmake_install.cmake"
EOF
mkdir -p "$box/build"
plain || die "fails once it can be configured"
[ "$(grep -cx 'cmake -S' "$box/said")$(grep -cx 'cmake --build' "$box/said")" = 11 ] || die "does not configure again and build"
echo "check_make: as it should be"
