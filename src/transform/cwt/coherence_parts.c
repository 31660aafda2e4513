/* coherence_parts.c - which arrays a pair of channels has, and the memory that threads work in. */
#include "transform/cwt/coherence_parts.h"

#include "base/element.h"

/* ---- Arrays of a pair -------------------------------------------------------------------- */

const int wsi_coherence_array[2][PAIR_KINDS] = {
	{ WS_COHERENCE_COHERENCE, WS_COHERENCE_PHASE_LOCKING, WS_COHERENCE_CROSS_SPECTRUM,
	  WS_COHERENCE_IMAGINARY, WS_COHERENCE_SIGNIFICANCE, WS_COHERENCE_LOCKING_SIGNIFICANCE,
	  WS_COHERENCE_SHUFFLED_SIGNIFICANCE, WS_COHERENCE_SHUFFLED_LOCKING_SIGNIFICANCE,
	  WS_COHERENCE_CLUSTER_P, WS_COHERENCE_LOCKING_CLUSTER_P },
	{ WS_COHERENCE_COHERENCE_PAIRS, WS_COHERENCE_PHASE_LOCKING_PAIRS,
	  WS_COHERENCE_CROSS_SPECTRUM_PAIRS, WS_COHERENCE_IMAGINARY_PAIRS,
	  WS_COHERENCE_SIGNIFICANCE_PAIRS,
	  WS_COHERENCE_LOCKING_SIGNIFICANCE_PAIRS, WS_COHERENCE_SHUFFLED_SIGNIFICANCE_PAIRS,
	  WS_COHERENCE_SHUFFLED_LOCKING_SIGNIFICANCE_PAIRS, WS_COHERENCE_CLUSTER_P_PAIRS,
	  WS_COHERENCE_LOCKING_CLUSTER_P_PAIRS },
};

bool
wsi_coherence_of_all(const wsi_coherence_plan *plan)
{
	return plan->o.against == WS_AGAINST_ALL;
}

bool
wsi_coherence_has(const wsi_coherence_plan *plan, int kind)
{
	return kind < PAIR_ROWS || (kind < PAIR_SHUFFLED
		? (plan->smooth ? plan->o.noise_signals > 0 : !plan->shuffle)
		: kind < PAIR_CLUSTERS ? plan->shuffle : plan->o.clusters != 0);
}

/* ---- Memory ------------------------------------------------------------------------------ */

wsi_coherence_own
wsi_coherence_take_own(const wsi_coherence_plan *plan, wsi_arena *arena)
{
	const wsi_cwt *cwt = plan->family.cwt;
	const size_t n = cwt->outputs * sizeof(double);
	const size_t rows = plan->shuffle ? plan->family.epochs : 1;
	wsi_coherence_own own = { .w = wsi_arena_take(arena, rows * 2 * n),
		.next = plan->shuffle ? 2 * n : 0 };
	own.v = wsi_arena_take(arena, rows * 2 * n);
	own.power_w = wsi_arena_take(arena, n);
	own.power_v = wsi_arena_take(arena, n);
	own.re = wsi_arena_take(arena, n);
	own.im = wsi_arena_take(arena, n);
	own.unit_re = wsi_arena_take(arena, n);
	own.unit_im = wsi_arena_take(arena, n);
	own.rest = wsi_arena_take(arena, plan->smooth ? wsi_smoothing_bytes(cwt) : 0);
	if (!plan->shuffle)
		return own;
	const size_t signals = (size_t)plan->o.noise_signals;
	for (int k = 0; k < 2; ++k)
		own.values[k] = wsi_arena_take(arena, (1 + signals) * n);
	own.sorted = wsi_arena_take(arena, signals * sizeof *own.sorted);
	own.order = wsi_arena_take(arena, rows * sizeof *own.order);
	return own;
}

size_t
wsi_coherence_maps(const wsi_coherence_plan *plan)
{
	return plan->shuffle ? 1 + (size_t)plan->o.noise_signals : 1;
}

static void
take_clusters(const wsi_coherence_plan *plan, wsi_arena *arena, wsi_coherence_shared *p)
{
	const size_t rows = plan->family.cwt->count, cells = rows * plan->outputs;
	const size_t signals = (size_t)plan->o.noise_signals;
	p->maps = wsi_arena_take(arena, wsi_coherence_maps(plan) * 2 * cells);
	p->levels = wsi_arena_take(arena, 2 * rows * sizeof *p->levels);
	p->p = wsi_arena_take(arena, cells * sizeof *p->p);
	size_t *gathered = wsi_arena_take(arena, cells * sizeof *gathered);
	for (int k = 0; k < 2; ++k)
		p->clusters[k] = (wsi_clusters){ rows, plan->outputs, signals,
			wsi_arena_take(arena, signals * sizeof(uint64_t)), gathered };
}

/* At most. */
#define KEPT_BYTES ((size_t)64 << 20)

bool
wsi_coherence_keeps(const wsi_coherence_plan *plan)
{
	const ws_plan *base = &plan->family.base;
	const size_t rows = plan->family.cwt->count * plan->family.epochs;
	const bool parted = base->part && base->part < plan->family.cwt->count;
	return !plan->smooth && !plan->shuffle && !parted && base->shape.channels > 1
	       && KEPT_BYTES / wsi_coherence_row_bytes(plan) >= rows;
}

wsi_coherence_shared
wsi_coherence_take_shared(const wsi_coherence_plan *plan, wsi_arena *arena)
{
	const ws_plan *base = &plan->family.base;
	const size_t count = base->part ? base->part : plan->family.cwt->count;
	const size_t n = base->shape.samples;
	wsi_coherence_shared p = { .rows = wsi_arena_take(
		arena, plan->most_rows * PAIR_SUMS * plan->outputs * sizeof(double)) };
	if (wsi_coherence_keeps(plan))
		p.kept = wsi_arena_take(arena, count * plan->family.epochs
		                        * wsi_coherence_row_bytes(plan));
	if (plan->o.clusters)
		take_clusters(plan, arena, &p);
	if (!plan->o.noise_signals || plan->shuffle)
		return p;
	p.counts = wsi_arena_take(arena, 2 * count * sizeof *p.counts);
	p.signal = wsi_arena_take(arena, n * wsi_type_size(base->shape.type));
	p.scratch = wsi_arena_take(arena, wsi_surrogate_scratch(&plan->surrogates, n));
	return p;
}

uint8_t *
wsi_coherence_map_row(const wsi_coherence_plan *plan, const wsi_coherence_shared *p, size_t map,
                      int k, size_t item)
{
	return p->maps + ((2 * map + (size_t)k) * plan->family.cwt->count + item) * plan->outputs;
}
