/* mat5_check.c - do the elements of a MAT file of version 5 hold what they say?  See
 * matio_util.h; matio believes any length. */
#include <matio.h>
#include <string.h>

#include "io/matio_util.h"
#include "io/readers.h"

#define HEAD_BYTES 128
#define MOST_DEPTH 16

/* An element's type, and where its bytes lie. */
typedef struct element {
	uint32_t type;
	uint64_t at, bytes, end;   /* end: of what follows, padding included */
} element;

typedef struct walk {
	const wsi_file *f;
	bool big_endian;
} walk;

static uint32_t
word_of(const walk *w, const unsigned char *b)
{
	return w->big_endian ? (uint32_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3]
	       : (uint32_t)b[3] << 24 | b[2] << 16 | b[1] << 8 | b[0];
}

/* The element at a place; up to 4 bytes lie in its tag. */
static ws_status
next_element(const walk *w, uint64_t at, uint64_t end, element *e)
{
	unsigned char tag[8];
	if (end - at < sizeof tag)
		return WSI_FAIL(WS_E_FORMAT, "%s: truncated: %llu bytes are left where an element "
		                "begins, at byte %llu", w->f->path, (unsigned long long)(end - at),
		                (unsigned long long)at);
	WSI_TRY(wsi_file_read(w->f, at, tag, sizeof tag));
	const uint32_t first = word_of(w, tag);
	const bool small = first >> 16 != 0;
	e->type = small ? first & 0xffff : first;
	e->bytes = small ? first >> 16 : word_of(w, tag + 4);
	e->at = at + (small ? 4 : 8);
	if ((small && e->bytes > 4) || e->bytes > end - e->at)
		return WSI_FAIL(WS_E_FORMAT, "%s: truncated: the element at byte %llu needs %llu "
		                "bytes, %llu are left", w->f->path, (unsigned long long)at,
		                (unsigned long long)e->bytes, (unsigned long long)(end - e->at));
	e->end = small ? at + 8 : e->at + (e->bytes + 7) / 8 * 8;
	if (e->end > end)
		e->end = end;
	return WS_OK;
}

static unsigned
size_of(uint32_t type)
{
	switch (type) {
	case MAT_T_INT8: case MAT_T_UINT8: case MAT_T_UTF8: return 1;
	case MAT_T_INT16: case MAT_T_UINT16: case MAT_T_UTF16: return 2;
	case MAT_T_INT32: case MAT_T_UINT32: case MAT_T_SINGLE: case MAT_T_UTF32: return 4;
	case MAT_T_INT64: case MAT_T_UINT64: case MAT_T_DOUBLE: return 8;
	default: return 0;
	}
}

/* The product of the dimensions, or more than any file holds. */
static ws_status
count_values(const walk *w, const element *dims, size_t *n)
{
	unsigned char word[4];
	*n = 1;
	for (uint64_t i = 0; i + 4 <= dims->bytes; i += 4) {
		WSI_TRY(wsi_file_read(w->f, dims->at + i, word, sizeof word));
		if (!wsi_mul_size(*n, word_of(w, word), n))
			*n = SIZE_MAX;
	}
	return WS_OK;
}

/* The values of a numeric array: a real part, and an imaginary one. */
static ws_status
check_values(const walk *w, uint64_t at, uint64_t end, size_t n, bool complex)
{
	for (int part = 0; part < 1 + complex && n > 0; ++part) {
		element e;
		WSI_TRY(next_element(w, at, end, &e));
		const unsigned size = size_of(e.type);
		if (size == 0 || e.bytes / size < n)
			return WSI_FAIL(WS_E_FORMAT, "%s: damaged: the array at byte %llu claims "
			                "more values than the file has for it", w->f->path,
			                (unsigned long long)at);
		at = e.end;
	}
	return WS_OK;
}

static ws_status check_array(const walk *w, const element *array, int depth);

/* Arrays among the elements of a cell, struct or object. */
static ws_status
check_members(const walk *w, uint64_t at, uint64_t end, int depth)
{
	while (at < end) {
		element e;
		WSI_TRY(next_element(w, at, end, &e));
		if (e.type == MAT_T_MATRIX)
			WSI_TRY(check_array(w, &e, depth));
		at = e.end;
	}
	return WS_OK;
}

static ws_status
check_array(const walk *w, const element *array, int depth)
{
	const uint64_t end = array->at + array->bytes;
	unsigned char word[4];
	element flags, dims, name;
	size_t n;
	/* An empty cell or field has no more than its tag. */
	if (array->bytes == 0 || depth == MOST_DEPTH)
		return WS_OK;
	WSI_TRY(next_element(w, array->at, end, &flags));
	WSI_TRY(next_element(w, flags.end, end, &dims));
	WSI_TRY(next_element(w, dims.end, end, &name));
	if (flags.bytes < 8)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: the array at byte %llu has no flags",
		                w->f->path, (unsigned long long)array->at);
	WSI_TRY(wsi_file_read(w->f, flags.at, word, sizeof word));
	const uint32_t kind = word_of(w, word) & 0xff;
	const bool complex = word_of(w, word) & 0x800;
	WSI_TRY(count_values(w, &dims, &n));
	if (kind >= MAT_C_DOUBLE && kind <= MAT_C_UINT64)
		return check_values(w, name.end, end, n, complex);
	return kind <= MAT_C_OBJECT ? check_members(w, name.end, end, depth + 1) : WS_OK;
}

/* Every variable says its length: do they end where the file ends? */
ws_status
wsi_mat5_check(const wsi_file *f, bool big_endian)
{
	const walk w = { f, big_endian };
	for (uint64_t at = HEAD_BYTES; at < f->bytes;) {
		unsigned char tag[8];
		if (f->bytes - at < sizeof tag)
			return WSI_FAIL(WS_E_FORMAT, "%s: truncated: %llu bytes are left "
			                "where a variable begins, at byte %llu", f->path,
			                (unsigned long long)(f->bytes - at),
			                (unsigned long long)at);
		WSI_TRY(wsi_file_read(f, at, tag, sizeof tag));
		const element e = { word_of(&w, tag), at + sizeof tag, word_of(&w, tag + 4), 0 };
		if (e.type != MAT_T_MATRIX && e.type != MAT_T_COMPRESSED)
			return WSI_FAIL(WS_E_FORMAT, "%s: damaged: no variable begins at byte %llu",
			                f->path, (unsigned long long)at);
		if (e.bytes > f->bytes - e.at)
			return WSI_FAIL(WS_E_FORMAT, "%s: truncated: the variable at byte %llu "
			                "needs %llu bytes, %llu are left", f->path,
			                (unsigned long long)at, (unsigned long long)e.bytes,
			                (unsigned long long)(f->bytes - e.at));
		if (e.type == MAT_T_MATRIX)
			WSI_TRY(check_array(&w, &e, 0));
		at = e.at + e.bytes;
	}
	return WS_OK;
}
