/* segments.c - the interruptions of a recording. */
#define _GNU_SOURCE /* strcasestr */
#include "io/read/segments.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/status.h"
#include "io/read/times.h"

/* ---- Reports of readers ------------------------------------------------------------- */

/* Far more than any clock tells; sums of such stay finite, and so do samples. */
#define MOST_TIME 1e18

/* What one takes, with room that doubles, in a timeline, and while both are sorted. */
#define SEGMENT_BYTES (3 * sizeof(wsi_segment) + 2 * WSI_TIMELINE_BYTES)

static ws_status
make_room(wsi_recording *rec, size_t n)
{
	wsi_segment *grown = realloc(rec->segments, n * sizeof *grown);
	if (!grown)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for %zu segments", rec->path, n);
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

bool
wsi_tells_pause(const char *label)
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

/* The sample nearest to a time, and of two the later one, as latencies of half samples mean
 * (EEGLAB); rounding does not make it the earlier one. */
static double
nearest(double at, double fs)
{
	const double sample = at * fs;
	return floor(sample + 0.5 + fmax(1e-6, fmin(4 * DBL_EPSILON * fabs(sample), 0.25)));
}

/* The highest rate, and how long the recording is by samples alone. */
static void
measure(const wsi_recording *rec, double *fs, double *length)
{
	bool any = false;
	*fs = 1;
	*length = 0;
	for (size_t i = 0; i < rec->n_channels; ++i)
		any |= rec->channels[i].is_signal && rec->channels[i].samples > 0;
	for (size_t i = 0; i < rec->n_channels; ++i) {
		const wsi_channel *c = &rec->channels[i];
		if (c->samples == 0 || (any && !c->is_signal))
			continue;
		*fs = *length > 0 ? fmax(*fs, c->fs) : c->fs;
		*length = fmax(*length, (double)c->samples / c->fs);
	}
	*length *= rec->epochs ? (double)rec->epochs : 1;
}

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
	measure(rec, &fs, &length);
	wsi_segment *s = rec->segments;
	size_t n = 0;
	if (rec->n_segments > 0)
		qsort(s, rec->n_segments, sizeof *s, by_place);
	for (size_t i = 0; i < rec->n_segments; ++i) {
		const double sample = nearest(s[i].at, fs);
		if (!(sample >= 1 && sample < nearest(length, fs)))
			continue;
		if (n > 0 && nearest(s[n - 1].at, fs) == sample)
			merge(&s[n - 1], &s[i]);
		else
			s[n++] = snap(s[i], sample / fs);
	}
	rec->n_segments = n;
	return n > 0 ? fill_in(rec) : WS_OK;
}

ws_status
wsi_timeline_of(wsi_timeline **line, const wsi_recording *rec)
{
	double fs, length;
	measure(rec, &fs, &length);
	return wsi_timeline_make(line, rec, fs, (size_t)fmin(length * fs + 0.5, 0x1p62));
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
		if (!wsi_tells_pause(e->label))
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

/* ---- Places -------------------------------------------------------------------------- */

size_t
wsi_segment_first(const wsi_recording *rec, size_t k, double fs, size_t samples)
{
	const size_t all = samples * (rec->epochs ? rec->epochs : 1);
	if (k >= rec->n_segments)
		return k == 0 ? 0 : all;
	const double sample = nearest(rec->segments[k].at, fs);
	return sample < (double)all ? (size_t)sample : all;
}

size_t
wsi_segment_of(const wsi_recording *rec, size_t sample, double fs)
{
	size_t low = 0, high = rec->n_segments;
	while (high > low + 1) {
		const size_t k = low + (high - low) / 2;
		if (wsi_segment_first(rec, k, fs, SIZE_MAX / (rec->epochs ? rec->epochs : 1))
		    <= sample)
			low = k;
		else
			high = k;
	}
	return low;
}

double
wsi_segment_time(const wsi_recording *rec, size_t sample, double fs)
{
	if (rec->n_segments == 0 || rec->epochs)
		return (double)sample / fs;
	const wsi_segment *s = &rec->segments[wsi_segment_of(rec, sample, fs)];
	/* Where the file counts samples, exactly as of one without a pause. */
	if (s->start == s->at)
		return (double)sample / fs;
	return s->start + ((double)sample - nearest(s->at, fs)) / fs;
}

double
wsi_segment_lag(const wsi_recording *rec, size_t k)
{
	double lag = 0;
	for (size_t j = 1; j <= k && j < rec->n_segments; ++j) {
		const wsi_segment *s = &rec->segments[j];
		const double counted = s->start - s[-1].start - (s->at - s[-1].at);
		/* What was filled in from the file's own times is them. */
		lag += fabs(s->pause - counted) < 1e-9 ? 0 : s->pause - counted;
	}
	return lag;
}

const char *
wsi_describe_segments(const wsi_recording *rec, double fs, size_t samples,
                      char text[WSI_SEGMENTS_TEXT])
{
	enum { SHOWN = 5 };
	char from[WSI_MOMENT_TEXT], to[WSI_MOMENT_TEXT];
	size_t length = 0;
	text[0] = '\0';
	for (size_t k = 0; k < rec->n_segments && k < SHOWN; ++k) {
		const size_t first = wsi_segment_first(rec, k, fs, samples);
		const size_t end = wsi_segment_first(rec, k + 1, fs, samples);
		const double start = rec->time_origin + wsi_segment_time(rec, first, fs);
		const double stop = start + (double)(end - first) / fs;
		wsi_format_moment(start, rec->time_unit, fs, rec->fs_known, from);
		wsi_format_moment(stop, rec->time_unit, fs, rec->fs_known, to);
		/* One unit is enough. */
		from[strcspn(from, " ")] = '\0';
		length += (size_t)snprintf(text + length, WSI_SEGMENTS_TEXT - length,
		                           "%s%zu (%s to %s)", k ? ", " : "", k + 1, from, to);
	}
	if (rec->n_segments > SHOWN)
		snprintf(text + length, WSI_SEGMENTS_TEXT - length, " and %zu more (wavesift info)",
		         rec->n_segments - SHOWN);
	return text;
}
