/* input_resample.c - channels of a recording brought to one rate. */
#include <math.h>
#include <stdlib.h>

#include "base/new.h"
#include "io/read/input_resample.h"
#include "io/read/segments.h"

static double
target_rate(const wsi_input *in, double wanted)
{
	double low = HUGE_VAL, high = 0;
	for (size_t i = 0; i < in->n_channels; i++) {
		const double fs = in->rec->channels[in->channels[i]].fs;
		low = fs < low ? fs : low;
		high = fs > high ? fs : high;
	}
	return wanted == WSI_RATE_LOWEST ? low : wanted == WSI_RATE_HIGHEST ? high : wanted;
}

/* The number of the one for a rate, made where there is none yet. */
static ws_status
find_resampler(wsi_input *in, double fs, size_t *number)
{
	size_t k = 0;
	while (k < in->n_resamplers && in->resamplers[k].from != fs)
		k++;
	*number = k;
	if (k < in->n_resamplers)
		return WS_OK;
	WSI_TRY(wsi_resample_make(&in->resamplers[k], fs, in->fs));
	in->n_resamplers++;
	return WS_OK;
}

/* Channels of one duration have one number of samples then; rates that are no round numbers may
 * give or take one. */
static ws_status
count_samples(wsi_input *in)
{
	const wsi_recording *rec = in->rec;
	size_t most = 0, least = SIZE_MAX, longest = 0, shortest = 0;
	for (size_t i = 0; i < in->n_channels; i++) {
		const size_t own = rec->channels[in->channels[i]].samples;
		const size_t n = in->resampler[i] == SIZE_MAX ? own
		                 : wsi_resample_count(&in->resamplers[in->resampler[i]], own);
		longest = n > most ? i : longest;
		shortest = n < least ? i : shortest;
		most = n > most ? n : most;
		least = n < least ? n : least;
	}
	in->all = least;
	if (most - least <= 1)
		return WS_OK;
	return WSI_FAIL(WS_E_FORMAT, "%s: channels %s and %s differ in length: at %g Hz they have "
	                "%zu and %zu samples; select channels of one length", rec->path,
	                wsi_input_name(in, longest), wsi_input_name(in, shortest), in->fs, most,
	                least);
}

ws_status
wsi_input_resample(wsi_input *in, const wsi_pick *pick)
{
	const wsi_recording *rec = in->rec;
	if (!rec->fs_known)
		return WSI_FAIL(WS_E_ARG, "`resample`: the sampling rate of %s is not known; give "
		                "it with `fs`", rec->path);
	in->fs = target_rate(in, pick->resample);
	in->resamplers = wsi_kept_new(&in->kept, in->n_channels, sizeof *in->resamplers);
	in->resampler = wsi_kept_new(&in->kept, in->n_channels, sizeof *in->resampler);
	in->row_offset = wsi_kept_new(&in->kept, in->n_channels + 1, sizeof *in->row_offset);
	WSI_HAVE(!in->kept.failed, "%s: not enough memory", rec->path);
	for (size_t i = 0; i < in->n_channels; i++) {
		const wsi_channel *c = &rec->channels[in->channels[i]];
		in->resampler[i] = SIZE_MAX;
		if (c->samples == 0)
			return WSI_FAIL(WS_E_FORMAT, "%s: channel %s has no samples", rec->path,
			                c->name);
		if (c->fs != in->fs)
			WSI_TRY(find_resampler(in, c->fs, &in->resampler[i]));
	}
	return count_samples(in);
}

void
wsi_input_span(const wsi_input *in, size_t i, size_t *first, size_t *count, size_t *core,
               size_t *n_core)
{
	const size_t c = i % in->n_channels;
	const size_t start = in->starts ? in->starts[i / in->n_channels] : in->first;
	size_t end, rest, rest_end;
	if (!in->resampler || in->resampler[c] == SIZE_MAX) {
		*core = start;
		*n_core = in->samples;
		*first = start - in->before;
		*count = wsi_input_handed(in);
		return;
	}
	const wsi_recording *rec = in->rec;
	const wsi_channel *own = &rec->channels[in->channels[c]];
	size_t low = 0, high = own->samples;
	/* Nothing from beyond a pause. */
	if (rec->n_segments > 0 && !rec->epochs) {
		const size_t k = wsi_segment_of(rec, start, in->fs);
		low = wsi_segment_first(rec, k, own->fs, own->samples);
		high = wsi_segment_first(rec, k + 1, own->fs, own->samples);
	}
	const wsi_resample *r = &in->resamplers[in->resampler[c]];
	wsi_resample_span(r, start, in->samples, low, high, first, &end, core, n_core);
	wsi_resample_span(r, start - in->before, wsi_input_handed(in), low, high, first, &end,
	                  &rest, &rest_end);
	*count = end - *first;
	*n_core -= *core;
}
