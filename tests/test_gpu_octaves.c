/*
 * test_gpu_octaves.c - one array an octave on a GPU against the transform at every sample on the
 * CPU: wavelets, quantities, both types, several lengths; little of the GPU's memory, parts of the
 * frequencies.
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

#include "octaves_test.h"
#include "random_job.h"

enum { MOST = 1 << 20 };
static double x[MOST];

static octaves_result
equals(size_t channels, size_t samples, ws_type type, ws_cwt_opts o, size_t device_memory,
       size_t memory)
{
	const octaves_task task = { .shape = { .channels = channels, .samples = samples,
		.fs = 500.0, .type = type }, .o = o, .x = x, .device = "cuda",
		.device_memory = device_memory, .memory = memory };
	const octaves_result r = octaves_compare(&task);
	if (!(r.error <= (type == WS_F32 ? 1e-6 : 1e-12)))
		fail_msg("%zu x %zu, %zu and %zu bytes: %g of the peak\n%s", channels, samples,
		         device_memory, memory, r.error, r.plan);
	assert_non_null(strstr(r.plan, "cuda/cwt"));
	return r;
}

static void
octaves_are_the_transform_sampled(void **state)
{
	(void)state;
	static const ws_cwt_opts kinds[] = {
		{ .freqs.low = 1.0, .freqs.high = 110.0 },
		{ .freqs.low = 2.0, .freqs.high = 100.0, .quantity = WS_QUANTITY_POWER,
			.decimate = 3 },
		{ .freqs.low = 2.0, .freqs.high = 100.0, .quantity = WS_QUANTITY_MAGNITUDE,
			.wavelet = WS_WAVELET_MORSE },
		{ .freqs.low = 4.0, .freqs.high = 60.0, .wavelet = WS_WAVELET_DOG,
			.quantity = WS_QUANTITY_PHASE },
		{ .freqs.low = 8.0, .freqs.high = 100.0, .reference = WS_CWT_REF_MNE, .voices = 4 },
		{ .freqs.low = 4.0, .freqs.high = 100.0, .padding = WS_PADDING_PERIODIC },
	};
	static const size_t lengths[] = { 3001, 40000, 200000 };
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
		for (int wide = 0; wide < 2; ++wide)
			for (size_t n = 0; n < 2 + (k == 0); ++n)
				equals(3, lengths[n], wide ? WS_F64 : WS_F32, kinds[k], 0, 0);
}

static void
however_it_is_cut(void **state)
{
	(void)state;
	const ws_cwt_opts o = { .freqs.low = 1.0, .freqs.high = 110.0 };
	size_t most = 0;
	for (int wide = 0; wide < 2; ++wide) {
		const ws_type type = wide ? WS_F64 : WS_F32;
		const size_t times = wide ? 2 : 1;
		equals(5, 100000, type, o, times * (24 << 20), 0);
		equals(5, 100000, type, o, times * (24 << 20), times * (48 << 20));
		const octaves_result r = equals(2, 100000, type, o, 0, times * (9 << 20));
		most = r.blocks > most ? r.blocks : most;
	}
	assert_true(most > 2);
}

int
main(void)
{
	const int skipped = gpu_or_skip();
	if (skipped)
		return skipped;
	rng r = { 1 };
	double walk = 0.0;
	for (size_t i = 0; i < MOST; ++i) {
		walk = 0.999 * walk + rng_normal(&r);
		x[i] = 0.2 * walk + rng_normal(&r);
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(octaves_are_the_transform_sampled),
		cmocka_unit_test(however_it_is_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
