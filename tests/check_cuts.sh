#!/bin/bash
# check_cuts.sh: no text of a user's or of a file's is cut without a word.
#
# Finds what may shorten a text: printing text of any length (%s, %.*s) into a room of fixed size,
# scanning words into one, strncpy() and strncat(), texts of fixed size in structs of headers, and
# rooms of fixed size in Python.  Each such place is in tests/cuts.txt with the reason why it cuts
# nothing that is recorded, or says that it did; a place that is not there is a defect.  Lines there
# that no place has any more are told of.  Pictures are left out (src/plot, cli/picture*): what is
# wider than a page ends in an ellipsis there; and src/cuda, which has no texts of users.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
cd "$root" || exit 1

# Calls, each on one line, as "FILE DESTINATION".
calls()
{
	find src cli -name '*.[ch]' -not -path 'src/cuda/*' -not -path 'src/plot/*' \
		-not -name 'picture*' | sort | xargs awk '
	FNR == 1 { open = 0 }
	!open && match($0, /(^|[^a-z_])(wsi_snprintf|snprintf|sscanf|strncpy|strncat)\(/) {
		text = substr($0, RSTART)
		open = 1
		if ($0 !~ /;[^"]*$/) next
	}
	open {
		if (text != substr($0, RSTART)) { line = $0; sub(/^[ \t]+/, "", line); text = text " " line }
		if ($0 !~ /;[^"]*$/) next
		open = 0
		copies = text ~ /strncpy\(|strncat\(/
		shows = text ~ /%[-.*0-9]*s/ || text ~ /%[0-9]*\[/
		if (!copies && !shows) next
		rest = text
		sub(/^[^(]*\(/, "", rest)
		sub(/,.*/, "", rest)
		sub(/ \+ .*/, "", rest)
		if (text ~ /sscanf\(/) rest = "sscanf"
		print FILENAME, rest
	}' | sort -u
}

# Texts in structs, as "FILE char NAME".
fields()
{
	grep -nE '^	+(unsigned )?char [a-z0-9_]+\[[^]]+\][^()]*;' src/io/*/*.h src/base/*.h src/run/*.h \
		src/transform/*.h src/transform/*/*.h src/api/*.h src/ops/*.h cli/*.h include/wavesift/*.h |
		sed -E 's/^([^:]+):[0-9]+:	+(unsigned )?char ([a-z0-9_]+).*/\1 char \3/' | sort -u
}

rooms()
{
	grep -nE 'create_string_buffer\([0-9]' bindings/python/wavesift/*.py |
		sed -E 's/^([^:]+):.*/\1 create_string_buffer/' | sort -u
}

found=$(mktemp)
listed=$(mktemp)
trap 'rm -f "$found" "$listed"' EXIT
{ calls; fields; rooms; } | sort -u >"$found"
grep -v '^#' tests/cuts.txt | grep . | sed 's/[[:space:]]*--.*//' | sort -u >"$listed"
bad=0
while read -r place; do
	echo "FAIL  $place: may cut a text; let it grow, or say in tests/cuts.txt why it does not"
	bad=1
done < <(comm -23 "$found" "$listed")
while read -r place; do
	echo "note: tests/cuts.txt: $place: there is no such place any more"
done < <(comm -13 "$found" "$listed")
if grep -v '^#' tests/cuts.txt | grep . | grep -vE ' -- .{8,}'; then
	echo "FAIL  tests/cuts.txt: the lines above have no reason"
	bad=1
fi
[ "$bad" = 0 ] && echo "$(wc -l <"$listed") places, none of which cuts what is recorded"
exit $bad
