/* args.h - a command line, parsed and checked as far as it goes without files. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"
#include "progress.h"
#include "times.h"
#include "wavesift/wavesift.h"

typedef struct cli_args {
	const cli_command *command;
	const char *operands[2];
	char **command_line;   /* argv as typed, NULL at its end */

	/* Selecting and reading; NULL and 0 where not given. */
	const char *channels, *epochs;
	wsi_moment from, to;
	bool interpolate;
	double fs;
	const char *raw, *variable;

	/* Decomposition */
	ws_emd_opts emd;
	const char *noise_file, *direction_file;
	bool has_realizations;

	/* Running */
	int threads;
	ws_type precision;
	size_t memory, device_memory;
	const char *device;
	bool dry_run, strict;
	cli_progress_mode progress;

	/* Output */
	const char *output, *plot, *plot_channels;
	enum { FIGURE_NOT_GIVEN, FIGURE_MODES, FIGURE_SPECTRA } figure;
	bool overwrite, compress, has_store, json, quiet, verbose;
	ws_type store;
} cli_args;

/* Parses argv[2..] of a command.  Returns -1 to go on, or the exit status:
 * --help and --version have been answered, a mistake has been reported. */
int cli_args_parse(cli_args *args, const cli_command *command, int argc, char **argv);

#endif
