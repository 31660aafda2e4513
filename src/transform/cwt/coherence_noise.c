/* coherence_noise.c - levels over time by signals of noise, and clusters. */
#include "transform/cwt/coherence_noise.h"

#include <string.h>

#include "base/status.h"
#include "transform/cwt/coherence_pair.h"

/* ---- Clusters ------------------------------------------------------------------------------ */

/* The largest of map `map`, whose signals are of number `number`. */
static void
take_largest(const wsi_coherence_plan *plan, const wsi_coherence_shared *shared, size_t map,
             size_t number)
{
	for (int k = 0; k < 2; ++k)
		shared->clusters[k].largest[number] = wsi_cluster_largest(
			&shared->clusters[k], wsi_coherence_map_row(plan, shared, map, k, 0));
}

/* The p of the pair's own clusters, of map 0. */
static void
put_clusters(const wsi_epochs_channel *pair, const wsi_coherence_shared *shared)
{
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(&pair->execution->plan->base);
	const size_t n = plan->outputs;
	for (int k = 0; k < 2; ++k) {
		wsi_clusters_p(&shared->clusters[k], wsi_coherence_map_row(plan, shared, 0, k, 0),
		               shared->p);
		for (size_t i = 0; i < plan->family.cwt->count * n; ++i)
			wsi_coherence_put_row(pair, PAIR_CLUSTERS + k, i / n, i % n, shared->p[i]);
	}
}

/* Of epochs, whose maps are there. */
ws_status
wsi_coherence_clusters(const wsi_epochs_channel *pair, double begin, double end)
{
	const wsi_cwt_execution *e = pair->execution;
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(&e->plan->base);
	wsi_arena arena = { .base = e->shared };
	const wsi_coherence_shared shared = wsi_coherence_take_shared(plan, &arena);
	(void)begin, (void)end;
	if (pair->channel == pair->with || wsi_cancelled(e->progress))
		return WS_OK;
	for (size_t i = 1; i < wsi_coherence_maps(plan); ++i)
		take_largest(plan, &shared, i, i - 1);
	put_clusters(pair, &shared);
	return WS_OK;
}

/* ---- Levels over time -------------------------------------------------------------------- */

/* Counts a row of two signals of noise. */
static void
count_noise(void *user, size_t item, wsi_cwt_scratch *scratch, void *memory)
{
	const wsi_epochs_channel *j = user;
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(&j->execution->plan->base);
	wsi_arena arena = { .base = memory }, shared = { .base = j->execution->shared };
	const wsi_coherence_own own = wsi_coherence_take_own(plan, &arena);
	wsi_level_counts *counts = &wsi_coherence_take_shared(plan, &shared).counts[2 * item];
	size_t within[2];
	(void)scratch;
	wsi_coherence_form_row(j, item, &own, within);
	for (size_t t = within[0]; t < within[1]; ++t) {
		wsi_level_count(&counts[0], ((double *)own.w)[t]);
		wsi_level_count(&counts[1], ((double *)own.v)[t]);
	}
}

/* Marks what is above the levels in a row of two signals. */
static void
mark_row(void *user, size_t item, wsi_cwt_scratch *scratch, void *memory)
{
	const wsi_epochs_channel *j = user;
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(&j->execution->plan->base);
	wsi_arena arena = { .base = memory }, whole = { .base = j->execution->shared };
	const wsi_coherence_own own = wsi_coherence_take_own(plan, &arena);
	const wsi_coherence_shared shared = wsi_coherence_take_shared(plan, &whole);
	size_t within[2];
	(void)scratch;
	wsi_coherence_form_row(j, item, &own, within);
	for (int k = 0; k < 2; ++k) {
		const double *values = (double *)(k ? own.v : own.w);
		uint8_t *map = wsi_coherence_map_row(plan, &shared, 0, k, item);
		memset(map, 0, plan->outputs);
		for (size_t t = within[0]; t < within[1]; ++t)
			map[t] = wsi_cluster_cell(values[t], shared.levels[2 * item + (size_t)k]);
	}
}

/* The rows of two signals, averaged in time and then each worked on. */
static void
go_through(const wsi_epochs_channel *two, wsi_epochs_item *item)
{
	const wsi_cwt_execution *e = two->execution;
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(&e->plan->base);
	wsi_epochs_channel user = *two;
	size_t from;
	const wsi_cwt_work before = {
		.item = wsi_coherence_over_times, .own_bytes = e->plan->own_bytes,
		.items = wsi_smoothing_reach(&plan->smoothing, e->first, e->count, &from),
		.user = &user };
	const wsi_cwt_work items = { .item = item, .own_bytes = e->plan->own_bytes,
		.items = e->count, .user = &user };
	wsi_cwt_items(plan->family.cwt, &before, e->pool, e->progress, e->scratch);
	wsi_cwt_items(plan->family.cwt, &items, e->pool, e->progress, e->scratch);
}

/* One pair of signals of noise in the place of the channels. */
static ws_status
compare_noise(const wsi_epochs_channel *pair, size_t number, const wsi_coherence_shared *shared,
              wsi_epochs_item *item)
{
	const wsi_cwt_execution *e = pair->execution;
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(&e->plan->base);
	const wsi_cwt *cwt = plan->family.cwt;
	const size_t spectrum = wsi_cwt_spectrum_bytes(cwt), of[] = { pair->channel, pair->with };
	wsi_io io = *e->io;
	wsi_cwt_execution noise = *e;
	noise.io = &io;
	noise.spectra = e->spectra + 2 * spectrum;
	for (int k = 0; k < 2; ++k) {
		wsi_surrogate_make(&plan->surrogates, e->io->x + of[k] * e->io->x_stride,
		                   cwt->samples, of[k], number, shared->signal, shared->scratch);
		io.x = shared->signal;
		WSI_TRY(wsi_cwt_take(&noise, 0, noise.spectra + (size_t)k * spectrum));
	}
	go_through(&(wsi_epochs_channel){ &noise, pair->channel, pair->with,
	                                  noise.spectra + spectrum }, item);
	return WS_OK;
}

/* Levels of a pair, by signals of noise that have its channels' spectra, and its clusters. */
ws_status
wsi_coherence_noise(const wsi_epochs_channel *pair, double begin, double end)
{
	const wsi_cwt_execution *e = pair->execution;
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(&e->plan->base);
	wsi_arena arena = { .base = e->shared };
	const wsi_coherence_shared shared = wsi_coherence_take_shared(plan, &arena);
	const size_t all = pair->channel == pair->with ? 0 : (size_t)plan->o.noise_signals;
	const size_t rounds = plan->o.clusters ? 2 : 1;
	memset(shared.counts, 0, 2 * e->count * sizeof *shared.counts);
	for (size_t i = 0; i < rounds * all && !wsi_cancelled(e->progress); ++i) {
		const double step = (end - begin) / (double)(rounds * all);
		wsi_progress_step(e->progress, begin + (double)i * step,
		                  begin + (double)(i + 1) * step);
		for (size_t f = 0; f < 2 * e->count && i == all; ++f)
			shared.levels[f] = wsi_level_of(&shared.counts[f], plan->o.level);
		WSI_TRY(compare_noise(pair, i % all, &shared, i < all ? count_noise : mark_row));
		if (i >= all)
			take_largest(plan, &shared, 0, i - all);
	}
	for (size_t f = 0; f < e->count; ++f)
		wsi_coherence_put_levels(plan, e->io, pair->channel, pair->with, f,
		           wsi_level_of(&shared.counts[2 * f], plan->o.level),
		           wsi_level_of(&shared.counts[2 * f + 1], plan->o.level));
	if (rounds * all > all && !wsi_cancelled(e->progress)) {
		go_through(pair, mark_row);
		put_clusters(pair, &shared);
	}
	return WS_OK;
}
