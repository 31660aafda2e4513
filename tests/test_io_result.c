/* test_io_result.c - results written and read back, in every format; what goes wrong on the way. */
#include "io_test.h"

#include <dirent.h>
#include <fcntl.h>
#include <hdf5.h>
#include <hdf5_hl.h>
#include <matio.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "io/mode_stats.h"
#include "io/result.h"
#include "io/writer.h"
#include "io/writer_mat.h"

enum { CHANNELS = 3, MAX_MODES = 5, SAMPLES = 50 };
static const char *const names[CHANNELS] = { "Fz", "C\xc3\xbc,z", "a \"b\"" };
static const char *const units[CHANNELS] = { "uV", "", "\xc2\xb5V" };
static const int32_t epoch_numbers[2] = { 7, 3 };
static const wsi_event events[2] = { { 0.5, 0, (char *)"square" },
                                     { 1.25, 0.5, (char *)"rt \xc3\xbc" } };
static const wsi_fact facts[3] = {
	{ .key = "title", .kind = WSI_FACT_TEXT, .text = "EMD of x.edf" },
	{ .key = "options", .kind = WSI_FACT_TEXT, .text = "10 sifts" },
	{ .key = "seed", .kind = WSI_FACT_INT, .integer = -42 },
};

/* Fewer modes than announced, and not the same in every channel. */
static size_t
mode_count(size_t epoch, size_t channel)
{
	return 1 + (epoch + channel) % 3;
}

/* Row r of a channel: 0 the signal, 1.. the modes, 99 the residue. */
static double
value(size_t epoch, size_t channel, size_t r, size_t t)
{
	return sin((double)(1 + epoch * 1000 + channel * 100 + r) * (1 + (double)t) / 7.0) * 1e-5;
}

static wsi_result_header
header(size_t epochs, ws_type type, ws_type store, int compress)
{
	return (wsi_result_header){
		.epochs = epochs, .epoch_numbers = epoch_numbers, .channels = CHANNELS, .max_modes = MAX_MODES, .samples = SAMPLES,
		.type = type, .store = store, .compress = compress, .fs = 128, .fs_known = true,
		.first_time = 2, .time_origin = 58, .time_unit = 60,
		.start_time = "2009-08-24T00:20:03", .channel_names = names,
		.units = units, .events = events, .n_events = 2, .facts = facts, .n_facts = 3,
	};
}

static void
fill(void *to, ws_type type, size_t row, size_t epoch, size_t channel, size_t r)
{
	for (size_t t = 0; t < SAMPLES; ++t) {
		double v = value(epoch, channel, r, t);
		if (type == WS_F64)
			((double *)to)[row * SAMPLES + t] = v;
		else
			((float *)to)[row * SAMPLES + t] = (float)v;
	}
}

static ws_status
put_channel(wsi_writer *w, ws_type type, size_t epoch, size_t channel, size_t modes)
{
	double signal[SAMPLES], rows[(MAX_MODES + 1) * SAMPLES], residue[SAMPLES];
	fill(signal, type, 0, epoch, channel, 0);
	for (size_t m = 0; m < modes; ++m)
		fill(rows, type, m, epoch, channel, m + 1);
	fill(residue, type, 0, epoch, channel, 99);
	return wsi_writer_put(w, epoch, channel, signal, rows, modes, residue);
}

/* The whole way; version 7.3 of MAT is for results beyond 2 GiB, so a test
 * asks for it by hand. */
static ws_status
finish_mat73(wsi_writer *w, const wsi_fact *f, size_t n)
{
	(void)f;
	(void)n;
	return wsi_mat73_write(w);
}

static const wsi_writer_format mat73 = {
	".mat", wsi_spooled_open, wsi_spooled_put, finish_mat73, wsi_spooled_close,
};

static ws_status
write_result(const char *path, const wsi_result_header *h, bool overwrite)
{
	wsi_writer *w;
	ws_status status = wsi_writer_open(&w, path, h, overwrite);
	if (status != WS_OK) {
		assert_null(w);
		return status;
	}
	if (strstr(path, "73.mat"))
		w->format = &mat73;
	for (size_t e = 0; e < (h->epochs ? h->epochs : 1) && status == WS_OK; ++e)
		for (size_t c = 0; c < CHANNELS && status == WS_OK; ++c)
			status = put_channel(w, h->type, e, c, mode_count(e, c));
	if (status != WS_OK) {
		wsi_writer_abort(w);
		return status;
	}
	const wsi_fact last = { .key = "seconds", .kind = WSI_FACT_REAL, .real = 1.5 };
	return wsi_writer_commit(w, &last, 1);
}

static void
written(const char *path, const wsi_result_header *h)
{
	if (write_result(path, h, true) != WS_OK)
		fail_msg("%s", ws_error_detail());
}

static wsi_result *
opened(const char *path)
{
	wsi_result *r;
	if (wsi_result_open(&r, path) != WS_OK)
		fail_msg("%s", ws_error_detail());
	return r;
}

static void
row_is(wsi_result *r, size_t epoch, size_t channel, size_t row, size_t want, bool single)
{
	double got[SAMPLES];
	/* In two parts, so that an offset counts. */
	assert_int_equal(wsi_result_read(r, epoch, channel, row, 0, 7, got), WS_OK);
	assert_int_equal(wsi_result_read(r, epoch, channel, row, 7, SAMPLES - 7, got + 7), WS_OK);
	for (size_t t = 0; t < SAMPLES; ++t) {
		double v = value(epoch, channel, want, t);
		double expected = single ? (double)(float)v : v;
		if (got[t] != expected)
			fail_msg("epoch %zu channel %zu row %zu sample %zu: %.17g, not %.17g", epoch, channel,
			         want, t, got[t], expected);
	}
}

static void
signal_is_sum(wsi_result *r, size_t epoch, size_t channel)
{
	double got, row, sum = 0;
	assert_int_equal(wsi_result_read(r, epoch, channel, WSI_ROW_SIGNAL, 11, 1, &got), WS_OK);
	for (size_t m = 0; m < mode_count(epoch, channel); ++m) {
		assert_int_equal(wsi_result_read(r, epoch, channel, m, 11, 1, &row), WS_OK);
		sum += row;
	}
	assert_int_equal(wsi_result_read(r, epoch, channel, WSI_ROW_RESIDUE, 11, 1, &row), WS_OK);
	close_to(got, sum + row, 1e-15);
}

static void
check_result(const char *path, const wsi_result_header *h, bool npy)
{
	bool single = h->type == WS_F32 || h->store == WS_F32;
	wsi_result *r = opened(path);
	assert_int_equal(r->epochs, h->epochs);
	assert_int_equal(r->channels, CHANNELS);
	assert_int_equal(r->max_modes, 3);
	assert_int_equal(r->samples, SAMPLES);
	assert_int_equal(r->has_signal, !npy);
	assert_int_equal(r->fs_known, !npy);
	close_to(r->fs, npy ? 1 : 128, 0);
	close_to(r->first_time, npy ? 0 : 2, 0);
	close_to(r->time_origin, npy ? 0 : 58, 0);
	close_to(r->time_unit, npy ? 0 : 60, 0);
	assert_string_equal(r->start_time, npy ? "" : h->start_time);
	assert_string_equal(r->title, strstr(path, ".h5") ? "EMD of x.edf" : "");
	assert_string_equal(r->options, strstr(path, ".h5") ? "10 sifts" : "");
	for (size_t c = 0; c < CHANNELS && !npy; ++c) {
		assert_string_equal(r->channel_names[c], names[c]);
		assert_string_equal(r->units[c], units[c]);
	}
	for (size_t e = 0; e < h->epochs; ++e)
		assert_int_equal(wsi_result_epoch(r, e), npy ? (int)e + 1 : epoch_numbers[e]);
	for (size_t e = 0; e < (h->epochs ? h->epochs : 1); ++e)
		for (size_t c = 0; c < CHANNELS; ++c) {
			assert_int_equal(r->mode_count[e * CHANNELS + c], mode_count(e, c));
			for (size_t m = 0; m < mode_count(e, c); ++m)
				row_is(r, e, c, m, m + 1, single);
			row_is(r, e, c, WSI_ROW_RESIDUE, 99, single);
			if (npy)
				signal_is_sum(r, e, c);
			else
				row_is(r, e, c, WSI_ROW_SIGNAL, 0, single);
		}
	double x;
	assert_int_equal(wsi_result_read(r, 0, CHANNELS, 0, 0, 1, &x), WS_E_ARG);
	assert_int_equal(wsi_result_read(r, 0, 0, 3, 0, 1, &x), WS_E_ARG);
	assert_int_equal(wsi_result_read(r, 0, 0, 0, SAMPLES, 1, &x), WS_E_ARG);
	wsi_result_close(r);
}

static const char *const formats[] = { "r.h5", "r.npy", "r.mat", "r73.mat" };
enum { N_FORMATS = sizeof formats / sizeof *formats };

static void
round_trips(void **state)
{
	(void)state;
	for (int f = 0; f < N_FORMATS; ++f)
		for (size_t epochs = 0; epochs <= 2; epochs += 2)
			for (int types = 0; types < 4; ++types)
				for (int compress = 0; compress <= 4; compress += 4) {
					wsi_result_header h = header(epochs, types & 1 ? WS_F32 : WS_F64,
					                             types & 2 ? WS_F32 : WS_F64, compress);
					written(test_path(formats[f]), &h);
					check_result(test_path(formats[f]), &h, strstr(formats[f], ".npy") != NULL);
				}
}

/* Every piece of a long row; more of them than a block of the turning spool. */
static void
long_rows(void **state)
{
	(void)state;
	enum { LONG = 200001 };
	double *x = malloc(LONG * sizeof *x), *got = malloc(LONG * sizeof *got);
	wsi_result_header h = header(0, WS_F64, WS_F64, 1);
	h.samples = LONG;
	h.channels = 1;
	for (int f = 0; f < N_FORMATS; ++f) {
		wsi_writer *w;
		for (size_t t = 0; t < LONG; ++t)
			x[t] = (double)t - 1e5;
		assert_int_equal(wsi_writer_open(&w, test_path(formats[f]), &h, true), WS_OK);
		if (strstr(formats[f], "73"))
			w->format = &mat73;
		assert_int_equal(wsi_writer_put(w, 0, 0, x, x, 1, x), WS_OK);
		assert_int_equal(wsi_writer_commit(w, NULL, 0), WS_OK);
		wsi_result *r = opened(test_path(formats[f]));
		assert_int_equal(wsi_result_read(r, 0, 0, 0, 0, LONG, got), WS_OK);
		assert_memory_equal(x, got, LONG * sizeof *x);
		wsi_result_close(r);
	}
	free(x);
	free(got);
}

static void
no_modes(void **state)
{
	(void)state;
	const double x[SAMPLES] = { 3 };
	for (int f = 0; f < N_FORMATS; ++f) {
		wsi_result_header h = header(0, WS_F64, WS_F64, 0);
		h.max_modes = (size_t)f % 2 ? MAX_MODES : 0;
		const char *path = test_path(formats[f]);
		wsi_writer *w;
		assert_int_equal(wsi_writer_open(&w, path, &h, true), WS_OK);
		if (strstr(path, "73.mat"))
			w->format = &mat73;
		for (size_t c = 0; c < CHANNELS; ++c)
			assert_int_equal(wsi_writer_put(w, 0, c, x, NULL, 0, x), WS_OK);
		if (wsi_writer_commit(w, NULL, 0) != WS_OK)
			fail_msg("%s", ws_error_detail());
		if (strstr(path, "73.mat"))
			continue;  /* MATLAB's empty array has lost its shape */
		wsi_result *r = opened(path);
		double got;
		assert_int_equal(r->max_modes, 0);
		assert_int_equal(wsi_result_read(r, 0, 1, WSI_ROW_SIGNAL, 0, 1, &got), WS_OK);
		close_to(got, 3, 0);
		wsi_result_close(r);
	}
}

/* ---- What the files look like to others ------------------------------------------- */

static double
attribute(hid_t object, const char *name)
{
	double x = NAN;
	hid_t a = H5Aopen(object, name, H5P_DEFAULT);
	assert_true(a >= 0 && H5Aread(a, H5T_NATIVE_DOUBLE, &x) >= 0);
	H5Aclose(a);
	return x;
}

static void
hdf5_layout(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F32, 4);
	const char *path = test_path("layout.h5");
	written(path, &h);
	hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
	assert_true(file >= 0);
	close_to(attribute(file, "fs"), 128, 0);
	close_to(attribute(file, "first_time"), 2, 0);
	close_to(attribute(file, "time_origin"), 58, 0);
	close_to(attribute(file, "time_unit"), 60, 0);
	hid_t facts_group = H5Gopen2(file, "provenance", H5P_DEFAULT);
	close_to(attribute(facts_group, "seed"), -42, 0);
	close_to(attribute(facts_group, "seconds"), 1.5, 0);
	H5Gclose(facts_group);

	hid_t modes = H5Dopen2(file, "modes", H5P_DEFAULT), space = H5Dget_space(modes);
	hsize_t dims[3];
	assert_int_equal(H5Sget_simple_extent_dims(space, dims, NULL), 3);
	assert_int_equal(dims[0], CHANNELS);
	assert_int_equal(dims[1], 3);
	assert_int_equal(dims[2], SAMPLES);
	static const char *const axes[] = { "channel", "mode", "time" };
	for (unsigned i = 0; i < 3; ++i) {
		hid_t axis = H5Dopen2(file, axes[i], H5P_DEFAULT);
		assert_int_equal(H5DSis_attached(modes, axis, i), 1);
		H5Dclose(axis);
	}
	/* What was never written reads as zeros. */
	float all[CHANNELS][3][SAMPLES];
	assert_true(H5Dread(modes, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0);
	for (size_t t = 0; t < SAMPLES; ++t) {
		assert_true(all[2][2][t] == (float)value(0, 2, 3, t));
		assert_true(all[0][1][t] == 0 && all[1][2][t] == 0);
	}
	double times[SAMPLES], frequency[CHANNELS][3], share[CHANNELS][3];
	assert_true(H5LTread_dataset_double(file, "time", times) >= 0);
	close_to(times[3], 60 + 3 / 128.0, 0);
	assert_true(H5LTread_dataset_double(file, "mean_frequency", frequency[0]) >= 0);
	assert_true(H5LTread_dataset_double(file, "variance_share", share[0]) >= 0);
	double f, v, residue;
	wsi_mode_stats(all[1][0], WS_F32, SAMPLES, 128, &f, &v);
	close_to(frequency[1][0], f, 0);
	close_to(frequency[0][2], 0, 0);
	float rest[CHANNELS][SAMPLES];
	assert_true(H5LTread_dataset_float(file, "residue", rest[0]) >= 0);
	wsi_mode_stats(rest[0], WS_F32, SAMPLES, 128, NULL, &residue);
	wsi_mode_stats(all[0][0], WS_F32, SAMPLES, 128, NULL, &v);
	close_to(share[0][0], v / (v + residue), 1e-12);
	H5Sclose(space);
	H5Dclose(modes);
	H5Fclose(file);
}

static char *
content(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	char *text = calloc(1, 1 << 20);
	*n = fread(text, 1, (1 << 20) - 1, f);
	fclose(f);
	return text;
}

static void
csv_text(void **state)
{
	(void)state;
	wsi_result_header h = header(2, WS_F64, WS_F64, 0);
	written(test_path("r.csv"), &h);
	size_t n;
	char *text = content(test_path("r.csv"), &n), line[200];
	char *second = strchr(text, '\n');
	assert_non_null(second);
	*second++ = '\0';
	assert_string_equal(text, "epoch,time_min,Fz.signal,Fz.mode1,Fz.mode2,Fz.residue,"
	                    "\"C\xc3\xbc,z.signal\",\"C\xc3\xbc,z.mode1\",\"C\xc3\xbc,z.mode2\","
	                    "\"C\xc3\xbc,z.mode3\",\"C\xc3\xbc,z.residue\",\"a \"\"b\"\".signal\","
	                    "\"a \"\"b\"\".mode1\",\"a \"\"b\"\".mode2\",\"a \"\"b\"\".mode3\","
	                    "\"a \"\"b\"\".residue\"");
	/* The first channel of epoch 7 has one mode: the column of the second is 0. */
	snprintf(line, sizeof line, "7,1,%.17g,%.17g,0,%.17g,%.17g,", value(0, 0, 0, 0),
	         value(0, 0, 1, 0), value(0, 0, 99, 0), value(0, 1, 0, 0));
	assert_memory_equal(second, line, strlen(line));
	size_t lines = 0;
	for (const char *c = second; *c; ++c)
		lines += *c == '\n';
	assert_int_equal(lines, 2 * SAMPLES);
	free(text);
}

static void
standard_output(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F64, 0);
	written(test_path("file.csv"), &h);
	fflush(stdout);
	int terminal = dup(1), fd = open(test_path("stdout.csv"), O_CREAT | O_WRONLY | O_TRUNC, 0600);
	dup2(fd, 1);
	ws_status status = write_result("-", &h, false);
	dup2(terminal, 1);
	close(fd);
	close(terminal);
	assert_int_equal(status, WS_OK);
	size_t n, m;
	char *a = content(test_path("file.csv"), &n), *b = content(test_path("stdout.csv"), &m);
	assert_int_equal(n, m);
	assert_memory_equal(a, b, n);
	free(a);
	free(b);
}

static void
npy_header(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F32, 0);
	written(test_path("r.npy"), &h);
	size_t n;
	char *text = content(test_path("r.npy"), &n);
	assert_memory_equal(text, "\x93NUMPY\x01\x00\x76\x00"
	                    "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4, 50), } ", 72);
	assert_int_equal(text[127], '\n');
	assert_int_equal(n, 128 + CHANNELS * 4 * SAMPLES * sizeof(float));
	free(text);
}

/* ---- What goes wrong ---------------------------------------------------------------- */

/* Files in the test's folder that carry a temporary name. */
static size_t
leftovers(void)
{
	size_t n = 0;
	DIR *folder = opendir(test_folder);
	assert_non_null(folder);
	for (struct dirent *e; (e = readdir(folder)) != NULL;)
		n += strncmp(e->d_name, ".wavesift", 9) == 0;
	closedir(folder);
	return n;
}

static const char *const outputs[] = { "x.h5", "x.npy", "x.mat", "x73.mat", "x.csv" };
enum { N_OUTPUTS = sizeof outputs / sizeof *outputs };

static void
existing_output(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F64, 0);
	for (int f = 0; f < N_OUTPUTS; ++f) {
		const char *path = test_text(outputs[f], "mine");
		assert_int_equal(write_result(path, &h, false), WS_E_EXISTS);
		assert_non_null(strstr(ws_error_detail(), "--overwrite"));
		size_t n;
		char *text = content(path, &n);
		assert_string_equal(text, "mine");
		free(text);
		assert_int_equal(write_result(path, &h, true), WS_OK);
		text = content(path, &n);
		assert_true(n > 100);
		free(text);
	}
	assert_int_equal(leftovers(), 0);
}

/* Another program takes the name while we compute: neither file is lost. */
static void
race(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F64, 0);
	wsi_writer *w;
	const char *path = test_path("race.npy");
	assert_int_equal(wsi_writer_open(&w, path, &h, false), WS_OK);
	for (size_t c = 0; c < CHANNELS; ++c)
		assert_int_equal(put_channel(w, h.type, 0, c, mode_count(0, c)), WS_OK);
	test_text("race.npy", "theirs");
	char temp[400];
	snprintf(temp, sizeof temp, "%s", w->temp);
	assert_int_equal(wsi_writer_commit(w, NULL, 0), WS_E_EXISTS);
	assert_non_null(strstr(ws_error_detail(), temp));
	size_t n;
	char *text = content(path, &n);
	assert_string_equal(text, "theirs");
	free(text);
	check_result(temp, &h, true);
	unlink(temp);
}

static void
abort_leaves_nothing(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F64, 0);
	for (int f = 0; f < N_OUTPUTS; ++f)
		for (size_t channels = 0; channels <= CHANNELS; ++channels) {
			wsi_writer *w;
			const char *path = test_path(outputs[f]);
			unlink(path);
			assert_int_equal(wsi_writer_open(&w, path, &h, false), WS_OK);
			for (size_t c = 0; c < channels; ++c)
				assert_int_equal(put_channel(w, h.type, 0, c, 1), WS_OK);
			assert_int_equal(leftovers(), 1);
			wsi_writer_abort(w);
			assert_int_equal(leftovers(), 0);
			assert_int_not_equal(access(path, F_OK), 0);
		}
	wsi_writer_abort(NULL);
}

static void
misuse(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F64, 0);
	wsi_writer *w;
	const char *path = test_path("misuse.h5");
	assert_int_equal(wsi_writer_open(&w, path, &h, false), WS_OK);
	assert_int_equal(put_channel(w, h.type, 0, 1, 1), WS_E_ARG);
	assert_int_equal(put_channel(w, h.type, 0, 0, 1), WS_OK);
	assert_int_equal(put_channel(w, h.type, 0, 0, 1), WS_E_ARG);
	assert_int_equal(put_channel(w, h.type, 0, 1, MAX_MODES + 1), WS_E_ARG);
	assert_int_equal(wsi_writer_commit(w, NULL, 0), WS_E_ARG);
	assert_non_null(strstr(ws_error_detail(), "1 of 3"));
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(leftovers(), 0);
	assert_int_equal(write_result(test_path("x.txt"), &h, false), WS_E_ARG);
	h.samples = SIZE_MAX / 64;
	assert_int_equal(write_result(path, &h, false), WS_E_ARG);
	h.samples = 0;
	assert_int_equal(write_result(path, &h, false), WS_E_ARG);
}

static void
beyond_f32(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F32, 0);
	wsi_writer *w;
	double x[SAMPLES] = { [9] = 1e39 };
	assert_int_equal(wsi_writer_open(&w, test_path("big.h5"), &h, false), WS_OK);
	assert_int_equal(wsi_writer_put(w, 0, 0, x, x, 1, x), WS_E_FORMAT);
	assert_non_null(strstr(ws_error_detail(), "channel Fz is beyond the range of f32 at sample 10"));
	wsi_writer_abort(w);
}

static void
bad_places(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F64, 0);
	char path[400];
	for (int f = 0; f < N_OUTPUTS; ++f) {
		snprintf(path, sizeof path, "%s/nowhere/%s", test_folder, outputs[f]);
		assert_int_equal(write_result(path, &h, false), WS_E_IO);
		assert_non_null(strstr(ws_error_detail(), "folder does not exist"));
	}
	snprintf(path, sizeof path, "%s/folder.h5", test_folder);
	assert_int_equal(mkdir(path, 0500), 0);
	assert_int_equal(write_result(path, &h, true), WS_E_IO);
	assert_non_null(strstr(ws_error_detail(), "is a folder"));
	if (geteuid() != 0) {  /* nothing is unwritable for root */
		char inside[420];
		snprintf(inside, sizeof inside, "%s/x.h5", path);
		assert_int_equal(write_result(inside, &h, false), WS_E_IO);
		assert_non_null(strstr(ws_error_detail(), "not writable"));
	}
	rmdir(path);
}

/* A limit on the size of files looks to the writer like a full disk. */
static void
disk_full(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F64, 0);
	struct rlimit before;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_IGN);
	for (int f = 0; f < N_OUTPUTS; ++f) {
		const char *path = test_path(outputs[f]);
		unlink(path);
		written(path, &h);
		struct stat whole;
		assert_int_equal(stat(path, &whole), 0);
		unlink(path);
		for (int part = 0; part < 40; ++part) {
			struct rlimit limit = { (rlim_t)(whole.st_size * part / 40), before.rlim_max };
			assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
			ws_status status = write_result(path, &h, false);
			setrlimit(RLIMIT_FSIZE, &before);
			if (status != WS_E_NOSPACE)
				fail_msg("%s at %d/40: %s", path, part, ws_error_detail());
			assert_int_not_equal(access(path, F_OK), 0);
			assert_int_equal(leftovers(), 0);
		}
		written(path, &h);
		unlink(path);
	}
}

/* Results of before there was a time origin, and without a time axis of their own. */
static void
times_begin_at_0(void **state)
{
	(void)state;
	wsi_result *r = opened(WAVESIFT_SOURCE_DIR "/fuzz/corpus/result/deflate0.h5");
	assert_true(r->timed);
	close_to(r->time_origin, 0, 0);
	close_to(r->time_unit, 0, 0);
	wsi_result_close(r);
	wsi_result_header h = header(0, WS_F64, WS_F64, 0);
	h.time_origin = h.time_unit = 0;
	written(test_path("r.csv"), &h);
	size_t n;
	char *text = content(test_path("r.csv"), &n);
	assert_memory_equal(text, "time_s,", 7);
	assert_memory_equal(strchr(text, '\n') + 1, "2,", 2);
	free(text);
}

/* Far from 0 times have the digits that tell them apart. */
static void
times_far_away(void **state)
{
	(void)state;
	static const struct {
		double origin, fs, unit;
		const char *first, *second;
	} cases[] = {
		{ 1749 * 31556952.0, 1 / 31556952.0, 31556952, "1749,", "1750," },
		{ 1700000000.123, 1000, 1, "1700000000.123,", "1700000000.124," },
		{ 1700000000.123, 1000, 1e-3, "1700000000123,", "1700000000124," },
		{ 1700000000.000123, 1000, 1e-6, "1700000000000123,", "1700000000001123," },
		{ 0.1, 10, 1, "0.1,", "0.2," }, { 24, 1, 12, "24,", "25," },
		{ 1 << 30, 65536, 1, "1073741824,", "1073741824.000015," },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		wsi_result_header h = header(0, WS_F64, WS_F64, 0);
		h.first_time = 0;
		h.time_origin = cases[i].origin;
		h.time_unit = cases[i].unit;
		h.fs = cases[i].fs;
		written(test_path("r.csv"), &h);
		size_t n;
		char *text = content(test_path("r.csv"), &n), *line = strchr(text, '\n') + 1;
		assert_memory_equal(line, cases[i].first, strlen(cases[i].first));
		line = strchr(line, '\n') + 1;
		assert_memory_equal(line, cases[i].second, strlen(cases[i].second));
		free(text);
	}
}

/* ---- Reading: damaged files, files of others ------------------------------------------ */

static void
truncated(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F64, 0);
	for (int f = 0; f < N_FORMATS; ++f) {
		written(test_path(formats[f]), &h);
		size_t n;
		char *bytes = content(test_path(formats[f]), &n);
		for (size_t keep = 0; keep < n; keep += 1 + n / 97) {
			const char *path = test_file(strstr(formats[f], "npy") ? "cut.npy" : "cut.h5", bytes, keep);
			wsi_result *r;
			if (wsi_result_open(&r, path) == WS_OK)
				fail_msg("%s cut to %zu of %zu bytes was opened", formats[f], keep, n);
			assert_null(r);
			assert_non_null(strstr(ws_error_detail(), path));
		}
		free(bytes);
	}
}

/* What no axis can show is refused; a unit that is none is left out. */
static void
impossible_times(void **state)
{
	(void)state;
	for (int i = 0; i < 4; ++i) {
		wsi_result_header h = header(0, WS_F64, WS_F64, 0);
		h.first_time = i == 0 ? INFINITY : 0;
		h.time_origin = i == 1 ? NAN : 0;
		h.fs = i == 2 ? 1e-310 : 128;
		h.time_unit = i == 3 ? -INFINITY : 60;
		for (int f = 0; f < N_FORMATS; ++f) {
			if (strstr(formats[f], "npy"))
				continue;
			wsi_result *r;
			const char *path = test_path(formats[f]);
			written(path, &h);
			ws_status status = wsi_result_open(&r, path);
			assert_int_equal(status, i == 3 ? WS_OK : WS_E_FORMAT);
			if (status != WS_OK) {
				assert_non_null(strstr(ws_error_detail(), "damaged: its "));
				continue;
			}
			close_to(r->time_unit, 0, 0);
			wsi_result_close(r);
		}
	}
}

static herr_t
count_complaint(hid_t stack, void *n)
{
	(void)stack;
	++*(int *)n;
	return 0;
}

/* HDF5 says nothing of our failures; of those of our caller it tells whom it
 * told before. */
static void
complaints_are_the_callers(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F64, 0);
	H5E_auto2_t before, handler;
	void *own_before, *own;
	int n = 0;
	assert_true(H5Eget_auto2(H5E_DEFAULT, &before, &own_before) >= 0);
	assert_true(H5Eset_auto2(H5E_DEFAULT, count_complaint, &n) >= 0);
	for (int f = 0; f < N_FORMATS; ++f) {
		written(test_path(formats[f]), &h);
		check_result(test_path(formats[f]), &h, strstr(formats[f], ".npy") != NULL);
		size_t bytes;
		char *whole = content(test_path(formats[f]), &bytes);
		wsi_result *r;
		assert_int_equal(wsi_result_open(&r, test_file("half", whole, bytes / 2)), WS_E_FORMAT);
		free(whole);
	}
	assert_int_equal(n, 0);
	assert_true(H5Eget_auto2(H5E_DEFAULT, &handler, &own) >= 0);
	assert_true(handler == count_complaint && own == &n);
	assert_true(H5Fopen(test_path("absent.h5"), H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
	assert_int_equal(n, 1);
	H5Eset_auto2(H5E_DEFAULT, before, own_before);
}

static void
write_foreign(const char *path, const char *name, size_t rows, size_t columns,
              const double *data)
{
	size_t dims[2] = { rows, columns };
	mat_t *mat = Mat_CreateVer(path, NULL, MAT_FT_MAT5);
	matvar_t *v = Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, (void *)data, 0);
	assert_int_equal(Mat_VarWrite(mat, v, MAT_COMPRESSION_ZLIB), 0);
	Mat_VarFree(v);
	Mat_Close(mat);
}

/* imf(mode,time) and MATLAB's imf(time,mode), the residue last. */
static void
foreign_arrays(void **state)
{
	(void)state;
	const double by_time[] = { 1, 10, 100, 2, 20, 200, 3, 30, 300, 4, 40, 400 };
	const double by_mode[] = { 1, 2, 3, 4, 10, 20, 30, 40, 100, 200, 300, 400 };
	const char *path = test_path("foreign.mat");
	for (int turned = 0; turned < 2; ++turned) {
		write_foreign(path, turned ? "imf" : "modes", turned ? 4 : 3, turned ? 3 : 4,
		              turned ? by_mode : by_time);
		wsi_result *r = opened(path);
		assert_int_equal(r->channels, 1);
		assert_int_equal(r->max_modes, 2);
		assert_int_equal(r->samples, 4);
		assert_false(r->fs_known);
		double x[4];
		assert_int_equal(wsi_result_read(r, 0, 0, 1, 1, 3, x), WS_OK);
		assert_memory_equal(x, by_mode + 5, 3 * sizeof *x);
		assert_int_equal(wsi_result_read(r, 0, 0, WSI_ROW_RESIDUE, 0, 4, x), WS_OK);
		assert_memory_equal(x, by_mode + 8, 4 * sizeof *x);
		assert_int_equal(wsi_result_read(r, 0, 0, WSI_ROW_SIGNAL, 2, 1, x), WS_OK);
		close_to(x[0], 333, 0);
		wsi_result_close(r);
	}
}

static void
not_results(void **state)
{
	(void)state;
	wsi_result *r;
	assert_int_equal(wsi_result_open(&r, test_path("absent.h5")), WS_E_IO);
	assert_int_equal(wsi_result_open(&r, test_text("text.h5", "time,x\n0,1\n")), WS_E_FORMAT);
	const char *path = test_path("other.h5");
	hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	H5Fclose(file);
	assert_int_equal(wsi_result_open(&r, path), WS_E_FORMAT);
	assert_non_null(strstr(ws_error_detail(), "no /modes"));
}

static void
mode_statistics(void **state)
{
	(void)state;
	double frequency, variance;
	const double x[8] = { 1, -1, 0, -1, 1, 0, 1, -1 };
	const float y[4] = { 1, 2, 3, 4 };
	wsi_mode_stats(x, WS_F64, 8, 16, &frequency, &variance);
	close_to(frequency, 0.5 * 3 / (8 / 16.0), 0);
	close_to(variance, 0.75, 0);
	wsi_mode_stats(y, WS_F32, 4, 16, &frequency, &variance);
	close_to(frequency, 0, 0);
	close_to(variance, 1.25, 0);
	wsi_mode_stats(NULL, WS_F32, 0, 16, &frequency, &variance);
	close_to(frequency, 0, 0);
	close_to(variance, 0, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trips), cmocka_unit_test(long_rows), cmocka_unit_test(no_modes),
		cmocka_unit_test(hdf5_layout), cmocka_unit_test(csv_text),
		cmocka_unit_test(times_begin_at_0), cmocka_unit_test(times_far_away),
		cmocka_unit_test(standard_output), cmocka_unit_test(npy_header),
		cmocka_unit_test(existing_output), cmocka_unit_test(race),
		cmocka_unit_test(abort_leaves_nothing), cmocka_unit_test(misuse),
		cmocka_unit_test(beyond_f32), cmocka_unit_test(bad_places), cmocka_unit_test(disk_full),
		cmocka_unit_test(truncated), cmocka_unit_test(impossible_times),
		cmocka_unit_test(complaints_are_the_callers),
		cmocka_unit_test(foreign_arrays),
		cmocka_unit_test(not_results), cmocka_unit_test(mode_statistics),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
