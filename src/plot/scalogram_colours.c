/* scalogram_colours.c - what the colours of a scalogram are, and the values that they stand for. */
#include "plot/scalogram_colours.h"

#include <math.h>
#include <stdlib.h>

#include "base/new.h"

#define LOW_SHARE   0.05    /* of values that take the first colour, in decibels */
#define HIGH_SHARE  0.998   /* that do not take the last.. */
#define MOST_SHARE  0.99    /* ..where colours are linear */
#define MOST_DEPTH  80.0    /* dB from the last colour to the first */
#define MOST_LINEAR 40.0    /* times their median, above which the last colour asks for decibels */

/* ---- Colours ------------------------------------------------------------------------------- */

/* Dark to light, in even steps for the eye and in print without colour. */
static const wsi_colour even[] = {
	WSI_RGB(0x440154), WSI_RGB(0x482878), WSI_RGB(0x3E4A89), WSI_RGB(0x31688E),
	WSI_RGB(0x26828E), WSI_RGB(0x1F9E89), WSI_RGB(0x35B779), WSI_RGB(0x6DCD59),
	WSI_RGB(0xB4DE2C), WSI_RGB(0xFDE725),
};

/* Of cells on paper: the weakest are the palest. */
static const wsi_colour sparse[] = WSI_PALE_TO_DEEP;

/* Blue below 0, red above, both as dark at the ends. */
static const wsi_colour about_zero[] = {
	WSI_RGB(0x053061), WSI_RGB(0x2166AC), WSI_RGB(0x4393C3), WSI_RGB(0x92C5DE),
	WSI_RGB(0xF7F7F7), WSI_RGB(0xF4A582), WSI_RGB(0xD6604D), WSI_RGB(0xB2182B),
	WSI_RGB(0x67001F),
};

static wsi_colour
cyclic_colour(double share)
{
	const double angle = 2 * M_PI * share;
	return (wsi_colour){ 0.5 + 0.42 * cos(angle), 0.5 + 0.42 * cos(angle - 2.0944),
		0.5 + 0.42 * cos(angle + 2.0944) };
}

wsi_colour
wsi_scalogram_colour(const void *scalogram, double share)
{
	const wsi_scalogram *s = scalogram;
	if (s->colours == WSI_COLOURS_SIGNED)
		return wsi_draw_mix(about_zero, 9, 8 * share);
	if (s->colours == WSI_COLOURS_SPARSE)
		return wsi_draw_mix(sparse, 5, 4 * share);
	return s->colours == WSI_COLOURS_CYCLE ? cyclic_colour(share)
	       : wsi_draw_mix(even, 10, 9 * share);
}

/* ---- Values -------------------------------------------------------------------------------- */

bool
wsi_scalogram_in_decibels(const wsi_scalogram *s)
{
	return s->colours == WSI_COLOURS_DECIBEL || s->colours == WSI_COLOURS_SPARSE;
}

double
wsi_scalogram_shown(const wsi_scalogram *s, float value)
{
	if (!wsi_scalogram_in_decibels(s))
		return value;
	return (s->amplitude ? 20 : 10) * log10(fmax(value, 1e-300));
}

static int
by_size(const void *a, const void *b)
{
	const float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

/* Does value i of a channel tell of the recording, rather than of what stands beside it? */
bool
wsi_scalogram_within_cone(const wsi_scalogram *s, size_t i)
{
	const double duration = (double)s->of->samples / s->of->fs;
	const double at = ((double)(i % s->columns) + 0.5) / (double)s->columns * duration;
	const double reach = s->cone ? s->cone[i / s->columns] : 0;
	return at >= reach - s->before && at <= duration - (reach - s->after);
}

/* Those values that colours are for: finite, as what is compared with a baseline may not be, and
 * where the ends of the recording do not reach, if there are such. */
static size_t
collect(const wsi_scalogram *s, const float *values, float *out)
{
	const size_t all = s->n_frequencies * s->columns;
	size_t n = 0;
	for (size_t i = 0; i < all; ++i)
		if (isfinite(values[i]) && wsi_scalogram_within_cone(s, i))
			out[n++] = values[i];
	for (size_t i = 0, none = n; none == 0 && i < all; ++i)
		if (isfinite(values[i]))
			out[n++] = values[i];
	if (n == 0)
		out[n++] = 0;
	return n;
}

/* The values that colours are for, ascending; NULL: no memory. */
static float *
sort(const wsi_scalogram *s, size_t channel, size_t *n)
{
	float *sorted = malloc((s->n_frequencies * s->columns + 1) * sizeof *sorted);
	if (!sorted)
		return NULL;
	*n = collect(s, s->values[channel], sorted);
	qsort(sorted, *n, sizeof *sorted, by_size);
	return sorted;
}

/* Would few values take all colours? */
ws_status
wsi_scalogram_wants_decibels(const wsi_scalogram *s, size_t channel, bool *wants)
{
	size_t n;
	float *sorted = sort(s, channel, &n);
	WSI_HAVE(sorted, "not enough memory for the figure");
	const float middle = sorted[n / 2];
	*wants |= middle > 0 && sorted[(size_t)(HIGH_SHARE * (double)(n - 1))] > MOST_LINEAR *
	        middle;
	free(sorted);
	return WS_OK;
}

/* What the first and the last colour stand for. */
ws_status
wsi_scalogram_range_of(const wsi_scalogram *s, size_t channel, double range[2])
{
	range[0] = -M_PI;
	range[1] = M_PI;
	if (s->range[1] > s->range[0]) {
		range[0] = s->range[0];
		range[1] = s->range[1];
		return WS_OK;
	}
	if (s->colours == WSI_COLOURS_CYCLE)
		return WS_OK;
	size_t n;
	float *sorted = sort(s, channel, &n);
	WSI_HAVE(sorted, "not enough memory for the figure");
	/* Of what is nothing decibels tell nothing. */
	const bool decibels = wsi_scalogram_in_decibels(s);
	size_t none = 0;
	while (decibels && none + 1 < n && sorted[none] <= 0)
		none++;
	const double last = (double)(n - 1 - none);
	range[0] = s->colours == WSI_COLOURS_LINEAR ? 0
	           : wsi_scalogram_shown(s, sorted[none + (size_t)(LOW_SHARE * last)]);
	range[1] = wsi_scalogram_shown(s,
	                               sorted[none + (size_t)((decibels ? HIGH_SHARE : MOST_SHARE)
	                                                         * last)]);
	if (s->colours == WSI_COLOURS_SIGNED) {
		const double low = wsi_scalogram_shown(s,
		                                       sorted[(size_t)((1 - MOST_SHARE) * last)]);
		range[1] = fmax(fabs(range[1]), fabs(low));
		range[0] = -range[1];
	}
	if (decibels)
		range[0] = fmax(range[0], range[1] - MOST_DEPTH);
	if (!(range[1] > range[0]))
		range[1] = range[0] + 1;
	free(sorted);
	return WS_OK;
}

/* The widest of all panels. */
ws_status
wsi_scalogram_range(const wsi_scalogram *s, double range[2])
{
	range[0] = INFINITY;
	range[1] = -INFINITY;
	for (size_t i = 0; i < s->of->n_channels; ++i) {
		double other[2];
		WSI_TRY(wsi_scalogram_range_of(s, i, other));
		range[0] = fmin(range[0], other[0]);
		range[1] = fmax(range[1], other[1]);
	}
	return WS_OK;
}
