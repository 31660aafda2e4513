#!/bin/bash
# One meaning a word: identifiers with a word of tests/words.txt stand only where the word has its
# meaning, and the glossary tells it.  A part of an identifier is what lies between underscores, in
# the singular or plural; comments and texts are not looked at.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
cd "$root" || exit 1

glossary=$(sed -n '/^## Glossary/,$p' docs/ARCHITECTURE.md)
words=$(sed '/^#/d' tests/words.txt)
bad=0
while read -r word folders; do
	[ "$folders" = none ] || grep -qE "^\| ([a-z]+, )*$word(, [a-z]+)* \|" <<<"$glossary" || {
		echo "tests/words.txt: $word is not in the glossary of docs/ARCHITECTURE.md"
		bad=1
	}
done <<<"$words"

# file:line:identifier of every identifier that has one of the words.
find src cli include \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
	WORDS=$(awk '{ print $1 }' <<<"$words" | paste -sd'|') xargs -0 perl -0777 -ne '
		BEGIN { $w = qr/(?:^|_)($ENV{WORDS})s?(?=_|$)/i }
		s{/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"}{ $& =~ s/[^\n]//gr }gse;
		$line = 1;
		while (/(\n)|([A-Za-z_]\w*)/g) {
			if ($1) { $line++; next }
			my $id = $2;
			print lc($1), " $ARGV:$line: $id\n" if $id =~ $w;
		}' >"${TMPDIR:-/tmp}/words.$$"
while read -r word folders; do
	where=$(sed 's/ /|/g' <<<"$folders")
	found=$(sed -n "s/^$word //p" "${TMPDIR:-/tmp}/words.$$" | grep -vE "^($where)/" | head -5)
	[ -z "$found" ] && continue
	echo "$word means one thing, in $folders (tests/words.txt); here it is another:"
	echo "$found"
	bad=1
done <<<"$words"
n=$(wc -l <"${TMPDIR:-/tmp}/words.$$")
rm -f "${TMPDIR:-/tmp}/words.$$"
[ "$n" -gt 100 ] || { echo "only $n identifiers were found"; bad=1; }
echo "$(wc -l <<<"$words") words, $n places"
exit $bad
