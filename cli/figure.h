/*
 * figure.h - the picture of --plot and of wavesift plot.
 *
 * While a decomposition runs, the channels to be drawn are put aside in a
 * nameless file beside the figure; they are drawn when the result is whole.
 */
#ifndef CLI_FIGURE_H
#define CLI_FIGURE_H

#include "family.h"
#include "hht_figure.h"
#include "io/result.h"
#include "io/spool.h"
#include "plot/axis.h"
#include "scalogram.h"

#define CLI_FIGURE_ROWS 64       /* of a channel, beside the signal, at most */

typedef struct cli_figure {
	const char *path;
	size_t n, *channels;     /* among the selected, rising */
	size_t most;             /* rows that a channel may have: those of the main arrays */
	size_t *rows;            /* [n] that it has */
	ws_mode_figures **figures; /* [n][mode]; NULL where the rows are no modes */
	char labels[CLI_FIGURE_ROWS][32]; /* of rows that are no modes */
	bool of_modes, measured, spectra, open;
	bool masks;              /* the picture is of masks, and needs nothing else of this */
	bool colours;            /* the picture is a scalogram: what follows, and nothing above but
	                            path, n and channels */
	cli_scalogram scalogram;
	bool all;                /* channels, unless some are chosen */
	bool analysed;           /* the picture is of figures of hht: likewise */
	cli_hht_figure hht;
	ws_type type;
	wsi_spool spool;         /* [n][1 + most][time]: the signal, then its rows */
} cli_figure;

/* What forbids a figure of this name, once the inputs are open: WS_E_ARG where it has no ending of
 * a figure, or is an input; WS_E_EXISTS; WS_E_IO where its folder cannot have it. */
ws_status cli_figure_check(const cli_args *args, const char *path);

/* The options of a result, frequencies in the unit of the picture, and which epoch is drawn; 0: it
 * has none. */
const char *cli_figure_subtitle(const char *options, wsi_frequency_unit unit, int epoch,
                                char text[320]);

/* Of n channels the first so many are drawn where none are chosen. */
size_t cli_figure_channels(size_t n, bool spectra);

/* What cli_figure_open would refuse, creating nothing. */
ws_status cli_figure_rehearse(const cli_outcome *o);

/* The figure that o->args ask for. */
ws_status cli_figure_open(cli_figure *f, const cli_outcome *o);
/* Keeps what a channel that is the figure's has; family: for the figures of its modes. */
ws_status cli_figure_put(cli_figure *f, const cli_outcome *o, const cli_family *family,
                         const ws_channel_result *result);
ws_status cli_figure_draw(cli_figure *f, const cli_outcome *o, const wsi_provenance *p);
/* A closed or zeroed one is fine. */
void cli_figure_close(cli_figure *f);

#endif
