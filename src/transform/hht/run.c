/*
 * run.c - runs Hilbert-Huang spectra: the decomposition, then batches of channels.
 *
 * Workspace:  modes and residues of all channels, unless the caller takes them; then, one after the
 *             other in the same place,
 *             - the workspace of the decomposition
 *             - what a batch needs: amplitudes, bins and marginal spectra [channel][mode] (one
 *               thread may do with amplitudes and bins of one mode, and sums over time bins), and
 *               for each thread rows of one mode (cpu/hht/hht.h)
 *
 * All threads share the modes of a batch, then its stretches of time, then its channels.
 */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "math/modes.h"
#include "transform/hht/work.h"

/* ---- Layout ------------------------------------------------------------------------------ */

/* May the modes of a channel be added to its spectrum one after the other, so that but one of them
 * is kept?  Not where several threads share them or somebody needs them later, nor where time bins
 * have more cells than modes have samples. */
static bool
one_by_one(const wsi_hht_plan *plan)
{
	const wsi_hht *h = &plan->hht;
	const int parts = plan->o.parts;
	const size_t cells = h->time_bins * ((size_t)h->bins.n + 2);
	return plan->base.threads == 1 && !plan->second && plan->modes > 1 &&
	       parts & (WS_HHT_PART_SPECTRUM | WS_HHT_PART_SPARSE) &&
	       !(parts & WS_HHT_PART_MODE_SPECTRUM) &&
	       !(h->emd_py && h->method == WS_HHT_QUADRATURE) && cells <= (plan->modes - 1) * h->n;
}

/* Amplitudes and bins of all modes, or of one that stands for all. */
static void
lay_out_modes(wsi_hht_work *w, wsi_arena *arena)
{
	const wsi_hht_plan *plan = w->plan;
	const size_t n = plan->hht.n, bins = (size_t)plan->hht.bins.n;
	const bool one = one_by_one(plan);
	wsi_hht_mode m = { .marginal = NULL };
	for (size_t i = 0; i < plan->batch * plan->modes; ++i) {
		if (i == 0 || !one) {
			m.amplitude = wsi_arena_take(arena, n * sizeof *m.amplitude);
			m.bin = wsi_arena_take(arena, n * sizeof *m.bin);
		}
		m.marginal = wsi_arena_take(arena, bins * sizeof *m.marginal);
		if (arena->base)
			w->mode[i] = m;
	}
	w->times = (wsi_hht_times){ .cells = NULL };
	if (!one)
		return;
	w->times.cells = wsi_arena_take(arena, plan->hht.time_bins * (bins + 1) *
	                                sizeof *w->times.cells);
	w->times.power = wsi_arena_take(arena, plan->hht.time_bins * sizeof *w->times.power);
}

static void
lay_out_batch(wsi_hht_work *w, wsi_arena *arena)
{
	const wsi_hht_plan *plan = w->plan;
	const size_t threads = (size_t)plan->base.threads, modes = plan->batch * plan->modes;
	const size_t bins = (size_t)plan->hht.bins.n;
	w->mode = wsi_arena_take(arena, modes * sizeof *w->mode);
	w->facts = wsi_arena_take(arena, modes * sizeof *w->facts);
	w->count = wsi_arena_take(arena, plan->batch * sizeof *w->count);
	w->scale = wsi_arena_take(arena, plan->batch * sizeof *w->scale);
	w->squares = wsi_arena_take(arena, plan->batch * WSI_HHT_STRETCHES * bins *
	                            sizeof *w->squares);
	w->sums = wsi_arena_take(arena, threads * bins * sizeof *w->sums);
	wsi_hht_pairs_lay_out(w, arena);
	wsi_hht_holo_lay_out(w, arena);
	w->scratch = wsi_arena_take(arena, threads * sizeof *w->scratch);
	w->workers = wsi_arena_take(arena, threads * sizeof *w->workers);
	lay_out_modes(w, arena);
	for (size_t i = 0; i < threads; ++i) {
		wsi_hht widest = plan->hht;
		if (plan->am.bins.n > widest.bins.n)
			widest.bins.n = plan->am.bins.n;
		const wsi_hht_scratch s = wsi_hht_scratch_take(&widest, arena);
		if (arena->base)
			w->scratch[i] = s;
	}
}

/* io: NULL while measuring. */
static void
lay_out(wsi_hht_work *w, const wsi_io *io, wsi_arena *arena)
{
	const wsi_hht_plan *plan = w->plan;
	wsi_hht_noise_lay_out(w, arena);
	wsi_hht_locking_lay_out(w, arena);
	if (plan->emd) {
		wsi_hht_take_modes(w, w->aside ? NULL : io, arena);
		if (plan->n_rules)
			w->limits = wsi_arena_take(arena, plan->base.shape.channels * 2 *
			                           (size_t)plan->hht.bins.n * sizeof *w->limits);
	}
	wsi_arena first = *arena;
	size_t most = plan->emd ? plan->emd->workspace : 0;
	for (int i = 0; i < plan->n_rules; ++i)
		most = plan->rules[i]->workspace > most ? plan->rules[i]->workspace : most;
	if (wsi_hht_noise_bytes(plan) > most)
		most = wsi_hht_noise_bytes(plan);
	if (plan->emd)
		w->decomposition = wsi_arena_take(&first, most);
	lay_out_batch(w, arena);
	if (first.used > arena->used)
		arena->used = first.used;
}

ws_status
wsi_hht_measure(ws_plan *base, bool aside)
{
	wsi_hht_plan *plan = (wsi_hht_plan *)base;
	if (base->gpu)
		return wsi_hht_gpu_measure(base, aside);
	plan->batch = (size_t)base->threads < base->shape.channels ? (size_t)base->threads
	              : base->shape.channels;
	base->at_once = plan->batch;
	wsi_hht_work w = { .plan = plan };
	wsi_arena arena = { 0 };
	lay_out(&w, NULL, &arena);
	base->workspace = arena.used;
	return WS_OK;
}

/* ---- The decomposition ------------------------------------------------------------------- */

/* emd: the plan's, or one of its rules. */
static ws_status
decompose(wsi_hht_work *w, const ws_plan *emd)
{
	wsi_io inner = {
		.x = w->io->x, .x_stride = w->io->x_stride, .first_channel = w->io->first_channel,
		.noise = w->io->noise,
	};
	return wsi_hht_decompose(w, emd, &inner);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

/* n samples of a row as doubles times `by`. */
static void
load(const wsi_hht_work *w, const char *row, double by, double *to, size_t n)
{
	const void *x = row;
	if (w->plan->base.shape.type == WS_F64)
		for (size_t i = 0; i < n; ++i)
			to[i] = ((const double *)x)[i] * by;
	else
		for (size_t i = 0; i < n; ++i)
			to[i] = (double)((const float *)x)[i] * by;
}

/* Is sample i larger than the one before, and not smaller than the next?  Not at an end. */
static bool
is_maximum(const double *x, size_t i, size_t n)
{
	return i + 1 < n && x[i] > x[i - 1] && x[i] >= x[i + 1];
}

/* A row as doubles times `by`, and its facts: by blocks, in whose order the slot adds its sums,
 * while they are in the first cache. */
static void
load_with_facts(const wsi_hht_work *w, const char *row, double by, double *to,
                wsi_hht_facts *facts)
{
	const size_t n = w->plan->hht.n, element = wsi_type_size(w->plan->base.shape.type);
	facts->squares = 0.0;
	facts->maxima = 0;
	for (size_t first = 0, end; first < n; first = end) {
		size_t maxima;
		end = n - first < WSI_WIDE_BLOCK ? n : first + WSI_WIDE_BLOCK;
		load(w, row + first * element, by, to + first, end - first);
		facts->squares += w->plan->hht.ops->facts(to + first, end - first, &maxima);
		/* A block's own maxima are not at its ends. */
		if (first)
			maxima += is_maximum(to, first - 1, end) + is_maximum(to, first, end);
		facts->maxima += maxima;
	}
}

/* n doubles times `by` as a row. */
static void
save(const wsi_hht_work *w, const double *from, double by, void *row)
{
	const size_t n = w->plan->hht.n;
	if (w->plan->base.shape.type == WS_F64)
		for (size_t i = 0; i < n; ++i)
			((double *)row)[i] = from[i] * by;
	else
		for (size_t i = 0; i < n; ++i)
			((float *)row)[i] = (float)(from[i] * by);
}

/* ---- Jobs: modes --------------------------------------------------------------------------- */

/* Is there a mode of number i of the batch? */
static bool
is_there(const wsi_hht_work *w, size_t i)
{
	return i % w->plan->modes < w->count[i / w->plan->modes];
}

static const char *
row_of(const wsi_hht_work *w, size_t i)
{
	return wsi_hht_mode_row(w, w->first + i / w->plan->modes, i % w->plan->modes);
}

/* The largest magnitude of a row.  *bad, SIZE_MAX before, becomes the number of the first sample
 * that is not finite. */
static double
peak_of(const wsi_hht_work *w, const char *row, size_t *bad)
{
	const size_t n = w->plan->hht.n;
	int finite = 1;
	const double peak = w->plan->hht.ops->peak(row, w->plan->base.shape.type, n, &finite);
	for (size_t i = 0; !finite && *bad == SIZE_MAX; ++i)
		if (!(fabs(wsi_real_at(row, w->plan->base.shape.type, i)) < HUGE_VAL))
			*bad = i;
	return peak;
}

static void
look(void *arg, size_t i, int rank)
{
	wsi_hht_work *w = arg;
	wsi_hht_facts f = { .bad = SIZE_MAX };
	(void)rank;
	if (!is_there(w, i))
		return;
	f.peak = peak_of(w, row_of(w, i), &f.bad);
	w->facts[i] = f;
}

static void
normalise(void *arg, size_t i, int rank)
{
	wsi_hht_work *w = arg;
	wsi_hht_scratch *s = &w->scratch[rank];
	double *x = s->x + w->plan->hht.lead;
	const double scale = w->scale[i / w->plan->modes];
	if (!is_there(w, i))
		return;
	load(w, row_of(w, i), 1.0 / scale, x, w->plan->hht.n);
	w->facts[i].largest = wsi_hht_normalise(&w->plan->hht, s, x, scale, &w->mode[i]);
}

/* The largest magnitude of all normalised modes of a channel. */
static double
largest_of(const wsi_hht_work *w, size_t c)
{
	double largest = 0.0;
	for (size_t k = 0; k < w->count[c]; ++k)
		largest = fmax(largest, w->facts[c * w->plan->modes + k].largest);
	return largest;
}

static void
cut_cycles(const wsi_hht_work *w, const double *phase, size_t channel, size_t k)
{
	const wsi_hht *h = &w->plan->hht;
	int32_t *cycle = wsi_hht_out_row(w, WS_HHT_CYCLE, WS_HHT_PART_CYCLES, channel, k);
	if (!cycle)
		return;
	const size_t count = wsi_hht_cycles(phase, h->emd_py ? 0.0 : PHASE_PI / 2.0, h->n, cycle);
	int32_t *counts = wsi_hht_out_row(w, WS_HHT_CYCLE_COUNT, WS_HHT_PART_CYCLES, channel, 0);
	if (counts)
		counts[k] = (int32_t)count;
}

static void
analyse(void *arg, size_t i, int rank)
{
	wsi_hht_work *w = arg;
	const wsi_hht *h = &w->plan->hht;
	wsi_hht_scratch *s = &w->scratch[rank];
	const size_t c = i / w->plan->modes, k = i % w->plan->modes, channel = w->first + c;
	wsi_hht_mode *m = &w->mode[i];
	if (!is_there(w, i))
		return;
	load_with_facts(w, row_of(w, i), 1.0 / w->scale[c], s->x + h->lead, &w->facts[i]);
	if (!wsi_goes_on(w->progress, rank))
		return;
	wsi_hht_analyse(h, s, m, largest_of(w, c));
	if (w->times.cells && !w->aside)
		wsi_hht_add_mode(h, m, &w->times);
	if (!wsi_goes_on(w->progress, rank))
		return;
	const int part = WS_HHT_PART_INSTANTANEOUS;
	void *amplitude = wsi_hht_out_row(w, WS_HHT_AMPLITUDE, part, channel, k);
	void *phase = wsi_hht_out_row(w, WS_HHT_PHASE, part, channel, k);
	void *frequency = wsi_hht_out_row(w, WS_HHT_INSTANTANEOUS_FREQUENCY, part,
	                                  channel, k);
	if (amplitude)
		save(w, m->amplitude, w->scale[c], amplitude);
	if (phase)
		memcpy(phase, s->phase, h->n * sizeof *s->phase);
	if (frequency)
		save(w, s->y, 1.0, frequency);
	cut_cycles(w, s->phase, channel, k);
	wsi_hht_pairs_keep(w, channel, k, m->amplitude, s->phase);
}

/* ---- A batch --------------------------------------------------------------------------------- */

/* How many modes each channel has before they are looked at. */
static void
count_modes(wsi_hht_work *w)
{
	for (size_t c = 0; c < w->n; ++c) {
		const int32_t *count = wsi_io_row(w->io, WS_HHT_MODE_COUNT, w->first + c, 0);
		w->count[c] = w->plan->emd ? (size_t)*count : w->plan->modes;
	}
}

/* What the look at a channel's modes tells: is all finite, how many are not zero, their scale. */
static ws_status
judge_modes(wsi_hht_work *w, size_t c)
{
	double peak = 0.0;
	size_t count = 0;
	for (size_t k = 0; k < w->count[c]; ++k) {
		const wsi_hht_facts *f = &w->facts[c * w->plan->modes + k];
		if (f->bad != SIZE_MAX)
			return wsi_hht_refuse(w, c, k, f->bad);
		peak = f->peak > peak ? f->peak : peak;
		count = f->peak > 0.0 ? k + 1 : count;
	}
	WSI_TRY(wsi_hht_power_fits(w, c, peak));
	if (!w->plan->emd) {
		w->count[c] = count;
		*(int32_t *)wsi_io_row(w->io, WS_HHT_MODE_COUNT, w->first + c, 0) = (int32_t)count;
	}
	int e = 0;
	if (peak > 0.0)
		frexp(peak, &e);
	e = e < -1000 ? -1000 : e > 1000 ? 1000 : e;
	w->scale[c] = ldexp(1.0, e);
	return WS_OK;
}

/* Modes and residue that are given, to where the caller takes them. */
static void
copy_given(const wsi_hht_work *w)
{
	const ws_plan *base = &w->plan->base;
	const size_t row = base->shape.samples * wsi_type_size(base->shape.type);
	for (size_t c = w->first; w->plan->o.whole_given && c < w->first + w->n; ++c) {
		void *residue = wsi_hht_out_row(w, WS_HHT_RESIDUE, WS_HHT_PART_MODES, c, 0);
		for (size_t k = 0; k < w->count[c - w->first]; ++k) {
			void *to = wsi_hht_out_row(w, WS_HHT_MODES, WS_HHT_PART_MODES, c, k);
			if (to)
				memcpy(to, wsi_hht_mode_row(w, c, k), row);
		}
		if (residue)
			memcpy(residue, wsi_hht_residue_row(w, c), row);
	}
}

/* Amplitudes, phases and frequencies of the batch. */
static ws_status
analyse_batch(wsi_hht_work *w, wsi_pool *pool)
{
	const wsi_hht *h = &w->plan->hht;
	const size_t modes = w->n * w->plan->modes;
	count_modes(w);
	wsi_pool_items(pool, modes, look, w);
	if (wsi_cancelled(w->progress))
		return WS_OK;
	for (size_t c = 0; c < w->n; ++c)
		WSI_TRY(judge_modes(w, c));
	copy_given(w);
	if (h->emd_py && h->method == WS_HHT_QUADRATURE)
		wsi_pool_items(pool, modes, normalise, w);
	if (w->times.cells) {
		const size_t cells = h->time_bins * ((size_t)h->bins.n + 1);
		memset(w->times.cells, 0, cells * sizeof *w->times.cells);
		memset(w->times.power, 0, h->time_bins * sizeof *w->times.power);
	}
	wsi_pool_items(pool, modes, analyse, w);
	return WS_OK;
}

static ws_status
run_batch(wsi_hht_work *w, wsi_pool *pool)
{
	WSI_TRY(analyse_batch(w, pool));
	if (wsi_cancelled(w->progress))
		return WS_OK;
	if (w->plan->o.parts & (WS_HHT_PART_SPECTRUM | WS_HHT_PART_MODE_SPECTRUM |
	                        WS_HHT_PART_SPARSE))
		wsi_pool_items(pool, w->n * WSI_HHT_STRETCHES, wsi_hht_bin_stretch, w);
	wsi_pool_items(pool, w->n, wsi_hht_finish_channel, w);
	if (wsi_cancelled(w->progress))
		return WS_OK;
	return w->holo.cells ? wsi_hht_holo_batch(w, pool) : WS_OK;
}

/* A decomposition that the caller gets nothing of: number `rule` of limits or, below 0, signals of
 * noise for levels of phase locking. */
static ws_status
run_aside(wsi_hht_work *w, const ws_plan *emd, int rule, void *workspace)
{
	const wsi_hht_plan *plan = w->plan;
	const size_t channels = plan->base.shape.channels;
	ws_status status = WS_OK;
	wsi_arena arena = { .base = workspace };
	lay_out(w, w->io, &arena);
	WSI_TRY(decompose(w, emd));
	arena = (wsi_arena){ .base = workspace };
	lay_out(w, w->io, &arena);
	wsi_pool pool;
	wsi_pool_start(&pool, plan->base.threads, w->workers, w->progress);
	for (w->first = 0; w->first < channels && status == WS_OK; w->first += w->n) {
		w->n = channels - w->first < plan->batch ? channels - w->first : plan->batch;
		status = analyse_batch(w, &pool);
		if (rule >= 0 && status == WS_OK && !wsi_cancelled(w->progress))
			wsi_hht_limits_add(w, rule);
	}
	if (rule < 0 && status == WS_OK && !wsi_cancelled(w->progress))
		wsi_pool_items(&pool, channels * plan->modes, wsi_hht_pairs_of, w);
	wsi_pool_stop(&pool);
	return status;
}

/* The decompositions of limits and of signals of noise, one after the other. */
static ws_status
run_all_aside(wsi_hht_work *w, void *workspace)
{
	const wsi_hht_plan *plan = w->plan;
	const wsi_io *io = w->io;
	wsi_io noise = *io;
	ws_status status = WS_OK;
	w->aside = true;
	for (int i = 0; i < plan->n_rules && status == WS_OK && !wsi_cancelled(w->progress); ++i)
		status = run_aside(w, plan->rules[i], i, workspace);
	noise.x = w->locking.x;
	noise.x_stride = plan->base.shape.samples * wsi_type_size(plan->base.shape.type);
	for (int i = 0; w->locking.x && i < plan->o.noise_signals && status == WS_OK &&
	     !wsi_cancelled(w->progress); ++i) {
		wsi_hht_locking_draw(w, io, (size_t)i);
		w->io = &noise;
		status = run_aside(w, plan->emd, -1, workspace);
	}
	w->io = io;
	w->aside = false;
	if (status == WS_OK && !wsi_cancelled(w->progress))
		wsi_hht_limits_put(w);
	return status;
}

ws_status
wsi_hht_run(const ws_plan *base, const wsi_io *io, wsi_progress *progress, void *workspace)
{
	const wsi_hht_plan *plan = wsi_hht_plan_of(base);
	const size_t channels = base->shape.channels;
	for (size_t c = 0; c < channels && wsi_io_wants(io, WS_HHT_CAPPED); ++c)
		*(int32_t *)wsi_io_row(io, WS_HHT_CAPPED, c, 0) = 0;
	if (base->gpu)
		return wsi_hht_gpu_run(base, io, progress, workspace);
	wsi_hht_work w = { .plan = plan, .io = io, .progress = progress,
		           .stretches = WSI_HHT_STRETCHES };
	wsi_progress_step(progress, 0.0, 1.0);
	wsi_arena arena = { .base = workspace };
	lay_out(&w, io, &arena);
	if (plan->noise)
		WSI_TRY(wsi_hht_noise_run(&w, w.decomposition));
	WSI_TRY(run_all_aside(&w, workspace));
	arena = (wsi_arena){ .base = workspace };
	lay_out(&w, io, &arena);
	if (plan->emd && !wsi_cancelled(progress))
		WSI_TRY(decompose(&w, plan->emd));
	if (wsi_cancelled(progress))
		return WS_OK;
	/* The decomposition has worked where this lies. */
	arena = (wsi_arena){ .base = workspace };
	lay_out(&w, io, &arena);
	const double before = plan->emd ? WSI_HHT_DECOMPOSING : 0.0;
	ws_status status = WS_OK;
	wsi_pool pool;
	wsi_pool_start(&pool, base->threads, w.workers, progress);
	for (w.first = 0; w.first < channels && status == WS_OK && !wsi_cancelled(progress);
	     w.first += w.n) {
		w.n = channels - w.first < plan->batch ? channels - w.first : plan->batch;
		status = run_batch(&w, &pool);
		wsi_progress_part(progress, before + (1.0 - before) * (double)(w.first + w.n) /
		                  (double)channels);
	}
	if (status == WS_OK && w.pairs.rows)
		wsi_pool_items(&pool, channels * plan->modes, wsi_hht_pairs_of, &w);
	wsi_pool_stop(&pool);
	return status;
}
