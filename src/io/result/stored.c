/* stored.c - a result of modes as a recording. */
#include "io/result/stored.h"

#include <stdlib.h>

#include "io/result/modes.h"

static ws_status
stored_read(wsi_recording *rec, size_t epoch, size_t channel, size_t first, size_t count,
            double *out)
{
	return wsi_result_read(rec->state, epoch, channel, WSI_ROW_SIGNAL, first, count, out);
}

static void
stored_close(wsi_recording *rec)
{
	wsi_result_close(rec->state);
}

/* Opened by wsi_stored_open() alone: no file is told from its content to be one. */
static const wsi_reader reader = {
	.name = "result", .read = stored_read, .close = stored_close,
};

wsi_result *
wsi_stored_result(const wsi_recording *rec)
{
	return rec->reader == &reader ? rec->state : NULL;
}

/* What the recording of the arrays knows of the signals goes over; names stay where they are. */
static void
take(wsi_recording *rec, wsi_recording *arrays, wsi_result *r)
{
	char *path = rec->path;
	*rec = *arrays;
	rec->path = path;
	rec->source = path;
	rec->reader = &reader;
	rec->format = "wavesift result";
	rec->state = r;
	rec->decoder = NULL;
	rec->arrays = NULL;
	arrays->channels = NULL;
	arrays->n_events = 0;
	arrays->events = NULL;
	arrays->segments = NULL;
	arrays->note = NULL;
}

ws_status
wsi_stored_open(wsi_recording **out, const char *path, const wsi_open_opts *opts)
{
	wsi_recording *arrays;
	wsi_result *r;
	wsi_open_opts plain = *opts;
	plain.events_from = NULL;
	plain.with_events = true;
	*out = NULL;
	WSI_TRY(wsi_modes_open(&arrays, path, &plain));
	WSI_TRY(wsi_result_of(&r, arrays));
	wsi_recording *rec = calloc(1, sizeof *rec);
	char *copy = rec ? wsi_strdup(path) : NULL;
	if (!copy) {
		free(rec);
		wsi_result_close(r);
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory to open it", path);
	}
	rec->path = copy;
	take(rec, arrays, r);
	*out = rec;
	return WS_OK;
}
