#!/bin/bash
# Every path that a document or a comment names exists, and the head of every source names its file.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
cd "$root" || exit 1
bad=0
n=0
tops='src|cli|bindings|include|docs|tests|bench|cmake|scripts|examples|fuzz|\.ci'
while IFS=: read -r file path; do
	n=$((n + 1))
	path=${path%.}
	# NAME, * and .. stand for any; those name no file.
	case $path in
	*[A-Z][A-Z][A-Z]*.[ch] | *'*'* | *'{'* | *NAME* | *..*) continue ;;
	esac
	# A path is counted from the root, or from beside the document; a program
	# goes by the name of its source.
	if [ ! -e "$path" ] && [ ! -e "$path.c" ] && [ ! -e "$(dirname "$file")/$path" ]; then
		echo "$file names $path, which does not exist"
		bad=1
	fi
done < <(find . -name '*.md' -not -path './build*' -not -path './.git/*' -printf '%P\n' \
	| xargs grep -oHE "(^|[ \`(|])($tops)/[A-Za-z0-9_./*{},-]*[A-Za-z0-9_/*}]" \
	| sed -E 's/:[ `(|]/:/' | sort -u)
# Paths of sources, in includes, comments and the map of rooms: counted from src.
while IFS=: read -r file path; do
	n=$((n + 1))
	compgen -G "src/$path" >/dev/null || { echo "$file names $path, which does not exist"; bad=1; }
done < <(grep -roHE \
	'\b(base|math|ops|cpu|cuda|algo|transform|api|run|io|mpi|decode|plot)/[a-z0-9_/*]+\.(c|h|cuh?)\b' \
	src cli docs/ARCHITECTURE.md | sort -u)
find src cli include -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' | xargs awk '
	FNR == 1 { parts = split(FILENAME, part, "/"); name = " " part[parts] " - " }
	FNR <= 3 && index($0, name) { named[FILENAME] = 1 }
	END {
		for (i = 1; i < ARGC; i++)
			if (!(ARGV[i] in named)) {
				print "the head of " ARGV[i] " has another name"
				bad = 1
			}
		exit bad
	}' || bad=1
# Every known finding stands in its table and in both tests, and none that is gone.
for file in fuzz/known/*.[hms]*; do
	[ "$file" != fuzz/known/README.md ] || continue
	name=$(basename "$file")
	for text in fuzz/known/README.md tests/test_io_decoder.c tests/test_hostile.c; do
		grep -q "$name" $text || { echo "$text lacks $name of fuzz/known"; bad=1; }
	done
done
for name in $(grep -oE '^\| [a-z0-9-]+\.(h5|mat|set) ' fuzz/known/README.md | tr -d '| '); do
	[ -e "fuzz/known/$name" ] || { echo "fuzz/known/README.md has $name, which is gone"; bad=1; }
done
# The page of the C interface is what the headers say.
if command -v python3 >/dev/null; then
	python3 scripts/c_api.py --check || bad=1
fi
# Images and links of Markdown.
while IFS=: read -r file path; do
	n=$((n + 1))
	case $path in
	http* | '#'*) continue ;;
	esac
	if [ ! -e "$(dirname "$file")/${path%%#*}" ]; then
		echo "$file links to $path, which does not exist"
		bad=1
	fi
done < <(find . -name '*.md' -not -path './build*' -not -path './.git/*' -printf '%P\n' \
	| xargs grep -oHE '\]\([^)]+\)' | sed -E 's/\]\(//; s/\)$//')
echo "$n paths"
[ "$n" -gt 0 ] && exit $bad
