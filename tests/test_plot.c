/* test_plot.c - ticks, decimation, text, and the files of figures. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/status.h"
#include "plot/axis.h"
#include "plot/boxplot.h"
#include "plot/decimate.h"
#include "plot/figure.h"
#include "plot/layout.h"
#include "plot/plot.h"
#include "plot/text.h"

/* Fontconfig keeps its caches until the process ends. */
const char *__lsan_default_suppressions(void);

const char *
__lsan_default_suppressions(void)
{
	return "leak:libfontconfig";
}

static double
uniform(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (double)(*state >> 11) / 9007199254740992.0;
}

/* ---- Axes ----------------------------------------------------------------- */

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
	uint64_t seed = 1;
	for (int i = 0; i < 20000; ++i) {
		double size = pow(10, 20 * uniform(&seed) - 10);
		double lo = size * (uniform(&seed) - 0.5);
		double hi = lo + size * pow(10, -5 * uniform(&seed));
		wsi_axis axis;
		wsi_axis_range(&axis, lo, hi);
		assert_true(axis.lo <= lo && axis.hi >= hi);
		check_axis(&axis, 2, 3);
		for (size_t t = 0; t < axis.n; ++t)
			assert_true(strlen(axis.label[t]) <= 10);
	}
}

static void
symmetric_axes_reach_two_thirds(void **state)
{
	(void)state;
	uint64_t seed = 2;
	for (int i = 0; i < 20000; ++i) {
		double most = pow(10, 40 * uniform(&seed) - 20);
		wsi_axis axis;
		wsi_axis_symmetric(&axis, -most * uniform(&seed), most);
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
		                                  cases[i].step, cases[i].seconds, 6);
		assert_string_equal(title, cases[i].title);
		check_axis(&axis, 3, 6);
		assert_string_equal(axis.label[1], cases[i].second_label);
	}
}

static void
time_axes_of_any_length(void **state)
{
	(void)state;
	uint64_t seed = 3;
	for (int i = 0; i < 20000; ++i) {
		double step = pow(10, 12 * uniform(&seed) - 7);
		double last = step * floor(pow(10, 9 * uniform(&seed)));
		size_t most = 1 + (size_t)(9 * uniform(&seed));
		wsi_axis axis;
		wsi_axis_time(&axis, 0, last, step, true, most);
		check_axis(&axis, 1, most);
		wsi_axis_time(&axis, 7, 7 + floor(last / step), 1, false, most);
		check_axis(&axis, 1, most);
	}
	/* Ten seconds end at 10 s although the last sample lies before. */
	wsi_axis axis;
	wsi_axis_time(&axis, 0, 9.999, 0.001, true, 6);
	assert_string_equal(axis.label[axis.n - 1], "10");
	/* A single sample is in the picture. */
	wsi_axis_time(&axis, 5, 5, 1, false, 6);
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
	wsi_axis_log(&axis, 1e-7, 1e5, 5);
	assert_string_equal(axis.label[0], "10⁻⁶");
	uint64_t seed = 5;
	for (int i = 0; i < 20000; ++i) {
		double lo = pow(10, 400 * uniform(&seed) - 200);
		double hi = lo * pow(10, 0.001 + 60 * uniform(&seed));
		wsi_axis_log(&axis, lo, hi, 4 + (size_t)(12 * uniform(&seed)));
		check_axis(&axis, 1, WSI_AXIS_TICKS);
	}
}

/* ---- Decimation ----------------------------------------------------------- */

static void
decimation_keeps_every_extreme(void **state)
{
	(void)state;
	enum { N = 100003, COLUMNS = 307 };
	uint64_t seed = 4;
	double *x = malloc(N * sizeof *x);
	for (size_t i = 0; i < N; ++i)
		x[i] = uniform(&seed) - 0.5;
	x[0] = 7;
	x[N - 1] = -7;
	size_t room = wsi_trace_points(N, COLUMNS);
	wsi_point *points = malloc(room * sizeof *points);
	wsi_trace trace;
	wsi_trace_start(&trace, N, COLUMNS, points);
	for (size_t first = 0, count; first < N; first += count) {
		size_t bad;
		count = 1 + (size_t)(5000 * uniform(&seed));
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
	*f = (wsi_figure){.data = data, .rows = 2, .cells = cells};
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
	wsi_figure few = {.data = &data, .rows = 3, .cells = more};
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

/* ---- Figures -------------------------------------------------------------- */

typedef struct source {
	const size_t *modes;
	size_t samples;
	size_t largest_read;
	double scale, offset;
	ws_status fail;        /* answer of a read beyond the middle */
} source;

static ws_status
read_source(void *user, size_t channel, size_t row, size_t first, size_t count, double *out)
{
	source *s = user;
	assert_true(row <= s->modes[channel] + 1);
	assert_true(first + count <= s->samples);
	if (s->fail != WS_OK && first + count > s->samples / 2)
		return WSI_FAIL(s->fail, "the source is gone");
	s->largest_read = count > s->largest_read ? count : s->largest_read;
	bool is_mode = row > 0 && row <= s->modes[channel];
	for (size_t i = 0; i < count; ++i)
		out[i] = s->scale * sin(0.01 * (double)(first + i) / (double)(row + 1)) +
		         (is_mode ? 0 : s->offset);
	return WS_OK;
}

static const char *const names[] = {"Fp1", "caf\xe9", "",
                                    "a very long name of a channel indeed"};
static const char *const units[] = {"uV", "\xb5V", "", "a very long unit of measurement"};
static const double frequencies[] = {12.5, 0, 0.01};
static const double *const mean_frequency[] = {frequencies, frequencies, frequencies, NULL};
static const size_t modes[] = {3, 1, 0, 2};

static char folder[512];

static wsi_plot_data
make_data(source *s, size_t samples, size_t channels)
{
	*s = (source){.modes = modes, .samples = samples, .scale = 50};
	return (wsi_plot_data){
		.title = "EMD of x.edf", .subtitle = "defaults", .n_channels = channels,
		.channel_names = names, .units = units, .modes = modes,
		.mean_frequency = mean_frequency, .samples = samples, .fs = 256, .fs_known = true,
		.start_time = "2009-08-24T00:20:03", .read = read_source, .user = s,
	};
}

static const char *
in_folder(const char *name)
{
	static char path[600];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static size_t
files_in_folder(void)
{
	size_t n = 0;
	DIR *dir = opendir(folder);
	assert_non_null(dir);
	for (struct dirent *e = readdir(dir); e; e = readdir(dir))
		n += e->d_name[0] != '.';
	closedir(dir);
	return n;
}

static int
make_folder(void **state)
{
	(void)state;
	const char *base = getenv("TMPDIR");
	snprintf(folder, sizeof folder, "%s/wavesift-plot-XXXXXX", base ? base : P_tmpdir);
	return mkdtemp(folder) ? 0 : -1;
}

static int
remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static long
check_file(const char *path, const char *magic)
{
	unsigned char head[16] = {0};
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
	fseek(file, 0, SEEK_END);
	long size = ftell(file);
	fclose(file);
	assert_memory_equal(head, magic, strlen(magic));
	return size;
}

static const struct {
	const char *name, *magic;
} formats[] = {
	{"a.png", "\x89PNG\r\n"}, {"b.SVG", "<?xml"}, {"c.pdf", "%PDF-1."},
};

#define N_FORMATS (sizeof formats / sizeof formats[0])

static void
figures_have_the_format_of_their_name(void **state)
{
	(void)state;
	source s;
	for (size_t i = 0; i < N_FORMATS; ++i) {
		wsi_plot_data data = make_data(&s, 5000, 4);
		const char *path = in_folder(formats[i].name);
		assert_int_equal(wsi_plot_decomposition(&data, path), WS_OK);
		check_file(path, formats[i].magic);
		/* Once more, over the first. */
		assert_int_equal(wsi_plot_decomposition(&data, path), WS_OK);
		assert_int_equal(files_in_folder(), 1);
		assert_int_equal(unlink(path), 0);
	}
}

/* The same bytes; SVG only from program to program, as cairo counts its surfaces. */
static void
figures_are_the_same_again(void **state)
{
	(void)state;
	source s;
	wsi_plot_data data = make_data(&s, 5000, 4);
	for (int spectra = 0; spectra < 2; ++spectra) {
		char *bytes[2];
		long size[2];
		for (int i = 0; i < 2; ++i) {
			const char *path = in_folder("again.png");
			assert_int_equal(spectra ? wsi_plot_spectra(&data, path)
			                 : wsi_plot_decomposition(&data, path), WS_OK);
			size[i] = check_file(path, "\x89PNG");
			bytes[i] = malloc((size_t)size[i]);
			FILE *file = fopen(path, "rb");
			assert_int_equal(fread(bytes[i], 1, (size_t)size[i], file), size[i]);
			fclose(file);
			unlink(path);
		}
		assert_int_equal(size[0], size[1]);
		assert_memory_equal(bytes[0], bytes[1], (size_t)size[0]);
		free(bytes[0]);
		free(bytes[1]);
	}
}

static void
spectra_of_odd_rows_are_drawn(void **state)
{
	(void)state;
	static const size_t lengths[] = {16, 17, 100, 5000};
	static const double scales[] = {0, 1e-320, 1e-12, 1, 1e149};
	const char *path = in_folder("odd.svg");
	for (size_t n = 0; n < 4; ++n)
		for (size_t a = 0; a < 5; ++a)
			for (size_t c = 1; c <= 4; ++c) {
				source s;
				wsi_plot_data data = make_data(&s, lengths[n], c);
				s.scale = scales[a];
				data.fs_known = a % 2 == 0;
				data.fs = a == 2 ? 1 / 3600.0 : 256;
				data.mean_frequency = n % 2 ? NULL : mean_frequency;
				assert_int_equal(wsi_plot_spectra(&data, path), WS_OK);
				check_file(path, "<?xml");
			}
	unlink(path);
}

static void
spectra_refuse_what_has_none(void **state)
{
	(void)state;
	source s;
	wsi_plot_data data = make_data(&s, 15, 2);
	assert_int_equal(wsi_plot_spectra(&data, in_folder("a.png")), WS_E_ARG);
	assert_non_null(strstr(ws_error_detail(), "16 samples or more, not 15"));
	data = make_data(&s, 100, 2);
	assert_int_equal(wsi_plot_spectra(&data, in_folder("a.gif")), WS_E_ARG);
	s.scale = 1e200;
	assert_int_equal(wsi_plot_spectra(&data, in_folder("a.png")), WS_E_FORMAT);
	assert_non_null(strstr(ws_error_detail(), "Fp1"));
	s.fail = WS_E_FORMAT;
	assert_int_equal(wsi_plot_spectra(&data, in_folder("a.png")), WS_E_FORMAT);
	assert_int_equal(files_in_folder(), 0);
}

static void
box_plots_are_drawn(void **state)
{
	(void)state;
	double many[] = {0.1, 0.8, 0.85, 0.9, 0.91, 0.92, 0.95, 1};
	double one[] = {1}, equal[] = {1, 1, 1, 1, 1};
	wsi_box_group groups[] = {
		{"1", many, wsi_tukey_of(many, 8)}, {"2", one, wsi_tukey_of(one, 1)},
		{"3", NULL, wsi_tukey_of(NULL, 0)}, {"residue", equal, wsi_tukey_of(equal, 5)},
	};
	wsi_boxplot plot = {.title = "Similarity", .subtitle = "", .quantity = "Similarity index",
	                    .axis_title = "mode", .top = 1, .n_groups = 4, .groups = groups};
	for (size_t i = 0; i < N_FORMATS; ++i) {
		const char *path = in_folder(formats[i].name);
		assert_int_equal(wsi_plot_boxes(&plot, path), WS_OK);
		check_file(path, formats[i].magic);
		unlink(path);
	}
	plot.groups = groups + 2;
	plot.n_groups = 1;
	assert_int_equal(wsi_plot_boxes(&plot, in_folder("a.png")), WS_E_ARG);
	assert_int_equal(files_in_folder(), 0);
}

static void
long_rows_make_small_files(void **state)
{
	(void)state;
	source s;
	wsi_plot_data data = make_data(&s, 2000003, 1);
	const char *path = in_folder("long.pdf");
	assert_int_equal(wsi_plot_decomposition(&data, path), WS_OK);
	assert_true(check_file(path, "%PDF") < 1000000);
	assert_true(s.largest_read <= 1u << 16);
	unlink(path);
}

static void
odd_rows_are_drawn(void **state)
{
	(void)state;
	static const size_t lengths[] = {1, 2, 3, 30, 100};
	static const double scales[] = {0, 1e-320, 1e-12, 1, 1e299};
	static const double offsets[] = {0, 1, -1e7, 1e300};
	const char *path = in_folder("odd.svg");
	for (size_t n = 0; n < 5; ++n)
		for (size_t a = 0; a < 5; ++a)
			for (size_t o = 0; o < 4; ++o) {
				source s;
				wsi_plot_data data = make_data(&s, lengths[n], 1 + (n + a) % 4);
				s.scale = scales[a];
				s.offset = a == 4 ? 0 : offsets[o];
				data.fs_known = o % 2 == 0;
				data.start_time = o ? "" : data.start_time;
				data.mean_frequency = n % 2 ? NULL : mean_frequency;
				assert_int_equal(wsi_plot_decomposition(&data, path), WS_OK);
				check_file(path, "<?xml");
			}
	unlink(path);
}

static void
bad_arguments_are_named(void **state)
{
	(void)state;
	source s;
	wsi_plot_data data = make_data(&s, 100, 1);
	assert_int_equal(wsi_plot_decomposition(&data, in_folder("a.jpg")), WS_E_ARG);
	assert_non_null(strstr(ws_error_detail(), ".png"));
	assert_int_equal(wsi_plot_decomposition(&data, in_folder("png")), WS_E_ARG);
	data.samples = 0;
	assert_int_equal(wsi_plot_decomposition(&data, in_folder("a.png")), WS_E_ARG);
	data = make_data(&s, 100, 1);
	data.fs = 0;
	assert_int_equal(wsi_plot_decomposition(&data, in_folder("a.png")), WS_E_ARG);
	data = make_data(&s, 100, 33);
	assert_int_equal(wsi_plot_decomposition(&data, in_folder("a.png")), WS_E_ARG);
	assert_int_equal(files_in_folder(), 0);
}

static void
failures_leave_no_file(void **state)
{
	(void)state;
	source s;
	wsi_plot_data data = make_data(&s, 100000, 2);
	s.fail = WS_E_FORMAT;
	assert_int_equal(wsi_plot_decomposition(&data, in_folder("a.png")), WS_E_FORMAT);
	assert_string_equal(ws_error_detail(), "the source is gone");

	data = make_data(&s, 100, 2);
	s.scale = NAN;
	assert_int_equal(wsi_plot_decomposition(&data, in_folder("a.png")), WS_E_FORMAT);
	assert_non_null(strstr(ws_error_detail(), "Fp1"));
	assert_int_equal(files_in_folder(), 0);

	s.scale = 1;
	assert_int_equal(wsi_plot_decomposition(&data, in_folder("absent/a.png")), WS_E_IO);
	assert_non_null(strstr(ws_error_detail(), "absent/a.png"));
	const char *taken = in_folder("taken.pdf");
	assert_int_equal(mkdir(taken, 0777), 0);
	assert_int_equal(wsi_plot_decomposition(&data, taken), WS_E_IO);
	assert_int_equal(files_in_folder(), 1);
	assert_int_equal(rmdir(taken), 0);
}

/* A limit of file size stands in for a full disk. */
static void
full_disks_leave_no_file(void **state)
{
	(void)state;
	struct rlimit before, small;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
	ws_status got[N_FORMATS][2];
	for (size_t i = 0; i < N_FORMATS; ++i)
		for (size_t j = 0; j < 2; ++j) {
			source s;
			wsi_plot_data data = make_data(&s, 5000, 2);
			small.rlim_cur = j ? 8192 : 1;
			setrlimit(RLIMIT_FSIZE, &small);
			got[i][j] = wsi_plot_decomposition(&data, in_folder(formats[i].name));
			setrlimit(RLIMIT_FSIZE, &before);
		}
	signal(SIGXFSZ, handler);
	for (size_t i = 0; i < N_FORMATS; ++i)
		for (size_t j = 0; j < 2; ++j)
			assert_int_equal(got[i][j], WS_E_NOSPACE);
	assert_non_null(strstr(ws_error_detail(), "free some space"));
	assert_int_equal(files_in_folder(), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(range_axes_have_two_or_three_ticks),
		cmocka_unit_test(symmetric_axes_reach_two_thirds),
		cmocka_unit_test(labels_read_well),
		cmocka_unit_test(constant_rows_have_one_tick),
		cmocka_unit_test(time_axes_choose_their_unit),
		cmocka_unit_test(time_axes_of_any_length),
		cmocka_unit_test(frequencies_have_three_digits),
		cmocka_unit_test(logarithmic_axes_tick_at_decades),
		cmocka_unit_test(decimation_keeps_every_extreme),
		cmocka_unit_test(short_rows_stay_whole),
		cmocka_unit_test(what_cannot_be_drawn_is_refused),
		cmocka_unit_test(text_becomes_one_line_of_utf8),
		cmocka_unit_test(long_text_ends_in_an_ellipsis),
		cmocka_unit_test(cells_stay_on_the_page_and_apart),
		cmocka_unit_test(channels_of_one_unit_share_a_scale),
		cmocka_unit_test(quartiles_and_whiskers),
		IN_FOLDER(figures_have_the_format_of_their_name),
		IN_FOLDER(figures_are_the_same_again),
		IN_FOLDER(spectra_of_odd_rows_are_drawn),
		IN_FOLDER(spectra_refuse_what_has_none),
		IN_FOLDER(box_plots_are_drawn),
		IN_FOLDER(long_rows_make_small_files),
		IN_FOLDER(odd_rows_are_drawn),
		IN_FOLDER(bad_arguments_are_named),
		IN_FOLDER(failures_leave_no_file),
		IN_FOLDER(full_disks_leave_no_file),
	};
	return cmocka_run_group_tests_name("plot", tests, NULL, NULL);
}
