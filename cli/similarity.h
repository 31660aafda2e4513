/*
 * similarity.h - the similarity index of two results,
 *
 *     rho = cov(a, b) / sqrt(var a var b)
 *
 * mode by mode and channel by channel; 1 where both are constant and so have
 * no shape to differ in.
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

/* A signal is a channel of an epoch: number epoch * n_channels + channel. */
typedef struct cli_similarity {
	wsi_result *a, *b;
	const char *paths[2];    /* of a and b; borrowed */
	size_t *channels[2];     /* [n_channels] each: of a, and those of b to compare with */
	size_t n_channels, n_epochs, rows; /* rows: most modes */
	double *rho;             /* [signal][rows + 1], the residue last; NaN: not in both */
	wsi_box_group *groups;   /* [rows + 1]: each mode, the residue, over the signals */
	double *values;          /* of the groups */
	wsi_kept kept;           /* all these */
} cli_similarity;

/* Opens the results, each by opts.  Free it also where this, or the next, fails. */
ws_status cli_similarity_open(cli_similarity *s, const char *path_a, const char *path_b,
                              const wsi_open_opts *opts);
/* Compares them.  list: --channels or NULL, of the channels that both have.  Notes on standard
 * error those that only one has. */
ws_status cli_similarity_make(cli_similarity *s, const char *list);
void cli_similarity_free(cli_similarity *s);

/* The name of a signal's channel. */
const char *cli_similarity_name(const cli_similarity *s, size_t signal);

/* The number of its epoch; 0 where there are none. */
int cli_similarity_epoch(const cli_similarity *s, size_t signal);

/* How many modes a signal has in a and in b. */
void cli_similarity_modes(const cli_similarity *s, size_t signal, int modes[2]);

#endif
