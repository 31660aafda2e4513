/* series.h - curves, points and bands of a panel of a chart. */
#ifndef WSI_PLOT_SERIES_H
#define WSI_PLOT_SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "plot/style.h"

/* Points that are not finite, or not above 0 on a logarithmic axis, interrupt a curve. */
typedef struct wsi_series {
	const char *label;       /* in the legend of the first panel; NULL: none */
	const char *name;        /* beside the curve's largest value, or NULL */
	wsi_colour colour;
	double width;            /* of the curve; 0: dots */
	size_t n;
	const double *x, *y;
	const double *low;       /* [n]: instead of a curve the band from low to y; or NULL */
	const char *const *names; /* [n] beside the dots, or NULL */
	const bool *hollow;      /* [n]: dots that are circles, or NULL */
} wsi_series;

typedef struct wsi_chart_panel {
	const char *quantity;    /* of the vertical axis, with its unit */
	size_t n;
	const wsi_series *series; /* later ones on top */
	double x_low, x_high;    /* what is drawn; the vertical axis holds what lies in it */
	double y_least;          /* share of the largest value that is still drawn */
} wsi_chart_panel;

#endif
