/* dft.c - discrete Fourier transforms of any length, in double. */
#include "cpu/fft/dft.h"

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

/* Numbers of a table between two questions whether to go on. */
#define ASK ((uint64_t)1 << 16)

/* e^{i pi k^2 / n} for k < n, k^2 modulo 2 n without ever being large; false where the user stops
 * it. */
static bool
fill_chirp(double *c, double *s, size_t n, wsi_progress *progress)
{
	uint64_t square = 0;
	for (uint64_t k = 0; k < n; ++k) {
		if (k % ASK == 0 && !wsi_goes_on(progress, 0))
			return false;
		gaussian_turn((double)square / (double)(2 * n), &c[k], &s[k]);
		square = (square + 2 * k + 1) % (2 * n);
	}
	return wsi_goes_on(progress, 0);
}

/* Twiddles by two tables: 64 of them, and every 64th.  Half of a transform's length is a multiple
 * of twice as many. */
#define NEAR 64
_Static_assert(WSI_FFT_ACROSS * WSI_FFT_ACROSS % (2 * NEAR) == 0, "blocks are whole");

static size_t
far_twiddles(const wsi_dft *dft)
{
	return dft->n / 2 / NEAR + 1;
}

static ws_status
no_memory(const wsi_dft *dft)
{
	return WSI_FAIL(WS_E_NOMEM, "no memory for a transform of %zu points", dft->n);
}

/* Bytes of the tables of Bluestein's convolution, and of what they are made in. */
static size_t
chirp_bytes(const wsi_dft *dft)
{
	return 2 * padded(dft->n) * sizeof(double);
}

static size_t
response_bytes(const wsi_dft *dft)
{
	return 2 * padded(dft->fft->n) * sizeof(double);
}

static size_t
making_bytes(const wsi_dft *dft)
{
	return 2 * dft->fft->n * sizeof(double) + (wsi_fft_scratch(dft->fft) + 63) / 64 * 64;
}

/* b: zeros. */
static ws_status
fill_bluestein(wsi_dft *dft, double *b, void *scratch, wsi_progress *progress)
{
	const size_t n = dft->n, length = dft->fft->n;
	double *c = dft->chirp, *s = c + padded(n);
	if (!fill_chirp(c, s, n, progress))
		return WSI_FAIL(WS_E_CANCELLED, "cancelled");
	for (size_t k = 0; k < n; ++k) {
		const size_t back = k ? length - k : 0;
		b[k] = b[back] = c[k];
		b[length + k] = b[length + back] = -s[k];
	}
	dft->ops->cwt->inverse(dft->fft, &(wsi_fft_in){ .re = b, .im = b + length }, dft->response,
	                       dft->response + padded(length), scratch);
	return WS_OK;
}

static ws_status
make_bluestein(wsi_dft *dft, wsi_progress *progress)
{
	double *b = calloc(2 * dft->fft->n, sizeof *b);
	void *scratch = aligned_alloc(64, (wsi_fft_scratch(dft->fft) + 63) / 64 * 64);
	dft->chirp = aligned_alloc(64, chirp_bytes(dft));
	dft->response = aligned_alloc(64, response_bytes(dft));
	const ws_status status = b && scratch && dft->chirp && dft->response
	                         ? fill_bluestein(dft, b, scratch, progress) : no_memory(dft);
	free(b);
	free(scratch);
	return status;
}

static ws_status
make_twiddles(wsi_dft *dft)
{
	const size_t far = far_twiddles(dft);
	dft->twiddles = malloc(2 * (NEAR + far) * sizeof *dft->twiddles);
	if (!dft->twiddles)
		return no_memory(dft);
	double *c = dft->twiddles, *s = c + NEAR, *far_c = s + NEAR, *far_s = far_c + far;
	for (size_t k = 0; k < NEAR; ++k)
		gaussian_turn((double)k / (double)dft->n, &c[k], &s[k]);
	for (size_t k = 0; k < far; ++k)
		gaussian_turn((double)(NEAR * k) / (double)dft->n, &far_c[k], &far_s[k]);
	return WS_OK;
}

ws_status
wsi_dft_create(wsi_dft *dft, const wsi_ops *ops, size_t n)
{
	*dft = (wsi_dft){ .n = n, .ops = ops };
	const ws_status status = n % 2 == 0 && wsi_fft_fits(n / 2)
	                         ? wsi_fft_create(&dft->half, WS_F64, n / 2)
	                         : wsi_dft_add_inverse(dft);
	if (status != WS_OK)
		wsi_dft_destroy(dft);
	return status;
}

ws_status
wsi_dft_add_inverse(wsi_dft *dft)
{
	const size_t n = dft->n;
	const bool fits = wsi_fft_fits(n);
	if (dft->fft)
		return WS_OK;
	dft->longer = !fits;
	return wsi_fft_create(&dft->fft, WS_F64,
		fits ? n : wsi_fft_length(2 * n - 1, WSI_FFT_ACROSS * WSI_FFT_ACROSS));
}

static ws_status
fill(wsi_dft *dft, wsi_progress *progress)
{
	if (dft->half)
		WSI_TRY(wsi_fft_fill(dft->half, progress));
	if (dft->half && !dft->twiddles)
		WSI_TRY(make_twiddles(dft));
	if (dft->fft)
		WSI_TRY(wsi_fft_fill(dft->fft, progress));
	return dft->longer && !dft->response ? make_bluestein(dft, progress) : WS_OK;
}

ws_status
wsi_dft_fill(wsi_dft *dft, wsi_progress *progress)
{
	const ws_status status = fill(dft, progress);
	if (status != WS_OK)
		wsi_dft_empty(dft);
	return status;
}

size_t
wsi_dft_tables(const wsi_dft *dft, size_t *making)
{
	size_t bytes = dft->half ? wsi_fft_tables(dft->half) + 2 * (NEAR + far_twiddles(dft)) *
	                           sizeof(double) : 0;
	*making = dft->longer ? making_bytes(dft) : 0;
	bytes += dft->fft ? wsi_fft_tables(dft->fft) : 0;
	return bytes + (dft->longer ? chirp_bytes(dft) + response_bytes(dft) : 0);
}

void
wsi_dft_empty(wsi_dft *dft)
{
	wsi_fft_empty(dft->fft);
	wsi_fft_empty(dft->half);
	free(dft->twiddles);
	free(dft->chirp);
	free(dft->response);
	dft->twiddles = dft->chirp = dft->response = NULL;
}

void
wsi_dft_destroy(wsi_dft *dft)
{
	wsi_dft_empty(dft);
	wsi_fft_destroy(dft->fft);
	wsi_fft_destroy(dft->half);
	*dft = (wsi_dft){ .n = 0 };
}

size_t
wsi_dft_scratch(const wsi_dft *dft)
{
	const size_t own = dft->longer ? 2 * padded(dft->fft->n) * sizeof(double) : 0;
	return own + (wsi_fft_scratch(dft->fft) + 63) / 64 * 64;
}

void
wsi_dft_inverse(const wsi_dft *dft, const double *in_re, const double *in_im, double *out_re,
                double *out_im, void *scratch)
{
	if (!dft->longer) {
		const wsi_fft_in in = { .re = in_re, .im = in_im };
		dft->ops->cwt->inverse(dft->fft, &in, out_re, out_im, scratch);
		return;
	}
	const size_t n = dft->n, length = dft->fft->n, step = padded(length);
	const double *c = dft->chirp, *s = c + padded(n);
	double *re = scratch, *im = re + step;
	for (size_t k = 0; k < n; ++k) {
		re[k] = in_re[k] * c[k] - in_im[k] * s[k];
		im[k] = in_re[k] * s[k] + in_im[k] * c[k];
	}
	/* The way back is the same transform between two conjugations. */
	const wsi_fft_convolution of = { .parts = re, .zero = n, .end = length,
		.times_re = dft->response,
		.times_im = dft->response + step, .share = 1.0, .wanted_count = n };
	dft->ops->cwt->convolve(dft->fft, &of, im + step);
	const double share = 1.0 / (double)length;
	for (size_t t = 0; t < n; ++t) {
		const double x = re[t] * share, y = -im[t] * share;
		out_re[t] = x * c[t] - y * s[t];
		out_im[t] = x * s[t] + y * c[t];
	}
}

/* X[k] of what two bins of the half hold, p + i q at k and r + i s at n / 2 - k; u + i v and
 * w + i z: the twiddles near and far. */
static inline void
put_bin(double u, double v, double w, double z, double p, double q, double r, double s, double *re,
        double *im)
{
	const double even_re = 0.5 * (p + r), even_im = 0.5 * (q - s);
	const double odd_re = 0.5 * (q + s), odd_im = -0.5 * (p - r);
	const double c = u * w - v * z, d = u * z + v * w;
	*re = even_re + (c * odd_re + d * odd_im);
	*im = even_im + (c * odd_im - d * odd_re);
}

/* Bins k and n / 2 - k, of which the conjugate of what came back is the transform forward. */
static void
put_two(const wsi_dft *dft, size_t k, double *re, double *im)
{
	const size_t far = far_twiddles(dft), back = dft->n / 2 - k;
	const double *near_c = dft->twiddles, *near_s = near_c + NEAR, *far_c = near_s + NEAR;
	const double *far_s = far_c + far;
	/* 0 and n / 2 are both in the first place. */
	const double p = re[k], q = -im[k], r = k ? re[back] : p, s = k ? -im[back] : q;
	put_bin(near_c[k % NEAR], near_s[k % NEAR], far_c[k / NEAR], far_s[k / NEAR], p, q, r, s,
	        &re[k], &im[k]);
	if (back > k)
		put_bin(near_c[back % NEAR], near_s[back % NEAR], far_c[back / NEAR],
		        far_s[back / NEAR], r, s, p, q, &re[back], &im[back]);
}

/* The same of those between two multiples of NEAR, low, and those that mirror them, high, whose
 * far twiddles are w + i z and y + i x. */
static void
put_block(const double *restrict c, const double *restrict s, const double far[4],
          double *restrict low_re, double *restrict low_im, double *restrict high_re,
          double *restrict high_im)
{
	const double w = far[0], z = far[1], y = far[2], x = far[3];
	for (size_t j = 1; j < NEAR; ++j) {
		const size_t i = NEAR - j;
		const double p = low_re[j], q = -low_im[j], r = high_re[i], t = -high_im[i];
		put_bin(c[j], s[j], w, z, p, q, r, t, &low_re[j], &low_im[j]);
		put_bin(c[i], s[i], y, x, r, t, p, q, &high_re[i], &high_im[i]);
	}
}

/* Real samples as complex ones, two by two: E and O are the transforms of the even and of the odd
 * ones, X[k] = E[k] + e^{-2 pi i k / n} O[k]. */
static void
forward_half(const wsi_dft *dft, double *re, double *im, void *scratch)
{
	const size_t m = dft->n / 2;
	const double *near_c = dft->twiddles, *far_c = near_c + 2 * NEAR;
	const double *far_s = far_c + far_twiddles(dft);
	const wsi_fft_in in = { .re = re, .im = im };
	dft->ops->cwt->inverse(dft->half, &in, re, im, scratch);
	for (size_t k = 0; k <= m / 2; k += NEAR)
		put_two(dft, k, re, im);
	for (size_t block = 0; block < m / 2 / NEAR; ++block) {
		const size_t mirror = m / NEAR - 1 - block, low = NEAR * block;
		const size_t high = NEAR * mirror;
		const double far[] = { far_c[block], far_s[block], far_c[mirror], far_s[mirror] };
		put_block(near_c, near_c + NEAR, far, re + low, im + low, re + high, im + high);
	}
}

void
wsi_dft_forward(const wsi_dft *dft, double *re, double *im, void *scratch)
{
	if (dft->half) {
		forward_half(dft, re, im, scratch);
		return;
	}
	wsi_dft_inverse(dft, re, im, re, im, scratch);
	for (size_t k = 0; k <= dft->n / 2; ++k)
		im[k] = -im[k];
}

size_t
wsi_dft_forward_numbers(const wsi_dft *dft)
{
	return dft->half ? dft->n / 2 + 1 : dft->n;
}

size_t
wsi_dft_forward_scratch(const wsi_dft *dft)
{
	return dft->half ? (wsi_fft_scratch(dft->half) + 63) / 64 * 64 : wsi_dft_scratch(dft);
}
