/* sidecar.c - reads NAME.npy.json.  A file may say anything: what makes no sense is damaged. */
#include "io/result/sidecar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "io/read/readers.h"
#include "io/result/modes.h"

#define MOST_BYTES ((uint64_t)1 << 28)

char *
wsi_sidecar_path(const char *path)
{
	char *name = malloc(strlen(path) + sizeof ".json");
	if (name)
		sprintf(name, "%s.json", path);
	return name;
}

static ws_status
damaged(const wsi_recording *rec, const char *what)
{
	return WSI_FAIL(WS_E_FORMAT, "%s.json: damaged: its %s make no sense; without this file "
	                "the array is read alone", rec->path, what);
}

static bool
is_ours(const json_t *root)
{
	const char *format = json_string_value(json_object_get(root, "format"));
	return format && strcmp(format, "wavesift result") == 0;
}

/* Is it of that array? */
static bool
is_of(const json_t *root, const wsi_stored_array *a)
{
	const json_t *shape = json_object_get(root, "shape");
	bool same = json_array_size(shape) == (size_t)a->rank;
	for (int i = 0; same && i < a->rank; ++i)
		same = json_integer_value(json_array_get(shape, (size_t)i)) ==
		       (json_int_t)a->extent[i];
	return same;
}

/* All of the file as text; *text is NULL where there is none. */
static ws_status
read_file(wsi_recording *rec, const char *path, char **text, size_t *bytes)
{
	wsi_file f;
	unsigned char head[1];
	*bytes = sizeof head;
	*text = NULL;
	/* It need not be there. */
	FILE *there = fopen(path, "rb");
	if (!there)
		return WS_OK;
	fclose(there);
	WSI_TRY(wsi_file_open(&f, path, rec->opts.opened));
	ws_status status = WS_OK;
	*bytes = (size_t)f.bytes;
	if (f.bytes <= MOST_BYTES && (rec->opts.memory == 0 || f.bytes <= rec->opts.memory / 8)) {
		*text = malloc(*bytes + 1);
		status = *text ? wsi_file_read(&f, 0, *text, *bytes)
		         : WSI_FAIL(WS_E_NOMEM, "%s: no memory for it", path);
	}
	wsi_file_close(&f);
	return status;
}

ws_status
wsi_sidecar_read(wsi_recording *rec, const wsi_stored_array *array, json_t **root)
{
	char *path = wsi_sidecar_path(rec->path), *text = NULL;
	size_t bytes = 0;
	*root = NULL;
	WSI_HAVE(path, "%s: out of memory", rec->path);
	ws_status status = read_file(rec, path, &text, &bytes);
	if (status == WS_OK && text) {
		*root = json_loadb(text, bytes, 0, NULL);
		if (!is_ours(*root)) {
			json_decref(*root);
			*root = NULL;
		} else if (!is_of(*root, array)) {
			status = WSI_FAIL(WS_E_FORMAT, "%s: describes another array than %s; "
			                  "remove it", path, rec->path);
		}
	}
	free(text);
	free(path);
	return status;
}

const char *
wsi_sidecar_array(const json_t *root)
{
	const char *name = json_string_value(json_object_get(root, "array"));
	return name ? name : "";
}

/* ---- What it says ---------------------------------------------------------------------------- */

static double
number(const json_t *root, const char *name)
{
	return json_number_value(json_object_get(root, name));
}

/* The place of a dimension in the array's; -1. */
static int
place_of(const json_t *root, const char *name)
{
	const json_t *dims = json_object_get(root, "dimensions");
	for (size_t i = 0; i < json_array_size(dims); ++i) {
		const char *found = json_string_value(json_array_get(dims, i));
		if (found && strcmp(found, name) == 0)
			return (int)i;
	}
	return -1;
}

static ws_status
take_channels(wsi_recording *rec, const json_t *root, const wsi_stored_array *a)
{
	const int channel = place_of(root, "channel");
	const double samples = number(root, "samples");
	const json_t *names = json_object_get(root, "channel_names"),
		*units = json_object_get(root, "units");
	const size_t n = json_array_size(names);
	if (channel < 0 || channel > 1 || channel >= a->rank || n != a->extent[channel] || n == 0
	    || json_array_size(units) != n
	    || !(samples >= 1 && samples <= (double)WSI_MOST_SAMPLES))
		return damaged(rec, "channels");
	rec->epochs = channel ? a->extent[0] : 0;
	WSI_TRY(wsi_recording_set_channels(rec, n, (size_t)samples));
	for (size_t i = 0; i < n; ++i) {
		const char *name = json_string_value(json_array_get(names, i));
		const char *unit = json_string_value(json_array_get(units, i));
		if (!name || !unit)
			return damaged(rec, "names");
		WSI_TRY(wsi_channel_set_name(&rec->channels[i], name));
		WSI_TRY(wsi_channel_set_unit(&rec->channels[i], unit));
	}
	return WS_OK;
}

static ws_status
take_times(wsi_recording *rec, const json_t *root)
{
	const char *start = json_string_value(json_object_get(root, "start_time"));
	wsi_arrays *told = rec->arrays;
	told->named = told->timed = true;
	told->first_time = number(root, "first_time");
	told->time_origin = number(root, "time_origin");
	rec->time_unit = number(root, "time_unit");
	rec->fs_known = json_is_true(json_object_get(root, "fs_known"));
	if (start && strlen(start) < WSI_MOMENT_BYTES)
		strcpy(rec->start_time, start);
	return wsi_modes_take_times(rec, number(root, "fs"));
}

/* A list of numbers as an array of its own; dims: 1 an axis, 2 [epoch][channel], 3 [..][mode]. */
static ws_status
take_list(wsi_recording *rec, const char *name, const json_t *list, int dims,
          double *values[WSI_SIDECAR_ARRAYS])
{
	const size_t n = json_array_size(list), at = rec->arrays->n;
	const size_t rows = (rec->epochs ? rec->epochs : 1) * rec->n_channels;
	wsi_stored_array a = { .type = WS_F64, .rank = 1, .extent = { n } };
	if (dims > 1) {
		if (n % rows != 0 || (dims == 2 && n != rows))
			return damaged(rec, "figures");
		a.rank = 0;
		if (rec->epochs)
			a.extent[a.rank++] = rec->epochs;
		a.extent[a.rank++] = rec->n_channels;
		if (dims == 3)
			a.extent[a.rank++] = n / rows;
	}
	if (at == WSI_SIDECAR_ARRAYS)
		return WS_OK;
	WSI_NEW(values[at], n + 1, "%s: no memory for its figures", rec->path);
	for (size_t i = 0; i < n; ++i) {
		const json_t *value = json_array_get(list, i);
		values[at][i] = json_is_number(value) ? json_number_value(value) : NAN;
	}
	return wsi_arrays_add(rec, a, name);
}

static ws_status
take_lists(wsi_recording *rec, const json_t *root, double *values[WSI_SIDECAR_ARRAYS])
{
	static const char *const kinds[] = { "axes", "of_channels", "of_modes" };
	const char *name;
	json_t *list;
	for (int dims = 1; dims <= 3; ++dims)
		json_object_foreach(json_object_get(root, kinds[dims - 1]), name, list)
			WSI_TRY(take_list(rec, name, list, dims, values));
	const wsi_stored_array *epochs = wsi_arrays_find(rec, "epoch");
	return !rec->epochs || (epochs && epochs->extent[0] == rec->epochs) ? WS_OK
	       : damaged(rec, "epochs");
}

static ws_status
take_facts(wsi_recording *rec, const json_t *facts)
{
	wsi_arrays *to = rec->arrays;
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)facts, key, value) {
		char digits[32] = "";
		const char *text = json_string_value(value);
		wsi_line line = wsi_line_in(digits, sizeof digits);
		if (!text)
			wsi_line_put_real(&line, json_number_value(value));
		text = text ? text : digits;
		char **fact = to->facts + 2 * to->n_facts++;
		fact[0] = wsi_clean_name(key);
		fact[1] = wsi_clean_text(text, strlen(text));
		WSI_HAVE(fact[0] && fact[1], "%s: no memory for its provenance", rec->path);
	}
	return WS_OK;
}

static ws_status
take_events(wsi_recording *rec, const json_t *events)
{
	for (size_t i = 0; i < json_array_size(events); ++i) {
		const json_t *e = json_array_get(events, i);
		const char *label = json_string_value(json_object_get(e, "label"));
		WSI_TRY(wsi_recording_place_event(rec, number(e, "time"), number(e, "duration"),
		                                  label ? label : "", (int)number(e, "epoch")));
	}
	return WS_OK;
}

ws_status
wsi_sidecar_take(wsi_recording *rec, const json_t *root, wsi_stored_array array,
                 double *values[WSI_SIDECAR_ARRAYS])
{
	const json_t *facts = json_object_get(root, "provenance");
	const size_t n = json_object_size(facts);
	if (n > WSI_MOST_STORED)
		return damaged(rec, "provenance");
	WSI_TRY(wsi_arrays_make(rec, WSI_SIDECAR_ARRAYS, n));
	WSI_TRY(wsi_arrays_add(rec, array, wsi_sidecar_array(root)));
	WSI_TRY(take_channels(rec, root, &array));
	WSI_TRY(take_lists(rec, root, values));
	WSI_TRY(take_facts(rec, facts));
	WSI_TRY(take_times(rec, root));
	return rec->opts.with_events || rec->opts.any_arrays
	       ? take_events(rec, json_object_get(root, "events")) : WS_OK;
}
