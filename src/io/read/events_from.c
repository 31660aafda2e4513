/* events_from.c - a channel of triggers as events. */
#include "io/read/events_from.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/new.h"
#include "io/read/read.h"
#include "io/read/selection.h"
#include "io/read/triggers.h"

#define CHUNK 65536

static ws_status
find_channel(const wsi_recording *rec, const char *wanted, size_t *channel)
{
	size_t *picked = NULL, n = 0;
	const char **names;
	WSI_NEW(names, rec->n_channels, "%s: no memory", rec->path);
	for (size_t i = 0; i < rec->n_channels; ++i)
		names[i] = rec->channels[i].name;
	ws_status status = wsi_select(wanted, rec->n_channels, names, "events_from", rec->path,
	                              &picked, &n);
	if (status == WS_OK && n != 1)
		status = WSI_FAIL(WS_E_ARG, "`events_from %s`: %s has %zu such channels; name one",
		                  wanted, rec->path, n);
	if (status == WS_OK)
		*channel = picked[0];
	free(picked);
	free(names);
	return status;
}

static ws_status
read_triggers(wsi_recording *rec, wsi_triggers *t, double *x)
{
	const wsi_channel *c = &rec->channels[t->channel];
	/* Above the trigger inputs lie bits of BioSemi's own status. */
	const bool biosemi = strncmp(rec->format, "BDF", 3) == 0 && !c->is_signal;
	while (t->samples < c->samples) {
		const size_t left = c->samples - t->samples, n = left < CHUNK ? left : CHUNK;
		WSI_TRY(wsi_recording_read(rec, 0, t->channel, t->samples, n, x));
		for (size_t k = 0; biosemi && k < n; ++k)
			x[k] = (double)(llrint(x[k]) & 0xffff);
		WSI_TRY(wsi_triggers_put(t, x, n));
		/* Of a value that moves all the time each sample would be an event. */
		if (t->n > 100 && t->n > t->samples / 2)
			return WSI_FAIL(WS_E_FORMAT, "`events_from %s`: this channel of %s changes "
			                "at %zu of its first %zu samples; it is none of triggers",
			                c->name, rec->path, t->n - 1, t->samples);
	}
	return WS_OK;
}

ws_status
wsi_recording_events_from(wsi_recording *rec, const char *channel)
{
	wsi_triggers t = { .rec = rec };
	WSI_TRY(find_channel(rec, channel, &t.channel));
	if (rec->epochs)
		return WSI_FAIL(WS_E_ARG, "`events_from %s`: %s has epochs already", channel,
		                rec->path);
	wsi_recording_drop_events(rec);
	double *x = malloc(CHUNK * sizeof *x);
	ws_status status = x ? read_triggers(rec, &t, x)
	                   : WSI_FAIL(WS_E_NOMEM, "%s: no memory", rec->path);
	rec->channels[t.channel].is_signal = false;
	if (status == WS_OK)
		status = wsi_triggers_finish(&t);
	wsi_triggers_free(&t);
	free(x);
	return status;
}
