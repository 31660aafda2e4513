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

#include "io/beside.h"
#include "io/matio_util.h"
#include "io/segments.h"
#include "io/wire.h"

typedef struct eeglab {
	wsi_mat file;
	matvar_t *set;       /* the struct EEG; NULL: its fields are variables */
	matvar_t *data;      /* numeric; NULL: in the file beside */
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

/* A field without its values, NULL where there is none; hand it back with
 * release(). */
static matvar_t *
field(eeglab *e, const char *name)
{
	return e->set ? wsi_mat_field(e->set, name, 0) : wsi_mat_find(&e->file, name);
}

static void
release(const eeglab *e, matvar_t *v)
{
	if (!e->set)
		wsi_mat_free(v);
}

static double
number_field(eeglab *e, const char *name)
{
	matvar_t *v = field(e, name);
	double value = v && wsi_mat_is_numeric(v) && wsi_mat_load(&e->file, v) == WS_OK
	               ? wsi_mat_value(v, 0) : NAN;
	release(e, v);
	return value;
}

/* Freed by the caller; NULL where the field is absent or no text. */
static char *
text_field(eeglab *e, const char *name)
{
	matvar_t *v = field(e, name);
	char *text = v && v->class_type == MAT_C_CHAR && wsi_mat_load(&e->file, v) == WS_OK
	             ? wsi_mat_text(v, 0) : NULL;
	release(e, v);
	return text;
}

static ws_status
count_field(const wsi_recording *rec, const char *name, size_t *count)
{
	double value = number_field(rec->state, name);
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
	const matvar_t *v = e->data;
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
	eeglab *e = rec->state;
	char *data = text_field(e, "data"), *datfile = text_field(e, "datfile");
	const ws_status status = wsi_beside_name(rec, data, datfile);
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
	matvar_t *data = field(e, "data");
	if (data && wsi_mat_is_numeric(data)) {
		e->data = data;
		WSI_TRY(check_data(rec, e));
		WSI_TRY(wsi_mat_fits(&e->file, data));
		rec->held = wsi_mat_held(&e->file, data);
	} else {
		release(e, data);
		WSI_TRY(name_beside(rec));
	}
	rec->epochs = e->epochs > 1 ? e->epochs : 0;
	return wsi_recording_set_channels(rec, e->channels);
}

/* ---- Channels and events --------------------------------------------------------------- */

static ws_status
describe_channels(wsi_recording *rec, double fs)
{
	eeglab *e = rec->state;
	matvar_t *places = field(e, "chanlocs");
	size_t named = places && places->class_type == MAT_C_STRUCT
	               && wsi_mat_load(&e->file, places) == WS_OK ? wsi_mat_struct_count(places)
	               : 0;
	ws_status status = WS_OK;
	for (size_t i = 0; i < rec->n_channels && status == WS_OK; ++i) {
		wsi_channel *c = &rec->channels[i];
		c->fs = fs > 0 ? fs : 1;
		c->samples = e->samples;
		status = wsi_channel_set_unit(c, "uV");
		char *label = i < named
		              ? wsi_mat_text(wsi_mat_field(places, "labels", i), 0) : NULL;
		if (label && *label && status == WS_OK)
			status = wsi_channel_set_name(c, label);
		free(label);
	}
	release(e, places);
	return status;
}

/* The type of an event is a text or a number. */
static char *
event_label(const matvar_t *type)
{
	char *text = wsi_mat_text(type, 0), number[32];
	double value = type ? wsi_mat_value(type, 0) : NAN;
	if (text || isnan(value))
		return text ? text : wsi_strdup("");
	snprintf(number, sizeof number, "%.10g", value);
	return wsi_strdup(number);
}

/* Latencies count samples from 1; durations are in samples. */
static ws_status
add_event(wsi_recording *rec, matvar_t *events, size_t i, double fs)
{
	double latency = wsi_mat_value(wsi_mat_field(events, "latency", i), 0);
	double duration = wsi_mat_value(wsi_mat_field(events, "duration", i), 0);
	if (!isfinite(latency))
		return WS_OK;
	char *label = event_label(wsi_mat_field(events, "type", i));
	if (!label)
		return WSI_FAIL(WS_E_NOMEM, "%s: out of memory", rec->path);
	ws_status status = wsi_recording_add_event(rec, (latency - 1) / fs,
	                                           isfinite(duration) ? duration / fs : 0, label);
	/* What numbers call boundary, in ERPLAB for one. */
	if (status == WS_OK && strcmp(label, "-99") == 0)
		status = wsi_recording_add_segment(rec, (latency - 1) / fs, NAN,
		                                   duration > 0 ? duration / fs : NAN);
	free(label);
	return status;
}

static ws_status
add_events(wsi_recording *rec, double fs)
{
	eeglab *e = rec->state;
	matvar_t *events = field(e, "event");
	size_t n = events && events->class_type == MAT_C_STRUCT
	           && wsi_mat_load(&e->file, events) == WS_OK ? wsi_mat_struct_count(events) : 0;
	ws_status status = WS_OK;
	for (size_t i = 0; i < n && status == WS_OK; ++i)
		status = add_event(rec, events, i, fs > 0 ? fs : 1);
	release(e, events);
	return status;
}

/* ---- The reader -------------------------------------------------------------------------- */

static ws_status
eeglab_open(wsi_recording *rec)
{
	eeglab *e = calloc(1, sizeof *e);
	if (!e)
		return WSI_FAIL(WS_E_NOMEM, "%s: out of memory", rec->path);
	rec->state = e;
	WSI_TRY(wsi_mat_open(&e->file, rec->path, rec->source, rec->opts.memory));
	rec->format = e->file.hdf5 ? "EEGLAB (MAT v7.3)" : "EEGLAB (MAT v5)";
	e->set = wsi_mat_find(&e->file, "EEG");
	if (e->set && (e->set->class_type != MAT_C_STRUCT || e->set->rank < 1
	               || e->set->dims[0] < 1)) {
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its variable EEG is no struct",
		                rec->path);
	}
	WSI_TRY(open_samples(rec));
	double fs = number_field(e, "srate");
	rec->fs_known = isfinite(fs) && fs > 0;
	/* Epochs begin before the event that they belong to. */
	const double begin = rec->epochs && rec->fs_known ? number_field(e, "xmin") : 0;
	rec->time_origin = isfinite(begin) ? begin : 0;
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
	return wsi_mat_line(&e->file, e->data, start, 1, count, out);
}

static void
eeglab_close(wsi_recording *rec)
{
	eeglab *e = rec->state;
	if (!e)
		return;
	release(e, e->data);
	wsi_mat_free(e->set);
	wsi_mat_close(&e->file);
	free(e);
}

const wsi_reader wsi_reader_eeglab = {
	.name = "EEGLAB", .probe = eeglab_probe, .open = eeglab_open, .read = eeglab_read,
	.close = eeglab_close, .foreign = true, .decoder = WSI_WIRE_RECORDING_EEGLAB,
};
