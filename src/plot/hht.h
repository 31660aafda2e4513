/*
 * hht.h - figures of a Hilbert-Huang analysis: marginal spectra beside Welch's, modes against
 * noise, modes between channels, and holospectra.
 *
 * What they need while they are drawn comes of `kept`, which the caller frees.
 */
#ifndef WSI_PLOT_HHT_H
#define WSI_PLOT_HHT_H

#include <stddef.h>

#include "base/kept.h"
#include "plot/plot.h"
#include "wavesift/hht.h"

/* ---- Curves, a panel for each channel -------------------------------------------------------- */

typedef struct wsi_hht_channel {
	size_t modes;
	double *marginal, *mode_marginal;     /* [bin], [mode][bin] */
	double *energy, *period, *low, *high; /* [mode] */
	double *p_any;                        /* [mode]; NULL: there is none */
	int32_t model;                        /* ws_background of noise that was fitted */
	double slope;
	double *welch;                        /* [band]; NULL: none */
	double *limits;                       /* [2][bin] mean and deviation; NULL: none */
} wsi_hht_channel;

typedef struct wsi_hht_curves {
	const wsi_plot_data *of;
	const ws_hht_opts *opts;
	const wsi_hht_channel *channels; /* those of `of` */
	size_t bins, bands;      /* bands: of Welch's spectra; 0: there are none */
	const double *bin, *band; /* [bins], [bands] their frequencies, Hz */
	wsi_kept *kept;
} wsi_hht_curves;

/* As of wsi_plot_chart(). */
ws_status wsi_plot_marginal(const wsi_hht_curves *figure, wsi_sheet *sheet);
ws_status wsi_plot_significance(const wsi_hht_curves *figure, wsi_sheet *sheet);

/* ---- Modes between channels ------------------------------------------------------------------ */

typedef struct wsi_hht_pairs {
	const wsi_plot_data *of;
	size_t modes;            /* of the channel with the most */
	const size_t *modes_of;  /* [channel] */
	double *values[2];       /* [mode][channel][channel] phase locking, and the correlation of
	                            amplitudes; where a channel has no such mode they become NaN */
	const double *level;     /* of the same shape: of phase locking, NaN: none; NULL: of none */
	double chance;           /* share of unrelated channels that are above it */
	const double *frequency; /* [mode] sum over the channels that have it, Hz */
	const size_t *having;    /* [mode] how many these are */
	wsi_kept *kept;
} wsi_hht_pairs;

/* As of wsi_plot_matrices(). */
ws_status wsi_plot_connectivity(const wsi_hht_pairs *figure, wsi_sheet *sheet);

/* ---- Waves and their modulation, a panel for each channel ------------------------------------ */

typedef struct wsi_holospectra {
	const wsi_plot_data *of;
	const ws_hht_opts *opts;
	size_t bins, modulations;
	const double *bin, *modulation; /* their frequencies, Hz */
	double *values;          /* [channel][bin][modulation]; they take the picture's unit */
	wsi_kept *kept;
} wsi_holospectra;

/* As of wsi_plot_plane(). */
ws_status wsi_plot_holospectra(const wsi_holospectra *figure, wsi_sheet *sheet);

#endif
