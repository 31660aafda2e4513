/*
 * hht_figure.h - the pictures of figures that a Hilbert-Huang analysis gives each channel: marginal
 * spectra beside Welch's, modes against white noise, modes between channels, and holospectra.
 */
#ifndef CLI_HHT_FIGURE_H
#define CLI_HHT_FIGURE_H

#include "connectivity.h"
#include "family.h"
#include "holospectrum.h"
#include "io/result.h"

/* What is kept of a channel. */
typedef struct cli_hht_channel {
	size_t modes;
	double *marginal, *mode_marginal;  /* [bin], [mode][bin] */
	double *energy, *period, *low, *high; /* [mode] */
	double *welch;                     /* [band]; NULL: none */
	double *limits;                    /* [2][bin] mean and deviation; NULL: none */
} cli_hht_channel;

typedef struct cli_hht_figure {
	const char *path;
	int what;                          /* cli_args.figure */
	size_t n, *channels;               /* among the selected, rising; borrowed */
	size_t bins, most;
	cli_hht_channel *of;               /* [n] */
	struct cli_hht_welch *welch;       /* NULL: the figure has none */
	cli_connectivity connectivity;     /* the figure; then nothing above but what */
	cli_holospectrum holospectrum;     /* likewise */
} cli_hht_figure;

/* Is args->figure one of these? */
bool cli_hht_figure_asked(const cli_args *args);
/* Makes the options give what the figure needs, where they leave the choice. */
void cli_hht_figure_prepare(const cli_args *args);
/* WS_E_ARG where it is not of this transform, or needs arrays that the options leave out. */
ws_status cli_hht_figure_check(const cli_outcome *o);

/* channels: [n] of the selected, kept until close. */
ws_status cli_hht_figure_open(cli_hht_figure *f, const cli_outcome *o, size_t *channels, size_t n);
ws_status cli_hht_figure_put(cli_hht_figure *f, const cli_outcome *o, const ws_channel_result *r);
ws_status cli_hht_figure_draw(cli_hht_figure *f, const cli_outcome *o, const wsi_provenance *p);
/* A closed or zeroed one is fine. */
void cli_hht_figure_close(cli_hht_figure *f);

#endif
