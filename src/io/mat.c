/*
 * mat.c - recordings in MAT files of version 5 and 7.3: the array that
 * --variable names, or the only one.
 *
 * Of two dimensions the longer is time, be it x(channel,time) or
 * x(time,channel); three are x(channel,time,epoch), as EEGLAB has them.  The
 * rate is a variable of one value: fs, Fs, srate, sfreq, sampling_rate or
 * samplerate.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/mat_file.h"
#include "io/readers.h"
#include "io/wire.h"

typedef struct mat_recording {
	wsi_mat file;
	wsi_mat_var *data;
	int channel_axis, time_axis;
} mat_recording;

static int
mat_probe(const unsigned char *head, size_t n, const char *path)
{
	return wsi_mat_probe(head, n) ? 2 : wsi_name_ends(path, ".mat")
	       ? 1 + wsi_mat4_probe(head, n) : 0;
}

/* ---- Which array ------------------------------------------------------------------- */

static bool
is_array(const wsi_recording *rec, const wsi_mat_var *v)
{
	return (wsi_mat_is_numeric(v) || (rec->opts.masks && wsi_mat_is_complex(v)))
	       && (v->rank == 2 || v->rank == 3);
}

static bool
is_candidate(const wsi_recording *rec, const wsi_mat_var *v)
{
	return is_array(rec, v) && (v->dims[0] > 1 || v->dims[1] > 1);
}

static void
list_name(char *names, size_t size, const char *name)
{
	size_t n = strlen(names);
	snprintf(names + n, size - n, "%s%s", n ? ", " : "", name ? name : "?");
}

/* The only candidate; MATLAB users keep short vectors beside their data, so
 * several candidates are told, not guessed at. */
static ws_status
find_array(wsi_recording *rec, mat_recording *s)
{
	char names[512] = "";
	size_t found = 0;
	bool eeglab = false;
	for (size_t i = 0; i < s->file.n_vars; ++i) {
		wsi_mat_var *v;
		WSI_TRY(wsi_mat_variable(&s->file, i, &v));
		eeglab = eeglab || (v->class == WSI_MAT_STRUCT && v->name
		                    && strcmp(v->name, "EEG") == 0);
		if (is_candidate(rec, v)) {
			list_name(names, sizeof names, v->name);
			if (++found == 1)
				s->data = v;
		} else {
			/* That it is none, its checksum must confirm. */
			WSI_TRY(wsi_mat_verify(&s->file, v));
		}
	}
	if (found > 1)
		return WSI_FAIL(WS_E_FORMAT, "%s: holds several arrays; choose one with "
		                "--variable: %s", rec->path, names);
	if (found == 0 && eeglab)
		return WSI_FAIL(WS_E_FORMAT, "%s: holds an EEGLAB data set; name it .set",
		                rec->path);
	if (found == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: holds no array of real numbers of two or "
		                "three dimensions", rec->path);
	return WS_OK;
}

static ws_status
open_array(wsi_recording *rec, mat_recording *s)
{
	const char *name = rec->opts.variable;
	if (!name)
		return find_array(rec, s);
	WSI_TRY(wsi_mat_find(&s->file, name, &s->data));
	if (!s->data)
		return WSI_FAIL(WS_E_FORMAT, "%s: has no variable %s", rec->path, name);
	if (!is_array(rec, s->data))
		return WSI_FAIL(WS_E_FORMAT, "%s: variable %s is not an array of real "
		                "numbers of two or three dimensions; choose another "
		                "with --variable", rec->path, name);
	return WS_OK;
}

/* ---- The reader ---------------------------------------------------------------------- */

static ws_status
take_shape(wsi_recording *rec, mat_recording *s)
{
	const size_t *dims = s->data->dims;
	WSI_TRY(wsi_mat_check(&s->file, s->data));
	WSI_TRY(wsi_mat_fits(&s->file, s->data));
	rec->held = wsi_mat_held(&s->file, s->data);
	/* Masks are rows; a column is one mask. */
	s->channel_axis = s->data->rank == 2 && (rec->opts.masks ? dims[1] == 1
	                                         : dims[0] > dims[1]);
	s->time_axis = !s->channel_axis;
	rec->epochs = s->data->rank == 3 ? dims[2] : 0;
	rec->complex = s->data->complex;
	WSI_TRY(wsi_recording_set_channels(rec, dims[s->channel_axis] * (rec->complex ? 2 : 1)));
	for (size_t i = 0; i < rec->n_channels; ++i)
		rec->channels[i].samples = dims[s->time_axis];
	return s->channel_axis && !rec->opts.masks ? wsi_recording_note_turned(rec) : WS_OK;
}

/* A rate that is told: of what is none, --fs is asked for. */
static ws_status
read_rate(wsi_recording *rec, mat_recording *s, const char *name, wsi_mat_var *v)
{
	double fs = 0;
	bool there;
	if (wsi_mat_is_numeric(v) && v->n == 1)
		WSI_TRY(wsi_mat_number(&s->file, v, &fs, &there));
	if (!(fs > 0) || !isfinite(fs))
		return WSI_FAIL(WS_E_FORMAT, "%s: its %s is no sampling rate; give the true one "
		                "with --fs", rec->path, name);
	for (size_t c = 0; c < rec->n_channels; ++c)
		rec->channels[c].fs = fs;
	rec->fs_known = true;
	return WS_OK;
}

static ws_status
take_rate(wsi_recording *rec, mat_recording *s)
{
	static const char *const names[] = { "fs", "Fs", "srate", "sfreq", "sampling_rate",
	                                     "samplerate" };
	const bool wanted = rec->opts.fs == 0 && !rec->opts.masks;
	const size_t n = wanted ? sizeof names / sizeof *names : 0;
	for (size_t i = 0; i < n && !rec->fs_known; ++i) {
		wsi_mat_var *v;
		WSI_TRY(wsi_mat_find(&s->file, names[i], &v));
		/* MATLAB's [] is nothing, and the signal itself may have such a name. */
		if (!v || v == s->data || (v->n == 0 && v->class != WSI_MAT_OTHER))
			continue;
		WSI_TRY(read_rate(rec, s, names[i], v));
	}
	return WS_OK;
}

static ws_status
mat_open(wsi_recording *rec)
{
	mat_recording *s = calloc(1, sizeof *s);
	if (!s)
		return WSI_FAIL(WS_E_NOMEM, "%s: out of memory", rec->path);
	rec->state = s;
	WSI_TRY(wsi_mat_open(&s->file, rec->path, rec->source, rec->opts.memory));
	rec->format = wsi_mat_format_name(&s->file);
	WSI_TRY(open_array(rec, s));
	WSI_TRY(take_shape(rec, s));
	return take_rate(rec, s);
}

static ws_status
mat_read(wsi_recording *rec, size_t epoch, size_t channel, size_t first, size_t count,
         double *out)
{
	mat_recording *s = rec->state;
	size_t start[3] = { 0, 0, epoch };
	start[s->channel_axis] = rec->complex ? channel / 2 : channel;
	start[s->time_axis] = first;
	return wsi_mat_line(&s->file, s->data, start, s->time_axis, count,
	                    rec->complex ? (int)(channel % 2) : 0, out);
}

static void
mat_close(wsi_recording *rec)
{
	mat_recording *s = rec->state;
	if (!s)
		return;
	wsi_mat_free(s->data);
	wsi_mat_close(&s->file);
	free(s);
}

const wsi_reader wsi_reader_mat = {
	.name = "MAT", .probe = mat_probe, .open = mat_open, .read = mat_read, .close = mat_close,
	.foreign = true, .decoder = WSI_WIRE_RECORDING_MAT,
};
