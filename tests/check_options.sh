#!/bin/bash
# Texts of the library name options as they are called in C, in backticks: `max_sifts`, or with a
# value `device cpu`.  The program writes --max-sifts, Python max_sifts and device='cpu'.
#
# - No text of src has an option of the command line, but for examples, which are command lines.
# - What stands in backticks is an option of a transform or of the program.
# - The field of an option is called as the option, or, where it has several, begins with its name.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
cd "$root" || exit 1
bad=0
say()
{
	echo "$1"
	bad=1
}

# file:line: text, of each text in the sources: literals one after the other are one.
texts=$(mktemp)
trap 'rm -f "$texts"' EXIT
find src \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -print0 | xargs -0 perl -0777 -ne '
	BEGIN { $one = qr/"(?:\\.|[^"\\\n])*"/ }
	while (m{/\*.*?\*/|//[^\n]*|\x27(?:\\.|[^\x27\\\n])+\x27|($one(?:\s*$one)*)}gs) {
		next unless defined $1;
		my ($text, $line) = ($1, 1 + substr($_, 0, $-[0]) =~ tr/\n//);
		$text =~ s/"\s*"//g;
		print "$ARGV:$line: $text\n" unless $text =~ /^"wavesift /;
	}' >"$texts"
n=$(wc -l <"$texts")
[ "$n" -gt 5000 ] || say "only $n texts were found"

# That of another program is its own.
wrong=$(sed 's/h5repack --high//' "$texts" | grep -E -- '--(%s|[a-z])' | head -5)
[ -z "$wrong" ] || say "texts of the library name options in backticks, without dashes:
$wrong"

# Fields alone, which programs do not offer, or by another option.
fields_alone=" baseline_from baseline_to direction_vectors edges limits_from limits_to limits_rule
	modes_given modulation_edges whole_given "
names=0
while read -r name; do
	names=$((names + 1))
	[[ $fields_alone == *[[:space:]]"$name"[[:space:]]* ]] && continue
	grep -rqE "\"${name//_/-}\"(,|\$)" src/transform cli/options.c ||
		say "\`$name\` is no option: $(grep -m1 -F "\`$name" "$texts")"
done < <(grep -oE '`[a-z][a-z_-]*[ `]' "$texts" | tr -d '` ' | sort -u)
[ "$names" -gt 40 ] || say "only $names options were found"
dashed=$(grep -oE '`[a-z_]+-[a-z_-]+' "$texts" | head -3)
[ -z "$dashed" ] || say "options in backticks have _ for -: $dashed"

# Where a field has another name, and why.
others="
decomposition  method  # of ws_hht_opts.emd, the decomposition inside
"
fields=0
while read -r name field; do
	fields=$((fields + 1))
	case $field in
	"${name//-/_}" | "${name//-/_}"_*) ;;
	*)
		grep -qE "^$name +$field " <<<"$others" || say "--$name is the field $field"
		;;
	esac
done < <(perl -0777 -ne 'print "$1 $2\n" while
	/\{[\s\\]*"([a-z][a-z-]+)",\s*(?:NULL|"[^"]*"),(?:(?!FIELD\().)*?FIELD\((\w+)\)/gs' \
	src/transform/*/options.c src/transform/emd/descriptors.h)
[ "$fields" -gt 70 ] || say "only $fields fields were found"

[ $bad = 0 ] && echo "$n texts name $names options; $fields fields are called as their options"
exit $bad
