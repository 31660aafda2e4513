/*
 * oversample.c - channels with R - 1 new samples in each gap between two (math/oversample.h,
 * math/autoregressive.h).
 */
#include "cpu/conv/oversample.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/element.h"
#include "base/items.h"
#include "base/status.h"
#include "math/autoregressive.h"
#include "math/oversample.h"

#define MOST_FACTOR 4
#define NONE UINT64_MAX

/* ---- Kernels --------------------------------------------------------------------------- */

static int
taps_of(const wsi_oversample *o)
{
	switch (o->model) {
	case WS_INTERPOLATE_LINEAR: return 2;
	case WS_INTERPOLATE_CUBIC: return WSI_CUBIC_TAPS;
	case WS_INTERPOLATE_BAND_LIMITED: return 2 * WSI_BAND_HALF;
	default: return WSI_AR_TAPS;
	}
}

static ws_status
take_given(wsi_oversample *o, const ws_masks *given)
{
	WSI_TRY(wsi_masks_check(given));
	if (wsi_masks_complex(given))
		return WSI_FAIL(WS_E_ARG, "`interpolation_kernel`: must be real");
	if (given->count != (size_t)o->factor)
		return WSI_FAIL(WS_E_ARG, "`interpolation_kernel`: has %zu rows and the signal "
		                "gets %d samples for one: it must have one for each", given->count,
		                o->factor);
	int low = 0, high = 0;
	for (int p = 0; p < o->factor; ++p) {
		if (given->lengths[p] > WSI_OVERSAMPLE_TAPS)
			return WSI_FAIL(WS_E_ARG, "`interpolation_kernel`: row %d has %zu taps: %d "
			                "are the most", p + 1, given->lengths[p],
			                WSI_OVERSAMPLE_TAPS);
		const int length = (int)given->lengths[p];
		low = length / 2 > low ? length / 2 : low;
		high = length - length / 2 > high ? length - length / 2 : high;
	}
	o->lead = low;
	o->taps = low + high;
	o->kernel = calloc((size_t)(o->taps * o->factor), sizeof *o->kernel);
	if (!o->kernel)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a kernel");
	for (size_t p = 0, at = 0; p < (size_t)o->factor; at += given->lengths[p++]) {
		const size_t from = given->offsets ? given->offsets[p] : at;
		for (size_t k = 0; k < given->lengths[p]; ++k)
			o->kernel[((size_t)low - given->lengths[p] / 2 + k) * (size_t)o->factor +
			          p] = wsi_real_at(given->values, given->type, from + k);
	}
	return WS_OK;
}

ws_status
wsi_oversample_make(wsi_oversample *o, const ws_masks *given)
{
	double weights[WSI_OVERSAMPLE_TAPS];
	if (given)
		return take_given(o, given);
	o->taps = taps_of(o);
	o->lead = o->taps / 2 - 1;
	if (o->model == WS_INTERPOLATE_AUTOREGRESSIVE)
		return WS_OK;
	o->kernel = malloc((size_t)(o->taps * o->factor) * sizeof *o->kernel);
	if (!o->kernel)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a kernel");
	for (int q = 0; q < o->factor; ++q) {
		const double u = (double)q / (double)o->factor;
		if (o->model == WS_INTERPOLATE_BAND_LIMITED)
			oversample_band(u, weights);
		else
			oversample_polynomial((double)o->lead + u, o->taps, weights);
		for (int k = 0; k < o->taps; ++k)
			o->kernel[k * o->factor + q] = weights[k];
	}
	return WS_OK;
}

void
wsi_oversample_free(wsi_oversample *o)
{
	free(o->kernel);
	o->kernel = NULL;
}

/* ---- Workspace ------------------------------------------------------------------------- */

/* What a thread works in. */
typedef struct desk {
	double *window;         /* samples of a tile and its taps */
	double *sums;           /* [R][WSI_CONV_OUTPUTS] */
} desk;

/* Of a channel, where the model is autoregressive. */
typedef struct own {
	ar_model model;
	double mean;
	double kernel[WSI_AR_TAPS * MOST_FACTOR]; /* [tap][R] */
	double rest[MOST_FACTOR];                 /* 1 - the sum of a phase's weights */
} own;

typedef struct shared {
	const wsi_oversample *o;
	const char *x;
	size_t x_stride;
	char *y;
	desk *desks;            /* [thread] */
	own *owns;              /* [channel]; NULL: not needed */
	size_t tiles;          /* of a channel */
	_Atomic uint64_t bad;   /* the first channel and sample that are not finite */
	_Atomic uint64_t high;  /* likewise, behind which one is made that is not */
} shared;

static desk *
lay_out(const wsi_oversample *o, own **owns, wsi_worker **workers, wsi_arena *arena)
{
	desk *desks = wsi_arena_take(arena, (size_t)o->threads * sizeof *desks);
	for (int t = 0; t < o->threads; ++t) {
		const desk d = {
			wsi_arena_take(arena, (WSI_CONV_OUTPUTS + WSI_OVERSAMPLE_TAPS) *
			               sizeof(double)),
			wsi_arena_take(arena, MOST_FACTOR * WSI_CONV_OUTPUTS * sizeof(double)),
		};
		if (desks)
			desks[t] = d;
	}
	*owns = o->model != WS_INTERPOLATE_AUTOREGRESSIVE ? NULL
	        : wsi_arena_take(arena, o->channels * sizeof **owns);
	*workers = wsi_arena_take(arena, (size_t)o->threads * sizeof **workers);
	return desks;
}

size_t
wsi_oversample_bytes(const wsi_oversample *o)
{
	wsi_arena arena = { 0 };
	own *owns;
	wsi_worker *workers;
	lay_out(o, &owns, &workers, &arena);
	return arena.used;
}

/* ---- Samples --------------------------------------------------------------------------- */

static void
put(const shared *j, size_t channel, size_t i, double v)
{
	const wsi_oversample *o = j->o;
	const size_t at = channel * wsi_oversample_samples(o->n, o->factor) + i;
	bool bad;
	if (o->samples->type == WS_F32) {
		const float f = (float)v;
		((float *)j->y)[at] = f;
		bad = !isfinite(f);
	} else {
		((double *)j->y)[at] = v;
		bad = !isfinite(v);
	}
	if (bad)
		wsi_note_first(&((shared *)j)->high,
		               (uint64_t)channel << 32 | i / (size_t)o->factor);
}

/* ---- The autoregressive model ------------------------------------------------------------ */

static void
fit(const wsi_oversample *o, const char *x, own *w)
{
	const int order = o->n > WSI_AR_ORDER ? WSI_AR_ORDER : (int)o->n - 1;
	double r[WSI_AR_ORDER + 1] = { 0.0 }, past[WSI_AR_ORDER + 1] = { 0.0 }, sum = 0.0;
	for (size_t i = 0; i < o->n; ++i)
		sum += wsi_real_at(x, o->samples->type, i) / (double)o->n;
	w->mean = sum;
	for (size_t i = 0; i < o->n; ++i) {
		for (int k = WSI_AR_ORDER; k > 0; --k)
			past[k] = past[k - 1];
		past[0] = wsi_real_at(x, o->samples->type, i) - w->mean;
		for (int k = 0; k <= WSI_AR_ORDER; ++k)
			r[k] += past[0] * past[k];
	}
	ar_model_make(&w->model, r, order, o->factor);
	double weights[WSI_AR_TAPS];
	for (int q = 0; q < o->factor; ++q) {
		ar_weights(&w->model, WSI_AR_HALF - 1, WSI_AR_TAPS, q, weights);
		w->rest[q] = 1.0;
		for (int k = 0; k < WSI_AR_TAPS; ++k) {
			w->kernel[k * o->factor + q] = weights[k];
			w->rest[q] -= weights[k];
		}
	}
}

/* Looks at the samples of channels, and fits models. */
static void
look(void *arg, size_t c, int rank)
{
	shared *j = arg;
	const wsi_oversample *o = j->o;
	const char *x = j->x + c * j->x_stride;
	const size_t bad = o->samples->conv->not_finite(x, o->n);
	(void)rank;
	if (bad < o->n)
		wsi_note_first(&j->bad, (uint64_t)c << 32 | bad);
	else if (j->owns)
		fit(o, x, &j->owns[c]);
}

/* ---- New samples ------------------------------------------------------------------------- */

/* Those of the gaps behind samples a .. a + count - 1. */
static void
do_tile(const shared *j, size_t channel, size_t a, size_t count, const desk *d)
{
	const wsi_oversample *o = j->o;
	const own *w = j->owns ? &j->owns[channel] : NULL;
	const size_t factor = (size_t)o->factor;
	const wsi_conv_stage stage = { .x = j->x + channel * j->x_stride, .type = o->samples->type,
		.n = (int64_t)o->n, .first = (int64_t)a - o->lead, .every = 1,
		.count = WSI_CONV_OUTPUTS + (size_t)o->taps, .to = d->window };
	o->wide->conv->stage(&stage);
	const wsi_conv_args sums = { .x = d->window, .every = 1, .n_taps = o->taps,
		.taps = w ? w->kernel : o->kernel, .rows = o->factor, .outputs = count,
		.sums = d->sums };
	o->wide->conv->section(&sums);
	const bool kept = o->model != WS_INTERPOLATE_KERNEL;
	for (size_t i = 0; i < count; ++i)
		for (size_t q = 0; q < factor && (q == 0 || a + i + 1 < o->n); ++q) {
			const double sum = d->sums[q * WSI_CONV_OUTPUTS + i];
			put(j, channel, (a + i) * factor + q,
			    kept && q == 0 ? wsi_real_at(stage.x, o->samples->type, a + i)
			    : w ? fma(w->mean, w->rest[q], sum) : sum);
		}
}

static void
interpolate(void *arg, size_t i, int rank)
{
	shared *j = arg;
	const wsi_oversample *o = j->o;
	const size_t a = i % j->tiles * WSI_CONV_OUTPUTS, left = o->n - a;
	do_tile(j, i / j->tiles, a, left < WSI_CONV_OUTPUTS ? left : WSI_CONV_OUTPUTS,
	        &j->desks[rank]);
}

/* The gap behind sample g, from the `count` samples from `from` on. */
static void
do_gap(const shared *j, size_t channel, size_t g, size_t from, int count)
{
	const wsi_oversample *o = j->o;
	const own *w = j->owns ? &j->owns[channel] : NULL;
	const char *x = j->x + channel * j->x_stride;
	double weights[WSI_AR_TAPS];
	for (int q = 1; q < o->factor; ++q) {
		double sum = 0.0, rest = 1.0;
		if (w)
			ar_weights(&w->model, (int)(g - from), count, q, weights);
		else
			oversample_polynomial((double)(g - from) + (double)q / (double)o->factor,
			                      count, weights);
		for (int k = 0; k < count; ++k) {
			sum = fma(wsi_real_at(x, o->samples->type, from + (size_t)k), weights[k],
			          sum);
			rest -= weights[k];
		}
		put(j, channel, g * (size_t)o->factor + (size_t)q,
		    w ? fma(w->mean, rest, sum) : sum);
	}
}

/* Gaps near the ends, of models that know of no samples beyond: the polynomial of the outermost
 * four, and what is expected given those that there are. */
static void
do_ends(const shared *j, size_t channel)
{
	const wsi_oversample *o = j->o;
	const size_t n = o->n, taps = (size_t)o->taps, half = taps / 2;
	const bool polynomial = o->model == WS_INTERPOLATE_CUBIC;
	if (!polynomial && o->model != WS_INTERPOLATE_AUTOREGRESSIVE)
		return;
	for (size_t g = 0; g + 1 < n; ++g) {
		if (g + 1 >= half && g + half < n) {
			/* To the last that have all. */
			g = n - half - 1;
			continue;
		}
		size_t from = g + 1 < half ? 0 : g + 1 - half, end = g + half + 1;
		end = end < n ? end : n;
		if (polynomial) {
			from = n < taps ? 0 : from < n - taps ? from : n - taps;
			end = from + taps < n ? from + taps : n;
		}
		do_gap(j, channel, g, from, (int)(end - from));
	}
}

ws_status
wsi_oversample_run(const wsi_oversample *o, const char *x, size_t x_stride, size_t first_channel,
                   void *y, wsi_progress *progress, void *workspace)
{
	wsi_arena arena = { .base = workspace };
	wsi_worker *workers;
	shared j = { .o = o, .x = x, .x_stride = x_stride, .y = y,
		.tiles = (o->n + WSI_CONV_OUTPUTS - 1) / WSI_CONV_OUTPUTS };
	j.desks = lay_out(o, &j.owns, &workers, &arena);
	atomic_init(&j.bad, NONE);
	atomic_init(&j.high, NONE);
	wsi_pool pool;
	wsi_pool_start(&pool, o->threads, workers, progress);
	wsi_pool_items(&pool, o->channels, look, &j);
	const uint64_t bad = atomic_load(&j.bad);
	if (bad == NONE)
		wsi_pool_items(&pool, o->channels * j.tiles, interpolate, &j);
	wsi_pool_stop(&pool);
	if (bad != NONE)
		return WSI_FAIL(WS_E_FORMAT, "channel %zu, sample %zu is not finite: mend or leave "
		                "out that stretch", WSI_NO(first_channel + (size_t)(bad >> 32)),
		                WSI_NO(bad & 0xffffffffu));
	if (wsi_cancelled(progress))
		return WS_OK;
	for (size_t c = 0; c < o->channels; ++c)
		do_ends(&j, c);
	const uint64_t high = atomic_load(&j.high);
	if (high != NONE)
		return WSI_FAIL(WS_E_FORMAT, "channel %zu: behind sample %zu the interpolation is "
		                "more than the type holds; scale the signal",
		                WSI_NO(first_channel + (size_t)(high >> 32)),
		                WSI_NO(high & 0xffffffffu));
	return WS_OK;
}
