/*
 * chart.h - panels of curves, points and bands over common horizontal axes, each axis linear or
 * logarithmic.
 */
#ifndef WSI_PLOT_CHART_H
#define WSI_PLOT_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "plot/plot.h"
#include "plot/series.h"

typedef struct wsi_chart {
	const wsi_plot_data *of; /* a panel for each of its channels */
	const char *x_title;
	bool x_log, y_log, x_periods; /* x_periods: of frequencies, which it tells as periods */
	const char *nothing;     /* what a panel says that has no point: "no mode" */
	const wsi_chart_panel *panels; /* one over the other */
} wsi_chart;

/* WS_E_ARG also where no panel has anything to draw; WS_E_IO, WS_E_NOSPACE, WS_E_NOMEM. */
ws_status wsi_plot_chart(const wsi_chart *chart, wsi_sheet *sheet);

#endif
