/* holo.c - holospectra (Huang et al. 2016): the amplitudes of modes, decomposed and analysed a
 * second time. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "transform/emd/emd.h"
#include "transform/hht/work.h"

/* Of an amplitude, at most; each is half as fast as the one before, or slower. */
#define SECOND_MODES 12

/* Rows are the modes of a channel; as EMD does it by default, or with the options of an EMD. */
ws_status
wsi_hht_holo_resolve(wsi_hht_plan *plan)
{
	const ws_plan *base = &plan->base;
	ws_shape shape = base->shape;
	shape.channels = plan->modes;
	shape.recording_channels = 0;
	shape.type = WS_F64;
	ws_emd_opts opts = { .size = sizeof opts, .tag = WS_TAG_EMD, .modes = SECOND_MODES };
	if (plan->emd && wsi_opts_method(&plan->o.emd) == WS_METHOD_EMD) {
		opts = plan->o.emd;
		opts.size = sizeof opts;
		opts.tag = WS_TAG_EMD;
		opts.modes = SECOND_MODES;
	}
	WSI_TRY(wsi_plan_within(&plan->second, base, "emd", &shape, &opts));
	plan->second_modes = (size_t)wsi_emd_plan_of(plan->second)->params.o.modes;
	return WS_OK;
}

static size_t
cells_of(const wsi_hht_plan *plan)
{
	return (size_t)plan->hht.bins.n * (size_t)plan->am.bins.n;
}

void
wsi_hht_holo_lay_out(wsi_hht_work *w, wsi_arena *arena)
{
	const wsi_hht_plan *plan = w->plan;
	const size_t row = plan->hht.n * sizeof(double), threads = (size_t)plan->base.threads;
	wsi_hht_holo *h = &w->holo;
	*h = (wsi_hht_holo){ .cells = NULL };
	if (!plan->second)
		return;
	h->amplitude = wsi_arena_take(arena, plan->modes * row);
	h->modes = wsi_arena_take(arena, plan->modes * plan->second_modes * row);
	h->residue = wsi_arena_take(arena, plan->modes * row);
	h->count = wsi_arena_take(arena, plan->modes * sizeof *h->count);
	h->largest = wsi_arena_take(arena, plan->modes * sizeof *h->largest);
	h->cells = wsi_arena_take(arena, plan->modes * cells_of(plan) * sizeof *h->cells);
	h->mode = wsi_arena_take(arena, threads * sizeof *h->mode);
	for (size_t i = 0; i < threads; ++i) {
		wsi_hht_mode m = { .amplitude = wsi_arena_take(arena, row) };
		m.bin = wsi_arena_take(arena, plan->hht.n * sizeof *m.bin);
		m.marginal = wsi_arena_take(arena, (size_t)plan->am.bins.n * sizeof *m.marginal);
		if (arena->base)
			h->mode[i] = m;
	}
	h->workspace = wsi_arena_take(arena, plan->second->workspace);
}

/* Adds one second mode to the cells of the mode whose samples are in `first`. */
static void
bin(const wsi_hht_plan *plan, const wsi_hht_mode *first, const wsi_hht_mode *second, double *cells)
{
	const bool squares = plan->o.quantity != WS_HHT_QUANTITY_AMPLITUDE;
	const size_t across = (size_t)plan->am.bins.n;
	for (size_t i = 0; i < plan->hht.n; ++i) {
		const double a = second->amplitude[i];
		if (first->bin[i] >= 0 && second->bin[i] >= 0)
			cells[(size_t)first->bin[i] * across + (size_t)second->bin[i]] +=
				squares ? a * a : a;
	}
}

static const double *
second_row(const wsi_hht_work *w, size_t k, size_t j)
{
	return w->holo.modes + (k * w->plan->second_modes + j) * w->plan->hht.n;
}

/* Of emd's quadrature, the largest of the normalised second modes of each mode. */
static void
find_largest(void *arg, size_t k, int rank)
{
	wsi_hht_work *w = arg;
	const wsi_hht *am = &w->plan->am;
	const double scale = w->scale[w->holo.channel];
	w->holo.largest[k] = 0.0;
	for (size_t j = 0; j < (size_t)w->holo.count[k] && wsi_goes_on(w->progress, rank);
	     ++j)
		w->holo.largest[k] =
			fmax(w->holo.largest[k],
			     wsi_hht_normalise(am, &w->scratch[rank], second_row(w, k, j),
			                       scale, &w->holo.mode[rank]));
}

static bool
as_emd_py(const wsi_hht *am)
{
	return am->emd_py && am->method == WS_HHT_QUADRATURE;
}

/* What emd divides by: the largest of all normalised second modes of a channel's `count` modes,
 * as emd 0.8.1 does of an array [time][mode][second mode]. */
static double
largest_of(const wsi_hht_work *w, size_t count)
{
	double largest = 0.0;
	for (size_t k = 0; as_emd_py(&w->plan->am) && k < count; ++k)
		largest = fmax(largest, w->holo.largest[k]);
	return largest;
}

/* Modes of the channel at work, each by one thread: cells are sums over second modes in order. */
static void
analyse(void *arg, size_t k, int rank)
{
	wsi_hht_work *w = arg;
	const wsi_hht_plan *plan = w->plan;
	const wsi_hht *am = &plan->am;
	wsi_hht_scratch *s = &w->scratch[rank];
	wsi_hht_mode *m = &w->holo.mode[rank];
	const double scale = w->scale[w->holo.channel];
	double *cells = w->holo.cells + k * cells_of(plan);
	const double largest = largest_of(w, w->count[w->holo.channel]);
	memset(cells, 0, cells_of(plan) * sizeof *cells);
	for (size_t j = 0; j < (size_t)w->holo.count[k] && wsi_goes_on(w->progress, rank);
	     ++j) {
		if (as_emd_py(am))
			wsi_hht_normalise(am, s, second_row(w, k, j), scale, m);
		memcpy(s->x + am->lead, second_row(w, k, j), am->n * sizeof *s->x);
		wsi_hht_analyse(am, s, m, largest);
		bin(plan, &w->mode[w->holo.channel * plan->modes + k], m, cells);
	}
}

/* The sum over modes, in the unit of the quantity. */
static void
put(const wsi_hht_work *w, size_t c, double *out)
{
	const wsi_hht_plan *plan = w->plan;
	const size_t across = (size_t)plan->am.bins.n;
	const double *edges = plan->am.bins.edges;
	for (size_t i = 0; i < cells_of(plan); ++i) {
		const size_t b = i / across, a = i % across;
		double sum = 0.0;
		for (size_t k = 0; k < w->count[c]; ++k)
			sum += w->holo.cells[k * cells_of(plan) + i];
		const double width = plan->o.quantity == WS_HHT_QUANTITY_DENSITY
			? edges[a + 1] - edges[a] : 1.0;
		out[i] = sum * wsi_hht_factor(&plan->hht, b, plan->hht.n, w->scale[c]) / width;
	}
}

ws_status
wsi_hht_holo_batch(wsi_hht_work *w, wsi_pool *pool)
{
	const wsi_hht_plan *plan = w->plan;
	const size_t n = plan->hht.n;
	for (size_t c = 0; c < w->n; ++c) {
		double *out = wsi_hht_out_row(w, WS_HHT_HOLOSPECTRUM, WS_HHT_PART_HOLOSPECTRUM,
		                              w->first + c, 0);
		if (!out)
			continue;
		memset(w->holo.amplitude, 0, plan->modes * n * sizeof *w->holo.amplitude);
		for (size_t k = 0; k < w->count[c]; ++k)
			memcpy(w->holo.amplitude + k * n, w->mode[c * plan->modes + k].amplitude,
			       n * sizeof *w->holo.amplitude);
		WSI_TRY(wsi_hht_decompose_aside(w, plan->second, w->holo.amplitude, w->holo.modes,
		                                w->holo.residue, w->holo.count,
		                                w->holo.workspace));
		w->holo.channel = c;
		if (as_emd_py(&plan->am))
			wsi_pool_items(pool, w->count[c], find_largest, w);
		wsi_pool_items(pool, w->count[c], analyse, w);
		if (wsi_cancelled(w->progress))
			return WS_OK;
		put(w, c, out);
	}
	return WS_OK;
}
