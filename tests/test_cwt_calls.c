/*
 * test_cwt_calls.c - calls of the continuous wavelet transform: bad options, odd but allowed ones,
 * the memory that long recordings take.
 */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api_test.h"
#include "cwt_test.h"

/* 24 hours at 1 kHz go into 2 GiB: of each sample of the padded signal some 16 bytes are needed at
 * a time, whatever the number of threads. */
static void
long_recordings_take_little(void **state)
{
	(void)state;
	const double f = 0.01;
	const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .frequencies = &f,
		.frequency_count = 1,
		.quantity = WS_QUANTITY_POWER, .decimate = 1000 };
	wsi_cwt *cwt;
	enum { N = 2000000 };
	assert_int_equal(wsi_cwt_create(&cwt, N, 1.0, WS_F32, &o, NULL), WS_OK);
	const size_t bytes = wsi_cwt_workspace(cwt, 1, 8) + wsi_cwt_spectrum_bytes(cwt);
	if (bytes >= 17 * cwt->length)
		fail_msg("%zu bytes for %zu samples", bytes, cwt->length);
	wsi_cwt_destroy(cwt);
}

/* Seconds that a plan of 4 frequencies of 1e6 samples foresees. */
static double
seconds_of(size_t channels, int threads)
{
	const double f[4] = { 0.01, 0.02, 0.1, 0.2 };
	const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .frequencies = f,
		.frequency_count = 4 };
	const ws_shape shape = { .size = sizeof shape, .channels = channels, .samples = 1000000,
		.fs = 1.0 };
	ws_ctx *ctx = cpu_context(threads);
	ws_plan *plan;
	assert_int_equal(ws_plan_create(&plan, ctx, "cwt", &shape, &o), WS_OK);
	const double seconds = ws_plan_seconds(plan);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return seconds;
}

/* The forward transform of a channel is made by one thread, frequencies are shared. */
static void
threads_do_not_share_a_forward_transform(void **state)
{
	(void)state;
	const double one = seconds_of(1, 1), four = seconds_of(1, 4);
	const double each = seconds_of(4, 4);
	assert_true(four > 1.05 * one / 4.0 && four < one);
	/* Nobody waits where each has a channel, but they share memory. */
	assert_true(each > one && each < 1.5 * one);
}

static void
refuses(const ws_cwt_opts *o, size_t n, const char *what)
{
	wsi_cwt *cwt;
	assert_int_equal(wsi_cwt_create(&cwt, n, 100.0, WS_F32, o, NULL), WS_E_ARG);
	assert_null(cwt);
	if (!strstr(ws_error_detail(), what))
		fail_msg("\"%s\" lacks \"%s\"", ws_error_detail(), what);
}

static void
bad_options_are_named(void **state)
{
	(void)state;
	const double f[] = { 10.0, 51.0, -1.0, NAN }, few = 2.0;
	const size_t size = sizeof(ws_cwt_opts);
	refuses(&(ws_cwt_opts){ .size = size, .frequencies = f, .frequency_count = 2 }, 100,
	        "above half");
	refuses(&(ws_cwt_opts){ .size = size, .frequencies = f + 2, .frequency_count = 1 }, 100,
	        "above 0");
	refuses(&(ws_cwt_opts){ .size = size, .frequencies = f + 3, .frequency_count = 1 }, 100,
	        "above 0");
	refuses(&(ws_cwt_opts){ .size = size, .frequencies = f, .frequency_count = 0 }, 100, "no "
	        "frequency");
	refuses(&(ws_cwt_opts){ .size = size, .freqs.high = 60.0, .freqs.low = 1.0 }, 100, "above half");
	refuses(&(ws_cwt_opts){ .size = size, .freqs.high = 1.0, .freqs.low = 2.0 }, 100, "lowest");
	refuses(&(ws_cwt_opts){ .size = size, .freqs.spacing = WS_SPACING_LINEAR }, 100, "number of "
	        "frequencies");
	refuses(&(ws_cwt_opts){ .size = size, .voices = -1 }, 100, "voices");
	refuses(&(ws_cwt_opts){ .size = size, .wavelet = 8 }, 100, "wavelet 8");
	refuses(&(ws_cwt_opts){ .size = size, .wavelet = WS_WAVELET_PAUL, .param = { 1.5 } }, 100,
	        "whole "
	        "number");
	refuses(&(ws_cwt_opts){ .size = size, .wavelet = WS_WAVELET_BUMP, .param = { 1.0, 2.0 } },
	        100,
	        "sigma");
	refuses(&(ws_cwt_opts){ .size = size, .wavelet = WS_WAVELET_MORSE, .cycles = &few,
		.cycle_count = 1 }, 100,
	        "Morlet");
	refuses(&(ws_cwt_opts){ .size = size, .cycles = f, .cycle_count = 2, .freqs.count = 3 }, 100,
	        "cycles");
	refuses(&(ws_cwt_opts){ .size = size, .param = { 8 }, .cycles = &few, .cycle_count = 1 }, 100,
	        "omega0 8: leave it or `cycles` out");
	refuses(&(ws_cwt_opts){ .size = size, .param = { 6 }, .fwhm = 5 }, 100,
	        "omega0 6: leave it or `fwhm` out");
	refuses(&(ws_cwt_opts){ .size = size, .reference = 99 }, 100, "reference");
	refuses(&(ws_cwt_opts){ .size = size, .decimate = 101 }, 100, "decimate");
	refuses(&(ws_cwt_opts){ .size = size, .reference = WS_CWT_REF_MNE, .freqs.low = 0.5,
		.freqs.high = 40.0 }, 100,
	        "longer than the signal");
	refuses(&(ws_cwt_opts){ .size = size, .reference = WS_CWT_REF_MNE,
		.wavelet = WS_WAVELET_PAUL,
		.freqs.low = 20.0, .freqs.high = 40.0 }, 100, "Morlet wavelets only");
	refuses(NULL, 0, "samples");
}

/* What is odd but allowed. */
static void
odd_jobs_run(void **state)
{
	(void)state;
	enum { N = 997 };
	double x[N], unsorted[] = { 3.0, 40.0, 0.01, 40.0, 17.0 };
	nasty_signal(PINK, x, N);
	/* A frequency far below the signal's length, out of order, twice; a prime number of
	 * samples that wraps around. */
	for (int padding = WS_PADDING_REFLECT; padding <= WS_PADDING_PERIODIC; ++padding) {
		const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT,
			.frequencies = unsorted,
			.frequency_count = 5,
			.padding = padding };
		transform r = transform_of(x, N, 100.0, WS_F64, &o);
		assert_true(r.cwt->scale[1].frequency == 40.0 && r.cwt->scale[2].frequency == 0.01);
		for (size_t t = 0; t < N; ++t) {
			assert_true(coefficient(&r, 1, t) == coefficient(&r, 3, t));
			assert_true(isfinite(creal(coefficient(&r, 2, t))));
		}
		transform_free(&r);
	}
	for (size_t n = 1; n < 20; ++n) {
		const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT };
		transform r = transform_of(x, n, 100.0, WS_F32, &o);
		assert_true(r.cwt->count >= 1);
		for (size_t t = 0; t < n; ++t)
			assert_true(isfinite(cabs(coefficient(&r, 0, t))));
		transform_free(&r);
	}
	/* PyWavelets takes wavelets that are longer than the signal. */
	const double slow = 0.3;
	const ws_cwt_opts long_taps = { .size = sizeof long_taps, .tag = WS_TAG_CWT,
		.reference = WS_CWT_REF_PYWT,
		.frequencies = &slow, .frequency_count = 1 };
	transform taps = transform_of(x, N, 100.0, WS_F64, &long_taps);
	assert_true(taps.cwt->scale[0].tap_count > 2 * N);
	transform_free(&taps);
	/* A reference's length with another padding: T&C's 1024 samples, wrapped around. */
	const ws_cwt_opts wrapped = { .size = sizeof wrapped, .tag = WS_TAG_CWT,
		.reference = WS_CWT_REF_TC,
		.padding = WS_PADDING_PERIODIC, .frequencies = unsorted, .frequency_count = 1 };
	double twice[1024];
	for (int t = 0; t < 1024; ++t)
		twice[t] = x[t < N ? t : t < N + 13 ? t - N : N - 1 - (1023 - t)];
	transform a = transform_of(x, N, 100.0, WS_F64, &wrapped);
	transform b = transform_of(twice, 1024, 100.0, WS_F64, &wrapped);
	for (size_t t = 0; t < N; ++t)
		assert_true(cabs(coefficient(&a, 0, t) - coefficient(&b, 0, t)) < 1e-10);
	transform_free(&a);
	transform_free(&b);
	/* A million of them. */
	const size_t many = slow_tier() ? 1000000 : 100000;
	const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .freqs.count = many,
		.freqs.low = 1.0, .freqs.high = 40.0,
		.freqs.spacing = WS_SPACING_LINEAR };
	wsi_cwt *cwt = plan_of(N, 100.0, WS_F32, &o, NULL);
	assert_int_equal(cwt->count, many);
	assert_true(cwt->scale[0].frequency == 40.0 && cwt->scale[many - 1].frequency == 1.0);
	wsi_cwt_destroy(cwt);
}

/* Voices from LO on, up to HI; of references from HI down; of bands both ends. */
static void
voices_begin_at_the_lowest(void **state)
{
	(void)state;
	const struct {
		double low, high;
		ws_cwt_reference reference;
		double first, last;
	} cases[] = {
		{ 1, 45, WS_CWT_REF_NONE, 0, 1 }, { 4, 32, WS_CWT_REF_NONE, 32, 4 },
		{ 0.1, 12.8, WS_CWT_REF_NONE, 12.8, 0.1 }, { 3, 3.1, WS_CWT_REF_NONE, 3, 3 },
		{ 0, 45, WS_CWT_REF_NONE, 45, 0 }, { 1, 45, WS_CWT_REF_TC_PYCWT, 45, 0 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT,
			.freqs = { .low = cases[i].low, .high = cases[i].high },
			.reference = cases[i].reference };
		wsi_cwt *cwt = plan_of(4000, 100.0, WS_F64, &o, NULL);
		const double first = cwt->scale[0].frequency;
		const double last = cwt->scale[cwt->count - 1].frequency;
		assert_true(first <= cases[i].high && last >= cases[i].low);
		if (i == 0)
			assert_true(fabs(first - pow(2, 5.4)) < 1e-12);
		else
			assert_true(first == cases[i].first);
		if (cases[i].last > 0)
			assert_true(last == cases[i].last);
		for (size_t k = 1; k < cwt->count; ++k)
			assert_true(cwt->scale[k].frequency < cwt->scale[k - 1].frequency);
		wsi_cwt_destroy(cwt);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_recordings_take_little),
		cmocka_unit_test(threads_do_not_share_a_forward_transform),
		cmocka_unit_test(bad_options_are_named),
		cmocka_unit_test(odd_jobs_run),
		cmocka_unit_test(voices_begin_at_the_lowest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
