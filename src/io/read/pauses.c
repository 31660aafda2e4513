/*
 * pauses.c - what is taken of a recording that was interrupted: a segment, or all of them joined.
 *
 * One rule for all formats: nothing is analysed across a pause unless that is asked for.
 */
#include <math.h>
#include <stdlib.h>

#include "base/element.h"
#include "base/new.h"
#include "io/read/pauses.h"
#include "io/read/segments.h"
#include "io/read/selection.h"
#include "io/read/text_time.h"

#define CHOICES "choose one with `segment` or with times inside it, or `gaps join` takes all as one"

/* The time axis of segment k. */
static wsi_time_axis
axis_of(const wsi_input *in, size_t k)
{
	const wsi_recording *rec = in->rec;
	const size_t first = wsi_segment_first(rec, k, in->fs, in->all);
	return (wsi_time_axis){ .path = rec->path, .fs = in->fs, .unit = rec->time_unit,
		.fs_known = rec->fs_known, .start_time = rec->start_time, .dated = rec->dated,
		.origin = rec->time_origin + wsi_segment_time(rec, first, in->fs),
		.samples = wsi_segment_first(rec, k + 1, in->fs, in->all) - first };
}

void
wsi_input_bounds(const wsi_input *in, const wsi_pick *pick, size_t k, size_t *first, size_t *end)
{
	const wsi_time_axis axis = axis_of(in, k);
	const size_t begin = wsi_segment_first(in->rec, k, in->fs, in->all);
	wsi_clip_time(&axis, &pick->from, &pick->to, first, end);
	*first += begin;
	*end += begin;
}

/* ---- One of several segments --------------------------------------------------------- */

static ws_status
take_segment(wsi_input *in, const wsi_pick *pick)
{
	const wsi_recording *rec = in->rec;
	const size_t n = rec->n_segments ? rec->n_segments : 1, k = pick->segment - 1;
	char text[WSI_SEGMENTS_TEXT];
	if (rec->epochs)
		return WSI_FAIL(WS_E_ARG, "`segment %zu`: %s has epochs; choose some with `epochs`",
		                pick->segment, rec->path);
	if (pick->segment > n)
		return WSI_FAIL(WS_E_ARG, "`segment %zu`: %s has %zu%s%s", pick->segment, rec->path,
		                n, n > 1 ? ": " : ", as it has no pause",
		                wsi_describe_segments(rec, in->fs, in->all, text));
	const wsi_time_axis axis = axis_of(in, k);
	if (axis.samples == 0)
		return WSI_FAIL(WS_E_FORMAT, "`segment %zu`: of %s it has no sample of channel %s",
		                pick->segment, rec->path, wsi_input_name(in, 0));
	WSI_TRY(wsi_select_time(&axis, &pick->from, &pick->to, &in->first, &in->samples));
	in->first += wsi_segment_first(rec, k, in->fs, in->all);
	in->segment = pick->segment;
	return WS_OK;
}

static ws_status
refuse(const wsi_input *in, const wsi_pick *pick)
{
	const wsi_recording *rec = in->rec;
	char text[WSI_SEGMENTS_TEXT];
	const bool from = pick->from.text, to = pick->to.text;
	wsi_describe_segments(rec, in->fs, in->all, text);
	if (!from && !to)
		return WSI_FAIL(WS_E_FORMAT, "%s: was interrupted: it has %zu segments, %s; "
		                CHOICES, rec->path, rec->n_segments, text);
	return WSI_FAIL(WS_E_FORMAT, "%s: %s%s%s%s%s%s: not inside one of its %zu segments, %s; "
	                CHOICES, rec->path, from ? "`from " : "", from ? pick->from.text : "",
	                from ? to ? "` " : "`" : "", to ? "`to " : "", to ? pick->to.text : "",
	                to ? "`" : "",
	                rec->n_segments, text);
}

/* Does segment k have all that the times name? */
static bool
holds(const wsi_input *in, const wsi_pick *pick, size_t k)
{
	const wsi_time_axis axis = axis_of(in, k);
	size_t first, samples;
	if ((!pick->from.text && k > 0) || (!pick->to.text && k + 1 < in->rec->n_segments))
		return false;
	return axis.samples > 0
	       && wsi_find_time(&axis, &pick->from, &pick->to, &first, &samples);
}

/* The only segment that the times lie in. */
static ws_status
find_segment(wsi_input *in, const wsi_pick *pick)
{
	const size_t n = in->rec->n_segments;
	size_t found = 0, last = 0;
	for (size_t k = 0; k < n && (pick->from.text || pick->to.text); ++k)
		if (holds(in, pick, k)) {
			++found;
			last = k;
		}
	if (found != 1)
		return refuse(in, pick);
	wsi_pick one = *pick;
	one.segment = last + 1;
	return take_segment(in, &one);
}

/* ---- Epochs of the recording --------------------------------------------------------- */

/* The first segment that begins behind a sample, counted through all epochs. */
static size_t
segment_behind(const wsi_input *in, size_t sample)
{
	const wsi_recording *rec = in->rec;
	size_t low = 0, high = rec->n_segments;
	while (low < high) {
		const size_t k = low + (high - low) / 2;
		if (wsi_segment_first(rec, k, in->fs, in->all) > sample)
			high = k;
		else
			low = k + 1;
	}
	return low;
}

/* Does a pause lie between two of these samples, likewise? */
static bool
crosses(const wsi_input *in, size_t first, size_t end)
{
	const size_t k = segment_behind(in, first);
	return k < in->rec->n_segments && wsi_segment_first(in->rec, k, in->fs, in->all) < end;
}

static ws_status
check_epochs(const wsi_input *in)
{
	const wsi_recording *rec = in->rec;
	const size_t samples = in->all;
	char bad[128], good[128];
	size_t found = 0;
	if (rec->n_segments == 0)
		return WS_OK;
	unsigned char *crossing = calloc(2 * rec->epochs, 1), *whole = crossing + rec->epochs;
	WSI_HAVE(crossing, "%s: not enough memory", rec->path);
	for (size_t i = 0; i < in->n_epochs; ++i) {
		const size_t e = in->epochs[i], first = e * samples + in->first;
		crossing[e] = crosses(in, first, first + in->samples);
		whole[e] = !crossing[e];
		found += crossing[e];
	}
	wsi_describe_list(crossing, rec->epochs, bad, sizeof bad);
	wsi_describe_list(whole, rec->epochs, good, sizeof good);
	free(crossing);
	if (found == 0)
		return WS_OK;
	return WSI_FAIL(WS_E_FORMAT, "%s: was interrupted within %zu of its epochs (%s); choose "
	                "others%s%s%s, or `gaps join` takes them as they are", rec->path, found,
	                bad, *good ? " with `epochs " : ": there are none", good,
	                *good ? "`" : "");
}

/* ---- What lies about the samples selected ---------------------------------------------- */

/* As much as all epochs have between their ends and pauses. */
static void
take_beyond_of_epochs(wsi_input *in)
{
	const wsi_recording *rec = in->rec;
	for (size_t i = 0; i < in->n_epochs && rec->n_segments; ++i) {
		const size_t first = in->epochs[i] * in->all + in->first;
		const size_t k = segment_behind(in, first), end = first + in->samples;
		const size_t from = k ? wsi_segment_first(rec, k - 1, in->fs, in->all) : 0;
		const size_t to = k < rec->n_segments
		                  ? wsi_segment_first(rec, k, in->fs, in->all) : SIZE_MAX;
		in->before = first - from < in->before ? first - from : in->before;
		in->after = to - end < in->after ? to - end : in->after;
	}
}

static void
take_beyond(wsi_input *in)
{
	const wsi_recording *rec = in->rec;
	size_t from = 0, to = in->all;
	if (in->segment && rec->n_segments) {
		from = wsi_segment_first(rec, in->segment - 1, in->fs, in->all);
		to = wsi_segment_first(rec, in->segment, in->fs, in->all);
	}
	in->before = in->first - from;
	in->after = to - in->first - in->samples;
	if (rec->epochs)
		take_beyond_of_epochs(in);
	/* As much as can be transformed at all. */
	const size_t most = WSI_MOST_SAMPLES;
	const size_t room = in->samples < most ? most - in->samples : 0, half = room / 2;
	if (in->before > half)
		in->before = in->after > half ? half : in->before < room - in->after ? in->before
		             : room - in->after;
	in->after = in->after < room - in->before ? in->after : room - in->before;
}

/* ---- The selection ------------------------------------------------------------------- */

static ws_status
select_time(wsi_input *in, const wsi_pick *pick)
{
	const wsi_recording *rec = in->rec;
	if (in->all == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: has no samples", rec->path);
	in->fs_known = rec->fs_known;
	if (pick->join && pick->segment)
		return WSI_FAIL(WS_E_ARG, "`segment %zu` `gaps join`: give one of them: a segment "
		                "has no gap", pick->segment);
	if (pick->join) {
		in->joined = rec->n_segments;
		WSI_NEW(in->joins, in->joined + 1, "%s: no memory for its pauses", rec->path);
		for (size_t k = 0; k < in->joined; ++k)
			in->joins[k] = wsi_segment_first(rec, k, in->fs, in->all);
		WSI_TRY(wsi_recording_join(in->rec));
	}
	if (pick->segment)
		return take_segment(in, pick);
	if (rec->n_segments > 0 && !rec->epochs && !pick->epochs_at)
		return find_segment(in, pick);
	if (rec->n_segments > 0 && !rec->epochs) {
		/* Each segment has bounds of its own. */
		in->samples = in->all;
		return WS_OK;
	}
	const wsi_time_axis axis = { .path = rec->path, .samples = in->all, .fs = in->fs,
		.origin = rec->time_origin, .unit = rec->time_unit, .fs_known = rec->fs_known,
		.start_time = rec->start_time, .dated = rec->dated };
	WSI_TRY(wsi_select_time(&axis, &pick->from, &pick->to, &in->first, &in->samples));
	return rec->epochs ? check_epochs(in) : WS_OK;
}

ws_status
wsi_input_select_time(wsi_input *in, const wsi_pick *pick)
{
	WSI_TRY(select_time(in, pick));
	if (pick->beyond && !pick->epochs_at)
		take_beyond(in);
	return WS_OK;
}

double
wsi_input_first_time(const wsi_input *in)
{
	return in->starts ? in->start
	       : in->rec->time_origin + wsi_segment_time(in->rec, in->first, in->fs);
}

double
wsi_input_first_offset(const wsi_input *in)
{
	return in->starts ? in->start : wsi_segment_time(in->rec, in->first, in->fs);
}

const char *
wsi_input_start_time(const wsi_input *in)
{
	return in->segment && wsi_segment_lag(in->rec, in->segment - 1) != 0 ? ""
	       : in->rec->start_time;
}

bool
wsi_input_segment_clock(const wsi_input *in, char text[32])
{
	const wsi_recording *rec = in->rec;
	text_date date;
	if (!in->segment || !rec->n_segments || !rec->fs_known
	    || !text_parse_date(rec->start_time, false, &date))
		return false;
	const size_t k = in->segment - 1;
	const double after = date.fraction + rec->segments[k].start + wsi_segment_lag(rec, k);
	if (!(fabs(after) < 1e12))
		return false;
	date.seconds += (int64_t)floor(after);
	date.fraction = after - floor(after);
	text_format_date(&date, text);
	return true;
}
