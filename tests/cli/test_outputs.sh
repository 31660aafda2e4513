#!/bin/bash
# What is an input is never an output; what is replaced keeps its mode, owner and links; what was
# left behind is removed.
. "$(dirname "$0")/lib.sh"

# ---- What is no file -----------------------------------------------------------------

sine_csv 200 1 >sine.csv
for name in fifo.png fifo.npy fifo.csv fifo.h5; do mkfifo "$name"; done
mkdir folder.svg
fails "a figure onto a FIFO" 4 "not a file" "$ws" emd sine.csv -o r.npy --plot fifo.png --overwrite
fails "a figure onto a folder" 4 "not a file" "$ws" emd sine.csv -o r.npy --plot folder.svg \
	--overwrite
fails "a result onto a FIFO" 4 "not a file" "$ws" emd sine.csv -o fifo.npy --overwrite
fails "a table of cycles onto a FIFO" 4 "not a file" "$ws" hht sine.csv -o r.npy \
	--cycle-table fifo.csv --overwrite
fails "masks onto a FIFO" 4 "not a file" "$ws" conv sine.csv --mask-formula gabor --scales 2:4:2 \
	-o r.npy --write-masks fifo.h5 --overwrite
that "they are as they were" test -p fifo.png -a -p fifo.npy -a -p fifo.csv -a -p fifo.h5 \
	-a -d folder.svg

# ---- Inputs --------------------------------------------------------------------------

# input NAME FILE COMMAND...: refused, and FILE stays as it is.
input()
{
	local name=$1 file=$2 before
	shift 2
	before=$(sha256sum "$file")
	fails "$name" 2 "is an input" "$@"
	that "$name: $file is as it was" test "$before" = "$(sha256sum "$file")"
}

ok "a result" "$ws" emd "$eeg" -c Cz --to 2 -q -o a.h5
ok "another" "$ws" emd "$eeg" -c Cz --to 2 --modes 3 -q -o b.npy
ln a.h5 a.png
ln b.npy b.png
ln -s a.png way.svg
input "plot: its result under another name" a.h5 "$ws" plot a.h5 -o a.png --overwrite
input "plot: a link to its result" a.h5 "$ws" plot a.h5 -o way.svg --overwrite
input "compare: the second result" b.npy "$ws" compare a.h5 b.npy --plot b.png --overwrite

mkdir bv
cat >bv/a.vhdr <<'V'
Brain Vision Data Exchange Header File Version 1.0
[Common Infos]
DataFile=a.h5
MarkerFile=a.npy
DataFormat=BINARY
DataOrientation=MULTIPLEXED
NumberOfChannels=2
SamplingInterval=4000
[Binary Infos]
BinaryFormat=INT_16
[Channel Infos]
Ch1=A,,1,uV
Ch2=B,,1,uV
V
{
	echo "Brain Vision Data Exchange Marker File, Version 1.0"
	printf '[Marker Infos]\nMk1=Stimulus,S 1,5,1,0\n'
} >bv/a.npy
seq 400 | awk '{ printf "%c%c", 33 + $1 % 90, 33 }' >bv/a.h5
ok "a BrainVision recording" "$ws" info bv/a.vhdr
input "BrainVision: its data" bv/a.h5 "$ws" emd bv/a.vhdr -o bv/a.h5 --overwrite
input "BrainVision: its markers" bv/a.npy "$ws" emd bv/a.vhdr -o bv/a.npy --overwrite
ln -s bv/a.h5 data.png
input "BrainVision: its data as figure" bv/a.h5 "$ws" emd bv/a.vhdr -o c.h5 --plot data.png \
	--overwrite

cp "$root"/fuzz/corpus/eeglab/beside_1.set beside.set
head -c 128 /dev/zero >beside.fdt
if "$ws" info beside.set >/dev/null 2>&1; then
	ln beside.fdt fdt.npy
	input "EEGLAB: its .fdt" beside.fdt "$ws" emd beside.set -o fdt.npy --overwrite
fi

printf '1,2,1\n0,1,0\n' >masks.csv
input "conv: its masks" masks.csv "$ws" conv "$eeg" -c Cz --masks masks.csv -o masks.csv --overwrite
ok "packed masks" "$ws" conv "$eeg" -c Cz --to 1 --masks masks.csv -q -o m.npy --write-masks m.h5
input "conv: its masks, written back" m.h5 "$ws" conv "$eeg" -c Cz --masks m.h5 -o c.h5 \
	--write-masks m.h5 --overwrite
input "conv: its masks as the result" m.h5 "$ws" conv "$eeg" -c Cz --masks m.h5 -o m.h5 --overwrite
ok "stored modes" "$ws" emd "$eeg" -c Cz --to 2 -q -o stored.h5
input "hht: the modes that it reads" stored.h5 "$ws" hht stored.h5 -o stored.h5 --overwrite
seq 200 | awk '{ print sin($1 / 3) }' >x.csv
cases=$((cases + 1))
before=$(sha256sum x.csv)
if "$ws" emd - -o x.csv --overwrite <x.csv >/dev/null 2>"$box/err"; then
	failed "standard input as output" "is not refused"
fi
err=$(cat "$box/err")
that "standard input as output: told" test -z "${err##*is an input*}"
that "standard input as output: as it was" test "$before" = "$(sha256sum x.csv)"

# The table of cycles is an output like others, and its names are no formulae.
seq 400 | awk 'BEGIN { print "=x" } { print sin($1 / 5) + sin($1 / 40) }' >formula.csv
input "hht: its table of cycles" formula.csv "$ws" hht formula.csv --fs 100 --overwrite \
	--cycle-table formula.csv -o c.h5
ok "a table of cycles" "$ws" hht formula.csv --fs 100 -q --cycle-table cycles.csv -o c.h5
that "no formula in it" test "$(grep -c "^'=x," cycles.csv)" -gt 3 -a "$(grep -c '^=' cycles.csv)" = 0

# ---- What is replaced ----------------------------------------------------------------

replaced()
{
	local file=$1
	shift
	printf old >"$file"
	chmod 640 "$file"
	[ "$(id -u)" != 0 ] || chown 12:34 "$file"
	ok "$file: replaced" "$@" --overwrite -q
	that "$file: is new" test "$(head -c 3 "$file")" != old
	that "$file: mode" test "$(stat -c %a "$file")" = 640
	[ "$(id -u)" != 0 ] || that "$file: owner" test "$(stat -c %u:%g "$file")" = 12:34
}

for ending in h5 npy mat csv; do
	replaced "old.$ending" "$ws" emd "$eeg" -c Cz --to 2 -o "old.$ending"
done
for ending in png svg pdf; do
	replaced "old.$ending" "$ws" plot a.h5 -o "old.$ending"
done

# Through links, one after the other, into another folder; the links stay.
mkdir far near
printf old >far/real.npy
ln -s ../far/real.npy near/second.npy
ln -s near/second.npy first.npy
ok "through links" "$ws" emd "$eeg" -c Cz --to 2 -q -o first.npy --overwrite
that "the link stays" test -L first.npy -a -L near/second.npy
that "its target is new" test "$(head -c 6 far/real.npy | tail -c 5)" = NUMPY
ln -s far/absent.png empty.png
ok "a figure through a link to nothing" "$ws" plot a.h5 -q -o empty.png --overwrite
that "is there now" test -L empty.png -a -s far/absent.png
ln -s loop.h5 loop.h5
fails "a loop of links" 4 "loop.h5" "$ws" emd "$eeg" -c Cz --to 2 -q -o loop.h5 --overwrite
# In a folder where everybody may write, somebody else's link leads nowhere.
if [ "$(id -u)" = 0 ]; then
	mkdir open
	chown 12 open
	chmod 1777 open
	printf precious >victim.h5
	ln -s ../victim.h5 open/r.h5
	chown -h 34 open/r.h5
	fails "a link that is a trap" 4 "open/r.h5" "$ws" emd "$eeg" -c Cz --to 2 -q -o open/r.h5 \
		--overwrite
	that "what it leads to is as it was" test "$(cat victim.h5)" = precious
fi

# ---- What was left behind ------------------------------------------------------------

mkdir killed
touch killed/.wavesift-"$(hostname)"-77-0.part killed/.wavesift-elsewhere-77-0.part
ok "beside leftovers" "$ws" emd "$eeg" -c Cz --to 2 -q -o killed/a.npy
that "ours is removed" test ! -e killed/.wavesift-"$(hostname)"-77-0.part
that "another machine's stays" test -e killed/.wavesift-elsewhere-77-0.part
# What still runs keeps its file.
mkdir live
"$ws" iceemdan "$eeg" -n 100 --sifts 10000 --threads 1 -q -o live/long.h5 2>/dev/null &
pid=$!
for _ in $(seq 600); do
	[ -z "$(ls -A live)" ] || break
	sleep 0.05
done
part=$(ls -A live)
ok "beside a run" "$ws" emd "$eeg" -c Cz --to 2 -q -o live/a.npy
that "the run keeps its file" test -n "$part" -a -e "live/$part"
kill -KILL $pid
wait $pid 2>/dev/null
that "killed, it leaves it" test -e "live/$part"
ok "the next run" "$ws" plot a.h5 -q -o live/a.png
that "removes it" test ! -e "live/$part"

# ---- Names ---------------------------------------------------------------------------

long=$(printf 'x%.0s' $(seq 260))
fails "a figure's name too long" 4 "too long" "$ws" emd "$eeg" -c Cz --to 2 -o short.h5 \
	--plot "$long.png"
fails "a figure's name too long, of plot" 4 "too long" "$ws" plot a.h5 -o "$long.png"
fails "a figure's name too long, of compare" 4 "too long" "$ws" compare a.h5 b.npy \
	--plot "$long.png"
fails "a result's name too long" 4 "too long" "$ws" emd "$eeg" -c Cz --to 2 -o "$long.h5"
fails "a result's path too long" 2 "too long" "$ws" emd "$eeg" -c Cz --to 2 \
	-o "$(printf 'x/%.0s' $(seq 3000))a.h5"
finish
