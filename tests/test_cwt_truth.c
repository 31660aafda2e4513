/*
 * test_cwt_truth.c - the continuous wavelet transform of signals whose transform is known, the laws
 * that it keeps, and what is published of its wavelets.
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

#include "cwt_test.h"

/* A tone of amplitude 1 has magnitude 1 under WS_NORM_L1, and its phase. */
static void
tones_have_their_amplitude(void **state)
{
	(void)state;
	enum { N = 20000 };
	double *x = need(N * sizeof *x);
	const double fs = 200.0, f[] = { 70.0, 30.0, 11.0, 2.5 };
	for (int i = 0; i < 4; ++i) {
		for (int t = 0; t < N; ++t)
			x[t] = cos(2.0 * PI * f[i] * t / fs + 0.4) + 25.0;
		for (int wavelet = WS_WAVELET_MORLET; wavelet <= WS_WAVELET_BUMP; ++wavelet) {
			const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT,
				.wavelet = wavelet,
				.frequencies = &f[i],
				.frequency_count = 1 };
			transform r = transform_of(x, N, fs, WS_F64, &o);
			for (int t = N / 2; t < N / 2 + 100; ++t) {
				double complex want = cexp(I * (2.0 * PI * f[i] * t / fs + 0.4));
				want = wavelet == WS_WAVELET_DOG ? creal(want) : want;
				/* What is cut at half the sampling rate forgets the far ends
				 * slowly. */
				if (!(cabs(coefficient(&r, 0,
				                       (size_t)t) - want) < (i == 0 ? 1e-4 : 1e-5)))
					fail_msg("wavelet %d, %g Hz: %g%+gi, not %g%+gi",
					         wavelet, f[i],
					         creal(coefficient(&r, 0, (size_t)t)),
						cimag(coefficient(&r, 0, (size_t)t)),
					         creal(want), cimag(want));
			}
			transform_free(&r);
		}
	}
	free(x);
}

/* A chirp, and a source that passes by: frequencies f(t) cycles a sample, phases 2 pi p(t). */
static void
ground_truth(int kind, double t, double n, double *f, double *p)
{
	if (kind == 0) {
		*f = 0.01 + 0.25 * t / n;
		*p = 0.01 * t + 0.5 * 0.25 / n * t * t;
		return;
	}
	const double width = n / 16.0, u = (t - n / 2.0) / width, root = sqrt(1.0 + u * u);
	*f = 0.1 * (1.0 - 0.3 * u / root);
	*p = 0.1 * (t - 0.3 * width * root);
}

/* The ridge of a chirp is where its frequency is. */
static void
chirps_are_where_they_are(void **state)
{
	(void)state;
	enum { N = 16384 };
	double *x = need(N * sizeof *x), want, phase;
	for (int kind = 0; kind < 2; ++kind) {
		for (int t = 0; t < N; ++t) {
			ground_truth(kind, t, N, &want, &phase);
			x[t] = cos(2.0 * PI * phase);
		}
		const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .freqs.low = 0.01,
			.freqs.high = 0.3,
			.voices = 40, .quantity = WS_QUANTITY_MAGNITUDE };
		transform r = transform_of(x, N, 1.0, WS_F32, &o);
		for (size_t t = N / 4; t < N * 3 / 4; t += 100) {
			size_t best = 0;
			double most = 0.0;
			for (size_t f = 0; f < r.cwt->count; ++f) {
				const double v = get(WS_F32, r.out, f * N + t);
				best = v > most ? f : best;
				most = v > most ? v : most;
			}
			ground_truth(kind, (double)t, N, &want, &phase);
			assert_true(fabs(r.cwt->scale[best].frequency / want - 1.0) < 0.02);
			assert_true(fabs(most - 1.0) < 0.01);
		}
		transform_free(&r);
	}
	free(x);
}

/* W(s, t) = 2 / (s sqrt(2 pi)) sum of x[u] e^{-((t - u) / s)^2 / 2 + i omega0 (t - u) / s}: the
 * integral itself, in time, at 1000 places. */
static void
the_integral(void **state)
{
	(void)state;
	enum { N = 5000, POINTS = 1000 };
	double *x = need(N * sizeof *x);
	nasty_signal(WHITE, x, N);
	const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT,
		.wavelet = WS_WAVELET_MORLET_FULL,
		.padding = WS_PADDING_ZERO, .freqs.low = 0.002, .freqs.high = 0.2, .voices = 8 };
	for (int type = WS_F64; type <= WS_F32; ++type) {
		transform r = transform_of(x, N, 1.0, type, &o);
		rng random = { 77 };
		for (int i = 0; i < POINTS; ++i) {
			const size_t f = (size_t)rng_int(&random, 0, (int)r.cwt->count - 1);
			const int t = rng_int(&random, 0, N - 1);
			const double s = 6.0 / (2.0 * PI * r.cwt->scale[f].frequency);
			double complex sum = 0.0;
			for (int u = 0; u < N; ++u) {
				const double q = (t - u) / s;
				sum += 2.0 / (s * sqrt(2.0 * PI)) * x[u] * exp(-0.5 * q * q) *
					cexp(6.0 * I * q);
			}
			assert_true(cabs(sum - coefficient(&r, f, (size_t)t)) <
			            (type == WS_F64 ? 1e-12 : 1e-6));
		}
		transform_free(&r);
	}
	free(x);
}

/* Linear; moved with its signal where that is periodic; white noise keeps its variance (T&C). */
static void
laws_hold(void **state)
{
	(void)state;
	enum { N = 4096, SHIFT = 1001 };
	double x[N], y[N], sum[N], moved[N];
	nasty_signal(WHITE, x, N);
	nasty_signal(PINK, y, N);
	for (int t = 0; t < N; ++t) {
		sum[t] = 2.0 * x[t] - 3.0 * y[t];
		moved[t] = x[(t + SHIFT) % N];
	}
	const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .padding = WS_PADDING_PERIODIC,
		.norm = WS_NORM_TC,
		.freqs.low = 0.01, .freqs.high = 0.3, .voices = 2 };
	transform a = transform_of(x, N, 1.0, WS_F64, &o), b = transform_of(y, N, 1.0, WS_F64, &o);
	transform c = transform_of(sum, N, 1.0, WS_F64, &o),
		d = transform_of(moved, N, 1.0, WS_F64, &o);
	for (size_t f = 0; f < a.cwt->count; ++f) {
		double energy = 0.0;
		for (size_t t = 0; t < N; ++t) {
			const double complex want = 2.0 * coefficient(&a, f, t) - 3.0 *
				coefficient(&b, f, t);
			assert_true(cabs(coefficient(&c, f, t) - want) < 1e-10);
			assert_true(cabs(coefficient(&d, f, t) -
			                 coefficient(&a, f, (t + SHIFT) % N)) < 1e-11);
			energy += pow(cabs(coefficient(&a, f, t)), 2.0) / N;
		}
		/* Some 0.2 N f independent values. */
		assert_true(fabs(energy - 1.0) < 5.0 / sqrt(0.2 * N * a.cwt->scale[f].frequency));
	}
	transform_free(&a);
	transform_free(&b);
	transform_free(&c);
	transform_free(&d);
}

/* Torrence & Compo 1998, tables 1 and 2. */
static void
facts_are_those_published(void **state)
{
	(void)state;
	static const struct { ws_wavelet kind; double m, fourier, cone; } known[] = {
		{ WS_WAVELET_MORLET, 6.0, 1.03, 1.41421 },
		{ WS_WAVELET_PAUL, 4.0, 1.396, 0.70711 },
		{ WS_WAVELET_DOG, 2.0, 3.974, 1.41421 },
		{ WS_WAVELET_DOG, 6.0, 2.465, 1.41421 },
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
		wsi_wavelet v;
		assert_int_equal(wsi_wavelet_make(&v, known[i].kind, (double[2]){ known[i].m }),
		                 WS_OK);
		const wsi_wavelet_facts facts = wsi_wavelet_facts_of(&v);
		assert_true(fabs(2.0 * PI / facts.fourier / known[i].fourier - 1.0) < 0.005);
		assert_true(fabs(facts.cone / known[i].cone - 1.0) < 1e-5);
	}
	/* sqrt(beta gamma) is the Morse wavelet's duration (Lilly & Olhede 2009). */
	wsi_wavelet v;
	assert_int_equal(wsi_wavelet_make(&v, WS_WAVELET_MORSE, (double[2]){ 20.0, 3.0 }), WS_OK);
	const wsi_wavelet_facts facts = wsi_wavelet_facts_of(&v);
	assert_true(fabs(facts.width_time * v.peak * sqrt(2.0) / sqrt(60.0) - 1.0) < 0.02);
	assert_true(facts.width_time * facts.width_frequency >= 0.5);
}

/* Wavelets that are narrow in frequency: energy and widths of Morse wavelets by their formulae,
 * those of a bump by the share of its width. */
static void
narrow_wavelets_keep_their_energy(void **state)
{
	(void)state;
	static const double morse[][2] = { { 20.0, 3.0 }, { 9000.0, 1.0 }, { 400.0, 1.0 },
		{ 5000.0, 3.0 }, { 9000.0, 90.0 } };
	for (size_t i = 0; i < sizeof morse / sizeof *morse; ++i) {
		wsi_wavelet v;
		assert_int_equal(wsi_wavelet_make(&v, WS_WAVELET_MORSE, morse[i]), WS_OK);
		const wsi_wavelet_facts facts = wsi_wavelet_facts_of(&v);
		const double beta = v.a, gamma = v.b, r = (2.0 * beta + 1.0) / gamma;
		const double energy = exp(lgamma(r) - r * log(2.0) - log(gamma) - 2.0 * v.at_peak);
		/* Large numbers cancel in the exponent. */
		if (!(fabs(facts.energy / energy - 1.0) < 1e-10))
			fail_msg("%g, %g: energy %g, not %g", beta, gamma, facts.energy, energy);
		/* The moments of the squared shape, a gamma distribution in 2 w^gamma. */
		const double one = exp(lgamma(r + 1.0 / gamma) - lgamma(r)) * pow(2.0, -1.0 / gamma);
		const double two = exp(lgamma(r + 2.0 / gamma) - lgamma(r)) * pow(4.0, -1.0 / gamma);
		assert_true(fabs(facts.width_frequency / sqrt(two - one * one) - 1.0) < 1e-3);
	}
	static const double bump[][2] = { { 5.0, 0.6 }, { 5.0, 0.05 }, { 1000.0, 0.5 },
		{ 4000.0, 60.0 } };
	wsi_wavelet v;
	assert_int_equal(wsi_wavelet_make(&v, WS_WAVELET_BUMP, (double[2]){ 1.0, 0.5 }), WS_OK);
	const wsi_wavelet_facts wide = wsi_wavelet_facts_of(&v);
	for (size_t i = 0; i < sizeof bump / sizeof *bump; ++i) {
		assert_int_equal(wsi_wavelet_make(&v, WS_WAVELET_BUMP, bump[i]), WS_OK);
		const wsi_wavelet_facts facts = wsi_wavelet_facts_of(&v);
		const double share = bump[i][1] / 0.5;
		if (!(fabs(facts.energy / wide.energy / share - 1.0) < 1e-10))
			fail_msg("%g, %g: energy %g", bump[i][0], bump[i][1], facts.energy);
		assert_true(fabs(facts.width_frequency / wide.width_frequency / share - 1.0) <
		            1e-4);
		assert_true(fabs(facts.width_time / wide.width_time * share - 1.0) < 1e-4);
	}
}

/* Widths of the Morlet wavelet of zero mean: integrals over its formula, whose slope is its
 * formula's. */
static void
zero_mean_has_its_own_widths(void **state)
{
	(void)state;
	for (double a = 0.5; a < 9.0; a += 0.75) {
		double all = 0.0, first = 0.0, second = 0.0, slope = 0.0;
		for (double w = -14.0; w < 24.0; w += 1e-3) {
			const double g = exp(-0.5 * (w - a) * (w - a));
			const double h = exp(-0.5 * (a * a + w * w));
			all += (g - h) * (g - h);
			first += w * (g - h) * (g - h);
			second += w * w * (g - h) * (g - h);
			slope += pow((a - w) * g + w * h, 2.0);
		}
		wsi_wavelet v;
		assert_int_equal(wsi_wavelet_make(&v, WS_WAVELET_MORLET_ZERO_MEAN,
		                                  (double[2]){ a }),
		                 WS_OK);
		const wsi_wavelet_facts facts = wsi_wavelet_facts_of(&v);
		assert_true(fabs(facts.width_time / sqrt(slope / all) - 1.0) < 1e-9);
		assert_true(fabs(facts.width_frequency /
		                 sqrt(second / all - pow(first / all, 2.0)) - 1.0) < 1e-9);
	}
}

/* Width by cycles and by half maximum: one wavelet said in three ways. */
static void
widths_are_as_asked_for(void **state)
{
	(void)state;
	const double f = 8.0, cycles = 5.0, deviation = cycles / (2.0 * PI * f);
	const double fwhm = deviation * sqrt(8.0 * log(2.0));
	const ws_cwt_opts o[] = {
		{ .size = sizeof *o, .tag = WS_TAG_CWT, .frequencies = &f, .frequency_count = 1,
			.param = { cycles } },
		{ .size = sizeof *o, .tag = WS_TAG_CWT, .frequencies = &f, .frequency_count = 1,
			.cycles = &cycles,
		  .cycle_count = 1 },
		{ .size = sizeof *o, .tag = WS_TAG_CWT, .frequencies = &f, .frequency_count = 1,
			.fwhm = fwhm },
	};
	for (int i = 0; i < 3; ++i) {
		wsi_cwt *cwt = plan_of(1000, 100.0, WS_F32, &o[i], NULL);
		const wsi_cwt_scale row = cwt->scale[0];
		assert_true(fabs(row.omega0 / cycles - 1.0) < 1e-14);
		/* |psi|^2 is narrower than the envelope by sqrt 2. */
		assert_true(fabs(row.width_time * sqrt(2.0) / deviation - 1.0) < 1e-14);
		assert_true(fabs(row.width_time * row.width_frequency * 4.0 * PI - 1.0) < 1e-14);
		assert_true(fabs(row.scale / deviation - 1.0) < 1e-14);
		wsi_cwt_destroy(cwt);
	}
}

/* Of a constant, of the smallest and the largest numbers. */
static void
units_do_not_matter(void **state)
{
	(void)state;
	enum { N = 700 };
	double x[N], tiny[N], huge[N], flat[N];
	nasty_signal(WHITE, x, N);
	for (int t = 0; t < N; ++t) {
		x[t] = (float)x[t];
		tiny[t] = ldexp(x[t], -100);
		huge[t] = ldexp(x[t], 100);
		flat[t] = 3e30;
	}
	const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .voices = 2 };
	transform a = transform_of(x, N, 1.0, WS_F32, &o),
		b = transform_of(tiny, N, 1.0, WS_F32, &o);
	transform c = transform_of(huge, N, 1.0, WS_F32, &o),
		d = transform_of(flat, N, 1.0, WS_F32, &o);
	for (size_t i = 0; i < 2 * N * a.cwt->count; ++i) {
		const double v = get(WS_F32, a.out, i);
		assert_true((float)ldexp(v, -100) == (float)get(WS_F32, b.out, i));
		assert_true(ldexp(v, 100) == get(WS_F32, c.out, i));
		assert_true(get(WS_F32, d.out, i) == 0.0);
	}
	transform_free(&a);
	transform_free(&b);
	transform_free(&c);
	transform_free(&d);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tones_have_their_amplitude),
		cmocka_unit_test(chirps_are_where_they_are),
		cmocka_unit_test(the_integral),
		cmocka_unit_test(laws_hold),
		cmocka_unit_test(facts_are_those_published),
		cmocka_unit_test(narrow_wavelets_keep_their_energy),
		cmocka_unit_test(zero_mean_has_its_own_widths),
		cmocka_unit_test(widths_are_as_asked_for),
		cmocka_unit_test(units_do_not_matter),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
