/*
 * test_joint_knots.c - extrema and knots of projections (cpu/emd/joint_knots.c) against
 * a search sample by sample: plateaus, seams, every boundary rule, memd.m's quirks.
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
#include "cpu/emd/joint.h"
#include "joint_signal.h"
#include "math/boundary.h"
#include "transform/emd/emd.h"

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
	o.tag = WS_TAG_EMD;
	o.method = WS_METHOD_MEMD;
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
	bool *half;             /* the extremum at a sample lies half a sample before */
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
		const size_t middle = (i + last + !p->lower_middle) / 2;
		x->is[in > 0 ? WSI_MAX : WSI_MIN][middle] = true;
		x->half[middle] = p->half_ticks && (i + last) % 2;
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
	plain x = { .p = need(n * sizeof *x.p), .is = { need(n), need(n) }, .half = need(n) };
	memset(x.half, 0, n);
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
	free(x->half);
}

/* Ticks of extrema of a kind from an end inwards. */
static int
inwards(const plain *x, size_t n, int kind, int side, int most, int64_t *tick)
{
	int found = 0;
	for (size_t i = 0; i < n && found < most; ++i) {
		const size_t s = side == WSI_LEFT ? i : n - 1 - i;
		if (x->is[kind][s])
			tick[found++] = 2 * (int64_t)s - x->half[s];
	}
	return found;
}

/* A knot: its tick, and the value of each channel. */
typedef struct knot { int64_t t; double v[40]; } knot;

/* A channel at a tick, rounded as the type rounds. */
static double
at_tick(const joint *j, int64_t tick, size_t channel)
{
	const size_t sample = (size_t)tick / 2;
	const double a = get(j->type, j->h, sample * j->lanes + channel);
	if (tick % 2 == 0)
		return a;
	const double b = get(j->type, j->h, (sample + 1) * j->lanes + channel);
	return 0.5 * (j->type == WS_F64 ? a + b : (double)((float)a + (float)b));
}

static void
knot_at(knot *k, const joint *j, int64_t t, int64_t from)
{
	k->t = t;
	for (size_t c = 0; c < j->channels; ++c)
		k->v[c] = at_tick(j, from, c);
}

static double
projection_at(const plain *x, int64_t tick)
{
	return tick % 2 ? 0.5 * (x->p[tick / 2] + x->p[tick / 2 + 1]) : x->p[tick / 2];
}

static int
mirrored(const joint *j, const plain *x, double flat, int kind, int side, knot *out)
{
	wsi_near near[2];
	wsi_beyond made[2];
	int64_t tick[2][WSI_NEAR];
	const int64_t end = side == WSI_LEFT ? 0 : 2 * ((int64_t)j->n - 1);
	for (int k = 0; k < 2; ++k) {
		near[k].n = inwards(x, j->n, k, side, WSI_NEAR, tick[k]);
		for (int i = 0; i < near[k].n; ++i) {
			near[k].u[i] = (int32_t)llabs(tick[k][i] - end);
			near[k].v[i] = projection_at(x, tick[k][i]);
		}
	}
	boundary_knots(WS_BOUNDARY_MIRROR, near, x->p[end / 2], boundary_tie(flat), made);
	for (int i = 0; i < made[kind].n; ++i) {
		const int64_t u = made[kind].u[i], from = made[kind].from[i];
		knot_at(&out[i], j, side == WSI_LEFT ? u : end - u,
		        from < 0 ? end : tick[kind][from]);
	}
	return made[kind].n;
}

static int
lined(const joint *j, const plain *x, int kind, int side, int least, knot *out)
{
	int64_t s[4];
	const int64_t end = side == WSI_LEFT ? 0 : 2 * ((int64_t)j->n - 1);
	knot_at(out, j, end, end);
	if (inwards(x, j->n, kind, side, least, s) < least)
		return 1;
	for (size_t c = 0; c < j->channels; ++c) {
		const double a = at_tick(j, s[0], c), b = at_tick(j, s[1], c);
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
		const int64_t away = 2 * (1 + i / far) * (int64_t)j->n;
		knot_at(&out[i], j, side == WSI_LEFT ? s[i % far] - away : s[i % far] + away,
		        s[i % far]);
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
			n[s] = mirrored(j, x, f->j.steps.flat, kind, s, side[s]);
			break;
		case WS_BOUNDARY_PERIODIC:
			n[s] = repeated(j, x, kind, s, side[s]);
			break;
		default:
			n[s] = lined(j, x, kind, s,
			             f->params.o.boundary == WS_BOUNDARY_SLOPE ? 4 : 2, side[s]);
		}
	for (int i = n[WSI_LEFT] - 1; i >= 0; --i)
		out[all++] = side[WSI_LEFT][i];
	for (size_t i = 0; i < j->n; ++i)
		if (x->is[kind][i])
			knot_at(&out[all++], j, 2 * (int64_t)i - x->half[i],
			        2 * (int64_t)i - x->half[i]);
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
		                                 : (size_t)(k->t[i] + 1) / 2;
		const bool between = i >= k->n_left && right < 0 && k->t[i] % 2;
		const char *rows = between ? f->j.middle : f->j.h[0];
		if (k->t[i] != want[i].t || (i && want[i].t <= want[i - 1].t))
			return false;
		for (size_t c = 0; c < j->channels; ++c)
			if (get(j->type, rows, row * j->lanes + c) != want[i].v[c])
				return false;
	}
	for (size_t i = 0, upto = 0; i < j->n; ++i) {
		while (upto < (size_t)n && want[upto].t <= 2 * (int64_t)i)
			++upto;
		const bool is = upto > 0 && want[upto - 1].t >= 0 &&
			(want[upto - 1].t + 1) / 2 == (int64_t)i;
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
	ok &= f->params.o.stop_rule != WS_STOP_FIX_H || found->zero_crossings == x.crossings;
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
			fail_msg("%s, %zu channels, %zu samples of %s, boundary %d, reference %d, "
			         "flat %g: knots of direction "
			         "%zu", type ? "f32" : "f64", channels, n,
			         signal_name(kind), f.params.o.boundary, o.reference, flat, d);
	finder_free(&f);
	joint_free(&j);
}

static void
test_knots(void **state)
{
	(void)state;
	static const size_t lengths[] = { 1, 2, 3, 5, 63, 64, 65, 255, 256, 257, 1000, 4097 };
	rng r = { 82 };
	int n_cases = 0;
	for (int kind = 0; kind < SIGNAL_KINDS; ++kind)
		for (int boundary = 1; boundary <= 4; ++boundary)
			for (size_t l = 0; l < sizeof lengths / sizeof *lengths; ++l)
				for (int i = 0; i < (slow_tier() ? 30 : 3); ++i, ++n_cases) {
					ws_emd_opts o = { .boundary = (ws_boundary)boundary,
							  .stop_rule = n_cases % 2 ? WS_STOP_FIX_H
								: WS_STOP_RILLING };
					const int reference = n_cases % 5;
					if (reference < 2)
						o.reference = reference ? WS_REF_MEMD_GPU
							: WS_REF_MEMD;
					const size_t n = i ? (size_t)rng_int(&r, 1,
					                                     700) : lengths[l];
					check_knots(&r, n, (ws_type)(n_cases / 2 & 1),
					            (signal_kind)kind, o,
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
	const int ends[] = { 1, 2, 62, 63, 64, 65, 127, 128, 255, 256, 257, 511, 512, 769, N - 2,
		N - 1 };
	const int cases = (int)(sizeof ends / sizeof *ends);
	rng r = { 83 };
	for (int a = 0; a < cases; ++a)
		for (int b = a; b < cases; ++b)
			for (int shape = 0; shape < 4; ++shape) {
				joint j = joint_new(&r, WS_F64, 1, 1, N, SIGNAL_WHITE);
				double *h = (double *)j.h;
				/* Up or down to it, up or down from it, and waves elsewhere. */
				for (int i = 0; i < N; ++i)
					h[i * (int)j.lanes] = i < ends[a]   ? (shape & 1 ? -1 : 1) *
						(1.0 + i % 2)
					                      : i > ends[b] ? (shape & 2 ? -1 : 1) *
						(1.0 + i % 2)
					                                    : 0.0;
				finder f;
				ws_emd_opts o = { .boundary = (ws_boundary)(1 + (a + b) % 4),
						  .stop_rule = WS_STOP_FIX_H };
				if (b % 3 == 0)
					o.reference = WS_REF_MEMD;
				finder_new(&f, &j, o, 0.0, isa_to_test(1));
				f.params.vanishing = false;
				if (!check_direction(&j, &f, 0, 0.0))
					fail_msg("plateau %d..%d, shape %d", ends[a], ends[b],
					         shape);
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
		f.j.vanished = WSI_JOINT_VANISHED;
		wsi_joint_find_knots(&f.j, f.j.h[0], 0);
		assert_int_equal(f.j.active[0], i > 0 && i < 5);
		assert_int_equal(f.j.found[0].extrema[WSI_MAX] > 0, i > 0 && i < 5);
		finder_free(&f);
		joint_free(&j);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_knots),
		cmocka_unit_test(test_plateaus),
		cmocka_unit_test(test_vanishing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
