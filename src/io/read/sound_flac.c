/* sound_flac.c - what libsndfile does not tell of a FLAC file.  The format: RFC 9639. */
#define _GNU_SOURCE /* memmem */
#include "io/read/sound_flac.h"

#include <stdlib.h>
#include <string.h>

/* The marker, the head of the block STREAMINFO, and that: each stream begins so. */
enum { INFO = 34, INFO_AT = 8, HEAD = INFO_AT + INFO, RATE_AT = INFO_AT + 10,
       BITS_AT = INFO_AT + 12, SUM_AT = INFO_AT + 18, CHUNK = 1 << 20 };

static uint32_t
get(const unsigned char *at, size_t bytes)
{
	uint32_t value = 0;
	for (size_t i = 0; i < bytes; ++i)
		value = value << 8 | at[i];
	return value;
}

static bool
is_head(const unsigned char *head)
{
	const uint32_t least = get(head + INFO_AT, 2), most = get(head + INFO_AT + 2, 2);
	return memcmp(head, "fLaC", 4) == 0 && (head[4] & 0x7f) == 0 && get(head + 5, 3) == INFO
	       && least >= 16 && most >= least && get(head + RATE_AT, 3) >> 4 != 0;
}

/* Where frames begin: metadata before them may hold anything. */
static ws_status
find_frames(const wsi_file *f, uint64_t *at)
{
	unsigned char head[4] = { 0 };
	for (*at = 4; !(head[0] & 0x80) && *at + sizeof head <= f->bytes;) {
		WSI_TRY(wsi_file_read(f, *at, head, sizeof head));
		*at += sizeof head + get(head + 1, 3);
	}
	return WS_OK;
}

/* Heads of streams among bytes: how many, and where in the file the first of all is. */
static void
count_heads(const unsigned char *bytes, size_t n, uint64_t at, size_t *streams, uint64_t *first)
{
	const unsigned char *c = bytes, *end = bytes + n;
	while ((c = memmem(c, (size_t)(end - c), "fLaC", 4)) && end - c >= HEAD) {
		if (is_head(c) && (*streams)++ == 0)
			*first = at + (uint64_t)(c - bytes);
		c += 4;
	}
}

static ws_status
find_others(const wsi_recording *rec, const wsi_file *f, size_t *streams, uint64_t *first)
{
	uint64_t at;
	WSI_TRY(find_frames(f, &at));
	unsigned char *chunk = malloc(CHUNK);
	WSI_HAVE(chunk, "%s: no memory to look through it", rec->path);
	ws_status status = WS_OK;
	/* A head may lie across the end of a chunk. */
	for (; status == WS_OK && at + HEAD <= f->bytes; at += CHUNK - HEAD + 1) {
		const uint64_t left = f->bytes - at;
		const size_t n = left < CHUNK ? (size_t)left : CHUNK;
		status = wsi_file_read(f, at, chunk, n);
		if (status == WS_OK)
			count_heads(chunk, n, at, streams, first);
	}
	free(chunk);
	return status;
}

ws_status
wsi_flac_look(wsi_recording *rec, wsi_sound_file *s)
{
	unsigned char head[HEAD];
	size_t others = 0;
	uint64_t end = s->file.bytes;
	if (s->file.bytes < sizeof head)
		return WS_OK;
	WSI_TRY(wsi_file_read(&s->file, 0, head, sizeof head));
	if ((head[4] & 0x7f) != 0 || get(head + 5, 3) != INFO)
		return WS_OK;
	s->bits = (int)((get(head + BITS_AT, 2) >> 4 & 31) + 1);
	memcpy(s->md5, head + SUM_AT, sizeof s->md5);
	for (size_t i = 0; i < sizeof s->md5; ++i)
		s->has_md5 |= s->md5[i] != 0;
	WSI_TRY(find_others(rec, &s->file, &others, &end));
	if (others == 0)
		return WS_OK;
	s->head = malloc(sizeof head);
	WSI_HAVE(s->head, "%s: no memory for its header", rec->path);
	memcpy(s->head, head, sizeof head);
	s->head_bytes = s->data = sizeof head;
	s->bytes = end - sizeof head;
	return wsi_recording_add_note(rec, "%s: %zu more recording%s behind the one that is read "
	                              "(FLAC files put together); put %s into a file of its own",
	                              rec->path, others, others == 1 ? " lies" : "s lie",
	                              others == 1 ? "it" : "each");
}
