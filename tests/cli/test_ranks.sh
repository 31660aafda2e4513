#!/bin/bash
# Several ranks of MPI make what one process makes: the same bits, one result, one message.  Needs
# mpirun of Open MPI, and a build with it.
. "$(dirname "$0")/ranks.sh"

sine_csv 900 5 >x.csv

# ---- The same bits ------------------------------------------------------------------

# alike RANKS NAME COMMAND..: by each of these numbers of ranks.
alike()
{
	local ranks=$1 name=$2 n
	shift 2
	noted "$name" "$ws" "$@" -o one.h5 --overwrite
	for n in $ranks; do
		noted "$name by $n" team $n "$ws" "$@" -o all.h5 --overwrite
		same "$name by $n is the same" one.h5 all.h5
	done
}
printf '0.25,0.5,0.25\n1,0,-1\n0.5,0,0.5\n' >masks.csv
alike "2 3 4" iceemdan iceemdan x.csv --realizations 10
alike "3" eemd eemd x.csv --realizations 10
alike "2" memd memd x.csv --directions 16
alike "4" conv conv x.csv --masks masks.csv --method direct
alike "3" cwt cwt x.csv --fs 100 --freqs 1:40:21:log
alike "2 4" "one channel, cut by frequency" cwt x.csv -c 2 --fs 100 --freqs 1:40:21:log
ok "each rank has a part" team 3 "$ws" cwt x.csv -c 2 --fs 100 --freqs 1:40:21:log --dry-run
that "and one tells" test "$(echo "$out" | grep -c '1 of 1 channel in 6 parts each for 3 processes')" = 1

once 3 hht hht x.csv --fs 100 --cycle-table one.csv
mv one.csv many.csv
"$ws" hht x.csv --fs 100 --cycle-table one.csv -o one.h5 --overwrite -q
that "its table has the same lines" cmp one.csv many.csv
once 2 coherence coherence x.csv --fs 100 --freqs 1:40:21:log
awk -F, 'NR > 20 && NR < 24 { $2 = "nan" } 1' OFS=, x.csv >gaps.csv
once 3 "mended samples" emd gaps.csv --nan interpolate
notes "are told" "interpolated 3 samples in 1 channel (ch2)" team 4 "$ws" emd gaps.csv --nan interpolate \
	-o all.h5 --overwrite
that "once" test "$(grep -c 'interpolated' "$box/raw")" = 1
printf 'onset,duration,label\n1,0,a\n2.5,0,a\n5,0,b\n6,0,a\n' >events.tsv
once 3 "epochs" emd x.csv --fs 100 --events events.tsv --epochs-at a
once 2 "averages over epochs" trials x.csv --fs 100 --events events.tsv --epochs-at a --freqs 5:40:9:log
once 2 "averages of modes" emd x.csv --fs 100 --events events.tsv --epochs-at a --average
for ending in npy csv mat; do
	noted "$ending" "$ws" emd x.csv -o one.$ending --overwrite
	noted "$ending by 3" team 3 "$ws" emd x.csv -o all.$ending
	[ $ending = mat ] || that "$ending by 3 is the same" cmp one.$ending all.$ending
done
noted "a figure" "$ws" emd x.csv -o one.h5 --overwrite --plot one.svg
noted "a figure by 3" team 3 "$ws" emd x.csv -o all.h5 --overwrite --plot all.svg
that "a figure by 3 is the same" cmp one.svg all.svg
ok "little memory" team 2 "$ws" emd x.csv -o all.h5 --overwrite --memory 12M -q
"$ws" emd x.csv -o one.h5 --overwrite -q
same "little memory is the same" one.h5 all.h5
# Whose one-sided messages are two-sided below, as between machines.
ok "by messages" team 3 --mca osc pt2pt "$ws" emd x.csv -o all.h5 --overwrite -q
same "by messages is the same" one.h5 all.h5

ok "the counter advances while rank 0 computes" team 3 "$build/ranks_counter" "$build/libwavesift_mpi.so" \
	"$box/work/taken"
that "all have theirs" test "$(echo "$out" | sort | tr '\n' ' ')" = "0 of 3 1 of 3 2 of 3 "

# ---- One summary, one message -----------------------------------------------------------

ok "a summary" team 3 "$ws" emd x.csv -o all.h5 --overwrite
that "is printed once" test "$(echo "$out" | grep -c '^result  all.h5')" = 1
that "names the ranks" has "on 3 ranks, "
notes "memd of one signal" "2 of 3 ranks have nothing to do: the work is one block" team 3 "$ws" memd x.csv --directions 16 \
	-o all.h5 --overwrite
ok "finished work" team 2 "$ws" emd x.csv -o done.h5 -q
ok "is left alone" team 2 "$ws" emd x.csv -o done.h5 --resume
that "which is told once" test "$(echo "$out" | grep -c 'is finished')" = 1
rm -f *.h5 *.npy *.mat *.svg

fails "an option that is none" 2 "--nonsense is no option" team 3 "$ws" emd x.csv --nonsense
fails "a file that is not there" 3 "absent.edf: cannot be opened" team 3 "$ws" emd absent.edf
fails "a rank that fails" 3 "is not a finite number" team 4 "$ws" emd gaps.csv
fails "--strict" 6 "before the stop rule held" team 3 "$ws" emd x.csv --strict --stop-rule rilling --max-sifts 2
fails "a folder that is not there" 4 "none/x.h5" team 3 "$ws" emd x.csv -o none/x.h5
fails "standard input" 2 "standard input" team 2 "$ws" emd -
fails "too little memory" 4 "memory" team 2 "$ws" emd x.csv --memory 1K
touch x_emd.h5
fails "a result that exists" 2 "exists already" team 3 "$ws" emd x.csv
rm x_emd.h5
fails "different command lines" 2 "ranks have different command lines" team 1 "$ws" emd x.csv -o a.h5 : -n 1 \
	"$ws" emd x.csv -o b.h5
fails "one has an option less" 2 "ranks have different command lines" team 1 "$ws" emd x.csv -o a.h5 : -n 2 \
	"$ws" emd x.csv -o a.h5 -q
ok "which may be meant" team 1 "$ws" emd x.csv -o a.h5 -q --mpi never : -n 1 "$ws" emd x.csv -o b.h5 -q --mpi never
same "each is whole" a.h5 b.h5
mkdir alone
cp "$ws" "$build/wavesift-decode" alone/
fails "without the library" 2 "libwavesift_mpi.so is not beside" team 3 alone/wavesift emd x.csv -o c.h5
ok "one task needs none" team 1 alone/wavesift emd x.csv -o c.h5 -q
fails "srun without MPI" 2 "srun --mpi=pmix" env SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 "$ws" emd x.csv -o d.h5
ok "sbatch alone is no step" env SLURM_JOB_ID=7 SLURM_NTASKS=2 SLURM_PROCID=0 "$ws" emd x.csv -o d.h5 -q

# GPUs are dealt out; here two that the CPU stands in for.
if have "GPUs of ranks" "$build/fake/libwavesift_cuda.so"; then
	mkdir gpu
	cp "$ws" "$build/wavesift-decode" "$build/fake/libwavesift_cuda.so" "$build/libwavesift_mpi.so" gpu/
	"$ws" emd x.csv -o one.h5 -q
	ok "a GPU each" team 2 gpu/wavesift emd x.csv -o all.h5 --device cuda:0,1
	that "rank 0 has its own" has "cuda:0 ("
	same "a GPU each is the same" one.h5 all.h5
	fails "three ranks on two" 5 "3 ranks would share 2 GPUs" team 3 gpu/wavesift emd x.csv -o no.h5 --device cuda:0,1
	# Each is shown one by its launcher: by the number that it has everywhere it is the same, or not.
	shown()
	{
		CUDA_VISIBLE_DEVICES=0 FAKE_DEVICES=1 team 2 bash -c "FAKE_UUID=$1"' exec "$0" "$@"' \
			gpu/wavesift emd x.csv --device cuda -q "${@:2}"
	}
	fails "two on the one that both see" 5 "two of 2 ranks would share one GPU" shown 7 -o no.h5
	ok "one each, of the same name" shown '$((7 + OMPI_COMM_WORLD_RANK))' -o all.h5 --overwrite
	same "one each is the same" one.h5 all.h5
	ok "GPUs that tell no number" shown 0 -o all.h5 --overwrite
	ok "none is wanted" team 3 gpu/wavesift emd x.csv -o all.h5 --device cpu -q --overwrite
	rm -r gpu one.h5 all.h5
fi

# ---- Many recordings ----------------------------------------------------------------------

lines() { grep -c -e "$@"; }

# A BIDS data set of 20 recordings, of which two are broken.
echo '{"Name": "S", "BIDSVersion": "1.9.0"}' >description
mkdir set
mv description set/dataset_description.json
for i in $(seq -w 20); do
	mkdir -p set/sub-$i/eeg
	{
		small_edf 200 200 | head -c 768
		tail -c +$((3000 + 700 * 10#$i)) "$eeg" | head -c 800
	} >set/sub-$i/eeg/sub-${i}_task-rest_eeg.edf
done
truncate -s 900 set/sub-05/eeg/*.edf
echo none >set/sub-11/eeg/sub-11_task-rest_eeg.edf
# result DIR SUBJECT
result() { echo "$1/sub-$2/eeg/sub-$2_task-rest_desc-emd_eeg.h5"; }
runs "a data set" 7 "$ws" emd set --output-dir one
runs "by four ranks" 7 team 4 "$ws" emd set --output-dir four
that "18 results" test "$(find four -name '*.h5' | wc -l)" = 18
that "described as derivatives" test -s four/dataset_description.json
that "two failures are told" test "$(echo "$err" | lines '^wavesift: set/sub-\(05\|11\)/eeg/')" = 2
that "and how many" test "$(echo "$err" | lines '2 of 20 recordings failed')" = 1
that "a line for each" test "$(echo "$out" | lines ' of 20  set/sub-.*_eeg.h5$')" = 18
that "a record of each" test "$(lines '"recording":' four/wavesift_emd.jsonl)" = 20
that "as by one process" test "$(lines '"status":"failed","exit":3' four/wavesift_emd.jsonl)" = 2
for i in $(seq -w 20); do
	case $i in 05 | 11) continue ;; esac
	same "subject $i" "$(result one $i)" "$(result four $i)"
done
for i in 1 2 3; do
	run "$ws" emd set --output-dir shares --shard $i/3 -q
done
for i in 01 09 20; do
	same "subject $i by shares" "$(result one $i)" "$(result shares $i)"
done
cp set/sub-08/eeg/*.edf set/sub-07/eeg/sub-07_task-rest_eeg.edf
runs "again" 7 team 4 "$ws" emd set --output-dir four --resume
that "what has changed is done" test "$(echo "$out" | lines 'sub-07_task-rest_eeg.edf  *[0-9.]* m*s ')" = 1
that "and nothing else" test "$(echo "$out" | lines 'was finished')" = 17
that "what failed is tried" test "$(echo "$err" | lines '^wavesift: set/sub-')" = 2
mkdir in
for i in 01 02 03; do sine_csv 2$i 2 >in/r$i.csv; done
printf 'a\nb\nc\n' >in/r11.csv
runs "the first failure" 7 team 2 "$ws" emd in/r11.csv in/r0*.csv --output-dir stopped --on-error stop --jobs 2
that "is told" test "$(echo "$err" | lines '^wavesift: in/r11.csv')" = 1
noted "a plan" team 3 "$ws" emd in/r01.csv in/r02.csv --output-dir none --dry-run
that "of each, once" test "$(echo "$out" | lines '^result ')" = 2

# ---- Signals ----------------------------------------------------------------------------

rm -rf *.h5 in set one four shares stopped
sine_csv 20000 4 >long.csv
started()
{
	local i
	for ((i = 0; i < 200; i++)); do
		[ -n "$(ls -A | grep part)" ] && return 0
		sleep 0.05
	done
	return 1
}
# stop NAME WHOM SIGNAL: of three ranks; WHOM is mpirun, or a rank.
stop()
{
	local name=$1 whom=$2 signal=$3 pid
	env --default-signal=INT mpirun --oversubscribe -n 3 "$ws" eemd long.csv --realizations 20000 \
		>"$box/out" 2>"$box/err" </dev/null &
	pid=$!
	that "$name: begins" started
	sleep 0.3
	[ "$whom" = mpirun ] || whom=$(pgrep -P $pid | sed -n "$((whom + 1))p")
	[ "$whom" = mpirun ] && whom=$pid
	kill -s "$signal" "$whom"
	wait $pid
	status=$?
	err=$(cat "$box/err")
	that "$name: fails" test $status != 0
	that "$name: nothing is left" test -z "$(ls -A | grep -v '\.csv$\|^alone$\|^taken$\|^events.tsv\|\.npy\.json$')"
}
stop "Ctrl-C" mpirun INT
that "Ctrl-C: one message" test "$(grep -c '^wavesift: stopped by a signal' "$box/err")" = 1
stop "SIGTERM to one" 1 TERM
that "SIGTERM to one: one message" test "$(grep -c '^wavesift: stopped by a signal' "$box/err")" = 1
that "SIGTERM to one: the status" test $status = 143
stop "SIGKILL to one" 2 KILL

# A rank that does not come is not waited for.
mpirun --oversubscribe -n 2 "$ws" eemd long.csv --realizations 20000 >"$box/out" 2>"$box/err" </dev/null &
pid=$!
that "a rank that hangs: begins" started
sleep 0.3
set -- $(pgrep -P $pid)
kill -STOP $1
kill -TERM $2
wait $pid
status=$?
err=$(cat "$box/err")
that "a rank that hangs: the status" test $status = 143
that "a rank that hangs: one message" test "$(grep -c '^wavesift: stopped by a signal' "$box/err")" = 1

# The processes of a batch end with their ranks.
for i in 1 2 3; do cp long.csv long$i.csv; done
mpirun --oversubscribe -n 2 "$ws" eemd long1.csv long2.csv long3.csv --realizations 20000 --output-dir "$PWD/cut" \
	>"$box/out" 2>"$box/err" </dev/null &
pid=$!
children() { grep -lz -e "[-]-output=$PWD/cut/" /proc/[0-9]*/cmdline 2>/dev/null | wc -l; }
await()
{
	local i
	for ((i = 0; i < 200; i++)); do
		[ "$(children)" "$@" ] && return 0
		sleep 0.05
	done
	return 1
}
that "a batch: two run" await -ge 2
sleep 0.3
kill -TERM $(pgrep -P $pid | tail -1)
wait $pid
status=$?
err=$(cat "$box/err")
that "a batch: the status" test $status = 143
that "a batch: none outlives its rank" await -eq 0
that "a batch: one message" test "$(grep -c '^wavesift: stopped by a signal' "$box/err")" = 1
that "a batch: nothing half-written" test "$(ls -A cut)" = wavesift_eemd.jsonl
finish
