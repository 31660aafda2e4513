#!/bin/bash
# An array of a Slurm of one node takes its shares (--shard slurm), and the tasks of a step work
# together (srun --mpi=pmix).  Needs slurm-wlm and munge, and
# root, who starts a controller, a node and a munge of its own.
. "$(dirname "$0")/lib.sh"

PATH=$PATH:/usr/sbin
for program in slurmctld slurmd munged sbatch squeue scancel; do
	if ! command -v $program >/dev/null; then
		printf 'SKIPPED  arrays of Slurm: no %s\n' $program
		finish
	fi
done
if [ "$(id -u)" != 0 ]; then
	printf 'SKIPPED  arrays of Slurm: only root starts its node\n'
	finish
fi

s=$box/slurm
mkdir -p "$s"/{state,spool,munge}
chmod 755 "$box" "$s"
chmod 700 "$s/munge"
(umask 077; head -c 1024 /dev/urandom >"$s/munge/key")
munged --force --foreground --key-file="$s/munge/key" --socket="$s/socket" --pid-file="$s/munge/pid" \
	--log-file="$s/munge/log" --seed-file="$s/munge/seed" >/dev/null 2>&1 &
pids=($!)
port=$((20000 + $$ % 10000))
export SLURM_CONF=$s/slurm.conf
cat >"$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$s/socket
CryptoType=crypto/munge
StateSaveLocation=$s/state
SlurmdSpoolDir=$s/spool
SlurmctldPidFile=$s/ctld.pid
SlurmdPidFile=$s/d.pid
SlurmctldLogFile=$s/ctld.log
SlurmdLogFile=$s/d.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN
PartitionName=p Nodes=ALL Default=YES State=UP
END
slurmctld -D -i >/dev/null 2>&1 &
pids+=($!)
slurmd -D >/dev/null 2>&1 &
pids+=($!)
stop()
{
	kill "${pids[@]}" 2>/dev/null
	wait "${pids[@]}" 2>/dev/null
}
trap '[ $BASHPID = $$ ] && { stop; rm -rf "$box"; }' EXIT

# until SECONDS COMMAND..
until_so()
{
	local i n=$(($1 * 10))
	shift
	for ((i = 0; i < n; i++)); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.1
	done
	return 1
}
is_idle() { sinfo -h -o %T | grep -q idle; }
is_over() { [ -z "$(squeue -h)" ]; }
runs_now() { squeue -h -o %T | grep -q RUNNING; }

if ! until_so 20 is_idle; then
	printf 'SKIPPED  arrays of Slurm: its node does not start here\n'
	finish
fi

# submit ARRAY COMMAND..: waits for its end.
submit()
{
	local array=$1
	shift
	printf '#!/bin/bash\n%s\n' "$*" >job.sh
	job=$(sbatch --parsable --array="$array" --output="%a.out" job.sh)
	until_so 60 is_over
}

mkdir in
for i in $(seq -w 20); do sine_csv 2$i 2 >in/r$i.csv; done
head -c 3000 "$eeg" >in/r05.edf && rm in/r05.csv
printf 'a\nb\nc\n' >in/r11.csv
submit 1-3 "$ws" emd in --output-dir out -o .npy --shard slurm -q
run "$ws" emd in --output-dir whole -o .npy
that "18 results" test "$(ls out/*.npy | wc -l)" = 18
for f in whole/*.npy; do
	that "arrays of ${f#whole/}" cmp "$f" out/"${f#whole/}"
done
that "a record of each task" test "$(ls out/*_[123]-of-3.jsonl | wc -l)" = 3
that "two failures in all" test "$(cat out/*.jsonl | grep -c '"status":"failed"')" = 2
submit 0-2 "$ws" emd in --output-dir none --shard slurm -q
that "an array from 0 is refused" grep -q 'without holes' 0.out 1.out 2.out
that "and makes nothing" test ! -e none
submit 1-2:1%1 "$ws" emd in --output-dir two -o .npy --shard slurm -q
that "one at a time" test "$(ls two/*.npy | wc -l)" = 18

# The tasks of a step are ranks; those of a batch script are none.
if [ -e "$build/libwavesift_mpi.so" ] && srun --mpi=list 2>&1 | grep -q pmix; then
	cat >job.sh <<-END
		#!/bin/bash
		$ws eemd in/r01.csv --realizations 10 -o alone.h5 -q || exit
		srun --overcommit -n 2 --mpi=pmix $ws eemd in/r01.csv --realizations 10 -o step.h5 -q || exit
		srun --overcommit -n 4 --mpi=pmix $ws emd in --output-dir step -o .npy -q
		echo "status \$?"
		srun --overcommit -n 2 --mpi=none $ws emd in/r01.csv -o none.h5
	END
	sbatch --parsable --ntasks=1 --output=step.out job.sh >id
	until_so 60 is_over
	that "a step's result is that of one process" "$build/same_result" alone.h5 step.h5
	that "18 results by a step" test "$(ls step/*.npy | wc -l)" = 18
	for f in whole/*.npy; do
		that "${f#whole/} by a step" cmp "$f" step/"${f#whole/}"
	done
	that "its status" grep -q '^status 7$' step.out
	that "a step without MPI is refused, once" test "$(grep -c 'srun --mpi=pmix' step.out)" = 1
	that "and makes nothing" test ! -e none.h5
else
	printf 'SKIPPED  steps of Slurm: no MPI that srun knows\n'
fi

printf '#!/bin/bash\n%s eemd in/r01.csv --realizations 1000000 --output-dir cut --shard slurm -q\n' "$ws" >job.sh
job=$(sbatch --parsable --array=1-1 --output=%a.out job.sh)
until_so 30 test -s cut/wavesift_eemd_1-of-1.jsonl -o -e cut/wavesift_eemd_1-of-1.jsonl
sleep 0.5
scancel "$job"
until_so 30 is_over
sleep 0.5
that "scancel leaves nothing half-written" test "$(ls -A cut)" = wavesift_eemd_1-of-1.jsonl
finish
