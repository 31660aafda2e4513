/* resample.c - a signal at another sampling rate, by band-limited interpolation. */
#include "io/read/resample.h"

#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "math/kaiser.h"
#include "math/masks.h"

/* Periods of the slower rate to either side.  Kaiser's window of this beta falls within 0.08 of
 * half that rate, at which it ends: measured, 124 dB beyond, and 7e-7 up to 0.91 of it. */
#define HALF 100
#define BETA 12.5
#define CUT (1.0 - 0.5 * 0.08)

/* Of a table of weights, and of one sum. */
#define MOST_WEIGHTS ((uint64_t)1 << 22)
#define MOST_RATIO 1e5

/* The ratio as one of whole numbers, by its continued fraction, where that is what it is to the
 * rounding of the rates. */
static void
find_ratio(wsi_resample *r)
{
	const double ratio = r->to / r->from;
	double x = ratio;
	uint64_t p0 = 0, q0 = 1, p1 = 1, q1 = 0;
	for (int k = 0; k < 40 && x < 1e9; ++k) {
		const uint64_t whole = (uint64_t)x, p = whole * p1 + p0, q = whole * q1 + q0;
		if (p > UINT32_MAX || q > UINT32_MAX)
			return;
		if (p > 0 && fabs((double)p / (double)q - ratio) <= 4e-16 * ratio) {
			r->up = p;
			r->down = q;
			return;
		}
		p0 = p1;
		q0 = q1;
		p1 = p;
		q1 = q;
		x = 1.0 / (x - (double)whole);
	}
}

/* The filter at t samples from its middle; peak: of the window. */
static double
weight(const wsi_resample *r, double t, double peak)
{
	const double pi = 0x1.921fb54442d18p1, u = r->cut * t, v = t / r->width;
	const double inside = 1.0 - v * v;
	double c, s;
	if (!(inside > 0.0))
		return 0.0;
	if (u == 0.0)
		return 1.0;
	mask_cos_sin(pi * u, &c, &s);
	return s / (pi * u) * (kaiser_i0(BETA * sqrt(inside)) / peak);
}

/* The weights of samples 1 - half .. half about a place `phase` behind sample 0; their sum is 1. */
static void
make_weights(const wsi_resample *r, double phase, double peak, double *weights)
{
	double sum = 0;
	for (size_t j = 0; j < r->taps; ++j) {
		weights[j] = weight(r, (double)j + 1.0 - (double)r->half - phase, peak);
		sum += weights[j];
	}
	for (size_t j = 0; j < r->taps; ++j)
		weights[j] /= sum;
}

ws_status
wsi_resample_make(wsi_resample *r, double from, double to)
{
	*r = (wsi_resample){ .from = from, .to = to };
	const double slower = to < from ? to / from : 1.0;
	if (!(slower >= 1.0 / MOST_RATIO) || !(to / from <= MOST_RATIO))
		return WSI_FAIL(WS_E_ARG, "%g Hz and %g Hz are too far apart to resample", from,
		                to);
	r->cut = CUT * slower;
	r->width = HALF / slower;
	/* A multiple of 4, for sums of eight. */
	r->half = ((size_t)ceil(r->width) + 3) / 4 * 4;
	r->taps = 2 * r->half;
	find_ratio(r);
	if (r->up * r->taps > MOST_WEIGHTS)
		r->up = r->down = 0;
	const double peak = kaiser_i0(BETA);
	const size_t rows = r->up ? (size_t)r->up : 1;
	r->weights = malloc(rows * r->taps * sizeof *r->weights);
	r->row = malloc(r->taps * sizeof *r->row);
	if (!r->weights || !r->row) {
		wsi_resample_free(r);
		return WSI_FAIL(WS_E_NOMEM, "no memory to resample from %g to %g Hz", from, to);
	}
	for (size_t q = 0; q < r->up; ++q)
		make_weights(r, (double)q / (double)r->up, peak, r->weights + q * r->taps);
	return WS_OK;
}

void
wsi_resample_free(wsi_resample *r)
{
	free(r->weights);
	free(r->row);
	r->weights = r->row = NULL;
}

/* Output k lies `phase` behind sample *at; q: the row of its weights. */
static double
place(const wsi_resample *r, uint64_t k, uint64_t *at, size_t *q)
{
	if (r->up) {
		/* No overflow: k below 2^53 in blocks of `up` outputs, which are `down` samples. */
		const uint64_t blocks = k / r->up, rest = k % r->up * r->down;
		*at = blocks * r->down + rest / r->up;
		*q = (size_t)(rest % r->up);
		return (double)*q / (double)r->up;
	}
	const double t = (double)k * (r->from / r->to);
	*at = (uint64_t)t;
	*q = 0;
	return t - floor(t);
}

size_t
wsi_resample_count(const wsi_resample *r, size_t samples)
{
	if (r->up) {
		const uint64_t blocks = samples / r->down, rest = samples % r->down * r->up;
		return (size_t)(blocks * r->up + (rest + r->down - 1) / r->down);
	}
	/* An output that rounding puts at the end is none. */
	return (size_t)ceil((double)samples * (r->to / r->from) * (1.0 - 4e-16));
}

void
wsi_resample_span(const wsi_resample *r, size_t first, size_t count, size_t low, size_t high,
                  size_t *from, size_t *to, size_t *core, size_t *core_end)
{
	uint64_t begin, last;
	size_t q;
	place(r, first, &begin, &q);
	place(r, first + (count > 0 ? count - 1 : 0), &last, &q);
	begin = begin < low ? low : begin < high ? begin : high - 1;
	last = last < begin ? begin : last < high ? last : high - 1;
	*core = (size_t)begin;
	*core_end = (size_t)last + 1;
	*from = *core - low > r->half ? *core - r->half : low;
	*to = high - *core_end > r->half ? *core_end + r->half : high;
}

/* In eight sums, whatever the vectors of the machine. */
static double
dot(const double *restrict a, const double *restrict b, size_t n)
{
	double sum[8] = { 0 };
	for (size_t i = 0; i < n; i += 8)
		for (size_t k = 0; k < 8; ++k)
			sum[k] += a[i + k] * b[i + k];
	return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

/* The sample at i of x[n], which goes to and fro beyond its ends. */
static double
reflected(const double *x, size_t n, int64_t i)
{
	if (n == 1)
		return x[0];
	const int64_t period = 2 * ((int64_t)n - 1);
	int64_t k = i % period;
	k = k < 0 ? k + period : k;
	return x[k < (int64_t)n ? k : period - k];
}

void
wsi_resample_run(const wsi_resample *r, const double *x, size_t from, size_t n, size_t first,
                 size_t count, double *y)
{
	const double peak = r->up ? 0 : kaiser_i0(BETA);
	for (size_t k = 0; k < count; ++k) {
		uint64_t at;
		size_t q;
		const double phase = place(r, (uint64_t)first + k, &at, &q);
		const int64_t begin = (int64_t)at + 1 - (int64_t)r->half - (int64_t)from;
		const double *weights = r->weights + q * r->taps, *samples = r->row;
		if (!r->up)
			make_weights(r, phase, peak, r->weights);
		if (begin >= 0 && (uint64_t)begin + r->taps <= n)
			samples = x + begin;
		else
			for (size_t j = 0; j < r->taps; ++j)
				r->row[j] = reflected(x, n, begin + (int64_t)j);
		y[k] = dot(weights, samples, r->taps);
	}
}
