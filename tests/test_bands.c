/*
 * test_bands.c - the inverse wavelet transform: signals come back, bands share them out, power adds
 * up to the variance; coefficients in hand; mistakes.
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

#include "api_test.h"
#include "core_test.h"

#define PI 3.14159265358979323846
#define FS 250.0

/* ---- Running ------------------------------------------------------------------------------ */

typedef struct made {
	ws_ctx *ctx;
	ws_plan *plan;
	int main;               /* number of its main array */
	size_t size;            /* elements of that array */
	void *out;
	double of_band[5][64];  /* WS_BANDS_LOW .. */
} made;

/* Of n samples the results of those from `before` on, but for the last `after`. */
static made
plan_of_part(const char *name, size_t channels, size_t n, size_t before, size_t after, ws_type type,
             const ws_cwt_opts *o, int threads)
{
	made m = { .main = -1 };
	const ws_ctx_opts c = { .size = sizeof c, .threads = threads, .device = "cpu" };
	const ws_shape shape = { .size = sizeof shape, .channels = channels,
		.samples = n - before - after, .type = type, .fs = FS, .before = before,
		.after = after };
	assert_int_equal(ws_ctx_create(&m.ctx, &c), WS_OK);
	if (ws_plan_create(&m.plan, m.ctx, name, &shape, o) != WS_OK)
		fail_msg("%s", ws_error_detail());
	return m;
}

static made
plan_of(const char *name, size_t channels, size_t n, ws_type type, const ws_cwt_opts *o,
        int threads)
{
	return plan_of_part(name, channels, n, 0, 0, type, o, threads);
}

/* x: [channels][n] */
static made
run_part(const char *name, const double *x, size_t channels, size_t n, size_t before,
         size_t after, ws_type type, const ws_cwt_opts *o, int threads)
{
	made m = plan_of_part(name, channels, n, before, after, type, o, threads);
	ws_buffer buffers[16] = { { .data = NULL } };
	for (int i = 0; i < ws_plan_arrays(m.plan); ++i) {
		ws_array a = { .size = sizeof a };
		assert_int_equal(ws_plan_array(m.plan, i, &a), WS_OK);
		size_t size = a.type == WS_C64 || a.type == WS_C128 ? 2 : 1;
		for (int k = 0; k < a.rank; ++k)
			size *= a.extent[k];
		if (size && a.flags & WS_ARRAY_MAIN) {
			m.main = i;
			m.size = size;
			buffers[i].data = m.out = need(size * type_size(type));
		}
		if (size && strcmp(name, "bands") == 0 && i >= WS_BANDS_LOW)
			buffers[i].data = m.of_band[i - WS_BANDS_LOW];
	}
	void *samples = need(channels * n * type_size(type));
	to_type(type, x, channels * n, samples);
	void *workspace = aligned_alloc(64, ws_plan_workspace(m.plan) + 64);
	const ws_io io = { .size = sizeof io, .x = samples, .arrays = buffers, .n_arrays = 16 };
	if (ws_execute(m.plan, &io, workspace) != WS_OK)
		fail_msg("%s", ws_error_detail());
	free(workspace);
	free(samples);
	return m;
}

static made
run_plan(const char *name, const double *x, size_t channels, size_t n, ws_type type,
         const ws_cwt_opts *o, int threads)
{
	return run_part(name, x, channels, n, 0, 0, type, o, threads);
}

static void
end(made *m)
{
	free(m->out);
	ws_plan_destroy(m->plan);
	ws_ctx_destroy(m->ctx);
}

/* Bursts of 2, 10 and 39 Hz that are over before the ends: all within 1 to 45 Hz. */
static void
bursts(double *x, size_t n)
{
	for (size_t t = 0; t < n; ++t) {
		const double s = ((double)t - 0.5 * (double)n) / FS;
		x[t] = exp(-0.5 * s * s / (1.2 * 1.2)) * (cos(2 * PI * 10 * s) +
		       0.5 * cos(2 * PI * 2.5 * s + 1) + 0.7 * cos(2 * PI * 37 * s));
	}
}

static double
difference(ws_type type, const void *out, const double *x, size_t n)
{
	double most = 0.0;
	for (size_t t = 0; t < n; ++t)
		most = fmax(most, fabs(get(type, out, t) - x[t]));
	return most;
}

/* ---- Tests -------------------------------------------------------------------------------- */

static void
signals_come_back(void **state)
{
	(void)state;
	enum { N = 5000 };
	double x[N];
	bursts(x, N);
	const ws_cwt_opts jobs[] = {
		{ .freqs.low = 1.0 },
		{ .freqs.low = 1.0, .voices = 4 },
		{ .freqs.low = 1.0, .freqs.count = 70, .freqs.spacing = WS_SPACING_LINEAR },
		{ .freqs.low = 1.0, .norm = WS_NORM_L2 },
		{ .freqs.low = 1.0, .norm = WS_NORM_TC, .wavelet = WS_WAVELET_MORSE },
		{ .freqs.low = 1.0, .wavelet = WS_WAVELET_PAUL },
		{ .freqs.low = 1.0, .wavelet = WS_WAVELET_DOG },
		{ .freqs.low = 1.0, .wavelet = WS_WAVELET_DOG, .param = { 4 } },
		{ .freqs.low = 1.0, .wavelet = WS_WAVELET_BUMP, .voices = 32 },
		{ .freqs.low = 1.0, .wavelet = WS_WAVELET_MORLET_FULL },
		{ .freqs.low = 1.0, .wavelet = WS_WAVELET_MORLET_ZERO_MEAN, .param = { 3 } },
	};
	for (size_t i = 0; i < sizeof jobs / sizeof *jobs; ++i)
		for (int type = WS_F64; type <= WS_F32; ++type)
			for (int padding = WS_PADDING_REFLECT; padding <= WS_PADDING_PERIODIC;
			     ++padding) {
				ws_cwt_opts o = jobs[i];
				o.size = sizeof o;
				o.tag = WS_TAG_CWT;
				o.freqs.high = 45.0;
				o.padding = padding;
				made m = run_plan("bands", x, 1, N, type, &o, 1);
				assert_int_equal(m.size, N);
				const double error = difference(type, m.out, x, N);
				/* What the far ends of the wavelets see is not the signal's. */
				const double most = padding == WS_PADDING_REFLECT ? 1e-5 :
					type == WS_F64 ? 1e-8 : 1e-6;
				if (!(error <= most))
					fail_msg("job %zu, type %d, padding %d: %g", i, type,
					         padding, error);
				assert_true(m.of_band[4][0] < 1e-12);
				end(&m);
			}
}

/* Whatever the signal holds, bands that share out the grid add up to what one band gives. */
static void
bands_share_out(void **state)
{
	(void)state;
	enum { N = 3000 };
	double x[2 * N];
	rng random = { 11 };
	for (int t = 0; t < 2 * N; ++t)
		x[t] = rng_normal(&random) + 40.0;
	const double bands[] = { 2, 8, 8, 13, 13, 60 };
	const ws_cwt_opts one = { .size = sizeof one, .tag = WS_TAG_CWT, .freqs.low = 2,
		.freqs.high = 60 };
	ws_cwt_opts o = one;
	o.bands = bands;
	o.band_count = 3;
	made whole = run_plan("bands", x, 2, N, WS_F64, &one, 1);
	made parts = run_plan("bands", x, 2, N, WS_F64, &o, 3);
	assert_int_equal(parts.size, 6 * N);
	for (int c = 0; c < 2; ++c)
		for (int t = 0; t < N; ++t) {
			double sum = 0.0;
			for (int b = 0; b < 3; ++b)
				sum += get(WS_F64, parts.out, (size_t)((3 * c + b) * N + t));
			assert_true(fabs(sum - get(WS_F64, whole.out, (size_t)(c * N + t)))
			            < 1e-12);
		}
	assert_true(parts.of_band[0][1] == 8.0 && parts.of_band[1][1] == 13.0);
	for (int b = 0; b < 3; ++b)
		assert_true(parts.of_band[2][b] <= parts.of_band[3][b]);
	assert_true(whole.of_band[2][0] < 2.1 && whole.of_band[3][0] > 59.0);
	/* A tone comes back where the band is flat. */
	for (int t = 0; t < N; ++t)
		x[t] = cos(2 * PI * 30 * t / FS);
	made tone = run_plan("bands", x, 1, N, WS_F64, &o, 1);
	for (int t = N / 4; t < 3 * N / 4; ++t)
		assert_true(fabs(get(WS_F64, tone.out, (size_t)(2 * N + t)) - x[t]) < 0.01);
	end(&tone);
	end(&whole);
	end(&parts);
}

/* A grid with gaps says how much is missing. */
static void
gaps_are_told(void **state)
{
	(void)state;
	enum { N = 4000 };
	double x[N];
	const double f[] = { 40.0, 10.0, 5.0 };
	const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .frequencies = f,
		.frequency_count = 3 };
	for (int t = 0; t < N; ++t)
		x[t] = cos(2 * PI * 20 * t / FS);
	made m = run_plan("bands", x, 1, N, WS_F64, &o, 1);
	assert_true(m.of_band[4][0] > 0.5 && m.of_band[4][0] <= 1.0);
	double peak = 0.0;
	for (int t = N / 4; t < 3 * N / 4; ++t)
		peak = fmax(peak, fabs(get(WS_F64, m.out, (size_t)t)));
	assert_true(1.0 - peak <= m.of_band[4][0] + 1e-6 && peak < 0.5);
	end(&m);
}

static void
power_is_variance(void **state)
{
	(void)state;
	enum { N = 100000 };
	double *x = need(N * sizeof *x);
	const double bands[] = { 1, 5, 5, 20, 20, 80 };
	for (int norm = WS_NORM_L1; norm <= WS_NORM_TC; ++norm)
		for (int wavelet = WS_WAVELET_MORLET; wavelet <= WS_WAVELET_MORSE; ++wavelet) {
			ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT,
				.quantity = WS_QUANTITY_POWER, .bands = bands,
				.band_count = 3, .norm = norm, .wavelet = wavelet, .decimate = 10 };
			rng random = { 5 };
			for (int t = 0; t < N; ++t)
				x[t] = 3.0 * rng_normal(&random);
			made m = run_plan("bands", x, 1, N, WS_F32, &o, 2);
			assert_int_equal(m.size, 3 * N / 10);
			for (int b = 0; b < 3; ++b) {
				double sum = 0.0;
				for (int t = 0; t < N / 10; ++t)
					sum += get(WS_F32, m.out, (size_t)(b * N / 10 + t));
				const double want = 9.0 * (bands[2 * b + 1] - bands[2 * b]) /
					(0.5 * FS);
				if (!(fabs(sum / (N / 10) / want - 1.0) < 0.05))
					fail_msg("norm %d, wavelet %d, band %d: %g of %g", norm,
					         wavelet, b, sum / (N / 10), want);
			}
			end(&m);
			for (int t = 0; t < N; ++t)
				x[t] = 3.0 * cos(2 * PI * 10 * t / FS);
			const double wide[] = { 1, 80 };
			o.bands = wide;
			o.band_count = 1;
			made tone = run_plan("bands", x, 1, N, WS_F64, &o, 1);
			assert_true(fabs(get(WS_F64, tone.out, N / 20) / 4.5 - 1.0) < 1e-3);
			end(&tone);
		}
	free(x);
}

/* A tone has its power by wavelets that are narrow in frequency. */
static void
narrow_wavelets_keep_power(void **state)
{
	(void)state;
	enum { N = 60000 };
	double *x = need(N * sizeof *x);
	const double band[] = { 9, 11 };
	for (int t = 0; t < N; ++t)
		x[t] = 3.0 * cos(2 * PI * 10 * t / FS);
	static const struct { ws_wavelet kind; double param[2]; } narrow[] = {
		{ WS_WAVELET_MORLET, { 100.0 } }, { WS_WAVELET_MORLET, { 400.0 } },
			{ WS_WAVELET_MORLET_FULL, { 800.0 } },
		{ WS_WAVELET_MORSE, { 9000.0, 30.0 } }, { WS_WAVELET_BUMP, { 5.0, 0.04 } },
	};
	for (size_t i = 0; i < sizeof narrow / sizeof *narrow; ++i) {
		ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT,
			.quantity = WS_QUANTITY_POWER, .bands = band,
			.band_count = 1, .wavelet = narrow[i].kind, .freqs.low = 8.0, .freqs.high = 12.0,
			.freqs.count = 1200 };
		memcpy(o.param, narrow[i].param, sizeof o.param);
		o.decimate = 100;
		made m = run_plan("bands", x, 1, N, WS_F64, &o, 2);
		const double got = get(WS_F64, m.out, N / 200);
		if (!(fabs(got / 4.5 - 1.0) < 1e-4))
			fail_msg("wavelet %d: %g", narrow[i].kind, got);
		end(&m);
	}
	free(x);
}

/* ---- The line ----------------------------------------------------------------------------- */

enum { GRID = 25 };

/* E of a band's share of the grid at hz, up to a factor: trapezoids in ln f. */
static long double
shared_response(const double *f, const double *band, long double hz)
{
	long double sum = 0.0L;
	for (int i = 0; i < GRID; ++i) {
		const long double before = i ? sqrtl((long double)f[i - 1] * f[i]) : f[i];
		const long double after = i + 1 < GRID ? sqrtl((long double)f[i] * f[i + 1]) : f[i];
		const long double low = fmaxl(before, band[0]), high = fminl(after, band[1]);
		const long double w = 6.0L * (hz / f[i] - 1.0L);
		if (high > low && hz > 0.0L)
			sum += logl(high / low) * expl(-0.5L * w * w);
	}
	return sum;
}

/* Bands are filters of x[0 .. n-1], x[n-2 .. 1] repeated, E_b by E, whose value beyond the grid is
 * that at its last frequency itself: added up term by term in long double. */
static void
bands_are_filters_of_the_line(void **state)
{
	(void)state;
	static const size_t lengths[] = { 2, 3, 101, 1201 };
	double x[1201], f[GRID];
	const double bands[] = { 1.5, 9.0, 9.0, 100.0 }, all[] = { 0.0, 1e3 };
	rng random = { 17 };
	for (int i = 0; i < GRID; ++i)
		f[i] = 1.5 * pow(100.0 / 1.5, i / (GRID - 1.0));
	f[GRID - 1] = 100.0;
	for (int t = 0; t < 1201; ++t)
		x[t] = (float)(rng_normal(&random) + (t ? x[t - 1] : 300.0));
	for (size_t l = 0; l < 4; ++l) {
		const size_t n = lengths[l], period = 2 * n - 2;
		const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .frequencies = f,
			.frequency_count = GRID,
			.bands = bands, .band_count = 2 };
		made wide = run_plan("bands", x, 1, n, WS_F64, &o, 1);
		made narrow = run_plan("bands", x, 1, n, WS_F32, &o, 1);
		long double *cosine = need(period * sizeof *cosine);
		long double *sum = need(2 * n * sizeof *sum);
		for (size_t k = 0; k < period; ++k)
			cosine[k] = cosl(2.0L * 3.14159265358979323846264338327950288L *
			                 (long double)k / (long double)period);
		memset(sum, 0, 2 * n * sizeof *sum);
		for (size_t q = 1; q < n; ++q) {
			const long double hz = (long double)q / (long double)period * FS;
			const long double held = fminl(fmaxl(hz, f[0]), 100.0L);
			long double bin = 0.0L;
			for (size_t t = 0; t < period; ++t)
				bin += x[t < n ? t : period - t] * cosine[q * t % period];
			bin *= (q == n - 1 ? 1.0L : 2.0L) / (long double)period;
			for (int b = 0; b < 2; ++b) {
				const long double gain = bin *
					shared_response(f, bands + 2 * b, hz) /
					shared_response(f, all, held);
				for (size_t t = 0; t < n; ++t)
					sum[(size_t)b * n + t] += gain * cosine[q * t % period];
			}
		}
		for (size_t b = 0; b < 2; ++b) {
			double peak = 1e-6, error[2] = { 0.0, 0.0 };
			for (size_t i = b * n; i < b * n + n; ++i) {
				const double want = (double)sum[i];
				peak = fmax(peak, fabs(want));
				error[0] = fmax(error[0], fabs(get(WS_F64, wide.out, i) - want));
				error[1] = fmax(error[1], fabs(get(WS_F32, narrow.out, i) - want));
			}
			if (!(error[0] < 1e-10 * peak && error[1] < 1e-6 * peak))
				fail_msg("%zu samples, band %zu: %g and %g of the peak", n, b,
				         error[0] / peak, error[1] / peak);
		}
		free(cosine);
		free(sum);
		end(&wide);
		end(&narrow);
	}
}

/* Coefficients that were not edited give what the samples give. */
static void
coefficients_in_hand(void **state)
{
	(void)state;
	enum { N = 3000 };
	double x[N];
	rng random = { 3 };
	for (int t = 0; t < N; ++t)
		x[t] = rng_normal(&random);
	const double bands[] = { 2, 12, 12, 50 };
	for (int type = WS_F64; type <= WS_F32; ++type)
		for (int padding = WS_PADDING_REFLECT; padding <= WS_PADDING_PERIODIC;
		     padding += 2) {
			ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .freqs.low = 2,
				.freqs.high = 50,
				.padding = padding };
			made cwt = run_plan("cwt", x, 1, N, type, &o, 2);
			o.bands = bands;
			o.band_count = 2;
			made m = run_plan("bands", x, 1, N, type, &o, 2);
			void *back = need(2 * N * type_size(type));
			assert_int_equal(ws_cwt_inverse(m.plan, cwt.out, back), WS_OK);
			double most = 0.0;
			for (size_t i = 0; i < 2 * N; ++i)
				most = fmax(most, fabs(get(type, back, i) - get(type, m.out, i)));
			if (!(most <= (type == WS_F64 ? 1e-12 : 2e-6)))
				fail_msg("type %d, padding %d: %g", type, padding, most);
			free(back);
			end(&cwt);
			end(&m);
		}
}

static void
no_thread_changes_a_bit(void **state)
{
	(void)state;
	enum { N = 4100 };
	double x[3 * N];
	rng random = { 8 };
	for (int t = 0; t < 3 * N; ++t)
		x[t] = rng_normal(&random);
	for (int quantity = WS_QUANTITY_SIGNAL; quantity >= WS_QUANTITY_POWER; quantity -= 2) {
		const int q = quantity == WS_QUANTITY_SIGNAL ? WS_QUANTITY_SIGNAL
			: WS_QUANTITY_POWER;
		const double bands[] = { 3, 9, 9, 40 };
		const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .bands = bands,
			.band_count = 2,
			.quantity = q };
		made a = run_plan("bands", x, 3, N, WS_F32, &o, 1);
		made b = run_plan("bands", x, 3, N, WS_F32, &o, 4);
		assert_memory_equal(a.out, b.out, a.size * type_size(WS_F32));
		end(&a);
		end(&b);
	}
}

/* Channels so many that they share their responses have the powers that each has by itself. */
static void
channels_do_not_matter(void **state)
{
	(void)state;
	enum { N = 4100, CHANNELS = 48 };
	static double x[CHANNELS * N];
	rng random = { 9 };
	for (int t = 0; t < CHANNELS * N; ++t)
		x[t] = rng_normal(&random);
	const double bands[] = { 3, 9, 9, 40 };
	for (int type = WS_F64; type <= WS_F32; ++type)
		for (size_t decimate = 1; decimate <= 4; decimate += 3) {
			const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT,
				.bands = bands, .band_count = 2, .decimate = decimate,
				.quantity = WS_QUANTITY_POWER };
			made all = run_plan("bands", x, CHANNELS, N, type, &o, 2);
			for (size_t c = 0; c < CHANNELS; c += 47) {
				made one = run_plan("bands", x + c * N, 1, N, type, &o, 1);
				const size_t bytes = one.size * type_size(type);
				assert_int_equal(all.size, CHANNELS * one.size);
				assert_memory_equal((char *)all.out + c * bytes, one.out, bytes);
				end(&one);
			}
			end(&all);
		}
}

static void
refuses(const ws_cwt_opts *asked, const char *what)
{
	ws_cwt_opts o = *asked;
	o.size = sizeof o;
	o.tag = WS_TAG_CWT;
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = 1000, .fs = FS };
	expect_no_plan("bands", &shape, &o, what);
}

static void
mistakes_are_named(void **state)
{
	(void)state;
	const double upside_down[] = { 8, 4 }, bad[] = { NAN, 4 }, between[] = { 50, 60 },
		beyond[] = { 4, 200 };
	refuses(&(ws_cwt_opts){ .bands = bad, .band_count = 1 }, "");
	refuses(&(ws_cwt_opts){ .freqs.low = 1, .freqs.high = 40, .bands = upside_down, .band_count = 1 },
	        "lower one first");
	refuses(&(ws_cwt_opts){ .freqs.low = 1, .freqs.high = 40, .bands = between, .band_count = 1 },
	        "has no part of the frequencies");
	refuses(&(ws_cwt_opts){ .bands = between }, "empty");
	refuses(&(ws_cwt_opts){ .bands = beyond, .band_count = 1 }, "above half");
	refuses(&(ws_cwt_opts){ .quantity = WS_QUANTITY_PHASE }, "signal or a power");
	refuses(&(ws_cwt_opts){ .wavelet = WS_WAVELET_DOG, .param = { 3 } }, "even m");
	refuses(&(ws_cwt_opts){ .reference = WS_CWT_REF_MNE, .freqs.low = 20, .freqs.high = 40 }, "mne");
	double x[8] = { 0 };
	assert_int_equal(ws_cwt_inverse(NULL, x, x), WS_E_ARG);
	const ws_cwt_opts zero = { .size = sizeof zero, .tag = WS_TAG_CWT,
		.padding = WS_PADDING_ZERO };
	made m = plan_of("bands", 1, 1000, WS_F64, &zero, 1);
	assert_int_equal(ws_cwt_inverse(m.plan, x, x), WS_E_ARG);
	end(&m);
	const ws_cwt_opts some = { .size = sizeof some, .tag = WS_TAG_CWT, .decimate = 2 };
	m = plan_of("bands", 1, 1000, WS_F64, &some, 1);
	assert_int_equal(ws_cwt_inverse(m.plan, x, x), WS_E_ARG);
	end(&m);
	m = plan_of("cwt", 1, 1000, WS_F64, NULL, 1);
	assert_int_equal(ws_cwt_inverse(m.plan, x, x), WS_E_ARG);
	end(&m);
}

/* ---- Parts ---------------------------------------------------------------------------------- */

/* The outputs of a part are those that the whole has there, by 1e-12 (f32: 1e-6) of each band's
 * largest; of every sample the same bits. */
static void
part_is_of_the_whole(const double *x, size_t n, size_t before, size_t after, ws_type type,
                     const ws_cwt_opts *asked)
{
	ws_cwt_opts o = *asked;
	const size_t d = o.decimate ? o.decimate : 1, outputs = (n - before - after + d - 1) / d;
	const size_t rows = 2 * o.band_count;
	made part = run_part("bands", x, 2, n, before, after, type, &o, 2);
	o.decimate = 1;
	made whole = run_plan("bands", x, 2, n, type, &o, 1);
	assert_int_equal(part.size, rows * outputs);
	for (size_t row = 0; row < rows; ++row) {
		double most = 0.0, largest = 0.0;
		for (size_t t = 0; t < n; ++t)
			largest = fmax(largest, fabs(get(type, whole.out, row * n + t)));
		for (size_t t = 0; t < outputs; ++t)
			most = fmax(most, fabs(get(type, part.out, row * outputs + t) -
			                       get(type, whole.out, row * n + before + t * d)));
		if (!(most <= (d == 1 ? 0.0 : type == WS_F64 ? 1e-12 : 1e-6) * largest))
			fail_msg("%zu .. %zu of %zu by %zu, padding %d, quantity %d, type %d: %g of %g",
			         before, n - after, n, d, o.padding, o.quantity, type, most,
			         largest);
	}
	end(&whole);
	end(&part);
}

static void
parts_have_what_the_whole_has(void **state)
{
	enum { N = 500 };
	static const struct { size_t n, before, after, decimate; } parts[] = {
		{ N, 0, 200, 1 }, { N, 300, 0, 1 }, { N, 96, 201, 8 }, { N, 97, 202, 8 },
		{ N, 10, 3, 4 }, { 41, 40, 0, 1 }, { 40, 0, 39, 1 }, { 40, 7, 9, 24 }, { 2, 1, 0, 1 },
	};
	static const double bands[] = { 4, 8, 8, 45 };
	double x[2 * N];
	rng random = { 12 };
	(void)state;
	for (int t = 0; t < 2 * N; ++t)
		x[t] = (t % N ? x[t - 1] : 100.0) + rng_normal(&random);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
		for (int k = 0; k < 12; ++k) {
			if (thinned_out((int)i * 12 + k))
				continue;
			const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .bands = bands,
				.band_count = 2,
				.freqs = { .low = 1, .high = 60 },
				.padding = WS_PADDING_REFLECT + k / 2 % 3,
				.quantity = k < 6 ? WS_QUANTITY_SIGNAL : WS_QUANTITY_POWER,
				.decimate = parts[i].decimate };
			part_is_of_the_whole(x, parts[i].n, parts[i].before, parts[i].after,
			                     k % 2 ? WS_F32 : WS_F64, &o);
		}
}

/* Axes begin at the part's first sample, and the signal is its own. */
static void
parts_have_axes_of_their_own(void **state)
{
	(void)state;
	const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .freqs = { .low = 4,
		.high = 40 },
		.decimate = 16, .quantity = WS_QUANTITY_POWER };
	made m = plan_of_part("bands", 1, 500, 40, 260, WS_F64, &o, 1);
	ws_array a = { .size = sizeof a }, signal = { .size = sizeof signal };
	double times[13];
	assert_int_equal(ws_plan_array(m.plan, WS_BANDS_POWER, &a), WS_OK);
	assert_int_equal(a.extent[2], 13);
	assert_int_equal(ws_plan_array(m.plan, WS_BANDS_SIGNAL, &signal), WS_OK);
	assert_int_equal(signal.extent[1], 200);
	assert_int_equal(ws_plan_axis(m.plan, WS_BANDS_POWER, WS_AXIS_TIME, times, 13), WS_OK);
	assert_true(times[0] == 0.0 && times[12] == 12 * 16 / FS);
	assert_int_equal(((const ws_cwt_opts *)ws_plan_options(m.plan))->decimate, 16);
	end(&m);
}

static void
parts_that_cannot_be(void **state)
{
	static const struct { const char *name; ws_shape shape; size_t decimate; const char *words; }
		cases[] = {
		{ "cwt", { .samples = 90, .before = 1 }, 0, "cwt takes no context" },
		{ "bands", { .samples = 9, .after = SIZE_MAX }, 0, "2^29 - 1 at most" },
		{ "bands", { .samples = 9, .before = SIZE_MAX, .after = 9 }, 0, "2^29 - 1 at most" },
		{ "bands", { .samples = 9, .before = 90 }, 10, "every 10-th of 9 samples" },
	};
	(void)state;
	ws_ctx *ctx;
	ws_plan *plan;
	assert_int_equal(ws_ctx_create(&ctx, NULL), WS_OK);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		ws_shape shape = cases[i].shape;
		const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT,
			.decimate = cases[i].decimate,
			.freqs = { .low = 0.1, .high = 0.2 } };
		shape.size = sizeof shape;
		shape.channels = 1;
		assert_int_equal(ws_plan_create(&plan, ctx, cases[i].name, &shape, &o), WS_E_ARG);
		if (!strstr(ws_error_detail(), cases[i].words))
			fail_msg("%s", ws_error_detail());
	}
	ws_ctx_destroy(ctx);
	/* Coefficients in hand are of all samples. */
	const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .freqs = { .low = 4,
		.high = 40 } };
	made m = plan_of_part("bands", 1, 100, 10, 0, WS_F64, &o, 1);
	double x[100], *w = need(2 * 100 * 100 * sizeof *w);
	assert_int_equal(ws_cwt_inverse(m.plan, w, x), WS_E_ARG);
	free(w);
	end(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals_come_back),
		cmocka_unit_test(bands_share_out),
		cmocka_unit_test(gaps_are_told),
		cmocka_unit_test(power_is_variance),
		cmocka_unit_test(narrow_wavelets_keep_power),
		cmocka_unit_test(bands_are_filters_of_the_line),
		cmocka_unit_test(coefficients_in_hand),
		cmocka_unit_test(no_thread_changes_a_bit),
		cmocka_unit_test(channels_do_not_matter),
		cmocka_unit_test(mistakes_are_named),
		cmocka_unit_test(parts_have_what_the_whole_has),
		cmocka_unit_test(parts_have_axes_of_their_own),
		cmocka_unit_test(parts_that_cannot_be),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
