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

/* The tables of a direction, whose chirp has lags from 1 - harmonics up to last. */
static ws_status
fill_way(const wsi_even_line *line, wsi_even_way *way, size_t last, wsi_progress *progress)
{
	WSI_TRY(wsi_fft_fill(way->fft, progress));
	const size_t length = way->fft->n, count = line->n + line->harmonics;
	const double *c = line->chirp, *s = c + count;
	double *re = way->response = aligned_alloc(64, 2 * padded(length + 1) * sizeof *re);
	void *scratch = aligned_alloc(64, (wsi_fft_scratch(way->fft) + 63) / 64 * 64);
	if (!re || !scratch) {
		free(scratch);
		return WSI_FAIL(WS_E_NOMEM, "no memory for a transform of %zu points", line->n);
	}
	double *im = re + length + 1;
	memset(re, 0, 2 * (length + 1) * sizeof *re);
	for (size_t j = 0; j <= last; ++j) {
		re[j] = c[j];
		im[j] = -s[j];
	}
	for (size_t j = 1; j < line->harmonics; ++j) {
		re[length - j] = c[j];
		im[length - j] = -s[j];
	}
	const wsi_fft_in in = { .re = re, .im = im };
	line->ops->cwt->inverse(way->fft, &in, re, im, scratch);
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
	const size_t multiple = WSI_FFT_ACROSS * WSI_FFT_ACROSS;
	const size_t back = wsi_fft_length(n + 2 * harmonics, multiple);
	const size_t there = wsi_fft_length(n + harmonics, multiple);
	ws_status status = wsi_fft_create(&line->back.fft, WS_F64, back);
	if (status == WS_OK && there < back)
		status = wsi_fft_create(&line->there.fft, WS_F64, there);
	if (status != WS_OK)
		wsi_even_line_destroy(line);
	return status;
}

static ws_status
fill(wsi_even_line *line, wsi_progress *progress)
{
	const size_t count = line->n + line->harmonics;
	line->chirp = aligned_alloc(64, 2 * padded(count) * sizeof(double));
	if (!line->chirp)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a transform of %zu points", line->n);
	WSI_TRY(fill_chirp(line, count));
	if (!wsi_goes_on(progress, 0))
		return WSI_FAIL(WS_E_CANCELLED, "cancelled");
	WSI_TRY(fill_way(line, &line->back, count - 2, progress));
	return line->there.fft ? fill_way(line, &line->there, line->n - 1, progress) : WS_OK;
}

ws_status
wsi_even_line_fill(wsi_even_line *line, wsi_progress *progress)
{
	if (!line->n || line->chirp)
		return WS_OK;
	const ws_status status = fill(line, progress);
	if (status != WS_OK)
		wsi_even_line_empty(line);
	return status;
}

static size_t
way_tables(const wsi_even_way *way)
{
	return wsi_fft_tables(way->fft) + 2 * padded(way->fft->n + 1) * sizeof(double);
}

size_t
wsi_even_line_tables(const wsi_even_line *line, size_t *making)
{
	*making = 0;
	if (!line->n)
		return 0;
	*making = wsi_fft_scratch(line->back.fft);
	return way_tables(&line->back) + (line->there.fft ? way_tables(&line->there) : 0) +
	       2 * padded(line->n + line->harmonics) * sizeof(double);
}

static void
empty_way(wsi_even_way *way)
{
	wsi_fft_empty(way->fft);
	free(way->response);
	way->response = NULL;
}

void
wsi_even_line_empty(wsi_even_line *line)
{
	empty_way(&line->back);
	empty_way(&line->there);
	free(line->chirp);
	line->chirp = NULL;
}

void
wsi_even_line_destroy(wsi_even_line *line)
{
	wsi_even_line_empty(line);
	wsi_fft_destroy(line->back.fft);
	wsi_fft_destroy(line->there.fft);
	*line = (wsi_even_line){ .n = 0 };
}

size_t
wsi_even_line_scratch(const wsi_even_line *line)
{
	return 2 * line->back.fft->n * sizeof(double) +
	       (wsi_fft_scratch(line->back.fft) + 63) / 64 * 64;
}

double *
wsi_even_line_room(const wsi_even_line *line, void *scratch)
{
	/* Transforms work there between the first look at numbers and the last. */
	return (double *)scratch + 2 * line->back.fft->n;
}

/* What a convolution works in: [way->fft->n] each. */
typedef struct parts {
	const wsi_even_way *way;
	double *re, *im;
	void *rest;
} parts;

static parts
take_parts(const wsi_even_line *line, const wsi_even_way *way, void *scratch)
{
	double *re = scratch;
	return (parts){ way, re, re + way->fft->n, re + 2 * line->back.fft->n };
}

/* The convolution with the response, but for its conjugate and 1 / fft->n, of which the first
 * `wanted` are, of parts that are 0 from `zero` on to `end`; of lags the other way: back. */
static void
convolve(const wsi_even_line *line, const parts *p, size_t zero, size_t end, bool back,
         size_t wanted)
{
	const double *h = p->way->response;
	const wsi_fft_convolution of = { .parts = p->re, .zero = zero, .end = end, .times_re = h,
		.times_im = h + p->way->fft->n + 1, .share = 1.0, .back = back,
		.wanted_count = wanted };
	line->ops->cwt->convolve(p->way->fft, &of, p->rest);
}

void
wsi_even_line_forward(const wsi_even_line *line, const double *x, double *out, void *scratch)
{
	const size_t n = line->n, count = n + line->harmonics;
	const wsi_even_way *way = line->there.fft ? &line->there : &line->back;
	const parts p = take_parts(line, way, scratch);
	const double *c = line->chirp, *s = c + count, share = 2.0 / (double)way->fft->n;
	for (size_t t = 0; t < n; ++t) { /* a period has its two ends once */
		const double v = t == 0 || t == n - 1 ? 0.5 * x[t] : x[t];
		p.re[t] = v * c[t];
		p.im[t] = v * s[t];
	}
	convolve(line, &p, n, way->fft->n, true, line->harmonics);
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
	const size_t n = line->n, count = n + line->harmonics, length = line->back.fft->n;
	const parts p = take_parts(line, &line->back, scratch);
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
