/*
 * mpi.c - ranks.h by MPI, of any make.  The one file that includes mpi.h.
 *
 * The counter is a window of MPI-3 on rank 0 (passive target): within a machine it is shared
 * memory; between machines an MPI without hardware for it advances whenever rank 0 calls MPI, as
 * the program does while it computes.
 */
#include "mpi/ranks.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRY(call) \
	do { const int error_ = (call); if (error_ != MPI_SUCCESS) return error_; } while (0)

static struct {
	MPI_Comm all, local;
	MPI_Win window;
	int64_t *counter;        /* in the window, on rank 0 */
	MPI_Request least;
} mpi;

static int
open_ranks(wsi_rank *rank)
{
	int provided;
	TRY(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided));
	TRY(MPI_Comm_dup(MPI_COMM_WORLD, &mpi.all));
	TRY(MPI_Comm_set_errhandler(mpi.all, MPI_ERRORS_RETURN));
	TRY(MPI_Comm_rank(mpi.all, &rank->number));
	TRY(MPI_Comm_size(mpi.all, &rank->count));
	TRY(MPI_Comm_split_type(mpi.all, MPI_COMM_TYPE_SHARED, rank->number, MPI_INFO_NULL,
	                        &mpi.local));
	TRY(MPI_Comm_rank(mpi.local, &rank->local));
	TRY(MPI_Comm_size(mpi.local, &rank->locals));
	TRY(MPI_Win_allocate(rank->number == 0 ? (MPI_Aint)sizeof(int64_t) : 0, sizeof(int64_t),
	                     MPI_INFO_NULL, mpi.all, &mpi.counter, &mpi.window));
	TRY(MPI_Win_set_errhandler(mpi.window, MPI_ERRORS_RETURN));
	if (rank->number == 0)
		*mpi.counter = 0;
	TRY(MPI_Win_lock_all(MPI_MODE_NOCHECK, mpi.window));
	TRY(MPI_Win_sync(mpi.window));
	return MPI_Barrier(mpi.all);
}

static int
close_ranks(void)
{
	TRY(MPI_Win_unlock_all(mpi.window));
	TRY(MPI_Win_free(&mpi.window));
	TRY(MPI_Comm_free(&mpi.local));
	TRY(MPI_Comm_free(&mpi.all));
	return MPI_Finalize();
}

static void
abort_ranks(int status)
{
	MPI_Abort(MPI_COMM_WORLD, status);
}

static const char *
tell(int error, char text[256])
{
	char whole[MPI_MAX_ERROR_STRING];
	int length;
	if (MPI_Error_string(error, whole, &length) != MPI_SUCCESS)
		snprintf(whole, sizeof whole, "error %d", error);
	snprintf(text, 256, "%.255s", whole);
	return text;
}

static int
least(int64_t *values, int n)
{
	return MPI_Iallreduce(MPI_IN_PLACE, values, n, MPI_INT64_T, MPI_MIN, mpi.all, &mpi.least);
}

static int
least_done(bool *done)
{
	int flag;
	TRY(MPI_Test(&mpi.least, &flag, MPI_STATUS_IGNORE));
	*done = flag;
	return MPI_SUCCESS;
}

static int
local_all(const void *mine, size_t bytes, void *all)
{
	return MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, mpi.local);
}

static int
next(int64_t *number, int64_t by)
{
	TRY(MPI_Fetch_and_op(&by, number, MPI_INT64_T, 0, 0, MPI_SUM, mpi.window));
	return MPI_Win_flush(0, mpi.window);
}

static int
send(int to, int tag, const void *data, size_t bytes, void **sending)
{
	MPI_Request *request = malloc(sizeof *request);
	*sending = NULL;
	if (!request)
		return MPI_ERR_NO_MEM;
	const int error = MPI_Isend(data, (int)bytes, MPI_BYTE, to, tag, mpi.all, request);
	if (error == MPI_SUCCESS)
		*sending = request;
	else
		free(request);
	return error;
}

static int
sent(void *sending, bool *done)
{
	int flag;
	TRY(MPI_Test(sending, &flag, MPI_STATUS_IGNORE));
	*done = flag;
	if (flag)
		free(sending);
	return MPI_SUCCESS;
}

static int
probe(bool *there, int *from, int *tag, size_t *bytes)
{
	int flag, n = 0;
	MPI_Status status;
	TRY(MPI_Iprobe(MPI_ANY_SOURCE, *tag < 0 ? MPI_ANY_TAG : *tag, mpi.all, &flag, &status));
	*there = flag;
	if (!flag)
		return MPI_SUCCESS;
	*from = status.MPI_SOURCE;
	*tag = status.MPI_TAG;
	TRY(MPI_Get_count(&status, MPI_BYTE, &n));
	*bytes = (size_t)n;
	return MPI_SUCCESS;
}

static int
receive(int from, int tag, void *data, size_t bytes)
{
	return MPI_Recv(data, (int)bytes, MPI_BYTE, from, tag, mpi.all, MPI_STATUS_IGNORE);
}

__attribute__((visibility("default"))) const wsi_ranks *wsi_ranks_entry(int version);

const wsi_ranks *
wsi_ranks_entry(int version)
{
	static const wsi_ranks table = {
		.size = sizeof table, .open = open_ranks, .close = close_ranks,
		.abort = abort_ranks,
		.tell = tell, .least = least, .least_done = least_done, .local_all = local_all,
		.next = next, .send = send, .sent = sent, .probe = probe, .receive = receive,
	};
	return version == WSI_RANKS_VERSION ? &table : NULL;
}
