/*
 * edf_events.c - annotations of EDF+ and triggers of BioSemi files as events.
 *
 * Annotation signals hold, instead of samples, time-stamped lists:
 *     +ONSET [0x15 DURATION] 0x14 TEXT 0x14 TEXT 0x14 .. 0x00
 * The first list of a record has an empty first text and gives the time of
 * the record.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/read/edf.h"
#include "io/read/number.h"
#include "io/read/segments.h"
#include "io/read/triggers.h"

/* A list's head at *text; moves *text past the 0x14 that ends it.  False
 * where this is no list. */
static bool
parse_stamp(const char **text, double *onset, double *duration)
{
	char *end;
	if (**text != '+' && **text != '-')
		return false;
	*onset = wsi_decimal(*text, &end);
	*duration = 0;
	if (end == *text || !isfinite(*onset))
		return false;
	if (*end == '\x15') {
		const char *start = end + 1;
		*duration = wsi_decimal(start, &end);
		if (end == start)
			*duration = 0;
		if (!isfinite(*duration) || *duration < 0)
			return false;
	}
	if (*end != '\x14')
		return false;
	*text = end + 1;
	return true;
}

/* Adds the texts of one list, which ends with a NUL. */
static ws_status
add_texts(wsi_recording *rec, const char *text, double onset, double duration)
{
	for (const char *end; (end = strchr(text, '\x14')) != NULL; text = end + 1) {
		char *label = wsi_clean_text(text, (size_t)(end - text));
		WSI_HAVE(label, "%s: no memory for its annotations", rec->path);
		const ws_status status = label[0] == '\0'
			? WS_OK : wsi_recording_add_event(rec, onset, duration, label);
		free(label);
		WSI_TRY(status);
	}
	return WS_OK;
}

/* The lists of one record of an annotation signal, bytes[n] with bytes[n] a
 * NUL.  *time becomes the onset of the first list. */
static ws_status
parse_lists(wsi_recording *rec, const char *bytes, size_t n, double *time, size_t *lost)
{
	bool first = true;
	*time = NAN;
	for (const char *at = bytes; at < bytes + n;) {
		const char *next = at + strlen(at) + 1;
		double onset, duration;
		if (parse_stamp(&at, &onset, &duration)) {
			if (first)
				*time = onset;
			WSI_TRY(add_texts(rec, at, onset, duration));
		} else {
			*lost += next - at > 1 && at[strspn(at, "\x14")] != '\0';
		}
		first = false;
		at = next;
	}
	return WS_OK;
}

/* Half a sample of the fastest signal: a smaller gap moves none. */
static double
gap_tolerance(const wsi_recording *rec)
{
	double fs = 0;
	for (size_t i = 0; i < rec->n_channels; ++i)
		if (rec->channels[i].is_signal && rec->channels[i].fs > fs)
			fs = rec->channels[i].fs;
	return fs > 0 ? 0.5 / fs : INFINITY;
}

/* What the records of a discontinuous recording follow. */
typedef struct sequence {
	double first_time;      /* of the first record, from the header's start */
	double begin;           /* of the record that the segment began with */
	size_t record;          /* its number */
	bool noted;             /* a continuous one was found to tell another time */
} sequence;

/* By samples alone; samples where the file does not tell how long it is. */
static double
record_length(const wsi_recording *rec)
{
	const edf_state *s = rec->state;
	size_t most = 0;
	for (size_t i = 0; i < rec->n_channels; ++i)
		if (rec->channels[i].is_signal && s->signals[i].per_record > most)
			most = s->signals[i].per_record;
	return s->record_seconds > 0 ? s->record_seconds : (double)most;
}

/* A record of a discontinuous recording that begins at a time of its own begins a segment; so does
 * one without a time, as nobody knows what lies before it. */
static ws_status
place_record(wsi_recording *rec, size_t record, double time, sequence *q)
{
	const edf_state *s = rec->state;
	const double expected = q->begin + (double)(record - q->record) * s->record_seconds;
	const bool known = s->record_seconds > 0 && isfinite(time);
	if (known && fabs(time - expected) <= gap_tolerance(rec))
		return WS_OK;
	q->begin = known ? time : expected;
	q->record = record;
	return wsi_recording_add_segment(rec, (double)record * record_length(rec),
	                                 known ? time - q->first_time : NAN, NAN);
}

/* A record of a continuous recording whose time is another than the header lets expect. */
static ws_status
note_other_time(wsi_recording *rec, size_t record, double time, sequence *q)
{
	const edf_state *s = rec->state;
	const double expected = q->begin + (double)record * s->record_seconds;
	if (q->noted || s->record_seconds == 0 || !(fabs(time - expected) > 2 * gap_tolerance(rec)))
		return WS_OK;
	q->noted = true;
	return wsi_recording_add_note(rec, "%s: says it is continuous (%s), but its data record "
	                              "%zu is stamped %g s where %g s is due; it is read as "
	                              "continuous",
	                              rec->path, rec->format, record + 1, time, expected);
}

/* Reads annotation signal i.  keeper: it is the one that keeps the time. */
static ws_status
read_annotations(wsi_recording *rec, size_t i, bool keeper, double *first_time)
{
	const edf_state *s = rec->state;
	const edf_signal *signal = &s->signals[i];
	const size_t n = signal->per_record * wsi_sample_bytes(s->type);
	WSI_TRY(wsi_recording_count(rec, n + 1, "a data record of annotations takes"));
	char *bytes = malloc(n + 1);
	WSI_HAVE(bytes, "%s: no memory for its annotations", rec->path);
	bytes[n] = '\0';
	ws_status status = WS_OK;
	sequence q = { 0 };
	size_t lost = 0;
	for (size_t r = 0; r < s->records && status == WS_OK; ++r) {
		double time = NAN;
		status = wsi_file_read(&s->file, s->data_offset + (uint64_t)r * s->record_bytes +
		                       signal->offset, bytes, n);
		if (status == WS_OK)
			status = parse_lists(rec, bytes, n, &time, &lost);
		if (r == 0 && keeper)
			*first_time = isfinite(time) ? time : 0;
		if (r == 0)
			q = (sequence){ .first_time = *first_time, .begin = *first_time };
		else if (status == WS_OK && keeper)
			status = (s->discontinuous ? place_record : note_other_time)(rec, r, time,
			                                                             &q);
	}
	free(bytes);
	rec->held -= n + 1;
	return status != WS_OK || lost == 0 ? status
	       : wsi_recording_add_note(rec, "%s: %zu annotation%s no time that can be read and %s "
	                                "left out", rec->path, lost, lost == 1 ? " has" : "s have",
	                                lost == 1 ? "is" : "are");
}

/* A discontinuous recording that tells no time: any two of its records may lie apart. */
static ws_status
part_all(wsi_recording *rec)
{
	const edf_state *s = rec->state;
	for (size_t r = 1; r < s->records; ++r)
		WSI_TRY(wsi_recording_add_segment(rec, (double)r * record_length(rec), NAN, NAN));
	return wsi_recording_add_note(rec, "%s: says it is discontinuous (%s), but has no "
	                              "annotations that tell where: each data record counts as a "
	                              "segment", rec->path, rec->format);
}

/* Does bit 16, a new epoch, rise?  The bits that tell the device (17-19 and 21 speed, 23 model)
 * stay as they are in a recording: where they rise too, a number below 0 was written. */
static bool
begins_epoch(uint32_t before, uint32_t status)
{
	const uint32_t risen = ~before & status, device = 0xae0000;
	return (risen & 0x10000) && ((before ^ status) & device) == 0;
}

/* The next samples of a trigger channel: the low 16 bits are the trigger inputs, those above
 * BioSemi's own status. */
static ws_status
put_triggers(wsi_recording *rec, const edf_signal *signal, wsi_triggers *t, uint32_t *before)
{
	const edf_state *s = rec->state;
	double block[4096];
	const size_t in_record = t->samples % signal->per_record;
	size_t n = signal->per_record - in_record;
	if (n > sizeof block / sizeof *block)
		n = sizeof block / sizeof *block;
	const uint64_t at = s->data_offset + (uint64_t)(t->samples / signal->per_record) *
	                    s->record_bytes + signal->offset + in_record * 3;
	WSI_TRY(wsi_file_read_samples(&s->file, at, 3, n, WSI_I24, false, block));
	for (size_t k = 0; k < n; ++k) {
		const uint32_t status = (uint32_t)(int32_t)block[k] & 0xffffff;
		if (begins_epoch(*before, status) && t->samples + k > 0)
			WSI_TRY(wsi_recording_add_segment(rec, (double)(t->samples + k)
			                                  / rec->channels[t->channel].fs,
			                                  NAN, NAN));
		*before = status;
		block[k] = (double)(status & 0xffff);
	}
	return wsi_triggers_put(t, block, n);
}

static ws_status
read_triggers(wsi_recording *rec, size_t i)
{
	const edf_state *s = rec->state;
	wsi_triggers t = { .rec = rec, .channel = i };
	ws_status status = WS_OK;
	uint32_t before = 0;
	while (status == WS_OK && t.samples < rec->channels[i].samples)
		status = put_triggers(rec, &s->signals[i], &t, &before);
	if (status == WS_OK)
		status = wsi_triggers_finish(&t);
	wsi_triggers_free(&t);
	return status;
}

ws_status
edf_read_events(wsi_recording *rec, double *first_onset)
{
	const edf_state *s = rec->state;
	bool keeper = true;
	*first_onset = 0;
	for (size_t i = 0; i < rec->n_channels; ++i) {
		if (s->signals[i].kind != EDF_ANNOTATIONS || s->signals[i].per_record == 0)
			continue;
		WSI_TRY(read_annotations(rec, i, keeper, first_onset));
		keeper = false;
	}
	if (keeper && s->discontinuous)
		WSI_TRY(part_all(rec));
	/* Annotations count from the header's start, events from the first sample. */
	for (size_t i = 0; i < rec->n_events; ++i)
		rec->events[i].onset -= *first_onset;
	for (size_t i = 0; i < rec->n_channels; ++i)
		if (s->type == WSI_I24 && s->signals[i].kind == EDF_TRIGGERS)
			WSI_TRY(read_triggers(rec, i));
	return WS_OK;
}
