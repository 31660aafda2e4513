/*
 * behind.h - large writes that go on while the caller does something else.
 *
 * Bytes are copied and written by a thread, past the system's cache where the file
 * system allows: a result is written once, and flushed before it gets its name, so that
 * the cache would only take the memory and the processor of the work.  Where the file lies in
 * memory itself (tmpfs) several threads write, each to pages of its own: one takes as long to
 * get and fill these as eight cores to make what is written; beside one thread, or where none has
 * a processor of its own, the caller writes at once, from where the bytes lie.
 */
#ifndef WSI_IO_BEHIND_H
#define WSI_IO_BEHIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/newfile.h"

typedef struct wsi_behind wsi_behind;

/* Writes shorter than this are better done at once. */
#define WSI_BEHIND_LEAST ((size_t)64 << 10)

/* Places and sizes that go past the cache are multiples of this, on any disk. */
#define WSI_BEHIND_PAGE ((uint64_t)4096)

/* fd: open on the file.  threads: of the work that goes on beside.  NULL where there is no
 * memory. */
wsi_behind *wsi_behind_open(int fd, const wsi_newfile *file, int threads);

/* Takes a copy of the bytes, to be written at `at`, where none are on their way.  After a failure
 * nothing more is written. */
void wsi_behind_put(wsi_behind *b, uint64_t at, const void *data, size_t bytes);

/* What was put last is followed by zeros to the end of its page, which is nobody else's: so that
 * page goes past the cache, too. */
void wsi_behind_pad(wsi_behind *b);

/* Is any of these bytes on its way? */
bool wsi_behind_holds(wsi_behind *b, uint64_t at, size_t bytes);

/* Waits until all is written; errno of the first failure, or 0. */
int wsi_behind_wait(wsi_behind *b);

/* errno of the first failure so far, or 0. */
int wsi_behind_error(wsi_behind *b);

/* Frees b, which may be NULL.  Bytes that were not waited for may remain unwritten. */
void wsi_behind_close(wsi_behind *b);

#endif
