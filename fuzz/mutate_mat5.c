/* mutate_mat5.c - elements of MAT files of version 5, compressed or not, and their lengths; see
 * mutate.h. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "mutate.h"

#define HEAD 128
#define MOST_ELEMENTS 256
#define MOST_BYTES ((size_t)1 << 18)

enum { MATRIX = 14, COMPRESSED = 15 };

/* An element of an array, and those around it. */
typedef struct element {
	size_t tag;      /* where it begins */
	int parent;      /* number of the element it lies in; -1 */
} element;

typedef struct array {
	uint8_t *data;   /* of MOST_BYTES */
	size_t size;
	bool big;
	element elements[MOST_ELEMENTS];
	int n;
} array;

static void
list(array *a, size_t at, size_t end, int parent)
{
	while (end - at >= 8 && a->n < MOST_ELEMENTS) {
		const uint32_t type = (uint32_t)get_number(a->data + at, 4, a->big);
		const uint64_t bytes = get_number(a->data + at + 4, 4, a->big);
		const int self = a->n++;
		a->elements[self] = (element){ at, parent };
		if (type >> 16) {
			at += 8;
			continue;
		}
		if (bytes > end - at - 8)
			return;
		if (type == MATRIX)
			list(a, at + 8, at + 8 + (size_t)bytes, self);
		const size_t step = 8 + ((size_t)bytes + 7) / 8 * 8;
		if (step > end - at)
			return;
		at += step;
	}
}

/* Opens or closes a gap, and tells all that it lies in. */
static void
change_length(chance *c, array *a, int i)
{
	const size_t bytes = 8 * (1 + chance_below(c, 6)), at = a->elements[i].tag + 8;
	const bool grow = chance_below(c, 2) && a->size + bytes <= MOST_BYTES;
	if (!grow && (bytes > a->size || at > a->size - bytes))
		return;
	if (grow) {
		memmove(a->data + at + bytes, a->data + at, a->size - at);
		memset(a->data + at, (int)chance_below(c, 3), bytes);
	} else {
		memmove(a->data + at, a->data + at + bytes, a->size - at - bytes);
	}
	a->size = grow ? a->size + bytes : a->size - bytes;
	for (; i >= 0; i = a->elements[i].parent) {
		uint8_t *length = a->data + a->elements[i].tag + 4;
		const uint64_t old = get_number(length, 4, a->big);
		put_number(length, 4, a->big, grow ? old + bytes : old - bytes);
	}
}

static void
change(chance *c, array *a)
{
	static const size_t widths[] = { 1, 2, 4, 4 };
	a->n = 0;
	list(a, 0, a->size, -1);
	if (a->n == 0)
		return;
	const int i = (int)chance_below(c, (size_t)a->n);
	const size_t at = a->elements[i].tag;
	const size_t field = at + 8 + 4 * chance_below(c, 4), width = widths[chance_below(c, 4)];
	switch (chance_below(c, 6)) {
	case 0:
		put_number(a->data + at, 4, a->big, chance_below(c, 20));
		break;
	case 1:
		put_number(a->data + at + 4, 4, a->big,
		           mutate_number(c, get_number(a->data + at + 4, 4, a->big), a->size));
		break;
	case 2:
		change_length(c, a, i);
		break;
	case 3: {
		const size_t some = a->size - at < 64 ? a->size - at : 64;
		LLVMFuzzerMutate(a->data + at, some, some);
		break;
	}
	default:
		if (field + width <= a->size)
			put_number(a->data + field, width, a->big,
			           mutate_number(c, get_number(a->data + field, width, a->big),
			                         a->size));
	}
}

/* The array that lies in the n bytes at from, unpacked. */
static bool
take(array *a, const uint8_t *from, size_t n, bool packed)
{
	uLongf bytes = MOST_BYTES;
	if (!packed && n <= MOST_BYTES)
		memcpy(a->data, from, n);
	a->size = n;
	if (!packed)
		return n <= MOST_BYTES;
	const int code = uncompress(a->data, &bytes, from, n);
	a->size = bytes;
	return code == Z_OK || (code == Z_BUF_ERROR && bytes > 8);
}

size_t
mutate_mat5(chance *c, uint8_t *data, size_t size, size_t most)
{
	if (size < HEAD + 16 || memcmp(data, "MATLAB", 6) != 0 || data[124] + data[125] != 1)
		return 0;
	array a = { .data = malloc(MOST_BYTES), .big = data[126] == 'M' };
	uint8_t *packed = malloc(MOST_BYTES + 1024);
	size_t starts[64], n = 0, made = 0;
	for (size_t at = HEAD; size - at >= 8 && n < 64;) {
		const uint64_t bytes = get_number(data + at + 4, 4, a.big);
		if (bytes > size - at - 8)
			break;
		starts[n++] = at;
		at += 8 + (size_t)bytes;
	}
	const size_t at = n ? starts[chance_below(c, n)] : 0;
	const size_t bytes = n ? (size_t)get_number(data + at + 4, 4, a.big) : 0;
	const bool is_packed = n && get_number(data + at, 4, a.big) == COMPRESSED;
	/* What is not packed is taken with its tag, which the stream of one that is has inside. */
	if (n && a.data && packed && take(&a, data + at + (is_packed ? 8 : 0),
	                                  bytes + (is_packed ? 0 : 8), is_packed)) {
		uLongf length = MOST_BYTES + 1024;
		for (size_t times = 1 + chance_below(c, 3); times > 0; --times)
			change(c, &a);
		const uint8_t *from = a.data;
		size_t new = a.size;
		if (is_packed && compress2(packed, &length, a.data, a.size, 1) == Z_OK) {
			from = packed;
			/* Sometimes cut short. */
			new = chance_below(c, 8) ? length : chance_below(c, length);
		}
		const size_t head = is_packed ? 8 : 0, old = bytes + 8 - head;
		if (size - old + new <= most) {
			memmove(data + at + head + new, data + at + head + old,
			        size - at - head - old);
			memcpy(data + at + head, from, new);
			if (is_packed)
				put_number(data + at + 4, 4, a.big, new);
			made = size - old + new;
		}
	}
	free(a.data);
	free(packed);
	return made;
}
