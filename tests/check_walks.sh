#!/bin/bash
# The walks of docs/ARCHITECTURE.md: each hop's file is there and has its functions, and no walk goes
# through more files than below.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
cd "$root" || exit 1
most=(18 10 13)
bad=0
say()
{
	echo "$1"
	bad=1
}

walk=0
hops=0
files=0
while read -r line; do
	number=${line%%.*}
	if [ "$number" = 1 ]; then
		walk=$((walk + 1))
		hops=0
		seen=
	fi
	hops=$((hops + 1))
	[ "$number" = "$hops" ] || say "walk $walk: hop $hops has number $number"
	[ "$walk" -le ${#most[@]} ] || { say "walk $walk has no number of files here"; continue; }
	file=
	for name in $(grep -oE '`[^`]+`' <<<"$line" | tr -d '`'); do
		if [[ $name == */* ]]; then
			file=$name
			files=$((files + 1))
			[[ " $seen " == *" $file "* ]] || seen="$seen $file"
			[ -f "$file" ] || say "walk $walk, hop $hops: $file is not there"
		elif [ -f "$file" ]; then
			# Where it begins a line, alone or as a template's FN(name).
			grep -qE "^(FN\\($name\\)|$name)\\(" "$file" ||
				say "walk $walk, hop $hops: $file has no function $name"
		fi
	done
	[ "$(wc -w <<<"$seen")" -le "${most[walk - 1]}" ] ||
		say "walk $walk goes through more than ${most[walk - 1]} files: $line"
done < <(sed -n '/^## Three walks/,/^## Reading/p' docs/ARCHITECTURE.md | grep -E '^[0-9]+\. ')
[ "$walk" = ${#most[@]} ] || say "there are $walk walks, not ${#most[@]}"
[ "$bad" = 0 ] && echo "$walk walks, $files hops checked"
exit "$bad"
