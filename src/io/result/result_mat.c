/*
 * result_mat.c - modes of a MAT file: ours, or an array that other tools
 * wrote: modes(mode,time) or modes(channel,mode,time), with the variable
 * residue(channel,time) or else with the residue as the last mode.
 */
#include <stdlib.h>
#include <string.h>

#include "io/read/mat_file.h"
#include "io/result/result_format.h"

typedef struct mat_result {
	wsi_mat file;
	char *path;
	wsi_mat_var *modes, *residue, *signal;  /* residue, signal: or NULL */
	int rank;                            /* of the modes */
	bool time_first;                     /* modes(time,mode) */
	size_t rows;                         /* of the mode axis, as stored */
} mat_result;

/* The variable called modes, else the only array with several rows. */
static ws_status
find_modes(mat_result *s)
{
	size_t found = 0;
	WSI_TRY(wsi_mat_find(&s->file, "modes", &s->modes));
	for (size_t i = 0; i < s->file.n_vars && !(found == 0 && s->modes); ++i) {
		wsi_mat_var *v;
		WSI_TRY(wsi_mat_variable(&s->file, i, &v));
		if (wsi_mat_is_numeric(v) && v->rank >= 2 && v->rank <= 4 && v->dims[0] > 1
		    && v->dims[1] > 1 && ++found == 1)
			s->modes = v;
	}
	if (s->modes && found <= 1)
		return WS_OK;
	return WSI_FAIL(WS_E_FORMAT, "%s: has no variable named modes and %s other array of modes; "
	                "name it modes (results that are no modes are drawn from .h5)", s->path,
	                found ? "more than one" : "no");
}

/* False where v is not an array of [..][time] beside the modes; a column
 * beside modes(time,mode). */
static bool
matches(const wsi_result *r, const mat_result *s, const wsi_mat_var *v)
{
	int i = 0;
	if (s->time_first)
		return wsi_mat_is_numeric(v) && v->rank == 2 && v->dims[0] == r->samples
		       && v->dims[1] == 1;
	if (!wsi_mat_is_numeric(v) || v->rank != (r->epochs ? 3 : 2))
		return false;
	if (r->epochs && v->dims[i++] != r->epochs)
		return false;
	return v->dims[i] == r->channels && v->dims[i + 1] == r->samples;
}

/* Is the file as we wrote it?  Then its last array is `units`. */
static bool
is_ours(const mat_result *s)
{
	return strstr(s->file.head, "Created by: wavesift") != NULL;
}

/* What is there and does not go with the modes: of a file of ours it is damaged, in others it may
 * be anything. */
static ws_status
leave_out(const mat_result *s, const char *name)
{
	if (!is_ours(s))
		return WS_OK;
	return WSI_FAIL(WS_E_FORMAT, "%s: damaged: %s does not match modes", s->path, name);
}

static ws_status
find_rows(const wsi_result *r, mat_result *s, const char *name, wsi_mat_var **rows)
{
	WSI_TRY(wsi_mat_find(&s->file, name, rows));
	if (!*rows || matches(r, s, *rows))
		return WS_OK;
	wsi_mat_free(*rows);
	*rows = NULL;
	return leave_out(s, name);
}

static ws_status
take_shape(wsi_result *r, mat_result *s)
{
	const wsi_mat_var *v = s->modes;
	size_t dims[4] = { 0 };
	bool empty = v->class == WSI_MAT_NUMBER && v->rank >= 2 && v->rank <= 4
	             && v->dims[v->rank - 2] == 0;
	if (v->rank < 2 || v->rank > 4 || (!empty && !wsi_mat_is_numeric(v)))
		return WSI_FAIL(WS_E_FORMAT, "%s: modes is not an array of real numbers "
		                "modes(channel,mode,time)", s->path);
	WSI_TRY(wsi_mat_check(&s->file, v));
	s->rank = v->rank;
	for (int i = 0; i < s->rank; ++i)
		dims[i] = v->dims[i];
	/* MATLAB's own emd answers imf(time,mode). */
	s->time_first = s->rank == 2 && dims[0] > dims[1];
	if (s->time_first) {
		dims[0] = v->dims[1];
		dims[1] = v->dims[0];
	}
	s->rows = dims[s->rank - 2];
	WSI_TRY(wsi_result_set_shape(r, s->path, s->rank, dims));
	WSI_TRY(find_rows(r, s, "residue", &s->residue));
	WSI_TRY(find_rows(r, s, "signal", &s->signal));
	r->has_signal = s->signal != NULL;
	if (s->residue)
		return WS_OK;
	if (s->rows == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: modes is empty and there is no residue", s->path);
	r->max_modes--;
	for (size_t i = 0; i < (r->epochs ? r->epochs : 1) * r->channels; ++i)
		r->mode_count[i]--;
	return WS_OK;
}

/* mode_count(epoch,channel): the first index is fastest. */
static ws_status
read_counts(wsi_result *r, mat_result *s)
{
	size_t epochs = r->epochs ? r->epochs : 1;
	wsi_mat_var *v;
	WSI_TRY(wsi_mat_find(&s->file, "mode_count", &v));
	if (!v)
		return WS_OK;
	ws_status status = WS_OK;
	if (wsi_mat_is_numeric(v) && v->rank == 2 && v->dims[0] == epochs
	    && v->dims[1] == r->channels) {
		status = wsi_mat_load(&s->file, v);
		for (size_t i = 0; status == WS_OK && i < epochs * r->channels; ++i) {
			double count = wsi_mat_value(&s->file, v, i);
			/* What is no count becomes one that the check after us refuses. */
			r->mode_count[i % epochs * r->channels + i / epochs] =
				count >= 0 && count <= (double)r->max_modes ? (int32_t)count : -1;
		}
	} else {
		status = leave_out(s, "mode_count");
	}
	wsi_mat_free(v);
	return status;
}

/* epoch(1,epoch). */
static ws_status
read_epochs(wsi_result *r, mat_result *s)
{
	wsi_mat_var *v = NULL;
	if (r->epochs)
		WSI_TRY(wsi_mat_find(&s->file, "epoch", &v));
	if (!v)
		return WS_OK;
	if (!wsi_mat_is_numeric(v) || v->rank != 2 || v->dims[0] != 1 || v->dims[1] != r->epochs) {
		wsi_mat_free(v);
		return leave_out(s, "epoch");
	}
	ws_status status = wsi_mat_load(&s->file, v);
	int32_t *numbers = status == WS_OK ? calloc(r->epochs, sizeof *numbers) : NULL;
	if (status == WS_OK && !numbers)
		status = WSI_FAIL(WS_E_NOMEM, "%s: no memory for %zu epochs", s->path, r->epochs);
	for (size_t i = 0; numbers && i < r->epochs; ++i) {
		double number = wsi_mat_value(&s->file, v, i);
		numbers[i] = number >= 1 && number <= WSI_MOST_EPOCHS ? (int32_t)number : 0;
	}
	wsi_mat_free(v);
	wsi_result_take_epochs(r, numbers);
	return status;
}

/* A cell of as many texts as there are channels; whether there is one. */
static ws_status
read_texts(const wsi_result *r, mat_result *s, const char *name, char **texts, bool *found)
{
	wsi_mat_var *v;
	*found = false;
	WSI_TRY(wsi_mat_find(&s->file, name, &v));
	if (!v)
		return WS_OK;
	if (v->class != WSI_MAT_CELL || v->rank != 2 || v->dims[0] != 1
	    || v->dims[1] != r->channels) {
		wsi_mat_free(v);
		return leave_out(s, name);
	}
	ws_status status = WS_OK;
	for (size_t i = 0; i < r->channels && status == WS_OK; ++i) {
		wsi_mat_var *cell;
		char *text = NULL;
		status = wsi_mat_cell(&s->file, v, i, &cell);
		if (status == WS_OK)
			status = wsi_mat_text(&s->file, cell, 0, &text);
		if (status == WS_OK && !text)
			status = leave_out(s, name);
		if (text) {
			free(texts[i]);
			texts[i] = text;
		}
		wsi_mat_free(cell);
	}
	wsi_mat_free(v);
	*found = true;
	return status;
}

static ws_status
read_start_time(wsi_result *r, mat_result *s)
{
	wsi_mat_var *v;
	char *text;
	WSI_TRY(wsi_mat_find(&s->file, "start_time", &v));
	ws_status status = wsi_mat_text(&s->file, v, 0, &text);
	if (status == WS_OK && v && v->n > 0 && (!text || strlen(text) >= sizeof r->start_time))
		status = leave_out(s, "start_time");
	else if (status == WS_OK && text)
		strcpy(r->start_time, text);
	free(text);
	wsi_mat_free(v);
	return status;
}

static ws_status
read_facts(wsi_result *r, mat_result *s)
{
	double known = 1;
	bool there;
	WSI_TRY(wsi_mat_scalar(&s->file, "fs", &r->fs, &r->fs_known));
	WSI_TRY(wsi_mat_scalar(&s->file, "fs_known", &known, &there));
	if (there && known == 0)
		r->fs_known = false;
	WSI_TRY(wsi_mat_scalar(&s->file, "first_time", &r->first_time, &r->timed));
	WSI_TRY(wsi_mat_scalar(&s->file, "time_origin", &r->time_origin, &there));
	WSI_TRY(wsi_mat_scalar(&s->file, "time_unit", &r->time_unit, &there));
	WSI_TRY(read_start_time(r, s));
	WSI_TRY(read_texts(r, s, "channel_names", r->channel_names, &r->named));
	WSI_TRY(read_texts(r, s, "units", r->units, &there));
	if (!there && is_ours(s))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: it was cut off before its last array",
		                s->path);
	return WS_OK;
}

static ws_status
mat_open(wsi_result *r, const char *path, const char *source, size_t memory, void **own)
{
	mat_result *s = calloc(1, sizeof *s);
	if (!s)
		return WSI_FAIL(WS_E_NOMEM, "%s: out of memory", path);
	*own = s;
	s->path = wsi_strdup(path);
	if (!s->path)
		return WSI_FAIL(WS_E_NOMEM, "%s: out of memory", path);
	WSI_TRY(wsi_mat_open(&s->file, s->path, source, memory));
	WSI_TRY(find_modes(s));
	WSI_TRY(take_shape(r, s));
	WSI_TRY(read_counts(r, s));
	WSI_TRY(read_epochs(r, s));
	return read_facts(r, s);
}

static ws_status
mat_read(void *own, size_t epoch, size_t channel, size_t row, size_t first, size_t count,
         double *out)
{
	mat_result *s = own;
	wsi_mat_var *v = row == WSI_ROW_SIGNAL ? s->signal : row == WSI_ROW_RESIDUE ? s->residue
	              : s->modes;
	if (!v) {
		v = s->modes;
		row = s->rows - 1;
	}
	size_t start[4];
	int rank = 0;
	if (s->rank == 4)
		start[rank++] = epoch;
	if (v != s->modes || s->rank >= 3)
		start[rank++] = channel;
	if (v == s->modes)
		start[rank++] = row;
	start[rank++] = first;
	if (s->time_first) {
		start[0] = first;
		start[1] = v == s->modes ? row : 0;
		return wsi_mat_line(&s->file, v, start, 0, count, 0, out);
	}
	return wsi_mat_line(&s->file, v, start, rank - 1, count, 0, out);
}

static void
mat_close(void *own)
{
	mat_result *s = own;
	if (!s)
		return;
	wsi_mat_free(s->modes);
	wsi_mat_free(s->residue);
	wsi_mat_free(s->signal);
	wsi_mat_close(&s->file);
	free(s->path);
	free(s);
}

const wsi_result_format wsi_result_mat = { mat_open, mat_read, mat_close };
