#!/bin/bash
# Real recordings of every family, from one's own machine to the result; needs
# the folder WAVESIFT_DATA.
. "$(dirname "$0")/lib.sh"

# takes FILE SECONDS OPTIONS...: info, then the start of it decomposed.
takes()
{
	local file=$data/$1 to=$2
	shift 2
	have "$(basename "$file")" "$file" || return
	noted "info $(basename "$file")" "$ws" info "$file" "${raw[@]}"
	noted "emd $(basename "$file")" "$ws" emd "$file" "${raw[@]}" --to "$to" --threads 1 -o x.h5 \
		--overwrite "$@"
}

if have "triggers that rest at a level" "$data/eeg/bdf/sccn_test.bdf"; then
	for command in info "emd --to 2 -o x.h5 --overwrite"; do
		# shellcheck disable=SC2086
		notes "$command" "rests at 254" "$ws" $command "$data/eeg/bdf/sccn_test.bdf"
	done
fi

raw=()
takes eeg/edf/pyedflib_test_generator.edf 2
takes eeg/edf/mne_test.edf 2 --channels 1-4
takes eeg/edf/sccn_test.edf 2
takes eeg/edf/mne_test_uneven_samp.edf 2 --channels 1
takes eeg/bdf/pyedflib_test_generator.bdf 2 --channels 1
takes eeg/brainvision/test.vhdr 2
takes eeg/eeglab/eeglab_data.set 2 --channels Fz,Pz
takes audio/test2_8000.wav 0.5
takes audio/sorohanro_-_solo-trumpet-06.ogg 0.2
takes climate/pycwt_sunspot.dat 200
takes climate/sunspots_yearly.csv 1900y
raw=(--variable EHZ)
takes seismic/obspy_example.npz 2 --fs 100
raw=()
takes ligo/H-H1_LOSC_4_V2-1126259446-32.hdf5 0.5
raw=(--raw f32,channels=32,order=channel --fs 128)
takes eeg/pannon/EEGsample_32CH_30504.bin 2 --channels 4
raw=()

# No signal in it, and that is what is said.
f=$data/eeg/edf/wfdb_test_edfann.edf
if have "annotations only" "$f"; then
	ok "info of annotations" "$ws" info "$f"
	fails "annotations only" 3 "no signal" "$ws" emd "$f"
fi

# Formats that we do not read are refused in one line.
for f in meg/test_bin_raw.fif seismic/fullseed.mseed vibration/mide_test3.IDE ecg/100.dat; do
	have "$f" "$data/$f" && fails "refused: $f" 3 "$(basename "$f")" "$ws" info "$data/$f"
done
for f in ecg/100.hea ecg/100.dat; do
	have "$f" "$data/$f" && fails "converted: $f" 3 "import sys, wfdb, h5py" "$ws" info "$data/$f"
done

# What a new user may take for something else.
have "several arrays" "$data/seismic/obspy_example.npz" &&
	fails "several arrays" 3 "or several (A,B) as channels: EHN EHE EHZ" "$ws" info "$data/seismic/obspy_example.npz"
if have "time down the rows" "$data/climate/pywt_sst_nino3.npz"; then
	notes "time down the rows" "its 800 rows are read as channels, of 10 samples each" \
		"$ws" info "$data/climate/pywt_sst_nino3.npz"
	that "names that say nothing are not listed" has "1 to 800"
fi

# The channel of the copy in the repository is that of the array.
f=$data/eeg/pannon/EEGsample_32CH_30504.bin
if have "the demo's channel" "$f"; then
	"$ws" emd "$f" --raw f32,channels=32,order=channel --fs 128 -c 14 --to 20 -q -o array.h5
	"$ws" emd "$eeg" -c Cz --to 20 -q -o edf.h5
	ok "compare array and EDF" "$ws" compare array.h5 edf.h5 --json
	that "the first mode is alike" grep -qE "^ +0\\.99" "$box/out"
fi

# Events and pauses.
small=$data/cases
if have "comma-label" "$small/comma-label/comma.edf"; then
	ok "a label with a comma" "$ws" emd "$small/comma-label/comma.edf" --epochs-at "left, hand" --tmin -0.1 \
		--tmax 0.5 -o comma.csv
	that "two epochs" has "x 2 epochs, 60 samples"
	ok "events of a recording" "$ws" info "$eeg" --events "$small/comma-label/comma.edf"
	that "are told" has "6.200 s  left, hand"
fi
if have "epoch-grid" "$small/epoch-grid/imp.edf"; then
	label=$("$ws" info "$small/epoch-grid/imp.edf" --json | sed -n 's/.*"label": "\(.*\)".*/\1/p' | head -1)
	ok "impulses" "$ws" emd "$small/epoch-grid/imp.edf" --epochs-at "$label" --tmin -2.1 --tmax 2 --modes 1 \
		-o imp_epochs.csv -q
	that "are at time 0" test "$(awk -F, 'NR > 1 { if ($3 > m) { m = $3; t = $2 } } END { print t }' \
		imp_epochs.csv)" = 0
fi
if have "pauses" "$data/cases/discontinuity"; then
	for file in bdfgap.bdf bound.set gap.edf; do
		fails "$file" 3 "2 segments, 1 (0 to" "$ws" emd "$data/cases/discontinuity/$file" -o no.h5
		ok "info of $file" "$ws" info "$data/cases/discontinuity/$file"
		that "lists them" has "2 segments"
		ok "its second segment" "$ws" cwt "$data/cases/discontinuity/$file" --segment 2 \
			--freqs 5:20:4 -o "$file.h5"
	done
fi
finish
