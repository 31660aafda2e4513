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
#include "transform/cwt.h"

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
	assert_int_equal(wsi_cwt_forward(r.cwt, samples, n * element, channels, spectra, &pool,
	                                 NULL, workspace), WS_OK);
	f = f ? f : count;
	t = t ? t : outputs;
	for (size_t f0 = 0; f0 < count; f0 += f)
		for (size_t t0 = 0; t0 < outputs; t0 += t) {
			const size_t row = outputs * r.numbers * element;
			const wsi_cwt_job block = { .spectra = spectra, .channels = channels,
				.f0 = f0,
				.f1 = f0 + f < count ? f0 + f : count, .t0 = t0,
				.t1 = t0 + t < outputs ? t0 + t : outputs,
				.out = (char *)r.out + f0 * row + t0 * r.numbers * element,
				.channel_stride = count * row, .frequency_stride = row };
			wsi_cwt_run(r.cwt, &block, &pool, NULL, workspace);
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
		return w > 0.0 ? all * pow(2.0, a) / sqrt(a * tgamma(2.0 * a)) * pow(w, a) * exp(-w)
			: 0.0;
	case WS_DOG:
		return conj(-cpow(I, a)) * all / sqrt(tgamma(a + 0.5)) * pow(w,
		                                                             a) * exp(-0.5 * w * w);
	default:
		return fabs(w - a) < b ? exp(1.0 - 1.0 / (1.0 - (w - a) * (w - a) / (b * b))) : 0.0;
	}
}

/* Largest error of some coefficients of a scale, by the largest of the scale. */
static double
scale_error(const transform *r, const double complex *spectrum, size_t f, size_t points,
            rng *random)
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
			size = (v->kind == WS_DOG ? 1.0 : 2.0) / cabs(response(v->kind, v->a, v->b,
			                                                       v->peak));
		y[k] = spectrum[k] * size * response(v->kind, v->a, v->b,
		                                     2.0 * PI * s * turns / (double)length) /
		       (double)length;
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
			x[t] += 1000.0 * (double)t / (double)n + 300.0 *
				sin(2.0 * PI * (double)t / (double)n);
		if (kind == LINE)
			x[t] += 1000.0 * sin(0.013 * (double)t);
	}
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
		for (int wavelet = WS_MORLET; wavelet <= WS_BUMP; ++wavelet)
			for (int norm = WS_NORM_L1; norm <= WS_NORM_TC; ++norm) {
				if (norm != WS_NORM_L1 && (kind != WHITE || wavelet == WS_BUMP))
					continue;
				nasty_signal(kind, x, N);
				for (int i = 0; i < 2; ++i) {
					ws_cwt_opts o = { .size = sizeof o, .wavelet = wavelet,
						.norm = norm, .voices = 1 };
					/* Single precision rounds an offset's digits off: the
					 * definition sees them too. */
					if (types[i] == WS_F32)
						for (int t = 0; t < N; ++t)
							x[t] = (float)x[t];
					transform r = transform_of(x, N, 250.0, types[i], &o);
					double complex *spectrum = spectrum_of(x, N, r.cwt->length,
					                                       r.cwt->o.padding,
					                                       r.cwt->centred);
					rng random = { 3 };
					for (size_t f = 0; f < r.cwt->count; ++f) {
						const double e = scale_error(&r, spectrum, f, 6,
						                             &random);
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
				const ws_cwt_opts o = { .size = sizeof o, .f_min = 0.1,
					.f_max = 120.0, .voices = 1,
					.decimate = decimate };
				transform r = transform_of(x, n, 250.0, types[i], &o);
				const size_t length = r.cwt->length;
				double *p = need(4 * length * sizeof *p), mean = 0.0;
				for (size_t t = 0; t < n; ++t)
					mean += x[t] / (double)n;
				for (size_t t = 0; t < length; ++t) {
					p[t] = padded_sample(x, n, length, WS_PADDING_REFLECT,
					                     t) - mean;
					p[length + t] = 0.0;
				}
				void *scratch = aligned_alloc(64, wsi_dft_scratch(&r.cwt->dft));
				wsi_dft_inverse(&r.cwt->dft, p, p + length, p + 2 * length,
				                p + 3 * length, scratch);
				double complex *spectrum = need(length * sizeof *spectrum);
				for (size_t k = 0; k < length; ++k)
					spectrum[k] = p[2 * length + k] - I * p[3 * length + k];
				rng random = { 5 };
				for (size_t f = 0; f < r.cwt->count; ++f) {
					const double e = scale_error(&r, spectrum, f, 3, &random);
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
		double *x = need(4 * n * sizeof *x);
		memcpy(x, v, n * sizeof *x);
		wsi_dft_forward(&dft, x, x + 2 * n, x + 3 * n, scratch);
		for (size_t k = 0; k <= n / 2 && k < n; ++k) {
			assert_true(fabs(x[2 * n + k] - v[2 * n + k]) <= 1e-13 * sqrt((double)n));
			assert_true(fabs(x[3 * n + k] + v[3 * n + k]) <= 1e-13 * sqrt((double)n));
		}
		free(x);
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
	enum { N = 9000 };
	double x[3 * N];
	for (int c = 0; c < 3; ++c)
		nasty_signal(c, x + c * N, N);
	static const ws_type types[] = { WS_F64, WS_F32 };
	for (int i = 0; i < 2; ++i)
		for (int quantity = WS_COMPLEX; quantity <= WS_PHASE; ++quantity) {
			const ws_cwt_opts o = { .size = sizeof o, .voices = 3, .quantity = quantity,
				.wavelet = quantity == WS_POWER ? WS_MORSE : quantity == WS_PHASE
					? WS_DOG : 0 };
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
	for (int wavelet = WS_MORLET; wavelet <= WS_BUMP; ++wavelet)
		for (int quantity = WS_COMPLEX; quantity <= WS_POWER; ++quantity) {
			const ws_cwt_opts o = { .size = sizeof o, .count = 3, .f_max = 0.2,
				.f_min = 0.01,
				.quantity = quantity, .wavelet = wavelet,
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
		for (int wavelet = WS_MORLET; wavelet <= WS_BUMP; ++wavelet) {
			const ws_cwt_opts o = { .size = sizeof o, .wavelet = wavelet,
				.frequencies = &f[i],
				.frequency_count = 1 };
			transform r = transform_of(x, N, fs, WS_F64, &o);
			for (int t = N / 2; t < N / 2 + 100; ++t) {
				double complex want = cexp(I * (2.0 * PI * f[i] * t / fs + 0.4));
				want = wavelet == WS_DOG ? creal(want) : want;
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

/* The ridge of a chirp is where its frequency is. */
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
		const ws_cwt_opts o = { .size = sizeof o, .f_min = 0.01, .f_max = 0.3,
			.voices = 40, .quantity = WS_MAGNITUDE };
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
	const ws_cwt_opts o = { .size = sizeof o, .wavelet = WS_MORLET_FULL,
		.padding = WS_PADDING_ZERO, .f_min = 0.002, .f_max = 0.2, .voices = 8 };
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

/* Two hours at 1 kHz go into 256 MiB: of each sample some 30 bytes are needed at a time. */
static void
long_recordings_take_little(void **state)
{
	(void)state;
	const double f = 0.01;
	const ws_cwt_opts o = { .size = sizeof o, .frequencies = &f, .frequency_count = 1,
		.quantity = WS_POWER, .decimate = 1000 };
	wsi_cwt *cwt;
	enum { N = 2000000 };
	assert_int_equal(wsi_cwt_create(&cwt, N, 1.0, WS_F32, &o, NULL), WS_OK);
	const size_t bytes = wsi_cwt_workspace(cwt, 1) + wsi_cwt_spectrum_bytes(cwt);
	if (bytes >= 31 * cwt->length)
		fail_msg("%zu bytes for %zu samples", bytes, cwt->length);
	wsi_cwt_destroy(cwt);
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
	const ws_cwt_opts o = { .size = sizeof o, .padding = WS_PADDING_PERIODIC,
		.norm = WS_NORM_TC,
		.f_min = 0.01, .f_max = 0.3, .voices = 2 };
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
	static const struct { ws_wavelet kind; double m, c_delta, fourier, cone; } known[] = {
		{ WS_MORLET, 6.0, 0.776, 1.03, 1.41421 },
		{ WS_PAUL, 4.0, 1.132, 1.396, 0.70711 },
		{ WS_DOG, 2.0, 3.541, 3.974, 1.41421 },
		{ WS_DOG, 6.0, 1.966, 2.465, 1.41421 },
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
		wsi_wavelet v;
		assert_int_equal(wsi_wavelet_make(&v, known[i].kind, (double[2]){ known[i].m }),
		                 WS_OK);
		const wsi_wavelet_facts facts = wsi_wavelet_facts_of(&v);
		/* Theirs of DOG are sums over few scales; the integrals are 3.616 and 1.929. */
		const double c_delta = wsi_wavelet_c_delta(&v);
		if (!(fabs(c_delta / known[i].c_delta - 1.0) < (known[i].kind == WS_DOG ? 0.025
		                                                : 0.005)))
			fail_msg("%zu: C_delta is %g", i, c_delta);
		assert_true(fabs(2.0 * PI / facts.fourier / known[i].fourier - 1.0) < 0.005);
		assert_true(fabs(facts.cone / known[i].cone - 1.0) < 1e-5);
	}
	/* sqrt(beta gamma) is the Morse wavelet's duration (Lilly & Olhede 2009). */
	wsi_wavelet v;
	assert_int_equal(wsi_wavelet_make(&v, WS_MORSE, (double[2]){ 20.0, 3.0 }), WS_OK);
	const wsi_wavelet_facts facts = wsi_wavelet_facts_of(&v);
	assert_true(fabs(facts.width_time * v.peak * sqrt(2.0) / sqrt(60.0) - 1.0) < 0.02);
	assert_true(facts.width_time * facts.width_frequency >= 0.5);
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
	refuses(&(ws_cwt_opts){ .size = size, .f_max = 60.0, .f_min = 1.0 }, 100, "above half");
	refuses(&(ws_cwt_opts){ .size = size, .f_max = 1.0, .f_min = 2.0 }, 100, "lowest");
	refuses(&(ws_cwt_opts){ .size = size, .spacing = WS_SPACING_LINEAR }, 100, "number of "
	        "frequencies");
	refuses(&(ws_cwt_opts){ .size = size, .voices = -1 }, 100, "voices");
	refuses(&(ws_cwt_opts){ .size = size, .wavelet = 8 }, 100, "wavelet 8");
	refuses(&(ws_cwt_opts){ .size = size, .wavelet = WS_PAUL, .param = { 1.5 } }, 100, "whole "
	        "number");
	refuses(&(ws_cwt_opts){ .size = size, .wavelet = WS_BUMP, .param = { 1.0, 2.0 } }, 100,
	        "sigma");
	refuses(&(ws_cwt_opts){ .size = size, .wavelet = WS_MORSE, .cycles = &few,
		.cycle_count = 1 }, 100,
	        "Morlet");
	refuses(&(ws_cwt_opts){ .size = size, .cycles = f, .cycle_count = 2, .count = 3 }, 100,
	        "cycles");
	refuses(&(ws_cwt_opts){ .size = size, .reference = 99 }, 100, "reference");
	refuses(&(ws_cwt_opts){ .size = size, .decimate = 101 }, 100, "decimate");
	refuses(&(ws_cwt_opts){ .size = size, .reference = WS_CWT_REF_MNE, .f_min = 0.5,
		.f_max = 40.0 }, 100,
	        "longer than the signal");
	refuses(&(ws_cwt_opts){ .size = size, .reference = WS_CWT_REF_MNE, .wavelet = WS_PAUL,
		.f_min = 20.0, .f_max = 40.0 }, 100, "Morlet wavelets only");
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
		const ws_cwt_opts o = { .size = sizeof o, .frequencies = unsorted,
			.frequency_count = 5,
			.padding = padding };
		transform r = transform_of(x, N, 100.0, WS_F64, &o);
		ws_cwt_row low, high;
		wsi_cwt_row(r.cwt, 2, &low);
		wsi_cwt_row(r.cwt, 1, &high);
		assert_true(low.shaded && !high.shaded && high.frequency == 40.0);
		for (size_t t = 0; t < N; ++t) {
			assert_true(coefficient(&r, 1, t) == coefficient(&r, 3, t));
			assert_true(isfinite(creal(coefficient(&r, 2, t))));
		}
		transform_free(&r);
	}
	for (size_t n = 1; n < 20; ++n) {
		const ws_cwt_opts o = { .size = sizeof o };
		transform r = transform_of(x, n, 100.0, WS_F32, &o);
		assert_true(r.cwt->count >= 1);
		for (size_t t = 0; t < n; ++t)
			assert_true(isfinite(cabs(coefficient(&r, 0, t))));
		transform_free(&r);
	}
	/* PyWavelets takes wavelets that are longer than the signal. */
	const double slow = 0.3;
	const ws_cwt_opts long_taps = { .size = sizeof long_taps, .reference = WS_CWT_REF_PYWT,
		.frequencies = &slow, .frequency_count = 1 };
	transform taps = transform_of(x, N, 100.0, WS_F64, &long_taps);
	assert_true(taps.cwt->scale[0].tap_count > 2 * N);
	transform_free(&taps);
	/* A reference's length with another padding: T&C's 1024 samples, wrapped around. */
	const ws_cwt_opts wrapped = { .size = sizeof wrapped, .reference = WS_CWT_REF_TC,
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
	const ws_cwt_opts o = { .size = sizeof o, .count = many, .f_min = 1.0, .f_max = 40.0,
		.spacing = WS_SPACING_LINEAR };
	wsi_cwt *cwt = plan_of(N, 100.0, WS_F32, &o, NULL);
	assert_int_equal(cwt->count, many);
	assert_true(cwt->scale[0].frequency == 40.0 && cwt->scale[many - 1].frequency == 1.0);
	wsi_cwt_destroy(cwt);
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
	const ws_cwt_opts o = { .size = sizeof o, .voices = 2 };
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

/* Width by cycles and by half maximum: one wavelet said in three ways. */
static void
widths_are_as_asked_for(void **state)
{
	(void)state;
	const double f = 8.0, cycles = 5.0, deviation = cycles / (2.0 * PI * f);
	const double fwhm = deviation * sqrt(8.0 * log(2.0));
	const ws_cwt_opts o[] = {
		{ .size = sizeof *o, .frequencies = &f, .frequency_count = 1, .param = { cycles } },
		{ .size = sizeof *o, .frequencies = &f, .frequency_count = 1, .cycles = &cycles,
		  .cycle_count = 1 },
		{ .size = sizeof *o, .frequencies = &f, .frequency_count = 1, .fwhm = fwhm },
	};
	for (int i = 0; i < 3; ++i) {
		wsi_cwt *cwt = plan_of(1000, 100.0, WS_F32, &o[i], NULL);
		ws_cwt_row row;
		wsi_cwt_row(cwt, 0, &row);
		assert_true(fabs(row.omega0 / cycles - 1.0) < 1e-14);
		/* |psi|^2 is narrower than the envelope by sqrt 2. */
		assert_true(fabs(row.width_time * sqrt(2.0) / deviation - 1.0) < 1e-14);
		assert_true(fabs(row.width_time * row.width_frequency * 4.0 * PI - 1.0) < 1e-14);
		assert_true(fabs(row.scale / deviation - 1.0) < 1e-14);
		wsi_cwt_destroy(cwt);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transforms_of_any_length),
		cmocka_unit_test(every_wavelet_is_its_definition),
		cmocka_unit_test(long_signals_keep_their_accuracy),
		cmocka_unit_test(no_cut_changes_a_bit),
		cmocka_unit_test(kernels_are_their_twins),
		cmocka_unit_test(tones_have_their_amplitude),
		cmocka_unit_test(chirps_are_where_they_are),
		cmocka_unit_test(the_integral),
		cmocka_unit_test(long_recordings_take_little),
		cmocka_unit_test(laws_hold),
		cmocka_unit_test(facts_are_those_published),
		cmocka_unit_test(widths_are_as_asked_for),
		cmocka_unit_test(units_do_not_matter),
		cmocka_unit_test(bad_options_are_named),
		cmocka_unit_test(odd_jobs_run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
