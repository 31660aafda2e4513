/* progress.h - one line on standard error that says how long it still takes. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

typedef enum cli_progress_mode {
	PROGRESS_AUTO = 1, /* on a terminal, after 2 s */
	PROGRESS_ALWAYS,
	PROGRESS_NEVER
} cli_progress_mode;

void cli_progress_start(cli_progress_mode mode, const char *what);
/* A ws_progress: draws, and answers whether a signal asks to stop. */
int cli_progress_step(void *unused, double done);
/* Removes the line, if one is drawn. */
void cli_progress_clear(void);

#endif
