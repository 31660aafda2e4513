/* octaves.c - frequencies by octaves, each sampled no more often than its wavelets need. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "math/quantities.h"
#include "transform/cwt/cwt.h"

/* Where a wavelet's band ends, in shares of its peak: -30 dB. */
#define BAND_EDGE 0.03162277660168379
/* Outputs that an octave keeps at least, of as many samples. */
#define FEWEST 8

/* ---- Arrays ------------------------------------------------------------------------------ */

#define ONE(name, n, text, element) \
	{ name "_" #n, text " of octave " #n, element, \
	  { WS_AXIS_CHANNEL, WS_AXIS_FREQUENCY, WS_AXIS_TIME }, \
	  WS_ARRAY_MAIN | WS_ARRAY_OWN_AXES, 0 }
#define EIGHT(name, a, b, c, d, e, f, g, h, text, element) \
	ONE(name, a, text, element), ONE(name, b, text, element), ONE(name, c, text, element), \
	ONE(name, d, text, element), ONE(name, e, text, element), ONE(name, f, text, element), \
	ONE(name, g, text, element), ONE(name, h, text, element)
#define ALL(name, text, element) { \
	EIGHT(name, 1, 2, 3, 4, 5, 6, 7, 8, text, element), \
	EIGHT(name, 9, 10, 11, 12, 13, 14, 15, 16, text, element), \
	EIGHT(name, 17, 18, 19, 20, 21, 22, 23, 24, text, element), \
	EIGHT(name, 25, 26, 27, 28, 29, 30, 31, 32, text, element) }

const wsi_array *
wsi_cwt_octave_arrays(ws_quantity quantity)
{
#define OF_QUANTITY(number, array, name, file, element, text, of_octave) \
	case number: { \
		static const wsi_array arrays[] = ALL(file, of_octave, element); \
		return arrays; \
	}
	switch ((int)quantity) {
	WSI_QUANTITIES(OF_QUANTITY)
	default: return NULL;
	}
#undef OF_QUANTITY
}

/* ---- Octaves ----------------------------------------------------------------------------- */

/* Outputs a second that a scale needs, so that nothing that its wavelet hears above -30 dB folds in
 * its power, whose band is twice as wide as that of the coefficients; what folds in these is then
 * below -60 dB.  low, high: the band of the wavelet. */
static double
rate_of(const wsi_cwt *cwt, const wsi_cwt_scale *scale, double unit, double low, double high)
{
	const double own = 2.0 * WSI_PI * unit * scale->scale, half = 0.5 * cwt->fs;
	return 2.0 * (fmin(high / own, half) - fmax(low / own, -half));
}

/* Octaves below the highest frequency; one that is half of it but for rounding begins the next. */
static size_t
octave_of(double highest, double frequency)
{
	return (size_t)floor(wavelet_log(highest / frequency) / WSI_LN_2 + 1e-9);
}

typedef struct placed {
	size_t octave, number;
} placed;

static int
by_octave(const void *a, const void *b)
{
	const placed *x = a, *y = b;
	if (x->octave != y->octave)
		return x->octave < y->octave ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Octaves without a frequency are none. */
static ws_status
number_octaves(wsi_cwt *cwt, const placed *order)
{
	cwt->octaves = 0;
	for (size_t i = 0; i < cwt->count; ++i) {
		if (i == 0 || order[i].octave != order[i - 1].octave) {
			if (cwt->octaves == WSI_CWT_OCTAVES)
				return WSI_FAIL(WS_E_ARG, "the frequencies are in more than %d "
				                "octaves: give fewer, or no octaves",
				                WSI_CWT_OCTAVES);
			cwt->octave[cwt->octaves++] = (wsi_cwt_octave){ .first = i };
		}
		cwt->octave[cwt->octaves - 1].count++;
	}
	return WS_OK;
}

/* May an octave have one output for d samples?  The padded length is that of the transform at every
 * sample, so that both agree where a wavelet hears the padding. */
static bool
may_have(const wsi_cwt *cwt, size_t d)
{
	return d <= cwt->samples / FEWEST && (cwt->length % d == 0 || cwt->length == cwt->samples);
}

/* As many times two as the octave's wavelets allow. */
static void
choose_decimation(wsi_cwt *cwt, double unit, wsi_cwt_octave *octave)
{
	double rate = 0.0, low, high;
	wsi_cwt_scale *scales = cwt->scale + octave->first;
	for (size_t i = 0; i < octave->count; ++i) {
		const wsi_wavelet *v = &scales[i].response.wavelet;
		if (i == 0 || v->a != scales[i - 1].response.wavelet.a)
			wsi_wavelet_band(v, BAND_EDGE, &low, &high);
		rate = fmax(rate, rate_of(cwt, &scales[i], unit, low, high));
	}
	size_t d = cwt->o.decimate;
	while (2.0 * (double)d * rate <= cwt->fs && may_have(cwt, 2 * d))
		d *= 2;
	octave->decimate = d;
	octave->outputs = wsi_cwt_every(cwt->samples, d);
	/* Transforms of as few points as there are; else one of all. */
	size_t step = d;
	while (step > cwt->o.decimate &&
	       (cwt->length % step || !wsi_fft_fits(cwt->length / step)))
		step /= 2;
	if (cwt->length % step || !wsi_fft_fits(cwt->length / step))
		step = d;
	for (size_t i = 0; i < octave->count; ++i) {
		scales[i].decimate = d;
		scales[i].step = step;
	}
}

/* The scales in the order of their octaves. */
static ws_status
sort(wsi_cwt *cwt)
{
	double highest = 0.0;
	for (size_t i = 0; i < cwt->count; ++i)
		highest = fmax(highest, cwt->scale[i].frequency);
	placed *order = malloc(cwt->count * sizeof *order);
	wsi_cwt_scale *sorted = malloc(cwt->count * sizeof *sorted);
	ws_status status = order && sorted ? WS_OK
		: WSI_FAIL(WS_E_NOMEM, "no memory for %zu scales", cwt->count);
	for (size_t i = 0; status == WS_OK && i < cwt->count; ++i)
		order[i] = (placed){ octave_of(highest, cwt->scale[i].frequency), i };
	if (status == WS_OK) {
		qsort(order, cwt->count, sizeof *order, by_octave);
		for (size_t i = 0; i < cwt->count; ++i)
			sorted[i] = cwt->scale[order[i].number];
		memcpy(cwt->scale, sorted, cwt->count * sizeof *sorted);
		status = number_octaves(cwt, order);
	}
	free(order);
	free(sorted);
	return status;
}

ws_status
wsi_cwt_make_octaves(wsi_cwt *cwt, double unit)
{
	WSI_TRY(sort(cwt));
	cwt->outputs = 0;
	for (int o = 0; o < cwt->octaves; ++o) {
		wsi_cwt_octave *octave = &cwt->octave[o];
		choose_decimation(cwt, unit, octave);
		cwt->outputs = octave->outputs > cwt->outputs ? octave->outputs : cwt->outputs;
	}
	return WS_OK;
}
