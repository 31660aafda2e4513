#!/bin/bash
# Multivariate EMD from a recording to every format, and every way to ask for it
# wrongly.
. "$(dirname "$0")/lib.sh"

sel=(--channels Fz,Cz,Pz --from 10 --to 14)

# directions ROWS COLUMNS [LAST]: an NPY of f64 [ROWS][COLUMNS] of ones and zeros in
# turn; the last number is 8 bytes of LAST, such as '\0\0\0\0\0\0\370\177', a NaN.
directions()
{
	local i
	printf '\223NUMPY\001\000v\000%-117s\n' \
		"{'descr': '<f8', 'fortran_order': False, 'shape': ($1, $2), }"
	for ((i = 1; i < $1 * $2; i++)); do
		if ((i % 3)); then printf '\0\0\0\0\0\0\360\77'; else printf '\0\0\0\0\0\0\0\0'; fi
	done
	printf "${3:-\\0\\0\\0\\0\\0\\0\\360\\77}"
}

# ---- Results
ok "memd to the default name" "$ws" memd "$eeg" "${sel[@]}"
that "the default name" test -s eeg_memd.h5
that "the summary tells the modes" has "share of variance"
that "and how far they are aligned" has "half waves    alignment   share of variance"
that "all of them" has "alignment of all modes, each by its share of variance: 0.9"
ok "info of it" "$ws" info eeg_memd.h5
that "of modes" grep -qE '^ +1  0\.[0-9]{3}$' "$box/out"
that "of all" grep -qE '^ +all  0\.9[0-9]{2}$' "$box/out"
ok "info of it, json" "$ws" info eeg_memd.h5 --json
that "json has both" eval 'has "\"alignment\": {" && has "\"all\": 0.9"'
for ending in npy mat csv; do
	ok "memd to .$ending" "$ws" memd "$eeg" "${sel[@]}" -o "x.$ending"
	that ".$ending is there" test -s "x.$ending"
	[ $ending = csv ] && continue # not a result that is read again
	ok "compare .$ending" "$ws" compare eeg_memd.h5 "x.$ending"
	that ".$ending holds the same" has "least similarity of a mode: 1"
done
ok "json" "$ws" memd "$eeg" "${sel[@]}" -o j.h5 --json
that "json has the method" has '"memd"'
that "json has the directions" has '"directions": 64'
that "json has their set" has '"scrambled"'
that "json has the alignment of all modes" has '"alignment": 0.9'
that "and of each, by channels" test "$(grep -c '"alignment": \[' "$box/out")" = 3
same_counts()
{
	"$ws" memd "$eeg" "${sel[@]}" -o - | awk -F, 'NR == 1 {
		for (i = 1; i <= NF; i++) { split($i, p, "."); n[p[1]]++ }
		exit !(n["Fz"] == n["Cz"] && n["Cz"] == n["Pz"] && n["Fz"] > 4) }'
}
that "all channels have as many modes" same_counts
sums()
{
	"$ws" memd "$eeg" "${sel[@]}" -o - | awk -F, 'NR == 1 {
			for (i = 2; i <= NF; i++) { split($i, p, "."); name[i] = p[1]; is_signal[i] = p[2] == "signal" } }
		NR > 1 { split("", s); split("", x)
			for (i = 2; i <= NF; i++) if (is_signal[i]) x[name[i]] = $i; else s[name[i]] += $i
			for (c in x) if (s[c] - x[c] > 1e-9 || x[c] - s[c] > 1e-9) bad = 1 }
		END { exit bad || NR != 513 }'
}
that "modes and residue add up" sums
ok "figure" "$ws" memd "$eeg" "${sel[@]}" -o f.h5 --plot f.svg --figure spectra
that "the figure is there" test -s f.svg

# ---- The same bits
same()
{
	local name=$1
	shift
	ok "$name" "$ws" memd "$eeg" "${sel[@]}" -o same.npy --overwrite -q "$@"
	that "$name: same bits" cmp x.npy same.npy
}
same "again"
same "one thread" --threads 1
same "three threads" --threads 3
same "the defaults spelled out" --directions 64 --direction-set scrambled --boundary mirror \
	--spline not-a-knot --stop-rule rilling:0.075,0.75,0.075
differs()
{
	local name=$1
	shift
	ok "$name" "$ws" memd "$eeg" "${sel[@]}" -o other.npy --overwrite -q "$@"
	that "$name: other bits" test "$(cmp -s x.npy other.npy; echo $?)" = 1
}
differs "hammersley" --direction-set hammersley
differs "gaussian" --direction-set gaussian
differs "fewer directions" --directions 16
differs "noise channels" --noise-channels 2
cp other.npy noise.npy
differs "more noise" --noise-channels 2 --noise-power 0.5
that "more noise is not less" test "$(cmp -s noise.npy other.npy; echo $?)" = 1
differs "another seed" --noise-channels 2 --seed 9
that "another seed is another noise" test "$(cmp -s noise.npy other.npy; echo $?)" = 1
differs "f32" --precision f32
ok "memd" "$ws" memd "$eeg" "${sel[@]}" --reference memd -o m.npy
ok "memd-gpu" "$ws" memd "$eeg" "${sel[@]}" --reference memd-gpu -o g.npy
that "references differ" test "$(cmp -s m.npy g.npy; echo $?)" = 1
ok "memd's fix_h" "$ws" memd "$eeg" "${sel[@]}" --reference memd \
	--stop-rule fix-h:2 -o h.npy
# A channel in another unit by a power of two: the other's modes are as they were.
awk 'BEGIN { srand(3); for (i = 0; i < 400; i++) { a = sin(i / 4) + rand(); b = sin(i / 9) + rand()
	printf "%.17g,%.17g\n", a, b >"unit1.csv"; printf "%.17g,%.17g\n", 1024 * a, b >"unit2.csv" } }'
for unit in 1 2; do
	ok "memd of unit $unit" "$ws" memd unit$unit.csv --fs 100 --directions 8 -o plain$unit.npy
	ok "memd --standardize of unit $unit" "$ws" memd unit$unit.csv --fs 100 --directions 8 \
		--standardize -o even$unit.npy
	that "says so" has "8 directions, standardized, "
done
rows=$(($(wc -c <even1.npy) / 2 - 64))
that "modes of the other channel do not depend on the unit" \
	cmp <(tail -c "$rows" even1.npy) <(tail -c "$rows" even2.npy)
that "which they do without" \
	bash -c "! cmp -s <(tail -c 3200 plain1.npy) <(tail -c 3200 plain2.npy)"
notes "one channel" "emd or iceemdan" "$ws" memd "$eeg" -c Cz --from 10 --to 14 --sifts 10 -o one.h5
that "one channel has none to be aligned with" eval '! has alignment'
ok "the same by emd" "$ws" emd "$eeg" -c Cz --from 10 --to 14 --sifts 10 -o emd.h5
ok "compare one channel" "$ws" compare one.h5 emd.h5
that "one channel is EMD" has "least similarity of a mode: 1"
ok "channels each by itself" "$ws" emd "$eeg" "${sel[@]}" -o each.h5 --json
that "tell no alignment" eval '! has alignment'
ok "info of them" "$ws" info each.h5
that "tells none" eval '! has alignment'
printf '%s\n' a,b 1,2 2,2 1,2 2,2 1,2 2,2 1,2 2,2 1,2 >flat.csv
ok "a flat channel beside another" "$ws" memd flat.csv --fs 10 -o flat.h5
that "no two channels have the mode" has " 4*           -    100.00 %"

# ---- Directions from a file
directions 8 3 >u.npy
directions 8 5 >u5.npy
ok "directions from a file" "$ws" memd "$eeg" "${sel[@]}" --direction-set u.npy -o u.h5 --json
that "as many directions as rows" has '"directions": 8'
that "their file is noted" has '"u.npy"'
that "its hash is noted" has "$(sha256sum u.npy | cut -c1-64)"
ok "fewer than the file has" "$ws" memd "$eeg" "${sel[@]}" --direction-set u.npy --directions 6 \
	-o u6.h5 --json
that "so many are taken" has '"directions": 6'
ok "columns of noise channels" "$ws" memd "$eeg" "${sel[@]}" --direction-set u5.npy --noise-channels 2 \
	--directions 8 -o u5.h5 -q
fails "more than the file has" 3 "9 or more directions, not 8" "$ws" memd "$eeg" "${sel[@]}" \
	--direction-set u.npy --directions 9 -o no.h5
fails "too many columns" 3 "direction 1 has 5 numbers, but there are 3 channels" "$ws" memd "$eeg" \
	"${sel[@]}" --direction-set u5.npy -o no.h5
fails "no columns for noise" 3 "there are 4 channels, noise included" "$ws" memd "$eeg" "${sel[@]}" \
	--direction-set u.npy --noise-channels 1 -o no.h5
fails "no such file" 3 "nowhere.npy" "$ws" memd "$eeg" "${sel[@]}" --direction-set nowhere.npy -o no.h5
directions 4 3 '\0\0\0\0\0\0\370\177' >nan.npy
fails "not finite" 3 "direction 4 is not a finite number at column 3" "$ws" memd "$eeg" "${sel[@]}" \
	--direction-set nan.npy -o no.h5
{ printf '\223NUMPY\001\000v\000%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"
	head -c 48 /dev/zero; } >zero.npy
fails "a zero direction" 2 "direction 1 is zero or not finite" "$ws" memd "$eeg" "${sel[@]}" \
	--direction-set zero.npy -o no.h5
cp u.npy copy.npy
fails "the file of directions as output" 2 "is an input" "$ws" memd "$eeg" "${sel[@]}" \
	--direction-set copy.npy -o copy.npy --overwrite
that "it is whole" cmp u.npy copy.npy

# ---- What is said beforehand
ok "dry run" "$ws" memd "$eeg" --dry-run -o plan.h5
that "dry run tells channels and directions" has "8 channels on 64 directions (scrambled)"
ok "dry run with noise" "$ws" memd "$eeg" --dry-run -o plan.h5 --noise-channels 2
that "dry run tells the noise" has "2 noise channels of 0.05 of their power"
fails "--memory too small" 4 "fewer channels, directions, modes or samples" "$ws" memd "$eeg" --memory 2300K
notes "few directions are told" "5 directions are few for 3 channels; at least 6" \
	"$ws" memd "$eeg" "${sel[@]}" --directions 5 -o few.h5
that "and done" test -s few.h5
that "in one line" test "$(wc -l <"$box/err")" = 1
ok "enough are not" "$ws" memd "$eeg" "${sel[@]}" --directions 6 -o enough.h5 -q
run "$ws" memd "$eeg" "${sel[@]}" --directions 5 -o quiet.h5 -q
that "quiet says nothing of it" test -z "$err"

# ---- Epochs: each is what it is by itself
{
	printf '\223NUMPY\001\000v\000%-117s\n' \
		"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 512), }"
	"$ws" emd "$eeg" "${sel[@]}" --modes 1 -o whole.npy -q
	tail -c $((2 * 3 * 512 * 8)) whole.npy
} >epochs.npy
ok "epochs" "$ws" memd epochs.npy -o epochs.h5
for e in 1 2; do
	ok "epoch $e" "$ws" memd epochs.npy --epochs $e -o epoch$e.npy
done
for ending in h5 mat; do
	ok "the second epoch" "$ws" memd epochs.npy --epochs 2 -o second.$ending --plot second_$ending.svg --json
	that "the selection is a fact" has '"epochs": "2"'
	ok "plot the second" "$ws" plot second.$ending --epochs 2 -o again_$ending.svg
	fails "plot the first, which it has not" 2 "no epoch 1; it has 2" \
		"$ws" plot second.$ending --epochs 1 -o no.svg
	ok "compare the second" "$ws" compare second.$ending epoch2.npy
	that "the second keeps its number" has "epoch 2"
done
that "figures keep it" cmp second_h5.svg again_h5.svg
"$ws" memd epochs.npy --epochs 1 -o first.h5 -q
fails "compare two epochs" 3 "epoch 1 of first.h5 stands where second.mat has epoch 2" \
	"$ws" compare first.h5 second.mat
ok "all epochs" "$ws" memd epochs.npy -o all.npy
same_epochs()
{
	"$ws" memd epochs.npy --modes 4 -o all4.npy -q
	for e in 1 2; do
		"$ws" memd epochs.npy --modes 4 --epochs $e -o $e.npy -q
		tail -c +129 $e.npy
	done >both
	tail -c +129 all4.npy | cmp - both
}
that "epochs are what they are by themselves" same_epochs

# ---- Mistakes
fails "--seed without use" 2 "means nothing without --noise-channels" "$ws" memd "$eeg" --seed 1
ok "--seed with gaussian" "$ws" memd "$eeg" "${sel[@]}" --seed 1 --direction-set gaussian -o s.npy
fails "--noise-power alone" 2 "needs --noise-channels" "$ws" memd "$eeg" --noise-power 0.1
for bad in 0 -1 x 1.5 ''; do
	fails "--directions '$bad'" 2 "--directions" "$ws" memd "$eeg" --directions "$bad"
	[ "$bad" = 0 ] || fails "--noise-channels '$bad'" 2 "--noise-channels" \
		"$ws" memd "$eeg" --noise-channels "$bad"
done
ok "--noise-channels 0, the default" "$ws" memd "$eeg" --dry-run -o plan.h5 --noise-channels 0
fails "--directions past the most" 2 "--directions" "$ws" memd "$eeg" --directions 1048577
for bad in 0 -1 x nan inf ''; do
	fails "--noise-power '$bad'" 2 "--noise-power" "$ws" memd "$eeg" --noise-channels 1 --noise-power "$bad"
done
fails "--spline pchip" 2 "not for memd, where it must be not-a-knot or natural; these commands take it: emd," "$ws" memd "$eeg" --spline pchip
fails "--stop-rule s-number" 2 "not for memd, where it must be fixed," "$ws" memd "$eeg" --stop-rule s-number
fails "--stop-rule fix-h:0" 2 "whole number" "$ws" memd "$eeg" --stop-rule fix-h:0
fails "fix-h of emd" 2 "these commands take it: memd" "$ws" emd "$eeg" --stop-rule fix-h
fails "--directions of emd" 2 "--directions" "$ws" emd "$eeg" --directions 5
fails "--noise-file" 2 "--noise-file" "$ws" memd "$eeg" --noise-file u.npy
fails "--realizations" 2 "--realizations" "$ws" memd "$eeg" --realizations 5
fails "strict" 6 "max-sifts" "$ws" memd "$eeg" --channels Fz,Cz --from 10 --to 14 \
	--stop-rule cauchy:1e-12 --max-sifts 2 --strict -o strict.h5
# ---- What is not for it
printf '%s\n' 'Brain Vision Data Exchange Header File Version 1.0' '[Common Infos]' \
	'DataFile=u.eeg' 'DataFormat=BINARY' 'DataOrientation=MULTIPLEXED' 'NumberOfChannels=3' \
	'SamplingInterval=10000' '[Binary Infos]' 'BinaryFormat=INT_16' '[Channel Infos]' \
	'Ch1=a,,1,uV' 'Ch2=b,,1,m/s' 'Ch3=c,,1,uV' >u.vhdr
head -c 1200 /dev/urandom >u.eeg
notes "channels of different units" "a and 1 more (uV), b (m/s); --standardize scales" \
	"$ws" memd u.vhdr -o units.h5 --directions 8
notes "one channel" "emd or iceemdan is for that" \
	"$ws" memd u.vhdr --channels a -o alone.h5
awk 'BEGIN { for (i = 0; i < 5; i++) { for (k = 0; k < 40; k++)
	printf "%s%.3f", k ? "," : "", sin(i * k); print "" } }' >wide.csv
notes "more channels than samples" "if it has 40 samples of 5 channels" \
	"$ws" emd wide.csv --fs 100 -o wide.h5
printf '1,5\n2,6\n3,4\n4,9\n3,2\n4,4\n' >comma.csv
notes "a headless table" "if 1,5 is one number" "$ws" emd comma.csv --fs 10 -o comma.h5
finish
