/* epochs_at.c - epochs cut from a continuous recording around its events; see input.h. */
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/status.h"
#include "io/input.h"
#include "io/segments.h"
#include "io/selection.h"

/* Is a label one of the patterns of a list "square,rt*"? */
static bool
is_listed(const char *list, const char *label)
{
	while (*list) {
		char pattern[256];
		const size_t width = strcspn(list, ",");
		snprintf(pattern, sizeof pattern, "%.*s", (int)(width < 255 ? width : 255), list);
		if (strcmp(pattern, label) == 0 || fnmatch(pattern, label, 0) == 0)
			return true;
		list += width + (list[width] == ',');
	}
	return false;
}

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
refuse(const wsi_input *in, const wsi_pick *pick, size_t found)
{
	const wsi_recording *rec = in->rec;
	char labels[200], meant[WSI_NEAREST_TEXT];
	if (rec->n_events == 0)
		return WSI_FAIL(WS_E_ARG, "--epochs-at %s: %s has no events", pick->epochs_at,
		                rec->path);
	list_labels(rec, labels);
	if (found == 0)
		return WSI_FAIL(WS_E_ARG, "--epochs-at %s: %s has no such event; it has %s%s",
		                pick->epochs_at, rec->path, labels,
		                nearest_label(rec, pick->epochs_at, meant));
	return WSI_FAIL(WS_E_ARG, "--epochs-at %s: around none of %zu events does %s hold all of "
	                "%g to %g s%s; choose --tmin and --tmax", pick->epochs_at, found, rec->path,
	                pick->tmin, pick->tmax, in->crossing ? " without a pause (wavesift info "
	                "lists its segments)" : "");
}

typedef enum fate { WHOLE, NOT_WHOLE, CROSSING } fate;

/* The first sample of the epoch of an event that lies in segment k. */
static fate
find_start(const wsi_input *in, const wsi_pick *pick, size_t k, double onset, size_t samples,
           size_t *start)
{
	const wsi_recording *rec = in->rec;
	const size_t all = rec->channels[in->channels[0]].samples;
	const size_t begin = wsi_segment_first(rec, k, in->fs, all);
	const size_t stop = wsi_segment_first(rec, k + 1, in->fs, all);
	const double own = wsi_segment_time(rec, begin, in->fs);
	const double first = rint((onset - own + pick->tmin) * in->fs) + (double)begin;
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
place_events(wsi_input *in, const wsi_pick *pick, size_t samples, size_t *found)
{
	const wsi_recording *rec = in->rec;
	wsi_timeline *line = NULL;
	if (rec->n_segments > 0 && !in->segment)
		WSI_TRY(wsi_timeline_make(&line, rec, in->fs,
		                          rec->channels[in->channels[0]].samples));
	in->n_epochs = 0;
	for (size_t i = 0; i < rec->n_events; i++) {
		const double onset = rec->events[i].onset;
		size_t k, n = in->n_epochs;
		if (!is_listed(pick->epochs_at, rec->events[i].label))
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
	const double samples = rint((pick->tmax - pick->tmin) * in->fs);
	size_t found = 0;
	if (in->epoched)
		return WSI_FAIL(WS_E_ARG, "--epochs-at %s: %s has epochs already; choose some with "
		                "--epochs", pick->epochs_at, rec->path);
	if (!in->fs_known)
		return WSI_FAIL(WS_E_ARG, "--epochs-at %s: the sampling rate of %s is not known; "
		                "give it with --fs", pick->epochs_at, rec->path);
	if (!(samples >= 1.0) || !(samples < 0x1p53))
		return WSI_FAIL(WS_E_ARG, "--tmin %g --tmax %g: an epoch must have a sample at "
		                "least", pick->tmin, pick->tmax);
	free(in->epochs);
	in->epochs = calloc(rec->n_events + 1, sizeof *in->epochs);
	in->starts = calloc(rec->n_events + 1, sizeof *in->starts);
	if (!in->epochs || !in->starts)
		return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", rec->path);
	WSI_TRY(place_events(in, pick, (size_t)samples, &found));
	if (in->n_epochs == 0)
		return refuse(in, pick, found);
	in->epoched = true;
	in->first = 0;
	in->samples = (size_t)samples;
	in->start = pick->tmin;
	return WS_OK;
}
