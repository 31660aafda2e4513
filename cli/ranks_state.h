/* ranks_state.h - inside ranks.c and ranks_messages.c. */
#ifndef CLI_RANKS_STATE_H
#define CLI_RANKS_STATE_H

#include "mpi/ranks.h"
#include "ranks.h"

/* No rank has failed. */
#define CLI_NOBODY INT64_MAX
/* A failure as a number, of which the least counts: that of the lowest rank. */
#define CLI_STATUSES 1000

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

ws_status cli_ranks_mpi_failed(const cli_ranks *r, int error);

/* This rank has failed: the others are told, whatever they do. */
void cli_ranks_give_up(cli_ranks *r, int status);
/* After a signal, or where another failed: WS_E_CANCELLED. */
ws_status cli_ranks_check(cli_ranks *r);
bool cli_ranks_own_failure(const cli_ranks *r);
/* Prints what this rank has kept, where the failure of all is its own. */
void cli_ranks_speak(const cli_ranks *r, bool failed);
/* Ends all, where some have not come for long after a failure. */
void cli_ranks_mind_the_time(cli_ranks *r);

/* Frees what has left. */
ws_status cli_ranks_tidy(cli_ranks *r);
/* Takes one message, if there is one.  Without take() what others have for rank 0 stays where it is:
 * they may be a step ahead; once a rank has failed it is dropped, so that it is out of their way. */
ws_status cli_ranks_hear(cli_ranks *r, cli_ranks_take take, void *user, bool *there);
/* Forgets what has not left. */
void cli_ranks_forget(cli_ranks *r);

#endif
