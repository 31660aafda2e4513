/*
 * mat.c - recordings in MAT files of version 4, 5 and 7.3: the array that
 * --variable names, or the only one (mat_pick.h).
 *
 * Of two dimensions the longer is time, be it x(channel,time) or
 * x(time,channel); three are x(channel,time,epoch), as EEGLAB has them.  Of our
 * own results it is the signal, with names, units and start.  Cells
 * of one size are epochs.  The rate is a number fs, Fs, srate, sfreq,
 * sampling_rate and the like, or dt, beside the array in its struct, or a variable; or times t.
 * FieldTrip's raw data are trial{epoch}(channel,time), with label, fsample and
 * time{epoch}.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/decode/wire.h"
#include "io/read/mat4.h"
#include "io/read/mat_pick.h"
#include "io/read/segments.h"

typedef struct mat_recording {
	wsi_mat file;
	wsi_mat_pick pick;
	int channel_axis, time_axis;
	size_t rows;
} mat_recording;

static int
mat_probe(const unsigned char *head, size_t n, const char *path)
{
	return wsi_mat_probe(head, n) ? 2 : wsi_name_ends(path, ".mat")
	       ? 1 + wsi_mat4_probe(head, n) : 0;
}

/* ---- Shape --------------------------------------------------------------------------- */

static ws_status
take_shape(wsi_recording *rec, mat_recording *s)
{
	const wsi_mat_var *first = s->pick.arrays[0];
	const size_t *dims = first->dims;
	for (size_t i = 0; i < s->pick.n; ++i) {
		WSI_TRY(wsi_mat_check(&s->file, s->pick.arrays[i]));
		WSI_TRY(wsi_mat_fits(&s->file, s->pick.arrays[i]));
		WSI_TRY(wsi_recording_count(rec, wsi_mat_held(&s->file, s->pick.arrays[i]),
		                            "its values take"));
	}
	/* Masks are rows; a column is one mask. */
	const bool ours = s->pick.ours;
	s->channel_axis = ours ? first->rank == 3 : !s->pick.fieldtrip && first->rank == 2
	                  && (rec->opts.masks ? dims[1] == 1 : dims[0] > dims[1]);
	s->time_axis = ours ? first->rank - 1 : !s->channel_axis;
	s->rows = dims[s->channel_axis];
	rec->epochs = s->pick.n > 1 ? s->pick.n : first->rank == 3 ? dims[ours ? 0 : 2] : 0;
	rec->complex = first->complex;
	WSI_TRY(wsi_recording_set_channels(rec, s->rows * (rec->complex ? 2 : 1),
	                                   dims[s->time_axis]));
	return s->channel_axis && !rec->opts.masks && !ours ? wsi_recording_note_transposed(rec)
	        : WS_OK;
}

/* ---- Rate ------------------------------------------------------------------------------ */

static void
set_rate(wsi_recording *rec, double fs)
{
	for (size_t c = 0; c < rec->n_channels; ++c)
		rec->channels[c].fs = fs;
	rec->fs_known = true;
}

/* A rate that is told: of what is none, --fs is asked for. */
static ws_status
read_rate(wsi_recording *rec, mat_recording *s, const char *name, wsi_mat_var *v)
{
	double fs = 0;
	bool there;
	if (wsi_mat_is_numeric(v) && v->n == 1)
		WSI_TRY(wsi_mat_number(&s->file, v, &fs, &there));
	WSI_TRY(wsi_recording_rate_of(rec, name, &fs));
	if (!(fs > 0) || !isfinite(fs))
		return WSI_FAIL(WS_E_FORMAT, "%s: its %s is no sampling rate; give the true one "
		                "with `fs`", rec->path, name);
	set_rate(rec, fs);
	return WS_OK;
}

/* By the names that it has, in the struct or, where that is NULL, among the variables. */
static ws_status
find_rate(wsi_recording *rec, mat_recording *s, wsi_mat_var *in)
{
	const char *const *names = wsi_rate_names;
	for (size_t i = !in; names[i] && !rec->fs_known; ++i) {
		wsi_mat_var *v;
		WSI_TRY(in ? wsi_mat_field(&s->file, in, names[i], 0, &v)
		           : wsi_mat_find(&s->file, names[i], &v));
		/* MATLAB's [] is nothing, and the signal itself may have such a name. */
		ws_status status = WS_OK;
		if (v && v != s->pick.arrays[0] && (v->n > 0 || v->class == WSI_MAT_OTHER))
			status = read_rate(rec, s, names[i], v);
		wsi_mat_free(v);
		WSI_TRY(status);
	}
	return WS_OK;
}

static ws_status
take_vector(wsi_recording *rec, mat_recording *s, const char *name, wsi_mat_var *v)
{
	double *times;
	WSI_NEW(times, v->n, "%s: no memory for its %s", rec->path, name);
	ws_status status = wsi_mat_line(&s->file, v, (size_t[WSI_MAT_RANK]){ 0 }, v->dims[0] == 1,
	                                v->n, 0, times);
	if (status == WS_OK)
		status = wsi_recording_take_array(rec, name, times, v->n);
	free(times);
	return status;
}

/* By times, likewise. */
static ws_status
find_times(wsi_recording *rec, mat_recording *s, wsi_mat_var *in)
{
	for (size_t i = 0; wsi_time_names[i] && !rec->fs_known; ++i) {
		const char *name = wsi_time_names[i];
		wsi_mat_var *v;
		WSI_TRY(in ? wsi_mat_field(&s->file, in, name, 0, &v)
		           : wsi_mat_find(&s->file, name, &v));
		const bool times = v && v != s->pick.arrays[0] && wsi_mat_pick_is_vector(v);
		const ws_status status = times ? take_vector(rec, s, name, v) : WS_OK;
		wsi_mat_free(v);
		WSI_TRY(status);
	}
	return WS_OK;
}

static ws_status
take_rate(wsi_recording *rec, mat_recording *s)
{
	const int last = s->pick.fieldtrip ? 1 : 2;
	if (rec->opts.fs != 0 || rec->opts.masks)
		return WS_OK;
	for (int times = 0; times < 2; ++times)
		for (int outer = !s->pick.in; outer < last && !rec->fs_known; ++outer)
			WSI_TRY((times ? find_times : find_rate)(rec, s,
			                                         outer ? NULL : s->pick.in));
	return WS_OK;
}

/* ---- What FieldTrip tells --------------------------------------------------------------- */

static ws_status
odd_field(const wsi_recording *rec, const char *what)
{
	return WSI_FAIL(WS_E_FORMAT, "%s: damaged, or not %s: %s", rec->path,
	                ((const mat_recording *)rec->state)->pick.ours ? "a result"
	                : "FieldTrip's raw data", what);
}

/* A field, of a result a variable, of as many cells as these; *v NULL: it is absent or empty. */
static ws_status
cells_of(const wsi_recording *rec, mat_recording *s, const char *name, size_t n, wsi_mat_var **v)
{
	char what[64];
	WSI_TRY(s->pick.in ? wsi_mat_field(&s->file, s->pick.in, name, 0, v)
	                   : wsi_mat_find(&s->file, name, v));
	if (!*v || ((*v)->class == WSI_MAT_CELL && (n == 0 || (*v)->n == n)))
		return WS_OK;
	const bool empty = (*v)->n == 0 && (*v)->class != WSI_MAT_OTHER;
	wsi_mat_free(*v);
	*v = NULL;
	snprintf(what, sizeof what, "%s has not a cell for each", name);
	return empty ? WS_OK : odd_field(rec, what);
}

static ws_status
take_texts(wsi_recording *rec, mat_recording *s, const char *name,
           ws_status (*set)(wsi_channel *, const char *))
{
	wsi_mat_var *texts;
	WSI_TRY(cells_of(rec, s, name, s->rows, &texts));
	ws_status status = WS_OK;
	for (size_t i = 0; texts && i < s->rows && status == WS_OK; ++i) {
		char *text;
		status = wsi_mat_cell_text(&s->file, texts, i, &text);
		if (status == WS_OK && !text)
			status = odd_field(rec, name);
		if (status == WS_OK)
			status = set(&rec->channels[i], text);
		free(text);
	}
	wsi_mat_free(texts);
	return status;
}

/* A rate that only times tell, as the number that was meant. */
static double
rate_of(double step)
{
	const double fs = 1 / step;
	return fabs(fs - round(fs)) < 1e-6 * fs ? round(fs) : fs;
}

/* Times of trial i are where the rate says, unless `fs` does; where nothing told it, they do. */
static ws_status
check_times(wsi_recording *rec, const wsi_mat *m, const wsi_mat_var *time, size_t i)
{
	const size_t n = time->n;
	const double first = wsi_mat_value(m, time, 0), last = wsi_mat_value(m, time, n - 1);
	if (!isfinite(first))
		return odd_field(rec, "a trial begins at no time");
	if (!rec->fs_known && rec->opts.fs == 0 && last > first)
		set_rate(rec, rate_of((last - first) / (double)(n - 1)));
	const double step = 1 / rec->channels[0].fs;
	for (size_t k = rec->fs_known && rec->opts.fs == 0 ? 1 : n; k < n; ++k) {
		const double at = wsi_mat_value(m, time, k), due = first + (double)k * step;
		if (!(fabs(at - due) < 0.5 * step))
			return WSI_FAIL(WS_E_FORMAT, "%s: trial %zu has its sample %zu at %g s, "
			                "where %g s is due at %g Hz; correct its time or fsample, "
			                "or give the true rate with `fs`", rec->path, i + 1, k + 1,
			                at, due, 1 / step);
	}
	return WS_OK;
}

/* Loads the times of n trials, from `begin` on, into cells[n]. */
static ws_status
load_times(const wsi_recording *rec, mat_recording *s, wsi_mat_var *times, size_t begin,
           wsi_mat_var **cells, size_t n)
{
	for (size_t i = 0; i < n; ++i) {
		WSI_TRY(wsi_mat_cell(&s->file, times, begin + i, &cells[i]));
		if (!wsi_mat_is_numeric(cells[i]) || cells[i]->n != rec->channels[0].samples)
			return odd_field(rec, "a trial's time is not as long as the trial");
	}
	WSI_TRY(wsi_mat_load_together(&s->file, cells, n));
	for (size_t i = 0; i < n; ++i)
		WSI_TRY(wsi_mat_load(&s->file, cells[i]));
	return WS_OK;
}

/* Where trials begin, and the rate where fsample does not tell it. */
static ws_status
take_times(wsi_recording *rec, mat_recording *s)
{
	wsi_mat_var *times;
	const size_t begin = s->pick.one_trial ? s->pick.trial : 0;
	const size_t n = s->pick.one_trial ? 1 : s->pick.n;
	bool alike = true;
	double first = 0, fs = 0;
	WSI_TRY(cells_of(rec, s, "time", s->pick.one_trial ? 0 : n, &times));
	if (!times)
		return WS_OK;
	wsi_mat_var **cells = calloc(n, sizeof(wsi_mat_var *));
	ws_status status = cells ? load_times(rec, s, times, begin, cells, n)
	                         : WSI_FAIL(WS_E_NOMEM, "%s: no memory for its times", rec->path);
	for (size_t i = 0; i < n && status == WS_OK; ++i) {
		status = check_times(rec, &s->file, cells[i], begin + i);
		/* Without a rate, times count samples; --fs comes later. */
		fs = rec->fs_known ? rec->channels[0].fs : rec->opts.fs;
		const double at = wsi_mat_value(&s->file, cells[i], 0);
		first = i == 0 ? at : first;
		alike = alike && fabs(at - first) * fs < 0.5;
	}
	for (size_t i = 0; cells && i < n; ++i)
		wsi_mat_free(cells[i]);
	free(cells);
	wsi_mat_free(times);
	WSI_TRY(status);
	if (alike)
		rec->time_origin = rec->fs_known ? first : first * fs;
	return alike ? WS_OK : wsi_recording_add_note(rec, "%s: its trials begin at different "
	                                              "times; each is counted from its first "
	                                              "sample", rec->path);
}

static ws_status
take_fieldtrip(wsi_recording *rec, mat_recording *s)
{
	if (!s->pick.fieldtrip || rec->opts.masks)
		return WS_OK;
	WSI_TRY(take_texts(rec, s, "label", wsi_channel_set_name));
	WSI_TRY(take_texts(rec, s, "chanunit", wsi_channel_set_unit));
	return take_times(rec, s);
}

/* Of a result of ours what it tells of its signal. */
static ws_status
take_result(wsi_recording *rec, mat_recording *s)
{
	wsi_mat_var *v;
	char *text;
	double first = 0, known = 1;
	bool there;
	if (!s->pick.ours)
		return WS_OK;
	WSI_TRY(take_texts(rec, s, "channel_names", wsi_channel_set_name));
	WSI_TRY(take_texts(rec, s, "units", wsi_channel_set_unit));
	WSI_TRY(wsi_mat_scalar(&s->file, "fs_known", &known, &there));
	WSI_TRY(wsi_mat_scalar(&s->file, "first_time", &first, &there));
	WSI_TRY(wsi_mat_scalar(&s->file, "time_origin", &rec->time_origin, &there));
	WSI_TRY(wsi_mat_scalar(&s->file, "time_unit", &rec->time_unit, &there));
	rec->fs_known = rec->fs_known && known != 0;
	rec->time_origin += first;
	WSI_TRY(wsi_mat_find(&s->file, "provenance.dated", &v));
	rec->dated = v != NULL;
	wsi_mat_free(v);
	WSI_TRY(wsi_mat_find(&s->file, "start_time", &v));
	const ws_status status = wsi_mat_text(&s->file, v, 0, &text);
	if (status == WS_OK && text && strlen(text) < sizeof rec->start_time)
		strcpy(rec->start_time, text);
	free(text);
	wsi_mat_free(v);
	return status;
}

/* ---- The reader ---------------------------------------------------------------------- */

static ws_status
mat_open(wsi_recording *rec)
{
	mat_recording *s = rec->state;
	WSI_TRY(wsi_mat_open(&s->file, rec->path, rec->source, rec->opts.memory));
	rec->format = wsi_mat_format_name(&s->file);
	WSI_TRY(wsi_mat_pick_open(&s->pick, rec, &s->file));
	WSI_TRY(take_shape(rec, s));
	WSI_TRY(take_rate(rec, s));
	WSI_TRY(take_result(rec, s));
	return take_fieldtrip(rec, s);
}

static ws_status
mat_read(wsi_recording *rec, size_t epoch, size_t channel, size_t first, size_t count,
         double *out)
{
	mat_recording *s = rec->state;
	size_t start[3] = { 0 };
	start[3 - s->channel_axis - s->time_axis] = s->pick.n > 1 ? 0 : epoch;
	start[s->channel_axis] = rec->complex ? channel / 2 : channel;
	start[s->time_axis] = first;
	if (s->pick.n > 1)
		WSI_TRY(wsi_mat_load_together(&s->file, s->pick.arrays, s->pick.n));
	return wsi_mat_line(&s->file, s->pick.arrays[s->pick.n > 1 ? epoch : 0], start,
	                    s->time_axis, count, rec->complex ? (int)(channel % 2) : 0, out);
}

static void
mat_close(wsi_recording *rec)
{
	mat_recording *s = rec->state;
	wsi_mat_pick_close(&s->pick);
	wsi_mat_close(&s->file);
}

const wsi_reader wsi_reader_mat = {
	.name = "MAT", .state_bytes = sizeof(mat_recording), .probe = mat_probe, .open = mat_open,
	.read = mat_read, .close = mat_close, .foreign = true, .decoder = WSI_WIRE_RECORDING_MAT,
};
