/* mat_stream.c - the bytes of a variable of MAT 5, in order. */
#include "io/read/mat_stream.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER ((size_t)1 << 17)

ws_status
wsi_mat_stream_open(wsi_mat_stream *s, const wsi_file *file, uint64_t begin, uint64_t end,
                    bool packed)
{
	*s = (wsi_mat_stream){ .file = file, .begin = begin, .end = end, .packed = packed,
		.next = begin };
	const uint64_t bytes = end - begin;
	s->buffer = malloc(bytes < BUFFER ? (size_t)bytes + 1 : BUFFER);
	if (s->buffer && packed && inflateInit(&s->z) != Z_OK) {
		free(s->buffer);
		s->buffer = NULL;
	}
	return s->buffer ? WS_OK : WSI_FAIL(WS_E_NOMEM, "%s: no memory to read it", file->path);
}

void
wsi_mat_stream_close(wsi_mat_stream *s)
{
	if (s->packed && s->buffer)
		inflateEnd(&s->z);
	free(s->buffer);
	s->buffer = NULL;
}

static ws_status
fill_buffer(wsi_mat_stream *s)
{
	const uint64_t left = s->end - s->next;
	s->first = 0;
	s->last = left < BUFFER ? (size_t)left : BUFFER;
	if (s->last == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: truncated or damaged: the variable at byte %llu "
		                "ends before all of it is there", s->file->path,
		                (unsigned long long)s->begin);
	WSI_TRY(wsi_file_read(s->file, s->next, s->buffer, s->last));
	s->next += s->last;
	return WS_OK;
}

/* ---- As it lies -------------------------------------------------------------------------- */

static ws_status
read_plain(wsi_mat_stream *s, unsigned char *out, uint64_t n)
{
	const size_t ready = s->last - s->first;
	const size_t now = n < ready ? (size_t)n : ready;
	if (out)
		memcpy(out, s->buffer + s->first, now);
	s->first += now;
	n -= now;
	if (n == 0)
		return WS_OK;
	if (n > s->end - s->next)
		return WSI_FAIL(WS_E_FORMAT, "%s: truncated or damaged: the variable at byte %llu "
		                "ends before all of it is there", s->file->path,
		                (unsigned long long)s->begin);
	if (!out || n >= BUFFER) {
		if (out)
			WSI_TRY(wsi_file_read(s->file, s->next, out + now, (size_t)n));
		s->next += n;
		return WS_OK;
	}
	WSI_TRY(fill_buffer(s));
	memcpy(out + now, s->buffer, (size_t)n);
	s->first = (size_t)n;
	return WS_OK;
}

/* ---- Packed ------------------------------------------------------------------------------ */

static ws_status
damaged(const wsi_mat_stream *s, int code)
{
	if (code == Z_MEM_ERROR)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory to unpack it", s->file->path);
	const bool sum = s->z.msg && strstr(s->z.msg, "data check");
	return WSI_FAIL(WS_E_FORMAT, "%s: damaged: the packed variable at byte %llu %s",
	                s->file->path, (unsigned long long)s->begin,
	                sum ? "is not the one that was written: its checksum differs"
	                    : "cannot be unpacked");
}

/* Unpacks as much as there is room for, or less at the end. */
static ws_status
unpack(wsi_mat_stream *s, unsigned char *out, size_t room, size_t *made)
{
	s->z.next_out = out;
	s->z.avail_out = (uInt)room;
	while (s->z.avail_out > 0 && !s->ended) {
		if (s->first == s->last)
			WSI_TRY(fill_buffer(s));
		s->z.next_in = s->buffer + s->first;
		s->z.avail_in = (uInt)(s->last - s->first);
		const int code = inflate(&s->z, Z_NO_FLUSH);
		s->first = s->last - s->z.avail_in;
		s->ended = code == Z_STREAM_END;
		if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
			return damaged(s, code);
	}
	*made = room - s->z.avail_out;
	return WS_OK;
}

static ws_status
read_packed(wsi_mat_stream *s, unsigned char *out, uint64_t n)
{
	unsigned char aside[16384];
	while (n > 0) {
		const size_t most = out ? (size_t)1 << 30 : sizeof aside;
		const size_t room = n < most ? (size_t)n : most;
		size_t made = 0;
		WSI_TRY(unpack(s, out ? out : aside, room, &made));
		if (made < room)
			return WSI_FAIL(WS_E_FORMAT, "%s: damaged: the packed variable at byte "
			                "%llu has fewer bytes than it says", s->file->path,
			                (unsigned long long)s->begin);
		out = out ? out + room : NULL;
		n -= room;
	}
	return WS_OK;
}

/* ---- Either ------------------------------------------------------------------------------ */

ws_status
wsi_mat_stream_read(wsi_mat_stream *s, void *out, uint64_t n)
{
	s->at += n;
	return s->packed ? read_packed(s, out, n) : read_plain(s, out, n);
}

ws_status
wsi_mat_stream_finish(wsi_mat_stream *s)
{
	/* Writers pad a variable to 8 bytes. */
	unsigned char rest[8];
	size_t made = 0;
	if (!s->packed)
		return WS_OK;
	WSI_TRY(unpack(s, rest, sizeof rest, &made));
	if (!s->ended || made == sizeof rest || s->end - s->next + (s->last - s->first) >= 8)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: the packed variable at byte %llu has "
		                "more bytes than it says", s->file->path,
		                (unsigned long long)s->begin);
	return WS_OK;
}
