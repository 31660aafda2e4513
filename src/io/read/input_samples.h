/* input_samples.h - samples of an input as its file has them, and refusals of what is wrong with
 * some. */
#ifndef WSI_IO_INPUT_SAMPLES_H
#define WSI_IO_INPUT_SAMPLES_H

#include "io/read/input.h"

/* Samples first .. of what signal i needs (wsi_input_span), missing ones as NaN, against the
 * reference. */
ws_status wsi_input_samples(const wsi_input *in, size_t i, size_t first, size_t count, double *x);

/* Of signal i: samples of the longest gap that is mended, as was asked, or of 1 s or 10 samples. */
size_t wsi_input_longest_gap(const wsi_input *in, size_t i);

/* Each returns WS_E_FORMAT and says what to do; sample: of those selected.  A gap: in->part is used
 * to look at what follows. */
ws_status wsi_refuse_gap(const wsi_input *in, size_t i, size_t sample);
ws_status wsi_refuse_large(const wsi_input *in, size_t i, size_t sample, double value);
ws_status wsi_refuse_small(const wsi_input *in, size_t i, size_t sample);

/* Samples that are read and checked at a time: in->part. */
#define WSI_INPUT_CHUNK 65536

#endif
