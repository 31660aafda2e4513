/*
 * batch_account.h - what becomes of the recordings of a batch: told, counted and recorded, by the
 * process that was called, or of several ranks by the first, to which the others report.
 */
#ifndef CLI_BATCH_ACCOUNT_H
#define CLI_BATCH_ACCOUNT_H

#include "batch_inputs.h"
#include "batch_log.h"

typedef struct cli_tally {
	size_t done, failed;
	size_t finished;            /* by an earlier command (--resume) */
	size_t left;                /* not begun, or ended by a signal */
	double seconds;
	bool asked;                 /* some were stopped, or not begun, by --max-time or SIGUSR1 */
	bool full;                  /* the disk was full, so no more were begun */
	bool log_failed;            /* told already */
} cli_tally;

/* How the process of one recording has ended. */
typedef struct cli_end {
	size_t i;                   /* the recording, among the inputs */
	int status;                 /* its exit status */
	bool finished;              /* there was nothing to do (--resume) */
	bool stopped;               /* by a signal to us, or because another rank failed */
	bool full;                  /* no room is left where results go */
	bool silent;                /* it has not said why */
	double seconds;
	const char *result;         /* NULL: none was asked for */
	json_t *record;             /* for the log, which it becomes; NULL: none */
} cli_end;

typedef struct cli_account {
	const cli_args *args;
	const cli_inputs *inputs;
	cli_batch_log *log;         /* of the first rank */
	cli_tally *tally;
	double weight, finished;    /* of all recordings; of those that ended */
	double *at_work;            /* [rank] of those that others work on, as far as they are */
	int reported;               /* ranks that have nothing more to say */
	double told;                /* when the first was last told of progress */
} cli_account;

/* WS_E_NOMEM. */
ws_status cli_account_open(cli_account *a, const cli_args *args, const cli_inputs *inputs,
                           cli_batch_log *log, cli_tally *tally);
void cli_account_close(cli_account *a);

/* The rest may fail as messages to another rank do: WS_E_NOMEM, WS_E_BACKEND, WS_E_CANCELLED. */

/* A message about a recording. */
ws_status cli_account_say(cli_account *a, bool note, const char *text);
ws_status cli_account_end(cli_account *a, const cli_end *end);
/* The weight of what is at work here, as far as it is. */
ws_status cli_account_progress(cli_account *a, double at_work);

/* Hears the other ranks. */
ws_status cli_account_listen(cli_account *a);
/* All is done here; the first waits for the others. */
ws_status cli_account_finish(cli_account *a);

#endif
