/* h5.c - what our HDF5 files share. */
#define _GNU_SOURCE /* strndup */
#include "io/h5.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "io/recording.h"

/* Deflate cannot shrink by more than 1032; the rest is for filters with a
 * smaller unit. */
#define MAX_SHRINK 2048

/* What we write is closed before, so nothing is left to be done at the end. */
void
wsi_io_end_quietly(void)
{
	H5dont_atexit();
}

/* ---- Attributes, written ------------------------------------------------------- */

hid_t
wsi_h5_text_type(void)
{
	hid_t type = H5Tcopy(H5T_C_S1);
	if (type >= 0 && (H5Tset_size(type, H5T_VARIABLE) < 0
	                  || H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
		H5Tclose(type);
		return -1;
	}
	return type;
}

hid_t
wsi_h5_complex_type(hid_t part, const char *real, const char *imaginary)
{
	const size_t size = H5Tget_size(part);
	hid_t type = H5Tcreate(H5T_COMPOUND, 2 * size);
	if (type >= 0 && (H5Tinsert(type, real, 0, part) < 0
	                  || H5Tinsert(type, imaginary, size, part) < 0)) {
		H5Tclose(type);
		return -1;
	}
	return type;
}

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

/* ---- Attributes, read ---------------------------------------------------------- */

/* An attribute that is there, its type and its number of elements. */
typedef struct attribute {
	hid_t id, type;
	hssize_t n;
} attribute;

static void
close_attribute(attribute *a)
{
	if (a->type >= 0)
		H5Tclose(a->type);
	if (a->id >= 0)
		H5Aclose(a->id);
}

/* False where there is none; *broken is name where there is one that cannot be opened. */
static bool
open_attribute(attribute *a, hid_t object, const char *name, const char **broken)
{
	const htri_t there = H5Aexists(object, name);
	if (there == 0)
		return false;
	*a = (attribute){ .id = -1, .type = -1, .n = -1 };
	a->id = there > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
	if (a->id >= 0)
		a->type = H5Aget_type(a->id);
	hid_t space = a->type >= 0 ? H5Aget_space(a->id) : -1;
	a->n = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
	if (space >= 0)
		H5Sclose(space);
	if (a->n >= 1)
		return true;
	if (a->n < 0)
		*broken = name;
	close_attribute(a);
	return false;
}

bool
wsi_h5_get_real(hid_t object, const char *name, double *value, const char **broken)
{
	attribute a;
	if (!open_attribute(&a, object, name, broken))
		return false;
	H5T_class_t class = H5Tget_class(a.type);
	const bool fits = a.n == 1 && (class == H5T_INTEGER || class == H5T_FLOAT);
	const bool good = fits && H5Aread(a.id, H5T_NATIVE_DOUBLE, value) >= 0;
	if ((fits && !good) || class == H5T_NO_CLASS)
		*broken = name;
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
	if (type >= 0)
		H5Tclose(type);
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

bool
wsi_h5_get_texts(hid_t object, const char *name, char **texts, size_t n, const char **broken)
{
	attribute a;
	if (!open_attribute(&a, object, name, broken))
		return false;
	const H5T_class_t class = H5Tget_class(a.type);
	const bool fits = (size_t)a.n == n && class == H5T_STRING;
	const bool good = fits && read_texts(&a, texts);
	if ((fits && !good) || class == H5T_NO_CLASS)
		*broken = name;
	close_attribute(&a);
	return good;
}

bool
wsi_h5_get_text(hid_t object, const char *name, char **text, const char **broken)
{
	char *one = NULL;
	if (!wsi_h5_get_texts(object, name, &one, 1, broken))
		return false;
	free(*text);
	*text = one;
	return true;
}

bool
wsi_h5_text_is(hid_t object, const char *name, const char *expected, const char **broken)
{
	char *text = NULL;
	const bool is = wsi_h5_get_text(object, name, &text, broken) && strcmp(text, expected) == 0;
	free(text);
	return is;
}

void
wsi_h5_get_moment(hid_t object, const char *name, char text[WSI_MOMENT_BYTES], const char **broken)
{
	char *whole = NULL;
	if (wsi_h5_get_text(object, name, &whole, broken) && strlen(whole) < WSI_MOMENT_BYTES)
		strcpy(text, whole);
	free(whole);
}

bool
wsi_h5_add_texts(hid_t object, const char *name, uint32_t *sum)
{
	attribute a;
	const char *broken = NULL;
	if (!open_attribute(&a, object, name, &broken))
		return !broken;
	if (H5Tget_class(a.type) != H5T_STRING) {
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

/* ---- Objects ------------------------------------------------------------------- */

ws_status
wsi_h5_has(hid_t at, const char *path, const char *name, bool *there)
{
	char *way = wsi_strdup(name);
	htri_t found = way ? 1 : -1;
	/* HDF5 wants each group on the way to be there. */
	for (char *slash = way; found > 0 && slash;) {
		slash = strchr(slash + 1, '/');
		if (slash)
			*slash = '\0';
		found = H5Lexists(at, way, H5P_DEFAULT);
		if (slash)
			*slash = '/';
	}
	free(way);
	*there = found > 0;
	if (!way)
		return WSI_FAIL(WS_E_NOMEM, "%s: out of memory", path);
	return found >= 0 ? WS_OK : WSI_FAIL(WS_E_FORMAT, "%s: damaged: whether it has /%s cannot "
	                                     "be read", path, name);
}

/* ---- Datasets ------------------------------------------------------------------ */

int
wsi_h5_shape(hid_t dataset, hsize_t dims[H5S_MAX_RANK])
{
	hid_t space = H5Dget_space(dataset);
	int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
	if (rank > 0)
		H5Sget_simple_extent_dims(space, dims, NULL);
	if (space >= 0)
		H5Sclose(space);
	return rank;
}

static herr_t
read_line(hid_t dataset, int rank, const hsize_t *start, int axis, size_t count, hid_t type,
          double *out)
{
	hsize_t n = count, counts[H5S_MAX_RANK];
	for (int i = 0; i < rank; ++i)
		counts[i] = i == axis ? count : 1;
	hid_t memory = H5Screate_simple(1, &n, NULL), file = H5Dget_space(dataset);
	herr_t code = -1;
	if (memory >= 0 && file >= 0 && wsi_h5_line_is_whole(dataset, rank, start, axis, count)
	    && H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, counts, NULL) >= 0)
		code = H5Dread(dataset, type, memory, file, H5P_DEFAULT, out);
	if (file >= 0)
		H5Sclose(file);
	if (memory >= 0)
		H5Sclose(memory);
	return code;
}

herr_t
wsi_h5_read_line(hid_t dataset, int rank, const hsize_t *start, int axis, size_t count,
                 double *out)
{
	return read_line(dataset, rank, start, axis, count, H5T_NATIVE_DOUBLE, out);
}

herr_t
wsi_h5_read_part(hid_t dataset, int rank, const hsize_t *start, int axis, size_t count,
                 const char *member, double *out)
{
	/* HDF5 fills the members that the type in memory has, by name. */
	hid_t type = H5Tcreate(H5T_COMPOUND, sizeof *out);
	herr_t code = -1;
	if (type >= 0 && H5Tinsert(type, member, 0, H5T_NATIVE_DOUBLE) >= 0)
		code = read_line(dataset, rank, start, axis, count, type, out);
	if (type >= 0)
		H5Tclose(type);
	return code;
}

bool
wsi_h5_is_complex(hid_t dataset, char members[2][16])
{
	hid_t type = H5Dget_type(dataset);
	bool good = type >= 0 && H5Tget_class(type) == H5T_COMPOUND
	            && H5Tget_nmembers(type) == 2;
	for (unsigned i = 0; good && i < 2; ++i) {
		char *name = H5Tget_member_name(type, i);
		good = name && strlen(name) < sizeof members[i]
		       && H5Tget_member_class(type, i) == H5T_FLOAT;
		if (good)
			memcpy(members[i], name, strlen(name) + 1);
		H5free_memory(name);
	}
	if (type >= 0)
		H5Tclose(type);
	return good;
}

bool
wsi_h5_is_numeric(hid_t dataset)
{
	hid_t type = H5Dget_type(dataset);
	H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
	if (type >= 0)
		H5Tclose(type);
	return class == H5T_INTEGER || class == H5T_FLOAT;
}

bool
wsi_h5_can_hold(uint64_t values, size_t size, uint64_t file_bytes)
{
	return values / MAX_SHRINK <= file_bytes / size;
}

bool
wsi_h5_is_plausible(hid_t dataset, uint64_t file_bytes)
{
	hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
	hssize_t n = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
	size_t size = type < 0 ? 0 : H5Tget_size(type);
	if (space >= 0)
		H5Sclose(space);
	if (type >= 0)
		H5Tclose(type);
	return n > 0 && size > 0 && wsi_h5_can_hold((uint64_t)n, size, file_bytes);
}
