/* sifter.c - the sifting loop of one signal. */
#include "cpu/emd/sifter.h"

#include <math.h>
#include <string.h>

#include "cpu/emd/sifter_knots.h"
#include "math/sum.h"

void
wsi_member_layout(wsi_member *m, const wsi_ops *ops, wsi_arena *arena)
{
	void *scratch = wsi_arena_take(arena, ops->mean_scratch);
	if (m)
		*m = (wsi_member){ .mean_scratch = scratch };
}

void
wsi_sifter_layout(wsi_sifter *s, const wsi_ops *ops, const wsi_params *params, int most,
                  wsi_progress *progress, wsi_arena *arena)
{
	const size_t words = WSI_WORDS(params->samples);
	*s = (wsi_sifter){ .ops = ops, .params = params, .n = params->samples, .size = 1,
		           .most = most, .progress = progress };
	if (params->o.method == WS_METHOD_CEEMDAN || params->o.method == WS_METHOD_ICEEMDAN)
		s->y = wsi_arena_take(arena, words * WSI_WORD * ops->element);
	s->room = wsi_arena_take(arena, words * WSI_WORD * ops->element);
	for (int i = 0; i < 4; ++i)
		s->marks[i / 2][i % 2] = wsi_arena_take(arena, words * sizeof(uint64_t));
	for (int i = 0; i < 2 && params->half_ticks; ++i)
		s->half[i] = wsi_arena_take(arena, words * sizeof(uint64_t));
	s->block_sums = wsi_arena_take(arena, 3 * 2 * words * sizeof(double));
	s->team = wsi_arena_take(arena, (size_t)most * sizeof(wsi_member *));
}

void
wsi_sifter_start(wsi_sifter *s)
{
	wsi_barrier_init(&s->barrier, 1);
	wsi_door_init(&s->door);
}

void
wsi_sifter_team(wsi_sifter *s, wsi_member *members, int size)
{
	s->size = size;
	for (int i = 0; i < size; ++i)
		s->team[i] = &members[i];
	wsi_barrier_resize(&s->barrier, size);
}

/* Samples first .. first + count - 1 are this rank's. */
static void
sample_range(const wsi_sifter *s, int rank, size_t *first, size_t *count)
{
	size_t word0, word1;
	word_range(s, rank, &word0, &word1);
	*first = word0 * WSI_WORD;
	size_t end = word1 * WSI_WORD < s->n ? word1 * WSI_WORD : s->n;
	*count = end > *first ? end - *first : 0;
}

wsi_extent
wsi_sifter_extent(wsi_sifter *s, int rank, const void *x)
{
	size_t first, count;
	sample_range(s, rank, &first, &count);
	wsi_share *mine = share_of(s, rank);
	mine->min = HUGE_VAL;
	mine->max = -HUGE_VAL;
	if (count)
		s->ops->minmax(at(s, x, first), count, &mine->min, &mine->max);
	team_wait(s);
	double min = HUGE_VAL, max = -HUGE_VAL;
	for (int i = 0; i < s->size; ++i) {
		min = fmin(min, share_of(s, i)->min);
		max = fmax(max, share_of(s, i)->max);
	}
	team_wait(s);
	return wsi_extent_of(min, max);
}

/* What the members counted, after all have. */
static wsi_counts
all_counts(const wsi_sifter *s, int set)
{
	wsi_counts all = { { 0, 0 }, 0, 0 };
	for (int i = 0; i < s->size; ++i) {
		const wsi_counts *c = &share_of(s, i)->counts[set];
		for (int k = 0; k < 2; ++k)
			all.extrema[k] += c->extrema[k];
		all.zero_crossings += c->zero_crossings;
		all.wrong_sign += c->wrong_sign;
	}
	return all;
}

/* Marks all of x, which is there already. */
static wsi_counts
mark(wsi_sifter *s, int rank, const void *x, double flat, int set)
{
	wsi_sifter_mark(s, rank, x, flat, set);
	wsi_sifter_note_edges(s, rank, x, set);
	team_wait(s);
	return all_counts(s, set);
}

/* This rank's range of y = x minus the mean of its envelopes, from the marks
 * of x. */
static void
mean_sub(wsi_sifter *s, int rank, const void *x, void *y, double flat, int set, wsi_wants wants)
{
	const wsi_params *p = s->params;
	wsi_member *me = s->team[rank];
	wsi_sifter_make_ends(s, rank, x, flat, &me->ends);
	wsi_mean_args args = {
		.x = x, .y = y, .n = s->n,
		.marks = { s->marks[set][WSI_MAX], s->marks[set][WSI_MIN] },
		.half = s->half[set], .ends = &me->ends, .spline = p->o.spline,
		.want_above = wants.above, .sd = p->stop[0], .sd2 = p->stop[1],
		.want_sums = wants.sums, .block_sums = s->block_sums,
		.scratch = me->mean_scratch,
	};
	word_range(s, rank, &args.word0, &args.word1);
	share_of(s, rank)->above = (wsi_mean_counts){ 0 };
	s->ops->mean_sub(&args, &share_of(s, rank)->above);
}

/* What mean_sub found, after all members are through. */
static void
all_stats(wsi_sifter *s, int rank, bool want_sums, wsi_sift_stats *stats)
{
	memset(&stats->above, 0, sizeof stats->above);
	for (int i = 0; i < s->size; ++i) {
		stats->above.above_sd += share_of(s, i)->above.above_sd;
		stats->above.above_sd2 += share_of(s, i)->above.above_sd2;
	}
	if (!want_sums)
		return;
	/* The tree works in place, so one member folds for all. */
	const size_t blocks = 2 * WSI_WORDS(s->n);
	if (rank == 0)
		for (size_t k = 0; k < 3; ++k)
			s->block_sums[k * blocks] = sum_tree(s->block_sums + k * blocks, blocks);
	team_wait(s);
	stats->sum_m2 = s->block_sums[0];
	stats->sum_h2 = s->block_sums[blocks];
	stats->sum_q2 = s->block_sums[2 * blocks];
	team_wait(s);
}

static bool
too_few(const wsi_params *p, const wsi_counts *c)
{
	const int64_t max = c->extrema[WSI_MAX], min = c->extrema[WSI_MIN];
	return max + min < p->min_extrema || (p->needs_both && (max == 0 || min == 0));
}

/* Steps of at most this are none. */
static double
flat_step(const wsi_params *p, wsi_extent input)
{
	return p->resolution * input.magnitude;
}

/* Is there more to x than rounding?  Its range, then. */
static bool
has_range(wsi_sifter *s, int rank, const void *x, wsi_extent input, double *range)
{
	*range = wsi_sifter_extent(s, rank, x).range;
	return *range > s->params->tiny_range * input.range;
}

bool
wsi_sifter_oscillates(wsi_sifter *s, int rank, const void *x, wsi_extent input)
{
	if (s->params->min_extrema == 0)
		return true;
	double range;
	if (!has_range(s, rank, x, input, &range))
		return false;
	wsi_counts counts = mark(s, rank, x, flat_step(s->params, input), 0);
	team_wait(s);
	return !too_few(s->params, &counts);
}

/* Where the loop stands.  h is r at first, then mode and room in turn. */
typedef struct loop {
	const void *h;
	wsi_sifted out;
	bool cancelled;
} loop;

/* What a member knows of it: the same as the others. */
typedef struct sifting {
	wsi_sift_place at;
	wsi_rule rule;
	double flat;
	void *rows[2];           /* in turn, so that the last of a fixed number of sifts is in
	                            its place */
	wsi_sift_stats stats;
} sifting;

static void
begin_sifting(const wsi_sifter *s, const wsi_sift_place *at, sifting *f)
{
	const wsi_sift_job *job = at->job;
	*f = (sifting){ .at = *at, .rule = wsi_rule_of(s->params, job->max_sifts),
		.flat = flat_step(s->params, job->input[at->row]),
		.stats = { .n = (int64_t)s->n } };
	const int last = f->rule.stop == WS_STOP_FIXED ? f->rule.sifts - 1 : 0;
	f->rows[last & 1] = wsi_row(job->out, (size_t)at->row);
	f->rows[1 - (last & 1)] = s->room;
}

/* All of the team, some of whom are new, look at h anew, each at its part. */
static void
take_places(wsi_sifter *s, int rank, sifting *f)
{
	f->stats.counts = mark(s, rank, f->at.h, f->flat, f->at.set);
}

/* Takes in who has asked, after the team has met. */
static void
let_in(wsi_sifter *s, int rank, sifting *f)
{
	if (rank == 0) {
		s->place = f->at;
		s->size += s->coming;
		wsi_barrier_resize(&s->barrier, s->size);
		wsi_door_answer(&s->door);
	} else {
		wsi_door_wait(&s->door, s->answers);
	}
	take_places(s, rank, f);
}

/* One sift of h.  The team meets twice: when the next h is whole, and when its marks are.  Most
 * marks are made on the way, so that the second meeting follows at once. */
static wsi_verdict
sift_once(wsi_sifter *s, int rank, sifting *f, loop *l)
{
	const int i = f->at.sifts, set = f->at.set;
	void *next = f->rows[i & 1];
	const wsi_wants wants = judge_wants(&f->rule, i);
	if (s->team[rank]->reports)
		wsi_progress_poll(s->progress);
	mean_sub(s, rank, f->at.h, next, f->flat, set, wants);
	if (!judge_ends_with(&f->rule, i))
		wsi_sifter_mark_own(s, rank, next, f->flat, 1 - set);
	if (rank == 0)
		s->stop = wsi_cancelled(s->progress);
	team_wait(s);
	l->cancelled = s->stop;
	all_stats(s, rank, wants.sums, &f->stats);
	if (l->cancelled)
		return WSI_CUT_OFF;
	const wsi_verdict verdict = judge_mean(&f->rule, i, &f->stats);
	if (verdict == WSI_IS_MODE || verdict == WSI_CUT_OFF)
		return verdict;
	f->at.h = next;
	f->at.sifts = i + 1;
	if (verdict == WSI_NEXT_IS_MODE)
		return verdict;
	wsi_sifter_mark_rest(s, rank, next, f->flat, 1 - set);
	wsi_sifter_note_edges(s, rank, next, 1 - set);
	if (rank == 0 && s->most > 1) {
		s->coming = wsi_door_take(&s->door, s->size);
		s->answers = wsi_door_answers(&s->door);
	}
	team_wait(s);
	f->at.set = 1 - set;
	if (s->coming)
		let_in(s, rank, f);
	else
		f->stats.counts = all_counts(s, f->at.set);
	return verdict;
}

/*
 * The loop itself: from y, which stays, to the row that holds the mode.
 */
static loop
sift_loop(wsi_sifter *s, int rank, sifting *f)
{
	loop l = { .out.oscillates = f->at.sifts > 0 };
	wsi_verdict verdict = WSI_GO_ON;
	while (verdict == WSI_GO_ON) {
		if (too_few(s->params, &f->stats.counts))
			break;
		l.out.oscillates = true;
		verdict = judge_extrema(&f->rule, &f->at.judge, f->at.sifts, &f->stats.counts,
		                        false);
		if (verdict == WSI_GO_ON)
			verdict = sift_once(s, rank, f, &l);
	}
	l.h = f->at.h;
	l.out.sifts = f->at.sifts;
	l.out.unfinished = verdict == WSI_CUT_OFF && !l.cancelled;
	l.out.untouched = l.out.oscillates && l.h == f->at.y;
	return l;
}

static double
blocks_total(const wsi_sifter *s, const void *x, const double *mean)
{
	const size_t blocks = (s->n + WSI_SUM_BLOCK - 1) / WSI_SUM_BLOCK;
	s->ops->block_sums(x, s->n, mean, s->block_sums);
	return sum_tree(s->block_sums, blocks);
}

void
wsi_sifter_mean_std(const wsi_sifter *s, const void *x, double *mean, double *std)
{
	*mean = blocks_total(s, x, NULL) / (double)s->n;
	*std = s->n > 1 ? sqrt(blocks_total(s, x, mean) / (double)(s->n - 1)) : 0.0;
}

double
wsi_sifter_energy(const wsi_sifter *s, const void *x)
{
	const double mean = s->params->centred ? blocks_total(s, x, NULL) / (double)s->n : 0.0;
	return blocks_total(s, x, &mean);
}

/* Puts what the job wants into this rank's range of out and r. */
static void
deliver(wsi_sifter *s, int rank, const wsi_sift_job *job, const loop *l, char *r, const char *y,
        char *out)
{
	const wsi_ops *ops = s->ops;
	size_t first, count;
	sample_range(s, rank, &first, &count);
	const size_t offset = first * ops->element, bytes = count * ops->element;
	const char *mode = (const char *)l->h + offset;
	r += offset, y += offset, out += offset;
	if (!l->out.oscillates && job->rest) {
		memcpy(out, y, bytes);
	} else if (!l->out.oscillates) {
		memset(out, 0, bytes);
	} else if (job->rest) {
		/* ceemdan.m takes an IMF for its own local mean. */
		if (l->out.untouched && s->params->imf_ends)
			memcpy(out, y, bytes);
		else
			ops->subtract(out, y, mode, count);
	} else if (mode != out) {
		memcpy(out, mode, bytes);
	}
	if (l->out.oscillates && job->deflate)
		ops->subtract(r, r, out, count);
}

/* What comes of a row once it is sifted. */
static wsi_sifted
end_row(wsi_sifter *s, int rank, const sifting *f, loop *l)
{
	const wsi_sift_job *job = f->at.job;
	const size_t i = (size_t)f->at.row;
	char *r = wsi_sift_row(job, f->at.row), *out = wsi_row(job->out, i);
	double mode_range;
	if (job->step && l->out.oscillates && !l->cancelled && !s->params->tiny_modes)
		l->out.oscillates = has_range(s, rank, l->h, job->input[i], &mode_range) &&
		                    !(job->bounded && job->mode > 0 &&
		                      mode_overshoots(mode_range, f->at.range));
	team_wait(s); /* nobody looks at marks and rows any more */
	deliver(s, rank, job, l, r, f->at.y, out);
	team_wait(s);
	return l->out;
}

wsi_sifted
wsi_sifter_sift(wsi_sifter *s, int rank, const wsi_sift_job *job, int i)
{
	const wsi_params *p = s->params;
	char *r = wsi_sift_row(job, i), *y = r;
	const wsi_extent input = job->input[i];
	if (job->scale) {
		size_t first, count;
		sample_range(s, rank, &first, &count);
		const size_t offset = first * s->ops->element;
		y = s->y;
		s->ops->add_scaled(y + offset, r + offset, wsi_sift_noise(job, i) + offset,
		                   job->scale[i], count);
		team_wait(s);
	}
	wsi_sift_place at = { .job = job, .row = i, .y = y, .h = y, .range = INFINITY };
	sifting f;
	begin_sifting(s, &at, &f);
	loop l = { .h = y };
	if (!job->step || p->min_extrema == 0 || has_range(s, rank, y, input, &f.at.range)) {
		if (rank == 0 && s->most > 1)
			wsi_door_open(&s->door, s->size);
		take_places(s, rank, &f);
		l = sift_loop(s, rank, &f);
		if (rank == 0 && s->most > 1)
			wsi_door_shut(&s->door);
	}
	const wsi_sifted sifted = end_row(s, rank, &f, &l);
	if (job->std && rank == 0) {
		double mean;
		wsi_sifter_mean_std(s, wsi_row(job->out, (size_t)i), &mean, &job->std[i]);
	}
	return sifted;
}

void
wsi_sifter_join(wsi_sifter *s, int rank, wsi_member *member)
{
	s->team[rank] = member;
	sifting f;
	begin_sifting(s, &s->place, &f);
	take_places(s, rank, &f);
	loop l = sift_loop(s, rank, &f);
	end_row(s, rank, &f, &l);
}
