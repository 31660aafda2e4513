/*
 * written.h - the files that a command writes: what its options of VALUE_OUTPUT name, and where
 * none names the result, that.
 *
 * Each is a file of its own (base/target.h), none is an input, none is what standard output or
 * standard error go to.  Their folders are held from the start.
 */
#ifndef CLI_WRITTEN_H
#define CLI_WRITTEN_H

#include "args.h"
#include "wavesift/wavesift.h"

/* Before anything is read.  output: the name of the result, "-" for standard output, or NULL where
 * the command writes none.  WS_E_ARG: two outputs are one file; WS_E_IO: a folder is not there. */
ws_status cli_written_hold(const cli_args *args, const char *output);

/* Once all inputs are open: WS_E_ARG where one of them is an output. */
ws_status cli_written_check(const cli_args *args, const char *output);

#endif
