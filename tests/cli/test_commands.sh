#!/bin/bash
# What the commands do, on a real recording and on tones.
. "$(dirname "$0")/lib.sh"

# ---- Look
ok "info" "$ws" info "$eeg"
that "info names the channels" has "EOG1, Fz, C3, Cz, C4, Pz, O1, O2"
that "info tells the rate" has "128 Hz"
ok "info --json" "$ws" info "$eeg" --json
that "info --json has the samples" has '"samples": 30504'
ok "devices" "$ws" devices
that "devices tells the instruction sets" has "instruction sets:"
ok "devices --json" "$ws" devices --json
for c in info devices emd eemd ceemdan iceemdan memd plot compare; do
	ok "$c --help" "$ws" "$c" --help
	that "$c --help has examples" has "wavesift $c"
	that "$c --help fits 80 columns" test -z "$(printf '%s' "$out" | grep -E '^.{81}')"
done

"$ws" --help >whole
ok "help" "$ws" help
that "help is --help" test "$out" = "$(cat whole)"
ok "help for a command" "$ws" help emd
that "help for a command is its --help" test "$out" = "$("$ws" emd --help)"
rm whole

# ---- Results
sel=(--channels Cz,Pz --from 10 --to 14)
ok "emd to the default name" "$ws" emd "$eeg" "${sel[@]}"
that "the default name" test -s eeg_emd.h5
that "the summary tells the modes" has "share of variance"
that "the summary tells the file" has "eeg_emd.h5"
awk 'BEGIN { for (i = 0; i < 600; i++) { x = sin(i / 3)
	printf "%.9g,%.9g\n", x * exp(-i / 15) + 0.01 * sin(i * i), x } }' >ends.csv
ok "what is at an end" "$ws" emd ends.csv --channels 1 --fs 100 -o ends.h5 --plot ends.png
that "is told" has " % of its energy in its first and last period, a steady wave "
that "few half waves have a mark" has "* few of the half waves carry the energy"
ok "a steady wave" "$ws" emd ends.csv --channels 2 --fs 100 --modes 1 -o steady.h5
that "has nothing told" eval '! has "ends:" && ! has "few of"'
for ending in npy mat csv; do
	ok "emd to .$ending" "$ws" emd "$eeg" "${sel[@]}" -o "x.$ending"
	that ".$ending is there" test -s "x.$ending"
done
ok "overwrite" "$ws" emd "$eeg" "${sel[@]}" -o x.npy --overwrite
ok "quiet" "$ws" emd "$eeg" "${sel[@]}" -o q.h5 -q
that "quiet says nothing" test -z "$out"
run "$ws" emd "$eeg" "${sel[@]}" -o q.h5 --overwrite -q --progress always
that "quiet, but for the progress that is asked for" grep -q '^emd  *[0-9]* %' "$box/err"
that "quiet with progress prints no summary" test -z "$out"
ok "quiet, progress never" "$ws" emd "$eeg" "${sel[@]}" -o q.h5 --overwrite \
	--progress never -q
ok "json" "$ws" emd "$eeg" "${sel[@]}" -o j.h5 --json
that "json has the modes" has '"frequency"'
that "json has the command as typed" has "wavesift emd $eeg --channels Cz,Pz --from 10 --to 14 -o j.h5"
that "json has the hash of the input" has "$(sha256sum "$eeg" | cut -c1-64)"
ok "store f32" "$ws" emd "$eeg" "${sel[@]}" -o s.npy --store f32
that "store f32 takes about half" test "$(wc -c <s.npy)" -lt "$(($(wc -c <x.npy) * 6 / 10))"
awk 'BEGIN { for (i = 0; i < 200; i++) printf "%.9ge-60\n", sin(0.7 * i) + sin(0.05 * i) }' >faint.csv
notes "what f32 loses is told" "of channel 1 is below the range of f32" \
	"$ws" emd faint.csv --store f32 -o faint.h5
ok "what f64 keeps is not" "$ws" emd faint.csv -o faint64.h5
ok "compress" "$ws" emd "$eeg" "${sel[@]}" -o z.h5 --compress
that "compress is smaller" test "$(wc -c <z.h5)" -lt "$(wc -c <eeg_emd.h5)"
for c in eemd ceemdan iceemdan; do
	ok "$c" "$ws" $c "$eeg" "${sel[@]}" -n 6 --seed 3 -o $c.npy
done
that "the same input is left alone" test ! -e eeg.edf

# ---- The modes and the residue add up to the signal
sine_csv 500 1 >tone.csv
ok "csv on standard output" "$ws" emd tone.csv -o -
printf '%s\n' "$out" >tone_modes.csv
sums()
{
	awk -F, 'NR > 1 { s = 0; for (i = 3; i <= NF; i++) s += $i
		if (s - $2 > 1e-9 || $2 - s > 1e-9) bad = 1 } END { exit bad || NR != 501 || NF < 5 }' "$1"
}
that "modes and residue add up" sums tone_modes.csv
cat tone.csv | "$ws" emd - -o stdin.csv >/dev/null
that "standard input" cmp stdin.csv tone_modes.csv

# ---- Shares are of the channels that have a variance
{
	echo a,b,c
	seq 300 | awk '{ printf "%.9f,5,%.9f\n", sin($1 / 5), sin($1 / 9) + $1 % 3 }'
} >constant.csv
ok "a constant channel" "$ws" emd constant.csv -o constant.npy
that "it is told" has "the share over the 2 that vary"
whole()
{
	printf '%s\n' "$out" | awk '/%/ { for (i = 2; i <= NF; i++) if ($i == "%") s += $(i - 1) }
		END { exit s < 99.9 || s > 100.1 }'
}
that "shares add up to the whole" whole

# ---- The same bits
same()
{
	local name=$1 a=$2
	shift 2
	ok "$name" "$ws" iceemdan "$eeg" "${sel[@]}" -n 5 -o "same.npy" --overwrite -q "$@"
	that "$name: same bits" cmp "$a" same.npy
}
"$ws" iceemdan "$eeg" "${sel[@]}" -n 5 -o one.npy -q
same "again" one.npy
same "one thread" one.npy --threads 1
same "three threads" one.npy --threads 3
ok "another seed" "$ws" iceemdan "$eeg" "${sel[@]}" -n 5 --seed 1 -o other.npy
that "another seed: other bits" test "$(cmp -s one.npy other.npy; echo $?)" = 1

# ---- Selection
ok "by number" "$ws" emd "$eeg" -c 4,6 --from 10 --to 14 -o num.npy
that "number and name agree" cmp num.npy x.npy
ok "by pattern" "$ws" emd "$eeg" -c '[CP]z' --from 10 --to 14 -o pat.npy
that "pattern and name agree" cmp pat.npy x.npy
ok "two tones" "$ws" emd tone.csv --fs 100 --to 2 --json -o t.h5
that "--fs and --to count samples" has '"samples": 200'
sine_csv 300 2 | sed '150,155s/^[^,]*/nan/' >gap.csv
ok "short gaps are mended" "$ws" emd gap.csv --nan interpolate -o gap.h5 -q
run "$ws" emd gap.csv --nan interpolate -o gap.h5 --overwrite
that "mended samples are told" grep -q "interpolated 6 samples in 1 channel (ch1)" "$box/err"
that "the result knows of them" grep -q interpolated gap.h5
ok "mended samples in JSON" "$ws" emd gap.csv --nan interpolate -o gap.h5 --overwrite -q --json
that "JSON knows how many" has '"interpolated": 6'
sine_csv 300 2 | sed '150,155s/^[^,]*/-9999/' >fill.csv
notes "numbers that may stand for none are told" "--missing -9999 says so" "$ws" info fill.csv
notes "they are missing if that is said" "interpolated 6 samples in 1 channel (ch1)" \
	"$ws" emd fill.csv --missing -9999 --nan interpolate -o fill.npy
that "and no longer asked for" test "$(wc -l <"$box/err")" = 1
ok "as what is no number" "$ws" emd gap.csv --nan interpolate -o mended.npy -q
that "the same is made of them" cmp fill.npy mended.npy
fails "missing is no number" 2 "--missing x: numbers are needed" "$ws" emd fill.csv --missing x
ok "no mending in JSON" "$ws" emd gap.csv -c ch2 -o gap2.h5 --json
that "where gaps are refused nothing is counted" test -z "$(printf '%s' "$out" | grep interpolated)"
head -c 245184 "$eeg" >short.edf
run "$ws" emd short.edf -c Cz -o short.h5
that "a recording that is cut short is read" test -s short.h5
that "a recording that is cut short is told" \
	test "$(grep -c "^wavesift: note: short.edf: .* promises 123 data records" "$box/err")" = 1
ok "quiet, it is not" "$ws" emd short.edf -c Cz -o short.h5 --overwrite -q
small_edf 100 50 100 >mixed.edf
ok "channels of one rate" "$ws" emd mixed.edf --channels 1,3 -o mixed.h5
that "silence has no modes" has "residue"
fails "channels of several" 3 "--resample" "$ws" emd mixed.edf -o none.h5
run "$ws" emd mixed.edf --resample lowest --json -o low.h5
that "channels are brought to the lowest rate" has '"fs": 50'
that "which is told" test "${err#*note: mixed.edf: 2 of 3 channels resampled from 100 Hz to 50 Hz}" != "$err"
that "and stored" grep -q resampled_from low.h5
run "$ws" emd mixed.edf --resample highest --json -o high.h5
that "or to the highest" has '"fs": 100'
ok "a rate that they have needs nothing" "$ws" emd mixed.edf -c 1,3 --resample 100 -o rate1.npy
ok "without it" "$ws" emd mixed.edf -c 1,3 -o rate2.npy
that "they agree" cmp rate1.npy rate2.npy
ok "any rate, quietly" "$ws" cwt mixed.edf --resample 64 --to 1 -q -o any.h5
fails "no rate" 2 "lowest or highest" "$ws" emd mixed.edf --resample slow -o none.h5
fails "no rate to begin with" 2 "give it with --fs" "$ws" emd tone.csv --resample 50 -o none.h5
{
	printf '\223NUMPY\001\000v\000%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (9, 4), }"
	head -c 288 /dev/zero
} >swapped.npy
run "$ws" emd swapped.npy -o swapped.h5
that "an array with its axes swapped is told" grep -q "9 channels of 4 samples" "$box/err"
printf 'a\n1.5\n' >single.csv
ok "one sample" "$ws" emd single.csv -o single.h5

# ---- Planning
before=$(ls -A)
ok "dry run" "$ws" iceemdan "$eeg" --dry-run
that "dry run tells memory and time" has "memory"
ok "dry run --json" "$ws" iceemdan "$eeg" --dry-run --json
that "dry run writes nothing" test "$before" = "$(ls -A)"
run "$ws" emd "$eeg" "${sel[@]}" -v -o v.h5
that "verbose tells the plan on standard error" test -n "$err"
run "$ws" emd "$eeg" "${sel[@]}" --stop-rule cauchy:1e-12 --max-sifts 2 -o u.h5
that "unfinished modes are told" grep -q "max-sifts 2" "$box/err"
fails "strict" 6 "max-sifts" "$ws" emd "$eeg" "${sel[@]}" --stop-rule cauchy:1e-12 --max-sifts 2 \
	--strict -o strict.h5

# ---- Noise from a file
awk 'BEGIN { srand(1); for (j = 1; j <= 4; j++) printf "%sw%d", (j > 1 ? "," : ""), j; print ""
	for (i = 0; i < 512; i++) { for (j = 1; j <= 4; j++) printf "%s%f", (j > 1 ? "," : ""), rand() - 0.5
		print "" } }' >w.csv
ok "noise from a file" "$ws" iceemdan "$eeg" "${sel[@]}" --noise-file w.csv -o w.npy
that "as many realizations as rows" has "4 realizations"
fails "more realizations than rows" 3 "fewer" "$ws" iceemdan "$eeg" "${sel[@]}" --noise-file w.csv \
	-n 5 -o w5.npy

# ---- Figures and comparison
for ending in png svg pdf; do
	ok "plot while computing, .$ending" "$ws" emd "$eeg" "${sel[@]}" -o p.h5 --overwrite --plot d.$ending
	ok "plot a result, .$ending" "$ws" plot p.h5 -o r.$ending
	that "both figures are there" test -s d.$ending -a -s r.$ending
done
that "both figures are the same" cmp d.png r.png
ok "plot part of a result" "$ws" plot p.h5 -o part.svg -c Pz --from 11 --to 12
fails "plot outside the result" 2 "--from 20: p.h5 ends at 14 s" "$ws" plot p.h5 -o out.svg --from 20
fails "plot an unknown channel" 2 "no such channel" "$ws" plot p.h5 -o out.svg -c Fz
ok "compare with itself" "$ws" compare p.h5 x.npy
that "a result is like itself" has "least similarity of a mode: 1"
cp x.npy nan.npy
cp x.npy bare.npy
printf '\0\0\0\0\0\0\370\177' |
	dd of=nan.npy bs=1 seek=$(($(wc -c <nan.npy) - 8)) conv=notrunc status=none
fails "compare what is no number" 3 "nan.npy: channel 2, residue: nan at sample 512 cannot be compared" \
	"$ws" compare p.h5 nan.npy
fails "plot what is no number" 3 "nan.npy: channel 2, signal: nan at sample 512 cannot be drawn" \
	"$ws" plot nan.npy -o nan.svg
"$ws" emd "$eeg" "${sel[@]}" --sifts 3 -q -o three.mat
ok "compare formats" "$ws" compare p.h5 three.mat --json
that "compare --json" has '"similarity"'
ok "one second" "$ws" emd "$eeg" -c Cz,Pz --from 10 --to 11 -q -o second.h5

# ---- Channels are compared by name, times by the recording's
"$ws" emd "$eeg" -c Pz,O1,Cz --from 10 --to 14 -q -o turned.h5
run "$ws" compare p.h5 turned.h5
that "channels of one name are compared" has "least similarity of a mode: 1"
that "in the first result's order" has "Cz        Pz"
that "channels of one alone are told" grep -q "only turned.h5 has O1; not compared" "$box/err"
run "$ws" compare turned.h5 p.h5
that "the other way round" grep -q "only turned.h5 has O1; not compared" "$box/err"
ok "compare a channel of both" "$ws" compare turned.h5 three.mat -c Pz
that "only that" test -z "$(printf '%s' "$out" | grep Cz)"
ok "compare where one has no names" "$ws" compare bare.npy p.h5
that "the names are the other's" has "Cz        Pz"
tail -c 4096 x.npy >array.bin
"$ws" emd array.bin --raw f64,channels=1 -q -o array.h5
"$ws" emd "$eeg" -c Fz --to 4 -q -o start.h5
ok "compare a number with a name" "$ws" compare array.h5 start.h5
that "it stands under the name" has "Fz"
"$ws" emd "$eeg" -c Fz --from 10 --to 14 -q -o fz.h5
fails "compare without a common channel" 3 "fz.h5 has Fz, p.h5 has Cz, Pz" "$ws" compare fz.h5 p.h5
fails "compare a channel of one alone" 2 "it has 2: Pz, Cz" "$ws" compare turned.h5 p.h5 -c O1
fails "compare other counts without names" 3 "bare.npy 2, and not both have names" \
	"$ws" compare turned.h5 bare.npy
"$ws" emd "$eeg" "${sel[@]}" --fs 64 -q --from 20 --to 28 -o slow.h5
fails "compare other rates" 3 "128 samples a second, slow.h5 64" "$ws" compare p.h5 slow.h5
"$ws" emd "$eeg" "${sel[@]}" -q --from 11 --to 15 -o later.mat
fails "compare other times" 3 "p.h5 holds 10 s to 14 s of its recording, later.mat 11 s to 15 s" \
	"$ws" compare p.h5 later.mat

# ---- Many channels
"$ws" emd "$eeg" --from 10 --to 14 -q -o all.h5
"$ws" emd "$eeg" --from 10 --to 14 --sifts 3 -q -o all3.h5
ok "plot all channels" "$ws" plot all.h5 -c 1-8 -o all.svg
for ending in png svg pdf; do
	ok "spectra, .$ending" "$ws" plot all.h5 --figure spectra -o spectra.$ending
	that "spectra are there, .$ending" test -s spectra.$ending
done
that "spectra show all channels" test "$(grep -c . spectra.svg)" -gt "$(
	"$ws" plot all.h5 --figure spectra -c 1 -o one.svg -q && grep -c . one.svg)"
ok "spectra while computing" "$ws" emd "$eeg" --from 10 --to 14 -o again.h5 --plot again.svg \
	--figure spectra
that "spectra are the same" cmp spectra.svg again.svg
ok "figure modes is the default" "$ws" plot all.h5 --figure modes -c 1-8 -o modes.svg
that "modes are the same" cmp all.svg modes.svg
ok "compare many channels" "$ws" compare all.h5 all3.h5 --plot box.svg
that "many channels are summed up" has "median"
that "the box plot is there" test -s box.svg
that "the figure is told" has "figure  box.svg"
ok "compare again" "$ws" compare all.h5 all3.h5 --plot box2.svg --json
that "box plots are the same" cmp box.svg box2.svg
that "compare --json keeps the channels" has '"channel": "O2"'
that "compare --json has the summary" has '"third_quartile"'
ok "compare few channels" "$ws" compare all.h5 all3.h5 -c 1-7
that "few channels stand beside each other" has "Cz"
that "few channels are not summed up" test -z "$(printf '%s' "$out" | grep median)"
fails "compare over a figure" 2 "--overwrite" "$ws" compare all.h5 all3.h5 --plot box.svg
ok "compare --overwrite" "$ws" compare all.h5 all3.h5 --plot box.svg --overwrite
fails "compare to no format" 2 ".png" "$ws" compare all.h5 all3.h5 --plot box.txt
fails "compare to no folder" 4 "no/where" "$ws" compare all.h5 all3.h5 --plot no/where.png
fails "compare other lengths to a figure" 3 "p.h5 has 512 samples, second.h5 128" \
	"$ws" compare p.h5 second.h5 --plot no.png
fails "spectra of a few samples" 2 "16 samples" "$ws" plot all.h5 --figure spectra --from 10 \
	--to 10.1 -o few.png
fails "no such figure" 2 "must be modes, spectra" "$ws" plot all.h5 --figure waves -o waves.png
fails "--figure without --plot" 2 "--plot" "$ws" emd "$eeg" --figure spectra
fails "compare other lengths" 3 "p.h5 has 512 samples, second.h5 128" \
	"$ws" compare p.h5 second.h5
finish
