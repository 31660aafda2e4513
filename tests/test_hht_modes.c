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
			.o = { .confidence = 0.99 } };
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
		const int c = (int)hht_at(&h, WS_HHT_CYCLES, i);
		assert_true(c >= -1 && c < count);
		if (c >= 0)
			lengths[c]++;
		/* Numbers ascend, and begin where the tone rises through zero. */
		const int before = i ? (int)hht_at(&h, WS_HHT_CYCLES, i - 1) : -1;
		if (c > before && before >= 0)
			assert_int_equal(c, before + 1);
		if (c > before)
			assert_true(i == 0 || (x[i] >= 0 && x[i] < 0.16));
	}
	for (int c = 0; c < count; ++c)
		assert_int_equal(lengths[c], 40);
	hht_free(&h);
}

/* Of other white noise as much lies between lines by Monte Carlo as is asked for; a tone does
 * not. */
static void
test_noise_signals(void **state)
{
	enum { N = 1000, SIGNALS = 40 };
	static double x[SIGNALS * N];
	rng r = { 33 };
	(void)state;
	for (int i = 0; i < SIGNALS * N; ++i)
		x[i] = rng_normal(&r) + (i < N ? 0.7 * sin(0.05 * i) : 0);
	hht h, again;
	hht_job task = { .channels = SIGNALS, .samples = N, .fs = 2, .x = x,
		.o = { .confidence = 0.9, .noise_signals = 300, .parts = WS_HHT_PART_MARGINAL } };
	hht_must(&task, &h);
	int all = 0, within = 0, found = 0;
	for (size_t s = 0; s < SIGNALS; ++s)
		for (size_t k = 1; k < (size_t)hht_at(&h, WS_HHT_MODE_COUNT, s); ++k) {
			const size_t at = s * h.modes + k;
			const double e = hht_at(&h, WS_HHT_MODE_ENERGY, at);
			const bool above = e > hht_at(&h, WS_HHT_NOISE_HIGH, at);
			const bool sharp = s > 0 && hht_at(&h, WS_HHT_MEAN_PERIOD, at) < N / 2 / 8;
			found += s == 0 && above;
			all += sharp;
			within += sharp && !above && e >= hht_at(&h, WS_HHT_NOISE_LOW, at);
		}
	assert_true(found >= 1);
	if (within < all * 82 / 100 || within > all * 96 / 100)
		fail_msg("%d of %d modes of noise lie between lines of 90 %%", within, all);
	task.threads = 4;
	hht_must(&task, &again);
	hht_same(&h, &again, "threads");
	hht_free(&again);
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
		cmocka_unit_test(test_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
