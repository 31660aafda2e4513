/*
 * signals.h - Ctrl-C, SIGTERM, SIGHUP (a terminal that was closed), and SIGPIPE
 * (a reader of ours that went away).  The first three stay ignored where they
 * are ignored when the program begins.
 *
 * Before cli_signals_hold() a signal ends the program at once: nothing has
 * been written.  After it the first signal only raises a flag, which the
 * progress callback turns into a cancellation that removes what is half
 * written; a second one, or SIGPIPE, removes the temporary files and ends at
 * once.  After cli_signals_release(), where nobody looks at the flag, the first
 * one does, and says so.
 */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <stdbool.h>

#include "base/newfile.h"

void cli_signals_install(void);
void cli_signals_hold(void);
void cli_signals_release(void);
/* When a signal ends this process at once, another of those that were started together says so; by
 * default, of tasks of a launcher, the first. */
void cli_signals_another_tells(bool tells);
/* What finished before a signal is whole: what it says when it ends the program at once. */
void cli_signals_many(void);
/* Finished blocks are kept: what it says then. */
void cli_signals_kept(void);
/* Files to remove when a signal ends the program, where they still have their hidden names; up to
 * 4, which are copied. */
void cli_signals_temporary(const wsi_newfile *file);
/* From now on SIGUSR1 asks to stop at a good moment. */
void cli_signals_stop(void);
bool cli_signals_stop_asked(void);
bool cli_signalled(void);
/* 130 after SIGINT, 143 after SIGTERM, 129 after SIGHUP. */
int cli_signal_status(void);

#endif
