/*
 * matrices.h - square matrices between channels as coloured cells: a panel for each mode, a row of
 * panels and a colour bar for each quantity.
 */
#ifndef WSI_PLOT_MATRICES_H
#define WSI_PLOT_MATRICES_H

#include <stddef.h>

#include "plot/plot.h"

typedef struct wsi_matrix_kind {
	const char *quantity;       /* "phase locking" */
	double low, high;           /* of the colours; low < 0: white in the middle */
	const double *const *values; /* [panel]: [size][size], row by row; NaN: there is none */
	const double *level;        /* [panel][size][size]: what is not above it is hatched, but for
	                               channels with themselves; NULL: nothing */
} wsi_matrix_kind;

typedef struct wsi_matrices {
	const wsi_plot_data *of;    /* its channels are those of the matrices */
	size_t n;                   /* panels of a kind */
	const char *const *labels;  /* [n] "mode 3, 10.2 Hz" */
	const char *none;           /* what NaN means: "no such mode" */
	size_t n_kinds;
	const wsi_matrix_kind *kinds;
} wsi_matrices;

/* Most panels of a kind. */
#define WSI_MATRICES 24

/* WS_E_ARG, WS_E_IO, WS_E_NOSPACE, WS_E_NOMEM. */
ws_status wsi_plot_matrices(const wsi_matrices *figure, wsi_sheet *sheet);

#endif
