/*
 * batch_shard.h - a share of the recordings of a batch (--shard): one of N tasks, perhaps on
 * other machines, that are each told all of them.
 */
#ifndef CLI_BATCH_SHARD_H
#define CLI_BATCH_SHARD_H

#include "batch_inputs.h"

typedef struct cli_shard {
	int i, n;          /* counted from 1; n 0: all recordings */
} cli_shard;

/* "2/3", or "slurm": the task of an array 1..N without holes.  Nothing where text is NULL.  Gives
 * the exit status of a refusal, or -1. */
int cli_shard_parse(cli_shard *shard, const char *text);

/* Keeps the share.  It depends on names and sizes of all recordings only: the largest goes first,
 * each to the share that has least so far. */
ws_status cli_inputs_shard(cli_inputs *inputs, const cli_shard *shard);

/* Of a recording among all: its bytes, and some for the start of a process. */
double cli_recording_weight(const cli_recording *r);

#endif
