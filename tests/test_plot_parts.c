/* test_plot_parts.c - what figures are made of: decimation, text, layout, common
 * scales, and quartiles. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"
#include "core_test.h"
#include "plot/boxplot.h"
#include "plot/decimate.h"
#include "plot/figure.h"
#include "plot/layout.h"
#include "plot/smooth.h"
#include "plot/text.h"

/* ---- Decimation ----------------------------------------------------------- */

static void
decimation_keeps_every_extreme(void **state)
{
	(void)state;
	enum { N = 100003, COLUMNS = 307 };
	rng seed = {4};
	double *x = malloc(N * sizeof *x);
	for (size_t i = 0; i < N; ++i)
		x[i] = rng_uniform(&seed) - 0.5;
	x[0] = 7;
	x[N - 1] = -7;
	size_t room = wsi_trace_points(N, COLUMNS);
	wsi_point *points = malloc(room * sizeof *points);
	wsi_trace trace;
	wsi_trace_start(&trace, N, COLUMNS, points);
	for (size_t first = 0, count; first < N; first += count) {
		size_t bad;
		count = 1 + (size_t)(5000 * rng_uniform(&seed));
		count = count < N - first ? count : N - first;
		assert_int_equal(wsi_trace_push(&trace, x + first, first, count, &bad), WS_OK);
	}
	assert_int_equal(room, 2 * COLUMNS);
	assert_int_equal(trace.n, 2 * COLUMNS);
	assert_true(trace.hi == 7 && trace.lo == -7);
	for (size_t c = 0; c < COLUMNS; ++c) {
		size_t from = c * N / COLUMNS, to = (c + 1) * N / COLUMNS;
		size_t least = from, most = from;
		for (size_t i = from; i < to; ++i) {
			least = x[i] < x[least] ? i : least;
			most = x[i] > x[most] ? i : most;
		}
		size_t first = least < most ? least : most, second = least < most ? most : least;
		assert_true(points[2 * c].value == x[first]);
		assert_true(points[2 * c + 1].value == x[second]);
		assert_true(points[2 * c].at >= (double)from);
		assert_true(points[2 * c + 1].at > points[2 * c].at);
		assert_true(points[2 * c + 1].at < (double)to);
	}
	free(points);
	free(x);
}

static void
short_rows_stay_whole(void **state)
{
	(void)state;
	double x[20];
	for (size_t i = 0; i < 20; ++i)
		x[i] = (double)((i * 7) % 11);
	wsi_point points[20];
	for (size_t n = 1; n <= 20; ++n) {
		wsi_trace trace;
		size_t bad;
		assert_int_equal(wsi_trace_points(n, 10), n);
		wsi_trace_start(&trace, n, 10, points);
		assert_int_equal(wsi_trace_push(&trace, x, 0, n, &bad), WS_OK);
		assert_int_equal(trace.n, n);
		for (size_t i = 0; i < n; ++i)
			assert_true(points[i].at == (double)i && points[i].value == x[i]);
	}
}

static void
what_cannot_be_drawn_is_refused(void **state)
{
	(void)state;
	static const double poison[] = {NAN, INFINITY, -INFINITY, 1e301};
	for (size_t i = 0; i < sizeof poison / sizeof poison[0]; ++i) {
		double x[100] = {0};
		wsi_point points[20];
		wsi_trace trace;
		size_t bad = 0;
		x[57] = poison[i];
		wsi_trace_start(&trace, 100, 10, points);
		assert_int_equal(wsi_trace_push(&trace, x, 0, 50, &bad), WS_OK);
		assert_int_equal(wsi_trace_push(&trace, x + 50, 50, 50, &bad), WS_E_FORMAT);
		assert_int_equal(bad, 57);
	}
}

/* ---- Text ----------------------------------------------------------------- */

static void
text_becomes_one_line_of_utf8(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{"Fp1", "Fp1"}, {"\xb5V", "µV"}, {"µV", "µV"}, {"a\nb\tc\x7f", "a b c "},
		{"\xc3", "Ã"}, {"\xed\xa0\x80", "í\u00a0 "}, {"\xc0\xaf", "À¯"}, {"😀", "😀"},
	};
	char out[64];
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
		wsi_text_clean(out, sizeof out, cases[i][0]);
		assert_string_equal(out, cases[i][1]);
	}
	wsi_text_clean(out, 4, "aµµ");
	assert_string_equal(out, "aµ");
}

static void
long_text_ends_in_an_ellipsis(void **state)
{
	(void)state;
	cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
	cairo_t *cr = cairo_create(surface);
	wsi_text_prepare(cr);
	char text[128] = "ÄÖÜ äöü a name that is far too long for its column";
	double whole = wsi_text_width(cr, WSI_FONT_HEAD, text);
	wsi_text_fit(cr, WSI_FONT_HEAD, text, sizeof text, whole);
	assert_null(strstr(text, "…"));
	for (double width = whole - 1; width > 20; width *= 0.8) {
		wsi_text_fit(cr, WSI_FONT_HEAD, text, sizeof text, width);
		assert_non_null(strstr(text, "…"));
		assert_true(wsi_text_width(cr, WSI_FONT_HEAD, text) <= width);
		assert_int_equal(cairo_status(cr), CAIRO_STATUS_SUCCESS);
	}
	wsi_text_fit(cr, WSI_FONT_HEAD, text, sizeof text, 0);
	assert_string_equal(text, "…");
	cairo_destroy(cr);
	cairo_surface_destroy(surface);
}

/* ---- Layout --------------------------------------------------------------- */

static void
check_columns(const wsi_layout *l, const wsi_grid *grid)
{
	double right = 0;
	for (size_t c = 0; c < grid->columns; ++c) {
		wsi_box box = wsi_layout_cell(l, c, 0);
		bool axis = c == 0 || (grid->has_axis && grid->has_axis[c]);
		assert_true(box.width >= 60);
		assert_true(box.x >= right + 5 + (axis ? grid->tick_width : 0));
		right = box.x + box.width;
	}
	assert_true(l->aside >= right + (grid->aside_width > 0 ? 5 : 0));
	assert_true(l->aside + grid->aside_width <= l->width - WSI_MARGIN + 1e-9);
}

static void
cells_stay_on_the_page_and_apart(void **state)
{
	(void)state;
	static const bool each[WSI_COLUMNS] = {true, true, false, true, false, false, true};
	for (size_t columns = 1; columns <= WSI_COLUMNS; ++columns)
		for (size_t rows = 1; rows <= 30; ++rows) {
			wsi_grid grid = {.columns = columns, .rows = rows, .label_width = 60,
			                 .tick_width = 40, .first_share = 1 + (double)(rows % 3),
			                 .aside_width = rows % 2 ? 50 : 0,
			                 .first_gap = rows % 4 ? WSI_GROUP_GAP : 0,
			                 .last_gap = rows % 5 ? 0 : WSI_GROUP_GAP,
			                 .has_axis = columns % 2 ? each : NULL};
			wsi_layout l = wsi_layout_make(&grid);
			check_columns(&l, &grid);
			double foot = WSI_HEAD;
			for (size_t r = 0; r < rows; ++r) {
				wsi_box box = wsi_layout_cell(&l, columns - 1, r);
				assert_true(box.y > foot && box.height >= 30);
				foot = box.y + box.height;
			}
			assert_true(foot == l.foot && l.foot + WSI_AXIS_TITLE < l.height);
		}
}

/* ---- Scales --------------------------------------------------------------- */

/* Scales of one row of signals lo..hi, units "uV" but where unit says. */
static void
scale_signals(wsi_figure *f, wsi_plot_data *data, wsi_cell *cells, const double (*extremes)[2],
              const char *const *unit)
{
	static wsi_point point;
	*data = (wsi_plot_data){.n_channels = 4, .units = unit};
	*f = (wsi_figure){.data = data, .rows = 2, .per_page = 4, .cells = cells};
	for (size_t i = 0; i < 8; ++i)
		cells[i] = (wsi_cell){.trace = {.points = &point, .lo = extremes[i / 2][0],
		                                .hi = extremes[i / 2][1]}};
	wsi_figure_scale(f);
}

static void
channels_of_one_unit_share_a_scale(void **state)
{
	(void)state;
	static const char *const one[] = {"uV", "uV", "uV", "uV"};
	static const char *const two[] = {"uV", "degC", "uV", "uV"};
	static const double near[][2] = {{-50, 40}, {-10, 10}, {-20, 80}, {0, 30}};
	static const double wild[][2] = {{-50, 40}, {-1, 1}, {-20, 80}, {-3000, 3000}};
	static const double apart[][2] = {{-4050, -3950}, {-10, 10}, {7000, 7090}, {0, 30}};
	wsi_figure f;
	wsi_plot_data data;
	wsi_cell cells[8];

	scale_signals(&f, &data, cells, near, one);
	for (size_t c = 0; c < 4; ++c) {
		assert_int_equal(f.scale[c], 0);
		assert_true(f.has_axis[c] == (c == 0));
		assert_true(cells[2 * c].axis.lo <= -50 && cells[2 * c].axis.hi >= 80);
		assert_true(cells[2 * c].axis.lo == cells[0].axis.lo);
	}
	scale_signals(&f, &data, cells, near, two);
	static const size_t leader[] = {0, 1, 0, 0};
	for (size_t c = 0; c < 4; ++c) {
		assert_int_equal(f.scale[c], leader[c]);
		assert_true(f.has_axis[c] == (c < 3));
	}
	assert_true(cells[2].axis.hi < 20);

	/* A line on the other's scale says nothing. */
	scale_signals(&f, &data, cells, wild, one);
	assert_int_equal(f.scale[1], 1);
	assert_int_equal(f.scale[2], 0);
	assert_int_equal(f.scale[3], 3);

	/* The axis stands before a channel that has no such mode. */
	wsi_cell more[12];
	memset(more, 0, sizeof more);
	wsi_figure few = {.data = &data, .rows = 3, .per_page = 4, .cells = more};
	for (size_t i = 0; i < 12; ++i)
		if (i != 1)
			more[i].trace = (wsi_trace){.points = cells[0].trace.points,
			                          .lo = -1, .hi = 1};
	data.units = one;
	wsi_figure_scale(&few);
	assert_int_equal(more[1].axis.n, 3);

	/* Offsets apart: one span, each about its own middle, which is told. */
	scale_signals(&f, &data, cells, apart, one);
	for (size_t c = 0; c < 4; ++c) {
		const wsi_axis *axis = &cells[2 * c].axis;
		double span = axis->hi - axis->lo;
		assert_true(axis->lo <= apart[c][0] && axis->hi >= apart[c][1]);
		assert_true(fabs(span - (cells[0].axis.hi - cells[0].axis.lo)) < 1e-9);
	}
	assert_string_equal(cells[0].axis.note, "−4000");
	assert_string_equal(cells[4].axis.note, "+7045");
	assert_string_equal(cells[2].axis.note, "");
}

/* ---- Box plots ------------------------------------------------------------ */

static void
quartiles_and_whiskers(void **state)
{
	(void)state;
	/* numpy.percentile(x, [25, 50, 75]): 3.25, 5.5, 7.75; the fences are -3.5, 14.5. */
	double x[] = {10, 1, 30, 4, 5, 2, 6, 7, 8, 3};
	wsi_tukey t = wsi_tukey_of(x, 10);
	assert_int_equal(t.n, 10);
	assert_true(t.quartile[0] == 3.25 && t.quartile[1] == 5.5 && t.quartile[2] == 7.75);
	assert_true(t.least == 1 && t.most == 30 && fabs(t.mean - 7.6) < 1e-12);
	assert_true(t.low == 1 && t.high == 10);

	double y[] = {2, 1};
	t = wsi_tukey_of(y, 2);
	assert_true(t.quartile[0] == 1.25 && t.quartile[1] == 1.5 && t.low == 1 && t.high == 2);
	t = wsi_tukey_of(y, 1);
	assert_true(t.quartile[0] == 1 && t.quartile[2] == 1 && t.low == 1 && t.high == 1);
	t = wsi_tukey_of(NULL, 0);
	assert_true(t.n == 0 && isnan(t.quartile[1]) && isnan(t.mean));
}

/* Below the labels of several channels' modes stands how far they are aligned, where that is known. */
static void
test_alignment(void **state)
{
	(void)state;
	static const size_t modes[] = { 3, 2 };
	static const double alignment[] = { 0.984, NAN, HUGE_VAL };
	static const char *const want[] = { "", "aligned 0.98", "", "", "" };
	wsi_plot_data data = { .n_channels = 2, .modes = modes };
	const wsi_figure f = { .data = &data, .rows = 5 };
	char text[64];
	for (int known = 0; known < 2; ++known) {
		data.alignment = known ? alignment : NULL;
		for (size_t row = 0; row < 5; ++row) {
			wsi_figure_below(&f, row, text, sizeof text);
			assert_string_equal(text, known ? want[row] : "");
		}
	}
	data.n_channels = 1;
	wsi_figure_below(&f, 1, text, sizeof text);
	assert_string_equal(text, "");
}

/* ---- Smoothing ------------------------------------------------------------ */

enum { ROWS = 6, COLUMNS = 60 };
static const size_t cuts[] = { 17, 41 };

/* Of squares where amplitude, each by the weight of its row: from one cut to the next. */
static double
energy(const float *v, const double *weight, bool amplitude, size_t from, size_t to)
{
	double sum = 0;
	for (size_t r = 0; r < ROWS; ++r)
		for (size_t c = from; c < to; ++c)
			sum += weight[r] * v[r * COLUMNS + c] * (amplitude ? v[r * COLUMNS + c] : 1);
	return sum;
}

static void
smoothing_keeps_energy_within_cuts(void **state)
{
	(void)state;
	static const double flat[ROWS] = { 1, 1, 1, 1, 1, 1 }, wide[ROWS] = { 1, 2, 4, 8, 16, 32 };
	static const size_t ends[] = { 0, 17, 41, COLUMNS };
	for (int way = 0; way < 4; ++way) {
		const bool amplitude = way & 1;
		const double *weight = way & 2 ? wide : flat;
		const wsi_smoothing how = { .columns = 5, .rows = 1.5, .weight = way & 2 ? wide : NULL,
			.amplitude = amplitude, .cuts = cuts, .n_cuts = 2 };
		float before[ROWS * COLUMNS], after[ROWS * COLUMNS];
		rng seed = { (uint64_t)way + 1 };
		/* Energy at the cuts themselves, on both sides; none in the last segment. */
		for (size_t i = 0; i < ROWS * COLUMNS; ++i)
			before[i] = i % COLUMNS < 41 ? (float)rng_uniform(&seed) : 0;
		memcpy(after, before, sizeof before);
		assert_int_equal(wsi_smooth(after, ROWS, COLUMNS, &how), WS_OK);
		for (int s = 0; s < 3; ++s) {
			const double had = energy(before, weight, amplitude, ends[s], ends[s + 1]);
			const double has = energy(after, weight, amplitude, ends[s], ends[s + 1]);
			assert_true(fabs(has - had) <= 1e-5 * had);
		}
		assert_memory_not_equal(before, after, sizeof before);
	}
}

static void
smoothing_is_a_gaussian(void **state)
{
	(void)state;
	const wsi_smoothing how = { .columns = 3 };
	float v[COLUMNS] = { [30] = 1 };
	assert_int_equal(wsi_smooth(v, 1, COLUMNS, &how), WS_OK);
	for (int k = 0; k <= 9; ++k) {
		assert_true(v[30 - k] == v[30 + k]);
		assert_true(fabs(v[30 + k] / v[30] - exp(-0.5 * k * k / 9.0)) < 1e-6);
	}
	assert_true(v[20] == 0 && v[40] == 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alignment),
		cmocka_unit_test(decimation_keeps_every_extreme),
		cmocka_unit_test(short_rows_stay_whole),
		cmocka_unit_test(what_cannot_be_drawn_is_refused),
		cmocka_unit_test(text_becomes_one_line_of_utf8),
		cmocka_unit_test(long_text_ends_in_an_ellipsis),
		cmocka_unit_test(cells_stay_on_the_page_and_apart),
		cmocka_unit_test(channels_of_one_unit_share_a_scale),
		cmocka_unit_test(quartiles_and_whiskers),
		cmocka_unit_test(smoothing_keeps_energy_within_cuts),
		cmocka_unit_test(smoothing_is_a_gaussian),
	};
	return cmocka_run_group_tests_name("plot parts", tests, NULL, NULL);
}
