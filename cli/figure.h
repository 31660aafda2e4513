/*
 * figure.h - the picture of --plot and of wavesift plot.
 *
 * While a decomposition runs, the channels to be drawn are put aside in a
 * nameless file beside the figure; they are drawn when the result is whole.
 */
#ifndef CLI_FIGURE_H
#define CLI_FIGURE_H

#include "args.h"
#include "input.h"
#include "io/result.h"
#include "io/spool.h"

typedef struct cli_figure {
	const char *path;
	size_t n, *channels;     /* among the selected, rising */
	size_t *modes;           /* [n] of those put aside */
	ws_mode_figures **figures; /* [n][modes] */
	wsi_spool spool;
	ws_type type;
	bool spectra, open;
} cli_figure;

/* WS_E_ARG, WS_E_EXISTS where path cannot be a figure. */
ws_status cli_figure_check(const char *path, bool overwrite);

/* The options of a result, and which epoch is drawn; 0: it has none. */
const char *cli_figure_subtitle(const char *options, int epoch, char text[320]);

/* Prints the name and the size of a figure that is drawn. */
void cli_figure_tell(const char *path);

/* Of n channels the first so many are drawn where none are chosen. */
size_t cli_figure_channels(size_t n, bool spectra);

/* What cli_figure_open would refuse, creating nothing. */
ws_status cli_figure_rehearse(const char *path, const char *list, bool spectra,
                              const wsi_input *in);

/* list: --plot-channels or NULL. */
ws_status cli_figure_open(cli_figure *f, const char *path, const char *list, bool spectra,
                          const wsi_input *in, ws_type type);
/* Keeps the channel if it is one of the figure's. */
ws_status cli_figure_put(cli_figure *f, const ws_channel_result *result,
                         const ws_mode_figures *figures);
ws_status cli_figure_draw(cli_figure *f, const wsi_input *in, const char *title,
                          const char *options);
/* A closed or zeroed one is fine. */
void cli_figure_close(cli_figure *f);

#endif
