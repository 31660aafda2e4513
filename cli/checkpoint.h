/*
 * checkpoint.h - finished blocks of a run, kept beside its result until that is whole
 * (--checkpoint, --max-time, --resume).
 *
 * The folder NAME.resume has a manifest (manifest.h), a file for each finished block
 * (checkpoint_blocks.h), and a lock that the run holds.  A run that goes on hands what is kept to
 * whatever takes results, as if it were just made, and works on the other blocks: summary, figure
 * and tables know of no difference.  Each rank keeps the blocks that it makes; the first holds the
 * lock and hands over what is kept.
 */
#ifndef CLI_CHECKPOINT_H
#define CLI_CHECKPOINT_H

#include "args.h"
#include "checkpoint_blocks.h"
#include "manifest.h"

typedef struct cli_checkpoint {
	const cli_args *args;   /* NULL: it was not opened */
	char *folder;           /* NAME.resume */
	int lock;               /* descriptor; -1: not held */
	bool wanted;            /* by an option */
	bool there;             /* an earlier run has left some */
	bool keeps;             /* this run keeps its blocks */
	bool ours;              /* what is in the folder is of this run */
	cli_manifest manifest;
	wsi_run_cut cut;        /* how the run is to be cut: as the earlier one was; seconds */

	const ws_run *run;
	const cli_outputs *outputs;
	wsi_input *in;
	cli_block_writer writer;
	size_t blocks;
	size_t *todo;           /* [n_todo] those that are not finished; NULL: all */
	size_t n_todo;
	size_t taken, done;     /* by this process */
	size_t left;            /* results of these, of a channel each, that have not come */
	double share;           /* of all work, that was kept before */
	double start;           /* of the command */
	double begun, longest;  /* when the last one was; s that one took at most */
} cli_checkpoint;

/* Might an earlier run have left blocks of this output, or this one leave some? */
bool cli_checkpoint_may_be_there(const cli_args *args, const char *output);

/* SIGUSR1 is a wish to stop, where options ask for blocks to be kept. */
void cli_checkpoint_heed(const cli_args *args);

/* All ranks call these in this order. */

/* Before the run is planned: what is there, and how to cut.  start: when the command began.
 * WS_E_EXISTS: another run holds it, or it is of something else and --overwrite is not given;
 * WS_E_ARG: such an output has no place beside it. */
ws_status cli_checkpoint_open(cli_checkpoint *c, const cli_args *args, const char *output,
                              double start);
/* Once it is planned: the first rank writes the manifest, if it is to be kept.  What is written may
 * fail: WS_E_NOSPACE, WS_E_IO. */
ws_status cli_checkpoint_begin(cli_checkpoint *c, const ws_run *run, const cli_outputs *outputs,
                               wsi_input *in);
/* The first hands over what is kept, from which follows what is left for all. */
ws_status cli_checkpoint_replay(cli_checkpoint *c,
                                ws_status (*write)(void *user, const ws_channel_result *result),
                                void *user);

/* ---- While the run works ------------------------------------------------------------ */

/* Is no other block to be begun? */
bool cli_checkpoint_stops(const cli_checkpoint *c);
/* The block that is number-th, from 0, of those left; ws_run_blocks(): there is none. */
size_t cli_checkpoint_block(cli_checkpoint *c, size_t number);
/* Keeps a result of this process. */
ws_status cli_checkpoint_put(cli_checkpoint *c, const ws_channel_result *result);
/* A result has come, of whatever process. */
void cli_checkpoint_count(cli_checkpoint *c);

/* ---- Its end ------------------------------------------------------------------------ */

/* Was the run stopped before its end? */
bool cli_checkpoint_stopped(const cli_checkpoint *c);
/* Has it blocks that --resume would go on with?  Then what to say of them, into text. */
bool cli_checkpoint_tells(const cli_checkpoint *c, char *text, size_t size);
/* Do the files that the run has read have the contents of which the blocks are? */
ws_status cli_checkpoint_check(const cli_checkpoint *c);
/* The result is whole: removes the folder. */
void cli_checkpoint_remove(cli_checkpoint *c);
void cli_checkpoint_close(cli_checkpoint *c);

/* Removes what an earlier run of this output has left, which is finished. */
void cli_checkpoint_forget(const char *output);

#endif
