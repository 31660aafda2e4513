/*
 * arena.h - one block of memory laid out by bumping a pointer.  Run the same
 * layout code with base NULL to learn how many bytes it needs.
 */
#ifndef WSI_ARENA_H
#define WSI_ARENA_H

#include <stddef.h>

#define WSI_ALIGN 64

typedef struct wsi_arena {
	char *base;   /* aligned to WSI_ALIGN; NULL while measuring */
	size_t used;
} wsi_arena;

/* NULL while measuring. */
static inline void *
wsi_arena_take(wsi_arena *arena, size_t bytes)
{
	void *p = arena->base ? arena->base + arena->used : NULL;
	arena->used += (bytes + WSI_ALIGN - 1) / WSI_ALIGN * WSI_ALIGN;
	return p;
}

#endif
