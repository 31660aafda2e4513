/* test_spectrum.c - Welch's method and bands, on rows whose spectrum is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core_test.h"
#include "plot/bands.h"
#include "plot/welch.h"

#define FS 250.0

typedef struct spectrum {
	size_t length;
	double *density;
} spectrum;

/* In blocks of any size. */
static spectrum
spectrum_of(const double *x, size_t n)
{
	wsi_welch *welch;
	assert_int_equal(wsi_welch_create(&welch, n, FS), WS_OK);
	spectrum s = {.length = wsi_welch_length(welch)};
	s.density = malloc((s.length / 2 + 1) * sizeof *s.density);
	for (int again = 0; again < 2; ++again) {
		for (size_t first = 0, count = 1; first < n; first += count, count = 3 * count + 1) {
			count = count < n - first ? count : n - first;
			wsi_welch_push(welch, x + first, count);
		}
		wsi_welch_finish(welch, s.density);
	}
	wsi_welch_destroy(welch);
	return s;
}

static double
power(const spectrum *s)
{
	double sum = 0;
	for (size_t k = 0; k <= s->length / 2; ++k)
		sum += s->density[k] * FS / (double)s->length;
	return sum;
}

static double *
sine(size_t n, double f, double amplitude, double offset)
{
	double *x = malloc(n * sizeof *x);
	for (size_t i = 0; i < n; ++i)
		x[i] = offset + amplitude * sin(2 * M_PI * f * (double)i / FS + 0.3);
	return x;
}

static double *
noise(size_t n, uint64_t seed)
{
	double *x = malloc(n * sizeof *x);
	rng r = { seed };
	for (size_t i = 0; i < n; ++i)
		x[i] = rng_uniform(&r) - 0.5;
	return x;
}

static void
segments_are_even_and_smooth(void **state)
{
	(void)state;
	for (size_t n = WSI_WELCH_LEAST; n < 5000; ++n) {
		wsi_welch *welch;
		assert_int_equal(wsi_welch_create(&welch, n, FS), WS_OK);
		size_t length = wsi_welch_length(welch);
		wsi_welch_destroy(welch);
		assert_true(length % 2 == 0 && length <= n / 2 && length > n * 3 / 8);
		while (length % 2 == 0)
			length /= 2;
		while (length % 3 == 0)
			length /= 3;
		while (length % 5 == 0)
			length /= 5;
		assert_int_equal(length, 1);
	}
}

static void
a_sine_peaks_at_its_frequency(void **state)
{
	(void)state;
	static const double frequencies[] = {0.5, 3.25, 10, 40, 101, 124};
	for (size_t i = 0; i < 6; ++i) {
		double *x = sine(7777, frequencies[i], 3, 1e4);
		spectrum s = spectrum_of(x, 7777);
		size_t peak = 0;
		for (size_t k = 0; k <= s.length / 2; ++k)
			peak = s.density[k] > s.density[peak] ? k : peak;
		double bin = FS / (double)s.length;
		assert_true(fabs((double)peak * bin - frequencies[i]) <= bin / 2 + 1e-9);
		/* Its power is half its amplitude squared, wherever between bins it
		 * lies; its offset has none. */
		assert_true(fabs(power(&s) / 4.5 - 1) < 0.01);
		assert_true(s.density[0] < 1e-3 * s.density[peak]);
		free(s.density);
		free(x);
	}
}

/* Parseval: with one window over white noise the powers agree but for chance. */
static void
white_noise_is_flat_and_keeps_its_power(void **state)
{
	(void)state;
	enum { N = 200000 };
	double *x = noise(N, 1), variance = 0;
	for (size_t i = 0; i < N; ++i)
		variance += x[i] * x[i] / N;
	spectrum s = spectrum_of(x, N);
	assert_true(fabs(power(&s) / variance - 1) < 0.01);
	wsi_bands bands;
	wsi_kept kept = { 0 };
	assert_int_equal(wsi_bands_make(&bands, &kept, s.length, FS), WS_OK);
	double *density = malloc(bands.n * sizeof *density);
	wsi_bands_mean(&bands, s.density, density);
	for (size_t i = 0; i < bands.n; ++i)
		if (bands.frequency[i] > 1)
			assert_true(fabs(density[i] / (variance / (FS / 2)) - 1) < 0.3);
	assert_true(fabs(wsi_bands_power(&bands, density) / variance - 1) < 0.01);
	free(density);
	wsi_kept_free(&kept);
	free(s.density);
	free(x);
}

static void
bands_hold_every_bin_once(void **state)
{
	(void)state;
	for (size_t length = 2; length < 3000; length += 2) {
		wsi_bands bands;
		wsi_kept kept = { 0 };
		assert_int_equal(wsi_bands_make(&bands, &kept, length, FS), WS_OK);
		assert_int_equal(bands.first[0], 1);
		assert_int_equal(bands.first[bands.n], length / 2 + 1);
		double widths = 0;
		for (size_t i = 0; i < bands.n; ++i) {
			assert_true(bands.first[i] < bands.first[i + 1]);
			assert_true(i == 0 || bands.frequency[i] > bands.frequency[i - 1]);
			widths += bands.width[i];
		}
		assert_true(fabs(widths - FS / 2) < 1e-9);
		wsi_kept_free(&kept);
	}
}

static void
overlap_is_of_shapes(void **state)
{
	(void)state;
	wsi_bands bands;
	wsi_kept kept = { 0 };
	assert_int_equal(wsi_bands_make(&bands, &kept, 1000, FS), WS_OK);
	double *x = calloc(4 * bands.n, sizeof *x), *y = x + bands.n, *both = y + bands.n;
	double *none = both + bands.n;
	for (size_t i = 0; i < bands.n; ++i) {
		bool low = i < bands.n / 2;
		x[i] = low ? (double)i : 0;
		y[i] = low ? 0 : 1 / bands.frequency[i];
	}
	double of_x = wsi_bands_power(&bands, x), of_y = wsi_bands_power(&bands, y);
	for (size_t i = 0; i < bands.n; ++i)
		both[i] = 1e6 * (x[i] / of_x + y[i] / of_y);
	assert_true(fabs(wsi_bands_overlap(&bands, x, x) - 1) < 1e-12);
	assert_true(wsi_bands_overlap(&bands, x, y) == 0);
	assert_true(fabs(wsi_bands_overlap(&bands, x, both) - 0.5) < 1e-12);
	assert_true(fabs(wsi_bands_overlap(&bands, both, y) - 0.5) < 1e-12);
	assert_true(isnan(wsi_bands_overlap(&bands, x, none)));
	free(x);
	wsi_kept_free(&kept);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segments_are_even_and_smooth),
		cmocka_unit_test(a_sine_peaks_at_its_frequency),
		cmocka_unit_test(white_noise_is_flat_and_keeps_its_power),
		cmocka_unit_test(bands_hold_every_bin_once),
		cmocka_unit_test(overlap_is_of_shapes),
	};
	return cmocka_run_group_tests_name("spectrum", tests, NULL, NULL);
}
