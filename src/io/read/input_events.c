/* input_events.c - the events that lie in what is taken of a recording. */
#include "io/read/input_events.h"

#include <math.h>
#include <stdlib.h>

#include "base/new.h"
#include "io/read/pauses.h"
#include "io/read/segments.h"

/* Of epoch e: when its first sample is, as events count time. */
static double
start_of(const wsi_input *in, size_t e)
{
	const wsi_recording *rec = in->rec;
	return in->starts    ? wsi_segment_time(rec, in->starts[e], in->fs)
	       : rec->epochs ? (double)(in->epochs[e] * in->all + in->first) / in->fs
	                     : wsi_segment_time(rec, in->first, in->fs);
}

/* The first event that may reach a moment, where none lasts longer than this. */
static size_t
first_event(const wsi_recording *rec, double moment)
{
	size_t low = 0, high = rec->n_events;
	while (low < high) {
		const size_t k = low + (high - low) / 2;
		if (rec->events[k].onset < moment)
			low = k + 1;
		else
			high = k;
	}
	return low;
}

static ws_status
add(wsi_input *in, const wsi_event *event)
{
	const size_t n = in->n_events;
	if ((n & (n - 1)) == 0) {
		const size_t room = n ? 2 * n : 1;
		WSI_TRY(wsi_recording_count(in->rec, (room - n) * sizeof *event,
		                            "the events of its epochs take"));
		wsi_event *grown = realloc(in->events, room * sizeof *grown);
		WSI_HAVE(grown, "%s: no memory for %zu events", in->rec->path, room);
		in->events = grown;
	}
	in->events[in->n_events++] = *event;
	return WS_OK;
}

ws_status
wsi_input_place_events(wsi_input *in)
{
	const wsi_recording *rec = in->rec;
	double longest = 0;
	for (size_t i = 0; i < rec->n_events; i++)
		longest = fmax(longest, rec->events[i].duration);
	for (size_t e = 0; e < in->n_epochs; e++) {
		const double start = start_of(in, e);
		const double axis = in->starts ? in->start : wsi_input_first_time(in);
		for (size_t i = first_event(rec, start - longest - 1 / in->fs); i < rec->n_events;
		     i++) {
			wsi_event event = rec->events[i];
			const double at = wsi_segment_nearest(event.onset - start, in->fs);
			if (at >= (double)in->samples)
				break;
			/* What began before may last until then. */
			if (at < 0 && (event.onset + event.duration - start) * in->fs < 0.5)
				continue;
			event.epoch = in->epoched ? e + 1 : 0;
			event.time = axis + event.onset - start;
			WSI_TRY(add(in, &event));
		}
	}
	return WS_OK;
}
