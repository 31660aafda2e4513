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
#include <stdlib.h>
#include <string.h>

#include "io/mat_file.h"
#include "io/mat_stream.h"

enum { MI_INT8 = 1, MI_UINT8, MI_INT16, MI_UINT16, MI_INT32, MI_UINT32, MI_SINGLE, MI_DOUBLE = 9,
       MI_INT64 = 12, MI_UINT64, MI_MATRIX, MI_COMPRESSED, MI_UTF8, MI_UTF16, MI_UTF32 };
enum { MX_CELL = 1, MX_STRUCT, MX_OBJECT, MX_CHAR, MX_SPARSE, MX_DOUBLE, MX_UINT64 = 15 };

#define HEAD_BYTES 128
#define MOST_DEPTH 16
#define MOST_NAME 1024
#define MOST_DIMS 64

/* Packed variables of no more bytes in the file, and unpacked, are checked at once. */
#define CHECKED_AT_ONCE ((uint64_t)1 << 20)
#define UNPACKED_AT_ONCE ((uint64_t)32 << 20)
/* Values of more bytes are left where they are until they are wanted. */
#define KEPT_AT_ONCE ((uint64_t)1 << 16)

/* A part of an array: type and place of its bytes in the variable. */
typedef struct part {
	uint64_t at, bytes;
	wsi_sample_type type;
} part;

/* Where a variable lies, and what it holds. */
typedef struct place {
	uint64_t begin, end;      /* of the variable in the file */
	bool packed, checked;
	bool top;                 /* it is a variable itself */
	part parts[2];            /* of numbers and texts: real, imaginary */
	part rows, starts;        /* of sparse ones, too */
	unsigned char first[16];  /* of values that were left where they are */
} place;

typedef struct tag {
	uint32_t type;
	uint64_t bytes, rest;     /* rest: and padding, still to come */
	bool small;
	unsigned char data[4];    /* where it is small */
} tag;

/* Where the parser is. */
typedef struct parser {
	wsi_mat *m;
	wsi_mat_stream s;
	const wsi_mat_var *top;
	bool head;                /* no more than the head of the variable is wanted */
	uint64_t keep;            /* values of so many bytes at most are read on the way */
} parser;

static uint32_t
word_of(const wsi_mat *m, const unsigned char *b)
{
	return m->big_endian ? (uint32_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3]
	       : (uint32_t)b[3] << 24 | b[2] << 16 | b[1] << 8 | b[0];
}

static ws_status
damaged(const parser *p, const char *what)
{
	return WSI_FAIL(WS_E_FORMAT, "%s: damaged: %s, in the variable at byte %llu%s%s",
	                p->m->path, what, (unsigned long long)p->s.begin,
	                p->top && p->top->name ? ", " : "",
	                p->top && p->top->name ? p->top->name : "");
}

/* ---- Elements ---------------------------------------------------------------------------- */

/* The tag at the stream's place; all of the element lies before end. */
static ws_status
next_tag(parser *p, uint64_t end, tag *t)
{
	unsigned char b[8];
	if (p->s.at > end || end - p->s.at < sizeof b)
		return damaged(p, "an element is cut off");
	WSI_TRY(wsi_mat_stream_read(&p->s, b, sizeof b));
	const uint32_t first = word_of(p->m, b);
	t->small = first >> 16 != 0;
	t->type = t->small ? first & 0xffff : first;
	t->bytes = t->small ? first >> 16 : word_of(p->m, b + 4);
	memcpy(t->data, b + 4, sizeof t->data);
	if (t->small ? t->bytes > 4 : t->bytes > end - p->s.at)
		return damaged(p, "an element claims more bytes than there are");
	const uint64_t left = end - p->s.at, padded = (t->bytes + 7) / 8 * 8;
	t->rest = t->small ? 0 : padded < left ? padded : left;
	return WS_OK;
}

/* All of its data, t->bytes, and past its padding; out NULL: past both. */
static ws_status
take_data(parser *p, const tag *t, void *out)
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
take_small(parser *p, uint64_t end, void *out, size_t most, size_t *n)
{
	tag t;
	WSI_TRY(next_tag(p, end, &t));
	if (t.bytes > most)
		return damaged(p, "a head is longer than any is");
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
static ws_status
make_room(wsi_mat *m, const part *a, unsigned char **values)
{
	WSI_TRY(wsi_mat_take(m, (size_t)a->bytes));
	*values = malloc((size_t)a->bytes + 1);
	return *values ? WS_OK : WSI_FAIL(WS_E_NOMEM, "%s: no memory for %llu bytes", m->path,
	                                  (unsigned long long)a->bytes);
}

/* A part of numbers or of a text: has it as many values as the dimensions say (a text in UTF-8 has
 * a number of its own)?  They are read where they are few enough. */
static ws_status
take_part(parser *p, uint64_t end, const wsi_mat_var *v, part *a, unsigned char **values)
{
	tag t;
	WSI_TRY(next_tag(p, end, &t));
	*a = (part){ .at = p->s.at, .bytes = t.bytes };
	if (!type_of(t.type, &a->type))
		return damaged(p, "values have a type that is none");
	const size_t size = wsi_sample_bytes(a->type);
	if (t.bytes % size != 0 || (v->class != WSI_MAT_CHAR && t.bytes / size != v->n))
		return damaged(p, t.bytes / size < v->n
		               ? "an array claims more values than the file has for it"
		               : "an array has more values than its dimensions say");
	if (p->head)
		return WS_OK;
	if (!t.small && t.bytes > p->keep) {
		place *where = v->place;
		if (t.bytes < sizeof where->first || a != where->parts)
			return take_data(p, &t, NULL);
		WSI_TRY(wsi_mat_stream_read(&p->s, where->first, sizeof where->first));
		return wsi_mat_stream_read(&p->s, NULL, t.rest - sizeof where->first);
	}
	WSI_TRY(make_room(p->m, a, values));
	return take_data(p, &t, *values);
}

static ws_status
parse_values(parser *p, uint64_t end, wsi_mat_var *v)
{
	part *parts = ((place *)v->place)->parts;
	WSI_TRY(take_part(p, end, v, &parts[0], &v->values));
	v->type = parts[0].type;
	v->n_values = (size_t)parts[0].bytes / wsi_sample_bytes(v->type);
	if (!v->complex || p->head)
		return WS_OK;
	WSI_TRY(take_part(p, end, v, &parts[1], &v->imaginary));
	if (parts[1].type == v->type && !v->values == !v->imaginary)
		return WS_OK;
	return damaged(p, "real and imaginary parts differ in type");
}

/* Rows, starts of columns, values. */
static ws_status
parse_sparse(parser *p, uint64_t end, wsi_mat_var *v)
{
	place *where = v->place;
	part *const parts[] = { &where->rows, &where->starts, &where->parts[0], &where->parts[1] };
	if (v->rank != 2)
		return damaged(p, "a sparse array is no matrix");
	for (int i = 0; !p->head && i < 3 + v->complex; ++i) {
		tag t;
		WSI_TRY(next_tag(p, end, &t));
		*parts[i] = (part){ .at = p->s.at - (t.small ? sizeof t.data : 0),
			.bytes = t.bytes };
		if (!type_of(t.type, &parts[i]->type))
			return damaged(p, "values have a type that is none");
		WSI_TRY(take_data(p, &t, NULL));
	}
	return WS_OK;
}

/* ---- Arrays ------------------------------------------------------------------------------ */

static ws_status parse_array(parser *p, uint64_t bytes, int depth, wsi_mat_var *v);

/* The matrices that a cell or struct holds. */
static ws_status
parse_members(parser *p, uint64_t end, int depth, wsi_mat_var *v)
{
	size_t n = v->n;
	if (v->class == WSI_MAT_STRUCT && !wsi_mul_size(n, v->n_fields, &n))
		n = SIZE_MAX;
	if (p->s.at > end || n > (end - p->s.at) / 8)
		return damaged(p, "a cell or struct claims more members than there are");
	WSI_TRY(wsi_mat_take(p->m, n * sizeof *v->members));
	v->members = calloc(n + 1, sizeof *v->members);
	if (!v->members)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for %zu members of %s", p->m->path, n,
		                wsi_mat_name(v));
	for (size_t i = 0; i < n; ++i) {
		tag t;
		WSI_TRY(next_tag(p, end, &t));
		if (t.type != MI_MATRIX || t.small)
			return damaged(p, "a member of a cell or struct is no array");
		const place *top = p->top->place;
		WSI_TRY(wsi_mat_new(p->m, false, sizeof(place), &v->members[i]));
		v->n_members = i + 1;
		*(place *)v->members[i]->place = (place){ .begin = top->begin, .end = top->end,
			.packed = top->packed };
		if (v->class == WSI_MAT_STRUCT)
			v->members[i]->name = v->fields[i % v->n_fields];
		const uint64_t past = p->s.at + t.rest;
		WSI_TRY(parse_array(p, t.bytes, depth + 1, v->members[i]));
		WSI_TRY(wsi_mat_stream_read(&p->s, NULL, past - p->s.at));
	}
	return WS_OK;
}

/* A length, and names of so many bytes each. */
static ws_status
parse_fields(parser *p, uint64_t end, wsi_mat_var *v)
{
	unsigned char word[8];
	size_t bytes;
	tag t;
	WSI_TRY(take_small(p, end, word, sizeof word, &bytes));
	const uint32_t length = bytes == 4 ? word_of(p->m, word) : 0;
	WSI_TRY(next_tag(p, end, &t));
	if (length < 1 || length > MOST_NAME || t.bytes % length != 0)
		return damaged(p, "a struct's field names have no length");
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
parse_dims(parser *p, uint64_t end, wsi_mat_var *v)
{
	unsigned char words[4 * MOST_DIMS];
	size_t bytes, dims[MOST_DIMS];
	WSI_TRY(take_small(p, end, words, sizeof words, &bytes));
	const int rank = (int)(bytes / 4);
	if (rank < 2 || bytes % 4 != 0)
		return damaged(p, "an array has no dimensions");
	for (int i = 0; i < rank; ++i) {
		dims[i] = word_of(p->m, words + 4 * i);
		if (dims[i] > INT32_MAX)
			return damaged(p, "a dimension is negative");
	}
	return wsi_mat_set_dims(p->m, v, rank, dims);
}

/* Flags, dimensions and name.  *kind is MATLAB's class. */
static ws_status
parse_head(parser *p, uint64_t end, bool named, wsi_mat_var *v, uint32_t *kind)
{
	unsigned char flags[8];
	char name[MOST_NAME + 1];
	size_t bytes;
	WSI_TRY(take_small(p, end, flags, sizeof flags, &bytes));
	if (bytes < sizeof flags)
		return damaged(p, "an array has no flags");
	*kind = word_of(p->m, flags) & 0xff;
	v->complex = word_of(p->m, flags) & 0x800;
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
static ws_status
parse_array(parser *p, uint64_t bytes, int depth, wsi_mat_var *v)
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

/* ---- Variables --------------------------------------------------------------------------- */

/* Opens a variable's stream, and finds the end of its matrix in it. */
static ws_status
begin(parser *p, wsi_mat *m, const wsi_mat_var *v, uint64_t *end)
{
	const place *where = v->place;
	tag t;
	*p = (parser){ .m = m, .top = v };
	WSI_TRY(wsi_mat_stream_open(&p->s, &m->file, where->begin, where->end, where->packed));
	*end = where->end - where->begin;
	if (!where->packed)
		return WS_OK;
	WSI_TRY(next_tag(p, UINT64_MAX, &t));
	if (t.type != MI_MATRIX || t.small)
		return damaged(p, "what is packed is no array");
	if (t.bytes / WSI_MAT_SHRINK > where->end - where->begin)
		return damaged(p, "it claims more values than the file can hold");
	*end = p->s.at + t.bytes;
	return WS_OK;
}

/* Past what is left of the matrix that ends there, and to the end of the variable. */
static ws_status
finish(parser *p, uint64_t end, wsi_mat_var *v)
{
	if (p->s.at > end)
		return damaged(p, "an array is longer than it says");
	WSI_TRY(wsi_mat_stream_read(&p->s, NULL, end - p->s.at));
	WSI_TRY(wsi_mat_stream_finish(&p->s));
	((place *)v->place)->checked = true;
	return WS_OK;
}

/* The head of a variable; all of it is checked where that is soon done. */
static ws_status
look_at(wsi_mat *m, wsi_mat_var *v)
{
	const place *where = v->place;
	parser p;
	uint64_t end;
	ws_status status = begin(&p, m, v, &end);
	p.head = true;
	if (status == WS_OK)
		status = parse_array(&p, end - p.s.at, 0, v);
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
		const uint32_t type = word_of(m, b);
		const uint64_t bytes = word_of(m, b + 4);
		at += sizeof b;
		if (type != MI_MATRIX && type != MI_COMPRESSED)
			return WSI_FAIL(WS_E_FORMAT, "%s: damaged: no variable begins at byte %llu",
			                f->path, (unsigned long long)(at - sizeof b));
		if (bytes > f->bytes - at)
			return WSI_FAIL(WS_E_FORMAT, "%s: truncated: the variable at byte %llu "
			                "needs %llu bytes, %llu are left", f->path,
			                (unsigned long long)at, (unsigned long long)bytes,
			                (unsigned long long)(f->bytes - at));
		WSI_TRY(wsi_mat_new(m, true, sizeof(place), &v));
		*(place *)v->place = (place){ .begin = at, .end = at + bytes, .top = true,
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
	parser p;
	uint64_t end;
	ws_status status = begin(&p, m, v, &end);
	p.keep = keep;
	if (status == WS_OK)
		status = parse_array(&p, end - p.s.at, 0, v);
	if (status == WS_OK)
		status = finish(&p, end, v);
	wsi_mat_stream_close(&p.s);
	return status;
}

/* A part of a variable, from its place in it. */
static ws_status
read_part(parser *p, const part *a, unsigned char **values)
{
	WSI_TRY(make_room(p->m, a, values));
	if (a->at < p->s.at)
		return damaged(p, "its parts are in no order");
	WSI_TRY(wsi_mat_stream_read(&p->s, NULL, a->at - p->s.at));
	return wsi_mat_stream_read(&p->s, *values, a->bytes);
}

/* The values of a part as numbers. */
static ws_status
as_numbers(wsi_mat *m, const part *a, const unsigned char *values, double **out)
{
	const size_t size = wsi_sample_bytes(a->type), n = (size_t)a->bytes / size;
	*out = values ? malloc(n * sizeof **out + 1) : NULL;
	if (!*out)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for %zu numbers", m->path, n);
	wsi_decode(values, size, n, a->type, m->big_endian, *out);
	return WS_OK;
}

static size_t
count(const part *a)
{
	return (size_t)(a->bytes / wsi_sample_bytes(a->type));
}

static ws_status
load_sparse(parser *p, wsi_mat_var *v)
{
	const place *where = v->place;
	const part *const parts[] = { &where->rows, &where->starts, &where->parts[0],
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
		status = damaged(p, "a sparse matrix has too few columns");
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
	place *where = v->place;
	parser p;
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
	const place *where = v->place;
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
	parser p;
	uint64_t end;
	size_t lacking = 0;
	for (size_t i = 0; i < n; ++i)
		lacking += !v[i]->values;
	if (lacking == 0)
		return WS_OK;
	ws_status status = begin(&p, m, v[0], &end);
	for (size_t i = 0; i < n && status == WS_OK; ++i)
		if (!v[i]->values)
			status = read_part(&p, &((place *)v[i]->place)->parts[0], &v[i]->values);
	if (status == WS_OK)
		status = finish(&p, end, v[0]);
	wsi_mat_stream_close(&p.s);
	for (size_t i = 0; i < n && status != WS_OK; ++i)
		wsi_mat_drop(v[i]);
	return status;
}

const unsigned char *
wsi_mat5_first(const wsi_mat_var *v)
{
	const place *where = v->place;
	return where->parts[0].bytes >= sizeof where->first && !v->sparse && !where->top
	       ? where->first : NULL;
}

ws_status
wsi_mat5_verify(wsi_mat *m, wsi_mat_var *v)
{
	const place *where = v->place;
	parser p;
	uint64_t end;
	if (where->checked || !where->packed)
		return WS_OK;
	ws_status status = begin(&p, m, v, &end);
	if (status == WS_OK)
		status = finish(&p, end, v);
	wsi_mat_stream_close(&p.s);
	return status;
}
