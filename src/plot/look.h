/*
 * look.h - how an array of time and frequency is drawn: what a column of the picture shows of a
 * row, what colours mean, and the words beside them.
 */
#ifndef WSI_PLOT_LOOK_H
#define WSI_PLOT_LOOK_H

#include <stdbool.h>
#include <stddef.h>

#include "plot/scalogram.h"
#include "wavesift/hht.h"

/* Is the array, or each octave of it, called so? */
bool wsi_look_called(const ws_array *a, const char *name);

/* Is it of cells like those that are drawn in colours, to draw lines over them: levels, p of
 * clusters? */
bool wsi_look_of_lines(const ws_array *a);

/* ---- Columns --------------------------------------------------------------------------------- */

/* The mean over each column; of phases, which have none, the first; of masks that of magnitudes. */
void wsi_look_average(const void *row, const ws_array *a, size_t columns, float *out);

/* The same of an octave, which has one output for `every` samples: on a line between two of them
 * where columns are shorter.  The picture has so many samples, behind those skipped. */
void wsi_look_spread(const void *row, const ws_array *a, size_t every, size_t samples,
                     size_t skipped, size_t columns, float *out);

/* The least and the largest sample of each column, [2][columns]. */
void wsi_look_extremes(const void *row, ws_type type, size_t samples, size_t columns, float *out);

/* ---- Colours and words ----------------------------------------------------------------------- */

/* What colours mean, the array's name for people, and its unit where the channel's does not tell
 * it.  hht: the options of a Hilbert-Huang spectrum; else NULL. */
void wsi_look_choose(const ws_array *a, const ws_hht_opts *hht, ws_baseline baseline,
                     wsi_scalogram *figure);

/* A density for each Hz becomes one for each unit of the axis of frequencies: 1/year.  values:
 * those of the figure; text: the unit's name, borrowed by it. */
void wsi_look_take_unit(wsi_scalogram *figure, float *const *values, char text[32]);

#endif
