/*
 * same_result.c - do two results (.h5) hold the same arrays, axes and facts, but for how and when
 * they were made?  A program for shell tests: same_result A B; it names what differs.
 */
#define _GNU_SOURCE
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int differences;
static size_t compared;

static void
differs(const char *object, const char *what)
{
	printf("%s: %s\n", object, what);
	differences++;
}

/* Facts of how and when; and checksums, whose order is that of writing. */
static int
may_differ(const char *name)
{
	static const char *const names[] = { "command", "device", "device_model", "backend", "isa",
		"threads", "seconds", "checksums", "text_checksums", "DIMENSION_LIST",
		"REFERENCE_LIST" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return 1;
	return 0;
}

/* Are values its bytes as they lie: no text elsewhere, nothing between members?  As complex numbers
 * are, of which there are millions. */
static int
lies_whole(hid_t type)
{
	size_t bytes = 0;
	if (H5Tis_variable_str(type) > 0)
		return 0;
	if (H5Tget_class(type) != H5T_COMPOUND)
		return 1;
	for (unsigned k = 0; k < (unsigned)H5Tget_nmembers(type); k++) {
		const hid_t member = H5Tget_member_type(type, k);
		bytes += lies_whole(member) ? H5Tget_size(member) : 0;
		H5Tclose(member);
	}
	return bytes == H5Tget_size(type);
}

/* A value as bytes, its text itself where it is one of any length; returns where the next goes. */
static char *
put_value(hid_t type, const char *value, char *to)
{
	if (H5Tis_variable_str(type) > 0) {
		const char *text = *(char *const *)value;
		return stpcpy(to, text ? text : "") + 1;
	}
	if (H5Tget_class(type) != H5T_COMPOUND)
		return mempcpy(to, value, H5Tget_size(type));
	for (unsigned k = 0; k < (unsigned)H5Tget_nmembers(type); k++) {
		const hid_t member = H5Tget_member_type(type, k);
		to = put_value(member, value + H5Tget_member_offset(type, k), to);
		H5Tclose(member);
	}
	return to;
}

/* How many bytes that takes. */
static size_t
value_bytes(hid_t type, const char *value)
{
	size_t bytes = 0;
	if (H5Tis_variable_str(type) > 0)
		return (*(char *const *)value ? strlen(*(char *const *)value) : 0) + 1;
	if (H5Tget_class(type) != H5T_COMPOUND)
		return H5Tget_size(type);
	for (unsigned k = 0; k < (unsigned)H5Tget_nmembers(type); k++) {
		const hid_t member = H5Tget_member_type(type, k);
		bytes += value_bytes(member, value + H5Tget_member_offset(type, k));
		H5Tclose(member);
	}
	return bytes;
}

/* Bytes of all elements, one after another. */
static char *
flatten(hid_t type, hssize_t n, char *values, size_t *bytes)
{
	const size_t size = H5Tget_size(type);
	if (lies_whole(type))
		return values;
	*bytes = 0;
	for (hssize_t i = 0; i < n; i++)
		*bytes += value_bytes(type, values + (size_t)i * size);
	char *const all = malloc(*bytes + 1), *to = all;
	for (hssize_t i = 0; i < n; i++)
		to = put_value(type, values + (size_t)i * size, to);
	return all;
}

/* All of an attribute or a data set; NULL: it has no values. */
static char *
values_of(hid_t of, int attribute, size_t *bytes)
{
	const hid_t own = attribute ? H5Aget_type(of) : H5Dget_type(of);
	const hid_t type = H5Tget_native_type(own, H5T_DIR_DEFAULT);
	const hid_t space = attribute ? H5Aget_space(of) : H5Dget_space(of);
	const hssize_t n = H5Sget_simple_extent_npoints(space);
	*bytes = (size_t)n * H5Tget_size(type);
	char *values = calloc(*bytes + 1, 1);
	const herr_t read = attribute ? H5Aread(of, type, values)
	                    : H5Dread(of, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
	return read < 0 ? NULL : flatten(type, n, values, bytes);
}

static void
compare(const char *name, hid_t a, hid_t b, int attribute)
{
	size_t n, m;
	const char *x = values_of(a, attribute, &n), *y = values_of(b, attribute, &m);
	compared++;
	if (!x || !y)
		differs(name, "cannot be read");
	else if (n != m || memcmp(x, y, n) != 0)
		differs(name, n != m ? "extents differ" : "values differ");
}

static herr_t
compare_attribute(hid_t a, const char *name, const H5A_info_t *info, void *other)
{
	const hid_t b = *(hid_t *)other;
	(void)info;
	if (may_differ(name))
		return 0;
	if (H5Aexists(b, name) <= 0)
		differs(name, "only one has this attribute");
	else
		compare(name, H5Aopen(a, name, H5P_DEFAULT), H5Aopen(b, name, H5P_DEFAULT), 1);
	return 0;
}

static void
compare_object(hid_t x, hid_t y, const char *name)
{
	if (H5Iget_type(x) == H5I_DATASET)
		compare(name, x, y, 0);
	H5Aiterate2(x, H5_INDEX_NAME, H5_ITER_INC, NULL, compare_attribute, &y);
}

/* Has b whatever a has?  And is it the same? */
static herr_t
compare_link(hid_t a, const char *name, const H5L_info_t *info, void *other)
{
	const hid_t b = *(hid_t *)other;
	(void)info;
	if (may_differ(name))
		return 0;
	if (H5Lexists(b, name, H5P_DEFAULT) <= 0)
		differs(name, "only one has it");
	else
		compare_object(H5Oopen(a, name, H5P_DEFAULT), H5Oopen(b, name, H5P_DEFAULT), name);
	return 0;
}

int
main(int argc, char **argv)
{
	hid_t file[2];
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	for (int i = 0; i < 2; i++) {
		file[i] = argc == 3 ? H5Fopen(argv[1 + i], H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
		if (file[i] < 0)
			return 2;
	}
	for (int i = 0; i < 2; i++) {
		compare_object(file[i], file[1 - i], "/");
		H5Lvisit(file[i], H5_INDEX_NAME, H5_ITER_INC, compare_link, &file[1 - i]);
	}
	printf("%zu compared, %d differ\n", compared, differences);
	return differences > 0 || compared < 10;
}
