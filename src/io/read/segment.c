/* segment.c - the segments of a recording once they are in order: their samples and times. */
#include "io/read/segment.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/read/times.h"

double
wsi_segment_nearest(double at, double fs)
{
	const double sample = at * fs;
	return floor(sample + 0.5 + fmax(1e-6, fmin(4 * DBL_EPSILON * fabs(sample), 0.25)));
}

void
wsi_recording_measure(const wsi_recording *rec, double *fs, double *length)
{
	bool any = false;
	*fs = 1;
	*length = 0;
	for (size_t i = 0; i < rec->n_channels; ++i)
		any |= rec->channels[i].is_signal && rec->channels[i].samples > 0;
	for (size_t i = 0; i < rec->n_channels; ++i) {
		const wsi_channel *c = &rec->channels[i];
		if (c->samples == 0 || (any && !c->is_signal))
			continue;
		*fs = *length > 0 ? fmax(*fs, c->fs) : c->fs;
		*length = fmax(*length, (double)c->samples / c->fs);
	}
	*length *= rec->epochs ? (double)rec->epochs : 1;
}

size_t
wsi_segment_first(const wsi_recording *rec, size_t k, double fs, size_t samples)
{
	const size_t all = samples * (rec->epochs ? rec->epochs : 1);
	if (k >= rec->n_segments)
		return k == 0 ? 0 : all;
	const double sample = wsi_segment_nearest(rec->segments[k].at, fs);
	return sample < (double)all ? (size_t)sample : all;
}

size_t
wsi_segment_of(const wsi_recording *rec, size_t sample, double fs)
{
	size_t low = 0, high = rec->n_segments;
	while (high > low + 1) {
		const size_t k = low + (high - low) / 2;
		if (wsi_segment_first(rec, k, fs, SIZE_MAX / (rec->epochs ? rec->epochs : 1))
		    <= sample)
			low = k;
		else
			high = k;
	}
	return low;
}

double
wsi_segment_time(const wsi_recording *rec, size_t sample, double fs)
{
	if (rec->n_segments == 0 || rec->epochs)
		return (double)sample / fs;
	const wsi_segment *s = &rec->segments[wsi_segment_of(rec, sample, fs)];
	/* Where the file counts samples, exactly as of one without a pause. */
	if (s->start == s->at)
		return (double)sample / fs;
	return s->start + ((double)sample - wsi_segment_nearest(s->at, fs)) / fs;
}

double
wsi_segment_lag(const wsi_recording *rec, size_t k)
{
	double lag = 0;
	for (size_t j = 1; j <= k && j < rec->n_segments; ++j) {
		const wsi_segment *s = &rec->segments[j];
		const double counted = s->start - s[-1].start - (s->at - s[-1].at);
		/* What was filled in from the file's own times is them. */
		lag += fabs(s->pause - counted) < 1e-9 ? 0 : s->pause - counted;
	}
	return lag;
}

const char *
wsi_describe_segments(const wsi_recording *rec, double fs, size_t samples,
                      char text[WSI_SEGMENTS_TEXT])
{
	enum { SHOWN = 5 };
	char from[WSI_MOMENT_TEXT], to[WSI_MOMENT_TEXT];
	size_t length = 0;
	text[0] = '\0';
	for (size_t k = 0; k < rec->n_segments && k < SHOWN; ++k) {
		const size_t first = wsi_segment_first(rec, k, fs, samples);
		const size_t end = wsi_segment_first(rec, k + 1, fs, samples);
		const double start = rec->time_origin + wsi_segment_time(rec, first, fs);
		const double stop = start + (double)(end - first) / fs;
		wsi_tell_moment(rec, start, fs, from);
		wsi_tell_moment(rec, stop, fs, to);
		/* One unit is enough. */
		from[strcspn(from, " ")] = '\0';
		length += (size_t)snprintf(text + length, WSI_SEGMENTS_TEXT - length,
		                           "%s%zu (%s to %s)", k ? ", " : "", k + 1, from, to);
	}
	if (rec->n_segments > SHOWN)
		snprintf(text + length, WSI_SEGMENTS_TEXT - length, " and %zu more (wavesift info)",
		         rec->n_segments - SHOWN);
	return text;
}
