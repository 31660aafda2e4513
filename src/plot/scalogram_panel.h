/* scalogram_panel.h - the panel of a channel of a scalogram. */
#ifndef WSI_PLOT_SCALOGRAM_PANEL_H
#define WSI_PLOT_SCALOGRAM_PANEL_H

#include "plot/axis.h"
#include "plot/draw.h"
#include "plot/scalogram_colours.h"

/* Between a panel and the signal over it; the width of a colour bar, and its distance. */
#define WSI_SCALOGRAM_OVER    6.0
#define WSI_SCALOGRAM_BAR     11.0
#define WSI_SCALOGRAM_BAR_GAP 14.0

typedef struct wsi_scalogram_panel {
	const wsi_scalogram *s;
	size_t channel;
	wsi_box box;
	double range[2];
	const wsi_axis *frequency;
	double over;            /* height of what stands over it */
	double unit;            /* s: cycles of a second are as many of the axis */
	double pixels;          /* of the image, per unit of length */
} wsi_scalogram_panel;

/* Draws it; its range is found, unless all panels share one. */
ws_status wsi_scalogram_draw_panel(wsi_scalogram_panel *p, cairo_t *cr);

#endif
