/*
 * spool.h - what is kept until commit, in memory or in a nameless file.
 *
 * MAT and CSV can be laid out only when the last mode count is known, and want time
 * slowest; so their writers put the rows here, and lay them out at commit.  A file lies
 * beside the output.
 */
#ifndef WSI_IO_SPOOL_H
#define WSI_IO_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/newfile.h"
#include "wavesift/wavesift.h"

typedef struct wsi_spool {
	int fd;                /* -1: in memory */
	char *memory;
	const char *path;      /* of the output, for messages; borrowed */
} wsi_spool;

/* path: of the output; bytes: as many as it has room for, which read as zeros until they are put;
 * what nobody puts takes no room.  in_memory: if there is so much.  On failure nothing is left. */
ws_status wsi_spool_open(wsi_spool *spool, const char *path, uint64_t bytes, bool in_memory);
void wsi_spool_close(wsi_spool *spool);
ws_status wsi_spool_put(const wsi_spool *spool, uint64_t at, const void *data, size_t bytes);
ws_status wsi_spool_read(const wsi_spool *spool, uint64_t at, void *out, size_t bytes);

/* A nameless file beside the output, or where temporary files go for "-"; and bytes of it.
 * path: of what is read, for messages. */
ws_status wsi_spool_file(int *fd, const char *output);
/* The same for several processes: one makes it, others join it by the name and number that the
 * first has.  Once all have, each takes its descriptor, by which the file loses its name. */
ws_status wsi_spool_share(wsi_newfile *file, const char *output);
ws_status wsi_spool_join(wsi_newfile *file, const char *output, const char *temp, uint64_t inode);
int wsi_spool_take(wsi_newfile *file);
ws_status wsi_spool_file_write(int fd, const char *output, size_t offset, const void *data,
                               size_t bytes);
ws_status wsi_spool_file_read(int fd, const char *path, size_t offset, void *out, size_t bytes);

/* Samples of one row of an array: where the first lies, and bytes of each. */
typedef struct wsi_spool_row {
	uint64_t at;
	size_t size;
} wsi_spool_row;

/* Takes count samples of rows[n] block by block and hands each block over transposed: for each
 * sample from first on a record that holds one of each row, in order, without gaps.  The sink may
 * change the block. */
typedef ws_status (*wsi_spool_sink)(void *user, size_t first, size_t count, void *block);
ws_status wsi_spool_transpose(const wsi_spool *spool, const wsi_spool_row *rows, size_t n,
                              size_t count, wsi_spool_sink sink, void *user);

#endif
