/* progress.c - one line on standard error that says how long it still takes. */
#include "progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "signals.h"
#include "values.h"

static struct {
	const char *what;
	double start, last;
	bool on, drawn, terminal;
	double quiet; /* seconds before the first line */
} line;

void
cli_progress_start(cli_progress_mode mode, const char *what)
{
	line.terminal = isatty(STDERR_FILENO);
	line.on = mode == PROGRESS_ALWAYS || (mode == PROGRESS_AUTO && line.terminal);
	line.quiet = mode == PROGRESS_AUTO ? 2 : 0;
	line.what = what;
	line.start = wsi_now();
	line.last = 0;
}

int
cli_progress_step(void *unused, double done)
{
	(void)unused;
	if (cli_signalled())
		return 1;
	double now = wsi_now(), elapsed = now - line.start;
	/* Into a file a line now and then; on a terminal the same line again. */
	double interval = line.terminal ? 0.2 : 10;
	if (!line.on || elapsed < line.quiet || now - line.last < interval)
		return 0;
	line.last = now;
	char left[32] = "";
	if (done > 0.001)
		cli_format_seconds(elapsed * (1 - done) / done, left);
	fprintf(stderr, "%s%s %3.0f %%%s%s%s", line.terminal ? "\r\033[K" : "", line.what,
	        100 * done, left[0] ? ", " : "", left, left[0] ? " left" : "");
	if (line.terminal)
		line.drawn = true;
	else
		fputc('\n', stderr);
	fflush(stderr);
	return 0;
}

void
cli_progress_clear(void)
{
	if (line.drawn)
		fputs("\r\033[K", stderr);
	line.drawn = false;
}
