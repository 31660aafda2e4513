/*
 * test_math.c - the arithmetic of src/math against independent computations:
 * splines against direct solves in long double and SciPy's figures, noise
 * against libm and published vectors, boundaries against hand-worked cases.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core_test.h"
#include "math/boundary.h"
#include "math/decibel.h"
#include "math/gaussian.h"
#include "math/real.h"
#include "math/sum.h"
#include "ops/ops.h"

/* ---- Splines ------------------------------------------------------------------ */

/*
 * The envelope through knots (t[j], v[j]), t[0] = 0, at samples 0 .. t[n-1],
 * by slot mean_sub of the best kernels: the signal is zero but at the knots,
 * which are marked as maxima, and the lower envelope is zero.
 */
static void
envelope(ws_type type, ws_spline spline, const int *t, const double *v, int n, double *out)
{
	const size_t samples = (size_t)t[n - 1] + 1, words = WSI_WORDS(samples);
	const wsi_ops *ops = wsi_ops_find(ws_isa_name(0), type);
	const size_t bytes = words * WSI_WORD * ops->element;
	void *x = need(bytes), *y = need(bytes), *scratch = need(ops->mean_scratch);
	uint64_t *marks[2] = { need(8 * words), need(8 * words) };
	double *sums = need(6 * words * sizeof *sums);
	memset(x, 0, bytes);
	memset(marks[0], 0, 8 * words);
	memset(marks[1], 0, 8 * words);
	for (int j = 1; j + 1 < n; ++j) {
		marks[WSI_MAX][t[j] / WSI_WORD] |= (uint64_t)1 << (t[j] % WSI_WORD);
		if (type == WS_F64)
			((double *)x)[t[j]] = v[j];
		else
			((float *)x)[t[j]] = (float)v[j];
	}
	wsi_ends ends = { 0 };
	for (int kind = 0; kind < 2; ++kind)
		for (int side = 0; side < 2; ++side) {
			const int j = side == WSI_LEFT ? 0 : n - 1;
			wsi_extras *e = &ends.extra[kind][side];
			e->n = 1;
			e->t[0] = t[j] * WSI_TICKS;
			e->v[0] = kind == WSI_MIN ? 0.0 : type == WS_F64 ? v[j]
				: (double)(float)v[j];
		}
	wsi_mean_args m = {
		.x = x, .y = y, .n = samples, .marks = { marks[0], marks[1] }, .ends = &ends,
		.spline = spline, .word1 = words, .block_sums = sums, .scratch = scratch,
	};
	wsi_mean_counts counts = { 0 };
	ops->mean_sub(&m, &counts);
	for (size_t i = 0; i < samples; ++i)
		out[i] = 2.0 * (get(type, x, i) - get(type, y, i));
	free(x);
	free(y);
	free(scratch);
	free(marks[0]);
	free(marks[1]);
	free(sums);
}

/* One channel and direction of multivariate EMD, the knots likewise maxima; the
 * lower envelope is zero through two knots. */
static void
joint_envelope(ws_type type, ws_spline spline, const int *t, const double *v, int n, double *out)
{
	const wsi_ops *ops = wsi_ops_find(ws_isa_name(0), type);
	const size_t samples = (size_t)t[n - 1] + 1, row = wsi_lanes(1, ops->element);
	const size_t tiles = (samples + WSI_JOINT_TILE - 1) / WSI_JOINT_TILE;
	const size_t bytes = (wsi_joint_rows(samples) + 2) * row * ops->element;
	const size_t words = tiles * WSI_JOINT_TILE / WSI_WORD;
	void *h = need(bytes), *y = need(bytes), *scratch = need(ops->joint_scratch(1));
	uint64_t *bits = need(8 * words), *no_bits = need(8 * words);
	int32_t *before = need(2 * tiles * sizeof *before);
	memset(h, 0, bytes);
	memset(bits, 0, 8 * words);
	memset(no_bits, 0, 8 * words);
	memset(before, 0, 2 * tiles * sizeof *before);
	for (int j = 0; j < n; ++j) {
		bits[t[j] / WSI_WORD] |= (uint64_t)1 << (t[j] % WSI_WORD);
		if (type == WS_F64)
			((double *)h)[(size_t)t[j] * row] = v[j];
		else
			((float *)h)[(size_t)t[j] * row] = (float)v[j];
		for (size_t tile = (size_t)(t[j] + WSI_JOINT_TILE -
		                            1) / WSI_JOINT_TILE; tile < tiles; ++tile)
			before[tile] = j + 1;
	}
	int32_t *ticks = need((size_t)n * sizeof *ticks);
	for (int j = 0; j < n; ++j)
		ticks[j] = WSI_TICKS * t[j];
	const int32_t ends[2] = { 0, ticks[n - 1] };
	no_bits[0] = 1;
	for (size_t tile = 0; tile < tiles; ++tile)
		before[tiles + tile] = 1;
	wsi_knots knots[1][2] = { {
		{ .t = ticks, .n = n, .bits = bits, .before = before },
		{ .t = ends, .n = 2, .n_left = 1, .n_right = 1, .row_left = wsi_joint_rows(samples),
		  .row_right = wsi_joint_rows(samples) + 1, .bits = no_bits,
			.before = before + tiles },
	} };
	const bool active = true;
	wsi_joint_mean_args m = {
		.h = h, .y = y, .n = samples, .channels = 1, .knots = (const wsi_knots(*)[2])knots,
		.active = &active, .directions = 1, .n_active = 1, .spline = spline, .tile1 = tiles,
		.scratch = scratch,
	};
	wsi_mean_counts counts = { 0 };
	ops->joint_mean(&m, &counts);
	for (size_t i = 0; i < samples; ++i)
		out[i] = 2.0 * (get(type, h, i * row) - get(type, y, i * row));
	free(h);
	free(y);
	free(scratch);
	free(bits);
	free(no_bits);
	free(ticks);
	free(before);
}

/* The C2 spline by its second derivatives, eliminated directly in long double. */
static void
direct_spline(ws_spline spline, const int *t, const double *v, int n, double *out)
{
	typedef long double real;
	real *lo = need(5 * (size_t)n * sizeof(real)), *di = lo + n, *up = di + n, *m = up + n,
	     *h = m + n;
	for (int j = 0; j + 1 < n; ++j)
		h[j] = (real)t[j + 1] - t[j];
	for (int j = 1; j + 1 < n; ++j) {
		lo[j] = h[j - 1];
		di[j] = 2 * (h[j - 1] + h[j]);
		up[j] = h[j];
		m[j] = 6 * (((real)v[j + 1] - v[j]) / h[j] - ((real)v[j] - v[j - 1]) / h[j - 1]);
	}
	if (spline == WS_SPLINE_NOT_A_KNOT) {
		/* m_0 = m_1 (1 + h_0/h_1) - m_2 h_0/h_1, and so at the other end. */
		di[1] += lo[1] * (1 + h[0] / h[1]);
		up[1] -= lo[1] * h[0] / h[1];
		di[n - 2] += up[n - 2] * (1 + h[n - 2] / h[n - 3]);
		lo[n - 2] -= up[n - 2] * h[n - 2] / h[n - 3];
	}
	for (int j = 2; j + 1 < n; ++j) {
		real f = lo[j] / di[j - 1];
		di[j] -= f * up[j - 1];
		m[j] -= f * m[j - 1];
	}
	m[n - 2] /= di[n - 2];
	for (int j = n - 3; j >= 1; --j)
		m[j] = (m[j] - up[j] * m[j + 1]) / di[j];
	m[0] = m[n - 1] = 0;
	if (spline == WS_SPLINE_NOT_A_KNOT) {
		m[0] = m[1] * (1 + h[0] / h[1]) - m[2] * h[0] / h[1];
		m[n - 1] = m[n - 2] * (1 + h[n - 2] / h[n - 3]) - m[n - 3] * h[n - 2] / h[n - 3];
	}
	for (int j = 0; j + 1 < n; ++j)
		for (int i = t[j]; i <= t[j + 1]; ++i) {
			real b = (real)(i - t[j]) / h[j], a = 1 - b;
			out[i] = (double)(a * v[j] + b * v[j + 1] +
			                  ((a * a * a - a) * m[j] + (b * b * b - b) * m[j + 1]) *
				h[j] *
			                          h[j] / 6);
		}
	free(lo);
}

enum { SPACINGS = 9, FIRST_GROWING = 5 };

static const char *const spacing_names[SPACINGS] = {
	"uniform", "white noise's maxima", "heavy-tailed", "2/1000 in turn", "log-uniform",
	"geometric 1.3", "geometric 1.74", "geometric 2.6", "powers of two",
};

static int
spacing(int kind, rng *r, int j)
{
	switch (kind) {
	case 0:
		return 3;
	case 1:
		return rng_int(r, 2, 8);
	case 2: {
		double h = 2.0 / pow(1.0 - rng_uniform(r), 1.0 / 0.7);
		return h < 2.0 ? 2 : h > 5000.0 ? 5000 : (int)h;
	}
	case 3:
		return j & 1 ? 1000 : 2;
	case 4:
		return 2 + (int)exp(rng_uniform(r) * 8.0);
	case 8:
		return 1 << (1 + (j % 24 < 12 ? j % 24 : 24 - j % 24));
	default: {
		/* Up and down again, so that neighbours are as unequal as can be for long. */
		const double ratio = kind == 5 ? 1.3 : kind == 6 ? 1.74 : 2.6;
		const int turn = (int)(log(20000.0) / log(ratio));
		const int k = j % (2 * turn);
		return 2 + (int)pow(ratio, k < turn ? k : 2 * turn - k);
	}
	}
}

typedef void (*make_envelope)(ws_type type, ws_spline spline, const int *t, const double *v, int n,
                              double *out);

/* Largest error of the envelope, in units of its largest value. */
static double
spline_error(make_envelope make, ws_type type, ws_spline spline, int kind, rng *r, int n)
{
	int *t = need((size_t)n * sizeof *t);
	double *v = need((size_t)n * sizeof *v);
	t[0] = 0;
	/* End intervals of like length: unlike ones lose digits by the end formula itself. */
	for (int j = 1; j < n; ++j) {
		int s = spacing(kind, r, j);
		t[j] = t[j - 1] + (j == 1 || j == n - 1 ? spacing(1, r, j) : s);
	}
	for (int j = 0; j < n; ++j)
		v[j] = (double)(float)rng_normal(r);
	const size_t samples = (size_t)t[n - 1] + 1;
	double *got = need(samples * sizeof *got), *want = need(samples * sizeof *want);
	make(type, spline, t, v, n, got);
	direct_spline(spline, t, v, n, want);
	double scale = 0.0;
	for (size_t i = 0; i < samples; ++i)
		scale = fmax(scale, fabs(want[i]));
	double error = largest_difference(got, want, samples) / scale;
	free(t);
	free(v);
	free(got);
	free(want);
	return error;
}

/* Within a few ulp of either type, and for spacings that go on growing within
 * growing[type]. */
static void
check_solver(const char *name, make_envelope make, const double growing[2])
{
	rng r = { 40 };
	const double bound[2] = { 1e-14, 5e-6 };
	for (int type = 0; type < 2; ++type)
		for (int kind = 0; kind < SPACINGS; ++kind) {
			double worst = 0.0;
			for (int spline =
			     WS_SPLINE_NOT_A_KNOT; spline <= WS_SPLINE_NATURAL; ++spline)
				for (int i = 0; i < 24; ++i) {
					if (fast_tier() &&
					    thinned_out(i + 24 * (spline + 2 * kind)))
						continue;
					/* Few knots, and lists longer than a tile and a block of
					 * rows. */
					int n = i < 8 ? 4 + i : i < 16 ? 20 + 20 * i : kind < 2
						? 3000 : 300;
					worst = fmax(worst, spline_error(make, (ws_type)type,
					                                 (ws_spline)spline,
					                                 kind, &r, n));
				}
			printf("%s, %s, spacing %s: error %.2g of the "
			       "envelope\n", name, type ? "f32" : "f64",
			       spacing_names[kind], worst);
			assert_true(worst < (kind < FIRST_GROWING ? bound : growing)[type]);
		}
}

static void
test_spline_solver(void **state)
{
	(void)state;
	check_solver("cyclic reduction", envelope, (const double[]){ 1e-14, 5e-6 });
}

/* What a window cuts off is felt where intervals grow faster than slopes forget:
 * by 1.3 a knot over all of its reach in f64, by 1.74 in f32. */
static void
test_joint_solver(void **state)
{
	(void)state;
	check_solver("windows", joint_envelope, (const double[]){ 3e-10, 5e-4 });
}

/* Two knots: a line.  Three: not-a-knot is the parabola through them. */
static void
test_few_knots(void **state)
{
	(void)state;
	const int t[3] = { 0, 4, 10 };
	const double line[2] = { 1.0, 6.0 }, bow[3] = { 3.0, -5.0, 13.0 };
	double out[11];
	const int ends[2] = { 0, 10 };
	for (int spline = 1; spline <= 4; ++spline) {
		envelope(WS_F64, (ws_spline)spline, ends, line, 2, out);
		for (int i = 0; i <= 10; ++i)
			assert_true(fabs(out[i] - (1.0 + 0.5 * i)) < 1e-14);
	}
	/* 3 - 4 i + i^2 / 2 at 0, 4, 10. */
	envelope(WS_F64, WS_SPLINE_NOT_A_KNOT, t, bow, 3, out);
	for (int i = 0; i <= 10; ++i)
		assert_true(fabs(out[i] - (3.0 - 4.0 * i + 0.5 * i * i)) < 1e-13);
}

enum { SCIPY_KNOTS = 10, KNOTS_END = 37 };

/* By SciPy 1.17.1: CubicSpline(t, v, bc_type)(arange(38)), PchipInterpolator and
 * Akima1DInterpolator, printed with 17 digits. */
static const int scipy_t[SCIPY_KNOTS] = { 0, 3, 7, 9, 16, 18, 23, 30, 32, 37 };
static const double scipy_v[SCIPY_KNOTS] = { 1.0, 2.0, 5.0, 4.5, 4.75, -1.0, -1.0, 3.0, 2.5, -2.0 };
static const struct { const char *name; ws_spline spline; double y[KNOTS_END + 1]; } scipy[4] = {
	{ "not-a-knot", WS_SPLINE_NOT_A_KNOT,
	  {
	    1, 0.77613942585028228, 1.182497140589521, 2,
	    3.0095748598640033, 3.9921485759638156, 4.7286480040817196, 5,
	    4.7407602797050892, 4.5, 4.812463190115861, 5.5410699281796409,
	    6.3807843045422752, 7.0265704095546964, 7.1733923335678362, 6.5162141669326221,
	    4.75, 1.8609239197901131, -1, -2.6833117311654018,
	    -3.2106074141464367, -2.8962472315447716, -2.0545913659620703, -1,
	    0.0029098958860797703, 0.88849419982603561, 1.6408520020960404, 2.244082392972266,
	    2.6822844627308862, 2.9395573016480738, 3, 2.851862731048743,
	    2.5, 1.9534173950453704, 1.2211205043764555, 0.31211491618485487,
	    -0.7645937813378304, -2,
	  } },
	{ "natural", WS_SPLINE_NATURAL,
	  {
	    1, 1.1583568632011223, 1.4479460790014029, 2,
	    2.8761023883591856, 3.8592426444936869, 4.6627615783813443, 5,
	    4.7556739010347853, 4.5, 4.7998289030839363, 5.5230460403416792,
	    6.3627955477950167, 7.0122215614657319, 7.1644682173756102, 6.5126796515464402,
	    4.75, 1.8615054007777732, -1, -2.6830846634547902,
	    -3.2095354877536888, -2.8944439803251925, -2.052901648597798, -1,
	    -0.00074507778700962524, 0.88019893147911921, 1.6282533054096193, 2.2288393216157245,
	    2.6673782577086675, 2.9292913912996816, 3, 2.8637392672741706,
	    2.5, 1.8990085861806636, 1.0986781149075517, 0.14884335054410783,
	    -0.9006609425462242, -2,
	  } },
	{ "pchip", WS_SPLINE_PCHIP,
	  {
	    1, 1.2273229035818964, 1.5736934262114117, 2,
	    2.7236960431654675, 3.7266187050359711, 4.6162320143884887, 5,
	    4.75, 4.5, 4.5138483965014577, 4.5495626822157433,
	    4.5983965014577262, 4.6516034985422747, 4.7004373177842567, 4.7361516034985423,
	    4.75, 1.875, -1, -1,
	    -1, -1, -1, -1,
	    -0.77842565597667635, -0.20699708454810498, 0.574344023323615, 1.4256559766763848,
	    2.2069970845481048, 2.778425655976676, 3, 2.8405172413793101,
	    2.5, 2.0185615763546796, 1.3101674876847291, 0.39249261083743853,
	    -0.7167881773399013, -1.9999999999999996,
	  } },
	{ "Akima", WS_SPLINE_AKIMA,
	  {
	    1, 1.2135076252723311, 1.5659041394335511, 2,
	    2.6957876370887339, 3.6495513459621138, 4.5285393818544373, 5,
	    4.8334300750715888, 4.5, 4.4116962284598733, 4.4618277972239015,
	    4.5921371135604723, 4.7443665847379783, 4.8602586180248073, 4.8815556206893529,
	    4.75, 1.9360984354628423, -1, -1.373059829059829,
	    -1.5530256410256411, -1.5464615384615386, -1.3599316239316239, -1,
	    -0.47480947266124496, 0.17013622491603148, 0.87223159940667983, 1.5688711574855505,
	    2.197449405827494, 2.6953608511073592, 3, 2.9499996451484698,
	    2.5, 1.8357669902912621, 1.0627378640776699, 0.17182524271844674,
	    -0.84605825242718447, -2,
	  } },
};

static void
test_scipy(void **state)
{
	(void)state;
	double out[KNOTS_END + 1];
	for (int s = 0; s < 4; ++s) {
		double worst = 0.0;
		envelope(WS_F64, scipy[s].spline, scipy_t, scipy_v, SCIPY_KNOTS, out);
		for (int i = 0; i <= KNOTS_END; ++i)
			worst = fmax(worst, fabs(out[i] - scipy[s].y[i]));
		printf("%s: largest difference from SciPy %.2g\n", scipy[s].name, worst);
		assert_true(worst < 1e-13);
	}
}

/* ---- Boundaries ----------------------------------------------------------------- */

static wsi_near
near_of(int n, const int32_t *u, const double *v)
{
	wsi_near near = { .n = n };
	memcpy(near.u, u, (size_t)n * sizeof *u);
	memcpy(near.v, v, (size_t)n * sizeof *v);
	return near;
}

static void
expect_beyond(const wsi_beyond *b, int n, const int32_t *u, const double *v)
{
	assert_int_equal(b->n, n);
	for (int i = 0; i < n; ++i) {
		assert_int_equal(b->u[i], u[i]);
		assert_true(b->v[i] == v[i]);
	}
}

#define I(...) (const int32_t[]){ __VA_ARGS__ }
#define V(...) (const double[]){ __VA_ARGS__ }

/* emd.m's boundary_conditions with nbsym = 2, worked by hand. */
static void
test_mirror(void **state)
{
	(void)state;
	wsi_near near[2];
	wsi_beyond out[2] = { 0 };
	near[WSI_MAX] = near_of(4, I(4, 20, 36, 52), V(5, 6, 7, 8));
	near[WSI_MIN] = near_of(4, I(12, 28, 44, 60), V(-1, -2, -3, -4));
	/* The end lies above the first minimum: reflect about the first maximum. */
	boundary_mirror(near, WSI_MAX, 0.0, 0.0, out);
	expect_beyond(&out[WSI_MAX], 2, I(-12, -28), V(6, 7));
	expect_beyond(&out[WSI_MIN], 2, I(-4, -20), V(-1, -2));
	/* Below: reflect about the end, which is a minimum itself. */
	boundary_mirror(near, WSI_MAX, -1.5, 0.0, out);
	expect_beyond(&out[WSI_MAX], 2, I(-4, -20), V(5, 6));
	expect_beyond(&out[WSI_MIN], 2, I(0, -12), V(-1.5, -1));
	/* As deep as the first minimum is not above it. */
	boundary_mirror(near, WSI_MAX, -1.0, 0.0, out);
	expect_beyond(&out[WSI_MIN], 2, I(0, -12), V(-1, -1));

	/* Reflected knots that do not reach the end: all about the end instead. */
	near[WSI_MAX] = near_of(4, I(40, 48, 56, 64), V(5, 6, 7, 8));
	near[WSI_MIN] = near_of(4, I(44, 52, 60, 68), V(-1, -2, -3, -4));
	boundary_mirror(near, WSI_MAX, 0.0, 0.0, out);
	expect_beyond(&out[WSI_MAX], 2, I(-40, -48), V(5, 6));
	expect_beyond(&out[WSI_MIN], 2, I(-44, -52), V(-1, -2));
	/* Just reaching it, 2 * 28 - 56 = 0, is enough; the minima's 2 * 28 - 54 is not. */
	near[WSI_MAX] = near_of(3, I(28, 40, 56), V(5, 6, 7));
	near[WSI_MIN] = near_of(3, I(36, 56, 64), V(-1, -2, -3));
	boundary_mirror(near, WSI_MAX, 0.0, 0.0, out);
	expect_beyond(&out[WSI_MAX], 2, I(16, 0), V(6, 7));
	expect_beyond(&out[WSI_MIN], 2, I(20, 0), V(-1, -2));
	near[WSI_MIN].u[1] = 54;
	boundary_mirror(near, WSI_MAX, 0.0, 0.0, out);
	expect_beyond(&out[WSI_MAX], 2, I(-28, -40), V(5, 6));
	expect_beyond(&out[WSI_MIN], 2, I(-36, -54), V(-1, -2));

	/* Roles swapped: a minimum comes first. */
	near[WSI_MIN] = near_of(3, I(6, 22, 38), V(-5, -6, -7));
	near[WSI_MAX] = near_of(3, I(14, 30, 46), V(1, 2, 3));
	boundary_mirror(near, WSI_MIN, 0.5, 0.0, out);
	expect_beyond(&out[WSI_MIN], 2, I(-10, -26), V(-6, -7));
	expect_beyond(&out[WSI_MAX], 2, I(-2, -18), V(1, 2));
	boundary_mirror(near, WSI_MIN, 4.0, 0.0, out);
	expect_beyond(&out[WSI_MIN], 2, I(-6, -22), V(-5, -6));
	expect_beyond(&out[WSI_MAX], 2, I(0, -14), V(4, 1));

	/* Few extrema: what there is. */
	near[WSI_MAX] = near_of(1, I(4), V(5));
	near[WSI_MIN] = near_of(2, I(2, 8), V(-1, -2));
	boundary_mirror(near, WSI_MIN, 0.0, 0.0, out);
	expect_beyond(&out[WSI_MIN], 1, I(-4), V(-2));
	expect_beyond(&out[WSI_MAX], 1, I(0), V(5));
	near[WSI_MIN] = near_of(1, I(2), V(-1));
	boundary_mirror(near, WSI_MIN, 0.0, 0.0, out);
	expect_beyond(&out[WSI_MIN], 1, I(-2), V(-1));
	expect_beyond(&out[WSI_MAX], 1, I(-4), V(5));
}

static void
test_extrapolate(void **state)
{
	(void)state;
	wsi_beyond out = { 0 };
	/* The line through (8, 3) and (16, 2) is 4 at the end. */
	wsi_near max = near_of(4, I(8, 16, 24, 32), V(3, 2, 0, 0));
	boundary_extrapolated(WS_BOUNDARY_EXTRAPOLATE, &max, WSI_MAX, 3.5, &out);
	expect_beyond(&out, 1, I(0), V(4));
	boundary_extrapolated(WS_BOUNDARY_EXTRAPOLATE, &max, WSI_MAX, 4.5, &out);
	expect_beyond(&out, 1, I(0), V(4.5));
	/* For minima the lower counts. */
	boundary_extrapolated(WS_BOUNDARY_EXTRAPOLATE, &max, WSI_MIN, 4.5, &out);
	expect_beyond(&out, 1, I(0), V(4));
	boundary_extrapolated(WS_BOUNDARY_EXTRAPOLATE, &max, WSI_MIN, 3.5, &out);
	expect_beyond(&out, 1, I(0), V(3.5));
	/* Too few for a line. */
	max.n = 3;
	boundary_extrapolated(WS_BOUNDARY_SLOPE, &max, WSI_MAX, 3.5, &out);
	expect_beyond(&out, 1, I(0), V(3.5));
	max.n = 0;
	boundary_extrapolated(WS_BOUNDARY_EXTRAPOLATE, &max, WSI_MAX, 3.5, &out);
	expect_beyond(&out, 1, I(0), V(3.5));
}

/* Extrema at samples 1, 4, 8 of a period of 10, seen from the left end:
 * 8 - 10, 4 - 10, 1 - 10, and so again, in ticks of half a sample. */
static void
test_periodic(void **state)
{
	(void)state;
	const int32_t *far = I(2 * (9 - 8), 2 * (9 - 4), 2 * (9 - 1));
	int32_t u;
	for (int i = 0; i < 20; ++i) {
		static const int sample[3] = { 8, 4, 1 };
		assert_true(boundary_periodic(far, 3, 10, i, &u));
		assert_int_equal(u, 2 * (sample[i % 3] - 10 * (1 + i / 3)));
	}
	/* Ticks end at -2^29. */
	assert_true(boundary_periodic(far, 3, (int64_t)1 << 27, 3, &u));
	assert_false(boundary_periodic(far, 3, (int64_t)1 << 28, 3, &u));
}

/* ---- Noise -------------------------------------------------------------------------- */

/* Error of `got` against an exact value, in units of the last place. */
static double
ulps(double got, long double exact)
{
	int e;
	(void)frexp((double)exact, &e);
	return (double)fabsl(((long double)got - exact) / ldexpl(1.0L, e - 53));
}

static void
test_log_and_turn(void **state)
{
	(void)state;
	rng r = { 41 };
	double worst_log = 0.0, worst_turn = 0.0;
	for (int i = 0; i < 400000; ++i) {
		/* All of (0, 1], near 1, and the smallest. */
		uint64_t k = (rng_next(&r) >> 11) >> (i % 3 == 0 ? rng_int(&r, 0, 52) : 0);
		double u = (double)(k + 1) * 0x1p-53;
		if (i % 3 == 1)
			u = 1.0 - (double)(k >> rng_int(&r, 0, 52)) * 0x1p-53;
		if (u > 0.0 && u < 1.0)
			worst_log = fmax(worst_log, ulps(gaussian_log(u), logl((long double)u)));
	}
	assert_true(gaussian_log(1.0) == 0.0);
	const long double two_pi = 6.283185307179586476925286766559L;
	for (int i = 0; i < 400000; ++i) {
		double v = (double)((rng_next(&r) >> 11) >> (i % 2 ? rng_int(&r, 0,
		                                                             52) : 0)) * 0x1p-53;
		double c, s;
		gaussian_turn(v, &c, &s);
		/* Absolute, as a share of the radius: next to zeros of either only that counts. */
		worst_turn = fmax(worst_turn, fabs((double)((long double)c - cosl(two_pi * v))));
		worst_turn = fmax(worst_turn, fabs((double)((long double)s - sinl(two_pi * v))));
	}
	printf("log within %.2f ulp; sine and cosine within %.2g\n", worst_log, worst_turn);
	assert_true(worst_log <= 2.0);
	assert_true(worst_turn <= 2.5e-16);
	for (int q = 0; q < 4; ++q) {
		static const double quarter[5] = { 1, 0, -1, 0, 1 };
		double c, s;
		gaussian_turn(0.25 * q, &c, &s);
		assert_true(c == quarter[q] && s == -quarter[q + 1]);
	}
}

/* Random123's known answers for philox4x32-10, through the counter layout of
 * gaussian.h and Box & Muller by libm in long double. */
static void
test_philox(void **state)
{
	(void)state;
	static const struct { uint32_t counter[4], key[2], out[4]; } kat[] = {
		{ { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
		{ { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff }, { 0xffffffff, 0xffffffff },
		  { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
		{ { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 }, { 0xa4093822, 0x299f31d0 },
		  { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
	};
	for (size_t i = 0; i < sizeof kat / sizeof *kat; ++i) {
		const uint32_t *c = kat[i].counter, *k = kat[i].key, *o = kat[i].out;
		uint32_t got[4];
		philox(c, k, got);
		assert_memory_equal(got, o, sizeof got);
		double z[2];
		gaussian_pair((uint64_t)k[1] << 32 | k[0], c[3], c[2],
		              (uint64_t)c[1] << 32 | c[0], z);
		long double a = (long double)((((uint64_t)o[1] << 32 | o[0]) >> 11) + 1) * 0x1p-53L;
		long double b = (long double)(((uint64_t)o[3] << 32 | o[2]) >> 11) * 0x1p-53L;
		long double radius = sqrtl(-2.0L * logl(a)),
			angle = 6.283185307179586476925286766559L * b;
		assert_true(fabsl(z[0] - radius * cosl(angle)) < 1e-15L * radius);
		assert_true(fabsl(z[1] - radius * sinl(angle)) < 1e-15L * radius);
	}
}

/* A row of white noise by the best kernels. */
static void
draw(ws_type type, uint64_t seed, uint32_t stream, uint32_t realization, size_t n, void *out)
{
	wsi_ops_find(ws_isa_name(0), type)->noise(seed, stream, realization, n, out);
}

/* Numerics version 4: these values never change under that version. */
static void
test_frozen_noise(void **state)
{
	(void)state;
	assert_int_equal(ws_numerics_version(), 4);
	static const double first[] = {
		-0x1.973628c131c04p-2, -0x1.3dd84ff91e709p-2, 0x1.63083c830bea5p+0,
			0x1.511d43e0f2703p-2,
		0x1.215947494bb23p-1, 0x1.58a45a2fd9889p-2, -0x1.a506b7f75d22ep+0,
			0x1.aeacae32d50e7p-1,
	};
	double z[4], w[4];
	draw(WS_F64, 0, 0, 0, 4, z);
	draw(WS_F64, 12345, 2, 7, 4, w);
	for (int i = 0; i < 4; ++i) {
		if (z[i] != first[i] || w[i] != first[4 + i])
			printf("%a %a\n", z[i], w[i]);
		assert_true(z[i] == first[i] && w[i] == first[4 + i]);
	}
}

/* Every table draws the same bits, rows of any length begin alike, and f32 is
 * f64 rounded. */
static void
test_noise_rows(void **state)
{
	(void)state;
	double whole[101], part[101];
	float single[101], part32[101];
	draw(WS_F64, 9, 1, 2, 101, whole);
	draw(WS_F32, 9, 1, 2, 101, single);
	for (int i = 0; i < 101; ++i) {
		double z[2];
		gaussian_pair(9, 1, 2, (uint64_t)i / 2, z);
		assert_true(whole[i] == z[i & 1] && single[i] == (float)whole[i]);
	}
	const char *isa;
	for (int k = 0; (isa = isa_to_test(k)); ++k)
		for (size_t n = 1; n <= 101; ++n) {
			wsi_ops_find(isa, WS_F64)->noise(9, 1, 2, n, part);
			assert_memory_equal(part, whole, n * sizeof *part);
			wsi_ops_find(isa, WS_F32)->noise(9, 1, 2, n, part32);
			assert_memory_equal(part32, single, n * sizeof *part32);
		}
}

static void
test_moments(void **state)
{
	(void)state;
	enum { N = 1 << 20 };
	double *z = need(N * sizeof *z), *w = need(N * sizeof *w);
	draw(WS_F64, 77, 0, 0, N, z);
	double m[5] = { 0 }, lag1 = 0.0, lag2 = 0.0, beyond3 = 0.0, largest = 0.0;
	for (int i = 0; i < N; ++i) {
		double p = z[i];
		for (int k = 1; k <= 4; ++k, p *= z[i])
			m[k] += p / N;
		lag1 += i ? z[i] * z[i - 1] / N : 0.0;
		lag2 += i > 1 ? z[i] * z[i - 2] / N : 0.0;
		beyond3 += fabs(z[i]) > 3.0;
		largest = fmax(largest, fabs(z[i]));
	}
	printf("mean %.2g, variance %.5f, skewness %.2g, kurtosis %.4f, lags %.2g %.2g, "
	       "beyond 3: %.5f, largest %.2f\n", m[1], m[2], m[3], m[4], lag1, lag2, beyond3 / N,
	       largest);
	/* Five standard errors each: 1, sqrt 2, sqrt 15, sqrt 96 over sqrt N = 1024. */
	assert_true(fabs(m[1]) < 5.0 / 1024 && fabs(m[2] - 1.0) < 5.0 * 1.4143 / 1024);
	assert_true(fabs(m[3]) < 5.0 * 3.873 / 1024 && fabs(m[4] - 3.0) < 5.0 * 9.8 / 1024);
	assert_true(fabs(lag1) < 5.0 / 1024 && fabs(lag2) < 5.0 / 1024);
	assert_true(fabs(beyond3 / N - 0.0026998) < 5.0 * 0.0519 / 1024);
	assert_true(largest > 4.0 && largest < 7.0);
	/* Another seed, stream or realization has nothing in common. */
	for (int k = 0; k < 4; ++k) {
		draw(WS_F64, k == 0 ? 78 : k == 1 ? 77 + ((uint64_t)1 << 32) : 77, k == 2, k == 3,
		     N, w);
		double sum = 0.0;
		for (int i = 0; i < N; ++i)
			sum += z[i] * w[i] / N;
		assert_true(fabs(sum) < 5.0 / 1024);
	}
	free(z);
	free(w);
}

/* ---- Sums ------------------------------------------------------------------------------ */

static double
tree(const double *v, size_t n)
{
	/* The widest full subtree on the left, by recursion: the same tree another way. */
	if (n == 1)
		return v[0];
	size_t left = 1;
	while (2 * left < n)
		left *= 2;
	return tree(v, left) + tree(v + left, n - left);
}

static void
test_sums(void **state)
{
	(void)state;
	rng r = { 42 };
	double v[300], copy[300];
	float single[32];
	for (int i = 0; i < 300; ++i)
		v[i] = rng_normal(&r) * exp(4.0 * rng_normal(&r));
	for (size_t n = 1; n <= 300; ++n) {
		memcpy(copy, v, sizeof v);
		assert_true(sum_tree(copy, n) == tree(v, n));
	}
	assert_true(sum_tree(copy, 0) == 0.0);
	/* Bit-reversed pairs: i with i + 16, then with i + 8, .. */
	double want = 0.0, a[16], b[8], c[4];
	for (int i = 0; i < 16; ++i)
		a[i] = v[i] + v[i + 16];
	for (int i = 0; i < 8; ++i)
		b[i] = a[i] + a[i + 8];
	for (int i = 0; i < 4; ++i)
		c[i] = b[i] + b[i + 4];
	want = (c[0] + c[2]) + (c[1] + c[3]);
	memcpy(copy, v, sizeof v);
	assert_true(sum32_f64(copy) == want);
	for (int i = 0; i < 32; ++i)
		single[i] = (float)(1 << (i % 12));
	float exact = 0.0f;
	for (int i = 0; i < 32; ++i)
		exact += (float)(1 << (i % 12));
	assert_true(sum32_f32(single) == exact);
}

/* ---- Decibels --------------------------------------------------------------------- */

static void
test_decibels(void **state)
{
	(void)state;
	rng r = { 31 };
	double worst = 0.0, power = 1.0;
	for (int i = 0; i < 400000; ++i) {
		const double most = i % 2 ? 200.0 : 3080.0, db = i % 4 < 2 ? most * rng_uniform(&r)

			: floor(10.0 * most * rng_uniform(&r)) / 10.0;
		/* powl() alone loses digits to large exponents. */
		long double exact = powl(10.0L, (long double)fmod(db, 10.0) / 10.0L);
		for (int k = (int)(db / 10.0); k > 0; --k)
			exact *= 10.0L;
		const double ours = decibel_ratio(db),
			ulp = nextafter((double)exact, HUGE_VAL) - (double)exact;
		worst = fmax(worst, (double)(fabsl((long double)ours - exact) / (long double)ulp));
	}
	printf("decibels: off by %.3f ulp at most\n", worst);
	assert_true(worst < 0.8);
	for (int k = 0; k <= 22; ++k, power *= 10.0)
		assert_true(decibel_ratio(10.0 * k) == power);
	assert_true(decibel_ratio(3080.0) == 1e308 && decibel_ratio(230.0) == 1e23);
	assert_true(decibel_ratio(50.0) == 1e5 && decibel_ratio(20.0) == 100.0);
	assert_true(decibel_ratio(0x1p-1074) == 1.0);
	assert_true(decibel_ratio(3090.0) == HUGE_VAL && decibel_ratio(DBL_MAX) == HUGE_VAL);
	/* It grows, also from one power of ten to the next. */
	for (int k = 0; k < 300; ++k)
		assert_true(decibel_ratio(nextafter(10.0 * k,
		                                    HUGE_VAL)) >= decibel_ratio(10.0 * k) &&
		            (k == 0 ||
		             decibel_ratio(nextafter(10.0 * k, 0.0)) <= decibel_ratio(10.0 * k)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spline_solver), cmocka_unit_test(test_joint_solver),
		cmocka_unit_test(test_few_knots),
		cmocka_unit_test(test_scipy),         cmocka_unit_test(test_mirror),
		cmocka_unit_test(test_extrapolate),   cmocka_unit_test(test_periodic),
		cmocka_unit_test(test_log_and_turn),  cmocka_unit_test(test_philox),
		cmocka_unit_test(test_frozen_noise),  cmocka_unit_test(test_noise_rows),
		cmocka_unit_test(test_decibels),
		cmocka_unit_test(test_moments),       cmocka_unit_test(test_sums),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
