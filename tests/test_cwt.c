/*
 * test_cwt.c - the continuous wavelet transform: every way against the definition, summed in double
 * with libm; what must not change a bit.
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

/* ---- The definition --------------------------------------------------------- */

/* The signal that a plan sees: its samples and what stands beside them. */
static double
padded_sample(const double *x, size_t n, size_t length, ws_padding padding, size_t t)
{
	if (t < n)
		return x[t];
	if (padding == WS_PADDING_ZERO)
		return 0.0;
	const double v = 5.0 * ((double)(t - n) + 0.5) / (double)(length - n) - 2.0;
	const double share = v <= 0.0 ? 0.0 : v >= 1.0 ? 1.0
		: 1.0 / (1.0 + exp(1.0 / v - 1.0 / (1.0 - v)));
	long i = (long)t, k = (long)t - (long)length;
	while (i < 0 || i >= (long)n)
		i = i < 0 ? -i : 2 * ((long)n - 1) - i;
	while (k < 0 || k >= (long)n)
		k = k < 0 ? -k : 2 * ((long)n - 1) - k;
	return (1.0 - share) * x[i] + share * x[k];
}

static double complex *
spectrum_of(const double *x, size_t n, size_t length, ws_padding padding, bool centre)
{
	/* A strong slow wave makes the rounding of double show in the bins beside it. */
	long double complex *turn = need(length * sizeof *turn);
	double complex *spectrum = need(length * sizeof *spectrum);
	double *p = need(length * sizeof *p), mean = 0.0;
	for (size_t t = 0; t < n; ++t)
		mean += x[t] / (double)n;
	for (size_t t = 0; t < length; ++t) {
		turn[t] = cexpl(-2.0L * 3.14159265358979323846264L * I *
		                (long double)t / (long double)length);
		p[t] = padded_sample(x, n, length, padding, t) - (centre ? mean : 0.0);
	}
	for (size_t k = 0; k < length; ++k) {
		long double complex sum = 0.0L;
		for (size_t t = 0; t < length; ++t)
			sum += p[t] * turn[k * t % length];
		spectrum[k] = (double complex)sum;
	}
	free(turn);
	free(p);
	return spectrum;
}

/* conj(psi^(w)), unit energy in time; formulae of include/wavesift/cwt.h and of T&C, table 1. */
static double complex
response(ws_wavelet kind, double a, double b, double w)
{
	const double quarter = pow(PI, -0.25), all = sqrt(2.0 * PI);
	switch (kind) {
	case WS_WAVELET_MORLET:
		return w > 0.0 ? all * quarter * exp(-0.5 * (w - a) * (w - a)) : 0.0;
	case WS_WAVELET_MORLET_FULL:
		return all * quarter * exp(-0.5 * (w - a) * (w - a));
	case WS_WAVELET_MORLET_ZERO_MEAN:
		return all * quarter / sqrt(1.0 + exp(-a * a) - 2.0 * exp(-0.75 * a * a)) *
		       (exp(-0.5 * (w - a) * (w - a)) - exp(-0.5 * (a * a + w * w)));
	case WS_WAVELET_MORSE: {
		const double r = (2.0 * a + 1.0) / b;
		return w > 0.0 ? sqrt(2.0 * PI * b * pow(2.0, r) / tgamma(r)) * pow(w, a) *
		                 exp(-pow(w, b)) : 0.0;
	}
	case WS_WAVELET_PAUL:
		return w > 0.0 ? all * pow(2.0, a) / sqrt(a * tgamma(2.0 * a)) * pow(w, a) * exp(-w)
			: 0.0;
	case WS_WAVELET_DOG:
		return conj(-cpow(I, a)) * all / sqrt(tgamma(a + 0.5)) * pow(w,
		                                                             a) * exp(-0.5 * w * w);
	default:
		return fabs(w - a) < b ? exp(1.0 - 1.0 / (1.0 - (w - a) * (w - a) / (b * b))) : 0.0;
	}
}

/* The period of a signal between its mirror images. */
static size_t
mirrored_period(size_t n)
{
	return 2 * n - 2;
}

/* Largest error of some coefficients of a scale, by the largest of the scale; spectrum: of a line
 * that repeats after `length` samples. */
static double
scale_error(const transform *r, const double complex *spectrum, size_t length, size_t f,
            size_t points, rng *random)
{
	const wsi_cwt *cwt = r->cwt;
	const wsi_cwt_scale *scale = &cwt->scale[f];
	const wsi_wavelet *v = &scale->response.wavelet;
	const double s = scale->scale * cwt->fs;
	double complex *y = need(length * sizeof *y);
	double peak = 0.0, error = 0.0;
	for (size_t k = 0; k < length; ++k) {
		const double turns = k <= length / 2 ? (double)k : (double)k - (double)length;
		double size = cwt->o.norm == WS_NORM_L2 ? sqrt(scale->scale) : sqrt(s);
		if (cwt->o.norm == WS_NORM_L1 || v->kind == WS_WAVELET_BUMP)
			size = (v->kind == WS_WAVELET_DOG ? 1.0 : 2.0) / cabs(response(v->kind,
			                                                               v->a, v->b,
			                                                       v->peak));
		const double w = 2.0 * PI * s * turns / (double)length;
		double complex here = response(v->kind, v->a, v->b, w);
		/* Half of that of half the rate belongs to either side. */
		if (2 * k == length)
			here = 0.5 * (here + response(v->kind, v->a, v->b, -w));
		y[k] = spectrum[k] * size * here / (double)length;
	}
	for (size_t t = 0; t < cwt->outputs; ++t)
		peak = fmax(peak, cabs(coefficient(r, f, t)));
	for (size_t i = 0; i < points; ++i) {
		size_t t = (size_t)rng_int(random, 0, (int)cwt->outputs - 1);
		t = i == 0 ? 0 : i == 1 ? cwt->outputs - 1 : t;
		double complex sum = 0.0;
		for (size_t k = 0; k < length; ++k)
			sum += y[k] *
				cexp(2.0 * PI * I *
				     (double)(k * t * cwt->o.decimate % length) / (double)length);
		error = fmax(error, cabs(sum - coefficient(r, f, t)));
	}
	free(y);
	return error == 0.0 ? 0.0 : error / peak;
}

/* ---- Tests ---------------------------------------------------------------------- */

static void
every_wavelet_is_its_definition(void **state)
{
	(void)state;
	enum { N = 700 };
	double x[N];
	static const ws_type types[] = { WS_F64, WS_F32 };
	for (int kind = 0; kind < NASTY; ++kind)
		for (int wavelet = WS_WAVELET_MORLET; wavelet <= WS_WAVELET_BUMP; ++wavelet)
			for (int norm = WS_NORM_L1; norm <= WS_NORM_TC; ++norm) {
				if (norm != WS_NORM_L1 && (kind != WHITE ||
				                           wavelet == WS_WAVELET_BUMP))
					continue;
				nasty_signal(kind, x, N);
				for (int i = 0; i < 2; ++i) {
					ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT,
						.wavelet = wavelet,
						.norm = norm, .voices = 1 };
					/* Single precision rounds an offset's digits off: the
					 * definition sees them too. */
					if (types[i] == WS_F32)
						for (int t = 0; t < N; ++t)
							x[t] = (float)x[t];
					transform r = transform_of(x, N, 250.0, types[i], &o);
					const size_t period = mirrored_period(N);
					double complex *spectrum = spectrum_of(x, N, period,
					                                       r.cwt->o.padding,
					                                       r.cwt->centred);
					rng random = { 3 };
					for (size_t f = 0; f < r.cwt->count; ++f) {
						const double e = scale_error(&r, spectrum, period,
						                             f, 6, &random);
						const double most = types[i] == WS_F64 ? 1e-12
							: 1e-6;
						if (!(e <= most))
							fail_msg("signal %d, wavelet %d, norm %d, "
							         "type %d, %g Hz (way %d): %g", kind,
							         wavelet, norm, i,
							         r.cwt->scale[f].frequency,
							         r.cwt->scale[f].way, e);
					}
					free(spectrum);
					transform_free(&r);
				}
			}
}

/* Periodic signals of any length: of an odd one both bins beside half the rate count. */
static void
odd_lengths_have_all_their_bins(void **state)
{
	(void)state;
	static const size_t lengths[] = { 1, 2, 3, 5, 7, 16, 31, 97, 256, 257, 389 };
	static const ws_type types[] = { WS_F64, WS_F32 };
	const double f[] = { 0.21, 0.35, 0.5 };
	double x[389];
	nasty_signal(WHITE, x, 389);
	for (int t = 0; t < 389; ++t)
		x[t] = (float)x[t];
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i)
		for (int wavelet = WS_WAVELET_MORLET; wavelet <= WS_WAVELET_BUMP; ++wavelet)
			for (int k = 0; k < 2; ++k) {
				const size_t n = lengths[i];
				const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT,
					.wavelet = wavelet,
					.padding = WS_PADDING_PERIODIC, .frequencies = f,
					.frequency_count = 3 };
				transform r = transform_of(x, n, 1.0, types[k], &o);
				assert_int_equal(r.cwt->length, n);
				double complex *spectrum = spectrum_of(x, n, n, o.padding,
				                                       r.cwt->centred);
				rng random = { n };
				for (size_t row = 0; row < 3; ++row) {
					const double e = scale_error(&r, spectrum, n, row, 6,
					                             &random);
					if (!(e <= (types[k] == WS_F64 ? 1e-11 : 1e-5)))
						fail_msg("%zu samples, wavelet %d, type %d, %g: %g",
						         n, wavelet, k, f[row], e);
				}
				free(spectrum);
				transform_free(&r);
			}
}

/* The same through the library's own transform to the spectrum, which the next test holds to the
 * definition: signals long enough for every grid. */
static void
long_signals_keep_their_accuracy(void **state)
{
	(void)state;
	const size_t n = 40000;
	double *x = need(n * sizeof *x);
	static const ws_type types[] = { WS_F64, WS_F32 };
	bool seen[WSI_CWT_WAYS] = { false };
	for (int kind = 0; kind < NASTY; ++kind)
		for (int i = 0; i < 2; ++i)
			for (size_t decimate = 1; decimate <= 12; decimate += 11) {
				if (thinned_out(2 * (2 * kind + i) + (decimate > 1)))
					continue;
				nasty_signal(kind, x, n);
				for (size_t t = 0; t < n; ++t)
					x[t] = types[i] == WS_F32 ? (float)x[t] : x[t];
				/* In double precision one that has fallen to nothing at 0. */
				const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT,
					.freqs.low = 0.1,
					.freqs.high = 120.0, .voices = 1, .decimate = decimate,
					.param = { types[i] == WS_F64 ? 9.0 : 6.0 } };
				transform r = transform_of(x, n, 250.0, types[i], &o);
				const size_t length = mirrored_period(n);
				wsi_dft dft;
				assert_int_equal(wsi_dft_create(&dft, r.cwt->wide, length), WS_OK);
				assert_int_equal(wsi_dft_add_inverse(&dft), WS_OK);
				assert_int_equal(wsi_dft_fill(&dft, NULL), WS_OK);
				double *p = need(4 * length * sizeof *p), mean = 0.0;
				for (size_t t = 0; t < n; ++t)
					mean += x[t] / (double)n;
				for (size_t t = 0; t < length; ++t) {
					p[t] = padded_sample(x, n, length, WS_PADDING_REFLECT,
					                     t) - mean;
					p[length + t] = 0.0;
				}
				void *scratch = aligned_alloc(64, wsi_dft_scratch(&dft));
				wsi_dft_inverse(&dft, p, p + length, p + 2 * length,
				                p + 3 * length, scratch);
				double complex *spectrum = need(length * sizeof *spectrum);
				for (size_t k = 0; k < length; ++k)
					spectrum[k] = p[2 * length + k] - I * p[3 * length + k];
				rng random = { 5 };
				for (size_t f = 0; f < r.cwt->count; ++f) {
					const double e = scale_error(&r, spectrum, length, f, 3,
					                             &random);
					seen[r.cwt->scale[f].way] = true;
					if (!(e <= (types[i] == WS_F64 ? 1e-12 : 1e-6)))
						fail_msg("signal %d, type %d, decimated by %zu, %g "
						         "Hz (%s): %g", kind, i,
						         decimate, r.cwt->scale[f].frequency,
						         wsi_cwt_ways[r.cwt->scale[f].way].name, e);
				}
				free(spectrum);
				free(scratch);
				free(p);
				wsi_dft_destroy(&dft);
				transform_free(&r);
			}
	assert_true(seen[0] && seen[1]);
	free(x);
}

static void
transforms_of_any_length(void **state)
{
	(void)state;
	static const size_t lengths[] = { 1, 2, 3, 7, 97, 256, 768, 1000, 1280, 2048, 3840, 4999 };
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
		const size_t n = lengths[i];
		wsi_dft dft;
		assert_int_equal(wsi_dft_create(&dft, wsi_ops_find("plain", WS_F64), n), WS_OK);
		assert_int_equal(wsi_dft_add_inverse(&dft), WS_OK);
		assert_int_equal(wsi_dft_fill(&dft, NULL), WS_OK);
		double *v = need(4 * n * sizeof *v);
		rng random = { n };
		for (size_t k = 0; k < 2 * n; ++k)
			v[k] = rng_normal(&random);
		void *scratch = aligned_alloc(64, wsi_dft_scratch(&dft));
		wsi_dft_inverse(&dft, v, v + n, v + 2 * n, v + 3 * n, scratch);
		for (size_t t = 0; t < n; t += 1 + n / 50) {
			long double complex sum = 0.0L;
			for (size_t k = 0; k < n; ++k)
				sum += (v[k] + I * v[n + k]) *
				       cexpl(2.0L * 3.14159265358979323846264L * I *
				             (long double)(k * t % n) / (long double)n);
			const double error = cabs((double complex)sum -
			                          (v[2 * n + t] + I * v[3 * n + t]));
			assert_true(error <= 1e-14 * sqrt((double)n) * 10.0);
		}
		/* Real samples forward: the conjugate of the inverse transform. */
		memset(v + n, 0, n * sizeof *v);
		wsi_dft_inverse(&dft, v, v + n, v + 2 * n, v + 3 * n, scratch);
		const size_t room = wsi_dft_forward_numbers(&dft);
		double *re = need(room * sizeof *re), *im = need(room * sizeof *im);
		for (size_t t = 0; t < n; ++t)
			wsi_dft_put(&dft, t, v[t], re, im);
		free(scratch);
		scratch = aligned_alloc(64, wsi_dft_forward_scratch(&dft));
		wsi_dft_forward(&dft, re, im, scratch);
		for (size_t k = 0; k <= n / 2 && k < n; ++k) {
			assert_true(fabs(re[k] - v[2 * n + k]) <= 1e-13 * sqrt((double)n));
			assert_true(fabs(im[k] + v[3 * n + k]) <= 1e-13 * sqrt((double)n));
		}
		free(re);
		free(im);
		free(scratch);
		free(v);
		wsi_dft_destroy(&dft);
	}
}

static bool
same_bits(const transform *a, const transform *b)
{
	const size_t bytes = a->cwt->count * a->cwt->outputs * a->numbers * type_size(a->cwt->type);
	return memcmp(a->out, b->out, bytes) == 0;
}

/* Threads, blocks of frequencies and of time, instruction sets. */
static void
no_cut_changes_a_bit(void **state)
{
	(void)state;
	enum { N = SANITIZED ? 3000 : 9000 };
	double x[3 * N];
	for (int c = 0; c < 3; ++c)
		nasty_signal(c, x + c * N, N);
	static const ws_type types[] = { WS_F64, WS_F32 };
	/* Taps of a reference, as complex numbers, of every and of every second sample. */
	enum { TAPS = WS_QUANTITY_COMPLEX - 2 };
	for (int i = 0; i < 2; ++i)
		for (int q = TAPS; q <= WS_QUANTITY_PHASE; ++q) {
			const bool taps = q < WS_QUANTITY_COMPLEX;
			const int quantity = taps ? WS_QUANTITY_COMPLEX : q;
			const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT,
				.voices = taps ? 0 : 3, .quantity = quantity,
				.freqs = { .count = taps ? 5 : 0, .high = taps ? 0.2 : 0,
					.low = taps ? 0.02 : 0 },
				.reference = taps ? WS_CWT_REF_MNE : 0,
				.decimate = q > TAPS && taps ? 2 : 1,
				.wavelet = quantity == WS_QUANTITY_POWER ? WS_WAVELET_MORSE
					: quantity == WS_QUANTITY_PHASE
					? WS_WAVELET_DOG : 0 };
			transform whole = transform_in_blocks(x, 3, N, 1.0, types[i], &o, NULL, 1,
			                                      0, 0);
			transform cut = transform_in_blocks(x, 3, N, 1.0, types[i], &o, NULL, 3,
			                                    5, 777);
			assert_true(same_bits(&whole, &cut));
			transform_free(&cut);
			for (int k = 0; isa_to_test(k); ++k) {
				if (strcmp(isa_to_test(k), "ref") == 0)
					continue;
				transform other = transform_in_blocks(x, 3, N, 1.0, types[i], &o,
				                                      isa_to_test(k), 2, 0, 0);
				if (!same_bits(&whole, &other))
					fail_msg("%s differs", isa_to_test(k));
				transform_free(&other);
			}
			transform_free(&whole);
		}
}

/* The plain twins, slot by slot, within rounding. */
static void
kernels_are_their_twins(void **state)
{
	(void)state;
	enum { N = 230 };
	double x[N];
	nasty_signal(PINK, x, N);
	enum { TAPS = WS_WAVELET_BUMP + 1 }; /* of a reference */
	for (int wavelet = WS_WAVELET_MORLET; wavelet <= TAPS; ++wavelet)
		for (int quantity = WS_QUANTITY_COMPLEX; quantity <= WS_QUANTITY_POWER; ++quantity) {
			if (SANITIZED && (wavelet + quantity) % 3)
				continue;
			const bool taps = wavelet == TAPS;
			const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT,
				.freqs.count = 3, .freqs.high = 0.2,
				.freqs.low = taps ? 0.1 : 0.01, .quantity = quantity,
				.wavelet = taps ? 0 : wavelet,
				.reference = taps ? WS_CWT_REF_MNE : 0,
				.padding = WS_PADDING_ZERO };
			transform a = transform_of(x, N, 1.0, WS_F64, &o);
			transform b = transform_in_blocks(x, 1, N, 1.0, WS_F64, &o, "ref", 1, 0, 0);
			const size_t row = N * a.numbers;
			for (size_t f = 0; f < a.cwt->count; ++f) {
				double peak = 0.0, error = 0.0;
				for (size_t i = f * row; i < (f + 1) * row; ++i) {
					peak = fmax(peak, fabs(get(WS_F64, b.out, i)));
					error = fmax(error, fabs(get(WS_F64, a.out,
					                             i) - get(WS_F64, b.out, i)));
				}
				assert_true(error <= 1e-12 * peak);
			}
			transform_free(&a);
			transform_free(&b);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transforms_of_any_length),
		cmocka_unit_test(every_wavelet_is_its_definition),
		cmocka_unit_test(odd_lengths_have_all_their_bins),
		cmocka_unit_test(long_signals_keep_their_accuracy),
		cmocka_unit_test(no_cut_changes_a_bit),
		cmocka_unit_test(kernels_are_their_twins),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
