/*
 * modes_mat.c - modes of a MAT file: ours, or an array that other tools wrote: modes(mode,time) or
 * modes(channel,mode,time), with the variable residue(channel,time) or else with the residue as the
 * last mode.  Of ours all arrays, where opts.any_arrays wants them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "io/read/mat_file.h"
#include "io/decode/wire.h"
#include "io/result/modes.h"
#include "io/result/result.h"

enum { MODES, RESIDUE, SIGNAL, COUNTS, ALIGNMENT, EPOCHS = 14, N_ARRAYS };
static const char *const names[] = { "modes", "residue", "signal", "mode_count", "alignment",
	"variance_share", "frequency", "band_low", "band_high", "half_waves", "end_share",
	"modes" WSI_INTERVAL, "residue" WSI_INTERVAL, "signal" WSI_INTERVAL, "epoch" };

typedef struct mat_modes {
	wsi_mat file;
	const char *path;
	wsi_recording *rec;
	wsi_mat_var *vars[WSI_MOST_STORED]; /* by the numbers of rec->arrays */
	bool time_first;              /* modes(time,mode) */
} mat_modes;

/* Is the file as we wrote it?  Then its last array is `units`. */
static bool
is_ours(const mat_modes *s)
{
	return strstr(s->file.head, WSI_MAT_OURS) != NULL;
}

/* The variable called modes, else the only array with several rows. */
static ws_status
find_modes(mat_modes *s, wsi_mat_var **modes)
{
	size_t found = 0;
	WSI_TRY(wsi_mat_find(&s->file, "modes", modes));
	if (!*modes && is_ours(s))
		return WSI_FAIL(WS_E_FORMAT, "%s: is a result without modes; write .h5 for what "
		                "looks at other results", s->path);
	for (size_t i = 0; i < s->file.n_vars && !(found == 0 && *modes); ++i) {
		wsi_mat_var *v;
		WSI_TRY(wsi_mat_variable(&s->file, i, &v));
		if (wsi_mat_is_numeric(v) && v->rank >= 2 && v->rank <= 4 && v->dims[0] > 1
		    && v->dims[1] > 1 && ++found == 1)
			*modes = v;
	}
	if (*modes && found <= 1)
		return WS_OK;
	return WSI_FAIL(WS_E_FORMAT, "%s: has no variable named modes and %s other array of modes; "
	                "name it modes (results that are no modes are drawn from .h5)", s->path,
	                found ? "more than one" : "no");
}

/* What is there and does not go with the modes: of a file of ours it is damaged, in others it may
 * be anything. */
static ws_status
leave_out(const mat_modes *s, const char *name)
{
	if (!is_ours(s))
		return WS_OK;
	return WSI_FAIL(WS_E_FORMAT, "%s: damaged: %s does not match modes", s->path, name);
}

/* Takes v as an array of so many axes: of fewer than it has the first is 1, and left out. */
static ws_status
add(mat_modes *s, int which, wsi_mat_var *v, int rank)
{
	const bool by_time = s->time_first && which <= SIGNAL;
	const int extra = v->rank - rank;
	wsi_stored_array a = { .type = WS_F64, .rank = rank };
	if (which != MODES && (!wsi_mat_is_numeric(v) || extra < 0 || extra > 1
	                       || (extra && v->dims[by_time] != 1))) {
		wsi_mat_free(v);
		return leave_out(s, names[which]);
	}
	for (int i = 0; i < rank; ++i)
		a.extent[i] = v->dims[by_time ? rank - 1 - i : i + extra];
	s->vars[s->rec->arrays->n] = v;
	return wsi_arrays_add(s->rec, a, names[which]);
}

static ws_status
take_arrays(mat_modes *s)
{
	wsi_mat_var *v;
	WSI_TRY(find_modes(s, &v));
	const bool empty = v->class == WSI_MAT_NUMBER && v->rank >= 2 && v->rank <= 4
	                   && v->dims[v->rank - 2] == 0;
	if (v->rank < 2 || v->rank > 4 || (!empty && !wsi_mat_is_numeric(v)))
		return WSI_FAIL(WS_E_FORMAT, "%s: modes is not an array of real numbers "
		                "modes(channel,mode,time)", s->path);
	WSI_TRY(wsi_mat_check(&s->file, v));
	/* MATLAB's own emd answers imf(time,mode). */
	s->time_first = v->rank == 2 && v->dims[0] > v->dims[1];
	const int lines = v->rank == 4 ? 2 : 1;
	const int one = lines + 1, ranks[N_ARRAYS] = { v->rank, v->rank - 1, v->rank - 1, lines,
	                                               one,
		one, one, one, one, one, one, v->rank, v->rank - 1, v->rank - 1, 1 };
	WSI_TRY(add(s, MODES, v, v->rank));
	WSI_TRY(wsi_modes_take_shape(s->rec));
	for (int i = RESIDUE; i < (s->rec->epochs ? N_ARRAYS : EPOCHS); ++i) {
		if (i >= ALIGNMENT && i < EPOCHS && !is_ours(s))
			continue;
		WSI_TRY(wsi_mat_find(&s->file, names[i], &v));
		if (v)
			WSI_TRY(add(s, i, v, ranks[i]));
	}
	return WS_OK;
}

/* All variables that are arrays of a result, whatever it is one of. */
static ws_status
take_all(mat_modes *s)
{
	wsi_recording *rec = s->rec;
	double samples = 0;
	bool there;
	wsi_mat_var *v;
	WSI_TRY(wsi_mat_scalar(&s->file, "samples", &samples, &there));
	WSI_TRY(wsi_mat_find(&s->file, "channel_names", &v));
	if (!v || v->class != WSI_MAT_CELL || v->n == 0 || !(samples >= 1)
	    || samples > (double)WSI_MOST_SAMPLES)
		return WSI_FAIL(WS_E_UNSUPPORTED, "%s: does not tell what it is a result of",
		                s->path);
	WSI_TRY(wsi_recording_set_channels(rec, v->n, (size_t)samples));
	wsi_mat_free(v);
	for (size_t i = 0; i < s->file.n_vars && rec->arrays->n < WSI_MOST_STORED; ++i) {
		WSI_TRY(wsi_mat_variable(&s->file, i, &v));
		const bool number = v->n == 1 && (strncmp(v->name, "fs", 2) == 0
			|| strcmp(v->name, "samples") == 0 || strcmp(v->name, "first_time") == 0
			|| strncmp(v->name, "time_", 5) == 0);
		if (!(wsi_mat_is_numeric(v) || wsi_mat_is_complex(v)) || v->rank < 2 || number)
			continue;
		/* (1,n) is a list, but of one channel an array of it. */
		const int extra = v->rank == 2 && v->dims[0] == 1 && rec->n_channels > 1;
		wsi_stored_array a = { .type = wsi_mat_is_complex(v) ? WS_C128 : WS_F64,
			.rank = v->rank - extra };
		for (int k = 0; k < a.rank; ++k)
			a.extent[k] = v->dims[k + extra];
		if (strcmp(v->name, "epoch") == 0)
			rec->epochs = v->n;
		s->vars[rec->arrays->n] = v;
		WSI_TRY(wsi_arrays_add(rec, a, v->name));
	}
	return WS_OK;
}

/* Fields of the struct provenance. */
static ws_status
read_provenance(mat_modes *s)
{
	wsi_arrays *to = s->rec->arrays;
	wsi_mat_var *v, *field;
	WSI_TRY(wsi_mat_find(&s->file, "provenance", &v));
	ws_status status = v && v->class == WSI_MAT_STRUCT ? wsi_mat_load(&s->file, v) : WS_OK;
	for (size_t i = 0; v && i < v->n_fields && i < WSI_MOST_STORED && status == WS_OK; ++i) {
		char digits[32] = "", *text = NULL;
		wsi_line line = wsi_line_in(digits, sizeof digits);
		double number = 0;
		bool there = false;
		status = wsi_mat_field(&s->file, v, v->fields[i], 0, &field);
		if (status == WS_OK)
			status = wsi_mat_text(&s->file, field, 0, &text);
		if (status == WS_OK && !text && field && field->class == WSI_MAT_NUMBER)
			status = wsi_mat_number(&s->file, field, &number, &there);
		if (there)
			wsi_line_put_real(&line, number);
		const char *told = text ? text : digits;
		char **fact = to->facts + 2 * to->n_facts;
		if (status == WS_OK) {
			fact[0] = wsi_clean_name(v->fields[i]);
			fact[1] = wsi_clean_text(told, strlen(told));
			to->n_facts++;
			if (!fact[0] || !fact[1])
				status = WSI_FAIL(WS_E_NOMEM, "%s: no memory for its provenance",
				                  s->path);
		}
		free(text);
		wsi_mat_free(field);
	}
	wsi_mat_free(v);
	return status;
}

/* The lists of the struct events. */
enum { DURATION, EPOCH, TIME, LABEL, N_LISTS };

static ws_status
read_event(mat_modes *s, wsi_mat_var *const lists[N_LISTS], size_t i)
{
	char *label;
	double numbers[LABEL];
	for (int k = 0; k < LABEL; ++k)
		numbers[k] = wsi_mat_value(&s->file, lists[k], i);
	const int epoch = numbers[EPOCH] >= 0 && numbers[EPOCH] < INT32_MAX
	        ? (int)numbers[EPOCH] : 0;
	WSI_TRY(wsi_mat_cell_text(&s->file, lists[LABEL], i, &label));
	const ws_status status = wsi_recording_place_event(s->rec, numbers[TIME], numbers[DURATION],
	                                                   label ? label : "", epoch);
	free(label);
	return status;
}

static ws_status
read_events(mat_modes *s)
{
	static const char *const fields[] = { "duration", "epoch", "time", "label" };
	wsi_mat_var *v, *lists[N_LISTS] = { NULL };
	WSI_TRY(wsi_mat_find(&s->file, "events", &v));
	ws_status status = WS_OK;
	bool whole = v != NULL;
	for (int k = 0; v && k < N_LISTS && status == WS_OK; ++k) {
		status = wsi_mat_field(&s->file, v, fields[k], 0, &lists[k]);
		if (status == WS_OK && k < LABEL && lists[k])
			status = wsi_mat_load(&s->file, lists[k]);
		whole = whole && lists[k] && lists[k]->n == lists[0]->n
			&& lists[k]->class == (k == LABEL ? WSI_MAT_CELL : WSI_MAT_NUMBER);
	}
	if (status == WS_OK && v && !whole)
		status = leave_out(s, "events");
	for (size_t i = 0; whole && i < lists[LABEL]->n && status == WS_OK; ++i)
		status = read_event(s, lists, i);
	for (int k = 0; k < N_LISTS; ++k)
		wsi_mat_free(lists[k]);
	wsi_mat_free(v);
	return status;
}

/* A cell of as many texts as there are channels; whether there is one. */
static ws_status
read_texts(mat_modes *s, const char *name, bool *found,
           ws_status (*set)(wsi_channel *channel, const char *text))
{
	wsi_recording *rec = s->rec;
	wsi_mat_var *v;
	*found = false;
	WSI_TRY(wsi_mat_find(&s->file, name, &v));
	if (!v)
		return WS_OK;
	if (v->class != WSI_MAT_CELL || v->rank != 2 || v->dims[0] != 1
	    || v->dims[1] != rec->n_channels) {
		wsi_mat_free(v);
		return leave_out(s, name);
	}
	ws_status status = WS_OK;
	for (size_t i = 0; i < rec->n_channels && status == WS_OK; ++i) {
		char *text;
		status = wsi_mat_cell_text(&s->file, v, i, &text);
		if (status == WS_OK)
			status = text ? set(&rec->channels[i], text) : leave_out(s, name);
		free(text);
	}
	wsi_mat_free(v);
	*found = true;
	return status;
}

static ws_status
read_start_time(mat_modes *s)
{
	wsi_mat_var *v;
	char *text;
	WSI_TRY(wsi_mat_find(&s->file, "start_time", &v));
	ws_status status = wsi_mat_text(&s->file, v, 0, &text);
	if (status == WS_OK && v && v->n > 0 && (!text || strlen(text) >= WSI_MOMENT_BYTES))
		status = leave_out(s, "start_time");
	else if (status == WS_OK && text)
		strcpy(s->rec->start_time, text);
	free(text);
	wsi_mat_free(v);
	return status;
}

static ws_status
read_facts(mat_modes *s)
{
	wsi_recording *rec = s->rec;
	wsi_arrays *told = rec->arrays;
	double fs = 1, known = 1;
	bool there;
	WSI_TRY(wsi_mat_scalar(&s->file, "fs", &fs, &rec->fs_known));
	WSI_TRY(wsi_mat_scalar(&s->file, "fs_known", &known, &there));
	rec->fs_known = rec->fs_known && known != 0;
	WSI_TRY(wsi_mat_scalar(&s->file, "first_time", &told->first_time, &told->timed));
	WSI_TRY(wsi_mat_scalar(&s->file, "time_origin", &told->time_origin, &there));
	WSI_TRY(wsi_mat_scalar(&s->file, "time_unit", &rec->time_unit, &there));
	WSI_TRY(read_start_time(s));
	if (is_ours(s))
		WSI_TRY(read_provenance(s));
	WSI_TRY(read_texts(s, "channel_names", &told->named, wsi_channel_set_name));
	WSI_TRY(read_texts(s, "units", &there, wsi_channel_set_unit));
	if (!there && is_ours(s))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: it was cut off before its last array",
		                s->path);
	WSI_TRY(wsi_modes_take_times(rec, fs));
	return is_ours(s) && (rec->opts.with_events || rec->opts.any_arrays)
	        ? read_events(s) : WS_OK;
}

static ws_status
mat_open(wsi_recording *rec)
{
	mat_modes *s = rec->state;
	s->path = rec->path;
	s->rec = rec;
	WSI_TRY(wsi_mat_open(&s->file, rec->path, rec->source, rec->opts.memory));
	WSI_TRY(wsi_arrays_make(rec, WSI_MOST_STORED, WSI_MOST_STORED));
	rec->arrays->by_others = !is_ours(s);
	WSI_TRY(rec->opts.any_arrays ? take_all(s) : take_arrays(s));
	return read_facts(s);
}

/* epoch: twice the array's number; channel: the line. */
static ws_status
mat_read(wsi_recording *rec, size_t epoch, size_t channel, size_t first, size_t count, double *out)
{
	mat_modes *s = rec->state;
	const size_t number = epoch / 2;
	size_t start[WSI_MAT_RANK] = { 0 };
	if (number >= rec->arrays->n)
		return WSI_FAIL(WS_E_INTERNAL, "%s: has no array of this number", rec->path);
	const wsi_stored_array *a = &rec->arrays->items[number];
	wsi_mat_var *v = s->vars[number];
	/* Only these are rows. */
	if (s->time_first && (strcmp(a->name, names[MODES]) == 0 ||
	                      strcmp(a->name, names[RESIDUE]) == 0 ||
	                      strcmp(a->name, names[SIGNAL]) == 0)) {
		start[0] = first;
		start[1] = channel;
		return wsi_mat_line(&s->file, v, start, 0, count, 0, out);
	}
	wsi_stored_place(a, channel, first, start + v->rank - a->rank);
	return wsi_mat_line(&s->file, v, start, v->rank - 1, count, 0, out);
}

static void
mat_close(wsi_recording *rec)
{
	mat_modes *s = rec->state;
	for (size_t i = 0; i < WSI_MOST_STORED; ++i)
		wsi_mat_free(s->vars[i]);
	wsi_mat_close(&s->file);
}

const wsi_reader wsi_reader_modes_mat = {
	.name = "MAT (modes)", .state_bytes = sizeof(mat_modes), .open = mat_open,
	.read = mat_read, .close = mat_close, .foreign = true,
	.decoder = WSI_WIRE_RECORDING_MODES_MAT,
};
