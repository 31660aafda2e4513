/*
 * cwt_edge.h - spectra of padded signals beside 0 and beside half the sampling rate, for wavelets
 * whose response is cut there.
 *
 * A response that ends with a step, at one of these edges, has tails as 1 / j, which no padding is
 * long enough for.  So what lies beyond an edge is taken off the signal, not off the response, and
 * the response goes on by its formula, which is short in time.
 *
 * Let u be what a padded signal of L samples has beside the edge, moved to 0: its bins d times b,
 * which is 1 at the edge and falls to 0 within `in` bins, so u(t) is that of the line which padding
 * stands for wherever the padding is right for some more samples.  The side of u above 0 is
 * (u + i h) / 2, with h the Hilbert transform of u.  A spectrum whose other side is zero has the h
 * of a circle of L samples; h along the line differs from it by e, which is smooth.  Times a window
 * w, 1 as far as wavelets reach and 0 in the middle of the gap, its bins are added to the spectrum:
 *
 *     u, h of the circle      at points of the line's period P, from bins
 *     h of the line           u repeated with period P, through harmonics
 *     bins -out .. out        of w e
 *
 * Between bins and points, whose periods have nothing in common, by Bluestein's convolution.
 */
#ifndef WSI_CPU_CWT_EDGE_H
#define WSI_CPU_CWT_EDGE_H

#include "ops/fft.h"
#include "ops/ops.h"

typedef struct wsi_cwt_edge {
	bool at_zero, at_half;  /* which edges; one at least */
	bool mirrored;          /* mirror images beside the signal; else zeros */
	size_t length;          /* L, even */
	size_t in, out;         /* bins 0 .. in are read, 0 .. out of either side are made */
	uint64_t period;        /* P, samples */
	int64_t first;          /* points first .. first + count - 1, P / line->n apart, of 0 at */
	size_t count;           /* sample 0: the circle, from the middle of the gap on */
	size_t flat, falls;     /* w falls over so many points on either side, and is 0 beyond */
	int64_t flat_end;       /* 1 from point -flat on, to this one */
	size_t whole;           /* points from 0 on that lags between zeros have weight 1 for */
	double beta;            /* of all windows */
	const wsi_ops *ops;     /* of WS_F64 */
	wsi_fft *line;          /* of the points of P */
	wsi_fft *chirps;        /* of the convolutions */
	/* Tables; NULL until they are made. */
	double *table;          /* all of them */
	double *b, *w;          /* [in + 1], [count] */
	double *side;           /* [line->n]: h of harmonics is -i times this */
	double *chirp;          /* [2][chirps->n / 2 + 1]: e^{i pi j^2 P / (line->n L)} */
	double *response;       /* [2][chirps->n]: transform of its conjugate, j and -j alike */
	double *begin, *end;    /* [2][in + 1 + 2 out + 1], [2][count]: phases by the first point,
	                           by the last bin */
} wsi_cwt_edge;

/* Doubles that wsi_cwt_edge_apply() works in, to be aligned to 64 bytes. */
size_t wsi_cwt_edge_scratch(const wsi_cwt_edge *edge);

/* What is left beyond the edges, by the distance d from them: bins -d and L / 2 + d, 1 .. out. */
typedef struct wsi_cwt_beyond {
	double *zero_re, *zero_im, *half_re, *half_im;
} wsi_cwt_beyond;

/* re, im: bins 0 .. L / 2 of a spectrum.  Those beside the edges become what the line has of its
 * side below half the rate and above 0.  scratch holds what it returns. */
wsi_cwt_beyond wsi_cwt_edge_apply(const wsi_cwt_edge *edge, double *re, double *im,
                                  double *scratch);

#endif
