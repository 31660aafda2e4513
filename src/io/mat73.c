/*
 * mat73.c - MAT files of version 7.3: HDF5 behind 512 bytes of MATLAB's own.
 *
 * A variable is a dataset that names its class in the attribute MATLAB_class, its dimensions the
 * other way round.  An empty one holds its dimensions.  A struct is a group of its fields; of an
 * array of structs each field is a dataset of references, as a cell is.  A sparse matrix is a group
 * of data, ir and jc.  Writers differ in how they end or pad the class, which is all one here.
 */
#include <hdf5.h>

#include <stdlib.h>
#include <string.h>

#include "io/h5.h"
#include "io/mat_file.h"

typedef struct place {
	hid_t object;           /* dataset or group; 0: it was not opened */
	bool array;             /* a struct whose fields hold references */
	hobj_ref_t *references; /* of cells, once loaded */
} place;

/* Entry points tell HDF5 to keep quiet. */
#define QUIETLY(call)                     \
	do {                              \
		H5E_BEGIN_TRY {           \
			status = call;    \
		} H5E_END_TRY             \
	} while (0)

static ws_status
unreadable(const wsi_mat *m, const wsi_mat_var *v, const char *what)
{
	return WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: %s of variable %s cannot be read",
	                m->path, what, wsi_mat_name(v));
}

/* ---- The file ------------------------------------------------------------------------ */

/* What is listed, and how that went: HDF5 tells success and failure alone. */
typedef struct listing {
	wsi_mat *m;
	wsi_mat_var *v;
	ws_status status;
} listing;

static herr_t
add_variable(hid_t file, const char *name, const H5L_info_t *info, void *user)
{
	listing *l = user;
	wsi_mat_var *v;
	(void)file;
	(void)info;
	/* What references lead to, and what MATLAB keeps of objects. */
	if (*name == '#')
		return 0;
	l->status = wsi_mat_new(l->m, true, sizeof(place), &v);
	if (l->status == WS_OK && !(v->name = strdup(name)))
		l->status = WSI_FAIL(WS_E_NOMEM, "%s: no memory for a name", l->m->path);
	return l->status == WS_OK ? 0 : -1;
}

static ws_status
open_file(wsi_mat *m)
{
	const hid_t file = H5Fopen(m->source, H5F_ACC_RDONLY, H5P_DEFAULT);
	if (file < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: it begins like a MAT file, "
		                "but HDF5 cannot open it", m->path);
	m->hdf5 = file;
	WSI_TRY(wsi_h5_check_file(file, m->path, m->memory));
	listing l = { .m = m };
	const herr_t code = H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, add_variable, &l);
	WSI_TRY(l.status);
	return code >= 0 ? WS_OK : WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: its variables "
	                                    "cannot be listed", m->path);
}

ws_status
wsi_mat73_open(wsi_mat *m)
{
	ws_status status;
	QUIETLY(open_file(m));
	return status;
}

void
wsi_mat73_close(wsi_mat *m)
{
	H5E_BEGIN_TRY {
		if (m->hdf5 >= 0)
			H5Fclose(m->hdf5);
	} H5E_END_TRY
	m->hdf5 = -1;
}

/* ---- What a variable is ---------------------------------------------------------------- */

static void
release(wsi_mat_var *v)
{
	place *where = v->place;
	H5E_BEGIN_TRY {
		if (where->object > 0)
			H5Oclose(where->object);
	} H5E_END_TRY
	free(where->references);
}

/* Its class as MATLAB names it; "" where it has none.  *is_object: MATLAB says that its values
 * stand for something else. */
static ws_status
get_class(wsi_mat *m, wsi_mat_var *v, char *class, size_t size, bool *is_object)
{
	const hid_t object = ((place *)v->place)->object;
	char *text = NULL;
	bool there;
	*class = '\0';
	const ws_status status = wsi_h5_get_text(object, m->path, "MATLAB_class", &text, &there);
	/* No class that we read has so long a name. */
	if (there)
		strcpy(class, strlen(text) < size ? text : "?");
	free(text);
	const htri_t any = H5Aexists(object, "MATLAB_class");
	const htri_t decoded = H5Aexists(object, "MATLAB_object_decode");
	if (status == WS_E_NOMEM)
		return status;
	if (status != WS_OK || any < 0 || decoded < 0 || (any && !there))
		return unreadable(m, v, "the class");
	*is_object = decoded > 0;
	return WS_OK;
}

static ws_status
get_flag(wsi_mat *m, wsi_mat_var *v, const char *name, double *value, bool *there)
{
	const hid_t object = ((place *)v->place)->object;
	const ws_status status = wsi_h5_get_real(object, m->path, name, value, there);
	const htri_t any = H5Aexists(object, name);
	return status != WS_OK || any < 0 || (any && !*there) ? unreadable(m, v, name) : WS_OK;
}

static bool
is_number(const char *class)
{
	static const char *const names[] = { "double", "single", "int8", "uint8", "int16", "uint16",
		"int32", "uint32", "int64", "uint64", "logical" };
	for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
		if (strcmp(class, names[i]) == 0)
			return true;
	return false;
}

/* The class of a dataset that HDF5 holds as this; of an unknown name only objects are. */
static ws_status
take_class(wsi_mat *m, wsi_mat_var *v, const char *class, bool is_object, H5T_class_t stored)
{
	char members[2][16];
	const bool plain = stored == H5T_INTEGER || stored == H5T_FLOAT || stored == H5T_ENUM;
	const bool refers = stored == H5T_REFERENCE;
	v->complex = stored == H5T_COMPOUND
	             && wsi_h5_is_complex(((place *)v->place)->object, members)
	             && strcmp(members[0], "real") == 0 && strcmp(members[1], "imag") == 0;
	if (is_object || strcmp(class, "function_handle") == 0)
		v->class = WSI_MAT_OTHER;
	else if (is_number(class) || (!*class && (plain || v->complex)))
		v->class = WSI_MAT_NUMBER;
	else if (strcmp(class, "char") == 0)
		v->class = WSI_MAT_CHAR;
	else if (strcmp(class, "cell") == 0 || (!*class && refers))
		v->class = WSI_MAT_CELL;
	else if (strcmp(class, "struct") == 0)
		v->class = WSI_MAT_STRUCT;
	else if (!*class)
		v->class = WSI_MAT_OTHER;
	else
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: variable %s has the MATLAB_class '%s', "
		                "which MATLAB does not have", m->path, wsi_mat_name(v), class);
	if (v->n > 0 && (v->class == WSI_MAT_NUMBER ? !plain && !v->complex
	                 : v->class == WSI_MAT_CHAR ? !plain : v->class == WSI_MAT_CELL
	                 ? !refers : v->class == WSI_MAT_STRUCT))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: variable %s is of class %s, and HDF5 "
		                "holds something else of it", m->path, wsi_mat_name(v), class);
	return WS_OK;
}

/* An empty array holds its dimensions. */
static ws_status
take_empty(wsi_mat *m, wsi_mat_var *v)
{
	double sizes[WSI_MAT_RANK] = { 0 };
	size_t dims[WSI_MAT_RANK] = { 0 };
	hsize_t n[H5S_MAX_RANK] = { 0 }, start = 0;
	const hid_t object = ((place *)v->place)->object;
	const int rank = wsi_h5_shape(object, n);
	v->rank = 2;
	v->n = 0;
	if (rank != 1 || n[0] < 2 || n[0] > WSI_MAT_RANK)
		return WS_OK;
	if (wsi_h5_read_line(object, 1, &start, 0, (size_t)n[0], sizes) < 0)
		return unreadable(m, v, "the size");
	for (hsize_t i = 0; i < n[0]; ++i)
		dims[i] = sizes[i] >= 0 && sizes[i] < 1e15 ? (size_t)sizes[i] : 0;
	WSI_TRY(wsi_mat_set_dims(m, v, (int)n[0], dims));
	v->n = 0;
	return WS_OK;
}

static ws_status
take_dataset(wsi_mat *m, wsi_mat_var *v)
{
	place *where = v->place;
	hsize_t turned[H5S_MAX_RANK];
	size_t dims[H5S_MAX_RANK];
	char class[64];
	bool is_object, has_empty;
	double empty = 0;
	WSI_TRY(wsi_h5_check(where->object, m->path, wsi_mat_name(v), m->memory));
	WSI_TRY(get_class(m, v, class, sizeof class, &is_object));
	WSI_TRY(get_flag(m, v, "MATLAB_empty", &empty, &has_empty));
	const hid_t type = H5Dget_type(where->object);
	const H5T_class_t stored = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
	if (type >= 0)
		H5Tclose(type);
	int rank = wsi_h5_shape(where->object, turned);
	if (rank < 0 || stored == H5T_NO_CLASS)
		return unreadable(m, v, "the shape");
	if (empty != 0) {
		/* MATLAB has empty things of classes of its own. */
		v->class = is_object ? WSI_MAT_OTHER : is_number(class) ? WSI_MAT_NUMBER
		           : strcmp(class, "char") == 0 ? WSI_MAT_CHAR
		           : strcmp(class, "cell") == 0 ? WSI_MAT_CELL
		           : strcmp(class, "struct") == 0 ? WSI_MAT_STRUCT : WSI_MAT_OTHER;
		return take_empty(m, v);
	}
	for (int i = 0; i < rank; ++i)
		dims[i] = (size_t)turned[rank - 1 - i];
	/* What others write may have one dimension, or none. */
	for (; rank < 2; ++rank)
		dims[rank] = 1;
	WSI_TRY(wsi_mat_set_dims(m, v, rank, dims));
	v->n_values = v->n;
	v->type = WSI_F64;
	return take_class(m, v, class, is_object, stored);
}

/* A group of data, ir and jc. */
static ws_status
take_sparse(wsi_mat *m, wsi_mat_var *v, double rows)
{
	hsize_t n[H5S_MAX_RANK] = { 0 };
	const hid_t starts = H5Dopen2(((place *)v->place)->object, "jc", H5P_DEFAULT);
	const int rank = starts < 0 ? -1 : wsi_h5_shape(starts, n);
	if (starts >= 0)
		H5Dclose(starts);
	if (rank != 1 || n[0] < 1 || !(rows >= 0 && rows < 1e15))
		return unreadable(m, v, "the shape");
	v->class = WSI_MAT_NUMBER;
	v->sparse = true;
	return wsi_mat_set_dims(m, v, 2, (size_t[]){ (size_t)rows, (size_t)n[0] - 1 });
}

static herr_t
add_field(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
	listing *l = user;
	wsi_mat_var *v = l->v;
	(void)group;
	(void)info;
	l->status = wsi_mat_take(l->m, 64);
	if (l->status != WS_OK)
		return -1;
	if ((v->n_fields & (v->n_fields - 1)) == 0) {
		void *more = realloc(v->fields, (v->n_fields ? 2 * v->n_fields : 1)
		                     * sizeof *v->fields);
		v->fields = more ? more : v->fields;
		l->status = more ? WS_OK : WS_E_NOMEM;
	}
	if (l->status == WS_OK && (v->fields[v->n_fields] = strdup(name)))
		v->n_fields++;
	else
		l->status = WSI_FAIL(WS_E_NOMEM, "%s: no memory for the fields of %s", l->m->path,
		                     wsi_mat_name(v));
	return l->status == WS_OK ? 0 : -1;
}

/* Whether it is an array of structs, its first field tells: a dataset of references without a
 * class. */
static ws_status
take_array(wsi_mat *m, wsi_mat_var *v)
{
	place *where = v->place;
	hsize_t turned[H5S_MAX_RANK];
	size_t dims[H5S_MAX_RANK];
	const hid_t first = H5Oopen(where->object, v->fields[0], H5P_DEFAULT);
	const bool dataset = first >= 0 && H5Iget_type(first) == H5I_DATASET;
	const hid_t type = dataset ? H5Dget_type(first) : -1;
	const htri_t named = dataset ? H5Aexists(first, "MATLAB_class") : 1;
	int rank = dataset ? wsi_h5_shape(first, turned) : 0;
	const H5T_class_t stored = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
	where->array = named == 0 && stored == H5T_REFERENCE;
	if (type >= 0)
		H5Tclose(type);
	if (first >= 0)
		H5Oclose(first);
	if (first < 0 || named < 0 || rank < 0 || (dataset && stored == H5T_NO_CLASS))
		return unreadable(m, v, "a field");
	for (int i = 0; i < rank; ++i)
		dims[i] = (size_t)turned[rank - 1 - i];
	for (; rank < 2; ++rank)
		dims[rank] = 1;
	return where->array ? wsi_mat_set_dims(m, v, rank, dims) : WS_OK;
}

static ws_status
take_struct(wsi_mat *m, wsi_mat_var *v)
{
	v->class = WSI_MAT_STRUCT;
	listing l = { .m = m, .v = v };
	const herr_t code = H5Literate(((place *)v->place)->object, H5_INDEX_NAME, H5_ITER_INC,
	                               NULL, add_field, &l);
	WSI_TRY(l.status);
	if (code < 0)
		return unreadable(m, v, "the fields");
	WSI_TRY(wsi_mat_set_dims(m, v, 2, (size_t[]){ 1, 1 }));
	v->members = calloc(v->n_fields + 1, sizeof *v->members);
	v->n_members = v->members ? v->n_fields : 0;
	if (!v->members)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for the fields of %s", m->path,
		                wsi_mat_name(v));
	return v->n_fields == 0 ? WS_OK : take_array(m, v);
}

static ws_status
take_group(wsi_mat *m, wsi_mat_var *v)
{
	char class[64];
	bool is_object, is_sparse;
	double rows;
	WSI_TRY(get_class(m, v, class, sizeof class, &is_object));
	WSI_TRY(get_flag(m, v, "MATLAB_sparse", &rows, &is_sparse));
	if (is_sparse)
		return take_sparse(m, v, rows);
	if (!*class || strcmp(class, "struct") == 0)
		return take_struct(m, v);
	v->class = WSI_MAT_OTHER;
	v->n = 1;
	if (is_object || strcmp(class, "function_handle") == 0)
		return WS_OK;
	return WSI_FAIL(WS_E_FORMAT, "%s: damaged: variable %s has the MATLAB_class '%s', which no "
	                "group has", m->path, wsi_mat_name(v), class);
}

/* Takes the object, also where it fails. */
static ws_status
describe(wsi_mat *m, wsi_mat_var *v, hid_t object)
{
	if (object < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: variable %s is there, but cannot be "
		                "opened", m->path, wsi_mat_name(v));
	((place *)v->place)->object = object;
	v->release = release;
	switch (H5Iget_type(object)) {
	case H5I_DATASET: return take_dataset(m, v);
	case H5I_GROUP: return take_group(m, v);
	default: return WS_OK;
	}
}

static ws_status
open_variable(wsi_mat *m, size_t i)
{
	wsi_mat_var *v = m->vars[i];
	if (((place *)v->place)->object > 0)
		return WS_OK;
	return describe(m, v, H5Oopen(m->hdf5, v->name, H5P_DEFAULT));
}

ws_status
wsi_mat73_variable(wsi_mat *m, size_t i)
{
	ws_status status;
	QUIETLY(open_variable(m, i));
	return status;
}

/* ---- Members ------------------------------------------------------------------------------- */

static ws_status
new_member(wsi_mat *m, const char *name, hid_t object, wsi_mat_var **v)
{
	const size_t before = m->taken;
	ws_status status = wsi_mat_new(m, false, sizeof(place), v);
	if (status != WS_OK) {
		if (object >= 0)
			H5Oclose(object);
		return status;
	}
	(*v)->kept = false;
	(*v)->name = name;
	status = describe(m, *v, object);
	/* It is soon handed back. */
	m->taken = before;
	if (status != WS_OK) {
		wsi_mat_free(*v);
		*v = NULL;
	}
	return status;
}

static ws_status
load_references(wsi_mat *m, wsi_mat_var *v)
{
	place *where = v->place;
	size_t bytes;
	if (where->references || v->n == 0)
		return WS_OK;
	if (!wsi_mul_size(v->n, sizeof *where->references, &bytes)
	    || !wsi_h5_is_plausible(where->object, m->file.bytes))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: variable %s claims more cells than the "
		                "file can hold", m->path, wsi_mat_name(v));
	WSI_TRY(wsi_mat_take(m, bytes));
	where->references = malloc(bytes);
	if (!where->references)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for %zu cells", m->path, v->n);
	if (H5Dread(where->object, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT,
	            where->references) >= 0)
		return WS_OK;
	free(where->references);
	where->references = NULL;
	return unreadable(m, v, "the cells");
}

/* A cell, by the name of what it is to be called. */
static ws_status
open_cell(wsi_mat *m, wsi_mat_var *v, size_t i, const char *name, wsi_mat_var **cell)
{
	const place *where = v->place;
	WSI_TRY(load_references(m, v));
	return new_member(m, name, H5Rdereference2(where->object, H5P_DEFAULT, H5R_OBJECT,
	                                           &where->references[i]), cell);
}

static ws_status
open_field(wsi_mat *m, wsi_mat_var *v, size_t k, size_t i, wsi_mat_var **field)
{
	const place *where = v->place;
	if (!where->array)
		return new_member(m, v->fields[k], H5Oopen(where->object, v->fields[k],
		                                           H5P_DEFAULT), field);
	/* References of all elements, kept. */
	wsi_mat_var *all = v->members[k];
	if (!all) {
		WSI_TRY(new_member(m, v->fields[k], H5Oopen(where->object, v->fields[k],
		                                            H5P_DEFAULT), &v->members[k]));
		all = v->members[k];
		all->kept = true;
	}
	if (all->class != WSI_MAT_CELL || all->n != v->n)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: the field %s of %s is not as long as "
		                "others", m->path, v->fields[k], wsi_mat_name(v));
	return open_cell(m, all, i, v->fields[k], field);
}

ws_status
wsi_mat73_field(wsi_mat *m, wsi_mat_var *v, size_t k, size_t i, wsi_mat_var **field)
{
	ws_status status;
	*field = NULL;
	QUIETLY(open_field(m, v, k, i, field));
	return status;
}

ws_status
wsi_mat73_cell(wsi_mat *m, wsi_mat_var *v, size_t i, wsi_mat_var **cell)
{
	ws_status status;
	*cell = NULL;
	QUIETLY(open_cell(m, v, i, NULL, cell));
	return status;
}

/* ---- Values --------------------------------------------------------------------------------- */

static ws_status
read_line(wsi_mat *m, wsi_mat_var *v, const size_t *start, int axis, size_t count, int part,
          double *out)
{
	const hid_t object = ((place *)v->place)->object;
	hsize_t turned[H5S_MAX_RANK], from[WSI_MAT_RANK] = { 0 };
	const int rank = wsi_h5_shape(object, turned);
	if (rank < 1 || rank > WSI_MAT_RANK || !wsi_h5_is_plausible(object, m->file.bytes))
		return unreadable(m, v, "the shape");
	for (int i = 0; i < rank; ++i)
		from[i] = start[rank - 1 - i];
	const int along = rank - 1 - axis;
	if (along < 0)
		return unreadable(m, v, "the shape");
	const herr_t code = v->complex
		? wsi_h5_read_part(object, rank, from, along, count, part ? "imag" : "real", out)
		: wsi_h5_read_line(object, rank, from, along, count, out);
	return code >= 0 ? WS_OK : unreadable(m, v, "the values");
}

ws_status
wsi_mat73_line(wsi_mat *m, wsi_mat_var *v, const size_t *start, int axis, size_t count, int part,
               double *out)
{
	ws_status status;
	QUIETLY(read_line(m, v, start, axis, count, part, out));
	return status;
}

/* All of it, by lines along its first dimension. */
static ws_status
read_all(wsi_mat *m, wsi_mat_var *v)
{
	size_t start[WSI_MAT_RANK] = { 0 };
	if (v->n == 0)
		return WS_OK;
	if (v->rank > WSI_MAT_RANK || v->n > SIZE_MAX / 16)
		return unreadable(m, v, "the shape");
	WSI_TRY(wsi_mat_take(m, v->n * sizeof(double)));
	double *out = malloc(v->n * sizeof *out);
	v->values = (unsigned char *)out;
	v->type = WSI_F64;
	if (!out)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for variable %s", m->path,
		                wsi_mat_name(v));
	for (size_t at = 0; at < v->n; at += v->dims[0]) {
		WSI_TRY(read_line(m, v, start, 0, v->dims[0], 0, out + at));
		for (int i = 1; i < v->rank && ++start[i] == v->dims[i]; ++i)
			start[i] = 0;
	}
	return WS_OK;
}

/* One of the three vectors of a sparse matrix; *part is for the caller to free. */
static ws_status
read_vector(wsi_mat *m, wsi_mat_var *v, const char *name, wsi_mat_var **part)
{
	WSI_TRY(new_member(m, name, H5Oopen(((place *)v->place)->object, name, H5P_DEFAULT), part));
	(*part)->class = WSI_MAT_NUMBER;
	return (*part)->complex ? WS_OK : read_all(m, *part);
}

static ws_status
read_complex(wsi_mat *m, wsi_mat_var *data, double **imaginary)
{
	*imaginary = malloc(data->n * sizeof **imaginary + 1);
	if (!*imaginary)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for a sparse matrix", m->path);
	data->values = malloc(data->n * sizeof(double) + 1);
	if (!data->values)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for a sparse matrix", m->path);
	const size_t start[2] = { 0, 0 };
	WSI_TRY(read_line(m, data, start, 0, data->n, 0, (double *)data->values));
	return read_line(m, data, start, 0, data->n, 1, *imaginary);
}

static ws_status
read_sparse(wsi_mat *m, wsi_mat_var *v)
{
	wsi_mat_var *rows = NULL, *starts = NULL, *data = NULL;
	double *imaginary = NULL;
	hid_t group = ((place *)v->place)->object;
	/* Of a matrix of zeros there are no data. */
	const htri_t any = H5Lexists(group, "data", H5P_DEFAULT);
	ws_status status = any < 0 ? unreadable(m, v, "the values")
	                   : read_vector(m, v, "jc", &starts);
	if (status == WS_OK && any)
		status = read_vector(m, v, "ir", &rows);
	if (status == WS_OK && any)
		status = read_vector(m, v, "data", &data);
	v->complex = data && data->complex;
	if (status == WS_OK && v->complex)
		status = read_complex(m, data, &imaginary);
	if (status == WS_OK && (starts->n != v->dims[1] + 1 || (any && rows->n != data->n)))
		status = unreadable(m, v, "the shape");
	if (status == WS_OK)
		status = wsi_mat_fill(m, v, any ? rows->n : 0, any ? (double *)rows->values : NULL,
		                      (double *)starts->values, any ? (double *)data->values : NULL,
		                      imaginary);
	free(imaginary);
	wsi_mat_free(rows);
	wsi_mat_free(starts);
	wsi_mat_free(data);
	return status;
}

ws_status
wsi_mat73_load(wsi_mat *m, wsi_mat_var *v)
{
	ws_status status = WS_OK;
	if (v->values || v->n == 0)
		return WS_OK;
	if (v->sparse)
		QUIETLY(read_sparse(m, v));
	else if (v->class == WSI_MAT_CELL)
		QUIETLY(load_references(m, v));
	else if ((v->class == WSI_MAT_NUMBER && !v->complex) || v->class == WSI_MAT_CHAR)
		QUIETLY(read_all(m, v));
	if (status != WS_OK && v->class != WSI_MAT_CELL) {
		free(v->values);
		free(v->imaginary);
		v->values = v->imaginary = NULL;
	}
	return status;
}
