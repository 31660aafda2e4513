/* describe.c - a recording as a message: what is put and what is taken stand in one order. */
#include "io/read/describe.h"

#include <stdlib.h>
#include <string.h>

#include "io/result/array_list.h"
#include "io/read/beside.h"
#include "io/read/types.h"
#include "io/read/segments.h"

static ws_status
damaged(const char *path)
{
	return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its decoder gave an answer that makes no sense",
	                path);
}

/* A clean copy in place of *to. */
static ws_status
take_text(wsi_wire *w, char **to, const char *path)
{
	const char *text = wsi_wire_get_text(w);
	if (!text)
		return damaged(path);
	char *copy = wsi_clean_name(text);
	WSI_HAVE(copy, "%s: no memory for its description", path);
	free(*to);
	*to = copy;
	return WS_OK;
}

/* As much of it as to has room for, whole letters: of a moment, or the name of a format. */
static ws_status
take_short_text(wsi_wire *w, char *to, size_t size, const char *path)
{
	const char *raw = wsi_wire_get_text(w);
	if (!raw)
		return damaged(path);
	char *text = wsi_clean_text(raw, strlen(raw));
	WSI_HAVE(text, "%s: no memory for its description", path);
	size_t n = strlen(text);
	if (n >= size)
		for (n = size - 1; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80; --n)
			;
	memcpy(to, text, n);
	to[n] = '\0';
	free(text);
	return WS_OK;
}

/* ---- Recordings -------------------------------------------------------------------- */

static void
put_arrays(wsi_wire *w, const wsi_arrays *arrays)
{
	wsi_wire_put_size(w, arrays->n);
	wsi_wire_put_size(w, arrays->n_facts);
	for (size_t i = 0; i < arrays->n; ++i) {
		const wsi_stored_array *a = &arrays->items[i];
		wsi_wire_put_text(w, a->name);
		wsi_wire_put_size(w, (size_t)a->type);
		wsi_wire_put_size(w, (size_t)a->rank);
		wsi_wire_put(w, a->extent, sizeof a->extent);
	}
	for (size_t i = 0; i < 2 * arrays->n_facts; ++i)
		wsi_wire_put_text(w, arrays->facts[i]);
	wsi_wire_put_real(w, arrays->first_time);
	wsi_wire_put_real(w, arrays->time_origin);
	wsi_wire_put_size(w, arrays->timed);
	wsi_wire_put_size(w, arrays->named);
	wsi_wire_put_size(w, arrays->by_others);
}

void
wsi_recording_put(wsi_wire *w, const wsi_recording *rec)
{
	wsi_wire_put_text(w, rec->format);
	wsi_wire_put_size(w, rec->n_channels);
	for (size_t i = 0; i < rec->n_channels; ++i) {
		const wsi_channel *c = &rec->channels[i];
		wsi_wire_put_text(w, c->name);
		wsi_wire_put_text(w, c->unit);
		wsi_wire_put_real(w, c->fs);
		wsi_wire_put_size(w, c->samples);
		wsi_wire_put_size(w, c->is_signal);
		wsi_wire_put_text(w, c->type ? c->type : "");
	}
	wsi_wire_put_size(w, rec->epochs);
	wsi_wire_put_size(w, rec->fs_known);
	wsi_wire_put_text(w, rec->start_time);
	wsi_wire_put_real(w, rec->time_origin);
	wsi_wire_put_real(w, rec->time_unit);
	wsi_wire_put_size(w, rec->dated);
	wsi_wire_put_size(w, rec->n_events);
	for (size_t i = 0; i < rec->n_events; ++i) {
		wsi_wire_put_real(w, rec->events[i].onset);
		wsi_wire_put_real(w, rec->events[i].duration);
		wsi_wire_put_text(w, rec->events[i].label);
	}
	wsi_wire_put_size(w, rec->n_segments);
	wsi_wire_put(w, rec->segments, rec->n_segments * sizeof *rec->segments);
	wsi_wire_put_text(w, rec->note);
	wsi_wire_put_size(w, rec->held);
	wsi_wire_put_size(w, rec->complex);
	wsi_wire_put_size(w, rec->packed);
	wsi_wire_put_size(w, rec->beside != NULL);
	for (int i = 0; rec->beside && i < 2; ++i)
		wsi_wire_put_text(w, rec->beside->names[i]);
	wsi_wire_put_size(w, rec->arrays != NULL);
	if (rec->arrays)
		put_arrays(w, rec->arrays);
}

static ws_status
take_channels(wsi_wire *w, wsi_recording *rec)
{
	enum { LEAST = 2 * sizeof(size_t) + 2 + sizeof(double) + 2 * sizeof(size_t) };
	WSI_TRY(wsi_recording_set_channels(rec, wsi_wire_get_count(w, LEAST), 0));
	for (size_t i = 0; i < rec->n_channels; ++i) {
		wsi_channel *c = &rec->channels[i];
		const char *name = wsi_wire_get_text(w);
		if (!name)
			return damaged(rec->path);
		WSI_TRY(wsi_channel_set_name(c, name));
		WSI_TRY(take_text(w, &c->unit, rec->path));
		c->fs = wsi_wire_get_real(w);
		c->samples = wsi_wire_get_size(w);
		c->is_signal = wsi_wire_get_size(w) != 0;
		const char *type = wsi_wire_get_text(w);
		if (!type)
			return damaged(rec->path);
		c->type = wsi_type_of_word(type, strlen(type));
	}
	return WS_OK;
}

/* Callers multiply: all values of the recording, as doubles, are a number of bytes. */
static bool
is_countable(const wsi_recording *rec)
{
	size_t all = 0;
	for (size_t i = 0; i < rec->n_channels; ++i) {
		const size_t samples = rec->channels[i].samples;
		if (samples > SIZE_MAX - all)
			return false;
		all += samples;
	}
	return wsi_mul_size(all, rec->epochs ? rec->epochs : 1, &all)
	       && wsi_mul_size(all, sizeof(double), &all);
}

static ws_status
take_note(wsi_wire *w, wsi_recording *rec)
{
	const char *raw = wsi_wire_get_text(w);
	ws_status status = WS_OK;
	/* The last note may be of any length, but not all of them. */
	if (raw && strlen(raw) > 16 * WSI_MOST_NOTES)
		return damaged(rec->path);
	while (raw && *raw && status == WS_OK) {
		const size_t n = strcspn(raw, "\n");
		char *note = wsi_clean_text(raw, n);
		WSI_HAVE(note, "%s: no memory for its description", rec->path);
		status = wsi_recording_add_note(rec, "%s", note);
		free(note);
		raw += n + (raw[n] == '\n');
	}
	return status;
}

static ws_status
take_events(wsi_wire *w, wsi_recording *rec)
{
	const size_t n = wsi_wire_get_count(w, 2 * sizeof(double) + sizeof(size_t) + 1);
	for (size_t i = 0; i < n; ++i) {
		const double onset = wsi_wire_get_real(w), duration = wsi_wire_get_real(w);
		char *label = NULL;
		WSI_TRY(take_text(w, &label, rec->path));
		const ws_status status = wsi_recording_add_event(rec, onset, duration, label);
		free(label);
		WSI_TRY(status);
	}
	return WS_OK;
}

static ws_status
take_segments(wsi_wire *w, wsi_recording *rec)
{
	const size_t n = wsi_wire_get_count(w, sizeof *rec->segments);
	for (size_t i = 0; i < n; ++i) {
		wsi_segment s;
		wsi_wire_get(w, &s, sizeof s);
		WSI_TRY(wsi_recording_add_segment(rec, s.at, s.start, s.pause));
	}
	return WS_OK;
}

static ws_status
take_array(wsi_wire *w, wsi_stored_array *a, const char *path)
{
	WSI_TRY(take_text(w, &a->name, path));
	const size_t type = wsi_wire_get_size(w), rank = wsi_wire_get_size(w);
	wsi_wire_get(w, a->extent, sizeof a->extent);
	if (w->failed || type > WS_I32 || rank < 1 || rank > WSI_STORED_AXES)
		return damaged(path);
	a->type = (ws_type)type;
	a->rank = (int)rank;
	return wsi_stored_count(a) ? WS_OK : damaged(path);
}

static ws_status
take_arrays(wsi_wire *w, wsi_recording *rec)
{
	const size_t n = wsi_wire_get_size(w), facts = wsi_wire_get_size(w);
	if (w->failed || n > WSI_MOST_STORED || facts > WSI_MOST_STORED)
		return damaged(rec->path);
	WSI_TRY(wsi_arrays_make(rec, n, facts));
	wsi_arrays *to = rec->arrays;
	while (to->n < n)
		WSI_TRY(take_array(w, &to->items[to->n++], rec->path));
	while (to->n_facts < facts) {
		char **fact = to->facts + 2 * to->n_facts++;
		for (int i = 0; i < 2; ++i) {
			const char *text = wsi_wire_get_text(w);
			if (!text)
				return damaged(rec->path);
			fact[i] = wsi_clean_text(text, strlen(text));
			WSI_HAVE(fact[i], "%s: no memory for its description", rec->path);
		}
	}
	to->first_time = wsi_wire_get_real(w);
	to->time_origin = wsi_wire_get_real(w);
	to->timed = wsi_wire_get_size(w) != 0;
	to->named = wsi_wire_get_size(w) != 0;
	to->by_others = wsi_wire_get_size(w) != 0;
	return WS_OK;
}

ws_status
wsi_recording_take(wsi_wire *w, wsi_recording *rec)
{
	WSI_TRY(take_short_text(w, rec->format_text, sizeof rec->format_text, rec->path));
	rec->format = rec->format_text;
	WSI_TRY(take_channels(w, rec));
	rec->epochs = wsi_wire_get_size(w);
	rec->fs_known = wsi_wire_get_size(w) != 0;
	WSI_TRY(take_short_text(w, rec->start_time, sizeof rec->start_time, rec->path));
	rec->time_origin = wsi_wire_get_real(w);
	rec->time_unit = wsi_wire_get_real(w);
	rec->dated = wsi_wire_get_size(w) != 0;
	WSI_TRY(take_events(w, rec));
	WSI_TRY(take_segments(w, rec));
	WSI_TRY(take_note(w, rec));
	/* Both hold the events. */
	const size_t held = wsi_wire_get_size(w);
	rec->held += held < SIZE_MAX - rec->held ? held : SIZE_MAX - rec->held;
	rec->complex = wsi_wire_get_size(w) != 0;
	rec->packed = wsi_wire_get_size(w) != 0;
	if (wsi_wire_get_size(w)) {
		const char *data = wsi_wire_get_text(w), *datfile = wsi_wire_get_text(w);
		WSI_TRY(wsi_beside_name(rec, data, datfile));
	}
	if (wsi_wire_get_size(w))
		WSI_TRY(take_arrays(w, rec));
	return w->failed || !is_countable(rec) ? damaged(rec->path) : WS_OK;
}
