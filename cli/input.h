/* input.h - the part of a recording that the options name. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "args.h"
#include "io/input.h"

/* How the command line says that files are to be opened. */
wsi_open_opts cli_open_opts(const cli_args *args);

/* Opens the operand as the options say, and tells what its reader has to tell.  On
 * failure *rec is NULL. */
ws_status cli_recording_open(wsi_recording **rec, const cli_args *args);

/* Opens and selects; reads the header only.  On failure nothing is held. */
ws_status cli_input_open(wsi_input *in, const cli_args *args);

/* A word on the samples interpolated, where there are any. */
void cli_input_tell_mended(const wsi_input *in);

#endif
