#!/bin/bash
# wavesift cwt: options, files, pictures, and the same numbers however the work is cut.
. "$(dirname "$0")/lib.sh"
ws=$build/wavesift

# ---- Help
ok "help" "$ws" cwt --help
that "help has the wavelets" has "morse:BETA,GAMMA"
that "help has the references" has "ssqueezepy"

# ---- Mistakes
fails "no wavelet" 2 "--wavelet foo: must be morlet" "$ws" cwt "$eeg" --wavelet foo
fails "a parameter that is none" 2 "numbers above 0" "$ws" cwt "$eeg" --wavelet morlet:-1
fails "above half the rate" 2 "above half the sampling rate" "$ws" cwt "$eeg" --freqs 1:80
fails "no range" 2 "LOW:HIGH" "$ws" cwt "$eeg" --freqs 9:3
fails "a range beside a list" 2 "--freqs means nothing beside --scales" "$ws" cwt "$eeg" \
	--freqs 9: --scales 0.1,0.2
fails "a list with a word" 2 "numbers above 0" "$ws" cwt "$eeg" --freqs 4,x
fails "an empty list" 2 "numbers above 0" "$ws" cwt "$eeg" --freqs ''
fails "cycles of another wavelet" 2 "Morlet" "$ws" cwt "$eeg" --wavelet paul --cycles 5
fails "cycles and width" 2 "not both" "$ws" cwt "$eeg" --cycles 5 --fwhm 0.2
fails "as many cycles as there are not" 2 "one for each" "$ws" cwt "$eeg" --freqs 4,8 --cycles 3,4,5
fails "less memory than one frequency" 4 "allow more memory" "$ws" cwt "$eeg" --memory 1M
fails "spectra" 2 "must be scalogram or wavelets" "$ws" cwt "$eeg" --plot a.png --figure spectra
fails "wavelets without a figure" 2 "--figure needs --plot" "$ws" cwt "$eeg" --figure wavelets
fails "wavelets of means of several" 2 "--figure is no option of superlets" "$ws" superlets "$eeg" \
	--plot a.png --figure wavelets
fails "wavelets of bands" 2 "--figure is no option of bands" "$ws" bands "$eeg" --plot a.png \
	--figure wavelets
fails "wavelets of modes" 2 "these commands take it: cwt, trials, coherence" "$ws" emd "$eeg" \
	--plot a.png --figure wavelets
that "nothing was written" test -z "$(ls)"

# ---- What is expected
expects() { # FILE OPTION ..: its size within 2 %
	local file=$1
	shift
	run "$ws" cwt "$eeg" --freqs 2:45:40 -o "$file" --dry-run --json "$@"
	local told
	told=$(python3 -c 'import json, sys; print(int(json.load(sys.stdin)["result_bytes"]))' <"$box/out")
	ok "$file" "$ws" cwt "$eeg" --freqs 2:45:40 -q -o "$file" "$@"
	that "$file has $(stat -c %s "$file") bytes, $told were expected" \
		test $((100 * $(stat -c %s "$file"))) -gt $((98 * told)) -a \
		$((98 * $(stat -c %s "$file"))) -lt $((100 * told))
	rm "$file"
}
expects size.h5
expects size.mat --quantity power --decimate 3
expects half.h5 --precision f64 --store f32

# ---- The same numbers however it is cut
base=("$ws" cwt "$eeg" --freqs 0.5:45:40 --overwrite)
ok "all at once" "${base[@]}" -o all.npy
ok "one thread" "${base[@]}" --threads 1 -o one.npy
that "the same" cmp all.npy one.npy
run "${base[@]}" --memory 9M -o little.npy -v
that "a channel in parts" grep -q 'parts each' "$box/err"
that "the same" cmp all.npy little.npy
ok "some of them" "$ws" cwt "$eeg" --freqs 45,12.5 -q -o two.npy
that "less is stored" test "$(stat -c %s two.npy)" -lt "$(stat -c %s all.npy)"
rm ./*.npy

# ---- Quantities, formats
for quantity in complex magnitude power phase; do
	for end in h5 mat npy csv; do
		ok "$quantity in .$end" "$ws" cwt "$eeg" --to 4 --freqs 4,8 --decimate 8 \
			--quantity "$quantity" -o a.$end --overwrite
	done
	ok "$quantity drawn" "$ws" cwt "$eeg" --to 4 --freqs 2:40 --quantity "$quantity" \
		--plot "$quantity.png" -o a.h5 --overwrite
	that "a picture" test -s "$quantity.png"
done
ok "as data for programs" "$ws" cwt "$eeg" --to 4 --freqs 4:40:19:lin --json -o a.h5 --overwrite
that "the array is told" has '"coefficients"'
that "no array that is not made" test -z "$(grep '"power"' <<<"$out")"
ok "as another code has it" "$ws" cwt "$eeg" --to 4 --freqs 4:40:10 --reference mne -o a.h5 \
	--overwrite --precision f64

# ---- Significance
fails "no noise" 2 "white or ar1" "$ws" cwt "$eeg" --significance pink
fails "too correlated" 2 "ar1:0.72" "$ws" cwt "$eeg" --significance ar1:1
fails "no level" 2 "--level 1" "$ws" cwt "$eeg" --significance ar1 --level 1
for quantity in complex power; do
	ok "its contour, $quantity" "$ws" cwt "$eeg" --to 4 --freqs 2:40 --significance ar1:0.9 \
		--quantity $quantity --plot "contour_$quantity.png" -o s.h5 --overwrite
	that "it is told" has "significance"
	that "another picture" test -n "$(cmp "contour_$quantity.png" "$quantity.png")"
done
# Strokes of 0.8, those with round ends the contour: grey below the border, which is white, else dark;
# but for a cell on either side of it.
ok "its contour as an SVG" "$ws" cwt "$eeg" -c Cz --to 20 --freqs 0.3:40 --significance ar1:0.9 \
	--quantity power --plot contour.svg -q -o s.h5 --overwrite
that "grey in the cone, and there alone" awk -F'"' '
	!/^<path style="fill:none;stroke-width:0.8;/ { next }
	/linecap:butt;.*rgb\(100%/ {
		n = split($4, at, /[ ML]+/)
		for (i = 2; i < n; i += 2) border[sides + 0, int(at[i + 1])] = at[i]
		sides++
	}
	/linecap:round;/ && !/rgb\(100%/ {
		grey = /rgb\(66/
		n = split($4, at, /[ ML]+/)
		for (i = 2; i < n; i += 2) {
			y = int(at[i + 1]) + (grey ? 6 : -6)
			if (!((0, y) in border) || !((1, y) in border)) continue
			between = at[i] > border[0, y] - 2 && at[i] < border[1, y] + 2
			apart = at[i] > border[0, y] + 2 && at[i] < border[1, y] - 2
			seen[grey]++
			if (grey ? apart : !between) bad++
		}
	}
	END { exit sides != 2 || seen[0] < 500 || seen[1] < 50 || bad }' contour.svg
ok "in parts" "$ws" cwt "$eeg" --freqs 0.5:45:40 --significance white --memory 9M \
	-o s.h5 --overwrite

# ---- One array an octave
octaves=("$ws" cwt "$eeg" --freqs 0.5:45:40 --octave-arrays --overwrite)
ok "octaves" "${octaves[@]}" -o all.mat
that "each is told with its own times" has '[frequency 3, 0.6298 - 0.5000 Hz][time 477, 0.000 - '
that "a flag is told by its name" has 'decimate 1, octave-arrays'
ok "one thread" "${octaves[@]}" --threads 1 -q -o one.mat
that "the same" same_arrays all.mat one.mat
run "${octaves[@]}" --memory 9M -o little.mat -v
that "a channel in parts" grep -q 'parts each' "$box/err"
that "the same" same_arrays all.mat little.mat
ok "in .h5, drawn" "${octaves[@]}" --quantity power --significance ar1 -o o.h5 --plot octaves.png
that "a picture" test -s octaves.png
ok "as data for programs" "${octaves[@]}" --quantity power --json -o o.h5
that "the arrays are told" has '"power_7"'
that "no array of all of them" test -z "$(grep '"name": "power"' <<<"$out")"
ok "dry run" "${octaves[@]}" --decimate 3 --dry-run
that "it tells the steps" has 'octaves    7, one of 3, 3, 6, 12'
ok "epochs shorter than a step" "${octaves[@]}" --to 0.2 --decimate 13 -o o.h5
fails "no step" 2 "1 or more" "$ws" cwt "$eeg" --decimate 0
fails "a step beyond the signal" 2 "decimate by less" "$ws" cwt "$eeg" --to 0.2 --decimate 100000
fails "the same of octaves" 2 "decimate by less" "$ws" cwt "$eeg" --to 0.2 --octave-arrays \
	--decimate 100000
fails "octaves as one array" 2 "coefficients_2 has not the shape" "${octaves[@]}" -o a.npy
fails "octaves as a table" 2 "of one time axis" "${octaves[@]}" -o a.csv
fails "octaves of bands" 2 "no option of bands" "$ws" bands "$eeg" --octave-arrays

# ---- Wavelets
cp "$eeg" w.edf
drawn=("$ws" cwt w.edf --to 4 -q -o w.h5 --overwrite --figure wavelets)
ok "of a grid" "${drawn[@]}" -c Cz --freqs 2:40:30 --plot grid.png
ok "the samples do not matter" "${drawn[@]}" -c O1 --freqs 2:40:30 --plot same.png
that "the same picture" cmp -s grid.png same.png
ok "octaves neither" "${drawn[@]}" -c Cz --freqs 2:40:5 --plot whole.png
ok "by octaves" "${drawn[@]}" -c Cz --freqs 2:40:5 --octave-arrays --plot octaves.png --overwrite
that "the same but for the options' line" test "$(height whole.png)" = "$(height octaves.png)"
ok "of one frequency" "${drawn[@]}" -c Cz --freqs 10 --plot one.png
ok "of 400" "${drawn[@]}" -c Cz --freqs 2:40:400 --plot many.png
that "five rows at most" test "$(height many.png)" = "$(height grid.png)"
that "and one row of one" test "$(height one.png)" -lt "$(height whole.png)"
for wavelet in morlet morlet-full morlet-zero-mean morse paul dog dog:3 bump; do
	ok "$wavelet" "${drawn[@]}" -c Cz --freqs 2:60:3 -w "$wavelet" --plot "w_$wavelet.png"
done
that "all of them different" test "$(sha256sum w_*.png | cut -c1-64 | sort -u | wc -l)" = 8
for reference in tc tc-pycwt ssqueezepy mne pywt fcwt matlab deng superlets; do
	ok "as $reference has them" "${drawn[@]}" -c Cz --freqs 8:40:3 --reference $reference \
		--plot reference.svg
done
ok "longer than the recording" "${drawn[@]}" -c Cz --freqs 0.001,1e-200 --plot long.pdf
ok "of so many cycles that none is seen" "${drawn[@]}" -c Cz --freqs 10,64 --cycles 1e5,1e15 \
	--plot dense.svg
printf '1\n2\n' >two.csv
ok "of two samples" "$ws" cwt two.csv -q -o two.h5 --plot two.svg --figure wavelets
printf 'year,x\n' >years.csv
for y in {1700..1799}; do
	echo "$y,$((y % 11))"
done >>years.csv
ok "by the year" "$ws" cwt years.csv -q -o y.h5 --plot y.svg --figure wavelets
rm -f ./*.svg ./*.pdf w.edf w.h5 ./w_* two.* years.csv y.h5 {grid,same,whole,one,many}.png

# ---- Superlets
ok "superlets" "$ws" superlets "$eeg" --to 4 --freqs 4:40:30 --order 1:5.5 --plot sl.png -o sl.h5
that "its picture" test -s sl.png
that "power" has "squared geometric mean"
for set in multiplicative additive; do
	ok "one thread, $set" "$ws" superlets "$eeg" --to 4 --freqs 4:40:30 --order 3 --set $set \
		--threads 1 -q -o sl1.npy --overwrite
	ok "in parts, $set" "$ws" superlets "$eeg" --to 4 --freqs 4:40:30 --order 3 --set $set \
		--threads 2 --memory 3M -q -o sl2.npy --overwrite
	that "the same" cmp sl1.npy sl2.npy
done
ok "as the authors" "$ws" superlets "$eeg" --to 4 --freqs 4:40:19:lin --reference superlets \
	--cycles 3 --order 5 --quantity magnitude -q -o sl.h5 --overwrite
fails "no order" 2 "such as 5" "$ws" superlets "$eeg" --order 0.5
fails "nor a range" 2 "1:30" "$ws" superlets "$eeg" --order 1:0
fails "no Morlet" 2 "morlet-zero-mean" "$ws" superlets "$eeg" --wavelet paul
fails "no coefficients" 2 "power or magnitude" "$ws" superlets "$eeg" --quantity complex

# ---- Odd axes
ok "a scale beyond the signal" "$ws" cwt "$eeg" --to 4 --scales 1000 -o s.h5 --overwrite
ok "an axis unsorted" "$ws" cwt "$eeg" --to 4 --freqs 30,2,17,2 -o s.h5 --overwrite
fails "too many frequencies" 2 "are more than" "$ws" cwt "$eeg" --freqs 1:40:100000000

ok "dry run" "$ws" cwt "$eeg" --dry-run
that "it tells the scales" has "interpolated"
printf '1\n2\n' >short.csv
ok "two samples" "$ws" cwt short.csv --fs 100 -o b.csv
# ---- Squares that the type does not hold
awk 'BEGIN { for (t = 0; t < 500; t++) { x = sin(t / 3) + sin(t / 40)
	printf "%.17ge300,%.17ge-300\n", x, x } }' >sizes.csv
awk -F, 'BEGIN { OFS = "," } { sub("e300", "e25", $1); sub("e-300", "e-30", $2); print }' sizes.csv >f32.csv
for command in "cwt --quantity power" "superlets" "bands --quantity power" "cwt --significance white"; do
	for channel in 1,more 2,less; do
		fails "$command, ${channel#*,}" 3 "is ${channel#*,} than f64 holds; choose another unit" \
			"$ws" $command sizes.csv --fs 100 --precision f64 -c "${channel%,*}" -o no.h5
	done
	that "nothing is written" test ! -e no.h5
done
for channel in 1,more 2,less; do
	fails "f32, ${channel#*,}" 3 "is ${channel#*,} than f32 holds; choose another unit, --precision f64, or --quantity magnitude" \
		"$ws" cwt --quantity power f32.csv --fs 100 -c "${channel%,*}" -o no.h5
	ok "f64, ${channel#*,}" "$ws" cwt --quantity power f32.csv --fs 100 -c "${channel%,*}" \
		--precision f64 -o "yes${channel%,*}.h5"
done
awk 'BEGIN { for (t = 0; t < 500; t++) printf "%.17ge307\n", 8 * (sin(t / 3) + sin(t / 40)) }' >largest.csv
for command in cwt bands "superlets --quantity magnitude"; do
	ok "the largest, $command" "$ws" $command largest.csv --fs 100 --precision f64 -o largest.csv.csv --overwrite
	that "they are numbers" eval '! grep -qiE "nan|inf" largest.csv.csv'
done
ok "of any size" "$ws" cwt --quantity magnitude sizes.csv --fs 100 --precision f64 -o any.h5
awk 'BEGIN { for (t = 0; t < 500; t++) print 0 }' >zeros.csv
ok "nothing at all" "$ws" cwt --quantity power zeros.csv --fs 100 -o zeros.h5

# ---- Signals near the end of f64
awk 'BEGIN { for (i = 0; i < 256; i++) printf "%.9ge308\n", sin(0.3 * i) }' >huge.csv
for reference in tc tc-pycwt pywt; do
	fails "$reference of a huge signal" 3 "the magnitude of its frequencies, from samples" \
		"$ws" cwt huge.csv --fs 100 --precision f64 --reference $reference -o huge.h5
done
ok "what does not grow" "$ws" cwt huge.csv --fs 100 --precision f64 -o huge.csv.csv -q
that "is finite" test -z "$(grep -o -m1 inf huge.csv.csv)"
finish
