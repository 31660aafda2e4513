/*
 * even_line.c - Fourier series between mirror images: harmonics of samples, samples of harmonics.
 *
 * With h = pi / (n - 1), e^{i k t h} is e^{i (k^2 + t^2 - (k - t)^2) h / 2}, so a sum over k of
 * numbers times e^{i k t h} is a convolution with e^{-i j^2 h / 2}.
 */
#include "transform/cwt/even_line.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "math/gaussian.h"
#include "ops/cwt_ops.h"

static size_t
padded(size_t n)
{
	return (n + 7) / 8 * 8;
}

/* Turns by j^2 of 4 (n - 1), j < count: the product of two tables. */
static ws_status
fill_chirp(const wsi_even_line *line, size_t count)
{
	enum { NEAR = 512 };
	const uint64_t turns = 2 * line->period;
	const size_t far = (size_t)(turns / NEAR) + 1;
	double *c = line->chirp, *s = c + count, *table = malloc(2 * (NEAR + far) * sizeof *table);
	if (!table)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a transform of %zu points", line->n);
	double *near_c = table, *near_s = near_c + NEAR, *far_c = near_s + NEAR;
	double *far_s = far_c + far;
	for (size_t k = 0; k < NEAR; ++k)
		gaussian_turn((double)(k % turns) / (double)turns, &near_c[k], &near_s[k]);
	for (size_t k = 0; k < far; ++k)
		gaussian_turn((double)(NEAR * k) / (double)turns, &far_c[k], &far_s[k]);
	uint64_t square = 0;
	for (uint64_t j = 0; j < count; ++j) {
		const double a = near_c[square % NEAR], b = near_s[square % NEAR];
		const double d = far_c[square / NEAR], e = far_s[square / NEAR];
		c[j] = a * d - b * e;
		s[j] = a * e + b * d;
		square = (square + 2 * j + 1) % turns;
	}
	free(table);
	return WS_OK;
}

/* Lags from 1 - harmonics up to n + harmonics - 2. */
static ws_status
fill_response(const wsi_even_line *line, size_t count)
{
	const size_t length = line->fft->n;
	const double *c = line->chirp, *s = c + count;
	double *re = line->response, *im = re + length + 1;
	void *scratch = aligned_alloc(64, (wsi_fft_scratch(line->fft) + 63) / 64 * 64);
	if (!scratch)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a transform of %zu points", line->n);
	memset(re, 0, 2 * (length + 1) * sizeof *re);
	for (size_t j = 0; j < line->n + line->harmonics - 1; ++j) {
		re[j] = c[j];
		im[j] = -s[j];
	}
	for (size_t j = 1; j < line->harmonics; ++j) {
		re[length - j] = c[j];
		im[length - j] = -s[j];
	}
	const wsi_fft_in in = { .re = re, .im = im };
	line->ops->cwt->inverse(line->fft, &in, re, im, scratch);
	re[length] = re[0]; /* of -0 and of 0 */
	im[length] = im[0];
	free(scratch);
	return WS_OK;
}

ws_status
wsi_even_line_lay_out(wsi_even_line *line, const wsi_ops *wide, size_t n, size_t harmonics)
{
	*line = (wsi_even_line){ .n = n, .period = n > 1 ? 2 * n - 2 : 1, .harmonics = harmonics,
		.ops = wide };
	const ws_status status = wsi_fft_create(&line->fft, WS_F64, wsi_fft_length(
		n + 2 * harmonics, WSI_FFT_ACROSS * WSI_FFT_ACROSS));
	if (status != WS_OK)
		*line = (wsi_even_line){ .n = 0 };
	return status;
}

static ws_status
fill(wsi_even_line *line, wsi_progress *progress)
{
	const size_t count = line->n + line->harmonics;
	WSI_TRY(wsi_fft_fill(line->fft, progress));
	line->chirp = aligned_alloc(64, 2 * padded(count) * sizeof(double));
	line->response = aligned_alloc(64, 2 * padded(line->fft->n + 1) * sizeof(double));
	if (!line->chirp || !line->response)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a transform of %zu points", line->n);
	WSI_TRY(fill_chirp(line, count));
	if (!wsi_goes_on(progress, 0))
		return WSI_FAIL(WS_E_CANCELLED, "cancelled");
	return fill_response(line, count);
}

ws_status
wsi_even_line_fill(wsi_even_line *line, wsi_progress *progress)
{
	if (!line->n || line->response)
		return WS_OK;
	const ws_status status = fill(line, progress);
	if (status != WS_OK)
		wsi_even_line_empty(line);
	return status;
}

size_t
wsi_even_line_tables(const wsi_even_line *line, size_t *making)
{
	*making = 0;
	if (!line->n)
		return 0;
	const size_t length = line->fft->n;
	*making = wsi_fft_scratch(line->fft);
	return wsi_fft_tables(line->fft) + 2 * padded(length + 1) * sizeof(double) +
	       2 * padded(line->n + line->harmonics) * sizeof(double);
}

void
wsi_even_line_empty(wsi_even_line *line)
{
	wsi_fft_empty(line->fft);
	free(line->chirp);
	free(line->response);
	line->chirp = line->response = NULL;
}

void
wsi_even_line_destroy(wsi_even_line *line)
{
	wsi_even_line_empty(line);
	wsi_fft_destroy(line->fft);
	*line = (wsi_even_line){ .n = 0 };
}

size_t
wsi_even_line_scratch(const wsi_even_line *line)
{
	return 2 * line->fft->n * sizeof(double) + (wsi_fft_scratch(line->fft) + 63) / 64 * 64;
}

double *
wsi_even_line_room(const wsi_even_line *line, void *scratch)
{
	/* Transforms work there between the first look at numbers and the last. */
	return (double *)scratch + 2 * line->fft->n;
}

/* What a convolution works in: [fft->n] each. */
typedef struct parts {
	double *re, *im;
	void *rest;
} parts;

static parts
take_parts(const wsi_even_line *line, void *scratch)
{
	const size_t length = line->fft->n;
	double *re = scratch;
	return (parts){ re, re + length, re + 2 * length };
}

/* The convolution with the response, but for its conjugate and 1 / fft->n, of which the first
 * `wanted` are, of parts that are 0 from `zero` on to `end`; of lags the other way: back. */
static void
convolve(const wsi_even_line *line, const parts *p, size_t zero, size_t end, bool back,
         size_t wanted)
{
	const double *h = line->response;
	const wsi_fft_convolution of = { .parts = p->re, .zero = zero, .end = end, .times_re = h,
		.times_im = h + line->fft->n + 1, .share = 1.0, .back = back,
		.wanted_count = wanted };
	line->ops->cwt->convolve(line->fft, &of, p->rest);
}

void
wsi_even_line_forward(const wsi_even_line *line, const double *x, double *out, void *scratch)
{
	const size_t n = line->n, count = n + line->harmonics;
	const parts p = take_parts(line, scratch);
	const double *c = line->chirp, *s = c + count, share = 2.0 / (double)line->fft->n;
	for (size_t t = 0; t < n; ++t) { /* a period has its two ends once */
		const double v = t == 0 || t == n - 1 ? 0.5 * x[t] : x[t];
		p.re[t] = v * c[t];
		p.im[t] = v * s[t];
	}
	convolve(line, &p, n, line->fft->n, true, line->harmonics);
	for (size_t k = 0; k < line->harmonics; ++k)
		out[k] = share * (p.re[k] * c[k] + p.im[k] * s[k]);
}

/* Of half the rate both sides are one. */
static double
side(const wsi_even_line *line, const double *a, size_t k)
{
	return a ? 2 * k == line->period ? 0.5 * a[k] : a[k] : 0.0;
}

void
wsi_even_line_back(const wsi_even_line *line, const double *a, const double *b, double *x,
                   double *y, void *scratch)
{
	const size_t n = line->n, count = n + line->harmonics, length = line->fft->n;
	const parts p = take_parts(line, scratch);
	const double *c = line->chirp, *s = c + count, share = 1.0 / (double)length;
	for (size_t k = 0; k < line->harmonics; ++k) {
		const double re = side(line, a, k), im = side(line, b, k);
		const size_t back = k ? length - k : 0;
		p.re[k] = p.re[back] = re * c[k] - im * s[k];
		p.im[k] = p.im[back] = re * s[k] + im * c[k];
	}
	convolve(line, &p, line->harmonics, length - line->harmonics + 1, false, n);
	for (size_t t = 0; t < n; ++t) {
		const double re = p.re[t], im = -p.im[t];
		x[t] = share * (re * c[t] - im * s[t]);
		if (y)
			y[t] = share * (re * s[t] + im * c[t]);
	}
}
