/*
 * sized.h - structs of callers, which begin with their size: those of a caller that was compiled
 * with an older or newer public header are shorter or longer than ours.
 */
#ifndef WSI_SIZED_H
#define WSI_SIZED_H

#include "base/status.h"

/* Bytes of a struct up to the end of a field. */
#define WSI_UP_TO(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

/*
 * Copies the caller's struct `from` to `to`, which has `bytes` bytes; fields that it lacks are 0,
 * to->size is `bytes`.  WS_E_ARG, with the name of the struct, where it is shorter than `least`
 * bytes, or longer than `bytes` and a byte beyond is not 0.
 */
ws_status wsi_sized_copy(const char *name, void *to, size_t bytes, size_t least, const void *from);

/* The same for a variable `to`; all callers have fields up to `last`. */
#define WSI_SIZED_COPY(type, to, last, from) \
	wsi_sized_copy(#type, (to), sizeof(type), WSI_UP_TO(type, last), (from))

/* WS_E_ARG, with the name of the struct, where the caller's struct of `size` bytes is shorter than
 * `least`, or larger than any. */
ws_status wsi_sized_check(const char *name, size_t size, size_t least);

/* Fills the caller's struct `to`, whose size was checked, as far as it reaches: what it has beyond
 * the `bytes` bytes of `from` becomes 0, its size stays. */
void wsi_sized_fill(void *to, const void *from, size_t bytes);

#endif
