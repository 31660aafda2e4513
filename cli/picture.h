/*
 * picture.h - kinds of pictures: a row each, as a transform has one.
 *
 * While a transform runs, a picture keeps what it needs of the channels to be drawn; it is drawn
 * when the result is whole.  The table in figure.c lists the kinds.  A new one is a file
 * picture_NAME.c, named there twice.
 */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "base/kept.h"
#include "family.h"
#include "plot/plot.h"

typedef struct cli_drawn {
	const char *path;            /* of the picture */
	size_t n, *channels;         /* that are drawn: among the selected, rising */
	wsi_kept kept;               /* what the picture takes, until it is closed */
} cli_drawn;

typedef struct cli_picture {
	int figure;                  /* cli_args.figure that asks for it */
	const char *name;            /* of that choice, where it needs a part */
	const char *title;           /* in the place of the transform's: "Marginal spectra", of
	                                eeg.edf; NULL: the result's */
	int part;                    /* of hht that it draws, WS_HHT_PART_..; 0: none */
	bool all_channels;           /* are drawn where none are chosen; else the first few */
	bool colours, decibels;      /* --clim and its like mean something for it; --db does */
	bool frequencies;            /* it has an axis of them: --period does */
	size_t size;                 /* of its state, which begins as zeros */

	/* Is it the transform's own picture, whatever is asked for?  NULL: no. */
	bool (*fits)(const cli_outcome *o);
	/* WS_E_ARG where transform or options do not make what it needs.  NULL: they do. */
	ws_status (*check)(const cli_outcome *o);
	/* Do so many channels fit into a picture?  NULL: it has no channels. */
	ws_status (*check_page)(const wsi_plot_data *data, const char *path);

	/* d is the same in all calls.  Where open fails, close follows.  NULL: nothing to do. */
	ws_status (*open)(void *state, const cli_outcome *o, cli_drawn *d);
	/* Of the i-th channel that is drawn. */
	ws_status (*put)(void *state, const cli_outcome *o, cli_drawn *d, size_t i,
	                 const ws_channel_result *r);
	/* what is of, complete, may be changed. */
	ws_status (*draw)(void *state, const cli_outcome *o, cli_drawn *d, wsi_plot_data *of,
	                  wsi_sheet *sheet);
	void (*close)(void *state);
} cli_picture;

/* ---- For pictures -------------------------------------------------------------------------- */

/* n elements, zeros, until the picture is closed. */
#define CLI_DRAWN_NEW(d, n, type) ((type *)wsi_kept_new(&(d)->kept, (n), sizeof(type)))

/* Was there memory for all?  WS_E_NOMEM. */
ws_status cli_drawn_check(const cli_drawn *d);

/* WS_E_ARG where --clim or another option is given that a figure of this kind does not know. */
ws_status cli_picture_look_check(const cli_args *args, const cli_picture *kind);

/* The channel that coherence compares all others with, among the selected; their number: none. */
size_t cli_drawn_against(const cli_outcome *o);

/* The options of a result, of those that are told by name the first and those that its command line
 * gave, frequencies in the unit of the picture, and which epoch is drawn; 0: it has none.  command:
 * NULL or "": not known. */
const char *cli_picture_subtitle(const char *options, const cli_command *of, const char *command,
                                 wsi_frequency_unit unit, int epoch, char text[320]);

/* Adds to it how many channels of how many are drawn, if not all are. */
void cli_picture_tell_channels(char text[320], size_t shown, size_t all);

#endif
