/*
 * joint.c - sifts of several channels together (multivariate EMD, Rehman & Mandic 2010); their loop
 * is algo/memd.c's.
 */
#include "cpu/emd/joint.h"

#include <math.h>

#include "base/element.h"
#include "math/sum.h"

#define TILE_WORDS (WSI_JOINT_TILE / WSI_WORD)

static size_t
rows_of(const wsi_joint *j)
{
	return wsi_joint_rows(j->n) + 4 * j->directions * j->extras;
}

/* The directions in the type of the samples, channel by channel. */
static void
put_directions(wsi_joint *j)
{
	const size_t padded = j->steps.directions;
	for (size_t c = 0; c < j->channels; ++c)
		for (size_t d = 0; d < padded; ++d) {
			const double *v = j->params->vectors;
			const double u = d < j->directions ? v[d * j->channels + c] : 0.0;
			wsi_real_put(j->u, j->ops->type, c * padded + d, u);
		}
}

static bool
counts_crossings(const wsi_params *p)
{
	return p->o.stop_rule == WS_STOP_FIX_H;
}

void
wsi_joint_layout(wsi_joint *j, const wsi_ops *ops, const wsi_params *params, int threads,
                 wsi_progress *progress, wsi_arena *arena)
{
	const size_t channels = params->together, directions = (size_t)params->o.directions;
	const size_t group = WSI_DIRECTION_GROUP, padded = (directions + group - 1) / group * group;
	*j = (wsi_joint){ .ops = ops, .params = params, .progress = progress, .n = params->samples,
		.channels = channels, .lanes = wsi_lanes(channels, ops->element),
		.directions = directions };
	j->tiles = (j->n + WSI_JOINT_TILE - 1) / WSI_JOINT_TILE;
	j->words = j->tiles * TILE_WORDS;
	j->extras = params->cyclic ? WSI_JOINT_REACH_64 : 2;
	j->t_stride = j->n + 4 * j->extras;
	for (int i = 0; i < 2; ++i)
		j->h[i] = wsi_arena_take(arena, rows_of(j) * j->lanes * ops->element);
	j->u = wsi_arena_take(arena, channels * padded * ops->element);
	const size_t bits = padded * j->words * sizeof(uint64_t);
	j->steps = (wsi_project_args){ .n = j->n, .channels = channels, .u = j->u,
		.directions = padded,
		.used = directions, .cyclic = params->cyclic, .words = j->words };
	j->steps.rise = wsi_arena_take(arena, bits);
	j->steps.fall = wsi_arena_take(arena, bits);
	if (counts_crossings(params)) {
		j->steps.above = wsi_arena_take(arena, bits);
		j->steps.below = wsi_arena_take(arena, bits);
	}
	j->bits = wsi_arena_take(arena, 2 * directions * j->words * sizeof *j->bits);
	if (params->half_ticks) {
		j->middle = wsi_arena_take(arena, j->n * j->lanes * ops->element);
		j->half = wsi_arena_take(arena, directions * j->words * sizeof *j->half);
	}
	j->steps.middle = j->middle;
	j->before = wsi_arena_take(arena, 2 * directions * j->tiles * sizeof *j->before);
	j->t = wsi_arena_take(arena, directions * j->t_stride * sizeof *j->t);
	j->knots = wsi_arena_take(arena, directions * sizeof *j->knots);
	j->found = wsi_arena_take(arena, directions * sizeof *j->found);
	j->active = wsi_arena_take(arena, directions * sizeof *j->active);
	j->block_sums = wsi_arena_take(arena, 2 * 2 * WSI_WORDS(j->n) * sizeof *j->block_sums);
	j->scratch = wsi_arena_take(arena, (size_t)threads * sizeof *j->scratch);
	j->counts = wsi_arena_take(arena, (size_t)threads * WSI_ALIGN);
	for (int i = 0; i < threads; ++i) {
		void *p = wsi_arena_take(arena, ops->joint_scratch(channels));
		if (j->scratch)
			j->scratch[i] = p;
	}
	if (j->u)
		put_directions(j);
}

/* ---- Passes ----------------------------------------------------------------------- */

/* What all threads work on, item by item. */
typedef struct pass {
	wsi_joint *j;
	char *h, *y;            /* the signal; where h minus the mean goes */
	const wsi_joint_job *job;
	wsi_joint_mean_args mean;
	wsi_items items;
} pass;

/* Of `count` items, so many together. */
static void
run_pass(wsi_pool *pool, wsi_pool_work one, pass *p, size_t count, size_t together)
{
	p->items = (wsi_items){ .count = count, .together = together,
		.progress = p->j->progress };
	wsi_pool_run(pool, one, p);
}

static void
project_items(void *arg, int rank, int size)
{
	pass *p = arg;
	wsi_project_args args = p->j->steps;
	(void)size;
	while (wsi_items_some(&p->items, rank, &args.word0, &args.word1))
		p->j->ops->project(&args);
}

static void
knots_items(void *arg, int rank, int size)
{
	pass *p = arg;
	(void)size;
	for (size_t d; wsi_items_next(&p->items, rank, &d);)
		wsi_joint_find_knots(p->j, p->h, d);
}

static wsi_mean_counts *
counts_of(const wsi_joint *j, int rank)
{
	return (wsi_mean_counts *)((char *)j->counts + (size_t)rank * WSI_ALIGN);
}

static void
mean_items(void *arg, int rank, int size)
{
	pass *p = arg;
	wsi_joint_mean_args args = p->mean;
	(void)size;
	args.scratch = p->j->scratch[rank];
	*counts_of(p->j, rank) = (wsi_mean_counts){ 0, 0 };
	while (wsi_items_some(&p->items, rank, &args.tile0, &args.tile1))
		p->j->ops->joint_mean(&args, counts_of(p->j, rank));
}

/* From rows of channels to h, a stretch of samples at a time. */
static void
gather_items(void *arg, int rank, int size)
{
	pass *p = arg;
	wsi_joint *j = p->j;
	(void)size;
	for (size_t first, end; wsi_items_some(&p->items, rank, &first, &end);)
		j->ops->interleave(p->h + first * j->lanes * j->ops->element,
		                   p->job->r.base + first * j->ops->element, p->job->r.stride,
		                   j->channels,
		                   j->lanes, end - first);
}

/* The mode from h to rows, and off the rest. */
static void
scatter_items(void *arg, int rank, int size)
{
	pass *p = arg;
	wsi_joint *j = p->j;
	const size_t element = j->ops->element;
	(void)size;
	for (size_t first, end; wsi_items_some(&p->items, rank, &first, &end);) {
		char *out = p->job->out.base + first * element;
		char *r = p->job->r.base + first * element;
		j->ops->deinterleave(out, p->job->out.stride, p->h + first * j->lanes * element,
		                     j->channels, j->lanes, end - first);
		for (size_t c = 0; c < j->channels; ++c)
			j->ops->subtract(r + c * p->job->r.stride, r + c * p->job->r.stride,
			                 out + c * p->job->out.stride, end - first);
	}
}

/* ---- A sift ------------------------------------------------------------------------- */

/* memd.m's fix_h: has any direction as many crossings as extrema, give or
 * take one?  No extremum counts as one there. */
static bool
crossings_agree(const wsi_joint *j)
{
	for (size_t d = 0; d < j->directions; ++d) {
		const wsi_direction *f = &j->found[d];
		int64_t extrema = 0;
		for (int kind = 0; kind < 2; ++kind)
			extrema += f->extrema[kind] ? f->extrema[kind] : 1;
		const int64_t excess = f->zero_crossings - extrema;
		if (excess <= 1 && excess >= -1)
			return true;
	}
	return false;
}

/* What a sift works with. */
typedef struct sifting {
	wsi_joint *j;
	wsi_pool *pool;
	int active;             /* directions with envelopes */
} sifting;

/* wsi_joint_steps.find */
static bool
find_knots(void *user, int at, wsi_joint_found *found)
{
	sifting *s = user;
	wsi_joint *j = s->j;
	pass p = { .j = j, .h = j->h[at] };
	j->steps.h = j->h[at];
	run_pass(s->pool, project_items, &p, WSI_WORDS(j->n), TILE_WORDS);
	run_pass(s->pool, knots_items, &p, j->directions, 1);
	if (wsi_cancelled(j->progress))
		return false;
	s->active = 0;
	*found = (wsi_joint_found){ .agrees = counts_crossings(j->params) && crossings_agree(j) };
	for (size_t d = 0; d < j->directions; ++d) {
		const wsi_direction *f = &j->found[d];
		const int64_t extrema = f->extrema[WSI_MAX] + f->extrema[WSI_MIN];
		s->active += j->active[d];
		found->extrema = extrema > found->extrema ? extrema : found->extrema;
	}
	return s->active > 0;
}

/* wsi_joint_steps.subtract */
static bool
subtract_mean(void *user, int at, wsi_wants wants, wsi_sift_stats *stats)
{
	sifting *s = user;
	wsi_joint *j = s->j;
	const wsi_params *params = j->params;
	const size_t blocks = 2 * WSI_WORDS(j->n);
	pass p = { .j = j };
	p.mean = (wsi_joint_mean_args){ .h = j->h[at], .middle = j->middle, .y = j->h[1 - at],
		.n = j->n, .channels = j->channels,
		.knots = (const wsi_knots(*)[2])j->knots, .active = j->active,
		.directions = j->directions, .n_active = s->active, .spline = params->o.spline,
		.want_above = wants.above, .sd = params->stop[0], .sd2 = params->stop[1],
		.want_sums = wants.sums, .block_sums = j->block_sums };
	for (int i = 0; i < s->pool->size; ++i)
		*counts_of(j, i) = (wsi_mean_counts){ 0, 0 };
	run_pass(s->pool, mean_items, &p, j->tiles, 1);
	stats->above = (wsi_mean_counts){ 0, 0 };
	for (int i = 0; i < s->pool->size; ++i) {
		stats->above.above_sd += counts_of(j, i)->above_sd;
		stats->above.above_sd2 += counts_of(j, i)->above_sd2;
	}
	if (wants.sums) {
		stats->sum_m2 = sum_tree(j->block_sums, blocks);
		stats->sum_h2 = sum_tree(j->block_sums + blocks, blocks);
	}
	return !wsi_cancelled(j->progress);
}

void
wsi_joint_sift(wsi_joint *j, wsi_pool *pool, const wsi_joint_job *job)
{
	double magnitude2 = 0.0;
	for (size_t c = 0; c < j->channels; ++c)
		magnitude2 = fma(job->input[c].magnitude, job->input[c].magnitude, magnitude2);
	j->steps.flat = j->params->resolution * sqrt(magnitude2);
	j->vanished = ldexp(WSI_JOINT_VANISHED, -job->input[0].exponent);
	pass p = { .j = j, .h = j->h[0], .job = job };
	run_pass(pool, gather_items, &p, j->n, WSI_JOINT_TILE);
	*job->sifted = (wsi_sifted){ .sifts = 0 };
	sifting s = { .j = j, .pool = pool };
	const int at = job->loop(j->params, job->max_sifts,
	                         &(wsi_joint_steps){ find_knots, subtract_mean, &s }, job->sifted);
	job->sifted->untouched = job->sifted->oscillates && job->sifted->sifts == 0;
	if (!job->sifted->oscillates || wsi_cancelled(j->progress))
		return;
	p.h = j->h[at];
	run_pass(pool, scatter_items, &p, j->n, WSI_JOINT_TILE);
}
