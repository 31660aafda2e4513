/*
 * test_io_arrays.c - results of any arrays: complex ones, several time axes, channels that come in
 * parts, each format as others read it.
 */
#include "io_test.h"

#include <hdf5.h>
#include <hdf5_hl.h>
#include <matio.h>

#include "io/write/writer_format.h"
#include "io/write/writer_mat73.h"
#include "io/write/writer_mat_arrays.h"

enum { CHANNELS = 2, ROWS = 5, TIMES = 40, FEW = 10 };
enum { SIGNAL, SPECTRUM, POWER, BAND, HITS, TOLD, SPARE, N_ARRAYS };
enum { WHOLE, BY_FREQUENCY, BY_TIME, WAYS };

static const double frequencies[ROWS] = { 1, 2.5, 4, 8, 16 };
static double times[TIMES], few_times[FEW];
static const double *axes[N_ARRAYS][WS_MOST_AXES];
static ws_array arrays[N_ARRAYS];

/* rows, n: 0 for no such axis. */
static void
declare(int which, const char *name, ws_type type, unsigned flags, size_t entries, size_t rows,
        size_t n)
{
	ws_array *a = &arrays[which];
	*a = (ws_array){ .size = sizeof *a, .name = name, .text = "", .type = type, .flags = flags,
		.rank = 1, .axis = { WS_AXIS_CHANNEL }, .extent = { entries } };
	memset(axes[which], 0, sizeof axes[which]);
	if (rows) {
		axes[which][a->rank] = frequencies;
		a->axis[a->rank] = WS_AXIS_FREQUENCY;
		a->extent[a->rank++] = rows;
	}
	if (n) {
		axes[which][a->rank] = n == FEW ? few_times : which == SIGNAL ? times : NULL;
		a->axis[a->rank] = WS_AXIS_TIME;
		a->extent[a->rank++] = n;
	}
}

static wsi_result_header
header(size_t epochs, ws_type store)
{
	static const char *const names[CHANNELS] = { "A", "B" };
	const size_t entries = CHANNELS * (epochs ? epochs : 1);
	for (int t = 0; t < TIMES; ++t)
		times[t] = t / 128.0;
	for (int t = 0; t < FEW; ++t)
		few_times[t] = (4 * t + 1.5) / 128;
	declare(SIGNAL, "signal", WS_F64, WS_ARRAY_SIGNAL, entries, 0, TIMES);
	declare(SPECTRUM, "spectrum", WS_C128, WS_ARRAY_MAIN, entries, ROWS, TIMES);
	declare(POWER, "power", WS_F64, 0, entries, ROWS, FEW);
	declare(BAND, "band", WS_F64, 0, entries, ROWS, 0);
	declare(HITS, "hits", WS_I32, 0, entries, 0, 0);
	declare(TOLD, "told", WS_F64, WS_ARRAY_REPORT, entries, 0, 0);
	declare(SPARE, "spare", WS_C128, WS_ARRAY_OPTIONAL, entries, ROWS, TIMES);
	return (wsi_result_header){
		.epochs = epochs, .channels = CHANNELS, .samples = TIMES, .arrays = arrays,
		.n_arrays = N_ARRAYS, .axes = axes[0], .folder = "", .type = WS_F64, .store = store,
		.fs = 128, .fs_known = true, .first_time = 2, .channel_names = names,
	};
}

/* Part 1 is the imaginary one. */
static double
value(int which, size_t entry, size_t row, size_t t, int part)
{
	return sin(1 + 7000 * which + 900.0 * (double)entry + 70.0 * (double)row + (double)t
	           + 0.5 * part);
}

/* What lies from a row and a moment on in an array of an entry; freed by the caller. */
static void *
made(const ws_array *a, size_t entry, size_t row0, size_t rows, size_t t0, size_t n)
{
	const int which = (int)(a - arrays), parts = wsi_type_complex(a->type) ? 2 : 1;
	double *x = calloc(rows * n * (size_t)parts, sizeof *x), *to = x;
	for (size_t r = row0; r < row0 + rows; ++r)
		for (size_t t = t0; t < t0 + n; ++t)
			for (int p = 0; p < parts; ++p)
				*to++ = value(which, entry, r, t, p);
	if (a->type == WS_I32)
		*(int32_t *)(void *)x = (int32_t)entry + 7;
	return x;
}

/* Puts what lies in a part of the frequencies and a part of the time, given in fortieths.  Arrays
 * without the axis come with each part. */
static ws_status
put_part(wsi_writer *w, size_t entry, size_t row0, size_t row1, size_t t0, size_t t1)
{
	ws_slab slabs[N_ARRAYS] = { { 0 } };
	for (int i = 0; i < N_ARRAYS; ++i) {
		const ws_array *a = &arrays[i];
		const bool has_rows = a->rank > 1 && a->axis[1] != WS_AXIS_TIME;
		const bool timed = a->rank > 1 && a->axis[a->rank - 1] == WS_AXIS_TIME;
		if (i == SPARE)
			continue;
		const size_t n = timed ? a->extent[a->rank - 1] : 1;
		const size_t r0 = has_rows ? row0 : 0, r1 = has_rows ? row1 : 1;
		const size_t from = timed ? t0 * n / TIMES : 0, to = timed ? t1 * n / TIMES : 1;
		int k = 0;
		if (has_rows) {
			slabs[i].first[k] = r0;
			slabs[i].extent[k++] = r1 - r0;
		}
		if (timed) {
			slabs[i].first[k] = from;
			slabs[i].extent[k++] = to - from;
		}
		slabs[i].data = made(a, entry, r0, r1 - r0, from, to - from);
	}
	const ws_channel_result r = { .size = sizeof r, .channel = entry, .slabs = slabs };
	const ws_status status = wsi_writer_put(w, &r);
	for (int i = 0; i < N_ARRAYS; ++i)
		free((void *)slabs[i].data);
	return status;
}

/* Of two parts. */
static ws_status
put_way(wsi_writer *w, size_t entry, int way, int part)
{
	const size_t row = part == 0 ? 2 : ROWS, t = part == 0 ? 16 : TIMES;
	if (way == WHOLE)
		return part == 0 ? put_part(w, entry, 0, ROWS, 0, TIMES) : WS_OK;
	return way == BY_TIME ? put_part(w, entry, 0, ROWS, part ? 16 : 0, t)
	       : put_part(w, entry, part ? 2 : 0, row, 0, TIMES);
}

static ws_status
finish_mat73(wsi_writer *w, const ws_fact *f, size_t n)
{
	return wsi_mat73_write(w, f, n);
}

static const char *
written(const char *name, const wsi_result_header *h, int way)
{
	const char *path = test_path(name);
	static wsi_writer_format mat73;
	wsi_writer *w;
	if (wsi_writer_open(&w, path, h, true) != WS_OK)
		fail_msg("%s", ws_error_detail());
	mat73 = wsi_writer_mat;
	mat73.finish = finish_mat73;
	if (strstr(name, "73.mat"))
		w->format = &mat73;
	/* A run cuts blocks of channels: here all but the last are one. */
	const size_t n = arrays[0].extent[0];
	for (size_t i = 0; i < 2 * n; ++i) {
		const size_t entry = i < 2 * (n - 1) ? i % (n - 1) : n - 1;
		const int part = i < 2 * (n - 1) ? i >= n - 1 : i == 2 * n - 1;
		if (put_way(w, entry, way, part) != WS_OK)
			fail_msg("%s", ws_error_detail());
	}
	if (writer_commit(w, NULL, 0) != WS_OK)
		fail_msg("%s", ws_error_detail());
	return path;
}

/* Is a number of a file what was made, in the type that it is stored in? */
static void
is_value(double got, bool narrow, int which, size_t entry, size_t row, size_t t, int part)
{
	const double want = value(which, entry, row, t, part);
	if (got != (narrow ? (double)(float)want : want))
		fail_msg("%s, entry %zu, row %zu, sample %zu, part %d: %.17g, not %.17g",
		         arrays[which].name, entry, row, t, part, got, want);
}

/* Calls check(h) for each way, number of epochs and type. */
static void
each(void (*check)(const wsi_result_header *h, int way))
{
	for (int way = 0; way < WAYS; ++way)
		for (size_t epochs = 0; epochs <= 2; epochs += 2)
			for (int variant = 0; variant < 4; ++variant) {
				wsi_result_header h = header(epochs, variant & 1 ? WS_F32 : WS_F64);
				h.compress = variant & 2 ? 3 : 0;
				h.memory = variant & 2 ? 1 << 20 : 0;
				check(&h, way);
			}
}

/* ---- HDF5 ------------------------------------------------------------------------- */

static void
has_axes(hid_t group, hid_t dataset, int first, const char *const *names, int n)
{
	for (int i = 0; i < n; ++i) {
		hid_t axis = H5Dopen2(group, names[i], H5P_DEFAULT);
		assert_true(axis >= 0);
		assert_int_equal(H5DSis_attached(dataset, axis, (unsigned)(first + i)), 1);
		H5Dclose(axis);
	}
}

static hid_t
complex_type(void)
{
	hid_t type = H5Tcreate(H5T_COMPOUND, 2 * sizeof(double));
	H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE);
	H5Tinsert(type, "i", sizeof(double), H5T_NATIVE_DOUBLE);
	return type;
}

static void
check_hdf5_array(hid_t group, const wsi_result_header *h, int which, size_t rows, size_t n,
                 const char *const *names, int n_names)
{
	static double x[4 * ROWS * TIMES * 2];
	const bool pairs = which == SPECTRUM, narrow = h->store == WS_F32 && which != BAND;
	hid_t dataset = H5Dopen2(group, arrays[which].name, H5P_DEFAULT);
	hid_t type = pairs ? complex_type() : H5Tcopy(H5T_NATIVE_DOUBLE);
	hid_t stored = H5Dget_type(dataset);
	assert_true(dataset >= 0 && stored >= 0);
	assert_int_equal(H5Tget_class(stored), pairs ? H5T_COMPOUND : H5T_FLOAT);
	assert_int_equal(H5Tget_size(stored), (narrow ? 4 : 8) * (pairs ? 2 : 1));
	assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
	const double *got = x;
	for (size_t e = 0; e < arrays[0].extent[0]; ++e)
		for (size_t r = 0; r < rows; ++r)
			for (size_t t = 0; t < n; ++t)
				for (int p = 0; p <= pairs; ++p)
					is_value(*got++, narrow, which, e, r, t, p);
	has_axes(group, dataset, h->epochs ? 1 : 0, names, n_names);
	H5Tclose(type);
	H5Tclose(stored);
	H5Dclose(dataset);
}

static void
check_hdf5(const wsi_result_header *given, int way)
{
	wsi_result_header h = *given;
	h.folder = way == BY_TIME ? "cwt" : "";
	const char *path = written("arrays.h5", &h, way);
	hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
	hid_t group = H5Gopen2(file, *h.folder ? h.folder : "/", H5P_DEFAULT);
	assert_true(file >= 0 && group >= 0);
	static const char *const spectrum[] = { "channel", "frequency", "time" };
	static const char *const signal[] = { "channel", "time" };
	static const char *const power[] = { "channel", "frequency", "coarse_time" };
	check_hdf5_array(group, &h, SIGNAL, 1, TIMES, signal, 2);
	check_hdf5_array(group, &h, SPECTRUM, ROWS, TIMES, spectrum, 3);
	check_hdf5_array(group, &h, POWER, ROWS, FEW, power, 3);
	check_hdf5_array(group, &h, BAND, ROWS, 1, spectrum, 2);
	int hits[2 * CHANNELS];
	double values[TIMES];
	assert_true(H5LTread_dataset_int(group, "hits", hits) >= 0);
	assert_int_equal(hits[CHANNELS - 1], CHANNELS - 1 + 7);
	assert_true(H5LTread_dataset_double(group, "frequency", values) >= 0);
	assert_memory_equal(values, frequencies, sizeof frequencies);
	assert_true(H5LTread_dataset_double(group, "time", values) >= 0);
	close_to(values[3], 2 + 3 / 128.0, 0);
	assert_true(H5LTread_dataset_double(group, "coarse_time", values) >= 0);
	close_to(values[3], 2 + few_times[3], 0);
	/* Neither what is only told nor what never came. */
	assert_int_equal(H5Lexists(group, "told", H5P_DEFAULT), 0);
	assert_int_equal(H5Lexists(group, "spare", H5P_DEFAULT), 0);
	H5Gclose(group);
	H5Fclose(file);
}

static void
hdf5(void **state)
{
	(void)state;
	each(check_hdf5);
}

/* An array keeps its name where an axis would have it too. */
static void
names_of_axes(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64);
	arrays[BAND].name = "frequency";
	hid_t file = H5Fopen(written("names.h5", &h, WHOLE), H5F_ACC_RDONLY, H5P_DEFAULT);
	static const char *const spectrum[] = { "channel", "spectrum_frequency", "time" };
	check_hdf5_array(file, &h, SPECTRUM, ROWS, TIMES, spectrum, 3);
	check_hdf5_array(file, &h, BAND, ROWS, 1, spectrum, 2);
	H5Fclose(file);
}

/* Frequencies of 1, 2, 3 Hz are not numbers of rows, and those of bands are in Hz too. */
static void
units_of_axes(void **state)
{
	(void)state;
	static const double counted[ROWS] = { 1, 2, 3, 4, 5 };
	static const ws_axis kinds[] = { WS_AXIS_FREQUENCY, WS_AXIS_BAND, WS_AXIS_MODULATION };
	for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
		wsi_result_header h = header(0, WS_F64);
		char unit[8] = "";
		for (int i = SPECTRUM; i <= SPARE; ++i)
			if (axes[i][1] == frequencies) {
				axes[i][1] = counted;
				arrays[i].axis[1] = kinds[k];
			}
		/* "band" is taken by an array. */
		const char *name = kinds[k] == WS_AXIS_BAND ? "spectrum_band" : wsi_axis_name(kinds[k]);
		hid_t file = H5Fopen(written("units.h5", &h, WHOLE), H5F_ACC_RDONLY, H5P_DEFAULT);
		hid_t axis = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(axis);
		assert_int_equal(H5Tget_class(type), H5T_FLOAT);
		hid_t told = H5Aopen(axis, "unit", H5P_DEFAULT), text = H5Aget_type(told);
		char *read = NULL;
		assert_true(H5Aread(told, text, &read) >= 0);
		snprintf(unit, sizeof unit, "%s", read);
		H5free_memory(read);
		assert_string_equal(unit, "Hz");
		H5Tclose(text);
		H5Aclose(told);
		H5Tclose(type);
		H5Dclose(axis);
		H5Fclose(file);
	}
}

/* ---- NPY, MAT, CSV ------------------------------------------------------------------ */

static double
number(const char *at, bool narrow)
{
	float f;
	double d;
	memcpy(narrow ? (void *)&f : &d, at, narrow ? sizeof f : sizeof d);
	return narrow ? (double)f : d;
}

static void
check_npy(const wsi_result_header *h, int way)
{
	static char bytes[4 * ROWS * TIMES * 16 + 200];
	FILE *f = fopen(written("arrays.npy", h, way), "rb");
	const size_t n = fread(bytes, 1, sizeof bytes, f), entries = arrays[0].extent[0];
	fclose(f);
	const bool narrow = h->store == WS_F32;
	const size_t size = narrow ? 4 : 8;
	char head[118];
	snprintf(head, sizeof head, "{'descr': '<c%zu', 'fortran_order': False, 'shape': (%s2, 5, "
	         "40), } ", 2 * size, h->epochs ? "2, " : "");
	assert_memory_equal(bytes + 10, head, strlen(head));
	assert_int_equal(n, 128 + entries * ROWS * TIMES * 2 * size);
	const char *at = bytes + 128;
	for (size_t e = 0; e < entries; ++e)
		for (size_t r = 0; r < ROWS; ++r)
			for (size_t t = 0; t < TIMES; ++t)
				for (int p = 0; p < 2; ++p, at += size)
					is_value(number(at, narrow), narrow, SPECTRUM, e, r, t, p);
}

static void
npy(void **state)
{
	(void)state;
	each(check_npy);
}

/* Of MATLAB's numbers, the first index fastest. */
static void
check_mat_array(mat_t *mat, const wsi_result_header *h, int which, size_t rows, size_t n)
{
	const size_t epochs = h->epochs ? h->epochs : 1;
	const bool pairs = which == SPECTRUM, narrow = h->store == WS_F32 && which != BAND;
	matvar_t *v = Mat_VarRead(mat, arrays[which].name);
	assert_non_null(v);
	assert_int_equal(v->isComplex != 0, pairs);
	assert_int_equal(v->class_type, narrow ? MAT_C_SINGLE : MAT_C_DOUBLE);
	assert_int_equal(v->rank, arrays[which].rank + (h->epochs != 0));
	const mat_complex_split_t *split = v->data;
	const char *data[2] = { pairs ? split->Re : v->data, pairs ? split->Im : NULL };
	const size_t entries = epochs * CHANNELS, size = narrow ? 4 : 8;
	for (size_t k = 0; k < entries * rows * n * (pairs ? 2 : 1); ++k) {
		const size_t i = k % (entries * rows * n), p = k / (entries * rows * n);
		const size_t epoch = i % epochs, channel = i / epochs % CHANNELS;
		is_value(number(data[p] + i * size, narrow), narrow, which,
		         epoch * CHANNELS + channel, i / entries % rows, i / entries / rows,
			(int)p);
	}
	Mat_VarFree(v);
}

static void
check_mat(const wsi_result_header *h, int way)
{
	for (int version = 0; version < 2; ++version) {
		mat_t *mat = Mat_Open(written(version ? "arrays73.mat" : "arrays.mat", h, way),
		                      MAT_ACC_RDONLY);
		assert_non_null(mat);
		check_mat_array(mat, h, SIGNAL, 1, TIMES);
		check_mat_array(mat, h, SPECTRUM, ROWS, TIMES);
		check_mat_array(mat, h, POWER, ROWS, FEW);
		check_mat_array(mat, h, BAND, ROWS, 1);
		matvar_t *v = Mat_VarRead(mat, "hits");
		assert_int_equal(v->class_type, MAT_C_INT32);
		assert_int_equal(v->dims[0], h->epochs ? 2 : 1);
		assert_int_equal(v->dims[1], CHANNELS);
		const int32_t *hits = v->data;
		assert_int_equal(hits[h->epochs ? 1 : 0], (h->epochs ? CHANNELS : 0) + 7);
		Mat_VarFree(v);
		v = Mat_VarRead(mat, "frequency");
		assert_memory_equal(v->data, frequencies, sizeof frequencies);
		Mat_VarFree(v);
		v = Mat_VarRead(mat, "coarse_time");
		assert_int_equal(v->dims[1], FEW);
		close_to(((double *)v->data)[1], 2 + few_times[1], 0);
		Mat_VarFree(v);
		assert_null(Mat_VarRead(mat, "time"));
		assert_null(Mat_VarRead(mat, "told"));
		assert_null(Mat_VarRead(mat, "spare"));
		Mat_Close(mat);
	}
}

static void
mat(void **state)
{
	(void)state;
	each(check_mat);
}

static void
check_csv(const wsi_result_header *h, int way)
{
	FILE *f = fopen(written("arrays.csv", h, way), "r");
	char line[4096], *at = line;
	const bool narrow = h->store == WS_F32;
	static const char head[] = "time_s,A.signal,A.spectrum.1Hz.re,A.spectrum.1Hz.im,"
	                           "A.spectrum.2.5Hz.re,";
	assert_non_null(fgets(line, sizeof line, f));
	assert_memory_equal(line + (h->epochs ? 6 : 0), head, sizeof head - 1);
	for (size_t t = 0; t < 21; ++t)
		assert_non_null(fgets(line, sizeof line, f));
	if (h->epochs)
		close_to(strtod(at, &at), 1, 0), ++at;
	close_to(strtod(at, &at), 2 + 20 / 128.0, 0);
	for (size_t e = 0; e < CHANNELS; ++e) {
		const double signal = strtod(at + 1, &at);
		is_value(narrow ? (double)(float)signal : signal, narrow, SIGNAL, e, 0, 20, 0);
		for (size_t r = 0; r < ROWS; ++r)
			for (int p = 0; p < 2; ++p) {
				const double x = strtod(at + 1, &at);
				is_value(narrow ? (double)(float)x : x, narrow, SPECTRUM, e, r,
				         20, p);
			}
	}
	assert_int_equal(*at, '\n');
	fclose(f);
}

static void
csv(void **state)
{
	(void)state;
	each(check_csv);
}

/* ---- What is refused ------------------------------------------------------------------ */

static void
refuses(const char *name, const wsi_result_header *h, ws_status status, const char *why)
{
	wsi_writer *w;
	assert_int_equal(wsi_writer_open(&w, test_path(name), h, true), status);
	assert_null(w);
	if (!strstr(ws_error_detail(), why))
		fail_msg("%s", ws_error_detail());
	assert_int_not_equal(access(test_path(name), F_OK), 0);
}

static void
no_room_for_it(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64);
	arrays[POWER].flags = WS_ARRAY_MAIN;
	refuses("no.npy", &h, WS_E_UNSUPPORTED, "power has not the shape");
	refuses("no.csv", &h, WS_E_UNSUPPORTED, "one time axis");
	h = header(0, WS_F64);
	arrays[SPECTRUM].flags = 0;
	refuses("no.npy", &h, WS_E_UNSUPPORTED, "no main one");
	arrays[BAND].flags = WS_ARRAY_MAIN;
	refuses("no.csv", &h, WS_E_UNSUPPORTED, "[channel][row][time]");
	h = header(0, WS_F64);
	arrays[HITS].extent[0] = 3;
	refuses("no.h5", &h, WS_E_ARG, "hits is not an array of 2 channels");
	h.n_arrays = 0;
	refuses("no.h5", &h, WS_E_ARG, "without arrays");
}

/* A result that lacks a part is not whole; nor is there room for one too many. */
static void
parts_that_lack(void **state)
{
	(void)state;
	static const char *const files[] = { "part.h5", "part.npy", "part.mat", "part.csv" };
	for (size_t f = 0; f < sizeof files / sizeof *files; ++f) {
		wsi_result_header h = header(0, WS_F64);
		wsi_writer *w;
		assert_int_equal(wsi_writer_open(&w, test_path(files[f]), &h, true), WS_OK);
		assert_int_equal(put_way(w, 0, BY_TIME, 0), WS_OK);
		assert_int_equal(put_way(w, 0, BY_TIME, 1), WS_OK);
		assert_int_equal(put_part(w, 0, 0, ROWS, 16, TIMES), WS_E_ARG);
		assert_int_equal(put_part(w, 1, 0, 2, 0, TIMES), WS_OK);
		assert_int_equal(put_part(w, 1, 2, ROWS + 1, 0, TIMES), WS_E_ARG);
		assert_non_null(strstr(ws_error_detail(), "channel B has 6 in an axis of spec"));
		assert_int_equal(writer_commit(w, NULL, 0), WS_E_ARG);
		assert_non_null(strstr(ws_error_detail(), "1 of 2 channels"));
		assert_int_not_equal(access(test_path(files[f]), F_OK), 0);
	}
}

static void
complex_beyond_f32(void **state)
{
	(void)state;
	static double x[3][2 * TIMES];
	x[1][2 * 8 + 1] = -1e39;
	wsi_result_header h = header(0, WS_F32);
	h.arrays = &arrays[SPECTRUM];
	h.n_arrays = 1;
	h.axes = NULL;
	wsi_writer *w;
	assert_int_equal(wsi_writer_open(&w, test_path("big.h5"), &h, true), WS_OK);
	const ws_slab slab = { .data = x, .first = { 1, 3 }, .extent = { 3, 20 } };
	const ws_channel_result r = { .size = sizeof r, .slabs = &slab };
	/* Number 48 of rows of 20 is the ninth of its row, whose first is sample 4. */
	assert_int_equal(wsi_writer_put(w, &r), WS_E_FORMAT);
	assert_non_null(strstr(ws_error_detail(), "channel A is beyond the range of f32 at "
	                       "sample 12"));
	wsi_writer_abort(w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hdf5), cmocka_unit_test(names_of_axes),
		cmocka_unit_test(units_of_axes), cmocka_unit_test(npy),
		cmocka_unit_test(mat), cmocka_unit_test(csv), cmocka_unit_test(no_room_for_it),
		cmocka_unit_test(parts_that_lack), cmocka_unit_test(complex_beyond_f32),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
