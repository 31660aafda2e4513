/* far.h - responses of wavelets that reach further than the padding of a signal. */
#ifndef WSI_TRANSFORM_CWT_FAR_H
#define WSI_TRANSFORM_CWT_FAR_H

#include "transform/cwt/cwt.h"

enum { WSI_FAR_VALUES = 512 };

/* The window over the lags that count, for a signal's length and padding (cwt/far.c); samples. */
typedef struct wsi_far {
	bool zero;              /* zeros beside the signal; else mirror images */
	double period;          /* of the mirror images */
	double width, fall;     /* M, and a: half as long as its ends fall */
	double flat;            /* it is 1 up to this lag */
	double reach;           /* and 0 from this one on */
	double beta;
	double apart;           /* of the values of B, radians a sample */
	double falls[WSI_FAR_VALUES + 8]; /* B from 3 of them below 0 on */
} wsi_far;

/* Windows at nodes of a sum between zeros, about the bins beside a cut: the same for all scales
 * that are smooth there. */
typedef struct wsi_far_nodes {
	double from, to, each;  /* radians a sample: of the sum; turns: of a panel */
	int64_t first, end;     /* bins */
	size_t nodes;
	double *values;         /* [end - first][nodes] */
} wsi_far_nodes;

/* Windows at harmonics between mirror images, which are those of a bin whatever the scale: of
 * neighbouring bins, whose sums are made together, from k on in row k / WSI_FAR_BINS modulo
 * WSI_FAR_ROWS. */
enum { WSI_FAR_BINS = 16, WSI_FAR_ROWS = 512 / WSI_FAR_BINS };
typedef struct wsi_far_rows {
	int64_t *bin;           /* [WSI_FAR_ROWS], the first that a row is of; INT64_MAX: none */
	double *values;         /* [WSI_FAR_ROWS][harmonic][WSI_FAR_BINS] */
} wsi_far_rows;

/* What is kept from one scale to the next, at 0 and at half the rate.  Zeroed at first, at last to
 * be freed. */
typedef struct wsi_far_kept {
	wsi_far_nodes nodes[2];
	wsi_far_rows rows[2];
} wsi_far_kept;

wsi_far wsi_far_of(size_t samples, ws_padding padding, ws_type type);
/* Fills falls, which wsi_far_fill() needs. */
void wsi_far_prepare(wsi_far *far);

/* Gives a scale of the padded length, whose filter has its step, the bins of a table, and those in
 * their middle that the formula has. */
void wsi_far_lay_out(const wsi_far *far, size_t length, wsi_cwt_scale *scale);
/* Bytes of the table, and *making of what it is made in. */
size_t wsi_far_tables(const wsi_far *far, size_t length, const wsi_cwt_scale *scale,
                      size_t *making);
/* Makes the table, to be freed, from the filter's gain too.  WS_E_NOMEM. */
ws_status wsi_far_fill(const wsi_far *far, const wsi_ops *wide, size_t length,
                       wsi_cwt_scale *scale, wsi_far_kept *kept);
void wsi_far_free(wsi_far_kept *kept);

#endif
