/*
 * bands.h - a spectrum in bands of equal width on a logarithmic axis, and how
 * much two spectra overlap.
 */
#ifndef WSI_PLOT_BANDS_H
#define WSI_PLOT_BANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/kept.h"
#include "wavesift/wavesift.h"

typedef struct wsi_bands {
	size_t n;
	size_t *first;            /* [n + 1]: bins of a band, the last one excluded */
	double *frequency;        /* [n], Hz, rising */
	double *width;            /* [n], Hz */
} wsi_bands;

/* Bins 1..length / 2 of a spectrum of length samples; a sixth of an octave
 * a band, one bin where bins are wider.  WS_E_NOMEM. */
ws_status wsi_bands_make(wsi_bands *bands, wsi_kept *kept, size_t length, double fs);

/* Means of density[length / 2 + 1] within bands, into out[n]. */
void wsi_bands_mean(const wsi_bands *bands, const double *density, double *out);

/* Power within all bands. */
double wsi_bands_power(const wsi_bands *bands, const double *density);

/* The share of the power per octave, density times frequency over power, into
 * out[n]: on a logarithmic axis areas under it are powers.  False where there
 * is no power. */
bool wsi_bands_shape(const wsi_bands *bands, const double *density, double *out);

/*
 * The overlapping coefficient of two densities a[n], b[n], each over its power:
 * the integral of min(a, b) df, 1 where they have one shape and 0 where no
 * frequency is common.  It is the area below both shapes and depends neither on
 * amplitudes nor on the frequency axis being linear or logarithmic.  NaN where
 * either has no power.
 */
double wsi_bands_overlap(const wsi_bands *bands, const double *a, const double *b);

#endif
