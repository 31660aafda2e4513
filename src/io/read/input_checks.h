/*
 * input_checks.h - what is refused of samples as they are read: what is not finite and not to be
 * mended, and what the type of the analysis does not hold.
 */
#ifndef WSI_IO_INPUT_CHECKS_H
#define WSI_IO_INPUT_CHECKS_H

#include "io/read/input.h"

/* The next samples of signal i, first .. first + count - 1 of `samples` selected.  WS_E_FORMAT. */
ws_status wsi_check_chunk(wsi_input *in, size_t i, size_t first, size_t count, size_t samples,
                          const double *x);

/* Samples of a signal of which other processes have others: what one sample alone tells.  Gaps are
 * for whom reads them all. */
ws_status wsi_check_alone(wsi_input *in, size_t i, size_t first, size_t count, const double *x);

/* What one process knows of samples of signal i that are too small for f32: -1 where it holds one
 * in full, else the first that it changes, INT64_MAX: none.  Of several processes the least
 * counts. */
int64_t wsi_input_small(const wsi_input *in, size_t i);
/* WS_E_FORMAT: all samples of signal i are too small for f32. */
ws_status wsi_input_take_small(wsi_input *in, size_t i, int64_t least);

#endif
