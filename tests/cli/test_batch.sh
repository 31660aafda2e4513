#!/bin/bash
# Many recordings by one command: --output-dir.
. "$(dirname "$0")/lib.sh"

log=out/wavesift_emd.jsonl

# some NAME STATUS WORDS COMMAND..: exits STATUS, and a line of standard error has WORDS.
some()
{
	local name=$1 want=$2 words=$3 status
	shift 3
	cases=$((cases + 1))
	run "$@"
	status=$?
	if [ $status -ne "$want" ]; then
		failed "$name" "exit status $status, not $want"
	elif grep -qv '^wavesift: ' "$box/err"; then
		failed "$name" "a line of standard error is not wavesift's"
	elif [ "${err/"$words"/}" = "$err" ]; then
		failed "$name" "standard error does not have \"$words\""
	fi
}

# ---- What is analysed, and what it is called ---------------------------------------

for i in 1 2 3; do sine_csv 300 $i >r$i.csv; done
ok "each recording has a result" "$ws" emd r1.csv r2.csv r3.csv --output-dir out
that "three of them" test "$(ls out | tr '\n' ' ')" = "r1_emd.h5 r2_emd.h5 r3_emd.h5 wavesift_emd.jsonl "
that "a line each" test "$(echo "$out" | count ' of 3  r[123].csv' -)" = 3
that "and the sum" has "3 of 3 recordings done"
that "a record each" test "$(count '"status":"done"' $log)" = 3
"$ws" emd r2.csv -q -o one.npy
"$ws" emd r2.csv -q -o one.h5
fails "without the folder" 2 "--output-dir DIR" "$ws" emd r1.csv r2.csv
fails "-o -" 2 "--output -" "$ws" emd r1.csv r2.csv --output-dir new -o -
fails "a file by -o" 2 "the ending" "$ws" emd r1.csv r2.csv --output-dir new -o x.h5
fails "a file by --plot" 2 "names a folder" "$ws" emd r1.csv --output-dir new --plot x.png
fails "standard input" 2 "standard input" "$ws" emd r1.csv - --output-dir out
fails "--jobs alone" 2 "--jobs needs --output-dir" "$ws" emd r1.csv --jobs 2
fails "--on-error alone" 2 "--on-error needs" "$ws" emd r1.csv --on-error stop
fails "no folder's name" 2 "a folder is needed" "$ws" emd r1.csv --output-dir ""
fails "no list" 3 "cannot be read" "$ws" emd @none --output-dir out
rm -r out

ok "one recording" "$ws" emd r1.csv --output-dir deep/er/out -q
that "its folder was made" test -s deep/er/out/r1_emd.h5
some "a dry run that fails" 7 "1 of 1 recording failed" "$ws" emd r1.csv -c 9 --output-dir dry/run --dry-run
ok "a dry run" "$ws" emd r1.csv r2.csv --output-dir dry/run --dry-run
that "tells each" test "$(echo "$out" | count 'result  dry/run/r[12]_emd.h5' -)" = 2
that "and makes no folder" test ! -e dry

ok "endings, figures, tables" "$ws" hht r1.csv r2.csv --output-dir out -o .mat --plot figures/.svg \
	--cycle-table cycles
that "results" test -s out/r1_hht.mat -a -s out/r2_hht.mat
that "figures" test -s figures/r1_hht.svg -a -s figures/r2_hht.svg
that "tables" test -s cycles/r1_hht_cycles.csv -a -s cycles/r2_hht_cycles.csv
ok "masks, and figures beside results" "$ws" conv r1.csv r2.csv --mask-formula gabor --scales 2:8:3 \
	--output-dir out --write-masks masks --plot .pdf
that "masks" test -s masks/r1_conv_masks.h5 -a -s out/r2_conv.pdf
rm -r out figures cycles masks

mkdir -p in/a in/b/deep in/c 'in/two words'
cp r1.csv in/a/x.csv; cp r2.csv in/b/x.csv; cp r3.csv in/b/deep/only.csv
cp r1.csv 'in/two words/n
l.csv'; cp r1.csv in/a/-dash.csv; cp r1.csv in/a/@at.csv
cp "$eeg" in/c/x.edf; cp r1.csv in/c/x.csv
echo words >in/README.txt; echo hidden >in/a/.hidden.csv; printf 'onset\n1\n' >in/a/s_events.tsv
cp one.h5 in/a/x_emd.h5
ok "a folder" "$ws" emd in/ --output-dir in/out --to 100
that "what is in it, under names that differ" test "$(cd in/out; find . -name '*.h5' | tr '\n' '|' | tr '|' '\n' | sort | tr '\n' '|')" \
	= "./-dash_emd.h5|./@at_emd.h5|./a/x_emd.h5|./b/x_emd.h5|./c/x.csv_emd.h5|./c/x.edf_emd.h5|./n|./only_emd.h5|l_emd.h5|"
that "all are told" has "8 of 8 recordings done"
ok "again, the folder of results in it is no input" "$ws" emd in --output-dir in/out --to 100 --overwrite
that "as many" has "8 of 8 recordings done"
notes "one twice" "named more than once" "$ws" emd r1.csv ./r1.csv in/../r1.csv --output-dir out
that "is one" has "1 of 1 recording done"
mkdir beside && cp r1.csv r2.csv beside
ok "results beside recordings" "$ws" emd beside --output-dir beside
ok "are no recordings" "$ws" emd beside --output-dir beside --overwrite
that "of the second time" has "2 of 2 recordings done"
ln -s r1.csv linked.csv
ok "a link of another name is another recording" "$ws" emd r1.csv linked.csv --output-dir out --overwrite
that "both" test -s out/linked_emd.h5 -a -s out/r1_emd.h5
ln -s ../../in in/c/round
notes "a folder that leads back" "leads back" "$ws" emd in --output-dir rounds --to 100
that "is searched once" has "8 of 8 recordings done"
rm -r rounds
mkdir empty
fails "a folder of none" 3 "holds no recording" "$ws" emd empty --output-dir out
printf 'r1.csv\r\n\nin/b\n' >list
ok "a list" "$ws" emd @list --output-dir listed
that "what it names" test "$(ls listed | tr '\n' ' ')" = "only_emd.h5 r1_emd.h5 wavesift_emd.jsonl x_emd.h5 "
find in -name '*.csv' -not -name '.*' -print0 >zeros
ok "a list with zeros" "$ws" emd @zeros --output-dir zeroed
that "and newlines in names" has "7 of 7 recordings done"
: >none
fails "an empty list" 3 "names no recording" "$ws" emd @none --output-dir out

# ---- Failures ------------------------------------------------------------------------

head -c 3000 "$eeg" >broken.edf
rm -r out
some "failures are told" 7 "broken.edf: truncated" "$ws" emd r1.csv broken.edf absent.csv r2.csv --output-dir out
that "the others are finished" test -s out/r1_emd.h5 -a -s out/r2_emd.h5 -a "$(ls out | wc -l)" = 3
that "one that is not there" says "absent.csv: cannot be opened"
that "how many" says "2 of 4 recordings failed"
that "a record of each" test "$(count '"status":"failed","exit":3' $log)" = 2
some "what does not name its recording" 7 "wavesift: r2.csv: " "$ws" emd r1.csv r2.csv -c 9 --output-dir new -q
some "the first failure stops" 7 "1 of 3 recordings failed, 2 not begun" "$ws" emd broken.edf r1.csv r2.csv \
	--on-error stop --output-dir stopped
that "nothing was begun after it" test "$(ls stopped)" = wavesift_emd.jsonl
some "results that exist" 7 "exists" "$ws" emd r1.csv r2.csv --output-dir out
that "both are told" says "2 of 2 recordings failed"
touch file
fails "a file for a folder" 4 "cannot be made" "$ws" emd r1.csv --output-dir file
fails "below a file" 4 "cannot be made" "$ws" emd r1.csv --output-dir file/out
if [ "$(id -u)" != 0 ]; then
	mkdir closed; chmod 555 closed
	fails "a folder that is not writable" 4 "not writable" "$ws" emd r1.csv --output-dir closed
fi
ok "a summary for programs" "$ws" emd r1.csv r2.csv --output-dir j --json
that "is one object" has '"done": 2'

mkdir -p own && cp r1.csv own/x.csv && cp r1.csv own/x_emd.csv
fails "an input that would be a result" 2 "own/x_emd.csv: is an input" "$ws" emd own/x.csv own/x_emd.csv \
	--output-dir own -o .csv --overwrite

# ---- Some at a time --------------------------------------------------------------------

for i in $(seq 20); do cp r2.csv many$i.csv; done
ok "four at a time" "$ws" emd many*.csv --output-dir four --jobs 4 -o .npy
that "all" has "20 of 20 recordings done"
that "with a share each" grep -q '"--threads=[0-9]*","--memory=[0-9]*"' four/wavesift_emd.jsonl
that "the same" cmp one.npy four/many7_emd.npy
(for i in $(seq 130); do echo "none$i.csv"; done) >hundreds
some "names by the hundred" 7 "130 of 130 recordings failed" "$ws" emd @hundreds --output-dir t -j 8 -q

# GPUs are dealt out; here two that the CPU stands in for.
if have "GPUs" "$build/fake/libwavesift_cuda.so"; then
	mkdir gpu
	cp "$ws" "$build/wavesift-decode" "$build/fake/libwavesift_cuda.so" gpu/
	ok "a GPU each" gpu/wavesift emd r1.csv r2.csv r3.csv --output-dir g2 -j 2 --device cuda:0,1
	that "the first" grep -q -- '--device=cuda:0"' g2/wavesift_emd.jsonl
	that "the second" grep -q -- '--device=cuda:1"' g2/wavesift_emd.jsonl
	that "with all its memory" test "$(count device-memory g2/wavesift_emd.jsonl)" = 0
	ok "three on two" gpu/wavesift emd r1.csv r2.csv r3.csv --output-dir g3 -j 3 --device cuda:0,1
	that "two divide the memory of the first" test "$(count '--device=cuda:0","--device-memory=' \
		g3/wavesift_emd.jsonl)" = 2
	ok "a GPU that is named by the order alone" gpu/wavesift emd r1.csv r2.csv --output-dir g1 -j 2 --device cuda
	that "no process is told a number" test "$(count '--device=cuda:' g1/wavesift_emd.jsonl)" = 0
fi

# A process that is killed costs its own recording.
sine_csv 20000 1 >slow.csv
"$ws" eemd slow.csv r1.csv r2.csv --realizations 5000 --output-dir "$PWD/killed" >"$box/out" 2>"$box/err" &
pid=$!
for ((i = 0; i < 200; i++)); do
	child=$(pgrep -P $pid)
	[ -n "$child" ] && grep -qz slow.csv /proc/$child/cmdline 2>/dev/null && break
	sleep 0.05
done
sleep 0.2
kill -KILL $child
wait $pid
status=$?
err=$(cat "$box/err")
that "killed: the status" test $status = 7
that "killed: it is told" says "slow.csv: its process was ended by signal 9"
that "killed: the others are finished" test "$(ls killed | tr '\n' ' ')" = "r1_eemd.h5 r2_eemd.h5 wavesift_eemd.jsonl "

# ---- Signals ---------------------------------------------------------------------------

# Processes that have the folder's name in their command lines.
children()
{
	grep -lz -e "[-]-output=$PWD/$1/" /proc/[0-9]*/cmdline 2>/dev/null | wc -l
}

await()
{
	local i
	for ((i = 0; i < 200; i++)); do
		[ "$(children "$1")" "$2" "$3" ] && return 0
		sleep 0.05
	done
	return 1
}

sine_csv 20000 4 >long1.csv
cp long1.csv long2.csv
cp long1.csv long3.csv
for signal in INT TERM KILL; do
	env --default-signal=INT "$ws" eemd r1.csv long1.csv long2.csv long3.csv --realizations 20000 \
		--output-dir "$PWD/$signal" --jobs 2 --channels 1 >"$box/out" 2>"$box/err" &
	pid=$!
	that "$signal: two run" await $signal -ge 2
	sleep 0.2
	kill -s $signal $pid
	wait $pid 2>/dev/null
	status=$?
	err=$(cat "$box/err")
	that "$signal: none outlives its parent" await $signal -eq 0
	that "$signal: nothing half-written" test -z "$(ls -A $signal | grep -v 'wavesift_eemd.jsonl$\|^r1_eemd.h5$')"
	case $signal in
	INT)  that "INT: the status" test $status = 130 ;;
	TERM) that "TERM: the status" test $status = 143 ;;
	esac
	[ $signal = KILL ] || that "$signal: one message" test "$(count 'stopped by a signal' "$box/err")" = 1
done
finish
