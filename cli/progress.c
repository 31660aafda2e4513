/* progress.c - see progress.h. */
#include "progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "signals.h"
#include "values.h"

static struct {
	const char *what;
	double start, last;
	bool on, drawn, terminal;
	double quiet; /* seconds before the first line */
} line;

double
cli_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void
cli_progress_start(cli_progress_mode mode, const char *what)
{
	line.terminal = isatty(STDERR_FILENO);
	line.on = mode == PROGRESS_ALWAYS || (mode == PROGRESS_AUTO && line.terminal);
	line.quiet = mode == PROGRESS_AUTO ? 2 : 0;
	line.what = what;
	line.start = cli_now();
	line.last = 0;
}

int
cli_progress_step(void *unused, double done)
{
	(void)unused;
	if (cli_signalled())
		return 1;
	double now = cli_now(), elapsed = now - line.start;
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
