# ranks.sh - tests with several ranks of MPI, by mpirun of Open MPI; sourced by
# tests/cli/test_ranks*.sh.
#
#     once N NAME COMMAND..     N ranks make what one process makes: one.h5, all.h5
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/team.sh"

if ! has_ranks; then
	printf 'SKIPPED  ranks: no mpirun of Open MPI, or no libwavesift_mpi.so, as where no MPI is\n'
	finish
fi

once()
{
	local n=$1 name=$2
	shift 2
	noted "$name" "$ws" "$@" -o one.h5 --overwrite
	noted "$name by $n" team "$n" "$ws" "$@" -o all.h5 --overwrite
	same "$name by $n is the same" one.h5 all.h5
	ok "$name: what is written is as it was written" "$ws" info all.h5 --verify
}
