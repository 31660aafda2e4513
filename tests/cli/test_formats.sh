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
# ---- Dates -------------------------------------------------------------------------

f=$data/climate/co2_weekly.csv
if have "weeks of CO2" "$f"; then
	fails "gaps of weeks" 3 "sample 7 (1958-05-10); --nan interpolate:56d mends the shorter of 22 gaps; the longest is 126d" \
		"$ws" emd "$f"
	notes "a part of them" "interpolated 12 samples" "$ws" emd "$f" --nan interpolate:0.5y \
		--from 1965-01-01 --to 1990-07-01 -o co2.csv
	that "from the first week on" grep -q '^1965-01-02,' <(sed -n 2p co2.csv)
fi
f=$data/eeg/edf/pyedflib_test_generator.edf
if have "dates of an EDF" "$f"; then
	ok "twenty seconds by the clock" "$ws" emd "$f" -c ramp --from 2011-04-04T12:58:00 \
		--to '2011-04-04 12:58:20' -o clock.h5
	that "are those" has "4000 samples at 200 Hz (20.0 s, from 2011-04-04T12:58:00)"
	fails "another day" 2 "ends at 2011-04-04T12:58:20" "$ws" plot clock.h5 --from 2012-01-01 -o no.svg
fi

# ---- Types of channels, sidecars, cleaned recordings --------------------------------

f=$data/eeg/brainvision/test.vhdr
if have "EEG of BrainVision" "$f"; then
	ok "EEG of BrainVision" "$ws" emd "$f" -c 'eeg,!CP5,!CP6' --from 1 --to 3 -o brain.h5
	that "is all but HL, HR, Vb and ReRef" has "26 channels, 2000 samples"
	ok "without mode 1" "$ws" reconstruct brain.h5 "$f" --drop 1 -c Cz -q -o less.vhdr
	that "its header names its files" test "$(diff "$f" less.vhdr | grep -c '^>.*=less\.')" = 2
	that "its markers are all there" test "$(diff "${f%vhdr}vmrk" less.vmrk | grep -c '^>')" = 1
	# A moment has 32 numbers of two bytes; Cz is the 17th.
	that "Cz alone, in those two seconds" test -z "$(cmp -l "${f%vhdr}eeg" less.eeg | awk '
		{ at = int(($1 - 1) / 2); if (at % 32 != 16 || at < 32000 || at >= 96000) print }')"
fi
f=$data/eeg/bdf/sccn_test.bdf
if have "a cleaned BDF" "$f"; then
	noted "against two channels" "$ws" emd "$f" --rereference A1,A2 -c 'A*,!A1' --to 2 -o two.h5
	that "all but one" has "15 channels"
	noted "two channels" "$ws" emd "$f" -c A1,A5 --from 3.5 --to 20 -q -o clean.h5
	noted "all kept" "$ws" reconstruct clean.h5 "$f" --keep all -q -o kept.bdf
	that "the same file" cmp "$f" kept.bdf
	noted "without mode 1" "$ws" reconstruct clean.h5 "$f" --drop 1 -c A5 -q -o less.bdf
	that "signal headers stay" cmp -n $((256 * 18)) "$f" less.bdf
	# A record has 256 numbers of three bytes of each of 17 signals; A5 is the fifth.
	that "A5 alone" test "$(cmp -l "$f" less.bdf | awk '
		{ print int(($1 - 1 - 256 * 18) / 768) % 17 }' | sort -u)" = 4
fi
f=$data/eeg/bids_test/sub-S1/ses-01/eeg/sub-S1_ses-01_task-Experiment_run-01_eeg.edf
if have "a table of BIDS" "$f"; then
	notes "a table of other channels" "of its 15 channels 15 are not in the recording" "$ws" info "$f"
	noted "EEG by its labels" "$ws" emd "$f" -c 'eeg,!EEG O*' --to 2 -o bids.h5
	that "are fourteen" has "14 channels"
fi
f=$data/eeg/eeglab/eeglab_data.set
if have "an average" "$f"; then
	notes "means over epochs" "modes are averaged by number" "$ws" emd "$f" -c Pz --epochs-at square \
		--tmin -0.5 --tmax 0.9 --average -o mean.h5 --plot mean.svg
	that "of 80" has "mean of 80 epochs and its 95 % interval"
	that "its moment 0" grep -q '<text .*>square</text>' mean.svg
	ok "ten seconds" "$ws" emd "$f" -c Cz --from 10 --to 20 -q -o ten.h5
	ok "have the events of these" "$ws" info ten.h5
	that "seven" has "7 events"
fi

# ---- Figures -----------------------------------------------------------------------

f=$data/ligo/H-H1_LOSC_4_V2-1126259446-32.hdf5
if have "a strong end of the spectrum" "$f"; then
	ok "a strong end" "$ws" cwt "$f" --from 14 --to 17 --freqs 20:1000 -o ligo.h5 -q --plot ligo.svg
	that "takes decibels" grep -q '<text .*>magnitude (dB re 1 unit)</text>' ligo.svg
fi
finish
