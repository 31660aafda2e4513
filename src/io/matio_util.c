/* matio_util.c - MAT files through matio. */
#include "io/matio_util.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5.h>

#include "io/h5.h"
#include "io/readers.h"

#define HEAD_BYTES 128

/* Deflate shrinks by 1032 at most, and a value takes a byte at least: MATLAB
 * stores whole-valued doubles as bytes. */
#define MAX_SHRINK 1032

/* matio tells its log alone that compressed values end with the file, and puts zeros. */
static _Thread_local bool lacking;

static void
note(int level, char *message)
{
	(void)level;
	lacking |= strstr(message, "EOF") || strstr(message, "end-of-file");
}

/* ---- The file ------------------------------------------------------------------ */

/* Bytes 124..127 hold the version and "MI" in the writer's byte order. */
static int
version_of(const unsigned char *head, size_t n)
{
	if (n < HEAD_BYTES || memcmp(head, "MATLAB", 6) != 0)
		return 0;
	if (memcmp(head + 126, "IM", 2) == 0)
		return head[124] | head[125] << 8;
	if (memcmp(head + 126, "MI", 2) == 0)
		return head[125] | head[124] << 8;
	return 0;
}

bool
wsi_mat_probe(const unsigned char *head, size_t n)
{
	int version = version_of(head, n);
	return version == 0x0100 || version == 0x0200;
}

static ws_status
check_file(wsi_mat *m)
{
	wsi_file f;
	unsigned char head[HEAD_BYTES];
	WSI_TRY(wsi_file_open(&f, m->source, NULL));
	f.path = m->path;
	m->bytes = f.bytes;
	ws_status status = f.bytes < HEAD_BYTES
		? WSI_FAIL(WS_E_FORMAT, "%s: truncated: a MAT file begins with 128 bytes, "
		           "this has %llu", m->path, (unsigned long long)f.bytes)
		: wsi_file_read(&f, 0, head, sizeof head);
	int version = status == WS_OK ? version_of(head, sizeof head) : 0;
	m->hdf5 = version == 0x0200;
	if (status == WS_OK && version == 0x0100)
		status = wsi_mat5_check(&f, head[126] == 'M');
	else if (status == WS_OK && !m->hdf5)
		status = WSI_FAIL(WS_E_FORMAT, "%s: not a MAT file of version 5 or 7.3; "
		                  "save it with save(name, '-v7')", m->path);
	wsi_file_close(&f);
	return status;
}

/* matio takes a file that HDF5 refuses for one without variables, and follows all links. */
static ws_status
check_hdf5(const wsi_mat *m)
{
	hid_t file = H5Fopen(m->source, H5F_ACC_RDONLY, H5P_DEFAULT);
	if (file < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: it begins like a MAT file, "
		                "but HDF5 cannot open it", m->path);
	const ws_status status = wsi_h5_check_file(file, m->path, m->memory);
	H5Fclose(file);
	return status;
}

ws_status
wsi_mat_open(wsi_mat *m, const char *path, const char *source, size_t memory)
{
	ws_status status = WS_OK;
	*m = (wsi_mat){ .path = path, .source = source, .memory = memory };
	WSI_TRY(check_file(m));
	H5E_BEGIN_TRY {
		/* Gives HDF5 a handler of matio's, too. */
		Mat_LogInitFunc("wavesift", note);
		if (m->hdf5)
			status = check_hdf5(m);
		if (status == WS_OK)
			m->mat = Mat_Open(source, MAT_ACC_RDONLY);
	} H5E_END_TRY
	if (status == WS_OK && !m->mat)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: it begins like a "
		                "MAT file, but cannot be opened as one", path);
	return status;
}

void
wsi_mat_close(wsi_mat *m)
{
	H5E_BEGIN_TRY {
		if (m->mat)
			Mat_Close(m->mat);
	} H5E_END_TRY
	m->mat = NULL;
}

matvar_t *
wsi_mat_find(wsi_mat *m, const char *name)
{
	matvar_t *v;
	H5E_BEGIN_TRY {
		v = Mat_VarReadInfo(m->mat, name);
	} H5E_END_TRY
	return v;
}

matvar_t *
wsi_mat_next(wsi_mat *m)
{
	matvar_t *v;
	H5E_BEGIN_TRY {
		v = Mat_VarReadNextInfo(m->mat);
	} H5E_END_TRY
	return v;
}

void
wsi_mat_free(matvar_t *v)
{
	/* Of version 7.3 it may hold objects of HDF5. */
	H5E_BEGIN_TRY {
		Mat_VarFree(v);
	} H5E_END_TRY
}

matvar_t *
wsi_mat_first(wsi_mat *m)
{
	Mat_Rewind(m->mat);
	return wsi_mat_next(m);
}

/* ---- Numbers --------------------------------------------------------------------- */

static size_t
value_bytes(const matvar_t *v)
{
	switch (v->class_type) {
	case MAT_C_DOUBLE: case MAT_C_INT64: case MAT_C_UINT64: return 8;
	case MAT_C_SINGLE: case MAT_C_INT32: case MAT_C_UINT32: return 4;
	case MAT_C_INT16: case MAT_C_UINT16: return 2;
	case MAT_C_INT8: case MAT_C_UINT8: return 1;
	default: return 0;
	}
}

/* False where the product of the dimensions overflows. */
static bool
count_values(const matvar_t *v, size_t *n)
{
	*n = v->rank > 0 && v->dims ? 1 : 0;
	for (int i = 0; i < v->rank && *n; ++i)
		if (!wsi_mul_size(*n, v->dims[i], n))
			return false;
	return true;
}

bool
wsi_mat_is_numeric(const matvar_t *v)
{
	size_t n;
	return value_bytes(v) != 0 && !v->isComplex && count_values(v, &n) && n > 0;
}

bool
wsi_mat_is_complex(const matvar_t *v)
{
	size_t n;
	return value_bytes(v) != 0 && v->isComplex && count_values(v, &n) && n > 0;
}

static double
element(const void *data, enum matio_classes class, size_t i)
{
	switch (class) {
	case MAT_C_DOUBLE: return ((const double *)data)[i];
	case MAT_C_SINGLE: return (double)((const float *)data)[i];
	case MAT_C_INT64:  return (double)((const int64_t *)data)[i];
	case MAT_C_UINT64: return (double)((const uint64_t *)data)[i];
	case MAT_C_INT32:  return ((const int32_t *)data)[i];
	case MAT_C_UINT32: return ((const uint32_t *)data)[i];
	case MAT_C_INT16:  return ((const int16_t *)data)[i];
	case MAT_C_UINT16: return ((const uint16_t *)data)[i];
	case MAT_C_INT8:   return ((const int8_t *)data)[i];
	default:           return ((const uint8_t *)data)[i];
	}
}

ws_status
wsi_mat_check(const wsi_mat *m, const matvar_t *v)
{
	size_t n, bytes;
	/* Version 5 tells whether it is compressed. */
	size_t shrink = m->hdf5 || v->compression == MAT_COMPRESSION_ZLIB ? MAX_SHRINK : 1;
	if (!count_values(v, &n) || !wsi_mul_size(n, sizeof(double), &bytes)
	    || n / shrink > m->bytes)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: variable %s claims more values "
		                "than the file can hold", m->path, v->name ? v->name : "(a field)");
	return WS_OK;
}

size_t
wsi_mat_held(const wsi_mat *m, const matvar_t *v)
{
	size_t n;
	if (v->isComplex)
		return count_values(v, &n) ? 2 * n * value_bytes(v) : 0;
	return m->hdf5 || !count_values(v, &n) ? 0 : n * value_bytes(v);
}

ws_status
wsi_mat_fits(const wsi_mat *m, const matvar_t *v)
{
	const size_t bytes = wsi_mat_held(m, v);
	if (m->memory && bytes > m->memory)
		return WSI_FAIL(WS_E_NOMEM, "%s: variable %s has %zu bytes and is held in memory "
		                "whole, more than --memory leaves; give more, or save the file "
		                "with -v7.3", m->path, v->name ? v->name : "(a field)", bytes);
	return WS_OK;
}

ws_status
wsi_mat_load(wsi_mat *m, matvar_t *v)
{
	/* Cells and structs hold their members already, but without values. */
	if (v->data && v->class_type != MAT_C_CELL && v->class_type != MAT_C_STRUCT)
		return WS_OK;
	WSI_TRY(wsi_mat_check(m, v));
	WSI_TRY(wsi_mat_fits(m, v));
	size_t n = 0;
	bool numeric = wsi_mat_is_numeric(v);
	count_values(v, &n);
	size_t bytes = n * value_bytes(v);
	int code;
	lacking = false;
	H5E_BEGIN_TRY {
		code = Mat_VarReadDataAll(m->mat, v);
	} H5E_END_TRY
	/* matio answers success for values it could not unpack. */
	if (code != 0 || lacking || (numeric && (!v->data || v->nbytes < bytes)))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: the values of variable "
		                "%s cannot be read", m->path, v->name ? v->name : "(a field)");
	return WS_OK;
}

double
wsi_mat_value(const matvar_t *v, size_t i)
{
	size_t n;
	if (!v || !v->data || !wsi_mat_is_numeric(v) || !count_values(v, &n) || i >= n
	    || v->nbytes / value_bytes(v) <= i)
		return NAN;
	return element(v->data, v->class_type, i);
}

bool
wsi_mat_scalar(wsi_mat *m, const char *name, double *value)
{
	matvar_t *v = wsi_mat_find(m, name);
	if (!v)
		return false;
	size_t n;
	bool good = wsi_mat_is_numeric(v) && count_values(v, &n) && n == 1
	            && wsi_mat_load(m, v) == WS_OK;
	if (good)
		*value = wsi_mat_value(v, 0);
	wsi_mat_free(v);
	return good;
}

/* From memory, data: axes differ in how far their values lie apart. */
static void
gather(const matvar_t *v, const void *data, const size_t *start, int axis, size_t count,
       double *out)
{
	size_t at = 0, step = 1, stride = 1;
	for (int i = 0; i < v->rank; ++i) {
		at += start[i] * stride;
		if (i == axis)
			step = stride;
		stride *= v->dims[i];
	}
	for (size_t i = 0; i < count; ++i)
		out[i] = element(data, v->class_type, at + i * step);
}

/* From the file, piece by piece. */
static ws_status
read_slab(wsi_mat *m, matvar_t *v, const size_t *start, int axis, size_t count, double *out)
{
	enum { PIECE = 1 << 16 };
	int from[H5S_MAX_RANK], step[H5S_MAX_RANK], edge[H5S_MAX_RANK];
	void *piece = malloc(PIECE * sizeof(double));
	if (!piece)
		return WSI_FAIL(WS_E_NOMEM, "%s: out of memory", m->path);
	int code = 0;
	for (size_t done = 0; done < count && code == 0; done += PIECE) {
		size_t n = count - done < PIECE ? count - done : PIECE;
		for (int i = 0; i < v->rank; ++i) {
			from[i] = (int)(start[i] + (i == axis ? done : 0));
			step[i] = 1;
			edge[i] = i == axis ? (int)n : 1;
		}
		H5E_BEGIN_TRY {
			code = Mat_VarReadData(m->mat, v, piece, from, step, edge);
		} H5E_END_TRY
		for (size_t i = 0; i < n && code == 0; ++i)
			out[done + i] = element(piece, v->class_type, i);
	}
	free(piece);
	if (code != 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: the values of variable "
		                "%s cannot be read", m->path, v->name ? v->name : "(a field)");
	return WS_OK;
}

ws_status
wsi_mat_line(wsi_mat *m, matvar_t *v, const size_t *start, int axis, size_t count,
             double *out)
{
	bool small = v->rank <= H5S_MAX_RANK;
	for (int i = 0; i < v->rank; ++i)
		small = small && v->dims[i] <= INT_MAX;
	if (m->hdf5 && !v->data && small)
		return read_slab(m, v, start, axis, count, out);
	WSI_TRY(wsi_mat_load(m, v));
	gather(v, v->data, start, axis, count, out);
	return WS_OK;
}

ws_status
wsi_mat_complex_line(wsi_mat *m, matvar_t *v, const size_t *start, int axis, size_t count,
                     int part, double *out)
{
	size_t n = 0;
	WSI_TRY(wsi_mat_load(m, v));
	const mat_complex_split_t *split = v->data;
	count_values(v, &n);
	if (!split || !split->Re || !split->Im || v->nbytes / value_bytes(v) < n)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged or truncated: the values of variable "
		                "%s cannot be read", m->path, v->name ? v->name : "(a field)");
	gather(v, part ? split->Im : split->Re, start, axis, count, out);
	return WS_OK;
}

/* ---- Structs and cells --------------------------------------------------------------- */

/* matio's own accessors believe the dimensions; this is what it allocated. */
static size_t
members(const matvar_t *v)
{
	return v->data && v->data_size > 0 ? v->nbytes / (size_t)v->data_size : 0;
}

size_t
wsi_mat_struct_count(const matvar_t *v)
{
	size_t n;
	if (!v || v->class_type != MAT_C_STRUCT || !count_values(v, &n))
		return 0;
	unsigned fields = Mat_VarGetNumberOfFields((matvar_t *)v);
	return fields > 0 && members(v) / fields >= n ? n : 0;
}

matvar_t *
wsi_mat_field(matvar_t *v, const char *name, size_t i)
{
	if (i >= wsi_mat_struct_count(v))
		return NULL;
	/* matio looks for the name itself, but believes that each field has one. */
	char *const *names = Mat_VarGetStructFieldnames(v);
	const unsigned fields = Mat_VarGetNumberOfFields(v);
	for (unsigned k = 0; names && k < fields; ++k)
		if (names[k] && strcmp(names[k], name) == 0)
			return ((matvar_t **)v->data)[i * fields + k];
	return NULL;
}

matvar_t *
wsi_mat_cell(const matvar_t *v, size_t i)
{
	return v->class_type == MAT_C_CELL && i < members(v) ? ((matvar_t **)v->data)[i] : NULL;
}

/* ---- Texts ------------------------------------------------------------------------- */

static size_t
put_utf8(uint32_t code, char *out)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };
	out[0] = (char)(lead[more] | code >> (6 * more));
	for (int i = 1; i <= more; ++i)
		out[i] = (char)(0x80 | (code >> (6 * (more - i)) & 0x3f));
	return (size_t)more + 1;
}

/* Code units, stride apart, as UTF-8: at most 3 bytes for each. */
static size_t
utf8_from_units(const uint16_t *units, size_t n, size_t stride, char *out)
{
	size_t length = 0;
	for (size_t i = 0; i < n; ++i) {
		uint32_t code = units[i * stride];
		uint32_t next = i + 1 < n ? units[(i + 1) * stride] : 0;
		if (code == 0)
			break;
		if ((code & 0xfc00) == 0xd800 && (next & 0xfc00) == 0xdc00) {
			code = 0x10000 + ((code & 0x3ff) << 10) + (next & 0x3ff);
			++i;
		}
		length += put_utf8(code, out + length);
	}
	return length;
}

char *
wsi_mat_text(const matvar_t *v, size_t row)
{
	if (!v || v->class_type != MAT_C_CHAR || v->rank != 2 || !v->dims)
		return NULL;
	bool wide = v->data_type == MAT_T_UINT16 || v->data_type == MAT_T_UTF16;
	if (!wide && v->data_type != MAT_T_UINT8 && v->data_type != MAT_T_INT8
	    && v->data_type != MAT_T_UTF8)
		return NULL;
	size_t rows = v->dims[0], units = v->data ? v->nbytes / (wide ? 2 : 1) : 0;
	/* In one row of UTF-8 a letter may take several bytes. */
	size_t n = rows == 1 ? units : rows ? units / rows : 0;
	if (rows != 0 && row >= rows)
		return NULL;
	/* It ends where it ends, whatever it claims. */
	size_t used = 0;
	while (used < n && (wide ? ((const uint16_t *)v->data)[row + used * rows]
	                    : ((const unsigned char *)v->data)[row + used * rows]))
		++used;
	n = used;
	char *text = malloc(3 * n + 1);
	if (!text)
		return NULL;
	size_t length = 0;
	if (wide && n)
		length = utf8_from_units((const uint16_t *)v->data + row, n, rows, text);
	else
		for (size_t i = 0; i < n; ++i)
			text[length++] = ((const char *)v->data)[row + i * rows];
	while (length > 0 && text[length - 1] == ' ')
		--length;
	text[length] = '\0';
	return text;
}
