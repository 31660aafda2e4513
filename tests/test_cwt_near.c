/*
 * test_cwt_near.c - plans of two parts: frequencies whose wavelets reach little have spectra of a
 * shorter padded signal, and the coefficients that they would have by themselves.
 */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cwt_test.h"

enum { MOST = 64 };

/* Default frequencies are in two parts, whatever the wavelet. */
static const ws_cwt_opts cases[] = {
	{ .padding = WS_PADDING_REFLECT },
	{ .padding = WS_PADDING_ZERO },
	{ .wavelet = WS_WAVELET_MORLET, .param = { 6.0 }, .norm = WS_NORM_L2 },
	{ .wavelet = WS_WAVELET_MORLET_ZERO_MEAN, .param = { 3.0 }, .norm = WS_NORM_TC },
	{ .wavelet = WS_WAVELET_MORSE, .param = { 3.0, 3.0 }, .padding = WS_PADDING_ZERO },
	{ .wavelet = WS_WAVELET_DOG, .param = { 2.0 } },
	{ .wavelet = WS_WAVELET_BUMP },
	{ .quantity = WS_QUANTITY_POWER, .decimate = 3 },
};
enum { CASES = sizeof cases / sizeof *cases };

static size_t
near_count(const wsi_cwt *cwt)
{
	size_t count = 0;
	for (size_t i = 0; i < cwt->count; ++i)
		count += cwt->near && cwt->scale[i].of == cwt->near;
	return count;
}

/* ---- The numbers ---------------------------------------------------------------------------- */

static void
rows_agree(const transform *a, const transform *b, size_t of_a, size_t of_b, double error)
{
	const size_t n = a->cwt->outputs * a->numbers;
	double most = 0.0, worst = 0.0;
	for (size_t i = 0; i < n; ++i) {
		const double v = get(a->cwt->type, a->out, of_a * n + i);
		most = fmax(most, fabs(v));
		worst = fmax(worst, fabs(v - get(b->cwt->type, b->out, of_b * n + i)));
	}
	if (!(worst <= error * most))
		fail_msg("%s, %zu samples, %g Hz, padded to %zu: %g of the row's largest",
		         a->cwt->type == WS_F64 ? "f64" : "f32", a->cwt->samples,
		         a->cwt->scale[of_a].frequency, a->cwt->scale[of_a].of->length,
		         worst / most);
}

/* Two parts of the default frequencies give what one part gives, of signals that are hard on the
 * ends of wavelets too. */
static void
test_one_part(void **state)
{
	static const size_t lengths[] = { 600, 5000, 20011 };
	(void)state;
	size_t in_two = 0;
	const size_t plans = CASES * 2 * (SANITIZED ? 2 : 3);
	for (size_t k = 0; k < plans; ++k) {
		const ws_cwt_opts *o = &cases[k % CASES];
		const ws_type type = k / CASES % 2 ? WS_F64 : WS_F32;
		const size_t n = lengths[k / CASES / 2];
		double *x = need(n * sizeof *x);
		nasty_signal((nasty)(k % NASTY), x, n);
		transform two = transform_of(x, n, 100.0, type, o);
		transform one = transform_whole(x, n, 100.0, type, o);
		assert_null(one.cwt->near);
		assert_int_equal(one.cwt->count, two.cwt->count);
		in_two += two.cwt->near != NULL;
		for (size_t f = 0; f < one.cwt->count; ++f)
			rows_agree(&two, &one, f, f, type == WS_F64 ? 5e-13 : 1e-6);
		transform_free(&one);
		transform_free(&two);
		free(x);
	}
	if (2 * in_two < plans)
		fail_msg("only %zu of %zu plans have two parts", in_two, plans);
}

/* Of rows, which may stand in any order, those of the near part have the bits that a plan of these
 * frequencies alone gives. */
static void
test_alone(void **state)
{
	(void)state;
	for (int k = 0; k < 2; ++k) {
		const ws_type type = k ? WS_F64 : WS_F32;
		const size_t n = 9000;
		double x[9000], frequency[MOST], cycles[MOST], near[MOST], near_cycles[MOST];
		size_t at[MOST], count = 0;
		nasty_signal(PINK, x, n);
		for (size_t i = 0; i < MOST; ++i) {
			const size_t turned = i * 27 % MOST;
			frequency[i] = 0.03 * pow(1.1, (double)turned);
			cycles[i] = 3.0 + (double)(i % 3);
		}
		ws_cwt_opts o = { .frequencies = frequency, .frequency_count = MOST,
			.cycles = cycles, .cycle_count = MOST };
		transform all = transform_of(x, n, 50.0, type, &o);
		for (size_t i = 0; i < MOST; ++i)
			if (all.cwt->scale[i].of == all.cwt->near) {
				near[count] = frequency[i];
				near_cycles[count] = cycles[i];
				at[count++] = i;
			}
		assert_in_range(count, MOST / 4, MOST - 4);
		o.frequencies = near;
		o.cycles = near_cycles;
		o.frequency_count = o.cycle_count = count;
		transform alone = transform_whole(x, n, 50.0, type, &o);
		assert_int_equal(alone.cwt->length, all.cwt->near->length);
		for (size_t i = 0; i < count; ++i)
			rows_agree(&all, &alone, at[i], i, 0.0);
		transform_free(&alone);
		transform_free(&all);
	}
}

/* ---- The same bits --------------------------------------------------------------------------- */

/* By instruction set, threads, and blocks of frequencies that have some of either part. */
static void
test_bits(void **state)
{
	const size_t n = 4000, channels = 3;
	double x[3 * 4000];
	(void)state;
	for (size_t c = 0; c < channels; ++c)
		nasty_signal((nasty)c, x + c * n, n);
	for (int type = 0; type < 2; ++type) {
		const ws_type t = type ? WS_F64 : WS_F32;
		transform want = transform_in_blocks(x, channels, n, 10.0, t, NULL, "plain", 1, 0,
		                                     0);
		const size_t bytes = channels * want.cwt->count * n * 2 * want.cwt->ops->element;
		assert_non_null(want.cwt->near);
		for (int k = 0; isa_to_test(k); ++k) {
			if (strcmp(isa_to_test(k), "ref") == 0)
				continue;
			transform got = transform_in_blocks(x, channels, n, 10.0, t, NULL,
			                                    isa_to_test(k), 1 + k % 3, 7, 1500);
			if (memcmp(got.out, want.out, bytes) != 0)
				fail_msg("%s differs", isa_to_test(k));
			transform_free(&got);
		}
		transform_free(&want);
	}
}

/* ---- What there is of each ------------------------------------------------------------------- */

/* Few frequencies, and signals whose padding is short anyway, stay in one part. */
static void
test_choice(void **state)
{
	const ws_cwt_opts fast = { .freqs = { .low = 10.0, .high = 40.0, .count = 20 } };
	const ws_cwt_opts two = { .freqs = { .low = 0.02, .high = 40.0, .count = 2 } };
	const ws_cwt_opts periodic = { .padding = WS_PADDING_PERIODIC };
	const ws_cwt_opts octaves = { .quantity = WS_QUANTITY_POWER, .octave_arrays = 1 };
	const ws_cwt_opts reference = { .reference = WS_CWT_REF_TC };
	const struct { const ws_cwt_opts *o; size_t n; bool in_two; } plans[] = {
		{ NULL, 30000, true }, { &fast, 30000, false }, { &periodic, 30000, false },
		{ &octaves, 30000, false }, { &reference, 30000, false }, { NULL, 1, false },
		{ NULL, 30, false }, { &two, 1000, false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof plans / sizeof *plans; ++i) {
		wsi_cwt *cwt = plan_of(plans[i].n, 100.0, WS_F32, plans[i].o, NULL);
		if ((cwt->near != NULL) != plans[i].in_two)
			fail_msg("plan %zu: %zu of %zu frequencies in a near part", i,
			         near_count(cwt), cwt->count);
		if (cwt->near)
			assert_true(2 * cwt->near->length < cwt->length);
		wsi_cwt_destroy(cwt);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_part), cmocka_unit_test(test_alone),
		cmocka_unit_test(test_bits), cmocka_unit_test(test_choice),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
