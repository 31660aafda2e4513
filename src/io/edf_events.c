/*
 * edf_events.c - annotations of EDF+ and triggers of BioSemi files as events.
 *
 * Annotation signals hold, instead of samples, time-stamped lists:
 *     +ONSET [0x15 DURATION] 0x14 TEXT 0x14 TEXT 0x14 .. 0x00
 * The first list of a record has an empty first text and gives the time of
 * the record.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/edf.h"
#include "io/number.h"
#include "io/triggers.h"

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
		if (!label)
			return WSI_FAIL(WS_E_NOMEM, "%s: no memory for its annotations", rec->path);
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
parse_lists(wsi_recording *rec, const char *bytes, size_t n, double *time)
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

static ws_status
check_gap(const wsi_recording *rec, size_t record, double time, double first_time)
{
	const edf_state *s = rec->state;
	const double expected = first_time + (double)record * s->record_seconds;
	const double tolerance = gap_tolerance(rec);
	if (isinf(tolerance) || fabs(time - expected) <= tolerance)
		return WS_OK;
	if (isnan(time))
		return WSI_FAIL(WS_E_FORMAT, "%s: discontinuous (%s): data record %zu has no "
		                "time stamp; convert the file to continuous %sC", rec->path,
		                rec->format, record + 1, rec->format);
	return WSI_FAIL(WS_E_FORMAT, "%s: discontinuous (%s): data record %zu starts at "
	                "%g s instead of %g s; cut the file at its gaps and analyse each "
	                "continuous part", rec->path, rec->format, record + 1, time, expected);
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
	if (!bytes)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for its annotations", rec->path);
	bytes[n] = '\0';
	ws_status status = WS_OK;
	for (size_t r = 0; r < s->records && status == WS_OK; ++r) {
		double time = NAN;
		status = wsi_file_read(&s->file, s->data_offset + (uint64_t)r * s->record_bytes +
		                       signal->offset, bytes, n);
		if (status == WS_OK)
			status = parse_lists(rec, bytes, n, &time);
		if (r == 0 && keeper)
			*first_time = isfinite(time) ? time : 0;
		if (status == WS_OK && keeper && s->discontinuous)
			status = check_gap(rec, r, time, *first_time);
	}
	free(bytes);
	rec->held -= n + 1;
	return status;
}

/* The next samples of a trigger channel: the low 16 bits are the trigger inputs, those above
 * BioSemi's own status. */
static ws_status
put_triggers(const edf_state *s, const edf_signal *signal, wsi_triggers *t)
{
	double block[4096];
	const size_t in_record = t->samples % signal->per_record;
	size_t n = signal->per_record - in_record;
	if (n > sizeof block / sizeof *block)
		n = sizeof block / sizeof *block;
	const uint64_t at = s->data_offset + (uint64_t)(t->samples / signal->per_record) *
	                    s->record_bytes + signal->offset + in_record * 3;
	WSI_TRY(wsi_file_read_samples(&s->file, at, 3, n, WSI_I24, false, block));
	for (size_t k = 0; k < n; ++k)
		block[k] = (double)((uint32_t)(int32_t)block[k] & 0xffff);
	return wsi_triggers_put(t, block, n);
}

static ws_status
read_triggers(wsi_recording *rec, size_t i)
{
	const edf_state *s = rec->state;
	wsi_triggers t = { .rec = rec, .channel = i };
	ws_status status = WS_OK;
	while (status == WS_OK && t.samples < rec->channels[i].samples)
		status = put_triggers(s, &s->signals[i], &t);
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
		return WSI_FAIL(WS_E_FORMAT, "%s: says it is discontinuous (%s), but has no "
		                "annotations that tell where; convert the file to continuous %sC",
		                rec->path, rec->format, rec->format);
	/* Annotations count from the header's start, events from the first sample. */
	for (size_t i = 0; i < rec->n_events; ++i)
		rec->events[i].onset -= *first_onset;
	for (size_t i = 0; i < rec->n_channels; ++i)
		if (s->type == WSI_I24 && s->signals[i].kind == EDF_TRIGGERS)
			WSI_TRY(read_triggers(rec, i));
	return WS_OK;
}
