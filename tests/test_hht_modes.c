/*
 * test_hht_modes.c - Hilbert-Huang spectra: figures of modes and of their spectra, cycles, white
 * noise, limits over stop rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_test.h"
#include "hht_test.h"

#define TAU 6.283185307179586

enum { CHANNELS = 3, SAMPLES = 1500 };

/* A steady tone against one that is there for half of the time. */
static void
test_nonstationarity(void **state)
{
	enum { N = 4000 };
	double x[N];
	(void)state;
	for (int i = 0; i < N; ++i)
		x[i] = cos(TAU * 0.02 * i);
	hht h;
	hht_job task = { .channels = 1, .samples = N, .fs = 1, .x = x,
		.o = { .modes_given = 1, .ends = WS_HHT_ENDS_PERIODIC, .freqs.low = 0.01,
		       .freqs.high = 0.03, .freqs.count = 1, .time_bin = 50 } };
	hht_must(&task, &h);
	assert_float_equal(hht_at(&h, WS_HHT_NONSTATIONARITY, 0), 0, 1e-9);
	hht_free(&h);
	for (int i = N / 2; i < N; ++i)
		x[i] = 0;
	hht_must(&task, &h);
	/* Half the time twice the mean, half the time nothing. */
	assert_float_equal(hht_at(&h, WS_HHT_NONSTATIONARITY, 0), 1, 0.02);
	hht_free(&h);
}

/* The index of orthogonality by its definition; noise against its own lines. */
static void
test_figures(void **state)
{
	enum { N = 3000, SIGNALS = 20 };
	static double x[N];
	rng r = { 6 };
	int within = 0, all = 0, found = 0;
	(void)state;
	for (int s = 0; s < SIGNALS; ++s) {
		for (int i = 0; i < N; ++i)
			x[i] = rng_normal(&r) + (s == 0 ? 0.7 * sin(0.05 * i) : 0);
		hht h;
		const hht_job task = { .channels = 1, .samples = N, .fs = 2, .x = x,
			.o = { .significance = WS_HHT_WU_HUANG } };
		hht_must(&task, &h);
		const size_t n = (size_t)hht_at(&h, WS_HHT_MODE_COUNT, 0);
		double pairs = 0, squares = 0;
		for (size_t t = 0; t < N; ++t) {
			squares += x[t] * x[t];
			for (size_t i = 0; i <= n; ++i)
				for (size_t k = 0; k <= n; ++k) {
					const double *m = h.array[WS_HHT_MODES];
					const double *rest = h.array[WS_HHT_RESIDUE];
					const double a = i < n ? m[i * N + t] : rest[t];
					const double b = k < n ? m[k * N + t] : rest[t];
					pairs += i == k ? 0 : a * b;
				}
		}
		assert_float_equal(hht_at(&h, WS_HHT_ORTHOGONALITY, 0), pairs / squares, 1e-12);
		hht_near(hht_at(&h, WS_HHT_NOISE_HIGH, 0) * hht_at(&h, WS_HHT_NOISE_LOW, 0),
		     pow(hht_at(&h, WS_HHT_MODE_ENERGY, 0), 2), 1e-12, "lines of mode 1");
		for (size_t k = 1; k < n; ++k) {
			const double e = hht_at(&h, WS_HHT_MODE_ENERGY, k);
			const bool above = e > hht_at(&h, WS_HHT_NOISE_HIGH, k);
			if (s == 0)
				found += above;
			const bool sharp = s > 0 && hht_at(&h, WS_HHT_MEAN_PERIOD, k) < N / 2 / 8;
			all += sharp;
			within += sharp && !above && e > hht_at(&h, WS_HHT_NOISE_LOW, k);
		}
		hht_free(&h);
	}
	assert_true(found >= 1); /* the tone */
	if (within < all * 85 / 100)
		fail_msg("%d of %d modes of noise lie between the lines", within, all);
}

/* A tone of 40 samples a wave with a pause: whole waves from a rising crossing to the next. */
static void
test_cycles(void **state)
{
	enum { N = 1000 };
	double x[N];
	(void)state;
	for (int i = 0; i < N; ++i)
		x[i] = i >= 400 && i < 600 ? 0 : sin(TAU * (i + 10.5) / 40);
	hht h;
	const hht_job task = { .channels = 1, .samples = N, .fs = 1, .x = x,
		.o = { .modes_given = 1, .parts = WS_HHT_PART_CYCLES,
		       .frequency_method = WS_HHT_QUADRATURE } };
	hht_must(&task, &h);
	size_t lengths[64] = { 0 };
	const int count = (int)hht_at(&h, WS_HHT_CYCLE_COUNT, 0);
	assert_in_range(count, 16, 20);
	for (size_t i = 0; i < N; ++i) {
		const int c = (int)hht_at(&h, WS_HHT_CYCLE, i);
		assert_true(c >= -1 && c < count);
		if (c >= 0)
			lengths[c]++;
		/* Numbers ascend, and begin where the tone rises through zero. */
		const int before = i ? (int)hht_at(&h, WS_HHT_CYCLE, i - 1) : -1;
		if (c > before && before >= 0)
			assert_int_equal(c, before + 1);
		if (c > before)
			assert_true(i == 0 || (x[i] >= 0 && x[i] < 0.16));
	}
	for (int c = 0; c < count; ++c)
		assert_int_equal(lengths[c], 40);
	hht_free(&h);
}

/* n samples of noise: white, AR(1) of 0.9, a random walk. */
static void
make_noise(rng *r, int kind, double *x, int n)
{
	const double lag1 = kind == 0 ? 0 : kind == 1 ? 0.9 : 1;
	double last = 0;
	for (int i = -100; i < n; ++i) {
		last = lag1 * last + rng_normal(r);
		if (i >= 0)
			x[i] = last;
	}
}

/* As seldom as p says, noise has as much energy; a tone in it seldom has so little.  Of 5 % of 120
 * signals, and 1 to 13 of them are within 3 standard deviations (bench/validation/modes.py has
 * 2000).  The signals of a seed are compared with the same noise. */
static void
test_noise_signals(void **state)
{
	enum { N = 160, TOGETHER = 12, SEEDS = 10, KINDS = 3 };
	static double x[TOGETHER * N];
	rng r = { 33 };
	(void)state;
	for (int kind = 0; kind <= KINDS; ++kind) {
		int any = 0, all = 0, single = 0;
		const bool tone = kind == KINDS;
		for (int seed = 1; seed <= SEEDS; ++seed) {
			hht h;
			const hht_job task = { .channels = TOGETHER, .samples = N, .fs = 2, .x = x,
				.o = { .noise_signals = 60, .parts = WS_HHT_PART_MARGINAL,
				       .emd.seed = (uint64_t)seed } };
			for (int i = 0; i < TOGETHER; ++i)
				make_noise(&r, tone ? 1 : kind, x + i * N, N);
			for (int i = 0; tone && i < TOGETHER * N; ++i)
				x[i] += 2 * sin(0.8 * (i % N));
			hht_must(&task, &h);
			for (size_t s = 0; s < TOGETHER; ++s) {
				double least = 1;
				const size_t made = (size_t)hht_at(&h, WS_HHT_MODE_COUNT, s);
				for (size_t k = 0; k < made; ++k) {
					const double p = hht_at(&h, WS_HHT_P, s * h.modes + k);
					const double q = hht_at(&h, WS_HHT_P_ANY, s * h.modes + k);
					all += p <= 1;
					single += p <= 0.05;
					assert_true(!(q < p));
					least = q < least ? q : least;
				}
				any += least <= 0.05;
			}
			hht_free(&h);
		}
		if (!tone && (any < 1 || any > 13 || single < all / 50 || single > all / 10))
			fail_msg("noise %d: %d of %d, %d of %d modes above 95 %% of noise", kind,
			         any, TOGETHER * SEEDS, single, all);
		if (tone && any < TOGETHER * SEEDS * 9 / 10)
			fail_msg("%d of %d tones stand out", any, TOGETHER * SEEDS);
	}
}

/* A channel's significance is the same for any threads, beside other channels, and in a unit of any
 * power of two; of a constant there is none. */
static void
test_noise_alone(void **state)
{
	enum { N = 300 };
	static double x[3 * N];
	rng r = { 4 };
	(void)state;
	for (int c = 0; c < 3; ++c)
		make_noise(&r, c, x + c * N, N);
	for (int i = 0; i < N; ++i)
		x[i] = 7;
	for (ws_hht_significance s = 0; s <= WS_HHT_BEND; ++s) {
		if (s == WS_HHT_WU_HUANG)
			continue;
		hht all, again, one;
		hht_job task = { .channels = 3, .samples = N, .fs = 2, .x = x, .o = {
			.noise_signals = 70, .significance = s } };
		hht_must(&task, &all);
		task.threads = 3;
		hht_must(&task, &again);
		hht_same(&all, &again, "threads");
		for (size_t k = 0; k < (size_t)hht_at(&all, WS_HHT_MODE_COUNT, 0); ++k)
			assert_true(isnan(hht_at(&all, WS_HHT_P, k)));
		assert_int_equal((int)hht_at(&all, WS_HHT_NOISE_MODEL, 0), WS_BACKGROUND_NONE);
		const int model = (int)hht_at(&all, WS_HHT_NOISE_MODEL, 2);
		const int only = s == WS_HHT_BEND ? WS_BACKGROUND_BEND : (int)s - 1;
		assert_true(s > WS_HHT_BACKGROUND ? model == only : model > 0);
		for (int i = 0; i < N; ++i)
			x[2 * N + i] *= 0x1p-300;
		task.x = x + 2 * N;
		task.channels = 1;
		hht_must(&task, &one);
		for (size_t k = 0; k < (size_t)hht_at(&one, WS_HHT_MODE_COUNT, 0); ++k) {
			const double p = hht_at(&one, WS_HHT_P, k);
			/* Of fewer than six periods there is none. */
			assert_int_equal(isnan(p), hht_at(&one, WS_HHT_MEAN_PERIOD, k) > 0.5 * N / 5.5);
			assert_true((isnan(p) || p == hht_at(&all, WS_HHT_P, 2 * all.modes + k)) &&
			            hht_at(&one, WS_HHT_NOISE_HIGH, k) ==
			            hht_at(&all, WS_HHT_NOISE_HIGH, 2 * all.modes + k) * 0x1p-600);
		}
		for (int i = 0; i < N; ++i)
			x[2 * N + i] *= 0x1p300;
		hht_free(&one);
		hht_free(&again);
		hht_free(&all);
	}
}

/* The spectrum that is fitted is that of the noise, a strong line in it or not. */
static void
test_noise_spectrum(void **state)
{
	enum { N = 4096 };
	static double x[2 * N];
	rng r = { 12 };
	(void)state;
	make_noise(&r, 1, x, N);
	for (int i = 0; i < N; ++i)
		x[N + i] = x[i] + 30 * sin(0.5 * i);
	hht h;
	const hht_job task = { .channels = 2, .samples = N, .fs = 50, .x = x, .o = {
		.noise_signals = 50, .parts = WS_HHT_PART_MARGINAL } };
	hht_must(&task, &h);
	for (size_t c = 0; c < 2; ++c) {
		assert_int_equal((int)hht_at(&h, WS_HHT_NOISE_MODEL, c), WS_BACKGROUND_AR1);
		assert_float_equal(hht_at(&h, WS_HHT_NOISE_SLOPE, c), 0.9, 0.03);
		/* At half the rate, or near: 2 / fs / (1 + 0.9)^2. */
		assert_float_equal(hht_at(&h, WS_HHT_NOISE_SPECTRUM, c * h.bins + h.bins - 1),
		                   2 / 50.0 / (1.9 * 1.9), 0.0015);
	}
	hht_free(&h);
}

/* Flat noise that falls above 2.5 Hz, at first with f^-4, then, as samples do, slower, a line at the
 * bend or not: two sections of one pole each.  The bend and the exponent are found, and only the line stands out. */
static void
test_noise_bend(void **state)
{
	enum { N = 4096 };
	static double x[2 * N];
	const double pole = exp(-TAU * 2.5 / 50);
	rng r = { 14 };
	(void)state;
	double once = 0, twice = 0;
	for (int i = -500; i < N; ++i) {
		once = pole * once + rng_normal(&r);
		twice = pole * twice + once;
		if (i >= 0)
			x[i] = twice;
	}
	for (int i = 0; i < N; ++i)
		x[N + i] = x[i] + 8 * sin(TAU * 2.5 / 50 * i);
	hht h;
	const hht_job task = { .channels = 2, .samples = N, .fs = 50, .x = x, .o = {
		.noise_signals = 60, .parts = WS_HHT_PART_MARGINAL } };
	hht_must(&task, &h);
	for (size_t c = 0; c < 2; ++c) {
		assert_int_equal((int)hht_at(&h, WS_HHT_NOISE_MODEL, c), WS_BACKGROUND_BEND);
		const double bend = hht_at(&h, WS_HHT_NOISE_BEND, c);
		const double slope = hht_at(&h, WS_HHT_NOISE_SLOPE, c);
		if (!(bend > 1 && bend < 4 && slope > 2.5 && slope < 5))
			fail_msg("bend %g, slope %g", bend, slope);
		double least = 1;
		for (size_t k = 0; k < (size_t)hht_at(&h, WS_HHT_MODE_COUNT, c); ++k)
			least = fmin(least, hht_at(&h, WS_HHT_P_ANY, c * h.modes + k));
		assert_true(c == 0 ? least > 0.05 : least < 0.05);
	}
	hht_free(&h);
}

/* Limits are the mean and the standard deviation of what each rule gives alone, and leave the rest
 * as it is. */
static void
test_limits(void **state)
{
	enum { FROM = 4, TO = 7, RULES = TO - FROM + 1 };
	static double x[CHANNELS * SAMPLES];
	(void)state;
	hht_noisy(x, CHANNELS * SAMPLES, 21);
	hht with, plain, each[RULES];
	hht_job task = { .channels = CHANNELS, .samples = SAMPLES, .fs = 100, .x = x,
		.threads = 2, .o = { .limits_rule = WS_STOP_FIXED, .limits_from = FROM,
		                     .limits_to = TO } };
	hht_must(&task, &with);
	task.o = (ws_hht_opts){ .size = 0 };
	hht_must(&task, &plain);
	hht_same(&with, &plain, "limits");
	for (int i = 0; i < RULES; ++i) {
		task.o.emd.sifts = FROM + i;
		hht_must(&task, &each[i]);
	}
	double spread = 0;
	for (size_t b = 0; b < CHANNELS * with.bins; ++b) {
		double mean = 0, squares = 0;
		for (int i = 0; i < RULES; ++i)
			mean += hht_at(&each[i], WS_HHT_MARGINAL, b) / RULES;
		for (int i = 0; i < RULES; ++i)
			squares += pow(hht_at(&each[i], WS_HHT_MARGINAL, b) - mean, 2);
		hht_near(hht_at(&with, WS_HHT_LIMITS_MEAN, b), mean, 1e-12, "mean");
		assert_float_equal(hht_at(&with, WS_HHT_LIMITS_DEVIATION, b),
		                   sqrt(squares / (RULES - 1)), 1e-9 * mean);
		spread += squares;
	}
	assert_true(spread > 0);
	for (int i = 0; i < RULES; ++i)
		hht_free(&each[i]);
	hht_free(&plain);
	hht_free(&with);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nonstationarity), cmocka_unit_test(test_figures),
		cmocka_unit_test(test_cycles), cmocka_unit_test(test_noise_signals),
		cmocka_unit_test(test_noise_alone), cmocka_unit_test(test_noise_spectrum),
		cmocka_unit_test(test_noise_bend),
		cmocka_unit_test(test_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
