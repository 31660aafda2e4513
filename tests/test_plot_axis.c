/* test_plot_axis.c - ticks and labels of ranges, times, frequencies and decades. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core_test.h"
#include "plot/axis.h"

static void
check_axis(const wsi_axis *axis, size_t least, size_t most)
{
	assert_true(axis->lo < axis->hi);
	assert_in_range(axis->n, least, most);
	for (size_t i = 0; i < axis->n; ++i) {
		assert_true(axis->tick[i] >= axis->lo && axis->tick[i] <= axis->hi);
		assert_true(axis->label[i][0] != '\0');
		if (i == 0)
			continue;
		assert_true(axis->tick[i] > axis->tick[i - 1]);
		assert_string_not_equal(axis->label[i], axis->label[i - 1]);
	}
}

static void
range_axes_have_two_or_three_ticks(void **state)
{
	(void)state;
	rng seed = {1};
	for (int i = 0; i < 20000; ++i) {
		double size = pow(10, 20 * rng_uniform(&seed) - 10);
		double lo = size * (rng_uniform(&seed) - 0.5);
		double hi = lo + size * pow(10, -5 * rng_uniform(&seed));
		wsi_axis axis;
		wsi_axis_range(&axis, lo, hi);
		assert_true(axis.lo <= lo && axis.hi >= hi);
		check_axis(&axis, 2, 3);
		for (size_t t = 0; t < axis.n; ++t)
			assert_true(strlen(axis.label[t]) <= 10);
		wsi_axis_exact(&axis, lo, hi, 5);
		assert_true(axis.lo == lo && axis.hi == hi);
		check_axis(&axis, 2, 5);
	}
}

static void
symmetric_axes_reach_two_thirds(void **state)
{
	(void)state;
	rng seed = {2};
	for (int i = 0; i < 20000; ++i) {
		double most = pow(10, 40 * rng_uniform(&seed) - 20);
		wsi_axis axis;
		wsi_axis_symmetric(&axis, -most * rng_uniform(&seed), most);
		check_axis(&axis, 3, 3);
		assert_true(axis.tick[0] == -axis.tick[2] && axis.tick[1] == 0);
		assert_true(axis.tick[2] <= most * (1 + 1e-6) && axis.tick[2] > 0.66 * most);
	}
}

static void
labels_read_well(void **state)
{
	(void)state;
	wsi_axis axis;
	wsi_axis_symmetric(&axis, -27, 12);
	assert_string_equal(axis.label[0], "−20");
	assert_string_equal(axis.label[1], "0");
	assert_string_equal(axis.label[2], "20");
	assert_string_equal(axis.note, "");

	wsi_axis_symmetric(&axis, -1.7e-7, 0);
	assert_string_equal(axis.label[2], "150");
	assert_string_equal(axis.note, "×10⁻⁹");

	wsi_axis_range(&axis, 0.2, 0.9);
	assert_string_equal(axis.label[0], "0.25");

	wsi_axis_range(&axis, 1234566, 1234568);
	assert_string_equal(axis.label[0], "−1");
	assert_string_equal(axis.label[2], "+1");
	assert_string_equal(axis.note, "+1234567");

	wsi_axis_range(&axis, 101324.999, 101325.001);
	assert_string_equal(axis.label[2], "+1");
	assert_string_equal(axis.note, "×10⁻³ +101325");
}

static void
constant_rows_have_one_tick(void **state)
{
	(void)state;
	wsi_axis axis;
	wsi_axis_range(&axis, 3.25, 3.25);
	check_axis(&axis, 1, 1);
	assert_string_equal(axis.label[0], "3.25");
	wsi_axis_range(&axis, -5e9, -5e9);
	check_axis(&axis, 1, 1);
	assert_string_equal(axis.label[0], "−5");
	assert_string_equal(axis.note, "×10⁹");
	wsi_axis_range(&axis, 0, 0);
	check_axis(&axis, 1, 1);
	assert_string_equal(axis.label[0], "0");
	wsi_axis_symmetric(&axis, 0, 0);
	check_axis(&axis, 1, 1);
	wsi_axis_range(&axis, -1e300, 1e300);
	check_axis(&axis, 2, 3);
}

static void
time_axes_choose_their_unit(void **state)
{
	(void)state;
	static const struct {
		double first, last, step;
		bool seconds;
		const char *title, *second_label;
	} cases[] = {
		{0, 0.8, 0.002, true, "time (ms)", "200"},
		{0, 9.998, 0.002, true, "time (s)", "2"},
		{3600, 3600.998, 0.002, true, "time (s)", "3600.2"},
		{0, 1800, 0.004, true, "time (min)", "10"},
		{0, 86400, 1, true, "time (h)", "6"},
		{0, 864000, 60, true, "time (d)", "2"},
		{0, 1e9, 86400, true, "time (years)", "10"},
		{0, 999, 1, false, "sample", "200"},
		{0, 9999999, 1, false, "sample (millions)", "2"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
		wsi_axis axis;
		const char *title = wsi_axis_time(&axis, cases[i].first, cases[i].last,
		                                  cases[i].step, cases[i].seconds, 0, 6, false);
		assert_string_equal(title, cases[i].title);
		check_axis(&axis, 3, 6);
		assert_string_equal(axis.label[1], cases[i].second_label);
	}
}

/* Near 0 the span decides, as without a unit. */
static void
time_axes_far_from_0_keep_their_unit(void **state)
{
	(void)state;
	const double day = 86400, year = 365.2425 * day;
	static const char *const titles[] = { "time (years)", "time (d)", "time (s)", "time (ms)",
	                                      "date" };
	const struct {
		double first, last, step, unit;
		int title;
		const char *second_label;
	} cases[] = {
		{ 1749 * year, 1998 * year, year, year, 0, "1800" },
		{ 1749 * year, 1750 * year, year / 12, year, 4, "1749-04" },
		{ 41684 * day, 61264 * day, day, day, 1, "50000" },
		{ 1.7e9, 1.7e9 + 3600, 0.01, 1, 2, "1700001000" },
		{ 1.7e9, 1.7e9 + 1e-3, 1e-5, 1, 2, "1700000000.0002" },
		{ 5, 6, 1e-3, 1e-3, 3, "5200" },
		{ -0.2, 0.8, 1e-3, 1e-3, 2, "0" },
		{ 0.01, 20, 1e-3, 1e-3, 2, "10" },
		{ 36000, 36010, 0.01, 0, 2, "36002" },
		{ year, 100 * year, day, day, 0, "40" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
		wsi_axis axis;
		const char *title = wsi_axis_time(&axis, cases[i].first, cases[i].last, cases[i].step,
		                                  true, cases[i].unit, 6, false);
		assert_string_equal(title, titles[cases[i].title]);
		assert_string_equal(axis.label[1], cases[i].second_label);
		assert_true(axis.n >= 2 && axis.n <= 6 && axis.tick[0] >= axis.lo - cases[i].step);
	}
}

/* Labels that find no room count from a round number, which the note tells. */
static void
brief_labels_count_from_a_round_time(void **state)
{
	(void)state;
	const double day = 86400;
	const struct {
		double first, last, step, unit;
		const char *note, *second_label;
	} cases[] = {
		{ 1.7e9 + 123e-6, 1.7e9 + 1.000123, 1e-3, 1e-6, "+1700000000000000", "400000" },
		{ 1.7e9 + 5.2, 1.7e9 + 5.202, 1e-5, 1, "+1700000005.2", "0.0005" },
		{ 41684 * day, 41690 * day, day, day, "+41680", "6" },
		{ 36000, 36010, 0.01, 0, "+36000", "2" },
		{ -1000.2, -1000.1, 1e-3, 1, "−1001", "0.82" },
		{ 3, 4, 1e-3, 1, "", "3.2" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
		wsi_axis axis;
		wsi_axis_time(&axis, cases[i].first, cases[i].last, cases[i].step, true,
		              cases[i].unit, 6, true);
		check_axis(&axis, 2, 6);
		assert_string_equal(axis.note, cases[i].note);
		assert_string_equal(axis.label[1], cases[i].second_label);
	}
}

static void
time_axes_of_any_length(void **state)
{
	(void)state;
	rng seed = {3};
	for (int i = 0; i < 20000; ++i) {
		double step = pow(10, 12 * rng_uniform(&seed) - 7);
		double last = step * floor(pow(10, 9 * rng_uniform(&seed)));
		size_t most = 1 + (size_t)(9 * rng_uniform(&seed));
		wsi_axis axis;
		wsi_axis_time(&axis, 0, last, step, true, 0, most, false);
		check_axis(&axis, 1, most);
		wsi_axis_time(&axis, 7, 7 + floor(last / step), 1, false, 0, most, false);
		check_axis(&axis, 1, most);
	}
	/* Ten seconds end at 10 s although the last sample lies before. */
	wsi_axis axis;
	wsi_axis_time(&axis, 0, 9.999, 0.001, true, 0, 6, false);
	assert_string_equal(axis.label[axis.n - 1], "10");
	/* A single sample is in the picture. */
	wsi_axis_time(&axis, 5, 5, 1, false, 0, 6, false);
	assert_true(axis.lo < 5 && axis.hi > 5);
}

static void
frequencies_have_three_digits(void **state)
{
	(void)state;
	static const struct {
		double f, fs; /* fs 0: no rate is known */
		size_t samples;
		const char *text;
	} cases[] = {
		{12.34, 256, 1000, "12.3 Hz"}, {9.996, 256, 1000, "10.0 Hz"},
		{0.0512, 256, 1000, "0.0512 Hz"}, {1234, 256, 1000, "1234 Hz"},
		{44100, 256, 1000, "44.1 kHz"}, {0.00625, 256, 1000, "6.25 mHz"},
		{3.17e-8, 256, 1000, "31.7 nHz"}, {0.0213, 0, 1000, "0.0213 /sample"},
		/* Hourly for a month, monthly for a century. */
		{1 / 86400.0, 1 / 3600.0, 720, "1.00 /day"},
		{1 / (11 * 31557600.0), 12 / 31557600.0, 1200, "0.0909 /year"},
		/* A year of months. */
		{1 / (11 * 31557600.0), 12 / 31557600.0, 12, "0.0909 /year"},
		{0, 256, 1000, ""}, {-1, 256, 1000, ""}, {NAN, 256, 1000, ""},
		{INFINITY, 0, 1000, ""},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
		char text[32];
		wsi_axis_frequency(text, sizeof text, cases[i].f,
		                   wsi_axis_frequency_unit(cases[i].fs, cases[i].fs > 0,
		                                           cases[i].samples));
		assert_string_equal(text, cases[i].text);
	}
}

static void
durations_have_three_digits_in_the_unit_of_their_axis(void **state)
{
	(void)state;
	static const struct {
		double seconds, span;
		bool fs_known;
		const char *text;
	} cases[] = {
		{0.0936, 0.5, true, "93.6 ms"}, {0.0936, 1, true, "0.0936 s"},
		{0.00999999, 0.1, true, "10.0 ms"}, {2.5e-5, 1e-4, true, "25.0 µs"},
		{150, 1500, true, "2.50 min"}, {670 * 86400.0, 20 * 31556952.0, true, "1.83 years"},
		{12.5, 1e6, false, "12.5 samples"}, {0, 1, true, ""}, {INFINITY, 1, true, ""},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
		char text[48];
		wsi_axis_duration(text, sizeof text, cases[i].seconds, cases[i].span,
		                  cases[i].fs_known);
		assert_string_equal(text, cases[i].text);
	}
}

static void
ranges_are_told_as_axes_are(void **state)
{
	(void)state;
	static const struct {
		const char *text, *told;
		double fs;
		size_t samples;
	} cases[] = {
		{ "hilbert, 60 bins, 4.951e-10 to 1.584e-08 Hz; emd", /* a sample a year */
		  "hilbert, 60 bins, 0.0156 to 0.5 /year; emd", 3.168808781e-8, 309 },
		{ "9 bins, 0.125 to 0.5 Hz", "9 bins, 0.125 to 0.5 /sample", 0, 100 },
		{ "9 bins, 0.125 to 0.5 Hz", "9 bins, 0.125 to 0.5 Hz", 1, 100 },
		{ "10 to 20 rows, 1.5 Hz", "10 to 20 rows, 1.5 Hz", 3.168808781e-8, 309 },
		{ "", "", 0, 100 },
		{ "w, freqs 4.951e-10:1.584e-08:60, n 1", "w, freqs 0.01562:0.4999:60 /year, n 1",
		  3.168808781e-8, 309 },
		{ "bands 4:8,8:12.999999999", "bands 4:8,8:13 Hz", 100, 309 },
		{ "freqs 1.584e-9:6.338e-9:21, x, bands 1.58441e-9:6.33774e-9, y",
		  "freqs 0.04999:0.2:21 /year, x, bands 0.05:0.2 /year, y", 3.168808781e-8, 309 },
		{ "freqs 1:45:10:lin", "freqs 1:45:10:lin Hz", 100, 309 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
		char text[80];
		wsi_axis_range_in(text, sizeof text, cases[i].text, wsi_axis_frequency_unit(
			cases[i].fs > 0 ? cases[i].fs : 1, cases[i].fs > 0, cases[i].samples));
		assert_string_equal(text, cases[i].told);
	}
}

static void
logarithmic_axes_tick_at_decades(void **state)
{
	(void)state;
	wsi_axis axis;
	wsi_axis_log(&axis, 0.09, 64, 12);
	check_axis(&axis, 9, 9);
	assert_string_equal(axis.label[0], "0.1");
	assert_string_equal(axis.label[1], "0.2");
	assert_string_equal(axis.label[8], "50");
	assert_true(axis.tick[3] == 0 && fabs(wsi_axis_place(&axis, log10(64)) - 1) < 1e-12);
	/* Few where there is little room, but two. */
	wsi_axis_log(&axis, 2, 55, 4);
	check_axis(&axis, 3, 3);
	assert_string_equal(axis.label[1], "10");
	/* Less than an octave has even steps. */
	wsi_axis_log(&axis, 0.25, 0.5, 10);
	check_axis(&axis, 3, 10);
	assert_string_equal(axis.label[axis.n - 1], "0.50");
	assert_true(axis.tick[axis.n - 1] == log10(0.5));
	wsi_axis_log(&axis, 5.5, 8, 4);
	check_axis(&axis, 2, 4);
	wsi_axis_log(&axis, 1e-7, 1e5, 5);
	assert_string_equal(axis.label[0], "10⁻⁶");
	rng seed = {5};
	for (int i = 0; i < 20000; ++i) {
		double lo = pow(10, 400 * rng_uniform(&seed) - 200);
		double hi = lo * pow(10, 0.001 + 60 * rng_uniform(&seed));
		wsi_axis_log(&axis, lo, hi, 4 + (size_t)(12 * rng_uniform(&seed)));
		check_axis(&axis, 1, WSI_AXIS_TICKS);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(range_axes_have_two_or_three_ticks),
		cmocka_unit_test(symmetric_axes_reach_two_thirds),
		cmocka_unit_test(labels_read_well),
		cmocka_unit_test(constant_rows_have_one_tick),
		cmocka_unit_test(time_axes_choose_their_unit),
		cmocka_unit_test(time_axes_far_from_0_keep_their_unit),
		cmocka_unit_test(brief_labels_count_from_a_round_time),
		cmocka_unit_test(time_axes_of_any_length),
		cmocka_unit_test(frequencies_have_three_digits),
		cmocka_unit_test(durations_have_three_digits_in_the_unit_of_their_axis),
		cmocka_unit_test(ranges_are_told_as_axes_are),
		cmocka_unit_test(logarithmic_axes_tick_at_decades),
	};
	return cmocka_run_group_tests_name("plot axes", tests, NULL, NULL);
}
