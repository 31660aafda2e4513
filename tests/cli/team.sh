# team.sh - several ranks of MPI, by mpirun of Open MPI; sourced after lib.sh.
#
#     has_ranks                 is there an MPI, and were we built with it?
#     team N COMMAND..          by N ranks; of standard error what wavesift says
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Its folders for sessions are not to meet those of others.
export TMPDIR=$box

has_ranks()
{
	[ -e "$build/libwavesift_mpi.so" ] && mpirun --version 2>/dev/null | grep -q 'Open MPI'
}

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
