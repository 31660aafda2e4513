/*
 * scalogram.h - the picture of a wavelet transform: colour over time and frequency, a panel for
 * each channel, with its colour bar.
 */
#ifndef WSI_PLOT_SCALOGRAM_H
#define WSI_PLOT_SCALOGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "plot/plot.h"

/* What colours mean, and how they are chosen. */
typedef enum wsi_scalogram_colours {
	WSI_COLOURS_LINEAR,      /* from 0 on; of values without a `unit` of their own as decibels
	                            where most are much smaller than the largest */
	WSI_COLOURS_DECIBEL,     /* of power: values are drawn as 10 log10 of them */
	WSI_COLOURS_SIGNED,      /* about 0, which is pale, as far to either side */
	WSI_COLOURS_SPARSE,      /* likewise; where there is nothing the paper shows */
	WSI_COLOURS_CYCLE        /* of phase: -pi .. pi, both ends alike */
} wsi_scalogram_colours;

typedef struct wsi_scalogram {
	const wsi_plot_data *of;   /* a panel for each of its channels */
	const char *quantity;      /* "magnitude" */
	const char *unit;          /* of it; NULL: it follows from the channel's and the colours */
	const char *reference;     /* of decibels, after the sample's unit: "/Hz"; or NULL */
	bool amplitude;            /* of decibels: values are no power, and decibels 20 log10 of
	                              them */
	wsi_scalogram_colours colours;
	double range[2];           /* of the colours, as their bar has it; both 0: as values need */
	bool fades;                /* of WSI_COLOURS_SPARSE, what is below the first colour shows
	                              the paper */
	bool linear_colours;       /* whatever values are: no decibels */
	bool shared;               /* then: the same in all panels */
	size_t n_frequencies;
	const double *frequency;   /* Hz, in any order */
	bool linear;               /* false: log axis */
	bool periods;              /* the axis tells periods, not frequencies */
	const char *axis_title;    /* of what they are, if not frequencies; else NULL */
	const double *cone;        /* [n_frequencies] s from either end; or NULL */
	double before, after;      /* s between these ends and those of the picture */
	const float *const *contour; /* [channel]: [n_frequencies][columns] values on which a line is
	                              drawn; or NULL */
	const float *const *cluster; /* [channel]: likewise p of clusters: a thick line surrounds
	                              those of WSI_CLUSTER_P or less; or NULL */
	size_t columns;            /* of values, which share the duration evenly */
	const float *const *values; /* [channel]: [n_frequencies][columns] */
	const float *const *signal; /* [channel]: [2][signal_columns] least and largest sample of
	                              each column, drawn over the picture; or NULL */
	size_t signal_columns;
} wsi_scalogram;

#define WSI_CLUSTER_P 0.05

/* Most panels of a figure. */
#define WSI_SCALOGRAM_PANELS 32

/* Columns that a figure can show. */
#define WSI_SCALOGRAM_COLUMNS 1600

/* WS_E_ARG, WS_E_IO, WS_E_NOSPACE, WS_E_NOMEM. */
ws_status wsi_plot_scalogram(const wsi_scalogram *s, wsi_sheet *sheet);

#endif
