/*
 * picture.h - kinds of pictures: a row each, as a transform has one.
 *
 * While a transform runs, a picture keeps what it needs of the channels to be drawn; it is drawn
 * when the result is whole.  The table in figure.c lists the kinds.  A new one is a file
 * picture_NAME.c, named there twice.
 */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "family.h"
#include "plot/axis.h"
#include "plot/plot.h"

typedef struct cli_drawn {
	const char *path;            /* of the picture */
	size_t n, *channels;         /* that are drawn: among the selected, rising */
} cli_drawn;

typedef struct cli_picture {
	int figure;                  /* cli_args.figure that asks for it */
	const char *name;            /* of that choice, where it needs a part */
	int part;                    /* of hht that it draws, WS_HHT_PART_..; 0: none */
	bool all_channels;           /* are drawn where none are chosen; else the first few */
	size_t size;                 /* of its state, which begins as zeros */

	/* Is it the transform's own picture, whatever is asked for?  NULL: no. */
	bool (*fits)(const cli_outcome *o);
	/* WS_E_ARG where transform or options do not make what it needs.  NULL: they do. */
	ws_status (*check)(const cli_outcome *o);
	/* Do so many channels fit into a picture?  NULL: it has no channels. */
	ws_status (*check_page)(const wsi_plot_data *data, const char *path);

	/* drawn is kept until close.  Where open fails, close follows.  NULL: nothing to do. */
	ws_status (*open)(void *state, const cli_outcome *o, const cli_drawn *drawn);
	ws_status (*put)(void *state, const cli_outcome *o, const ws_channel_result *r);
	ws_status (*draw)(void *state, const cli_outcome *o, const wsi_provenance *p);
	void (*close)(void *state);
} cli_picture;

/* ---- For pictures -------------------------------------------------------------------------- */

/* The place of a result's channel among those drawn; drawn->n: it is not. */
size_t cli_drawn_place(const cli_drawn *drawn, size_t channel);

/* What is known of the signals beforehand. */
wsi_plot_data cli_drawn_data(const cli_drawn *drawn, const wsi_input *in);

/* The channel that coherence compares all others with, among the selected; their number: none. */
size_t cli_drawn_against(const cli_outcome *o);

ws_status cli_drawn_no_memory(const cli_drawn *drawn);

/* The options of a result, frequencies in the unit of the picture, and which epoch is drawn; 0: it
 * has none. */
const char *cli_picture_subtitle(const char *options, wsi_frequency_unit unit, int epoch,
                                 char text[320]);
/* The same of a transform at work. */
const char *cli_outcome_subtitle(const cli_outcome *o, const wsi_provenance *p, char text[320]);

/* "Marginal spectra of eeg.edf": the title of the result, but named by what the picture shows. */
const char *cli_outcome_title(const cli_outcome *o, const wsi_provenance *p, const char *what,
                              char text[512]);

#endif
