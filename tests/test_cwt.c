/*
 * test_cwt.c - the continuous wavelet transform: every way against the definition, summed in double
 * with libm; signals whose transform is known; what must not change a bit; bad arguments.
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

#include "core_test.h"
#include "plan/cwt.h"

#define PI 3.14159265358979323846

/* ---- Running ------------------------------------------------------------- */

typedef struct transform {
	wsi_cwt *cwt;
	size_t numbers;         /* of an output */
	void *out;              /* [channel][frequency][output] */
} transform;

static wsi_cwt *
plan_of(size_t n, double fs, ws_type type, const ws_cwt_opts *o, const char *isa)
{
	wsi_cwt *cwt;
	const ws_status status = wsi_cwt_create(&cwt, n, fs, type, o, isa);
	if (status != WS_OK)
		fail_msg("%s: %s", ws_status_name(status), ws_error_detail());
	return cwt;
}

/* Frequencies and outputs in blocks of at most f and t (0: all together). */
static transform
transform_in_blocks(const double *x, size_t channels, size_t n, double fs, ws_type type,
                    const ws_cwt_opts *o, const char *isa, int threads, size_t f, size_t t)
{
	transform r = { .cwt = plan_of(n, fs, type, o, isa) };
	const size_t element = type_size(type), outputs = r.cwt->outputs, count = r.cwt->count;
	r.numbers = wsi_cwt_numbers(r.cwt->o.quantity);
	r.out = need(channels * count * outputs * r.numbers * element);
	void *samples = need(channels * n * element);
	to_type(type, x, channels * n, samples);
	void *spectra = aligned_alloc(64, channels * wsi_cwt_spectrum_bytes(r.cwt));
	void *workspace = aligned_alloc(64, wsi_cwt_workspace(r.cwt, threads));
	wsi_worker workers[8];
	wsi_pool pool;
	wsi_pool_start(&pool, threads, workers);
	assert_int_equal(wsi_cwt_forward(r.cwt, samples, n * element, channels, spectra, &pool, workspace),
	                 WS_OK);
	f = f ? f : count;
	t = t ? t : outputs;
	for (size_t f0 = 0; f0 < count; f0 += f)
		for (size_t t0 = 0; t0 < outputs; t0 += t) {
			const size_t row = outputs * r.numbers * element;
			const wsi_cwt_job block = { .spectra = spectra, .channels = channels, .f0 = f0,
				.f1 = f0 + f < count ? f0 + f : count, .t0 = t0,
				.t1 = t0 + t < outputs ? t0 + t : outputs,
				.out = (char *)r.out + f0 * row + t0 * r.numbers * element,
				.channel_stride = count * row, .frequency_stride = row };
			wsi_cwt_run(r.cwt, &block, &pool, workspace);
		}
	wsi_pool_stop(&pool);
	free(samples);
	free(spectra);
	free(workspace);
	return r;
}

static transform
transform_of(const double *x, size_t n, double fs, ws_type type, const ws_cwt_opts *o)
{
	return transform_in_blocks(x, 1, n, fs, type, o, NULL, 1, 0, 0);
}

static void
transform_free(transform *r)
{
	free(r->out);
	wsi_cwt_destroy(r->cwt);
}

static double complex
coefficient(const transform *r, size_t f, size_t t)
{
	const size_t at = 2 * (f * r->cwt->outputs + t);
	return get(r->cwt->type, r->out, at) + I * get(r->cwt->type, r->out, at + 1);
}

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
	const double share = v <= 0.0 ? 0.0 : v >= 1.0 ? 1.0 : 1.0 / (1.0 + exp(1.0 / v - 1.0 / (1.0 - v)));
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
		turn[t] = cexpl(-2.0L * 3.14159265358979323846264L * I * (long double)t / (long double)length);
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
	case WS_MORLET:
		return w > 0.0 ? all * quarter * exp(-0.5 * (w - a) * (w - a)) : 0.0;
	case WS_MORLET_FULL:
		return all * quarter * exp(-0.5 * (w - a) * (w - a));
	case WS_MORLET_ZERO_MEAN:
		return all * quarter / sqrt(1.0 + exp(-a * a) - 2.0 * exp(-0.75 * a * a)) *
		       (exp(-0.5 * (w - a) * (w - a)) - exp(-0.5 * (a * a + w * w)));
	case WS_MORSE: {
		const double r = (2.0 * a + 1.0) / b;
		return w > 0.0 ? sqrt(2.0 * PI * b * pow(2.0, r) / tgamma(r)) * pow(w, a) *
		                 exp(-pow(w, b)) : 0.0;
	}
	case WS_PAUL:
		return w > 0.0 ? all * pow(2.0, a) / sqrt(a * tgamma(2.0 * a)) * pow(w, a) * exp(-w) : 0.0;
	case WS_DOG:
		return conj(-cpow(I, a)) * all / sqrt(tgamma(a + 0.5)) * pow(w, a) * exp(-0.5 * w * w);
	default:
		return fabs(w - a) < b ? exp(1.0 - 1.0 / (1.0 - (w - a) * (w - a) / (b * b))) : 0.0;
	}
}

/* Largest error of some coefficients of a scale, by the largest of the scale. */
static double
scale_error(const transform *r, const double complex *spectrum, size_t f, size_t points, rng *random)
{
	const wsi_cwt *cwt = r->cwt;
	const size_t length = cwt->length;
	const wsi_cwt_scale *scale = &cwt->scale[f];
	const wsi_wavelet *v = &scale->filter.wavelet;
	const double s = scale->scale * cwt->fs;
	double complex *y = need(length * sizeof *y);
	double peak = 0.0, error = 0.0;
	for (size_t k = 0; k < length; ++k) {
		const double turns = k <= length / 2 ? (double)k : (double)k - (double)length;
		double size = cwt->o.norm == WS_NORM_L2 ? sqrt(scale->scale) : sqrt(s);
		if (cwt->o.norm == WS_NORM_L1 || v->kind == WS_BUMP)
			size = (v->kind == WS_DOG ? 1.0 : 2.0) / cabs(response(v->kind, v->a, v->b, v->peak));
		y[k] = spectrum[k] * size * response(v->kind, v->a, v->b, 2.0 * PI * s * turns / (double)length) /
		       (double)length;
	}
	for (size_t t = 0; t < cwt->outputs; ++t)
		peak = fmax(peak, cabs(coefficient(r, f, t)));
	for (size_t i = 0; i < points; ++i) {
		size_t t = (size_t)rng_int(random, 0, (int)cwt->outputs - 1);
		t = i == 0 ? 0 : i == 1 ? cwt->outputs - 1 : t;
		double complex sum = 0.0;
		for (size_t k = 0; k < length; ++k)
			sum += y[k] * cexp(2.0 * PI * I * (double)(k * t * cwt->o.decimate % length) / (double)length);
		error = fmax(error, cabs(sum - coefficient(r, f, t)));
	}
	free(y);
	return error == 0.0 ? 0.0 : error / peak;
}

/* ---- Signals ------------------------------------------------------------------ */

typedef enum nasty { WHITE, OFFSET, DRIFT, PINK, LINE, NASTY } nasty;

static void
nasty_signal(nasty kind, double *x, size_t n)
{
	rng random = { 7 + (uint64_t)kind };
	double walk = 0.0;
	for (size_t t = 0; t < n; ++t) {
		const double white = rng_normal(&random);
		walk += white;
		x[t] = kind == PINK ? walk : white;
		if (kind == OFFSET)
			x[t] += 1000.0;
		if (kind == DRIFT)
			x[t] += 1000.0 * (double)t / (double)n + 300.0 * sin(2.0 * PI * (double)t / (double)n);
		if (kind == LINE)
			x[t] += 1000.0 * sin(0.013 * (double)t);
	}
}

/* ---- Tests ---------------------------------------------------------------------- */

static void
every_wavelet_is_its_definition(void **state)
{
	(void)state;
	enum { N = 1500 };
	double x[N];
	static const ws_type types[] = { WS_F64, WS_F32 };
	for (int kind = 0; kind < NASTY; ++kind)
		for (int wavelet = WS_MORLET; wavelet <= WS_BUMP; ++wavelet)
			for (int norm = WS_NORM_L1; norm <= WS_NORM_TC; ++norm) {
				if (norm != WS_NORM_L1 && (kind != WHITE || wavelet == WS_BUMP))
					continue;
				nasty_signal(kind, x, N);
				for (int i = 0; i < 2; ++i) {
					ws_cwt_opts o = { .size = sizeof o, .wavelet = wavelet, .norm = norm, .voices = 1 };
					/* Single precision rounds an offset's digits off: the definition sees them too. */
					if (types[i] == WS_F32)
						for (int t = 0; t < N; ++t)
							x[t] = (float)x[t];
					transform r = transform_of(x, N, 250.0, types[i], &o);
					double complex *spectrum = spectrum_of(x, N, r.cwt->length, r.cwt->o.padding,
					                                       r.cwt->centred);
					rng random = { 3 };
					for (size_t f = 0; f < r.cwt->count; ++f) {
						const double e = scale_error(&r, spectrum, f, 6, &random);
						const double most = types[i] == WS_F64 ? 1e-12 : 1e-6;
						if (!(e <= most))
							fail_msg("signal %d, wavelet %d, norm %d, type %d, %g Hz (%s): %g", kind,
							         wavelet, norm, i, r.cwt->scale[f].frequency,
							         wsi_cwt_ways[r.cwt->scale[f].way].name, e);
					}
					free(spectrum);
					transform_free(&r);
				}
			}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_wavelet_is_its_definition),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
