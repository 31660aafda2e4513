/*
 * options.h - the table of options.
 *
 * Commands and options of transforms come from the library's rows, those of the program stand
 * here.  getopt_long, the help screens, the man page and the shell completions are all made from
 * both, so none can tell another story.  To add an option of the program, add a field to cli_args
 * and a row in options.c.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "command.h"
#include "values.h"

/* How the text of a program's option becomes the value of its field in cli_args. */
typedef enum cli_value {
	VALUE_BY_KIND,        /* as ws_option_set() does */
	VALUE_TEXT,           /* const char *: as it is */
	VALUE_OUTPUT,         /* const char *: the name of a file that is written (written.h) */
	VALUE_MOMENT,         /* wsi_moment */
	VALUE_RATE,           /* double, Hz */
	VALUE_NEW_RATE,       /* the same, or a WSI_RATE_* */
	VALUE_GAP,            /* double, as of wsi_pick.interpolate */
	VALUE_DURATION,       /* double, s, above 0 */
	VALUE_SIZE            /* size_t, bytes */
} cli_value;

/* An option of the program. */
typedef struct cli_own {
	char letter;          /* 0: none */
	const char *heading;  /* under which help lists it */
	ws_option option;
	unsigned commands;    /* that have it, CMD_.. */
	cli_value value;
} cli_own;

/* NULL: it is a transform's. */
const cli_own *cli_option_own(const ws_option *option);

/* The i-th option of a command; NULL past the last.  Options of a heading stand together. */
const ws_option *cli_option_at(const cli_command *command, int i);
/* That of a name, of so many characters; or NULL. */
const ws_option *cli_find_option(const cli_command *command, const char *name, size_t length);

/* The library's words, in which options stand in backticks, as the command line has them:
 * `max_sifts` becomes --max-sifts, `device cpu` --device cpu.  Other backticks stay.  Into shown,
 * which is returned. */
const char *cli_dashed(const char *text, char shown[CLI_SHOWN]);

/* Does it take a value, if only behind "="?  Then its argument is "[=NAME]". */
static inline bool
cli_argument_is_optional(const ws_option *option)
{
	return option->argument && *option->argument == '[';
}

/* Those that say how many recordings are worked on (batch.h) have this heading. */
#define CLI_MANY "Many recordings"
bool cli_option_of_many(const ws_option *option);

/* Does it take a channel, by name or number? */
bool cli_option_of_channel(const ws_option *option);

/* Does its text name a file that is written? */
bool cli_option_is_written(const ws_option *option);

/* Has it a list of choices that its text does not name? */
static inline bool
cli_lists_choices(const ws_option *option)
{
	return option->choices && option->kind != WS_OPTION_TEXT;
}

#endif
