/* test_hht_holo.c - Hilbert-Huang spectra: holospectra, and modes of channels beside each other. */
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

/* ---- Holospectra ---------------------------------------------------------------------- */

/* A tone of 40 Hz whose amplitude swings at 4 Hz: the energy of its modulation is there, and it is
 * what a second decomposition of the amplitude tells. */
static void
test_holospectrum(void **state)
{
	enum { N = 20000, RATE = 400 };
	static double x[2 * N];
	(void)state;
	for (int i = 0; i < N; ++i) {
		const double t = (double)i / RATE;
		x[i] = (1 + 0.5 * cos(TAU * 4 * t)) * cos(TAU * 40 * t);
		x[N + i] = (1 + 0.25 * cos(TAU * t)) * cos(TAU * 10 * t);
	}
	hht h, other;
	hht_job task = { .channels = 1, .samples = N, .fs = RATE, .x = x,
		.o = { .modes_given = 2, .parts = WS_HHT_PART_HOLOSPECTRUM,
		       .quantity = WS_HHT_QUANTITY_POWER, .freqs.low = 5, .freqs.high = 80, .freqs.count = 16,
		       .modulation_freqs.low = 0.5, .modulation_freqs.high = 16, .modulation_freqs.count = 20 } };
	hht_must(&task, &h);
	assert_int_equal(h.bytes[WS_HHT_HOLOSPECTRUM], 16 * 20 * sizeof(double));
	double all = 0, fast = 0, slow = 0;
	for (int b = 0; b < 16; ++b)
		for (int a = 0; a < 20; ++a) {
			const double v = hht_at(&h, WS_HHT_HOLOSPECTRUM, (size_t)(b * 20 + a));
			const double f = 5 * pow(2, (b + 0.5) / 4);
			const double am = 0.5 * pow(2, (a + 0.5) / 4);
			all += v;
			fast += fabs(log2(f / 40)) < 0.3 && fabs(log2(am / 4)) < 0.3 ? v : 0;
			slow += fabs(log2(f / 10)) < 0.3 && fabs(log2(am)) < 0.9 ? v : 0;
		}
	/* Half of 0.5 squared, and of 0.25 squared. */
	assert_float_equal(fast, 0.125, 0.004);
	assert_float_equal(slow, 0.03125, 0.003);
	assert_true(all < 1.05 * (fast + slow));
	task.threads = 3;
	hht_must(&task, &other);
	hht_same(&h, &other, "threads");
	hht_free(&other);
	/* Density is power over both widths. */
	task.o.quantity = WS_HHT_QUANTITY_DENSITY;
	hht_must(&task, &other);
	double power = 0;
	for (int b = 0; b < 16; ++b)
		for (int a = 0; a < 20; ++a)
			power += hht_at(&other, WS_HHT_HOLOSPECTRUM, (size_t)(b * 20 + a)) *
			         5 * (pow(2, (b + 1) / 4.0) - pow(2, b / 4.0)) *
			         0.5 * (pow(2, (a + 1) / 4.0) - pow(2, a / 4.0));
	hht_near(power, all, 1e-9, "density");
	hht_free(&other);
	hht_free(&h);
}

/* The bin of a logarithmic axis; -1: none. */
static int
log_bin(double f, double low, double high, int bins)
{
	const double b = floor(log2(f / low) / log2(high / low) * bins);
	return f > 0 && b >= 0 && b < bins ? (int)b : -1;
}

/* emd 0.8.1 takes the second modes of all modes as one array [time][mode][second mode] (quadrature
 * divides by the largest of all, which a mode without an envelope brings in the signal's own unit).
 * So the holospectrum is the sum over cells of one analysis of them all, as modes of one signal. */
static void
test_holospectrum_of_emd(void **state)
{
	enum { N = 3000, RATE = 100, SECOND = 12, BINS = 12 };
	static double x[2 * N], rows[2 * SECOND * N];
	(void)state;
	rng r = { 21 };
	for (int i = 0; i < N; ++i) {
		const double t = (double)i / RATE, hump = exp(-0.5 * (t - 9) * (t - 9) / 4);
		x[i] = 300 * (1 + 0.5 * cos(TAU * 1.3 * t)) * cos(TAU * 20 * t);
		x[N + i] = 7 * (0.2 + hump + 0.01 * rng_normal(&r)) * cos(TAU * 5 * t);
	}
	hht first, second, holo;
	hht_job task = { .channels = 1, .samples = N, .fs = RATE, .x = x,
		.o = { .modes_given = 2, .reference = WS_HHT_REF_EMD,
		       .frequency_method = WS_HHT_QUADRATURE, .quantity = WS_HHT_QUANTITY_ENERGY,
		       .parts = WS_HHT_PART_HOLOSPECTRUM | WS_HHT_PART_INSTANTANEOUS,
		       .freqs.low = 2, .freqs.high = 40, .freqs.count = BINS, .modulation_freqs.low = 0.1,
		       .modulation_freqs.high = 16, .modulation_freqs.count = BINS } };
	hht_must(&task, &holo);
	hht_must(&task, &first);
	job decomposition = { .shape = { .channels = 2, .samples = N },
		.o = { .modes = SECOND }, .x = first.array[WS_HHT_AMPLITUDE] };
	result d;
	must_decompose(&decomposition, &d);
	for (int k = 0; k < 2; ++k)
		for (int j = 0; j < d.count[k]; ++j)
			memcpy(rows + (k * SECOND + j) * N, mode_row(&d, (size_t)k, j),
			       N * sizeof *rows);
	task.x = rows;
	task.o.modes_given = 2 * SECOND;
	task.o.parts = WS_HHT_PART_INSTANTANEOUS;
	task.o.modulation_freqs = (ws_range){ .count = 0 };
	hht_must(&task, &second);
	static double cells[BINS * BINS];
	double all = 0;
	memset(cells, 0, sizeof cells);
	for (size_t i = 0; i < (size_t)(2 * SECOND * N); ++i) {
		const size_t at = i / (SECOND * N) * N + i % N;
		const double f = hht_at(&first, WS_HHT_INSTANTANEOUS_FREQUENCY, at);
		const double am = hht_at(&second, WS_HHT_INSTANTANEOUS_FREQUENCY, i);
		const double a = hht_at(&second, WS_HHT_AMPLITUDE, i);
		const int b = log_bin(f, 2, 40, BINS), m = log_bin(am, 0.1, 16, BINS);
		if (b >= 0 && m >= 0 && (int)(i / N % SECOND) < d.count[i / (SECOND * N)])
			cells[b * BINS + m] += a * a;
	}
	for (int i = 0; i < BINS * BINS; ++i)
		all += cells[i];
	assert_true(all > 0);
	for (size_t i = 0; i < BINS * BINS; ++i)
		assert_float_equal(hht_at(&holo, WS_HHT_HOLOSPECTRUM, i), cells[i], 1e-9 * all);
	result_free(&d);
	hht_free(&holo);
	hht_free(&first);
	hht_free(&second);
}

/* ---- Between channels ----------------------------------------------------------------- */

enum { P_N = 3000, P_GROUP = 3, P_ALL = 2 * P_GROUP, P_K = 2 };

/* Channels 0 and 1 of a group share a rhythm and its envelope, 2 has its own. */
static double
paired(size_t c, size_t k, double t)
{
	const bool own = c % P_GROUP == 2;
	const double a = 1 + 0.5 * sin(own ? 0.0071 * t : 0.01 * t);
	return a * sin(TAU * (own ? 0.0613 : 0.05) * t / (double)(k + 1) + (double)c);
}

/* Mode k of channels c and d by the definitions: phase locking, correlation of amplitudes. */
static void
pair_of(const hht *h, size_t c, size_t d, size_t k, double want[2])
{
	const double *a = (double *)h->array[WS_HHT_AMPLITUDE];
	const double *phase = (double *)h->array[WS_HHT_PHASE];
	const size_t x = (c * P_K + k) * P_N, y = (d * P_K + k) * P_N;
	double re = 0, im = 0, sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
	for (size_t i = 0; i < P_N; ++i) {
		const double u = a[x + i], v = a[y + i];
		re += cos(phase[x + i] - phase[y + i]);
		im += sin(phase[x + i] - phase[y + i]);
		sa += u, sb += v, saa += u * u, sbb += v * v, sab += u * v;
	}
	const bool absent = k && (c == 4 || d == 4);
	want[0] = absent ? 0 : hypot(re, im) / P_N;
	want[1] = absent ? 0 : (sab - sa * sb / P_N) /
	          sqrt((saa - sa * sa / P_N) * (sbb - sb * sb / P_N));
}

/* Phase locking and amplitude correlation by their definitions, of the amplitudes and phases that
 * come with them; channels of another epoch stay apart. */
static void
test_connectivity(void **state)
{
	static double x[P_ALL * P_K * P_N];
	rng r = { 12 };
	(void)state;
	for (size_t i = 0; i < P_ALL * P_K * P_N; ++i) {
		const size_t c = i / P_N / P_K, k = i / P_N % P_K;
		const double v = paired(c, k, (double)(i % P_N)) + 0.01 * rng_normal(&r);
		x[i] = k && c == 4 ? 0 : v;
	}
	hht h, other;
	hht_job task = { .channels = P_ALL, .together = P_GROUP, .samples = P_N, .fs = 1, .x = x,
		.o = { .modes_given = P_K, .parts = WS_HHT_PART_CONNECTIVITY |
		       WS_HHT_PART_INSTANTANEOUS } };
	hht_must(&task, &h);
	assert_int_equal(h.bytes[WS_HHT_PHASE_LOCKING], P_ALL * P_K * P_GROUP * sizeof(double));
	for (size_t i = 0; i < P_ALL * P_K * P_GROUP; ++i) {
		const size_t c = i / P_GROUP / P_K, k = i / P_GROUP % P_K, p = i % P_GROUP;
		const double got[] = { hht_at(&h, WS_HHT_PHASE_LOCKING, i),
			hht_at(&h, WS_HHT_AMPLITUDE_CORRELATION, i) };
		double want[2];
		pair_of(&h, c, c / P_GROUP * P_GROUP + p, k, want);
		assert_float_equal(got[0], want[0], 1e-9);
		assert_float_equal(got[1], want[1], 1e-9);
		if (k == 0 && c % P_GROUP == 0 && p == 1)
			assert_true(want[0] > 0.99 && want[1] > 0.99);
		if (k == 0 && c % P_GROUP == 0 && p == 2)
			assert_true(want[0] < 0.1 && want[1] < 0.5);
	}
	for (task.threads = 3; task.threads < 9; task.threads += 4) {
		hht_must(&task, &other);
		hht_same(&h, &other, "threads");
		hht_free(&other);
	}
	hht_free(&h);
}

/* Pairs of unrelated channels are above their level in one case of twenty, whatever few waves a
 * mode has; a wave that both have is above it. */
static void
test_locking_by_chance(void **state)
{
	enum { N = 200, PAIRS = 24, MODES = 4 };
	static double x[2 * PAIRS * N];
	rng r = { 31 };
	(void)state;
	for (size_t c = 0; c < 2 * PAIRS; ++c)
		for (size_t t = 0; t < N; ++t) {
			const double red = t ? 0.9 * x[c * N + t - 1] : 0;
			x[c * N + t] = (c % 4 > 1 ? red : 0) + rng_normal(&r);
			if (c / 2 == PAIRS - 1)
				x[c * N + t] += 6 * sin(TAU * (double)t / 9 + 0.5 * (double)(c % 2));
		}
	hht h, other;
	hht_job task = { .channels = 2 * PAIRS, .together = 2, .samples = N, .fs = 1, .x = x,
		.o = { .noise_signals = 59, .parts = WS_HHT_PART_CONNECTIVITY } };
	hht_must(&task, &h);
	const size_t modes = h.bytes[WS_HHT_LOCKING_LEVEL] / (4 * PAIRS * sizeof(double));
	size_t above = 0, all = 0, high = 0, none = 0;
	/* Noise without the mode says nothing of it. */
	for (size_t i = 0; i < 4 * PAIRS * modes; ++i) {
		none += isnan(hht_at(&h, WS_HHT_LOCKING_LEVEL, i));
		assert_false(hht_at(&h, WS_HHT_LOCKING_LEVEL, i) <= 0);
	}
	assert_true(none > 2 * PAIRS * modes);
	for (size_t i = 0; i < PAIRS; ++i)
		for (size_t k = 0; k < MODES; ++k) {
			const size_t at = (2 * i * modes + k) * 2 + 1;
			const double value = hht_at(&h, WS_HHT_PHASE_LOCKING, at);
			const double level = hht_at(&h, WS_HHT_LOCKING_LEVEL, at);
			assert_true(isnan(hht_at(&h, WS_HHT_LOCKING_LEVEL, at - 1)));
			high += k == 3 && level > 0.4;
			if (i == PAIRS - 1)
				assert_true(k > 0 || value > level);
			else if (value > 0)
				above += value > level, ++all;
		}
	assert_true(above > 0 && (double)above < 0.12 * (double)all && high > PAIRS / 2);
	task.threads = 3;
	hht_must(&task, &other);
	hht_same(&h, &other, "threads");
	hht_free(&other);
	hht_free(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_holospectrum),
		cmocka_unit_test(test_holospectrum_of_emd), cmocka_unit_test(test_connectivity),
		cmocka_unit_test(test_locking_by_chance),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
