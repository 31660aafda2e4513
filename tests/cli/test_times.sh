#!/bin/bash
# The time axis of a recording: where a table's times begin, and what --from and
# --to mean by a moment.
. "$(dirname "$0")/lib.sh"

# years FIRST COUNT: a table by year.
years()
{
	awk -v first="$1" -v n="$2" 'BEGIN { print "year,spots"
		for (i = 0; i < n; i++) printf "%d,%.9f\n", first + i, 50 + sin(i * 0.57) + sin(i * 0.06) }'
}

no() { ! "$@"; }

# ---- Where it begins
years 1749 250 >years.csv
ok "info" "$ws" info years.csv
that "info tells where times begin" has "times from 1749 y"
ok "info --json" "$ws" info years.csv --json
that "JSON tells it in s" has '"time_origin": 55193109048.0'
ok "to a table" "$ws" emd years.csv -o -
that "it begins at 1749 again" grep -q '^1749,50,' "$box/out"
that "it ends at 1998" grep -q '^1998,' "$box/out"
that "its times have a name" grep -q '^time_y,spots.signal,' "$box/out"
cp "$box/out" ours.csv
ok "info of that table" "$ws" info ours.csv
that "which begins there, too" has "times from 1749 y"
for ending in h5 mat; do
	ok "to .$ending" "$ws" emd years.csv -o "years.$ending" --plot "$ending.svg"
	ok "plot .$ending" "$ws" plot "years.$ending" -o "$ending.2.svg"
	fails "plot .$ending before it" 2 "--to 1700y: years.$ending begins at 1749 y" \
		"$ws" plot "years.$ending" -o no.svg --to 1700y
done
that "the result's figure begins there, too" cmp h5.svg h5.2.svg
sed 1d years.csv | awk -F, '{ print $1 - 1749 "," $2 }' | sed '1i year,spots' >zero.csv
ok "from year 0" "$ws" emd zero.csv -o zero.h5 --plot zero.svg
that "another figure" test "$(cmp h5.svg zero.svg >/dev/null; echo $?)" = 1
ok "modes are of the samples alone" "$ws" emd years.csv -o years.npy
ok "modes from year 0" "$ws" emd zero.csv -o zero.npy
that "the same bits" cmp years.npy zero.npy
ok "a rate of one's own" "$ws" info years.csv --fs 1 --json
that "counts from 0" has '"time_origin": 0.0'

# ---- Moments
ok "a century" "$ws" emd years.csv --from 1849y --to 1949y -o century.h5 --json
that "it has 100 years" has '"samples": 100'
that "it begins 100 years on" has '"first_time": 3155695200.0'
ok "ten years of it" "$ws" plot century.h5 -o decade.svg --from 1900y --to 1910y
fails "before it" 2 "--from 1800y: century.h5 begins at 1849 y" "$ws" plot century.h5 -o no.svg \
	--from 1800y
fails "seconds" 2 "--from 1748: years.csv begins at 1749 y; give a time from then on" "$ws" emd \
	years.csv --from 1748
that "told as such" grep -q "(a number without a unit is in seconds; in y it is 1748y)" "$box/err"
fails "the end in seconds" 2 "begins at 1749 y; give a time after (a number" \
	"$ws" emd years.csv --to 1800
fails "after the end" 2 "--from 239s: $eeg ends at 238.3125 s; give a time before" \
	"$ws" emd "$eeg" --from 239s
ok "help tells the unit" "$ws" emd --help
that "of plain numbers" has "A plain number is in"
fails "after the last" 2 \
	"--to 2000y: years.csv ends at 1999 y; give a time up to then, or leave --to out" "$ws" emd years.csv --to 2000y
fails "backwards" 2 "--from 1800y --to 1790y: from must be before" "$ws" emd years.csv \
	--from 1800y --to 1790y
fails "between two samples" 2 \
	"1800.4y: no sample of years.csv lies between them; samples are 1 y apart" \
	"$ws" emd years.csv --from 1800.2y --to 1800.4y
for bad in 1800w y 1.5.5s nan infy 1e308y ''; do
	fails "--from '$bad'" 2 "a time is needed, such as" "$ws" emd years.csv --from "$bad"
done
sine_csv 300 1 >tone.csv
fails "a unit without a rate" 2 "tone.csv has no sampling rate" "$ws" emd tone.csv --to 10ms
ok "seconds, minutes" "$ws" emd "$eeg" -c Cz --from 0.5min --to 32s -o half.npy
ok "seconds" "$ws" emd "$eeg" -c Cz --from 30 --to 32 -o seconds.npy
that "the same part" cmp half.npy seconds.npy

awk 'BEGIN { print "time_ms,x"; for (i = -200; i < 800; i += 4) print i "," sin(i / 20) }' >before.csv
ok "before 0" "$ws" emd before.csv --from -100ms --to 0 -o -
that "times are below 0" grep -q '^-100,' "$box/out"
that "and end before it" test "$(tail -n 1 "$box/out" | cut -d, -f1)" = -4
awk 'BEGIN { print "t,x"; for (i = 1; i < 300; i++) print i / 100 "," sin(i / 20) }' >step.csv
ok "times that begin one step after 0" "$ws" emd step.csv --from 0 --to 1 -o -
that "are taken from their beginning" test "$(sed -n 2p "$box/out" | cut -d, -f1)" = 0.01
fails "a step before 0" 2 "--from -1: tone.csv begins at 0 samples" "$ws" emd tone.csv --from -1
awk 'BEGIN { print "time,x"; for (i = 0; i < 999; i++) printf "%.3f,%f\n", 1.7e9 + 0.123 + i / 1000, sin(i / 20) }' \
	>unix.csv
notes "times far away" "'time' is taken for seconds since 1970" "$ws" emd unix.csv --from 1700000000.5 --to 1700000000.6 -o -
that "begin at the sample that is meant" grep -q '^1700000000.5,' "$box/out"
that "and are as many" test "$(wc -l <"$box/out")" = 101

awk 'BEGIN { print "time_us,x"
	for (i = 0; i < 999; i++) printf "%.0f,%f\n", 1.7e15 + 123 + 1000 * i, sin(i / 20) }' >stamps.csv
ok "stamps in us" "$ws" info stamps.csv
that "all of their digits are told" has "times from 1700000000000123 us"
ok "stamps in JSON" "$ws" info stamps.csv --json
that "JSON has them all, too" has '"time_origin": 1700000000.000123,'
fails "after the last stamp" 2 "--to 1800000000: stamps.csv ends at 1700000000999123 us" \
	"$ws" emd stamps.csv --to 1800000000
ok "a table of stamps" "$ws" emd stamps.csv -o -
cut -d, -f1 "$box/out" >ours
that "has the same" cmp ours <(cut -d, -f1 stamps.csv)
ok "from a stamp" "$ws" emd stamps.csv --from 1700000000500123us -o -
that "begins there" grep -q '^1700000000500123,' <(sed -n 2p "$box/out")

# ---- Dates, where samples are not numbers
# weekly MISSING: a table by the week, whose weeks of this pattern have no number.
weekly()
{
	awk -v missing="$1" 'BEGIN { print "date,co2"
		for (i = 0; i < 300; i++) print strftime("%Y-%m-%d", i * 604800 + 43200, 1) ","\
			(i ~ missing ? "" : sin(i / 5)) }'
}
weekly '^(20|30|31|32|5[0-9]|6[0-4])$' >gaps.csv
fails "gaps by their dates" 3 "gaps.csv: channel co2 is not a finite number at sample 21 (1970-05-21); --nan interpolate:21d mends the shorter of 3 gaps; the longest is 105d" \
	"$ws" emd gaps.csv
fails "one that is longer" 3 "at sample 51 (1970-12-17); the gap is too long to interpolate; choose channels or times without it (--channels, --from, --to), or --nan interpolate:105d" \
	"$ws" emd gaps.csv --nan interpolate:21d
notes "what was named is enough" "interpolated 19 samples" "$ws" emd gaps.csv --nan interpolate:105d -o g.h5
fails "the long ones alone" 3 "--nan interpolate:105d mends this gap" "$ws" emd gaps.csv --from 1970-09-01
weekly '^([0-2]|29.)$' >ends.csv
fails "at the beginning" 3 "start later with --from (1970-01-22)" "$ws" emd ends.csv --nan interpolate
fails "at the end" 3 "stop earlier with --to (1975-07-24)" "$ws" emd ends.csv --from 1970-01-22
ok "as was said" "$ws" emd ends.csv --from 1970-01-22 --to 1975-07-24 -o e.h5
weekly '^$' >dates.csv
fails "a year as a number" 2 "has dates, and a number without a unit is in seconds; give a date, such as 1972-01-01" \
	"$ws" emd dates.csv --from 1972
fails "years from the beginning" 2 "ends at 1975-10-02; give a time before (a number is a time from the beginning" \
	"$ws" emd dates.csv --from 1972y
fails "an early date" 2 "begins at 1970-01-01; give a time from then on, or leave --from out" \
	"$ws" emd dates.csv --from 1969-01-01
that "no word of numbers" no says "in seconds"
ok "dates in a result" "$ws" cwt dates.csv --freqs 0.5/year:20/year:6 -o dates.h5
fails "a year as a number, of it" 2 "give a date" "$ws" plot dates.h5 --to 1972 -o no.svg
ok "what is planned" "$ws" cwt dates.csv --freqs 0.5/y:20/y:6 --dry-run
that "is told by the year" has "6 frequencies from 0.5/y to 20/y"
fails "a band out of reach" 2 "band 1, 21/y to 22/y, has no part of the frequencies, 0.5/y to" \
	"$ws" bands dates.csv --freqs 0.5/y:20/y --bands 21/y:22/y
fails "a unit for one of two" 2 "each with its own unit" "$ws" cwt dates.csv --freqs 0.5:20/y
notes "resampled" "/year to 12 /year" "$ws" emd dates.csv --resample 12/year -o r.h5
weekly '^$' | sed '50,80d' >pause.csv
ok "info of pauses" "$ws" info pause.csv
that "by dates" has "1970-01-01 to 1970-12-03"
that "as long as weeks are" has "after a pause of 217 d"
fails "pauses" 3 "2 segments, 1 (1970-01-01 to 1970-12-03), 2 (1971-07-08 to" "$ws" emd pause.csv
awk 'BEGIN { print "month,t"
	for (i = 0; i < 600; i++) printf "%d-%02d,%s\n", 1900 + int(i / 12), i % 12 + 1, i ~ /^9[0-4]$/ ? "" : sin(i) }' \
	>months.csv
runs "months" 3 "$ws" emd months.csv
that "by their dates" says "sample 91 (1907-07-01); --nan interpolate:0.41666667y mends this gap"

# Frequencies of slow series in their own unit, in messages and of results.
years 1849 60 >slow.csv
fails "above half of a slow rate" 2 "/y, is above half the sampling rate, 0.5/y" \
	"$ws" cwt slow.csv --freqs 0.05/y:0.9/y
ok "bands of years" "$ws" bands slow.csv --bands 0.05/y:0.2/y -o slow.h5
that "in a year" has "bands 0.05:0.2 /year"
ok "info of them" "$ws" info slow.h5
that "in a year" has "bands 0.05:0.2 /year"

warm=$root/examples/data/global_temperature.csv
for ending in npy mat; do
	noted "months to .$ending" "$ws" emd "$warm" -o "warm.$ending"
done
that "JSON has their dates" grep -q '"date": \["1850-01-01", "1850-02-01"' warm.npy.json
that "so has MAT" grep -qa "date" warm.mat
ok "weeks to .npy" "$ws" emd gaps.csv --nan interpolate:105d -o weeks.npy -q --to 1970-05-01
that "JSON has what they count from" grep -q '"time_units": "seconds since 1970-01-01T00:00:00"' weeks.npy.json

# ---- Comparison
years 1849 100 >elsewhere.csv
ok "the century from elsewhere" "$ws" emd elsewhere.csv -o elsewhere.h5
ok "compare one century" "$ws" compare century.h5 elsewhere.h5
"$ws" emd years.csv --to 1849y -q -o earlier.h5
fails "compare two centuries" 3 \
	"earlier.h5 holds 1749 y to 1849 y of its recording, elsewhere.h5 1849 y to 1949 y" \
	"$ws" compare earlier.h5 elsewhere.h5
sed 1d elsewhere.csv | awk -F, '{ print $1 - 1849 "," $2 }' | sed '1i year,spots' >plain.csv
"$ws" emd plain.csv -q -o plain.h5
ok "compare with one that has no origin" "$ws" compare elsewhere.h5 plain.h5

# ---- Frequencies by the year
printf 'year,n\n' >yearly.csv
awk 'BEGIN { for (i = 0; i < 200; i++) printf "%d,%.6f\n", 1800 + i, sin(0.6 * i) + cos(1.7 * i) }' \
	>>yearly.csv
ok "by the year" "$ws" cwt yearly.csv --freqs 0.1/y:0.3/y:9 -o y.npy
that "the summary tells them so" has "frequency 9, 0.3000 - 0.1000 /year"
ok "a list" "$ws" cwt yearly.csv --freqs 0.3/y,0.1/y -q -o l.npy
ok "of bins" "$ws" hht yearly.csv --freqs 0.1/y:0.4/y -o h.h5
that "12 an octave" has "density of 24 bins, 0.1 to 0.4 /year"
ok "of bands" "$ws" bands yearly.csv --bands 0.05/y:0.1/y,0.1/y:0.3/y -q -o b.npy
ok "by the day" "$ws" cwt yearly.csv --freqs 0.000273790925/d:0.00082137/d -q -o d.npy
fails "of no time" 2 "such as 4,8,12.5" "$ws" cwt yearly.csv --freqs 0.1/x
fails "scales are no frequencies" 2 "numbers above 0" "$ws" cwt yearly.csv --scales 3/y
fails "nor are parameters" 2 "may follow the name" "$ws" cwt yearly.csv --wavelet morlet:6/y
seq 1 100 >counted.csv
ok "a rate by the year" "$ws" info counted.csv --fs 12/y
that "is told so" has "12 /year"
ok "in Hz" "$ws" info counted.csv --fs 5e2
that "is told so" has "500 Hz"
for bad in 0 -1 12/x /y 1e999 nan; do
	fails "a rate of $bad" 2 "such as 12/y" "$ws" info counted.csv --fs $bad
done
finish
