/* ranks_state.h - what a rank knows of itself and of the others; inside ranks.c and
 * ranks_messages.c. */
#ifndef CLI_RANKS_STATE_H
#define CLI_RANKS_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/ranks.h"

/* No rank has failed. */
#define CLI_NOBODY INT64_MAX
/* A failure as a number, of which the least counts: that of the lowest rank. */
#define CLI_STATUSES 1000

/* Values that one step agrees on, at most. */
#define CLI_AGREED 512

/* A message on its way, with its length before it. */
typedef struct sending {
	struct sending *next;
	void *request;           /* of MPI's, the last of them */
	size_t bytes;
	char *data;
} sending;

struct cli_ranks {
	const wsi_ranks *mpi;
	wsi_rank rank;
	int threads, all_threads;
	int64_t failure;         /* rank * CLI_STATUSES + exit status; CLI_NOBODY */
	double since;            /* that it is known */
	bool ended;              /* all know it: no step follows */
	int64_t values[1 + CLI_AGREED];
	sending *first, *last;   /* in their order */
	size_t on_their_way;     /* bytes of these */
	sending *composed;
	char *inbox;
	size_t inbox_bytes;
};

#define TRY_MPI(r, call) do { \
	const int error_ = (call); \
	if (error_) \
		return cli_ranks_mpi_failed(r, error_); \
} while (0)

#endif
