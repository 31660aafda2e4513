/* message.c - what goes to standard error, and the exit statuses. */
#include "message.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "progress.h"
#include "signals.h"
#include "values.h"

static bool notes_off;
static char told[2 * CLI_SHOWN]; /* all notes */
static struct {
	bool on;
	char lines[2 * CLI_SHOWN];
	size_t length;
} kept;

static void
keep(const char *text)
{
	const size_t room = sizeof kept.lines - kept.length;
	const int n = snprintf(kept.lines + kept.length, room, "wavesift: %s\n", text);
	/* What does not fit is less worth than what came first. */
	if (n > 0 && (size_t)n < room)
		kept.length += (size_t)n;
}

static void
say(const char *mark, const char *format, va_list args)
{
	char line[4000], dashed[CLI_SHOWN], shown[CLI_SHOWN];
	vsnprintf(line, sizeof line, format, args);
	if (kept.on && !*mark) {
		keep(cli_shown(cli_dashed(line, dashed), shown));
		return;
	}
	cli_progress_clear();
	/* File names may hold anything; a message is one line. */
	fprintf(stderr, "wavesift: %s%s\n", mark, cli_shown(cli_dashed(line, dashed), shown));
}

void
cli_note(const char *format, ...)
{
	va_list args;
	char line[4000], dashed[CLI_SHOWN], shown[CLI_SHOWN];
	const size_t used = strlen(told);
	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	snprintf(told + used, sizeof told - used, "%s\n",
	         cli_shown(cli_dashed(line, dashed), shown));
	if (notes_off)
		return;
	va_start(args, format);
	say("note: ", format, args);
	va_end(args);
}

const char *
cli_notes_told(void)
{
	return told;
}

void
cli_notes_off(void)
{
	notes_off = true;
}

void
cli_messages_keep(void)
{
	kept.on = true;
}

bool
cli_messages_release(bool print)
{
	const bool any = kept.length > 0;
	if (print && any) {
		cli_progress_clear();
		fwrite(kept.lines, 1, kept.length, stderr);
	}
	kept.on = false;
	kept.length = 0;
	return any;
}

int
cli_fail(int status, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	say("", format, args);
	va_end(args);
	return status;
}

static int
exit_status(ws_status status)
{
	switch (status) {
	case WS_OK:            return EXIT_DONE;
	case WS_E_ARG:         return EXIT_USAGE;
	case WS_E_UNSUPPORTED: return EXIT_USAGE;
	case WS_E_EXISTS:      return EXIT_USAGE;
	case WS_E_IO:          return EXIT_INPUT;
	case WS_E_FORMAT:      return EXIT_INPUT;
	case WS_E_NOMEM:       return EXIT_NOROOM;
	case WS_E_NOSPACE:     return EXIT_NOROOM;
	case WS_E_BACKEND:     return EXIT_DEVICE;
	case WS_E_CANCELLED:   return cli_signal_status();
	case WS_E_INTERNAL:    return EXIT_INTERNAL;
	}
	return EXIT_INTERNAL;
}

int
cli_report(ws_status status)
{
	if (status == WS_E_CANCELLED)
		cli_fail(0, "stopped by a signal; nothing was written");
	else if (status != WS_OK)
		cli_fail(0, "%s", ws_error_detail());
	return exit_status(status);
}

int
cli_report_output(ws_status status)
{
	int code = cli_report(status);
	return status == WS_E_IO ? EXIT_NOROOM : code;
}
