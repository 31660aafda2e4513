/*
 * figure.h - the figure of a decomposition, between reading and drawing.
 */
#ifndef WSI_PLOT_FIGURE_H
#define WSI_PLOT_FIGURE_H

#include <cairo.h>

#include "base/kept.h"
#include "plot/axis.h"
#include "plot/decimate.h"
#include "plot/layout.h"
#include "plot/plot.h"

typedef struct wsi_cell {
	wsi_trace trace;   /* no points: the channel has no such mode */
	wsi_trace ends[2]; /* of the interval about it, below and above; no points: it has none */
	wsi_axis axis;     /* no ticks: no channel of its scale has such a mode */
} wsi_cell;

typedef struct wsi_figure {
	const wsi_plot_data *data;
	const wsi_sheet *sheet;
	size_t rows;       /* signal, as many modes as any channel has, residue */
	size_t per_page;   /* channels */
	size_t first;      /* channel of the page that is drawn */
	wsi_kept kept;     /* cells and their points */
	wsi_cell *cells;   /* [channel][row] */
	size_t scale[WSI_MOST_CHANNELS];   /* per channel: the first one of its scale */
	bool has_axis[WSI_MOST_CHANNELS + WSI_COLUMNS]; /* per channel: not the scale of the one
	                                                   before, or the first of its page */
	wsi_layout layout;
	wsi_axis time;
	const char *time_title;
} wsi_figure;

wsi_cell *wsi_figure_cell(const wsi_figure *figure, size_t channel, size_t row);

/* Is it the last row, and a residue? */
bool wsi_figure_is_residue(const wsi_figure *figure, size_t row);

/* "signal", "IMF 1", "residue" */
void wsi_figure_label(const wsi_figure *figure, size_t row, char *out, size_t size);

/* What stands below the label: the frequency of a single channel's mode, "aligned 0.98" of modes of
 * several; "" where nobody knows. */
void wsi_figure_below(const wsi_figure *figure, size_t row, char *out, size_t size);

/* Fills scale, has_axis and the axes of cells that are read. */
void wsi_figure_scale(wsi_figure *figure);

/* The page of channel `first`. */
void wsi_figure_draw(const wsi_figure *figure, cairo_t *cr, bool titled);

#endif
