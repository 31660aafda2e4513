/*
 * test_joint.c - the steps of multivariate EMD, each by itself: the kernels of
 * every instruction set against their plain twins, bit for bit; extrema and
 * knots of projections against a search sample by sample; whole decompositions
 * over shapes, options, instruction sets and threads.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "core_test.h"
#include "cpu/joint.h"
#include "math/boundary.h"
#include "ops/ops.h"
#include "plan/plan.h"
#include "random_job.h"

static const size_t channel_counts[] = { 1, 2, 3, 5, 8, 17, 33 };
static const size_t direction_counts[] = { 1, 3, 7, 64, 65 };
static const size_t lengths[] = { 1, 2, 3, 5, 63, 64, 65, 255, 256, 257, 1000, 4097 };
enum { CHANNEL_COUNTS = 7, DIRECTION_COUNTS = 5, LENGTHS = 12 };

/* ---- A signal of several channels -------------------------------------------- */

/* Rows beyond the signal for a side of an envelope, at most. */
enum { EXTRAS = WSI_JOINT_REACH_64 };

typedef struct joint {
	ws_type type;
	size_t channels, lanes, n, directions, padded, words, tiles;
	char *h;                /* [row][lane] */
	char *u;                /* [channel][direction] */
} joint;

static size_t
rows_of(const joint *j)
{
	return wsi_joint_rows(j->n) + 4 * j->directions * EXTRAS;
}

static void
put(ws_type type, void *to, size_t i, double v)
{
	if (type == WS_F64)
		((double *)to)[i] = v;
	else
		((float *)to)[i] = (float)v;
}

/* Channels of any kind in the rows of samples, noise in those beyond. */
static joint
joint_new(rng *r, ws_type type, size_t channels, size_t directions, size_t n, signal_kind kind)
{
	joint j = { .type = type, .channels = channels, .lanes = wsi_lanes(channels, type_size(type)),
		    .n = n, .directions = directions, .words = WSI_WORDS(n) };
	j.padded = (directions + WSI_DIRECTION_GROUP - 1) / WSI_DIRECTION_GROUP * WSI_DIRECTION_GROUP;
	j.tiles = (n + WSI_JOINT_TILE - 1) / WSI_JOINT_TILE;
	j.h = need(rows_of(&j) * j.lanes * type_size(type));
	j.u = need(j.padded * channels * type_size(type));
	memset(j.h, 0, rows_of(&j) * j.lanes * type_size(type));
	double *x = need(n * sizeof *x);
	for (size_t c = 0; c < channels; ++c) {
		signal_make(c % 3 ? (signal_kind)rng_int(r, 0, SIGNAL_KINDS - 1) : kind, r, n, x);
		for (size_t i = 0; i < n; ++i)
			put(type, j.h, i * j.lanes + c, x[i] == 0.0 && i % 3 ? -0.0 : x[i]);
		for (size_t i = n; i < rows_of(&j); ++i)
			put(type, j.h, i * j.lanes + c, rng_normal(r));
	}
	free(x);
	for (size_t c = 0; c < channels; ++c)
		for (size_t d = 0; d < j.padded; ++d) {
			/* The first direction sees the first channel only, as it is. */
			const double v = d == 0 ? c == 0 : rng_int(r, 0, 9) ? rng_normal(r) : -0.0;
			put(type, j.u, c * j.padded + d, d < directions ? v : 0.0);
		}
	return j;
}

static void
joint_free(joint *j)
{
	free(j->h);
	free(j->u);
}

/* ---- project ---------------------------------------------------------------------- */

typedef struct steps { uint64_t *bits[4]; } steps;

/* Whole or, given r, in ranges of words. */
static steps
project(const wsi_ops *ops, const joint *j, wsi_project_job asked, bool signs, int fill, rng *r)
{
	steps s;
	for (int k = 0; k < 4; ++k) {
		s.bits[k] = need(j->padded * j->words * 8);
		memset(s.bits[k], fill, j->padded * j->words * 8);
	}
	asked.h = j->h, asked.u = j->u, asked.n = j->n, asked.channels = j->channels;
	asked.directions = j->padded, asked.words = j->words;
	asked.rise = s.bits[0], asked.fall = s.bits[1];
	asked.above = signs ? s.bits[2] : NULL;
	asked.below = signs ? s.bits[3] : NULL;
	for (size_t w = 0; w < j->words; w = asked.word1) {
		const size_t to = w + (size_t)(r ? rng_int(r, 1, 5) : 1 << 20);
		asked.word0 = w;
		asked.word1 = to < j->words ? to : j->words;
		ops->project(&asked);
	}
	return s;
}

static bool
check_project(rng *r, const joint *j, signal_kind kind)
{
	const wsi_project_job asked = { .flat = rng_int(r, 0, 2) ? 0.0 : (double)0.3f,
				      .cyclic = rng_int(r, 0, 1) };
	const bool signs = rng_int(r, 0, 1);
	steps want = project(wsi_ops_find("ref", j->type), j, asked, signs, 0xa5, NULL);
	bool ok = true;
	const char *isa;
	for (int i = 1; ok && (isa = isa_to_test(i)); ++i) {
		steps got = project(wsi_ops_find(isa, j->type), j, asked, signs, 0x5a, i == 1 ? NULL : r);
		for (int k = 0; k < (signs ? 4 : 2); ++k)
			ok &= memcmp(want.bits[k], got.bits[k], j->padded * j->words * 8) == 0;
		/* Where signs are not wanted nothing is written. */
		for (int k = 2; k < 4 && !signs; ++k)
			ok &= got.bits[k][0] == 0x5a5a5a5a5a5a5a5au;
		for (int k = 0; k < 4; ++k)
			free(got.bits[k]);
		if (!ok)
			printf("  project: %s %s, %zu channels, %zu directions, %zu of %s, flat %g, cyclic %d\n",
			       isa, j->type ? "f32" : "f64", j->channels, j->directions, j->n,
			       signal_name(kind), asked.flat, asked.cyclic);
	}
	for (int k = 0; k < 4; ++k)
		free(want.bits[k]);
	return ok;
}

/* Single samples, and rows of channels to and fro. */
static bool
check_small_slots(rng *r, const joint *j)
{
	const size_t e = type_size(j->type), stride = (j->n + 3) * e;
	const wsi_project_job asked = { .h = j->h, .u = j->u, .n = j->n, .channels = j->channels,
				      .directions = j->padded };
	char *rows = need(j->channels * stride), *h = need(j->n * j->lanes * e);
	char *y[2] = { need(j->lanes * e), need(j->lanes * e) };
	const size_t a = (size_t)rng_int(r, 0, (int)j->n - 1) * j->lanes * e;
	bool ok = true;
	const char *isa;
	for (int i = 0; ok && (isa = isa_to_test(i)); ++i) {
		const wsi_ops *ops = wsi_ops_find(isa, j->type), *ref = wsi_ops_find("ref", j->type);
		memset(h, 0x5a, j->n * j->lanes * e);
		ops->deinterleave(rows, stride, j->h, j->channels, j->lanes, j->n);
		ops->interleave(h, rows, stride, j->channels, j->lanes, j->n);
		ok = memcmp(h, j->h, j->n * j->lanes * e) == 0;
		for (int k = 0; k < 8; ++k) {
			const size_t d = (size_t)rng_int(r, 0, (int)j->directions - 1);
			const size_t s = (size_t)rng_int(r, 0, (int)j->n - 1);
			ok &= ops->project_sample(&asked, d, s) == ref->project_sample(&asked, d, s);
		}
		/* The first direction is the first channel. */
		ok &= ops->project_sample(&asked, 0, j->n / 2) == get(j->type, j->h, j->n / 2 * j->lanes);
		for (int larger = 0; larger < 2; ++larger) {
			memcpy(y[0], j->h, j->lanes * e);
			memcpy(y[1], j->h, j->lanes * e);
			ref->extrapolate(y[0], j->h + a, j->h, 1.7, larger, j->lanes);
			ops->extrapolate(y[1], j->h + a, j->h, 1.7, larger, j->lanes);
			ok &= memcmp(y[0], y[1], j->lanes * e) == 0;
			for (size_t c = 0; c < j->channels; ++c) {
				const double from = get(j->type, j->h, c), to = get(j->type, y[1], c);
				ok &= larger ? to >= from : to <= from;
			}
		}
		if (!ok)
			printf("  small slots: %s %s, %zu channels, %zu samples\n", isa,
			       j->type ? "f32" : "f64", j->channels, j->n);
	}
	free(rows);
	free(h);
	free(y[0]);
	free(y[1]);
	return ok;
}

static void
test_projections(void **state)
{
	(void)state;
	rng r = { 80 };
	int n_cases = 0;
	for (size_t c = 0; c < CHANNEL_COUNTS; ++c)
		for (size_t v = 0; v < DIRECTION_COUNTS; ++v)
			for (size_t l = 0; l < LENGTHS; ++l, ++n_cases) {
				const signal_kind kind = (signal_kind)(n_cases % SIGNAL_KINDS);
				/* The longest is dear to the plain twin. */
				if (!slow_tier() && lengths[l] > 1000 && (c + v) % 5)
					continue;
				joint j = joint_new(&r, (ws_type)(n_cases & 1), channel_counts[c],
				                    direction_counts[v], lengths[l], kind);
				assert_true(check_project(&r, &j, kind));
				assert_true(check_small_slots(&r, &j));
				joint_free(&j);
			}
}

/* ---- joint_mean ---------------------------------------------------------------------- */

/* Knots of all envelopes, at random. */
typedef struct lists {
	wsi_knots (*knots)[2];
	int32_t *t, *before;
	uint64_t *bits;
	bool *active;
	int n_active;
} lists;

/* How far the next knot lies: as dense as can be, like noise's, wide, both in turn. */
static int
next_gap(rng *r, int style)
{
	switch (style) {
	case 0:
		return 2;
	case 1:
		return rng_int(r, 2, 8);
	case 2:
		return rng_int(r, 30, 600);
	case 3:
		return rng_int(r, 0, 20) ? rng_int(r, 2, 3) : rng_int(r, 400, 1500);
	default:
		return 1 << 30; /* no knot between the ends' */
	}
}

/* Ascending knots t, the first at or before sample 0, the last at or after n - 1. */
static int
random_times(rng *r, size_t n, int32_t *t)
{
	const int style = rng_int(r, 0, 4);
	const int32_t last = (int32_t)n - 1;
	int k = 0, beyond = rng_int(r, 0, 2) ? rng_int(r, 0, 2) : rng_int(r, 0, EXTRAS - 1);
	int32_t first = rng_int(r, 0, 1) ? 0 : -rng_int(r, 1, 40);
	for (int i = 0; i < beyond; ++i)
		first -= rng_int(r, 1, 60);
	for (int32_t at = first; at < last && at < 0 && beyond > 0; at += rng_int(r, 1, 60))
		t[k++] = at;
	if (k == 0)
		t[k++] = first < 0 ? first : 0;
	if (t[k - 1] < 0 && rng_int(r, 0, 1))
		t[k++] = 0;
	/* A neighbour of an end sample may be a knot beside it. */
	int64_t at = t[k - 1] == 0 ? rng_int(r, 1, 3) : (int64_t)t[k - 1] + next_gap(r, style);
	for (; at < last; at += next_gap(r, style))
		if (at > 0)
			t[k++] = (int32_t)at;
	int32_t end = rng_int(r, 0, 1) ? last : last + rng_int(r, 1, 40);
	end = end > t[k - 1] ? end : t[k - 1] + 1;
	/* One knot is a constant envelope. */
	if (n == 1 && t[0] == 0 && rng_int(r, 0, 1))
		return k;
	for (int i = 0; i < EXTRAS - 1 && (i == 0 || rng_int(r, 0, 2)); ++i, end += rng_int(r, 1, 60))
		t[k++] = end;
	return k;
}

static void
fill_list(rng *r, const joint *j, lists *l, size_t d, int kind)
{
	const size_t i = 2 * d + (size_t)kind, words = j->tiles * WSI_JOINT_TILE / WSI_WORD;
	int32_t *t = l->t + i * (j->n + 4 * EXTRAS), *before = l->before + i * j->tiles;
	uint64_t *bits = l->bits + i * words;
	wsi_knots *k = &l->knots[d][kind];
	*k = (wsi_knots){ .t = t, .n = random_times(r, j->n, t), .bits = bits, .before = before };
	/* Of those at or beyond the ends, all or fewer have their values elsewhere. */
	while (k->n_left < k->n && t[k->n_left] < 0)
		k->n_left++;
	while (k->n_right < k->n - k->n_left && t[k->n - 1 - k->n_right] > (int32_t)j->n - 1)
		k->n_right++;
	k->n_left += k->n_left + k->n_right < k->n && rng_int(r, 0, 1);
	k->n_right += k->n_left + k->n_right < k->n && rng_int(r, 0, 1);
	k->row_left = wsi_joint_rows(j->n) + 2 * i * EXTRAS;
	k->row_right = k->row_left + EXTRAS;
	memset(bits, 0, words * sizeof *bits);
	for (size_t tile = 0; tile < j->tiles; ++tile)
		before[tile] = 0;
	for (int32_t m = 0; m < k->n; ++m) {
		if (t[m] >= 0 && t[m] < (int32_t)j->n)
			bits[t[m] / WSI_WORD] |= (uint64_t)1 << (t[m] % WSI_WORD);
		for (size_t tile = 0; tile < j->tiles; ++tile)
			before[tile] += t[m] <= (int32_t)(tile * WSI_JOINT_TILE);
	}
}

static lists
lists_new(rng *r, const joint *j)
{
	const size_t n = 2 * j->directions, words = j->tiles * WSI_JOINT_TILE / WSI_WORD;
	lists l = { need(j->directions * sizeof *l.knots), need(n * (j->n + 4 * EXTRAS) * sizeof *l.t),
		    need(n * j->tiles * sizeof *l.before), need(n * words * sizeof *l.bits),
		    need(j->directions * sizeof *l.active), 0 };
	const int idle = rng_int(r, 0, 3);
	for (size_t d = 0; d < j->directions; ++d) {
		l.active[d] = d + 1 == j->directions ? l.n_active == 0 || rng_int(r, 0, 1)
		                                     : rng_int(r, 0, 3) >= idle;
		l.n_active += l.active[d];
		/* What is not active must not be looked at. */
		l.knots[d][0] = l.knots[d][1] = (wsi_knots){ .t = NULL };
		for (int kind = 0; kind < 2 && l.active[d]; ++kind)
			fill_list(r, j, &l, d, kind);
	}
	return l;
}

static void
lists_free(lists *l)
{
	free(l->knots);
	free(l->t);
	free(l->before);
	free(l->bits);
	free(l->active);
}

typedef struct mean_out {
	char *y;
	double *sums;
	wsi_mean_counts counts;
} mean_out;

static mean_out
run_mean(const wsi_ops *ops, const joint *j, const lists *l, wsi_joint_mean_job asked, int fill, rng *r)
{
	const size_t bytes = j->n * j->lanes * type_size(j->type), sums = 4 * j->words * sizeof(double);
	mean_out o = { need(bytes), need(sums), { 0, 0 } };
	memset(o.y, fill, bytes);
	memset(o.sums, fill, sums);
	asked.h = j->h, asked.y = o.y, asked.n = j->n, asked.channels = j->channels;
	asked.knots = (const wsi_knots(*)[2])l->knots;
	asked.active = l->active, asked.n_active = l->n_active, asked.directions = j->directions;
	asked.block_sums = o.sums;
	asked.scratch = need(ops->joint_scratch(j->channels) + 1);
	memset(asked.scratch, fill, ops->joint_scratch(j->channels));
	for (size_t tile = 0; tile < j->tiles; tile = asked.tile1) {
		const size_t to = tile + (size_t)(r ? rng_int(r, 1, 3) : 1 << 20);
		asked.tile0 = tile;
		asked.tile1 = to < j->tiles ? to : j->tiles;
		ops->joint_mean(&asked, &o.counts);
	}
	free(asked.scratch);
	return o;
}

static bool
check_mean(rng *r, const joint *j)
{
	lists l = lists_new(r, j);
	const wsi_joint_mean_job asked = { .spline = (ws_spline)rng_int(r, 1, 2),
					 .want_above = rng_int(r, 0, 1), .want_sums = rng_int(r, 0, 1),
					 .sd = 0.3, .sd2 = 1.1 };
	const size_t row = j->lanes * type_size(j->type);
	mean_out want = run_mean(wsi_ops_find("ref", j->type), j, &l, asked, 0xa5, NULL);
	bool ok = true;
	const char *isa;
	for (int i = 1; ok && (isa = isa_to_test(i)); ++i) {
		mean_out got = run_mean(wsi_ops_find(isa, j->type), j, &l, asked, 0x5a, i == 1 ? NULL : r);
		size_t at = 0;
		while (at < j->n && memcmp(want.y + at * row, got.y + at * row, row) == 0)
			++at;
		ok = at == j->n && memcmp(&want.counts, &got.counts, sizeof want.counts) == 0 &&
		     (!asked.want_sums || memcmp(want.sums, got.sums, 4 * j->words * sizeof(double)) == 0);
		if (!ok)
			printf("  joint_mean: %s %s, %zu channels, %zu directions (%d active), %zu samples, "
			       "spline %d, above %d, sums %d: first at %zu\n", isa, j->type ? "f32" : "f64",
			       j->channels, j->directions, l.n_active, j->n, asked.spline, asked.want_above,
			       asked.want_sums, at);
		free(got.y);
		free(got.sums);
	}
	free(want.y);
	free(want.sums);
	lists_free(&l);
	return ok;
}

static void
test_means(void **state)
{
	(void)state;
	rng r = { 81 };
	int n_cases = 0;
	for (size_t c = 0; c < CHANNEL_COUNTS; ++c)
		for (size_t v = 0; v < DIRECTION_COUNTS; ++v)
			for (size_t l = 0; l < LENGTHS; ++l)
				for (int type = 0; type < 2; ++type) {
					const size_t work = channel_counts[c] * direction_counts[v] * lengths[l];
					if (!slow_tier() && work > 200000 && (c + v + l) % 4)
						continue;
					joint j = joint_new(&r, (ws_type)type, channel_counts[c],
					                    direction_counts[v], lengths[l], SIGNAL_WHITE);
					/* Lists are many, signals alike. */
					for (int i = 0; i < (work < 20000 ? 6 : 1); ++i, ++n_cases)
						assert_true(check_mean(&r, &j));
					joint_free(&j);
				}
	printf("%d sets of knots through joint_mean\n", n_cases);
}

/* ---- Extrema and knots ------------------------------------------------------------------- */

/* A layout of the sifting loop with nothing but its first pass done. */
typedef struct finder {
	wsi_params params;
	wsi_joint j;
	void *memory;
	double *vectors;
} finder;

static void
finder_lay_out(finder *f, const wsi_ops *ops)
{
	wsi_arena arena = { 0 };
	wsi_joint_layout(&f->j, ops, &f->params, 1, NULL, &arena);
	arena.base = f->memory = need(arena.used);
	memset(f->memory, 0x5a, arena.used);
	arena.used = 0;
	wsi_joint_layout(&f->j, ops, &f->params, 1, NULL, &arena);
}

static void
finder_new(finder *f, const joint *j, ws_emd_opts o, double flat, const char *isa)
{
	const ws_shape shape = { .size = sizeof shape, .channels = j->channels, .samples = j->n,
				 .type = j->type };
	const wsi_ops *ops = wsi_ops_find(isa, j->type);
	o.size = sizeof o;
	o.method = WS_MEMD;
	f->vectors = need(j->directions * j->channels * sizeof *f->vectors);
	for (size_t d = 0; d < j->directions; ++d)
		for (size_t c = 0; c < j->channels; ++c)
			f->vectors[d * j->channels + c] = get(j->type, j->u, c * j->padded + d);
	o.direction_vectors = f->vectors;
	o.directions = (int)j->directions;
	assert_int_equal(wsi_params_resolve(&f->params, &shape, &o), WS_OK);
	f->params.vectors = f->vectors;
	finder_lay_out(f, ops);
	memcpy(f->j.h[0], j->h, j->n * j->lanes * ops->element);
	f->j.steps.h = f->j.h[0];
	f->j.steps.flat = flat;
	f->j.steps.word1 = j->words;
	ops->project(&f->j.steps);
}

static void
finder_free(finder *f)
{
	free(f->memory);
	free(f->vectors);
}

/* One projection sample by sample: where its extrema are, how often it crosses zero. */
typedef struct plain {
	double *p;
	bool *is[2];
	int64_t crossings, extrema[2];
} plain;

/* +1 up, -1 down, 0 level, rounded as the type rounds. */
static int
way(ws_type type, double a, double b, double flat)
{
	const double up = type == WS_F64 ? b - a : (double)((float)b - (float)a);
	return up > flat ? 1 : -up > flat ? -1 : 0;
}

static void
plain_extrema(plain *x, const finder *f, double flat)
{
	const size_t n = f->j.n;
	const wsi_params *p = &f->params;
	for (size_t i = 1; i + 1 < n; ++i) {
		const int in = way(p->type, x->p[i - 1], x->p[i], flat);
		size_t last = i;
		while (last + 1 < n && way(p->type, x->p[last], x->p[last + 1], flat) == 0)
			++last;
		if (in == 0 || last + 1 == n || (last > i && !p->plateaus) ||
		    way(p->type, x->p[last], x->p[last + 1], flat) != -in)
			continue;
		x->is[in > 0 ? WSI_MAX : WSI_MIN][(i + last + !p->lower_middle) / 2] = true;
	}
	if (p->cyclic && n > 1) {
		const int a = way(p->type, x->p[n - 2], x->p[n - 1], flat);
		const int b = way(p->type, x->p[n - 1], x->p[0], flat);
		const int c = way(p->type, x->p[0], x->p[1], flat);
		for (int kind = 0; kind < 2; ++kind) {
			const int up = kind == WSI_MAX ? 1 : -1;
			x->is[kind][n - 1] |= a == up && b == -up;
			x->is[kind][0] |= b == up && c == -up;
		}
	}
}

static plain
plain_new(const finder *f, size_t d, double flat)
{
	const size_t n = f->j.n;
	plain x = { .p = need(n * sizeof *x.p), .is = { need(n), need(n) } };
	memset(x.is[0], 0, n);
	memset(x.is[1], 0, n);
	for (size_t i = 0; i < n; ++i)
		x.p[i] = f->j.ops->project_sample(&f->j.steps, d, i);
	plain_extrema(&x, f, flat);
	for (size_t i = 0; i < n; ++i) {
		const double v = x.p[i], before = i ? x.p[i - 1] : 1.0;
		for (int kind = 0; kind < 2; ++kind)
			x.extrema[kind] += x.is[kind][i];
		/* A run of zeros counts once. */
		x.crossings += (v == 0.0 && before != 0.0) || (i && v * before < 0.0);
	}
	return x;
}

static void
plain_free(plain *x)
{
	free(x->p);
	free(x->is[0]);
	free(x->is[1]);
}

/* Extrema of a kind from an end inwards. */
static int
inwards(const plain *x, size_t n, int kind, int side, int most, int64_t *sample)
{
	int found = 0;
	for (size_t i = 0; i < n && found < most; ++i) {
		const size_t s = side == WSI_LEFT ? i : n - 1 - i;
		if (x->is[kind][s])
			sample[found++] = (int64_t)s;
	}
	return found;
}

/* A knot: its time, and the value of each channel. */
typedef struct knot { int64_t t; double v[40]; } knot;

static void
knot_at(knot *k, const joint *j, int64_t t, size_t sample)
{
	k->t = t;
	for (size_t c = 0; c < j->channels; ++c)
		k->v[c] = get(j->type, j->h, sample * j->lanes + c);
}

static int
mirrored(const joint *j, const plain *x, int kind, int side, knot *out)
{
	wsi_near near[2];
	wsi_beyond made[2];
	int64_t sample[2][WSI_NEAR];
	const int64_t end = side == WSI_LEFT ? 0 : (int64_t)j->n - 1;
	for (int k = 0; k < 2; ++k) {
		near[k].n = inwards(x, j->n, k, side, WSI_NEAR, sample[k]);
		for (int i = 0; i < near[k].n; ++i) {
			near[k].u[i] = (int32_t)(2 * llabs(sample[k][i] - end));
			near[k].v[i] = x->p[sample[k][i]];
		}
	}
	boundary_knots(WS_BOUNDARY_MIRROR, near, x->p[end], made);
	for (int i = 0; i < made[kind].n; ++i) {
		const int64_t u = made[kind].u[i] / 2, from = made[kind].from[i];
		knot_at(&out[i], j, side == WSI_LEFT ? u : end - u,
		        (size_t)(from < 0 ? end : sample[kind][from]));
	}
	return made[kind].n;
}

static int
lined(const joint *j, const plain *x, int kind, int side, int least, knot *out)
{
	int64_t s[4];
	const int64_t end = side == WSI_LEFT ? 0 : (int64_t)j->n - 1;
	knot_at(out, j, end, (size_t)end);
	if (inwards(x, j->n, kind, side, least, s) < least)
		return 1;
	for (size_t c = 0; c < j->channels; ++c) {
		const double a = get(j->type, j->h, (size_t)s[0] * j->lanes + c);
		const double b = get(j->type, j->h, (size_t)s[1] * j->lanes + c);
		const double ahead = (double)(s[0] - end) / (double)(s[1] - s[0]);
		const double line = j->type == WS_F64
			? fma(ahead, a - b, a)
			: (double)fmaf((float)ahead, (float)a - (float)b, (float)a);
		if (kind == WSI_MAX ? line > out->v[c] : line < out->v[c])
			out->v[c] = line;
	}
	return 1;
}

static int
repeated(const joint *j, const plain *x, int kind, int side, knot *out)
{
	int64_t s[EXTRAS];
	const int far = inwards(x, j->n, kind, 1 - side, EXTRAS, s);
	for (int i = 0; i < EXTRAS; ++i) {
		const int64_t away = (1 + i / far) * (int64_t)j->n;
		knot_at(&out[i], j, side == WSI_LEFT ? s[i % far] - away : s[i % far] + away,
		        (size_t)s[i % far]);
	}
	return EXTRAS;
}

/* All knots of an envelope, ascending; how many. */
static int
plain_knots(const joint *j, const finder *f, const plain *x, int kind, knot *out)
{
	knot side[2][EXTRAS];
	int n[2], all = 0;
	for (int s = 0; s < 2; ++s)
		switch (f->params.o.boundary) {
		case WS_BOUNDARY_MIRROR:
			n[s] = mirrored(j, x, kind, s, side[s]);
			break;
		case WS_BOUNDARY_PERIODIC:
			n[s] = repeated(j, x, kind, s, side[s]);
			break;
		default:
			n[s] = lined(j, x, kind, s, f->params.o.boundary == WS_BOUNDARY_SLOPE ? 4 : 2, side[s]);
		}
	for (int i = n[WSI_LEFT] - 1; i >= 0; --i)
		out[all++] = side[WSI_LEFT][i];
	for (size_t i = 0; i < j->n; ++i)
		if (x->is[kind][i])
			knot_at(&out[all++], j, (int64_t)i, i);
	for (int i = 0; i < n[WSI_RIGHT]; ++i)
		out[all++] = side[WSI_RIGHT][i];
	return all;
}

static bool
same_knots(const joint *j, const finder *f, size_t d, int kind, const knot *want, int n)
{
	const wsi_knots *k = &f->j.knots[d][kind];
	if (k->n != n)
		return false;
	for (int i = 0; i < n; ++i) {
		const int right = i - (n - k->n_right);
		const size_t row = i < k->n_left ? k->row_left + (size_t)i
		                   : right >= 0  ? k->row_right + (size_t)right
		                                 : (size_t)k->t[i];
		if (k->t[i] != want[i].t || (i && want[i].t <= want[i - 1].t))
			return false;
		for (size_t c = 0; c < j->channels; ++c)
			if (get(j->type, f->j.h[0], row * j->lanes + c) != want[i].v[c])
				return false;
	}
	for (size_t i = 0, upto = 0; i < j->n; ++i) {
		while (upto < (size_t)n && want[upto].t <= (int64_t)i)
			++upto;
		const bool is = upto > 0 && want[upto - 1].t == (int64_t)i;
		if (is != (k->bits[i / WSI_WORD] >> (i % WSI_WORD) & 1))
			return false;
		if (i % WSI_JOINT_TILE == 0 && k->before[i / WSI_JOINT_TILE] != (int32_t)upto)
			return false;
	}
	return true;
}

static bool
check_direction(const joint *j, finder *f, size_t d, double flat)
{
	plain x = plain_new(f, d, flat);
	wsi_joint_find_knots(&f->j, f->j.h[0], d);
	const wsi_direction *found = &f->j.found[d];
	const int64_t most = x.extrema[0] > x.extrema[1] ? x.extrema[0] : x.extrema[1];
	const int64_t all = x.extrema[0] + x.extrema[1], fewest = all - most;
	bool ok = found->extrema[0] == x.extrema[0] && found->extrema[1] == x.extrema[1];
	ok &= f->params.o.stop != WS_STOP_FIX_H || found->zero_crossings == x.crossings;
	ok &= f->j.active[d] == (all >= 3 && fewest >= f->params.min_each);
	knot *want = need((j->n + 2 * EXTRAS) * sizeof *want);
	for (int kind = 0; kind < 2 && ok && f->j.active[d]; ++kind)
		ok = same_knots(j, f, d, kind, want, plain_knots(j, f, &x, kind, want));
	free(want);
	plain_free(&x);
	return ok;
}

static void
check_knots(rng *r, size_t n, ws_type type, signal_kind kind, ws_emd_opts o, double flat)
{
	const size_t channels = (size_t)rng_int(r, 1, 4);
	joint j = joint_new(r, type, channels, 3, n, kind);
	finder f;
	finder_new(&f, &j, o, flat, isa_to_test(rng_int(r, 0, 1)));
	/* memd.m's vanishing projections have a test of their own. */
	f.params.vanishing = false;
	for (size_t d = 0; d < 3; ++d)
		if (!check_direction(&j, &f, d, flat))
			fail_msg("%s, %zu channels, %zu samples of %s, boundary %d, reference %d, flat %g: "
			         "knots of direction %zu", type ? "f32" : "f64", channels, n,
			         signal_name(kind), f.params.o.boundary, o.reference, flat, d);
	finder_free(&f);
	joint_free(&j);
}

static void
test_knots(void **state)
{
	(void)state;
	rng r = { 82 };
	int n_cases = 0;
	for (int kind = 0; kind < SIGNAL_KINDS; ++kind)
		for (int boundary = 1; boundary <= 4; ++boundary)
			for (size_t l = 0; l < LENGTHS; ++l)
				for (int i = 0; i < (slow_tier() ? 30 : 3); ++i, ++n_cases) {
					ws_emd_opts o = { .boundary = (ws_boundary)boundary,
							  .stop = n_cases % 2 ? WS_STOP_FIX_H : WS_STOP_RILLING };
					const int reference = n_cases % 5;
					if (reference < 2)
						o.reference = reference ? WS_REF_MEMD_GPU : WS_REF_MEMD;
					const size_t n = i ? (size_t)rng_int(&r, 1, 700) : lengths[l];
					check_knots(&r, n, (ws_type)(n_cases / 2 & 1), (signal_kind)kind, o,
					            rng_int(&r, 0, 3) ? 0.0 : (double)0.3f);
				}
	printf("%d signals, knots of 3 projections each\n", n_cases);
}

/* Plateaus that begin or end at a word, at a tile, or reach over several. */
static void
test_plateaus(void **state)
{
	(void)state;
	enum { N = 1100 };
	const int ends[] = { 1, 2, 62, 63, 64, 65, 127, 128, 255, 256, 257, 511, 512, 769, N - 2, N - 1 };
	const int cases = (int)(sizeof ends / sizeof *ends);
	rng r = { 83 };
	for (int a = 0; a < cases; ++a)
		for (int b = a; b < cases; ++b)
			for (int shape = 0; shape < 4; ++shape) {
				joint j = joint_new(&r, WS_F64, 1, 1, N, SIGNAL_WHITE);
				double *h = (double *)j.h;
				/* Up or down to it, up or down from it, and waves elsewhere. */
				for (int i = 0; i < N; ++i)
					h[i * (int)j.lanes] = i < ends[a]   ? (shape & 1 ? -1 : 1) * (1.0 + i % 2)
					                      : i > ends[b] ? (shape & 2 ? -1 : 1) * (1.0 + i % 2)
					                                    : 0.0;
				finder f;
				ws_emd_opts o = { .boundary = (ws_boundary)(1 + (a + b) % 4),
						  .stop = WS_STOP_FIX_H };
				if (b % 3 == 0)
					o.reference = WS_REF_MEMD;
				finder_new(&f, &j, o, 0.0, isa_to_test(1));
				f.params.vanishing = false;
				if (!check_direction(&j, &f, 0, 0.0))
					fail_msg("plateau %d..%d, shape %d", ends[a], ends[b], shape);
				finder_free(&f);
				joint_free(&j);
			}
}

/* memd.m: a projection that is below 1e-6 throughout has no extrema. */
static void
test_vanishing(void **state)
{
	(void)state;
	rng r = { 84 };
	for (int i = 0; i < 6; ++i) {
		joint j = joint_new(&r, WS_F64, 1, 1, 300, SIGNAL_WHITE);
		double *h = (double *)j.h;
		/* Below zero it vanishes however large it is; one sample above it does not. */
		for (size_t k = 0; k < j.n; ++k)
			h[k * j.lanes] = -fabs(h[k * j.lanes]) - 1.0;
		const size_t at = i == 1 ? 0 : i == 2 ? 299 : i == 3 ? 150 : 64;
		if (i > 0)
			h[at * j.lanes] = i == 5 ? 0.99e-6 : 1.01e-6;
		finder f;
		finder_new(&f, &j, (ws_emd_opts){ .reference = WS_REF_MEMD }, 0.0, isa_to_test(1));
		wsi_joint_find_knots(&f.j, f.j.h[0], 0);
		assert_int_equal(f.j.active[0], i > 0 && i < 5);
		assert_int_equal(f.j.found[0].extrema[WSI_MAX] > 0, i > 0 && i < 5);
		finder_free(&f);
		joint_free(&j);
	}
}

/* ---- Decompositions -------------------------------------------------------------------------- */

static void
check_shape(rng *r, ws_emd_opts o, int number)
{
	static const ws_stop rules[] = { WS_STOP_FIXED, WS_STOP_RILLING, WS_STOP_FIX_H, WS_STOP_CAUCHY,
		WS_STOP_TOLERANCE, WS_STOP_ENERGY };
	const signal_kind kind = (signal_kind)(number % SIGNAL_KINDS);
	o.method = WS_MEMD;
	if (!o.reference)
		o.stop = rules[number % 6];
	o.max_sifts = o.stop == WS_STOP_FIXED ? 0 : 3;
	o.sifts = o.stop == WS_STOP_FIXED ? 3 : 0;
	o.max_modes = 3;
	o.directions = (int)direction_counts[number % DIRECTION_COUNTS];
	job j = { .shape = { .channels = channel_counts[number % CHANNEL_COUNTS],
		             .samples = lengths[number % LENGTHS], .type = (ws_type)(number / 2 & 1) },
		  .o = o };
	/* The largest at once is for the slow tier. */
	if (!slow_tier() && j.shape.channels * j.shape.samples > 40000)
		j.shape.samples = 1000;
	void *x = random_signals(r, &j.shape, kind);
	j.x = x;
	bool valid;
	const bool same = same_everywhere(&j, kind, r, &valid);
	if (!valid)
		fail_msg("%s", ws_error_detail());
	assert_true(same);
	/* Every number of threads. */
	result want, got;
	j.isa = isa_to_test(1);
	j.threads = 1;
	must_decompose(&j, &want);
	for (j.threads = 2; j.threads <= 4; ++j.threads) {
		must_decompose(&j, &got);
		assert_true(same_result(&want, &got));
		result_free(&got);
	}
	result_free(&want);
	free(x);
}

/* Every boundary, spline, stop rule, reference, with noise and without, over shapes. */
static void
test_decompositions(void **state)
{
	(void)state;
	rng r = { 85 };
	int number = 0;
	for (int round = 0; round < (slow_tier() ? 20 : 2); ++round) {
		for (int boundary = 1; boundary <= 4; ++boundary)
			for (int spline = 1; spline <= 2; ++spline)
				for (int stop = 0; stop < 6; ++stop, ++number)
					check_shape(&r,
					            (ws_emd_opts){ .boundary = (ws_boundary)boundary,
					                           .spline = (ws_spline)spline,
					                           .noise_channels = number % 4 ? 0 : 1 + number % 3 },
					            number);
		for (int i = 0; i < 24; ++i, ++number)
			check_shape(&r, (ws_emd_opts){ .reference = i & 1 ? WS_REF_MEMD : WS_REF_MEMD_GPU },
			            number);
	}
	printf("%d decompositions on every instruction set and 1 to 4 threads\n", number);
}

int
main(void)
{
	print_isas();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_projections), cmocka_unit_test(test_means),
		cmocka_unit_test(test_knots),       cmocka_unit_test(test_plateaus),
		cmocka_unit_test(test_vanishing),   cmocka_unit_test(test_decompositions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
