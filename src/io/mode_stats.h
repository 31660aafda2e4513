/*
 * mode_stats.h - the two figures that a result and a summary give of a mode.
 */
#ifndef WSI_IO_MODE_STATS_H
#define WSI_IO_MODE_STATS_H

#include <stddef.h>

#include "wavesift/wavesift.h"

/* Mean frequency of row[n]: half its sign changes over its duration n / fs;
 * zeros take the sign before them.  Variance: about the mean, divided by n.
 * Either pointer may be NULL; n = 0 gives 0 and 0. */
void wsi_mode_stats(const void *row, ws_type type, size_t n, double fs,
                    double *mean_frequency, double *variance);

#endif
