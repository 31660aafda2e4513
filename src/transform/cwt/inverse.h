/*
 * inverse.h - weights by which coefficients add up to the signal, or their squares to its
 * variance, and the filters that bands of frequencies are.
 *
 * A weighted sum of coefficients is a filter of the signal.  With c_f from the distance of
 * neighbouring frequencies (trapezoids in ln f), the response of all frequencies together,
 *
 *     E(w) = sum over f of  c_f (H_f(w) + H_f(-w)) / 2,
 *
 * is 1 within the grid's band but for its last wavelet's width at either end, where it falls to
 * half.  It is known exactly, so it is divided out there:  G_b = E_b / E.  Beyond the grid's
 * band, which ends at its lowest and its highest frequency themselves, G falls as E does.
 *
 * Bins are those of a period: of the line that mirror images are, of a periodic signal itself, else
 * of the padded signal.
 */
#ifndef WSI_TRANSFORM_CWT_INVERSE_H
#define WSI_TRANSFORM_CWT_INVERSE_H

#include "transform/cwt/cwt.h"

/* A frequency, and how much of it is a band's: one where two bands meet is shared. */
typedef struct wsi_band_member {
	size_t frequency;
	double share;
} wsi_band_member;

typedef struct wsi_band {
	double low, high;       /* Hz, asked for */
	double flat_low, flat_high, error; /* as in ws_bands_array */
	size_t first, count;    /* its frequencies: wsi_inverse.member[first ..] */
	size_t k0, k1;          /* bins of its filter */
	const double *gain;     /* [k1 - k0], by the period: of a bin of the spectrum; or NULL */
} wsi_band;

typedef struct wsi_inverse {
	double *weight;         /* [frequency] c */
	double *energy;         /* [frequency] v */
	double *cell;           /* [frequency][2]: from where to where in ln f it stands */
	wsi_band_member *member; /* band by band, in the order of the plan */
	size_t period;          /* N, samples */
	double *divisor;        /* [N / 2 + 1] E, held to the ends of the grid's band, at least
	                           LEAST; or NULL */
	double *gains;
	size_t bands;
	wsi_band *band;
	bool filters;           /* gains and divisors are wanted */
	size_t total, longest;  /* bins of all gains; of the longest response */
	double lowest, highest; /* of the grid, Hz */
} wsi_inverse;

/* bands: [count][2] Hz; NULL: one of all.  period: samples.  filters: gains and divisors are laid
 * out as well.
 * WS_E_ARG: a band without frequencies, a wavelet or reference that has no inverse. */
ws_status wsi_inverse_create(wsi_inverse *inverse, const wsi_cwt *cwt, size_t period,
                             const double *bands, size_t count, bool filters);
/* Makes gains and divisors, and what bands tell of them, where they are wanted and not there;
 * WS_E_NOMEM, WS_E_CANCELLED, and then there are none.  progress: or NULL. */
ws_status wsi_inverse_fill(wsi_inverse *inverse, const wsi_cwt *cwt, wsi_progress *progress);
/* Bytes of them, and *making of what they are made in. */
size_t wsi_inverse_tables(const wsi_inverse *inverse, size_t *making);
/* Frees them. */
void wsi_inverse_empty(wsi_inverse *inverse);
void wsi_inverse_destroy(wsi_inverse *inverse);

#endif
