#!/bin/bash
# wavesift reconstruct: recordings without some of their modes or bands, in their own formats.
. "$(dirname "$0")/lib.sh"

cp "$eeg" in.edf
"$ws" emd in.edf -c Fz,Cz --from 10 --to 20 -q -o emd.h5
"$ws" bands in.edf --bands 4:8,8:13 -q -o bands.h5

# ---- EDF ---------------------------------------------------------------------------------------
ok "all kept" "$ws" reconstruct emd.h5 in.edf --keep all -o all.edf
that "all kept: the same file" cmp in.edf all.edf
that "told: other channels" has "6 other channels are as before"

ok "without mode 1" "$ws" reconstruct emd.h5 in.edf --drop 1 -c Cz
that "a name of its own" test -e in_reconstruct.edf
# Bytes that changed: the header has 2304, a record of 1.9375 s 248 samples of each of 8 signals.
cmp -l in.edf in_reconstruct.edf | awk '
	{ at = int(($1 - 1 - 2304) / 2); record = int(at / 1984); signal = int(at % 1984 / 248)
	  sample = record * 248 + at % 248
	  if ($1 <= 2304 || signal != 3 || sample < 1280 || sample >= 2560) bad++ }
	END { exit NR < 1000 || bad }' || failed "only Cz, from 10 to 20 s" "other bytes changed"
"$ws" emd in_reconstruct.edf -c Cz --from 10 --to 20 -q -o again.h5
"$ws" reconstruct emd.h5 in.edf -c Cz --keep 2-,rest -o kept.edf -q
that "what is kept, what is dropped: to a step" test "$(cmp -l kept.edf in_reconstruct.edf | wc -l)" -lt 200

ok "by channel and frequency" "$ws" reconstruct emd.h5 in.edf \
	--drop 'Fz=2-3,rest;C*=8:13' -o by.edf --json
that "by channel: Fz" test -n "$(tr -d ' \n' <"$box/out" | grep '"channel":"Fz","dropped":\[2,3\],"rest_dropped":true')"
that "by channel: Cz" test -n "$(tr -d ' \n' <"$box/out" | grep '"channel":"Cz","dropped":\[[0-9,]*\],"rest_dropped":false')"
ok "bands" "$ws" reconstruct bands.h5 in.edf --keep 8:13 -o alpha.edf
that "bands: the other, and what is in none" has "1,rest"
ok "overwrite" "$ws" reconstruct bands.h5 in.edf --drop 1 -o alpha.edf --overwrite -q
that "quiet" test -z "$out"

# ---- Refused -----------------------------------------------------------------------------------
cp "$root/fuzz/corpus/eeglab/inside_73.set" s73.set
"$ws" emd s73.set -q -o s73.h5
fails "a set in HDF5" 2 "save it by save(.., '-v6')" "$ws" reconstruct s73.h5 s73.set --keep all
{
	printf "\x93NUMPY\x01\x00\x76\x00%-117s\n" \
		"{'descr': '<i2', 'fortran_order': False, 'shape': (3, 2, 50), }"
	head -c 600 /dev/urandom
} >epochs.npy
"$ws" bands epochs.npy --fs 100 --bands 8:20 --average -q -o mean.h5
fails "averages" 2 "made with --average" "$ws" reconstruct mean.h5 epochs.npy --drop 1
fails "nothing said" 2 "give --drop or --keep" "$ws" reconstruct emd.h5 in.edf
fails "both" 2 "give one" "$ws" reconstruct emd.h5 in.edf --keep 1 --drop 2
fails "an empty list" 2 "is empty" "$ws" reconstruct emd.h5 in.edf --drop ' ;' -o x.edf
fails "no such mode" 2 "has modes 1 to" "$ws" reconstruct emd.h5 in.edf --drop 99 -o x.edf
{ echo x && seq 300; } >line.csv
"$ws" emd line.csv -q -o line.h5
fails "a result without modes" 2 "line.h5 has no mode" "$ws" reconstruct line.h5 line.csv --drop 1 -o x.csv
fails "no mode" 2 "is no mode" "$ws" reconstruct emd.h5 in.edf --drop fast -o x.edf
fails "no mode there" 2 "has its frequency there" "$ws" reconstruct emd.h5 in.edf --drop 60:64 -o x.edf
fails "no such channel" 2 "Pz" "$ws" reconstruct emd.h5 in.edf --drop Pz=1 -o x.edf
fails "exists" 2 "exists already" "$ws" reconstruct emd.h5 in.edf --drop 1 -o all.edf
fails "the input" 2 "is an input" "$ws" reconstruct emd.h5 in.edf --drop 1 -o in.edf --overwrite
fails "another ending" 2 "name it .edf" "$ws" reconstruct emd.h5 in.edf --drop 1 -o x.wav
fails "another recording" 2 "is not the recording" "$ws" reconstruct emd.h5 in_reconstruct.edf \
	--drop 1 -o x.edf
fails "no parts" 3 "not a result" "$ws" reconstruct in.edf in.edf --drop 1 -o x.edf
"$ws" cwt in.edf -c Cz --to 4 --freqs 4:40:8 -q -o cwt.h5
fails "wavelets" 3 "holds no parts" "$ws" reconstruct cwt.h5 in.edf --drop 1 -o x.edf
"$ws" emd in.edf -c Cz --to 9 --resample 100 -q -o slow.h5
"$ws" emd in.edf --to 9 --rereference average -q -o average.h5
fails "another reference" 2 "without --rereference" "$ws" reconstruct average.h5 in.edf --drop 1 -o x.edf
fails "resampled" 2 "without --resample" "$ws" reconstruct slow.h5 in.edf --drop 1 -o x.edf

# ---- A scale that is too narrow: of Cz, up to 0.474 uV ------------------------------------------
cp in.edf narrow.edf
printf '0.474   ' | dd of=narrow.edf bs=1 seek=$((256 + 8 * 112 + 24)) conv=notrunc 2>/dev/null
printf '100     ' | dd of=narrow.edf bs=1 seek=$((256 + 8 * 128 + 24)) conv=notrunc 2>/dev/null
"$ws" emd narrow.edf -c Cz --to 20 -q -o narrow.h5
fails "beyond the scale" 3 "--rescale widens" "$ws" reconstruct narrow.h5 narrow.edf --drop 1 -o x.edf
notes "a wider scale" "(Cz) has a wider scale" "$ws" reconstruct narrow.h5 narrow.edf --drop 1 -o wide.edf \
	--rescale
"$ws" emd in.edf -c C3 --to 20 -q -o c3.h5
ok "the other channels of it" "$ws" reconstruct c3.h5 wide.edf --drop 1 -q -o x.edf
rm x.edf

# ---- BrainVision -------------------------------------------------------------------------------
cp "$root"/tests/data/trio.* .
"$ws" emd trio.vhdr --modes 2 -q -o trio.h5
ok "trio" "$ws" reconstruct trio.h5 trio.eeg --keep all -o clean.vhdr
that "its samples" cmp trio.eeg clean.eeg
that "its header" test "$(sed 's/clean\./trio./' clean.vhdr)" = "$(cat trio.vhdr)"
that "the header's names" test "$(grep -c '=clean\.' clean.vhdr)" = "$(grep -c '=trio\.' trio.vhdr)"
that "the markers' names" test "$(sed 's/clean\./trio./' clean.vmrk)" = "$(cat trio.vmrk)"
touch less.vmrk
fails "a file beside it exists" 2 "less.vmrk: exists" "$ws" reconstruct trio.h5 trio.vhdr --drop 1 \
	-o less.vhdr

# ---- Tables ------------------------------------------------------------------------------------
printf 'time;a;b\r\n' >in.csv
for ((i = 0; i < 60; i++)); do
	printf '%d;%d,25;%s\r\n' $i $((i * i * 7919 % 100)) "$([ $i = 40 ] && echo NA || echo $((i * 37 % 50)))"
done >>in.csv
notes "gaps" "interpolated 1" "$ws" emd in.csv --nan interpolate -o csv.h5 --modes 2
ok "table" "$ws" reconstruct csv.h5 in.csv --drop 1 -o less.csv
that "a missing sample stays" grep -q '^40;.*;NA' less.csv
that "its title and times" test "$(cut -d';' -f1 less.csv)" = "$(cut -d';' -f1 in.csv)"
ok "all kept: the same table" "$ws" reconstruct csv.h5 in.csv --keep all -o all.csv -q
that "all kept: to the byte" cmp in.csv all.csv
fails "no scale" 2 "no scale in its header" "$ws" reconstruct csv.h5 in.csv --drop 1 -o x.csv --rescale
"$ws" emd "$root/examples/data/humpback.ogg" --to 0.2 --modes 1 -q -o ogg.h5
fails "sound that is packed" 2 "convert it to WAV" "$ws" reconstruct ogg.h5 \
	"$root/examples/data/humpback.ogg" --drop 1 -o x.ogg

# ---- Whole or not at all -----------------------------------------------------------------------
limited()
{
	(ulimit -f 8000 && exec "$@")
}
head -c 9000000 /dev/zero >flat.raw
"$ws" emd flat.raw --raw f32 --to 100 -q -o flat.h5
fails "disk full" 4 "disk is full" limited "$ws" reconstruct flat.h5 flat.raw --raw f32 --keep all -o x.raw
"$ws" emd in.edf -q -o long.h5
"$ws" reconstruct long.h5 in.edf --drop 1 -q -o whole.edf
for ms in 5 15 25 35 50 70; do
	echo old >x.edf
	timeout --preserve-status -s INT 0.0$(printf '%02d' $ms) env --default-signal=INT \
		"$ws" reconstruct long.h5 in.edf --drop 1 -q -o x.edf --overwrite 2>/dev/null
	that "stopped after $ms ms: nothing beside it" test -z "$(find . -name '.*.part')"
	[ "$(head -c 3 x.edf)" = old ] || that "stopped after $ms ms: whole" cmp -s x.edf whole.edf
done

# ---- By sox --------------------------------------------------------------------------------------
# Of a stereo WAV that sox itself made, the second channel from 0.5 to 1.5 s changes, by mode 1.
if command -v sox >/dev/null; then
	sox -D -n -r 800 -c 2 -b 16 sox.wav synth 2 sine 40 synth 2 sine mix 5 vol 0.4
	"$ws" emd sox.wav -c 2 --from 0.5 --to 1.5 --modes 2 -q -o sox.h5
	ok "a WAV of sox" "$ws" reconstruct sox.h5 sox.wav --drop 1 -q -o less.wav
	that "sox opens it" test "$(sox --i less.wav 2>&1 | sed 's/less/sox/')" = "$(sox --i sox.wav 2>&1)"
	for file in sox less; do
		sox $file.wav -t dat - 2>/dev/null | grep -v '^;' | tr -d '\r' >$file.dat
	done
	that "changed where it should be" awk '
		{ split($0, a); getline < "less.dat"; if ($2 != a[2] || NF != 3 || $1 != a[1]) bad++
		  if ($3 != a[3]) { if (a[1] < 0.5 || a[1] >= 1.5) bad++; else changed++ } }
		END { exit NR != 1600 || changed < 700 || bad }' sox.dat
else
	echo "NOT RUN: sox, which opens what was reconstructed (scripts/setup.sh --dev)"
fi

# ---- By EEGLAB, under Octave --------------------------------------------------------------------
# In WS_PEERS is its folder `functions`.  dipfit, a part of its own, is stood in for.
set=$data/eeg/eeglab/eeglab_data.set functions=${WS_PEERS:-/nonexistent}/eeglab/functions
if [ -d "$functions" ] && [ -e "$set" ] && command -v octave >/dev/null; then
	"$ws" emd "$set" -c F3,Fz --from 10 --to 20 -q -o set.h5
	ok "an .set of EEGLAB" "$ws" reconstruct set.h5 "$set" --drop 1 -q -o less.set
	echo "name = {repmat('a', 1, 12), repmat('b', 1, 12)};
		template_models = struct('hdmfile', name, 'mrifile', name, 'chanfile', name);" >dipfitdefs.m
	cat >eeglab.m <<-END
		warning('off', 'all');
		addpath(genpath('$functions'));
		[folder, name] = fileparts('$set');
		old = pop_loadset('filename', [name '.set'], 'filepath', folder);
		new = pop_loadset('filename', 'less.set', 'filepath', pwd);
		changed = old.data != new.data;
		assert(find(any(changed, 2))', [3 4]);
		assert([find(any(changed, 1), 1), find(any(changed, 1), 1, 'last')], [1281 2560]);
		assert(numel(new.event), numel(old.event));
		assert(isempty(new.icaact));
		disp('opened');
	END
	that "EEGLAB opens it, changed where it should be" grep -q opened <(octave --no-gui -q eeglab.m 2>&1)
else
	echo "NOT RUN: EEGLAB, which opens what was reconstructed (WS_PEERS/eeglab, Octave)"
fi

# ---- What other programs wrote, read by them ----------------------------------------------------
mkdir others
for python in ${PYTHON:-"$build/python/bin/python" python3}; do
	"$python" -c 'import mne, scipy, h5py' 2>/dev/null || continue
	cases=$((cases + 1))
	(cd others && "$python" "$root/tests/cli/reconstruct.py" "$ws") || failed "other programs" "see above"
	finish
done
echo "SKIPPED  other programs: Python with MNE, SciPy and h5py is needed"
finish
