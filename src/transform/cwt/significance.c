/*
 * significance.c - the power that noise exceeds with a given probability (T&C, sections 4 and
 * 5): the noise's spectrum at each frequency times a quantile of chi square.
 */
#include <math.h>

#include "base/element.h"
#include "transform/cwt/cwt.h"

/* ---- Quantiles ------------------------------------------------------------------------- */

/* erf(z), z >= 0: e^{-z^2} 2 / sqrt(pi) sum of 2^n z^(2n+1) / (2n+1)!!, all terms positive. */
static double
error_function(double z)
{
	double term = z, sum = z;
	for (int n = 1; n < 400 && term > 1e-18 * sum; ++n) {
		term *= 2.0 * z * z / (2.0 * n + 1.0);
		sum += term;
	}
	return 2.0 / sqrt(WSI_PI) * exponential(-z * z) * sum;
}

/* x that chi square, by its degrees of freedom (1 or 2), is below with probability p. */
static double
quantile(int freedom, double p)
{
	if (freedom == 2)
		return -wavelet_log(1.0 - p);
	double low = 0.0, high = 8.0;
	for (int i = 0; i < 80; ++i) {
		const double z = 0.5 * (low + high);
		*(error_function(z) < p ? &low : &high) = z;
	}
	return 2.0 * low * low;
}

/* ---- Noise ----------------------------------------------------------------------------- */

/* Mean of the products of samples that are lag apart, about the mean. */
static double
covariance(const wsi_cwt *cwt, const void *x, double mean, size_t lag)
{
	double sum = 0.0;
	for (size_t t = lag; t < cwt->samples; ++t)
		sum += (wsi_real_at(x, cwt->type, t) - mean)
		       * (wsi_real_at(x, cwt->type, t - lag) - mean);
	return sum / (double)cwt->samples;
}

/* T&C, section 3a: the mean of the autocorrelation at lag 1 and the root of that at lag 2. */
static double
estimate_lag1(const wsi_cwt *cwt, const void *x, double mean, double variance)
{
	const double one = covariance(cwt, x, mean, 1) / variance;
	const double two = covariance(cwt, x, mean, 2) / variance;
	/* The root of that at lag 2 has the sign of that at lag 1: noise may alternate. */
	const double lag1 = two > 0.0 ? 0.5 * (one + copysign(sqrt(two), one)) : one;
	return fmax(-0.999999, fmin(lag1, 0.999999));
}

/* Mean power of a scale of white noise of variance 1; energy: of the wavelet (wsi_wavelet_facts).
 * Norm tc: 1. */
static double
white_power(const wsi_cwt_scale *scale, double energy)
{
	double sum = 0.0;
	for (size_t i = 0; scale->taps && i < 2 * scale->tap_count; ++i)
		sum += scale->taps[i] * scale->taps[i];
	const double n = (double)scale->of->length, gain = scale->response.gain * n;
	return scale->taps ? sum : gain * gain * energy / (n * scale->response.step);
}

/* The noise's spectrum at w radians a sample, 1 on average. */
static double
spectrum_of(double lag1, double w)
{
	double cosine, sine;
	const double turns = fabs(w) / (2.0 * WSI_PI);
	gaussian_turn(turns - floor(turns), &cosine, &sine);
	return (1.0 - lag1 * lag1) / (1.0 + lag1 * lag1 - 2.0 * lag1 * cosine);
}

/* What the noise has at a scale, by what white noise on an endless axis would have: the mean of its
 * spectrum over the response, which is wide beside the bend of red noise, and is cut at half the
 * sampling rate.  Named references take the spectrum at the scale's frequency, as T&C do. */
static double
noise_at(const wsi_cwt *cwt, const wsi_cwt_scale *scale, double lag1)
{
	enum { STEPS = 1024 };
	if (cwt->o.reference != WS_CWT_REF_NONE)
		return spectrum_of(lag1, 2.0 * WSI_PI * scale->frequency / cwt->fs);
	const wsi_wavelet *v = &scale->response.wavelet;
	const double samples = scale->response.step * (double)scale->of->length / (2.0 * WSI_PI);
	double low, high, all = 0.0, heard = 0.0;
	wsi_wavelet_band(v, 1e-8, &low, &high);
	low = wavelet_two_sided(v) ? fmin(low, -high) : fmax(low, 0.0);
	for (int i = 0; i <= STEPS; ++i) {
		const double w = low + (high - low) * i / STEPS;
		const double share = wavelet_shape(v, w) * wavelet_shape(v, w);
		all += share;
		heard += fabs(w) <= WSI_PI * samples ? share * spectrum_of(lag1, w / samples) : 0.0;
	}
	return heard / all;
}

void
wsi_cwt_significance(const wsi_cwt *cwt, const void *x, size_t first, size_t count, double *levels)
{
	double mean = 0.0, energy = 0.0, last = NAN;
	for (size_t t = 0; t < cwt->samples; ++t)
		mean += wsi_real_at(x, cwt->type, t) / (double)cwt->samples;
	const double variance = covariance(cwt, x, mean, 0);
	double lag1 = cwt->o.significance == WS_SIGNIFICANCE_WHITE ? 0.0 : cwt->o.lag1;
	if (cwt->o.significance == WS_SIGNIFICANCE_AR1 && lag1 == 0.0 && variance > 0.0)
		lag1 = estimate_lag1(cwt, x, mean, variance);
	for (size_t i = 0; i < count; ++i) {
		const wsi_cwt_scale *scale = &cwt->scale[first + i];
		const wsi_wavelet *v = &scale->response.wavelet;
		const bool real = v->kind == WS_WAVELET_DOG;
		if (!(v->a == last))
			energy = wsi_wavelet_facts_of(v).energy;
		last = v->a;
		levels[i] = variance * noise_at(cwt, scale, lag1) *
			white_power(scale, energy) * quantile(real ? 1 : 2, cwt->o.level);
	}
}
