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
ok "of .npy" "$ws" hht modes.npy --fs 128 --decomposition stored -q -o of_npy.npy
that "the same bits" cmp at_once.npy of_npy.npy
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
ok "epochs of an array are no modes" "$ws" hht modes.npy -q -o epochs.h5
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
fails "bins above half the sampling rate" 2 "half the sampling rate, 64 Hz" "$ws" hht "$eeg" \
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
fails "of channels together" 2 "single channels" "$ws" hht "$eeg" --noise-signals 60 \
	--decomposition memd

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
ok "of epochs" "$ws" hht modes.npy --parts connectivity -q -o pairs_of_epochs.h5

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
ok "epochs" "$ws" hht modes.npy --cycle-table epochs.csv -q -o epochs2.h5
that "are a column" grep -q '^epoch,channel' epochs.csv
fails "no .csv" 2 "must end in .csv" "$ws" hht "$eeg" --cycle-table a.txt
fails "it exists" 2 "exists" "$ws" hht "$eeg" --cycle-table of_h5.csv -o n.h5
fails "no modes" 2 "needs a decomposition" "$ws" hht "$eeg" --cycle-table a.csv --decomposition none
fails "not among the parts" 2 "instantaneous among --parts" "$ws" hht "$eeg" --cycle-table a.csv \
	--parts modes
fails "is the output" 2 "cannot be the table" "$ws" hht "$eeg" --cycle-table a.csv -o a.csv
fails "of another command" 2 "no option of conv" "$ws" conv "$eeg" \
	--cycle-table a.csv
fails "no folder" 4 "folder does not exist" "$ws" hht "$eeg" --cycle-table no/a.csv -o n.h5
that "nothing is left" test -z "$(find . -name '.wavesift*')"
finish
