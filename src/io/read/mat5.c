/*
 * mat5.c - the elements of a MAT file of version 5.
 *
 * An element is a tag (type, bytes) and its data, padded to 8 bytes; up to 4 bytes lie in the tag
 * itself.  A matrix is an element that holds elements: flags, dimensions, name, and then a real
 * and an imaginary part, or further matrices.  A packed element holds one matrix.
 *
 * The heads of variables are read when the file is opened; what structs and cells hold once it is
 * wanted, with the values of what is small.  Larger ones are noted by their place in the variable.
 */
#include "io/read/mat5.h"
#include "io/read/mat5_array.h"

#include <stdlib.h>

#define HEAD_BYTES 128

/* Packed variables of no more bytes in the file, and unpacked, are checked at once. */
#define CHECKED_AT_ONCE ((uint64_t)1 << 20)
#define UNPACKED_AT_ONCE ((uint64_t)32 << 20)
/* Values of more bytes are left where they are until they are wanted. */
#define KEPT_AT_ONCE ((uint64_t)1 << 16)

/* ---- Variables --------------------------------------------------------------------------- */

/* Opens a variable's stream, and finds the end of its matrix in it. */
static ws_status
begin(mat5_parser *p, wsi_mat *m, const wsi_mat_var *v, uint64_t *end)
{
	const mat5_place *where = v->place;
	mat5_tag t;
	*p = (mat5_parser){ .m = m, .top = v };
	WSI_TRY(wsi_mat_stream_open(&p->s, &m->file, where->begin, where->end, where->packed));
	*end = where->end - where->begin;
	if (!where->packed)
		return WS_OK;
	WSI_TRY(wsi_mat5_next_tag(p, UINT64_MAX, &t));
	if (t.type != MI_MATRIX || t.small)
		return wsi_mat5_damaged(p, "what is packed is no array");
	if (t.bytes / WSI_MAT_SHRINK > where->end - where->begin)
		return wsi_mat5_damaged(p, "it claims more values than the file can hold");
	*end = p->s.at + t.bytes;
	return WS_OK;
}

/* Past what is left of the matrix that ends there, and to the end of the variable. */
static ws_status
finish(mat5_parser *p, uint64_t end, wsi_mat_var *v)
{
	if (p->s.at > end)
		return wsi_mat5_damaged(p, "an array is longer than it says");
	WSI_TRY(wsi_mat_stream_read(&p->s, NULL, end - p->s.at));
	WSI_TRY(wsi_mat_stream_finish(&p->s));
	((mat5_place *)v->place)->checked = true;
	return WS_OK;
}

/* The head of a variable; all of it is checked where that is soon done. */
static ws_status
look_at(wsi_mat *m, wsi_mat_var *v)
{
	const mat5_place *where = v->place;
	mat5_parser p;
	uint64_t end;
	ws_status status = begin(&p, m, v, &end);
	p.head = true;
	if (status == WS_OK)
		status = wsi_mat5_parse(&p, end - p.s.at, 0, v);
	if (status == WS_OK && where->packed && end <= UNPACKED_AT_ONCE
	    && where->end - where->begin <= CHECKED_AT_ONCE)
		status = finish(&p, end, v);
	wsi_mat_stream_close(&p.s);
	return status;
}

ws_status
wsi_mat5_index(wsi_mat *m)
{
	const wsi_file *f = &m->file;
	for (uint64_t at = HEAD_BYTES; at < f->bytes;) {
		unsigned char b[8];
		wsi_mat_var *v;
		if (f->bytes - at < sizeof b)
			return WSI_FAIL(WS_E_FORMAT, "%s: truncated: %llu bytes are left "
			                "where a variable begins, at byte %llu", f->path,
			                (unsigned long long)(f->bytes - at),
			                (unsigned long long)at);
		WSI_TRY(wsi_file_read(f, at, b, sizeof b));
		const uint32_t type = wsi_mat5_word(m, b);
		const uint64_t bytes = wsi_mat5_word(m, b + 4);
		at += sizeof b;
		if (type != MI_MATRIX && type != MI_COMPRESSED)
			return WSI_FAIL(WS_E_FORMAT, "%s: damaged: no variable begins at byte %llu",
			                f->path, (unsigned long long)(at - sizeof b));
		if (bytes > f->bytes - at)
			return WSI_FAIL(WS_E_FORMAT, "%s: truncated: the variable at byte %llu "
			                "needs %llu bytes, %llu are left", f->path,
			                (unsigned long long)at, (unsigned long long)bytes,
			                (unsigned long long)(f->bytes - at));
		WSI_TRY(wsi_mat_new(m, true, sizeof(mat5_place), &v));
		*(mat5_place *)v->place = (mat5_place){ .begin = at, .end = at + bytes, .top = true,
			.packed = type == MI_COMPRESSED };
		WSI_TRY(look_at(m, v));
		at += bytes;
	}
	return WS_OK;
}

/* All of a variable, with values of so many bytes. */
static ws_status
parse_whole(wsi_mat *m, wsi_mat_var *v, uint64_t keep)
{
	mat5_parser p;
	uint64_t end;
	ws_status status = begin(&p, m, v, &end);
	p.keep = keep;
	if (status == WS_OK)
		status = wsi_mat5_parse(&p, end - p.s.at, 0, v);
	if (status == WS_OK)
		status = finish(&p, end, v);
	wsi_mat_stream_close(&p.s);
	return status;
}

/* A part of a variable, from its place in it. */
static ws_status
read_part(mat5_parser *p, const mat5_part *a, unsigned char **values)
{
	WSI_TRY(wsi_mat5_make_room(p->m, a, values));
	if (a->at < p->s.at)
		return wsi_mat5_damaged(p, "its parts are in no order");
	WSI_TRY(wsi_mat_stream_read(&p->s, NULL, a->at - p->s.at));
	return wsi_mat_stream_read(&p->s, *values, a->bytes);
}

/* The values of a part as numbers. */
static ws_status
as_numbers(wsi_mat *m, const mat5_part *a, const unsigned char *values, double **out)
{
	const size_t size = wsi_sample_bytes(a->type), n = (size_t)a->bytes / size;
	*out = values ? malloc(n * sizeof **out + 1) : NULL;
	WSI_HAVE(*out, "%s: no memory for %zu numbers", m->path, n);
	wsi_decode(values, size, n, a->type, m->big_endian, *out);
	return WS_OK;
}

static size_t
count(const mat5_part *a)
{
	return (size_t)(a->bytes / wsi_sample_bytes(a->type));
}

static ws_status
load_sparse(mat5_parser *p, wsi_mat_var *v)
{
	const mat5_place *where = v->place;
	const mat5_part *const parts[] = { &where->rows, &where->starts, &where->parts[0],
		&where->parts[1] };
	unsigned char *raw[4] = { NULL };
	double *numbers[4] = { NULL };
	ws_status status = WS_OK;
	for (int i = 0; i < 3 + v->complex && status == WS_OK; ++i) {
		status = read_part(p, parts[i], &raw[i]);
		if (status == WS_OK)
			status = as_numbers(p->m, parts[i], raw[i], &numbers[i]);
		free(raw[i]);
	}
	size_t nz = count(parts[0]);
	nz = count(parts[2]) < nz ? count(parts[2]) : nz;
	nz = v->complex && count(parts[3]) < nz ? count(parts[3]) : nz;
	if (status == WS_OK && count(parts[1]) < v->dims[1] + 1)
		status = wsi_mat5_damaged(p, "a sparse matrix has too few columns");
	if (status == WS_OK)
		status = wsi_mat_fill(p->m, v, nz, numbers[0], numbers[1], numbers[2], numbers[3]);
	for (int i = 0; i < 4; ++i)
		free(numbers[i]);
	return status;
}

/* Of a part of a variable. */
static ws_status
load_values(wsi_mat *m, wsi_mat_var *v)
{
	mat5_place *where = v->place;
	mat5_parser p;
	uint64_t end;
	ws_status status = begin(&p, m, v, &end);
	if (status == WS_OK && v->sparse)
		status = load_sparse(&p, v);
	else if (status == WS_OK)
		status = read_part(&p, &where->parts[0], &v->values);
	if (status == WS_OK && v->complex && !v->sparse)
		status = read_part(&p, &where->parts[1], &v->imaginary);
	if (status == WS_OK)
		status = finish(&p, end, v);
	wsi_mat_stream_close(&p.s);
	return status;
}

ws_status
wsi_mat5_load(wsi_mat *m, wsi_mat_var *v)
{
	const mat5_place *where = v->place;
	ws_status status = WS_OK;
	if (v->class == WSI_MAT_STRUCT || v->class == WSI_MAT_CELL) {
		if (where->top && !v->members)
			status = parse_whole(m, v, KEPT_AT_ONCE);
	} else if (v->class != WSI_MAT_OTHER && v->n > 0 && !v->values) {
		if (where->top)
			status = parse_whole(m, v, UINT64_MAX);
		if (status == WS_OK && !v->values)
			status = load_values(m, v);
	}
	/* What is not as it was written is as if it had not been read. */
	if (status != WS_OK)
		wsi_mat_drop(v);
	return status;
}

ws_status
wsi_mat5_load_together(wsi_mat *m, wsi_mat_var **v, size_t n)
{
	mat5_parser p;
	uint64_t end;
	size_t lacking = 0;
	for (size_t i = 0; i < n; ++i)
		lacking += !v[i]->values;
	if (lacking == 0)
		return WS_OK;
	ws_status status = begin(&p, m, v[0], &end);
	for (size_t i = 0; i < n && status == WS_OK; ++i) {
		const mat5_place *where = v[i]->place;
		if (!v[i]->values)
			status = read_part(&p, &where->parts[0], &v[i]->values);
	}
	if (status == WS_OK)
		status = finish(&p, end, v[0]);
	wsi_mat_stream_close(&p.s);
	for (size_t i = 0; i < n && status != WS_OK; ++i)
		wsi_mat_drop(v[i]);
	return status;
}

ws_status
wsi_mat5_verify(wsi_mat *m, wsi_mat_var *v)
{
	const mat5_place *where = v->place;
	mat5_parser p;
	uint64_t end;
	if (where->checked || !where->packed)
		return WS_OK;
	ws_status status = begin(&p, m, v, &end);
	if (status == WS_OK)
		status = finish(&p, end, v);
	wsi_mat_stream_close(&p.s);
	return status;
}
