/* odd.c - HDF5 that is whole, but not what readers expect; see hostile.h. */
#include "hostile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SAMPLES 60

/* ---- Arrays ----------------------------------------------------------------------------- */

static void
text_attribute(hid_t object, const char *name, const char *text)
{
	hid_t type = H5Tcopy(H5T_C_S1), one = H5Screate(H5S_SCALAR);
	H5Tset_size(type, strlen(text));
	hid_t a = H5Acreate2(object, name, type, one, H5P_DEFAULT, H5P_DEFAULT);
	assert_true(H5Awrite(a, type, text) >= 0);
	H5Aclose(a);
	H5Sclose(one);
	H5Tclose(type);
}

/* Of 2 x SAMPLES; values NULL: never written. */
static void
put_array(hid_t at, const char *name, hid_t type, const double *values)
{
	const hsize_t dims[2] = { 2, SAMPLES };
	hid_t space = H5Screate_simple(2, dims, NULL);
	hid_t data = H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	assert_true(data >= 0);
	if (values)
		assert_true(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
		                     values) >= 0);
	text_attribute(data, "MATLAB_class", "double");
	H5Dclose(data);
	H5Sclose(space);
}

static void
put_signal(hid_t at, const char *name)
{
	double x[2 * SAMPLES];
	for (int i = 0; i < 2 * SAMPLES; ++i)
		x[i] = i % 7 - 3 + i % 3;
	put_array(at, name, H5T_IEEE_F64LE, x);
}

void
cyclic_groups(hid_t file, const char *text)
{
	(void)text;
	hid_t group = H5Gcreate2(file, "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	text_attribute(group, "MATLAB_class", "struct");
	H5Lcreate_hard(file, "/", group, "up", H5P_DEFAULT, H5P_DEFAULT);
	H5Lcreate_hard(file, "a", group, "self", H5P_DEFAULT, H5P_DEFAULT);
	put_signal(group, "x");
	H5Gclose(group);
}

void
deep_groups(hid_t file, const char *text)
{
	(void)text;
	hid_t at = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	for (int i = 0; i < 100; ++i) {
		text_attribute(at, "MATLAB_class", "struct");
		hid_t next = H5Gcreate2(at, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
		H5Gclose(at);
		at = next;
	}
	put_signal(at, "x");
	H5Gclose(at);
}

void
soft_loop(hid_t file, const char *text)
{
	(void)text;
	H5Lcreate_soft("/loop", file, "signal", H5P_DEFAULT, H5P_DEFAULT);
	H5Lcreate_soft("/signal", file, "loop", H5P_DEFAULT, H5P_DEFAULT);
	put_signal(file, "x");
}

void
many_links(hid_t file, const char *text)
{
	(void)text;
	char name[16];
	put_signal(file, "x");
	for (int i = 0; i < 3000; ++i) {
		snprintf(name, sizeof name, "l%d", i);
		H5Lcreate_hard(file, "x", file, name, H5P_DEFAULT, H5P_DEFAULT);
	}
}

void
odd_types(hid_t file, const char *text)
{
	hid_t type;
	if (strcmp(text, "enum") == 0) {
		type = H5Tenum_create(H5T_NATIVE_INT);
		H5Tenum_insert(type, "A", &(int){ 0 });
	} else if (strcmp(text, "opaque") == 0) {
		type = H5Tcreate(H5T_OPAQUE, 8);
	} else if (strcmp(text, "texts") == 0) {
		type = H5Tcopy(H5T_C_S1);
		H5Tset_size(type, H5T_VARIABLE);
	} else if (strcmp(text, "lists") == 0) {
		type = H5Tvlen_create(H5T_NATIVE_DOUBLE);
	} else if (strcmp(text, "arrays") == 0) {
		type = H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &(hsize_t){ 100 });
	} else if (strcmp(text, "references") == 0) {
		type = H5Tcopy(H5T_STD_REF_OBJ);
	} else {
		type = H5Tcopy(H5T_STD_B64LE);
	}
	put_array(file, "x", type, NULL);
	H5Tclose(type);
}

void
no_space(hid_t file, const char *text)
{
	const hsize_t dims[3] = { 2, 0, 2 }, chunk[2] = { 1, 8 }, most[2] = { 2, H5S_UNLIMITED };
	hid_t how = H5Pcreate(H5P_DATASET_CREATE), space;
	if (strcmp(text, "null") == 0)
		space = H5Screate(H5S_NULL);
	else if (strcmp(text, "scalar") == 0)
		space = H5Screate(H5S_SCALAR);
	else
		space = H5Screate_simple(2, dims + (strcmp(text, "rows") == 0), most);
	if (strcmp(text, "samples") == 0)
		H5Pset_chunk(how, 2, chunk);
	else if (strcmp(text, "rows") == 0)
		H5Sset_extent_simple(space, 2, dims + 1, NULL);
	hid_t data = H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
	assert_true(data >= 0);
	text_attribute(data, "MATLAB_class", "double");
	H5Dclose(data);
	H5Sclose(space);
	H5Pclose(how);
}

/* ---- Results ---------------------------------------------------------------------------- */

static void
put_rows(hid_t file, const char *name, int rank, const hsize_t *dims)
{
	hid_t space = H5Screate_simple(rank, dims, NULL);
	H5Dclose(H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT,
	                    H5P_DEFAULT));
	H5Sclose(space);
}

/* Events with one member of that name. */
static void
put_events(hid_t file, const char *member)
{
	const hsize_t three = 3;
	hid_t type = H5Tcreate(H5T_COMPOUND, 8), space = H5Screate_simple(1, &three, NULL);
	H5Tinsert(type, member, 0, H5T_NATIVE_DOUBLE);
	H5Dclose(H5Dcreate2(file, "events", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
	H5Sclose(space);
	H5Tclose(type);
}

/* One of two channels and one mode, whose text is damaged; "epoch": of three epochs. */
void
odd_result(hid_t file, const char *text)
{
	static const hsize_t modes[4] = { 3, 2, 1, SAMPLES }, rows[3] = { 3, 2, SAMPLES };
	const int epochs = strncmp(text, "epoch", 5) == 0;
	text_attribute(file, "format", "wavesift result");
	put_rows(file, "modes", 3 + epochs, modes + !epochs);
	put_rows(file, "residue", 2 + epochs, rows + !epochs);
	if (strcmp(text, "signal") == 0)
		H5Lcreate_soft("/nowhere", file, "signal", H5P_DEFAULT, H5P_DEFAULT);
	else
		put_rows(file, "signal", 2 + epochs, rows + !epochs);
	if (strcmp(text, "events: a link to nothing") == 0)
		H5Lcreate_soft("/nowhere", file, "events", H5P_DEFAULT, H5P_DEFAULT);
	else if (strcmp(text, "events: a group") == 0)
		H5Gclose(H5Gcreate2(file, "events", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
	else if (strcmp(text, "events: numbers") == 0)
		put_rows(file, "events", 2, rows + 1);
	else if (strcmp(text, "events: without a time") == 0)
		put_events(file, "on");
	else if (strcmp(text, "events: elsewhere") == 0)
		H5Lcreate_external("/etc/passwd", "/x", file, "events", H5P_DEFAULT, H5P_DEFAULT);
	else if (strcmp(text, "mode_count") == 0)
		H5Lcreate_soft("/nowhere", file, "mode_count", H5P_DEFAULT, H5P_DEFAULT);
	else if (strcmp(text, "epoch: a link to nothing") == 0)
		H5Lcreate_soft("/nowhere", file, "epoch", H5P_DEFAULT, H5P_DEFAULT);
	else if (strcmp(text, "epoch: too many") == 0)
		put_rows(file, "epoch", 1, modes + 3);
}
