/*
 * response.c - the wavelet of one frequency of a plan: itself in time, and its response to tones.
 *
 * Between the bins of the padded signal a response is taken from its formula, so the wavelet does
 * not depend on the length of the signal; beyond the plan's bins it is 0.
 */
#include <math.h>
#include <string.h>

#include "transform/cwt/family.h"

/* Nodes of the integral over a response, at least: the wavelets that are cut at half the sampling
 * rate die away slowly. */
#define NODES 2048.0
/* Shares of the peak below which a response is not looked at. */
#define EDGE 1e-12
/* Taps that are added up for a tone; of longer wavelets every second, third, .. */
#define MOST_TAPS 16384

const wsi_cwt *
wsi_cwt_of_rows(const ws_plan *plan)
{
	static const char *const rows[] = { "cwt", "trials", "coherence" };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
		if (strcmp(plan->transform->about.name, rows[i]) == 0)
			return ((const wsi_cwt_plan *)plan)->cwt;
	return NULL;
}

/* Where a response is not 0, in bins. */
static void
find_band(const wsi_cwt *cwt, const wsi_cwt_response *f, double *low, double *high)
{
	const double half = 0.5 * (double)cwt->length;
	wsi_wavelet_band(&f->wavelet, EDGE, low, high);
	*low = fmax(fmax(*low / f->step, (double)f->k0 - 1.0), -half);
	*high = fmin(*high / f->step, (double)f->k1);
	/* Only the reference deng has bins above; a table's go beyond where it is cut. */
	if (cwt->o.reference != WS_CWT_REF_DENG)
		*high = fmin(*high, half);
}

/* ---- Tones ------------------------------------------------------------------------------- */

static double
response_at(const wsi_cwt *cwt, const wsi_cwt_response *f, double hz)
{
	const double n = (double)cwt->length;
	double low, high, sum = 0.0;
	find_band(cwt, f, &low, &high);
	for (int period = 0; period < 2; ++period) {
		const double k = hz / cwt->fs * n + period * n;
		if (k >= low && k <= high)
			sum += f->gain * n * wavelet_shape(&f->wavelet, f->step * k);
	}
	return fabs(sum);
}

/* every: of so many taps one is taken, for all of them. */
static double
response_of_taps(const wsi_cwt *cwt, const wsi_cwt_scale *scale, double hz, size_t every)
{
	double re = 0.0, im = 0.0;
	for (size_t j = 0; j < scale->tap_count; j += every) {
		const double turn = -hz / cwt->fs * (double)j;
		const double a = scale->taps[j], b = scale->taps[scale->tap_count + j];
		double c, s;
		gaussian_turn(turn - floor(turn), &c, &s);
		re += a * c - b * s;
		im += a * s + b * c;
	}
	return (double)every * hypot(re, im);
}

double
wsi_cwt_tone(const wsi_cwt *cwt, size_t f, double hz)
{
	const wsi_cwt_scale *scale = &cwt->scale[f];
	cwt = scale->of;
	if (!scale->taps)
		return 0.5 * (response_at(cwt, &scale->response, hz) +
		              response_at(cwt, &scale->response, -hz));
	const size_t every = 1 + scale->tap_count / MOST_TAPS;
	const double there = response_of_taps(cwt, scale, hz, every);
	/* Wavelets of so many taps do not respond to negative frequencies; by one in `every` of
	 * their taps, what is found there is the alias of the positive one. */
	return 0.5 * (there + (every > 1 ? 0.0 : response_of_taps(cwt, scale, -hz, 1)));
}

/* ---- Time -------------------------------------------------------------------------------- */

static void
weights_of_taps(const wsi_cwt_scale *scale, int64_t first, int64_t step, size_t count, double *re,
                double *im)
{
	for (size_t i = 0; i < count; ++i) {
		const int64_t j = (int64_t)scale->tap_zero - (first + (int64_t)i * step);
		const bool there = j >= 0 && j < (int64_t)scale->tap_count;
		re[i] = there ? scale->taps[j] : 0.0;
		im[i] = there ? -scale->taps[(int64_t)scale->tap_count + j] : 0.0;
	}
}

/* Adds a tone of k bins of n, of amplitude a + ib. */
static void
add_tone(double k, double n, double a, double b, int64_t first, int64_t step, size_t count,
         double *re, double *im)
{
	enum { ANEW = 256 }; /* a rotation is begun anew now and then: its error does not grow */
	const double turn = k / n * (double)step;
	double c, s, x = 0.0, y = 0.0;
	gaussian_turn(turn - floor(turn), &c, &s);
	for (size_t i = 0; i < count; ++i) {
		if (i % ANEW == 0) {
			const double at = k / n * (double)(first + (int64_t)i * step);
			gaussian_turn(at - floor(at), &x, &y);
		}
		re[i] += a * x - b * y;
		im[i] += a * y + b * x;
		const double next = x * c - y * s;
		y = x * s + y * c;
		x = next;
	}
}

void
wsi_cwt_weights(const wsi_cwt *cwt, size_t f, int64_t first, int64_t step, size_t count,
                double *re, double *im)
{
	static const double quarter[4][2] = { { 1, 0 }, { 0, -1 }, { -1, 0 }, { 0, 1 } };
	const wsi_cwt_scale *scale = &cwt->scale[f];
	const wsi_cwt_response *response = &scale->response;
	cwt = scale->of;
	if (scale->taps) {
		weights_of_taps(scale, first, step, count, re, im);
		return;
	}
	double low, high;
	find_band(cwt, response, &low, &high);
	const double last = (double)first + (double)(count - 1) * (double)step;
	const double reach = fmax(fabs((double)first), fabs(last)), n = (double)cwt->length;
	/* A sum over nodes is periodic: four times as long as what is asked for. */
	const size_t nodes = (size_t)fmax(NODES, ceil(8.0 * reach * (high - low) / n));
	const double apart = (high - low) / (double)nodes;
	const double *q = quarter[response->quarters];
	memset(re, 0, count * sizeof *re);
	memset(im, 0, count * sizeof *im);
	for (size_t i = 0; i < nodes; ++i) {
		const double k = low + ((double)i + 0.5) * apart;
		const double size = response->gain * apart *
			wavelet_shape(&response->wavelet, response->step * k);
		add_tone(k, n, size * q[0], size * q[1], first, step, count, re, im);
	}
}
