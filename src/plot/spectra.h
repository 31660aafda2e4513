/*
 * spectra.h - the spectra of the modes of all channels, between reading and
 * drawing.
 */
#ifndef WSI_PLOT_SPECTRA_H
#define WSI_PLOT_SPECTRA_H

#include <stdbool.h>
#include <stddef.h>

#include "plot/axis.h"
#include "plot/bands.h"
#include "plot/layout.h"
#include "plot/plot.h"

/* The number of a mode over its curve: middle and baseline, in pixels. */
typedef struct wsi_spectra_number {
	char text[24];
	double x, y, width;    /* 0 wide: the curve does not show */
} wsi_spectra_number;

typedef struct wsi_spectra {
	const wsi_plot_data *data;
	wsi_kept kept;         /* all that it holds */
	size_t rows;           /* signal, then as many modes as any channel has */
	bool one_unit;         /* else densities are over the power of each channel's signal */
	wsi_frequency_unit unit;
	wsi_bands bands;
	double *density;       /* [channel][row][band] */
	double *shape;         /* likewise; NaN where there is no power */
	double *mean_density;  /* [row][band], over all channels */
	double *mean_shape;    /* likewise, over the channels that have the mode */
	/* Overlaps of spectra (bands.h), per row; NaN where there is none, or where
	 * the mode is too slow for rows of this length: */
	double *overlap;       /* of a mode in two channels, mean over all pairs */
	double *mixing;        /* of a mode and the next of a channel, mean over channels */
	wsi_layout layout;
	wsi_axis frequency;
	wsi_spectra_number *numbers; /* [row], of the modes; made by wsi_spectra_measure */
} wsi_spectra;

/* Of a channel, whether it has the mode: its row of density or shape. */
bool wsi_spectra_has(const wsi_spectra *spectra, size_t channel, size_t row);
double *wsi_spectra_row(const wsi_spectra *spectra, double *rows, size_t channel, size_t row);

/* Reads every row of data, which wsi_plot_check passed and stays borrowed; path
 * serves messages.  Free what it makes; on failure nothing is held. */
ws_status wsi_spectra_make(wsi_spectra *spectra, const wsi_plot_data *data, const char *path);
void wsi_spectra_free(wsi_spectra *spectra);

/* Where everything stands in the figure (spectra_draw.c). */
ws_status wsi_spectra_measure(wsi_spectra *spectra, const wsi_sheet *sheet);

#endif
