/*
 * test_gpu_joint.c - multivariate EMD: a GPU gives the CPU's bits, for every
 * number of channels and directions, boundary, spline, stop rule and reference.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_job.h"

static int differ, compared;

static void
compare(job *j, signal_kind kind)
{
	compare_with_gpu(j, kind, &compared, &differ);
}

static const ws_stop rules[] = { WS_STOP_FIXED, WS_STOP_RILLING, WS_STOP_CAUCHY,
	                         WS_STOP_TOLERANCE, WS_STOP_ENERGY, WS_STOP_FIX_H };
enum { RULES = sizeof rules / sizeof *rules };

static job
random_joint(rng *r, int i, size_t most_samples, signal_kind *kind)
{
	static const size_t channels[] = { 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33, 40, 65 };
	*kind = (signal_kind)(i % SIGNAL_KINDS);
	job j = {
		.shape = { .channels = channels[rng_int(r, 0, 13)],
		           .samples = (size_t)rng_int(r, 1, (int)most_samples),
		           .type = (ws_type)(i & 1) },
		.o = { .method = WS_METHOD_MEMD,
		       .boundary = (ws_boundary)rng_int(r, 0, 4),
		       .spline = (ws_spline)rng_int(r, 0, 2),
		       .stop_rule = rules[i % RULES],
		       .max_sifts = rng_int(r, 1, 12),
		       .check_every = rng_int(r, 1, 3),
		       .modes = rng_int(r, 0, 4),
		       .directions = rng_int(r, 1, 70),
		       .direction_set = (ws_direction_set)rng_int(r, 0, 3),
		       .noise_channels = rng_int(r, 0, 3) ? 0 : rng_int(r, 1, 3),
		       .seed = rng_next(r) },
	};
	if (rng_int(r, 0, 3) == 0)
		j.o.reference = (ws_reference)rng_int(r, WS_REF_MEMD, WS_REF_MEMD_GPU);
	if (j.o.stop_rule == WS_STOP_FIXED) {
		j.o.max_sifts = j.o.check_every = 0;
		j.o.sifts = rng_int(r, 1, 10);
	}
	j.x = random_signals(r, &j.shape, *kind);
	return j;
}

static void
random_cases(uint64_t seed, int cases, size_t most_samples)
{
	rng r = { seed };
	differ = compared = 0;
	for (int i = 0; i < cases && differ < 10; ++i) {
		signal_kind kind;
		job j = random_joint(&r, i, most_samples, &kind);
		compare(&j, kind);
		random_job_free(&j);
	}
	printf("%d random configurations compared, %d differ\n", compared, differ);
	assert_true(compared > cases / 2);
	assert_int_equal(differ, 0);
}

static void
test_short(void **state)
{
	(void)state;
	random_cases(700, slow_tier() ? 1000 : few(150), 600);
}

static void
test_long(void **state)
{
	(void)state;
	random_cases(701, slow_tier() ? 120 : few(30), 9000);
}

/* Every boundary x spline x stop rule, in both types. */
static void
test_all_combinations(void **state)
{
	(void)state;
	rng r = { 702 };
	int n = 0;
	differ = compared = 0;
	for (int boundary = 1; boundary <= 4; ++boundary)
		for (int spline = 1; spline <= 2; ++spline)
			for (int rule = 0; rule < RULES; ++rule)
				for (int type = 0; type < 2; ++type, ++n) {
					if (thinned_out(n))
						continue;
					job j = {
						.shape = { .channels = 1 + (size_t)n % 6,
						           .samples = 900 + (size_t)(n * 37) % 2000,
						           .type = (ws_type)type },
						.o = { .method = WS_METHOD_MEMD,
						       .boundary = (ws_boundary)boundary,
						       .spline = (ws_spline)spline,
						       .stop_rule = rules[rule],
						       .max_sifts = rules[rule] == WS_STOP_FIXED
						                            ? 0
						                            : 15,
						       .directions = 5 + n % 20 },
					};
					const signal_kind kind = (signal_kind)(n % SIGNAL_KINDS);
					j.x = random_signals(&r, &j.shape, kind);
					compare(&j, kind);
					random_job_free(&j);
				}
	printf("%d combinations of boundary, spline, stop rule and type, %d differ\n", compared,
	       differ);
	assert_true(compared == n || fast_tier());
	assert_int_equal(differ, 0);
}

/* Each sample stays for 1 to `most`, now and then for more than a tile, in all channels, so that
 * every projection has plateaus of any length there. */
static void
hold(rng *r, job *j, int most)
{
	const size_t n = j->shape.samples, element = type_size(j->shape.type);
	char *x = (char *)(uintptr_t)j->x;
	for (size_t i = 0, to; i < n; i = to) {
		to = i + (size_t)rng_int(r, 1, most);
		if (rng_int(r, 0, 99) == 0)
			to += (size_t)rng_int(r, 0, 400);
		for (size_t k = i + 1; k < to && k < n; ++k)
			for (size_t c = 0; c < j->shape.channels; ++c)
				memcpy(x + (c * n + k) * element, x + (c * n + i) * element,
				       element);
	}
}

/* Knots between two samples, few or many, in every part of a block, also across tiles. */
static void
test_plateaus(void **state)
{
	(void)state;
	static const size_t channels[] = { 1, 2, 3, 8, 33 };
	rng r = { 703 };
	differ = compared = 0;
	for (int i = 0, n = slow_tier() ? 960 : few(96); i < n; ++i) {
		const ws_stop rule = rules[i / 8 % RULES];
		job j = {
			.shape = { .channels = channels[i % 5],
			           .samples = (size_t)rng_int(&r, 20, 2500),
			           .type = (ws_type)(i / 48 & 1) },
			.o = { .method = WS_METHOD_MEMD,
			       .boundary = (ws_boundary)(1 + i % 4),
			       .spline = (ws_spline)(1 + i / 4 % 2),
			       .stop_rule = rule,
			       .max_sifts = rule == WS_STOP_FIXED ? 0 : 8,
			       .modes = 4,
			       .directions = 3 + i % 20 },
		};
		j.x = random_signals(&r, &j.shape, SIGNAL_WHITE);
		hold(&r, &j, 2 + i % 5);
		compare(&j, SIGNAL_WHITE);
		random_job_free(&j);
	}
	printf("%d held signals compared, %d differ\n", compared, differ);
	assert_true(compared >= few(90));
	assert_int_equal(differ, 0);
}

int
main(void)
{
	const int skipped = gpu_or_skip();
	if (skipped)
		return skipped;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_all_combinations),
		cmocka_unit_test(test_plateaus),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
