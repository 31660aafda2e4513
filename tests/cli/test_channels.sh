#!/bin/bash
# Types of channels, what is taken away, other references, dates, sidecars of BIDS.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { print "time,Fz,C3,A1,VEOG,ECG,rest"
	for (i = 0; i < 300; i++) printf "%.2f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", i / 100, sin(i / 3), cos(i / 5),
		sin(i / 40), sin(i / 90), sin(i / 2) ^ 9, i % 7 }' >head.csv
of() { ok "$1" "$ws" emd head.csv -c "$2" -o x.csv --overwrite --modes 1; }

named() { head -1 x.csv | tr , '\n' | sed -n 's/.signal//p' | tr '\n' ' '; }

# ---- Types, and a ! ------------------------------------------------------------------------

of "channels of EEG" eeg
that "are three" test "$(named)" = "Fz C3 A1 "
of "but one" 'EEG,!A1'
that "are two" test "$(named)" = "Fz C3 "
of "all but a pattern and a type" '!*G,!eeg'
that "is one" has "1 channel (rest)"
of "what is named again comes back" '!A1,A1,!ECG'
that "are five" has "5 channels"
fails "no such type here" 2 "has no such channel" "$ws" emd head.csv -c emg -o x.h5
fails "nothing left" 2 "leaves nothing of head.csv" "$ws" emd head.csv -c 'eog,!VEOG' -o x.h5
ok "types as JSON" "$ws" info head.csv --json
that "are told" test "$(grep -c '"type": "eeg"' <<<"$out")" = 3

# Of EDF by a word of the transducer, where the label has none.
cp "$eeg" t.edf
put() { printf "%-$3s" "$2" | dd of=t.edf bs=1 seek=$((256 + $1)) conv=notrunc status=none; }
put 0 "EEG Fz" 16
put 16 "left side" 16
put $((128 + 80)) "EOG electrode" 80
put 32 "S3" 16
put $((128 + 160)) "AgAgCl against ref" 80
put 48 "EEG C4" 16
put $((128 + 240)) "EOG electrode" 80
ok "types of EDF" "$ws" info t.edf --json
of_signal() { awk -v at="\"$1\"" '/"name"/ { on = index($0, at) } on && /"type"/ { print $2 }' <<<"$out"; }
that "by the label" test "$(of_signal "EEG Fz")$(of_signal "EEG C4")" = '"eeg""eeg"'
that "by the transducer" test "$(of_signal "left side")" = '"eog"'
that "by neither" test "$(of_signal S3)" = null
ok "chosen by type" "$ws" emd t.edf -c eog --to 2 -o t.csv -q
that "one channel" test "$(head -1 t.csv | grep -o 'left side.signal')" = "left side.signal"

# ---- Another reference ------------------------------------------------------------------------

notes "against the average" "3 channels are set against the mean of 3 (--rereference average)" \
	"$ws" emd head.csv --rereference average -o a.csv --modes 1
that "which is 0 then" test "$(awk -F, 'NR > 1 { s = $2 + $5 + $8; m = s > m ? s : -s > m ? -s : m }
	END { print m < 1e-12 }' a.csv)" = 1
notes "against an ear that is not selected" "2 channels are set against the mean of 1" \
	"$ws" emd head.csv -c Fz,C3 --rereference A1 -o r.csv --modes 1
awk -F, 'BEGIN { OFS = "," } NR == 1 { print "time,Fz,C3"; next }
	{ printf "%s,%.6f,%.6f\n", $1, $2 - $4, $3 - $4 }' head.csv >byhand.csv
ok "by hand" "$ws" emd byhand.csv -o h.csv --modes 1
that "is the same" test "$(paste -d, r.csv h.csv | awk -F, 'NR > 1 { d = $2 - $9; m = d > m ? d : -d > m ? -d : m }
	END { print m < 1e-5 }')" = 1
fails "an average of one" 2 "two are needed" "$ws" emd head.csv -c Fz --rereference average -o x.h5
fails "a reference that is not there" 2 "no such channel" "$ws" emd head.csv --rereference Cz -o x.h5

# ---- Units, and units of the deviation ------------------------------------------------------------

{ echo "time,a,b"; echo "s,uV,mV"; awk -F, 'NR > 1 { print $1 "," 1000 * $2 "," $3 }' head.csv; } >units.csv
fails "a reference of another unit" 2 "channels b (mV) and a (uV) of units.csv differ in unit" \
	"$ws" emd units.csv --rereference average -o x.h5
sed '2s/.*/s,uV,µV/' units.csv >micro.csv
ok "micro by either sign" "$ws" emd micro.csv --rereference average -q -o micro.h5
notes "units that differ" "a (uV), b (mV); --standardize scales" "$ws" memd units.csv -o m.h5
ok "in units of their deviation" "$ws" memd units.csv --unit-variance -o s.h5
ok "an hour later" "$ws" info s.h5
that "the unit tells" has "SD"

# ---- Gaps of a length -----------------------------------------------------------------------------

awk -F, 'NR >= 100 && NR < 130 { $2 = "" } { OFS = ","; print }' head.csv | sed 's/ /,/g' >gap.csv
notes "within" "interpolated 30 samples" "$ws" emd gap.csv -c Fz --nan interpolate:300ms -o g.h5
fails "beyond" 3 "the gap is too long to interpolate; choose channels or times without it (--channels, --from, --to), or --nan interpolate:0.3s" "$ws" emd gap.csv -c Fz --nan interpolate:0.29 -o x.h5
fails "no length" 2 "interpolate:LENGTH is needed" "$ws" emd gap.csv --nan interpolate:x -o x.h5

# ---- Dates --------------------------------------------------------------------------------------

awk 'BEGIN { print "date,x"; for (y = 1960; y < 1990; y++) for (m = 1; m < 13; m++)
	printf "%d-%02d-01,%.4f\n", y, m, sin(m) + sin(y * m) }' >monthly.csv
notes "a monthly series" "12 a year" "$ws" emd monthly.csv --from 1965-01-01 --to 1975-01-01 -o year.csv
that "has ten years" test "$(wc -l <year.csv)" = 121
that "from this one on" test "$(sed -n '2s/,.*//p' year.csv)" = 1965-01-01
that "every month has its first day" test "$(cut -d, -f1 year.csv | sed -n '3p;4p;121p' | tr '\n' ' ')" = \
	"1965-02-01 1965-03-01 1974-12-01 "
that "the summary has the dates" has "1965-01-01 to 1974-12-01"
noted "in Hz of years" "$ws" info monthly.csv
that "12 a year" has "12 /year"
awk 'BEGIN { print "date,x"; for (d = 1; d < 29; d++) printf "2021-02-%02dT00:00:00,%.4f\n", d, sin(d) }' >daily.csv
ok "days" "$ws" emd daily.csv --from 2021-02-05 --to 2021-02-20T12:00 -o days.h5 --modes 1
that "are sixteen" has "16 samples"
that "and their dates" has ", 2021-02-05 to 2021-02-20)"
ok "as a table" "$ws" emd daily.csv --from 2021-02-05 -o days.csv --modes 1 -q
that "of days" test "$(sed -n '1s/,.*//p;2s/,.*//p' days.csv | tr '\n' ' ')" = "date 2021-02-05 "
ok "which is read again" "$ws" info days.csv
that "from there on" has ", from 2021-02-05"
awk 'BEGIN { print "time,x"; for (i = 0; i < 40; i++) printf "2021-02-01T23:59:%04.1f,%.4f\n", 55 + i / 10, sin(i) }' \
	>clock.csv
ok "clocks" "$ws" emd clock.csv -o clocks.csv --modes 1
that "from one on" has ", from 2021-02-01T23:59:55)"
that "with their fractions" test "$(sed -n '4s/,.*//p' clocks.csv)" = 2021-02-01T23:59:55.200
fails "a date beyond" 2 "ends at 2021-03-01" "$ws" emd daily.csv --to 2021-04-01 -o x.h5
fails "no date is told" 2 "does not tell when it begins" "$ws" emd head.csv --from 2021-02-05 -o x.h5
for ending in h5 mat npy; do
	ok "a result of a calendar, .$ending" "$ws" emd daily.csv --from 2021-02-06 --modes 1 -q -o of.$ending
	ok "info of it, .$ending" "$ws" info of.$ending
	that "tells dates, .$ending" has ", from 2021-02-01, times from 2021-02-06"
	fails "so does what is compared with it, .$ending" 3 \
		"of.$ending 2021-02-06 to 2021-03-01; compare" "$ws" compare days.h5 of.$ending
done
ok "a result of a result" "$ws" emd days.h5 --from 2021-02-10 --modes 1 -o days.csv --overwrite
that "has dates, too" grep -q ^2021-02-10, <(sed -n 2p days.csv)
sed 's/^2021-02-07T00:00:00,.*/2021-02-07T00:00:00,9/' daily.csv >other.csv
fails "another recording" 2 "sample 7 (2021-02-07) of channel x is 9" "$ws" reconstruct of.h5 other.csv --drop 1
ok "a part of a figure" "$ws" plot days.h5 --from 2021-02-07 -o days.png

# ---- Several arrays -----------------------------------------------------------------------------

# Arrays of a .mat: those of a result are as good as any.
ok "a file of arrays" "$ws" emd head.csv -c Fz,C3 -o arrays.mat --modes 1
ok "one array" "$ws" emd arrays.mat --variable residue -o one.csv --fs 100 --modes 1
ok "two arrays" "$ws" emd arrays.mat --variable signal,residue -o x.csv --overwrite --fs 100 --modes 1
that "are four channels" test "$(named)" = "Fz C3 residue 1 residue 2 "
that "each as it is alone" test "$(cut -d, -f2 one.csv | tail -n +2 | cksum)" = \
	"$(cut -d, -f"$(head -1 x.csv | tr , '\n' | grep -n '^residue 1.signal' | cut -d: -f1)" x.csv | tail -n +2 | cksum)"
# Of a result it is the signal, with all that .h5 tells of it: names, dates, epochs.
printf 'onset\tlabel\n86400\tx\n345600\tx\n' >days.tsv
for e in h5 mat; do
	ok "a result in .$e" "$ws" emd daily.csv --modes 1 -o again.$e
	ok "of it" "$ws" emd again.$e --modes 1 -o again_$e.csv
	ok "epochs in .$e" "$ws" emd daily.csv --events days.tsv --epochs-at x --tmin -86400 --tmax 172800 \
		--modes 1 -o epochs.$e
	ok "of them" "$ws" emd epochs.$e --modes 1 -o epochs_$e.csv
done
that "has dates" grep -q ^2021-02-0 again_mat.csv
that "is the same" cmp again_h5.csv again_mat.csv
that "of epochs, too" cmp epochs_h5.csv epochs_mat.csv
fails "one that is not there" 3 "nothing" "$ws" emd arrays.mat --variable signal,nothing -o x.h5
fails "of a format without arrays" 2 "has no arrays to choose from" "$ws" emd head.csv --variable a,b -o x.h5

# ---- Sidecars --------------------------------------------------------------------------------------

mkdir -p sub-01/eeg
recording 0 >sub-01/eeg/sub-01_task-rest_eeg.edf
printf 'name\ttype\tunits\tstatus\nS1\tEOG\tuV\tgood\nS2\tMISC\tuV\tbad\n' >sub-01/eeg/sub-01_task-rest_channels.tsv
printf 'onset\tduration\ttrial_type\n0.25\t0\tgo\n' >sub-01/eeg/sub-01_task-rest_events.tsv
bids=sub-01/eeg/sub-01_task-rest_eeg.edf
notes "tables beside it" "sub-01_task-rest_channels.tsv and sub-01_task-rest_events.tsv beside it are taken" \
	"$ws" emd $bids -o b.h5
that "the bad channel is left out" has "1 channel (S1)"
noted "it has the event" "$ws" info b.h5
that "of the table" has "go"
noted "and the type" "$ws" info $bids --json
that "of the channel" has '"type": "eog"'
printf 'Fp9\tEEG\tuV\tgood\n' >>sub-01/eeg/sub-01_task-rest_channels.tsv
notes "a channel of the table alone" "of its 3 channels 1 is not in the recording" "$ws" info $bids
ok "not taken" "$ws" emd $bids --sidecars never -o n.h5
that "both channels" has "2 channels"
# Tables that are none, or say less or other than the recording.
events=${bids%_eeg.edf}_events.tsv channels=${bids%_eeg.edf}_channels.tsv
printf 'name\ttype\tunits\tstatus\nS1\tEEG\tmV\tgood\nS2\tEEG\t\302\265V\tgood\n' >$channels
notes "another unit" "its units of 1 channel contradict those of $bids, which hold (S1 is in uV, not in mV)" \
	"$ws" info $bids
printf 'name\ttype\tunits\tstatus\nS1\tEEG\tuV\tgood\nS2\tEE' >$channels
notes "a table that was cut short" "1 of its lines has fewer fields" "$ws" info $bids
printf 'S1\tEEG\tuV\tgood' >$channels
fails "without names of columns" 3 "is no table of channels" "$ws" info $bids
printf 'name\tstatus\n\0\1\2' >$channels
fails "with other bytes" 3 "is no table of channels" "$ws" info $bids
rm $channels
for text in 'words' '0.5\t1\tgo\n' '\0\1\2' ''; do
	printf "$text" >$events
	fails "no table of events: $text" 3 "_events.tsv" "$ws" info $bids
done
printf 'onset\tduration\ttrial_type\nn/a\t0\tgo\n0.5\tn/a\tstop\n' >$events
notes "an event without onset" "1 of its 2 events has no onset (n/a) and is left out" "$ws" info $bids
that "the other is there" has stop
finish
