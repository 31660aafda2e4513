#!/bin/bash
# No function is longer than a screen and a half: 80 lines, from brace to brace, in src, cli and
# include.  tests/long_functions.txt names those that are, each with its reason, and none that are
# not.  No line there is wider than 100 columns, with tabs of 8.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
cd "$root" || exit 1
bad=0
most=80

# "lines file name" of every function: its braces stand alone, indented alike.
functions=$(find src cli include \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
	sort -z | xargs -0 perl -e '
		foreach my $file (@ARGV) {
			open(my $in, "<", $file) or die "$file: $!";
			my ($name, $begin, $indent);
			while (<$in>) {
				if (defined $begin) {
					next unless /^$indent\}/;
					print $. - $begin + 1, " $file $name\n";
					undef $begin;
				} elsif (/^(\t*)\{$/) {
					($begin, $indent) = ($., $1);
				} elsif (/^\t*(?:[\w<>:*&]+[ *&]+)*(\w+)\(/) {
					$name = $1;
				}
			}
			close($in);
		}')
n=$(wc -l <<<"$functions")
[ "$n" -ge 3000 ] || { echo "only $n functions found: does this script read them still?"; bad=1; }

known=$(sed '/^#/d; /^$/d' tests/long_functions.txt)
while read -r lines file name; do
	[ "$lines" -gt "$most" ] || continue
	grep -qE "^$name[[:space:]]+[^[:space:]]" <<<"$known" && continue
	echo "$file: $name has $lines lines, more than $most: part it, or name it in" \
		"tests/long_functions.txt with the reason"
	bad=1
done <<<"$functions"
while read -r name _; do
	[ -z "$name" ] && continue
	awk -v name="$name" -v most="$most" '$3 == name && $1 > most { found = 1 }
		END { exit !found }' <<<"$functions" && continue
	echo "tests/long_functions.txt: $name has no more than $most lines"
	bad=1
done <<<"$known"

wide=$(find src cli include \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -print0 | sort -z |
	xargs -0 perl -CSD -lne '1 while s/\t/" " x (8 - $-[0] % 8)/e;
		print "$ARGV:$.: ", length, " columns" if length > 100; close ARGV if eof')
[ -z "$wide" ] || { echo "wrap lines at 100 columns:"; echo "$wide"; bad=1; }
[ "$bad" = 0 ] && echo "$n functions checked"
exit "$bad"
