/* test_io_mat73.c - MAT files of version 7.3 as several programs write them, made by HDF5 here:
 * classes however padded, structs and cells, what is empty, what is damaged. */
#include "io_test.h"

#include <hdf5.h>

typedef enum padding { BARE, ENDED, NULL_PADDED, SPACE_PADDED, VARIABLE, N_PADDINGS } padding;

static hid_t
begin(const char *name)
{
	hid_t how = H5Pcreate(H5P_FILE_CREATE);
	H5Pset_userblock(how, 512);
	const hid_t file = H5Fcreate(test_path(name), H5F_ACC_TRUNC, how, H5P_DEFAULT);
	H5Pclose(how);
	assert_true(file >= 0);
	return file;
}

static const char *
end(const char *name, hid_t file)
{
	char head[128];
	assert_true(H5Fclose(file) >= 0);
	FILE *f = fopen(test_path(name), "r+b");
	assert_non_null(f);
	memset(head, ' ', sizeof head);
	memcpy(head, "MATLAB 7.3 MAT-file", 19);
	memcpy(head + 116, "\0\0\0\0\0\0\0\0\0\2IM", 12);
	assert_int_equal(fwrite(head, 1, sizeof head, f), sizeof head);
	assert_int_equal(fclose(f), 0);
	return test_path(name);
}

static void
put_class(hid_t object, const char *class, padding how)
{
	const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
	char text[32];
	memset(text, how == SPACE_PADDED ? ' ' : 0, sizeof text);
	memcpy(text, class, strlen(class));
	const size_t n = how == BARE ? strlen(class) : how == ENDED ? strlen(class) + 1 : 20;
	H5Tset_size(type, how == VARIABLE ? H5T_VARIABLE : n);
	H5Tset_strpad(type, how == SPACE_PADDED ? H5T_STR_SPACEPAD : how == NULL_PADDED || how == BARE
	              ? H5T_STR_NULLPAD : H5T_STR_NULLTERM);
	const hid_t a = H5Acreate2(object, "MATLAB_class", type, space, H5P_DEFAULT, H5P_DEFAULT);
	const char *at = text;
	assert_true(H5Awrite(a, type, how == VARIABLE ? (const void *)&at : text) >= 0);
	H5Aclose(a);
	H5Sclose(space);
	H5Tclose(type);
}

static void
put_flag(hid_t object, const char *name, int64_t value)
{
	const hid_t space = H5Screate(H5S_SCALAR);
	const hid_t a = H5Acreate2(object, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
	assert_true(H5Awrite(a, H5T_NATIVE_INT64, &value) >= 0);
	H5Aclose(a);
	H5Sclose(space);
}

/* rows x columns as MATLAB says them; class NULL: none. */
static hid_t
put(hid_t at, const char *name, const char *class, padding how, hid_t type, hsize_t rows,
    hsize_t columns, const void *data)
{
	const hid_t space = H5Screate_simple(2, (hsize_t[]){ columns, rows }, NULL);
	const hid_t set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	assert_true(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
	if (class)
		put_class(set, class, how);
	H5Sclose(space);
	return set;
}

static void
put_number(hid_t at, const char *name, double value, padding how)
{
	H5Dclose(put(at, name, "double", how, H5T_NATIVE_DOUBLE, 1, 1, &value));
}

static void
put_text(hid_t at, const char *name, const char *text, padding how)
{
	uint16_t units[64];
	for (size_t i = 0; text[i]; ++i)
		units[i] = (uint16_t)text[i];
	const hid_t set = put(at, name, "char", how, H5T_NATIVE_UINT16, 1, strlen(text), units);
	put_flag(set, "MATLAB_int_decode", 2);
	H5Dclose(set);
}

static void
put_empty(hid_t at, const char *name, const char *class, padding how)
{
	const uint64_t zeros[2] = { 0, 0 };
	const hid_t space = H5Screate_simple(1, (hsize_t[]){ 2 }, NULL);
	const hid_t set = H5Dcreate2(at, name, H5T_NATIVE_UINT64, space, H5P_DEFAULT, H5P_DEFAULT,
	                             H5P_DEFAULT);
	H5Dwrite(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros);
	put_class(set, class, how);
	put_flag(set, "MATLAB_empty", 1);
	H5Sclose(space);
	H5Dclose(set);
}

static hid_t
put_group(hid_t at, const char *name, const char *class, padding how)
{
	const hid_t group = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	assert_true(group >= 0);
	if (class)
		put_class(group, class, how);
	return group;
}

/* References to objects of /#refs#: a cell, or a field of an array of structs (class NULL). */
static void
put_cells(hid_t at, const char *name, const char *class, padding how, size_t n,
          const char *const *targets)
{
	hobj_ref_t refs[16] = { 0 };
	const hid_t file = H5Iget_file_id(at);
	for (size_t i = 0; i < n; ++i)
		if (targets[i])
			assert_true(H5Rcreate(&refs[i], file, targets[i], H5R_OBJECT, -1) >= 0);
	H5Dclose(put(at, name, class, how, H5T_STD_REF_OBJ, 1, n, refs));
	H5Fclose(file);
}

/* value i is i + 0.5, the first index fastest. */
static const double *
numbers(void)
{
	static double x[24];
	for (int i = 0; i < 24; ++i)
		x[i] = i + 0.5;
	return x;
}

static void
classes_however_padded(void **state)
{
	(void)state;
	for (padding how = 0; how < N_PADDINGS; ++how) {
		const hid_t file = begin("a.mat");
		H5Dclose(put(file, "x", "double", how, H5T_NATIVE_DOUBLE, 2, 12, numbers()));
		put_number(file, "fs", 100, how);
		put_text(file, "note", "none", how);
		wsi_recording *rec = open_ok(end("a.mat", file));
		assert_int_equal(rec->n_channels, 2);
		close_to(rec->channels[1].fs, 100, 0);
		close_to(sample(rec, 0, 1, 3), 1 + 2 * 3 + 0.5, 0);
		wsi_recording_close(rec);
	}
}

/* A set: its channels and events as arrays of structs, as one struct, or as cells of structs. */
static void
put_set(hid_t file, padding how, int lists)
{
	char name[64];
	const char *const labels[] = { "/#refs#/l0", "/#refs#/l1" };
	const char *const types[] = { "/#refs#/t0", "/#refs#/t1" };
	const char *const latencies[] = { "/#refs#/n0", "/#refs#/n1" };
	const char *const cells[] = { "/#refs#/c0", "/#refs#/c1" };
	const hid_t refs = put_group(file, "#refs#", NULL, how);
	put_text(refs, "l0", "Fz", how);
	put_text(refs, "l1", "Cz", how);
	put_text(refs, "t0", "go", how);
	put_number(refs, "t1", 7, how);
	put_number(refs, "n0", 3, how);
	put_number(refs, "n1", 9, how);
	for (int i = 0; i < 2; ++i) {
		snprintf(name, sizeof name, "c%d", i);
		const hid_t cell = put_group(refs, name, "struct", how);
		if (i == 0)
			put_text(cell, "type", "go", how);
		else
			put_number(cell, "type", 7, how);
		put_number(cell, "latency", i ? 9 : 3, how);
		H5Gclose(cell);
	}
	H5Gclose(refs);
	const hid_t eeg = put_group(file, "EEG", "struct", how);
	put_number(eeg, "nbchan", 2, how);
	put_number(eeg, "pnts", 12, how);
	put_number(eeg, "trials", 1, how);
	put_number(eeg, "srate", 50, how);
	put_number(eeg, "xmin", -0.1, how);
	H5Dclose(put(eeg, "data", "double", how, H5T_NATIVE_DOUBLE, 2, 12, numbers()));
	const hid_t places = put_group(eeg, "chanlocs", "struct", how);
	put_cells(places, "labels", NULL, how, 2, labels);
	H5Gclose(places);
	if (lists == 0) {
		const hid_t events = put_group(eeg, "event", "struct", how);
		put_cells(events, "type", NULL, how, 2, types);
		put_cells(events, "latency", NULL, how, 2, latencies);
		H5Gclose(events);
	} else if (lists == 1) {
		put_cells(eeg, "event", "cell", how, 2, cells);
	} else {
		put_empty(eeg, "event", lists == 2 ? "double" : "struct", how);
	}
	H5Gclose(eeg);
}

static void
sets_of_others(void **state)
{
	(void)state;
	for (padding how = 0; how < N_PADDINGS; ++how)
		for (int lists = 0; lists < 4; ++lists) {
			const hid_t file = begin("a.set");
			put_set(file, how, lists);
			wsi_recording *rec = open_ok(end("a.set", file));
			assert_int_equal(rec->n_channels, 2);
			assert_string_equal(rec->channels[1].name, "Cz");
			close_to(rec->channels[0].fs, 50, 0);
			close_to(rec->time_origin, -0.1, 0);
			close_to(sample(rec, 0, 1, 3), 1 + 2 * 3 + 0.5, 0);
			assert_int_equal(rec->n_events, lists < 2 ? 2 : 0);
			if (lists < 2) {
				is_event(rec, 0, 0.04, 0, "go");
				is_event(rec, 1, 0.16, 0, "7");
			}
			wsi_recording_close(rec);
		}
}

/* What is there and cannot be read is named, and never left out. */
static void
damaged_parts(void **state)
{
	(void)state;
	static const struct {
		const char *object, *class, *words;
	} parts[] = {
		{ "/EEG/srate", "doublf", "srate" },     { "/EEG/event", "strutc", "event" },
		{ "/EEG/chanlocs", "struct ure", "chanlocs" }, { "/EEG/xmin", "char?", "xmin" },
		{ "/#refs#/n1", "double!", "latency" },  { "/#refs#/l1", "chra", "labels" },
		{ "/EEG/data", "singel", "data" },       { "/EEG/nbchan", "", "nbchan" },
	};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
		const hid_t file = begin("a.set");
		put_set(file, NULL_PADDED, 0);
		const hid_t object = H5Oopen(file, parts[i].object, H5P_DEFAULT);
		H5Adelete(object, "MATLAB_class");
		if (*parts[i].class) {
			put_class(object, parts[i].class, NULL_PADDED);
			H5Oclose(object);
			refused(end("a.set", file), WS_E_FORMAT, parts[i].words);
			continue;
		}
		/* Without a class HDF5's own word for it counts. */
		H5Oclose(object);
		wsi_recording *rec = open_ok(end("a.set", file));
		assert_int_equal(rec->n_channels, 2);
		wsi_recording_close(rec);
	}
	/* Fields that no longer are where the struct says. */
	static const char *const gone[] = { "/#refs#/t1", "/#refs#/n0", "/#refs#/l0" };
	for (size_t i = 0; i < sizeof gone / sizeof *gone; ++i) {
		const hid_t file = begin("a.set");
		put_set(file, BARE, 0);
		H5Ldelete(file, gone[i], H5P_DEFAULT);
		refused(end("a.set", file), WS_E_FORMAT, "cannot be opened");
	}
}

/* Objects of other classes beside the signal are nobody's business. */
static void
other_classes(void **state)
{
	(void)state;
	const uint32_t handles[6] = { 0xdd000000, 2, 1, 1, 1, 1 };
	const hid_t file = begin("a.mat");
	H5Dclose(put(file, "x", "double", BARE, H5T_NATIVE_DOUBLE, 2, 12, numbers()));
	const hid_t table = put(file, "t", "table", BARE, H5T_NATIVE_UINT32, 1, 6, handles);
	put_flag(table, "MATLAB_object_decode", 3);
	H5Dclose(table);
	put_empty(file, "e", "canonical empty", BARE);
	wsi_recording *rec = open_ok(end("a.mat", file));
	assert_int_equal(rec->n_channels, 2);
	wsi_recording_close(rec);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_however_padded), cmocka_unit_test(sets_of_others),
		cmocka_unit_test(damaged_parts), cmocka_unit_test(other_classes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
