/*
 * similarity.h - the similarity index of two results,
 *
 *     rho = cov(a, b) / sqrt(var a var b)
 *
 * mode by mode and channel by channel; 1 where both are constant and so have
 * no shape to differ in.
 *
 * or of modes that were matched in their order (ws_match_modes()), where a mode may equal several
 * neighbours added up, or nothing: of memd once for all channels of an epoch, else for each.
 *
 * Channels of the same name are compared, the k-th of several with the k-th;
 * by position only where one of the results, such as .npy, has no names.
 */
#ifndef CLI_SIMILARITY_H
#define CLI_SIMILARITY_H

#include <stddef.h>

#include "base/kept.h"
#include "io/result/result.h"
#include "plot/boxplot.h"

/* Rows of a, and of b, that are compared added up: first .. last, counted from 0, the residue being
 * the last row of all; none where last is before first. */
typedef struct cli_matched {
	int first[2], last[2];
} cli_matched;

/* A signal is a channel of an epoch: number epoch * n_channels + channel. */
typedef struct cli_similarity {
	wsi_result *a, *b;
	const char *paths[2];    /* of a and b; borrowed */
	size_t *channels[2];     /* [n_channels] each: of a, and those of b to compare with */
	size_t n_channels, n_epochs, rows; /* rows: most modes */
	size_t n_groups;
	cli_matched *matched;    /* [n_groups]; by number: each mode, the residue last */
	bool by_match;
	double *rho; /* [signal][n_groups]; NaN: not in both, or not so in this signal */
	unsigned char *has;      /* likewise: does the signal have the group? */
	wsi_box_group *groups;   /* [n_groups] over the signals */
	double *values;          /* of the groups */
	wsi_kept kept;           /* all these */
} cli_similarity;

/* Opens the results, each by opts.  Free it also where this, or the next, fails. */
ws_status cli_similarity_open(cli_similarity *s, const char *path_a, const char *path_b,
                              const wsi_open_opts *opts);
/* Chooses the channels: list is --channels or NULL, of the channels that both have.  Notes on
 * standard error those that only one has. */
ws_status cli_similarity_choose(cli_similarity *s, const char *list);
/* Compares their modes by number (matching.h has another way): fills matched, rho and has. */
ws_status cli_similarity_compare(cli_similarity *s);
/* Fills groups. */
ws_status cli_similarity_summarise(cli_similarity *s);

/* Room for rho and has of so many groups. */
ws_status cli_similarity_groups(cli_similarity *s, size_t n);
/* WS_E_FORMAT: a sample of these, of a (0) or b (1), is not finite. */
ws_status cli_similarity_check(const cli_similarity *s, int which, size_t channel, size_t row,
                               size_t first, const double *x, size_t count);
void cli_similarity_free(cli_similarity *s);

/* The name of a signal's channel. */
const char *cli_similarity_name(const cli_similarity *s, size_t signal);

/* The number of its epoch; 0 where there are none. */
int cli_similarity_epoch(const cli_similarity *s, size_t signal);

/* How many modes a signal has in a and in b. */
void cli_similarity_modes(const cli_similarity *s, size_t signal, int modes[2]);

#endif
