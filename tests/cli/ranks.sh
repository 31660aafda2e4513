# ranks.sh - tests with several ranks of MPI, by mpirun of Open MPI; sourced by tests/cli/test_ranks*.sh.
#
#     team N COMMAND..          by N ranks
#     once N NAME COMMAND..     N ranks make what one process makes: one.h5, all.h5
. "$(dirname "$0")/lib.sh"

if [ ! -e "$build/libwavesift_mpi.so" ]; then
	printf 'SKIPPED  ranks: no libwavesift_mpi.so, a build where no MPI is\n'
	finish
fi
if ! mpirun --version 2>/dev/null | grep -q 'Open MPI'; then
	printf 'SKIPPED  ranks: no mpirun of Open MPI\n'
	finish
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Its folders for sessions are not to meet those of others.
export TMPDIR=$box

# mpirun adds words of its own to standard error.
team()
{
	local n=$1 status
	shift
	timeout 120 mpirun --oversubscribe -n "$n" "$@" 2>"$box/raw"
	status=$?
	grep '^wavesift: ' "$box/raw" >&2
	return $status
}

once()
{
	local n=$1 name=$2
	shift 2
	noted "$name" "$ws" "$@" -o one.h5 --overwrite
	noted "$name by $n" team "$n" "$ws" "$@" -o all.h5 --overwrite
	same "$name by $n is the same" one.h5 all.h5
	ok "$name: what is written is as it was written" "$ws" info all.h5 --verify
}
