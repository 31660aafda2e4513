/*
 * epochs.h - what averages over epochs share, of whatever spectra: how many epochs there are, the
 * options --averages and --baseline, and the comparison with a baseline.
 */
#ifndef WSI_TRANSFORM_EPOCHS_H
#define WSI_TRANSFORM_EPOCHS_H

#include "transform/options.h"

/* Epochs of each channel of a shape.  WS_E_ARG: fewer than `least`; more samples than 2^48. */
ws_status wsi_epochs_take(const ws_shape *shape, size_t least, size_t *epochs);

/* ---- Options ----------------------------------------------------------------------------- */

/* With what averages are compared: the mean between two times, both included, s. */
typedef struct wsi_baseline {
	double from, to;
	ws_baseline how;        /* 0: with nothing */
} wsi_baseline;

/* Has this options struct it as baseline_from, baseline_to, baseline? */
#define WSI_BASELINE_LIES(type)                                                              \
	(offsetof(type, baseline_to) - offsetof(type, baseline_from) == \
	 offsetof(wsi_baseline, to) && \
	 offsetof(type, baseline) - offsetof(type, baseline_from) == offsetof(wsi_baseline, how))

/* As set and tell of wsi_text, FROM:TO[:HOW]. */
ws_status wsi_baseline_set(const ws_option *option, void *opts, const char *text);
void wsi_baseline_tell(const ws_option *option, const void *opts, wsi_line *to);

/* WS_E_ARG: is no comparison. */
ws_status wsi_baseline_check(const wsi_baseline *b);

/* ---- The comparison ------------------------------------------------------------------------ */

/* The values from `first` to `last`, both included, of n that lie `step` seconds apart, the first
 * of them at `start`, that a baseline takes.  WS_E_ARG: too few. */
ws_status wsi_baseline_place(const wsi_baseline *b, double start, double step, size_t n,
                             size_t *first, size_t *last);

/* p[n] in place, compared with the values from `first` to `last`. */
void wsi_baseline_compare(ws_baseline how, size_t first, size_t last, double *p, size_t n);

#endif
