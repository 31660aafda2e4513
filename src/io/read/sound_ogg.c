/* sound_ogg.c - the checksums of OGG pages.  The format: RFC 3533. */
#include "io/read/sound_ogg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 27, FLAGS_AT = 5, BEGINS = 2, SERIAL_AT = 14, NUMBER_AT = 18, SUM_AT = 22,
       SEGMENTS_AT = 26, MOST_PAGE = HEAD + 255 + 255 * 255, MOST_STREAMS = 16 };

/* Logical streams, and the number of the page that each has next. */
typedef struct streams {
	struct {
		uint32_t serial, next;
	} items[MOST_STREAMS];
	size_t n;
} streams;

/* [k][byte]: k bytes of 0 behind it. */
static void
make_table(uint32_t table[4][256])
{
	for (uint32_t i = 0; i < 256; ++i) {
		uint32_t r = i << 24;
		for (int bit = 0; bit < 8; ++bit)
			r = r << 1 ^ (r >> 31 ? 0x04c11db7u : 0);
		table[0][i] = r;
	}
	for (int k = 1; k < 4; ++k)
		for (uint32_t i = 0; i < 256; ++i)
			table[k][i] = table[k - 1][i] << 8 ^ table[0][table[k - 1][i] >> 24];
}

static uint32_t
sum_of(uint32_t table[4][256], const unsigned char *bytes, size_t n)
{
	uint32_t r = 0;
	for (; n >= 4; n -= 4, bytes += 4) {
		r ^= (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8
		     | bytes[3];
		r = table[3][r >> 24] ^ table[2][r >> 16 & 255] ^ table[1][r >> 8 & 255]
		    ^ table[0][r & 255];
	}
	for (; n > 0; --n)
		r = r << 8 ^ table[0][(r >> 24 ^ *bytes++) & 255];
	return r;
}

static uint32_t
get(const unsigned char *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16
	       | (uint32_t)at[3] << 24;
}

/* Is it the page that comes next of its stream?  One of a new stream begins it; one that is marked
 * so begins it anew. */
static bool
comes_next(streams *s, const unsigned char *page)
{
	const uint32_t serial = get(page + SERIAL_AT), number = get(page + NUMBER_AT);
	size_t i = 0;
	while (i < s->n && s->items[i].serial != serial)
		++i;
	if (i == MOST_STREAMS)
		return true;
	if (i == s->n)
		s->items[s->n++].serial = serial;
	else if (!(page[FLAGS_AT] & BEGINS))
		return s->items[i].next++ == number;
	s->items[i].next = number + 1;
	return true;
}

/* The page at `at`, of *size bytes; 0: the file ends within it. */
static ws_status
read_page(const wsi_recording *rec, const wsi_file *f, uint64_t at, unsigned char *page,
          size_t *size)
{
	const uint64_t left = f->bytes - at;
	const size_t n = left < MOST_PAGE ? (size_t)left : MOST_PAGE;
	WSI_TRY(wsi_file_read(f, at, page, n));
	*size = 0;
	if (memcmp(page, "OggS", n < 4 ? n : 4) != 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: at byte %" PRIu64 " there is no page of "
		                "OGG", rec->path, at);
	if (n < HEAD || n < (size_t)HEAD + page[SEGMENTS_AT])
		return WS_OK;
	size_t whole = (size_t)HEAD + page[SEGMENTS_AT];
	for (size_t i = 0; i < page[SEGMENTS_AT]; ++i)
		whole += page[HEAD + i];
	*size = whole <= n ? whole : 0;
	return WS_OK;
}

ws_status
wsi_ogg_check(wsi_recording *rec, const wsi_file *f)
{
	uint32_t table[4][256];
	streams s = { .n = 0 };
	size_t size = 1, chained = 0;
	bool begins = true;   /* all pages so far begin streams that are told side by side */
	make_table(table);
	unsigned char *page = malloc(MOST_PAGE);
	ws_status status = page ? WS_OK : WSI_FAIL(WS_E_NOMEM, "%s: no memory", rec->path);
	for (uint64_t at = 0; status == WS_OK && size > 0 && at < f->bytes; at += size) {
		status = read_page(rec, f, at, page, &size);
		if (status != WS_OK || size == 0)
			break;
		const bool first = page[FLAGS_AT] & BEGINS;
		chained += first && !begins;
		begins = first;
		const uint32_t told = get(page + SUM_AT);
		memset(page + SUM_AT, 0, 4);
		if (sum_of(table, page, size) != told)
			status = WSI_FAIL(WS_E_FORMAT, "%s: damaged: the page of OGG at byte %"
			                  PRIu64 " is not what its checksum says", rec->path, at);
		else if (!comes_next(&s, page))
			status = WSI_FAIL(WS_E_FORMAT, "%s: damaged: before the page of OGG at "
			                  "byte %" PRIu64 " one is missing", rec->path, at);
	}
	free(page);
	return status != WS_OK || chained == 0 ? status
	       : wsi_recording_add_note(rec, "%s: %zu more recording%s behind the one that is read "
	                                "(chained OGG); put %s into a file of its own", rec->path,
	                                chained, chained == 1 ? " lies" : "s lie",
	                                chained == 1 ? "it" : "each");
}
