#!/bin/bash
# Events: labels with commas, a file of their own, the time axis of epochs.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { print "time,x,\"y, z\""
	for (i = 0; i < 400; i++) printf "%.2f,%.6f,%.6f\n", i / 4, (i % 40 == 0 && i > 0 && i < 161), sin(i) }' >imp.csv
printf 'onset\tduration\ttrial_type\n10\t0\tleft, hand\n20\t0\tright\n30\t0\tleft, hand\n40\t0\tright\n' \
	>events.tsv

ok "info with events" "$ws" info imp.csv --events events.tsv
that "it lists them" has "left, hand"
ok "info as JSON" "$ws" info imp.csv --events events.tsv --json
that "JSON lists them" has '"label": "left, hand"'
ok "a channel with a comma" "$ws" emd imp.csv -c "y, z" -o c.npy
ok "a channel in quotes" "$ws" emd imp.csv -c '"y, z"' -o q.npy
that "they agree" cmp c.npy q.npy
ok "and beside another" "$ws" emd imp.csv -c "y, z,x" -o b.npy
fails "quotes that do not end" 2 "a quote does not end" "$ws" emd imp.csv -c '"y, z'

for c in trials cwt emd hhtrials coherence; do
	freqs=(--freqs 0.5:1.5:3)
	case $c in emd | hhtrials) freqs=() ;; esac
	ok "$c takes events" "$ws" $c imp.csv --events events.tsv --epochs-at "left, hand" --tmin -2.1 --tmax 2 \
		"${freqs[@]}" -o $c.h5 -q
done
# The impulse, in the first channel, is at time 0.
ok "epochs as a table" "$ws" emd imp.csv -c x --events events.tsv --epochs-at "left, hand,right" --tmin -2.1 \
	--tmax 2 --modes 1 -o e.csv -q
that "time 0 is the event" test "$(awk -F, 'NR > 1 && $3 > 0.5 { print $2 }' e.csv | sort -u)" = 0
fails "an event misspelled" 2 "has no such event; it has left, hand, right" \
	"$ws" emd imp.csv --events events.tsv --epochs-at "left, hand,rigth"
fails "no file of events" 3 "none.tsv" "$ws" info imp.csv --events none.tsv
fails "no events in it" 3 "without events" "$ws" info imp.csv --events "$eeg"
fails "a result over its events" 2 "events.tsv" "$ws" emd imp.csv --events events.tsv -o events.tsv --overwrite
printf 'onset,label\n1000,x\n' >late.csv
notes "events beyond the end" "1 of its 1 events lies outside imp.csv" \
	"$ws" info imp.csv --events late.csv

# Only what lies in the selection is kept, and what begins before but lasts until then.
printf 'onset\tduration\ttrial_type\n2\t9\tlong\n10\t0\tgo\n20\t0\tright\n30\t0\tgo\n' >part.tsv
ok "a part" "$ws" emd imp.csv -c x --events part.tsv --from 8 --to 25 -o part.h5 -q
ok "its events" "$ws" info part.h5 --json
that "are three" test "$(grep -c '"label"' <<<"$out")" = 3
ok "they count from its first sample" "$ws" info part.h5
that "go is at 2 s" has "2.000 s  go"
ok "epochs with events" "$ws" emd imp.csv -c x --events part.tsv --epochs-at go --tmin -2 --tmax 2 \
	-o parts.h5 --plot parts.svg -q
ok "theirs" "$ws" info parts.h5
that "each has its own" has "3 events"
that "the long one ends in the first" has "0.000 s  long"
that "the second epoch's is in it" has "6.000 s  go"
ok "their checksums" "$ws" info parts.h5 --verify
marks() { "$ws" plot parts.h5 --overwrite -o m.svg "$@"; }
ok "marked" marks
with=$(wc -c <m.svg)
ok "not marked" marks --events-shown none
that "there are fewer lines" test "$(wc -c <m.svg)" -lt "$with"
notes "no such event" "no event that the figure may mark" marks --events-shown gone

# ---- Averages over epochs
awk 'BEGIN { print "time,v"
	for (i = 0; i < 400; i++) printf "%.2f,%.6f\n", i / 4, sin(1.9 * i) * (i < 100) + 2 * sin(i * i / 900) }' \
	>v.csv
cut=(--events events.tsv --epochs-at "left, hand,right" --tmin -3 --tmax 5)
ok "epochs" "$ws" emd v.csv "${cut[@]}" -o each.csv -q
notes "their mean" "averages mix rhythms" "$ws" emd v.csv "${cut[@]}" --average -o mean.csv
# By another way: two passes over the table of epochs, Student's t of 3 degrees of freedom.
that "means, and intervals of them" awk -F, '
	NR == 1 { for (c = 3; c <= NF; c++) name[c] = $c }
	FNR == 1 { if (NR > 1) for (c = 2; c <= NF; c++) at[$c] = c; next }
	FILENAME == "each.csv" { for (c in name) { x[$1, $2, c] = $c; sum[$2, c] += $c / 4 } next }
	{ for (c in name) {
		s = 0
		for (e = 1; e <= 4; e++) s += (x[e, $1, c] - sum[$1, c]) ^ 2
		mean = $at[name[c]]; half = $at[name[c] "_interval"]; seen++
		d = mean - sum[$1, c]; h = half - 3.182446305 * sqrt(s / 3 / 4)
		if (d * d > 1e-20 || h * h > 1e-16) bad++ } }
	END { exit !(seen > 60 && !bad) }' each.csv mean.csv
notes "drawn" "mix" "$ws" emd v.csv "${cut[@]}" --average -o mean.h5 --plot mean.svg
that "frequencies are told" has "frequency of modes, median (range): 1: "
ok "drawn again" "$ws" plot mean.h5 -o again.svg
that "the same" cmp mean.svg again.svg
notes "a MAT file" "mix" "$ws" emd v.csv "${cut[@]}" --average -o mean.mat
ok "drawn from it" "$ws" plot mean.mat -o mat.svg
that "the same from MAT" cmp mean.svg mat.svg
notes "NPY" "has the means alone" "$ws" emd v.csv "${cut[@]}" --average -o mean.npy --threads 1
notes "in little memory" "mix" "$ws" emd v.csv "${cut[@]}" --average -o little.npy --memory 1M
that "the same bits" cmp mean.npy little.npy
ok "bands" "$ws" bands v.csv "${cut[@]}" --average --bands 0.5:1,1:1.6 -o bands.h5 --plot bands.svg
that "there is an interval" has "bands_interval  [channel 1][band 2"
ok "bands drawn again" "$ws" plot bands.h5 -o bands2.svg
that "the same bands" cmp bands.svg bands2.svg
ok "as JSON" "$ws" bands v.csv "${cut[@]}" --average --bands 0.5:1 -o json.h5 --json
that "four epochs" has '"epochs_averaged": 4'
fails "no epochs" 2 "needs two epochs or more" "$ws" emd v.csv --average -o no.h5
fails "one epoch" 2 "one is selected" "$ws" emd v.csv --events events.tsv --epochs-at right \
	--tmin -25 --tmax 5 --average -o no.h5
finish
