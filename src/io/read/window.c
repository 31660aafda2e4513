/* window.c - a file that is read once, from its beginning on. */
#include "io/read/window.h"

#include <stdlib.h>
#include <string.h>

ws_status
wsi_window_open(wsi_window *w, wsi_file *f, size_t room, bool hashes)
{
	*w = (wsi_window){ .memory = malloc(room ? room : 1), .room = room, .hashes = hashes };
	if (!w->memory)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for %zu bytes of it", f->path, room);
	wsi_sha256_start(&w->hash);
	f->window = w;
	return WS_OK;
}

void
wsi_window_close(wsi_window *w, wsi_file *f)
{
	f->window = NULL;
	free(w->memory);
	w->memory = NULL;
}

/* Fills the room behind what is held. */
static ws_status
fill(wsi_window *w, const wsi_file *f)
{
	const uint64_t end = w->start + w->held, left = f->bytes - end;
	const size_t room = w->room - w->held, n = left < room ? (size_t)left : room;
	WSI_TRY(wsi_file_read_at(f, end, w->memory + w->held, n));
	if (w->hashes)
		wsi_sha256_add(&w->hash, w->memory + w->held, n);
	w->held += n;
	return WS_OK;
}

/* The window begins at offset, which it holds or which follows it. */
static void
slide(wsi_window *w, uint64_t offset)
{
	const size_t gone = (size_t)(offset - w->start);
	memmove(w->memory, w->memory + gone, w->held - gone);
	w->held -= gone;
	w->start = offset;
}

ws_status
wsi_window_get(wsi_window *w, const wsi_file *f, uint64_t offset, size_t n,
               const unsigned char **bytes)
{
	*bytes = NULL;
	if (offset < w->start || n > w->room)
		return WS_OK;
	if (!w->hashes && offset > w->start + w->held) {
		w->start = offset;
		w->held = 0;
	}
	while (offset > w->start + w->held) {
		slide(w, w->start + w->held);
		WSI_TRY(fill(w, f));
	}
	if (offset + n > w->start + w->room)
		slide(w, offset);
	if (offset + n > w->start + w->held)
		WSI_TRY(fill(w, f));
	*bytes = w->memory + (offset - w->start);
	return WS_OK;
}

ws_status
wsi_window_finish(wsi_window *w, const wsi_file *f, char hex[65])
{
	while (w->start + w->held < f->bytes) {
		slide(w, w->start + w->held);
		WSI_TRY(fill(w, f));
	}
	wsi_sha256_finish(&w->hash, hex);
	return WS_OK;
}
