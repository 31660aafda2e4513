#!/bin/bash
# One word for one thing, held against the code:
#
# - Identifiers with a word of tests/words.txt stand only where the word has its meaning, and the
#   glossary of docs/ARCHITECTURE.md tells it.  A part of an identifier is what lies between
#   underscores, in the singular or plural; comments and texts are not looked at.
# - A wsi_.._job is what crosses to a backend, one a family.
# - The head of each file with a kernel says, after what it does: Fits, Twin, Launch, Memory; and
#   the files that it names as twins are there.
# - A head says what is in its file, and does not only point to another.
# - Functions and files that comments name are there; those of a line "Twin" in the files it names.
# - Twins have one basename.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
cd "$root" || exit 1
bad=0
say()
{
	echo "$1"
	bad=1
}

# ---- Words

glossary=$(sed -n '/^## Glossary/,$p' docs/ARCHITECTURE.md)
words=$(sed '/^#/d; /^$/d' tests/words.txt)
while read -r word folders; do
	grep -qE "^\| ([a-z_]+, )*$word(, [a-z_]+)* \||^\|.*\| ([a-z]+, )*$word(, [a-z]+)* \|$" \
		<<<"$glossary" || say "tests/words.txt: $word is not in the glossary of docs/ARCHITECTURE.md"
done <<<"$words"

# file:line:identifier of every identifier that has one of the words.
found=$(mktemp)
trap 'rm -f "$found"' EXIT
find src cli include \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
	WORDS=$(awk '{ print $1 }' <<<"$words" | paste -sd'|') xargs -0 perl -0777 -ne '
		BEGIN { $w = qr/(?:^|_)($ENV{WORDS})(?:s|ed|ers?|ings?)?(?=_|$)/i }
		s{/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"}{ $& =~ s/[^\n]//gr }gse;
		$line = 1;
		while (/(\n)|([A-Za-z_]\w*)/g) {
			if ($1) { $line++; next }
			my $id = $2;
			print lc($1), " $ARGV:$line: $id\n" if $id =~ $w;
			print "a_job $ARGV:$line: $id\n" if $id =~ /^wsi_[a-z_]+_job$/;
		}' >"$found"
while read -r word folders; do
	within=
	[ "${folders%% *}" != within ] || read -r _ within folders <<<"$folders"
	names=${folders##*but }
	[ "$names" = "$folders" ] && names=none
	where=$(sed 's/ *but .*//; s/ /|/g' <<<"$folders")
	wrong=$(sed -n "s/^$word //p" "$found" | grep "^$within" | grep -vE "^($where)(/|:)" |
		grep -vE ": (${names// /|})$" | head -5)
	[ -z "$wrong" ] || say "$word means one thing, in $folders (tests/words.txt); here it is another:
$wrong"
done <<<"$words"
n=$(wc -l <"$found")
[ "$n" -gt 100 ] || say "only $n identifiers were found"

jobs="wsi_(cwt|conv|hht|sift|joint)_job"
wrong=$(sed -n 's/^a_job //p' "$found" | grep -vE ": $jobs\$" | head -5)
[ -z "$wrong" ] || say "a job is what crosses to a backend:
$wrong"

# ---- Heads

head_of()
{
	awk '{ print } /\*\// { exit }' "$1"
}

kernels=0
while read -r file; do
	kernels=$((kernels + 1))
	head=$(head_of "$file")
	grep -q "^ \* $(basename "$file" | sed 's/\./\\./') - " <<<"$head" ||
		say "$file: its head does not say what it does: \"$(basename "$file") - ..\""
	for word in Fits Twin Launch Memory; do
		grep -q "^ \* $word  " <<<"$head" || say "$file: its head has no line \"$word\""
	done
	# What the line "Twin" names.
	for twin in $(sed -n '/^ \* Twin /,/^ \* [A-Z][a-z]*  /p' <<<"$head" |
		sed '1n; /^ \* [A-Z][a-z]*  /d' |
		grep -o '[a-z_]*/[a-z_/]*\.\(cuh\|cu\|c\|h\)\b'); do
		[ -f "src/$twin" ] || [ -f "src/cuda/$twin" ] || say "$file: its twin $twin is not there"
	done
done < <(grep -l '__global__' -r src/cuda | sort)
[ "$kernels" -ge 30 ] || say "found $kernels files with kernels: where are the others?"

while read -r file; do
	head_of "$file" | sed 3q | grep -q " - see [a-z0-9_/]*\.\(cu\)\?h\|; see [a-z0-9_/]*\.\(cu\)\?h\. \*/$" &&
		say "$file: its head points to another file instead of saying what is in it"
done < <(find src cli include -name "*.[ch]" -o -name "*.cu" -o -name "*.cuh" | sort)

# ---- Names in comments: NAME(), but for members, x.NAME(), and emd's; wsi_ and cli_; FOLDER/FILE

wrong=$(git ls-files 2>/dev/null || find . -type f | sed 's,^\./,,')
wrong=$(FILES=$wrong perl -0777 -e '
	my @all = split /\n/, $ENV{FILES};
	my (%text, %code, %bare, %there, $n);
	for my $f (@all) {
		my $end = $f;
		do { $there{$end} = 1 } while $end =~ s{^[^/]*/}{};
	}
	for my $f (grep { m{^(src|cli|include)/.*\.(c|h|cu|cuh)$} && -f } @all) {
		open(my $in, "<", $f) or die "$f: $!";
		$text{$f} = <$in>;
		$bare{$f} = $text{$f} =~ s{/\*.*?\*/}{}gsr;
		$code{$_} = 1 for $bare{$f} =~ /\w+/g;
	}
	for my $f (sort keys %text) {
		for my $comment ($text{$f} =~ m{/\*.*?\*/}gs) {
			for my $name ($comment =~ /(?<![\w.])([a-z]\w+(?=\(\))|(?:wsi|cli)_\w+)/g) {
				$n++;
				print "$f: $name, which a comment names, is not there\n"
					unless $code{$name} || $name eq "hilberthuang" || $name =~ /_$/;
			}
			for my $path ($comment =~ m{(?<![\w/])((?:[\w-]+/)+[\w-]+\.(?:cuh|cu|c|h|sh|py|md))\b}g) {
				next if $path =~ /NAME|^hdf5\//;
				print "$f: $path, which a comment names, is not there\n"
					unless $there{$path};
			}
		}
		next unless $text{$f} =~ m{^ \* Twin  (.*?)(?=^ \* [A-Z][a-z]+  |\*/)}ms;
		my $twin = $1;
		my $named = join "|", map { quotemeta } $twin =~ m{[\w/]+\.(?:cuh|cu|c|h)\b}g;
		my @files = grep { m{(^|/)($named)$} } keys %bare;
		for my $name ($twin =~ /(?<![\w.])(\w+)\(\)/g) {
			print "$f: its twin $name() is in none of the files named with it\n"
				unless grep { $bare{$_} =~ /\b$name\b/ } @files;
		}
	}
	print "only $n names are found in comments\n" if $n < 350;')
[ -z "$wrong" ] || say "$wrong"

# ---- Twins: basenames that every backend, or what it is made of, has

twins="
joint_knots:      src/cpu/emd/joint_knots.c src/cuda/emd/stage/joint_knots.cuh
joint_mean:       src/cpu/emd/joint_mean_simd.h src/cuda/emd/stage/joint_mean.cuh
joint_project:    src/cpu/emd/joint_project_simd.h src/cuda/emd/stage/joint_project.cuh
joint_rows:       src/cpu/emd/joint_rows_simd.h src/cuda/emd/stage/joint_rows.cuh
joint:            src/cpu/emd/joint.c src/cuda/emd/joint.cu src/ops/ref/joint_ref.h
rows:             src/cpu/emd/rows.c src/cpu/emd/rows_simd.h src/cuda/emd/stage/rows.cu src/ops/ref/rows_ref.h
knots:            src/cpu/emd/knots_simd.h src/cuda/emd/block/knots.cuh
spline:           src/cpu/emd/spline_simd.h src/cuda/emd/block/spline.cuh src/math/spline.h
hilbert:          src/cpu/hht/hilbert.c src/cpu/hht/hilbert_simd.h src/cuda/hht/hilbert.cuh src/math/hilbert.h
envelope:         src/cpu/hht/hht_envelope.c src/cuda/hht/envelope.cuh
cycles:           src/cpu/hht/hht_cycles.c src/cuda/hht/cycles.cuh
bins:             src/cpu/hht/hht_bins.c src/cuda/hht/bins.cuh
finish:           src/transform/hht/finish.c src/cuda/hht/finish.cuh
cwt:              src/cpu/cwt/cwt.c src/cpu/cwt/cwt_simd.h src/ops/ref/cwt_ref.h src/cuda/cwt/cwt.cu
conv:             src/cpu/conv/conv.c src/cpu/conv/conv_simd.h src/ops/ref/conv_ref.h src/cuda/conv/conv.cu
hht:              src/cpu/hht/hht_simd.h src/ops/ref/hht_ref.h src/cuda/hht/hht.cu
engine:           src/cpu/emd/engine.c src/cuda/emd/engine.cu src/ops/engine.h
"
while IFS=: read -r name paths; do
	[ -n "$name" ] || continue
	for path in $paths; do
		[ -f "$path" ] || say "$path is not there: twins of $name have one basename"
		base=$(basename "$path" | sed 's/\..*//; s/_\(simd\|ref\)$//; s/^hht_//')
		[ "$base" = "$name" ] || [ "$base" = "hht" ] || say "$path: a twin of $name by another name"
	done
done <<<"$twins"

[ $bad = 0 ] && echo "$(wc -l <<<"$words") words, $n places, $kernels heads of kernels, $(grep -c : <<<"$twins") steps with twins"
exit $bad
