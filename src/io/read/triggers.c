/* triggers.c - events of a trigger channel. */
#include "io/read/triggers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/new.h"
#include "io/read/segments.h"

/* The room for changes is the next power of two, so it needs no field of its own. */
static ws_status
add_change(wsi_triggers *t, size_t at, double value)
{
	const size_t n = t->n;
	if ((n & (n - 1)) == 0) {
		const size_t more = (n ? n : 1) * sizeof *t->changes;
		WSI_TRY(wsi_recording_count(t->rec, more, "its triggers take"));
		struct wsi_change *grown = realloc(t->changes,
		                                   (n ? 2 * n : 1) * sizeof *grown);
		if (!grown) {
			t->rec->held -= more;
			return WSI_FAIL(WS_E_NOMEM, "%s: no memory for %zu triggers",
			                t->rec->path, n + 1);
		}
		t->changes = grown;
	}
	t->changes[t->n++] = (struct wsi_change){ at, value };
	return WS_OK;
}

ws_status
wsi_triggers_put(wsi_triggers *t, const double *x, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		if (!isnan(x[i]) && (t->n == 0 || x[i] != t->changes[t->n - 1].value))
			WSI_TRY(add_change(t, t->samples + i, x[i]));
	t->samples += count;
	return WS_OK;
}

typedef struct level {
	double value;
	size_t samples;
} level;

static int
by_value(const void *a, const void *b)
{
	const double x = ((const level *)a)->value, y = ((const level *)b)->value;
	return x < y ? -1 : x > y;
}

static ws_status
find_rest(const wsi_triggers *t, double *rest)
{
	const size_t bytes = 2 * t->n * sizeof(level);   /* qsort() may copy them */
	size_t longest = 0;
	*rest = 0;
	WSI_TRY(wsi_recording_count(t->rec, bytes, "its triggers take"));
	t->rec->held -= bytes;
	level *levels = malloc(t->n * sizeof *levels);
	WSI_HAVE(levels, "%s: no memory for %zu triggers", t->rec->path, t->n);
	for (size_t i = 0; i < t->n; ++i)
		levels[i] = (level){ t->changes[i].value, (i + 1 < t->n ? t->changes[i + 1].at
		                     : t->samples) - t->changes[i].at };
	qsort(levels, t->n, sizeof *levels, by_value);
	for (size_t i = 0, end; i < t->n; i = end) {
		size_t samples = 0;
		for (end = i; end < t->n && levels[end].value == levels[i].value; ++end)
			samples += levels[end].samples;
		if (levels[i].value == 0 && (double)samples >= 0.1 * (double)t->samples) {
			*rest = 0;
			break;
		}
		if (samples > longest) {
			longest = samples;
			*rest = levels[i].value;
		}
	}
	free(levels);
	return WS_OK;
}

static bool
is_code(double value)
{
	return value >= 0 && value <= UINT32_MAX && value == floor(value);
}

static double
without_rest(double value, double rest)
{
	if (!is_code(value) || !is_code(rest))
		return value;
	const uint32_t v = (uint32_t)value, r = (uint32_t)rest;
	return (v & r) == r ? v - r : v;
}

ws_status
wsi_triggers_finish(wsi_triggers *t)
{
	const wsi_channel *channel = &t->rec->channels[t->channel];
	double rest;
	char label[32];
	if (t->n == 0)
		return WS_OK;
	/* Samples have their times behind a pause, too. */
	WSI_TRY(wsi_recording_find_segments(t->rec));
	WSI_TRY(find_rest(t, &rest));
	for (size_t i = 1; i < t->n; ++i) {
		const struct wsi_change *c = &t->changes[i];
		if (c->value == rest)
			continue;
		snprintf(label, sizeof label, "%.10g", without_rest(c->value, rest));
		WSI_TRY(wsi_recording_add_event(t->rec, wsi_segment_time(t->rec, c->at,
		                                                         channel->fs), 0, label));
	}
	return rest == 0 || t->n == 1 ? WS_OK
	       : wsi_recording_add_note(t->rec, "%s: its trigger channel %s rests at %.10g: events "
	                                "are changes from there, and named without it",
	                                t->rec->path, channel->name, rest);
}

void
wsi_triggers_free(wsi_triggers *t)
{
	size_t room = t->n ? 1 : 0;
	while (room < t->n)
		room *= 2;
	t->rec->held -= room * sizeof *t->changes;
	free(t->changes);
	t->changes = NULL;
	t->n = 0;
}
