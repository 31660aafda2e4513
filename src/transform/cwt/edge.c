/* edge.c - plans of spectra beside an edge at which responses are cut: sizes and tables. */
#include "transform/cwt/edge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "math/gaussian.h"
#include "math/kaiser.h"
#include "ops/cwt_ops.h"
#include "transform/cwt/cwt.h"

/* Share of the gap, on either side, in which the padding is that of the line: between mirror images
 * they fade into each other in its middle fifth; between zeros the sides are one. */
static double
share_of(ws_padding padding)
{
	return padding == WS_PADDING_ZERO ? 0.5 : 0.4;
}

/* e^-beta of u is lost by a window. */
static double
beta_of(ws_type type)
{
	return type == WS_F64 ? 29.0 : 16.0;
}

/* Samples for u to end in, at least.  The bins read and made grow with the signal by it, and those
 * of either edge are an eighth of all at most. */
static double
room_of(size_t n, ws_type type)
{
	return fmax((double)n / 200.0, fmin(fmax((double)n / 20.0, 3.75 * beta_of(type)), 700.0));
}

#define MOST (1.0 / 8.0)

double
wsi_edge_gap(size_t n, ws_padding padding, ws_type type, double reach)
{
	return ceil((reach + room_of(n, type)) / share_of(padding)) + 2.0;
}

/* The points of the line's period. */
static void
lay_out_points(wsi_cwt_edge *e, size_t n, double gap, double reach, double fall)
{
	const double apart = (double)e->period / (double)e->line->n, last = (double)(n - 1);
	e->first = -(int64_t)floor(0.5 * gap / apart);
	e->count = (size_t)((int64_t)floor((last + 0.5 * gap) / apart) - e->first + 1);
	e->flat = (size_t)ceil(reach / apart);
	e->flat_end = (int64_t)ceil((last + reach) / apart);
	e->falls = (size_t)floor(2.0 * fall / apart) - 1;
}

ws_status
wsi_edge_lay_out(wsi_cwt_edge **edge, const wsi_ops *wide, size_t n, size_t length,
                 ws_padding padding, ws_type type, double reach)
{
	const double gap = (double)(length - n), bins = (double)length / (2.0 * WSI_PI);
	const double room = share_of(padding) * gap - reach, fall = 0.5 * (0.5 * gap - reach);
	/* A share of the bins is all that e has, found by trying. */
	const double beta = beta_of(type), share = type == WS_F64 ? 0.9 : 0.8;
	*edge = NULL;
	/* More bins are less work than a longer transform. */
	const double enough = type == WS_F32 && n > WSI_EDGE_SLOW ? 0.25 : 0.9;
	if (n < 64 || length % 2 || !(room >= enough * room_of(n, type)))
		return WS_OK;
	const double in = ceil(2.0 * beta * bins / room), all = in + beta * bins / fall;
	const double out = ceil(share * all);
	if (!(fmax(in, out) <= MOST * (double)length))
		return WS_OK;
	wsi_cwt_edge *e = calloc(1, sizeof *e);
	if (!e)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a plan");
	*e = (wsi_cwt_edge){ .mirrored = padding != WS_PADDING_ZERO, .length = length,
		.in = (size_t)in, .out = (size_t)out, .beta = beta, .ops = wide };
	/* Between zeros: lags up to the signal with what is beside it, on either side, and the fall
	 * of their window. */
	const double lags = (double)(n - 1) + reach + room;
	e->period = e->mirrored ? 2 * (n - 1) : (uint64_t)ceil(2.0 * lags + 0.125 * (double)n);
	/* Bins of what has all of them are told from their aliases. */
	const size_t least = (size_t)ceil((all + out) / (double)length * (double)e->period) + 2;
	ws_status status = wsi_fft_create(&e->line, WS_F64, wsi_fft_length(
		least, WSI_FFT_ACROSS * WSI_FFT_ACROSS));
	if (status == WS_OK) {
		lay_out_points(e, n, gap, reach, fall);
		e->whole = (size_t)ceil(lags * (double)e->line->n / (double)e->period);
		const size_t most = e->count > 2 * e->out + 1 ? e->count : 2 * e->out + 1;
		status = wsi_fft_create(&e->chirps, WS_F64, wsi_fft_length(
			2 * most, WSI_FFT_ACROSS * WSI_FFT_ACROSS));
	}
	if (status != WS_OK) {
		wsi_edge_destroy(e);
		return status;
	}
	*edge = e;
	return WS_OK;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static size_t
rounded(size_t n)
{
	return (n + 7) / 8 * 8;
}

size_t
wsi_edge_places(const wsi_cwt_edge *e, size_t at[WSI_EDGE_TABLES])
{
	const size_t counts[WSI_EDGE_TABLES] = { e->in + 1, e->count, e->line->n,
		2 * (e->chirps->n / 2 + 1), 2 * e->chirps->n, 2 * (e->in + 2 * e->out + 2),
		2 * e->count };
	size_t used = 0;
	for (int i = 0; i < WSI_EDGE_TABLES; ++i) {
		at[i] = used;
		used += rounded(counts[i]);
	}
	return used;
}

static size_t
scratch_of(const wsi_cwt_edge *e)
{
	const size_t a = wsi_fft_scratch(e->line), b = wsi_fft_scratch(e->chirps);
	return ((a > b ? a : b) + 63) / 64 * 64;
}

size_t
wsi_edge_tables(const wsi_cwt_edge *e, size_t *making)
{
	size_t at[WSI_EDGE_TABLES];
	const size_t most = e->line->n > e->chirps->n ? e->line->n : e->chirps->n;
	*making = 4 * most * sizeof(double) + scratch_of(e);
	return wsi_edge_places(e, at) * sizeof(double) + wsi_fft_tables(e->line) +
	       wsi_fft_tables(e->chirps);
}

void
wsi_edge_empty(wsi_cwt_edge *e)
{
	wsi_fft_empty(e->line);
	wsi_fft_empty(e->chirps);
	free(e->table);
	e->table = NULL;
}

void
wsi_edge_destroy(wsi_cwt_edge *e)
{
	if (!e)
		return;
	free(e->table);
	wsi_fft_destroy(e->line);
	wsi_fft_destroy(e->chirps);
	free(e);
}

/* out[i], 0 <= i < n, from 1 to 0: sums of a Kaiser-Bessel window. */
static void
fade(double beta, size_t n, double *out)
{
	double sum = 0.0;
	for (size_t i = n; i-- > 0;) {
		const double x = (2.0 * (double)i + 1.0) / (double)n - 1.0;
		sum += kaiser_i0(beta * sqrt(1.0 - x * x));
		out[i] = sum;
	}
	for (size_t i = 0; i < n; ++i)
		out[i] /= sum;
}

/* e^{2 pi i a / of} */
static void
root(uint64_t a, uint64_t of, double *c, double *s)
{
	gaussian_turn((double)(a % of) / (double)of, c, s);
}

/* w: point k of them. */
static void
make_window(const wsi_cwt_edge *e, double *falls)
{
	const int64_t low = -(int64_t)e->flat, high = e->flat_end, n = (int64_t)e->falls;
	fade(e->beta, e->falls, falls);
	for (size_t k = 0; k < e->count; ++k) {
		const int64_t i = e->first + (int64_t)k;
		const int64_t out = i < low ? low - i : i > high ? i - high : 0;
		e->w[k] = out < n ? falls[out] : 0.0;
	}
}

/* Mirror images: 1 for harmonics above 0, -1 for those below.  Zeros: the same for lags as far as
 * there are any, by the transform of 2 / (pi i), odd i, times a window. */
static void
make_side(const wsi_cwt_edge *e, double *room, void *scratch)
{
	const size_t n = e->line->n, half = n / 2, falls = half - e->whole;
	double *re = room, *im = room + n, *window = room + 2 * n;
	for (size_t q = 0; q < n && e->mirrored; ++q)
		e->side[q] = q == 0 || q == half ? 0.0 : q < half ? 1.0 : -1.0;
	if (e->mirrored)
		return;
	fade(e->beta, falls, window);
	memset(re, 0, 2 * n * sizeof *re);
	for (size_t i = 1; i < half; i += 2) {
		re[i] = 2.0 / (WSI_PI * (double)i) * (i <= e->whole ? 1.0 : window[i - e->whole]);
		re[n - i] = -re[i];
	}
	const wsi_fft_in in = { .re = re, .im = im };
	e->ops->cwt->inverse(e->line, &in, re, im, scratch);
	for (size_t q = 0; q < n; ++q)
		e->side[q] = im[q];
}

/* Phases of j^2 P / (2 points L), and of other products of a bin and a point, in turns. */
static void
make_chirps(const wsi_cwt_edge *e, double *room, void *scratch)
{
	const size_t n = e->chirps->n, half = n / 2 + 1, sines = e->in + 2 * e->out + 2;
	const uint64_t points = (uint64_t)e->line->n * e->length, before = (uint64_t)-e->first;
	double *c = e->chirp, *s = c + half, *re = room, *im = room + n;
	for (uint64_t j = 0; j < half; ++j)
		root(j * j * e->period, 2 * points, &c[j], &s[j]);
	for (size_t j = 0; j < n; ++j) {
		re[j] = c[j < half ? j : n - j];
		im[j] = -s[j < half ? j : n - j];
	}
	const wsi_fft_in in = { .re = re, .im = im };
	e->ops->cwt->inverse(e->chirps, &in, e->response, e->response + n, scratch);
	for (uint64_t i = 0; i < sines; ++i) {
		/* Bins 0 .. in, then -out .. out; back to the first point. */
		const int64_t bin = i <= e->in ? (int64_t)i
			: (int64_t)(i - e->in - 1) - (int64_t)e->out;
		const uint64_t size = (uint64_t)(bin < 0 ? -bin : bin);
		root(size * before * e->period, points, &e->begin[i], &e->begin[sines + i]);
		e->begin[sines + i] *= bin < 0 ? 1.0 : -1.0;
	}
	for (uint64_t k = 0; k < e->count; ++k) {
		root(k * e->out * e->period, points, &e->end[k], &e->end[e->count + k]);
		e->end[e->count + k] = -e->end[e->count + k];
	}
}

static ws_status
fill(wsi_cwt_edge *e, wsi_progress *progress)
{
	size_t making, at[WSI_EDGE_TABLES];
	const size_t count = wsi_edge_places(e, at);
	wsi_edge_tables(e, &making);
	WSI_TRY(wsi_fft_fill(e->line, progress));
	WSI_TRY(wsi_fft_fill(e->chirps, progress));
	e->table = aligned_alloc(64, count * sizeof(double));
	double *room = aligned_alloc(64, making);
	if (!e->table || !room) {
		free(room);
		return WSI_FAIL(WS_E_NOMEM, "no memory for the %zu bins of an edge", e->out);
	}
	double **const tables[WSI_EDGE_TABLES] = { &e->b, &e->w, &e->side, &e->chirp, &e->response,
		&e->begin, &e->end };
	for (int i = 0; i < WSI_EDGE_TABLES; ++i)
		*tables[i] = e->table + at[i];
	void *scratch = (char *)room + making - scratch_of(e);
	fade(e->beta, e->in, e->b);
	e->b[0] = 0.5; /* of either side */
	e->b[e->in] = 0.0;
	make_window(e, room);
	make_side(e, room, scratch);
	make_chirps(e, room, scratch);
	free(room);
	return WS_OK;
}

ws_status
wsi_edge_fill(wsi_cwt_edge *e, wsi_progress *progress)
{
	if (e->table)
		return WS_OK;
	const ws_status status = fill(e, progress);
	if (status != WS_OK)
		wsi_edge_empty(e);
	return status;
}
