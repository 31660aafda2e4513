/* noise.c - what white noise looks like in modes, by decomposing it: the lines of the
 * significance test of Wu & Huang 2004 by Monte Carlo. */
#include <stdlib.h>
#include <string.h>

#include "base/rising.h"
#include "base/status.h"
#include "math/gaussian.h"
#include "math/logarithm.h"
#include "transform/emd/emd.h"
#include "transform/hht/work.h"

/* The most signals that are decomposed at once, and the most numbers that they and their modes
 * have. */
#define TOGETHER 64
#define MOST_NUMBERS ((size_t)1 << 24)
/* The first stream of random numbers; smaller ones are those of ensembles (math/gaussian.h). */
#define STREAM 0x48485400u
/* A mode has a spread if this share of the signals have the mode. */
#define ENOUGH 0.5

static size_t
together(const wsi_hht_plan *plan)
{
	const size_t rows = MOST_NUMBERS / (plan->hht.n * plan->modes);
	const size_t n = rows < TOGETHER ? rows : TOGETHER;
	const size_t all = (size_t)plan->o.noise_signals;
	return n < 1 ? 1 : n < all ? n : all;
}

ws_status
wsi_hht_noise_resolve(wsi_hht_plan *plan, const ws_emd_opts *asked)
{
	if (!plan->o.noise_signals)
		return WS_OK;
	ws_shape shape = plan->base.shape;
	ws_emd_opts opts = *asked;
	plan->modes = (size_t)wsi_emd_plan_of(plan->emd)->params.o.modes;
	shape.channels = together(plan);
	shape.recording_channels = 0;
	shape.type = WS_F64;
	opts.modes = (int)plan->modes;
	WSI_TRY(wsi_plan_within(&plan->noise, &plan->base, wsi_hht_decomposition(&plan->o), &shape,
	                        &opts));
	plan->base.seconds += plan->noise->seconds * (double)plan->o.noise_signals /
	                      (double)shape.channels;
	return WS_OK;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

void
wsi_hht_noise_lay_out(wsi_hht_work *w, wsi_arena *arena)
{
	const size_t modes = w->plan->modes;
	if (!w->plan->noise)
		return;
	w->noise.period = wsi_arena_take(arena, 3 * modes * sizeof *w->noise.period);
	w->noise.low = w->noise.period + modes;
	w->noise.high = w->noise.low + modes;
}

typedef struct room {
	double *x, *modes, *residue;
	int32_t *count;
	double *ratio, *period; /* [mode][signal]; ratio 0: no such mode */
	char *decomposition;
} room;

static room
take_room(const wsi_hht_plan *plan, wsi_arena *arena)
{
	const size_t rows = together(plan), row = plan->hht.n * sizeof(double);
	const size_t table = plan->modes * (size_t)plan->o.noise_signals * sizeof(double);
	return (room){ .x = wsi_arena_take(arena, rows * row),
		.modes = wsi_arena_take(arena, rows * plan->modes * row),
		.residue = wsi_arena_take(arena, rows * row),
		.count = wsi_arena_take(arena, rows * sizeof(int32_t)),
		.ratio = wsi_arena_take(arena, table), .period = wsi_arena_take(arena, table),
		.decomposition = wsi_arena_take(arena, plan->noise->workspace) };
}

size_t
wsi_hht_noise_bytes(const wsi_hht_plan *plan)
{
	wsi_arena arena = { 0 };
	if (plan->noise)
		take_room(plan, &arena);
	return arena.used;
}

/* ---- Signals --------------------------------------------------------------------------------- */

static ws_status
decompose(const wsi_hht_work *w, const room *r, size_t first)
{
	const wsi_hht_plan *plan = w->plan;
	const size_t n = plan->hht.n, row = n * sizeof(double), element = sizeof(double);
	for (size_t i = 0; i < together(plan); ++i)
		for (size_t k = 0; k < n; k += 2) {
			double z[2];
			gaussian_pair(plan->o.emd.seed, STREAM, (uint32_t)(first + i), k / 2, z);
			r->x[i * n + k] = z[0];
			if (k + 1 < n)
				r->x[i * n + k + 1] = z[1];
		}
	ws_buffer arrays[WS_EMD_ARRAYS] = { 0 };
	arrays[WS_EMD_MODES] = (ws_buffer){ r->modes, { plan->modes * row, row, element } };
	arrays[WS_EMD_RESIDUE] = (ws_buffer){ r->residue, { row, element } };
	arrays[WS_EMD_MODE_COUNT] = (ws_buffer){ r->count, { sizeof(int32_t) } };
	const wsi_io io = { .x = (const char *)r->x, .x_stride = row, .arrays = arrays };
	wsi_progress progress;
	wsi_progress_within(&progress, w->progress, 0.0, 0.0);
	return plan->noise->transform->run(plan->noise, &io, &progress, r->decomposition);
}

/* Energy times period over that of the first mode, and the period, of each mode of a signal. */
static void
measure(const wsi_hht_plan *plan, const room *r, size_t i, size_t signal)
{
	const size_t n = plan->hht.n, all = (size_t)plan->o.noise_signals;
	double first = 0.0;
	for (size_t k = 0; k < plan->modes; ++k) {
		wsi_hht_facts f = { .maxima = 0 };
		if (k < (size_t)r->count[i])
			f.squares = plan->hht.ops->facts(r->modes + (i * plan->modes + k) * n, n,
			                                 &f.maxima);
		const double product = f.maxima ? f.squares / (double)f.maxima : 0.0;
		first = k ? first : product;
		r->ratio[k * all + signal] = first > 0.0 ? product / first : 0.0;
		r->period[k * all + signal] = f.maxima ? (double)n / (double)f.maxima : 0.0;
	}
}

/* ---- The table ------------------------------------------------------------------------------- */

/* Below which a share p of v[n], ascending, lies. */
static double
quantile(const double *v, size_t n, double p)
{
	const double at = p * (double)(n - 1);
	const size_t i = (size_t)at < n - 1 ? (size_t)at : n - 1;
	return i + 1 < n ? v[i] + (at - (double)i) * (v[i + 1] - v[i]) : v[i];
}

/* The modes that enough signals have, up to the first that they have not. */
static void
make_table(wsi_hht_work *w, const room *r)
{
	const size_t all = (size_t)w->plan->o.noise_signals;
	const double outside = 0.5 * (1.0 - w->plan->o.confidence);
	wsi_hht_noise *t = &w->noise;
	for (t->modes = 0; t->modes < w->plan->modes; ++t->modes) {
		double *ratio = r->ratio + t->modes * all, sum = 0.0;
		const double *period = r->period + t->modes * all;
		size_t n = 0;
		for (size_t i = 0; i < all; ++i)
			if (ratio[i] > 0.0) {
				ratio[n++] = ratio[i];
				sum += portable_log(period[i]);
			}
		if ((double)n < ENOUGH * (double)all)
			break;
		qsort(ratio, n, sizeof *ratio, wsi_rising);
		t->period[t->modes] = sum / (double)n;
		t->low[t->modes] = portable_log(quantile(ratio, n, outside));
		t->high[t->modes] = portable_log(quantile(ratio, n, 1.0 - outside));
	}
}

ws_status
wsi_hht_noise_run(wsi_hht_work *w, void *workspace)
{
	const wsi_hht_plan *plan = w->plan;
	wsi_arena arena = { .base = workspace };
	const room r = take_room(plan, &arena);
	const size_t all = (size_t)plan->o.noise_signals, each = together(plan);
	for (size_t first = 0; first < all; first += each) {
		WSI_TRY(decompose(w, &r, first));
		if (wsi_cancelled(w->progress))
			return WS_OK;
		for (size_t i = 0; i < each && first + i < all; ++i)
			measure(plan, &r, i, first + i);
	}
	make_table(w, &r);
	return WS_OK;
}

void
wsi_hht_noise_at(const wsi_hht_noise *t, double first, double period, double *low, double *high)
{
	const double at = portable_log(period);
	size_t k = 0;
	while (k + 2 < t->modes && t->period[k + 1] < at)
		++k;
	double share = 0.0;
	if (k + 1 < t->modes) {
		share = (at - t->period[k]) / (t->period[k + 1] - t->period[k]);
		share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
	}
	const size_t next = share > 0.0 ? k + 1 : k;
	*low = first / period *
	       portable_exp(t->low[k] + share * (t->low[next] - t->low[k]));
	*high = first / period *
	        portable_exp(t->high[k] + share * (t->high[next] - t->high[k]));
}
