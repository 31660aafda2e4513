/*
 * test_mode_figures.c - the frequency of a mode: every instruction set gives the
 * reference's bits; the frequency is the centroid of the power spectrum where that
 * is known; no unit, offset, type or length changes it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core_test.h"
#include "math/half_waves.h"
#include "ops/ops.h"

#define TAU 6.283185307179586

static ws_mode_figures
figures_of(const void *x, ws_type type, size_t n, double fs)
{
	ws_mode_figures f = { .size = sizeof f };
	if (ws_mode_stats(x, type, n, fs, &f) != WS_OK)
		fail_msg("%s", ws_error_detail());
	const double all[] = { f.frequency, f.band_low, f.band_high, f.effective_half_waves,
		f.zero_crossing_frequency, f.mean, f.deviation, f.median_frequency, f.end_share };
	for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
		assert_false(isnan(all[i]));
	assert_true(f.band_low <= f.band_high);
	assert_true(f.band_low <= f.median_frequency && f.median_frequency <= f.band_high);
	assert_true(f.frequency >= 0 && f.frequency <= 0.5 * fs);
	assert_true(f.end_share >= 0 && f.end_share <= 1);
	return f;
}

static void
near(double got, double want, double relative)
{
	if (!(fabs(got - want) <= relative * fabs(want)))
		fail_msg("%.10g, not %.10g", got, want);
}

/* ---- Kernels ---------------------------------------------------------------- */

/* Signals of many and of few crossings, with plateaus at the mean and a quiet middle. */
static double
signal_at(rng *r, int kind, size_t i, size_t n)
{
	const double t = (double)i, noise = rng_uniform(r) - 0.5;
	switch (kind) {
	case 0:  return noise;
	case 1:  return sin(0.001 * t) + 1e-3 * noise;
	case 2:  return i > n / 4 && i < 3 * n / 4 ? 0.0 : sin(0.4 * t);
	case 3:  return floor(3.0 * noise);
	case 4:  return i == n / 2;
	default: return sin(t * t / (double)n) + 0.3;
	}
}

/* Other classes may hold anything. */
static bool
same_half_waves(const wsi_half_waves *a, const wsi_half_waves *b)
{
	bool same = a->crossings == b->crossings && a->energy == b->energy &&
		a->squares == b->squares && a->first == b->first && a->end == b->end;
	for (int i = 0; same && i < 2; ++i)
		for (int c = a->first; c < a->end; ++c)
			same = same && memcmp(&a->bins[i][c], &b->bins[i][c],
			                      sizeof a->bins[i][c]) == 0;
	return same;
}

static void
instruction_sets_agree(void **state)
{
	(void)state;
	rng r = { 7 };
	static const size_t lengths[] = { 1, 2, 3, 7, 8, 9, 63, 64, 65, 127, 128, 129, 200, 1000, 4099 };
	wsi_half_waves *want = need(sizeof *want), *got = need(sizeof *got);
	double *x = need(4099 * sizeof *x);
	float *narrow = need(4099 * sizeof *narrow);
	for (size_t l = 0; l < sizeof lengths / sizeof *lengths; ++l)
		for (int kind = 0; kind < 6; ++kind)
			for (int type = 0; type < 2; ++type) {
				const size_t n = lengths[l];
				for (size_t i = 0; i < n; ++i)
					narrow[i] = (float)(x[i] = signal_at(&r, kind, i, n));
				const void *row = type == WS_F64 ? (const void *)x : narrow;
				double peak, want_peak;
				const double sum = wsi_ops_find("ref", (ws_type)type)->sum_and_peak(row, n, &want_peak);
				memset(want, 0x5a, sizeof *want);
				wsi_ops_find("ref", (ws_type)type)->half_waves(row, n, 0.5, 0.0625, want);
				const char *isa;
				for (int i = 1; (isa = isa_to_test(i)); ++i) {
					assert_true(wsi_ops_find(isa, (ws_type)type)->sum_and_peak(row, n, &peak) == sum);
					assert_true(peak == want_peak);
					memset(got, 0xa5, sizeof *got);
					wsi_ops_find(isa, (ws_type)type)->half_waves(row, n, 0.5, 0.0625, got);
					if (!same_half_waves(want, got))
						fail_msg("%s differs from ref: %zu samples of kind %d, type %d", isa, n,
						         kind, type);
				}
			}
	print_isas();
	free(want);
	free(got);
	free(x);
	free(narrow);
}

/* ---- What is known ------------------------------------------------------------ */

enum { N = 20000 };
static double x[N];

static void
tones(void **state)
{
	(void)state;
	for (int i = 1; i <= 35; ++i) {
		const double f = 0.01 * i + 1e-4;
		for (int t = 0; t < N; ++t)
			x[t] = sin(TAU * f * t + i);
		const ws_mode_figures m = figures_of(x, WS_F64, N, 1000.0);
		/* From 0.3 of the rate on, crossings come faster than lines can tell. */
		near(m.frequency, 1000 * f, f < 0.2 ? 0.005 : f < 0.3 ? 0.011 : 0.045);
		near(m.zero_crossing_frequency, 1000 * f, 0.005);
		near((double)m.half_waves, 2 * N * f, 0.005);
		near(m.deviation, sqrt(0.5), 0.005);
		if (f < 0.1) {
			near(m.band_low, 1000 * f, 0.01);
			near(m.band_high, 1000 * f, 0.01);
		}
	}
}

/* Whatever the phase, and wherever the row is cut: six half waves or more are enough. */
static void
short_sines(void **state)
{
	(void)state;
	const double periods[] = { 10, 12.5, 20, 250 / 3.0, 417 };
	for (size_t p = 0; p < sizeof periods / sizeof *periods; ++p)
		for (int length = 0; length < 28; ++length)
			for (int phase = 0; phase < 28; ++phase) {
				const int n = (int)ceil(periods[p] * (3 + 0.25 * length));
				for (int t = 0; t < n; ++t)
					x[t] = 5 * sin(TAU * t / periods[p] + TAU * phase / 28) + 3;
				const ws_mode_figures m = figures_of(x, WS_F64, (size_t)n, 250);
				if (fabs(m.frequency * periods[p] / 250 - 1) > 0.005)
					fail_msg("period %g, %d samples, phase %d: %g Hz, not %g",
					         periods[p], n, phase, m.frequency,
					         250 / periods[p]);
				near(m.median_frequency, 250 / periods[p], p < 2 ? 0.04 : 0.012);
			}
}

/* A wave with few, loud, faster bursts: the mean lies above the quartiles, the median does not. */
static void
skewed(void **state)
{
	(void)state;
	for (int t = 0; t < N; ++t)
		x[t] = t % 5000 < 500 ? 1.2 * sin(TAU * t / 10.0) : sin(TAU * t / 100.0);
	const ws_mode_figures m = figures_of(x, WS_F64, N, 100);
	assert_true(m.frequency > 2 && m.frequency > m.band_high);
	near(m.median_frequency, 1, 0.02);
}

/* sum f P / sum P of the row and its mirror image: the spectrum without the jump
 * between its ends (a cosine transform). */
static double
centroid(const double *row, int n)
{
	double mean = 0, first = 0, all = 0;
	for (int i = 0; i < n; ++i)
		mean += row[i] / n;
	for (int k = 1; k < n; ++k) {
		double c = 0;
		for (int i = 0; i < n; ++i)
			c += (row[i] - mean) * cos(TAU / 4 * k * (2 * i + 1) / n);
		first += c * c * k / (2.0 * n);
		all += c * c;
	}
	return first / all;
}

enum { SHORT = 1500 };

/* Bursts with quiet stretches, chirps, offsets, harmonics, trains of pulses. */
static double
shape_at(int shape, int i, rng *r)
{
	const double t = i, quiet = 0.01 * (rng_uniform(r) - 0.5);
	switch (shape) {
	case 0:  return i / 150 % 3 == 0 ? sin(TAU * 0.08 * t) * sin(TAU / 300 * (i % 150)) : quiet;
	case 1:  return sin(TAU * (0.02 * t + 0.04 * t * t / SHORT));
	case 2:  return sin(TAU * 0.05 * t) * (1 + 0.5 * sin(TAU * 0.004 * t));
	case 3:  return sin(TAU * 0.03 * t) + 0.3 * sin(TAU * 0.09 * t + 1);
	case 4:  return sin(TAU * 0.03 * t) + 0.3 * sin(TAU * 0.06 * t + 1);
	case 5:  return sin(TAU * 0.05 * t) + 0.7 * sin(TAU * 0.057 * t);
	case 6:  return exp(-t / 200) * sin(TAU * 0.04 * t + 1);
	case 7:  return exp(3 * cos(TAU * 0.03 * t));
	default: return fabs(fmod(0.04 * t, 1) - 0.5) - 0.25;
	}
}

static void
centroid_of_the_spectrum(void **state)
{
	(void)state;
	rng r = { 3 };
	for (int shape = 0; shape < 9; ++shape)
		for (int offset = 0; offset < 2; ++offset) {
			for (int i = 0; i < SHORT; ++i)
				x[i] = shape_at(shape, i, &r) + 1000 * offset;
			const ws_mode_figures m = figures_of(x, WS_F64, SHORT, 1);
			const double want = centroid(x, SHORT);
			if (fabs(m.frequency / want - 1) > 0.05)
				fail_msg("shape %d: %g, centroid %g", shape, m.frequency, want);
			if (offset)
				near(m.mean, 1000, 1e-2);
		}
}

/* Alpha of 10 Hz in bursts that are a tenth of the recording, faint hiss between them:
 * crossings tell the hiss, the frequency tells the alpha. */
static void
bursts(void **state)
{
	(void)state;
	rng r = { 5 };
	for (int i = 0; i < N; ++i)
		x[i] = i % 2560 < 256 ? 20 * sin(TAU * 10 * i / 256.0) * sin(TAU / 512 * (i % 2560))
		       : 0.5 * (rng_uniform(&r) - 0.5);
	const ws_mode_figures m = figures_of(x, WS_F64, N, 256);
	near(m.frequency, 10, 0.05);
	assert_true(m.zero_crossing_frequency > 50);
	assert_true(m.band_low > 9.5 && m.band_high < 10.5);
	assert_true(m.effective_half_waves > 50 && m.effective_half_waves < 250);
	assert_true(m.half_waves > 5000);
}

/* ---- What must not matter ------------------------------------------------------ */

static void
units_and_types(void **state)
{
	(void)state;
	static float narrow[N];
	static double scaled[N];
	rng r = { 9 };
	for (int i = 0; i < N; ++i)
		x[i] = (float)(sin(TAU * 0.03 * i) + 0.5 * (rng_uniform(&r) - 0.5) + 0.25);
	const ws_mode_figures one = figures_of(x, WS_F64, N, 1);
	for (int e = -960; e <= 1010; e += 197) {
		for (int i = 0; i < N; ++i)
			scaled[i] = ldexp(x[i], e);
		ws_mode_figures f = figures_of(scaled, WS_F64, N, 1);
		assert_true(f.mean == ldexp(one.mean, e) && f.deviation == ldexp(one.deviation, e));
		f.mean = one.mean;
		f.deviation = one.deviation;
		assert_memory_equal(&f, &one, sizeof f);
	}
	for (int e = -100; e <= 120; e += 44) {
		for (int i = 0; i < N; ++i)
			narrow[i] = (float)ldexp(x[i], e);
		const ws_mode_figures f = figures_of(narrow, WS_F32, N, 1);
		assert_true(f.frequency == one.frequency && f.deviation == ldexp(one.deviation, e));
	}
	for (int i = 0; i < N; ++i)
		scaled[i] = x[i] * 1e-300;
	near(figures_of(scaled, WS_F64, N, 1).frequency, one.frequency, 1e-9);
	for (int i = 0; i < N; ++i)
		scaled[i] = x[N - 1 - i];
	near(figures_of(scaled, WS_F64, N, 1).frequency, one.frequency, 1e-9);
	for (int i = 0; i < N; ++i)
		scaled[i] = x[i] + 1000;
	near(figures_of(scaled, WS_F64, N, 1).frequency, one.frequency, 1e-9);
}

static void
little_to_tell(void **state)
{
	(void)state;
	const double values[] = { 0, -0.0, 1, -5, 0.1, DBL_MIN, 5e-324, DBL_MAX, -DBL_MAX };
	for (size_t v = 0; v < sizeof values / sizeof *values; ++v)
		for (size_t n = 1; n < 300; n += n < 70 ? 1 : 37) {
			for (size_t i = 0; i < n; ++i)
				x[i] = values[v];
			const ws_mode_figures f = figures_of(x, WS_F64, n, 250);
			assert_true(f.frequency == 0 && f.band_low == 0 && f.band_high == 0);
			assert_true(f.half_waves == 0 && f.zero_crossing_frequency == 0 && f.deviation == 0);
			assert_true(f.mean == values[v]);
		}
	/* The largest swing there is, and the smallest. */
	for (size_t n = 2; n < 200; ++n)
		for (int k = 0; k < 2; ++k) {
			for (size_t i = 0; i < n; ++i)
				x[i] = (i % 2 ? 1 : -1) * (k ? DBL_MAX : 5e-324);
			near(figures_of(x, WS_F64, n, 2).frequency, 1, 0.5);
		}
	for (int i = 0; i < N; ++i)
		x[i] = i;
	/* A ramp and its mirror image are a triangle: harmonics of 1/k^2. */
	near(figures_of(x, WS_F64, N, 1).frequency, 0.5 / N * 1.0366, 0.03);
}

static void
refusals(void **state)
{
	(void)state;
	ws_mode_figures f = { .size = sizeof f }, small = { .size = 8 };
	x[0] = 1;
	x[1] = 2;
	assert_int_equal(ws_mode_stats(x, WS_F64, 2, 1, &small), WS_E_ARG);
	assert_int_equal(ws_mode_stats(x, WS_F64, 2, 1, NULL), WS_E_ARG);
	assert_int_equal(ws_mode_stats(NULL, WS_F64, 2, 1, &f), WS_E_ARG);
	assert_int_equal(ws_mode_stats(x, WS_F64, 0, 1, &f), WS_E_ARG);
	assert_int_equal(ws_mode_stats(x, (ws_type)7, 2, 1, &f), WS_E_ARG);
	assert_int_equal(ws_mode_stats(x, WS_F64, 2, 0, &f), WS_E_ARG);
	assert_int_equal(ws_mode_stats(x, WS_F64, 2, NAN, &f), WS_E_ARG);
	/* Filled as far as the struct of an older caller reaches. */
	f.size = offsetof(ws_mode_figures, half_waves);
	f.half_waves = 77;
	assert_int_equal(ws_mode_stats(x, WS_F64, 2, 1, &f), WS_OK);
	assert_int_equal(f.size, offsetof(ws_mode_figures, half_waves));
	assert_int_equal(f.half_waves, 77);
	assert_true(f.frequency > 0);
	for (int k = 0; k < 3; ++k) {
		x[1] = k == 0 ? NAN : k == 1 ? INFINITY : -INFINITY;
		assert_int_equal(ws_mode_stats(x, WS_F64, 2, 1, &f), WS_E_FORMAT);
		assert_non_null(strstr(ws_error_detail(), "sample 1"));
	}
}

/* A steady wave has two periods' share of its energy at the ends, in any unit; one that dies away
 * after its beginning nearly all; one in the middle none; a row of one wave has ends only. */
static void
ends(void **state)
{
	enum { FEW = 1000 };
	(void)state;
	for (int unit = -1; unit < 2; ++unit) {
		const double by = ldexp(3.0, 900 * unit);
		for (int i = 0; i < FEW; ++i)
			x[i] = by * sin(TAU * i / 40);
		near(figures_of(x, WS_F64, FEW, 250).end_share, 0.08, 0.03);
		for (int i = 0; i < FEW; ++i)
			x[i] = by * sin(TAU * i / 40) * exp(-0.04 * i);
		assert_true(figures_of(x, WS_F64, FEW, 250).end_share > 0.9);
		for (int i = 0; i < FEW; ++i)
			x[i] = by * sin(TAU * i / 40) * exp(-1e-4 * (i - 500) * (i - 500));
		assert_true(figures_of(x, WS_F64, FEW, 250).end_share < 1e-6);
	}
	for (int i = 0; i < FEW; ++i)
		x[i] = sin(TAU * i / FEW);
	near(figures_of(x, WS_F64, FEW, 1).end_share, 1, 1e-9);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instruction_sets_agree), cmocka_unit_test(tones),
		cmocka_unit_test(short_sines), cmocka_unit_test(skewed),
		cmocka_unit_test(centroid_of_the_spectrum), cmocka_unit_test(bursts),
		cmocka_unit_test(units_and_types), cmocka_unit_test(little_to_tell),
		cmocka_unit_test(ends), cmocka_unit_test(refusals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
