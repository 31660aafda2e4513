/* masks.c - packed files of masks, damaged or made to do harm; see hostile.h. */
#include "hostile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* As many masks, of as many taps each, so that looking at each by itself takes minutes. */
#define OVERLAPPING ((size_t)300000)

/* n numbers; NULL: nothing is written. */
static void
put(hid_t file, const char *name, hid_t how, hsize_t n, const double *values)
{
	hid_t space = H5Screate_simple(1, &n, NULL);
	hid_t d = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
	assert_true(d >= 0);
	if (values)
		H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
	H5Dclose(d);
	H5Sclose(space);
}

/* Packed in chunks. */
static hid_t
packed(hsize_t chunk)
{
	hid_t how = H5Pcreate(H5P_DATASET_CREATE);
	H5Pset_chunk(how, 1, &chunk);
	H5Pset_deflate(how, 9);
	return how;
}

static const double taps[] = { 1, 2, 3, 4, 5 };

static void
put_lengths(hid_t file, double first, double second)
{
	put(file, "lengths", H5P_DEFAULT, 2, (const double[]){ first, second });
}

void
masks_stored_elsewhere(hid_t file, const char *other)
{
	hid_t how = H5Pcreate(H5P_DATASET_CREATE);
	H5Pset_external(how, other, 0, 5 * 8);
	put(file, "values", how, 5, NULL);
	H5Pclose(how);
	put_lengths(file, 2, 3);
}

void
masks_linked(hid_t file, const char *other)
{
	put(file, "values", H5P_DEFAULT, 5, taps);
	H5Lcreate_external(other, "/x", file, "lengths", H5P_DEFAULT, H5P_DEFAULT);
}

void
masks_virtual(hid_t file, const char *other)
{
	const hsize_t n = 5;
	hid_t how = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &n, NULL);
	H5Pset_virtual(how, space, other, "x", space);
	put(file, "values", how, n, NULL);
	H5Sclose(space);
	H5Pclose(how);
	put_lengths(file, 2, 3);
}

void
masks_claim(hid_t file, const char *other)
{
	(void)other;
	hid_t how = packed(1000);
	put(file, "values", how, (hsize_t)1 << 50, NULL);
	H5Pclose(how);
	put_lengths(file, 2, 3);
}

void
masks_of_zeros(hid_t file, const char *other)
{
	(void)other;
	const size_t n = 20000000;
	double *x = calloc(n, sizeof *x);
	assert_non_null(x);
	hid_t how = packed(100000);
	put(file, "values", how, n, x);
	put_lengths(file, 2, 3);
	H5Pclose(how);
	free(x);
}

void
masks_too_many(hid_t file, const char *other)
{
	(void)other;
	const size_t n = ((size_t)1 << 24) + 1;
	double *x = calloc(n, sizeof *x);
	assert_non_null(x);
	hid_t how = packed(100000);
	put(file, "values", H5P_DEFAULT, 5, taps);
	put(file, "lengths", how, n, x);
	H5Pclose(how);
	free(x);
}

void
masks_overlapping(hid_t file, const char *other)
{
	(void)other;
	const size_t n = OVERLAPPING;
	double *x = calloc(3 * n, sizeof *x);
	assert_non_null(x);
	hid_t how = packed(100000);
	/* Of all taps but the last, the last mask of all. */
	for (size_t i = 0; i < n; ++i)
		x[n + i] = (double)(n - (i + 1 < n));
	x[n - 1] = NAN;
	put(file, "values", how, n, x);
	put(file, "lengths", how, n, x + n);
	put(file, "offsets", how, n, x + 2 * n);
	H5Pclose(how);
	free(x);
}

void
masks_with_lengths(hid_t file, const char *lengths)
{
	char *end;
	put(file, "values", H5P_DEFAULT, 5, taps);
	const double first = strtod(lengths, &end);
	put_lengths(file, first, strtod(end, NULL));
}

void
masks_far_off(hid_t file, const char *other)
{
	(void)other;
	put(file, "values", H5P_DEFAULT, 5, taps);
	put_lengths(file, 2, 3);
	put(file, "offsets", H5P_DEFAULT, 2, (const double[]){ 0, 0x1p52 });
}

void
masks_of_wild_scales(hid_t file, const char *other)
{
	(void)other;
	put(file, "values", H5P_DEFAULT, 5, taps);
	put_lengths(file, 2, 3);
	put(file, "scales", H5P_DEFAULT, 2, (const double[]){ INFINITY, 1 });
}

void
noise_of_zeros(hid_t file, const char *other)
{
	(void)other;
	const hsize_t dims[2] = { HOSTILE_SAMPLES - 1, HOSTILE_SAMPLES };
	const hsize_t chunk[2] = { 100, HOSTILE_SAMPLES };
	hid_t how = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, dims, NULL);
	H5Pset_chunk(how, 2, chunk);
	H5Pset_deflate(how, 9);
	hid_t d = H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
	double *x = calloc(dims[0] * dims[1], sizeof *x);
	assert_non_null(x);
	H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
	free(x);
	H5Dclose(d);
	H5Sclose(space);
	H5Pclose(how);
}
