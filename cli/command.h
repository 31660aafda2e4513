/* command.h - a command of the program, and all that there are. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>

#include "wavesift/wavesift.h"

enum {
	CMD_INFO      = 1 << 0,
	CMD_DEVICES   = 1 << 1,
	CMD_TRANSFORM = 1 << 2, /* any */
	CMD_PLOT      = 1 << 3,
	CMD_COMPARE   = 1 << 4,
	CMD_RECONSTRUCT = 1 << 5,
	CMD_ALL       = (1 << 6) - 1,
	/* Transforms of a kind have one of these too. */
	CMD_EMD       = 1 << 6,
	CMD_HHT       = 1 << 7,
	CMD_CONV      = 1 << 8,
	CMD_WAVELETS  = 1 << 9, /* whose rows are wavelets: cwt, trials, coherence */
	CMD_COLOURS   = 1 << 10, /* whose figure is over time and frequency */
	CMD_ROWS      = 1 << 11, /* whose result is rows of samples */
	CMD_BANDS     = 1 << 12
};

typedef struct cli_command {
	unsigned id;
	const char *name;
	const char *group;        /* heading of the first help screen */
	const char *operands;     /* "INPUT" */
	int n_operands;
	const char *summary;      /* half a line */
	const char *text;         /* a paragraph */
	const char *const *examples; /* command line, then what it does after a tab; ends with
	                             NULL */
	const ws_transform *transform; /* or NULL */
} cli_command;

/* Fills *command with the i-th; false past the last. */
bool cli_command_at(int i, cli_command *command);
bool cli_find_command(const char *name, cli_command *command);

#endif
