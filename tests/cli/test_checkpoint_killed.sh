#!/bin/bash
# Kills at random moments of work whose blocks are kept: of a job of channels, of one of parts, of a
# batch, and of one rank of four.  Finished blocks stay, what is there is whole, and it goes on to
# the same bits.
#
# WAVESIFT_SLOW=1 kills 50 times each; else 10 times the first, and the others a few.
# WAVESIFT_SEED: of the moments.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/team.sh"
. "$(dirname "$0")/kept.sh"

RANDOM=${WAVESIFT_SEED:-$((10#$(date +%N) % 32768))}
seed=$RANDOM
RANDOM=$seed
echo "moments by WAVESIFT_SEED=$seed"

kills=10 few=4
[ -z "${WAVESIFT_SLOW:-}" ] || kills=50 few=50

# ---- Kills -------------------------------------------------------------------------------

# How long a job takes, ms.
measure()
{
	local start
	start=$(date +%s%N)
	"$@" -o long.h5
	long=$((($(date +%s%N) - start) / 1000000 + 1))
	rm -rf long.h5*
}

# Sleeps until a random moment of the job, from FROM to TO of its length.
wait_in()
{
	sleep "$(awk -v r=$RANDOM -v l=$long -v a="$1" -v b="$2" \
		'BEGIN { print (a + (b - a) * r / 32768) * l / 1000 }')"
}

# killed NAME TIMES WHOLE COMMAND..: kills it at random moments, several times each result, and goes
# on.
killed()
{
	local name=$1 times=$2 whole=$3 i pid before hit=0
	shift 3
	measure "$@"
	rm -rf x.h5*
	for ((i = 1; i <= times; i++)); do
		before=$(ls x.h5.resume 2>/dev/null | grep -c 'block$')
		"$@" -o x.h5 --resume >/dev/null 2>&1 &
		pid=$!
		wait_in 0 0.8
		kill -KILL $pid 2>/dev/null
		wait $pid 2>/dev/null
		[ $? != 137 ] || hit=$((hit + 1))
		if [ -e x.h5 ]; then
			same "$name, kill $i: what is there is whole" "$whole" x.h5
			rm -rf x.h5*
			continue
		fi
		that "$name, kill $i: finished blocks stay" test \
			"$(ls x.h5.resume 2>/dev/null | grep -c 'block$')" -ge "$before"
		[ $((i % 3)) = 0 ] || continue
		ok "$name, kill $i: it goes on" "$@" -o x.h5 --resume --threads 2
		same "$name, kill $i: to the same bits" "$whole" x.h5
		that "$name, kill $i: nothing is left" test "$(ls -A | grep -c -e resume -e part)" = 0
		rm -f x.h5
	done
	that "$name: kills found it at work" test $hit -gt 0
	ok "$name: the last goes on" "$@" -o x.h5 --resume
	same "$name: to the same bits" "$whole" x.h5
	rm -rf x.h5*
}
killed channels $kills whole.h5 "$ws" "${job[@]}"
killed parts $few cut.h5 "$ws" "${cut[@]}"

# ---- A batch ---------------------------------------------------------------------------------

many_kept
measure "$ws" "${job[@]}"
for ((i = 1; i <= few; i++)); do
	"$ws" "${batch[@]}" out --resume >/dev/null 2>&1 &
	pid=$!
	wait_in 0 1
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
	# Its processes hear of it and end by themselves.
	for ((k = 0; k < 500; k++)); do
		run "$ws" info out --json
		has '"running": true' || break
		sleep 0.01
	done
	checked "a batch, kill $i" any
done
run "$ws" "${batch[@]}" out --resume
that "a batch that was killed goes on" test $? = 0
checked "to the same bits" all
that "nothing is left" test "$(ls -A out | grep -c -e resume -e part)" = 0
rm -rf out all many

# ---- One rank of four ---------------------------------------------------------------------------

if ! has_ranks; then
	printf 'SKIPPED  ranks: no MPI\n'
	finish
fi
hit=0
measure team 4 "$ws" "${job[@]}"
for ((i = 1; i <= few; i++)); do
	team 4 "$ws" "${job[@]}" -o x.h5 --resume >/dev/null 2>&1 &
	pid=$!
	wait_in 0.4 0.9
	# One of the four, whichever comes; none, where they are not there yet.
	one=$(ps -eo pid=,args= | awk -v b="$box" -v w="$ws" '$2 == w && /-o x.h5 --resume/ { print $1 }' |
		shuf -n 1 --random-source=<(yes $RANDOM))
	if [ -n "$one" ] && [ "$(readlink /proc/$one/cwd)" = "$PWD" ]; then
		kill -KILL $one 2>/dev/null && hit=$((hit + 1))
	fi
	wait $pid 2>/dev/null
	[ ! -e x.h5 ] || same "one rank of four, kill $i: what is there is whole" whole.h5 x.h5
	[ ! -e x.h5 ] || rm -rf x.h5*
done
that "a rank was there to kill" test $hit -gt 0
ok "one rank of four was killed: they go on" team 4 "$ws" "${job[@]}" -o x.h5 --resume
same "to the same bits" whole.h5 x.h5
rm -rf x.h5*
finish
