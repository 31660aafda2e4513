/* dft.c - see dft.h. */
#include "algo/dft.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "math/gaussian.h"
#include "ops/cwt_ops.h"

/* Numbers, so that what follows is aligned. */
static size_t
padded(size_t n)
{
	return (n + 7) / 8 * 8;
}

/* e^{i pi k^2 / n} for k < n, k^2 modulo 2 n without ever being large. */
static void
fill_chirp(double *c, double *s, size_t n)
{
	uint64_t square = 0;
	for (uint64_t k = 0; k < n; ++k) {
		gaussian_turn((double)square / (double)(2 * n), &c[k], &s[k]);
		square = (square + 2 * k + 1) % (2 * n);
	}
}

static ws_status
create_bluestein(wsi_dft *dft)
{
	const size_t n = dft->n, length = dft->fft->n;
	dft->chirp = aligned_alloc(64, 2 * padded(n) * sizeof(double));
	dft->response = aligned_alloc(64, 2 * padded(length) * sizeof(double));
	double *b = calloc(2 * length, sizeof *b);
	void *scratch = aligned_alloc(64, (wsi_fft_scratch(dft->fft) + 63) / 64 * 64);
	if (!dft->chirp || !dft->response || !b || !scratch) {
		free(b);
		free(scratch);
		return WSI_FAIL(WS_E_NOMEM, "no memory for a transform of %zu points", n);
	}
	double *c = dft->chirp, *s = c + padded(n);
	fill_chirp(c, s, n);
	for (size_t k = 0; k < n; ++k) {
		const size_t back = k ? length - k : 0;
		b[k] = b[back] = c[k];
		b[length + k] = b[length + back] = -s[k];
	}
	dft->ops->cwt->inverse(dft->fft, b, b + length, dft->response,
	                       dft->response + padded(length), scratch);
	free(b);
	free(scratch);
	return WS_OK;
}

ws_status
wsi_dft_create(wsi_dft *dft, const wsi_ops *ops, size_t n)
{
	*dft = (wsi_dft){ .n = n, .ops = ops };
	const bool fits = wsi_fft_fits(n);
	ws_status status = wsi_fft_create(&dft->fft, WS_F64,
		fits ? n : wsi_fft_length(2 * n - 1, WSI_FFT_ACROSS * WSI_FFT_ACROSS));
	if (status == WS_OK && !fits)
		status = create_bluestein(dft);
	if (status != WS_OK)
		wsi_dft_destroy(dft);
	return status;
}

void
wsi_dft_destroy(wsi_dft *dft)
{
	wsi_fft_destroy(dft->fft);
	free(dft->chirp);
	free(dft->response);
	*dft = (wsi_dft){ .n = 0 };
}

size_t
wsi_dft_scratch(const wsi_dft *dft)
{
	const size_t own = dft->chirp ? 4 * padded(dft->fft->n) * sizeof(double) : 0;
	return own + (wsi_fft_scratch(dft->fft) + 63) / 64 * 64;
}

void
wsi_dft_inverse(const wsi_dft *dft, const double *in_re, const double *in_im, double *out_re,
                double *out_im, void *scratch)
{
	if (!dft->chirp) {
		dft->ops->cwt->inverse(dft->fft, in_re, in_im, out_re, out_im, scratch);
		return;
	}
	const size_t n = dft->n, length = dft->fft->n, step = padded(length);
	const double *c = dft->chirp, *s = c + padded(n);
	const double *h_re = dft->response, *h_im = h_re + step;
	double *a_re = scratch, *a_im = a_re + step, *b_re = a_im + step, *b_im = b_re + step;
	void *rest = b_im + step;
	memset(a_re, 0, 2 * step * sizeof *a_re);
	for (size_t k = 0; k < n; ++k) {
		a_re[k] = in_re[k] * c[k] - in_im[k] * s[k];
		a_im[k] = in_re[k] * s[k] + in_im[k] * c[k];
	}
	dft->ops->cwt->inverse(dft->fft, a_re, a_im, b_re, b_im, rest);
	/* The way back is the same transform between two conjugations. */
	for (size_t k = 0; k < length; ++k) {
		const double re = b_re[k], im = b_im[k];
		a_re[k] = re * h_re[k] - im * h_im[k];
		a_im[k] = -(re * h_im[k] + im * h_re[k]);
	}
	dft->ops->cwt->inverse(dft->fft, a_re, a_im, b_re, b_im, rest);
	const double share = 1.0 / (double)length;
	for (size_t t = 0; t < n; ++t) {
		const double re = b_re[t] * share, im = -b_im[t] * share;
		out_re[t] = re * c[t] - im * s[t];
		out_im[t] = re * s[t] + im * c[t];
	}
}
