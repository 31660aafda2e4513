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
finish
