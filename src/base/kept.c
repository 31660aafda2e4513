/* kept.c - memory in many parts that is freed together. */
#include "base/kept.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What a part begins with. */
struct wsi_kept_part {
	_Alignas(max_align_t) struct wsi_kept_part *before;
};

void *
wsi_kept_new(wsi_kept *k, size_t n, size_t size)
{
	struct wsi_kept_part *part = NULL;
	if (n <= (SIZE_MAX - sizeof *part) / size)
		part = calloc(1, sizeof *part + n * size);
	if (!part) {
		k->failed = true;
		return NULL;
	}
	part->before = k->last;
	k->last = part;
	return part + 1;
}

char *
wsi_kept_text(wsi_kept *k, const char *text)
{
	char *copy = wsi_kept_new(k, strlen(text) + 1, 1);
	return copy ? strcpy(copy, text) : NULL;
}

void
wsi_kept_free(wsi_kept *k)
{
	while (k->last) {
		struct wsi_kept_part *before = k->last->before;
		free(k->last);
		k->last = before;
	}
	*k = (wsi_kept){ 0 };
}
