/*
 * ranks_run.h - a run whose blocks are shared out among ranks.
 *
 * Each rank takes the next block from a counter that all share.  Rank 0 is handed everything that
 * comes of it, its own and that which others send, in whatever order it comes, on the thread that
 * called: while it computes itself, from inside its progress function.
 */
#ifndef CLI_RANKS_RUN_H
#define CLI_RANKS_RUN_H

#include "outputs.h"
#include "ranks_write.h"
#include "run/program.h"

/* Plans the run in so much memory (0: no limit); *left: what the run leaves of it beside what this
 * rank sends or is sent. */
ws_status cli_ranks_create(ws_run **run, ws_ctx *ctx, const cli_args *args, const ws_shape *shape,
                           size_t memory, const wsi_run_cut *cut, size_t *left);

/* How all ranks are to cut, as the one with the least memory must: *cut, whose block is 0 where the
 * run does. */
ws_status cli_ranks_agree_cut(cli_ranks *ranks, const ws_run *run, wsi_run_cut *cut);

/* A note, where there is work for some ranks only. */
void cli_ranks_tell_idle(const cli_ranks *ranks, const ws_run *run);

/* As ws_run_execute(), of all ranks together.  stream is the same on all, but only rank 0 calls
 * its write and progress; others write what they may themselves, and all keep what they make.
 * memory: as above. */
ws_status cli_ranks_execute(cli_ranks *ranks, ws_run *run, const ws_stream *stream,
                            const cli_outputs *outputs, size_t memory,
                            cli_ranks_writing *writing);

#endif
