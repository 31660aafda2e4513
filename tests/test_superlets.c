/* test_superlets.c - superlets against geometric means of Morlet transforms, one by one. */
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
#include "cwt_test.h"

enum { N = 500, CHANNELS = 2, COUNT = 6, SIZE = CHANNELS * COUNT * N };

static const double fs = 200.0, frequencies[COUNT] = { 60, 44, 30, 20, 12, 10 };

static void
run(const char *name, const double *x, ws_type type, ws_cwt_opts o, int threads, const char *isa,
    int array, void *out)
{
	void *arrays[WS_SUPERLETS_ARRAYS] = { NULL };
	/* Where another array is looked at the power is made too. */
	arrays[WS_SUPERLETS_POWER] = array >= WS_SUPERLETS_SCALE ? need(SIZE * type_size(type))
		: NULL;
	void *beside = arrays[WS_SUPERLETS_POWER];
	arrays[array] = out;
	/* Mirror images would fade into each other elsewhere for each wavelet. */
	o.padding = WS_PADDING_PERIODIC;
	o.frequencies = frequencies;
	o.frequency_count = COUNT;
	const cwt_task task = { .name = name, .x = x, .type = type, .channels = CHANNELS,
		.samples = N, .fs = fs, .o = o, .threads = threads, .isa = isa };
	assert_int_equal(cwt_execute(&task, WS_SUPERLETS_ARRAYS, arrays), WS_OK);
	free(beside);
}

static double *
recording(void)
{
	double *x = need(CHANNELS * N * sizeof *x);
	rng random = { 12 };
	for (int i = 0; i < CHANNELS * N; ++i)
		x[i] = rng_normal(&random) + cos(2 * 3.14159265358979 * 30 * (i % N) / fs);
	return x;
}

/* want[SIZE]: magnitude^power, from one "cwt" for each wavelet of the set. */
static void
means(const double *x, ws_cwt_opts o, double cycles, double power, double *want)
{
	double *row = need(SIZE * sizeof *row);
	for (int i = 0; i < SIZE; ++i)
		want[i] = 1;
	for (int k = 0; k < 8; ++k) {
		const double c = o.set == WS_SUPERLET_ADDITIVE ? cycles + k : cycles * (k + 1);
		const ws_cwt_opts one = { .wavelet = o.wavelet, .quantity = WS_QUANTITY_MAGNITUDE,
			.norm = o.norm, .cycles = &c, .cycle_count = 1 };
		run("cwt", x, WS_F64, one, 1, NULL, WS_CWT_MAGNITUDE, row);
		for (int i = 0; i < SIZE; ++i) {
			const double f = frequencies[i / N % COUNT];
			const double order = o.order[0] + (f - 10) / 50 * (o.order[1] - o.order[0]);
			const double weight = fmin(fmax(order - k, 0), 1);
			want[i] *= pow(row[i], weight / order * power);
		}
	}
	free(row);
}

static void
means_of_morlet_transforms(void **state)
{
	static const struct {
		ws_cwt_opts o;
		double cycles;
	} cases[] = {
		{ { .order = { 1, 1 } }, 3 },
		{ { .order = { 4, 4 }, .norm = WS_NORM_TC }, 3 },
		{ { .order = { 1, 7.5 } }, 2.5 },
		{ { .order = { 6, 1 }, .set = WS_SUPERLET_ADDITIVE }, 4 },
		{ { .order = { 2.25, 2.25 }, .wavelet = WS_WAVELET_MORLET_ZERO_MEAN }, 3 },
	};
	(void)state;
	double *x = recording(), *want = need(SIZE * sizeof *want);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i += SANITIZED ? 2 : 1)
		for (int type = WS_F64; type <= WS_F32; ++type) {
			const bool magnitude = i % 2;
			const size_t bytes = SIZE * type_size(type);
			void *out = need(bytes), *again = need(bytes);
			ws_cwt_opts o = cases[i].o;
			o.quantity = magnitude ? WS_QUANTITY_MAGNITUDE : 0;
			o.cycles = &cases[i].cycles;
			o.cycle_count = 1;
			const int array = magnitude ? WS_SUPERLETS_MAGNITUDE : WS_SUPERLETS_POWER;
			means(x, cases[i].o, cases[i].cycles, magnitude ? 1 : 2, want);
			run("superlets", x, type, o, 1, NULL, array, out);
			double most = 0, largest = 0;
			for (size_t k = 0; k < SIZE; ++k) {
				most = fmax(most, fabs(get(type, out, k) - want[k]));
				largest = fmax(largest, want[k]);
			}
			if (!(most < (type == WS_F64 ? 1e-11 : 1e-4) * largest))
				fail_msg("case %zu, type %d: %g of %g", i, type, most, largest);
			run("superlets", x, type, o, 3, NULL, array, again);
			assert_memory_equal(out, again, bytes);
			/* The first is "ref", whose bits are its own. */
			for (int k = 1; isa_to_test(k); ++k) {
				run("superlets", x, type, o, 2, isa_to_test(k), array, again);
				assert_memory_equal(out, again, bytes);
			}
			/* It takes its time, minutes under a sanitizer. */
			if (i == 2 && !SANITIZED)
				run("superlets", x, type, o, 1, isa_to_test(0), array, again);
			for (size_t k = 0; k < SIZE; ++k)
				assert_true(fabs(get(type, again, k) - want[k]) <
				            (type == WS_F64 ? 1e-11 : 1e-4) * largest);
			free(out);
			free(again);
		}
	free(x);
	free(want);
}

/* Products of rows, some of which have numbers that cannot be multiplied as they are, against those
 * of numbers taken apart one by one. */
static void
products_of_any_size(void **state)
{
	enum { ROWS = 15, POINTS = 37 };
	static const double odd[] = { 0, 0x1p-149, 0x1p-1074, 0x1p127, 0x1p1023, HUGE_VAL };
	(void)state;
	for (int k = 1; isa_to_test(k); ++k)
		for (int type = WS_F64; type <= WS_F32; ++type) {
			const wsi_ops *ops = wsi_ops_find(isa_to_test(k), type);
			double share[POINTS], exponent[POINTS] = { 0 }, want[2][POINTS] = { { 0 } };
			double wide[POINTS];
			float narrow[POINTS];
			rng random = { 7 };
			for (int t = 0; t < POINTS; ++t)
				share[t] = want[0][t] = 1;
			for (int i = 0; i < ROWS; ++i) {
				for (int t = 0; t < POINTS; ++t) {
					const bool one = i % 5 == 3 && t % 7 == 2;
					const double x = one ? odd[(i + t) % 6]
						: ldexp(1 + fabs(rng_normal(&random)),
						        rng_int(&random, -120, 120));
					wide[t] = x;
					narrow[t] = (float)x;
					geometric_take(&want[0][t], &want[1][t],
					               type == WS_F64 ? x : narrow[t]);
				}
				ops->cwt->multiply(type == WS_F64 ? (void *)wide : narrow, POINTS,
				                   (size_t)i, share, exponent);
			}
			for (int t = 0; t < POINTS; ++t) {
				geometric_settle(&share[t], &exponent[t]);
				assert_true(share[t] == want[0][t]);
				assert_true(share[t] == 0 || exponent[t] == want[1][t]);
			}
		}
}

/* A tone has its own power at every order, nothing has none, and what is tiny or huge is neither
 * lost nor infinite. */
static void
tones_and_nothing(void **state)
{
	(void)state;
	double *x = need(CHANNELS * N * sizeof *x), *out = need(SIZE * sizeof *out);
	for (int e = -150; e <= 150; e += 150) {
		const double size = pow(10, e);
		for (int t = 0; t < N; ++t) {
			x[t] = 3 * size * cos(2 * 3.14159265358979 * 20 * t / fs);
			x[N + t] = 0;
		}
		const ws_cwt_opts o = { .order = { 9, 9 }, .quantity = WS_QUANTITY_MAGNITUDE };
		run("superlets", x, WS_F64, o, 1, NULL, WS_SUPERLETS_MAGNITUDE, out);
		for (int t = 0; t < N; ++t)
			assert_true(fabs(out[3 * N + t] / size - 3) < 1e-6);
		for (int t = 0; t < COUNT * N; ++t)
			assert_true(out[COUNT * N + t] == 0);
	}
	free(x);
	free(out);
}

static void
frequencies_are_told(void **state)
{
	(void)state;
	double *x = recording(), order[COUNT], cone[COUNT], width[COUNT];
	const double cycles = 3;
	ws_cwt_opts o = { .order = { 1, 6 }, .cycles = &cycles, .cycle_count = 1 };
	run("superlets", x, WS_F64, o, 1, NULL, WS_SUPERLETS_ORDER, order);
	run("superlets", x, WS_F64, o, 1, NULL, WS_SUPERLETS_CONE, cone);
	run("superlets", x, WS_F64, o, 1, NULL, WS_SUPERLETS_WIDTH_TIME, width);
	for (int i = 0; i < COUNT; ++i) {
		const double f = frequencies[i], want = 1 + (f - 10) / 10;
		assert_true(fabs(order[i] - want) < 1e-12);
		/* Deviation of the energy, c / (2 pi f sqrt 2), of one wavelet's; e-folding time of
		 * the longest's, twice that. */
		const double one = 3 / (2 * 3.14159265358979 * f * sqrt(2));
		assert_true(fabs(width[i] - one) < 0.02 * one);
		assert_true(fabs(cone[i] - 2 * ceil(want - 1e-9) * one) < 0.02 * cone[i]);
	}
	free(x);
}

static void
refuses(ws_cwt_opts o, const char *what)
{
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = N, .fs = fs };
	o.size = sizeof o;
	o.tag = WS_TAG_CWT;
	expect_no_plan("superlets", &shape, &o, what);
}

static void
mistakes_are_named(void **state)
{
	(void)state;
	refuses((ws_cwt_opts){ .order = { 0.5 } }, "1 to 1000");
	refuses((ws_cwt_opts){ .order = { 1, 2000 } }, "1 to 1000");
	refuses((ws_cwt_opts){ .order = { NAN, 2 } }, "1 to 1000");
	refuses((ws_cwt_opts){ .set = 7 }, "set of wavelets 7");
	refuses((ws_cwt_opts){ .wavelet = WS_WAVELET_MORSE }, "Morlet");
	refuses((ws_cwt_opts){ .fwhm = 0.1 }, "superlets has no `fwhm`");
	refuses((ws_cwt_opts){ .quantity = WS_QUANTITY_COMPLEX }, "no quantity 1");
	refuses((ws_cwt_opts){ .freqs.low = 1, .freqs.high = 150 }, "above half");
}

/* The authors' orders are a line over the list of frequencies, not over Hz. */
static void
the_reference_counts_frequencies(void **state)
{
	(void)state;
	double *x = recording();
	const double f[] = { 5.0, 10.0, 20.0, 40.0, 80.0 };
	for (int falls = 0; falls < 2; ++falls) {
		double list[5], order[5], power[CHANNELS * 5 * N];
		void *arrays[WS_SUPERLETS_ARRAYS] = { [WS_SUPERLETS_POWER] = power,
			[WS_SUPERLETS_ORDER] = order };
		for (int i = 0; i < 5; ++i)
			list[i] = f[falls ? 4 - i : i];
		const cwt_task task = { .name = "superlets", .x = x, .type = WS_F64,
			.channels = CHANNELS, .samples = N, .fs = fs, .threads = 1,
			.o = { .reference = WS_CWT_REF_SUPERLETS, .frequencies = list,
			       .frequency_count = 5, .order = { 1, 9 } } };
		assert_int_equal(cwt_execute(&task, WS_SUPERLETS_ARRAYS, arrays), WS_OK);
		for (int i = 0; i < 5; ++i)
			assert_true(order[i] == 1.0 + 2.0 * (falls ? 4 - i : i));
	}
	free(x);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_reference_counts_frequencies),
		cmocka_unit_test(means_of_morlet_transforms),
		cmocka_unit_test(products_of_any_size),
		cmocka_unit_test(tones_and_nothing),
		cmocka_unit_test(frequencies_are_told),
		cmocka_unit_test(mistakes_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
