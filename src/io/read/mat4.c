/*
 * mat4.c - MAT files of version 4: variables one after the other, each a head of five numbers, its
 * name, and its values by columns.  They have no checksum.
 *
 * The first number is MOPT in decimal: M byte order (0 little, 1 big), P type, T kind (0 numbers, 1
 * text, 2 sparse: rows of row, column, value, the last row its size).
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "io/read/mat4.h"

#define HEAD_BYTES 20
#define MOST_NAME 256

typedef struct head {
	uint32_t kind, rows, columns, complex, name;
} head;

typedef struct place {
	uint64_t at;       /* of its values */
	head h;
} place;

static const wsi_sample_type types[6] = { WSI_F64, WSI_F32, WSI_I32, WSI_I16, WSI_U16, WSI_U8 };

/* Its first number is below 10000, in its own byte order. */
static bool
is_big(const unsigned char *b)
{
	return b[0] == 0 && b[1] == 0 && (b[2] | b[3]) != 0;
}

static void
take_head(const unsigned char *b, head *h)
{
	uint32_t words[5];
	const bool big = is_big(b);
	for (int i = 0; i < 5; ++i, b += 4)
		words[i] = big ? (uint32_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3]
		           : (uint32_t)b[3] << 24 | b[2] << 16 | b[1] << 8 | b[0];
	*h = (head){ words[0] - (big ? 1000 : 0), words[1], words[2], words[3], words[4] };
}

static wsi_sample_type
type_of(const head *h)
{
	return types[h->kind / 10 % 10];
}

static bool
is_head(const head *h)
{
	return h->kind < 60 && h->kind % 10 <= 2 && h->complex <= 1 && h->name >= 2
	       && h->name <= MOST_NAME && h->rows <= INT32_MAX && h->columns <= INT32_MAX;
}

/* As MATLAB allows them, with a null byte at the end. */
static bool
is_name(const unsigned char *name, size_t n)
{
	for (size_t i = 0; i + 1 < n; ++i)
		if (!isalnum(name[i]) && (name[i] != '_' || i == 0))
			return false;
	return isalpha(name[0]) && name[n - 1] == 0;
}

bool
wsi_mat4_probe(const unsigned char *b, size_t n)
{
	head h;
	if (n < HEAD_BYTES)
		return false;
	take_head(b, &h);
	return is_head(&h) && n >= HEAD_BYTES + h.name && is_name(b + HEAD_BYTES, h.name);
}

/* Bytes of its values; more than any file has where that is no number. */
static uint64_t
value_bytes(const head *h)
{
	size_t n;
	if (!wsi_mul_size(h->rows, h->columns, &n)
	    || !wsi_mul_size(n, wsi_sample_bytes(type_of(h)) * (1 + h->complex), &n))
		return UINT64_MAX;
	return n;
}

/* A sparse matrix is as large as its last row says. */
static ws_status
take_shape(wsi_mat *m, wsi_mat_var *v)
{
	const place *where = v->place;
	const head *h = &where->h;
	size_t dims[2] = { h->rows, h->columns };
	v->class = h->kind % 10 == 1 ? WSI_MAT_CHAR : WSI_MAT_NUMBER;
	v->type = type_of(h);
	v->sparse = h->kind % 10 == 2;
	v->complex = v->sparse ? h->columns == 4 : h->complex;
	if (v->sparse && (h->rows < 1 || h->columns < 3 || h->columns > 4 || h->complex))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: the sparse matrix %s has no size",
		                m->path, v->name);
	for (size_t i = 0; v->sparse && i < 2; ++i) {
		const size_t size = wsi_sample_bytes(v->type);
		unsigned char b[8];
		double value;
		WSI_TRY(wsi_file_read(&m->file, where->at + ((i + 1) * h->rows - 1) * size, b,
		                      size));
		wsi_decode(b, size, 1, v->type, m->big_endian, &value);
		if (!(value >= 0 && value <= INT32_MAX))
			return WSI_FAIL(WS_E_FORMAT, "%s: damaged: the sparse matrix %s has no "
			                "size", m->path, v->name);
		dims[i] = (size_t)value;
	}
	WSI_TRY(wsi_mat_set_dims(m, v, 2, dims));
	v->n_values = v->n;
	return WS_OK;
}

ws_status
wsi_mat4_index(wsi_mat *m)
{
	const wsi_file *f = &m->file;
	for (uint64_t at = 0; at < f->bytes;) {
		unsigned char b[HEAD_BYTES], name[MOST_NAME];
		wsi_mat_var *v;
		head h;
		if (f->bytes - at < HEAD_BYTES)
			return WSI_FAIL(WS_E_FORMAT, "%s: truncated: %llu bytes are left where a "
			                "variable begins", f->path,
			                (unsigned long long)(f->bytes - at));
		WSI_TRY(wsi_file_read(f, at, b, sizeof b));
		take_head(b, &h);
		/* All variables are of the order of the first. */
		if (at == 0)
			m->big_endian = is_big(b);
		if (!is_head(&h) || is_big(b) != m->big_endian
		    || h.name > f->bytes - at - HEAD_BYTES)
			return WSI_FAIL(WS_E_FORMAT, "%s: damaged: no variable begins at byte %llu",
			                f->path, (unsigned long long)at);
		at += HEAD_BYTES;
		WSI_TRY(wsi_file_read(f, at, name, h.name));
		if (!is_name(name, h.name))
			return WSI_FAIL(WS_E_FORMAT, "%s: damaged: no variable begins at byte %llu",
			                f->path, (unsigned long long)(at - HEAD_BYTES));
		at += h.name;
		if (value_bytes(&h) > f->bytes - at)
			return WSI_FAIL(WS_E_FORMAT, "%s: truncated: variable %s needs %llu bytes, "
			                "%llu are left", f->path, name,
			                (unsigned long long)value_bytes(&h),
			                (unsigned long long)(f->bytes - at));
		WSI_TRY(wsi_mat_new(m, true, sizeof(place), &v));
		*(place *)v->place = (place){ .at = at, .h = h };
		v->name = strdup((const char *)name);
		WSI_HAVE(v->name, "%s: no memory for a name", f->path);
		WSI_TRY(take_shape(m, v));
		at += value_bytes(&h);
	}
	return WS_OK;
}

/* Rows of row, column, value and imaginary part, put into order by columns. */
static ws_status
load_sparse(wsi_mat *m, wsi_mat_var *v, const double *x)
{
	const head *h = &((const place *)v->place)->h;
	const size_t nz = h->rows - 1, columns = v->dims[1], stride = h->rows;
	double *starts = calloc(columns + 2, sizeof *starts);
	double *sorted = malloc((3 * nz + 1) * sizeof *sorted);
	size_t *next = calloc(columns + 1, sizeof *next);
	ws_status status = starts && sorted && next ? WS_OK
	                   : WSI_FAIL(WS_E_NOMEM, "%s: no memory for %s", m->path, v->name);
	for (size_t i = 0; i < nz && status == WS_OK; ++i)
		if (!(x[stride + i] >= 1 && x[stride + i] <= (double)columns && x[i] >= 1))
			status = WSI_FAIL(WS_E_FORMAT, "%s: damaged: the sparse matrix %s has "
			                  "values outside of it", m->path, v->name);
		else
			starts[(size_t)x[stride + i]]++;
	for (size_t c = 0; c < columns && status == WS_OK; ++c) {
		next[c] = (size_t)starts[c];
		starts[c + 1] += starts[c];
	}
	for (size_t i = 0; i < nz && status == WS_OK; ++i) {
		const size_t k = next[(size_t)x[stride + i] - 1]++;
		sorted[k] = x[i] - 1;
		sorted[nz + k] = x[2 * stride + i];
		sorted[2 * nz + k] = v->complex ? x[3 * stride + i] : 0;
	}
	if (status == WS_OK)
		status = wsi_mat_fill(m, v, nz, sorted, starts, sorted + nz,
		                      v->complex ? sorted + 2 * nz : NULL);
	free(starts);
	free(sorted);
	free(next);
	return status;
}

static ws_status
load_values(wsi_mat *m, wsi_mat_var *v)
{
	const place *where = v->place;
	const size_t all = (size_t)value_bytes(&where->h), bytes = all / (1 + where->h.complex);
	const size_t size = wsi_sample_bytes(v->type);
	WSI_TRY(wsi_mat_take(m, all));
	v->values = malloc(bytes + 1);
	if (v->values && where->h.complex)
		v->imaginary = malloc(bytes + 1);
	if (!v->values || (where->h.complex && !v->imaginary))
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for %s", m->path, v->name);
	WSI_TRY(wsi_file_read(&m->file, where->at, v->values, bytes));
	if (v->imaginary)
		WSI_TRY(wsi_file_read(&m->file, where->at + bytes, v->imaginary, bytes));
	if (!v->sparse)
		return WS_OK;
	double *x = malloc(bytes / size * sizeof *x);
	ws_status status = x ? WS_OK : WSI_FAIL(WS_E_NOMEM, "%s: no memory for %s", m->path,
	                                        v->name);
	if (x)
		wsi_decode(v->values, size, bytes / size, v->type, m->big_endian, x);
	wsi_mat_drop(v);
	if (status == WS_OK)
		status = load_sparse(m, v, x);
	free(x);
	return status;
}

ws_status
wsi_mat4_load(wsi_mat *m, wsi_mat_var *v)
{
	if (v->values || v->n == 0)
		return WS_OK;
	const ws_status status = load_values(m, v);
	if (status != WS_OK)
		wsi_mat_drop(v);
	return status;
}
