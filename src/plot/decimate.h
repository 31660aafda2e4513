/*
 * decimate.h - a row reduced to what a picture can show.
 *
 * The row is cut into as many stretches as the picture has columns; of each
 * its smallest and its largest sample stay, in their order, at a quarter and
 * three quarters of the stretch: an even comb leaves no slits between the
 * columns of a dense row.  No extreme is lost.  Rows of at most two samples a
 * column stay whole.
 */
#ifndef WSI_PLOT_DECIMATE_H
#define WSI_PLOT_DECIMATE_H

#include <stddef.h>

#include "wavesift/wavesift.h"

typedef struct wsi_point {
	double at;     /* time, in samples */
	double value;
} wsi_point;

/* The points of one row and the state of filling them. */
typedef struct wsi_trace {
	wsi_point *points;  /* [wsi_trace_points()], the caller's */
	size_t n;
	double lo, hi;      /* extremes of the row */
	/* Of the stretch being read: */
	size_t samples, columns;
	size_t column, next;      /* its number; first sample of the one after */
	wsi_point least, most;
} wsi_trace;

/* Points that a row of samples can leave on columns. */
size_t wsi_trace_points(size_t samples, size_t columns);

/* samples and columns at least 1. */
void wsi_trace_start(wsi_trace *trace, size_t samples, size_t columns, wsi_point *points);

/* Takes samples first .. first + count - 1; blocks in order, all of the row.
 * WS_E_FORMAT: a sample is not finite or beyond 1e300; *bad is its number. */
ws_status wsi_trace_push(wsi_trace *trace, const double *x, size_t first, size_t count,
                         size_t *bad);

#endif
