/* args.h - a command line, parsed and checked as far as it goes without files. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "command.h"
#include "io/read/times.h"

#define CLI_MOST_FILES 4

/* An option as it was given. */
typedef struct cli_given {
	const ws_option *option;
	const char *text;      /* NULL: it takes none */
} cli_given;

/* Flags and choices are ints, as ws_option_set() fills them; choices are 0 where not given. */
typedef struct cli_args {
	cli_command command;
	const char *operands[2];
	char **command_line;   /* argv as typed, NULL at its end */
	cli_given *given;      /* [n_given], in their order */
	int n_given;
	struct wsi_opened *opened; /* is told each file that is read (io/read/opened.h) */

	/* Selecting and reading; NULL and 0 where not given. */
	const char *channels, *epochs, *epochs_at;
	double tmin, tmax;     /* s; DBL_TRUE_MIN stands for 0 */
	int average;
	wsi_moment from, to;
	int segment;           /* counted from 1 */
	int join;              /* --gaps join */
	double interpolate;    /* as of wsi_pick (io/read/input.h) */
	const char *rereference;
	int unit_variance;
	int no_sidecars;       /* --sidecars never */
	const char *missing;
	double fs, resample;   /* Hz; resample: or a WSI_RATE_* (io/read/input.h) */
	const char *events;    /* a file of them */
	const char *bads;      /* a table that says which channels are bad */
	int date_order;        /* a text_date_order; 0: not given */
	const char *raw, *variable, *events_from;

	/* The transform's options, and files that those of kind WS_OPTION_ARRAY name. */
	void *opts;
	ws_option_file files[CLI_MOST_FILES + 1];

	/* The option that takes a channel, and the name it was given; NULL: it was given none.  The
	 * channel's number is set when the recording is open. */
	const ws_option *channel_option;
	const char *channel_name;

	/* Running */
	int threads;
	int precision;         /* a ws_type */
	size_t memory, device_memory;
	const char *device;
	int dry_run, strict;
	int progress;          /* a cli_progress_mode */
	int mpi;               /* 1: --mpi never */
	double checkpoint, max_time; /* s; 0: not given */
	struct cli_ranks *ranks; /* this process among those of one command (ranks.h); NULL: it is
	                            alone */

	/* Many recordings (batch.h) */
	const char *output_dir;
	char **inputs;         /* [n_inputs] all operands */
	int n_inputs, jobs;    /* jobs: 0: not given */
	int stop_on_error;
	const char *subject, *session, *task, *run; /* lists of them (bids.h) */
	const char *shard;     /* "2/3", "slurm" (batch_shard.h) */
	const char *resume;    /* "verify", or "" (resume.h); NULL: not given */

	/* Of reconstruct: lists of what is left, or taken off (parts.h). */
	const char *keep, *drop;
	int rescale;

	/* Output.  With output_dir: of output the ending, of the others folders. */
	const char *output, *plot, *plot_channels, *events_shown, *cycles, *write_masks, *report;
	int figure;
	const char *size, *title, *plot_modes, *clim, *db, *smooth; /* how figures are drawn */
	int dpi, period;
	int overwrite, compress, json, quiet, verbose, verify, match;
	int store;             /* a ws_type; where not given that of precision */

	int help, version;
} cli_args;

enum {
	FIGURE_NOT_GIVEN,
	FIGURE_OWN,          /* what the transform gives: modes, hilbert, responses, scalogram */
	FIGURE_SPECTRA,
	FIGURE_MARGINAL,     /* this and the next three: of hht */
	FIGURE_SIGNIFICANCE, FIGURE_CONNECTIVITY, FIGURE_HOLOSPECTRUM,
	FIGURE_MASKS,        /* of conv */
	FIGURE_WAVELETS,     /* of cwt */
	FIGURE_COLOURS       /* of plot: amplitude or power in colours, over time and frequency */
};

#endif
