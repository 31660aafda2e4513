/*
 * ranks.h - this process among those that a launcher has started to work on one command (mpirun,
 * srun).
 *
 * Rank 0 writes, prints and tells; the others work for it.  MPI, behind mpi/ranks.h, does the
 * talking.  All go through the same steps, and agree at the end of each (cli_ranks_agree).  A rank
 * that fails tells the others, which stop, and all leave together with its exit status; what does
 * not come within five seconds is ended.  Of the messages that ranks have, one rank's is printed.
 */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include <stdint.h>

#include "args.h"
#include "launch.h"
#include "ranks_messages.h"

/* Joins the others, where there are any and --mpi does not forbid it; *ranks is NULL else.  status:
 * of parsing the command line, as of cli_args_parse(); what it said is held back until here
 * (cli_messages_keep).  Gives -1 to go on, or the exit status; cli_ranks_close() is due in any
 * case. */
int cli_ranks_open(cli_ranks **ranks, const cli_launch *launch, const cli_args *args, char **argv,
                   int status);

/* Leaves with the exit status of all.  status: of this rank. */
int cli_ranks_close(cli_ranks *ranks, int status);

/* This rank, from 0, and how many there are.  Of NULL: 0 of 1, as of a process that is alone. */
int cli_rank(const cli_ranks *ranks);
int cli_ranks_count(const cli_ranks *ranks);

typedef struct cli_ranks_place {
	int local, locals;         /* its number among those of this machine; how many these are */
	int threads, all_threads;  /* that it is to have, and all together; 0: of NULL */
} cli_ranks_place;

cli_ranks_place cli_ranks_self(const cli_ranks *ranks);

/* Waits for the others, all of which call it next, too.  Of each value (at most CLI_AGREED) the
 * least that any has.  WS_E_CANCELLED: one has failed, or a signal came, and cli_ranks_close() is
 * to follow.  WS_E_BACKEND. */
ws_status cli_ranks_agree(cli_ranks *ranks, int64_t *values, size_t n);
/* The same of any number of values. */
ws_status cli_ranks_least(cli_ranks *ranks, int64_t *values, size_t n);
/* The values that rank 0 has, for all. */
ws_status cli_ranks_share(cli_ranks *ranks, int64_t *values, size_t n);
/* Of each count the largest that any rank has. */
ws_status cli_ranks_most(cli_ranks *ranks, size_t *counts, size_t n);

/* The next of the numbers that ranks take in turn, 0, 1, 2 .. */
ws_status cli_ranks_next(cli_ranks *ranks, size_t *number);
/* From now on the next is beyond all that anybody counts.  Of NULL: nothing. */
ws_status cli_ranks_no_more(cli_ranks *ranks);

#endif
