/*
 * kept.h - memory in many parts that is freed together, and asked after once: a function takes all
 * that it needs, looks at `failed`, and whoever owns the parts frees them, however far it came.
 */
#ifndef WSI_BASE_KEPT_H
#define WSI_BASE_KEPT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct wsi_kept {
	struct wsi_kept_part *last;
	bool failed;             /* there was no memory for a part */
} wsi_kept;

/* n elements of so many bytes, zeros; n may be 0.  NULL: it failed. */
void *wsi_kept_new(wsi_kept *k, size_t n, size_t size);

/* A copy of a text. */
char *wsi_kept_text(wsi_kept *k, const char *text);

/* A freed or zeroed one is fine. */
void wsi_kept_free(wsi_kept *k);

#endif
