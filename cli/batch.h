/*
 * batch.h - one command over many recordings (--output-dir).
 *
 * The program that was called analyses nothing here.  It runs itself once for each recording, so
 * that a broken file, a crash or a lack of memory costs that recording only.
 */
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "args.h"

/* Do results go to a folder?  Then cli_cmd_batch() is the command. */
static inline bool
cli_is_batch(const cli_args *args)
{
	return args->output_dir != NULL;
}

/* What options mean together here; the exit status of a refusal, or -1. */
int cli_batch_check(const cli_args *args);

int cli_cmd_batch(const cli_args *args);

#endif
