/* scalogram_colours.h - a scalogram (scalogram.h), and what its colours stand for. */
#ifndef WSI_PLOT_SCALOGRAM_COLOURS_H
#define WSI_PLOT_SCALOGRAM_COLOURS_H

#include <stdbool.h>
#include <stddef.h>

#include "plot/draw.h"
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
	const float *const *contour; /* [channel]: [n_frequencies][columns] values on which a line
	                              is drawn; or NULL */
	const float *const *cluster; /* [channel]: likewise p of clusters: a thick line surrounds
	                              those of WSI_CLUSTER_P or less; or NULL */
	size_t columns;            /* of values, which share the duration evenly */
	const float *const *values; /* [channel]: [n_frequencies][columns] */
	const float *const *signal; /* [channel]: [2][signal_columns] least and largest sample of
	                              each column, drawn over the picture; or NULL */
	size_t signal_columns;
} wsi_scalogram;

#define WSI_CLUSTER_P 0.05

/* That of a share of the range, of a wsi_scalogram: a wsi_draw_share. */
wsi_colour wsi_scalogram_colour(const void *scalogram, double share);
/* Do colours stand for decibels?  A value as they do. */
bool wsi_scalogram_in_decibels(const wsi_scalogram *s);
double wsi_scalogram_shown(const wsi_scalogram *s, float value);
/* Does value i of a channel tell of the recording, rather than of what stands beside it? */
bool wsi_scalogram_within_cone(const wsi_scalogram *s, size_t i);

/* *wants becomes true where few values of a channel would take all colours. */
ws_status wsi_scalogram_wants_decibels(const wsi_scalogram *s, size_t channel, bool *wants);
/* What the first and the last colour stand for: of a channel, and the widest of all panels. */
ws_status wsi_scalogram_range_of(const wsi_scalogram *s, size_t channel, double range[2]);
ws_status wsi_scalogram_range(const wsi_scalogram *s, double range[2]);

#endif
