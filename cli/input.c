/* input.c - the part of a recording that the options name. */
#include "input.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/rising.h"
#include "base/status.h"
#include "base/target.h"
#include "io/read/channels_file.h"
#include "io/read/events_file.h"
#include "io/read/input_select.h"
#include "io/read/open.h"
#include "io/result/modes.h"
#include "io/result/provenance.h"
#include "io/read/readers.h"
#include "io/read/several.h"
#include "plot/axis.h"
#include "bids.h"
#include "machine.h"
#include "message.h"
#include "options.h"

/* NumPy users keep samples in rows about as often as in columns. */
static void
warn_of_swapped_axes(const wsi_input *in)
{
	const wsi_recording *rec = in->rec;
	if (rec->reader != &wsi_reader_npy || rec->epochs
	    || rec->n_channels <= rec->channels[0].samples)
		return;
	cli_note("%s: read as [channel][time], %zu channels of %zu samples; if it is "
	         "[time][channel], save it transposed", rec->path, rec->n_channels,
	         rec->channels[0].samples);
}

wsi_open_opts
cli_open_opts(const cli_args *args)
{
	return (wsi_open_opts){ .raw = args->raw, .variable = args->variable, .fs = args->fs,
		.date_order = args->date_order, .missing = args->missing,
		.events_from = args->events_from,
		.memory = args->memory ? args->memory : cli_memory_default(),
		.opened = args->opened };
}

void
cli_tell_notes(const wsi_recording *rec)
{
	const char *note = rec->note;
	while (note && *note) {
		const int n = (int)strcspn(note, "\n");
		cli_note("%.*s", n, note);
		note += n + (note[n] == '\n');
	}
}

/* Tables that options name, or that lie beside a recording of BIDS; what these were is told. */
static ws_status
read_sidecars(wsi_recording *rec, const cli_args *args)
{
	char *events = wsi_strdup(args->events), *channels = wsi_strdup(args->bads);
	const bool look = !args->no_sidecars && cli_bids_is_recording(rec->path);
	ws_status status = WS_OK;
	if (look && !channels)
		status = cli_bids_find(&channels, rec->path, "channels.tsv");
	/* Epochs, and samples without a rate, have no room for events of a table. */
	if (status == WS_OK && look && !events && !args->events_from && !rec->epochs
	    && rec->fs_known)
		status = cli_bids_find(&events, rec->path, "events.tsv");
	rec->events_file = events;
	rec->channels_file = channels;
	if (status == WS_OK && events)
		status = wsi_events_read(rec, events);
	if (status == WS_OK && channels)
		status = wsi_channels_read(rec, channels);
	const bool of_events = events && !args->events, of_channels = channels && !args->bads;
	if (status == WS_OK && (of_events || of_channels))
		status = wsi_recording_add_note(rec, "%s: %s%s%s beside it %s taken (--sidecars)",
		                                rec->path, of_channels
		                                ? wsi_base_name(channels) : "",
		                                of_channels && of_events ? " and " : "",
		                                of_events ? wsi_base_name(events) : "",
		                                of_channels && of_events ? "are" : "is");
	return status;
}

/* An array of ours that is read as others are: its names and times are beside it. */
static ws_status
tell_result(wsi_recording *rec, const cli_args *args)
{
	wsi_recording *result;
	const wsi_open_opts opts = cli_open_opts(args);
	if (wsi_reader_beneath(rec) != &wsi_reader_npy
	    || wsi_any_result_open(&result, rec->path, &opts) != WS_OK)
		return WS_OK;
	const ws_status status = wsi_recording_add_note(rec, "%s: is a result, whose array is read "
		"as a recording without names and rate; name the recording, or a result in .h5, of "
		"which the signal is read", rec->path);
	wsi_recording_close(result);
	return status;
}

ws_status
cli_recording_open(wsi_recording **rec, const cli_args *args)
{
	const wsi_open_opts opts = cli_open_opts(args);
	if (args->events && args->events_from)
		return WSI_FAIL(WS_E_ARG, "--events %s --events-from %s: give one of them",
		                args->events, args->events_from);
	WSI_TRY(wsi_recording_open_by(rec, args->operands[0], &opts,
	                              wsi_reader_of_several(args->variable)));
	const wsi_reader *reader = wsi_reader_beneath(*rec);
	bool arrays = reader == &wsi_reader_mat || reader == &wsi_reader_hdf5
	              || strcmp((*rec)->format, "NPZ") == 0;
	ws_status status = WS_OK;
	if (args->variable && !arrays)
		status = WSI_FAIL(WS_E_ARG, "--variable %s: %s is %s, which has no "
		                  "arrays to choose from; leave it out", args->variable,
		                  args->operands[0], (*rec)->format);
	else if (args->date_order && reader != &wsi_reader_text)
		status = WSI_FAIL(WS_E_ARG, "--date-order: %s is %s, whose dates are no text; "
		                  "leave it out", args->operands[0], (*rec)->format);
	if (status == WS_OK)
		status = read_sidecars(*rec, args);
	if (status == WS_OK)
		status = tell_result(*rec, args);
	if (status == WS_OK) {
		/* Such as that it was cut short: it is worth reading all the same. */
		cli_tell_notes(*rec);
		return WS_OK;
	}
	wsi_recording_close(*rec);
	*rec = NULL;
	return status;
}

/* A time of 0 that was given is the least of numbers, so that it differs from none. */
static double
time_of(double moment)
{
	return moment == DBL_TRUE_MIN ? 0.0 : moment;
}

/* The option that takes a channel; NULL: the command has none. */
static const ws_option *
option_of_channel(const cli_command *c)
{
	const ws_option *o;
	for (int i = 0; c->transform && (o = ws_transform_option(c->transform, i)); i++)
		if (cli_option_of_channel(o))
			return o;
	return NULL;
}

/* Sets it where it was given as a name. */
static ws_status
take_channel(const wsi_input *in, const cli_args *args)
{
	const ws_option *o = option_of_channel(&args->command);
	const char *wanted = args->channel_name;
	char number[24], meant[WSI_NEAREST_TEXT];
	if (o && in->n_channels < 2)
		return WSI_FAIL(WS_E_ARG, "%s compares channels: select two or more (--channels)",
		                args->command.name);
	if (!args->channel_option)
		return WS_OK;
	wsi_nearest near = { .wanted = wanted, .length = strlen(wanted) };
	size_t found = in->n_channels;
	for (size_t i = 0; i < in->n_channels; i++) {
		const char *name = wsi_input_name(in, i);
		if (strcmp(name, wanted) == 0 && found == in->n_channels)
			found = i;
		wsi_nearest_offer(&near, name);
	}
	if (found == in->n_channels)
		return WSI_FAIL(WS_E_ARG, "--%s %s: no such channel is among the %zu selected "
		                "(--channels)%s", o->name, wanted, in->n_channels,
		                wsi_nearest_tell(&near, meant));
	snprintf(number, sizeof number, "%zu", found + 1);
	return ws_option_set(o, args->opts, number);
}

/* Of a recording that has epochs, --tmin is the time of their first sample: an array tells none. */
static ws_status
take_start(wsi_recording *rec, const cli_args *args)
{
	if (args->epochs_at || (args->tmin == 0.0 && args->tmax == 0.0))
		return WS_OK;
	if (args->tmax != 0.0 || rec->epochs == 0)
		return WSI_FAIL(WS_E_ARG, "--%s is of epochs around events: give --epochs-at, too",
		                args->tmin != 0.0 ? "tmin" : "tmax");
	rec->time_origin = time_of(args->tmin);
	return WS_OK;
}

static void
tell_reference(const wsi_input *in)
{
	size_t n = 0;
	for (size_t c = 0; in->referenced && c < in->n_channels; c++)
		n += in->referenced[c];
	if (n)
		cli_note("%s: %zu channel%s set against the mean of %zu (--rereference %s)",
		         in->rec->path, n, n == 1 ? " is" : "s are", in->n_reference,
		         in->rereference);
}

ws_status
cli_input_open(wsi_input *in, const cli_args *args)
{
	const double given = args->epochs_at ? 1.0 : 0.0;
	const wsi_pick pick = { .epochs_at = args->epochs_at,
		.tmin = args->tmin != 0.0 ? time_of(args->tmin) : -0.5 * given,
		.tmax = args->tmax != 0.0 ? time_of(args->tmax) : given,
		.gathered = args->command.transform && args->command.transform->takes_epochs,
		.beyond = args->command.transform && args->command.transform->takes_context,
		.resample = args->resample, .channels = args->channels, .epochs = args->epochs,
		.from = args->from, .to = args->to, .segment = (size_t)args->segment,
		.join = args->join, .type = (ws_type)args->precision,
		.interpolate = args->interpolate, .missing = args->missing,
		.rereference = args->rereference, .unit_variance = args->unit_variance };
	wsi_recording *rec;
	WSI_TRY(cli_recording_open(&rec, args));
	const ws_status status = take_start(rec, args);
	if (status != WS_OK) {
		wsi_recording_close(rec);
		return status;
	}
	WSI_TRY(wsi_input_select(in, rec, &pick));
	WSI_TRY(take_channel(in, args));
	warn_of_swapped_axes(in);
	if (in->bad)
		cli_note("%s: %zu channel%s left out (%s)", rec->path, in->bad,
		         in->bad == 1 ? " is bad and" : "s are bad and",
		         wsi_base_name(rec->channels_file));
	tell_reference(in);
	return WS_OK;
}

void
cli_input_tell_resampled(const wsi_input *in)
{
	const char *s = in->n_channels == 1 ? "" : "s";
	const wsi_frequency_unit per = wsi_axis_frequency_unit(in->fs, true, in->samples);
	double low = HUGE_VAL, high = 0;
	size_t channels = 0;
	for (size_t i = 0; in->resampler && i < in->n_channels; i++)
		channels += in->resampler[i] != SIZE_MAX;
	for (size_t i = 0; i < in->n_resamplers; i++) {
		const double from = in->resamplers[i].from * per.seconds;
		low = from < low ? from : low;
		high = from > high ? from : high;
	}
	if (channels && low == high)
		cli_note("%s: %zu of %zu channel%s resampled from %g %s to %g %s", in->rec->path,
		         channels, in->n_channels, s, low, per.name, in->fs * per.seconds,
		         per.name);
	else if (channels)
		cli_note("%s: %zu of %zu channel%s resampled from rates between %g and %g %s to "
		         "%g %s", in->rec->path, channels, in->n_channels, s, low, high, per.name,
		         in->fs * per.seconds, per.name);
}

void
cli_input_tell_shape(const wsi_input *in)
{
	if (in->rec->n_channels > in->all && in->rec->n_channels > 2 && !in->rec->epochs)
		cli_note("%s: %zu channels of %zu samples each: if it has %zu samples of %zu "
		         "channels, turn rows into columns", in->rec->path, in->rec->n_channels,
		         in->all, in->rec->n_channels, in->all);
}

void
cli_input_tell_pauses(const wsi_input *in)
{
	if (in->joined)
		cli_note("%s: %zu segments were joined across pauses (--gaps join)",
		         in->rec->path, in->joined);
	if (in->left_out)
		cli_note("%s: %zu event%s left out, whose epoch%s not whole", in->rec->path,
		         in->left_out, in->left_out == 1 ? " is" : "s are",
		         in->left_out == 1 ? " is" : "s are");
	if (in->crossing)
		cli_note("%s: %zu event%s left out, whose epoch%s cut by a pause", in->rec->path,
		         in->crossing, in->crossing == 1 ? " is" : "s are",
		         in->crossing == 1 ? " is" : "s are");
}

void
cli_input_tell_overlap(const wsi_input *in)
{
	const size_t n = in->starts ? in->n_epochs : 0;
	size_t *starts = n > 1 ? malloc(n * sizeof *starts) : NULL;
	size_t apart = 1, end;
	if (!starts)
		return;
	memcpy(starts, in->starts, n * sizeof *starts);
	qsort(starts, n, sizeof *starts, wsi_rising_sizes);
	end = starts[0] + in->samples;
	for (size_t i = 1; i < n; i++)
		if (starts[i] >= end) {
			apart++;
			end = starts[i] + in->samples;
		}
	free(starts);
	if (apart < n)
		cli_note("%s: epochs overlap: of %zu only %zu are apart, and levels and averages "
		         "that take all for independent promise too much (--tmin, --tmax)",
		         in->rec->path, n, apart);
}

/* counts: of each signal. */
static bool
has_count(const wsi_input *in, const size_t *counts, size_t channel)
{
	for (size_t e = 0; e < in->n_epochs; e++)
		if (counts[e * in->n_channels + channel])
			return true;
	return false;
}

/* Channels that have a count, and their names as far as there is room. */
static size_t
name_counted(const wsi_input *in, const size_t *counts, char names[256])
{
	size_t channels = 0, length = 0;
	bool more = false;
	names[0] = '\0';
	for (size_t i = 0; i < in->n_channels; i++) {
		if (!has_count(in, counts, i))
			continue;
		channels++;
		if (length < 160)
			length += (size_t)snprintf(names + length, 256 - length, "%s%.48s",
			                           length ? ", " : "", wsi_input_name(in, i));
		else
			more = true;
	}
	if (more)
		snprintf(names + length, 256 - length, ", ..");
	return channels;
}

void
cli_input_tell_mended(const wsi_input *in)
{
	const size_t samples = wsi_input_mended(in);
	char names[256];
	size_t channels = name_counted(in, in->mended, names);
	if (samples)
		cli_note("%s: interpolated %zu sample%s in %zu channel%s (%s)", in->rec->path,
		         samples, samples == 1 ? "" : "s", channels, channels == 1 ? "" : "s",
		         names);
	channels = name_counted(in, in->mirrored, names);
	if (channels)
		cli_note("%s: %zu channel%s (%s): what lies about the times selected was taken "
		         "up to the first sample that is no number", in->rec->path, channels,
		         channels == 1 ? "" : "s", names);
}
