/*
 * file.h - checked reads of a regular file, samples of any type, file names.
 *
 * A file may be read once, from its beginning on, through a window: part of it stands in memory;
 * what is asked for beyond it is read with all bytes before it, which the checksum of the file
 * needs.  What lies before it is read anew.
 */
#ifndef WSI_IO_FILE_H
#define WSI_IO_FILE_H

#include "base/new.h"
#include "io/read/opened.h"
#include "io/result/sha256.h"

/* A regular file open for reading.  {.fd = -1} is closed. */
typedef struct wsi_file {
	const char *path;  /* borrowed */
	int fd;
	uint64_t bytes;
	struct wsi_window *window; /* that it is read through; or NULL */
} wsi_file;

/* On failure the file is closed and the detail names path.  opened: is told of it; or NULL. */
ws_status wsi_file_open(wsi_file *f, const char *path, wsi_opened *opened);
void wsi_file_close(wsi_file *f);
/* Opens a file for its first bytes alone: *n of them, of at most *n. */
ws_status wsi_file_head(const char *path, wsi_opened *opened, unsigned char *head, size_t *n);
#define WSI_HDF5_HEAD "\x89HDF\r\n\x1a\n"
/* Reads exactly n bytes at offset; a file that ends before is WS_E_FORMAT. */
ws_status wsi_file_read(const wsi_file *f, uint64_t offset, void *out, size_t n);

/* Does the name end so?  Case is ignored: ".edf" matches "A.EDF". */
bool wsi_name_ends(const char *path, const char *ending);
/* The name with its last extension replaced (ext "fdt"), or, for
 * wsi_path_beside, name in path's folder; NULL when out of memory. */
char *wsi_path_with_ext(const char *path, const char *ext);
char *wsi_path_beside(const char *path, const char *name);

/* *out = a * b, false when that overflows. */
static inline bool
wsi_mul_size(size_t a, size_t b, size_t *out)
{
	return !__builtin_mul_overflow(a, b, out);
}

/* The sample types that readers of plain binary share. */
typedef enum wsi_sample_type {
	WSI_I8, WSI_U8, WSI_I16, WSI_U16, WSI_I24, WSI_I32, WSI_U32, WSI_I64, WSI_U64,
	WSI_F32, WSI_F64
} wsi_sample_type;

size_t wsi_sample_bytes(wsi_sample_type type);
/* Decodes count samples of which the next lies stride bytes further. */
void wsi_decode(const unsigned char *in, size_t stride, size_t count, wsi_sample_type type,
                bool big_endian, double *out);
/* Stores one, which the type can hold. */
void wsi_encode(double value, wsi_sample_type type, bool big_endian, unsigned char *out);
/* Reads count samples of a file at offset, stride bytes apart (at least the
 * sample's size), through a buffer of fixed size. */
ws_status wsi_file_read_samples(const wsi_file *f, uint64_t offset, size_t stride, size_t count,
                                wsi_sample_type type, bool big_endian, double *out);

/* ---- Through a window ------------------------------------------------------------------------ */

typedef struct wsi_window {
	unsigned char *memory;
	size_t room, held;      /* bytes */
	uint64_t start;         /* of the first byte held, in the file */
	uint64_t end;           /* set: what lies beyond is read only where it is asked for; without
	                           it, that of the file */
	bool hashes;
	wsi_sha256 hash;        /* of all bytes up to start + held */
} wsi_window;

/* From now on f is read through w, which is its caller's, of so many bytes.  Without
 * hashes, bytes that nobody asks for are not read. */
ws_status wsi_window_open(wsi_window *w, wsi_file *f, size_t room, bool hashes);
/* f is again as before. */
void wsi_window_close(wsi_window *w, wsi_file *f);

/* The checksum of the file, the rest of which is read for it. */
ws_status wsi_window_finish(wsi_window *w, const wsi_file *f, char hex[65]);

#endif
