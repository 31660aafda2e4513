/* boxplot.h - box plots of groups of numbers beside each other. */
#ifndef WSI_PLOT_BOXPLOT_H
#define WSI_PLOT_BOXPLOT_H

#include <stddef.h>

#include "plot/sheet.h"
#include "plot/tukey.h"

typedef struct wsi_box_group {
	char label[24];
	double *values;       /* [summary.n], rising */
	wsi_tukey summary;
} wsi_box_group;

typedef struct wsi_boxplot {
	const char *title, *subtitle;
	const char *quantity;     /* what the numbers are */
	const char *axis_title;   /* what the groups are */
	double top;               /* largest possible number, kept in the picture */
	size_t n_groups;
	const wsi_box_group *groups;
} wsi_boxplot;

/* As the figures of plot.h; groups of fewer than 5 numbers show each of them, and of many there are
 * several rows below each other.
 * WS_E_ARG also where there are no numbers. */
ws_status wsi_plot_boxes(const wsi_boxplot *plot, wsi_sheet *sheet);

#endif
