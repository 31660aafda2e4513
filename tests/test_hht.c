/*
 * test_hht.c - Hilbert-Huang spectra: known frequencies and amplitudes, energy that is neither lost
 * nor made, in any unit; what is excluded; golden vectors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_test.h"
#include "hht_test.h"

#define TAU 6.283185307179586

/* ---- Known signals --------------------------------------------------------------------- */

enum { FS = 1000, LONG = 20 * FS };

/* A chirp from 5 to 45 Hz, an amplitude modulated tone, a frequency modulated one. */
static void
known_signal(int kind, double *x, double *a, double *f)
{
	for (int i = 0; i < LONG; ++i) {
		const double t = (double)i / FS;
		a[i] = kind == 1 ? 1 + 0.5 * cos(TAU * 2 * t) : 1;
		f[i] = kind == 0 ? 5 + 2 * t : kind == 1 ? 20 : 30 + 4 * cos(TAU * t);
		x[i] = a[i] * cos(kind == 0 ? TAU * (5 * t + t * t) : kind == 1 ? TAU * 20 * t
		                  : TAU * 30 * t + 4 * sin(TAU * t));
	}
}

static double
rms_error(const hht *h, int array, const double *want, size_t from, size_t to)
{
	double error = 0, sum = 0;
	for (size_t i = from; i < to; ++i) {
		const double d = hht_at(h, array, i) - want[i];
		error += d * d;
		sum += want[i] * want[i];
	}
	return sqrt(error / sum);
}

/* Outside 2 % at each end; bounds of the frequency's and the amplitude's error. */
static void
test_known(void **state)
{
	static double x[LONG], a[LONG], f[LONG];
	static const double bounds[3][3][2] = { /* [method][signal] */
		{ { 1e-4, 3e-4 }, { 1e-4, 1e-4 }, { 1e-4, 1e-4 } },
		{ { 1e-4, 1e-6 }, { 1e-3, 1e-3 }, { 1e-4, 1e-5 } },
		{ { 1e-4, 1e-6 }, { 2e-3, 1e-3 }, { 1e-4, 1e-5 } },
	};
	(void)state;
	for (int kind = 0; kind < 3; ++kind)
		for (int method = 0; method < 3; ++method) {
			known_signal(kind, x, a, f);
			hht h;
			const hht_job task = { .channels = 1, .samples = LONG, .fs = FS, .x = x,
				.o = { .modes_given = 1, .frequency_method = (ws_hht_method)(method + 1),
				       .parts = WS_HHT_PART_INSTANTANEOUS } };
			hht_must(&task, &h);
			const double *bound = bounds[method][kind];
			const double df = rms_error(&h, WS_HHT_INSTANTANEOUS_FREQUENCY, f, LONG / 50,
			                            LONG - LONG / 50);
			const double da = rms_error(&h, WS_HHT_AMPLITUDE, a, LONG / 50,
			                            LONG - LONG / 50);
			if (df > bound[0] || da > bound[1])
				fail_msg("signal %d, method %d: %.2e, %.2e", kind, method + 1, df,
				         da);
			/* Amplitude and phase give the mode. */
			const size_t margin = method ? LONG / 50 : 0;
			for (size_t i = margin; i < LONG - margin; ++i) {
				const double y = hht_at(&h, WS_HHT_AMPLITUDE, i) *
				                 cos(hht_at(&h, WS_HHT_PHASE, i));
				if (method != 1 && fabs(y - x[i]) > (method ? 1e-3 : 1e-9))
					fail_msg("sample %zu: %g, not %g", i, y, x[i]);
			}
			hht_free(&h);
		}
}

/* ---- Energy -------------------------------------------------------------------------------- */

enum { CHANNELS = 3, SAMPLES = 1500, MODES = 5 };

static double
sum_of(const hht *h, int array, size_t first, size_t n)
{
	double sum = 0;
	for (size_t i = first; i < first + n; ++i)
		sum += hht_at(h, array, i);
	return sum;
}

/* Sum of a^2 of a mode, of a where !squares. */
static double
amplitudes_of(const hht *h, size_t row, bool squares)
{
	double sum = 0;
	for (size_t i = 0; i < SAMPLES; ++i) {
		const double a = hht_at(h, WS_HHT_AMPLITUDE, row * SAMPLES + i);
		sum += squares ? a * a : a;
	}
	return sum;
}

/* What is in the bins and outside them is what there is; spectra of modes add up to that of all,
 * and over time to the marginal spectra. */
static void
check_energy(const hht *h)
{
	const bool squares = h->opts.quantity != WS_HHT_QUANTITY_AMPLITUDE;
	const size_t cells = h->bins * h->times;
	for (size_t c = 0; c < h->channels; ++c) {
		double modes = 0;
		for (size_t k = 0; k < h->modes; ++k) {
			const size_t row = c * h->modes + k;
			const double all = amplitudes_of(h, row, squares);
			const double inside = sum_of(h, WS_HHT_MODE_MARGINAL, row * h->bins,
			                             h->bins);
			const double outside = hht_at(h, WS_HHT_OUTSIDE, row);
			if (squares)
				hht_near(inside + all * outside, all, 1e-11, "energy of a mode");
			else
				assert_true(inside <= all * (1 + 1e-12));
			hht_near(sum_of(h, WS_HHT_MODE_SPECTRUM, row * cells, cells), inside, 1e-12,
			     "spectrum of a mode");
			modes += inside;
		}
		hht_near(sum_of(h, WS_HHT_MARGINAL, c * h->bins, h->bins), modes, 1e-12, "marginal");
		hht_near(sum_of(h, WS_HHT_SPECTRUM, c * cells, cells), modes, 1e-12, "spectrum");
	}
}

static void
test_energy(void **state)
{
	static double x[CHANNELS * MODES * SAMPLES];
	static const double bins[] = { 1e-9, 0.3, 7, 100 }; /* s, at 100 Hz */
	(void)state;
	hht_some_modes(x, CHANNELS, MODES, SAMPLES, 5);
	for (int i = 0; i < 48; ++i) {
		hht h;
		const hht_job task = { .channels = CHANNELS, .samples = SAMPLES, .fs = 100, .x = x,
			.o = { .modes_given = MODES, .frequency_method = (ws_hht_method)(1 + i % 3),
			       .time_bin = bins[i % 4], .freqs.spacing = (ws_spacing)(1 + i % 2),
			       .quantity = i % 5 ? WS_HHT_QUANTITY_ENERGY : WS_HHT_QUANTITY_AMPLITUDE, .parts = 255,
			       .freqs.low = i % 7 ? 0 : 2, .freqs.high = i % 7 ? 0 : 9,
			       .exclude = (ws_hht_exclude)(1 + i / 16), .outlier_ratio = 1.5 } };
		hht_must(&task, &h);
		assert_int_equal(hht_at(&h, WS_HHT_MODE_COUNT, 1), MODES);
		assert_int_equal(hht_at(&h, WS_HHT_MODE_COUNT, 2), 3);
		check_energy(&h);
		hht_free(&h);
	}
}

/* Density integrated over frequency is half the mean of a^2; that is the mean square of a mode that
 * is its own period. */
static void
test_units(void **state)
{
	enum { N = 1000 };
	double x[N];
	(void)state;
	for (int i = 0; i < N; ++i)
		x[i] = 3 * cos(TAU * 40 * i / N) + 0.5 * cos(TAU * 41 * i / N);
	for (int quantity = WS_HHT_QUANTITY_DENSITY; quantity <= WS_HHT_QUANTITY_POWER; ++quantity) {
		hht h;
		const hht_job task = { .channels = 1, .samples = N, .fs = 250, .x = x,
			.o = { .modes_given = 1, .ends = WS_HHT_ENDS_PERIODIC, .time_bin = 0.3,
			       .quantity = (ws_hht_quantity)quantity, .parts = 255 } };
		hht_must(&task, &h);
		double marginal = 0, first = 0;
		for (size_t b = 0; b < h.bins; ++b) {
			const double width = quantity == WS_HHT_QUANTITY_DENSITY
			                     ? h.edges[b + 1] - h.edges[b] : 1;
			marginal += hht_at(&h, WS_HHT_MARGINAL, b) * width;
			first += hht_at(&h, WS_HHT_SPECTRUM, b * h.times) * width;
		}
		hht_near(marginal, 4.625, 1e-12, "marginal"); /* (9 + 1/4) / 2 */
		hht_near(hht_at(&h, WS_HHT_MODE_ENERGY, 0), 4.625, 1e-12, "mean square");
		hht_near(first, hht_at(&h, WS_HHT_POWER, 0), 1e-12, "instantaneous energy");
		/* 14 bins of 75 samples and one of 25. */
		assert_int_equal(h.times, 14);
		hht_free(&h);
	}
}

/* The cells of a time bin in both forms; energies add up to what the spectrum has. */
static void
check_sparse(const hht *h, size_t c, size_t t, size_t room)
{
	const bool density = h->opts.quantity == WS_HHT_QUANTITY_DENSITY;
	double least = HUGE_VAL, kept = 0, all = 0;
	size_t n = 0, filled = 0;
	int last = -1;
	for (size_t b = 0; b < h->bins; ++b) {
		const double v = hht_at(h, WS_HHT_SPECTRUM, (c * h->bins + b) * h->times + t);
		filled += v != 0;
		all += v * (density ? h->edges[b + 1] - h->edges[b] : 1);
	}
	for (; n < room; ++n) {
		const size_t at = (c * room + n) * h->times + t;
		const int bin = ((const int32_t *)h->array[WS_HHT_SPARSE_BIN])[at];
		if (bin < 0)
			break;
		const double width = density ? h->edges[bin + 1] - h->edges[bin] : 1;
		const double v = hht_at(h, WS_HHT_SPARSE_VALUE, at);
		assert_true(bin > last);
		assert_true(v == hht_at(h, WS_HHT_SPECTRUM, (c * h->bins + (size_t)bin) * h->times +
		                        t));
		least = fmin(least, v * width);
		kept += v * width;
		last = bin;
	}
	assert_int_equal(n, filled < room ? filled : room);
	for (size_t k = n; k < room; ++k) {
		const size_t at = (c * room + k) * h->times + t;
		assert_int_equal(((const int32_t *)h->array[WS_HHT_SPARSE_BIN])[at], -1);
		assert_true(hht_at(h, WS_HHT_SPARSE_VALUE, at) == 0);
	}
	/* None that was left out is larger than one that is there. */
	size_t larger = 0;
	for (size_t b = 0; b < h->bins; ++b)
		larger += hht_at(h, WS_HHT_SPECTRUM, (c * h->bins + b) * h->times + t) *
		          (density ? h->edges[b + 1] - h->edges[b] : 1) > least * (1 + 1e-12);
	assert_true(n == 0 || larger < n);
	assert_float_equal(((const double *)h->array[WS_HHT_SPARSE_LEFT])[c * h->times + t],
	                   all > 0 ? 1 - kept / all : 0, 1e-12);
}

/* Sparse arrays hold every cell where there is room, else the largest ones of a time bin. */
static void
test_sparse(void **state)
{
	static double x[CHANNELS * MODES * SAMPLES];
	static const int cells[] = { 0, 40, 5, 1 };
	(void)state;
	hht_some_modes(x, CHANNELS, MODES, SAMPLES, 9);
	for (int i = 0; i < 8; ++i) {
		const hht_job task = { .channels = CHANNELS, .samples = SAMPLES, .fs = 100, .x = x,
			.threads = 1 + i % 3,
			.o = { .modes_given = MODES, .time_bin = 0.3,
			       .quantity = i < 4 ? WS_HHT_QUANTITY_DENSITY : WS_HHT_QUANTITY_ENERGY,
			       .parts = WS_HHT_PART_SPECTRUM | WS_HHT_PART_SPARSE,
			       .sparse_cells = cells[i % 4] } };
		hht h;
		hht_must(&task, &h);
		const size_t room = (size_t)h.opts.sparse_cells;
		assert_int_equal(room, cells[i % 4] ? cells[i % 4] : 3 * MODES);
		for (size_t c = 0; c < CHANNELS; ++c)
			for (size_t t = 0; t < h.times; ++t)
				check_sparse(&h, c, t, room);
		hht_free(&h);
	}
}

/* ---- Frequencies that are counted ----------------------------------------------------------- */

/* A weak fast tone on a strong slow one: where they oppose each other the frequency is negative. */
static void
test_masks(void **state)
{
	enum { N = 2000 };
	double x[N];
	(void)state;
	for (int i = 0; i < N; ++i)
		x[i] = cos(TAU * 0.01 * i) + 0.5 * cos(TAU * 0.05 * i);
	hht h[3];
	for (int k = 0; k < 3; ++k) {
		const hht_job task = { .channels = 1, .samples = N, .fs = 1, .x = x,
			.o = { .modes_given = 1, .exclude = (ws_hht_exclude)(k + 1), .outlier_ratio = 1.2 } };
		hht_must(&task, &h[k]);
		double nan = 0, negative = 0;
		for (size_t i = 0; i < N; ++i) {
			nan += isnan(hht_at(&h[k], WS_HHT_INSTANTANEOUS_FREQUENCY, i));
			negative += hht_at(&h[k], WS_HHT_INSTANTANEOUS_FREQUENCY, i) < 0;
		}
		const double counted = hht_at(&h[k], WS_HHT_NEGATIVE, 0);
		const double outliers = hht_at(&h[k], WS_HHT_OUTLIERS, 0);
		assert_true(counted > N / 10 && outliers > N / 10);
		assert_int_equal(counted, hht_at(&h[0], WS_HHT_NEGATIVE, 0));
		assert_int_equal(nan, k == 0 ? 0 : k == 1 ? counted : counted + outliers);
		assert_int_equal(negative, k == 0 ? counted : 0);
	}
	/* Weighted with the energy, frequencies average to those of the tones by theirs. */
	hht_near(hht_at(&h[0], WS_HHT_MEAN_FREQUENCY, 0), (0.01 + 0.25 * 0.05) / 1.25, 0.01, "mean");
	assert_true(hht_at(&h[1], WS_HHT_MEAN_FREQUENCY, 0) >
	            hht_at(&h[0], WS_HHT_MEAN_FREQUENCY, 0));
	assert_true(hht_at(&h[2], WS_HHT_OUTSIDE, 0) > hht_at(&h[1], WS_HHT_OUTSIDE, 0));
	for (int k = 0; k < 3; ++k)
		hht_free(&h[k]);
}

/* ---- Golden vectors ------------------------------------------------------------------- */

/* The amplitudes, phases and frequencies that emd 0.8.1 gives two modes of noise, by its three
 * methods (tests/data/golden/hht_emd.npy). */
static void
test_golden(void **state)
{
	(void)state;
	const golden g = golden_read("hht_emd");
	assert_int_equal(g.rows, 20);
	const double unit[] = { std_of(g.v, g.n), std_of(g.v + g.n, g.n) };
	for (int method = 0; method < 3; ++method) {
		hht h;
		const hht_job task = { .channels = 1, .samples = g.n, .fs = 100, .x = g.v,
			.o = { .modes_given = 2, .frequency_method = (ws_hht_method)(method + 1),
			       .reference = WS_HHT_REF_EMD } };
		hht_must(&task, &h);
		for (size_t i = 0; i < 2 * g.n; ++i) {
			const double *want = g.v + (2 + 6 * (size_t)method) * g.n;
			const double a = hht_at(&h, WS_HHT_AMPLITUDE, i) - want[i];
			double p = fmod(hht_at(&h, WS_HHT_PHASE, i) - want[2 * g.n + i], TAU);
			const double f = hht_at(&h, WS_HHT_INSTANTANEOUS_FREQUENCY, i) - want[4 * g.n + i];
			p = p > TAU / 2 ? p - TAU : p < -TAU / 2 ? p + TAU : p;
			if (fabs(a) > 1e-12 * unit[i / g.n] || fabs(p) > 1e-10 || fabs(f) > 1e-10)
				fail_msg("method %d, number %zu: off by %.2e, %.2e, %.2e",
				         method + 1, i, a, p, f);
		}
		hht_free(&h);
	}
	free(g.v);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known), cmocka_unit_test(test_energy),
		cmocka_unit_test(test_units), cmocka_unit_test(test_sparse),
		cmocka_unit_test(test_masks),
		cmocka_unit_test(test_golden),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
