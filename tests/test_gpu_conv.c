/*
 * test_gpu_conv.c - convolution on a GPU: direct sums have the CPU's bits, for any masks, made
 * there or here, options, cut and memory; transforms are as near as their rounding.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu_conv.h"

/* ---- Bits --------------------------------------------------------------------------------- */

/* Work of a set, so that the CPU does it soon. */
static bool
is_heavy(const conv_set *s, const ws_conv_opts *o)
{
	double taps = 0;
	for (size_t i = 0; i < s->masks.count; ++i)
		taps += (double)s->lengths[i];
	const double sums = o->sums == WS_SUMS_COMPENSATED ? 8
	                    : o->accumulators > 1 ? 3 * o->accumulators : 1;
	return taps * (double)(s->shape.samples * s->shape.channels) * sums > 2e9;
}

static void
test_random_sets(void **state)
{
	rng r = { 77 };
	(void)state;
	ws_ctx *cpu = gpu_conv_context("cpu", 0), *gpu = gpu_conv_context("cuda", 0);
	ws_ctx *small = gpu_conv_context("cuda", (size_t)40 << 20);
	const int trials = slow_tier() ? 1000 : few(200);
	int compared = 0, differ = 0;
	for (int trial = 0; trial < trials && differ < 5; ++trial) {
		const bool complex = trial % 4 == 3;
		const size_t masks = trial % 40 == 9 ? 5000 : (size_t)rng_int(&r, 1, 40);
		const size_t n = (size_t)pow(10.0, 1 + 3.5 * rng_uniform(&r));
		const lengths kind = masks > 40 ? SHORT : (lengths)(trial % LENGTH_KINDS);
		conv_set s = conv_set_draw(&r, (size_t)rng_int(&r, 1, 3), n, masks, kind,
		                              1 + (size_t)(1.5 * (double)n),
		                              trial % 2 ? WS_F32 : WS_F64, complex);
		ws_conv_opts o = { .method = WS_CONV_DIRECT, .flip = rng_int(&r, 0, 1),
			.sums = (ws_sums)rng_int(&r, 1, 3),
			.extent = rng_int(&r, 0, 3) ? WS_EXTENT_SAME : WS_EXTENT_FULL,
			.decimate = rng_int(&r, 0, 2) ? 1 : rng_int(&r, 2, rng_int(&r, 2, 700)) };
		size_t longest = 0;
		for (size_t i = 0; i < masks; ++i)
			longest = s.lengths[i] > longest ? s.lengths[i] : longest;
		if (longest <= n && rng_int(&r, 0, 4) == 0)
			o.extent = WS_EXTENT_VALID;
		if (!is_heavy(&s, &o)) {
			const size_t gap = trial % 3 ? 0 : 24;
			responses want = gpu_convolve(&s, cpu, &o, 0);
			responses got = gpu_convolve(&s, trial % 5 ? gpu : small, &o, gap);
			++compared;
			if (!same_responses(&s, &want, &got)) {
				describe_convolution(&s, &o, trial);
				++differ;
			}
			for (size_t i = 0; i < masks; ++i)
				assert_int_equal(got.method[i], WS_CONV_DIRECT);
			responses_free(&want);
			responses_free(&got);
		}
		conv_set_free(&s);
	}
	printf("%d of %d random sets compared, %d differ\n", compared, trials, differ);
	assert_true(compared > trials / 2);
	assert_int_equal(differ, 0);
	ws_ctx_destroy(cpu);
	ws_ctx_destroy(gpu);
	ws_ctx_destroy(small);
}

/* Accumulators by magnitude, 16-bit numbers, signals that are oversampled. */
static void
test_parted_and_narrow(void **state)
{
	rng r = { 83 };
	(void)state;
	ws_ctx *cpu = gpu_conv_context("cpu", 0), *gpu = gpu_conv_context("cuda", 0);
	ws_ctx *small = gpu_conv_context("cuda", (size_t)40 << 20);
	const int trials = slow_tier() ? 400 : few(120);
	int compared = 0, differ = 0;
	for (int trial = 0; trial < trials && differ < 5; ++trial) {
		const ws_type type = trial % 3 ? WS_F32 : WS_F64;
		const size_t n = (size_t)pow(10.0, 1 + 3.2 * rng_uniform(&r));
		conv_set s = conv_set_draw(&r, (size_t)rng_int(&r, 1, 3), n,
		                              (size_t)rng_int(&r, 1, 20),
		                              (lengths)(trial % LENGTH_KINDS), 1 + n, type,
		                              trial % 4 == 3);
		/* Each channel has a scale of its own. */
		for (size_t c = 0; c < s.shape.channels; ++c)
			for (size_t i = c * n; i < (c + 1) * n; ++i)
				if (type == WS_F32)
					((float *)s.x)[i] *= ldexpf(1.0f, 9 * (int)c - 20);
				else
					((double *)s.x)[i] *= ldexp(1.0, 90 * (int)c - 200);
		ws_conv_opts o = { .method = WS_CONV_DIRECT,
			.accumulators = trial % 5 ? 1 + trial % 8 : 1,
			.narrow = type == WS_F32 ? (ws_narrow)rng_int(&r, 0, 2) : (ws_narrow)0,
			.mask_rounding = (ws_mask_rounding)rng_int(&r, 1, 5),
			.extent = rng_int(&r, 0, 3) ? WS_EXTENT_SAME : WS_EXTENT_FULL,
			.decimate = rng_int(&r, 0, 2) ? 1 : rng_int(&r, 2, 50) };
		if (o.accumulators == 1)
			o.sums = (ws_sums)rng_int(&r, 1, 3);
		if (trial % 3 == 1) {
			o.oversample = 2 << rng_int(&r, 0, 1);
			o.interpolation = (ws_interpolation)rng_int(&r, 1, 4);
		}
		if (!is_heavy(&s, &o)) {
			responses want = gpu_convolve(&s, cpu, &o, 0);
			responses got = gpu_convolve(&s, trial % 5 ? gpu : small, &o, 0);
			++compared;
			if (!same_responses(&s, &want, &got)) {
				describe_convolution(&s, &o, trial);
				++differ;
			}
			responses_free(&want);
			responses_free(&got);
		}
		conv_set_free(&s);
	}
	printf("%d of %d sets of accumulators, 16-bit numbers and oversampled signals compared, %d "
	       "differ\n", compared, trials, differ);
	assert_true(compared > trials / 2);
	assert_int_equal(differ, 0);
	ws_ctx_destroy(cpu);
	ws_ctx_destroy(gpu);
	ws_ctx_destroy(small);
}

/* ---- Masks that the GPU makes -------------------------------------------------------------- */

/* All responses of a formula's masks; *made: the plan leaves the masks to the GPU. */
static void *
respond(ws_ctx *ctx, const conv_set *s, const ws_conv_opts *o, size_t *bytes, bool *made)
{
	ws_plan *plan;
	if (ws_plan_create(&plan, ctx, "conv", &s->shape, o) != WS_OK)
		fail_msg("%s", ws_error_detail());
	*made = strstr(ws_plan_describe(plan), "made by the GPU") != NULL;
	const int array = WS_CONV_RESPONSES;
	ws_array a = { .size = sizeof a };
	assert_int_equal(ws_plan_array(plan, array, &a), WS_OK);
	*bytes = a.extent[0] * a.extent[1] * a.extent[2] * type_size(s->shape.type) *
	         (o->mask_formula == WS_MASK_GABOR ? 2 : 1);
	void *y = need(*bytes);
	ws_buffer buffers[WS_CONV_ARRAYS] = { [0] = { 0 } };
	buffers[array].data = y;
	const ws_io io = { .size = sizeof io, .x = s->x, .arrays = buffers,
		.n_arrays = WS_CONV_ARRAYS };
	/* The second finds the masks there. */
	for (int i = 0; i < 2; ++i)
		if (gpu_conv_execute(plan, &io) != WS_OK)
			fail_msg("%s", ws_error_detail());
	ws_plan_destroy(plan);
	return y;
}

static void
test_formulae(void **state)
{
	rng r = { 84 };
	(void)state;
	ws_ctx *cpu = gpu_conv_context("cpu", 0), *gpu = gpu_conv_context("cuda", 0);
	ws_ctx *small = gpu_conv_context("cuda", (size_t)24 << 20);
	const int trials = slow_tier() ? 400 : few(120);
	int made_there = 0;
	for (int trial = 0; trial < trials; ++trial) {
		const ws_type type = trial % 2 ? WS_F32 : WS_F64;
		conv_set s = conv_set_draw(&r, 1, (size_t)rng_int(&r, 200, 4000), 1, SHORT,
		                              40, type, false);
		ws_conv_opts o = { .size = sizeof o, .tag = WS_TAG_CONV, .method = WS_CONV_DIRECT,
			.mask_formula = (ws_mask_formula)(1 + trial % 4),
			.mask_rounding = (ws_mask_rounding)rng_int(&r, 1, 5), .seed = 9,
			.flip = rng_int(&r, 0, 1), .sums = (ws_sums)rng_int(&r, 1, 3),
			.extent = rng_int(&r, 0, 1) ? WS_EXTENT_SAME : WS_EXTENT_FULL,
			.scale_low = { rng_int(&r, 1, 40), rng_int(&r, 1, 8) },
			.scale_high = { rng_int(&r, 1, 200), rng_int(&r, 1, 8) },
			.scale_count = (size_t)rng_int(&r, 1, trial % 10 ? 30 : 400),
			.scale_spacing = (ws_spacing)rng_int(&r, 1, 2) };
		if (trial % 3 == 0) {
			strcpy(o.amplitude_error, "0.37");
			strcpy(o.timing_error, "scale^0.5:0.01");
		}
		gpu_conv_mend(&o, type);
		/* Masks that not all are there at once. */
		if (trial % 10 == 0) {
			o.scale_low = (ws_ratio){ 1, 1 };
			o.scale_high = (ws_ratio){ 400, 1 };
			o.scale_count = 400;
		}
		size_t bytes, others;
		bool here, there;
		void *want = respond(cpu, &s, &o, &bytes, &here);
		void *got = respond(trial % 5 ? gpu : small, &s, &o, &others, &there);
		assert_false(here);
		made_there += there;
		assert_int_equal(bytes, others);
		if (memcmp(want, got, bytes) != 0) {
			describe_convolution(&s, &o, trial);
			fail_msg("masks of formula %d differ", (int)o.mask_formula);
		}
		free(want);
		free(got);
		conv_set_free(&s);
	}
	printf("%d of %d made by the GPU\n", made_there, trials);
	assert_int_equal(made_there, trials);
	ws_ctx_destroy(cpu);
	ws_ctx_destroy(gpu);
	ws_ctx_destroy(small);
}

/* A million masks, of a tap each. */
static void
test_million(void **state)
{
	double x[3] = { 1.5, -2.25, 1e-3 };
	const conv_set s = { .shape = { .size = sizeof s.shape, .channels = 1, .samples = 3,
	                           .type = WS_F64 }, .x = x };
	const ws_conv_opts o = { .size = sizeof o, .tag = WS_TAG_CONV, .method = WS_CONV_DIRECT,
		.mask_formula = WS_MASK_MORLET, .scale_low = { 1, 100 }, .scale_high = { 1, 50 },
		.scale_count = fast_tier() ? 50000 : 1000000 };
	(void)state;
	ws_ctx *cpu = gpu_conv_context("cpu", 0), *gpu = gpu_conv_context("cuda", 0);
	size_t bytes, others;
	bool made;
	void *want = respond(cpu, &s, &o, &bytes, &made);
	void *got = respond(gpu, &s, &o, &others, &made);
	assert_true(made);
	assert_int_equal(bytes, 3 * o.scale_count * sizeof(double));
	assert_int_equal(bytes, others);
	assert_memory_equal(want, got, bytes);
	free(got);
	/* Their tables alone are more than this. */
	ws_ctx *small = gpu_conv_context("cuda", (size_t)4 << 20);
	ws_plan *plan;
	assert_int_equal(ws_plan_create(&plan, small, "conv", &s.shape, &o), WS_E_NOMEM);
	assert_null(strchr(ws_error_detail(), '\n'));
	assert_non_null(strstr(ws_error_detail(), "`device_memory`"));
	free(want);
	ws_ctx_destroy(cpu);
	ws_ctx_destroy(gpu);
	ws_ctx_destroy(small);
}

/* One long mask: its tree is shared between blocks of threads. */
static void
test_long_masks(void **state)
{
	static const size_t lengths_of[] = { 511, 512, 513, 1025, 30001, 200001 };
	rng r = { 78 };
	(void)state;
	ws_ctx *cpu = gpu_conv_context("cpu", 0), *gpu = gpu_conv_context("cuda", 0);
	/* Sanitizers take their time. */
	const size_t n = fast_tier() ? 3001 : 20011, kinds = fast_tier() ? 4 : 6;
	for (size_t i = 0; i < kinds; ++i)
		for (int sums = WS_SUMS_PLAIN; sums <= WS_SUMS_COMPENSATED; sums += 2)
			for (int type = WS_F64; type <= WS_F32; ++type) {
				conv_set s = conv_set_draw(&r, 1, n, 1 + i % 3, ALIKE,
				                              lengths_of[i], (ws_type)type,
				                              i == 4);
				for (size_t m = 0; m < s.masks.count; ++m)
					s.lengths[m] = lengths_of[i];
				s.masks.offsets = NULL;
				free(s.values);
				const size_t taps = s.masks.count * lengths_of[i] * 2;
				s.masks.values = s.values = need(taps * sizeof *s.values);
				for (size_t k = 0; k < taps; ++k)
					s.values[k] = rng_normal(&r);
				for (int every = 1; every < 20; every += 16) {
					const ws_conv_opts o = { .method = WS_CONV_DIRECT,
						.sums = (ws_sums)sums, .decimate = every,
						.extent = i % 2 ? WS_EXTENT_FULL : WS_EXTENT_SAME };
					responses want = gpu_convolve(&s, cpu, &o, 0);
					responses got = gpu_convolve(&s, gpu, &o, 0);
					assert_true(same_responses(&s, &want, &got));
					responses_free(&want);
					responses_free(&got);
				}
				conv_set_free(&s);
			}
	ws_ctx_destroy(cpu);
	ws_ctx_destroy(gpu);
}

/* ---- Transforms --------------------------------------------------------------------------- */

/* The largest difference of a row from the direct one over the largest value of that. */
static double
row_error(const conv_set *s, const responses *a, const responses *b, size_t row)
{
	const size_t n = a->bytes / type_size(s->shape.type);
	double most = 0, largest = 0;
	for (size_t i = 0; i < n; ++i) {
		const double p = get(s->shape.type, a->y + row * a->bytes, i);
		const double q = get(s->shape.type, b->y + row * b->bytes, i);
		/* What is not a number counts. */
		most = !(fabs(p - q) <= most) ? fabs(p - q) : most;
		largest = fabs(p) > largest ? fabs(p) : largest;
	}
	return largest > 0 ? most / largest : most;
}

/* The method of all masks is recorded; where `method` is 0, of each. */
static void
test_transforms(void **state)
{
	rng r = { 82 };
	double worst[2] = { 0, 0 };
	int used[4] = { 0 }, trials = slow_tier() ? 200 : few(64);
	(void)state;
	ws_ctx *cpu = gpu_conv_context("cpu", 0), *gpu = gpu_conv_context("cuda", 0);
	ws_ctx *small = gpu_conv_context("cuda", (size_t)64 << 20);
	for (int trial = 0; trial < trials; ++trial) {
		const bool complex = trial % 5 == 3;
		const size_t n = (size_t)pow(10.0, 1 + 4 * rng_uniform(&r));
		const ws_type type = trial % 2 ? WS_F32 : WS_F64;
		conv_set s = conv_set_draw(&r, (size_t)rng_int(&r, 1, 3), n,
		                              (size_t)rng_int(&r, 1, 40),
		                              (lengths)(trial % LENGTH_KINDS), 1 + n / 2, type,
		                              complex);
		ws_conv_opts o = { .method = WS_CONV_DIRECT, .flip = rng_int(&r, 0, 1),
			.sums = (ws_sums)rng_int(&r, 1, 2),
			.extent = rng_int(&r, 0, 3) ? WS_EXTENT_SAME : WS_EXTENT_FULL,
			.decimate = rng_int(&r, 0, 2) ? 1 : rng_int(&r, 2, 70) };
		if (!is_heavy(&s, &o)) {
			responses want = gpu_convolve(&s, cpu, &o, 0);
			o.method = trial % 3 == 2 ? (ws_conv_method)0
			           : trial % 3 ? WS_CONV_OVERLAP_SAVE : WS_CONV_FFT;
			responses got = gpu_convolve(&s, trial % 7 ? gpu : small, &o, 0);
			const bool wide = type == WS_F64;
			for (size_t i = 0; i < s.shape.channels * s.masks.count; ++i) {
				const double e = row_error(&s, &want, &got, i);
				if (!(e <= (wide ? 1e-13 : 3e-6))) {
					describe_convolution(&s, &o, trial);
					fail_msg("row %zu: error %g of the largest value", i, e);
				}
				worst[!wide] = e > worst[!wide] ? e : worst[!wide];
			}
			for (size_t i = 0; i < s.masks.count; ++i) {
				assert_true(got.method[i] >= 1 && got.method[i] <= 3);
				++used[got.method[i]];
				if (o.method)
					assert_int_equal(got.method[i], o.method);
			}
			responses_free(&want);
			responses_free(&got);
		}
		conv_set_free(&s);
	}
	printf("%d masks direct, %d by FFT, %d by overlap-save; worst error over the largest value "
	       "%.2g (f64), %.2g (f32)\n", used[1], used[2], used[3], worst[0], worst[1]);
	assert_true(used[1] && used[2] && used[3]);
	ws_ctx_destroy(cpu);
	ws_ctx_destroy(gpu);
	ws_ctx_destroy(small);
}

int
main(void)
{
	const int skipped = gpu_or_skip();
	if (skipped)
		return skipped;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_sets),
		cmocka_unit_test(test_parted_and_narrow),
		cmocka_unit_test(test_formulae),
		cmocka_unit_test(test_million),
		cmocka_unit_test(test_long_masks),
		cmocka_unit_test(test_transforms),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
