/*
 * welch.h - power spectral density of a row, read in blocks.
 *
 * Welch's method (1967): the mean of the periodograms of segments that overlap
 * by half, each less its mean and under a Hann window.  One-sided: bin k stands
 * at k fs / length, and the sum over bins times fs / length is the variance.
 */
#ifndef WSI_PLOT_WELCH_H
#define WSI_PLOT_WELCH_H

#include <stddef.h>

#include "wavesift/wavesift.h"

/* Least length of a row. */
#define WSI_WELCH_LEAST 16

typedef struct wsi_welch wsi_welch;

/* For rows of samples, at least WSI_WELCH_LEAST.  WS_E_NOMEM. */
ws_status wsi_welch_create(wsi_welch **welch, size_t samples, double fs);
void wsi_welch_destroy(wsi_welch *welch);  /* NULL is fine */

/* Samples of a segment; the spectrum has half as many bins and one. */
size_t wsi_welch_length(const wsi_welch *welch);

/* The next samples of a row, each below 1e150 so that its square is a number. */
void wsi_welch_push(wsi_welch *welch, const double *x, size_t count);

/* density[length / 2 + 1], in unit^2 / Hz, of a row that is pushed whole; the
 * next push begins another row. */
void wsi_welch_finish(wsi_welch *welch, double *density);

#endif
