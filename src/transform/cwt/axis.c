/* axis.c - the frequency axis: lists, linear and logarithmic spacing, voices. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/status.h"
#include "transform/cwt/cwt.h"
#include "transform/options.h"

enum { MOST_VOICES = 1000 };
#define MOST_FREQUENCIES ((size_t)1 << 24)

/* 2^x for moderate x. */
static double
two_to(double x)
{
	return exponential(x * WSI_LN_2);
}

static double
log_of(double x)
{
	return wavelet_log(x);
}

static ws_status
list_axis(const ws_cwt_opts *o, double centre, double *f)
{
	const bool scales = !o->frequencies;
	const size_t count = scales ? o->scale_count : o->frequency_count;
	for (size_t i = 0; i < count; ++i) {
		const double given = scales ? o->scales[i] : o->frequencies[i];
		if (!(given > 0.0) || !isfinite(given))
			return WSI_FAIL(WS_E_ARG, "%s %zu is %g: it must be above "
			                "0", scales ? "scale" : "frequency", WSI_NO(i), given);
		f[i] = scales ? centre / (6.28318530717958647693 * given) : given;
	}
	return WS_OK;
}

/* Voices begin at the lowest frequency, where it is given; those of published codes at the highest,
 * whose scale is the first, always. */
static bool
from_low(const ws_cwt_opts *o)
{
	return o->freqs.low != 0.0 && !o->freqs.count && o->reference == WS_CWT_REF_NONE;
}

static void
spaced_axis(const ws_cwt_opts *o, double f_min, double f_max, size_t count, double *f)
{
	const double octaves = log_of(f_max / f_min) / WSI_LN_2;
	for (size_t i = 0; i < count; ++i) {
		const double share = count > 1 ? (double)i / (double)(count - 1) : 0.0;
		if (o->freqs.spacing == WS_SPACING_LINEAR)
			f[i] = f_max - share * (f_max - f_min);
		else if (o->freqs.count)
			f[i] = f_max * two_to(-share * octaves);
		else if (from_low(o))
			f[i] = f_min * two_to((double)(count - 1 - i) / o->voices);
		else
			f[i] = f_max * two_to(-(double)i / o->voices);
	}
	/* The ends are what was asked for, to the last bit. */
	if (o->freqs.count || !from_low(o))
		f[0] = f_max;
	else if (f[0] > f_max || f_max - f[0] < 1e-9 * f_max)
		f[0] = f_max; /* a voice but for rounding */
	if (o->freqs.count > 1 || from_low(o))
		f[count - 1] = f_min;
}

static ws_status
spaced_count(const ws_cwt_opts *o, double f_min, double f_max, double fs, size_t *count)
{
	char low[WSI_FREQUENCY_TEXT], high[WSI_FREQUENCY_TEXT];
	if (!(f_min > 0.0) || !isfinite(f_max) || !(f_max >= f_min))
		return WSI_FAIL(WS_E_ARG, "the lowest frequency, %s, must be above 0 and not "
		                "above the highest, %s", wsi_tell_frequency(f_min, fs, low),
		                wsi_tell_frequency(f_max, fs, high));
	if (o->voices < 0 || o->voices > MOST_VOICES)
		return WSI_FAIL(WS_E_ARG, "voices an octave must be 1 to %d, not %d", MOST_VOICES,
		                o->voices);
	if (o->freqs.spacing == WS_SPACING_LINEAR && !o->freqs.count)
		return WSI_FAIL(WS_E_ARG, "linear spacing needs the number of frequencies");
	const double octaves = log_of(f_max / f_min) / WSI_LN_2;
	/* An end that is a voice but for rounding counts. */
	*count = o->freqs.count ? o->freqs.count : 1 + (size_t)floor(octaves * o->voices + 1e-9);
	return WS_OK;
}

ws_status
wsi_cwt_axis(const ws_cwt_opts *o, double centre, double f_min, double f_max, double fs,
             double **frequency, size_t *count)
{
	*frequency = NULL;
	const bool listed = o->frequencies || o->scales;
	if (o->frequencies)
		*count = o->frequency_count;
	else if (o->scales)
		*count = o->scale_count;
	else
		WSI_TRY(spaced_count(o, f_min, f_max, fs, count));
	if (*count == 0)
		return WSI_FAIL(WS_E_ARG, "there is no frequency");
	if (*count > MOST_FREQUENCIES)
		return WSI_FAIL(WS_E_ARG, "%zu frequencies are more than %zu", *count,
		                MOST_FREQUENCIES);
	double *f = malloc(*count * sizeof *f);
	if (!f)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu frequencies", *count);
	ws_status status = WS_OK;
	if (listed)
		status = list_axis(o, centre, f);
	else
		spaced_axis(o, f_min, f_max, *count, f);
	char its[WSI_FREQUENCY_TEXT], most[WSI_FREQUENCY_TEXT];
	for (size_t i = 0; status == WS_OK && i < *count; ++i)
		if (f[i] > 0.5 * fs)
			status = WSI_FAIL(WS_E_ARG, "frequency %zu, %s, is above half the "
			                  "sampling rate, %s%s", WSI_NO(i),
			                  wsi_tell_frequency(f[i], fs, its),
			                  wsi_tell_frequency(0.5 * fs, fs, most),
			                  fs == 1.0 ? "; the rate is 1 Hz where no `fs` tells it"
			                  : "");
	if (status != WS_OK) {
		free(f);
		return status;
	}
	*frequency = f;
	return WS_OK;
}
