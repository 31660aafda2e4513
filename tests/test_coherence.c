/* test_coherence.c - coherence, phase locking and cross-spectra against their definition on the
 * transforms of the epochs. */
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
#include "transform/cwt/coherence_level.h"

enum { N = 260, EPOCHS = 6, CHANNELS = 3, COUNT = 4, SIZE = CHANNELS * COUNT * N };

static void
run(const char *name, const double *x, ws_type type, size_t channels, size_t epochs, ws_cwt_opts o,
    int threads, void *const *out)
{
	o.freqs.low = 4.0;
	o.freqs.high = 30.0;
	o.freqs.count = COUNT;
	const cwt_task task = { .name = name, .x = x, .type = type, .channels = channels,
		.epochs = epochs, .samples = N, .fs = 100.0, .o = o, .threads = threads };
	assert_int_equal(cwt_execute(&task, 3, out), WS_OK);
}

/* [channel][epoch][time]: channel 2 follows channel 1, channel 3 is alone. */
static double *
recording(void)
{
	double *x = need(CHANNELS * EPOCHS * N * sizeof *x);
	rng random = { 4 };
	for (int e = 0; e < EPOCHS; ++e)
		for (int t = 0; t < N; ++t) {
			double *at = x + e * N + t;
			at[0] = rng_normal(&random);
			at[EPOCHS * N] = (t >= 3 ? at[-3] : 0) + 0.05 * rng_normal(&random);
			at[2 * EPOCHS * N] = rng_normal(&random);
		}
	return x;
}

/* Largest error of out[3] beside the definition on the epochs' transforms w. */
static double
error(const double complex *w, int with, ws_type type, void *const *out)
{
	double most = 0;
	for (int c = 0; c < CHANNELS; ++c)
		for (int i = 0; i < COUNT * N; ++i) {
			double complex cross = 0, unit = 0;
			double pw = 0, pv = 0;
			for (int e = 0; e < EPOCHS; ++e) {
				const double complex a = w[(c * EPOCHS + e) * COUNT * N + i];
				const double complex b =
					w[((with - 1) * EPOCHS + e) * COUNT * N + i];
				cross += a * conj(b) / EPOCHS;
				unit += a * conj(b) / cabs(a * b) / EPOCHS;
				pw += cabs(a) * cabs(a) / EPOCHS;
				pv += cabs(b) * cabs(b) / EPOCHS;
			}
			const size_t at = (size_t)(c * COUNT * N + i);
			const double coherence = get(type, out[0], at);
			const double complex mean = get(type, out[2], 2 * at) +
				I * get(type, out[2], 2 * at + 1);
			assert_true(coherence >= 0 && coherence <= 1.000001);
			most = fmax(most, fabs(coherence - cabs(cross) * cabs(cross) / pw / pv));
			most = fmax(most, fabs(get(type, out[1], at) - cabs(unit)));
			most = fmax(most, cabs(mean - cross));
		}
	return most;
}

static void
it_is_its_definition(void **state)
{
	(void)state;
	double *x = recording();
	double complex *w = need(EPOCHS * CHANNELS * COUNT * N * sizeof *w);
	run("cwt", x, WS_F64, CHANNELS * EPOCHS, 0, (ws_cwt_opts){ 0 }, 1,
	    (void *const[]){ w, 0, 0 });
	for (int with = 1; with <= CHANNELS; with += 2)
		for (int type = WS_F64; type <= WS_F32; ++type) {
			const size_t bytes = 2 * SIZE * type_size(type);
			void *out[3], *again[3];
			for (int k = 0; k < 3; ++k) {
				out[k] = need(bytes);
				again[k] = need(bytes);
				memset(out[k], 0, bytes);
				memset(again[k], 0, bytes);
			}
			const ws_cwt_opts o = { .against = with - 1 };
			run("coherence", x, type, CHANNELS, EPOCHS, o, 1, out);
			run("coherence", x, type, CHANNELS, EPOCHS, o, 3, again);
			const double most = error(w, with, type, out);
			if (!(most < (type == WS_F64 ? 1e-12 : 1e-5)))
				fail_msg("with %d, type %d: %g", with, type, most);
			for (int k = 0; k < 3; ++k) {
				assert_memory_equal(out[k], again[k], bytes);
				free(out[k]);
				free(again[k]);
			}
		}
	free(w);
	free(x);
}

static void
who_follows_is_coherent(void **state)
{
	(void)state;
	double *x = recording(), *coherence = need(SIZE * sizeof *coherence);
	double *locking = need(SIZE * sizeof *locking);
	run("coherence", x, WS_F64, CHANNELS, EPOCHS, (ws_cwt_opts){ 0 }, 1,
	    (void *const[]){ coherence, locking, NULL });
	double alone = 0;
	for (int i = COUNT * N / 4; i < COUNT * N; ++i) {
		assert_true(coherence[i] > 1 - 1e-12);
		alone += coherence[2 * COUNT * N + i] / (0.75 * COUNT * N);
	}
	assert_true(coherence[COUNT * N + 2 * N + N / 2] > 0.9);
	/* Of independent noise 1 / EPOCHS. */
	assert_true(fabs(alone - 1.0 / EPOCHS) < 0.06);
	free(x);
	free(coherence);
	free(locking);
}

/* ---- Without epochs ----------------------------------------------------------------------- */

enum { LONG = 400, FREQUENCIES = 9 };

/* Magnitude-squared coherence and phase locking of w and v [FREQUENCIES][LONG], by sums over
 * neighbours: a Gaussian of one scale in time, half an octave of frequencies. */
static void
smoothed(const double complex *w, const double complex *v, const double *scale, double *coherence,
         double *locking)
{
	/* Four frequencies an octave: windows reach one to either side, whose cell they hold half
	 * of; at an end only what there is. */
	for (int f = 0; f < FREQUENCIES; ++f)
		for (int t = 0; t < LONG; ++t) {
			double complex cross = 0, units = 0;
			double pw = 0, pv = 0, all = 0;
			for (int g = f - 1; g <= f + 1; ++g) {
				if (g < 0 || g == FREQUENCIES)
					continue;
				const double share = g == f ? 1 : 0.5, s = scale[g] * 100;
				double sum = 0;
				for (int u = 0; u < LONG; ++u)
					sum += exp(-0.5 * (u - t) * (u - t) / s / s);
				for (int u = 0; u < LONG; ++u) {
					const double q = share / sum *
						exp(-0.5 * (u - t) * (u - t) / s / s);
					const double complex a = w[g * LONG + u];
					const double complex b = v[g * LONG + u];
					pw += q * cabs(a) * cabs(a);
					pv += q * cabs(b) * cabs(b);
					cross += q * a * conj(b);
					units += q * a * conj(b) / cabs(a * b);
				}
				all += share;
			}
			coherence[f * LONG + t] = cabs(cross) * cabs(cross) / pw / pv;
			locking[f * LONG + t] = cabs(units) / all;
		}
}

static void
means_over_neighbours(void **state)
{
	(void)state;
	double *x = need(2 * LONG * sizeof *x), scale[FREQUENCIES];
	rng random = { 31 };
	for (int t = 0; t < LONG; ++t) {
		x[t] = rng_normal(&random);
		x[LONG + t] = (t >= 3 ? x[t - 3] : 0) + rng_normal(&random);
	}
	const size_t size = 2 * FREQUENCIES * LONG;
	double complex *w = need(size * sizeof *w);
	double *want = need(size * sizeof *want);
	cwt_task task = { .name = "cwt", .x = x, .type = WS_F64, .channels = 2, .samples = LONG,
		.fs = 100, .threads = 1,
		.o = { .freqs.low = 6, .freqs.high = 24, .freqs.count = FREQUENCIES, .smooth_octaves = 0.5 } };
	assert_int_equal(cwt_execute(&task, 5, (void *const[]){ w, 0, 0, 0, scale }), WS_OK);
	smoothed(w + size / 2, w, scale, want, want + size / 2);
	task.name = "coherence";
	for (int type = WS_F64; type <= WS_F32; ++type)
		for (int threads = 1; threads <= 3; threads += 2) {
			task.type = type;
			task.threads = threads;
			void *out[2] = { need(size * sizeof(double)), need(size * sizeof(double)) };
			assert_int_equal(cwt_execute(&task, 2, out), WS_OK);
			for (int k = 0; k < 2; ++k)
				for (size_t i = 0; i < size / 2; ++i) {
					const double e = get(type, out[k], size / 2 + i) -
						want[(size_t)k * size / 2 + i];
					if (!(fabs(e) < (type == WS_F64 ? 1e-11 : 1e-5)))
						fail_msg("array %d, %zu: %g", k, i, e);
					/* A channel with itself. */
					assert_true(fabs(get(type, out[k], i) - 1) < 1e-5);
				}
			free(out[0]);
			free(out[1]);
		}
	/* Every third sample is that sample. */
	double *all = need(size * sizeof *all), *third = need(size * sizeof *third);
	void *more = need(size * sizeof(double));
	task.type = WS_F64;
	assert_int_equal(cwt_execute(&task, 2, (void *const[]){ all, more }), WS_OK);
	task.o.decimate = 3;
	assert_int_equal(cwt_execute(&task, 2, (void *const[]){ third, more }), WS_OK);
	const size_t n = (LONG + 2) / 3;
	for (size_t row = 0; row < 2 * FREQUENCIES; ++row)
		for (size_t t = 0; t < n; ++t)
			assert_true(fabs(third[row * n + t] - all[row * LONG + 3 * t]) < 1e-12);
	free(more);
	free(all);
	free(third);
	free(x);
	free(w);
	free(want);
}

/* Where nothing is, nothing is coherent. */
static void
silence(void **state)
{
	(void)state;
	double *x = need(2 * LONG * sizeof *x);
	rng random = { 5 };
	for (int t = 0; t < 2 * LONG; ++t)
		x[t] = t % LONG < LONG / 8 ? rng_normal(&random) : 0;
	double *out[2] = { need(2 * LONG * sizeof(double)), need(2 * LONG * sizeof(double)) };
	const double f = 10;
	const cwt_task task = { .name = "coherence", .x = x, .type = WS_F64, .channels = 2,
		.samples = LONG, .fs = 100, .threads = 1,
		.o = { .frequencies = &f, .frequency_count = 1 } };
	assert_int_equal(cwt_execute(&task, 2, (void *const *)out), WS_OK);
	for (int k = 0; k < 2; ++k)
		for (int t = 0; t < 2 * LONG; ++t) {
			assert_true(out[k][t] >= 0 && out[k][t] <= 1);
			if (t % LONG >= LONG / 2 && out[k][t] != 0)
				fail_msg("array %d, channel %d, sample %d: %g", k, t / LONG,
				         t % LONG, out[k][t]);
		}
	for (int k = 0; k < 2; ++k)
		free(out[k]);
	free(x);
}

/* ---- All pairs ------------------------------------------------------------------------------ */

static void
all_pairs_are_those_of_each(void **state)
{
	(void)state;
	double *x = recording();
	for (int smooth = 0; smooth < 2; ++smooth) {
		/* Epochs one after the other are a recording without. */
		const size_t n = smooth ? N * EPOCHS : N, row = COUNT * n;
		cwt_task task = { .name = "coherence", .x = x, .type = WS_F64,
			.channels = CHANNELS, .epochs = smooth ? 0 : EPOCHS, .samples = n,
			.fs = 100, .threads = 2, .o = { .freqs.low = 4, .freqs.high = 30, .freqs.count = COUNT,
				.against = WS_AGAINST_ALL } };
		void *pairs[WS_COHERENCE_ARRAYS] = { NULL }, *one[3];
		for (int k = 0; k < 3; ++k) {
			pairs[WS_COHERENCE_COHERENCE_PAIRS + k] =
				need(CHANNELS * CHANNELS * row * 2 * sizeof(double));
			one[k] = need(CHANNELS * row * 2 * sizeof(double));
		}
		assert_int_equal(cwt_execute(&task, WS_COHERENCE_ARRAYS, pairs), WS_OK);
		for (int with = 0; with < CHANNELS; ++with) {
			task.o.against = with;
			assert_int_equal(cwt_execute(&task, 3, one), WS_OK);
			for (int k = 0; k < 3; ++k)
				for (size_t c = 0; c < CHANNELS; ++c) {
					const size_t numbers = (k == 2 ? 2 : 1) * row;
					const double *a = (double *)one[k] + c * numbers;
					const double *b = (double *)pairs[WS_COHERENCE_COHERENCE_PAIRS + k] +
						(c * CHANNELS + (size_t)with) * numbers;
					for (size_t i = 0; i < numbers; ++i)
						assert_true(fabs(a[i] - b[i]) < 1e-12);
				}
		}
		for (int k = 0; k < 3; ++k) {
			free(pairs[WS_COHERENCE_COHERENCE_PAIRS + k]);
			free(one[k]);
		}
	}
	free(x);
}

/* ---- Levels -------------------------------------------------------------------------------- */

/* The share of values[rows][n] above their row's level, cells of `first` rows left out. */
static double
share_above(const double *values, const double *levels, size_t rows, size_t n)
{
	size_t above = 0;
	for (size_t r = 0; r < rows; ++r)
		for (size_t t = 0; t < n; ++t)
			above += values[r * n + t] > levels[r];
	return (double)above / (double)(rows * n);
}

enum { LEVEL_ARRAYS = WS_COHERENCE_LOCKING_SIGNIFICANCE_PAIRS + 1 };

/* Coherence and locking of channel 2 with channel 1, the imaginary part, and both levels. */
static void
run_levels(const double *x, size_t epochs, ws_cwt_opts o, double *const out[5])
{
	void *all[LEVEL_ARRAYS] = { [WS_COHERENCE_COHERENCE] = out[0],
		[WS_COHERENCE_PHASE_LOCKING] = out[1], [WS_COHERENCE_IMAGINARY] = out[2],
		[WS_COHERENCE_SIGNIFICANCE] = out[3],
		[WS_COHERENCE_LOCKING_SIGNIFICANCE] = out[4] };
	o.freqs.low = 8.0;
	o.freqs.high = 30.0;
	o.freqs.count = COUNT;
	const cwt_task task = { .name = "coherence", .x = x, .type = WS_F64, .channels = 2,
		.epochs = epochs, .samples = N, .fs = 100.0, .o = o, .threads = 2 };
	assert_int_equal(cwt_execute(&task, LEVEL_ARRAYS, all), WS_OK);
}

/* Red and white noise, of which coherence at 5 % is exceeded in 5 % of cells, over epochs and over
 * time; and one follows the other. */
static void
levels_hold(void **state)
{
	(void)state;
	enum { ROW = COUNT * N, MANY = 40, K = 12 };
	double *out[5], *x = need(2 * K * N * sizeof *x), share[2][2] = { { 0 } };
	for (int i = 0; i < 5; ++i)
		out[i] = need(2 * ROW * sizeof(double));
	rng random = { 11 };
	for (int trial = 0; trial < MANY; ++trial)
		for (int over_time = 0; over_time < 2; ++over_time) {
			const size_t n = 2 * (over_time ? 1 : K) * N;
			double last = 0;
			for (size_t t = 0; t < n; ++t)
				x[t] = last = (trial % 2 ? 0.9 * last : 0) + rng_normal(&random);
			const ws_cwt_opts o = { .noise_signals = over_time ? 20 : 0,
				.significance = over_time && trial % 4 > 1
					? WS_SIGNIFICANCE_AR1 : 0,
				.seed = (uint64_t)(over_time ? trial : 0) };
			run_levels(x, over_time ? 0 : K, o, out);
			assert_true(isnan(out[3][0]) && isnan(out[4][0]));
			for (int k = 0; k < 2; ++k)
				share[over_time][k] += share_above(out[k] + ROW, out[3 + k] + COUNT,
				                                   COUNT, N) / MANY;
		}
	for (int i = 0; i < 4; ++i)
		if (!(share[i / 2][i % 2] > 0.035 && share[i / 2][i % 2] < 0.065))
			fail_msg("over time %d, locking %d: %g", i / 2, i % 2, share[i / 2][i % 2]);
	/* Over 12 epochs: 1 - 0.05^(1/11), and Rayleigh's. */
	run_levels(x, 0, (ws_cwt_opts){ .noise_signals = 20, .level = 0.5 }, out);
	assert_true(out[3][COUNT] > 0 && out[3][COUNT] < 0.9);
	run_levels(x, K, (ws_cwt_opts){ 0 }, out);
	assert_true(fabs(out[3][COUNT] - (1 - pow(0.05, 1.0 / 11))) < 1e-12);
	const double p = exp(sqrt(1 + 4.0 * K + 4 * (K * K * (1 - out[4][COUNT] * out[4][COUNT])))
	                     - (1 + 2.0 * K));
	assert_true(fabs(p - 0.05) < 1e-12);
	for (int i = 0; i < 5; ++i)
		free(out[i]);
	free(x);
}

/* Of one source without a lag the imaginary part is 0; of a quarter of a period it is all. */
static void
imaginary_parts(void **state)
{
	(void)state;
	enum { ROW = COUNT * N };
	double *out[5], *x = need(2 * EPOCHS * N * sizeof *x);
	for (int i = 0; i < 5; ++i)
		out[i] = need(2 * ROW * sizeof(double));
	rng random = { 3 };
	for (int lag = 0; lag < 2; ++lag) {
		for (int i = 0; i < EPOCHS * N; ++i)
			x[i] = rng_normal(&random);
		for (int i = 0; i < EPOCHS * N; ++i)
			x[EPOCHS * N + i] = 2 * (i >= lag ? x[i - lag] : 0.0);
		run_levels(x, EPOCHS, (ws_cwt_opts){ 0 }, out);
		for (int f = 0; f < COUNT; ++f) {
			/* Channel 2 lags by a sample of 10 ms. */
			const double hz = 30 * pow(8 / 30.0, f / (COUNT - 1.0));
			const double want = lag ? -sin(6.283185307179586 * hz * 0.01) : 0;
			const double got = out[2][ROW + f * N + N / 2];
			if (!(fabs(got - want) < (lag ? 0.1 : 1e-12)))
				fail_msg("%g Hz, lag %d: %g, not %g", hz, lag, got, want);
		}
	}
	for (int i = 0; i < 5; ++i)
		free(out[i]);
	free(x);
}

static void
levels_of_all_pairs(void **state)
{
	(void)state;
	double *x = recording(), one[2 * COUNT], all[CHANNELS * CHANNELS * COUNT];
	ws_cwt_opts o = { .noise_signals = 20, .freqs.low = 8, .freqs.high = 30,
		.freqs.count = COUNT, .seed = 5 };
	double *rows[2] = { need(CHANNELS * SIZE * sizeof **rows),
		            need(CHANNELS * SIZE * sizeof **rows) };
	void *of_one[LEVEL_ARRAYS] = { rows[0], rows[1], [WS_COHERENCE_SIGNIFICANCE] = one };
	void *of_all[LEVEL_ARRAYS] = { [WS_COHERENCE_COHERENCE_PAIRS] = rows[0],
		[WS_COHERENCE_PHASE_LOCKING_PAIRS] = rows[1], [WS_COHERENCE_SIGNIFICANCE_PAIRS] = all };
	cwt_task task = { .name = "coherence", .x = x, .type = WS_F64, .channels = 2,
		.samples = N, .fs = 100.0, .o = o, .threads = 1 };
	assert_int_equal(cwt_execute(&task, LEVEL_ARRAYS, of_one), WS_OK);
	task.channels = CHANNELS;
	task.o.against = WS_AGAINST_ALL;
	task.threads = 3;
	assert_int_equal(cwt_execute(&task, LEVEL_ARRAYS, of_all), WS_OK);
	for (int f = 0; f < COUNT; ++f) {
		const double level = all[(1 * CHANNELS + 0) * COUNT + f];
		assert_true(level == one[COUNT + f]);
		assert_true(level == all[(0 * CHANNELS + 1) * COUNT + f]);
		assert_true(isnan(all[(2 * CHANNELS + 2) * COUNT + f]));
	}
	free(rows[0]);
	free(rows[1]);
	free(x);
}

/* Two channels of noise that know nothing of each other, over epochs with the same response to an
 * event in both, or, over time, none; and, `shared`, a burst of the same noise at 0.9 to 1.4 s. */
static void
make_pair(double *x, size_t epochs, bool shared, rng *random)
{
	for (size_t e = 0; e < epochs; ++e)
		for (int t = 0; t < N; ++t) {
			const double at = (t - 60) / 15.0;
			const double response = epochs > 1 ? 5 * exp(-0.5 * at * at) * cos(1.1 * t) : 0;
			const double both = shared && t > 90 && t < 140 ? 4 * rng_normal(random) : 0;
			for (size_t c = 0; c < 2; ++c)
				x[(c * epochs + e) * N + (size_t)t] =
					rng_normal(random) + response + both;
		}
}

/* Levels by shuffled epochs hold with a common response, of which the formula says too much; of
 * noise there are seldom clusters, over epochs and over time, and of a burst one where it is. */
static void
shuffled_epochs_and_clusters(void **state)
{
	(void)state;
	enum { ROW = COUNT * N, MANY = 30, K = 12, LAST = WS_COHERENCE_ARRAYS };
	static const int kinds[] = { WS_COHERENCE_COHERENCE, WS_COHERENCE_PHASE_LOCKING,
		WS_COHERENCE_SHUFFLED_SIGNIFICANCE, WS_COHERENCE_SHUFFLED_LOCKING_SIGNIFICANCE, WS_COHERENCE_CLUSTER_P,
		WS_COHERENCE_LOCKING_CLUSTER_P };
	double *x = need(2 * K * N * sizeof *x), *a[6], *b[6], share[2] = { 0 }, formula = 0;
	int found[2][2] = { { 0 } };
	void *out[2][LAST] = { { NULL } };
	for (int i = 0; i < 6; ++i) {
		out[0][kinds[i]] = a[i] = need(2 * ROW * sizeof *x);
		out[1][kinds[i]] = b[i] = need(2 * ROW * sizeof *x);
	}
	rng random = { 23 };
	for (int trial = 0; trial <= MANY; ++trial)
		for (int over_time = 0; over_time < 2; ++over_time) {
			const bool burst = trial == MANY;
			const size_t epochs = over_time ? 1 : K;
			make_pair(x, epochs, burst, &random);
			cwt_task task = { .name = "coherence", .x = x, .type = WS_F64,
				.channels = 2, .epochs = over_time ? 0 : K, .samples = N,
				.fs = 100, .threads = 1, .o = { .noise_signals = 39, .clusters = 1,
					.freqs.low = 8, .freqs.high = 30, .freqs.count = COUNT,
					.seed = (uint64_t)trial } };
			assert_int_equal(cwt_execute(&task, LAST, out[0]), WS_OK);
			assert_true(a[4][0] == 1);
			assert_true(over_time || isnan(a[2][0]));
			for (int k = 0; k < 2; ++k) {
				double least = 1;
				for (int i = ROW; i < 2 * ROW; ++i) {
					const int t = i % N;
					least = fmin(least, a[4 + k][i]);
					if (burst && a[4 + k][i] <= 0.05)
						assert_in_range(t, 40, 190);
					if (over_time || burst)
						continue;
					share[k] += (a[k][i] > a[2 + k][i]) / (double)(ROW * MANY);
					if (k == 0)
						formula += (a[0][i] > 1 - pow(0.05, 1.0 / (K - 1))) /
							(double)(ROW * MANY);
					/* The least mass has p 1. */
					assert_true(a[k][i] > a[2 + k][i] || a[4 + k][i] == 1);
				}
				assert_true(!burst || over_time || least <= 0.05);
				found[over_time][k] += !burst && least <= 0.05;
			}
			if (trial > 2)
				continue;
			task.threads = 3;
			assert_int_equal(cwt_execute(&task, LAST, out[1]), WS_OK);
			for (int i = over_time ? 4 : 0; i < 6; ++i)
				assert_memory_equal(a[i] + ROW, b[i] + ROW, ROW * sizeof *x);
		}
	for (int i = 0; i < 2; ++i)
		if (!(share[i] > 0.035 && share[i] < 0.065))
			fail_msg("locking %d: %g", i, share[i]);
	assert_true(formula > 0.12);
	for (int i = 0; i < 4; ++i)
		if (found[i / 2][i % 2] > 7)
			fail_msg("over time %d, locking %d: %d", i / 2, i % 2, found[i / 2][i % 2]);
	for (int i = 0; i < 6; ++i) {
		free(a[i]);
		free(b[i]);
	}
	free(x);
}

static void
refused(size_t epochs, ws_cwt_opts o, const char *word)
{
	ws_ctx *ctx;
	ws_plan *plan;
	const ws_shape shape = { .size = sizeof shape, .channels = 2, .samples = N, .fs = 100.0,
		.epochs = epochs };
	o.size = sizeof o;
	o.tag = WS_TAG_CWT;
	assert_int_equal(ws_ctx_create(&ctx, NULL), WS_OK);
	assert_int_equal(ws_plan_create(&plan, ctx, "coherence", &shape, &o), WS_E_ARG);
	if (!strstr(ws_error_detail(), word))
		fail_msg("%s", ws_error_detail());
	ws_ctx_destroy(ctx);
}

static void
levels_that_are_refused(void **state)
{
	(void)state;
	refused(0, (ws_cwt_opts){ .noise_signals = 5 }, "from 20");
	refused(5, (ws_cwt_opts){ .noise_signals = 50, .significance = WS_SIGNIFICANCE_PHASE },
	        "without epochs");
	refused(5, (ws_cwt_opts){ .significance = WS_SIGNIFICANCE_SHUFFLE }, "noise_signals");
	refused(5, (ws_cwt_opts){ .noise_signals = 50, .level = 0.99 }, "needs 99");
	refused(5, (ws_cwt_opts){ .clusters = 1 }, "`clusters`");
	refused(0, (ws_cwt_opts){ .noise_signals = 50, .significance = WS_SIGNIFICANCE_SHUFFLE },
	        "of epochs");
	refused(0, (ws_cwt_opts){ .significance = WS_SIGNIFICANCE_AR1 }, "noise_signals");
	refused(0, (ws_cwt_opts){ .level = 0.9 }, "noise_signals");
	refused(0, (ws_cwt_opts){ .seed = 3 }, "`seed`");
	refused(5, (ws_cwt_opts){ .level = 1.5 }, "between 0 and 1");
	refused(0, (ws_cwt_opts){ .noise_signals = 50, .significance = WS_SIGNIFICANCE_WHITE },
	        "phase, ar1 or shuffle");
}

static void
mistakes_are_named(void **state)
{
	(void)state;
	ws_ctx *ctx;
	ws_plan *plan;
	ws_shape shape = { .size = sizeof shape, .channels = 2, .samples = N, .fs = 100.0,
		.epochs = 3 };
	const ws_cwt_opts third = { .size = sizeof third, .tag = WS_TAG_CWT, .against = 2 };
	assert_int_equal(ws_ctx_create(&ctx, NULL), WS_OK);
	assert_int_equal(ws_plan_create(&plan, ctx, "coherence", &shape, &third), WS_E_ARG);
	assert_non_null(strstr(ws_error_detail(), "no channel 2"));
	shape.epochs = 0;
	const double unsorted[] = { 5, 20, 10 };
	const ws_cwt_opts axis = { .size = sizeof axis, .tag = WS_TAG_CWT, .frequencies = unsorted,
		.frequency_count = 3 };
	assert_int_equal(ws_plan_create(&plan, ctx, "coherence", &shape, &axis), WS_E_ARG);
	assert_non_null(strstr(ws_error_detail(), "rise or fall"));
	const ws_cwt_opts wide = { .size = sizeof wide, .tag = WS_TAG_CWT, .smooth_octaves = 21 };
	assert_int_equal(ws_plan_create(&plan, ctx, "coherence", &shape, &wide), WS_E_ARG);
	assert_non_null(strstr(ws_error_detail(), "20 octaves"));
	const ws_cwt_opts wrong = { .size = sizeof wrong, .tag = WS_TAG_CWT, .against = -2 };
	assert_int_equal(ws_plan_create(&plan, ctx, "coherence", &shape, &wrong), WS_E_ARG);
	assert_non_null(strstr(ws_error_detail(), "no channel -2"));
	ws_ctx_destroy(ctx);
}

/* Of 60 values each is above the level that it makes with the other 59, or is not, as often; it is
 * above theirs only if it is above that. */
static void
each_is_as_often_above(void **state)
{
	enum { VALUES = 60 };
	double others[VALUES - 1];
	size_t above = 0;
	(void)state;
	for (size_t i = 0; i < VALUES; ++i) {
		const double value = (double)(i + 1) / (VALUES + 1);
		for (size_t k = 0; k < VALUES - 1; ++k)
			others[k] = (double)(k + 1 + (k >= i)) / (VALUES + 1);
		const double level = wsi_level_with(others, VALUES - 1, 0.95, value);
		assert_true(level == 57.0 / (VALUES + 1));
		assert_int_equal(value > level,
		                 value > wsi_level_among(others, VALUES - 1, 0.95));
		above += value > level;
	}
	assert_int_equal(above, 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_its_definition),
		cmocka_unit_test(who_follows_is_coherent),
		cmocka_unit_test(means_over_neighbours),
		cmocka_unit_test(silence),
		cmocka_unit_test(all_pairs_are_those_of_each),
		cmocka_unit_test(levels_hold),
		cmocka_unit_test(imaginary_parts),
		cmocka_unit_test(levels_of_all_pairs),
		cmocka_unit_test(shuffled_epochs_and_clusters),
		cmocka_unit_test(each_is_as_often_above),
		cmocka_unit_test(levels_that_are_refused),
		cmocka_unit_test(mistakes_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
