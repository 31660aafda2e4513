/*
 * input.h - the part of a recording that a command works on: channels,
 * epochs and samples, all of one rate and length, read as f64 or f32.
 */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "args.h"
#include "io/recording.h"
#include "wavesift/wavesift.h"

typedef struct cli_input {
	wsi_recording *rec;
	size_t n_channels, *channels; /* of the recording */
	size_t n_epochs, *epochs;     /* one, of number 0, where it is continuous */
	bool epoched, fs_known;
	double fs;
	size_t first, samples;
	ws_type type;                 /* of the samples handed out */
	bool interpolate, quiet;
	size_t mended;                /* samples interpolated, once it is checked */
} cli_input;

/* Opens the operand as the options say, and tells what its reader has to tell.  On
 * failure *rec is NULL. */
ws_status cli_recording_open(wsi_recording **rec, const cli_args *args);

/* Opens and selects; reads the header only.  On failure nothing is held. */
ws_status cli_input_open(cli_input *in, const cli_args *args);
void cli_input_close(cli_input *in);

/* Reads all that is selected once and refuses what is too large or not finite (or,
 * with --nan interpolate, gaps too long to mend, and says how many samples of which
 * channels will be), naming channel and sample. */
ws_status cli_input_check(cli_input *in);

/* Fills x[samples] of in->type with signal i = epoch * n_channels + channel,
 * mended, once it is checked. */
ws_status cli_input_read(cli_input *in, size_t i, void *x);

const char *cli_input_name(const cli_input *in, size_t channel);
/* Of the first sample selected, on the recording's time axis. */
double cli_input_first_time(const cli_input *in);

#endif
