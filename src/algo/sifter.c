/* sifter.c - the sifting loop of one signal. */
#include "algo/sifter.h"

#include <math.h>
#include <string.h>

#include "math/boundary.h"
#include "math/sum.h"

void
wsi_sifter_layout(wsi_sifter *s, const wsi_ops *ops, const wsi_params *params, int size,
                  bool own_r, wsi_progress *progress, wsi_arena *arena)
{
	const size_t words = WSI_WORDS(params->samples), row = words * WSI_WORD * ops->element;
	*s = (wsi_sifter){ .ops = ops, .params = params, .n = params->samples, .size = size,
	                    .progress = progress };
	if (own_r)
		s->r = wsi_arena_take(arena, row);
	for (int i = 0; i < 2; ++i) {
		s->h[i] = wsi_arena_take(arena, row);
		s->marks[i] = wsi_arena_take(arena, words * sizeof(uint64_t));
	}
	s->block_sums = wsi_arena_take(arena, 3 * 2 * words * sizeof(double));
	s->ends = wsi_arena_take(arena, (size_t)size * sizeof *s->ends);
	s->share = wsi_arena_take(arena, (size_t)size * sizeof *s->share);
	void **scratch = wsi_arena_take(arena, (size_t)size * sizeof *scratch);
	for (int i = 0; i < size; ++i) {
		void *p = wsi_arena_take(arena, ops->mean_scratch);
		if (scratch)
			scratch[i] = p;
	}
	s->mean_scratch = scratch;
}

void
wsi_team_start(wsi_sifter *s, int size)
{
	s->size = size;
	wsi_barrier_init(&s->barrier, size);
}

void
wsi_team_wait(wsi_sifter *s)
{
	if (s->size > 1)
		wsi_barrier_wait(&s->barrier);
}

static void
word_range(const wsi_sifter *s, int rank, size_t *word0, size_t *word1)
{
	const size_t words = WSI_WORDS(s->n), size = (size_t)s->size, k = (size_t)rank;
	*word0 = words * k / size;
	*word1 = words * (k + 1) / size;
}

void
wsi_team_range(const wsi_sifter *s, int rank, size_t *first, size_t *count)
{
	size_t word0, word1;
	word_range(s, rank, &word0, &word1);
	*first = word0 * WSI_WORD;
	size_t end = word1 * WSI_WORD < s->n ? word1 * WSI_WORD : s->n;
	*count = end > *first ? end - *first : 0;
}

static const void *
at(const wsi_sifter *s, const void *row, size_t sample)
{
	return (const char *)row + sample * s->ops->element;
}

static double
value(const wsi_sifter *s, const void *row, size_t sample)
{
	return s->ops->type == WS_F64 ? ((const double *)row)[sample]
	                              : (double)((const float *)row)[sample];
}

wsi_extent
wsi_extent_of(wsi_sifter *s, int rank, const void *x)
{
	size_t first, count;
	wsi_team_range(s, rank, &first, &count);
	wsi_share *mine = &s->share[rank];
	mine->min = HUGE_VAL;
	mine->max = -HUGE_VAL;
	if (count)
		s->ops->minmax(at(s, x, first), count, &mine->min, &mine->max);
	wsi_team_wait(s);
	double min = HUGE_VAL, max = -HUGE_VAL;
	for (int i = 0; i < s->size; ++i) {
		min = fmin(min, s->share[i].min);
		max = fmax(max, s->share[i].max);
	}
	wsi_team_wait(s);
	return (wsi_extent){ max - min, fmax(fabs(min), fabs(max)) };
}

void
wsi_sifter_scale(wsi_sifter *s, int rank, wsi_extent input)
{
	if (rank == 0)
		s->flat = s->params->resolution * input.magnitude;
	wsi_team_wait(s);
}

/* Marks the extrema of x; every member returns the counts of the whole. */
static wsi_counts
mark(wsi_sifter *s, int rank, const void *x)
{
	const wsi_params *p = s->params;
	wsi_mark_job job = {
		.x = x, .n = s->n, .marks = { s->marks[0], s->marks[1] },
		.flat = s->flat, .plateaus = p->plateaus, .cyclic = p->cyclic,
		.signs = p->o.stop == WS_STOP_RILLING || p->o.stop == WS_STOP_S_NUMBER,
	};
	word_range(s, rank, &job.word0, &job.word1);
	wsi_share *mine = &s->share[rank];
	memset(&mine->counts, 0, sizeof mine->counts);
	s->ops->mark(&job, &mine->counts);
	wsi_team_wait(s);
	wsi_counts all = { { 0, 0 }, 0, 0 };
	for (int i = 0; i < s->size; ++i) {
		const wsi_counts *c = &s->share[i].counts;
		for (int k = 0; k < 2; ++k)
			all.extrema[k] += c->extrema[k];
		all.zero_crossings += c->zero_crossings;
		all.wrong_sign += c->wrong_sign;
	}
	return all;
}

/* Where the knot of the extremum marked at sample p lies. */
static int64_t
tick_of(const wsi_sifter *s, const void *x, int64_t p)
{
	int64_t first = p, last = p;
	if (s->params->half_ticks) {
		const double v = value(s, x, (size_t)p);
		while (first > 0 && value(s, x, (size_t)(first - 1)) == v)
			--first;
		while (last + 1 < (int64_t)s->n && value(s, x, (size_t)(last + 1)) == v)
			++last;
	}
	return first + last;
}

/* Up to `most` extrema of a kind from one end inwards. */
static void
look_inwards(const wsi_sifter *s, const void *x, int kind, int side, int most, wsi_near *near)
{
	const size_t words = WSI_WORDS(s->n);
	const int64_t last = ((int64_t)s->n - 1) * WSI_TICKS;
	near->n = 0;
	for (size_t i = 0; i < words; ++i) {
		size_t w = side == WSI_LEFT ? i : words - 1 - i;
		for (uint64_t m = s->marks[kind][w]; m;) {
			int bit = side == WSI_LEFT ? __builtin_ctzll(m) : 63 - __builtin_clzll(m);
			m &= ~((uint64_t)1 << bit);
			int64_t p = (int64_t)(w * WSI_WORD) + bit, t = tick_of(s, x, p);
			near->u[near->n] = (int32_t)(side == WSI_LEFT ? t : last - t);
			near->v[near->n] = value(s, x, (size_t)p);
			if (++near->n == most)
				return;
		}
	}
}

static void
place(const wsi_sifter *s, const wsi_beyond *b, int side, wsi_extras *extras)
{
	const int32_t last = (int32_t)(s->n - 1) * WSI_TICKS;
	extras->n = b->n;
	for (int i = 0; i < b->n; ++i) {
		int k = side == WSI_LEFT ? b->n - 1 - i : i;
		extras->t[k] = side == WSI_LEFT ? b->u[i] : last - b->u[i];
		extras->v[k] = s->ops->type == WS_F64 ? b->v[i] : (double)(float)b->v[i];
	}
}

/* The knots beyond both ends of x, from its marks. */
static void
make_ends(const wsi_sifter *s, const void *x, wsi_ends *ends)
{
	const ws_boundary rule = s->params->o.boundary;
	const int most = boundary_looks_at(rule);
	wsi_near near[2][2]; /* [side][kind] */
	for (int side = 0; side < 2; ++side)
		for (int kind = 0; kind < 2; ++kind)
			look_inwards(s, x, kind, side, most, &near[side][kind]);
	for (int side = 0; side < 2; ++side) {
		const wsi_near *n = near[side];
		const double end = value(s, x, side == WSI_LEFT ? 0 : s->n - 1);
		wsi_beyond out[2];
		if (rule == WS_BOUNDARY_MIRROR)
			boundary_mirror(n, n[WSI_MAX].u[0] < n[WSI_MIN].u[0] ? WSI_MAX : WSI_MIN, end, out);
		for (int kind = 0; kind < 2; ++kind) {
			if (rule == WS_BOUNDARY_EXTRAPOLATE)
				boundary_extrapolate(&n[kind], kind, 2, end, &out[kind]);
			else if (rule == WS_BOUNDARY_SLOPE)
				boundary_extrapolate(&n[kind], kind, 4, end, &out[kind]);
			else if (rule == WS_BOUNDARY_PERIODIC)
				boundary_periodic(&near[1 - side][kind], (int64_t)s->n, &out[kind]);
			place(s, &out[kind], side, &ends->extra[kind][side]);
		}
	}
}

/* y = x minus the mean of its envelopes, from the marks of x. */
static void
mean_sub(wsi_sifter *s, int rank, const void *x, void *y, bool want_above, bool want_sums,
         wsi_sift_stats *stats)
{
	const wsi_params *p = s->params;
	make_ends(s, x, &s->ends[rank]);
	wsi_mean_job job = {
		.x = x, .y = y, .n = s->n, .marks = { s->marks[0], s->marks[1] },
		.ends = &s->ends[rank], .spline = p->o.spline, .half_ticks = p->half_ticks,
		.want_above = want_above, .sd = p->stop[0], .sd2 = p->stop[1],
		.want_sums = want_sums, .block_sums = s->block_sums, .scratch = s->mean_scratch[rank],
	};
	word_range(s, rank, &job.word0, &job.word1);
	wsi_share *mine = &s->share[rank];
	memset(&mine->above, 0, sizeof mine->above);
	s->ops->mean_sub(&job, &mine->above);
	wsi_team_wait(s);
	memset(&stats->above, 0, sizeof stats->above);
	for (int i = 0; i < s->size; ++i) {
		stats->above.above_sd += s->share[i].above.above_sd;
		stats->above.above_sd2 += s->share[i].above.above_sd2;
	}
	if (!want_sums)
		return;
	/* The tree works in place, so one member folds for all. */
	const size_t blocks = 2 * WSI_WORDS(s->n);
	if (rank == 0)
		for (size_t k = 0; k < 3; ++k)
			s->block_sums[k * blocks] = sum_tree(s->block_sums + k * blocks, blocks);
	wsi_team_wait(s);
	stats->sum_m2 = s->block_sums[0];
	stats->sum_h2 = s->block_sums[blocks];
	stats->sum_q2 = s->block_sums[2 * blocks];
	wsi_team_wait(s);
}

static bool
too_few(const wsi_params *p, const wsi_counts *c)
{
	const int64_t max = c->extrema[WSI_MAX], min = c->extrema[WSI_MIN];
	return max + min < p->min_extrema || (p->needs_both && (max == 0 || min == 0));
}

bool
wsi_oscillates(wsi_sifter *s, int rank, double input_range)
{
	if (s->params->min_extrema == 0)
		return true;
	if (!(wsi_extent_of(s, rank, s->r).range > s->params->tiny_range * input_range))
		return false;
	wsi_counts counts = mark(s, rank, s->r);
	wsi_team_wait(s);
	return !too_few(s->params, &counts);
}

wsi_sifted
wsi_sift(wsi_sifter *s, int rank, int max_sifts)
{
	const wsi_params *p = s->params;
	const ws_stop rule = p->o.stop;
	const bool before = stop_is_before(rule), sums = stop_needs_sums(rule);
	wsi_sifted out = { .mode = s->r };
	wsi_sift_stats stats = { .n = (int64_t)s->n };
	wsi_counts previous = { { 0, 0 }, 0, 0 };
	int run = 0;
	for (int i = 0;; ++i) {
		const bool due = i % p->o.check_every == 0;
		out.sifts = i;
		if (rule == WS_STOP_FIXED && i == p->o.sifts)
			break;
		if (rank == 0 && s->reports)
			wsi_progress_poll(s->progress);
		stats.counts = mark(s, rank, out.mode);
		/* Set before the team waited in mark(): all members see the same. */
		out.cancelled = wsi_cancelled(s->progress);
		if (out.cancelled)
			break;
		if (too_few(p, &stats.counts))
			break;
		out.oscillates = true;
		if (rule == WS_STOP_S_NUMBER && i > 0 &&
		    stop_s_number(&stats.counts, &previous, (int)p->stop[0], &run) && due)
			break;
		previous = stats.counts;
		if (i == max_sifts && !before) {
			out.unfinished = true;
			break;
		}
		void *next = out.mode == s->h[0] ? s->h[1] : s->h[0];
		const bool due_after = (i + 1) % p->o.check_every == 0;
		mean_sub(s, rank, out.mode, next, before && (due || i == max_sifts), sums && due_after,
		         &stats);
		if (before) {
			if ((due || i == max_sifts) && stop_rilling(&stats, p->stop, p->compare_crossings))
				break;
			if (i == max_sifts) {
				out.unfinished = true;
				break;
			}
		}
		out.mode = next;
		if (sums && due_after && stop_sums(rule, &stats, p->stop)) {
			out.sifts = i + 1;
			break;
		}
	}
	return out;
}

wsi_sifted
wsi_extract(wsi_sifter *s, int rank, double input_range, int max_sifts)
{
	const wsi_params *p = s->params;
	if (!wsi_oscillates(s, rank, input_range))
		return (wsi_sifted){ .mode = s->r };
	wsi_sifted out = wsi_sift(s, rank, max_sifts);
	if (out.oscillates && !out.cancelled && !p->tiny_modes)
		out.oscillates = wsi_extent_of(s, rank, out.mode).range > p->tiny_range * input_range;
	return out;
}

static double
blocks_total(const wsi_sifter *s, const void *x, const double *mean)
{
	const size_t blocks = (s->n + WSI_SUM_BLOCK - 1) / WSI_SUM_BLOCK;
	s->ops->block_sums(x, s->n, mean, s->block_sums);
	return sum_tree(s->block_sums, blocks);
}

void
wsi_mean_std(const wsi_sifter *s, const void *x, double *mean, double *std)
{
	*mean = blocks_total(s, x, NULL) / (double)s->n;
	*std = s->n > 1 ? sqrt(blocks_total(s, x, mean) / (double)(s->n - 1)) : 0.0;
}

double
wsi_energy(wsi_sifter *s, int rank, const void *x)
{
	const double zero = 0.0;
	if (rank == 0)
		s->share[0].min = blocks_total(s, x, &zero);
	wsi_team_wait(s);
	double energy = s->share[0].min;
	wsi_team_wait(s);
	return energy;
}
