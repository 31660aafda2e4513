/* test_plot_chart.c - curves, matrices and Hilbert spectra as pictures: nothing that is there is
 * left out or hidden, and what is not there is told from zero. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cairo.h>
#include <cmocka.h>

#include "base/status.h"
#include "plot/chart.h"
#include "plot/matrices.h"
#include "plot/scalogram.h"
#include "plot_test.h"

#define RED   WSI_RGB(0xFF0000)
#define BLACK WSI_RGB(0x000000)

static char path[64];

static int
make_path(void **state)
{
	(void)state;
	snprintf(path, sizeof path, "test_plot_chart_%ld.png", (long)getpid());
	return 0;
}

/* Pixels of the picture for which fits is true. */
static size_t
count_pixels(bool (*fits)(int r, int g, int b))
{
	cairo_surface_t *picture = cairo_image_surface_create_from_png(path);
	assert_int_equal(cairo_surface_status(picture), CAIRO_STATUS_SUCCESS);
	const int width = cairo_image_surface_get_width(picture);
	const int stride = cairo_image_surface_get_stride(picture);
	const unsigned char *data = cairo_image_surface_get_data(picture);
	size_t n = 0;
	for (int y = 0; y < cairo_image_surface_get_height(picture); ++y)
		for (int x = 0; x < width; ++x) {
			const unsigned char *p = data + (size_t)y * (size_t)stride + 4 * x;
			n += fits(p[2], p[1], p[0]);
		}
	cairo_surface_destroy(picture);
	remove(path);
	return n;
}

static bool
is_red(int r, int g, int b)
{
	return r > 200 && g < 100 && b < 100;
}

static bool
is_black(int r, int g, int b)
{
	return r < 8 && g < 8 && b < 8;
}

/* ---- Curves -------------------------------------------------------------------------------- */

static const char *const names[] = { "Cz", "Cz" }, *const units[] = { "uV", "uV" };
static const wsi_plot_data one = { .title = "", .subtitle = "", .start_time = "", .n_channels = 1,
	.channel_names = names, .units = units, .samples = 1000, .fs = 100, .fs_known = true };

static wsi_chart
chart_of(const wsi_chart_panel *panels)
{
	return (wsi_chart){ .of = &one, .x_title = "", .y_log = true, .nothing = "no such thing",
		.panels = panels };
}

static wsi_chart_panel
panel_of(const wsi_series *series, size_t n)
{
	return (wsi_chart_panel){ .quantity = "", .n = n, .series = series,
		.x_low = 0, .x_high = 10 };
}

/* A bin between empty ones. */
static void
lone_points_are_drawn(void **state)
{
	(void)state;
	const double x[] = { 1, 5, 9 }, y[] = { 0, 3, 0 };
	const wsi_series s = { .colour = RED, .width = 1, .n = 3, .x = x, .y = y };
	const wsi_chart_panel panel = panel_of(&s, 1);
	const wsi_chart chart = chart_of(&panel);
	assert_int_equal(named(wsi_plot_chart(&chart, on(path))), WS_OK);
	assert_true(count_pixels(is_red) >= 4);
}

/* A channel without anything is no reason to draw none of the others. */
static void
empty_panels_leave_the_others(void **state)
{
	(void)state;
	const double x[] = { 1, 5, 9 }, y[] = { 1, 3, 2 }, none[] = { 0, 0, 0 };
	const wsi_series s = { .colour = RED, .width = 1, .n = 3, .x = x, .y = y };
	const wsi_series empty = { .colour = RED, .width = 1, .n = 3, .x = x, .y = none };
	const wsi_chart_panel panels[] = { panel_of(&empty, 1), panel_of(&s, 1) };
	wsi_plot_data two = one;
	wsi_chart chart = chart_of(panels);
	chart.of = &two;
	two.n_channels = 2;
	assert_int_equal(named(wsi_plot_chart(&chart, on(path))), WS_OK);
	assert_true(count_pixels(is_red) > 500);
	two.n_channels = 1;
	assert_int_equal(named(wsi_plot_chart(&chart, on(path))), WS_E_ARG);
	assert_non_null(strstr(ws_error_detail(), "channel Cz has no such thing"));
	assert_int_not_equal(access(path, F_OK), 0);
}

/* Black pixels of a curve over that of a mode, whose name stands over its largest value. */
static size_t
black_with_name(const char *name)
{
	enum { N = 101 };
	double x[N], all[N], mode[N];
	for (int i = 0; i < N; ++i) {
		x[i] = 0.1 * i;
		mode[i] = 1 + 10 * exp(-(x[i] - 5) * (x[i] - 5));
		all[i] = 1.5 * mode[i];
	}
	const wsi_series s[] = {
		{ .colour = RED, .width = 1, .n = N, .x = x, .y = mode, .name = name },
		{ .colour = BLACK, .width = 2, .n = N, .x = x, .y = all },
	};
	const wsi_chart_panel panel = panel_of(s, 2);
	const wsi_chart chart = chart_of(&panel);
	assert_int_equal(named(wsi_plot_chart(&chart, on(path))), WS_OK);
	return count_pixels(is_black);
}

static void
names_hide_no_curve(void **state)
{
	(void)state;
	/* Both leave room for a name. */
	assert_int_equal(black_with_name("3"), black_with_name(""));
}

/* ---- Matrices ------------------------------------------------------------------------------ */

static bool
is_grey(int r, int g, int b)
{
	return r == 0xD5 && g == 0xD9 && b == 0xDD;
}

static size_t
grey_of(double value, const char *name)
{
	const double values[] = { 1, value, value, 1 };
	const double *const panels[] = { values };
	const wsi_matrix_kind kind = { "locking", 0, 1, panels, NULL };
	const char *const both[] = { "Cz", name }, *const labels[] = { "mode 1" };
	wsi_plot_data of = one;
	of.n_channels = 2;
	of.channel_names = both;
	const wsi_matrices m = { .of = &of, .n = 1,
		.labels = labels, .none = "none", .n_kinds = 1, .kinds = &kind };
	assert_int_equal(named(wsi_plot_matrices(&m, on(path))), WS_OK);
	return count_pixels(is_grey);
}

static void
absent_pairs_are_grey(void **state)
{
	(void)state;
	assert_int_equal(grey_of(0, "O1"), 0);
	/* Two cells of a quarter of the 340 x 340 pixels. */
	assert_in_range(grey_of(NAN, "O1"), 2 * 169 * 169, 2 * 171 * 171);
	assert_in_range(grey_of(NAN, "a name that is longer than there is room for, by far"),
	                2 * 169 * 169, 2 * 171 * 171);
}

/* ---- Hilbert spectra ----------------------------------------------------------------------- */

static bool
is_ink(int r, int g, int b)
{
	return r == 0x1F && g == 0x23 && b == 0x28;
}

static bool
is_paper(int r, int g, int b)
{
	return r == 255 && g == 255 && b == 255;
}

static bool
is_deep_blue(int r, int g, int b)
{
	return r == 0x05 && g == 0x30 && b == 0x61;
}

/* A picture of n_marks events, all cells of which have a value. */
static ws_status
draw_cells(wsi_scalogram_colours colours, float value, size_t n_marks, const char *label)
{
	enum { COLUMNS = 100 };
	static float values[2 * COLUMNS];
	static wsi_mark marks[200];
	const float *const rows[] = { values };
	const double frequency[] = { 1, 10 };
	for (size_t i = 0; i < 2 * COLUMNS; ++i)
		values[i] = i % 3 ? value : 2;
	for (size_t i = 0; i < n_marks; ++i)
		marks[i] = (wsi_mark){ ((double)i + 0.5) * 10 / (double)n_marks, label };
	wsi_plot_data of = one;
	of.marks = marks;
	of.n_marks = n_marks;
	const wsi_scalogram s = { .of = &of, .quantity = "power", .colours = colours,
		.n_frequencies = 2, .frequency = frequency, .columns = COLUMNS, .values = rows };
	return named(wsi_plot_scalogram(&s, on(path)));
}

/* What was nothing has no decibels over a baseline; it is no very low value. */
static void
minus_infinity_is_paper(void **state)
{
	(void)state;
	assert_int_equal(draw_cells(WSI_COLOURS_SIGNED, -2, 0, ""), WS_OK);
	const size_t paper = count_pixels(is_paper);
	assert_int_equal(draw_cells(WSI_COLOURS_SIGNED, -2, 0, ""), WS_OK);
	const size_t blue = count_pixels(is_deep_blue);
	assert_int_equal(draw_cells(WSI_COLOURS_SIGNED, -INFINITY, 0, ""), WS_OK);
	assert_true(count_pixels(is_paper) > paper + 500000);
	assert_int_equal(draw_cells(WSI_COLOURS_SIGNED, -INFINITY, 0, ""), WS_OK);
	assert_true(count_pixels(is_deep_blue) + 500000 < blue);
}

/* Labels of events stand on paper, not on cells as dark as they are. */
static void
labels_of_events_can_be_read(void **state)
{
	(void)state;
	assert_int_equal(draw_cells(WSI_COLOURS_SPARSE, 1, 4, ""), WS_OK);
	const size_t paper = count_pixels(is_paper);
	assert_int_equal(draw_cells(WSI_COLOURS_SPARSE, 1, 4, "square"), WS_OK);
	assert_true(count_pixels(is_paper) > paper + 4 * 500);
	assert_int_equal(draw_cells(WSI_COLOURS_SPARSE, 1, 0, ""), WS_OK);
	const size_t ink = count_pixels(is_ink);
	assert_int_equal(draw_cells(WSI_COLOURS_SPARSE, 1, 4, "square"), WS_OK);
	assert_true(count_pixels(is_ink) > ink);
}

#define DRAWN(test) cmocka_unit_test_setup(test, make_path)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		DRAWN(lone_points_are_drawn),
		DRAWN(empty_panels_leave_the_others),
		DRAWN(names_hide_no_curve),
		DRAWN(absent_pairs_are_grey),
		DRAWN(minus_infinity_is_paper),
		DRAWN(labels_of_events_can_be_read),
	};
	return cmocka_run_group_tests_name("charts", tests, NULL, NULL);
}
