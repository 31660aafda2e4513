/*
 * mat_stream.h - the bytes of a variable of MAT 5, in order: as they lie in the file, or packed
 * by zlib, whose Adler-32 is checked at the end.
 */
#ifndef WSI_IO_MAT_STREAM_H
#define WSI_IO_MAT_STREAM_H

#include <zlib.h>

#include "base/status.h"
#include "io/read/readers.h"

typedef struct wsi_mat_stream {
	const wsi_file *file;
	uint64_t begin, end;      /* of what the file has of it */
	bool packed;
	uint64_t at;              /* of the next byte, counted as unpacked */
	/* What was read of the file and not yet used. */
	unsigned char *buffer;
	size_t first, last;
	uint64_t next;            /* byte of the file behind it */
	z_stream z;
	bool ended; /* zlib saw the end of what it unpacks, and its checksum is right */
} wsi_mat_stream;

/* Bytes begin to end of a file.  On failure, too, it is to be closed. */
ws_status wsi_mat_stream_open(wsi_mat_stream *s, const wsi_file *file, uint64_t begin,
                              uint64_t end, bool packed);
void wsi_mat_stream_close(wsi_mat_stream *s);
/* The next n bytes, or, where out is NULL, past them; WS_E_FORMAT where it ends before. */
ws_status wsi_mat_stream_read(wsi_mat_stream *s, void *out, uint64_t n);
/* Goes on to the end: of what is packed, WS_E_FORMAT where the checksum is not that of what was
 * unpacked. */
ws_status wsi_mat_stream_finish(wsi_mat_stream *s);

#endif
