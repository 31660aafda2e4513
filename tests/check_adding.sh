#!/bin/bash
# docs/adding-a-{wavelet,stop-rule,quantity,format}.md, walked: their lines applied to a copy of the
# tree, which builds and does what they say.  Each touches two files at most.
set -u
root=${WAVESIFT_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say()
{
	echo "$1"
	bad=1
}

cp -r "$root"/{CMakeLists.txt,cmake,include,src,cli,LICENSE} "$work" || exit 1
cd "$work" || exit 1
: >cmake/tests.cmake
for walk in wavelet stop-rule quantity format; do
	sed -n '/^```diff$/,/^```$/{/^```/d; p}' "$root/docs/adding-a-$walk.md" >$walk.diff
	files=$(grep -c '^+++ ' $walk.diff)
	[ "$files" -ge 1 ] && [ "$files" -le 2 ] || say "$walk: touches $files files"
	patch -s -p1 --fuzz=0 <$walk.diff || say "docs/adding-a-$walk.md does not fit the sources"
done
[ $bad = 0 ] || exit 1

# Quickly built, not quick.
cmake -S . -B build -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DBUILD_TESTING=OFF \
	${CC:+-DCMAKE_C_COMPILER="$CC"} >log 2>&1 &&
	cmake --build build --target wavesift_cli -j "$(nproc)" >>log 2>&1 || {
	grep -E -A5 'error|Error' log | head -30
	exit 1
}
grep -A5 'warning:' log && say "the compiler warns"
ws=$work/build/wavesift

# run COMMAND...: must succeed.
run()
{
	"$@" >out 2>&1 || say "$*: $(cat out)"
}

# 2 s at 250 Hz: a tone of 10 Hz and amplitude 2 beside a slow one.
awk 'BEGIN { print "a,b"; for (i = 0; i < 500; i++) { t = i / 250
	slow = sin(6.283185307179586 * t)
	printf "%.9g,%.9g\n", 2 * sin(62.83185307179586 * t) + slow, cos(40 * t) } }' >x.csv

run "$ws" cwt x.csv --fs 250 --precision f64 --freqs 10 --wavelet log-gabor:0.3 \
	--quantity magnitude -o w.csv
# In the middle the tone has its amplitude, norm l1.
middle=$(awk -F, 'NR == 251 { print $2 }' w.csv)
awk "BEGIN { exit !($middle > 1.98 && $middle < 2.02) }" || say "log-gabor: a tone of 2 is $middle"
"$ws" cwt x.csv --fs 250 --wavelet log-gabor:3 -o no.csv 2>err && say "sigma 3 is taken"
grep -q "sigma must be from 0.05 to 1, not 3" err || say "sigma 3: $(cat err)"
"$ws" cwt --help | tr -s ' \n' '  ' | grep -q "log-gabor:SIGMA (0.35)" ||
	say "help has no log-gabor"

# 0.5^2 is 0.25 exactly.
run "$ws" emd x.csv --fs 250 --stop-rule amplitude:0.5 -o a.csv
run "$ws" emd x.csv --fs 250 --stop-rule cauchy:0.25 -o c.csv
cmp -s a.csv c.csv || say "amplitude:0.5 is not cauchy:0.25"
run "$ws" memd x.csv --fs 250 --stop-rule amplitude:0.5 -o m.csv
"$ws" hht --help | grep -q -- --stop-rule || say "hht has no stop rule"
run "$ws" hht x.csv --fs 250 --stop-rule amplitude --freqs 1:40:20 -o h.h5
"$ws" emd --help | tr -s ' \n' '  ' | grep -q "energy:DB, amplitude:RATIO" ||
	say "help has no amplitude"

run "$ws" cwt x.csv --fs 250 --precision f64 --freqs 5,10 --quantity decibel -o d.csv
run "$ws" cwt x.csv --fs 250 --precision f64 --freqs 5,10 --quantity power -o p.csv
paste -d, d.csv p.csv | awk -F, 'NR > 1 { n = NF / 2
	for (i = 2; i <= n; i++) { want = 10 * log($(n + i)) / log(10); d = $i - want
		if (d > 1e-6 || d < -1e-6) bad++; seen++ } }
	END { exit !(seen >= 2000 && !bad) }' || say "decibel is not the level of power"
run "$ws" cwt x.csv --fs 250 --freqs 2:40 --quantity decibel --octave-arrays -o o.h5
"$ws" cwt x.csv --fs 250 --quantity volume -o no.csv 2>err && say "volume is taken"
grep -q "phase" err || say "quantity: $(cat err)"

# The same samples as f32.
{
	printf 'TRACE 2 250\n'
	awk -F, 'NR > 1 { printf "%d %d\n", $1 * 64, $2 * 64 }' x.csv >whole
	perl -ne 'print pack("f<2", split)' whole
} >x.trace
awk 'BEGIN { print "a,b" } { print $1 "," $2 }' whole >y.csv
run "$ws" info x.trace
grep -q "TRACE, 2 signals" out || say "info: $(cat out)"
run "$ws" emd x.trace -o t.csv
run "$ws" emd y.csv --fs 250 -o y2.csv
[ "$(tail -n +2 t.csv)" = "$(tail -n +2 y2.csv)" ] || say "x.trace has not the modes of y.csv"
head -c 1001 x.trace >cut.trace
"$ws" emd cut.trace -o no.csv 2>err && say "a file that is cut off is taken"
grep -q "is it cut off" err || say "cut.trace: $(cat err)"
ls no.csv >/dev/null 2>&1 && say "a failure left a file"

[ $bad = 0 ] && echo "a wavelet, a stop rule, a quantity and a format were added, two files each"
exit $bad
