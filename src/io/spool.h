/*
 * spool.h - finished channels kept until commit, in memory or in a nameless file.
 *
 * MAT and CSV can be laid out only when the last mode count is known, and want time
 * slowest; so their writers put the rows here, and lay them out at commit.  A file lies
 * beside the output.
 */
#ifndef WSI_IO_SPOOL_H
#define WSI_IO_SPOOL_H

#include <stddef.h>

#include "io/result.h"

/* An entry is one channel of one epoch: epoch * channels + channel. */
typedef struct wsi_spool {
	int fd;                /* -1: in memory */
	char *memory;
	const char *path;      /* of the output, for messages; borrowed */
	size_t samples;
	ws_type type;
	size_t entries;        /* put so far */
	size_t *modes;         /* [entry] */
	size_t *first_row;     /* [entry] the row of its signal */
} wsi_spool;

/* A row of the result: WSI_ROW_SIGNAL, a mode, or WSI_ROW_RESIDUE. */
typedef struct wsi_spool_row {
	size_t entry, row;
} wsi_spool_row;

/* path: of the output; max_entries: how many will be put; room: bytes of memory, enough
 * for all that will be put, or 0 for a file.  On failure nothing is left. */
ws_status wsi_spool_open(wsi_spool *spool, const char *path, size_t max_entries,
                         size_t samples, ws_type type, size_t room);
void wsi_spool_close(wsi_spool *spool);
ws_status wsi_spool_put(wsi_spool *spool, const void *signal, const void *modes,
                        size_t n_modes, const void *residue);
/* A mode that the entry does not have reads as zeros. */
ws_status wsi_spool_read(const wsi_spool *spool, wsi_spool_row row, size_t first, size_t count,
                         void *out);

/* A nameless file beside the output, or where temporary files go for "-"; and bytes of it.
 * path: of what is read, for messages. */
ws_status wsi_spool_file(int *fd, const char *output);
ws_status wsi_spool_file_read(int fd, const char *path, size_t offset, void *out, size_t bytes);

/* Takes rows[n] block by block in time and hands each block over turned:
 * block[t * n + r], count times n values. */
typedef ws_status (*wsi_spool_sink)(void *user, size_t first, size_t count, const void *block);
ws_status wsi_spool_turn(const wsi_spool *spool, const wsi_spool_row *rows, size_t n,
                         wsi_spool_sink sink, void *user);

#endif
