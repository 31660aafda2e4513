/*
 * test_gpu_cwt_edges.c - wavelets that are cut at 0 or at half the sampling rate, and those longer
 * than the signal, on a GPU against the CPU: strong slow waves and random walks, both paddings,
 * lengths with and without a transform of our own, channels in groups, octaves' sampling.
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

#include "cuda_driver.h"
#include "gpu_cwt.h"

/* Rows near half the rate of 250 Hz, and below; then one that is longer than the signal. */
static void
take_rows(cwt_asked *a, bool longer)
{
	static const double rows[] = { 124.0, 118.0, 101.0, 77.0, 50.0, 20.0, 9.0 };
	const size_t count = sizeof rows / sizeof *rows;
	memcpy(a->frequencies, rows, sizeof rows);
	a->frequencies[count] = 0.5 * 250.0 / (double)a->shape.samples;
	a->o.frequencies = a->frequencies;
	a->o.frequency_count = count + longer;
}

static void *
walks(rng *r, const ws_shape *shape)
{
	const size_t n = shape->samples;
	double *d = need(shape->channels * n * sizeof *d);
	for (size_t c = 0; c < shape->channels; ++c)
		signal_make(c % 2 ? SIGNAL_WHITE : SIGNAL_WALK, r, n, d + c * n);
	void *x = need(shape->channels * n * type_size(shape->type));
	to_type(shape->type, d, shape->channels * n, x);
	free(d);
	return x;
}

/* Cut at half the rate; with an omega0 of 4 at 0, too, in either type; two-sided; slow tails. */
static const ws_cwt_opts kinds[] = {
	{ .quantity = WS_QUANTITY_COMPLEX },
	{ .param = { 4.0 }, .quantity = WS_QUANTITY_COMPLEX },
	{ .param = { 4.0 }, .padding = WS_PADDING_ZERO, .quantity = WS_QUANTITY_POWER },
	{ .padding = WS_PADDING_ZERO, .decimate = 8, .quantity = WS_QUANTITY_COMPLEX },
	{ .param = { 4.0 }, .decimate = 3, .quantity = WS_QUANTITY_MAGNITUDE },
	{ .wavelet = WS_WAVELET_DOG, .quantity = WS_QUANTITY_COMPLEX },
	{ .wavelet = WS_WAVELET_MORSE, .padding = WS_PADDING_ZERO,
		.quantity = WS_QUANTITY_COMPLEX },
	{ .wavelet = WS_WAVELET_BUMP, .quantity = WS_QUANTITY_COMPLEX },
};

/* f32 on the GPU, and on the CPU, against f64 on the CPU of the same samples. */
static void
compare_single(cwt_asked *a)
{
	const size_t count = a->shape.channels * a->shape.samples;
	const float *x = a->x;
	double *wide = need(count * sizeof *wide);
	for (size_t t = 0; t < count; ++t)
		wide[t] = x[t];
	cwt_rows want, got, same;
	cwt_asked b = *a;
	b.shape.type = WS_F64;
	b.x = wide;
	assert_int_equal(gpu_cwt_run(&b, "cpu", &want), WS_OK);
	assert_int_equal(gpu_cwt_run(a, "cuda", &got), WS_OK);
	assert_int_equal(gpu_cwt_run(a, "cpu", &same), WS_OK);
	const double error = gpu_cwt_error(a, &want, &got, NULL);
	const double its = gpu_cwt_error(a, &want, &same, NULL);
	/* Every 8th output may miss the largest, at the step down to zeros: then the CPU has more
	 * than 1e-6 of what is left, too, by rounding that is another one on a GPU. */
	gpu_cwt_count(a, error, fmax(4.0 * its, a->o.quantity == WS_QUANTITY_POWER ? 2e-6 : 1e-6),
	              &got);
	cwt_rows_free(&want);
	cwt_rows_free(&got);
	cwt_rows_free(&same);
	free(wide);
}

static void
compare_kinds(const size_t *lengths, size_t count, size_t channels, size_t device_memory)
{
	rng r = { 4021 };
	for (size_t i = 0; i < count; ++i)
		for (size_t k = 0; k < 4 * sizeof kinds / sizeof *kinds; ++k) {
			cwt_asked a = { .shape = { .size = sizeof a.shape,
				.type = k % 2 ? WS_F64 : WS_F32, .channels = channels,
				.samples = lengths[i], .fs = 250.0 }, .o = kinds[k / 4],
				.device_memory = device_memory };
			a.o.size = sizeof a.o;
			a.o.tag = WS_TAG_CWT;
			take_rows(&a, k / 2 % 2);
			a.x = walks(&r, &a.shape);
			if (a.shape.type == WS_F32)
				compare_single(&a);
			else
				gpu_cwt_compare(&a);
			free((void *)a.x);
		}
}

static void
test_edges(void **state)
{
	(void)state;
	/* 14336: 7 times a power of two. */
	static const size_t lengths[] = { 60, 333, 4096, 14336, 30504, 65537 };
	gpu_cwt_begin();
	compare_kinds(lengths, fast_tier() ? 4 : 6, 2, 0);
	gpu_cwt_finish("edges", 60);
}

static void
test_groups(void **state)
{
	(void)state;
	static const size_t lengths[] = { 5000 };
	gpu_cwt_begin();
	compare_kinds(lengths, 1, 19, (size_t)8 << 20);
	gpu_cwt_finish("edges of groups of channels", 16);
}

static void
test_long(void **state)
{
	(void)state;
	static const size_t lengths[] = { 1048576 };
	gpu_cwt_begin();
	if (!fast_tier())
		compare_kinds(lengths, 1, 1, 0);
	gpu_cwt_finish("edges of long signals", fast_tier() ? 0 : 16);
}

int
main(void)
{
	const int skipped = gpu_or_skip();
	if (skipped)
		return skipped;
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_edges),
		cmocka_unit_test(test_groups), cmocka_unit_test(test_long) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
