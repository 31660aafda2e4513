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
finish
