#!/bin/bash
# What programs that are compiled already rely on, sizes and fields of structs, numbers, functions,
# against the headers of the last release, by libabigail: those of the last tag v*, or where there
# is none (no tag, or no git) the record of tests/data/abi.  What differs must be named in backticks
# in what CHANGELOG.md has gained since.
#
#     check_abi.sh [--record]    --record: renews the record
#
# Exit 77, with a word, where abidiff is missing.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
record=$root/tests/data/abi/libwavesift.abi
if ! command -v abidiff >/dev/null; then
	echo "SKIPPED: abidiff is needed (scripts/setup.sh --dev)"
	exit 77
fi
if [ "$(uname -m)" != x86_64 ]; then
	echo "SKIPPED: the record is of x86_64"
	exit 77
fi
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
# describe INCLUDE OUT: a library with a variable of each type, and a pointer to each function, of
# the public headers, as libabigail sees it: nothing of what is inside the library is looked at.
describe()
{
	{
		echo '#include <wavesift/wavesift.h>'
		[ -f "$1/wavesift/checksum.h" ] && echo '#include <wavesift/checksum.h>'
		[ -f "$1/wavesift/match.h" ] && echo '#include <wavesift/match.h>'
		cat "$1"/wavesift/*.h | sed -nE 's/^\} (ws_[a-z0-9_]+);$/\1 type_\1;/p'
		cat "$1"/wavesift/*.h | tr '\n' ' ' | grep -oE 'WS_API [^;]*' |
			grep -oE '\bws_[a-z0-9_]+ *\(' | sed -E 's/ *\($//; s/.*/__typeof__(\0) *call_\0;/'
	} >"$box/abi.c"
	${CC:-cc} -g -O0 -shared -fPIC -I"$1" "$box/abi.c" -o "$box/abi.so" &&
		abidw --no-show-locs --no-corpus-path --no-comp-dir-path --no-elf-needed \
			--out-file "$2" "$box/abi.so" && return 0
	echo "FAIL  abidw cannot read the public headers of $1"
	exit 1
}

describe "$root/include" "$box/now.abi"
if [ "${1:-}" = --record ]; then
	cp "$box/now.abi" "$record"
	exit 0
fi

tag=$(git -C "$root" describe --tags --abbrev=0 --match 'v*' 2>/dev/null)
against=tests/data/abi
cp "$root/CHANGELOG.md" "$box/changes"
if [ -n "$tag" ]; then
	against="those of $tag"
	git -C "$root" archive "$tag" include | tar -x -C "$box" || exit 1
	record=$box/tag.abi
	describe "$box/include" "$record"
	git -C "$root" show "$tag:CHANGELOG.md" | diff - "$root/CHANGELOG.md" >"$box/changes"
fi

# compare BEFORE AFTER: names of what differs between the two; 1: one is not in the changelog.
compare()
{
	local name missing=0
	abidiff --harmless --no-show-locs "$1" "$2" >"$box/report"
	[ $? -eq 0 ] && return 0
	# Of a function whose argument differs its own name, not those of all its arguments.
	for name in $(grep -vE 'Unchanged|impacted|^$' "$box/report" |
		sed -E "s/'(typedef )?[a-z_]+ \\(.*\\)\\* call_/'call_/; s/'function type [^']*'//" |
		grep -oE '\b(call_|type_)?ws_[a-z0-9_]+' | sed -E 's/^(call|type)_//' | sort -u); do
		grep -qF "\`$name" "$box/changes" && continue
		echo "FAIL  $name differs from $against, and CHANGELOG.md does not name it"
		missing=1
	done
	return $missing
}

compare "$record" "$box/now.abi"
status=$?
[ $status = 0 ] || cat "$box/report"
# A function that goes, a field of another name and a number that changes are found.
for change in 's/ws_isa_name/ws_isa_nowhere/g' "s/name='voices'/name='voicings'/" \
	"s/\(name='WS_AXIS_CELL' value='\)9/\17/"; do
	sed "$change" "$record" >"$box/broken.abi"
	abidiff --harmless --no-show-locs "$box/broken.abi" "$record" >"$box/report" &&
		{ echo "FAIL  passes: $change"; status=1; }
done
sed 's/ws_isa_name/ws_isa_nowhere/g' "$record" >"$box/broken.abi"
compare "$box/broken.abi" "$record" >"$box/out" && { echo "FAIL  a function that is gone passes"; status=1; }
exit $status
