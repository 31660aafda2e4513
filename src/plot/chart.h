/*
 * chart.h - panels of curves, points and bands over common horizontal axes, each axis linear or
 * logarithmic.
 */
#ifndef WSI_PLOT_CHART_H
#define WSI_PLOT_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "plot/plot.h"
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

typedef struct wsi_chart {
	const wsi_plot_data *of; /* a panel for each of its channels */
	const char *x_title;
	bool x_log, y_log;
	const char *nothing;     /* what a panel says that has no point: "no mode" */
	const wsi_chart_panel *panels; /* one over the other */
} wsi_chart;

/* WS_E_ARG also where no panel has anything to draw; WS_E_IO, WS_E_NOSPACE, WS_E_NOMEM. */
ws_status wsi_plot_chart(const wsi_chart *chart, wsi_sheet *sheet);

#endif
