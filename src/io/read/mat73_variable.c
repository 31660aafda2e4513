/* mat73_variable.c - what a variable of a MAT file of version 7.3 is; see mat73.c. */
#include "io/read/mat73_variable.h"

#include <stdlib.h>
#include <string.h>

#include "io/hdf5/h5.h"
#include "io/hdf5/h5_check.h"

ws_status
wsi_mat73_unreadable(const wsi_mat *m, const wsi_mat_var *v, const char *what)
{
	return WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: %s of variable %s cannot be read",
	                m->path, what, wsi_mat_name(v));
}

static void
release(wsi_mat_var *v)
{
	mat73_place *where = v->place;
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
	const hid_t object = ((mat73_place *)v->place)->object;
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
		return wsi_mat73_unreadable(m, v, "the class");
	*is_object = decoded > 0;
	return WS_OK;
}

static ws_status
get_flag(wsi_mat *m, wsi_mat_var *v, const char *name, double *value, bool *there)
{
	const hid_t object = ((mat73_place *)v->place)->object;
	const ws_status status = wsi_h5_get_real(object, m->path, name, value, there);
	const htri_t any = H5Aexists(object, name);
	return status == WS_OK && any >= 0 && (!any || *there) ? WS_OK
	       : wsi_mat73_unreadable(m, v, name);
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
	             && wsi_h5_is_complex(((mat73_place *)v->place)->object, members)
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
	const hid_t object = ((mat73_place *)v->place)->object;
	const int rank = wsi_h5_shape(object, n);
	v->rank = 2;
	v->n = 0;
	if (rank != 1 || n[0] < 2 || n[0] > WSI_MAT_RANK)
		return WS_OK;
	if (wsi_h5_read_line(object, 1, &start, 0, (size_t)n[0], sizes) < 0)
		return wsi_mat73_unreadable(m, v, "the size");
	for (hsize_t i = 0; i < n[0]; ++i)
		dims[i] = sizes[i] >= 0 && sizes[i] < 1e15 ? (size_t)sizes[i] : 0;
	WSI_TRY(wsi_mat_set_dims(m, v, (int)n[0], dims));
	v->n = 0;
	return WS_OK;
}

/* Dimensions as HDF5 has them.  What others write may have one, or none. */
static ws_status
set_reversed(wsi_mat *m, wsi_mat_var *v, int rank, const hsize_t *reversed)
{
	size_t dims[H5S_MAX_RANK];
	for (int i = 0; i < rank; ++i)
		dims[i] = (size_t)reversed[rank - 1 - i];
	for (; rank < 2; ++rank)
		dims[rank] = 1;
	return wsi_mat_set_dims(m, v, rank, dims);
}

static ws_status
take_dataset(wsi_mat *m, wsi_mat_var *v)
{
	mat73_place *where = v->place;
	hsize_t reversed[H5S_MAX_RANK];
	char class[64];
	bool is_object, has_empty;
	double empty = 0;
	WSI_TRY(wsi_h5_check(where->object, m->path, wsi_mat_name(v), m->memory));
	WSI_TRY(get_class(m, v, class, sizeof class, &is_object));
	WSI_TRY(get_flag(m, v, "MATLAB_empty", &empty, &has_empty));
	const H5T_class_t stored = wsi_h5_class(where->object, NULL);
	const int rank = wsi_h5_shape(where->object, reversed);
	if (rank < 0 || stored == H5T_NO_CLASS)
		return wsi_mat73_unreadable(m, v, "the shape");
	if (empty != 0) {
		/* MATLAB has empty things of classes of its own. */
		v->class = is_object ? WSI_MAT_OTHER : is_number(class) ? WSI_MAT_NUMBER
		           : strcmp(class, "char") == 0 ? WSI_MAT_CHAR
		           : strcmp(class, "cell") == 0 ? WSI_MAT_CELL
		           : strcmp(class, "struct") == 0 ? WSI_MAT_STRUCT : WSI_MAT_OTHER;
		return take_empty(m, v);
	}
	WSI_TRY(set_reversed(m, v, rank, reversed));
	v->n_values = v->n;
	v->type = WSI_F64;
	return take_class(m, v, class, is_object, stored);
}

/* A group of data, ir and jc. */
static ws_status
take_sparse(wsi_mat *m, wsi_mat_var *v, double rows)
{
	hsize_t n[H5S_MAX_RANK] = { 0 };
	const hid_t starts = H5Dopen2(((mat73_place *)v->place)->object, "jc", H5P_DEFAULT);
	const int rank = starts < 0 ? -1 : wsi_h5_shape(starts, n);
	wsi_h5_close(starts);
	if (rank != 1 || n[0] < 1 || !(rows >= 0 && rows < 1e15))
		return wsi_mat73_unreadable(m, v, "the shape");
	v->class = WSI_MAT_NUMBER;
	v->sparse = true;
	return wsi_mat_set_dims(m, v, 2, (size_t[]){ (size_t)rows, (size_t)n[0] - 1 });
}

static herr_t
add_field(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
	mat73_listing *l = user;
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
	mat73_place *where = v->place;
	hsize_t reversed[H5S_MAX_RANK];
	const hid_t first = H5Oopen(where->object, v->fields[0], H5P_DEFAULT);
	const bool dataset = first >= 0 && H5Iget_type(first) == H5I_DATASET;
	const H5T_class_t stored = dataset ? wsi_h5_class(first, NULL) : H5T_NO_CLASS;
	const htri_t named = dataset ? H5Aexists(first, "MATLAB_class") : 1;
	const int rank = dataset ? wsi_h5_shape(first, reversed) : 0;
	where->array = named == 0 && stored == H5T_REFERENCE;
	wsi_h5_close(first);
	if (first < 0 || named < 0 || rank < 0 || (dataset && stored == H5T_NO_CLASS))
		return wsi_mat73_unreadable(m, v, "a field");
	return where->array ? set_reversed(m, v, rank, reversed) : WS_OK;
}

static ws_status
take_struct(wsi_mat *m, wsi_mat_var *v)
{
	v->class = WSI_MAT_STRUCT;
	mat73_listing l = { .m = m, .v = v };
	const hid_t group = ((mat73_place *)v->place)->object;
	const herr_t code = H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, add_field, &l);
	WSI_TRY(l.status);
	if (code < 0)
		return wsi_mat73_unreadable(m, v, "the fields");
	WSI_TRY(wsi_mat_set_dims(m, v, 2, (size_t[]){ 1, 1 }));
	v->members = calloc(v->n_fields + 1, sizeof *v->members);
	v->n_members = v->members ? v->n_fields : 0;
	WSI_HAVE(v->members, "%s: no memory for the fields of %s", m->path, wsi_mat_name(v));
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
ws_status
wsi_mat73_describe(wsi_mat *m, wsi_mat_var *v, hid_t object)
{
	if (object < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: variable %s is there, but cannot be "
		                "opened", m->path, wsi_mat_name(v));
	((mat73_place *)v->place)->object = object;
	v->release = release;
	switch (H5Iget_type(object)) {
	case H5I_DATASET: return take_dataset(m, v);
	case H5I_GROUP: return take_group(m, v);
	default: return WS_OK;
	}
}
