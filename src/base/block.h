/* block.h - a large block of memory, in large pages where the system has them. */
#ifndef WSI_BLOCK_H
#define WSI_BLOCK_H

#include <stdlib.h>
#ifndef _WIN32
#include <sys/mman.h>
#endif

#include "base/arena.h"

#define WSI_LARGE_PAGE ((size_t)2 << 20)

/* Aligned to WSI_ALIGN, and from half a large page on to a large page; to be freed by free().
 * NULL: no memory. */
static inline void *
wsi_block_take(size_t bytes)
{
#ifdef MADV_HUGEPAGE
	/* A large page that is less than half full costs more to clear than small ones: such a rest
	 * has these. */
	const size_t whole = (bytes + WSI_LARGE_PAGE / 2) / WSI_LARGE_PAGE * WSI_LARGE_PAGE;
	if (whole) {
		void *block = NULL;
		if (posix_memalign(&block, WSI_LARGE_PAGE, whole > bytes ? whole : bytes) != 0)
			return NULL;
		/* Only advice: where it is not taken, pages are small. */
		madvise(block, whole, MADV_HUGEPAGE);
		return block;
	}
#endif
	/* A multiple, which not only sanitizers insist on. */
	return aligned_alloc(WSI_ALIGN, (bytes / WSI_ALIGN + 1) * WSI_ALIGN);
}

#endif
