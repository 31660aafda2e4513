/*
 * scalogram.h - the picture of a transform whose main array has a frequency axis.
 *
 * While the transform runs, what comes of the channels to be drawn is averaged to the columns of
 * the picture.
 */
#ifndef CLI_SCALOGRAM_H
#define CLI_SCALOGRAM_H

#include "family.h"
#include "io/result.h"

typedef struct cli_scalogram {
	const char *path;
	size_t n, *channels;     /* among the selected, rising; borrowed */
	int array, arrays;       /* number of the array that is drawn, and how many are: octaves follow
	                            each other */
	size_t frequencies, columns; /* of all of them */
	double *frequency;       /* [frequencies] */
	float **values;          /* [n]: [frequency][column] */
	double *cone;            /* [frequency] s; NULL: not known */
	double **contour;        /* [n]: [frequency] values that noise seldom exceeds; NULL: not
	                            known */
	float **signal;          /* [n]: [2][its columns], least and largest; NULL: not drawn */
	size_t signal_columns;
} cli_scalogram;

/* The array that is drawn; -1: this transform's picture is another. */
int cli_scalogram_array(const cli_outcome *o);

/* channels: [n] of the selected, kept until close. */
ws_status cli_scalogram_open(cli_scalogram *s, const cli_outcome *o, size_t *channels, size_t n);
ws_status cli_scalogram_put(cli_scalogram *s, const cli_outcome *o, const ws_channel_result *r);
ws_status cli_scalogram_draw(cli_scalogram *s, const cli_outcome *o, const wsi_provenance *p);
/* A closed or zeroed one is fine. */
void cli_scalogram_close(cli_scalogram *s);

#endif
