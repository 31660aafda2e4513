/*
 * triggers.h - events of a trigger channel: where its value becomes another than the one that it
 * rests at.
 *
 * The value of rest is 0 where the channel is at 0 for a tenth of the time, else the one it has
 * longest: inputs that nothing is connected to are held at 1.  A label is the value, without the
 * bits of rest where it has them all.  What lies there at the first sample is no event, nor is the
 * return to rest.
 */
#ifndef WSI_IO_TRIGGERS_H
#define WSI_IO_TRIGGERS_H

#include "io/read/recording.h"

typedef struct wsi_triggers {
	wsi_recording *rec;
	size_t channel;          /* of it */
	size_t samples;          /* so far */
	struct wsi_change {
		size_t at;       /* sample */
		double value;    /* from there on; the first change is sample 0 */
	} *changes;
	size_t n;
} wsi_triggers;

/* Takes the next samples of the channel. */
ws_status wsi_triggers_put(wsi_triggers *t, const double *x, size_t count);
/* Adds the events to the recording, and a note where rest is not 0. */
ws_status wsi_triggers_finish(wsi_triggers *t);
/* Also after a failure. */
void wsi_triggers_free(wsi_triggers *t);

#endif
