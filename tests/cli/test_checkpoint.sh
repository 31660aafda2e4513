#!/bin/bash
# Work that was stopped goes on with the blocks that are kept, to the same bits: --checkpoint,
# --resume, --max-time, SIGUSR1.  Kills: test_checkpoint_killed.sh.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/team.sh"
. "$(dirname "$0")/kept.sh"


# ends NAME STATUS WORDS COMMAND..: exits with it and one line that has WORDS.
ends()
{
	local name=$1 want=$2 words=$3 status
	shift 3
	cases=$((cases + 1))
	run "$@"
	status=$?
	[ $status = "$want" ] || failed "$name" "exit status $status, not $want"
	[ "$(grep -c '^wavesift: ' "$box/err")" = 1 ] || failed "$name" "not one line"
	[ "${err/"$words"/}" != "$err" ] || failed "$name" "standard error does not have \"$words\""
}

blocks() { ls x.*.resume 2>/dev/null | grep -c 'block$'; }

# rewrite FOLDER SED: its manifest, whose checksum is right.
rewrite()
{
	local text
	text=$(head -1 "$1/manifest.json" | sed "$2")
	printf '%s\n%s\n' "$text" "$(printf %s "$text" | gzip -c | tail -c8 | od -An -tx4 --endian=little -N4 |
		tr -d ' ')" >"$1/manifest.json"
}

that "nothing is left of its blocks" test "$(ls -d *.resume 2>/dev/null | wc -l)" = 0
ok "uninterrupted, as without blocks" "$ws" iceemdan in.edf --to 20 --realizations 20 -q -o plain.h5
same "they are the same" plain.h5 whole.h5
rm plain.h5

# ---- Stops -----------------------------------------------------------------------------------

# begun COMMAND..: until two more blocks are kept, then stops it by a signal ($signal).  On a busy
# machine it may have finished when the signal comes: then it is begun anew.
begun()
{
	local i
	rm -rf "$box/before"
	mkdir "$box/before"
	cp -r x.*.resume "$box/before" 2>/dev/null
	cases=$((cases + 1))
	for i in 1 2 3 4 5 6 7 8 9; do
		begun_once "$@"
		[ $status = 0 ] || break
		rm -rf x.*
		cp -r "$box/before/." .
	done
}
begun_once()
{
	local pid tries=0 before
	before=$(blocks)
	"$@" >"$box/out" 2>"$box/err" &
	pid=$!
	until [ "$(blocks)" -ge $((before + 2)) ] || [ $tries = 600 ] || ! kill -0 $pid 2>/dev/null; do
		sleep 0.01
		tries=$((tries + 1))
	done
	kill -"$signal" $pid 2>/dev/null
	wait $pid
	status=$?
	err=$(cat "$box/err")
}
signal=USR1
begun "$ws" "${job[@]}" -o x.h5
that "SIGUSR1: status 75" test $status = 75
that "SIGUSR1: one line" test "$(wc -l <"$box/err")" = 1
that "SIGUSR1: it says how to go on" grep -q 'stopped by SIGUSR1; .* % of the work are kept in x.h5.resume; the same command with --resume goes on' "$box/err"
that "SIGUSR1: nothing is half-written" test "$(ls -A . x.h5.resume | grep -c part)" = 0
fails "without --resume they are not lost" 2 "--resume goes on with it" "$ws" "${job[@]}" -o x.h5
fails "other options" 2 "other options (--modes: not given there, 3 here)" "$ws" "${job[@]}" -o x.h5 --resume --modes 3
fails "one option less" 2 "other options (--to: 20 there, not given here)" "$ws" iceemdan in.edf --realizations 20 \
	-o x.h5 --resume
fails "another command" 2 "was begun by iceemdan" "$ws" eemd in.edf --to 20 --realizations 20 -o x.h5 --resume
notes "a plain run is told" "x.h5.resume has finished blocks" "$ws" emd in.edf --to 1 -o x.h5
rm x.h5
# A state of another version, whose checksum is right.
cp -r x.h5.resume y.h5.resume
rewrite y.h5.resume 's/"numerics_version":[0-9]*/"numerics_version":1/'
fails "another version" 2 "numerics version 1, this is" "$ws" "${job[@]}" -o y.h5 --resume
echo '{}' >y.h5.resume/manifest.json
fails "a damaged manifest" 3 "is damaged; --overwrite begins anew" "$ws" "${job[@]}" -o y.h5 --resume
ok "which does" "$ws" "${job[@]}" -o y.h5 --resume --overwrite
same "to the same bits" whole.h5 y.h5
rm y.h5
signal=TERM
mkdir elsewhere
cp -r x.h5.resume elsewhere/
begun "$ws" "${job[@]}" -o x.h5 --resume
that "SIGTERM: status 143" test $status = 143
that "SIGTERM: one line" grep -q '^wavesift: stopped by a signal; .* kept in x.h5.resume' "$box/err"
ok "on other threads, in little memory" "$ws" "${job[@]}" -o x.h5 --resume --threads 2 --memory 16M
same "it goes on" whole.h5 x.h5
ok "moved to another folder" "$ws" "${job[@]}" -o elsewhere/x.h5 --resume
same "it goes on, too" whole.h5 elsewhere/x.h5
rm -rf x.h5* elsewhere

runs_out()
{
	local i status
	for ((i = 1; i < 50; i++)); do
		run "$ws" "${job[@]}" -o x.h5 --max-time 200ms --resume
		status=$?
		[ $status = 75 ] || break
		that "--max-time, $i: is told" grep -q 'stopped by --max-time; .* kept in x.h5.resume' "$box/err"
	done
	that "--max-time: it comes to an end" test $status = 0
	that "--max-time: not at once" test $i -gt 1
}
runs_out
same "--max-time: to the same bits" whole.h5 x.h5
rm x.h5
notes "one block cannot be stopped" "the work is one block" "$ws" memd in.edf --to 4 --modes 2 -o x.h5 --max-time 1ms
rm -rf x.h5*

# With --resume alone long work is kept, too.
"$ws" eemd in.edf --realizations 100 --sifts 900 --threads 1 --memory 50M -o x.h5 --resume >/dev/null 2>&1 &
pid=$!
for ((i = 0; i < 1000; i++)); do [ -s x.h5.resume/manifest.json ] && break; sleep 0.01; done
that "long work is kept unasked" test -s x.h5.resume/manifest.json
kill -TERM $pid
wait $pid
that "without a block nothing is left" test ! -e x.h5.resume
ok "quick work" "$ws" emd in.edf --to 4 -q -o x.h5 --resume
rm x.h5

# ---- Every transform, stopped after each block ------------------------------------------------

{
	echo onset,duration,label
	for i in 1 2 3; do echo $((i * 3)),0,go; done
} >events.csv
epochs=(--events events.csv --epochs-at go)
# stepwise COMMAND..
stepwise()
{
	local status n
	noted "$1" "$ws" "$@" -q --threads 1 -o once.h5
	for ((n = 0; n < 99; n++)); do
		run "$ws" "$@" -q --threads 1 -o x.h5 --checkpoint 1us --max-time 1us --resume
		status=$?
		[ $status = 75 ] || break
	done
	that "$1 by steps: status 0" test $status = 0
	that "$1 by steps: was stopped" test $n -gt 0
	same "$1 by steps is the same" once.h5 x.h5
	rm -f once.h5 x.h5
}
stepwise emd in.edf -c 1-3 --to 4
stepwise ceemdan in.edf -c 1-3 --to 2 --realizations 2
stepwise memd in.edf "${epochs[@]}" --modes 2
stepwise hht in.edf -c 1-3 --to 4
stepwise hhtrials in.edf -c 1-2 "${epochs[@]}" --modes 3
stepwise cwt in.edf -c 1-2 --to 4 --freqs 5:40:3
stepwise cwt in.edf -c 1-2 --to 20 --freqs 1:40:6 --quantity power --octave-arrays
stepwise superlets in.edf -c 1-2 --to 4 --freqs 5:40:3
stepwise bands in.edf -c 1-3 --to 10
stepwise coherence in.edf -c 1-3 --to 10 --freqs 5:40:3
stepwise conv in.edf -c 1-2 --to 4 --mask-formula gabor --scales 2:16:3
stepwise trials in.edf -c 1-2 "${epochs[@]}" --freqs 5:40:3

# Where memory allows no parts as large as those that are kept, smaller ones are made.
run "$ws" "${cut[@]}" -o x.h5 --checkpoint 1ms --max-time 1ms
ok "smaller parts" "$ws" "${cut[@]}" -o x.h5 --resume --memory 2M
same "are the same" cut.h5 x.h5
rm -rf x.h5*

# ---- What is damaged, changed, or in the way -----------------------------------------------

# Leaves x.h5.resume with some blocks.
some_blocks()
{
	rm -rf x.h5*
	signal=USR1
	begun "$ws" "${job[@]}" -o x.h5
}
some_blocks
block=$(ls x.h5.resume/*.block | head -1)
printf x | dd of="$block" bs=1 seek=20000 conv=notrunc status=none
block=$(ls x.h5.resume/*.block | tail -1)
truncate -s -100 "$block"
printf 'wsblock' >x.h5.resume/channels-8-8_rows-1-1.block
: >x.h5.resume/channels-7-7_rows-1-1.block
ok "damaged blocks" "$ws" "${job[@]}" -o x.h5 --resume
same "are made anew" whole.h5 x.h5
some_blocks
cp -p in.edf kept.edf
printf x | dd of=in.edf bs=1 seek=100000 conv=notrunc status=none
fails "another input" 2 "another input (in.edf: its contents are others)" "$ws" "${job[@]}" -o x.h5 --resume
truncate -s -2 in.edf
fails "of another size" 2 "another input (in.edf: its size is another)" "$ws" "${job[@]}" -o x.h5 --resume
cp kept.edf in.edf
ok "the same input of another time goes on" "$ws" "${job[@]}" -o x.h5 --resume
cp -p kept.edf in.edf
some_blocks
ok "an input that is read again" "$ws" "${job[@]}" -o x.h5 --resume=verify
same "goes on" whole.h5 x.h5
some_blocks
ok "--overwrite" "$ws" "${job[@]}" -o x.h5 --overwrite
that "begins anew" test ! -e x.h5.resume
some_blocks
ok "a result that is finished" cp whole.h5 x.h5
ok "has no use for them" "$ws" "${job[@]}" -o x.h5 --resume
that "so they are removed" test ! -e x.h5.resume
rm -f x.h5
touch x.h5.resume
fails "a file in their place" 2 "x.h5.resume: is no folder" "$ws" "${job[@]}" -o x.h5
rm x.h5.resume
fails "standard output" 2 "standard output: finished blocks" "$ws" emd in.edf -o - --checkpoint 1
mkfifo pipe.h5
fails "what is no file" 2 "pipe.h5" "$ws" emd in.edf -o pipe.h5 --overwrite --checkpoint 1
rm pipe.h5
fails "standard input" 2 "standard input cannot be read again" "$ws" emd - --max-time 1
fails "no time" 2 "a time above 0 is needed" "$ws" emd in.edf --checkpoint 0
fails "no such time" 2 "a time above 0 is needed" "$ws" emd in.edf --max-time soon

# Two at once.
some_blocks
"$ws" "${job[@]}" --sifts 2000 -o y.h5 >/dev/null 2>&1 &
pid=$!
for ((i = 0; i < 500; i++)); do [ -s y.h5.resume/lock ] && break; sleep 0.01; done
ends "two at once" 2 "y.h5.resume: another run works on it, process $pid on " "$ws" "${job[@]}" --sifts 2000 -o y.h5 --resume
kill -KILL $pid
wait $pid 2>/dev/null
rm -rf x.h5* y.h5*

# Other formats, a figure and a table; strictness.
for ending in npy csv; do
	ok "to .$ending" "$ws" "${job[@]}" -o whole.$ending
	signal=TERM
	begun "$ws" "${job[@]}" -o x.$ending --plot x.svg
	ok "to .$ending, on" "$ws" "${job[@]}" -o x.$ending --plot x.svg --resume
	that "is the same .$ending" cmp whole.$ending x.$ending
	ok "its figure" "$ws" "${job[@]}" -o again.$ending --plot again.svg
	that "is the same" cmp x.svg again.svg
	rm -rf x.* again.*
done
strict=(eemd in.edf --to 20 --realizations 200 --threads 1 -q --checkpoint 20ms --stop-rule rilling --max-sifts 2)
begun "$ws" "${strict[@]}" -o x.h5
summary() { grep -v -e seconds -e '"ns_' -e '"threads"' -e '"command"' -e '"output"' -e '"isa"' "$box/out" >"$1"; }
ok "a summary" "$ws" "${strict[@]}" -o x.h5 --resume --json
summary on
rm -rf x.h5*
ok "uninterrupted" "$ws" "${strict[@]}" -o x.h5 --json
summary once
that "has modes of all channels" cmp on once
that "also those that are capped" grep -q '"unfinished": [1-9]' on
rm -rf x.h5*
begun "$ws" "${strict[@]}" -o x.h5 --strict
that "strictness: status 6" test $status = 6
run "$ws" "${strict[@]}" -o x.h5 --strict --resume
that "also of blocks that are kept" test $? = 6
rm -rf x.h5*
# What was mended is told, of blocks that were kept, too.
sine_csv 900 5 | awk -F, 'NR > 20 && NR < 24 { $2 = "nan" } 1' OFS=, >gaps.csv
gaps=(eemd gaps.csv --nan interpolate --realizations 500 --threads 1 -q --checkpoint 20ms)
"$ws" "${gaps[@]}" -o gaps.h5
begun "$ws" "${gaps[@]}" -o x.h5
ok "mended samples, on" "$ws" "${gaps[@]}" -o x.h5 --resume
same "are told likewise" gaps.h5 x.h5
rm -rf x.h5*

# ---- A disk that is full, a folder without permission ---------------------------------------

for size in 8 100 300; do
	ends "blocks of a disk of $size KiB" 4 "the disk is full" \
		bash -c 'ulimit -f $0; exec "$@"' $size "$ws" "${job[@]}" -o x.h5
	that "nothing is half-written ($size)" test "$(ls -A . x.h5.resume 2>/dev/null | grep -c part)" = 0
	ok "with room ($size)" "$ws" "${job[@]}" -o x.h5 --resume
	same "it goes on ($size)" whole.h5 x.h5
	rm -rf x.h5*
done
as=()
[ "$(id -u)" != 0 ] || as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if "${as[@]}" true 2>/dev/null; then
	mkdir -m 777 open
	mkdir -m 555 open/x.h5.resume
	chmod 755 "$box" .
	ends "a folder without permission" 4 "not writable" "${as[@]}" "$ws" "${job[@]}" -o open/x.h5
	rmdir open/x.h5.resume
	chmod 555 open
	ends "nor the one that it is in" 4 "not writable" "${as[@]}" "$ws" "${job[@]}" -o open/x.h5
	chmod 777 open
	rm -rf open
fi

# ---- What was never resumed -------------------------------------------------------------------

ok "nothing" "$ws" info .
that "is told" has "no work in it was stopped"
some_blocks
mkdir -p deep/er
mv x.h5.resume deep/er/
ok "work that was stopped" "$ws" info deep
that "is listed with its result and share" has "deep/er/x.h5: "
that "and how it goes on" has "--checkpoint 50ms -o x.h5 --resume"
ok "for programs" "$ws" info deep --json
that "likewise" has '"running": false'
mv deep/er/x.h5.resume .
rm -r deep
"$ws" "${job[@]}" -o x.h5 --resume -q --sifts 2000 --overwrite >/dev/null 2>&1 &
pid=$!
for ((i = 0; i < 500; i++)); do [ "$(blocks)" = 0 ] && [ -s x.h5.resume/manifest.json ] && break; sleep 0.01; done
ok "work at hand" "$ws" info .
that "is told" has "a run works on it"
kill -KILL $pid
wait $pid 2>/dev/null
rm -rf x.h5*

# ---- Many recordings ---------------------------------------------------------------------------

many_kept
begun_batch()
{
	"$ws" "${batch[@]}" out "$@" >"$box/out" 2>"$box/err" &
	pid=$!
	for ((k = 0; k < 500; k++)); do
		ls out/*.resume/*.block >/dev/null 2>&1 && break
		sleep 0.01
	done
	kill -USR1 $pid
	wait $pid
	status=$?
	err=$(cat "$box/err")
}
begun_batch
that "SIGUSR1 of a batch: status 75" test $status = 75
that "SIGUSR1 of a batch: one line" test "$(wc -l <"$box/err")" = 1
that "SIGUSR1 of a batch: how to go on" grep -q 'stopped by SIGUSR1; of 3 recordings [123] are left; the same command with --resume' "$box/err"
that "SIGUSR1 of a batch: a record" grep -q '"status":"stopped","exit":75' out/wavesift_iceemdan.jsonl
for ((i = 1; i < 50; i++)); do
	run "$ws" "${batch[@]}" out --resume --max-time 300ms
	status=$?
	[ $status = 75 ] || break
	that "--max-time of a batch, $i" grep -q 'stopped by --max-time; of 3 recordings [123] are left; the same command (--resume)' "$box/err"
done
that "--max-time of a batch comes to an end" test $status = 0
checked "to the same bits" all
rm -rf out all many

# ---- Devices -------------------------------------------------------------------------------------

# The CPU stands in for a GPU.
if have "another device" "$build/fake/libwavesift_cuda.so"; then
	mkdir gpu
	cp "$ws" "$build/wavesift-decode" "$build/fake/libwavesift_cuda.so" gpu/
	some_blocks
	ok "decompositions go on elsewhere" gpu/wavesift "${job[@]}" -o x.h5 --resume --device cuda
	same "to the same bits" whole.h5 x.h5
	rm -rf x.h5*
	rm -r gpu
fi
run "$ws" "${cut[@]}" -o x.h5 --max-time 1ms
cp x.h5.resume/manifest.json manifest.json
rewrite x.h5.resume 's/"device":"cpu"/"device":"cuda, H100, parts of 5"/'
fails "wavelets of a GPU" 2 "another device (cuda, H100, parts of 5 there, cpu here)" "$ws" "${cut[@]}" -o x.h5 --resume
mv manifest.json x.h5.resume/
ok "but those of the CPU go on" "$ws" "${cut[@]}" -o x.h5 --resume
same "to the same bits" cut.h5 x.h5
rm -rf x.h5*

# ---- Ranks ---------------------------------------------------------------------------------------

if has_ranks; then
	some_blocks
	ok "three ranks go on" team 3 "$ws" "${job[@]}" -o x.h5 --resume
	same "with what one process has kept" whole.h5 x.h5
	rm -rf x.h5*
	ok "parts by two ranks" team 2 "$ws" "${cut[@]}" -o x.h5
	same "are the same" cut.h5 x.h5
	rm -rf x.h5*
	run team 3 "$ws" "${job[@]}" -o x.h5 --max-time 1ms
	status=$?
	that "--max-time of ranks: status 75" test $status = 75
	that "--max-time of ranks: one line" test "$(echo "$err" | grep -c 'stopped by --max-time; .* kept in x.h5.resume')" = 1
	that "some are made, and not all" test "$(blocks)" -ge 1 -a "$(blocks)" -le 6
	ok "one process goes on" "$ws" "${job[@]}" -o x.h5 --resume
	same "with what ranks have kept" whole.h5 x.h5
	rm -rf x.h5*
	# As Slurm's --signal, to the launcher, which passes it on.
	on_ranks=(mpirun --oversubscribe -n 2 "$ws" "${job[@]}" --realizations 100 -o x.h5 --resume)
	signal=USR1
	begun "${on_ranks[@]}"
	that "SIGUSR1 to ranks: status 75" test $status = 75
	that "SIGUSR1 to ranks: one line" test "$(echo "$err" |
		grep -c '^wavesift: stopped by .* kept in x.h5.resume; the same command (--resume)')" = 1
	rm -rf x.h5*
	# SIGTERM ends the launcher, too: it may kill ranks before they have said a word, and lose it.
	signal=TERM
	begun "${on_ranks[@]}"
	that "SIGTERM to ranks: no more than a line" test "$(echo "$err" | grep -c '^wavesift: ')" -le 1
	that "SIGTERM to ranks: blocks are kept" test "$(blocks)" -ge 1
	ok "SIGTERM to ranks: they go on" "${on_ranks[@]}"
	rm -rf x.h5*
else
	printf 'SKIPPED  ranks: no MPI\n'
fi
finish
