/* message.h - what goes to standard error, and the exit statuses. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <stdbool.h>

#include "wavesift/wavesift.h"

enum {
	EXIT_DONE     = 0,
	EXIT_INTERNAL = 1, /* a bug                                  */
	EXIT_USAGE    = 2, /* an option or operand is wrong          */
	EXIT_INPUT    = 3, /* an input is unreadable or invalid      */
	EXIT_NOROOM   = 4, /* memory or disk is too small, or the output cannot be written */
	EXIT_DEVICE   = 5, /* no such device, or it failed           */
	EXIT_STRICT   = 6, /* --strict: a stop rule was not reached  */
	EXIT_SOME     = 7, /* some recordings of many failed         */
	EXIT_STOPPED  = 75 /* by --max-time or SIGUSR1; --resume goes on */
};

/* Prints "wavesift: note: ..", what the user should know of work that goes on, as one line whatever
 * the arguments hold.  Nothing after cli_notes_off() (--quiet). */
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_notes_off(void);
/* All of them so far, also those that were not printed, a line each. */
const char *cli_notes_told(void);

/* Prints "wavesift: ..", a refusal, likewise; returns status, so that `return cli_fail(EXIT_USAGE,
 * ...)`. */
int cli_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Refusals are kept from now on, and nothing of them is printed; *_release prints or forgets what
 * was kept, and the next are printed again.  Was there anything? */
void cli_messages_keep(void);
bool cli_messages_release(bool print);

/* Prints the library's detail and returns the exit status that stands for
 * status: while reading, or while writing. */
int cli_report(ws_status status);
int cli_report_output(ws_status status);

#endif
