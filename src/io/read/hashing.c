/* hashing.c - the checksum of a file, taken by a thread while its caller does something else. */
#include "io/read/hashing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"

#define SOME ((size_t)1 << 20)

struct wsi_hashing {
	wsi_file file;          /* without a window: that is the caller's */
	unsigned char *memory;
	char hex[65];
	ws_status status;
	char detail[WSI_DETAIL];
	atomic_bool ends;
	bool started;
	pthread_t thread;
};

static ws_status
take(wsi_hashing *h)
{
	wsi_sha256 sum;
	wsi_sha256_start(&sum);
	for (uint64_t at = 0, n; at < h->file.bytes && !atomic_load(&h->ends); at += n) {
		n = h->file.bytes - at < SOME ? h->file.bytes - at : SOME;
		WSI_TRY(wsi_file_read(&h->file, at, h->memory, (size_t)n));
		wsi_sha256_add(&sum, h->memory, (size_t)n);
	}
	wsi_sha256_finish(&sum, h->hex);
	return WS_OK;
}

static void *
run(void *arg)
{
	wsi_hashing *h = arg;
	h->status = take(h);
	snprintf(h->detail, sizeof h->detail, "%s", ws_error_detail());
	return NULL;
}

ws_status
wsi_hashing_start(wsi_hashing **hashing, const wsi_file *f)
{
	wsi_hashing *h = *hashing = calloc(1, sizeof *h);
	if (h)
		h->memory = malloc(SOME);
	if (!h || !h->memory) {
		free(h);
		*hashing = NULL;
		return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", f->path);
	}
	h->file = (wsi_file){ .path = f->path, .fd = f->fd, .bytes = f->bytes };
	h->started = wsi_thread_start(&h->thread, run, h);
	if (!h->started)
		run(h);
	return WS_OK;
}

void
wsi_hashing_stop(wsi_hashing *h)
{
	if (!h)
		return;
	atomic_store(&h->ends, true);
	if (h->started)
		pthread_join(h->thread, NULL);
	free(h->memory);
	free(h);
}

ws_status
wsi_hashing_finish(wsi_hashing **hashing, char hex[65])
{
	wsi_hashing *h = *hashing;
	if (h->started)
		pthread_join(h->thread, NULL);
	h->started = false;
	const ws_status status = h->status == WS_OK ? WS_OK : WSI_FAIL(h->status, "%s", h->detail);
	strcpy(hex, h->hex);
	wsi_hashing_stop(h);
	*hashing = NULL;
	return status;
}
