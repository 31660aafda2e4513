#!/bin/bash
# What is told of results, in every format that says what it is, and what reads them again; modes
# that are matched.
. "$(dirname "$0")/lib.sh"

printf 'onset\tduration\tlabel\n11\t0\tleft, "hand"\n12.5\t0.25\tright\n30\t0\tlate\n' >events.tsv
sel=(--channels Cz,Pz --from 10 --to 14 --events events.tsv)
for ending in h5 mat npy; do
	ok "emd to .$ending" "$ws" emd "$eeg" "${sel[@]}" --sifts 7 -o "e.$ending" -q
	ok "info of .$ending" "$ws" info "e.$ending"
	for words in "(wavesift result), 2 signals, 4.00 s" "Cz, Pz" "times from 10 s" "EMD of eeg.edf" \
		"7 sifts" "command  wavesift emd $eeg" "modes 2 x " "1.000 s  left, " "2.500 s  right"; do
		that ".$ending tells $words" has "$words"
	done
	that ".$ending tells frequencies" grep -Eq '^ +1 +2  [34][0-9]\.[0-9]+ Hz \([0-9. -]+\)$' "$box/out"
	printf '%s\n' "$out" | sed '1d; s/e\.[a-z0-9]*//' | grep -v '^arrays\|^         ' >"told.$ending"
	ok "info --json of .$ending" "$ws" info "e.$ending" --json
	that ".$ending has options" has '"sifts": "7"'
	that ".$ending counts modes" has '"mode_count": ['
	that ".$ending has its signals" has '"samples": 512'
	if [ "$ending" != h5 ]; then
		ok "plot .$ending" "$ws" plot "e.$ending" -o "e.$ending.svg"
		ok "hht of .$ending" "$ws" hht "e.$ending" -o "h.$ending.h5"
		that "of its modes" grep -q "stored" <("$ws" info "h.$ending.h5" --json)
		ok "compare .$ending" "$ws" compare e.h5 "e.$ending"
		that "by names" has "       Cz        Pz"
	fi
done
ok "another figure" "$ws" plot e.h5 -o e.h5.svg
that ".mat tells what .h5 does" diff <(sed 's/e\.h5//' told.h5) <(sed 's/e\.mat//' told.mat)
that "the same figure of .npy" cmp e.h5.svg e.npy.svg
ok "spectra of modes" "$ws" hht e.h5 -o h.h5.h5
ok "the same of .npy" "$ws" compare h.h5.h5 h.npy.h5
that "are equal" has "least similarity of a mode: 1"

# ---- Other transforms
for ending in h5 mat npy; do
	ok "cwt to .$ending" "$ws" cwt "$eeg" "${sel[@]}" --freqs 8:13:6 -o "c.$ending" -q
	ok "info of cwt .$ending" "$ws" info "c.$ending"
	that ".$ending is of cwt" has "Wavelet transform of eeg.edf"
	that ".$ending has its array" has "coefficients 2 x 6 x 512 complex"
	that ".$ending has frequencies" has "6 frequencies from 13.00 to 8.000 Hz"
	ok "info --json of cwt .$ending" "$ws" info "c.$ending" --json
	that ".$ending tells shapes" has '"complex": true'
done
fails "no modes in .mat" 3 "is a result without modes" "$ws" plot c.mat -o c.png
ok "one array of three axes" "$ws" superlets "$eeg" "${sel[@]}" --freqs 8:13:6 -o s.mat -q
fails "no modes either" 3 "is a result without modes" "$ws" plot s.mat -o s.png
fails "no modes in .npy" 3 "is a result without modes" "$ws" compare c.npy c.npy
for command in "hht --parts spectrum,modes" bands conv\ --mask-formula\ haar\ --scales\ 4,8; do
	for ending in h5 mat npy; do
		rm -f x.*
		run "$ws" $command "$eeg" "${sel[@]}" -o "x.$ending" -q
		[ -e "x.$ending" ] || continue
		ok "info of $command, .$ending" "$ws" info "x.$ending"
		that "$command, .$ending: what it is" has " of eeg.edf"
	done
done
awk 'BEGIN { for (e = 0; e < 3; e++) for (i = 0; i < 200; i++) print sin(0.3 * i + e) + sin(0.02 * i) }' |
	sed '1i x' >long.csv
printf 'onset\tlabel\n100\tx\n300\tx\n500\tx\n' >at.tsv
for ending in h5 mat npy; do
	ok "epochs to .$ending" "$ws" emd long.csv --fs 1 --events at.tsv --epochs-at x --tmin -50 --tmax 50 \
		-o "p.$ending" -q
	ok "info of epochs, .$ending" "$ws" info "p.$ending"
	that ".$ending has epochs" has "1 signal, 3 epochs"
	that ".$ending has their events" has "150.000 s  x"
done
ok "epochs are the same" "$ws" compare p.h5 p.npy

notes "a result as a recording" "is a result, whose array is read as a recording" \
	"$ws" emd e.npy -o again.h5
# ---- The file beside a .npy
that "JSON, if there is a python3" python3 -c 'import json; json.load(open("e.npy.json"))'
mkdir alone
cp e.npy alone
ok "without it" "$ws" info alone/e.npy
that "it is an array" has "2 epochs"
sed 's/"shape": .2/"shape": [3/' e.npy.json >alone/e.npy.json
fails "that of another array" 3 "describes another array than alone/e.npy" "$ws" info alone/e.npy
cp e.npy alone
sed 's/"Cz", //' e.npy.json >alone/e.npy.json
fails "one that is damaged" 3 "e.npy.json: damaged: its channels make no sense" "$ws" info alone/e.npy
rm alone/e.npy
sed 's/wavesift result/no result/' e.npy.json >alone/e.npy.json
fails "one of others alone" 2 "alone/e.npy.json: exists already" "$ws" emd "$eeg" -c Cz --to 2 \
	-o alone/e.npy
cp e.npy.json alone
ok "one of ours alone is replaced" "$ws" emd "$eeg" -c Cz --to 2 -o alone/e.npy -q
ok "by its own" "$ws" info alone/e.npy
that "of one channel" has "1 signal"

# ---- Modes that moved
# modes TWO-OR-SUM: a tone's modes, as a MAT or NPY of others would have them.
awk 'BEGIN { for (i = 0; i < 600; i++) printf "%.9g,%.9g,%.9g\n", sin(0.9 * i), sin(0.21 * i), sin(0.03 * i) }' >tones
columns()
{
	{ echo "$2"; awk -F, "{ print $1 }" OFS=, tones; } >"$3"
}
columns '$1 + $2 + $3' x sum.csv
ok "modes of three tones" "$ws" emd sum.csv -o three.h5 -q
columns '$1 + 0.02 * sin(2.9 * NR) + $2 + $3' x more.csv
ok "and of one more" "$ws" emd more.csv -o four.h5 -q
ok "by number" "$ws" compare three.h5 four.h5 --json
ok "matched" "$ws" compare three.h5 four.h5 --match
that "each says of what" has "a=b"
ok "matched, with a figure" "$ws" compare three.h5 four.h5 --match --plot match.svg
"$ws" emd "$eeg" --to 10 -q -o many.h5
"$ws" emd "$eeg" --to 10 -q -o other.h5 --stop-rule s-number:5
ok "many channels" "$ws" compare many.h5 other.h5 --match --plot many.svg
that "matches are below each other" test "$(sed -n 's/.*<svg.* width="\([0-9]*\)px".*/\1/p' many.svg)" -lt 1100
ok "matched, with itself" "$ws" compare three.h5 three.h5 --match
that "all are equal" has "least similarity of a mode: 1"
that "none has moved" has "with modes that moved: 0,"
that "none is several, or alone" has "the other result: 0, that nothing equals: 0"
ok "ceemdan" "$ws" ceemdan "$eeg" "${sel[@]}" -n 20 -o c1.h5 -q
ok "iceemdan" "$ws" iceemdan "$eeg" "${sel[@]}" -n 20 -o i1.h5 -q
ok "matched for each channel" "$ws" compare c1.h5 i1.h5 --match --json
that "JSON has the modes" has '"matched": ['
ok "memd" "$ws" memd "$eeg" "${sel[@]}" --directions 8 -o m1.h5 -q
ok "memd with noise" "$ws" memd "$eeg" "${sel[@]}" --directions 8 --noise-channels 1 -o m2.h5 -q
ok "matched once" "$ws" compare m1.h5 m2.h5 --match
that "each line has all channels" test -z "$(printf '%s\n' "$out" | grep '^ *[0-9r].*=.*[0-9] *-$')"
finish
