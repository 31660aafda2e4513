/* epochs_at.c - epochs cut from a continuous recording around its events. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/status.h"
#include "io/read/epochs_at.h"
#include "io/read/names.h"
#include "io/read/pauses.h"
#include "io/read/segments.h"
#include "io/read/selection.h"

/* Some labels that there are, each once. */
static void
list_labels(const wsi_recording *rec, char text[200])
{
	const char *names[16];
	size_t n = 0;
	for (size_t i = 0; i < rec->n_events && n < 16; i++) {
		size_t k = 0;
		while (k < n && strcmp(names[k], rec->events[i].label) != 0)
			k++;
		if (k == n)
			names[n++] = rec->events[i].label;
	}
	wsi_some_names(names, n, text);
}

static const char *
nearest_label(const wsi_recording *rec, const char *wanted, char text[WSI_NEAREST_TEXT])
{
	wsi_nearest near = { .wanted = wanted, .length = strlen(wanted) };
	for (size_t i = 0; i < rec->n_events; i++)
		wsi_nearest_offer(&near, rec->events[i].label);
	return wsi_nearest_tell(&near, text);
}

static ws_status
no_such(const void *user, const char *label)
{
	const wsi_recording *rec = user;
	char labels[200], meant[WSI_NEAREST_TEXT];
	list_labels(rec, labels);
	return WSI_FAIL(WS_E_ARG, "`epochs_at %s`: %s has no such event; it has %s%s", label,
	                rec->path, labels, nearest_label(rec, label, meant));
}

static ws_status
refuse(const wsi_input *in, const wsi_pick *pick, size_t found)
{
	return WSI_FAIL(WS_E_ARG, "`epochs_at %s`: around none of %zu events does %s hold all of "
	                "%g to %g s%s; choose `tmin` and `tmax`", pick->epochs_at, found,
	                in->rec->path, pick->tmin, pick->tmax, in->crossing
	                ? " without a pause (wavesift info lists its segments)" : "");
}

typedef enum fate { WHOLE, NOT_WHOLE, CROSSING } fate;

/* Samples from that of an event to the first of its epoch. */
static double
offset_of(const wsi_input *in, const wsi_pick *pick)
{
	return rint(pick->tmin * in->fs);
}

/* The first sample of the epoch of an event that lies in segment k: --tmin from the event's own,
 * both of whole samples. */
static fate
find_start(const wsi_input *in, const wsi_pick *pick, size_t k, double onset, size_t samples,
           size_t *start)
{
	const wsi_recording *rec = in->rec;
	const size_t all = in->all;
	const size_t begin = wsi_segment_first(rec, k, in->fs, all);
	const size_t stop = wsi_segment_first(rec, k + 1, in->fs, all);
	const double own = wsi_segment_time(rec, begin, in->fs);
	const double first = rint((onset - own) * in->fs) + offset_of(in, pick)
	                     + (double)begin;
	size_t low, high;
	wsi_input_bounds(in, pick, k, &low, &high);
	if (first >= (double)low && first + (double)samples <= (double)high) {
		*start = (size_t)first;
		return WHOLE;
	}
	const bool before = first < (double)begin && low == begin && begin > 0;
	const bool behind = first + (double)samples > (double)stop && high == stop && stop < all;
	return before || behind ? CROSSING : NOT_WHOLE;
}

/* The segment of an event's moment: the one that was chosen, or that it lies in.  Where there is
 * none, fate tells why. */
static fate
find_segment(const wsi_input *in, const wsi_timeline *line, double onset, size_t *k)
{
	*k = in->segment ? in->segment - 1 : 0;
	if (!line)
		return WHOLE;
	*k = wsi_timeline_find(line, onset);
	return *k != SIZE_MAX || wsi_timeline_outside(line, onset, k) ? WHOLE : CROSSING;
}

/* Sorts the events that are named into epochs and others. */
static ws_status
place_events(wsi_input *in, const wsi_pick *pick, size_t samples, const bool *wanted,
             size_t *found)
{
	const wsi_recording *rec = in->rec;
	wsi_timeline *line = NULL;
	if (rec->n_segments > 0 && !in->segment)
		WSI_TRY(wsi_timeline_make(&line, rec, in->fs, in->all));
	in->n_epochs = 0;
	for (size_t i = 0; i < rec->n_events; i++) {
		const double onset = rec->events[i].onset;
		size_t k, n = in->n_epochs;
		if (!wanted[i])
			continue;
		fate f = find_segment(in, line, onset, &k);
		if (f == WHOLE)
			f = find_start(in, pick, k, onset, samples, &in->starts[n]);
		if (f == WHOLE)
			in->epochs[in->n_epochs++] = *found;
		in->left_out += f == NOT_WHOLE;
		in->crossing += f == CROSSING;
		++*found;
	}
	wsi_timeline_free(line);
	return WS_OK;
}

ws_status
wsi_input_cut_epochs(wsi_input *in, const wsi_pick *pick)
{
	const wsi_recording *rec = in->rec;
	const double offset = offset_of(in, pick);
	const double samples = rint(pick->tmax * in->fs) - offset;
	size_t found = 0;
	if (in->epoched)
		return WSI_FAIL(WS_E_ARG, "`epochs_at %s`: %s has epochs already; choose some with "
		                "`epochs`", pick->epochs_at, rec->path);
	if (!in->fs_known)
		return WSI_FAIL(WS_E_ARG, "`epochs_at %s`: the sampling rate of %s is not known; "
		                "give it with `fs`", pick->epochs_at, rec->path);
	if (!(samples >= 1.0) || !(samples < 0x1p53) || !(fabs(offset) < 0x1p53))
		return WSI_FAIL(WS_E_ARG, "`tmin %g` `tmax %g`: an epoch must have a sample at "
		                "least", pick->tmin, pick->tmax);
	if (rec->n_events == 0)
		return WSI_FAIL(WS_E_ARG, "`epochs_at %s`: %s has no events", pick->epochs_at,
		                rec->path);
	free(in->epochs);
	in->epochs = calloc(rec->n_events, sizeof *in->epochs);
	in->starts = wsi_kept_new(&in->kept, rec->n_events, sizeof *in->starts);
	bool *wanted = wsi_kept_new(&in->kept, rec->n_events, sizeof *wanted);
	WSI_HAVE(in->epochs && in->starts && wanted, "%s: not enough memory", rec->path);
	WSI_TRY(wsi_names_of_events(pick->epochs_at, "epochs_at", rec->events, rec->n_events,
	                            wanted, no_such, rec));
	WSI_TRY(place_events(in, pick, (size_t)samples, wanted, &found));
	if (in->n_epochs == 0)
		return refuse(in, pick, found);
	in->epoched = true;
	in->first = 0;
	in->samples = (size_t)samples;
	/* Time 0 is the sample of the event, wherever --tmin lies between two. */
	in->start = offset / in->fs;
	return WS_OK;
}
