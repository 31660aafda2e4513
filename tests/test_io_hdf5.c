/* test_io_hdf5.c - recordings in HDF5: which array, which axis, which rate. */
#include "io_test.h"

#include <hdf5.h>
#include <hdf5_hl.h>

#include "emd_result.h"

/* A file with nothing in it yet; H5LT writes into it. */
static hid_t
create(const char *path)
{
	hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	assert_true(file >= 0);
	return file;
}

/* value i is i: [2][12] or [12][2] or [2][3][4]. */
static void
put_numbers(hid_t file, const char *name, int rank, const hsize_t *dims)
{
	double x[24];
	for (int i = 0; i < 24; ++i)
		x[i] = i;
	assert_true(H5LTmake_dataset_double(file, name, rank, dims, x) >= 0);
}

static void
shapes(void **state)
{
	(void)state;
	const char *path = test_path("shapes.h5");
	hid_t file = create(path);
	put_numbers(file, "row", 1, (hsize_t[]){ 24 });
	put_numbers(file, "by_channel", 2, (hsize_t[]){ 2, 12 });
	put_numbers(file, "by_time", 2, (hsize_t[]){ 12, 2 });
	put_numbers(file, "epochs", 3, (hsize_t[]){ 2, 3, 4 });
	H5Fclose(file);

	wsi_recording *rec = open_with(path, &(wsi_open_opts){ .variable = "row" });
	assert_int_equal(rec->n_channels, 1);
	assert_int_equal(rec->epochs, 0);
	assert_false(rec->fs_known);
	close_to(sample(rec, 0, 0, 23), 23, 0);
	wsi_recording_close(rec);
	rec = open_with(path, &(wsi_open_opts){ .variable = "/by_channel", .fs = 50 });
	assert_int_equal(rec->n_channels, 2);
	assert_int_equal(rec->channels[0].samples, 12);
	close_to(rec->channels[1].fs, 50, 0);
	close_to(sample(rec, 0, 1, 3), 15, 0);
	wsi_recording_close(rec);
	rec = open_with(path, &(wsi_open_opts){ .variable = "by_time" });
	assert_int_equal(rec->n_channels, 2);
	close_to(sample(rec, 0, 1, 3), 7, 0);
	wsi_recording_close(rec);
	rec = open_with(path, &(wsi_open_opts){ .variable = "epochs" });
	assert_int_equal(rec->epochs, 2);
	assert_int_equal(rec->n_channels, 3);
	close_to(sample(rec, 1, 2, 3), 23, 0);
	close_to(sample(rec, 1, 0, 1), 13, 0);
	wsi_recording_close(rec);
	refused(path, WS_E_FORMAT, "by_channel");
	refused(path, WS_E_FORMAT, "`variable`");
	refused_with(path, &(wsi_open_opts){ .variable = "none" }, WS_E_FORMAT, "no array none");
}

/* Of many channels the longer axis is no sure sign of time. */
static void
turned(void **state)
{
	(void)state;
	const struct {
		hsize_t dims[2];
		const char *note;
	} cases[] = {
		{ { 200, 64 }, "read as 64 channels of 200 samples, the longer axis as time; if it "
		               "is 200" },
		{ { 64, 200 }, NULL },
		{ { 200, 63 }, NULL },
		{ { 1024, 64 }, NULL },
	};
	static const double x[1024 * 64];
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		const char *path = test_path("turned.h5");
		hid_t file = create(path);
		assert_true(H5LTmake_dataset_double(file, "x", 2, cases[i].dims, x) >= 0);
		H5Fclose(file);
		noted(path, cases[i].note);
	}
}

/* Integers beside one floating-point array are masks. */
static void
the_obvious_array(void **state)
{
	(void)state;
	const char *path = test_path("obvious.h5");
	hid_t file = create(path);
	const int mask[4] = { 1, 2, 3, 4 };
	assert_true(H5LTmake_dataset_int(file, "mask", 1, (hsize_t[]){ 4 }, mask) >= 0);
	assert_true(H5LTmake_dataset_int(file, "count", 1, (hsize_t[]){ 1 }, mask) >= 0);
	assert_true(H5LTmake_dataset_string(file, "note", "text") >= 0);
	H5Fclose(file);
	wsi_recording *rec = open_ok(path);
	close_to(sample(rec, 0, 0, 2), 3, 0);
	wsi_recording_close(rec);
	refused_with(path, &(wsi_open_opts){ .variable = "note" }, WS_E_FORMAT, "plain numbers");

	file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
	hid_t group = H5Gcreate2(file, "strain", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	put_numbers(group, "Strain", 1, (hsize_t[]){ 24 });
	const double spacing = 1 / 4096.0;
	assert_true(H5LTset_attribute_double(group, "Strain", "Xspacing", &spacing, 1) >= 0);
	assert_true(H5LTset_attribute_string(group, "Strain", "Yunits", "m") >= 0);
	H5Gclose(group);
	H5Fclose(file);
	rec = open_ok(path);
	assert_int_equal(rec->channels[0].samples, 24);
	close_to(rec->channels[0].fs, 4096, 1e-9);
	assert_true(rec->fs_known);
	assert_string_equal(rec->channels[0].unit, "m");
	wsi_recording_close(rec);
}

static void
rates(void **state)
{
	(void)state;
	static const char *const names[] = { "fs", "Fs", "sfreq", "srate", "sampling_rate" };
	const char *path = test_path("rates.h5");
	for (int on_file = 0; on_file < 2; ++on_file)
		for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
			hid_t file = create(path);
			put_numbers(file, "x", 2, (hsize_t[]){ 2, 12 });
			const int fs = 250 + (int)i;
			assert_true(H5LTset_attribute_int(file, on_file ? "/" : "x", names[i], &fs,
			                                  1) >= 0);
			H5Fclose(file);
			wsi_recording *rec = open_ok(path);
			close_to(rec->channels[0].fs, fs, 0);
			wsi_recording_close(rec);
		}
	hid_t file = create(path);
	put_numbers(file, "x", 2, (hsize_t[]){ 2, 12 });
	const double none = -1;
	assert_true(H5LTset_attribute_double(file, "x", "fs", &none, 1) >= 0);
	H5Fclose(file);
	refused(path, WS_E_FORMAT, "`fs`");
}

/* What is there, but is not what it must be, is told. */
static void
attributes_of_another_kind(void **state)
{
	(void)state;
	const char *path = test_path("kinds.h5");
	const double two[2] = { 1, 2 }, none = 0;
	static const char *const numbers[] = { "channel_names", "ch_names", "unit", "units",
		                               "Yunits" };
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
		hid_t file = create(path);
		put_numbers(file, "x", 2, (hsize_t[]){ 2, 12 });
		assert_true(H5LTset_attribute_double(file, "x", numbers[i], two, 2) >= 0);
		H5Fclose(file);
		noted(path, numbers[i]);
	}
	hid_t file = create(path);
	put_numbers(file, "x", 2, (hsize_t[]){ 2, 12 });
	assert_true(H5LTset_attribute_string(file, "x", "channel_names", "one") >= 0);
	assert_true(H5LTset_attribute_string(file, "x", "unit", "V") >= 0);
	H5Fclose(file);
	noted(path, "channel_names is not a text for each of 2 channels");
	wsi_recording *rec = open_ok(path);
	assert_string_equal(rec->channels[1].unit, "V");
	wsi_recording_close(rec);

	file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
	assert_true(H5LTset_attribute_double(file, "x", "Xspacing", &none, 1) >= 0);
	H5Fclose(file);
	noted(path, "Xspacing is 0");
	/* It is told of where another one is a rate, too. */
	file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
	assert_true(H5LTset_attribute_double(file, "x", "fs", two, 2) >= 0);
	assert_true(H5LTset_attribute_double(file, "/", "fs", two + 1, 1) >= 0);
	H5Fclose(file);
	noted(path, "its attribute fs is not one number");
	rec = open_ok(path);
	close_to(rec->channels[0].fs, 2, 0);
	wsi_recording_close(rec);
}

/* As netCDF has them: packed numbers, one of them for none, and times with a gap. */
static void
packed_and_timed(void **state)
{
	(void)state;
	const char *path = test_path("packed.h5");
	const double scale = 0.5, offset = 100, none = 13;
	double hours[12];
	hid_t file = create(path);
	put_numbers(file, "x", 2, (hsize_t[]){ 2, 12 });
	assert_true(H5LTset_attribute_double(file, "x", "scale_factor", &scale, 1) >= 0);
	assert_true(H5LTset_attribute_double(file, "x", "add_offset", &offset, 1) >= 0);
	assert_true(H5LTset_attribute_double(file, "x", "_FillValue", &none, 1) >= 0);
	for (int i = 0; i < 12; ++i)
		hours[i] = 5 + (i < 8 ? i : i + 3) * 0.25;
	assert_true(H5LTmake_dataset_double(file, "t", 1, (hsize_t[]){ 12 }, hours) >= 0);
	assert_true(H5LTset_attribute_string(file, "t", "units", "hours since 2020-01-01") >= 0);
	const hid_t x = H5Dopen2(file, "x", H5P_DEFAULT), t = H5Dopen2(file, "t", H5P_DEFAULT);
	assert_true(H5DSset_scale(t, "t") >= 0 && H5DSattach_scale(x, t, 1) >= 0);
	H5Dclose(t);
	H5Dclose(x);
	H5Fclose(file);
	wsi_recording *rec = open_ok(path);
	close_to(rec->channels[0].fs, 4 / 3600.0, 1e-15);
	close_to(rec->time_origin, 0, 0);
	assert_string_equal(rec->start_time, "2020-01-01T05:00:00");
	assert_true(rec->dated);
	assert_int_equal(rec->n_segments, 2);
	close_to(sample(rec, 0, 0, 3), 101.5, 0);
	close_to(sample(rec, 0, 1, 0), 106, 0);
	assert_true(isnan(sample(rec, 0, 1, 1)));
	wsi_recording_close(rec);

	/* They may be no dates of ours: then they count as they do. */
	static const struct { const char *units, *calendar, *start; } clocks[] = {
		{ "hours since 1990-06-01 12:30:00.5", "standard", "1990-06-01T17:30:00.500" },
		{ "hours since 1990-06-01T12:00:00+02:00", "gregorian", "1990-06-01T15:00:00Z" },
		{ "hours since 1990-06-01", "noleap", "" }, { "hours since 1200-01-01", "standard", "" },
		{ "hours since launch", "standard", "" }, { "hours", "standard", "" },
	};
	for (size_t i = 0; i < sizeof clocks / sizeof *clocks; ++i) {
		file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
		H5LTset_attribute_string(file, "t", "units", clocks[i].units);
		H5LTset_attribute_string(file, "t", "calendar", clocks[i].calendar);
		H5Fclose(file);
		rec = open_ok(path);
		assert_string_equal(rec->start_time, clocks[i].start);
		assert_int_equal(rec->dated, clocks[i].start[0] != '\0');
		close_to(rec->time_origin, rec->dated ? 0 : 5 * 3600, 1e-9);
		wsi_recording_close(rec);
	}

	/* Times that are not even: refused, unless the rate is given. */
	hours[5] += 0.2;
	file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
	const hid_t again = H5Dopen2(file, "t", H5P_DEFAULT);
	assert_true(H5Dwrite(again, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, hours) >= 0);
	H5Dclose(again);
	H5Fclose(file);
	refused(path, WS_E_FORMAT, "not evenly spaced");
	rec = open_with(path, &(wsi_open_opts){ .fs = 2 });
	close_to(rec->channels[0].fs, 2, 0);
	wsi_recording_close(rec);

	/* A number beside the array, and an attribute of the group about both. */
	for (int outer = 0; outer < 2; ++outer) {
		const double fs = 50 + outer;
		file = create(path);
		const hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
		put_numbers(group, "x", 2, (hsize_t[]){ 2, 12 });
		assert_true((outer ? H5LTset_attribute_double(file, "g", "samplingRate", &fs, 1)
		             : H5LTmake_dataset_double(group, "fs", 1, (hsize_t[]){ 1 }, &fs)) >= 0);
		H5Gclose(group);
		H5Fclose(file);
		rec = open_with(path, &(wsi_open_opts){ .variable = "g/x" });
		close_to(rec->channels[1].fs, fs, 0);
		wsi_recording_close(rec);
	}
}

/* An attribute of a dataset. */
static void
number_of(hid_t at, const char *object, const char *name, double value)
{
	assert_true(H5LTset_attribute_double(at, object, name, &value, 1) >= 0);
}

/* Of variable length, as h5py writes texts. */
static void
put_text(hid_t file, const char *name, const char *text)
{
	const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
	H5Tset_size(type, H5T_VARIABLE);
	const hid_t array = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	assert_true(H5Dwrite(array, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text) >= 0);
	H5Dclose(array);
	H5Sclose(space);
	H5Tclose(type);
}

/* As NWB has them: of all that numbers are, series alone are signals. */
static void
series(void **state)
{
	(void)state;
	const char *path = test_path("series.nwb");
	double times[12], gains[2] = { 1, 10 };
	for (int timed = 0; timed < 2; ++timed) {
		hid_t file = create(path);
		const hid_t group = H5Gcreate2(file, "eeg", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
		assert_true(H5LTset_attribute_string(file, "/", "nwb_version", "2.6.0") >= 0);
		put_numbers(file, "electrodes", 1, (hsize_t[]){ 24 });
		H5LTmake_dataset_string(file, "session_start_time", "2019-02-21T10:23:41.25-05:00");
		if (timed)
			put_text(file, "timestamps_reference_time", "2019-02-21T00:00:00Z");
		put_numbers(group, "data", 2, (hsize_t[]){ 12, 2 });
		assert_true(H5LTset_attribute_string(group, "data", "unit", "volts") >= 0);
		number_of(group, "data", "conversion", 0.5);
		number_of(group, "data", "offset", 100);
		for (int i = 0; i < 12; ++i)
			times[i] = 5 + (i < 8 ? i : i + 3) * 0.25;
		if (timed)
			H5LTmake_dataset_double(group, "timestamps", 1, (hsize_t[]){ 12 }, times);
		else {
			H5LTmake_dataset_double(group, "starting_time", 1, (hsize_t[]){ 1 }, times);
			number_of(group, "starting_time", "rate", 4);
			H5LTmake_dataset_double(group, "channel_conversion", 1, (hsize_t[]){ 2 }, gains);
		}
		H5Gclose(group);
		H5Fclose(file);
		wsi_recording *rec = open_ok(path);
		assert_int_equal(rec->n_channels, 2);
		assert_string_equal(rec->channels[1].unit, "volts");
		close_to(rec->channels[0].fs, 4, 0);
		close_to(rec->time_origin, 5, 0);
		assert_string_equal(rec->start_time, timed ? "2019-02-21T00:00:00Z"
		                    : "2019-02-21T15:23:41.250Z");
		assert_int_equal(rec->n_segments, timed ? 2 : 0);
		close_to(sample(rec, 0, 0, 3), 103, 0);
		close_to(sample(rec, 0, 1, 3), timed ? 103.5 : 135, 0);
		wsi_recording_close(rec);
	}
	/* Time goes first, how few samples there may be. */
	hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
	const hid_t group = H5Gcreate2(file, "lfp", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	put_numbers(group, "data", 2, (hsize_t[]){ 2, 12 });
	H5LTmake_dataset_double(group, "starting_time", 1, (hsize_t[]){ 1 }, times);
	H5Gclose(group);
	H5Fclose(file);
	refused(path, WS_E_FORMAT, "/eeg/data, /lfp/data");
	wsi_recording *rec = open_with(path, &(wsi_open_opts){ .variable = "lfp/data" });
	assert_int_equal(rec->n_channels, 12);
	close_to(sample(rec, 0, 1, 1), 13, 0);
	wsi_recording_close(rec);
}

/* As netCDF has them: bytes that are unsigned, samples that were never written, and a dimension
 * that has a length and no values. */
static void
of_netcdf(void **state)
{
	(void)state;
	const char *path = test_path("netcdf.h5");
	hid_t file = create(path);
	const signed char bytes[4] = { 0, 127, -128, -1 };
	const short shorts[4] = { 1, -32767, -2, 3 }, none = -32767;
	const hsize_t n = 4;
	assert_true(H5LTset_attribute_string(file, "/", "_NCProperties", "version=2") >= 0);
	assert_true(H5LTmake_dataset(file, "b", 1, &n, H5T_NATIVE_SCHAR, bytes) >= 0);
	assert_true(H5LTset_attribute_string(file, "b", "_Unsigned", "true") >= 0);
	number_of(file, "b", "scale_factor", 0.5);
	const hid_t space = H5Screate_simple(1, &n, NULL), made = H5Pcreate(H5P_DATASET_CREATE);
	H5Pset_fill_value(made, H5T_NATIVE_SHORT, &none);
	const hid_t x = H5Dcreate2(file, "s", H5T_NATIVE_SHORT, space, H5P_DEFAULT, made, H5P_DEFAULT);
	assert_true(H5Dwrite(x, H5T_NATIVE_SHORT, H5S_ALL, H5S_ALL, H5P_DEFAULT, shorts) >= 0);
	const hid_t time = H5Dcreate2(file, "time", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, H5P_DEFAULT,
	                              H5P_DEFAULT);
	assert_true(H5DSset_scale(time, "This is a netCDF dimension but not a netCDF variable.  4") >= 0
	            && H5DSattach_scale(x, time, 0) >= 0);
	H5Dclose(time);
	H5Dclose(x);
	H5Pclose(made);
	H5Sclose(space);
	H5Fclose(file);
	wsi_recording *rec = open_with(path, &(wsi_open_opts){ .variable = "b" });
	close_to(sample(rec, 0, 0, 1), 63.5, 0);
	close_to(sample(rec, 0, 0, 2), 64, 0);
	close_to(sample(rec, 0, 0, 3), 127.5, 0);
	wsi_recording_close(rec);
	rec = open_with(path, &(wsi_open_opts){ .variable = "s" });
	assert_false(rec->fs_known);
	close_to(sample(rec, 0, 0, 2), -2, 0);
	assert_true(isnan(sample(rec, 0, 0, 1)));
	wsi_recording_close(rec);
}

/* A result is a recording too. */
static void
our_signal(void **state)
{
	(void)state;
	const char *path = test_path("ours.h5");
	const char *const names[] = { "Fz", "\xc3\x84", "z" }, *const units[] = { "uV", "", "V" };
	const wsi_event event = { 0.5, 0.25, (char *)"go", 0, 58.5 };
	wsi_result_header h = {
		.channels = 3, .samples = 2, .store = WS_F32, .fs = 4, .fs_known = true,
		.first_time = 2, .time_origin = 58, .time_unit = 60,
		.start_time = "2020-01-02T03:04:05", .channel_names = names, .units = units,
		.events = &event, .n_events = 1, .epochs = 0,
	};
	const double x[6] = { 1.5, -2, 3, 4, 5, 6 };
	wsi_writer *w;
	declare(&h, 2);
	assert_int_equal(wsi_writer_open(&w, path, &h, true), WS_OK);
	for (size_t c = 0; c < 3; ++c)
		assert_int_equal(put_rows(w, c, x + 2 * c, x, 1, x), WS_OK);
	assert_int_equal(writer_commit(w, NULL, 0), WS_OK);
	/* More channels than samples: no guess about the longer axis. */
	wsi_recording *rec = open_ok(path);
	assert_int_equal(rec->n_channels, 3);
	assert_int_equal(rec->channels[0].samples, 2);
	assert_string_equal(rec->channels[1].name, "\xc3\x84");
	assert_string_equal(rec->channels[2].unit, "V");
	assert_string_equal(rec->start_time, "2020-01-02T03:04:05");
	close_to(rec->channels[0].fs, 4, 0);
	close_to(sample(rec, 0, 1, 1), 4, 0);
	assert_int_equal(rec->n_events, 1);
	/* Events count from the first sample that is there. */
	is_event(rec, 0, -1.5, 0.25, "go");
	close_to(rec->time_origin, 60, 0);
	close_to(rec->time_unit, 60, 0);
	wsi_recording_close(rec);
	rec = open_with(path, &(wsi_open_opts){ .fs = 8 });
	close_to(rec->time_origin, 30, 0);
	wsi_recording_close(rec);
	rec = open_with(path, &(wsi_open_opts){ .variable = "modes" });
	assert_int_equal(rec->epochs, 3);
	wsi_recording_close(rec);
}

/* A few bytes that claim a thousand million values. */
static void
claims_too_much(void **state)
{
	(void)state;
	const char *path = test_path("claims.h5");
	hid_t file = create(path), storage = H5Pcreate(H5P_DATASET_CREATE);
	const hsize_t dims[2] = { 1000, 1000000 }, chunk[2] = { 1, 1000 };
	hid_t space = H5Screate_simple(2, dims, NULL);
	H5Pset_chunk(storage, 2, chunk);
	H5Dclose(H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, storage,
	                    H5P_DEFAULT));
	H5Sclose(space);
	H5Pclose(storage);
	H5Fclose(file);
	refused(path, WS_E_FORMAT, "more values than the file");
}

static void
truncated(void **state)
{
	(void)state;
	const char *path = test_path("whole.h5");
	hid_t file = create(path);
	put_numbers(file, "x", 2, (hsize_t[]){ 2, 12 });
	H5Fclose(file);
	static char bytes[1 << 16];
	FILE *f = fopen(path, "rb");
	size_t n = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	assert_true(n > 100 && n < sizeof bytes);
	survives_truncation("cut.h5", bytes, n, 1 + n / 50, NULL);
	refused(test_file("cut.h5", bytes, n / 2), WS_E_FORMAT, "truncated");
	refused(test_file("head.h5", bytes, 20), WS_E_FORMAT, "head.h5");
	bytes[n / 3] ^= 0x55;
	survives(test_file("bits.h5", bytes, n), NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes), cmocka_unit_test(turned),
		cmocka_unit_test(the_obvious_array), cmocka_unit_test(rates),
		cmocka_unit_test(attributes_of_another_kind),
		cmocka_unit_test(packed_and_timed), cmocka_unit_test(series),
		cmocka_unit_test(of_netcdf), cmocka_unit_test(our_signal), cmocka_unit_test(claims_too_much),
		cmocka_unit_test(truncated),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
