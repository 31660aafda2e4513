/* test_io_masks.c - masks from files of every kind, and packed files: written, read, damaged. */
#include "io_test.h"

#include <hdf5.h>
#include <hdf5_hl.h>
#include <matio.h>

#include "io/read/masks.h"
#include "io/write/masks_write.h"
#include "io/write/outfile.h"

/* The same masks in every file: 1+10i 2+20i 3+30i, and 4+40i 5+50i. */
static const double want[2][5] = { { 1, 2, 3, 4, 5 }, { 10, 20, 30, 40, 50 } };

static void
check(const char *path, const wsi_open_opts *opts, bool complex)
{
	wsi_mask_file f;
	if (wsi_mask_file_read(&f, path, opts) != WS_OK)
		fail_msg("%s", ws_error_detail());
	const size_t parts = complex ? 2 : 1;
	assert_int_equal(f.masks.type, complex ? WS_C128 : WS_F64);
	assert_int_equal(f.masks.count, 2);
	assert_int_equal(f.lengths[0], 3);
	assert_int_equal(f.lengths[1], 2);
	for (size_t mask = 0, tap = 0; mask < 2; ++mask)
		for (size_t k = 0; k < f.lengths[mask]; ++k, ++tap)
			for (size_t p = 0; p < parts; ++p)
				assert_true(f.values[(f.offsets[mask] + k) * parts + p] ==
				            want[p][tap]);
	wsi_mask_file_free(&f);
}

static void
bad(const char *path, const wsi_open_opts *opts, ws_status expected, const char *word)
{
	wsi_mask_file f;
	const ws_status status = wsi_mask_file_read(&f, path, opts);
	if (status != expected || !strstr(ws_error_detail(), word))
		fail_msg("%s: %d \"%s\" does not have \"%s\"", path, status, ws_error_detail(),
		         word);
	assert_null(strchr(ws_error_detail(), '\n'));
	assert_null(f.values);
}

/* ---- NPY ---------------------------------------------------------------------------------- */

static const char *
npy(const char *descr, const char *shape, bool fortran, const void *data, size_t bytes)
{
	unsigned char file[1024] = "\x93NUMPY\1\0\x76";
	const int n = snprintf((char *)file + 10, sizeof file - 10, "{'descr': '%s', "
	                       "'fortran_order': %s, 'shape': %s, }", descr,
	                       fortran ? "True" : "False", shape);
	memset(file + 10 + n, ' ', 118 - (size_t)n);
	memcpy(file + 128, data, bytes);
	return test_file("masks.npy", file, 128 + bytes);
}

static void
of_numpy(void **state)
{
	const double z[] = { 1, 10, 2, 20, 3, 30, 4, 40, 5, 50, NAN, 0 };
	const double turned[] = { 1, 10, 4, 40, 2, 20, 5, 50, 3, 30, NAN, NAN };
	const double real[] = { 1, 2, 3, 4, 5, NAN };
	float narrow[12];
	(void)state;
	for (int i = 0; i < 12; ++i)
		narrow[i] = (float)z[i];
	check(npy("<c16", "(2, 3)", false, z, sizeof z), NULL, true);
	check(npy("<c8", "(2, 3)", false, narrow, sizeof narrow), NULL, true);
	check(npy("<c16", "(2, 3)", true, turned, sizeof turned), NULL, true);
	check(npy("<f8", "(2, 3)", false, real, sizeof real), NULL, false);
	bad(npy("<c16", "(2, 4)", false, z, sizeof z), NULL, WS_E_FORMAT, "truncated");
	bad(npy("<c16", "(1, 2, 3)", false, z, sizeof z), NULL, WS_E_FORMAT, "[mask][tap]");
	bad(npy("<c32", "(2, 3)", false, z, sizeof z), NULL, WS_E_FORMAT, "complex or integers");
	/* A recording is none of complex numbers. */
	refused(npy("<c16", "(2, 3)", false, z, sizeof z), WS_E_FORMAT, "not supported");
}

static void
mistakes(void **state)
{
	const double hole[] = { 1, NAN, 3, 4, 5, NAN }, empty[] = { 1, 2, 3, NAN, NAN, NAN };
	const double endless[] = { 1, 2, 3, 4, INFINITY, NAN };
	(void)state;
	bad(npy("<f8", "(2, 3)", false, hole, sizeof hole), NULL, WS_E_FORMAT,
	    "mask 1 is not finite (nan) at tap 2");
	bad(npy("<f8", "(2, 3)", false, empty, sizeof empty), NULL, WS_E_FORMAT, "mask 2 is empty");
	bad(npy("<f8", "(2, 3)", false, endless, sizeof endless), NULL, WS_E_FORMAT,
	    "mask 2 is not finite (inf) at tap 2");
	bad(npy("<f8", "(2, 3)", false, hole, sizeof hole), &(wsi_open_opts){ .memory = 50 },
	    WS_E_NOMEM, "`memory`");
}

/* ---- Tables ------------------------------------------------------------------------------- */

static void
of_tables(void **state)
{
	(void)state;
	check(test_text("pairs.csv", "a.re,a.im,b.re,b.im\n1,10,4,40\n2,20,5,50\n3,30,nan,nan\n"),
	      NULL, true);
	check(test_text("pairs.csv", "a_real,a_imag,B Re,B Im\n1,10,4,40\n2,20,5,50\n3,30,,\n"),
	      NULL, true);
	check(test_text("real.csv", "a,b\n1,4\n2,5\n3,nan\n"), NULL, false);
	/* One name is another's: four real masks. */
	wsi_mask_file f;
	const char *path = test_text("odd.csv", "a.re,b.im,c.re,c.im\n1,2,3,4\n5,6,7,8\n");
	assert_int_equal(wsi_mask_file_read(&f, path, NULL), WS_OK);
	assert_int_equal(f.masks.count, 4);
	assert_int_equal(f.masks.type, WS_F64);
	wsi_mask_file_free(&f);
}

/* ---- MAT ---------------------------------------------------------------------------------- */

static void
of_matlab(void **state)
{
	(void)state;
	for (int kind = 0; kind < 2; ++kind)
		for (int complex = 0; complex < 2; ++complex) {
			double re[] = { 1, 4, 2, 5, 3, NAN }, im[] = { 10, 40, 20, 50, 30, NAN };
			mat_complex_split_t z = { re, im };
			const char *path = test_path("masks.mat");
			mat_t *mat = Mat_CreateVer(path, NULL, kind ? MAT_FT_MAT73 : MAT_FT_MAT5);
			matvar_t *v = Mat_VarCreate("m", MAT_C_DOUBLE, MAT_T_DOUBLE, 2,
			                            (size_t[]){ 2, 3 }, complex ? (void *)&z
			                            : (void *)re, complex ? MAT_F_COMPLEX : 0);
			assert_int_equal(Mat_VarWrite(mat, v, kind ? MAT_COMPRESSION_NONE
			                              : MAT_COMPRESSION_ZLIB), 0);
			Mat_VarFree(v);
			Mat_Close(mat);
			check(path, NULL, complex);
			check(path, &(wsi_open_opts){ .decoder = WSI_IN_PROCESS }, complex);
			bad(path, &(wsi_open_opts){ .variable = "n" }, WS_E_FORMAT,
			    "no variable n");
			if (complex)
				refused(path, WS_E_FORMAT, "no array of real numbers");
		}
}

/* A column is one mask, of however many taps. */
static void
a_column(void **state)
{
	double x[] = { 1, 2, 3, 4 };
	const char *path = test_path("column.mat");
	mat_t *mat = Mat_CreateVer(path, NULL, MAT_FT_MAT5);
	matvar_t *v = Mat_VarCreate("m", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, (size_t[]){ 4, 1 }, x, 0);
	wsi_mask_file f;
	(void)state;
	assert_int_equal(Mat_VarWrite(mat, v, MAT_COMPRESSION_NONE), 0);
	Mat_VarFree(v);
	Mat_Close(mat);
	assert_int_equal(wsi_mask_file_read(&f, path, NULL), WS_OK);
	assert_int_equal(f.masks.count, 1);
	assert_int_equal(f.lengths[0], 4);
	wsi_mask_file_free(&f);
}

/* ---- HDF5 --------------------------------------------------------------------------------- */

typedef struct complex_number { double r, i; } complex_number;

static void
put_complex(hid_t file, const char *name, int rank, const hsize_t *dims, const complex_number *z)
{
	hid_t type = H5Tcreate(H5T_COMPOUND, sizeof *z), space = H5Screate_simple(rank, dims, NULL);
	H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE);
	H5Tinsert(type, "i", sizeof(double), H5T_NATIVE_DOUBLE);
	hid_t d = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	assert_true(H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, z) >= 0);
	H5Dclose(d);
	H5Sclose(space);
	H5Tclose(type);
}

static const complex_number numbers[] = { { 1, 10 }, { 2, 20 }, { 3, 30 }, { 4, 40 }, { 5, 50 },
	{ NAN, NAN } };

static hid_t
create(const char *path)
{
	hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	assert_true(file >= 0);
	return file;
}

static void
of_hdf5(void **state)
{
	const char *path = test_path("masks.h5");
	(void)state;
	hid_t file = create(path);
	put_complex(file, "bank", 2, (hsize_t[]){ 2, 3 }, numbers);
	H5Fclose(file);
	check(path, NULL, true);
	check(path, &(wsi_open_opts){ .variable = "bank" }, true);
	/* More masks than taps are not turned. */
	const double column[] = { 1, 2, 3, 4 };
	wsi_mask_file f;
	file = create(path);
	assert_true(H5LTmake_dataset_double(file, "m", 2, (hsize_t[]){ 4, 1 }, column) >= 0);
	H5Fclose(file);
	assert_int_equal(wsi_mask_file_read(&f, path, NULL), WS_OK);
	assert_int_equal(f.masks.count, 4);
	wsi_mask_file_free(&f);
}

/* As a user of h5py would write it: lengths as they come, no offsets. */
static hid_t
packed(const char *path, const long long *lengths, hsize_t masks)
{
	hid_t file = create(path), space = H5Screate_simple(1, &masks, NULL);
	put_complex(file, "values", 1, (hsize_t[]){ 5 }, numbers);
	hid_t d = H5Dcreate2(file, "lengths", H5T_NATIVE_LLONG, space, H5P_DEFAULT, H5P_DEFAULT,
	                     H5P_DEFAULT);
	assert_true(H5Dwrite(d, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, lengths) >= 0);
	H5Dclose(d);
	H5Sclose(space);
	return file;
}

static void
of_packed(void **state)
{
	const char *path = test_path("packed.h5");
	const double scales[] = { 2, 3 }, none[] = { 1, NAN }, three[] = { 1, 2, 3 };
	(void)state;
	H5Fclose(packed(path, (long long[]){ 3, 2 }, 2));
	check(path, NULL, true);
	check(path, &(wsi_open_opts){ .decoder = WSI_IN_PROCESS }, true);
	hid_t file = packed(path, (long long[]){ 3, 2 }, 2);
	assert_true(H5LTmake_dataset_double(file, "scales", 1, (hsize_t[]){ 2 }, scales) >= 0);
	H5Fclose(file);
	wsi_mask_file f;
	assert_int_equal(wsi_mask_file_read(&f, path, NULL), WS_OK);
	assert_true(f.masks.scales[0] == 2 && f.masks.scales[1] == 3 && !f.masks.frequencies);
	wsi_mask_file_free(&f);
	bad(path, &(wsi_open_opts){ .memory = 100 }, WS_E_NOMEM, "`memory`");

	H5Fclose(packed(path, (long long[]){ 3, 3 }, 2));
	bad(path, NULL, WS_E_FORMAT, "mask 2 has 3 taps from tap 3 on");
	H5Fclose(packed(path, (long long[]){ 3, -2 }, 2));
	bad(path, NULL, WS_E_FORMAT, "number 2 of /lengths is -2");
	H5Fclose(packed(path, (long long[]){ 5, 0 }, 2));
	bad(path, NULL, WS_E_FORMAT, "mask 2 is empty");
	H5Fclose(packed(path, (long long[]){ 1, 0x7fffffffffffffff }, 2));
	bad(path, NULL, WS_E_FORMAT, "/lengths is");
	file = packed(path, (long long[]){ 3, 2 }, 2);
	assert_true(H5LTmake_dataset_double(file, "frequencies", 1, (hsize_t[]){ 2 }, none) >= 0);
	H5Fclose(file);
	bad(path, NULL, WS_E_FORMAT, "number 2 of /frequencies is not finite");
	file = packed(path, (long long[]){ 3, 2 }, 2);
	assert_true(H5LTmake_dataset_double(file, "scales", 1, (hsize_t[]){ 3 }, three) >= 0);
	H5Fclose(file);
	bad(path, NULL, WS_E_FORMAT, "/scales has 3 numbers, of 2");
}

/* ---- Written ------------------------------------------------------------------------------ */

static void
written(void **state)
{
	double values[] = { 1, -0.0, 0x1p-1074, 0x1.fffffffffffffp1023, 0.1, 1.0 / 3 };
	size_t lengths[] = { 2, 1 }, offsets[] = { 1, 0 };
	const double scales[] = { 0.75, 20 }, frequencies[] = { 0, 12.5 };
	(void)state;
	for (int complex = 0; complex < 2; ++complex) {
		const ws_masks m = { .size = sizeof m, .count = 2, .lengths = lengths,
			.offsets = offsets, .values = values, .type = complex ? WS_C128 : WS_F64,
			.scales = scales, .frequencies = complex ? frequencies : NULL };
		const char *path = test_path("written.h5");
		wsi_mask_writer w = { 0 };
		remove(path);
		assert_int_equal(wsi_mask_writer_open(&w, path, &m, false), WS_OK);
		assert_int_not_equal(access(path, F_OK), 0);
		assert_int_equal(wsi_put_in_place(&(wsi_complete){ &w.file, path }, 1), WS_OK);
		wsi_mask_writer_abort(&w);
		wsi_mask_file f;
		assert_int_equal(wsi_mask_file_read(&f, path, NULL), WS_OK);
		assert_memory_equal(f.values, values, 3 * (complex ? 2 : 1) * sizeof *values);
		assert_memory_equal(f.lengths, lengths, sizeof lengths);
		assert_memory_equal(f.offsets, offsets, sizeof offsets);
		assert_memory_equal(f.masks.scales, scales, sizeof scales);
		assert_int_equal(f.masks.frequencies != NULL, complex);
		wsi_mask_file_free(&f);
		assert_int_equal(wsi_mask_writer_check(path, false), WS_E_EXISTS);
		assert_int_equal(wsi_mask_writer_check(test_path("masks.npy"), true), WS_E_ARG);
		/* What is not committed leaves nothing. */
		const char *other = test_path("other.h5");
		assert_int_equal(wsi_mask_writer_open(&w, other, &m, false), WS_OK);
		char temp[512];
		snprintf(temp, sizeof temp, "%.*s%s", (int)(strrchr(other, '/') + 1 - other), other,
		         w.file.temp);
		assert_int_equal(access(temp, F_OK), 0);
		wsi_mask_writer_abort(&w);
		assert_int_not_equal(access(temp, F_OK), 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_numpy), cmocka_unit_test(mistakes), cmocka_unit_test(of_tables),
		cmocka_unit_test(of_matlab), cmocka_unit_test(a_column), cmocka_unit_test(of_hdf5),
		cmocka_unit_test(of_packed), cmocka_unit_test(written),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
