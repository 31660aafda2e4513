/*
 * dft.h - inverse discrete Fourier transforms of any length, in double: that of ops/fft.h where it
 * has the length, else by Bluestein's convolution (1970) with one that is longer.
 */
#ifndef WSI_ALGO_DFT_H
#define WSI_ALGO_DFT_H

#include "ops/fft.h"
#include "ops/ops.h"

typedef struct wsi_dft {
	size_t n;
	const wsi_ops *ops;     /* of WS_F64 */
	wsi_fft *fft;
	wsi_fft *half;          /* of n / 2 points, for real samples; or NULL where there is none */
	double *turns;          /* e^{2 pi i k / n}: [2][64] for k < 64, [2][..] for 64, 128, .. */
	double *chirp;          /* NULL: fft has n points.  Else [2][n]: e^{i pi k^2 / n} */
	double *response;       /* [2][fft->n]: transform of the conjugate chirp */
} wsi_dft;

/* WS_E_NOMEM.  On failure nothing is left to destroy. */
ws_status wsi_dft_create(wsi_dft *dft, const wsi_ops *ops, size_t n);
void wsi_dft_destroy(wsi_dft *dft);

/* Bytes; a multiple of 64. */
size_t wsi_dft_scratch(const wsi_dft *dft);

/* out[t] = sum of in[k] e^{2 pi i k t / n}; [n] each, out may not be in. */
void wsi_dft_inverse(const wsi_dft *dft, const double *in_re, const double *in_im, double *out_re,
                     double *out_im, void *scratch);

/* X[k] = sum of x[t] e^{-2 pi i k t / n} for k = 0 .. n / 2.  x, scratch: overwritten; room for
 * 2 n numbers in x, n each in re and im, and wsi_dft_scratch() bytes always suffice. */
void wsi_dft_forward(const wsi_dft *dft, double *x, double *re, double *im, void *scratch);

/* What it needs at least, of most lengths half: numbers in x, numbers each in re and im, bytes of
 * scratch, a multiple of 64. */
typedef struct wsi_dft_room {
	size_t x, spectrum, scratch;
} wsi_dft_room;
wsi_dft_room wsi_dft_forward_room(const wsi_dft *dft);

#endif
