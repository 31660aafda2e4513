/*
 * window.h - a file that is read once, from its beginning on.
 *
 * Part of the file stands in memory; what is asked for beyond it is read with all bytes
 * before it, which the checksum of the file needs.  What lies before it is read anew.
 */
#ifndef WSI_IO_WINDOW_H
#define WSI_IO_WINDOW_H

#include "io/read/readers.h"
#include "io/result/sha256.h"

typedef struct wsi_window {
	unsigned char *memory;
	size_t room, held;      /* bytes */
	uint64_t start;         /* of the first byte held, in the file */
	bool hashes;
	wsi_sha256 hash;        /* of all bytes up to start + held */
} wsi_window;

/* From now on f is read through w, which is its caller's, of so many bytes.  Without
 * hashes, bytes that nobody asks for are not read. */
ws_status wsi_window_open(wsi_window *w, wsi_file *f, size_t room, bool hashes);
/* f is again as before. */
void wsi_window_close(wsi_window *w, wsi_file *f);

/* n bytes of the file at offset, valid until the next call; NULL where the window cannot
 * hold them.  The caller has checked that the file has them. */
ws_status wsi_window_get(wsi_window *w, const wsi_file *f, uint64_t offset, size_t n,
                         const unsigned char **bytes);

/* The checksum of the file, the rest of which is read for it. */
ws_status wsi_window_finish(wsi_window *w, const wsi_file *f, char hex[65]);

#endif
