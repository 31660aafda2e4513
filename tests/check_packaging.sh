#!/bin/bash
# The recipes of packaging/ beside the tree: one version, one author, every file that is installed in
# one package of Debian and of conda, and no other named; and what is said where no compiler is.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
build=${WAVESIFT_BUILD:-$root/build}
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
cd "$root" || exit 1
bad=0
say()
{
	echo "$1"
	bad=1
}

version=$(sh scripts/version.sh)
grep -q "^  version: \"$version\"$" packaging/conda/recipe.yaml ||
	say "packaging/conda/recipe.yaml has another version than the header, $version"
[ "$(grep -m1 '^## ' CHANGELOG.md | cut -d' ' -f2)" = "$version" ] ||
	say "CHANGELOG.md does not begin with $version"
who=$(sed -n 's/^Copyright (c) [0-9]*, //p' LICENSE)
for file in pyproject.toml bindings/python/cuda13/pyproject.toml bindings/cli/pyproject.toml \
		packaging/debian/copyright; do
	grep -q "$who" $file || say "$file does not name $who, as LICENSE does"
done

# What is installed, as Debian lays it; backends and MPI have no package there.
DESTDIR=$box/stage cmake --install "$build" --prefix /usr >/dev/null
lib=$(dirname "$(find "$box/stage" -name libwavesift.a)")
(cd "$box/stage" && find . \( -type f -o -type l \) -printf '%P\n' |
	grep -vE '/libwavesift_(cuda|mpi)\.so' | sed "s,^${lib#"$box/stage/"}/,usr/lib/," | sort) >"$box/installed"

# covered LIST OF: each line of $box/installed is matched by a pattern of LIST, and each pattern
# matches a line.
covered()
{
	local pattern path name=$2 met
	while read -r pattern; do
		met=$(grep -cE "^$pattern(/|$)" "$box/installed")
		[ "$met" -gt 0 ] || say "$name has $pattern, which nothing installs"
	done <"$1"
	while read -r path; do
		met=$(while read -r pattern; do
			[[ ! $path =~ ^$pattern(/|$) ]] || echo
		done <"$1" | wc -l)
		[ "$met" = 1 ] || say "$name has $path $met times, which is installed"
	done <"$box/installed"
}

# Globs as regular expressions.
glob() { sed 's,\.,\\.,g; s,/\*\*$,,; s,\*,[^/]*,g'; }
cd packaging/debian || exit 1
cat *.install not-installed | awk '{ print $1 }' | grep '^usr/' | grep -v dist-info |
	sed 's,usr/lib/\*/,usr/lib/,' | glob >"$box/debian"
covered "$box/debian" packaging/debian
cd "$root" || exit 1
sed -n 's,^ *- \(\(include\|lib\|libexec\|bin\|share\)/.*\),usr/\1,p' packaging/conda/recipe.yaml |
	grep -v _cuda | glob >"$box/conda"
echo 'usr/share/doc' >>"$box/conda"
covered "$box/conda" packaging/conda/recipe.yaml
# What comes from the tree.
while read -r path; do
	compgen -G "$path" >/dev/null || say "packaging/debian names $path, which is not there"
done < <(cat packaging/debian/*.{docs,examples,install} | awk '!/^usr/ { print $1 }')

# What the wheel of the program takes, before libraries.
DESTDIR=$box/program cmake --install "$build" --prefix /usr --component program >/dev/null
told=$(cd "$box/program/usr" && find . -type f -printf '%P\n' | sort | tr '\n' ' ')
[ "$told" = "bin/wavesift libexec/wavesift/wavesift-decode share/bash-completion/completions/wavesift \
share/man/man1/wavesift.1 share/zsh/site-functions/_wavesift " ] ||
	say "bindings/cli takes the component program, which has: $told"
cmp -s LICENSE bindings/cli/LICENSE || say "bindings/cli/LICENSE is not LICENSE"

mkdir "$box/bin"
ln -s "$(command -v cmake)" "$box/bin/cmake"
for compiler in "" "no-such-gcc -O2"; do
	CC=$compiler PATH="$box/bin" cmake -S . -B "$box/none" -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF \
		-DCMAKE_FIND_USE_INSTALL_PREFIX=OFF -DWAVESIFT_CORE_ONLY=ON >"$box/none.txt" 2>&1 &&
		say "there is no compiler ($compiler), and nothing is said"
	grep -q 'built by a C compiler' "$box/none.txt" ||
		say "no word of what to install: $(cat "$box/none.txt")"
done
exit $bad
