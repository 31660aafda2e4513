/*
 * eeglab.c - EEGLAB data sets: a .set is a MAT file (5 or 7.3) with the
 * struct EEG, or, of late, its fields as variables.
 *
 * The samples lie in the field data(channel,time,epoch), or in a file beside
 * it that data or datfile names (beside.h): .fdt, float32 with the channels of
 * a sample together, or the older .dat, float32 with the samples of a channel
 * together.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/read/beside.h"
#include "io/read/mat_file.h"
#include "io/read/segments.h"
#include "io/read/types.h"
#include "io/decode/wire.h"

typedef struct eeglab {
	wsi_mat file;
	wsi_mat_var *set;       /* the struct EEG; NULL: its fields are variables */
	wsi_mat_var *data;      /* numeric; NULL: in the file beside */
	size_t channels, samples, epochs;  /* epochs: 1 for continuous */
} eeglab;

static int
eeglab_probe(const unsigned char *head, size_t n, const char *path)
{
	if (!wsi_name_ends(path, ".set"))
		return 0;
	return wsi_mat_probe(head, n) ? 2 : 1;
}

/* ---- Fields ------------------------------------------------------------------------ */

/* A field without its values, *v NULL where there is none; hand it back with wsi_mat_free(). */
static ws_status
field(eeglab *e, const char *name, wsi_mat_var **v)
{
	return e->set ? wsi_mat_field(&e->file, e->set, name, 0, v)
	              : wsi_mat_find(&e->file, name, v);
}

/* A field that is something else than it may be. */
static ws_status
odd_field(const wsi_recording *rec, const char *name, const char *is)
{
	return WSI_FAIL(WS_E_FORMAT, "%s: damaged, or not a readable EEGLAB data set: EEG.%s is no "
	                "%s", rec->path, name, is);
}

/* One number; NaN where there is none. */
static ws_status
number_field(eeglab *e, const char *name, double *value)
{
	wsi_mat_var *v;
	bool there = false;
	WSI_TRY(field(e, name, &v));
	const ws_status status = wsi_mat_number(&e->file, v, value, &there);
	wsi_mat_free(v);
	if (!there)
		*value = NAN;
	return status;
}

/* Freed by the caller; NULL where there is no such field, or an empty one. */
static ws_status
text_field(const wsi_recording *rec, const char *name, char **text)
{
	eeglab *e = rec->state;
	wsi_mat_var *v;
	*text = NULL;
	WSI_TRY(field(e, name, &v));
	ws_status status = WS_OK;
	if (v && (v->class == WSI_MAT_CHAR || v->n > 0)) {
		status = wsi_mat_text(&e->file, v, 0, text);
		if (status == WS_OK && !*text)
			status = odd_field(rec, name, "text");
	}
	wsi_mat_free(v);
	return status;
}

static ws_status
count_field(const wsi_recording *rec, const char *name, size_t *count)
{
	double value;
	WSI_TRY(number_field(rec->state, name, &value));
	if (!(value >= 1 && value < 9e15 && value == floor(value)))
		return WSI_FAIL(WS_E_FORMAT, "%s: not a readable EEGLAB data set: EEG.%s is %g",
		                rec->path, name, value);
	*count = (size_t)value;
	return WS_OK;
}

/* ---- Samples ----------------------------------------------------------------------- */

static ws_status
check_data(const wsi_recording *rec, const eeglab *e)
{
	const wsi_mat_var *v = e->data;
	size_t wanted = 0, have = 0;
	WSI_TRY(wsi_mat_check(&e->file, v));
	bool good = (v->rank == 2 || v->rank == 3) && v->dims[0] == e->channels
	            && wsi_mul_size(e->samples, e->epochs, &wanted)
	            && wsi_mul_size(v->dims[1], v->rank == 3 ? v->dims[2] : 1, &have)
	            && wanted == have && (v->rank == 2 || v->dims[1] == e->samples);
	if (!good)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: EEG.data is not the %zu channels x "
		                "%zu samples x %zu epochs that nbchan, pnts and trials say",
		                rec->path, e->channels, e->samples, e->epochs);
	return WS_OK;
}

/* The samples lie beside. */
static ws_status
name_beside(wsi_recording *rec)
{
	char *data = NULL, *datfile = NULL;
	ws_status status = text_field(rec, "data", &data);
	if (status == WS_OK)
		status = text_field(rec, "datfile", &datfile);
	if (status == WS_OK)
		status = wsi_beside_name(rec, data, datfile);
	free(data);
	free(datfile);
	return status;
}

static ws_status
open_samples(wsi_recording *rec)
{
	eeglab *e = rec->state;
	WSI_TRY(count_field(rec, "nbchan", &e->channels));
	WSI_TRY(count_field(rec, "pnts", &e->samples));
	WSI_TRY(count_field(rec, "trials", &e->epochs));
	wsi_mat_var *data;
	WSI_TRY(field(e, "data", &data));
	if (wsi_mat_is_numeric(data)) {
		e->data = data;
		WSI_TRY(check_data(rec, e));
		WSI_TRY(wsi_mat_fits(&e->file, data));
		rec->held = wsi_mat_held(&e->file, data);
	} else {
		wsi_mat_free(data);
		WSI_TRY(name_beside(rec));
	}
	rec->epochs = e->epochs > 1 ? e->epochs : 0;
	return wsi_recording_set_channels(rec, e->channels, e->samples);
}

/* ---- Channels and events --------------------------------------------------------------- */

/* A list of structs, *v NULL where it is absent or empty. */
static ws_status
list_field(const wsi_recording *rec, const char *name, wsi_mat_var **v)
{
	WSI_TRY(field(rec->state, name, v));
	if (*v && (*v)->n > 0 && (*v)->class != WSI_MAT_STRUCT && (*v)->class != WSI_MAT_CELL) {
		wsi_mat_free(*v);
		*v = NULL;
		return odd_field(rec, name, "list");
	}
	if (*v && (*v)->n == 0) {
		wsi_mat_free(*v);
		*v = NULL;
	}
	return WS_OK;
}

/* A field of element i of a list: of a struct of that many, or of one of the cells.  *cell is to be
 * handed back after it. */
static ws_status
item_field(eeglab *e, wsi_mat_var *list, size_t i, const char *name, wsi_mat_var **cell,
           wsi_mat_var **v)
{
	*v = *cell = NULL;
	if (list->class == WSI_MAT_STRUCT)
		return wsi_mat_field(&e->file, list, name, i, v);
	WSI_TRY(wsi_mat_cell(&e->file, list, i, cell));
	return wsi_mat_field(&e->file, *cell, name, 0, v);
}

/* A text, or a number as one; *label is freed by the caller, NULL where there is neither. */
static ws_status
item_label(eeglab *e, wsi_mat_var *list, size_t i, const char *name, char **label)
{
	wsi_mat_var *cell = NULL, *v = NULL;
	char number[32];
	*label = NULL;
	ws_status status = item_field(e, list, i, name, &cell, &v);
	if (status == WS_OK)
		status = wsi_mat_text(&e->file, v, 0, label);
	if (status == WS_OK && !*label && wsi_mat_is_numeric(v)) {
		status = wsi_mat_load(&e->file, v);
		snprintf(number, sizeof number, "%.10g", wsi_mat_value(&e->file, v, 0));
		*label = status == WS_OK ? wsi_strdup(number) : NULL;
		if (status == WS_OK && !*label)
			status = WSI_FAIL(WS_E_NOMEM, "%s: out of memory", e->file.path);
	}
	wsi_mat_free(v);
	wsi_mat_free(cell);
	return status;
}

/* A number; NaN where there is none. */
static ws_status
item_number(eeglab *e, wsi_mat_var *list, size_t i, const char *name, double *value)
{
	wsi_mat_var *cell = NULL, *v = NULL;
	bool there = false;
	ws_status status = item_field(e, list, i, name, &cell, &v);
	if (status == WS_OK && !(v && v->class == WSI_MAT_CHAR))
		status = wsi_mat_number(&e->file, v, value, &there);
	if (!there)
		*value = NAN;
	wsi_mat_free(v);
	wsi_mat_free(cell);
	return status;
}

static ws_status
describe_channels(wsi_recording *rec, double fs)
{
	eeglab *e = rec->state;
	wsi_mat_var *places;
	WSI_TRY(list_field(rec, "chanlocs", &places));
	const size_t named = places ? places->n : 0;
	ws_status status = WS_OK;
	for (size_t i = 0; i < rec->n_channels && status == WS_OK; ++i) {
		wsi_channel *c = &rec->channels[i];
		char *label = NULL;
		c->fs = fs > 0 ? fs : 1;
		status = wsi_channel_set_unit(c, "uV");
		if (i < named && status == WS_OK)
			status = item_label(e, places, i, "labels", &label);
		if (label && *label && status == WS_OK)
			status = wsi_channel_set_name(c, label);
		free(label);
		label = NULL;
		if (i < named && status == WS_OK)
			status = item_label(e, places, i, "type", &label);
		c->type = label ? wsi_type_of_word(label, strlen(label)) : NULL;
		free(label);
	}
	wsi_mat_free(places);
	return status;
}

/* Latencies count samples from 1; durations are in samples. */
static ws_status
add_event(wsi_recording *rec, wsi_mat_var *events, size_t i, double fs, size_t *nowhere)
{
	eeglab *e = rec->state;
	double latency, duration;
	char *label;
	WSI_TRY(item_number(e, events, i, "latency", &latency));
	WSI_TRY(item_number(e, events, i, "duration", &duration));
	if (!isfinite(latency)) {
		++*nowhere;
		return WS_OK;
	}
	WSI_TRY(item_label(e, events, i, "type", &label));
	ws_status status = wsi_recording_add_event(rec, (latency - 1) / fs,
	                                           isfinite(duration) ? duration / fs : 0,
	                                           label ? label : "");
	/* What numbers call boundary, in ERPLAB for one. */
	if (status == WS_OK && label && strcmp(label, "-99") == 0)
		status = wsi_recording_add_segment(rec, (latency - 1) / fs, NAN,
		                                   duration > 0 ? duration / fs : NAN);
	free(label);
	return status;
}

static ws_status
add_events(wsi_recording *rec, double fs)
{
	wsi_mat_var *events;
	size_t nowhere = 0;
	WSI_TRY(list_field(rec, "event", &events));
	const size_t n = events ? events->n : 0;
	ws_status status = WS_OK;
	for (size_t i = 0; i < n && status == WS_OK; ++i)
		status = add_event(rec, events, i, fs > 0 ? fs : 1, &nowhere);
	wsi_mat_free(events);
	if (status == WS_OK && nowhere > 0)
		status = wsi_recording_add_note(rec, "%s: %zu of %zu events have no number for "
		                                "a latency and are left out", rec->path, nowhere,
		                                n);
	return status;
}

/* ---- The reader -------------------------------------------------------------------------- */

static ws_status
eeglab_open(wsi_recording *rec)
{
	eeglab *e = rec->state;
	WSI_TRY(wsi_mat_open(&e->file, rec->path, rec->source, rec->opts.memory));
	rec->format = e->file.version == 73 ? "EEGLAB (MAT v7.3)" : e->file.version == 5
	              ? "EEGLAB (MAT v5)" : "EEGLAB (MAT v4)";
	WSI_TRY(wsi_mat_find(&e->file, "EEG", &e->set));
	if (e->set && (e->set->class != WSI_MAT_STRUCT || e->set->n < 1))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its variable EEG is no struct",
		                rec->path);
	WSI_TRY(open_samples(rec));
	double fs, begin;
	WSI_TRY(number_field(e, "srate", &fs));
	WSI_TRY(number_field(e, "xmin", &begin));
	rec->fs_known = isfinite(fs) && fs > 0;
	/* Epochs, single ones and averages too, begin before the event that they belong to. */
	rec->time_origin = rec->fs_known && isfinite(begin) ? begin : 0;
	if (!rec->fs_known && rec->opts.fs == 0)
		WSI_TRY(wsi_recording_add_note(rec, "%s: its srate is no sampling rate; give the "
		                               "true one with `fs`", rec->path));
	WSI_TRY(describe_channels(rec, rec->fs_known ? fs : 0));
	return add_events(rec, rec->fs_known ? fs : 0);
}

static ws_status
eeglab_read(wsi_recording *rec, size_t epoch, size_t channel, size_t first, size_t count,
            double *out)
{
	eeglab *e = rec->state;
	size_t at = epoch * e->samples + first;
	size_t start[3] = { channel, e->data->rank == 3 ? first : at, epoch };
	return wsi_mat_line(&e->file, e->data, start, 1, count, 0, out);
}

static void
eeglab_close(wsi_recording *rec)
{
	eeglab *e = rec->state;
	wsi_mat_free(e->data);
	wsi_mat_free(e->set);
	wsi_mat_close(&e->file);
}

const wsi_reader wsi_reader_eeglab = {
	.name = "EEGLAB", .state_bytes = sizeof(eeglab), .probe = eeglab_probe,
	.open = eeglab_open, .read = eeglab_read, .close = eeglab_close, .foreign = true,
	.decoder = WSI_WIRE_RECORDING_EEGLAB,
};
