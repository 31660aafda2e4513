#!/bin/bash
# No circles: a file with its header is one thing, and of two of these only one includes or calls
# the other, be it by way of others.  Calls are of functions: a table may name the rows that call
# those who look things up in it.  Modules of Python import each other likewise, also where they do
# it in a function.
#
# Of src/cuda each file is one thing by itself, as what calls a kernel and the kernel have one name;
# calls there are found in the text, as builds without CUDA have no objects of it.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
build=${WAVESIFT_BUILD:-$root/build}
cd "$root" || exit 1
edges=$(mktemp) names=$(mktemp)
trap 'rm -f "$edges" "$names"' EXIT

# ---- Includes

find src cli \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -print0 | xargs -0 perl -0777 -ne '
	BEGIN {
		sub thing { my $f = shift; $f =~ s/\.[ch]$// unless $f =~ m{^src/cuda/}; $f }
	}
	my ($folder) = $ARGV =~ m{(.*)/};
	while (/^[ \t]*#[ \t]*include[ \t]*"([^"]+)"/mg) {
		my ($to) = grep { -f } "$folder/$1", "src/$1";
		print thing($ARGV), " ", thing($to), "\n" if $to && thing($to) ne thing($ARGV);
	}' >"$edges"
includes=$(wc -l <"$edges")

# ---- Calls

# Of sources that are gone objects may lie there still.
find "$build/CMakeFiles" \( -path '*.dir/src/*.c.o' -o -path '*.dir/cli/*.c.o' \) -print0 2>/dev/null |
	xargs -0r nm -A | perl -ne '
		print "$2 $3 $1\n" if m{\.dir/((?:src|cli)/.*)\.c\.o:[0-9a-f ]* ([TU]) ((?:wsi?|cli)_.*)}
			&& ($there{$1} //= -e "$1.c" || 0)' | sort -u >"$names"
awk '$1 == "T" { home[$2] = $3; next }
	{ calls[$3 " " $2] = 1 }
	END {
		for (call in calls) {
			split(call, c, " ")
			if (c[2] in home && home[c[2]] != c[1])
				print c[1], home[c[2]]
		}
	}' "$names" >>"$edges"
# Of src/cuda: functions of one file only, not static, and where another's code names them, after
# its declarations are taken off.
find src/cuda -type f -print0 | xargs -0 perl -0777 -e '
	for my $file (@ARGV) {
		open(my $in, "<", $file) or die "$file: $!";
		my $text = <$in>;
		$text =~ s{/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"}{}gs;
		while ($text =~ /^([^\n]*)\n(\w+)\([^;{}]*\)\s*\{/mg) {
			push @{$home{$2}}, $file unless $1 =~ /static|inline|__device__/;
		}
		$text =~ s/^[^;{}()#\s][^;{}()#\n]*\b\w+\([^;{}]*\)\s*;//mg;
		$text{$file} = $text;
	}
	for my $file (keys %text) {
		for my $called ($text{$file} =~ /\b(\w+)\(/g) {
			my @in = @{$home{$called} // []};
			print "$file $in[0]\n" if @in == 1 && $in[0] ne $file && !$seen{"$file $called"}++;
		}
	}' >>"$edges"
calls=$(($(wc -l <"$edges") - includes))

# ---- Python

perl -0777 -ne '
	my ($from) = $ARGV =~ m{(\w+)\.py$};
	s/^(\s*)from \. import \(?([^\n)]*)/$1 . join "\n$1", map { s{ as .*}{}r =~ s{^}{from .}r . " import x" } split m{,\s*}, $2/mge;
	print "python/$from python/$1\n" while /^\s*from \.(\w+) import/mg;
	' bindings/python/wavesift/*.py |
	while read -r from to; do
		[ -f "bindings/python/wavesift/${to#*/}.py" ] && [ "$from" != "$to" ] && echo "$from $to"
	done >>"$edges"
imports=$(($(wc -l <"$edges") - includes - calls))

if ! circles=$(sort -u "$edges" | tsort 2>&1 >/dev/null); then
	echo "these include, call or import each other in a circle:"
	sed -n 's/^tsort: -*//p' <<<"$circles" | grep -v 'contains a loop'
	exit 1
fi
echo "$includes includes, $calls calls, $imports imports"
[ "$includes" -gt 1000 ] && [ "$imports" -gt 30 ] && { [ "$calls" -gt 300 ] || [ ! -d "$build/CMakeFiles/core.dir" ]; }
