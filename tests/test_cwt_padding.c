/* test_cwt_padding.c - the padding of wavelet transforms is what it says, by the sums of cwt_sums.h. */
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

#include "cwt_sums.h"
#include "cwt_test.h"

/* ---- Comparing ------------------------------------------------------------------------------ */

/* Largest error of a frequency's row, by its peak; that of an odd wavelet may be 0. */
static double
row_error(const transform *r, size_t f, const double complex *want)
{
	const size_t outputs = wsi_cwt_outputs(r->cwt, &r->cwt->scale[f]);
	double peak = r->cwt->scale[f].frequency, error = 0.0;
	for (size_t t = 0; t < outputs; ++t) {
		peak = fmax(peak, cabs(want[t]));
		error = fmax(error, cabs(want[t] - coefficient(r, f, t)));
	}
	return error / peak;
}

/* Both types, of samples that both have.  Gives how many of them took edges (cpu/cwt/cwt_edge.h), not
 * tables. */
static int
equals_the_sum(const double *x, size_t n, ws_padding padding, const ws_cwt_opts *asked,
               const char *what)
{
	ws_cwt_opts o = *asked;
	double *taken = need(n * sizeof *taken);
	o.size = sizeof o;
	o.tag = WS_TAG_CWT;
	o.padding = padding;
	for (size_t t = 0; t < n; ++t)
		taken[t] = (float)x[t];
	transform r[2] = { transform_of(taken, n, 1.0, WS_F64, &o),
		transform_of(taken, n, 1.0, WS_F32, &o) };
	double complex *want = need(n * sizeof *want);
	for (size_t f = 0; f < r[0].cwt->count; ++f) {
		const wsi_wavelet *w = &r[0].cwt->scale[f].response.wavelet;
		const known v = known_wavelet(w->kind, w->a, w->b);
		(padding == WS_PADDING_ZERO ? between_zeros : between_mirrors)
			(&v, r[0].cwt->scale[f].frequency, taken, n, r[0].cwt->o.decimate, want);
		for (int k = 0; k < 2; ++k) {
			const wsi_cwt_scale *scale = &r[k].cwt->scale[f];
			const double error = row_error(&r[k], f, want);
			if (!(error <= (k ? 1e-6 : 1e-12)))
				fail_msg("%s, %zu samples, type %d, padding %d, wavelet %d "
				         "(%g, %g), %g by %s%s: %g of the peak, padded to %zu",
				         what, n, r[k].cwt->type, padding, v.kind, (double)v.a,
				         (double)v.b, scale->frequency,
				         scale->far ? "a table, " : r[k].cwt->edge ? "edges, " : "",
				         wsi_cwt_ways[scale->way].name, error, r[k].cwt->length);
		}
	}
	const int edges = (r[0].cwt->edge != NULL) + (r[1].cwt->edge != NULL);
	free(want);
	free(taken);
	transform_free(&r[0]);
	transform_free(&r[1]);
	return edges;
}

typedef struct wavelet_of {
	ws_wavelet kind;
	double param[2];
} wavelet_of;

static const wavelet_of wavelets[] = {
	{ WS_WAVELET_MORLET, { 6.0 } }, { WS_WAVELET_MORLET, { 1.0 } }, { WS_WAVELET_MORLET,
		{ 3.77 } },
	{ WS_WAVELET_MORLET, { 20.0 } }, { WS_WAVELET_MORLET_FULL, { 2.0 } },
		{ WS_WAVELET_MORLET_ZERO_MEAN, { 6.0 } },
	{ WS_WAVELET_MORLET_ZERO_MEAN, { 1.5 } }, { WS_WAVELET_MORSE, { 20.0, 3.0 } },
		{ WS_WAVELET_MORSE, { 0.7, 1.0 } },
	{ WS_WAVELET_MORSE, { 3.0, 8.0 } }, { WS_WAVELET_PAUL, { 4.0 } }, { WS_WAVELET_PAUL,
		{ 1.0 } },
	{ WS_WAVELET_PAUL, { 30.0 } }, { WS_WAVELET_DOG, { 2.0 } }, { WS_WAVELET_DOG, { 1.0 } },
		{ WS_WAVELET_DOG, { 7.0 } },
	{ WS_WAVELET_BUMP, { 5.0, 0.6 } }, { WS_WAVELET_BUMP, { 5.0, 4.5 } }, { WS_WAVELET_BUMP,
		{ 5.0, 0.1 } },
};
enum { WAVELETS = sizeof wavelets / sizeof *wavelets };

/* From far longer than the signal to half the sampling rate. */
static const double frequencies[] = { 0.5, 0.43, 0.31, 0.1, 0.02, 0.003, 1e-5 };

static void
every_wavelet_and_length(void **state)
{
	(void)state;
	static const size_t lengths[] = { 1, 2, 3, 31, 100, 128 };
	double x[128];
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i)
		for (int w = SANITIZED ? (int)i % 4 : 0; w < WAVELETS; w += SANITIZED ? 4 : 1)
			for (int k = 0; k < 2; ++k) {
				ws_cwt_opts o = { .wavelet = wavelets[w].kind,
					.frequencies = frequencies, .frequency_count = 7 };
				memcpy(o.param, wavelets[w].param, sizeof o.param);
				nasty_signal((w + k) % 2 ? WHITE : PINK, x, 128);
				equals_the_sum(x, lengths[i], k ? WS_PADDING_ZERO
				               : WS_PADDING_REFLECT, &o, "every wavelet");
			}
}

/* The cases that led here: 128 samples at 100 Hz, 1 Hz by 6 cycles; 20 cycles of 100 samples. */
static void
longer_than_the_signal(void **state)
{
	(void)state;
	double x[128];
	for (int t = 0; t < 128; ++t)
		x[t] = cos(2.0 * PI * 0.01 * t);
	const double f = 0.01;
	const ws_cwt_opts six = { .frequencies = &f, .frequency_count = 1, .param = { 6.0 } };
	const ws_cwt_opts twenty = { .frequencies = &f, .frequency_count = 1, .param = { 20.0 } };
	for (int padding = WS_PADDING_REFLECT; padding <= WS_PADDING_ZERO; ++padding) {
		equals_the_sum(x, 128, padding, &six, "6 cycles");
		equals_the_sum(x, 100, padding, &twenty, "20 cycles");
	}
}

/* Signals of some length: ordinary ways beside tables, decimated, whose scales drift. */
static void
longer_signals(void **state)
{
	(void)state;
	static const size_t lengths[] = { 307, 480 };
	double x[480];
	for (int w = 0; w < WAVELETS; w += SANITIZED ? 9 : 1)
		for (int k = 0; k < 2; ++k) {
			const size_t n = lengths[(w + k) % 2];
			const double f[] = { 0.4, 0.17, 0.04, 0.005, 0.0007 };
			ws_cwt_opts o = { .wavelet = wavelets[w].kind, .frequencies = f,
				.frequency_count = 5, .decimate = k ? 7 : 1 + (size_t)w % 2 };
			memcpy(o.param, wavelets[w].param, sizeof o.param);
			nasty_signal(w % 3 == 0 ? DRIFT : w % 3 == 1 ? PINK : WHITE, x, n);
			equals_the_sum(x, n, k ? WS_PADDING_ZERO : WS_PADDING_REFLECT, &o,
			               "longer");
		}
}

/* Wavelets that are cut, but no longer than the signal: at half the rate and at 0, alone and both,
 * with one side of the spectrum and two, beside others that are not cut, in all ways. */
static void
cut_wavelets(void **state)
{
	(void)state;
	static const size_t lengths[] = { 600, 701, 900 };
	static const wavelet_of cuts[] = {
		{ WS_WAVELET_MORLET, { 6.0 } }, { WS_WAVELET_MORLET, { 1.0 } }, { WS_WAVELET_MORLET,
			{ 3.77 } },
		{ WS_WAVELET_MORLET, { 15.0 } }, { WS_WAVELET_MORLET_FULL, { 2.0 } },
		{ WS_WAVELET_MORLET_ZERO_MEAN, { 1.5 } }, { WS_WAVELET_MORSE, { 20.0, 3.0 } },
			{ WS_WAVELET_PAUL, { 30.0 } },
		{ WS_WAVELET_DOG, { 2.0 } }, { WS_WAVELET_DOG, { 1.0 } }, { WS_WAVELET_DOG,
			{ 7.0 } },
	};
	enum { CUTS = sizeof cuts / sizeof *cuts };
	double x[900];
	int edges = 0, types = 0;
	for (int i = 0; i < CUTS; i += SANITIZED ? 5 : 1)
		for (int k = 0; k < 2; ++k, types += 2) {
			const size_t n = lengths[(i + k) % 3];
			const double f[] = { 0.5, 0.47, 0.26, 0.1, 0.06 };
			ws_cwt_opts o = { .wavelet = cuts[i].kind, .frequencies = f,
				.frequency_count = i % 2 ? 3 : 5,
				/* By 80 the gap is several times the signal. */
				.decimate = k ? 1 : i % 4 == 3 ? 80 : 1 + (size_t)i % 3 };
			memcpy(o.param, cuts[i].param, sizeof o.param);
			/* Much at half the rate, and much near 0. */
			nasty_signal(i % 2 ? WHITE : i % 4 ? DRIFT : PINK, x, n);
			for (size_t t = 0; t < n; ++t)
				x[t] += (t % 2 ? -1.0 : 1.0) * (1.0 + (double)t / (double)n);
			edges += equals_the_sum(x, n, k ? WS_PADDING_ZERO : WS_PADDING_REFLECT, &o,
			                        "cut");
		}
	/* All but those of long wavelets, in f64. */
	assert_true(4 * edges >= 3 * types);
}

/* ---- Half the sampling rate, and 0 --------------------------------------------------------- */

/* A tone at half the rate has its amplitude in norm l1. */
static void
tones_at_half_the_rate(void **state)
{
	(void)state;
	enum { N = 1024 };
	double x[N];
	const double f[] = { 0.5, 0.499, 0.45 };
	for (int t = 0; t < N; ++t)
		x[t] = t % 2 ? -1.0 : 1.0;
	for (int padding = WS_PADDING_REFLECT; padding <= WS_PADDING_PERIODIC; padding += 2)
		for (int type = WS_F64; type <= WS_F32; ++type)
			for (int n = N - 1 - (padding == WS_PADDING_PERIODIC); n <= N; n += 2) {
				const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT,
					.frequencies = f,
					.frequency_count = 3, .padding = padding };
				/* Odd periods have no tone there. */
				if (padding == WS_PADDING_PERIODIC && n % 2)
					continue;
				transform r = transform_of(x, (size_t)n, 1.0, type, &o);
				for (size_t i = 0; i < 3; ++i) {
					const double w = 6.0 * (0.5 / f[i] - 1.0);
					const double want = exp(-0.5 * w * w);
					for (int t = 0; t < n; ++t)
						assert_true(fabs(cabs(coefficient(&r, i, (size_t)t))
						                 - want) < (type == WS_F64
						                            ? 1e-12 : 1e-6));
				}
				transform_free(&r);
			}
}

/* pycwt: bin N / 2 is that of -pi, so a Paul wavelet hears nothing of it. */
static void
pycwt_has_it_below_zero(void **state)
{
	(void)state;
	enum { N = 64 };
	double x[N];
	const double f = 0.4;
	for (int t = 0; t < N; ++t)
		x[t] = t % 2 ? -1.0 : 1.0;
	const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT,
		.reference = WS_CWT_REF_TC_PYCWT,
		.wavelet = WS_WAVELET_PAUL, .frequencies = &f, .frequency_count = 1 };
	transform r = transform_of(x, N, 1.0, WS_F64, &o);
	for (size_t t = 0; t < N; ++t)
		assert_true(cabs(coefficient(&r, 0, t)) < 1e-14);
	transform_free(&r);
}

/* Deng et al.: the Gaussian has bin 0 too.  pi^(-1/4) sqrt(2 pi s / n) e^-18 times a constant. */
static void
deng_hears_a_constant(void **state)
{
	(void)state;
	enum { N = 100 };
	double x[N];
	const double f = 0.1, s = 6.0 / (2.0 * PI * f);
	for (int t = 0; t < N; ++t)
		x[t] = 1e6;
	const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .reference = WS_CWT_REF_DENG,
		.frequencies = &f,
		.frequency_count = 1 };
	const double want = 1e6 * pow(PI, -0.25) * sqrt(2.0 * PI * s / N) * exp(-18.0);
	for (int type = WS_F64; type <= WS_F32; ++type) {
		transform r = transform_of(x, N, 1.0, type, &o);
		for (size_t t = 0; t < N; ++t)
			assert_true(cabs(coefficient(&r, 0, t) - want) <
			            (type == WS_F64 ? 1e-7 : 1e-4) * want);
		transform_free(&r);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(longer_than_the_signal),
		cmocka_unit_test(every_wavelet_and_length),
		cmocka_unit_test(longer_signals),
		cmocka_unit_test(cut_wavelets),
		cmocka_unit_test(tones_at_half_the_rate),
		cmocka_unit_test(pycwt_has_it_below_zero),
		cmocka_unit_test(deng_hears_a_constant),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
