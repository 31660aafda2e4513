/* redraw_arrays.c - the arrays of a result on disk as a run declares them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/element.h"
#include "base/new.h"
#include "io/result/result.h"
#include "plot/look.h"
#include "redraw_arrays.h"

#define MOST_OCTAVES 32

/* ---- Memory and elements --------------------------------------------------------------------- */

ws_status
cli_redraw_damaged(const cli_redrawing *s, const char *name, const char *what)
{
	return WSI_FAIL(WS_E_FORMAT, "%s: damaged: %s %s", s->in.rec->path, name, what);
}

ws_status
cli_redraw_take(cli_redrawing *s, double bytes)
{
	if (bytes > (double)(s->memory - s->used))
		return WSI_FAIL(WS_E_NOMEM, "%s: its picture takes more memory than --memory "
		                "leaves; draw fewer channels (--channels), or give more",
		                s->in.rec->path);
	s->used += (size_t)bytes;
	return WS_OK;
}

ws_status
cli_redraw_elements(cli_redrawing *s, const wsi_stored_array *a, size_t at, size_t count,
                    double *out)
{
	const size_t length = wsi_stored_length(a);
	for (size_t done = 0, n; done < count; done += n, at += n) {
		const size_t left = length - at % length;
		n = count - done < left ? count - done : left;
		WSI_TRY(wsi_arrays_read(s->in.rec, a, 0, at / length, at % length, n, out + done));
	}
	return WS_OK;
}

/* ---- Axes ------------------------------------------------------------------------------------ */

/* The axis of a kind of an array, of so many values: its own, or, not of octaves, a shared one;
 * NULL: the file has none. */
static const wsi_stored_array *
axis_of(const cli_redrawing *s, const ws_array *a, const char *kind, size_t extent)
{
	char own[64];
	snprintf(own, sizeof own, "%.48s_%s", a->name, kind);
	const char *const names[] = { own, kind, WSI_COARSE_TIME };
	const int n = a->flags & WS_ARRAY_OWN_AXES ? 1 : strcmp(kind, "time") == 0 ? 3 : 2;
	for (int i = 0; i < n; i++) {
		const wsi_stored_array *axis = wsi_arrays_find(s->in.rec, names[i]);
		if (axis && axis->rank == 1 && axis->extent[0] == extent)
			return axis;
	}
	return NULL;
}

/* Frequencies, or what else is in Hz, or scales of masks: above 0, as axes have a logarithm; a
 * modulation may be 0. */
static ws_status
take_values(cli_redrawing *s, int i, int k, const char *kind)
{
	const ws_array *a = &s->outputs.arrays[i];
	const wsi_stored_array *axis = axis_of(s, a, kind, a->extent[k]);
	if (!axis)
		return cli_redraw_damaged(s, a->name, "has no axis of its frequencies, or scales");
	WSI_TRY(cli_redraw_take(s, 8.0 * (double)a->extent[k]));
	double *values;
	WSI_NEW(values, a->extent[k] + 1, "%s: no memory for its axes", s->in.rec->path);
	s->outputs.axes[i * WS_MOST_AXES + k] = values;
	WSI_TRY(wsi_arrays_read(s->in.rec, axis, 0, 0, 0, a->extent[k], values));
	for (size_t f = 0; f < a->extent[k]; f++)
		if (!(isfinite(values[f]) && (values[f] > 0 || (values[f] == 0 && k > 1))))
			return cli_redraw_damaged(s, axis->name,
			                          "holds what is no frequency, or scale");
	return WS_OK;
}

/* Samples from one output of an array to the next. */
static ws_status
step_of(cli_redrawing *s, const ws_array *a, size_t outputs, size_t *every)
{
	const wsi_recording *rec = s->in.rec;
	const size_t samples = rec->channels[0].samples;
	const wsi_stored_array *axis = axis_of(s, a, "time", outputs);
	double first, second;
	*every = (samples + outputs - 1) / outputs;
	if (outputs < 2)
		*every = samples;
	if (axis && outputs > 1) {
		WSI_TRY(wsi_arrays_read(s->in.rec, axis, 0, 0, 0, 1, &first));
		WSI_TRY(wsi_arrays_read(s->in.rec, axis, 0, 0, 1, 1, &second));
		const double step = floor((second - first) * s->in.fs + 0.5);
		if (step >= 1 && step <= (double)samples)
			*every = (size_t)step;
	}
	return (samples + *every - 1) / *every == outputs ? WS_OK
	       : cli_redraw_damaged(s, a->name, "has other times than its signals");
}

/* The outputs between the first sample that is drawn and the last; of octaves one more at either
 * side, between which others lie. */
static ws_status
cut_time(cli_redrawing *s, int i)
{
	ws_array *a = &s->outputs.arrays[i];
	size_t *extent = &a->extent[a->rank - 1], every;
	const size_t outputs = *extent, end = s->in.first + s->in.samples;
	if (outputs == 0)
		return WS_OK;
	WSI_TRY(step_of(s, a, outputs, &every));
	const bool own = a->flags & WS_ARRAY_OWN_AXES;
	size_t first = own ? s->in.first / every : (s->in.first + every - 1) / every;
	size_t last = (end + every - 1) / every + own;
	last = last < outputs ? last : outputs;
	if (first >= last)
		return WSI_FAIL(WS_E_ARG, "%s: %s has no output between these times; give others "
		                "(--from, --to)", s->in.rec->path, a->name);
	s->outputs.every[i * WS_MOST_AXES + a->rank - 1] = every;
	s->arrays[i].skipped = first;
	*extent = last - first;
	return WS_OK;
}

/* What describes bands has one number for each. */
static ws_status
check_band(const cli_redrawing *s, const ws_array *a)
{
	const wsi_stored_array *axis = wsi_arrays_find(s->in.rec, "band");
	return axis && axis->rank == 1 && axis->extent[0] == a->extent[0] ? WS_OK
	       : cli_redraw_damaged(s, a->name, "is of other bands");
}

static ws_status
take_axes(cli_redrawing *s, int i)
{
	ws_array *a = &s->outputs.arrays[i];
	for (int k = 0; k < a->rank; k++) {
		/* Axes of arrays without channels are those of others. */
		if ((wsi_axis_in_hz(a->axis[k]) || a->axis[k] == WS_AXIS_MASK) && k > 0)
			WSI_TRY(take_values(s, i, k, wsi_axis_name(a->axis[k])));
		if (a->axis[k] == WS_AXIS_BAND && k == 0)
			WSI_TRY(check_band(s, a));
		if (a->axis[k] == WS_AXIS_TIME)
			WSI_TRY(cut_time(s, i));
		if (a->axis[k] != WS_AXIS_MODE)
			continue;
		if (s->modes != SIZE_MAX && s->modes != a->extent[k])
			return cli_redraw_damaged(s, a->name, "has other modes than others");
		s->modes = a->extent[k];
	}
	const bool signal = a->flags & WS_ARRAY_SIGNAL;
	if (s->arrays[i].drawn && (a->type == WS_I32 || (signal && wsi_type_complex(a->type))))
		return cli_redraw_damaged(s, a->name, "has not the numbers that it must have");
	return !signal || a->extent[1] == s->in.samples ? WS_OK
	       : cli_redraw_damaged(s, a->name, "has other times than its samples");
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

/* Has the file's array the axes that this one has, and before them epochs and channels? */
static ws_status
take_shape(cli_redrawing *s, int i, const wsi_stored_array *from)
{
	ws_array *a = &s->outputs.arrays[i];
	const wsi_recording *rec = s->in.rec;
	const bool own = a->axis[0] == WS_AXIS_CHANNEL;
	const int epochs = own && rec->epochs ? 1 : 0;
	bool good = from->rank == a->rank + epochs && (!epochs || from->extent[0] == rec->epochs);
	for (int k = 0; good && k < a->rank; k++) {
		a->extent[k] = from->extent[k + epochs];
		good = (a->axis[k] != WS_AXIS_CHANNEL && a->axis[k] != WS_AXIS_PARTNER)
		       || a->extent[k] == rec->n_channels;
	}
	return good ? WS_OK : cli_redraw_damaged(s, a->name, "has not the shape that it must have");
}

/* What has no time is small, and kept whole. */
static ws_status
take_small(cli_redrawing *s, int i)
{
	ws_array *a = &s->outputs.arrays[i];
	cli_redrawn *r = &s->arrays[i];
	double bytes = sizeof(double);
	r->count = 1;
	for (int k = a->axis[0] == WS_AXIS_CHANNEL; k < a->rank; k++) {
		bytes *= (double)a->extent[k];
		r->count *= a->extent[k];
	}
	WSI_TRY(cli_redraw_take(s, bytes));
	r->data = wsi_kept_new(&s->kept, r->count, sizeof(double));
	a->type = a->flags & WS_ARRAY_COUNT ? WS_I32 : WS_F64;
	return r->data ? WS_OK : WSI_FAIL(WS_E_NOMEM, "%s: no memory for %s", s->in.rec->path,
	                                  a->name);
}

static bool
is_timed(const ws_array *a)
{
	return a->rank > 0 && a->axis[a->rank - 1] == WS_AXIS_TIME;
}

/* Do pictures of results look at an array?  At signals, at what they draw in colours or as rows of
 * bands, at lines over colours, and at what has no time and is small.  How long masks of a file are
 * the result does not tell. */
static bool
is_looked_at(const wsi_recording *rec, const ws_array *a)
{
	return a->flags & WS_ARRAY_SIGNAL || !is_timed(a) || wsi_look_of_lines(a)
	       || (a->flags & WS_ARRAY_MAIN && a->rank > 2
	           && (a->axis[1] == WS_AXIS_BAND || wsi_axis_in_hz(a->axis[a->rank - 2])
	               || (a->axis[1] == WS_AXIS_MASK && !*wsi_arrays_fact(rec, "masks"))));
}

/* Gives the file's array of a name its place, as the transform declares it; what the file lacks
 * keeps a place without extent. */
static ws_status
take(cli_redrawing *s, const ws_array *declared, const char *name, unsigned flags)
{
	const wsi_stored_array *from =
		is_looked_at(s->in.rec, declared) ? wsi_arrays_find(s->in.rec, name) : NULL;
	const int i = s->outputs.n++;
	ws_array *a = &s->outputs.arrays[i];
	*a = *declared;
	a->flags |= flags;
	s->arrays[i].timed = is_timed(a);
	s->arrays[i].drawn = s->arrays[i].timed && a->flags & (WS_ARRAY_MAIN | WS_ARRAY_SIGNAL);
	if (!from)
		return WS_OK;
	a->name = from->name;
	a->type = from->type;
	s->arrays[i].from = from;
	WSI_TRY(take_shape(s, i, from));
	WSI_TRY(take_axes(s, i));
	return s->arrays[i].timed ? WS_OK : take_small(s, i);
}

static ws_status
take_octaves(cli_redrawing *s, const ws_array *declared)
{
	char name[40];
	for (int octave = 1; octave <= MOST_OCTAVES; octave++) {
		snprintf(name, sizeof name, "%s_%d", declared->name, octave);
		if (wsi_arrays_find(s->in.rec, name))
			WSI_TRY(take(s, declared, name, WS_ARRAY_OWN_AXES));
	}
	return WS_OK;
}

/* That about averages over epochs, whose rows are drawn. */
static ws_status
take_interval(cli_redrawing *s, const ws_array *declared)
{
	const int i = s->outputs.n;
	char name[80];
	snprintf(name, sizeof name, "%.60s" WSI_INTERVAL, declared->name);
	if (!is_timed(declared) || !wsi_arrays_find(s->in.rec, name))
		return WS_OK;
	WSI_TRY(take(s, declared, name, 0));
	s->outputs.arrays[i].flags = WSI_ARRAY_INTERVAL;
	return WS_OK;
}

ws_status
cli_redraw_outputs(cli_redrawing *s)
{
	const ws_transform *t = s->args.command.transform;
	ws_array a = { .size = sizeof a };
	size_t n = 0;
	while (ws_transform_array(t, (int)n, &a) == WS_OK)
		n++;
	const size_t most = n * (2 + MOST_OCTAVES);
	cli_outputs *o = &s->outputs;
	o->fs = s->in.fs;
	o->arrays = calloc(most, sizeof *o->arrays);
	o->axes = calloc(most * WS_MOST_AXES, sizeof *o->axes);
	o->every = calloc(most * WS_MOST_AXES, sizeof *o->every);
	s->arrays = wsi_kept_new(&s->kept, most, sizeof *s->arrays);
	s->slabs = wsi_kept_new(&s->kept, most, sizeof *s->slabs);
	if (!o->arrays || !o->axes || !o->every || !s->arrays || !s->slabs)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for its arrays", s->in.rec->path);
	s->modes = SIZE_MAX;
	for (size_t k = 0; k < n; k++) {
		WSI_TRY(ws_transform_array(t, (int)k, &a));
		WSI_TRY(take(s, &a, a.name, 0));
	}
	for (size_t k = 0; k < n; k++) {
		WSI_TRY(ws_transform_array(t, (int)k, &a));
		if (a.flags & WS_ARRAY_MAIN)
			WSI_TRY(take_octaves(s, &a));
		WSI_TRY(take_interval(s, &a));
	}
	return WS_OK;
}
