/* segments.c - the interruptions of a recording. */
#define _GNU_SOURCE /* strcasestr */
#include "io/read/segments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/new.h"
#include "io/read/text_time.h"

/* ---- Reports of readers ------------------------------------------------------------- */

/* Far more than any clock tells; sums of such stay finite, and so do samples. */
#define MOST_TIME 1e18

/* What one takes, with room that doubles, in a timeline, and while both are sorted. */
#define SEGMENT_BYTES (3 * sizeof(wsi_segment) + 2 * WSI_TIMELINE_BYTES)

static ws_status
make_room(wsi_recording *rec, size_t n)
{
	wsi_segment *grown = realloc(rec->segments, n * sizeof *grown);
	WSI_HAVE(grown, "%s: no memory for %zu segments", rec->path, n);
	rec->segments = grown;
	return WS_OK;
}

ws_status
wsi_recording_add_segment(wsi_recording *rec, double at, double start, double pause)
{
	const size_t n = rec->n_segments;
	if (!isfinite(at) || isinf(start) || isinf(pause))
		return WS_OK;
	/* The room is the next power of two, as that of events. */
	if ((n & (n - 1)) == 0)
		WSI_TRY(make_room(rec, n ? 2 * n : 1));
	rec->segments[n] = (wsi_segment){ .at = at, .start = start, .pause = pause };
	rec->n_segments = n + 1;
	return wsi_recording_count(rec, SEGMENT_BYTES, "its segments take");
}

ws_status
wsi_recording_take_times(wsi_recording *rec, const double *times, size_t n, double unit, double *fs)
{
	text_spacing s;
	WSI_HAVE(text_examine(times, n, 1, NULL, 0, &s), "%s: no memory to look at its times",
	         rec->path);
	if (s.found != TEXT_EVEN)
		return WSI_FAIL(WS_E_FORMAT, "%s: the times of its axis are not evenly spaced, at "
		                "sample %zu; resample it, or give `fs` to take the samples as "
		                "evenly spaced", rec->path, s.row + 1);
	*fs = s.rate / unit;
	rec->time_origin = times[0] * unit;
	for (size_t i = 1; i < n; ++i)
		if (text_is_gap(&s, times[i] - times[i - 1]))
			WSI_TRY(wsi_recording_add_segment(rec, (double)i / *fs,
			                                  (times[i] - times[0]) * unit, NAN));
	return WS_OK;
}

ws_status
wsi_recording_take_array(wsi_recording *rec, const char *name, const double *times, size_t n)
{
	double fs;
	bool rises = n == rec->channels[0].samples && n > 1;
	for (size_t i = 1; i < n && rises; ++i)
		rises = times[i] > times[i - 1];
	if (!rises)
		return wsi_recording_add_note(rec, "%s: its %s is not the time of each of %zu "
		                              "samples, and is left out", rec->path, name,
		                              rec->channels[0].samples);
	WSI_TRY(wsi_recording_take_times(rec, times, n, 1, &fs));
	for (size_t i = 0; i < rec->n_channels; ++i)
		rec->channels[i].fs = fs;
	rec->fs_known = true;
	return wsi_recording_add_note(rec, "%s: its rate is that of %s, in seconds: %g Hz",
	                              rec->path, name, fs);
}

/* Is this the label of an event that programs put where a recording was interrupted? */
static bool
tells_pause(const char *label)
{
	/* EEGLAB; MNE, of recordings put together and of stretches that were not recorded; EDF+. */
	static const char *const labels[] = { "boundary", "BAD boundary", "EDGE boundary",
		"BAD_ACQ_SKIP", "Recording starts", "Recording ends" };
	/* So are they called once they went through BrainVision files. */
	if (strncmp(label, "Comment/", 8) == 0)
		label += 8;
	for (size_t i = 0; i < sizeof labels / sizeof *labels; ++i)
		if (strcasecmp(label, labels[i]) == 0)
			return true;
	/* BrainVision; a comment may follow. */
	return strncmp(label, "New Segment", 11) == 0 && (label[11] == '\0' || label[11] == '/');
}

/* ---- Order --------------------------------------------------------------------------- */

static int
by_place(const void *a, const void *b)
{
	const wsi_segment *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	/* Those that know their time come first. */
	return isnan(x->start) - isnan(y->start);
}

/* Of two reports of one pause: what one does not know the other may. */
static void
merge(wsi_segment *into, const wsi_segment *from)
{
	if (isnan(into->start))
		into->start = from->start;
	if (isnan(into->pause) || into->pause == 0)
		into->pause = from->pause;
}

/* A segment begins with a sample. */
static wsi_segment
snap(wsi_segment s, double at)
{
	s.start += at - s.at;
	s.at = at;
	return s;
}

/* The first segment, and times. */
static ws_status
fill_in(wsi_recording *rec)
{
	const size_t n = rec->n_segments;
	size_t room = 1;
	while (room < n + 1)
		room *= 2;
	WSI_TRY(make_room(rec, room));
	wsi_segment *s = rec->segments;
	memmove(s + 1, s, n * sizeof *s);
	s[0] = (wsi_segment){ .pause = NAN };
	rec->n_segments = n + 1;
	for (size_t k = 1; k <= n; ++k) {
		/* Samples that were all that counted still do, to the last bit. */
		const bool counts = s[k - 1].start == s[k - 1].at;
		const double on = counts ? s[k].at : s[k - 1].start + (s[k].at - s[k - 1].at);
		if (isnan(s[k].start))
			s[k].start = on;
		else if (!(fabs(s[k].start) < MOST_TIME))
			return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its segment %zu begins at %g s",
			                rec->path, k + 1, s[k].start);
		else if (isnan(s[k].pause) && s[k].start != on)
			s[k].pause = s[k].start - on;
	}
	return WS_OK;
}

/* Sorts, drops what lies between no two samples, merges what lies between the same ones, and
 * fills in the rest. */
static ws_status
put_in_order(wsi_recording *rec)
{
	double fs, length;
	wsi_recording_measure(rec, &fs, &length);
	wsi_segment *s = rec->segments;
	size_t n = 0;
	if (rec->n_segments > 0)
		qsort(s, rec->n_segments, sizeof *s, by_place);
	for (size_t i = 0; i < rec->n_segments; ++i) {
		const double sample = wsi_segment_nearest(s[i].at, fs);
		if (!(sample >= 1 && sample < wsi_segment_nearest(length, fs)))
			continue;
		if (n > 0 && wsi_segment_nearest(s[n - 1].at, fs) == sample)
			merge(&s[n - 1], &s[i]);
		else
			s[n++] = snap(s[i], sample / fs);
	}
	rec->n_segments = n;
	return n > 0 ? fill_in(rec) : WS_OK;
}

/* An event's place among samples. */
static ws_status
add_told(wsi_recording *rec, const wsi_timeline *line, double t, double pause)
{
	double at = t;
	if (line) {
		const size_t k = wsi_timeline_find(line, t);
		if (k == SIZE_MAX)
			return WS_OK;
		at = rec->segments[k].at + (t - rec->segments[k].start);
	}
	return wsi_recording_add_segment(rec, at, NAN, pause);
}

/* What is behind the event's end was not recorded with what is in it. */
static bool
lasts(const wsi_event *e)
{
	return e->duration > 0 && strcasestr(e->label, "BAD_ACQ_SKIP");
}

static ws_status
add_all_told(wsi_recording *rec, const wsi_timeline *line)
{
	for (size_t i = 0; i < rec->n_events; ++i) {
		const wsi_event *e = &rec->events[i];
		if (!tells_pause(e->label))
			continue;
		const bool boundary = strcasecmp(e->label, "boundary") == 0;
		WSI_TRY(add_told(rec, line, e->onset,
		                 boundary && e->duration > 0 ? e->duration : NAN));
		if (lasts(e))
			WSI_TRY(add_told(rec, line, e->onset + e->duration, NAN));
	}
	return WS_OK;
}

ws_status
wsi_recording_find_segments(wsi_recording *rec)
{
	wsi_timeline *line = NULL;
	WSI_TRY(put_in_order(rec));
	if (rec->n_segments > 0 && !rec->epochs)
		WSI_TRY(wsi_timeline_of(&line, rec));
	const ws_status status = add_all_told(rec, line);
	wsi_timeline_free(line);
	return status == WS_OK ? put_in_order(rec) : status;
}

