/* mat5_array.c - the elements of a MAT file of version 5, up to whole arrays; see mat5.c. */
#include "io/read/mat5_array.h"

#include <stdlib.h>
#include <string.h>

enum { MX_CELL = 1, MX_STRUCT, MX_OBJECT, MX_CHAR, MX_SPARSE, MX_DOUBLE, MX_UINT64 = 15 };

#define MOST_DEPTH 16
#define MOST_NAME 1024
#define MOST_DIMS 64

uint32_t
wsi_mat5_word(const wsi_mat *m, const unsigned char *b)
{
	return m->big_endian ? (uint32_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3]
	       : (uint32_t)b[3] << 24 | b[2] << 16 | b[1] << 8 | b[0];
}

ws_status
wsi_mat5_damaged(const mat5_parser *p, const char *what)
{
	return WSI_FAIL(WS_E_FORMAT, "%s: damaged: %s, in the variable at byte %llu%s%s",
	                p->m->path, what, (unsigned long long)p->s.begin,
	                p->top && p->top->name ? ", " : "",
	                p->top && p->top->name ? p->top->name : "");
}

/* ---- Elements ---------------------------------------------------------------------------- */

/* The tag at the stream's place; all of the element lies before end. */
ws_status
wsi_mat5_next_tag(mat5_parser *p, uint64_t end, mat5_tag *t)
{
	unsigned char b[8];
	if (p->s.at > end || end - p->s.at < sizeof b)
		return wsi_mat5_damaged(p, "an element is cut off");
	WSI_TRY(wsi_mat_stream_read(&p->s, b, sizeof b));
	const uint32_t first = wsi_mat5_word(p->m, b);
	t->small = first >> 16 != 0;
	t->type = t->small ? first & 0xffff : first;
	t->bytes = t->small ? first >> 16 : wsi_mat5_word(p->m, b + 4);
	memcpy(t->data, b + 4, sizeof t->data);
	if (t->small ? t->bytes > 4 : t->bytes > end - p->s.at)
		return wsi_mat5_damaged(p, "an element claims more bytes than there are");
	const uint64_t left = end - p->s.at, padded = (t->bytes + 7) / 8 * 8;
	t->rest = t->small ? 0 : padded < left ? padded : left;
	return WS_OK;
}

/* All of its data, t->bytes, and past its padding; out NULL: past both. */
static ws_status
take_data(mat5_parser *p, const mat5_tag *t, void *out)
{
	if (t->small) {
		if (out)
			memcpy(out, t->data, (size_t)t->bytes);
		return WS_OK;
	}
	WSI_TRY(wsi_mat_stream_read(&p->s, out, t->bytes));
	return wsi_mat_stream_read(&p->s, NULL, t->rest - t->bytes);
}

/* An element of no more than most bytes, whose number is *n. */
static ws_status
take_small(mat5_parser *p, uint64_t end, void *out, size_t most, size_t *n)
{
	mat5_tag t;
	WSI_TRY(wsi_mat5_next_tag(p, end, &t));
	if (t.bytes > most)
		return wsi_mat5_damaged(p, "a head is longer than any is");
	*n = (size_t)t.bytes;
	return take_data(p, &t, out);
}

static bool
type_of(uint32_t type, wsi_sample_type *is)
{
	switch (type) {
	case MI_INT8: *is = WSI_I8; return true;
	case MI_UINT8: case MI_UTF8: *is = WSI_U8; return true;
	case MI_INT16: *is = WSI_I16; return true;
	case MI_UINT16: case MI_UTF16: *is = WSI_U16; return true;
	case MI_INT32: *is = WSI_I32; return true;
	case MI_UINT32: case MI_UTF32: *is = WSI_U32; return true;
	case MI_SINGLE: *is = WSI_F32; return true;
	case MI_DOUBLE: *is = WSI_F64; return true;
	case MI_INT64: *is = WSI_I64; return true;
	case MI_UINT64: *is = WSI_U64; return true;
	default: return false;
	}
}

/* ---- Values ------------------------------------------------------------------------------ */

/* Bytes of memory for values, which are counted where they are to stay. */
ws_status
wsi_mat5_make_room(wsi_mat *m, const mat5_part *a, unsigned char **values)
{
	WSI_TRY(wsi_mat_take(m, (size_t)a->bytes));
	*values = malloc((size_t)a->bytes + 1);
	return *values ? WS_OK : WSI_FAIL(WS_E_NOMEM, "%s: no memory for %llu bytes", m->path,
	                                  (unsigned long long)a->bytes);
}

/* A part of numbers or of a text: has it as many values as the dimensions say (a text in UTF-8 has
 * a number of its own)?  They are read where they are few enough. */
static ws_status
take_part(mat5_parser *p, uint64_t end, const wsi_mat_var *v, mat5_part *a, unsigned char **values)
{
	mat5_tag t;
	WSI_TRY(wsi_mat5_next_tag(p, end, &t));
	*a = (mat5_part){ .at = p->s.at, .bytes = t.bytes };
	if (!type_of(t.type, &a->type))
		return wsi_mat5_damaged(p, "values have a type that is none");
	const size_t size = wsi_sample_bytes(a->type);
	if (t.bytes % size != 0 || (v->class != WSI_MAT_CHAR && t.bytes / size != v->n))
		return wsi_mat5_damaged(p, t.bytes / size < v->n
		               ? "an array claims more values than the file has for it"
		               : "an array has more values than its dimensions say");
	if (p->head)
		return WS_OK;
	if (!t.small && t.bytes > p->keep)
		return take_data(p, &t, NULL);
	WSI_TRY(wsi_mat5_make_room(p->m, a, values));
	return take_data(p, &t, *values);
}

static ws_status
parse_values(mat5_parser *p, uint64_t end, wsi_mat_var *v)
{
	mat5_part *parts = ((mat5_place *)v->place)->parts;
	WSI_TRY(take_part(p, end, v, &parts[0], &v->values));
	v->type = parts[0].type;
	v->n_values = (size_t)parts[0].bytes / wsi_sample_bytes(v->type);
	if (!v->complex || p->head)
		return WS_OK;
	WSI_TRY(take_part(p, end, v, &parts[1], &v->imaginary));
	if (parts[1].type == v->type && !v->values == !v->imaginary)
		return WS_OK;
	return wsi_mat5_damaged(p, "real and imaginary parts differ in type");
}

/* Rows, starts of columns, values. */
static ws_status
parse_sparse(mat5_parser *p, uint64_t end, wsi_mat_var *v)
{
	mat5_place *where = v->place;
	mat5_part *const parts[] = { &where->rows, &where->starts, &where->parts[0],
		&where->parts[1] };
	if (v->rank != 2)
		return wsi_mat5_damaged(p, "a sparse array is no matrix");
	for (int i = 0; !p->head && i < 3 + v->complex; ++i) {
		mat5_tag t;
		WSI_TRY(wsi_mat5_next_tag(p, end, &t));
		*parts[i] = (mat5_part){ .at = p->s.at - (t.small ? sizeof t.data : 0),
			.bytes = t.bytes };
		if (!type_of(t.type, &parts[i]->type))
			return wsi_mat5_damaged(p, "values have a type that is none");
		WSI_TRY(take_data(p, &t, NULL));
	}
	return WS_OK;
}

/* ---- Arrays ------------------------------------------------------------------------------ */

/* The matrices that a cell or struct holds. */
static ws_status
parse_members(mat5_parser *p, uint64_t end, int depth, wsi_mat_var *v)
{
	size_t n = v->n;
	if (v->class == WSI_MAT_STRUCT && !wsi_mul_size(n, v->n_fields, &n))
		n = SIZE_MAX;
	if (p->s.at > end || n > (end - p->s.at) / 8)
		return wsi_mat5_damaged(p, "a cell or struct claims more members than there are");
	WSI_TRY(wsi_mat_take(p->m, n * sizeof *v->members));
	WSI_NEW(v->members, n + 1, "%s: no memory for %zu members of %s", p->m->path, n,
	        wsi_mat_name(v));
	for (size_t i = 0; i < n; ++i) {
		mat5_tag t;
		WSI_TRY(wsi_mat5_next_tag(p, end, &t));
		if (t.type != MI_MATRIX || t.small)
			return wsi_mat5_damaged(p, "a member of a cell or struct is no array");
		const mat5_place *top = p->top->place;
		WSI_TRY(wsi_mat_new(p->m, false, sizeof(mat5_place), &v->members[i]));
		v->n_members = i + 1;
		*(mat5_place *)v->members[i]->place = (mat5_place){ .begin = top->begin,
			.end = top->end, .packed = top->packed };
		if (v->class == WSI_MAT_STRUCT)
			v->members[i]->name = v->fields[i % v->n_fields];
		const uint64_t past = p->s.at + t.rest;
		WSI_TRY(wsi_mat5_parse(p, t.bytes, depth + 1, v->members[i]));
		WSI_TRY(wsi_mat_stream_read(&p->s, NULL, past - p->s.at));
	}
	return WS_OK;
}

/* A length, and names of so many bytes each. */
static ws_status
parse_fields(mat5_parser *p, uint64_t end, wsi_mat_var *v)
{
	unsigned char word[8];
	size_t bytes;
	mat5_tag t;
	WSI_TRY(take_small(p, end, word, sizeof word, &bytes));
	const uint32_t length = bytes == 4 ? wsi_mat5_word(p->m, word) : 0;
	WSI_TRY(wsi_mat5_next_tag(p, end, &t));
	if (length < 1 || length > MOST_NAME || t.bytes % length != 0)
		return wsi_mat5_damaged(p, "a struct's field names have no length");
	const size_t n = (size_t)(t.bytes / length);
	WSI_TRY(wsi_mat_take(p->m, (size_t)t.bytes + n * (sizeof *v->fields + 1)));
	char *names = malloc((size_t)t.bytes + 1);
	v->fields = calloc(n + 1, sizeof *v->fields);
	ws_status status = names && v->fields ? take_data(p, &t, names)
	                   : WSI_FAIL(WS_E_NOMEM, "%s: no memory for %zu fields", p->m->path, n);
	for (size_t i = 0; i < n && status == WS_OK; ++i) {
		v->fields[i] = strndup(names + i * length, length);
		v->n_fields = i + 1;
		if (!v->fields[i])
			status = WSI_FAIL(WS_E_NOMEM, "%s: no memory for %zu fields", p->m->path,
			                  n);
	}
	free(names);
	return status;
}

static ws_status
parse_dims(mat5_parser *p, uint64_t end, wsi_mat_var *v)
{
	unsigned char words[4 * MOST_DIMS];
	size_t bytes, dims[MOST_DIMS];
	WSI_TRY(take_small(p, end, words, sizeof words, &bytes));
	const int rank = (int)(bytes / 4);
	if (rank < 2 || bytes % 4 != 0)
		return wsi_mat5_damaged(p, "an array has no dimensions");
	for (int i = 0; i < rank; ++i) {
		dims[i] = wsi_mat5_word(p->m, words + 4 * i);
		if (dims[i] > INT32_MAX)
			return wsi_mat5_damaged(p, "a dimension is negative");
	}
	return wsi_mat_set_dims(p->m, v, rank, dims);
}

/* Flags, dimensions and name.  *kind is MATLAB's class. */
static ws_status
parse_head(mat5_parser *p, uint64_t end, bool named, wsi_mat_var *v, uint32_t *kind)
{
	unsigned char flags[8];
	char name[MOST_NAME + 1];
	size_t bytes;
	WSI_TRY(take_small(p, end, flags, sizeof flags, &bytes));
	if (bytes < sizeof flags)
		return wsi_mat5_damaged(p, "an array has no flags");
	*kind = wsi_mat5_word(p->m, flags) & 0xff;
	v->complex = wsi_mat5_word(p->m, flags) & 0x800;
	/* Of an object of a class of its own no dimensions follow. */
	if (*kind < MX_CELL || *kind > MX_UINT64)
		return WS_OK;
	WSI_TRY(parse_dims(p, end, v));
	WSI_TRY(take_small(p, end, name, MOST_NAME, &bytes));
	name[bytes] = '\0';
	if (!named)
		return WS_OK;
	v->name = strdup(name);
	return v->name ? WS_OK : WSI_FAIL(WS_E_NOMEM, "%s: no memory for a name", p->m->path);
}

static wsi_mat_class
class_of(uint32_t kind, int depth)
{
	if (kind == MX_SPARSE || (kind >= MX_DOUBLE && kind <= MX_UINT64))
		return WSI_MAT_NUMBER;
	if (kind == MX_CHAR)
		return WSI_MAT_CHAR;
	if (depth == MOST_DEPTH)
		return WSI_MAT_OTHER;
	return kind == MX_CELL ? WSI_MAT_CELL : kind == MX_STRUCT ? WSI_MAT_STRUCT : WSI_MAT_OTHER;
}

/* An array of so many bytes. */
ws_status
wsi_mat5_parse(mat5_parser *p, uint64_t bytes, int depth, wsi_mat_var *v)
{
	const uint64_t end = p->s.at + bytes;
	uint32_t kind;
	/* An empty cell or field has no more than its tag. */
	v->class = WSI_MAT_NUMBER;
	v->rank = 2;
	if (bytes == 0)
		return WS_OK;
	WSI_TRY(parse_head(p, end, depth == 0 && !v->name, v, &kind));
	v->class = class_of(kind, depth);
	v->sparse = kind == MX_SPARSE;
	const bool holds = v->class == WSI_MAT_STRUCT || v->class == WSI_MAT_CELL;
	if (v->class == WSI_MAT_OTHER || (p->head && holds))
		return WS_OK;
	if (v->class == WSI_MAT_STRUCT)
		WSI_TRY(parse_fields(p, end, v));
	if (holds)
		return parse_members(p, end, depth, v);
	if (v->sparse)
		return parse_sparse(p, end, v);
	return v->n == 0 ? WS_OK : parse_values(p, end, v);
}
