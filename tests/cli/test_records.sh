#!/bin/bash
# The record of a run: every option whole, however long, in the file, in --json and in what is drawn
# from it.
. "$(dirname "$0")/lib.sh"

# list FROM N: N numbers of 17 digits, FROM and on.
list()
{
	awk -v from="$1" -v n="$2" 'BEGIN {
		for (i = 0; i < n; ++i)
			printf "%s%.15g", i ? "," : "", from + i / 7
	}'
}

# recorded NAME FILE TEXT: the file holds the text, in one piece.
recorded()
{
	that "$1" grep -aqF -- "$3" "$2"
}

short=$(list 2 9)
long=$(list 2 140)
cycles=$(list 3 140)
that "longer than any line was" test ${#long} -gt 2000

# ---- Options
for text in "$short" "$long"; do
	ok "frequencies, ${#text}" "$ws" cwt "$eeg" --channels Cz --to 4 --freqs "$text" \
		--quantity power -o f.h5 --overwrite
	that "in words" has "freqs $text, voices 10, quantity power"
	recorded "as a fact" f.h5 "$text"
	recorded "and what follows it in words" f.h5 "freqs $text, voices 10, quantity power"
	ok "and as JSON" "$ws" cwt "$eeg" --channels Cz --to 4 --freqs "$text" --quantity power \
		-o f.h5 --overwrite --json
	that "the fact" has "\"freqs\": \"$text\""
	ok "drawn" "$ws" plot f.h5 -o f.png --overwrite -q
	ok "as its command" "$ws" cwt "$eeg" --channels Cz --to 4 --freqs "$text" \
		--quantity power -o g.h5 --plot g.png --overwrite -q
	that "draws it" cmp f.png g.png
done
ok "scales and cycles" "$ws" cwt "$eeg" --channels Cz --to 4 --freqs "$long" --cycles "$cycles" \
	-o c.h5
recorded "the frequencies" c.h5 "$long"
recorded "the cycles" c.h5 "$cycles"
bands=$(awk 'BEGIN { for (i = 0; i < 60; ++i) printf "%s%.15g:%.15g", i ? "," : "", 2 + i / 7,
	2.5 + i / 7 }')
ok "bands" "$ws" bands "$eeg" --channels Cz --to 4 --bands "$bands" -o b.h5
recorded "all" b.h5 "$bands"
cat >r.vhdr <<'END'
Brain Vision Data Exchange Header File Version 1.0
[Common Infos]
DataFile=r.eeg
MarkerFile=r.vmrk
DataFormat=BINARY
DataOrientation=MULTIPLEXED
NumberOfChannels=1
SamplingInterval=10000
[Binary Infos]
BinaryFormat=INT_16
[Channel Infos]
Ch1=A,,1,uV
END
printf '%s\n' 'Brain Vision Data Exchange Marker File, Version 1.0' '[Common Infos]' 'DataFile=r.eeg' \
	'[Marker Infos]' 'Mk1=Stimulus,S1,200,1,0' 'Mk2=Stimulus,S1,600,1,0' >r.vmrk
head -c 2000 "$eeg" >r.eeg
ok "digits of a baseline" "$ws" trials r.vhdr --epochs-at "*S1*" --tmin -0.5 --tmax 0.5 --freqs 8:12:3 \
	--baseline=-0.123456789012345:-0.05:ratio -o t.h5 -q
recorded "all of them" t.h5 -0.123456789012345

# ---- Facts of the EMD family are options, by their names and as they are given
ok "a rule" "$ws" iceemdan "$eeg" --channels Cz --to 2 --realizations 2 --stop-rule \
	rilling:0.06,0.6,0.04 --modes 3 --seed 5 -o i.h5 --json
that "whole" has '"stop_rule": "rilling:0.06,0.6,0.04"'
that "the most modes" has '"modes": 3'
that "the seed" has '"seed": 5'
ok "by default" "$ws" eemd "$eeg" --channels Cz --to 2 --realizations 2 -o e.h5 --json
that "a seed of 0, too" has '"seed": 0'
that "the sifts" has '"stop_rule": "fixed:10"'

# ---- Paths and titles
name=$(printf 'x%.0s' {1..200})
ok "a recording" cp "$eeg" "$name.edf"
ok "of a long name" "$ws" emd "$name.edf" --channels Cz --to 2 -o n.h5 -q
recorded "its title" n.h5 "EMD of $name.edf"
deep=$(for i in 1 2 3 4 5; do printf '%s/' "$name"; done)
ok "folders" mkdir -p "$deep"
ok "far down" cp "$eeg" "$deep/$name.edf"
ok "a long path" "$ws" emd "$deep/$name.edf" --channels Cz --to 2 -o p.h5 -q
recorded "its input" p.h5 "$deep/$name.edf"
ok "noise of a long path" "$ws" emd "$eeg" --channels Cz --to 2 --modes 1 -o "$deep/w.csv" -q
ok "as a file of an option" "$ws" eemd "$eeg" --channels Cz --to 2 --realizations 2 \
	--noise-file "$deep/w.csv" -o w.h5 -q
recorded "its path" w.h5 "$deep/w.csv"

# ---- Names
one=$(printf 'n%.0s' {1..300})
{
	printf '%sA,%sB,short\n' "$one" "$one"
	awk 'BEGIN { for (i = 0; i < 100; ++i) printf "%.6f,%.6f,%.6f\n", sin(i / 3), cos(i / 5),
		sin(i / 7) }'
} >names.csv
run "$ws" info names.csv --fs 100
that "long names are cut, which is told" grep -q 'note: .*names of 2 channels and 0 events' <<<"$err$out"
run "$ws" emd names.csv --fs 100 -o names.h5
that "and so it is here" grep -q 'names of 2 channels' <<<"$err"
run "$ws" info names.csv --fs 100 --json
first=$(grep -o '"name": "n*\.\.#[0-9a-f]*"' <<<"$out" | cut -d'"' -f4 | sed -n 1p)
second=$(grep -o '"name": "n*\.\.#[0-9a-f]*"' <<<"$out" | cut -d'"' -f4 | sed -n 2p)
that "to 240 bytes" test ${#first} = 240
that "they stay apart" test -n "$second" -a "$first" != "$second"
run "$ws" emd names.csv --fs 100 --channels "$second" -o second.npy -q
run "$ws" emd names.csv --fs 100 --channels 2 -o 2.npy -q
that "and are selected by them" cmp second.npy 2.npy
fails "a name of a picture that is too long" 2 "its name is too long" "$ws" plot names.h5 -o \
	"$(printf '%5000s' x | tr ' ' y).png"

# ---- As many modes as there may be
cap=(ceemdan "$eeg" --channels 1-3 --to 10 --realizations 4 -o cap.h5 --overwrite)
run "$ws" "${cap[@]}"
that "the default number of modes was met, which is told" grep -q \
	'note: 1 of 3 signals: 10 modes are all that there are by default' <<<"$err"
ok "not to who asks for it" "$ws" "${cap[@]}" --modes 10 --json
that "but to programs" has '"capped": 1'
spectra=(hht "$eeg" --channels 1-3 --to 10 --decomposition ceemdan --realizations 4 --freqs 1:40:20
	-o cap_hht.h5 --overwrite)
run "$ws" "${spectra[@]}" --json
that "spectra of such modes tell it" grep -q \
	'note: 1 of 3 signals: 10 modes are all that there are by default, and the residue osc' <<<"$err"
that "and programs" has '"capped": 1'
ok "not to who asks for it, either" "$ws" "${spectra[@]}" --modes 10 -q
ok "nor of modes that are given" "$ws" hht cap.h5 --freqs 1:40:20 -o given.h5 -q
printf '%s\n' onset,duration,label 0,0,go 10,0,go 20,0,go >go.csv
run "$ws" hhtrials "$eeg" --events go.csv --epochs-at go --tmin 0 --tmax 10 --channels 1-3 \
	--decomposition ceemdan --realizations 4 --freqs 1:40:20 --averages total -o cap_trials.h5
that "nor averages of them over epochs" grep -q \
	'of 9 decompositions: 10 modes are all that there are by default' <<<"$err"
ok "more modes" "$ws" "${cap[@]}" --modes 12 --json
that "are enough" has '"capped": 0'

finish
