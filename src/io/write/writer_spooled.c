/*
 * writer_spooled.c - what formats have in common that lay their file out at commit: arrays with a
 * time axis in one spool, and the others, which are small and many, in memory.
 */
#include <stdlib.h>

#include "io/write/writer_format.h"

enum { SMALL, LONG, SPOOLS };

typedef struct spooled {
	wsi_spool spools[SPOOLS];
} spooled;

static uint64_t
bytes_before(const wsi_writer *w, const wsi_file_array *array, bool timed)
{
	uint64_t at = 0;
	for (const wsi_file_array *a = w->arrays; a < array; ++a)
		at += wsi_array_timed(a) == timed ? a->bytes * w->n_entries : 0;
	return at;
}

const wsi_spool *
wsi_spooled_in(const wsi_writer *w, bool timed)
{
	const spooled *s = w->state;
	return &s->spools[timed ? LONG : SMALL];
}

uint64_t
wsi_spooled_place(const wsi_writer *w, const wsi_file_array *array, size_t entry)
{
	return bytes_before(w, array, wsi_array_timed(array)) + array->bytes * entry;
}

ws_status
wsi_spooled_open(wsi_writer *w)
{
	spooled *s = w->state = malloc(sizeof *s);
	WSI_HAVE(s, "%s: out of memory", w->path);
	s->spools[SMALL] = s->spools[LONG] = (wsi_spool){ .fd = -1 };
	const wsi_file_array *end = w->arrays + w->n_arrays;
	WSI_TRY(wsi_spool_open(&s->spools[SMALL], w->path, bytes_before(w, end, false), true));
	const uint64_t bytes = bytes_before(w, end, true);
	return wsi_spool_open(&s->spools[LONG], w->path, bytes, bytes <= w->header.memory);
}

typedef struct target {
	const wsi_spool *spool;
	uint64_t at;           /* of the array of the channel */
} target;

static ws_status
put_stretch(void *user, uint64_t at, const void *data, size_t bytes)
{
	const target *t = user;
	return wsi_spool_put(t->spool, t->at + at, data, bytes);
}

ws_status
wsi_slab_spool(const wsi_file_array *array, const ws_slab *slab, const wsi_spool *spool,
               uint64_t at)
{
	return wsi_slab_stretches(array, slab, put_stretch, &(target){ spool, at });
}

ws_status
wsi_spooled_put(wsi_writer *w, const wsi_file_array *array, size_t entry, const ws_slab *slab)
{
	return wsi_slab_spool(array, slab, wsi_spooled_in(w, wsi_array_timed(array)),
	                      wsi_spooled_place(w, array, entry));
}

void
wsi_spooled_close(wsi_writer *w)
{
	spooled *s = w->state;
	for (int i = 0; s && i < SPOOLS; ++i)
		wsi_spool_close(&s->spools[i]);
	free(s);
}
