/*
 * dft.h - discrete Fourier transforms of any length, in double: that of ops/fft.h where it has the
 * length, else by Bluestein's convolution (1970) with one that is longer.
 */
#ifndef WSI_CPU_DFT_H
#define WSI_CPU_DFT_H

#include "ops/fft.h"
#include "ops/ops.h"

typedef struct wsi_dft {
	size_t n;
	const wsi_ops *ops;     /* of WS_F64 */
	wsi_fft *fft;           /* NULL before wsi_dft_add_inverse() where there is a half */
	wsi_fft *half;          /* of n / 2 points, for real samples; or NULL where there is none */
	double *twiddles;       /* e^{2 pi i k / n}: [2][64] for k < 64, [2][..] for 64, 128, .. */
	bool longer;            /* fft has more than n points, and there is */
	double *chirp;          /* [2][n]: e^{i pi k^2 / n} */
	double *response;       /* [2][fft->n]: transform of the conjugate chirp */
} wsi_dft;

/* Lays one out for wsi_dft_forward(), without its tables.  WS_E_NOMEM.  On failure nothing is left
 * to destroy. */
ws_status wsi_dft_create(wsi_dft *dft, const wsi_ops *ops, size_t n);
/* For wsi_dft_inverse() too.  WS_E_NOMEM. */
ws_status wsi_dft_add_inverse(wsi_dft *dft);
/* Makes the tables, those that are not there; WS_E_NOMEM, WS_E_CANCELLED, and then there are none.
 * progress: or NULL. */
ws_status wsi_dft_fill(wsi_dft *dft, wsi_progress *progress);
/* Bytes of them, and *making of what they are made in. */
size_t wsi_dft_tables(const wsi_dft *dft, size_t *making);
/* Frees them. */
void wsi_dft_empty(wsi_dft *dft);
void wsi_dft_destroy(wsi_dft *dft);

/* Bytes that wsi_dft_inverse() needs; a multiple of 64. */
size_t wsi_dft_scratch(const wsi_dft *dft);

/* out[t] = sum of in[k] e^{2 pi i k t / n}; [n] each, out may be in. */
void wsi_dft_inverse(const wsi_dft *dft, const double *in_re, const double *in_im, double *out_re,
                     double *out_im, void *scratch);

/* Numbers each in re and im, and bytes of scratch, that wsi_dft_forward() needs: most lengths need
 * half of n. */
size_t wsi_dft_forward_numbers(const wsi_dft *dft);
size_t wsi_dft_forward_scratch(const wsi_dft *dft);

/* Lays sample t of n, v, where wsi_dft_forward() takes it from. */
static inline void
wsi_dft_put(const wsi_dft *dft, size_t t, double v, double *re, double *im)
{
	if (!dft->half) {
		re[t] = v;
		im[t] = 0.0;
	} else if (t % 2 == 0) {
		re[t / 2] = v;
	} else {
		im[t / 2] = -v;
	}
}

/* X[k] = sum of x[t] e^{-2 pi i k t / n} for k = 0 .. n / 2, in the place of the samples. */
void wsi_dft_forward(const wsi_dft *dft, double *re, double *im, void *scratch);

#endif
