#!/bin/bash
# Work that is finished is not done again: --resume, of one recording and of many.
. "$(dirname "$0")/lib.sh"

# Is a result another file than before?
stamp()
{
	stat -c '%i %y' "$1"
}

# ---- One recording -------------------------------------------------------------------

for i in 1 2 3; do sine_csv 300 $i >r$i.csv; done
ok "it begins where there is nothing" "$ws" emd r1.csv --resume
first=$(stamp r1_emd.h5)
ok "a finished one" "$ws" emd r1.csv --resume
that "is told" has "r1_emd.h5 is finished"
that "and left alone" test "$first" = "$(stamp r1_emd.h5)"
ok "read once more" "$ws" emd r1.csv --resume=verify --threads 1 --memory 1G
that "and left alone, too" test "$first" = "$(stamp r1_emd.h5)"
ok "for programs" "$ws" emd r1.csv --resume --json
that "it is told, too" has '"finished": true'
fails "without it the result is in the way" 2 "exists" "$ws" emd r1.csv
fails "a result of other options" 2 "other options (--modes: not given there, 3 here)" "$ws" emd r1.csv --resume --modes 3
fails "another command" 2 "is no whole result of cwt" "$ws" cwt r1.csv --freqs 0.1,0.2 --resume -o r1_emd.h5
ok "with --overwrite" "$ws" emd r1.csv --resume --modes 3 --overwrite
that "is replaced" test "$first" != "$(stamp r1_emd.h5)"
first=$(stamp r1_emd.h5)
touch r1.csv
ok "the same contents of another time" "$ws" emd r1.csv --resume --modes 3
that "are the same" test "$first" = "$(stamp r1_emd.h5)"
sine_csv 300 2 >r1.csv
ok "another recording" "$ws" emd r1.csv --resume --modes 3
that "is analysed anew" test "$first" != "$(stamp r1_emd.h5)"
first=$(stamp r1_emd.h5)
ok "a figure that is not there" "$ws" emd r1.csv --resume --modes 3 --plot r1.png
that "is drawn, and the result made anew" test -s r1.png -a "$first" != "$(stamp r1_emd.h5)"
first=$(stamp r1_emd.h5)
ok "a figure that is there" "$ws" emd r1.csv --resume --modes 3 --plot r1.png
that "is enough" test "$first" = "$(stamp r1_emd.h5)"
# Of one size and time, which only reading can tell.
sine_csv 300 2 | tr 1 2 >other.csv
touch -r r1.csv other.csv && cp -p other.csv r1.csv
ok "a change that size and time hide" "$ws" emd r1.csv --resume --modes 3
that "is not seen" test "$first" = "$(stamp r1_emd.h5)"
ok "but by reading" "$ws" emd r1.csv --resume=verify --modes 3
that "it is" test "$first" != "$(stamp r1_emd.h5)"
cp r2.csv r2_emd.h5
fails "what is no result" 2 "is no whole result" "$ws" emd r2.csv --resume
fails "formats without provenance" 2 ".h5" "$ws" emd r2.csv --resume -o r2.npy
fails "standard input" 2 "standard input" "$ws" emd - --resume
fails "another value" 2 "--resume=x" "$ws" emd r1.csv --resume=x
rm r2_emd.h5

# A folder of its own for every file that is read.
mkdir set
cp "$root"/tests/data/trio.* set
ok "three files" "$ws" emd set/trio.vhdr --resume -o trio.h5
first=$(stamp trio.h5)
ok "nothing changed" "$ws" emd set/trio.vhdr --resume -o trio.h5
that "it is finished" test "$first" = "$(stamp trio.h5)"
cp -rp set moved
ok "moved as a whole" "$ws" emd moved/trio.vhdr --resume -o trio.h5
that "it is finished, too" test "$first" = "$(stamp trio.h5)"
for part in vhdr vmrk eeg; do
	case $part in
	eeg) printf '\1\1' | dd of=set/trio.eeg conv=notrunc status=none ;;
	*)   echo >>set/trio.$part ;;
	esac
	run "$ws" emd set/trio.vhdr --resume -o trio.h5
	that "its .$part is read for it" test "$first" != "$(stamp trio.h5)"
	first=$(stamp trio.h5)
done
printf 'onset,duration,label\n0.1,0,go\n' >events.csv
noted "an events' file" "$ws" emd set/trio.vhdr --resume -o events.h5 --events events.csv
first=$(stamp events.h5)
printf 'onset,duration,label\n0.2,0,go\n' >events.csv
noted "that changed" "$ws" emd set/trio.vhdr --resume -o events.h5 --events events.csv
that "is read for it" test "$first" != "$(stamp events.h5)"

# Every command's result tells it.
cp "$eeg" in.edf
for job in "hht" "cwt --freqs 4,8" "bands" "superlets --freqs 5:40:4" "conv --mask-formula gabor --scales 2:8:3" \
	"coherence --freqs 4,8" "eemd --realizations 2" "memd --modes 2"; do
	set -- $job
	command=$1
	shift
	runs "$command" 0 "$ws" $command in.edf --to 4 "$@" -o job.h5 --resume
	first=$(stamp job.h5)
	runs "$command again" 0 "$ws" $command in.edf --to 4 "$@" -o job.h5 --resume
	that "$command: finished" test "$first" = "$(stamp job.h5)"
	rm job.h5
done

# ---- Twenty recordings, two of them broken, one that changes -------------------------------

mkdir in
for i in $(seq -w 20); do sine_csv 2$i 2 >in/r$i.csv; done
head -c 3000 "$eeg" >in/r05.edf && rm in/r05.csv
printf 'a\nb\nc\n' >in/r11.csv
runs "the first run" 7 "$ws" emd in --output-dir out --jobs 2 --resume
that "18 results" test "$(ls out/*.h5 | wc -l)" = 18
that "one failure" says "in/r05.edf: "
that "the other" says "in/r11.csv: "
that "two in all" says "2 of 20 recordings failed"
sine_csv 250 2 >in/r07.csv
runs "the second run" 7 "$ws" emd in --output-dir out --resume
that "one result" has "1 of 20 recordings done"
that "the others were finished" has "17 finished before"
that "those are told" test "$(echo "$out" | count 'was finished' -)" = 17
that "the broken are tried again" says "2 of 20 recordings failed"
that "records tell it" test "$(count '"status":"finished before"' out/wavesift_emd.jsonl)" = 17
runs "other options" 7 "$ws" emd in --output-dir out --resume --modes 2
that "are refused each" says "20 of 20 recordings failed"

# ---- By shares ---------------------------------------------------------------------------------

for i in 1 2 3; do
	run "$ws" emd in --output-dir shares --shard $i/3
	status=$?
	that "share $i: the status tells of its failures" test $status = \
		$((7 * ($(count '"status":"failed"' shares/*_$i-of-3.jsonl) > 0)))
	run "$ws" emd in --output-dir arrays --shard $i/3 -o .npy
done
that "all shares make what one command makes" test "$(cd shares; ls *.h5)" = "$(cd out; ls *.h5)"
that "each once" test "$(cat shares/*.jsonl | count '"status":"done"' -)" = 18
that "and tell the broken" test "$(cat shares/*.jsonl | count '"status":"failed"' -)" = 2
that "none is empty" test "$(ls shares/*_[123]-of-3.jsonl | wc -l)" = 3
that "they are alike" test "$(for f in shares/*.jsonl; do wc -l <$f; done | sort -n | head -1)" -ge 6
runs "as one" 7 "$ws" emd in --output-dir one -o .npy -q
for f in one/*.npy; do
	that "arrays of $f" cmp $f arrays/${f#one/}
done
that "results name no share" test -z "$(grep -la 'shard' shares/*.h5)"
runs "more shares than recordings" 0 "$ws" emd r1.csv --output-dir few --shard 2/2
that "a share of nothing is told" says "this share has none"
for wrong in 0/3 4/3 1 a/b 1/0 -1/3 1/3x; do
	fails "--shard $wrong" 2 "I/N is needed" "$ws" emd in --output-dir new --shard $wrong
done
fails "--shard alone" 2 "--shard needs --output-dir" "$ws" emd r1.csv --shard 1/2
slurm=(env SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=3 SLURM_ARRAY_TASK_ID=2)
runs "a task of Slurm" 7 "${slurm[@]}" "$ws" emd in --output-dir slurm --shard slurm
that "as by number" test "$(grep -o '"recording":"[^"]*"' slurm/*.jsonl)" = "$(grep -o '"recording":"[^"]*"' shares/*_2-of-3.jsonl)"
fails "no task of Slurm" 2 "no task of a Slurm array" "$ws" emd in --output-dir new --shard slurm
fails "an array with holes" 2 "without holes" "${slurm[@]}" SLURM_ARRAY_TASK_MAX=5 "$ws" emd in --output-dir new --shard slurm
fails "an array from 0" 2 "without holes" "${slurm[@]}" SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=2 "$ws" emd in \
	--output-dir new --shard slurm
runs "taken by nobody unasked" 0 "${slurm[@]}" "$ws" emd r1.csv r2.csv --output-dir both
that "both" has "2 of 2 recordings done"

# ---- Known by the record ----------------------------------------------------------------

# What the record of a batch tells is compared by stat() alone: no process looks into a result, so
# that one which was damaged behind its size and time is noticed by `verify` only.
mkdir known
for i in 1 2 3; do cp r$i.csv known/k$i.csv; done
known=("$ws" emd known --output-dir made --plot pictures/.svg)
runs "three" 0 "${known[@]}"
that "files are told to the record, not to people" test "$(grep -c '"read":{"numerics"' made/*.jsonl) $(grep -c read: "$box/err")" = "3 0"
touch -r made/k2_emd.h5 time
printf 'XXXXXXXX' | dd of=made/k2_emd.h5 conv=notrunc status=none
touch -r time made/k2_emd.h5
runs "again" 0 "${known[@]}" --resume --threads 1
that "all are finished" has "3 finished before"
that "recorded again" test "$(grep -c '"status":"finished before"' made/*.jsonl)" = 3
runs "verified" 7 "${known[@]}" --resume=verify
that "the damaged one is noticed" test "$(grep -c 'k2_emd.h5: is no whole result' "$box/err")" = 1
runs "of which nothing is known then" 7 "${known[@]}" --resume
that "it is noticed again" test "$(grep -c 'k2_emd.h5: is no whole result' "$box/err")" = 1
runs "made anew" 0 "${known[@]}" --resume --overwrite
that "one of them" has "1 of 3 recordings done"
# again N NAME: so many are made anew
again()
{
	runs "$2" 0 "${known[@]}" --resume
	that "$2: $1 made anew" test "$(($(tail -3 made/*.jsonl | grep -c '"status":"done"')))" = "$1"
}
again 0 "nothing changed"
sine_csv 300 7 >known/k1.csv
again 1 "a recording that changed"
touch known/k2.csv
again 0 "a recording of another time, but the same"
rm pictures/k3*.svg
again 1 "a figure that is gone"
rm made/k3_emd.h5 pictures/k3*.svg
again 1 "a result that is gone"
"$ws" emd known/k1.csv -o made/k1_emd.h5 --overwrite -q
again 0 "a result that a command of its own has made"
runs "other options" 7 "${known[@]}" --resume --modes 2
that "are refused" test "$(grep -c 'was made by other options' "$box/err")" = 3
finish
