/*
 * wavelets.h - the picture of wavelets: a row for each, on the left its weights in time, on the
 * right what tones give, both on axes of their own with the wavelet's width shaded.
 */
#ifndef WSI_PLOT_WAVELETS_H
#define WSI_PLOT_WAVELETS_H

#include <stdbool.h>
#include <stddef.h>

#include "plot/plot.h"

#define WSI_WAVELET_ROWS 5

typedef struct wsi_wavelet_drawn {
	double frequency, width_time, width_frequency;
	bool shaded;             /* the ends reach all of the signal */
	size_t number;           /* of the frequency, from 1 */
	double first, step;      /* of the weights, in samples from the coefficient's own */
	size_t n;
	const double *re, *im;   /* [n] */
	double low, high;        /* Hz, low < high */
	size_t points;           /* evenly from low to high, both included; at least 2 */
	const double *magnitude; /* [points] of a tone of amplitude 1 */
} wsi_wavelet_drawn;

typedef struct wsi_wavelet_figure {
	const wsi_plot_data *of; /* has no channels */
	size_t n, all;           /* wavelets that are drawn, at most WSI_WAVELET_ROWS; all */
	const wsi_wavelet_drawn *wavelets;
} wsi_wavelet_figure;

/* WS_E_ARG, WS_E_IO, WS_E_NOSPACE, WS_E_NOMEM. */
ws_status wsi_plot_wavelets(const wsi_wavelet_figure *f, wsi_sheet *sheet);

#endif
