/*
 * plane.h - values over a plane of two axes, such as two frequencies, as coloured cells: a panel
 * for each channel, and one colour bar, whose scale is logarithmic.
 */
#ifndef WSI_PLOT_PLANE_H
#define WSI_PLOT_PLANE_H

#include <stdbool.h>
#include <stddef.h>

#include "plot/plot.h"

/* An axis of cells: cell i from edges[i] to edges[i + 1]. */
typedef struct wsi_plane_axis {
	const char *title;
	size_t n;
	const double *edges;        /* [n + 1] ascending; of a logarithmic axis above 0 */
	bool log;
} wsi_plane_axis;

typedef struct wsi_plane {
	const wsi_plot_data *of;    /* a panel for each of its channels */
	const char *quantity;       /* of the values, with its unit */
	wsi_plane_axis across, up;
	const double *const *values; /* [panel]: [across][up]; what is not above 0 is paper */
	double share;               /* of the largest value of all: what is below has the palest
	                               colour */
	const char *diagonal;       /* what the line says on which both axes are equal; NULL: no
	                               line */
} wsi_plane;

/* Most panels of a figure. */
#define WSI_PLANES 24

/* WS_E_ARG also where there is nothing to draw; WS_E_IO, WS_E_NOSPACE, WS_E_NOMEM. */
ws_status wsi_plot_plane(const wsi_plane *figure, wsi_sheet *sheet);

#endif
