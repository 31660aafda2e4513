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

/* The figures of a channel: modes is [n_modes][n]; a share is the variance of
 * a mode over the sum of those of all modes and the residue, or 0 where the
 * sum is 0. */
void wsi_channel_stats(const void *modes, size_t n_modes, const void *residue, ws_type type,
                       size_t n, double fs, double *mean_frequency, double *share,
                       double *residue_share);

#endif
