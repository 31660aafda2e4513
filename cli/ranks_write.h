/*
 * ranks_write.h - a result that all ranks write: rows whose places are known, each rank its own
 * (result.h); rank 0 opens, completes and names the file, and writes everything else.
 */
#ifndef CLI_RANKS_WRITE_H
#define CLI_RANKS_WRITE_H

#include "checkpoint.h"
#include "io/result/result.h"
#include "outputs.h"
#include "ranks.h"

/* Where rows lie in the file that rank 0 has opened with writer (NULL on others): on all ranks.
 * wsi_places.at is the caller's to free in any case. */
ws_status cli_ranks_share_places(cli_ranks *ranks, wsi_writer *writer, wsi_places *places);

/* Do all ranks write?  Each tells whether it could join.  Not where one could not, or where ranks
 * of several machines would write a file of which each keeps pages of its own (NFS). */
ws_status cli_ranks_agree_to_write(cli_ranks *ranks, const wsi_writer *writer, bool joined,
                                   const char *output, bool *all);

/* How the results of a run are written. */
typedef struct cli_ranks_writing {
	wsi_writer *writer;     /* of this rank; NULL: rank 0 writes all */
	/* Does rank 0 look at the values of an array of a channel, so that they are sent, too? */
	bool (*needed)(void *user, size_t channel, int array);
	cli_checkpoint *kept;   /* blocks that are left, and where they are kept */
	bool failed;            /* set: writing failed, not reading */
} cli_ranks_writing;

#endif
