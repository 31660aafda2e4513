/* writer_spooled.c - what formats have in common that lay their file out at commit. */
#include <stdlib.h>

#include "io/writer.h"

uint64_t
wsi_spooled_place(const wsi_writer *w, const wsi_file_array *array, size_t entry)
{
	uint64_t at = array->bytes * entry;
	for (const wsi_file_array *a = w->arrays; a < array; ++a)
		at += a->bytes * w->n_entries;
	return at;
}

ws_status
wsi_spooled_open(wsi_writer *w)
{
	wsi_spool *spool = malloc(sizeof *spool);
	if (!spool)
		return WSI_FAIL(WS_E_NOMEM, "%s: out of memory", w->path);
	ws_status status = wsi_spool_open(spool, w->path, w->bytes, w->bytes <= w->header.memory);
	if (status != WS_OK)
		free(spool);
	else
		w->state = spool;
	return status;
}

typedef struct target {
	wsi_spool *spool;
	uint64_t at;           /* of the array of the channel */
} target;

static ws_status
put_stretch(void *user, uint64_t at, const void *data, size_t bytes)
{
	const target *t = user;
	return wsi_spool_put(t->spool, t->at + at, data, bytes);
}

ws_status
wsi_spooled_put(wsi_writer *w, const wsi_file_array *array, size_t entry, const ws_slab *slab)
{
	target t = { w->state, wsi_spooled_place(w, array, entry) };
	return wsi_slab_stretches(array, slab, put_stretch, &t);
}

void
wsi_spooled_close(wsi_writer *w)
{
	if (w->state)
		wsi_spool_close(w->state);
	free(w->state);
}
