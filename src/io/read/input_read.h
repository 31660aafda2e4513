/* input_read.h - the signals of an input, read in one pass. */
#ifndef WSI_IO_INPUT_READ_H
#define WSI_IO_INPUT_READ_H

#include "io/read/input.h"

/* Decides how to read with so many bytes of memory.  A little is always taken, which
 * reading_bytes does not count. */
void wsi_input_plan(wsi_input *in, size_t memory);

/* ---- Several processes --------------------------------------------------------- */

/* Where signals wait in a temporary file, processes that work on one input may share it: each sets
 * reader and readers before wsi_input_plan(), and spool before wsi_input_start(), which then reads
 * and checks a part of the file's time of all channels.  When all have (which they must tell each
 * other), the least that any has of each of wsi_input_small() is given to wsi_input_take_small()
 * (input_checks.h).  The file's checksum is then taken by a thread, from start to finish. */

/* Do signals wait? */
bool wsi_input_waits(const wsi_input *in);

/* ---- One after the other ------------------------------------------------------- */

/* To be called before the first signal is read.  A temporary file, if needed, lies beside output.
 * stop, or NULL, is asked now and then; true ends the call with WS_E_CANCELLED. */
ws_status wsi_input_start(wsi_input *in, const char *output, bool (*stop)(void));

/* Fills x[wsi_input_handed()] of in->type with signal i = epoch * n_channels + channel.  Signals go
 * in order, gathered ones channel by channel.  WS_E_FORMAT names the channel and a sample that was
 * selected: too large, not finite and not to be mended, or the first where all are too small for
 * f32.  What lies about those selected is never refused: from a gap on it is the mirror image of
 * what is known. */
ws_status wsi_input_read(wsi_input *in, size_t i, void *x);

/* After the last signal: reads the rest of the file, if any, for the checksum. */
ws_status wsi_input_finish(wsi_input *in);

#endif
