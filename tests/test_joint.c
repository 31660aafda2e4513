/*
 * test_joint.c - the kernels of multivariate EMD on every instruction set against
 * their plain twins, bit for bit; whole decompositions over shapes, options,
 * instruction sets and threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "joint_signal.h"
#include "math/real.h"
#include "random_job.h"

static const size_t channel_counts[] = { 1, 2, 3, 5, 8, 17, 33 };
static const size_t direction_counts[] = { 1, 3, 7, 64, 65 };
static const size_t lengths[] = { 1, 2, 3, 5, 63, 64, 65, 255, 256, 257, 1000, 4097 };
enum { CHANNEL_COUNTS = 7, DIRECTION_COUNTS = 5, LENGTHS = 12 };

/* ---- project ---------------------------------------------------------------------- */

typedef struct steps { uint64_t *bits[4]; char *middle; } steps;

/* Whole or, given r, in ranges of words. */
static steps
project(const wsi_ops *ops, const joint *j, wsi_project_args asked, bool signs, int fill, rng *r)
{
	const size_t bytes = j->n * j->lanes * type_size(j->type);
	steps s = { .middle = asked.middle ? need(bytes) : NULL };
	/* Rows that are not written keep this, whatever else memory held. */
	if (asked.middle)
		memset(s.middle, 0x33, bytes);
	asked.middle = s.middle;
	for (int k = 0; k < 4; ++k) {
		s.bits[k] = need(j->padded * j->words * 8);
		memset(s.bits[k], fill, j->padded * j->words * 8);
	}
	asked.h = j->h, asked.u = j->u, asked.n = j->n, asked.channels = j->channels;
	asked.directions = j->padded, asked.used = j->directions, asked.words = j->words;
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
	const wsi_project_args asked = { .flat = rng_int(r, 0, 2) ? 0.0 : (double)0.3f,
				      .cyclic = rng_int(r, 0, 1),
				      .middle = rng_int(r, 0, 3) ? j->middle : NULL };
	const bool signs = rng_int(r, 0, 1);
	steps want = project(wsi_ops_find("ref", j->type), j, asked, signs, 0xa5, NULL);
	bool ok = true;
	const char *isa;
	for (int i = 1; ok && (isa = isa_to_test(i)); ++i) {
		steps got = project(wsi_ops_find(isa, j->type), j, asked, signs, 0x5a,
		                    i == 1 ? NULL : r);
		for (int k = 0; k < (signs ? 4 : 2); ++k)
			ok &= memcmp(want.bits[k], got.bits[k], j->padded * j->words * 8) == 0;
		/* Where signs are not wanted nothing is written. */
		for (int k = 2; k < 4 && !signs; ++k)
			ok &= got.bits[k][0] == 0x5a5a5a5a5a5a5a5au;
		ok &= !want.middle ||
			memcmp(want.middle, got.middle, j->n * j->lanes * type_size(j->type)) == 0;
		for (int k = 0; k < 4; ++k)
			free(got.bits[k]);
		free(got.middle);
		if (!ok)
			printf("  project: %s %s, %zu channels, %zu directions, %zu of %s, flat "
			       "%g, cyclic %d\n",
			       isa, j->type ? "f32" : "f64", j->channels, j->directions, j->n,
			       signal_name(kind), asked.flat, asked.cyclic);
	}
	for (int k = 0; k < 4; ++k)
		free(want.bits[k]);
	free(want.middle);
	return ok;
}

/* Single samples, and rows of channels to and fro. */
static bool
check_small_slots(rng *r, const joint *j)
{
	const size_t e = type_size(j->type), stride = (j->n + 3) * e;
	const wsi_project_args asked = { .h = j->h, .u = j->u, .n = j->n, .channels = j->channels,
				      .directions = j->padded };
	char *rows = need(2 * j->channels * stride), *twin = rows + j->channels * stride;
	char *h = need(j->n * j->lanes * e), *y[2] = { need(j->lanes * e), need(j->lanes * e) };
	const size_t a = (size_t)rng_int(r, 0, (int)j->n - 1) * j->lanes * e;
	bool ok = true;
	const char *isa;
	for (int i = 0; ok && (isa = isa_to_test(i)); ++i) {
		const wsi_ops *ops = wsi_ops_find(isa, j->type),
			*ref = wsi_ops_find("ref", j->type);
		/* To and fro; each way beside the twin. */
		memset(h, 0x5a, j->n * j->lanes * e);
		memset(rows, 0x5a, 2 * j->channels * stride);
		ref->deinterleave(twin, stride, j->h, j->channels, j->lanes, j->n);
		ops->deinterleave(rows, stride, j->h, j->channels, j->lanes, j->n);
		ok = memcmp(rows, twin, j->channels * stride) == 0;
		ops->interleave(h, rows, stride, j->channels, j->lanes, j->n);
		ok &= memcmp(h, j->h, j->n * j->lanes * e) == 0;
		for (int k = 0; k < 8; ++k) {
			const size_t d = (size_t)rng_int(r, 0, (int)j->directions - 1);
			const size_t s = (size_t)rng_int(r, 0, (int)j->n - 1);
			ok &= ops->project_sample(&asked, d, s) == ref->project_sample(&asked,
			                                                               d, s);
		}
		/* The first direction is the first channel. */
		ok &= ops->project_sample(&asked, 0, j->n / 2) == get(j->type, j->h,
		                                                      j->n / 2 * j->lanes);
		for (int larger = 0; larger < 2; ++larger) {
			memcpy(y[0], j->h, j->lanes * e);
			memcpy(y[1], j->h, j->lanes * e);
			ref->extrapolate(y[0], j->h + a, j->h, 1.7, larger, j->lanes);
			ops->extrapolate(y[1], j->h + a, j->h, 1.7, larger, j->lanes);
			ok &= memcmp(y[0], y[1], j->lanes * e) == 0;
			for (size_t c = 0; c < j->channels; ++c) {
				const double from = get(j->type, j->h, c),
					to = get(j->type, y[1], c);
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
				if (thinned_out(n_cases) ||
				    (!slow_tier() && lengths[l] > 1000 && (c + v) % 5))
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

/* From samples to ticks; none, some or all of the knots lie between two samples, before the
 * one they would lie on, or after it at the right end. */
static void
to_ticks(rng *r, size_t n, int32_t *t, int knots)
{
	const int halves = rng_int(r, 0, 3);
	for (int i = 0; i < knots; ++i) {
		const int half = halves == 3 || (halves == 2 && rng_int(r, 0, 3) == 0);
		t[i] = WSI_TICKS * t[i] + (t[i] >= (int32_t)n - 1 ? half : -half);
	}
}

/* Ascending knots t in samples, the first at or before sample 0, the last at or after n - 1. */
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
	for (int i = 0; i < EXTRAS - 1 && (i == 0 || rng_int(r, 0, 2)); ++i,
	     end += rng_int(r, 1, 60))
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
	to_ticks(r, j->n, t, k->n);
	const int32_t last = WSI_TICKS * ((int32_t)j->n - 1);
	/* Of those at or beyond the ends, all or fewer have their values elsewhere. */
	while (k->n_left < k->n && t[k->n_left] < 0)
		k->n_left++;
	while (k->n_right < k->n - k->n_left && t[k->n - 1 - k->n_right] > last)
		k->n_right++;
	k->n_left += k->n_left + k->n_right < k->n && rng_int(r, 0, 1);
	k->n_right += k->n_left + k->n_right < k->n && rng_int(r, 0, 1);
	k->row_left = wsi_joint_rows(j->n) + 2 * i * EXTRAS;
	k->row_right = k->row_left + EXTRAS;
	memset(bits, 0, words * sizeof *bits);
	for (size_t tile = 0; tile < j->tiles; ++tile)
		before[tile] = 0;
	for (int32_t m = 0; m < k->n; ++m) {
		const int32_t sample = (t[m] + 1) / WSI_TICKS;
		if (t[m] >= 0 && t[m] <= last)
			bits[sample / WSI_WORD] |= (uint64_t)1 << (sample % WSI_WORD);
		for (size_t tile = 0; tile < j->tiles; ++tile)
			before[tile] += t[m] <= WSI_TICKS * (int32_t)(tile * WSI_JOINT_TILE);
	}
}

static lists
lists_new(rng *r, const joint *j)
{
	const size_t n = 2 * j->directions, words = j->tiles * WSI_JOINT_TILE / WSI_WORD;
	lists l = { need(j->directions * sizeof *l.knots),
		need(n * (j->n + 4 * EXTRAS) * sizeof *l.t),
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
run_mean(const wsi_ops *ops, const joint *j, const lists *l, wsi_joint_mean_args asked, int fill,
         rng *r)
{
	const size_t bytes = j->n * j->lanes * type_size(j->type),
		sums = 4 * j->words * sizeof(double);
	mean_out o = { need(bytes), need(sums), { 0, 0 } };
	memset(o.y, fill, bytes);
	memset(o.sums, fill, sums);
	asked.h = j->h, asked.y = o.y, asked.n = j->n, asked.channels = j->channels;
	asked.middle = j->middle;
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
	const wsi_joint_mean_args asked = { .spline = (ws_spline)rng_int(r, 1, 2),
					 .want_above = rng_int(r, 0, 1),
						.want_sums = rng_int(r, 0, 1),
					 .sd = 0.3, .sd2 = 1.1 };
	const size_t row = j->lanes * type_size(j->type);
	mean_out want = run_mean(wsi_ops_find("ref", j->type), j, &l, asked, 0xa5, NULL);
	bool ok = true;
	const char *isa;
	for (int i = 1; ok && (isa = isa_to_test(i)); ++i) {
		mean_out got = run_mean(wsi_ops_find(isa, j->type), j, &l, asked, 0x5a,
		                        i == 1 ? NULL : r);
		size_t at = 0;
		while (at < j->n && memcmp(want.y + at * row, got.y + at * row, row) == 0)
			++at;
		ok = at == j->n && memcmp(&want.counts, &got.counts, sizeof want.counts) == 0 &&
		     (!asked.want_sums ||
		      memcmp(want.sums, got.sums, 4 * j->words * sizeof(double)) == 0);
		if (!ok)
			printf("  joint_mean: %s %s, %zu channels, %zu directions (%d active), %zu "
			       "samples, spline %d, above %d, sums %d: first at %zu\n", isa,
				j->type ? "f32" : "f64",
			       j->channels, j->directions, l.n_active, j->n, asked.spline,
				asked.want_above,
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
					const size_t work = channel_counts[c] *
						direction_counts[v] * lengths[l];
					if (thinned_out((int)(c + v + l)) ||
					    (!slow_tier() && work > 200000 && (c + v + l) % 4))
						continue;
					joint j = joint_new(&r, (ws_type)type, channel_counts[c],
					                    direction_counts[v], lengths[l],
						SIGNAL_WHITE);
					/* Lists are many, signals alike. */
					for (int i = 0; i < (work < 20000 ? 6 : 1); ++i, ++n_cases)
						assert_true(check_mean(&r, &j));
					joint_free(&j);
				}
	printf("%d sets of knots through joint_mean\n", n_cases);
}

/* ---- Decompositions -------------------------------------------------------------------------- */

static void
check_shape(rng *r, ws_emd_opts o, int number)
{
	static const ws_stop rules[] = { WS_STOP_FIXED, WS_STOP_RILLING, WS_STOP_FIX_H,
		WS_STOP_CAUCHY,
		WS_STOP_TOLERANCE, WS_STOP_ENERGY };
	const signal_kind kind = (signal_kind)(number % SIGNAL_KINDS);
	if (thinned_out(number))
		return;
	o.method = WS_METHOD_MEMD;
	if (!o.reference)
		o.stop_rule = rules[number % 6];
	o.max_sifts = o.stop_rule == WS_STOP_FIXED ? 0 : 3;
	o.sifts = o.stop_rule == WS_STOP_FIXED ? 3 : 0;
	o.modes = 3;
	o.directions = (int)direction_counts[number % DIRECTION_COUNTS];
	job j = { .shape = { .channels = channel_counts[number % CHANNEL_COUNTS],
		             .samples = lengths[number % LENGTHS],
			.type = (ws_type)(number / 2 & 1) },
		  .o = o };
	/* The largest at once is for the slow tier. */
	if (!slow_tier() && j.shape.channels * j.shape.samples > (SANITIZED ? 5000 : 40000))
		j.shape.samples = SANITIZED ? 150 : 1000;
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
					            (ws_emd_opts){ .boundary =
						(ws_boundary)boundary,
					                           .spline = (ws_spline)spline,
					                           .noise_channels = number % 4 ? 0
						: 1 + number % 3 },
					            number);
		for (int i = 0; i < 24; ++i, ++number)
			check_shape(&r, (ws_emd_opts){ .reference = i & 1 ? WS_REF_MEMD
				: WS_REF_MEMD_GPU },
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
		cmocka_unit_test(test_decompositions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
