/* input_samples.c - samples of an input as its file has them, and what is wrong with some. */
#include "io/read/input_samples.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/status.h"
#include "io/read/input_resample.h"
#include "io/read/read.h"
#include "io/read/reference.h"
#include "io/read/segment.h"

/* As far as this many samples further gaps are looked for, so that a refusal of a large file need
 * not read all of it. */
#define LOOKED_AT ((size_t)1 << 22)

/* Of signal i, in the recording. */
static double
own_rate(const wsi_input *in, size_t i)
{
	return in->rec->channels[in->channels[i % in->n_channels]].fs;
}

ws_status
wsi_input_samples(const wsi_input *in, size_t i, size_t first, size_t count, double *x)
{
	size_t start, all, core, samples;
	wsi_input_span(in, i, &start, &all, &core, &samples);
	WSI_TRY(wsi_recording_read(in->rec, in->starts ? 0 : in->epochs[i / in->n_channels],
	                           in->channels[i % in->n_channels], start + first, count, x));
	wsi_input_take_missing(in, x, count);
	wsi_reference_subtract(in, i, first, count, x);
	return WS_OK;
}

/* ---- Refusals ---------------------------------------------------------------------- */

/* The time of a sample of signal i, of those selected. */
static const char *
tell_time(const wsi_input *in, size_t i, size_t sample, char text[WSI_MOMENT_TEXT])
{
	size_t first, count, core, n_core;
	wsi_input_span(in, i, &first, &count, &core, &n_core);
	return wsi_tell_moment(in->rec, in->rec->time_origin
	                       + wsi_segment_time(in->rec, sample + core, own_rate(in, i)),
	                       own_rate(in, i), text);
}

/* what: is wrong with a sample of signal i. */
static ws_status
refuse_sample(const wsi_input *in, size_t i, size_t sample, const char *what, const char *advice)
{
	size_t first, count, core, n_core;
	wsi_input_span(in, i, &first, &count, &core, &n_core);
	char when[112] = "", time[WSI_MOMENT_TEXT];
	if (in->epoched)
		snprintf(when, sizeof when, " of epoch %zu", in->epochs[i / in->n_channels] + 1);
	if (in->fs_known)
		snprintf(when + strlen(when), sizeof when - strlen(when), " (%s)",
		         tell_time(in, i, sample, time));
	return WSI_FAIL(WS_E_FORMAT, "%s: channel %s is %s at sample %zu%s; %s", in->rec->path,
	                wsi_input_name(in, i % in->n_channels), what, sample + core + 1, when,
	                advice);
}

ws_status
wsi_refuse_large(const wsi_input *in, size_t i, size_t sample, double value)
{
	char what[80];
	wsi_snprintf(what, sizeof what, "%g, more than f32 holds,", value);
	return refuse_sample(in, i, sample, what, "use `precision f64`");
}

ws_status
wsi_refuse_small(const wsi_input *in, size_t i, size_t sample)
{
	return refuse_sample(in, i, sample, "not 0, but like all of its samples less than f32 "
	                     "holds,", "use `precision f64`");
}

/* ---- Gaps -------------------------------------------------------------------------- */

size_t
wsi_input_longest_gap(const wsi_input *in, size_t i)
{
	double second = in->fs_known ? floor(own_rate(in, i)) : 0;
	if (in->interpolate > 0)
		return (size_t)fmin(in->interpolate * (in->fs_known ? own_rate(in, i) : 1) + 1e-6,
		                    0x1p53);
	return second > 10 ? (size_t)second : 10;
}

typedef struct gaps {
	size_t n;
	size_t first;    /* samples of the first one */
	size_t longest;
	size_t shorter;  /* the longest of those that are mended by default; 0: there is none */
	bool ends;       /* the first one goes on up to the end */
} gaps;

static void
count_gap(gaps *g, size_t length, size_t most)
{
	g->first = g->n++ ? g->first : length;
	g->longest = length > g->longest ? length : g->longest;
	g->shorter = length <= most && length > g->shorter ? length : g->shorter;
}

/* Those of signal i from the one at `sample` on. */
static gaps
find_gaps(const wsi_input *in, size_t i, size_t sample)
{
	gaps g = { 0 };
	size_t start, all, core, samples, open = 0;
	wsi_input_span(in, i, &start, &all, &core, &samples);
	const size_t most = wsi_input_longest_gap(in, i), limit = sample + LOOKED_AT;
	const size_t end = samples < limit ? samples : limit;
	for (size_t k = sample, n; k < end; k += n) {
		n = end - k < WSI_INPUT_CHUNK ? end - k : WSI_INPUT_CHUNK;
		if (wsi_input_samples(in, i, core - start + k, n, in->part) != WS_OK)
			break;
		for (size_t j = 0; j < n; ++j) {
			if (open && isfinite(in->part[j]))
				count_gap(&g, open, most);
			open = isfinite(in->part[j]) ? 0 : open + 1;
		}
	}
	g.ends = g.n == 0;
	if (open)
		count_gap(&g, open, most);
	return g;
}

/* "28d", which --nan interpolate: takes. */
static void
gap_length(const wsi_input *in, size_t i, size_t samples, char text[WSI_MOMENT_TEXT])
{
	wsi_tell_length(in->rec, (double)samples / own_rate(in, i), own_rate(in, i), text);
	char *unit = strchr(text, ' ');
	if (in->fs_known)
		memmove(unit, unit + 1, strlen(unit));
	else
		*unit = '\0';
}

ws_status
wsi_refuse_gap(const wsi_input *in, size_t i, size_t sample)
{
	char advice[256], time[WSI_MOMENT_TEXT], longest[WSI_MOMENT_TEXT], most[WSI_MOMENT_TEXT];
	const gaps g = find_gaps(in, i, sample);
	gap_length(in, i, in->interpolate ? g.first : g.longest, longest);
	gap_length(in, i, g.shorter, most);
	if (sample == 0 && !g.ends)
		snprintf(advice, sizeof advice, "a gap at the beginning cannot be interpolated; "
		         "start later with `from` (%s)", tell_time(in, i, g.first, time));
	else if (g.ends)
		snprintf(advice, sizeof advice, "a gap at the end cannot be interpolated; stop "
		         "earlier with `to` (%s)", tell_time(in, i, sample, time));
	else if (in->interpolate)
		snprintf(advice, sizeof advice, "the gap is too long to interpolate; choose "
		         "channels or times without it (`channels`, `from`, `to`), or `nan "
		         "interpolate:%s`", longest);
	else if (g.n == 1)
		snprintf(advice, sizeof advice, "`nan interpolate:%s` mends this gap", longest);
	else if (g.shorter == 0 || g.shorter == g.longest)
		snprintf(advice, sizeof advice, "`nan interpolate:%s` mends each of %zu gaps",
		         longest, g.n);
	else
		snprintf(advice, sizeof advice, "`nan interpolate:%s` mends the shorter of %zu "
		         "gaps; the longest is %s", most, g.n, longest);
	return refuse_sample(in, i, sample, "not a finite number", advice);
}
