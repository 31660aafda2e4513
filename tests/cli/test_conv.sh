#!/bin/bash
# wavesift conv: masks from files and formulae, written and read back; options, files, abuse; the
# same numbers however the work is cut.
. "$(dirname "$0")/lib.sh"

# ---- Help
ok "help" "$ws" conv --help
that "help has the formulae" has "mexican-hat"
that "help has the file of masks" has "--write-masks"
ok "help of another command" "$ws" cwt --help
that "which has no masks to write" test -z "$(grep -E '^ +--write-masks' <<<"$out")"

# ---- Masks of files, complex too
sine_csv 700 2 >x.csv
printf 'a,b\n1,4\n2,5\n3,nan\n' >real.csv
printf 'a.re,a.im,b.re,b.im\n1,0.5,4,-1\n2,0.25,5,-2\n3,0,nan,nan\n' >complex.csv
ok "real masks" "$ws" conv x.csv --masks real.csv -o real.h5 --write-masks m.h5
ok "from a packed file" "$ws" conv x.csv --masks m.h5 -o again.npy --write-masks m2.h5
ok "the same from the table" "$ws" conv x.csv --masks real.csv -o table.npy
that "the same bits" cmp again.npy table.npy
that "the same file of masks" cmp m.h5 m2.h5
ok "complex masks" "$ws" conv x.csv --masks complex.csv -o complex.npy --write-masks c.h5
that "complex responses" has "complex f64"
ok "packed" "$ws" conv x.csv --masks c.h5 -o complex2.npy
that "the same bits" cmp complex.npy complex2.npy
ok "the real parts alone" "$ws" conv x.csv --masks complex.csv -o parts.csv
that "columns of both parts" grep -q '\.re.*\.im' parts.csv
for formula in morlet mexican-hat gabor doppler; do
	ok "$formula" "$ws" conv x.csv --mask-formula $formula --scales 3/4:20:9 -o f.npy \
		--write-masks f.h5 --overwrite
	ok "$formula from its file" "$ws" conv x.csv --masks f.h5 -o g.npy --overwrite
	that "the same bits" cmp f.npy g.npy
	that "scales come with them" has "0.7500 - 20.00"
done
ok "rounded when used, not when written" "$ws" conv x.csv --mask-formula gabor --precision f32 \
	--scales 3/4:20:9 --write-masks f32.h5 -o g32.npy
ok "from f64" "$ws" conv x.csv --mask-formula gabor --scales 3/4:20:9 --write-masks f64.h5 \
	-o g.npy --overwrite
that "the same masks" cmp f32.h5 f64.h5
rm ./*.h5 ./*.npy parts.csv

# ---- Accumulators, sixteen bits
ok "accumulators" "$ws" conv x.csv --masks real.csv --accumulators 3 -o acc.npy
that "recorded" has "accumulators 3"
ok "of bf16" "$ws" conv x.csv --masks real.csv --narrow bf16 --precision f32 --accumulators 2 \
	-o narrow.npy
that "recorded" has "narrow bf16"
fails "too many accumulators" 2 "from 1 to 8" "$ws" conv x.csv --masks real.csv --accumulators 9
fails "accumulators of another method" 2 "direct method" "$ws" conv x.csv --masks real.csv \
	--accumulators 2 --method fft
fails "sixteen bits in f64" 2 "--precision f32" "$ws" conv x.csv --masks real.csv --narrow f16
rm ./*.npy

# ---- Oversampled signals
printf 'p0,p1\n1,0.5\nnan,0.5\n' >kernel.csv
for model in linear cubic band-limited autoregressive; do
	ok "$model" "$ws" conv x.csv --fs 100 --masks real.csv --oversample 4 \
		--interpolation $model -o over.npy --overwrite
	that "in each gap of 700 three more" has "time 2797"
	that "recorded" has "interpolation $model"
	ok "$model, two threads" "$ws" conv x.csv --fs 100 --masks real.csv --oversample 4 \
		--interpolation $model --threads 2 -o over2.npy --overwrite
	that "the same bits" cmp over.npy over2.npy
	ok "$model at the samples" "$ws" conv x.csv --fs 100 --masks real.csv --oversample 4 \
		--interpolation $model --decimate 4 -o thin.npy --overwrite
	that "as many as there were" has "time 700"
done
ok "a kernel of one's own" "$ws" conv x.csv --masks real.csv --oversample 2 \
	--interpolation-kernel kernel.csv -o over.npy --overwrite
that "recorded with its file" has "kernel.csv"
fails "oversampled three times" 2 "1, 2 or 4" "$ws" conv x.csv --masks real.csv --oversample 3
fails "interpolated for nothing" 2 "--oversample" "$ws" conv x.csv --masks real.csv \
	--interpolation cubic
fails "a kernel of other rows" 2 "has 2 rows" "$ws" conv x.csv --masks real.csv --oversample 4 \
	--interpolation-kernel kernel.csv
fails "no kernel there" 3 "nowhere.npy" "$ws" conv x.csv --masks real.csv --oversample 2 \
	--interpolation-kernel nowhere.npy
rm ./*.npy

# ---- Lists of scales
ok "a list of scales" "$ws" conv x.csv --mask-formula gabor --scales 1,3/2,2,5/2,3 -o list.h5
that "recorded whole" has "scales 1,3/2,2,5/2,3"
ok "numbers as a table" "$ws" conv x.csv --mask-formula gabor --scales 1,1.5,2,2.5,3 -o list.npy
ok "the same as a range" "$ws" conv x.csv --mask-formula gabor --scales 1:3:5 -o range.npy
that "the same bits" cmp list.npy range.npy
long=$(seq -s, 1 300 | sed 's|,|/401,|g')
ok "three hundred" "$ws" conv x.csv --mask-formula morlet --scales "$long" -o long.h5
that "recorded whole" has "scales $long,"
fails "a list that ends in a comma" 2 "does not end in a comma" "$ws" conv x.csv \
	--mask-formula morlet --scales 1,
fails "a scale that is none" 2 'scale 2 of the list, "1e3"' "$ws" conv x.csv \
	--mask-formula morlet --scales 1,1e3,2
fails "a scale beyond all in a list" 2 "below 2^25" "$ws" conv x.csv --mask-formula morlet \
	--scales 1,99999999
rm list.* range.npy long.h5

# ---- Errors of the instrument
for error in "--amplitude-error 0.98" "--amplitude-error frequency:1=0.99,50=0.9" \
	"--timing-error 1e-3" "--timing-jitter phase-noise:1e3:1=-60,100=-80"; do
	# shellcheck disable=SC2086
	ok "$error" "$ws" conv x.csv --fs 100 --mask-formula gabor $error -o e.h5 --overwrite
	that "recorded" has "${error#* }"
done
ok "a value of each mask" "$ws" conv x.csv --fs 100 --mask-formula gabor --scales 2,3 \
	--amplitude-error masks:0.5,0.75 -o e.h5 --overwrite
that "recorded" has "amplitude_error masks:0.5,0.75"
fails "of too many" 2 "3 values for 2 masks" "$ws" conv x.csv --mask-formula gabor --scales 2,3 \
	--amplitude-error masks:1,2,3
fails "an error of words" 2 "--amplitude-error much: must be a number" "$ws" conv x.csv \
	--masks real.csv --amplitude-error much
fails "a frequency that masks have not" 2 "mask 1 has none" "$ws" conv x.csv --masks real.csv \
	--amplitude-error frequency^1:1
fails "a delay beyond the mask" 2 "out of itself" "$ws" conv x.csv --mask-formula morlet \
	--timing-error 1e4
rm e.h5

# ---- Expressions
printf '1\n2\n3\n' >short.csv
run "$ws" conv short.csv --mask-expression x -o probe.npy
if grep -q 'need muParser' "$box/err"; then
	echo "SKIPPED  expressions: no libmuparser.so.2"
else
	rm probe.npy
	bell='exp(-(x/s)^2/2)/sqrt(s)'
	ok "an expression" "$ws" conv x.csv --mask-expression "$bell*cos(w*x/s)" \
		--mask-imaginary "$bell*sin(w*x/s)" --mask-constants w=5 --scales 3/4:20:9 -o e.npy
	that "complex" has "complex f64"
	that "recorded" has "mask_constants w=5"
	fails "an expression cut short" 2 '"x+" does not parse' "$ws" conv x.csv \
		--mask-expression x+
	fails "an unknown name" 2 'Unexpected token "y"' "$ws" conv x.csv --mask-expression 'y*2'
	fails "on several lines" 2 "does not parse" "$ws" conv x.csv --mask-expression 'x
		+)'
	fails "zero at the centre" 2 "is inf at x = 0 of mask 1, scale 1" "$ws" conv x.csv \
		--mask-expression 1/x
	fails "zero at a scale" 2 "of mask 3, scale 3" "$ws" conv x.csv \
		--mask-expression '1/(s-3)' --scales 1:5:5
	fails "a root of less than zero" 2 "is nan at x = -8" "$ws" conv x.csv \
		--mask-expression 'sqrt(x)'
	fails "a constant without a value" 2 "NAME=NUMBER" "$ws" conv x.csv --mask-expression x \
		--mask-constants w=
	fails "a constant that is taken" 2 "not one of x, s, f" "$ws" conv x.csv \
		--mask-expression x --mask-constants s=1
	ok "an error by an expression" "$ws" conv x.csv --fs 100 --mask-formula gabor \
		--amplitude-error 'expression:1/sqrt(1+(f/corner)^2)' --mask-constants corner=40 \
		--timing-error 'expression:s*1e-5' --timing-jitter 'expression:1e-4' -o ee.h5
	that "recorded" has 'amplitude_error expression:1/sqrt(1+(f/corner)^2)'
	that "and the rest" has 'timing_error expression:s*1e-5, timing_jitter expression:1e-4'
	fails "which masks cannot have" 2 "depends on the frequency, and mask 1 has none" "$ws" \
		conv x.csv --masks real.csv --amplitude-error 'expression:f'
	fails "which is not finite" 2 "a gain of inf for mask 3" "$ws" conv x.csv \
		--mask-formula gabor --amplitude-error 'expression:s==3 ? 1/(s-3) : 1'
	rm ee.h5
	fails "more memory than there is" 4 "allow more memory" "$ws" conv x.csv \
		--mask-expression x --scales 1:4096:4096 --memory 100M
	rm ./*.npy
fi
fails "an expression of nothing" 2 "1 to 511 characters" "$ws" conv x.csv --mask-expression ''
fails "constants of nothing" 2 "belongs to an expression" "$ws" conv x.csv --mask-constants w=5
fails "a formula too" 2 "an expression too" "$ws" conv x.csv --mask-expression x \
	--mask-formula morlet

# ---- Pictures
base=("$ws" conv x.csv --fs 100 -q -o p.h5 --overwrite)
for end in png svg pdf; do
	ok "masks as .$end" "${base[@]}" --mask-formula gabor --scales 1:60:40 --figure masks \
		--plot masks.$end
	that "a picture" test -s masks.$end
done
ok "masks of a file" "${base[@]}" --masks complex.csv --figure masks --plot file.svg
ok "masks of one tap, and of nothing but zeros" "${base[@]}" --masks short.csv --figure masks \
	--plot one.svg
printf '0\n0\n' >zeros.csv
ok "zeros" "${base[@]}" --masks zeros.csv --figure masks --plot zeros.svg
ok "a hundred scales in colours" "${base[@]}" --mask-formula morlet --scales 1:60:100 \
	--plot colours.png
ok "every fourth" "${base[@]}" --mask-formula gabor --scales 1:60:100 --decimate 4 \
	--plot fourth.png
ok "masks without scales are rows" "${base[@]}" --masks real.csv --plot rows.svg
that "not colours" test -z "$(grep -c 'data:image' rows.svg | grep -v '^0')"
fails "another figure" 2 "must be responses or masks" "$ws" conv x.csv --masks real.csv \
	--figure spectra --plot s.png
fails "masks of another transform" 2 "these commands take it: conv" "$ws" emd x.csv \
	--figure masks --plot s.png
rm ./*.svg ./*.png ./*.pdf ./*.h5

# ---- The same numbers however it is cut
base=("$ws" conv "$eeg" --mask-formula morlet --scales 1:40:40 --overwrite --method direct)
ok "all at once" "${base[@]}" -o all.npy
ok "one thread" "${base[@]}" --threads 1 -o one.npy
that "the same" cmp all.npy one.npy
run "${base[@]}" --memory 5M -o little.npy -v
that "a channel in parts" grep -q 'parts each' "$box/err"
that "the same" cmp all.npy little.npy
rm ./*.npy

# ---- Mistakes: one line each, nothing written
fails "no masks" 2 "no masks" "$ws" conv x.csv
fails "both" 2 "a formula too" "$ws" conv x.csv --masks real.csv --mask-formula morlet
fails "no formula" 2 "must be morlet" "$ws" conv x.csv --mask-formula sinc
fails "no such file" 3 "none.npy" "$ws" conv x.csv --masks none.npy
printf '1,nan\n2,nan\n' >empty.csv
fails "an empty mask" 3 "mask 2 is empty" "$ws" conv x.csv --masks empty.csv
printf '1,4\nnan,5\n3,6\n' >hole.csv
fails "NaN in a mask" 3 "mask 1 is not finite (nan) at tap 2" "$ws" conv x.csv --masks hole.csv
printf '1\ninf\n' >endless.csv
fails "an infinite tap" 3 "not finite" "$ws" conv x.csv --masks endless.csv
printf '1\n1e300\n' >high.csv
fails "more than f32 holds" 2 "more than f32 holds" "$ws" conv x.csv --masks high.csv \
	--precision f32
printf '1\n2\n3\n' >short.csv
fails "valid, but longer than the signal" 2 "does not lie within 3 samples" \
	"$ws" conv short.csv --mask-formula morlet --scales 1:1:1 --extent valid
fails "too many masks" 2 "from 1 to 2^24" "$ws" conv x.csv --mask-formula morlet \
	--scales 1:2:99999999
fails "a scale of nothing" 2 "numbers above 0" "$ws" conv x.csv --mask-formula morlet --scales 0:2:3
fails "a scale beyond all" 2 "below 2^25" "$ws" conv x.csv --mask-formula morlet \
	--scales 1:99999999:3
fails "more than memory holds" 4 "allow more memory" "$ws" conv short.csv --mask-formula morlet \
	--scales 1:50:1000000 --memory 64M
fails "masks of no HDF5" 2 "must end in .h5" "$ws" conv x.csv --masks real.csv --write-masks m.npy
fails "masks over the input" 2 "is an input" "$ws" conv x.csv --masks real.csv \
	--write-masks real.csv --overwrite
fails "masks over the result" 2 "is the file of --output, too" \
	"$ws" conv x.csv --masks real.csv \
	--write-masks a.h5 -o a.h5
fails "masks nowhere" 4 "does not exist" "$ws" conv x.csv --masks real.csv --write-masks no/a.h5
fails "masks of another transform" 2 "is no option of cwt" "$ws" cwt x.csv --write-masks a.h5
touch taken.h5
fails "masks that exist" 2 "exists already" "$ws" conv x.csv --masks real.csv \
	--write-masks taken.h5
printf '1\nx\n' >words.csv
fails "words for masks" 3 "words.csv" "$ws" conv x.csv --masks words.csv
head -c 500 /dev/urandom >noise.h5
fails "noise for masks" 3 "noise.h5" "$ws" conv x.csv --masks noise.h5
ok "dry run" "$ws" conv x.csv --masks real.csv --write-masks dry.h5 --dry-run
that "writes no masks" test ! -e dry.h5

# ---- Masks beyond the signal, and a great many of them
ok "longer than the signal" "$ws" conv short.csv --mask-formula morlet --scales 40:60:3 -o l.npy
ok "300 thousand" "$ws" conv short.csv --mask-formula morlet --scales 1/100:1/50:300000 \
	-o million.npy --write-masks million.h5
ok "300 thousand from a file" "$ws" conv short.csv --masks million.h5 -o million2.npy
that "the same" cmp million.npy million2.npy
fails "300 thousand in little memory" 4 "--memory" "$ws" conv short.csv --masks million.h5 \
	--memory 12M -o m.npy
finish
