/* ranks_cores.h - the processors of a machine among the ranks on it. */
#ifndef CLI_RANKS_CORES_H
#define CLI_RANKS_CORES_H

#include "mpi/ranks.h"
#include "wavesift/wavesift.h"

/* Processors that are told apart. */
#define CLI_CORES 4096
typedef struct cli_cores {
	unsigned char may[CLI_CORES / 8]; /* a bit each: a rank may run there */
} cli_cores;

/* Of those that rank `of` of so many may use as many as are its own: one that several may use
 * is dealt to one of them after another.  At least 1. */
int cli_cores_share(const cli_cores *ranks, int n, int of);

/* Threads for this rank, by what the launcher has bound the ranks of this machine to and by its
 * control group; cores: that it may use.  All ranks call it.  WS_E_NOMEM, WS_E_BACKEND. */
ws_status cli_ranks_cores(const wsi_ranks *mpi, const wsi_rank *rank, int *threads, int *cores);

#endif
