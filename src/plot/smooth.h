/* smooth.h - values over time and frequency, spread over their neighbours for a figure. */
#ifndef WSI_PLOT_SMOOTH_H
#define WSI_PLOT_SMOOTH_H

#include <stdbool.h>
#include <stddef.h>

#include "wavesift/wavesift.h"

typedef struct wsi_smoothing {
	double columns, rows;    /* standard deviations of the Gaussian */
	const double *weight; /* [rows] of a value in the sum that stays: widths of bins; NULL: 1 */
	bool amplitude;          /* their squares are spread */
	const size_t *cuts; /* [n_cuts] columns, rising, that begin a segment: nothing passes */
	size_t n_cuts;
} wsi_smoothing;

/* values [rows][columns]: the weighted sum of each segment stays, as no value is lost at an edge.
 * WS_E_NOMEM. */
ws_status wsi_smooth(float *values, size_t rows, size_t columns, const wsi_smoothing *how);

#endif
