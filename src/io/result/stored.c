/* stored.c - a result of modes as a recording. */
#include "io/result/stored.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/h5_events.h"

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

/* A result that cannot give its events is damaged, whatever else of it can be read. */
static ws_status
take_events(wsi_recording *rec, const wsi_open_opts *opts)
{
	wsi_recording *other;
	wsi_open_opts plain = *opts;
	plain.events_from = NULL;
	WSI_TRY(wsi_recording_open_by(&other, rec->path, &plain, &wsi_reader_events));
	rec->events = other->events;
	rec->n_events = other->n_events;
	rec->held += other->held;
	rec->note = other->note;
	other->note = NULL;
	other->events = NULL;
	other->n_events = 0;
	wsi_recording_close(other);
	return WS_OK;
}

static ws_status
take_channels(wsi_recording *rec, const wsi_result *r, double fs)
{
	WSI_TRY(wsi_recording_set_channels(rec, r->channels));
	for (size_t i = 0; i < r->channels; ++i) {
		wsi_channel *c = &rec->channels[i];
		c->samples = r->samples;
		c->fs = fs;
		WSI_TRY(wsi_channel_set_name(c, r->channel_names[i]));
		WSI_TRY(wsi_channel_set_unit(c, r->units[i]));
	}
	return WS_OK;
}

static ws_status
fill(wsi_recording *rec, const wsi_result *r, const wsi_open_opts *opts)
{
	const double fs = opts->fs != 0 ? opts->fs : r->fs;
	if (!(fs > 0) || !isfinite(fs))
		return WSI_FAIL(WS_E_ARG, "%s: a sampling rate of %g Hz is not above 0",
		                rec->path, fs);
	WSI_TRY(take_channels(rec, r, fs));
	rec->format = "wavesift result";
	rec->epochs = r->epochs;
	rec->fs_known = r->fs_known || opts->fs != 0;
	/* Times are seconds of the rate that the file tells. */
	rec->time_origin = (r->time_origin + r->first_time) * (r->fs / fs);
	if (!isfinite(rec->time_origin))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its times begin at %g s", rec->path,
		                rec->time_origin);
	rec->time_unit = r->time_unit;
	strcpy(rec->start_time, r->start_time);
	return wsi_result_may_have_events(r) ? take_events(rec, opts) : WS_OK;
}

ws_status
wsi_stored_open(wsi_recording **out, const char *path, const wsi_open_opts *opts)
{
	*out = NULL;
	wsi_recording *rec = calloc(1, sizeof *rec);
	if (!rec)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory to open it", path);
	wsi_result *r = NULL;
	rec->path = wsi_strdup(path);
	rec->source = rec->path;
	rec->opts = *opts;
	ws_status status = rec->path ? wsi_result_open(&r, path, opts)
	                   : WSI_FAIL(WS_E_NOMEM, "%s: no memory to open it", path);
	rec->state = r;
	rec->reader = r ? &reader : NULL;
	if (status == WS_OK)
		status = fill(rec, r, opts);
	if (status != WS_OK) {
		wsi_recording_close(rec);
		return status;
	}
	*out = rec;
	return WS_OK;
}
