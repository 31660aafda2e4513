#!/bin/bash
# wavesift hht: modes that a result holds.
. "$(dirname "$0")/lib.sh"

# ---- The same of a result as of its recording
part=(--channels Cz,O1 --from 2 --to 12)
how=(--sifts 8 --modes 5)
for end in h5 mat npy; do
	ok "decompose into .$end" "$ws" emd "$eeg" "${part[@]}" "${how[@]}" -q -o modes.$end
done
ok "at once" "$ws" hht "$eeg" "${part[@]}" "${how[@]}" -q -o at_once.npy
ok "of .h5" "$ws" hht modes.h5 -q -o of_h5.npy
that "the same bits" cmp at_once.npy of_h5.npy
ok "of .mat" "$ws" hht modes.mat -q -o of_mat.npy
that "the same bits" cmp at_once.npy of_mat.npy
ok "of .npy" "$ws" hht modes.npy -q -o of_npy.npy
that "the same bits" cmp at_once.npy of_npy.npy
cp modes.npy bare.npy # without what tells that it is a result
ok "of .npy alone" "$ws" hht bare.npy --fs 128 --decomposition stored -q -o of_bare.npy
that "the same bits" cmp at_once.npy of_bare.npy
ok "of .h5, by name" "$ws" hht modes.h5 --decomposition stored -o again.h5
that "the summary says so" has "modes as stored"
that "all arrays" has "residue"
ok "of its own result" "$ws" hht again.h5 -q -o of_hht.npy
that "the same bits" cmp at_once.npy of_hht.npy
ok "a channel and a stretch" "$ws" hht modes.h5 --channels O1 --from 3 --to 7 -q -o part.h5
ok "in little memory" "$ws" hht modes.h5 --memory 6M -q -o little.npy
that "the same bits" cmp at_once.npy little.npy
ok "f32" "$ws" hht modes.h5 --precision f32 -q -o single.npy
ok "a picture with its signal" "$ws" hht modes.h5 -q -o c.h5 --plot c.png
that "there is one" test -s c.png
ok "the signal anew" "$ws" hht modes.h5 --decomposition emd "${how[@]}" -q -o anew.npy
that "the same bits" cmp at_once.npy anew.npy
ok "other sifts decompose" "$ws" hht modes.h5 --sifts 3 -q -o other.npy
that "which differs" test "$(cmp -s at_once.npy other.npy; echo $?)" = 1
ok "epochs of an array are no modes" "$ws" hht bare.npy -q -o epochs.h5
fails "stored, and how to sift" 2 "mean nothing beside it" "$ws" hht modes.h5 \
	--decomposition stored --sifts 3
fails "no result" 3 "not a result" "$ws" hht "$eeg" --decomposition stored
seq 1 50 >ramp.csv
ok "a ramp" "$ws" emd ramp.csv -q -o ramp.h5
fails "no modes" 3 "holds no mode" "$ws" hht ramp.h5 --decomposition stored

# ---- Amplitudes decomposed a second time
ok "holospectrum" "$ws" hht "$eeg" --channels Cz --to 20 --parts holospectrum --freqs 2:60:20 \
	--modulation-freqs 0.2:16:12 --json -o holo.h5
that "its axes" has '"modulation"'
ok "in a MAT file" "$ws" hht modes.h5 --parts holospectrum -q -o holo.mat
ok "of an ensemble" "$ws" hht "$eeg" --channels Cz --to 4 --decomposition eemd --realizations 4 \
	--parts holospectrum --frequency-method nht -q -o holo2.h5
fails "logarithmic bins from 0" 2 "cannot begin at 0" "$ws" hht "$eeg" --freqs 0:40:30
fails "more than a scale" 2 "LOW:HIGH:COUNT" "$ws" hht "$eeg" --freqs 1:40:30:lin:5
fails "bins above half the sampling rate" 2 "half the sampling rate is 64 Hz" "$ws" hht "$eeg" \
	--freqs 70:90:5
fails "limits without a marginal spectrum" 2 "need marginal" "$ws" hht "$eeg" --limits fixed:3-5 \
	--parts spectrum
# Bins without a number are 12 an octave, of modulations 6, as in other commands 10.
ok "a range" "$ws" hht "$eeg" --channels Cz --to 10 -f 4:32 --parts holospectrum \
	--modulation-freqs 0.5:2 -q -o range1.h5
ok "with its bins" "$ws" hht "$eeg" --channels Cz --to 10 --freqs 4:32:36:log \
	--parts holospectrum --modulation-freqs 0.5:2:12 -q -o range2.h5
ok "its bins" "$ws" hht "$eeg" --channels Cz --to 10 --freqs 3:40 -o range3.h5
that "are 45" has "density of 45 bins, 3 to 40 Hz"
that "and times those of the recording" has "time 640, 0.0039"
ok "later" "$ws" hht "$eeg" --channels Cz --from 10 --to 20 -o range4.h5
that "times begin there" has "time 640, 10.00 - 19.99 s"
that "no list of nothing is told" test -z "$(grep cycle_count <<<"$out")"
fails "bins from 0" 2 "give their number" "$ws" hht "$eeg" --freqs 0:40
fails "no range" 2 "LOW:HIGH" "$ws" hht "$eeg" --freqs 40
fails "bins that do not ascend" 2 "LOW < HIGH" "$ws" hht "$eeg" --modulation-freqs 3:2:4

# ---- Noise by decomposing it
ok "noise" "$ws" hht "$eeg" --channels Cz --to 4 --noise-signals 60 -q -o noise.h5 --plot n.png \
	--figure significance
fails "too few" 2 "noise-signals" "$ws" hht "$eeg" --noise-signals 5
ok "noise that does not fit" "$ws" hht "$eeg" --channels Fz --noise-signals 50 -o misfit.h5 \
	--significance power-law
that "is told" has "it does not describe them"
ok "noise with a bend fits EEG" "$ws" hht "$eeg" --channels Fz --from 10 --to 26 \
	--noise-signals 60 -o bend.h5
that "where it bends" has "noise: a power law with a bend at "
that "of others nothing is told" eval '! has "does not describe"'
that "alpha stands out" eval 'awk "\$1 == 2 && \$NF < 0.05 { found = 1 } END { exit !found }" <<<"$out"'
for threads in 1 2; do
	ok "of channels together" "$ws" hht "$eeg" --channels 1-3 --to 2 --modes 3 --noise-signals 50 \
		--decomposition memd --directions 16 -o noise$threads.h5 --threads $threads
	sed -n '/p of noise/,/^noise/p' <<<"$out" >noise$threads.txt
done
that "the same for any threads" cmp noise1.txt noise2.txt
that "which are told" grep -q "50 signals of it" noise1.txt
ok "of stored modes" "$ws" hht modes.h5 -q -o stored_noise.h5
fails "which are not decomposed" 2 "need a decomposition" "$ws" hht modes.h5 --noise-signals 60 \
	--decomposition stored
fails "noise of no number" 2 "--noise-signals" "$ws" hht "$eeg" --significance ar1
fails "a formula has none" 2 "is a formula" "$ws" hht "$eeg" --significance wu-huang \
	--noise-signals 60
fails "of what?" 2 "--confidence" "$ws" hht "$eeg" --confidence 0.95
fails "a figure of nothing" 2 "--noise-signals 199" "$ws" hht "$eeg" --to 4 --plot no.png \
	--figure significance -o no.h5

# ---- Limits over stop rules
ok "limits" "$ws" hht "$eeg" --channels Cz --to 20 --limits fixed:5-9 --json -o limits.h5
that "its arrays" has '"limits_deviation"'
ok "of all channels together" "$ws" hht "$eeg" --to 4 --decomposition memd --limits fixed:3-5 \
	--memory 60M -q -o limits2.h5
fails "one number" 2 "RULE:FROM-TO" "$ws" hht "$eeg" --limits fixed:5
fails "another rule" 2 "fixed" "$ws" hht "$eeg" --limits rilling:1-3
fails "of stored modes" 2 "need a decomposition" "$ws" hht modes.h5 --limits fixed:3-5 \
	--decomposition stored

# ---- Channels beside each other
ok "connectivity" "$ws" hht "$eeg" --to 8 --modes 4 --parts connectivity --json -o pairs.h5
that "its arrays" has '"phase_locking"'
that "their axes" has '"partner"'
ok "sparse" "$ws" hht "$eeg" --to 8 --modes 4 --parts sparse --sparse-cells 6 --json -o sparse.h5
that "sparse arrays" has '"sparse_value"'
that "their axis" has '"cell"'
ok "sparse, in a MAT file" "$ws" hht "$eeg" --to 8 --modes 4 --parts sparse -q -o sparse.mat
ok "in a MAT file" "$ws" hht "$eeg" --to 8 --modes 4 --parts connectivity -q -o pairs.mat
ok "of epochs" "$ws" hht bare.npy --parts connectivity -q -o pairs_of_epochs.h5
run "$ws" hht "$eeg" --to 3 --channels Cz,C3,EOG1 --modes 3 --parts connectivity \
	--noise-signals 59 -o locked.h5 --plot locked.svg --figure connectivity
that "the picture hatches what is below" grep -q 'stroke-width[:=]"\?0\.8' locked.svg
that "the level of locking" grep -q "^  mode 2 of C[z3] and C[z3]: 0[.][5-9].*, level 0[.][0-4]" <<<"$out"
fails "too few signals of noise" 2 "a level of phase locking" "$ws" hht "$eeg" --to 3 --modes 3 \
	--parts connectivity --noise-signals 50 --confidence 0.99 -o few.h5

# ---- What is not asked for is not there
ok "no cycles" "$ws" hht "$eeg" --channels Cz --to 4 --json -o no_cycles.h5
that "no number of them" eval '! has cycle_count'
that "nor an axis of none" eval '! grep -q mode2 no_cycles.h5'
ok "cycles" "$ws" hht "$eeg" --channels Cz --to 4 --parts cycles --json -o cycles_only.h5
that "their number" has '"cycle_count"'

# ---- The table of cycles
# Of a wave of 40 samples that rises faster than it falls.
awk 'BEGIN { print "t,x"; for (i = 0; i < 2000; i++)
	{ p = 0.157079632679 * i; printf "%.3f,%.15g\n", i / 100, sin(p + 0.9 * sin(p)) } }' \
	>wave.csv
ok "a table" "$ws" hht wave.csv -o wave.h5 --cycle-table wave_cycles.csv
that "the summary names it" has "wave_cycles.csv"
that "its columns" grep -q '^channel,mode,cycle,start (s),duration (s),frequency' wave_cycles.csv
that "one row of 20 columns for each" awk -F, 'NF != 20 { exit 1 }' wave_cycles.csv
that "48 waves of 0.4 s" test "$(awk -F, '$2 == 1 && $5 == 0.4' wave_cycles.csv | wc -l)" -ge 46
inner='NR > 3 && NR < 45 && $2 == 1'
that "of 2.5 Hz" awk -F, "$inner"' && ($6 < 2.49 || $6 > 2.51) { exit 1 }' wave_cycles.csv
that "rising faster than falling" awk -F, "$inner"' && $12 > -0.1 { exit 1 }' wave_cycles.csv
that "which its shape shows" awk -F, "$inner"' && $13 < 1.5 * $16 { exit 1 }' wave_cycles.csv
ok "of a result" "$ws" hht modes.h5 --cycle-table of_h5.csv -q -o cycles.h5
ok "at once" "$ws" hht "$eeg" "${part[@]}" "${how[@]}" --cycle-table at_once.csv -q -o at_once.h5
that "the same" cmp of_h5.csv at_once.csv
that "times of the recording" awk -F, 'NR > 1 && ($4 < 2 || $4 >= 12) { exit 1 }' at_once.csv
ok "epochs" "$ws" hht bare.npy --cycle-table epochs.csv -q -o epochs2.h5
that "are a column" grep -q '^epoch,channel' epochs.csv
fails "no .csv" 2 "must end in .csv" "$ws" hht "$eeg" --cycle-table a.txt
fails "it exists" 2 "exists" "$ws" hht "$eeg" --cycle-table of_h5.csv -o n.h5
fails "no modes" 2 "needs a decomposition" "$ws" hht "$eeg" --cycle-table a.csv --decomposition none
fails "not among the parts" 2 "instantaneous among --parts" "$ws" hht "$eeg" --cycle-table a.csv \
	--parts modes
fails "is the output" 2 "is the file of --output, too" "$ws" hht "$eeg" --cycle-table a.csv -o a.csv
fails "of another command" 2 "no option of conv" "$ws" conv "$eeg" \
	--cycle-table a.csv
fails "no folder" 4 "folder does not exist" "$ws" hht "$eeg" --cycle-table no/a.csv -o n.h5
that "nothing is left" test -z "$(find . -name '.wavesift*')"

# ---- What the summary tells of modes
# two_tones CHANNELS: of 10 Hz and 2 Hz, the slow one twice as large in odd channels, a fifth as
# large in even ones.
two_tones()
{
	awk -v n="$1" 'BEGIN {
		printf "time"
		for (j = 1; j <= n; j++) printf ",tone%d", j
		for (i = 0; i < 2000; i++) {
			q = 2 * 3.14159265358979 * i / 100
			printf "\n%.2f", i / 100
			for (j = 1; j <= n; j++)
				printf ",%.15g", sin(10 * q) + (j % 2 ? 2 : 0.2) * sin(2 * q)
		}
		print ""
	}'
}
# in_row TITLE MODE CONDITION: holds of that row of the table below the title; brackets are no
# columns.
in_row()
{
	tr -d '()' <<<"$out" | awk -v title="$1" -v mode="$2" '
		$0 == title { below = 1; next }
		/^$/ { below = 0 }
		below && $1 == mode { found = 1; if (!('"$3"')) bad = 1 }
		END { exit !found || bad }'
}
narrow()
{
	! sed '1,/^$/d' <<<"$out" | sed '1,/^$/d' | grep -q '.\{101\}'
}
that "no such row, no such test" test "$(out= in_row tone1 1 1; echo $?)" = 1
two_tones 2 >tones.csv
ok "two tones" "$ws" hht tones.csv --significance wu-huang -o tones.h5
that "their columns" has "    mode       (Hz)  band (Hz)                   (s)  variance  energy"
# mode frequency low - high period variance energy negative outliers above
that "the fast one" in_row tone1 1 '$2 > 9.95 && $2 < 10.05 && $3 > 9.9 && $5 < 10.1'
that "its period" in_row tone1 1 '$6 > 0.099 && $6 < 0.101'
that "a fifth of variance and energy" in_row tone1 1 \
	'$7 > 19 && $7 < 21 && $8 > 19 && $8 < 21'
that "noise by definition" in_row tone1 1 '$9 < 0.5 && $10 < 0.5 && $11 == "no"'
that "the slow one" in_row tone1 2 '$2 > 1.99 && $2 < 2.01 && $3 > 1.95 && $5 < 2.05'
that "four fifths, above noise" in_row tone1 2 \
	'$7 > 77 && $7 < 81 && $8 > 77 && $8 < 81 && $11 == "yes"'
that "a weak one" in_row tone2 2 '$2 > 1.98 && $2 < 2.02 && $7 > 3 && $7 < 4.5 && $11 == "no"'
that "the residue" in_row tone2 residue '$2 < 1 && NF == 2'
that "its noise is told" has "mode 1 is taken to be"
that "100 columns" narrow
ok "nothing is said of noise" "$ws" hht tones.csv -o plain.h5 -q --json
that "no column" eval '! has "p_any" && ! has above_noise'
ok "noise of their own" "$ws" hht tones.csv --noise-signals 199 -o own_noise.h5
that "which it is" has "199 signals of it were decomposed"
that "a pure tone, first mode or not, stands out" in_row tone1 1 '$11 < 0.02 && $12 < 0.02'
that "and another" in_row tone1 2 '$11 < 0.02 && $12 < 0.02'
that "100 columns, too" narrow
for c in emd hht; do
	ok "$c in JSON" "$ws" $c tones.csv --json -o json_$c.h5
	sed -n '/"signals"/,$p' <<<"$out" | tr -d ' \n' |
		grep -oE '"(band_low|band_high|variance_share)":\[[^]]*\]|"residue_share":[^},]*' >$c.txt
done
that "two signals" test "$(wc -l <hht.txt)" = 8
that "band and variance are those of emd" cmp emd.txt hht.txt
that "more in JSON" has '"energy_share"'
that "arrays are still told" has '"arrays"'
ok "f32" "$ws" hht tones.csv --precision f32 -o tones32.h5
that "as wide" in_row tone1 2 '$2 > 1.99 && $2 < 2.01 && $7 > 77 && $7 < 81'
ok "of a result" "$ws" hht json_emd.h5 -o tones2.h5
that "has its modes" in_row tone1 2 '$2 > 1.99 && $2 < 2.01 && $7 > 77 && $7 < 81'
ok "without modes" "$ws" hht tones.csv --parts marginal --significance wu-huang -o few.h5
that "neither band nor variance" eval '! has variance && ! has half-energy && ! has residue'
that "but the rest" in_row tone1 2 '$2 > 1.99 && $2 < 2.01 && $4 > 77 && $4 < 81 && $7 == "yes"'
ok "nor in JSON" "$ws" hht tones.csv --parts marginal --json -o few2.h5
that "neither" eval '! has variance_share && ! has band_low && ! has residue_share'
that "but the rest" has energy_share
two_tones 4 >four.csv
ok "four channels" "$ws" hht four.csv --significance wu-huang -o four.h5
that "one table" test "$(grep -c '^    mode ' <<<"$out")" = 1
that "of means" in_row "mean over 4 signals" 2 \
	'$2 > 1.99 && $2 < 2.01 && $7 > 39 && $7 < 43 && $11 == 50 && $12 == "%" && $13 == 4'
that "100 columns" narrow
ok "noise of their own" "$ws" hht four.csv --noise-signals 99 -o four2.h5
that "counts those that stand out" in_row "mean over 4 signals" 2 \
	'$2 > 1.99 && $2 < 2.01 && $11 == 100 && $12 == "%" && $13 == 4'
that "in 100 columns" narrow
awk 'BEGIN { print "a,b,c,d"; for (i = 0; i < 600; i++)
	printf "%.9g,%.9g,7,%d\n", sin(i / 3) + sin(i / 30), sin(i / 5), i }' >mix.csv
ok "one constant, one ramp" "$ws" hht mix.csv -o mix.h5
that "shares of those that have some" has \
	"mean over 4 signals; variance over the 3 that vary; energy over the 2 with modes"
ok "three" "$ws" hht four.csv --channels 1-3 -o three.h5
that "have their own" test "$(grep -c '^    mode ' <<<"$out")" = 3
ok "epochs" "$ws" hht bare.npy --fs 128 --epochs 2 --channels 1 -o an_epoch.h5
that "have numbers" grep -q ', epoch 2$' <<<"$out"
# Of cos p + cos(5 p) / 2 the frequency is (2.25 + 3 c) / (1.25 + c), c being cos(4 p): negative
# where c < -0.75; above 1.2 times its mean, 1.8, where c > 0.45 / 0.84.  Times 0.95 Hz.
awk 'BEGIN {
	print "time,a\302\233b"
	for (i = 0; i < 20000; i++) {
		p = 2 * 3.14159265358979 * 19 * i / 20000
		printf "%.3f,%.15g\n", i / 1000, cos(p) + 0.5 * cos(5 * p)
	}
}' >riding.csv
ok "riding waves" "$ws" hht riding.csv --decomposition none --ends periodic --outlier-ratio 1.2 -o riding.h5
that "a clean name" test "$(LC_ALL=C grep -c $'\302\233' <<<"$out")" = 0
that "negative 23.0 %, outliers 32.0 %" in_row "a b" 1 \
	'$2 > 1.70 && $2 < 1.72 && $4 == 100 && $5 > 22.8 && $5 < 23.2 && $6 > 31.8 && $6 < 32.2'
ok "by the year" "$ws" hht "$root/examples/data/sunspots.csv" -o sun.h5
that "units of the year" has "   (1/year)  band (1/year)           (years)"
that "11 years or so" in_row "sunspot number" 1 '$2 > 0.08 && $2 < 0.12'
ok "a ramp" "$ws" hht ramp.csv -o ramp2.h5
that "is all residue" in_row 1 residue '$2 == 100'
ok "and without modes" "$ws" hht ramp.csv --parts spectrum -o ramp3.h5
that "none" has "    none"
ok "hhtrials" "$ws" hhtrials bare.npy --fs 128 -o trials.h5
that "tells its arrays alone" eval 'has total_marginal && ! has "(Hz)"'

# ---- Any magnitude
awk 'BEGIN { for (t = 0; t < 500; t++) printf "%.17ge300\n", sin(t / 3) + sin(t / 40) }' >large.csv
fails "a spectrum of power" 3 "more than f64 holds; choose another unit, or --quantity amplitude" \
	"$ws" hht large.csv --fs 100 -o large.h5
printf 'onset,duration,label\n1,0,e\n2,0,e\n3,0,e\n' >large_events.csv
fails "of an epoch, by its number" 3 "channel 1, epoch 1: the power of its modes" \
	"$ws" hhtrials large.csv --fs 100 --events large_events.csv --epochs-at e -o large.h5
notes "of amplitudes" "1 of 1 signal: squares are more or less" \
	"$ws" hht large.csv --fs 100 --quantity amplitude -o large.h5
finish
