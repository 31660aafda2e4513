/* input_select.c - from what options ask for to channels, epochs and samples of a recording;
 * channels that cannot be analysed together are refused. */
#include "io/read/input_select.h"

#include <stdlib.h>

#include "base/new.h"
#include "io/read/epochs_at.h"
#include "io/read/input_events.h"
#include "io/read/input_resample.h"
#include "io/read/number.h"
#include "io/read/pauses.h"
#include "io/read/reference.h"
#include "io/read/selection.h"

static ws_status
select_named(wsi_input *in, const wsi_pick *pick)
{
	wsi_recording *rec = in->rec;
	size_t n = rec->n_channels;
	if (pick->channels)
		return wsi_select_channels(pick->channels, rec, "channels", &in->channels,
		                           &in->n_channels);
	WSI_NEW(in->channels, n + 1, "%s: not enough memory", rec->path);
	for (size_t i = 0; i < n; i++)
		if (rec->channels[i].is_signal)
			in->channels[in->n_channels++] = i;
	if (in->n_channels == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: has no signal channel; wavesift info "
		                "shows what it has", rec->path);
	return WS_OK;
}

static ws_status
select_channels(wsi_input *in, const wsi_pick *pick)
{
	WSI_TRY(select_named(in, pick));
	size_t n = 0;
	for (size_t i = 0; i < in->n_channels; i++)
		if (!in->rec->channels[in->channels[i]].bad)
			in->channels[n++] = in->channels[i];
	in->bad = in->n_channels - n;
	in->n_channels = n;
	return n ? WS_OK : WSI_FAIL(WS_E_ARG, "%s: all %zu channels selected are bad (`bads`)",
	                            in->rec->path, in->bad);
}

static bool
alike(const wsi_channel *a, const wsi_channel *b)
{
	return a->fs == b->fs && a->samples == b->samples;
}

static int
by_kind(const void *a, const void *b)
{
	const wsi_channel *x = *(const wsi_channel *const *)a, *y = *(const wsi_channel *const *)b;
	if (x->fs != y->fs)
		return x->fs < y->fs ? -1 : 1;
	if (x->samples != y->samples)
		return x->samples < y->samples ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The first channel of the largest set of one rate and length, of those that begin earliest the
 * first; NULL for want of memory. */
static const wsi_channel *
largest_set(const wsi_input *in)
{
	const size_t n = in->n_channels;
	const wsi_channel **sorted = malloc(n * sizeof *sorted), *best = NULL;
	size_t most = 0;
	for (size_t i = 0; sorted && i < n; i++)
		sorted[i] = &in->rec->channels[in->channels[i]];
	if (sorted)
		qsort(sorted, n, sizeof *sorted, by_kind);
	for (size_t i = 0, end; sorted && i < n; i = end) {
		for (end = i + 1; end < n && alike(sorted[end], sorted[i]); end++)
			continue;
		if (end - i > most || (end - i == most && sorted[i] < best)) {
			most = end - i;
			best = sorted[i];
		}
	}
	free(sorted);
	return best;
}

/* All selected channels must share rate and length; where they do not, the
 * message names the largest set that does. */
static ws_status
check_rates(const wsi_input *in)
{
	const wsi_recording *rec = in->rec;
	const wsi_channel *first = &rec->channels[in->channels[0]], *other = NULL;
	for (size_t i = 0; i < in->n_channels && !other; i++)
		if (!alike(&rec->channels[in->channels[i]], first))
			other = &rec->channels[in->channels[i]];
	if (!other)
		return WS_OK;
	const wsi_channel *best = largest_set(in);
	WSI_HAVE(best, "%s: not enough memory", rec->path);
	unsigned char *chosen = calloc(rec->n_channels, 1);
	WSI_HAVE(chosen, "%s: not enough memory", rec->path);
	for (size_t i = 0; i < in->n_channels; i++)
		chosen[in->channels[i]] = alike(&rec->channels[in->channels[i]], best);
	char list[128];
	wsi_describe_list(chosen, rec->n_channels, list, sizeof list);
	free(chosen);
	if (first->fs != other->fs)
		return WSI_FAIL(WS_E_FORMAT, "%s: channels %s (%g Hz) and %s (%g Hz) differ in "
		                "rate; select channels of one rate, such as `channels %s`, or "
		                "bring them to one (`resample`)", rec->path, first->name,
		                first->fs, other->name, other->fs, list);
	return WSI_FAIL(WS_E_FORMAT, "%s: channels %s (%zu samples) and %s (%zu samples) differ in "
	                "length; select channels of one length, such as `channels %s`", rec->path,
	                first->name, first->samples, other->name, other->samples, list);
}

static ws_status
select_epochs(wsi_input *in, const wsi_pick *pick)
{
	in->epoched = in->rec->epochs > 0;
	if (pick->epochs) {
		if (!in->epoched)
			return WSI_FAIL(WS_E_ARG, "`epochs %s`: %s is continuous; use "
			                "`from` and `to`", pick->epochs, in->rec->path);
		return wsi_select(pick->epochs, in->rec->epochs, NULL, "epochs", in->rec->path,
		                  &in->epochs, &in->n_epochs);
	}
	in->n_epochs = in->epoched ? in->rec->epochs : 1;
	WSI_NEW(in->epochs, in->n_epochs, "%s: not enough memory", in->rec->path);
	for (size_t i = 0; i < in->n_epochs; i++)
		in->epochs[i] = i;
	return WS_OK;
}

/* Numbers that commas set apart. */
static ws_status
parse_missing(wsi_input *in, const char *list)
{
	in->missing = list;
	for (const char *at = list; at;) {
		char *end;
		const double value = wsi_decimal(at, &end);
		if (end == at || (*end != '\0' && *end != ',') || in->n_fill == WSI_MOST_MISSING)
			return WSI_FAIL(WS_E_ARG, "`missing %s`: numbers are needed, such as -9999 "
			                "or 99,999, at most %d of them", list, WSI_MOST_MISSING);
		in->fill[in->n_fill++] = value;
		at = *end == ',' ? end + 1 : NULL;
	}
	return WS_OK;
}

ws_status
wsi_input_select(wsi_input *in, wsi_recording *rec, const wsi_pick *asked)
{
	wsi_pick resolved = *asked, *pick = &resolved;
	*in = (wsi_input){ .rec = rec, .type = pick->type, .interpolate = pick->interpolate,
		.unit_variance = pick->unit_variance, .gathered = pick->gathered, .spool = -1 };
	ws_status status = pick->missing ? parse_missing(in, pick->missing) : WS_OK;
	if (status == WS_OK)
		status = wsi_moments_resolve(&pick->from, &pick->to, rec->path, rec->start_time,
		                             rec->time_unit);
	if (status == WS_OK)
		status = select_channels(in, pick);
	for (size_t i = 0; i < in->n_channels && status == WS_OK; i++)
		status = wsi_channel_check(rec, in->channels[i]);
	if (status == WS_OK && pick->rereference)
		status = wsi_reference_choose(in, pick->rereference);
	for (size_t i = 0; i < in->n_channels && status == WS_OK && pick->unit_variance; i++)
		status = wsi_channel_set_unit(&rec->channels[in->channels[i]], "SD");
	if (status == WS_OK)
		status = pick->resample != 0 ? wsi_input_resample(in, pick)
		                             : check_rates(in);
	if (status == WS_OK && pick->resample == 0) {
		in->fs = rec->channels[in->channels[0]].fs;
		in->all = rec->channels[in->channels[0]].samples;
	}
	if (status == WS_OK)
		status = select_epochs(in, pick);
	if (status == WS_OK)
		status = wsi_input_select_time(in, pick);
	if (status == WS_OK && pick->epochs_at)
		status = wsi_input_cut_epochs(in, pick);
	if (status == WS_OK)
		status = wsi_input_place_events(in);
	const size_t signals = in->n_channels * in->n_epochs;
	in->mended = wsi_kept_new(&in->kept, 2 * signals, sizeof *in->mended);
	in->mirrored = in->mended ? in->mended + signals : NULL;
	if (status == WS_OK && in->kept.failed)
		status = WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", rec->path);
	if (status != WS_OK)
		wsi_input_close(in);
	return status;
}
