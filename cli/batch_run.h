/*
 * batch_run.h - the recordings of a batch, each analysed by a process of its own, some at a time.
 */
#ifndef CLI_BATCH_RUN_H
#define CLI_BATCH_RUN_H

#include "batch_account.h"

/* Runs all of them.  Prints a line for each, and the messages of its process; adds a record of each
 * to the log.  WS_E_NOMEM, WS_E_BACKEND: no process could be started; WS_E_CANCELLED after a
 * signal, when all have ended. */
ws_status cli_batch_run(cli_tally *tally, const cli_inputs *inputs, const cli_args *args,
                        cli_batch_log *log);

#endif
