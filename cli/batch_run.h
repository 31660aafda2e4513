/*
 * batch_run.h - the recordings of a batch, each analysed by a process of its own, some at a time.
 */
#ifndef CLI_BATCH_RUN_H
#define CLI_BATCH_RUN_H

#include "batch_inputs.h"
#include "batch_log.h"

typedef struct cli_tally {
	size_t done, failed;
	size_t finished;            /* by an earlier command (--resume) */
	size_t left;                /* not begun, or ended by a signal */
	double seconds;
	bool full;                  /* the disk was full, so no more were begun */
	bool log_failed;            /* told already */
} cli_tally;

/* Runs all of them.  Prints a line for each, and the messages of its process; adds a record of each
 * to the log.  WS_E_NOMEM, WS_E_BACKEND: no process could be started; WS_E_CANCELLED after a
 * signal, when all have ended. */
ws_status cli_batch_run(cli_tally *tally, const cli_inputs *inputs, const cli_args *args,
                        cli_batch_log *log);

#endif
