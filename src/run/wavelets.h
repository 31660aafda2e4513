/* wavelets.h - the wavelets of a run, one a frequency, as its plan has them; for pictures. */
#ifndef WSI_RUN_WAVELETS_H
#define WSI_RUN_WAVELETS_H

#include <stdbool.h>
#include <stdint.h>

#include "wavesift/wavesift.h"

/* How many frequencies; 0: rows of this transform are no wavelets. */
size_t wsi_run_wavelets(const ws_run *run);

typedef struct wsi_run_wavelet {
	double frequency, width_time, width_frequency; /* as the result has them */
	bool shaded;            /* the cone covers the whole signal */
} wsi_run_wavelet;

/* That of frequency f. */
wsi_run_wavelet wsi_run_wavelet_of(const ws_run *run, size_t f);

/* What each sample weighs: a coefficient is the sum of all samples times re - i im.  Samples first,
 * first + step, .. from the coefficient's own, count of them. */
void wsi_run_wavelet_weights(const ws_run *run, size_t f, int64_t first, int64_t step, size_t count,
                             double *re, double *im);

/* The largest magnitude that a tone of amplitude 1 has there, hz Hz being near its frequency and
 * below half the sampling rate. */
double wsi_run_wavelet_tone(const ws_run *run, size_t f, double hz);

#endif
