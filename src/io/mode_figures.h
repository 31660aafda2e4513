/*
 * mode_figures.h - the figures of modes that results and summaries give, by name.
 */
#ifndef WSI_IO_MODE_FIGURES_H
#define WSI_IO_MODE_FIGURES_H

#include <stddef.h>

#include "wavesift/wavesift.h"

/* One number a mode, each an array of a result. */
typedef enum wsi_figure_kind {
	WSI_FREQUENCY, WSI_BAND_LOW, WSI_BAND_HIGH, WSI_HALF_WAVES, WSI_EFFECTIVE_HALF_WAVES,
	WSI_CROSSING_FREQUENCY, WSI_VARIANCE_SHARE, WSI_FIGURES
} wsi_figure_kind;

extern const char *const wsi_figure_names[WSI_FIGURES];

/* Of a channel: modes is [n_modes][n], figures [n_modes + 1] with the residue last.
 * Errors as of ws_mode_stats. */
ws_status wsi_channel_figures(const void *modes, size_t n_modes, const void *residue, ws_type type,
                              size_t n, double fs, ws_mode_figures *figures);

/* out[n_modes] of such figures. */
void wsi_figure_values(wsi_figure_kind kind, const ws_mode_figures *figures, size_t n_modes,
                       double *out);

/* The variance of row `row` over the sum of those of all modes and the residue
 * (row n_modes), or 0 where the sum is 0. */
double wsi_variance_share(const ws_mode_figures *figures, size_t n_modes, size_t row);

#endif
