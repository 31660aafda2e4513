/*
 * writer_mat5.c - MAT version 5, element by element.
 *
 * An element is a tag (type, bytes) and its data, padded to 8 bytes.  A
 * matrix is an element that holds elements: flags, dimensions, name, data.
 * A compressed element holds one whole matrix as a zlib stream.
 */
#define _GNU_SOURCE /* open_memstream */
#include "io/write/writer_mat5.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "io/write/writer_mat_arrays.h"

enum { MI_INT8 = 1, MI_INT32 = 5, MI_UINT32 = 6, MI_SINGLE = 7, MI_DOUBLE = 9,
       MI_MATRIX = 14, MI_COMPRESSED = 15, MI_UTF16 = 17 };
enum { MX_CELL = 1, MX_STRUCT = 2, MX_CHAR = 4, MX_DOUBLE = 6, MX_SINGLE = 7, MX_INT32 = 12,
       MX_COMPLEX = 0x800 };

/* As MATLAB bounds names of fields, with their NUL. */
#define FIELD_BYTES 64

typedef struct mat5 {
	const wsi_writer *w;
	FILE *f;
	FILE *outer;    /* while f is memory, in which the fields of a struct are; else NULL */
	char *fields;
	size_t n_fields;  /* bytes */
	bool deflating;
	z_stream z;
	unsigned char out[1 << 15];
} mat5;

/* ---- Bytes, compressed or not ----------------------------------------------- */

static ws_status
put_plain(mat5 *m, const void *data, size_t n)
{
	if (n && fwrite(data, 1, n, m->f) != n)
		return wsi_write_fail(m->w->path);
	return WS_OK;
}

static ws_status
run_deflate(mat5 *m, int flush)
{
	int code;
	do {
		m->z.next_out = m->out;
		m->z.avail_out = sizeof m->out;
		code = deflate(&m->z, flush);
		WSI_TRY(put_plain(m, m->out, sizeof m->out - m->z.avail_out));
	} while (m->z.avail_out == 0 || (flush == Z_FINISH && code == Z_OK));
	return WS_OK;
}

static ws_status
put(mat5 *m, const void *data, size_t n)
{
	if (!m->deflating)
		return put_plain(m, data, n);
	for (const unsigned char *p = data; n > 0;) {
		uInt step = n < (1u << 30) ? (uInt)n : 1u << 30;
		m->z.next_in = (Bytef *)p;
		m->z.avail_in = step;
		WSI_TRY(run_deflate(m, Z_NO_FLUSH));
		p += step;
		n -= step;
	}
	return WS_OK;
}

static ws_status
put_tag(mat5 *m, uint32_t type, uint64_t bytes)
{
	uint32_t tag[2] = { type, (uint32_t)bytes };
	return put(m, tag, sizeof tag);
}

static uint64_t
padded(uint64_t n)
{
	return (n + 7) & ~(uint64_t)7;
}

static ws_status
put_padding(mat5 *m, uint64_t n)
{
	static const char zeros[8];
	return put(m, zeros, (size_t)(padded(n) - n));
}

static ws_status
put_element(mat5 *m, uint32_t type, const void *data, size_t n)
{
	WSI_TRY(put_tag(m, type, n));
	WSI_TRY(put(m, data, n));
	return put_padding(m, n);
}

/* ---- Matrices --------------------------------------------------------------- */

/* Bytes of a matrix's head after its tag, up to its data. */
static uint64_t
head_bytes(const char *name, int rank)
{
	return 16 + 8 + padded((uint64_t)rank * 4) + 8 + padded(strlen(name));
}

/* content: bytes of the elements that follow the head. */
static ws_status
put_head(mat5 *m, const char *name, uint32_t class, int rank, const size_t *dims,
         uint64_t content)
{
	WSI_TRY(put_tag(m, MI_MATRIX, head_bytes(name, rank) + content));
	uint32_t flags[2] = { class, 0 };
	WSI_TRY(put_element(m, MI_UINT32, flags, sizeof flags));
	int32_t sizes[WSI_FILE_AXES] = { 0 };
	for (int i = 0; i < rank; ++i)
		sizes[i] = (int32_t)dims[i];
	WSI_TRY(put_element(m, MI_INT32, sizes, (size_t)rank * 4));
	return put_element(m, MI_INT8, name, strlen(name));
}

/* Opens a variable: from here to end_variable all bytes are compressed, if
 * they are to be.  *where is the place of its tag. */
static ws_status
begin_variable(mat5 *m, long *where)
{
	*where = 0;
	if (m->w->header.compress <= 0 || m->outer)
		return WS_OK;
	*where = ftell(m->f);
	WSI_TRY(put_tag(m, MI_COMPRESSED, 0));
	m->z = (z_stream){ 0 };
	if (deflateInit(&m->z, m->w->header.compress) != Z_OK)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory to compress", m->w->path);
	m->deflating = true;
	return WS_OK;
}

static ws_status
end_variable(mat5 *m, long where)
{
	if (!m->deflating)
		return WS_OK;
	ws_status status = run_deflate(m, Z_FINISH);
	deflateEnd(&m->z);
	m->deflating = false;
	WSI_TRY(status);
	uint32_t bytes = (uint32_t)(ftell(m->f) - where - 8);
	if (fseek(m->f, where + 4, SEEK_SET) != 0)
		return wsi_write_fail(m->w->path);
	WSI_TRY(put_plain(m, &bytes, sizeof bytes));
	if (fseek(m->f, 0, SEEK_END) != 0)
		return wsi_write_fail(m->w->path);
	return WS_OK;
}

static ws_status
put_numbers(mat5 *m, const char *name, uint32_t class, uint32_t type, int rank,
            const size_t *dims, const void *data, size_t bytes)
{
	long where;
	WSI_TRY(begin_variable(m, &where));
	WSI_TRY(put_head(m, name, class, rank, dims, 8 + padded(bytes)));
	WSI_TRY(put_element(m, type, data, bytes));
	return end_variable(m, where);
}

static uint64_t
text_bytes(const char *text)
{
	return 8 + padded(wsi_utf16(text, NULL) * sizeof(uint16_t));
}

static ws_status
put_text(mat5 *m, const char *name, const char *text)
{
	size_t n = wsi_utf16(text, NULL);
	uint16_t *units;
	WSI_NEW(units, n + 1, "%s: out of memory", m->w->path);
	wsi_utf16(text, units);
	ws_status status = put_head(m, name, MX_CHAR, 2, (size_t[]){ n != 0, n }, text_bytes(text));
	if (status == WS_OK)
		status = put_element(m, MI_UTF16, units, n * sizeof *units);
	free(units);
	return status;
}

static ws_status
put_texts(mat5 *m, const char *name, const char *const *texts, size_t n)
{
	uint64_t content = 0;
	for (size_t i = 0; i < n; ++i)
		content += 8 + head_bytes("", 2) + text_bytes(texts[i]);
	long where;
	WSI_TRY(begin_variable(m, &where));
	WSI_TRY(put_head(m, name, MX_CELL, 2, (size_t[]){ 1, n }, content));
	for (size_t i = 0; i < n; ++i)
		WSI_TRY(put_text(m, "", texts[i]));
	return end_variable(m, where);
}

/* ---- The result -------------------------------------------------------------- */

typedef struct block_sink {
	mat5 *m;
	const wsi_mat_array *array;
	size_t part;       /* 0, or 1: the imaginary ones */
} block_sink;

/* Leaves the real or the imaginary parts of n numbers. */
static void
keep_part(void *block, ws_type type, size_t n, size_t part)
{
	const size_t size = wsi_type_size(wsi_type_part(type));
	char *to = block;
	const char *from = to + part * size;
	for (size_t i = 0; i < n; ++i)
		memmove(to + i * size, from + 2 * i * size, size);
}

static ws_status
put_block(void *user, size_t first, size_t count, void *block)
{
	(void)first;
	const block_sink *s = user;
	const wsi_mat_array *a = s->array;
	if (wsi_type_complex(a->type))
		keep_part(block, a->type, count * a->n_rows, s->part);
	return put(s->m, block, count * a->n_rows * wsi_type_size(wsi_type_part(a->type)));
}

static ws_status
put_rows(void *user, const wsi_mat_array *a)
{
	mat5 *m = user;
	const ws_type part = wsi_type_part(a->type);
	const size_t parts = wsi_type_complex(a->type) ? 2 : 1;
	const uint32_t class = part == WS_F64 ? MX_DOUBLE : part == WS_F32 ? MX_SINGLE : MX_INT32;
	const uint32_t type = part == WS_F64 ? MI_DOUBLE : part == WS_F32 ? MI_SINGLE : MI_INT32;
	const uint64_t bytes = (uint64_t)a->n_rows * a->count * wsi_type_size(part);
	long where;
	WSI_TRY(begin_variable(m, &where));
	WSI_TRY(put_head(m, a->name, parts == 2 ? class | MX_COMPLEX : class, a->rank, a->dims,
	                 parts * (8 + padded(bytes))));
	for (size_t p = 0; p < parts; ++p) {
		block_sink sink = { m, a, p };
		WSI_TRY(put_tag(m, type, bytes));
		WSI_TRY(wsi_spool_transpose(wsi_spooled_in(m->w, a->timed), a->rows, a->n_rows,
		                            a->count, put_block, &sink));
		WSI_TRY(put_padding(m, bytes));
	}
	return end_variable(m, where);
}

/* Fields have no names of their own: the struct has them all. */
static const char *
own_name(const mat5 *m, const char *name)
{
	return m->outer ? "" : name;
}

static ws_status
sink_numbers(void *user, const char *name, ws_type type, const void *values, size_t n)
{
	mat5 *m = user;
	return put_numbers(m, own_name(m, name), type == WS_I32 ? MX_INT32 : MX_DOUBLE,
	                   type == WS_I32 ? MI_INT32 : MI_DOUBLE, 2, (size_t[]){ 1, n }, values,
	                   n * wsi_type_size(type));
}

static ws_status
sink_text(void *user, const char *name, const char *text)
{
	mat5 *m = user;
	long where;
	WSI_TRY(begin_variable(m, &where));
	WSI_TRY(put_text(m, own_name(m, name), text));
	return end_variable(m, where);
}

static ws_status
sink_texts(void *user, const char *name, const char *const *texts, size_t n)
{
	return put_texts(user, own_name(user, name), texts, n);
}

/* A struct's size stands before its fields: they go to memory first. */
static ws_status
sink_open(void *user, const char *name)
{
	mat5 *m = user;
	(void)name;
	FILE *memory = open_memstream(&m->fields, &m->n_fields);
	WSI_HAVE(memory, "%s: out of memory", m->w->path);
	m->outer = m->f;
	m->f = memory;
	return WS_OK;
}

static ws_status
sink_close(void *user, const char *name, const char *const *fields, size_t n)
{
	mat5 *m = user;
	const bool whole = fclose(m->f) == 0 && m->fields; /* without memory it may tell 0 */
	const uint32_t length[2] = { 4u << 16 | MI_INT32, FIELD_BYTES };
	long where;
	m->f = m->outer;
	m->outer = NULL;
	WSI_HAVE(whole, "%s: out of memory", m->w->path);
	WSI_TRY(begin_variable(m, &where));
	WSI_TRY(put_head(m, name, MX_STRUCT, 2, (size_t[]){ 1, 1 },
	                 sizeof length + 8 + n * FIELD_BYTES + m->n_fields));
	WSI_TRY(put(m, length, sizeof length));
	WSI_TRY(put_tag(m, MI_INT8, n * FIELD_BYTES));
	for (size_t i = 0; i < n; ++i) {
		char field[FIELD_BYTES] = "";
		snprintf(field, sizeof field, "%s", fields[i]);
		WSI_TRY(put(m, field, sizeof field));
	}
	WSI_TRY(put(m, m->fields, m->n_fields));
	free(m->fields);
	m->fields = NULL;
	return end_variable(m, where);
}

static ws_status
put_file_head(mat5 *m)
{
	char head[128] = { 0 };
	char date[32] = "";
	time_t now = time(NULL);
	struct tm utc;
	if (gmtime_r(&now, &utc))
		strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y", &utc);
	int n = snprintf(head, 117, "MATLAB 5.0 MAT-file, Platform: GLNXA64, Created by: "
	                 "wavesift on: %s", date);
	memset(head + n, ' ', (size_t)(116 - n));
	uint16_t version[2] = { 0x0100, 0x4d49 };
	memset(head + 116, 0, 8);
	memcpy(head + 124, version, sizeof version);
	return put(m, head, sizeof head);
}

ws_status
wsi_mat5_write(wsi_writer *w, const ws_fact *facts, size_t n_facts)
{
	static const wsi_mat_sink sink = { put_rows, sink_numbers, sink_text, sink_texts, sink_open,
		sink_close };
	mat5 *m;
	WSI_NEW(m, 1, "%s: out of memory", w->path);
	m->w = w;
	m->f = wsi_newfile_stream(&w->file);
	ws_status status = m->f ? put_file_head(m) : wsi_write_fail(w->path);
	if (status == WS_OK)
		status = wsi_mat_put(w, facts, n_facts, &sink, m);
	if (m->outer) {
		fclose(m->f);
		m->f = m->outer;
	}
	free(m->fields);
	if (m->deflating)
		deflateEnd(&m->z);
	if (m->f) {
		if (status == WS_OK)
			status = wsi_write_close(m->f, w->path);
		else
			fclose(m->f);
	}
	free(m);
	return status;
}
