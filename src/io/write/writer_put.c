/*
 * writer_put.c - channels on their way into a file: in which parts they come, and in which type
 * they are stored.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "io/write/writer_format.h"

/* n values of one real type as the other.  The index of the first value that an f32 cannot hold, or
 * n.  *faint: all are below what it holds with all its digits, and not all are 0. */
static size_t
convert(const void *from, ws_type type, size_t n, void *to, bool *faint)
{
	double most = 0;
	for (size_t i = 0; i < n; ++i) {
		if (type == WS_F32) {
			((double *)to)[i] = ((const float *)from)[i];
			continue;
		}
		double v = ((const double *)from)[i];
		if (isfinite(v) && fabs(v) > FLT_MAX)
			return i;
		((float *)to)[i] = (float)v;
		most = fabs(v) > most ? fabs(v) : most;
	}
	*faint = most > 0 && most < FLT_MIN;
	return n;
}

static const char *
channel_name(const wsi_writer *w, size_t entry)
{
	return w->header.channel_names[entry % w->header.channels];
}

/* Points the slab, of n elements, at w->part, where they are in the stored type. */
static ws_status
convert_slab(wsi_writer *w, const wsi_file_array *a, size_t entry, ws_slab *slab, size_t n)
{
	const size_t bytes = n * wsi_type_size(a->type), parts = wsi_type_complex(a->type) ? 2 : 1;
	if (bytes > w->part_bytes) {
		free(w->part);
		w->part = malloc(bytes);
		w->part_bytes = w->part ? bytes : 0;
	}
	WSI_HAVE(w->part, "%s: no memory for %zu bytes of %s of one channel", w->path, bytes,
	         a->made.name);
	bool faint = false;
	const size_t bad = convert(slab->data, wsi_type_part(a->made.type), n * parts, w->part,
	                           &faint);
	const int time = a->made.rank - 2;
	if (bad < n * parts)
		return WSI_FAIL(WS_E_FORMAT, "%s: channel %s is beyond the range of f32 at "
		                "sample %zu; store f64", w->path, channel_name(w, entry),
		                slab->first[time] + bad / parts % slab->extent[time] + 1);
	if (faint && !w->faint) {
		w->faint = a->made.name;
		w->faint_channel = channel_name(w, entry);
	}
	slab->data = w->part;
	return WS_OK;
}

/* Is the slab inside its array?  Notes the modes that it has. */
static ws_status
check_slab(wsi_writer *w, const wsi_file_array *a, size_t entry, const ws_slab *slab)
{
	for (int i = 0; i < a->made.rank - 1; ++i) {
		const size_t first = slab->first[i], extent = slab->extent[i];
		const size_t most = a->made.extent[i + 1];
		const bool mode = a->made.axis[i + 1] == WS_AXIS_MODE;
		if (first > most || extent > most - first)
			return WSI_FAIL(WS_E_ARG, mode ? "%s: channel %s has %zu modes in %s, more "
			                "than the %zu announced" : "%s: channel %s has %zu in an "
			                "axis of %s, more than its %zu", w->path,
			                channel_name(w, entry), first + extent, a->made.name, most);
		if (mode && slab->data && first + extent > w->entries[entry].modes)
			w->entries[entry].modes = (uint32_t)(first + extent);
	}
	if (w->entries[entry].modes > w->modes)
		w->modes = w->entries[entry].modes;
	return WS_OK;
}

/* Elements that a channel has of an array, all modes counted as one. */
static size_t
elements(const wsi_file_array *a)
{
	size_t n = 1;
	for (int i = 1; i < a->made.rank; ++i)
		n *= a->made.axis[i] == WS_AXIS_MODE ? 1 : a->made.extent[i];
	return n;
}

/* Takes a part of an array of the entry, or nothing.  What the run does not cut comes with each
 * part, and is taken once. */
static ws_status
put_slab(wsi_writer *w, wsi_file_array *a, size_t entry, ws_slab slab)
{
	size_t *got = &w->entries[entry].got[a - w->arrays], n = 1, modes = 1;
	const uint32_t *sums = w->expected ? w->expected[a->slab] : NULL;
	for (int i = 0; i < a->made.rank - 1; ++i)
		*(a->made.axis[i + 1] == WS_AXIS_MODE ? &modes : &n) *= slab.extent[i];
	if ((!slab.data && !sums && modes > 0) || *got >= elements(a))
		return WS_OK;
	*got += n;
	a->given = true;
	if (n == 0 || modes == 0 || (a->shared && entry > 0))
		return WS_OK;
	if (sums)
		return w->format->note(w, a, entry, &slab, sums);
	if (a->type != a->made.type)
		WSI_TRY(convert_slab(w, a, entry, &slab, n * modes));
	return w->format->put(w, a, entry, &slab);
}

/* Is all there of a channel, but for arrays that it may do without? */
static bool
is_complete(const wsi_writer *w, const wsi_file_entry *entry)
{
	for (size_t i = 0; i < w->n_arrays; ++i) {
		const wsi_file_array *a = &w->arrays[i];
		const bool left_out = entry->got[i] == 0 && a->made.flags & WS_ARRAY_OPTIONAL;
		if (entry->got[i] < elements(a) && !left_out)
			return false;
	}
	return true;
}

ws_status
wsi_writer_put(wsi_writer *w, const ws_channel_result *result)
{
	const size_t entry = result->channel;
	wsi_file_entry *e = entry < w->n_entries ? &w->entries[entry] : NULL;
	if (!e || e->complete)
		return WSI_FAIL(WS_E_ARG, e ? "%s: channel %zu of %zu was put before"
		                : "%s: channel %zu was put, where there are %zu", w->path,
		                entry + 1, w->n_entries);
	if (!e->got)
		WSI_NEW(e->got, w->n_arrays, "%s: out of memory", w->path);
	for (size_t i = 0; i < w->n_arrays; ++i)
		WSI_TRY(check_slab(w, &w->arrays[i], entry, &result->slabs[w->arrays[i].slab]));
	for (size_t i = 0; i < w->n_arrays; ++i)
		WSI_TRY(put_slab(w, &w->arrays[i], entry, result->slabs[w->arrays[i].slab]));
	e->complete = is_complete(w, e);
	if (e->complete) {
		w->n_complete++;
		free(e->got);
		e->got = NULL;
	}
	return WS_OK;
}
