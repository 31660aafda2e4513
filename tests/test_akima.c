/*
 * test_akima.c - Akima's slopes: the same in both directions of time, and decided by no rounding.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core_test.h"

#define REAL double
#define REAL_BITS 64
#define FN(name) name##_f64
#define FMA(a, b, c) fma(a, b, c)
#include "math/slopes.h"
#undef REAL
#undef REAL_BITS
#undef FN
#undef FMA
#define REAL float
#define REAL_BITS 32
#define FN(name) name##_f32
#define FMA(a, b, c) fmaf(a, b, c)
#include "math/slopes.h"

/* Chords of any size, some equal but for some units in the last place. */
static void
random_chords(rng *r, double eps, double d[4])
{
	for (int i = 0; i < 4; ++i)
		d[i] = i > 0 && rng_int(r, 0, 2) == 0 ? d[i - 1] * (1.0 + eps * rng_int(r, -4, 4))
		                                      : ldexp(rng_normal(r), rng_int(r, -9, 9));
}

static void
test_reversed(void **state)
{
	(void)state;
	rng r = { 21 };
	for (int i = 0; i < 100000; ++i) {
		double d[4];
		random_chords(&r, 0x1p-52, d);
		assert_true(akima_slope_f64(d[0], d[1], d[2], d[3]) ==
		            -akima_slope_f64(-d[3], -d[2], -d[1], -d[0]));
		float f[4];
		random_chords(&r, 0x1p-23, d);
		for (int k = 0; k < 4; ++k)
			f[k] = (float)d[k];
		assert_true(akima_slope_f32(f[0], f[1], f[2], f[3]) ==
		            -akima_slope_f32(-f[3], -f[2], -f[1], -f[0]));
	}
}

/* Where two lines meet, rounding of either moves the slope by rounding; where a line meets a
 * curve, the slope is the line's. */
static void
test_lines(void **state)
{
	(void)state;
	rng r = { 22 };
	for (int i = 0; i < 10000; ++i) {
		const double a = rng_normal(&r), b = rng_normal(&r), c = rng_normal(&r);
		const double e = 0x1p-48 * rng_normal(&r), size = fabs(a) + fabs(b);
		assert_true(fabs(akima_slope_f64(a, a * (1.0 + e), b, b) - 0.5 * (a + b)) < 1e-13 * size);
		assert_true(fabs(akima_slope_f64(a, a, b, b * (1.0 + e)) - 0.5 * (a + b)) < 1e-13 * size);
		const float fa = (float)a, fb = (float)b, fe = (float)(0x1p-20 * rng_normal(&r));
		assert_true(fabsf(akima_slope_f32(fa, fa * (1.0f + fe), fb, fb) - 0.5f * (fa + fb)) <
		            1e-5f * (float)size);
		assert_true(fabs(akima_slope_f64(a, a, b, b + c) - a) <= 0x1p-51 * fabs(a) ||
		            fabs(c) < 1e-6);
	}
	assert_true(akima_slope_f64(0.0, 0.0, 0.0, 0.0) == 0.0);
	assert_true(akima_slope_f64(2.0, 2.0, 2.0, 2.0) == 2.0);
}

static double
difference(const result *a, const result *b, double scale)
{
	double most = 0.0;
	for (int k = 0; k <= a->count[0]; ++k) {
		const void *x = k < a->count[0] ? mode_row(a, 0, k) : residue_row(a, 0);
		const void *y = k < a->count[0] ? mode_row(b, 0, k) : residue_row(b, 0);
		for (size_t i = 0; i < a->samples; ++i)
			most = fmax(most, fabs(get(WS_F64, y, i) / scale - get(WS_F64, x, i)));
	}
	return most;
}

/* A factor that moves the last digits moves no more of the results, at any boundary. */
static void
test_nudged(void **state)
{
	(void)state;
	enum { N = 700 };
	static const signal_kind kinds[] = { SIGNAL_WHITE, SIGNAL_TONES, SIGNAL_CHIRP_NOISE,
		                             SIGNAL_VIBRATION, SIGNAL_WALK, SIGNAL_FADING };
	static const double factors[] = { 1.0 + 9e-13, 1.0 + 1e-12, 1.0 - 1e-12 };
	double x[N], y[N], worst = 0.0;
	for (int boundary = 1; boundary <= 4; ++boundary)
		for (size_t s = 0; s < sizeof kinds / sizeof *kinds; ++s) {
			rng r = { 5 };
			signal_make(kinds[s], &r, N, x);
			const job j = { .shape = { .channels = 1, .samples = N }, .x = x, .threads = 1,
				        .o = { .boundary = (ws_boundary)boundary, .spline = WS_SPLINE_AKIMA } };
			result a;
			must_decompose(&j, &a);
			for (int f = 0; f < 3; ++f) {
				for (int i = 0; i < N; ++i)
					y[i] = x[i] * factors[f];
				job nudged = j;
				nudged.x = y;
				result b;
				must_decompose(&nudged, &b);
				const double d = a.count[0] == b.count[0]
				                 ? difference(&a, &b, factors[f]) / std_of(x, N) : HUGE_VAL;
				if (!(d < 1e-8))
					print_error("boundary %d, %s x %.13f: %d and %d modes, difference %.3g std\n",
					            boundary, signal_name(kinds[s]), factors[f], a.count[0],
					            b.count[0], d);
				worst = fmax(worst, d);
				result_free(&b);
			}
			result_free(&a);
		}
	printf("scaled by 1 + 1e-12: largest difference %.2g std\n", worst);
	assert_true(worst < 1e-8);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reversed),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_nudged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
