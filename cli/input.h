/* input.h - the part of a recording that the options name. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "args.h"
#include "io/read/input.h"

/* How the command line says that files are to be opened. */
wsi_open_opts cli_open_opts(const cli_args *args);

/* Opens the operand as the options say, and tells what its reader has to tell.  On
 * failure *rec is NULL. */
ws_status cli_recording_open(wsi_recording **rec, const cli_args *args);

/* What its reader has to tell of it, a line each. */
void cli_tell_notes(const wsi_recording *rec);

/* Opens and selects; reads the header only.  On failure nothing is held. */
ws_status cli_input_open(wsi_input *in, const cli_args *args);

/* Epochs that a result has; 0: no axis of them. */
static inline size_t
cli_input_epochs(const wsi_input *in)
{
	return in->epoched && !in->gathered ? in->n_epochs : 0;
}

/* The number of the epoch that a figure shows; 0: of none. */
static inline int
cli_input_shown_epoch(const wsi_input *in)
{
	return cli_input_epochs(in) ? (int)in->epochs[0] + 1 : 0;
}

/* Says how many channels were brought to another rate, if any. */
void cli_input_tell_resampled(const wsi_input *in);

/* Says that channels outnumber samples, as where rows and columns are exchanged. */
void cli_input_tell_shape(const wsi_input *in);

/* Says what was made of pauses, and how many events have no epoch, if any. */
void cli_input_tell_pauses(const wsi_input *in);
/* How many epochs around events overlap others, which averages over them take for independent. */
void cli_input_tell_overlap(const wsi_input *in);

/* A word on the samples interpolated, where there are any. */
void cli_input_tell_mended(const wsi_input *in);

#endif
