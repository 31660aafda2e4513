/* sound_flac.c - what libsndfile does not tell of a FLAC file.  The format: RFC 9639. */
#define _GNU_SOURCE /* memmem */
#include "io/read/sound_flac.h"

#include <stdlib.h>
#include <string.h>

/* The marker, the head of the block STREAMINFO, and that: each stream begins so. */
enum { INFO = 34, INFO_AT = 8, HEAD = INFO_AT + INFO, RATE_AT = INFO_AT + 10,
       BITS_AT = INFO_AT + 12, SUM_AT = INFO_AT + 18, CHUNK = 1 << 20,
       FRAME = 4 << 20 /* more than any frame has: 65535 samples of 8 channels, 32 bits */ };

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

/* ---- Behind the last frame ---------------------------------------------------------------- */

enum { FRAME_HEAD = 16 };

/* Up to which sample the frame goes whose header c[FRAME_HEAD] is; 0: it is none. */
static uint64_t
last_sample(const unsigned char *c, const unsigned char *head)
{
	if (c[0] != 0xff || (c[1] & 0xfe) != 0xf8)
		return 0;
	/* The number is coded as UTF-8 codes characters, with up to 7 bytes. */
	const unsigned code = c[2] >> 4;
	int more = c[4] < 0x80 ? 0 : 1;
	for (; more && more < 7 && c[4] & 0x40 >> more; ++more)
		;
	uint64_t number = more ? c[4] & 0x3f >> more : c[4];
	for (int i = 1; i <= more; ++i)
		number = number << 6 | (c[4 + i] & 0x3f);
	const unsigned char *size = c + 5 + more;
	const uint64_t samples = code == 1 ? 192 : code < 6 ? (uint64_t)144 << code
		: code == 6 ? get(size, 1) + 1 : code == 7 ? get(size, 2) + 1
		: (uint64_t)256 << (code - 8);
	return (c[1] & 1 ? number : number * get(head + INFO_AT + 2, 2)) + samples;
}

/* Are there bytes behind a frame, which its CRC-16 ends?  Zeros leave a sum of 0 as it is; one or
 * two of them may be the CRC's own. */
static bool
is_followed(const unsigned char *frame, size_t n)
{
	unsigned sum = 0;
	size_t end = 0;
	for (size_t i = 0; i < n; ++i) {
		const bool was = sum != 0;
		sum ^= (unsigned)frame[i] << 8;
		for (int b = 0; b < 8; ++b)
			sum = (sum << 1 ^ (sum & 0x8000 ? 0x8005 : 0)) & 0xffff;
		end = was && sum == 0 ? i + 1 : end;
	}
	return sum != 0 || n - end > 2;
}

/* What lies behind the last frame of all is told. */
static ws_status
look_behind(wsi_recording *rec, const wsi_file *f, const unsigned char *head)
{
	const uint64_t samples = (uint64_t)(head[RATE_AT + 3] & 15) << 32 | get(head + RATE_AT + 4,
	                                                                        4);
	uint64_t at;
	WSI_TRY(find_frames(f, &at));
	if (samples == 0 || at >= f->bytes)
		return WS_OK;
	const size_t n = f->bytes - at < FRAME ? (size_t)(f->bytes - at) : FRAME;
	/* A short frame may be all that is left. */
	unsigned char *bytes = calloc(1, n + FRAME_HEAD);
	WSI_HAVE(bytes, "%s: no memory to look through it", rec->path);
	const ws_status status = wsi_file_read(f, f->bytes - n, bytes, n);
	size_t last = n;
	while (last-- > 0 && status == WS_OK && last_sample(bytes + last, head) != samples)
		;
	const bool more = status == WS_OK && (last >= n || is_followed(bytes + last, n - last));
	free(bytes);
	return more ? wsi_recording_add_note(rec, "%s: bytes follow the last frame that the header "
	                                     "tells of; they are not read", rec->path) : status;
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
		return look_behind(rec, &s->file, head);
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
