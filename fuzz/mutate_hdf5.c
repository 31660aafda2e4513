/* mutate_hdf5.c - fields of HDF5's structures, and their checksums; see mutate.h.  Names and
 * layouts are those of the HDF5 file format specification, version 3. */
#include <string.h>

#include "mutate.h"

#define MOST_PLACES 512

typedef struct image {
	uint8_t *data;
	size_t size, base;       /* base: where addresses count from */
	size_t offset, length;   /* bytes of addresses and of lengths */
} image;

/* Do these four letters stand here? */
static bool
stands(const uint8_t *p, const char *name)
{
	return p[0] == (uint8_t)name[0] && p[1] == (uint8_t)name[1] && p[2] == (uint8_t)name[2]
	       && p[3] == (uint8_t)name[3];
}

/* ---- Checksums ----------------------------------------------------------------------- */

#define ROTATE(x, k) (((x) << (k)) | ((x) >> (32 - (k))))

/* Bob Jenkins' lookup3, which HDF5 uses. */
static uint32_t
checksum(const uint8_t *k, size_t n)
{
	uint32_t a = 0xdeadbeef + (uint32_t)n, b = a, c = a;
	uint8_t last[12] = { 0 };
	for (; n > 12; n -= 12, k += 12) {
		a += (uint32_t)get_number(k, 4, false);
		b += (uint32_t)get_number(k + 4, 4, false);
		c += (uint32_t)get_number(k + 8, 4, false);
		a -= c, a ^= ROTATE(c, 4), c += b;
		b -= a, b ^= ROTATE(a, 6), a += c;
		c -= b, c ^= ROTATE(b, 8), b += a;
		a -= c, a ^= ROTATE(c, 16), c += b;
		b -= a, b ^= ROTATE(a, 19), a += c;
		c -= b, c ^= ROTATE(b, 4), b += a;
	}
	if (n == 0)
		return c;
	memcpy(last, k, n);
	a += (uint32_t)get_number(last, 4, false);
	b += (uint32_t)get_number(last + 4, 4, false);
	c += (uint32_t)get_number(last + 8, 4, false);
	c ^= b, c -= ROTATE(b, 14);
	a ^= c, a -= ROTATE(c, 11);
	b ^= a, b -= ROTATE(a, 25);
	c ^= b, c -= ROTATE(b, 16);
	a ^= c, a -= ROTATE(c, 4);
	b ^= a, b -= ROTATE(a, 14);
	c ^= b, c -= ROTATE(b, 24);
	return c;
}

/* Of the n bytes at a place, which it follows. */
static void
seal(const image *m, size_t at, size_t n)
{
	if (at <= m->size && n <= m->size - at && m->size - at - n >= 4)
		put_number(m->data + at + n, 4, false, checksum(m->data + at, n));
}

static uint64_t
number_at(const image *m, size_t at, size_t width)
{
	return at <= m->size && width <= m->size - at ? get_number(m->data + at, width, false) : 0;
}

/* Messages of an object header from a place on; continuations are sealed, too. */
static void
seal_messages(const image *m, size_t at, size_t end, size_t head, int depth)
{
	while (depth < 4 && end <= m->size && at < end && end - at >= head) {
		const size_t bytes = (size_t)number_at(m, at + 1, 2);
		if (m->data[at] == 0x10) {
			const size_t to = m->base + (size_t)number_at(m, at + head, m->offset);
			const size_t n = (size_t)number_at(m, at + head + m->offset, m->length);
			if (n > 8 && to < m->size && n <= m->size - to) {
				seal_messages(m, to + 4, to + n - 4, head, depth + 1);
				seal(m, to, n - 4);
			}
		}
		at += head + bytes;
	}
}

static void
seal_object(const image *m, size_t at)
{
	const unsigned flags = (unsigned)number_at(m, at + 5, 1);
	const size_t width = (size_t)1 << (flags & 3);
	size_t body = at + 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
	const uint64_t bytes = number_at(m, body, width);
	body += width;
	if (bytes > m->size)
		return;
	seal_messages(m, body, body + (size_t)bytes, flags & 4 ? 6 : 4, 0);
	seal(m, at, body - at + (size_t)bytes);
}

/* A tree's head, and its root where that is a leaf. */
static void
seal_tree(const image *m, size_t at)
{
	const size_t record = (size_t)number_at(m, at + 10, 2);
	const size_t depth = (size_t)number_at(m, at + 12, 2);
	const size_t root = m->base + (size_t)number_at(m, at + 16, m->offset);
	const size_t n = (size_t)number_at(m, at + 16 + m->offset, 2);
	if (depth == 0)
		seal(m, root, 6 + n * record);
	seal(m, at, 18 + m->offset + m->length);
}

static void
seal_fixed_array(const image *m, size_t at)
{
	const size_t element = (size_t)number_at(m, at + 6, 1);
	const size_t n = (size_t)number_at(m, at + 8, m->length);
	const size_t block = m->base + (size_t)number_at(m, at + 8 + m->length, m->offset);
	if (n < m->size)
		seal(m, block, 6 + m->offset + n * element);
	seal(m, at, 8 + m->length + m->offset);
}

static void
seal_all(const image *m)
{
	for (size_t at = m->base; m->size - at >= 8; ++at) {
		const uint8_t *p = m->data + at;
		if (stands(p, "OHDR"))
			seal_object(m, at);
		else if (stands(p, "BTHD"))
			seal_tree(m, at);
		else if (stands(p, "FAHD"))
			seal_fixed_array(m, at);
		else if (stands(p, "EAHD"))
			seal(m, at, 12 + 6 * m->length + m->offset);
		else if (stands(p, "FRHP"))
			seal(m, at, 22 + 12 * m->length + 3 * m->offset);
	}
	const unsigned version = m->data[m->base + 8];
	if (version == 2 || version == 3)
		seal(m, m->base, 12 + 4 * m->offset);
}

/* ---- Changes --------------------------------------------------------------------------- */

static bool
find_image(image *m, uint8_t *data, size_t size)
{
	for (size_t base = 0; base + 48 < size; base = base ? 2 * base : 512)
		if (memcmp(data + base, "\x89HDF\r\n\x1a\n", 8) == 0) {
			const bool new = data[base + 8] >= 2;
			*m = (image){ data, size, base, data[base + (new ? 9 : 13)],
				      data[base + (new ? 10 : 14)] };
			if (m->offset > 8 || m->offset < 2)
				m->offset = 8;
			if (m->length > 8 || m->length < 2)
				m->length = 8;
			return true;
		}
	return false;
}

/* Where structures begin: by their names, and what looks like an old object header. */
static size_t
find_places(const image *m, size_t places[MOST_PLACES])
{
	static const char names[][5] = { "OHDR", "OCHK", "TREE", "SNOD", "HEAP", "GCOL", "FRHP",
		"FHDB", "FHIB", "BTHD", "BTLF", "BTIN", "FAHD", "FADB", "EAHD", "EAIB", "FSHD" };
	size_t n = 0;
	places[n++] = m->base;
	for (size_t at = m->base; m->size - at >= 16 && n < MOST_PLACES; ++at) {
		const uint8_t *p = m->data + at;
		bool is = (at - m->base) % 8 == 0 && p[0] == 1 && p[1] == 0 && p[2] > 0 && p[3] == 0
		          && get_number(p + 4, 4, false) < 16;
		for (size_t i = 0; !is && i < sizeof names / sizeof *names; ++i)
			is = stands(p, names[i]);
		if (is)
			places[n++] = at;
	}
	return n;
}

static void
change_field(chance *c, const image *m, const size_t *places, size_t n)
{
	static const size_t widths[] = { 1, 1, 2, 2, 4, 8 };
	const size_t width = widths[chance_below(c, 6)];
	size_t at = places[chance_below(c, n)] + chance_below(c, chance_below(c, 2) ? 48 : 400);
	if (width > 2 && chance_below(c, 4))
		at = m->base + (at - m->base) / 4 * 4;
	if (at + width > m->size)
		return;
	uint64_t value = mutate_number(c, get_number(m->data + at, width, false),
	                               m->size - m->base);
	/* An address of something else. */
	if (width == 8 && chance_below(c, 3) == 0)
		value = places[chance_below(c, n)] - m->base;
	put_number(m->data + at, width, false, value);
}

static void
copy_part(chance *c, const image *m, const size_t *places, size_t n)
{
	const size_t bytes = 8 + chance_below(c, 120);
	const size_t from = places[chance_below(c, n)] + chance_below(c, 64);
	const size_t to = places[chance_below(c, n)] + chance_below(c, 64);
	if (from + bytes <= m->size && to + bytes <= m->size)
		memmove(m->data + to, m->data + from, bytes);
}

size_t
mutate_hdf5(chance *c, uint8_t *data, size_t size, size_t most)
{
	image m;
	size_t places[MOST_PLACES];
	if (size > most || !find_image(&m, data, size))
		return 0;
	const size_t n = find_places(&m, places);
	for (size_t times = 1 + chance_below(c, 3); times > 0; --times)
		switch (chance_below(c, 8)) {
		case 0:
			copy_part(c, &m, places, n);
			break;
		case 1: {
			/* Bytes, in place. */
			const size_t at = m.base + chance_below(c, m.size - m.base);
			const size_t some = m.size - at < 64 ? m.size - at : 64;
			LLVMFuzzerMutate(data + at, some, some);
			break;
		}
		default:
			change_field(c, &m, places, n);
		}
	if (!find_image(&m, data, size))
		return size;
	seal_all(&m);
	return size;
}
