/*
 * test_cwt_response.c - what pictures show of a wavelet is what the transform does: to one sample
 * among zeros, and to tones.
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
#include "run/wavelets.h"

enum { N = 16384, SIDE = 700 };
#define FS 250.0

/* Options whose wavelets differ in kind, width, norm or the code that they come from. */
static const ws_cwt_opts cases[] = {
	{ .wavelet = WS_WAVELET_MORLET },
	{ .wavelet = WS_WAVELET_MORLET, .fwhm = 0.6 },
	{ .wavelet = WS_WAVELET_MORLET_FULL, .norm = WS_NORM_L2, .param = { 2.5 } },
	{ .wavelet = WS_WAVELET_MORLET_ZERO_MEAN, .norm = WS_NORM_TC, .padding = WS_PADDING_ZERO },
	{ .wavelet = WS_WAVELET_MORSE, .param = { 3.0, 3.0 } },
	{ .wavelet = WS_WAVELET_PAUL, .norm = WS_NORM_TC },
	{ .wavelet = WS_WAVELET_DOG, .param = { 1.0 } },
	{ .wavelet = WS_WAVELET_DOG, .param = { 2.0 }, .norm = WS_NORM_TC },
	{ .wavelet = WS_WAVELET_DOG, .param = { 3.0 }, .padding = WS_PADDING_PERIODIC },
	{ .wavelet = WS_WAVELET_DOG, .param = { 4.0 } },
	{ .wavelet = WS_WAVELET_BUMP },
	{ .reference = WS_CWT_REF_TC },
	{ .reference = WS_CWT_REF_TC_PYCWT },
	{ .reference = WS_CWT_REF_SSQUEEZEPY },
	{ .reference = WS_CWT_REF_SSQUEEZEPY, .wavelet = WS_WAVELET_MORLET_ZERO_MEAN },
	{ .reference = WS_CWT_REF_MNE },
	{ .reference = WS_CWT_REF_PYWT },
	{ .reference = WS_CWT_REF_FCWT },
	{ .reference = WS_CWT_REF_MATLAB },
	{ .reference = WS_CWT_REF_DENG },
	{ .reference = WS_CWT_REF_SUPERLETS },
};
enum { CASES = sizeof cases / sizeof *cases };

static ws_cwt_opts
case_at(int i, const double *f, size_t count)
{
	ws_cwt_opts o = cases[i];
	o.size = sizeof o;
	o.tag = WS_TAG_CWT;
	o.frequencies = f;
	o.frequency_count = count;
	return o;
}

/* Weights first, first + step, .. against the transform of a 1 in the middle of zeros. */
static void
check_weights(const transform *r, size_t f, int64_t step, double tolerance, int number)
{
	double re[2 * SIDE + 1], im[2 * SIDE + 1], most = 0.0;
	const size_t count = (size_t)(2 * SIDE / step + 1);
	wsi_cwt_weights(r->cwt, f, -SIDE, step, count, re, im);
	for (size_t i = 0; i < count; ++i)
		most = fmax(most, hypot(re[i], im[i]));
	assert_true(most > 0.0);
	for (size_t i = 0; i < count; ++i) {
		const int64_t at = -SIDE + (int64_t)i * step;
		const double complex want = conj(coefficient(r, f, (size_t)(N / 2 - at)));
		if (!(cabs(re[i] + I * im[i] - want) <= tolerance * most))
			fail_msg("case %d, %g Hz, sample %d: %g%+gi, not %g%+gi", number,
			         r->cwt->scale[f].frequency, (int)at, re[i], im[i], creal(want),
			         cimag(want));
	}
}

/* The last is cut at half the sampling rate: its ends in time wrap around, and that bin itself
 * counts on one side only. */
static void
weights_are_those_of_an_impulse(void **state)
{
	(void)state;
	static double x[N];
	static const double f[] = { 4.0, 11.3, 20.0, 100.0 };
	x[N / 2] = 1.0;
	for (int i = 0; i < CASES; ++i) {
		const ws_cwt_opts o = case_at(i, f, 4);
		transform r = transform_of(x, N, FS, WS_F64, &o);
		for (size_t k = 0; k < 4; ++k) {
			check_weights(&r, k, 1, k == 3 ? 1e-2 : 1e-5, i);
			check_weights(&r, k, 7, k == 3 ? 1e-2 : 1e-5, i);
		}
		transform_free(&r);
	}
}

/* What a tone of amplitude 1 gives, at its largest. */
static void
tones_give_what_is_told(void **state)
{
	(void)state;
	static double x[N];
	static const double f[] = { 8.0, 30.0 };
	const double share[] = { 0.6, 0.9, 1.0, 1.2, 2.0 };
	for (int i = 0; i < CASES; ++i)
		for (int k = 0; k < 5; ++k)
			for (size_t row = 0; row < 2; ++row) {
				const double hz = f[row] * share[k];
				double most = 0.0;
				const ws_cwt_opts o = case_at(i, f, 2);
				for (int t = 0; t < N; ++t)
					x[t] = cos(2.0 * PI * hz * t / FS + 0.3);
				transform r = transform_of(x, N, FS, WS_F64, &o);
				for (size_t t = N / 2 - 200; t < N / 2 + 200; ++t)
					most = fmax(most, cabs(coefficient(&r, row, t)));
				const double peak = wsi_cwt_tone(r.cwt, row, f[row]);
				const double told = wsi_cwt_tone(r.cwt, row, hz);
				if (!(fabs(told - most) < 3e-3 * peak))
					fail_msg("case %d, %g Hz at %g Hz: %g, not %g", i, hz,
					         f[row], told, most);
				transform_free(&r);
			}
}

/* Long wavelets of a reference in time: of their taps some are left out, which changes nothing. */
static void
long_taps_are_thinned(void **state)
{
	(void)state;
	const double f = 0.05, fs = 1000.0;
	const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT,
		.reference = WS_CWT_REF_SUPERLETS,
		.frequencies = &f, .frequency_count = 1 };
	wsi_cwt *cwt = plan_of(100000, fs, WS_F64, &o, NULL);
	const wsi_cwt_scale *scale = &cwt->scale[0];
	assert_true(scale->tap_count > 2 * 16384);
	for (int k = 0; k < 9; ++k) {
		const double hz = f * (0.5 + k / 8.0);
		double complex whole = 0.0;
		for (size_t j = 0; j < scale->tap_count; ++j)
			whole += (scale->taps[j] + I * scale->taps[scale->tap_count + j]) *
				cexp(-2.0 * I * PI * hz / fs * (double)j);
		assert_true(fabs(wsi_cwt_tone(cwt, 0, hz) - 0.5 * cabs(whole)) < 1e-5);
	}
	wsi_cwt_destroy(cwt);
}

/* Runs of the rows that have wavelets tell them, others say that they have none. */
static void
runs_tell_their_wavelets(void **state)
{
	(void)state;
	static const struct { const char *name; size_t wavelets; } rows[] = {
		{ "cwt", 2 }, { "trials", 2 }, { "coherence", 2 }, { "bands", 0 },
		{ "superlets", 0 }, { "emd", 0 } };
	static const double f[] = { 20.0, 10.0 };
	ws_ctx *ctx;
	assert_int_equal(ws_ctx_create(&ctx, NULL), WS_OK);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
		const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .frequencies = f,
			.frequency_count = 2 };
		const ws_shape shape = { .size = sizeof shape, .channels = 2, .samples = 1000,
			.type = WS_F64, .fs = FS, .epochs = strcmp(rows[i].name, "trials") == 0
			? 2 : 0 };
		ws_run *run;
		assert_int_equal(ws_run_create(&run, ctx, rows[i].name, &shape,
		                               strcmp(rows[i].name, "emd") ? &o : NULL, 0), WS_OK);
		assert_int_equal(wsi_run_wavelets(run), rows[i].wavelets);
		if (rows[i].wavelets) {
			const wsi_run_wavelet row = wsi_run_wavelet_of(run, 1);
			assert_true(row.frequency == 10.0 && !row.shaded);
			assert_true(fabs(wsi_run_wavelet_tone(run, 1, 10.0) - 1.0) < 1e-9);
			/* Scales are those of all channels. */
			const int scale = ws_run_find(run, "scale");
			double values[2];
			assert_int_equal(ws_run_axis(run, scale, WS_AXIS_FREQUENCY, values, 2), WS_OK);
			assert_int_equal(ws_run_axis(run, scale, WS_AXIS_CHANNEL, values, 2), WS_E_ARG);
		}
		ws_run_destroy(run);
	}
	ws_ctx_destroy(ctx);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_are_those_of_an_impulse),
		cmocka_unit_test(tones_give_what_is_told),
		cmocka_unit_test(long_taps_are_thinned),
		cmocka_unit_test(runs_tell_their_wavelets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
