/* test_plot_figures.c - figures as files: formats, odd rows, and what leaves none. */
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

#include <cairo.h>
#include <cmocka.h>

#include "base/status.h"
#include "plot/boxplot.h"
#include "plot/plot.h"
#include "plot/scalogram.h"
#include "plot/spectra.h"
#include "plot_test.h"

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
static const ws_mode_figures frequencies[] = {
	{.frequency = 12.5, .band_low = 9, .band_high = 15, .half_waves = 300},
	{.frequency = 0},
	{.frequency = 0.01, .band_low = 0.009, .band_high = 0.02, .half_waves = 1},
};
static const ws_mode_figures *const figures[] = {frequencies, frequencies, frequencies, NULL};
static const size_t modes[] = {3, 1, 0, 2};

static char folder[512];

static wsi_plot_data
make_data(source *s, size_t samples, size_t channels)
{
	*s = (source){.modes = modes, .samples = samples, .scale = 50};
	return (wsi_plot_data){
		.source = "x.h5", .title = "EMD of x.edf", .subtitle = "defaults", .n_channels = channels,
		.channel_names = names, .units = units, .modes = modes,
		.figures = figures, .samples = samples, .fs = 256, .fs_known = true,
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
		assert_int_equal(named(wsi_plot_decomposition(&data, on(path))), WS_OK);
		check_file(path, formats[i].magic);
		/* Once more, over the first. */
		assert_int_equal(named(wsi_plot_decomposition(&data, on(path))), WS_OK);
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
			assert_int_equal(spectra ? named(wsi_plot_spectra(&data, on(path)))
			                 : named(wsi_plot_decomposition(&data, on(path))), WS_OK);
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
				data.figures = n % 2 ? NULL : figures;
				assert_int_equal(named(wsi_plot_spectra(&data, on(path))), WS_OK);
				check_file(path, "<?xml");
			}
	unlink(path);
}

/* Of a mode that one channel of four has, a quarter of its power. */
static void
spectra_keep_the_proportion_of_modes_and_signal(void **state)
{
	(void)state;
	static const size_t few[] = {1, 0, 0, 0};
	source s;
	wsi_spectra spectra;
	wsi_plot_data data = make_data(&s, 1000, 4);
	s.modes = data.modes = few;
	assert_int_equal(wsi_spectra_make(&spectra, &data, "x.png"), WS_OK);
	const double *one = wsi_spectra_row(&spectra, spectra.density, 0, 1);
	for (size_t i = 0; i < spectra.bands.n; ++i) {
		double mean = spectra.mean_density[spectra.bands.n + i];
		assert_true(fabs(mean - one[i] / 4) <= 1e-12 * one[i]);
	}
	wsi_spectra_free(&spectra);
}

/* Without a unit nothing says that scales are the same. */
static void
spectra_without_units_are_of_shares(void **state)
{
	(void)state;
	static const char *const none[] = {"", ""};
	for (size_t channels = 1; channels <= 2; ++channels) {
		source s;
		wsi_spectra spectra;
		wsi_plot_data data = make_data(&s, 1000, channels);
		data.units = none;
		assert_int_equal(wsi_spectra_make(&spectra, &data, "x.png"), WS_OK);
		assert_int_equal(spectra.one_unit, channels == 1);
		wsi_spectra_free(&spectra);
	}
}

/* Modes of one frequency and one strength, on a page of this size. */
static void
check_numbers(const wsi_sheet *sheet)
{
	static const size_t many[] = {12};
	source s;
	wsi_spectra spectra;
	wsi_plot_data data = make_data(&s, 1000, 1);
	s.modes = data.modes = many;
	data.figures = NULL;
	assert_int_equal(wsi_spectra_make(&spectra, &data, "x.png"), WS_OK);
	assert_int_equal(wsi_spectra_measure(&spectra, sheet), WS_OK);
	const wsi_spectra_number *n = spectra.numbers;
	size_t shown = 0;
	for (size_t a = 1; a < spectra.rows; ++a) {
		shown += n[a].width > 0;
		for (size_t b = 1; b < a; ++b)
			assert_true(n[a].width == 0 || n[b].width == 0
			            || fabs(n[a].x - n[b].x) >= (n[a].width + n[b].width) / 2 + 3
			            || fabs(n[a].y - n[b].y) >= 10);
	}
	assert_true(shown > 3);
	wsi_spectra_free(&spectra);
}

static void
numbers_of_modes_stand_apart(void **state)
{
	(void)state;
	check_numbers(&(wsi_sheet){ 0 });
	/* 88 by 60 mm. */
	check_numbers(&(wsi_sheet){ .width = 333, .height = 227 });
}

static void
spectra_refuse_what_has_none(void **state)
{
	(void)state;
	source s;
	wsi_plot_data data = make_data(&s, 15, 2);
	assert_int_equal(named(wsi_plot_spectra(&data, on(in_folder("a.png")))), WS_E_ARG);
	assert_non_null(strstr(ws_error_detail(), "16 samples or more, not 15"));
	data = make_data(&s, 100, 2);
	assert_int_equal(named(wsi_plot_spectra(&data, on(in_folder("a.gif")))), WS_E_ARG);
	s.scale = 1e200;
	assert_int_equal(named(wsi_plot_spectra(&data, on(in_folder("a.png")))), WS_E_FORMAT);
	assert_non_null(strstr(ws_error_detail(), "x.h5: channel Fp1, signal: 9.99"));
	assert_non_null(strstr(ws_error_detail(), "e+197 at 0.00390625 s cannot be squared"));
	s.fail = WS_E_FORMAT;
	assert_int_equal(named(wsi_plot_spectra(&data, on(in_folder("a.png")))), WS_E_FORMAT);
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
		assert_int_equal(named(wsi_plot_boxes(&plot, on(path))), WS_OK);
		check_file(path, formats[i].magic);
		unlink(path);
	}
	plot.groups = groups + 2;
	plot.n_groups = 1;
	assert_int_equal(named(wsi_plot_boxes(&plot, on(in_folder("a.png")))), WS_E_ARG);
	assert_int_equal(files_in_folder(), 0);
}

static void
long_rows_make_small_files(void **state)
{
	(void)state;
	source s;
	wsi_plot_data data = make_data(&s, 2000003, 1);
	const char *path = in_folder("long.pdf");
	assert_int_equal(named(wsi_plot_decomposition(&data, on(path))), WS_OK);
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
				data.figures = n % 2 ? NULL : figures;
				assert_int_equal(named(wsi_plot_decomposition(&data, on(path))),
				                 WS_OK);
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
	assert_int_equal(named(wsi_plot_decomposition(&data, on(in_folder("a.jpg")))), WS_E_ARG);
	assert_non_null(strstr(ws_error_detail(), ".png"));
	assert_int_equal(named(wsi_plot_decomposition(&data, on(in_folder("png")))), WS_E_ARG);
	data.samples = 0;
	assert_int_equal(named(wsi_plot_decomposition(&data, on(in_folder("a.png")))), WS_E_ARG);
	data = make_data(&s, 100, 1);
	data.fs = 0;
	assert_int_equal(named(wsi_plot_decomposition(&data, on(in_folder("a.png")))), WS_E_ARG);
	data = make_data(&s, 100, 1);
	data.n_channels = WSI_MOST_CHANNELS + 1;
	data.modes = NULL; /* not known yet */
	assert_int_equal(named(wsi_plot_decomposition(&data, on(in_folder("a.png")))), WS_E_ARG);
	assert_int_equal(files_in_folder(), 0);
}

/* As many modes as a page holds are drawn; of more no row is read. */
static void
modes_that_do_not_fit(void **state)
{
	(void)state;
	source s;
	wsi_plot_data data = make_data(&s, 1000, 1);
	size_t most = WSI_MOST_MODES;
	s.modes = data.modes = &most;
	data.figures = NULL;
	assert_int_equal(named(wsi_plot_decomposition(&data, on(in_folder("most.png")))), WS_OK);
	assert_int_equal(named(wsi_plot_spectra(&data, on(in_folder("most.png")))), WS_OK);
	most++;
	data.read = NULL;
	assert_int_equal(named(wsi_plot_decomposition(&data, on(in_folder("a.png")))), WS_E_ARG);
	assert_non_null(strstr(ws_error_detail(), "381 modes"));
	assert_int_equal(named(wsi_plot_spectra(&data, on(in_folder("a.png")))), WS_E_ARG);
	assert_int_equal(files_in_folder(), 1);
	unlink(in_folder("most.png"));
}

static void
failures_leave_no_file(void **state)
{
	(void)state;
	source s;
	wsi_plot_data data = make_data(&s, 100000, 2);
	s.fail = WS_E_FORMAT;
	assert_int_equal(named(wsi_plot_decomposition(&data, on(in_folder("a.png")))), WS_E_FORMAT);
	assert_string_equal(ws_error_detail(), "the source is gone");

	data = make_data(&s, 100, 2);
	static const double times[] = { INFINITY, NAN, 1e300, -1e15 };
	for (size_t i = 0; i < sizeof times / sizeof *times; ++i) {
		data.first_time = times[i];
		assert_int_equal(named(wsi_plot_decomposition(&data, on(in_folder("a.png")))),
		                 WS_E_FORMAT);
		assert_non_null(strstr(ws_error_detail(), "too far from 0 to be told apart"));
	}
	data.first_time = 1e12;
	s.scale = NAN;
	assert_int_equal(named(wsi_plot_decomposition(&data, on(in_folder("a.png")))), WS_E_FORMAT);
	assert_non_null(strstr(ws_error_detail(), "Fp1"));
	assert_int_equal(files_in_folder(), 0);

	s.scale = 1;
	assert_int_equal(named(wsi_plot_decomposition(&data, on(in_folder("absent/a.png")))),
	                 WS_E_IO);
	assert_non_null(strstr(ws_error_detail(), "absent/a.png"));
	const char *taken = in_folder("taken.pdf");
	assert_int_equal(mkdir(taken, 0777), 0);
	/* What stands there is kept, and so is the figure. */
	assert_int_equal(named(wsi_plot_decomposition(&data, on(taken))), WS_E_EXISTS);
	assert_non_null(strstr(ws_error_detail(), "taken.pdf.new"));
	assert_int_equal(files_in_folder(), 2);
	assert_int_equal(rmdir(taken), 0);
	assert_int_equal(remove(in_folder("taken.pdf.new")), 0);
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
			got[i][j] = named(wsi_plot_decomposition(&data, on(in_folder(formats[i].name))));
			setrlimit(RLIMIT_FSIZE, &before);
		}
	signal(SIGXFSZ, handler);
	for (size_t i = 0; i < N_FORMATS; ++i)
		for (size_t j = 0; j < 2; ++j)
			assert_int_equal(got[i][j], WS_E_NOSPACE);
	assert_non_null(strstr(ws_error_detail(), "free some space"));
	assert_int_equal(files_in_folder(), 0);
}

static const wsi_plot_data ten_seconds = {
	.title = "", .subtitle = "", .start_time = "", .n_channels = 1, .channel_names = names,
	.units = units, .samples = 1000, .fs = 100, .fs_known = true,
};

/* Changes of brightness along the middle row of a scalogram of one value with so many marks. */
static int
edges_with_marks(size_t n)
{
	enum { COLUMNS = 100 };
	static float values[2 * COLUMNS];
	static wsi_mark marks[200];
	const float *const rows[] = {values};
	const double frequency[] = {1, 10};
	for (size_t i = 0; i < n; ++i)
		marks[i] = (wsi_mark){((double)i + 0.5) * 10 / (double)n, "square"};
	wsi_plot_data of = ten_seconds;
	of.marks = marks;
	of.n_marks = n;
	const wsi_scalogram s = {
		.of = &of, .quantity = "magnitude", .n_frequencies = 2, .frequency = frequency,
		.columns = COLUMNS, .values = rows,
	};
	const char *path = in_folder("marks.png");
	assert_int_equal(named(wsi_plot_scalogram(&s, on(path))), WS_OK);
	cairo_surface_t *picture = cairo_image_surface_create_from_png(path);
	const int height = cairo_image_surface_get_height(picture);
	const unsigned char *row = cairo_image_surface_get_data(picture) +
		height / 2 * cairo_image_surface_get_stride(picture);
	int edges = 0;
	for (int x = 1; x < cairo_image_surface_get_width(picture); ++x)
		edges += abs(row[4 * x] - row[4 * (x - 1)]) > 40;
	cairo_surface_destroy(picture);
	remove(path);
	return edges;
}

/* A few marks are lines across the picture; many would hide it. */
static void
many_marks_are_short(void **state)
{
	(void)state;
	const int none = edges_with_marks(0);
	assert_true(edges_with_marks(10) >= none + 20);
	assert_int_equal(edges_with_marks(200), none);
}

/* Ten seconds in two columns: the last label of one finds no room beside the first of the next,
 * which must not cost the others. */
static void
columns_side_by_side_keep_their_times(void **state)
{
	(void)state;
	source s;
	static const char *const of_one_unit[] = {"uV", "uV"};
	wsi_plot_data data = make_data(&s, 1280, 2);
	data.units = of_one_unit;
	data.fs = 128;
	data.first_time = 10;
	const char *path = in_folder("times.png");
	assert_int_equal(named(wsi_plot_decomposition(&data, on(path))), WS_OK);
	cairo_surface_t *picture = cairo_image_surface_create_from_png(path);
	const int width = cairo_image_surface_get_width(picture);
	const int height = cairo_image_surface_get_height(picture);
	const int stride = cairo_image_surface_get_stride(picture);
	const unsigned char *pixels = cairo_image_surface_get_data(picture);
	int labels = 0, last = -100;
	/* Labels stand on a line 33 above the foot of the page; two pixels are one unit. */
	for (int x = 0; x < width; ++x)
		for (int y = height - 2 * 40; y < height - 2 * 33; ++y) {
			if (pixels[y * stride + 4 * x] > 180)
				continue;
			labels += x - last > 20;
			last = x;
			break;
		}
	cairo_surface_destroy(picture);
	remove(path);
	assert_true(labels >= 6);
}

/* What lies where the ends of the recording reach does not choose the colours of the rest. */
static unsigned
middle_with_ends(float ends)
{
	enum { COLUMNS = 100 };
	static float values[2 * COLUMNS];
	const float *const rows[] = {values};
	const double frequency[] = {1, 10}, cone[] = {2, 2};
	for (int i = 0; i < 2 * COLUMNS; ++i) {
		const int column = i % COLUMNS;
		const bool end = column < 20 || column >= 80;
		values[i] = end ? ends : (float)(1 + column % 3);
	}
	const wsi_scalogram s = {
		.of = &ten_seconds, .quantity = "magnitude", .n_frequencies = 2,
		.frequency = frequency, .cone = cone, .columns = COLUMNS, .values = rows,
	};
	const char *path = in_folder("cone.png");
	assert_int_equal(named(wsi_plot_scalogram(&s, on(path))), WS_OK);
	cairo_surface_t *picture = cairo_image_surface_create_from_png(path);
	const unsigned char *at = cairo_image_surface_get_data(picture) +
		cairo_image_surface_get_height(picture) / 2 * cairo_image_surface_get_stride(picture) +
		cairo_image_surface_get_width(picture) / 2 * 4;
	const unsigned colour = (unsigned)at[0] << 16 | (unsigned)at[1] << 8 | at[2];
	cairo_surface_destroy(picture);
	remove(path);
	return colour;
}

static void
ends_choose_no_colours(void **state)
{
	(void)state;
	assert_int_equal(middle_with_ends(1000), middle_with_ends(0));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(figures_have_the_format_of_their_name),
		IN_FOLDER(figures_are_the_same_again),
		IN_FOLDER(many_marks_are_short),
		IN_FOLDER(columns_side_by_side_keep_their_times),
		IN_FOLDER(ends_choose_no_colours),
		IN_FOLDER(spectra_of_odd_rows_are_drawn),
		IN_FOLDER(spectra_keep_the_proportion_of_modes_and_signal),
		IN_FOLDER(spectra_without_units_are_of_shares),
		IN_FOLDER(numbers_of_modes_stand_apart),
		IN_FOLDER(spectra_refuse_what_has_none),
		IN_FOLDER(box_plots_are_drawn),
		IN_FOLDER(long_rows_make_small_files),
		IN_FOLDER(odd_rows_are_drawn),
		IN_FOLDER(bad_arguments_are_named),
		IN_FOLDER(modes_that_do_not_fit),
		IN_FOLDER(failures_leave_no_file),
		IN_FOLDER(full_disks_leave_no_file),
	};
	return cmocka_run_group_tests_name("plot figures", tests, NULL, NULL);
}
