/*
 * resample.h - a signal at another sampling rate, by band-limited interpolation.
 *
 * An output is a weighted sum of the samples about its time: a sinc by Kaiser's window, symmetric,
 * so that no phase moves, of 100 periods of the slower rate to either side.  Tones up to 0.91 of
 * half the slower rate keep their amplitude within 1e-6; what lies above half of it is taken off by
 * 120 dB at least.  A constant stays what it is.  Beyond the ends of a signal it is reflected at
 * its first and last sample.
 *
 * Output k lies at time k / to, sample i at time i / from.  Where to / from is a ratio of whole
 * numbers, which it nearly always is, places are exact and weights are made once.
 */
#ifndef WSI_IO_RESAMPLE_H
#define WSI_IO_RESAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "wavesift/wavesift.h"

typedef struct wsi_resample {
	double from, to;     /* Hz */
	uint64_t up, down;   /* to / from; 0: no ratio of numbers that a table can have */
	size_t half, taps;   /* samples to either side; 2 half */
	double cut, width;   /* of the sinc, in half the rate `from`; of the window, in samples */
	double *weights;     /* [up][taps]; [taps] of the last output, where there is no table */
	double *row;         /* [taps] samples of an output that is near an end */
} wsi_resample;

/* WS_E_NOMEM; WS_E_ARG where the rates are further apart than any can be meant. */
ws_status wsi_resample_make(wsi_resample *r, double from, double to);
void wsi_resample_free(wsi_resample *r);

/* Outputs of so many samples: those whose time is before that of the sample after the last. */
size_t wsi_resample_count(const wsi_resample *r, size_t samples);

/* Samples that outputs first .. first + count - 1 depend on, of samples low .. high - 1, one at
 * least: *from .. *to - 1.  *core, *core_end: those among them that lie at the outputs' own
 * times. */
void wsi_resample_span(const wsi_resample *r, size_t first, size_t count, size_t low, size_t high,
                       size_t *from, size_t *to, size_t *core, size_t *core_end);

/* y[count], outputs from `first` on, of x[n], samples from `from` on; n > 0.  Beyond x it is
 * reflected. */
void wsi_resample_run(const wsi_resample *r, const double *x, size_t from, size_t n, size_t first,
                      size_t count, double *y);

#endif
