/*
 * options.h - the one table of commands and options.
 *
 * getopt_long, the help screens, the man page and the shell completions are
 * all made from it, so none can tell another story.  To add an option, add an
 * identifier here, a row in options.c and a case in args.c.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum {
	CMD_INFO     = 1 << 0,
	CMD_DEVICES  = 1 << 1,
	CMD_EMD      = 1 << 2,
	CMD_EEMD     = 1 << 3,
	CMD_CEEMDAN  = 1 << 4,
	CMD_ICEEMDAN = 1 << 5,
	CMD_MEMD     = 1 << 6,
	CMD_PLOT     = 1 << 7,
	CMD_COMPARE  = 1 << 8,
	CMD_ENSEMBLE = CMD_EEMD | CMD_CEEMDAN | CMD_ICEEMDAN,
	CMD_DECOMPOSE = CMD_EMD | CMD_ENSEMBLE | CMD_MEMD,
	CMD_ALL      = (1 << 9) - 1
};

/* Names of ws_stop, in its order. */
#define CLI_STOP_RULES "fixed|rilling|s-number|sd|cauchy|tolerance|energy|fix-h"

typedef struct cli_command {
	unsigned id;
	const char *name;
	const char *group;        /* heading of the first help screen */
	const char *operands;     /* "INPUT" */
	int n_operands;
	const char *summary;      /* half a line */
	const char *text;         /* a paragraph */
	const char *examples[3];  /* command line, then what it does after a tab */
} cli_command;

enum {
	OPT_CHANNELS = 1, OPT_FROM, OPT_TO, OPT_EPOCHS, OPT_FS, OPT_RAW, OPT_VARIABLE, OPT_NAN,
	OPT_REFERENCE, OPT_MODES, OPT_SIFTS, OPT_STOP_RULE, OPT_MAX_SIFTS, OPT_CHECK_EVERY,
	OPT_BOUNDARY, OPT_SPLINE,
	OPT_REALIZATIONS, OPT_PAIRS, OPT_NOISE, OPT_SNR, OPT_SEED, OPT_NOISE_FILE,
	OPT_CHANNEL_NOISE,
	OPT_DIRECTIONS, OPT_DIRECTION_SET, OPT_NOISE_CHANNELS, OPT_NOISE_POWER,
	OPT_DEVICE, OPT_DEVICE_MEMORY, OPT_THREADS, OPT_PRECISION, OPT_MEMORY, OPT_DRY_RUN,
	OPT_STRICT,
	OPT_OUTPUT, OPT_OVERWRITE, OPT_COMPRESS, OPT_STORE, OPT_PLOT, OPT_PLOT_CHANNELS,
	OPT_FIGURE, OPT_PROGRESS, OPT_QUIET, OPT_VERBOSE, OPT_JSON, OPT_HELP, OPT_VERSION
};

typedef struct cli_option {
	int id;
	char letter;          /* 'o', or 0 */
	const char *name;     /* "output" */
	const char *argument; /* "FILE"; NULL for a flag */
	const char *choices;  /* "a|b|c": the only values, the n-th is the library's n; with
	                         --device what values start with */
	unsigned commands;
	const char *group;
	const char *text;
} cli_option;

extern const cli_command cli_commands[]; /* ends with a NULL name */
extern const cli_option cli_options[];   /* ends with a NULL name; groups together */

/* NULL where there is none. */
const cli_command *cli_find_command(const char *name);
const cli_option *cli_find_option(int id);

/* Text and choices for the help of one command. */
const char *cli_option_text(const cli_option *option, unsigned command);
const char *cli_option_choices(const cli_option *option, unsigned command);

/* 1-based place of text among "a|b|c"; 0 where it is none of them. */
int cli_choice(const char *choices, const char *text);
/* Copies the n-th (1-based) of "a|b|c" into name; "" past the last. */
void cli_choice_name(const char *choices, int n, char name[32]);

#endif
