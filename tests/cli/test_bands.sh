#!/bin/bash
# wavesift bands: signals and power of bands, files and pictures of them.
. "$(dirname "$0")/lib.sh"
ws=$build/wavesift

ok "help" "$ws" bands --help
that "help has bands" has "4:8,8:13"
fails "no bands" 2 "such as 4:8,8:13" "$ws" bands "$eeg" --bands alpha
fails "upside down" 2 "lower one of each first" "$ws" bands "$eeg" --bands 8:4
fails "beyond the frequencies" 2 "has no part" "$ws" bands "$eeg" --freqs 1:20 --bands 30:40
fails "above half the rate" 2 "above half the sampling rate" "$ws" bands "$eeg" --bands 30:80
fails "no phase" 2 "--quantity phase" "$ws" bands "$eeg" --quantity phase
fails "no inverse" 2 "leave out the reference" "$ws" bands "$eeg" --freqs 4:40 --reference mne
that "nothing was written" test -z "$(ls)"

for end in h5 mat npy csv; do
	ok "signals in .$end" "$ws" bands "$eeg" --to 8 --bands 4:8,8:13 -o a.$end
	ok "power in .$end" "$ws" bands "$eeg" --to 8 --bands 4:8,8:13 --quantity power \
		--decimate 16 -o p.$end
done
ok "drawn" "$ws" bands "$eeg" --to 8 --bands 4:8,8:13 -o b.h5 --plot b.png
that "a picture" test -s b.png
# text FILE WORDS: a text element of the figure is these words.
text()
{
	grep -q ">$2</text>" "$1"
}
power=(bands "$eeg" --bands 4:8,8:13 --quantity power -q)
ok "power, drawn" "$ws" "${power[@]}" -c Cz --from 60 --to 100 --decimate 16 -o power.h5 --plot power.svg
that "its own title" text power.svg 'Power of frequency bands of eeg.edf'
that "bands by their edges" text power.svg '4 to 8 Hz'
that "in their unit" text power.svg 'µV²'
ok "again" "$ws" plot power.h5 -o again.svg -q
that "the same figure" cmp power.svg again.svg
ok "in decibels" "$ws" plot power.h5 -o db.svg -q --db --from 70 --to 90.05
that "which are told" text db.svg 'dB re 1 µV²'
ok "blinks" "$ws" "${power[@]}" -c EOG1 -o blinks.h5 --plot blinks.svg
that "take decibels" text blinks.svg 'dB re 1 µV²'
ok "unless it is said otherwise" "$ws" plot blinks.h5 -o linear.svg -q --db=off
that "linear" text linear.svg 'µV²'
fails "colours" 2 "--clim means nothing for this figure" "$ws" plot power.h5 -o no.svg --clim 0:1
fails "signals have no powers" 2 "--db means nothing" "$ws" bands "$eeg" --bands 4:8 -o n.h5 --plot n.svg \
	--db
run "$ws" bands "$eeg" --freqs 1:45 -o c.npy --threads 1 -v
that "the plan says how exactly" grep -q "exact but for rounding" "$box/err"
run "$ws" bands "$eeg" --freqs 2,40 -o d.npy -v
that "or how not" grep -q "error up to" "$box/err"
ok "again" "$ws" bands "$eeg" --freqs 1:45 -o e.npy --threads 2 --memory 20M
that "the same" cmp c.npy e.npy

# ---- A part by --from and --to has the whole's results

# same NAME PART WHOLE FROM TO: the rows of a table are those of another at these times, as text.
same()
{
	awk -F, -v from="$4" -v to="$5" 'NR > 1 && $1 >= from && $1 < to' "$3" >want.csv
	tail -n +2 "$2" >got.csv
	that "$1" test -s want.csv
	that "$1" cmp want.csv got.csv
}

for precision in f32 f64; do
	for more in "" "--quantity power" "--padding zero" "--padding periodic"; do
		# shellcheck disable=SC2086
		ok "whole $more" "$ws" bands "$eeg" -c 2,3 --bands 4:8,8:13 $more -o w.csv \
			--overwrite --precision $precision
		# shellcheck disable=SC2086
		ok "part $more" "$ws" bands "$eeg" -c 2,3 --bands 4:8,8:13 $more -o p.csv \
			--overwrite --precision $precision --from 2.125 --to 5
		same "part $precision $more" p.csv w.csv 2.125 5
	done
	# Of samples 0, 16, .., of which the one at 2.125 s is one.
	ok "power by 16" "$ws" bands "$eeg" -c 2,3 --bands 4:8 --quantity power --decimate 16 \
		-o d.csv --overwrite --precision $precision
	ok "part of it" "$ws" bands "$eeg" -c 2,3 --bands 4:8 --quantity power --decimate 16 \
		-o p.csv --overwrite --precision $precision --from 2.125 --to 5
	same "part by 16" p.csv d.csv 2.125 5
done
run "$ws" bands "$eeg" --bands 4:8 --from 2.125 --to 5 -o p.h5 --overwrite
that "the summary tells it" has "368 samples at 128 Hz (2.88 s), read with 272 before and 29864 after"
ok "--json" "$ws" bands "$eeg" --bands 4:8 --from 2.125 --to 5 -o p.h5 --overwrite --json
that "so does the record" test "$(grep -c '"samples_before": 272' "$box/out")" = 2
ok "another memory" "$ws" bands "$eeg" --bands 4:8 --from 2.125 --to 5 -o m.npy --memory 8M
ok "and all" "$ws" bands "$eeg" --bands 4:8 --from 2.125 --to 5 -o a.npy --overwrite --threads 1
that "the same bits" cmp m.npy a.npy
fails "too little" 4 "takes all samples between two pauses" \
	"$ws" bands "$eeg" --bands 4:8 --from 2.125 --to 5 -o no.npy --memory 1M
ok "a dry run" "$ws" bands "$eeg" --bands 4:8 --from 2.125 --to 5 --dry-run
that "says it before" has "with 272 samples before and 29864 after"
printf 'onset,duration,trial_type\n1,0,go\n4,0,go\n' >events.csv
ok "epochs around events" "$ws" bands "$eeg" --bands 8:13 --json -o e.h5 --events events.csv \
	--epochs-at go --tmin 0 --tmax 1
that "have no neighbours" test "${out/samples_before/}" = "$out"
ok "another command" "$ws" cwt "$eeg" --freqs 4:13:3 --from 2.125 --to 5 -o c.h5 --json
that "cuts" test "${out/samples_before/}" = "$out"

# table MISSING PAUSE: 8 s at 100 Hz, at 4 s a pause of so many s, without these samples of 800.
table()
{
	awk -v missing=" $1 " -v pause="$2" 'BEGIN { srand(3); print "time,a,b"
		for (i = 0; i < 800; i++) {
			x = int(1000 * (sin(0.5 * i) + rand()))
			printf "%.2f,%s,%d\n", i / 100 + (i >= 400 ? pause : 0),
				index(missing, " " i " ") ? "nan" : x, int(1000 * rand()) } }'
}

table "" 3 >paused.csv
for more in "--segment 2" "--gaps join" "--resample 50 --segment 2"; do
	# shellcheck disable=SC2086
	noted "whole, $more" "$ws" bands paused.csv --bands 4:8 --precision f64 $more -o w.csv \
		--overwrite
	from=8
	to=9.5
	[ "$more" = "--gaps join" ] && from=3 && to=4.5
	# shellcheck disable=SC2086
	noted "part, $more" "$ws" bands paused.csv --bands 4:8 --precision f64 $more -o p.csv \
		--overwrite --from $from --to $to
	same "part, $more" p.csv w.csv $from $to
done
table "100 700" 0 >holes.csv
fails "what is selected must be known" 3 "sample 101" \
	"$ws" bands holes.csv --bands 4:8 --to 3 -o no.csv
notes "what lies about it need not" "1 channel (a): what lies about the times selected" \
	"$ws" bands holes.csv --bands 4:8 --precision f64 --from 3 --to 5 -o p.csv --overwrite
ok "and ends there" "$ws" bands holes.csv --bands 4:8 --precision f64 --from 1.01 --to 7 -c a \
	-o w.csv --overwrite --quiet
awk -F, 'NR == FNR { w[$1] = $3; next } FNR > 1 && ($3 - w[$1]) ^ 2 > most { most = ($3 - w[$1]) ^ 2 }
	END { exit !(sqrt(most) < 1e-2) }' w.csv p.csv
that "as a run between them, nearly" test $? = 0
for more in "" "--resample 50"; do
	# shellcheck disable=SC2086
	noted "mended" "$ws" bands holes.csv --bands 4:8 --precision f64 --nan interpolate -o w.csv \
		--overwrite $more
	# shellcheck disable=SC2086
	noted "a part" "$ws" bands holes.csv --bands 4:8 --precision f64 --nan interpolate --from 3 \
		--to 5 -o p.csv --overwrite $more
	same "a part of what was mended $more" p.csv w.csv 3 5
done
finish
