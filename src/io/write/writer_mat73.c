/*
 * writer_mat73.c - MAT version 7.3: an HDF5 file behind 512 bytes of MATLAB's
 * own, every variable a dataset that names its MATLAB class, dimensions the
 * other way round, texts of a cell in the group #refs#.
 */
#include "io/write/writer_mat73.h"

#include <stdlib.h>
#include <string.h>

#include "io/hdf5/h5.h"
#include "io/hdf5/h5_disk.h"
#include "io/write/writer_mat_arrays.h"

#define USER_BLOCK 512
#define REFS "#refs#"

/* Values of a chunk of a compressed array. */
#define CHUNK ((hsize_t)1 << 16)

typedef struct mat73 {
	const wsi_writer *w;
	wsi_h5_disk disk;
	hid_t file;
	hid_t at;         /* where arrays go: the file, or the group that is a struct */
	unsigned texts;   /* in #refs# so far */
} mat73;

static herr_t
put_class(hid_t dataset, const char *class)
{
	hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR), attribute = -1;
	herr_t code = -1;
	if (type >= 0 && space >= 0 && H5Tset_size(type, strlen(class)) >= 0)
		attribute = H5Acreate2(dataset, "MATLAB_class", type, space, H5P_DEFAULT,
		                       H5P_DEFAULT);
	if (attribute >= 0) {
		code = H5Awrite(attribute, type, class);
		H5Aclose(attribute);
	}
	H5Tclose(type);
	H5Sclose(space);
	return code;
}

static herr_t
put_flag(hid_t dataset, const char *name, hid_t type, int32_t value)
{
	hid_t space = H5Screate(H5S_SCALAR);
	hid_t attribute = H5Acreate2(dataset, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
	herr_t code = attribute < 0 ? -1 : H5Awrite(attribute, H5T_NATIVE_INT32, &value);
	wsi_h5_close(attribute);
	H5Sclose(space);
	return code;
}

/* A dataset with its class.  dims as MATLAB says them. */
static hid_t
create_array(mat73 *m, const char *name, const char *class, hid_t type, int rank,
             const size_t *dims, hid_t storage)
{
	hsize_t reversed[WSI_FILE_AXES];
	for (int i = 0; i < rank; ++i)
		reversed[i] = dims[rank - 1 - i];
	hid_t space = H5Screate_simple(rank, reversed, NULL);
	hid_t dataset = space < 0 ? -1 : H5Dcreate2(m->at, name, type, space, H5P_DEFAULT,
	                                            storage, H5P_DEFAULT);
	wsi_h5_close(space);
	if (dataset >= 0 && put_class(dataset, class) < 0) {
		H5Dclose(dataset);
		return -1;
	}
	return dataset;
}

static herr_t
put_array(mat73 *m, const char *name, const char *class, hid_t type, int rank,
          const size_t *dims, const void *data)
{
	hid_t dataset = create_array(m, name, class, type, rank, dims, H5P_DEFAULT);
	if (dataset < 0)
		return -1;
	herr_t code = H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
	return H5Dclose(dataset) < 0 ? -1 : code;
}

/* ---- Texts ------------------------------------------------------------------------ */

/* MATLAB stores an array without elements as its dimensions. */
static herr_t
put_empty(mat73 *m, const char *name, const char *class)
{
	hid_t dataset = create_array(m, name, class, H5T_NATIVE_UINT64, 1, (size_t[]){ 2 },
	                             H5P_DEFAULT);
	if (dataset < 0)
		return -1;
	uint64_t zeros[2] = { 0, 0 };
	herr_t code = H5Dwrite(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros);
	if (code >= 0)
		code = put_flag(dataset, "MATLAB_empty", H5T_STD_U8LE, 1);
	return H5Dclose(dataset) < 0 ? -1 : code;
}

static herr_t
put_text(mat73 *m, const char *name, const char *text)
{
	size_t n = wsi_utf16(text, NULL);
	if (n == 0)
		return put_empty(m, name, "char");
	uint16_t *units = calloc(n, sizeof *units);
	if (!units)
		return -1;
	wsi_utf16(text, units);
	herr_t code = -1;
	hid_t dataset = create_array(m, name, "char", H5T_NATIVE_UINT16, 2, (size_t[]){ 1, n },
	                             H5P_DEFAULT);
	if (dataset >= 0) {
		code = H5Dwrite(dataset, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, units);
		if (code >= 0)
			code = put_flag(dataset, "MATLAB_int_decode", H5T_NATIVE_INT32, 2);
		H5Dclose(dataset);
	}
	free(units);
	return code;
}

/* A cell: references to texts that lie in #refs#. */
static herr_t
put_texts(mat73 *m, const char *name, const char *const *texts, size_t n)
{
	hobj_ref_t *refs = calloc(n, sizeof *refs);
	herr_t code = refs ? 0 : -1;
	for (size_t i = 0; i < n && code >= 0; ++i) {
		char place[32];
		snprintf(place, sizeof place, "/" REFS "/%u", ++m->texts);
		code = put_text(m, place, texts[i]);
		if (code >= 0)
			code = H5Rcreate(&refs[i], m->file, place, H5R_OBJECT, -1);
	}
	if (code >= 0)
		code = put_array(m, name, "cell", H5T_STD_REF_OBJ, 2, (size_t[]){ 1, n }, refs);
	free(refs);
	return code;
}

/* ---- The large arrays -------------------------------------------------------------- */

typedef struct block_sink {
	mat73 *m;
	const wsi_mat_array *array;
	hid_t dataset, type;
} block_sink;

static ws_status
write_block(void *user, size_t first, size_t count, void *block)
{
	const block_sink *s = user;
	const wsi_mat_array *a = s->array;
	hsize_t start[WSI_FILE_AXES] = { first }, counts[WSI_FILE_AXES];
	for (int i = 0; i < a->rank; ++i)
		counts[i] = a->dims[a->rank - 1 - i];
	if (a->count > 1)
		counts[0] = count;
	hid_t memory = H5Screate_simple(a->rank, counts, NULL), file = H5Dget_space(s->dataset);
	herr_t code = -1;
	if (memory >= 0 && file >= 0
	    && H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, counts, NULL) >= 0)
		code = H5Dwrite(s->dataset, s->type, memory, file, H5P_DEFAULT, block);
	H5Sclose(memory);
	H5Sclose(file);
	if (code < 0 || s->m->disk.error)
		return wsi_h5_disk_fail(&s->m->disk, s->m->w->path, a->name);
	return WS_OK;
}

/* As it comes, or what is long compressed in chunks of some samples of all rows. */
static hid_t
storage_of(const mat73 *m, const wsi_mat_array *a)
{
	hid_t p = H5Pcreate(H5P_DATASET_CREATE);
	if (p < 0 || m->w->header.compress <= 0 || !a->timed)
		return p;
	hsize_t chunk[WSI_FILE_AXES], samples = CHUNK / a->n_rows;
	chunk[0] = samples < 1 ? 1 : samples < a->count ? samples : a->count;
	for (int i = 1; i < a->rank; ++i)
		chunk[i] = a->dims[a->rank - 1 - i];
	if (H5Pset_chunk(p, a->rank, chunk) >= 0 && H5Pset_shuffle(p) >= 0
	    && H5Pset_deflate(p, (unsigned)m->w->header.compress) >= 0)
		return p;
	H5Pclose(p);
	return -1;
}

/* The caller closes it. */
static hid_t
type_of(ws_type type)
{
	const ws_type part = wsi_type_part(type);
	hid_t plain = part == WS_F64 ? H5T_NATIVE_DOUBLE : part == WS_F32 ? H5T_NATIVE_FLOAT
	              : H5T_NATIVE_INT32;
	return wsi_type_complex(type) ? wsi_h5_complex_type(plain, "real", "imag") : H5Tcopy(plain);
}

static ws_status
put_rows(void *user, const wsi_mat_array *a)
{
	mat73 *m = user;
	const ws_type part = wsi_type_part(a->type);
	const char *class = part == WS_F64 ? "double" : part == WS_F32 ? "single" : "int32";
	if (a->n_rows == 0 || a->count == 0)
		return put_empty(m, a->name, class) < 0
		       ? wsi_h5_disk_fail(&m->disk, m->w->path, a->name) : WS_OK;
	block_sink sink = { m, a, -1, type_of(a->type) };
	hid_t storage = storage_of(m, a);
	if (storage >= 0 && sink.type >= 0)
		sink.dataset = create_array(m, a->name, class, sink.type, a->rank, a->dims,
		                            storage);
	ws_status status = WS_OK;
	if (sink.dataset >= 0)
		status = wsi_spool_transpose(wsi_spooled_in(m->w, a->timed), a->rows, a->n_rows,
		                             a->count, write_block, &sink);
	if ((sink.dataset < 0 || H5Dclose(sink.dataset) < 0) && status == WS_OK)
		status = wsi_h5_disk_fail(&m->disk, m->w->path, a->name);
	H5Pclose(storage);
	H5Tclose(sink.type);
	return status;
}

/* ---- The file ----------------------------------------------------------------------- */

static ws_status
checked(const mat73 *m, herr_t code, const char *name)
{
	return code < 0 ? wsi_h5_disk_fail(&m->disk, m->w->path, name) : WS_OK;
}

static ws_status
sink_numbers(void *user, const char *name, ws_type type, const void *values, size_t n)
{
	return checked(user, put_array(user, name, type == WS_I32 ? "int32" : "double",
	                               type == WS_I32 ? H5T_NATIVE_INT32 : H5T_NATIVE_DOUBLE, 2,
	                               (size_t[]){ 1, n }, values), name);
}

static ws_status
sink_text(void *user, const char *name, const char *text)
{
	return checked(user, put_text(user, name, text), name);
}

static ws_status
sink_texts(void *user, const char *name, const char *const *texts, size_t n)
{
	return checked(user, put_texts(user, name, texts, n), name);
}

/* A struct is a group. */
static ws_status
sink_open(void *user, const char *name)
{
	mat73 *m = user;
	const hid_t group = H5Gcreate2(m->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	if (group >= 0)
		m->at = group;
	return checked(m, group < 0 ? -1 : put_class(group, "struct"), name);
}

static ws_status
sink_close(void *user, const char *name, const char *const *fields, size_t n)
{
	mat73 *m = user;
	(void)fields;
	(void)n;
	const herr_t code = H5Gclose(m->at);
	m->at = m->file;
	return checked(m, code, name);
}

static ws_status
put_result(mat73 *m, const ws_fact *facts, size_t n_facts)
{
	static const wsi_mat_sink sink = { put_rows, sink_numbers, sink_text, sink_texts, sink_open,
		sink_close };
	const hid_t refs = H5Gcreate2(m->file, REFS, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	m->at = m->file;
	WSI_TRY(checked(m, refs < 0 ? -1 : H5Gclose(refs), "writing the names"));
	const ws_status status = wsi_mat_put(m->w, facts, n_facts, &sink, m);
	if (m->at != m->file)
		H5Gclose(m->at);
	return status;
}

/* What MATLAB looks at first, in the bytes that HDF5 left alone. */
static ws_status
put_user_block(const wsi_writer *w)
{
	FILE *f = wsi_newfile_stream(&w->file);
	if (!f)
		return wsi_write_fail(w->path);
	char head[128];
	memset(head, ' ', sizeof head);
	static const char text[] = "MATLAB 7.3 MAT-file, Platform: GLNXA64, Created by: "
	                           "wavesift HDF5 schema 1.00 .";
	memcpy(head, text, sizeof text - 1);
	memset(head + 116, 0, 8);
	uint16_t version[2] = { 0x0200, 0x4d49 };
	memcpy(head + 124, version, sizeof version);
	fwrite(head, 1, sizeof head, f);
	return wsi_write_close(f, w->path);
}

static ws_status
write_file(mat73 *m, const ws_fact *facts, size_t n_facts)
{
	const wsi_writer *w = m->w;
	m->file = wsi_h5_disk_create(&m->disk, &w->file, USER_BLOCK,
	                             w->header.threads);
	if (m->file < 0)
		return wsi_h5_disk_fail(&m->disk, w->path, "creating the file");
	ws_status status = put_result(m, facts, n_facts);
	if ((wsi_h5_disk_close(&m->disk, m->file) < 0 || m->disk.error) && status == WS_OK)
		status = wsi_h5_disk_fail(&m->disk, w->path, "closing the file");
	return status;
}

ws_status
wsi_mat73_write(wsi_writer *w, const ws_fact *facts, size_t n_facts)
{
	mat73 m = { .w = w };
	ws_status status;
	H5E_BEGIN_TRY {
		status = write_file(&m, facts, n_facts);
	} H5E_END_TRY
	if (status == WS_OK)
		status = put_user_block(w);
	return status;
}
