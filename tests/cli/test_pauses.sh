#!/bin/bash
# Recordings that were interrupted: refused across a pause, cut at it, or joined, in every command.
. "$(dirname "$0")/lib.sh"

# bv NAME MARKERS: 10 s of a tone at 100 Hz, BrainVision, with these further markers.
bv()
{
	printf '%s\n' 'Brain Vision Data Exchange Header File Version 1.0' '[Common Infos]' \
		"DataFile=$1.eeg" "MarkerFile=$1.vmrk" DataFormat=BINARY \
		DataOrientation=MULTIPLEXED NumberOfChannels=2 SamplingInterval=10000 \
		'[Binary Infos]' BinaryFormat=INT_16 '[Channel Infos]' Ch1=Fz,,1,uV Ch2=Cz,,1,uV \
		>"$1.vhdr"
	printf '%s\n' 'Brain Vision Data Exchange Marker File, Version 1.0' '[Marker Infos]' \
		'Mk1=New Segment,,1,1,0,20200101100000000000' "${@:2}" >"$1.vmrk"
	local bytes
	bytes=$(awk 'BEGIN { for (i = 0; i < 1000; i++) for (j = 1; j < 3; j++) {
		x = int(1000 * sin(0.63 * i * j) + 300 * sin(0.05 * i)); if (x < 0) x += 65536
		printf "\\x%02x\\x%02x", x % 256, int(x / 256) } }')
	printf "$bytes" >"$1.eeg"
}

bv paused 'Mk2=New Segment,,401,1,0,20200101100010000000' 'Mk3=Stimulus,go,200,1,0' \
	'Mk4=Stimulus,go,410,1,0' 'Mk5=Stimulus,go,700,1,0'
bv whole

# ---- What there is
ok "info" "$ws" info paused.vhdr
that "it lists segments" has "2 segments, with pauses between them"
that "with their times and what went by" has "2  4 s to 10 s, after a pause of 6 s"
ok "info --json" "$ws" info paused.vhdr --json
that "JSON has their times" has '"start": 4.0'
that "and how long they and pauses are" has '"pause": 6.0'
ok "info of one without" "$ws" info whole.vhdr
that "a marker at the first sample is no pause" test "${out/segments/}" = "$out"

# ---- Every command
for command in emd eemd memd hht cwt bands superlets coherence conv; do
	more=
	case $command in
	cwt | superlets | coherence) more='--freqs 4:40:8' ;;
	bands) more='--bands 4:8,8:13' ;;
	conv) more='--mask-formula morlet --scales 2:8:3' ;;
	eemd) more='--realizations 2' ;;
	esac
	# shellcheck disable=SC2086
	fails "$command across a pause" 3 \
		"2 segments, 1 (0 to 4 s), 2 (4 to 10 s); choose one with --segment" \
		"$ws" $command $more paused.vhdr -o no.h5
	# shellcheck disable=SC2086
	ok "$command of a segment" "$ws" $command $more paused.vhdr --segment 2 -o $command.h5
	# shellcheck disable=SC2086
	notes "$command joined" "2 segments were joined across pauses" \
		"$ws" $command $more paused.vhdr --gaps join -o $command.j.h5
done
# Smoothing of a figure ends at a pause: the same samples without one have another picture, but only
# then.
for smooth in '' 500ms; do
	for of in paused whole; do
		run "$ws" hht $of.vhdr --gaps join -o s.h5 --overwrite -q --title none --events-shown none \
			--plot $of$smooth.svg ${smooth:+--plot-smooth $smooth}
	done
done
that "the same picture" cmp paused.svg whole.svg
that "smoothed, another one" test -s paused500ms.svg -a -n "$(cmp paused500ms.svg whole500ms.svg)"
fails "of a result, which does not tell where" 2 "does not tell where pauses were joined" \
	"$ws" plot hht.j.h5 --figure hilbert -o x.svg --plot-smooth 500ms
for command in trials hhtrials; do
	notes "$command around events" "1 event is left out, whose epoch is cut by a pause" \
		"$ws" $command paused.vhdr --epochs-at Stimulus/go --tmin -0.5 --tmax 1 \
		$([ $command = trials ] && echo --freqs 4:40:8) -o $command.h5
done

# ---- What is taken
ok "the first segment" "$ws" emd paused.vhdr --segment 1 -o 1.npy
ok "by its end" "$ws" emd paused.vhdr --to 4 -o 1t.npy
ok "of one without" "$ws" emd whole.vhdr --to 4 -o 1w.npy
that "the same bits" cmp 1.npy 1t.npy
that "and of samples alone" cmp 1.npy 1w.npy
ok "the second segment" "$ws" emd paused.vhdr --segment 2 -o 2.npy
that "the summary names it" has "600 samples at 100 Hz (6.00 s), segment 2 of 2"
ok "of one without" "$ws" emd whole.vhdr --from 4 -o 2w.npy
that "the same bits" cmp 2.npy 2w.npy
notes "joined" "joined" "$ws" emd paused.vhdr --gaps join -o j.npy
ok "all of one without" "$ws" emd whole.vhdr -o w.npy
that "the same bits" cmp j.npy w.npy
ok "times inside the second" "$ws" emd paused.vhdr --segment 2 --from 5 --to 6.5 -o - --channels 1
that "times are the recording's" grep -q '^5,' "$box/out"
that "to the end" grep -q '^6.49,' "$box/out"
fails "across, by times" 3 "--from 2 --to 6: not inside one of its 2 segments" \
	"$ws" emd paused.vhdr --from 2 --to 6 -o no.h5
fails "no such segment" 2 "--segment 3: paused.vhdr has 2" "$ws" emd paused.vhdr --segment 3 -o no.h5
fails "no segment 0" 2 "--segment" "$ws" emd paused.vhdr --segment 0 -o no.h5
fails "a segment of all" 2 "give one of them" \
	"$ws" emd paused.vhdr --segment 2 --gaps join -o no.h5
fails "beyond it" 2 "--from 3: paused.vhdr begins at 4 s" \
	"$ws" emd paused.vhdr --segment 2 --from 3 -o no.h5

# ---- Results tell times and segment
ok "as JSON" "$ws" emd paused.vhdr --segment 2 -o s.h5 --json --overwrite
that "where it begins" has '"first_time": 4.0'
that "when that was by the clock" has '"segment_start": "2020-01-01T10:00:10"'
that "which it was" has '"segment": 2'
notes "joined, as JSON" joined "$ws" emd paused.vhdr --gaps join -o j.h5 --json
that "that it was joined" has '"gaps": "join"'
ok "a figure of the result" "$ws" plot s.h5 -o s.svg --from 5 --to 6
ok "colours with events" "$ws" cwt paused.vhdr --segment 2 --freqs 4:40:8 -o c.h5 --plot c.svg \
	--plot-channels 1
ok "the same from the result" "$ws" plot c.h5 --channels 1 -o c2.svg
that "the same to the byte" cmp c.svg c2.svg
fails "before it" 2 "begins at 4 s" "$ws" plot s.h5 -o no.svg --from 2

# ---- Events beside the recording
printf 'onset\tduration\ttrial_type\n1\t0\tgo\n4\t0\tboundary\n6\t0\tgo\n' >whole_events.tsv
ok "events of BIDS" "$ws" info whole.vhdr --events whole_events.tsv
that "an interruption among them parts" has "2  4 s to 10 s"
fails "across it" 3 "2 segments, 1 (0 to 4 s), 2 (4 to 10 s)" \
	"$ws" emd whole.vhdr --events whole_events.tsv -o no.h5
ok "cut around the others" "$ws" trials whole.vhdr --events whole_events.tsv --epochs-at go \
	--freqs 4:40:4 -o beside.h5

# ---- A table: times have the pause in them
awk 'BEGIN { print "t,x"; for (i = 0; i < 1000; i++)
	printf "%.2f,%.9f\n", 10 + i / 100 + (i >= 400 ? 50 : 0), sin(0.63 * i) }' >gap.csv
ok "info of a table" "$ws" info gap.csv
that "its times go on behind the pause" has "2  64 s to 70 s, after a pause of 50 s"
fails "across its gap" 3 "2 segments, 1 (10 to 14 s), 2 (64 to 70 s)" "$ws" emd gap.csv -o no.h5
ok "behind it" "$ws" emd gap.csv --from 65 --to 66 -o - --channels 1
that "at its own times" grep -q '^65,' "$box/out"
ok "a segment" "$ws" emd gap.csv --segment 2 -o g.h5 --plot g.svg
ok "its figure again" "$ws" plot g.h5 -o g2.svg
that "the same" cmp g.svg g2.svg
notes "joined" "joined" "$ws" emd gap.csv --gaps join -o g.npy
ok "rows as they come" "$ws" emd gap.csv --fs 100 -o g.fs.npy
that "the same bits" cmp g.npy g.fs.npy
finish
