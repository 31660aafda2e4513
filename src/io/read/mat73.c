/*
 * mat73.c - MAT files of version 7.3: HDF5 behind 512 bytes of MATLAB's own.
 *
 * A variable is a dataset that names its class in the attribute MATLAB_class, its dimensions the
 * other way round.  An empty one holds its dimensions.  A struct is a group of its fields; of an
 * array of structs each field is a dataset of references, as a cell is.  A sparse matrix is a group
 * of data, ir and jc.  Writers differ in how they end or pad the class, which is all one here.
 */

#include <stdlib.h>
#include <string.h>

#include "io/hdf5/h5.h"
#include "io/hdf5/h5_check.h"
#include "io/read/mat73.h"
#include "io/read/mat73_variable.h"

/* Entry points tell HDF5 to keep quiet. */
#define QUIETLY(call)                     \
	do {                              \
		H5E_BEGIN_TRY {           \
			status = call;    \
		} H5E_END_TRY             \
	} while (0)

/* ---- The file ------------------------------------------------------------------------ */

static herr_t
add_variable(hid_t file, const char *name, const H5L_info_t *info, void *user)
{
	mat73_listing *l = user;
	wsi_mat_var *v;
	(void)file;
	(void)info;
	/* What references lead to, and what MATLAB keeps of objects. */
	if (*name == '#')
		return 0;
	l->status = wsi_mat_new(l->m, true, sizeof(mat73_place), &v);
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
	mat73_listing l = { .m = m };
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
		wsi_h5_close(m->hdf5);
	} H5E_END_TRY
	m->hdf5 = -1;
}

/* ---- Variables ----------------------------------------------------------------------- */

static ws_status
open_variable(wsi_mat *m, size_t i)
{
	wsi_mat_var *v = m->vars[i];
	if (((mat73_place *)v->place)->object > 0)
		return WS_OK;
	return wsi_mat73_describe(m, v, H5Oopen(m->hdf5, v->name, H5P_DEFAULT));
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
	ws_status status = wsi_mat_new(m, false, sizeof(mat73_place), v);
	if (status != WS_OK) {
		wsi_h5_close(object);
		return status;
	}
	(*v)->kept = false;
	(*v)->name = name;
	status = wsi_mat73_describe(m, *v, object);
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
	mat73_place *where = v->place;
	size_t bytes;
	if (where->references || v->n == 0)
		return WS_OK;
	if (!wsi_mul_size(v->n, sizeof *where->references, &bytes)
	    || !wsi_h5_is_plausible(where->object, m->file.bytes))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: variable %s claims more cells than the "
		                "file can hold", m->path, wsi_mat_name(v));
	WSI_TRY(wsi_mat_take(m, bytes));
	where->references = malloc(bytes);
	WSI_HAVE(where->references, "%s: no memory for %zu cells", m->path, v->n);
	if (H5Dread(where->object, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT,
	            where->references) >= 0)
		return WS_OK;
	free(where->references);
	where->references = NULL;
	return wsi_mat73_unreadable(m, v, "the cells");
}

/* A cell, by the name of what it is to be called. */
static ws_status
open_cell(wsi_mat *m, wsi_mat_var *v, size_t i, const char *name, wsi_mat_var **cell)
{
	const mat73_place *where = v->place;
	WSI_TRY(load_references(m, v));
	return new_member(m, name, H5Rdereference2(where->object, H5P_DEFAULT, H5R_OBJECT,
	                                           &where->references[i]), cell);
}

static ws_status
open_field(wsi_mat *m, wsi_mat_var *v, size_t k, size_t i, wsi_mat_var **field)
{
	const mat73_place *where = v->place;
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
	const hid_t object = ((mat73_place *)v->place)->object;
	hsize_t reversed[H5S_MAX_RANK], from[WSI_MAT_RANK] = { 0 };
	const int rank = wsi_h5_shape(object, reversed);
	if (rank < 1 || rank > WSI_MAT_RANK || !wsi_h5_is_plausible(object, m->file.bytes))
		return wsi_mat73_unreadable(m, v, "the shape");
	for (int i = 0; i < rank; ++i)
		from[i] = start[rank - 1 - i];
	const int along = rank - 1 - axis;
	if (along < 0)
		return wsi_mat73_unreadable(m, v, "the shape");
	const herr_t code = v->complex
		? wsi_h5_read_part(object, rank, from, along, count, part ? "imag" : "real", out)
		: wsi_h5_read_line(object, rank, from, along, count, out);
	return code >= 0 ? WS_OK : wsi_mat73_unreadable(m, v, "the values");
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
		return wsi_mat73_unreadable(m, v, "the shape");
	WSI_TRY(wsi_mat_take(m, v->n * sizeof(double)));
	double *out = malloc(v->n * sizeof *out);
	v->values = (unsigned char *)out;
	v->type = WSI_F64;
	WSI_HAVE(out, "%s: no memory for variable %s", m->path, wsi_mat_name(v));
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
	const hid_t group = ((mat73_place *)v->place)->object;
	WSI_TRY(new_member(m, name, H5Oopen(group, name, H5P_DEFAULT), part));
	(*part)->class = WSI_MAT_NUMBER;
	return (*part)->complex ? WS_OK : read_all(m, *part);
}

static ws_status
read_complex(wsi_mat *m, wsi_mat_var *data, double **imaginary)
{
	*imaginary = malloc(data->n * sizeof **imaginary + 1);
	WSI_HAVE(*imaginary, "%s: no memory for a sparse matrix", m->path);
	data->values = malloc(data->n * sizeof(double) + 1);
	WSI_HAVE(data->values, "%s: no memory for a sparse matrix", m->path);
	const size_t start[2] = { 0, 0 };
	WSI_TRY(read_line(m, data, start, 0, data->n, 0, (double *)data->values));
	return read_line(m, data, start, 0, data->n, 1, *imaginary);
}

static ws_status
read_sparse(wsi_mat *m, wsi_mat_var *v)
{
	wsi_mat_var *rows = NULL, *starts = NULL, *data = NULL;
	double *imaginary = NULL;
	hid_t group = ((mat73_place *)v->place)->object;
	/* Of a matrix of zeros there are no data. */
	const htri_t any = H5Lexists(group, "data", H5P_DEFAULT);
	ws_status status = any < 0 ? wsi_mat73_unreadable(m, v, "the values")
	                   : read_vector(m, v, "jc", &starts);
	if (status == WS_OK && any)
		status = read_vector(m, v, "ir", &rows);
	if (status == WS_OK && any)
		status = read_vector(m, v, "data", &data);
	v->complex = data && data->complex;
	if (status == WS_OK && v->complex)
		status = read_complex(m, data, &imaginary);
	if (status == WS_OK && (starts->n != v->dims[1] + 1 || (any && rows->n != data->n)))
		status = wsi_mat73_unreadable(m, v, "the shape");
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
