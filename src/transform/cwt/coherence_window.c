/*
 * coherence_window.c - means over neighbouring times and frequencies, by which a recording without
 * epochs has a coherence (Torrence & Webster 1999; Grinsted et al. 2004).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/status.h"
#include "transform/cwt/coherence_window.h"

/* Range over which scales of Morlet's wavelet of omega0 6 hear the same (T&C, table 2), and the
 * width by which others are compared with it: of its energy, by its frequency. */
#define MORLET_OCTAVES 0.6
#define MORLET_WIDTH 0.11785113019775793

static double
log_frequency(const wsi_cwt *cwt, size_t i)
{
	return wavelet_log(cwt->scale[i].frequency);
}

/* ---- Windows ----------------------------------------------------------------------------- */

/* Half of what frequency i stands for on the logarithmic axis, towards neighbour j. */
static double
half_cell(const wsi_cwt *cwt, size_t i, ptrdiff_t j)
{
	const ptrdiff_t last = (ptrdiff_t)cwt->count - 1;
	if (last == 0)
		return 1.0;
	/* At either end as wide as on the other side. */
	const ptrdiff_t other = j < 0 ? 1 : j > last ? last - 1 : j;
	return 0.5 * fabs(log_frequency(cwt, (size_t)other) - log_frequency(cwt, i));
}

/* The share of window i, half in ln f wide, that belongs to frequency j. */
static double
overlap(const wsi_cwt *cwt, size_t i, size_t j, double half)
{
	const bool falls = cwt->count > 1 && cwt->scale[1].frequency < cwt->scale[0].frequency;
	const double middle = log_frequency(cwt, j) - log_frequency(cwt, i);
	const double down = half_cell(cwt, j, (ptrdiff_t)j + (falls ? 1 : -1));
	const double up = half_cell(cwt, j, (ptrdiff_t)j + (falls ? -1 : 1));
	return fmax(fmin(half, middle + up) - fmax(-half, middle - down), 0.0);
}

/* Octaves over which frequency i is averaged: what was asked for; 0: those of the Morlet wavelet,
 * in proportion to the width of this one's response. */
static double
octaves_of(const wsi_cwt *cwt, size_t i, double asked)
{
	const wsi_cwt_scale *s = &cwt->scale[i];
	/* Where the response is largest; the axis of some references tells another frequency. */
	const double peak = s->response.wavelet.peak / s->response.step * cwt->fs /
		(double)s->of->length;
	return asked != 0.0 ? asked
		: MORLET_OCTAVES * s->width_frequency / peak / MORLET_WIDTH;
}

/* The power of white noise at scale j, in units of that at scale i. */
static double
by_norm(const wsi_cwt *cwt, size_t i, size_t j)
{
	const ws_cwt_norm norm = cwt->o.norm;
	return wsi_cwt_norm_power(norm, cwt->scale[j].scale) /
		wsi_cwt_norm_power(norm, cwt->scale[i].scale);
}

/* Fills weight[], or counts where it is NULL. */
static void
make_window(const wsi_cwt *cwt, size_t i, double octaves, double *weight,
            wsi_smoothing_window *window)
{
	const double half = 0.5 * octaves * WSI_LN_2;
	size_t first = i, end = i + 1;
	while (first > 0 && overlap(cwt, i, first - 1, half) > 0.0)
		--first;
	while (end < cwt->count && overlap(cwt, i, end, half) > 0.0)
		++end;
	*window = (wsi_smoothing_window){ first, end - first, weight };
	double sum = 0.0;
	for (size_t j = first; weight && j < end; ++j)
		sum += weight[j - first] = overlap(cwt, i, j, half);
	for (size_t j = first; weight && j < end; ++j)
		weight[j - first] *= 1.0 / (sum * by_norm(cwt, i, j));
}

/* pycwt's: twice as many octaves, a whole number of scales of which the outer two count half; of an
 * even number the one towards slow scales is left out. */
static void
make_pycwt_window(const wsi_cwt *cwt, size_t i, double octaves, double *weight,
                  wsi_smoothing_window *window)
{
	const double step = cwt->count > 1
		? fabs(log_frequency(cwt, 1) - log_frequency(cwt, 0)) / WSI_LN_2 : octaves;
	const double size = rint(2.0 * octaves / step);
	const ptrdiff_t m = size > 1.0 ? (ptrdiff_t)size : 1, after = (m - 1) / 2;
	const ptrdiff_t low = (ptrdiff_t)i + after - (m - 1), high = (ptrdiff_t)i + after;
	const ptrdiff_t first = low > 0 ? low : 0;
	const ptrdiff_t last = high < (ptrdiff_t)cwt->count ? high : (ptrdiff_t)cwt->count - 1;
	*window = (wsi_smoothing_window){ (size_t)first, (size_t)(last - first + 1), weight };
	for (ptrdiff_t j = first; weight && j <= last; ++j)
		weight[j - first] = (j == low || j == high ? 0.5 : 1.0) /
			by_norm(cwt, i, (size_t)j);
}

ws_status
wsi_smoothing_sorted(const wsi_cwt *cwt)
{
	for (size_t i = 2; i < cwt->count; ++i)
		if ((cwt->scale[i].frequency - cwt->scale[i - 1].frequency) *
		    (cwt->scale[1].frequency - cwt->scale[0].frequency) <= 0.0)
			return WSI_FAIL(WS_E_ARG, "coherence of neighbouring frequencies needs "
			                "frequencies that rise or fall: sort them");
	return WS_OK;
}

ws_status
wsi_smoothing_create(wsi_smoothing *s, const wsi_cwt *cwt, const ws_cwt_opts *o)
{
	const bool pycwt = cwt->o.reference == WS_CWT_REF_TC_PYCWT;
	void (*make)(const wsi_cwt *, size_t, double, double *, wsi_smoothing_window *) =
		pycwt ? make_pycwt_window : make_window;
	size_t total = 0;
	*s = (wsi_smoothing){ .deviation = o->smooth_time != 0.0 ? o->smooth_time : 1.0,
		.whole = !pycwt && cwt->o.padding != WS_PADDING_PERIODIC };
	WSI_TRY(wsi_smoothing_sorted(cwt));
	s->window = calloc(cwt->count, sizeof *s->window);
	if (!s->window)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu frequencies", cwt->count);
	for (size_t i = 0; i < cwt->count; ++i) {
		make(cwt, i, octaves_of(cwt, i, o->smooth_octaves), NULL, &s->window[i]);
		total += s->window[i].count;
	}
	s->weights = malloc(total * sizeof *s->weights);
	if (!s->weights)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu weights", total);
	double *weight = s->weights;
	for (size_t i = 0; i < cwt->count; ++i) {
		make(cwt, i, octaves_of(cwt, i, o->smooth_octaves), weight, &s->window[i]);
		weight += s->window[i].count;
	}
	return WS_OK;
}

void
wsi_smoothing_destroy(wsi_smoothing *s)
{
	free(s->window);
	free(s->weights);
}

size_t
wsi_smoothing_reach(const wsi_smoothing *s, size_t first, size_t count, size_t *from)
{
	size_t low = SIZE_MAX, end = 0;
	for (size_t i = first; i < first + count; ++i) {
		const wsi_smoothing_window *w = &s->window[i];
		low = w->first < low ? w->first : low;
		end = w->first + w->count > end ? w->first + w->count : end;
	}
	*from = low;
	return end - low;
}

/* ---- In time ----------------------------------------------------------------------------- */

typedef struct scratch_parts {
	double *x_re, *x_im, *y_re, *y_im; /* [N] */
	void *rest;
	double *gain, *share;   /* of a frequency; of a sample (shares_within()) */
} scratch_parts;

static scratch_parts
lay_out(const wsi_cwt *cwt, wsi_arena *arena)
{
	const size_t bytes = cwt->length * sizeof(double);
	scratch_parts p = { .x_re = wsi_arena_take(arena, bytes) };
	p.x_im = wsi_arena_take(arena, bytes);
	p.y_re = wsi_arena_take(arena, bytes);
	p.y_im = wsi_arena_take(arena, bytes);
	p.gain = wsi_arena_take(arena, (cwt->length / 2 + 1) * sizeof *p.gain);
	p.share = wsi_arena_take(arena, cwt->samples * sizeof *p.share);
	p.rest = wsi_arena_take(arena, wsi_dft_scratch(&cwt->dft));
	return p;
}

size_t
wsi_smoothing_bytes(const wsi_cwt *cwt)
{
	wsi_arena arena = { 0 };
	lay_out(cwt, &arena);
	return arena.used;
}

static double
deviation_of(const wsi_smoothing *s, const wsi_cwt *cwt, size_t f)
{
	return s->deviation * cwt->scale[f].scale * cwt->fs;
}

/* Samples that a Gaussian reaches, of n. */
static size_t
reach_of(size_t n, double deviation)
{
	const double most = ceil(9.0 * deviation);
	return most < (double)(n - 1) ? (size_t)most : n - 1;
}

/* part[0 .. reach]: a Gaussian's sums from 0 on; gives that of all of it. */
static double
sums_of(size_t reach, double deviation, double *part)
{
	double sum = 0.0;
	for (size_t k = 0; k <= reach; ++k)
		part[k] = sum += exponential(-0.5 * (double)k * (double)k /
		                             (deviation * deviation));
	double whole = 2.0 * sum - 1.0;
	/* What does not fit into the signal at all. */
	for (double k = (double)reach + 1.0; k <= ceil(9.0 * deviation); ++k)
		whole += 2.0 * exponential(-0.5 * k * k / (deviation * deviation));
	return whole;
}

/* share[t] of the Gaussian about sample t that lies within the signal; part: room for as many. */
static void
shares_within(size_t n, double deviation, double *part, double *share)
{
	const size_t reach = reach_of(n, deviation);
	const double whole = sums_of(reach, deviation, part);
	for (size_t t = 0; t < n; ++t) {
		const size_t before = t < reach ? t : reach;
		const size_t after = n - 1 - t < reach ? n - 1 - t : reach;
		share[t] = (part[before] + part[after] - 1.0) / whole;
	}
}

/* A Gaussian's gain of each frequency. */
static void
gains_of(size_t length, double deviation, double *gain)
{
	for (size_t k = 0; k <= length / 2; ++k) {
		const double w = deviation * (2.0 * WSI_PI) * (double)k / (double)length;
		/* Most are beyond what exponential() is for. */
		const double x = -0.5 * w * w;
		gain[k] = x > -708.0 ? exponential(x) / (double)length : 0.0;
	}
}

static void
smooth_two(const wsi_cwt *cwt, const scratch_parts *p, size_t decimate, double *one, double *other)
{
	const size_t n = cwt->samples, length = cwt->length;
	memcpy(p->x_re, one, n * sizeof *one);
	memcpy(p->x_im, other, n * sizeof *other);
	memset(p->x_re + n, 0, (length - n) * sizeof *one);
	memset(p->x_im + n, 0, (length - n) * sizeof *other);
	/* The transform forward is the inverse one with both parts exchanged. */
	wsi_dft_inverse(&cwt->dft, p->x_im, p->x_re, p->y_im, p->y_re, p->rest);
	for (size_t k = 0; k < length; ++k) {
		const double gain = p->gain[k <= length / 2 ? k : length - k];
		p->y_re[k] *= gain;
		p->y_im[k] *= gain;
	}
	wsi_dft_inverse(&cwt->dft, p->y_re, p->y_im, p->x_re, p->x_im, p->rest);
	for (size_t t = 0; t < n; t += decimate) {
		one[t / decimate] = p->x_re[t] / p->share[t];
		other[t / decimate] = p->x_im[t] / p->share[t];
	}
}

void
wsi_smoothing_time(const wsi_smoothing *s, const wsi_cwt *cwt, size_t f, size_t decimate,
                   double *const sums[], int count, void *scratch)
{
	wsi_arena arena = { .base = scratch };
	const scratch_parts p = lay_out(cwt, &arena);
	const double deviation = deviation_of(s, cwt, f);
	gains_of(cwt->length, deviation, p.gain);
	for (size_t t = 0; t < cwt->samples && !s->whole; ++t)
		p.share[t] = 1.0;
	if (s->whole)
		shares_within(cwt->samples, deviation, p.x_re, p.share);
	for (int i = 0; i < count; i += 2)
		smooth_two(cwt, &p, decimate, sums[i], sums[i + 1]);
}

/* ---- On a GPU ---------------------------------------------------------------------------- */

size_t
wsi_smoothing_members(const wsi_smoothing *s, const wsi_cwt *cwt)
{
	size_t members = 0;
	for (size_t f = 0; f < cwt->count; ++f)
		members += s->window[f].count;
	return members;
}

size_t
wsi_smoothing_list(const wsi_smoothing *s, const wsi_cwt *cwt, wsi_cwt_job_row *rows,
                  wsi_cwt_job_member *members, wsi_cwt_job_gaussian *gaussians)
{
	size_t used = 0, parts = 0;
	for (size_t f = 0; f < cwt->count; ++f) {
		const wsi_smoothing_window *w = &s->window[f];
		rows[f] = (wsi_cwt_job_row){ used, w->count, 1.0 };
		for (size_t k = 0; k < w->count; ++k)
			members[used++] = (wsi_cwt_job_member){ w->first + k, w->weight[k] };
		gaussians[f] = (wsi_cwt_job_gaussian){ .deviation = deviation_of(s, cwt, f),
			.part = parts, .reach = reach_of(cwt->samples, deviation_of(s, cwt, f)) };
		parts += s->whole ? gaussians[f].reach + 1 : 0;
	}
	return parts;
}

void
wsi_smoothing_fill(const wsi_smoothing *s, const wsi_cwt *cwt,
                       wsi_cwt_job_gaussian *gaussians, double *parts)
{
	for (size_t f = 0; s->whole && f < cwt->count; ++f) {
		wsi_cwt_job_gaussian *g = &gaussians[f];
		g->whole = sums_of(g->reach, g->deviation, parts + g->part);
	}
}
