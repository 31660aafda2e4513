/*
 * even_line.h - Fourier series of a signal between its mirror images, x[0 .. n-1], x[n-2 .. 1]
 * repeated: its first harmonics, real, of a period of 2n - 2 samples, for any n, in double.
 *
 * By Bluestein's convolution (1970) between samples and harmonics.  Its length is that of the
 * signal and of the harmonics; back that and the harmonics once more, since they become samples two
 * series at a time.
 */
#ifndef WSI_TRANSFORM_EVEN_LINE_H
#define WSI_TRANSFORM_EVEN_LINE_H

#include "ops/fft.h"
#include "ops/ops.h"

/* The convolution of one direction. */
typedef struct wsi_even_way {
	wsi_fft *fft;
	double *response;       /* [2][fft->n + 1]: transform of the conjugate chirp, its first
	                           number at the end again */
} wsi_even_way;

typedef struct wsi_even_line {
	size_t n;               /* samples; 0: none is made */
	size_t period;          /* 2n - 2; of one sample 1 */
	size_t harmonics;       /* 0 .. harmonics - 1, at most n */
	const wsi_ops *ops;     /* of WS_F64 */
	double *chirp;          /* [2][n + harmonics]: cosine, sine of pi j^2 / (2n - 2) */
	wsi_even_way back, there; /* there.fft: NULL where it would be as long; then it is `back` */
} wsi_even_line;

/* Lays one out, without its tables.  WS_E_NOMEM.  On failure nothing is left to destroy. */
ws_status wsi_even_line_lay_out(wsi_even_line *line, const wsi_ops *wide, size_t n,
                                size_t harmonics);
/* Makes the tables, where they are not there; WS_E_NOMEM, WS_E_CANCELLED, and then there are none.
 * progress: or NULL. */
ws_status wsi_even_line_fill(wsi_even_line *line, wsi_progress *progress);
/* Bytes of them, and *making of what they are made in. */
size_t wsi_even_line_tables(const wsi_even_line *line, size_t *making);
/* Frees them. */
void wsi_even_line_empty(wsi_even_line *line);
void wsi_even_line_destroy(wsi_even_line *line);

/* Bytes of scratch of a transform; a multiple of 64. */
size_t wsi_even_line_scratch(const wsi_even_line *line);
/* Of it numbers, [2][n padded to 8], that a transform may be given in, or made in. */
double *wsi_even_line_room(const wsi_even_line *line, void *scratch);

/* out[k] = sum over a period of x[t] cos(2 pi k t / period), [harmonics] */
void wsi_even_line_forward(const wsi_even_line *line, const double *x, double *out, void *scratch);

/* Samples of two series of harmonics, each as often as it is in a period, 0 .. -k and k alike:
 * x[t] = a[0] + 2 sum of a[k] cos(2 pi k t / period), likewise y of b; that of half the rate once.
 * b, y: or NULL.  a, b [harmonics]; x, y [n]. */
void wsi_even_line_back(const wsi_even_line *line, const double *a, const double *b, double *x,
                        double *y, void *scratch);

#endif
