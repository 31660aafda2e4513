/* writer_arrays.c - the arrays of a result as files have them, and the axes that they share. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/read/times.h"
#include "io/result/array_list.h"
#include "io/write/writer_format.h"

/* By ws_axis; of no axis: epochs. */
static const char *const axis_names[] = {
	"epoch", "channel", "mode", "frequency", "time", "mask", "band", "partner",
	"modulation", "cell",
};
enum { AXIS_KINDS = sizeof axis_names / sizeof *axis_names };

const char *
wsi_axis_name(ws_axis axis)
{
	return (int)axis < AXIS_KINDS ? axis_names[axis] : "axis";
}

bool
wsi_axis_in_hz(ws_axis axis)
{
	return axis == WS_AXIS_FREQUENCY || axis == WS_AXIS_BAND || axis == WS_AXIS_MODULATION;
}

/* ---- Axes -------------------------------------------------------------------- */

/* What an axis holds where nobody gives values. */
static double
plain_value(const wsi_writer *w, ws_axis kind, size_t i)
{
	return kind == WS_AXIS_TIME ? (double)i / w->header.fs : (double)(i + 1);
}

double
wsi_axis_value(const wsi_writer *w, const wsi_file_axis *axis, size_t i)
{
	const wsi_result_header *h = &w->header;
	if (axis->kind == WS_AXIS_NONE)
		return h->epoch_numbers[i];
	const double value = axis->values ? axis->values[i]
	                     : plain_value(w, axis->kind, axis->every ? i * axis->every : i);
	const double time = h->time_origin + h->first_time + value;
	return axis->days ? (double)wsi_day_of_month(time) : axis->kind == WS_AXIS_TIME
	        ? time : value;
}

const char *
wsi_header_time_units(const wsi_result_header *h, char text[WSI_TIME_UNITS])
{
	text[0] = '\0';
	if (h->fs_known && h->start_time[0])
		snprintf(text, WSI_TIME_UNITS, "seconds since %.39s", h->start_time);
	return text;
}

bool
wsi_axis_steps_by_months(const wsi_writer *w, const wsi_file_axis *axis)
{
	const wsi_result_header *h = &w->header;
	return axis->kind == WS_AXIS_TIME && h->fs_known && !h->epochs && !h->start_time[0]
	       && wsi_steps_by_months(h->fs, h->time_unit);
}

wsi_file_axis
wsi_axis_of_days(const wsi_file_axis *axis)
{
	wsi_file_axis days = *axis;
	days.days = true;
	const int before = (int)(strlen(axis->name) - strlen("time"));
	snprintf(days.name, sizeof days.name, "%.*sdate", before, axis->name);
	return days;
}

/* Frequencies are told, be they 1, 2, 3 Hz. */
static bool
is_plain(const wsi_writer *w, ws_axis kind, size_t extent, const double *values)
{
	if (values && wsi_axis_in_hz(kind))
		return false;
	const double near = kind == WS_AXIS_TIME ? 1e-6 / w->header.fs : 0;
	for (size_t i = 0; values && i < extent; ++i)
		if (!(fabs(values[i] - plain_value(w, kind, i)) <= near))
			return false;
	return true;
}

static bool
name_taken(const wsi_writer *w, const char *name)
{
	for (size_t i = 0; i < w->n_axes; ++i)
		if (strcmp(w->axes[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < w->n_arrays; ++i)
		if (strcmp(w->arrays[i].made.name, name) == 0)
			return true;
	return false;
}

/* "time", of fewer moments "coarse_time", and "power_3_time" where the array has it alone. */
static void
name_axis(const wsi_writer *w, wsi_file_axis *a, const ws_array *array)
{
	const char *kind = axis_names[a->kind];
	const bool own = array && array->flags & WS_ARRAY_OWN_AXES;
	snprintf(a->name, sizeof a->name, "%s", kind);
	if (!own && a->kind == WS_AXIS_TIME && name_taken(w, a->name))
		snprintf(a->name, sizeof a->name, "%s", WSI_COARSE_TIME);
	if (array && (own || name_taken(w, a->name)))
		snprintf(a->name, sizeof a->name, "%.48s_%s", array->name, kind);
}

/* The axis of the file that is such, made where there is none.  There is room for it.  array: what
 * it is found for; NULL: for all that have epochs, or channels. */
static ws_status
find_axis(wsi_writer *w, ws_axis kind, size_t extent, const double *values, size_t every,
          const ws_array *array, const wsi_file_axis **axis)
{
	const bool own = array && array->flags & WS_ARRAY_OWN_AXES;
	if (own && kind == WS_AXIS_TIME && !every)
		every = 1;
	if (is_plain(w, kind, extent, values) && !own)
		values = NULL;
	for (size_t i = 0; i < w->n_axes && !own; ++i) {
		const wsi_file_axis *a = *axis = &w->axes[i];
		if (a->kind == kind && a->extent == extent && !a->values == !values
		    && a->every == every
		    && (!values || memcmp(a->values, values, extent * sizeof *values) == 0))
			return WS_OK;
	}
	wsi_file_axis *a = &w->axes[w->n_axes];
	*a = (wsi_file_axis){ .kind = kind, .extent = extent, .every = values ? 0 : every };
	name_axis(w, a, array);
	*axis = a;
	w->n_axes++;
	if (!values)
		return WS_OK;
	a->values = wsi_kept_new(&w->kept, extent, sizeof *values);
	WSI_HAVE(a->values, "%s: out of memory", w->path);
	memcpy(a->values, values, extent * sizeof *values);
	return WS_OK;
}

/* ---- Arrays ------------------------------------------------------------------- */

/* What is made in the type of the samples, and has a time axis, is stored in the type asked for. */
static ws_type
stored_type(const wsi_result_header *h, const ws_array *a)
{
	if (a->axis[a->rank - 1] != WS_AXIS_TIME || wsi_type_part(a->type) != h->type)
		return a->type;
	return !wsi_type_complex(a->type) ? h->store : h->store == WS_F32 ? WS_C64 : WS_C128;
}

static ws_status
check_array(const wsi_writer *w, const ws_array *a)
{
	const bool shared = a->axis[0] != WS_AXIS_CHANNEL;
	bool good = a->rank >= 1 && a->rank + shared <= WS_MOST_AXES
	            && (shared || a->extent[0] == w->n_entries);
	for (int i = !shared; good && i < a->rank; ++i)
		good = a->axis[i] > WS_AXIS_CHANNEL && (int)a->axis[i] < AXIS_KINDS
		       && (a->axis[i] == WS_AXIS_MODE || a->extent[i] > 0);
	return good ? WS_OK
	       : WSI_FAIL(WS_E_ARG, "%s: %s is not an array of %zu channels", w->path, a->name,
	                  w->n_entries);
}

/* values, every: of each axis.  Adds to *bytes what all channels have. */
static ws_status
take_array(wsi_writer *w, wsi_file_array *a, const double *const *values, const size_t *every,
           uint64_t *bytes)
{
	const wsi_result_header *h = &w->header;
	const ws_array *made = &a->made;
	uint64_t all;
	a->type = stored_type(h, made);
	a->bytes = wsi_type_size(a->type);
	if (h->epochs && !a->shared)
		WSI_TRY(find_axis(w, WS_AXIS_NONE, h->epochs, NULL, 0, NULL, &a->axes[a->rank++]));
	if (!a->shared)
		WSI_TRY(find_axis(w, WS_AXIS_CHANNEL, h->channels, NULL, 0, NULL,
		                  &a->axes[a->rank++]));
	bool beyond = false;
	for (int i = 1; i < made->rank; ++i)
		beyond |= __builtin_mul_overflow(a->bytes, made->extent[i], &a->bytes);
	beyond |= __builtin_mul_overflow(a->bytes, made->extent[0], &all);
	beyond |= __builtin_add_overflow(*bytes, all, bytes);
	if (beyond || *bytes > INT64_MAX)
		return WSI_FAIL(WS_E_ARG, "%s: the array %s of %zu channels and %zu samples is "
		                "beyond any file", w->path, made->name, made->extent[0],
		                h->samples);
	for (int i = 1; i < made->rank; ++i)
		WSI_TRY(find_axis(w, made->axis[i], made->extent[i],
		                  values ? values[i - a->shared] : NULL,
		                  every ? every[i - a->shared] : 0, made,
		                  &a->axes[a->rank++]));
	return WS_OK;
}

/* Do the options of this run make it?  What a transform always makes may have no mode. */
static bool
is_made(const ws_array *a)
{
	const bool always = !(a->flags & WS_ARRAY_OPTIONAL);
	bool made = !(a->flags & WS_ARRAY_REPORT);
	for (int i = 0; i < a->rank; ++i)
		made = made && (a->extent[i] > 0 || (always && a->axis[i] == WS_AXIS_MODE));
	return made;
}

/* Gives an array that all channels share the channel axis that others have. */
static void
add_channel_axis(ws_array *a, size_t entries)
{
	for (int i = a->rank++; i > 0; --i) {
		a->axis[i] = a->axis[i - 1];
		a->extent[i] = a->extent[i - 1];
	}
	a->axis[0] = WS_AXIS_CHANNEL;
	a->extent[0] = entries;
}

/* Those that files have, with names of their own. */
static ws_status
copy_arrays(wsi_writer *w, const wsi_result_header *from)
{
	for (size_t i = 0; i < from->n_arrays; ++i) {
		if (!is_made(&from->arrays[i]))
			continue;
		WSI_TRY(check_array(w, &from->arrays[i]));
		wsi_file_array *a = &w->arrays[w->n_arrays];
		*a = (wsi_file_array){ .made = from->arrays[i], .slab = i,
			.shared = from->arrays[i].axis[0] != WS_AXIS_CHANNEL };
		if (a->shared)
			add_channel_axis(&a->made, w->n_entries);
		a->made.name = wsi_kept_text(&w->kept, from->arrays[i].name);
		WSI_HAVE(a->made.name, "%s: out of memory", w->path);
		w->n_arrays++;
	}
	return w->n_arrays ? WS_OK : WSI_FAIL(WS_E_ARG, "%s: a result without arrays", w->path);
}

ws_status
wsi_writer_take_arrays(wsi_writer *w, const wsi_result_header *from)
{
	const size_t n = from->n_arrays;
	w->arrays = wsi_kept_new(&w->kept, n, sizeof *w->arrays);
	w->axes = wsi_kept_new(&w->kept, n * WS_MOST_AXES + 2, sizeof *w->axes);
	w->n_entries = wsi_header_epochs(from) * from->channels;
	w->entries = wsi_kept_new(&w->kept, w->n_entries, sizeof *w->entries);
	WSI_HAVE(w->arrays && w->axes && w->entries, "%s: out of memory", w->path);
	WSI_TRY(copy_arrays(w, from));
	uint64_t bytes = 0;
	for (size_t i = 0; i < w->n_arrays; ++i) {
		wsi_file_array *a = &w->arrays[i];
		const size_t first = a->slab * WS_MOST_AXES;
		WSI_TRY(take_array(w, a, from->axes ? from->axes + first : NULL,
		                   from->every ? from->every + first : NULL, &bytes));
	}
	w->header.arrays = NULL;
	w->header.axes = NULL;
	w->header.every = NULL;
	return WS_OK;
}

/* ---- Parts -------------------------------------------------------------------- */

ws_status
wsi_slab_stretches(const wsi_file_array *a, const ws_slab *slab, wsi_stretch_sink sink, void *user)
{
	const size_t *full = a->made.extent + 1, size = wsi_type_size(a->type);
	const int n = a->made.rank - 1;
	const char *data = slab->data;
	/* The last axes are whole, and one before them in part. */
	size_t bytes = size, count = 1;
	int outer = n;
	while (outer > 0) {
		bytes *= slab->extent[--outer];
		if (slab->extent[outer] != full[outer])
			break;
	}
	for (int i = 0; i < outer; ++i)
		count *= slab->extent[i];
	for (size_t s = 0; s < count; ++s) {
		uint64_t at = 0, stride = size;
		size_t rest = s;
		for (int i = n - 1; i >= 0; --i) {
			size_t index = slab->first[i];
			if (i < outer) {
				index += rest % slab->extent[i];
				rest /= slab->extent[i];
			}
			at += index * stride;
			stride *= full[i];
		}
		WSI_TRY(sink(user, at, data + s * bytes, bytes));
	}
	return WS_OK;
}
