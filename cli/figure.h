/* figure.h - the picture of --plot: which kind it is, its channels, and its way to a file. */
#ifndef CLI_FIGURE_H
#define CLI_FIGURE_H

#include "picture.h"

typedef struct cli_figure {
	const cli_picture *kind;     /* NULL: no picture is asked for */
	cli_drawn drawn;
	void *state;                 /* the kind's */
} cli_figure;

/* --title, in place of a figure's own; both are "" of none. */
void cli_figure_title(const cli_args *args, const char **title, const char **subtitle);

/* What forbids a figure of this name, or its size: WS_E_ARG where it has no ending of a figure;
 * WS_E_EXISTS; WS_E_IO where its folder cannot have it. */
ws_status cli_figure_check(const cli_args *args, const char *path);

/* Of n channels the first so many are drawn where none are chosen. */
size_t cli_figure_channels(size_t n, bool all);

/* What channels are chosen from, and how it is told. */
typedef struct cli_choice {
	size_t n;
	const char *const *names;
	const char *option, *where;  /* as of wsi_select() */
	bool all;                    /* are drawn where none are chosen */
	size_t without;              /* but for this one; n: for none */
} cli_choice;

/* Those of a list, in its order; of NULL the first.  *chosen is the caller's to free. */
ws_status cli_figure_choose(const char *list, const cli_choice *from, size_t **chosen, size_t *n);

/* Makes the options give what the figure needs, where they leave the choice. */
void cli_figure_prepare(const cli_args *args);

/* What cli_figure_open would refuse, creating nothing. */
ws_status cli_figure_rehearse(const cli_outcome *o);

/* The figure that o->args ask for. */
ws_status cli_figure_open(cli_figure *f, const cli_outcome *o);
/* The same without a place to keep anything: it tells which channels are drawn. */
ws_status cli_figure_look(cli_figure *f, const cli_outcome *o);
/* Is a channel, numbered through all epochs, drawn? */
bool cli_figure_wants(const cli_figure *f, size_t channel);
/* Keeps what a channel that is the figure's has. */
ws_status cli_figure_put(cli_figure *f, const cli_outcome *o, const ws_channel_result *result);
/* title, options: of the result. */
ws_status cli_figure_draw(cli_figure *f, const cli_outcome *o, const char *title,
                          const char *options, wsi_sheet *sheet);
/* Where status is WS_OK, and path may be written: draws there, and says so.  The exit status. */
int cli_figure_make(const cli_args *args, const char *path, ws_status status,
                    ws_status (*draw)(void *user, wsi_sheet *sheet), void *user);
/* A closed or zeroed one is fine. */
void cli_figure_close(cli_figure *f);

#endif
