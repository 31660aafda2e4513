/*
 * stored.h - wavesift hht over a result: the modes that it holds instead of a decomposition.
 */
#ifndef CLI_STORED_H
#define CLI_STORED_H

#include "input.h"

/* Opens and selects as cli_input_open(), and if modes are to be taken from the operand tells the
 * options how many there are. */
ws_status cli_stored_open(wsi_input *in, const cli_args *args);

/* Fills x with what the run asks for of signal i: samples, or where the input is a result its
 * signal, modes and residue. */
ws_status cli_stored_read(wsi_input *in, const cli_args *args, size_t i, void *x);

#endif
