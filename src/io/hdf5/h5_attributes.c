/* h5_attributes.c - attributes of HDF5 objects: texts and numbers, written and read. */
#define _GNU_SOURCE /* strndup */
#include "io/hdf5/h5.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "io/read/recording.h"

/* ---- Written -------------------------------------------------------------------- */

/* Takes space, not type. */
static herr_t
put_attribute(hid_t object, const char *name, hid_t file_type, hid_t memory_type, hid_t space,
              const void *value)
{
	if (space < 0)
		return -1;
	hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
	herr_t code = attribute < 0 ? -1 : H5Awrite(attribute, memory_type, value);
	if (attribute >= 0 && H5Aclose(attribute) < 0)
		code = -1;
	H5Sclose(space);
	return code;
}

herr_t
wsi_h5_put_text(hid_t object, const char *name, const char *text)
{
	hid_t type = wsi_h5_text_type();
	if (type < 0)
		return -1;
	herr_t code = put_attribute(object, name, type, type, H5Screate(H5S_SCALAR), &text);
	H5Tclose(type);
	return code;
}

herr_t
wsi_h5_put_texts(hid_t object, const char *name, const char *const *texts, size_t n)
{
	hid_t type = wsi_h5_text_type();
	if (type < 0)
		return -1;
	hsize_t dims = n;
	herr_t code = put_attribute(object, name, type, type, H5Screate_simple(1, &dims, NULL),
	                            texts);
	H5Tclose(type);
	return code;
}

herr_t
wsi_h5_put_real(hid_t object, const char *name, double value)
{
	return put_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, H5Screate(H5S_SCALAR),
	                     &value);
}

herr_t
wsi_h5_put_int(hid_t object, const char *name, int64_t value)
{
	return put_attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, H5Screate(H5S_SCALAR),
	                     &value);
}

herr_t
wsi_h5_put_ints(hid_t object, const char *name, const int64_t *values, size_t n)
{
	const hsize_t dims = n;
	return put_attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64,
	                     H5Screate_simple(1, &dims, NULL), values);
}

/* ---- Read ----------------------------------------------------------------------- */

/* An attribute that is there, its type and its number of elements. */
typedef struct attribute {
	hid_t id, type;
	hssize_t n;
} attribute;

static ws_status
unreadable(const char *path, const char *name)
{
	return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its attribute %s cannot be read", path, name);
}

static void
close_attribute(attribute *a)
{
	wsi_h5_close(a->type, a->id);
}

/* *there is false where there is none; WS_E_FORMAT where there is one that cannot be opened. */
static ws_status
open_attribute(attribute *a, hid_t object, const char *path, const char *name, bool *there)
{
	const htri_t any = H5Aexists(object, name);
	*there = false;
	if (any == 0)
		return WS_OK;
	*a = (attribute){ .id = -1, .type = -1, .n = -1 };
	a->id = any > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
	if (a->id >= 0)
		a->type = H5Aget_type(a->id);
	hid_t space = a->type >= 0 ? H5Aget_space(a->id) : -1;
	a->n = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
	wsi_h5_close(space);
	*there = a->n >= 0 && H5Tget_class(a->type) != H5T_NO_CLASS;
	if (*there)
		return WS_OK;
	close_attribute(a);
	return unreadable(path, name);
}

ws_status
wsi_h5_look(hid_t object, const char *path, const char *name, wsi_h5_attribute *found)
{
	attribute a;
	*found = (wsi_h5_attribute){ .there = false };
	WSI_TRY(open_attribute(&a, object, path, name, &found->there));
	if (!found->there)
		return WS_OK;
	const H5T_class_t class = H5Tget_class(a.type);
	found->numbers = class == H5T_INTEGER || class == H5T_FLOAT;
	found->texts = class == H5T_STRING;
	found->n = (size_t)a.n;
	close_attribute(&a);
	return class == H5T_NO_CLASS ? unreadable(path, name) : WS_OK;
}

ws_status
wsi_h5_get_real(hid_t object, const char *path, const char *name, double *value, bool *there)
{
	attribute a;
	WSI_TRY(open_attribute(&a, object, path, name, there));
	if (!*there)
		return WS_OK;
	const H5T_class_t class = H5Tget_class(a.type);
	ws_status status = WS_OK;
	double number;
	*there = a.n > 0;
	if (a.n > 1 || (class != H5T_INTEGER && class != H5T_FLOAT))
		status = WSI_FAIL(WS_E_FORMAT, "%s: damaged: its attribute %s is not one number",
		                  path, name);
	else if (a.n == 1 && H5Aread(a.id, H5T_NATIVE_DOUBLE, &number) < 0)
		status = unreadable(path, name);
	else if (a.n == 1)
		*value = number;
	close_attribute(&a);
	return status;
}

bool
wsi_h5_get_ints(hid_t object, const char *name, int64_t *values, size_t n)
{
	attribute a;
	bool there;
	if (open_attribute(&a, object, "", name, &there) != WS_OK || !there)
		return false;
	const bool good = H5Tget_class(a.type) == H5T_INTEGER && (size_t)a.n == n
	                  && H5Aread(a.id, H5T_NATIVE_INT64, values) >= 0;
	close_attribute(&a);
	return good;
}

static char *
copy_text(const char *text, size_t size)
{
	return text ? strndup(text, size) : strdup("");
}

/* Strings of variable length: HDF5 allocates, we copy and hand back. */
static bool
read_variable(const attribute *a, char **texts)
{
	size_t n = (size_t)a->n;
	char **raw = calloc(n, sizeof *raw);
	hid_t type = H5Tcopy(H5T_C_S1);
	bool good = raw && type >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0
	            && H5Tset_cset(type, H5Tget_cset(a->type)) >= 0
	            && H5Aread(a->id, type, raw) >= 0;
	for (size_t i = 0; raw && i < n; ++i) {
		texts[i] = good ? copy_text(raw[i], PTRDIFF_MAX) : NULL;
		H5free_memory(raw[i]);
	}
	wsi_h5_close(type);
	free(raw);
	return good;
}

static bool
read_fixed(const attribute *a, char **texts)
{
	size_t n = (size_t)a->n, size = H5Tget_size(a->type), bytes;
	if (size == 0 || __builtin_mul_overflow(n, size, &bytes)
	    || H5Aget_storage_size(a->id) < bytes)
		return false;
	char *raw = calloc(n, size);
	bool good = raw && H5Aread(a->id, a->type, raw) >= 0;
	for (size_t i = 0; good && i < n; ++i) {
		texts[i] = copy_text(raw + i * size, size);
		/* Fortran's and MATLAB's padding is no part of a name. */
		for (size_t k = texts[i] ? strlen(texts[i]) : 0; k > 0 && texts[i][k - 1] == ' ';
		     --k)
			texts[i][k - 1] = '\0';
	}
	free(raw);
	return good;
}

/* texts[a->n], all NULL before; false leaves them NULL. */
static bool
read_texts(const attribute *a, char **texts)
{
	bool good = H5Tis_variable_str(a->type) > 0 ? read_variable(a, texts)
	                                            : read_fixed(a, texts);
	size_t n = (size_t)a->n;
	for (size_t i = 0; good && i < n; ++i)
		good = texts[i] != NULL;
	for (size_t i = 0; !good && i < n; ++i) {
		free(texts[i]);
		texts[i] = NULL;
	}
	return good;
}

ws_status
wsi_h5_get_texts(hid_t object, const char *path, const char *name, char **texts, size_t n,
                 bool *there)
{
	attribute a;
	WSI_TRY(open_attribute(&a, object, path, name, there));
	if (!*there)
		return WS_OK;
	ws_status status = WS_OK;
	*there = a.n > 0;
	if (H5Tget_class(a.type) != H5T_STRING)
		status = WSI_FAIL(WS_E_FORMAT, "%s: damaged: its attribute %s is no text", path,
		                  name);
	else if (*there && (size_t)a.n != n)
		status = WSI_FAIL(WS_E_FORMAT, "%s: damaged: its attribute %s has %zu texts where "
		                  "%zu belong", path, name, (size_t)a.n, n);
	else if (*there && !read_texts(&a, texts))
		status = unreadable(path, name);
	close_attribute(&a);
	return status;
}

ws_status
wsi_h5_get_text(hid_t object, const char *path, const char *name, char **text, bool *there)
{
	char *one = NULL;
	WSI_TRY(wsi_h5_get_texts(object, path, name, &one, 1, there));
	if (*there) {
		free(*text);
		*text = one;
	}
	return WS_OK;
}

ws_status
wsi_h5_text_is(hid_t object, const char *path, const char *name, const char *expected, bool *is)
{
	char *text = NULL;
	wsi_h5_attribute found;
	*is = false;
	WSI_TRY(wsi_h5_look(object, path, name, &found));
	if (!found.texts || found.n != 1)
		return WS_OK;
	WSI_TRY(wsi_h5_get_text(object, path, name, &text, is));
	*is = *is && strcmp(text, expected) == 0;
	free(text);
	return WS_OK;
}

ws_status
wsi_h5_get_moment(hid_t object, const char *path, const char *name, char text[WSI_MOMENT_BYTES])
{
	char *whole = NULL;
	bool there;
	WSI_TRY(wsi_h5_get_text(object, path, name, &whole, &there));
	const bool fits = !there || strlen(whole) < WSI_MOMENT_BYTES;
	if (there && fits)
		strcpy(text, whole);
	free(whole);
	return fits ? WS_OK : WSI_FAIL(WS_E_FORMAT, "%s: damaged: its attribute %s is no moment",
	                               path, name);
}

bool
wsi_h5_add_texts(hid_t object, const char *name, uint32_t *sum)
{
	attribute a;
	bool there;
	if (open_attribute(&a, object, "", name, &there) != WS_OK)
		return false;
	if (!there)
		return true;
	if (a.n == 0 || H5Tget_class(a.type) != H5T_STRING) {
		close_attribute(&a);
		return true;
	}
	const size_t n = (size_t)a.n;
	char **texts = calloc(n, sizeof *texts);
	const bool good = texts && read_texts(&a, texts);
	for (size_t i = 0; good && i < n; ++i) {
		*sum = wsi_crc32(*sum, texts[i], strlen(texts[i]) + 1);
		free(texts[i]);
	}
	free(texts);
	close_attribute(&a);
	return good;
}
