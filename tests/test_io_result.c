/* test_io_result.c - results written and read back, in every format, and as others see them. */
#include "result_test.h"

#include <fcntl.h>
#include <hdf5.h>
#include <hdf5_hl.h>
#include <matio.h>

#include "io/result/stored.h"

static void
round_trips(void **state)
{
	(void)state;
	for (int f = 0; f < N_FORMATS; ++f)
		for (size_t epochs = 0; epochs <= 2; epochs += 2)
			for (int types = 0; types < 4; ++types)
				for (int compress = 0; compress <= 4; compress += 4) {
					wsi_result_header h = header(epochs,
					                             types & 1 ? WS_F32 : WS_F64,
					                             types & 2 ? WS_F32 : WS_F64,
						compress);
					written(test_path(formats[f]), &h);
					check_result(test_path(formats[f]), &h,
					             strstr(formats[f], ".npy") != NULL);
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
	declare(&h, MAX_MODES);
	for (int f = 0; f < N_FORMATS; ++f) {
		wsi_writer *w;
		for (size_t t = 0; t < LONG; ++t)
			x[t] = (double)t - 1e5;
		assert_int_equal(wsi_writer_open(&w, test_path(formats[f]), &h, true), WS_OK);
		if (strstr(formats[f], "73"))
			w->format = &mat73;
		assert_int_equal(put_rows(w, 0, x, x, 1, x), WS_OK);
		assert_int_equal(writer_commit(w, NULL, 0), WS_OK);
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
		declare(&h, (size_t)f % 2 ? MAX_MODES : 0);
		const char *path = test_path(formats[f]);
		wsi_writer *w;
		assert_int_equal(wsi_writer_open(&w, path, &h, true), WS_OK);
		if (strstr(path, "73.mat"))
			w->format = &mat73;
		for (size_t c = 0; c < CHANNELS; ++c)
			assert_int_equal(put_rows(w, c, x, NULL, 0, x), WS_OK);
		if (writer_commit(w, NULL, 0) != WS_OK)
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

/* An empty array of modes says of how many rows: of no more than the file can hold. */
static void
rows_of_nothing(void **state)
{
	(void)state;
	const char *path = test_path("rows.h5");
	const hsize_t dims[3] = { (hsize_t)1 << 50, 0, 4 };
	const double zeros[4] = { 0 };
	hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	assert_true(H5LTmake_dataset_double(file, "modes", 3, dims, NULL) >= 0);
	assert_true(H5LTmake_dataset_double(file, "residue", 1, dims + 2, zeros) >= 0);
	assert_true(H5Fclose(file) >= 0);
	const wsi_open_opts here = { .decoder = WSI_IN_PROCESS };
	wsi_result *r;
	assert_int_equal(wsi_result_open(&r, path, NULL), WS_E_FORMAT);
	if (!strstr(ws_error_detail(), "more values than the file can hold"))
		fail_msg("%s", ws_error_detail());
	/* A decoder has ended by now; here all is closed as ever. */
	assert_int_equal(wsi_result_open(&r, path, &here), WS_E_FORMAT);
}

/* ---- Modes as a recording ---------------------------------------------------------- */

static void
events_are(const char *path, size_t n)
{
	wsi_recording *rec;
	if (wsi_stored_open(&rec, path, &(wsi_open_opts){ 0 }) != WS_OK)
		fail_msg("%s", ws_error_detail());
	assert_int_equal(rec->n_events, n);
	for (size_t i = 0; i < n; ++i) {
		close_to(rec->events[i].onset, events[i].onset - 2, 1e-12);
		assert_string_equal(rec->events[i].label, events[i].label);
	}
	wsi_recording_close(rec);
}

/* They come along, or the result is refused, wherever its modes lie. */
static void
events_of_modes(void **state)
{
	(void)state;
	static const char *const folders[] = { "", "hht" };
	const char *path = test_path("stored.h5");
	for (size_t i = 0; i < 2; ++i) {
		wsi_result_header h = header(0, WS_F64, WS_F64, 0);
		wsi_recording *rec;
		h.folder = folders[i];
		written(path, &h);
		events_are(path, 2);
		hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
		assert_true(H5Ldelete(file, "events", H5P_DEFAULT) >= 0);
		H5Fclose(file);
		/* Their checksum is there still. */
		assert_int_equal(wsi_stored_open(&rec, path, &(wsi_open_opts){ 0 }), WS_E_FORMAT);
		assert_null(rec);
		file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
		assert_true(H5Lcreate_soft("nothing", file, "events", H5P_DEFAULT, H5P_DEFAULT) >= 0);
		H5Fclose(file);
		assert_int_equal(wsi_stored_open(&rec, path, &(wsi_open_opts){ 0 }), WS_E_FORMAT);
		if (!strstr(ws_error_detail(), "its events cannot be opened"))
			fail_msg("%s", ws_error_detail());
		h.n_events = 0;
		written(path, &h);
		events_are(path, 0);
	}
}

/* An attribute of another kind is not as if it were not there. */
static void
attributes_of_another_kind(void **state)
{
	(void)state;
	static const char *const names_of[] = { "fs", "fs_known", "first_time", "time_origin",
		                                "time_unit" };
	const char *path = test_path("kinds.h5");
	for (size_t i = 0; i < sizeof names_of / sizeof *names_of; ++i) {
		wsi_result_header h = header(0, WS_F64, WS_F64, 0);
		wsi_result *r;
		written(path, &h);
		hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
		const double two[2] = { 1, 2 };
		assert_true(H5LTset_attribute_double(file, "/", names_of[i], two, 2) >= 0);
		H5Fclose(file);
		assert_int_equal(wsi_result_open(&r, path, NULL), WS_E_FORMAT);
		if (!strstr(ws_error_detail(), "is not one number")
		    || !strstr(ws_error_detail(), names_of[i]))
			fail_msg("%s", ws_error_detail());
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
	double times[SAMPLES], stored[CHANNELS][3];
	assert_true(H5LTread_dataset_double(file, "time", times) >= 0);
	close_to(times[3], 60 + 3 / 128.0, 0);
	/* Figures stay f64 beside rows of f32. */
	for (int k = 0; k < EMD_FIGURES; ++k) {
		const char *name = emd_kinds[WS_EMD_FREQUENCY + k].name;
		assert_true(H5LTread_dataset_double(file, name, stored[0]) >= 0);
		for (size_t c = 0; c < CHANNELS; ++c)
			for (size_t m = 0; m < 3; ++m)
				close_to(stored[c][m],
				         m < mode_count(0, c) ? figure(k, c, m) : 0, 0);
	}
	/* All is stored, alignment too, and checksums. */
	H5G_info_t inside;
	assert_true(H5Gget_info(file, &inside) >= 0);
	assert_int_equal(inside.nlinks, 5 + EMD_FIGURES + 3 + 3 + 3 + 3);
	H5Sclose(space);
	H5Dclose(modes);
	H5Fclose(file);
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

/* Names that spreadsheets would compute. */
static void
csv_without_formulae(void **state)
{
	(void)state;
	static const char *const tricky[][CHANNELS] = {
		{ "=HYPERLINK(\"http://x\")", "+1", "-Fz" }, { "@SUM(A1)", "\xef\xbc\x9d" "1", "a=b" },
	};
	static const char *const heads[] = {
		",\"'=HYPERLINK(\"\"http://x\"\").signal\",", ",'+1.signal,", ",'-Fz.mode1,",
		",'@SUM(A1).signal,", (",'\xef\xbc\x9d" "1.residue,"), ",a=b.signal,",
	};
	for (size_t i = 0; i < 2; ++i) {
		wsi_result_header h = header(0, WS_F64, WS_F64, 0);
		h.channel_names = tricky[i];
		written(test_path("f.csv"), &h);
		size_t n;
		char *text = content(test_path("f.csv"), &n);
		*strchr(text, '\n') = '\0';
		for (size_t k = 0; k < 3; ++k)
			assert_non_null(strstr(text, heads[3 * i + k]));
		free(text);
	}
}

static void
standard_output(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F64, 0);
	written(test_path("file.csv"), &h);
	fflush(stdout);
	int terminal = dup(1),
		fd = open(test_path("stdout.csv"), O_CREAT | O_WRONLY | O_TRUNC, 0600);
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
	assert_memory_equal(text, "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': "
	                    "False, 'shape': (3, 4, 50), } ", 72);
	assert_int_equal(text[127], '\n');
	assert_int_equal(n, 128 + CHANNELS * 4 * SAMPLES * sizeof(float));
	free(text);
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

/* ---- Files of others ------------------------------------------------------------------- */

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

/* MAT has the same figures, its first index fastest. */
static void
mat_figures(void **state)
{
	(void)state;
	for (int version = 0; version < 2; ++version)
		for (size_t epochs = 0; epochs <= 2; epochs += 2) {
			wsi_result_header h = header(epochs, WS_F64, WS_F64, 0);
			const char *path = test_path(version ? "r73.mat" : "r.mat");
			written(path, &h);
			mat_t *mat = Mat_Open(path, MAT_ACC_RDONLY);
			assert_non_null(mat);
			for (int k = 0; k < EMD_FIGURES; ++k) {
				matvar_t *v = Mat_VarRead(mat,
				                          emd_kinds[WS_EMD_FREQUENCY + k].name);
				assert_non_null(v);
				const size_t first = epochs ? epochs : 1,
					*dims = v->dims + (epochs ? 1 : 0);
				assert_int_equal(v->rank, epochs ? 3 : 2);
				assert_int_equal(dims[0], CHANNELS);
				for (size_t e = 0; e < first; ++e)
					for (size_t c = 0; c < CHANNELS; ++c)
						for (size_t m = 0; m < dims[1]; ++m)
							close_to(((double *)v->data)[(m * CHANNELS +
							                              c) *
								first + e],
							         m < mode_count(e, c)
								? figure(k, e * CHANNELS + c, m)
							         : 0, 0);
				Mat_VarFree(v);
			}
			Mat_Close(mat);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trips), cmocka_unit_test(long_rows),
			cmocka_unit_test(no_modes), cmocka_unit_test(rows_of_nothing),
		cmocka_unit_test(events_of_modes),
			cmocka_unit_test(attributes_of_another_kind),
		cmocka_unit_test(hdf5_layout), cmocka_unit_test(csv_text),
		cmocka_unit_test(csv_without_formulae),
			cmocka_unit_test(times_begin_at_0),
		cmocka_unit_test(times_far_away), cmocka_unit_test(standard_output),
			cmocka_unit_test(npy_header),
		cmocka_unit_test(foreign_arrays), cmocka_unit_test(mat_figures),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
