/*
 * inverse.c - weights by which coefficients add up to the signal, or their squares to its
 * variance, and the filters that bands of frequencies are.
 */
#include "transform/cwt/inverse.h"

#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "transform/options.h"

/* E is not divided by less: a grid with gaps is not filled with noise. */
#define LEAST 0.1

/* ---- Weights -------------------------------------------------------------------------- */

static ws_status
check(const wsi_cwt *cwt)
{
	const ws_cwt_reference r = cwt->o.reference;
	if (r == WS_CWT_REF_MNE || r == WS_CWT_REF_PYWT || r == WS_CWT_REF_DENG)
		return WSI_FAIL(WS_E_ARG, "the inverse transform is not known of the references "
		                "mne, pywt and deng: leave out the reference");
	if (cwt->scale[0].response.quarters % 2)
		return WSI_FAIL(WS_E_ARG, "odd derivatives of a Gaussian have no inverse that adds "
		                "up coefficients: take an even m, such as dog:2");
	return WS_OK;
}

/* (psi^(w) + psi^(-w)) / 2, which an even sum of coefficients sees. */
static double
even_part(const wsi_wavelet *v, double w)
{
	return 0.5 * (wavelet_shape(v, w) + wavelet_shape(v, -w));
}

static double
even_energy(const wsi_wavelet *v, double w)
{
	const double a = wavelet_shape(v, w), b = wavelet_shape(v, -w);
	return 0.5 * (a * a + b * b);
}

/* Integrals in ln w. */
static void
integrate(const wsi_wavelet *v, double *one, double *square)
{
	const double step = 1.0 / 256.0;
	double low, high;
	*one = *square = 0.0;
	if (wsi_wavelet_is_narrow(v, 0.13, &low, &high)) {
		enum { STEPS = 4096 };
		for (int i = 0; i <= STEPS; ++i) {
			const double w = low + (high - low) / STEPS * i;
			*one += (high - low) / STEPS * even_part(v, w) / w;
			*square += (high - low) / STEPS * even_energy(v, w) / w;
		}
		return;
	}
	for (int i = -12 * 256; i < 8 * 256; ++i) {
		const double w = v->peak * exponential(i * step);
		*one += step * even_part(v, w);
		*square += step * even_energy(v, w);
	}
}

typedef struct placed {
	double frequency;
	size_t index;
} placed;

static int
rising(const void *a, const void *b)
{
	const placed *x = a, *y = b;
	if (x->frequency != y->frequency)
		return x->frequency < y->frequency ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

/* The stretch of ln f that each frequency stands for: half way to its neighbours, and no further
 * than the grid.  Frequencies that are the same share none. */
static void
make_cells(wsi_inverse *v, const placed *sorted, size_t n)
{
	for (size_t i = 0; i < n; ++i) {
		const double f = sorted[i].frequency;
		const double before = i ? sorted[i - 1].frequency : f;
		const double after = i + 1 < n ? sorted[i + 1].frequency : f;
		v->cell[2 * sorted[i].index] = 0.5 * (wavelet_log(before) + wavelet_log(f));
		v->cell[2 * sorted[i].index + 1] = 0.5 * (wavelet_log(f) + wavelet_log(after));
	}
}

static void
make_weights(wsi_inverse *v, const wsi_cwt *cwt, bool alone)
{
	const double each = 1.0 / (double)cwt->count;
	double one = 0.0, square = 0.0, last = NAN;
	for (size_t i = 0; i < cwt->count; ++i) {
		const wsi_cwt_response *f = &cwt->scale[i].response;
		const double g = f->gain * (double)cwt->scale[i].of->length *
			(f->quarters == 2 ? -1.0 : 1.0);
		if (!(f->wavelet.a == last))
			integrate(&f->wavelet, &one, &square);
		last = f->wavelet.a;
		const double peak = even_part(&f->wavelet, f->wavelet.peak);
		const double high = even_energy(&f->wavelet, f->wavelet.peak);
		const double width = v->cell[2 * i + 1] - v->cell[2 * i];
		v->weight[i] = (alone ? each / peak : width / one) / g;
		v->energy[i] = (alone ? each / high : width / square) / (g * g);
	}
}

/* ---- Bands ---------------------------------------------------------------------------- */

/* How much of a frequency is a band's. */
static double
share_of(const wsi_inverse *v, const wsi_band *b, size_t i)
{
	const double low = v->cell[2 * i], high = v->cell[2 * i + 1];
	const double from = wavelet_log(b->low), to = wavelet_log(b->high);
	if (!(high > low))
		return low >= from && low <= to ? 1.0 : 0.0;
	const double begin = low > from ? low : from, end = high < to ? high : to;
	return end > begin ? (end - begin) / (high - low) : 0.0;
}

static ws_status
take_bands(wsi_inverse *v, const wsi_cwt *cwt, const double *bands, double lowest, double highest)
{
	size_t used = 0;
	for (size_t b = 0; b < v->bands; ++b) {
		char text[4][WSI_FREQUENCY_TEXT];
		wsi_band *band = &v->band[b];
		band->low = bands ? bands[2 * b] : lowest;
		band->high = bands ? bands[2 * b + 1] : highest;
		wsi_tell_frequency(band->low, cwt->fs, text[0]);
		wsi_tell_frequency(band->high, cwt->fs, text[1]);
		if (!(band->low > 0.0) || !(band->high >= band->low) || !isfinite(band->high))
			return WSI_FAIL(WS_E_ARG, "band %zu is %s to %s: it needs two frequencies "
			                "above 0, the lower one first", b + 1, text[0], text[1]);
		band->first = used;
		for (size_t i = 0; i < cwt->count; ++i) {
			v->member[used] = (wsi_band_member){ i, share_of(v, band, i) };
			used += v->member[used].share > 0.0;
		}
		band->count = used - band->first;
		if (!band->count)
			return WSI_FAIL(WS_E_ARG, "band %zu, %s to %s, has no part of the "
			                "frequencies, %s to %s", b + 1, text[0], text[1],
			                wsi_tell_frequency(lowest, cwt->fs, text[2]),
			                wsi_tell_frequency(highest, cwt->fs, text[3]));
	}
	return WS_OK;
}

/* ---- Filters -------------------------------------------------------------------------- */

static bool
is_ours(const wsi_cwt *cwt)
{
	return cwt->o.reference == WS_CWT_REF_NONE;
}

/* The response by its formula, of all bins of either side of the period; of references as they
 * have it. */
static wsi_cwt_response
response_of(const wsi_inverse *v, const wsi_cwt *cwt, const wsi_cwt_scale *scale)
{
	wsi_cwt_response f = scale->response;
	const int64_t half = (int64_t)(v->period / 2);
	if (!is_ours(cwt))
		return f;
	f.step *= (double)scale->of->length / (double)v->period;
	const double from = floor(scale->low / f.step), to = ceil(scale->high / f.step) + 1.0;
	f.table = NULL;
	f.halve_nyquist = f.whole = false;
	f.k0 = (int64_t)fmin(fmax(from, (double)-half), (double)half);
	f.k1 = (int64_t)fmin(to, (double)(half + 1));
	f.k1 = f.k1 > f.k0 ? f.k1 : f.k0 + 1;
	return f;
}

/* What coefficients of frequency i give to the sum, by the response's value. */
static double
factor_of(const wsi_inverse *v, const wsi_cwt *cwt, size_t i)
{
	const double sign = cwt->scale[i].response.quarters == 2 ? -1.0 : 1.0;
	return sign * v->weight[i] * (double)cwt->scale[i].of->length;
}

/* Adds what a part of a frequency gives to bins from `first` on.  single: its response. */
static void
add_response(const wsi_cwt *cwt, const wsi_inverse *v, const wsi_cwt_response *f,
             const double *single, double c, size_t first, double *response)
{
	const double half = 0.5 * c;
	const int64_t k0 = f->k0, k1 = f->k1, last = (int64_t)(v->period / 2);
	const int64_t from = k0 > 1 ? k0 : 1;
	/* The first bin is its own mirror image; that of half the rate of references is, of ours
	 * half of it belongs to either side. */
	for (int64_t k = k0; k < 0 && k < k1; ++k) {
		const bool own = !is_ours(cwt) && 2 * (size_t)-k == v->period;
		response[(size_t)-k - first] += (own ? c : half) * single[k - k0];
	}
	if (k0 <= 0 && k1 > 0)
		response[0] += c * single[-k0];
	const bool whole = !is_ours(cwt) && 2 * (size_t)last == v->period && from <= last &&
	                   k1 > last;
	const int64_t end = whole ? last : k1;
	for (int64_t k = from; k < end; ++k)
		response[(size_t)k - first] += half * single[k - k0];
	for (int64_t k = end; k < k1; ++k)
		response[(size_t)k - first] += (k == last ? c : half) * single[k - k0];
}

/* Adds frequency i to the sum of all, and its shares to the bands': next[b] of a band's members are
 * there. */
static void
add_frequency(const wsi_cwt *cwt, wsi_inverse *v, size_t i, double *single, size_t *next,
              double *all)
{
	const wsi_cwt_response f = response_of(v, cwt, &cwt->scale[i]);
	const wsi_cwt_response_args args = { .response = &f, .n = v->period, .values = single };
	const double c = factor_of(v, cwt, i);
	cwt->wide->cwt->response(&args);
	add_response(cwt, v, &f, single, c, 0, all);
	for (size_t b = 0; b < v->bands; ++b) {
		const wsi_band *band = &v->band[b];
		const wsi_band_member *m = &v->member[band->first + next[b]];
		if (next[b] == band->count || m->frequency != i)
			continue;
		add_response(cwt, v, &f, single, m->share * c, band->k0, (double *)band->gain);
		next[b]++;
	}
}

/* E at a frequency that need not be a bin's. */
static double
response_at(const wsi_inverse *v, const wsi_cwt *cwt, double hz)
{
	double sum = 0.0;
	for (size_t i = 0; i < cwt->count; ++i) {
		const wsi_cwt_response *f = &cwt->scale[i].response;
		const double w = f->step * (double)cwt->scale[i].of->length * hz / cwt->fs;
		sum += factor_of(v, cwt, i) * f->gain * even_part(&f->wavelet, w);
	}
	return sum;
}

static double
at_least(double e)
{
	return e > LEAST ? e : LEAST;
}

/* E over the grid's band, held beyond. */
static void
make_divisor(wsi_inverse *v, const wsi_cwt *cwt, const double *all)
{
	const double lowest = v->lowest, highest = v->highest;
	const double low = response_at(v, cwt, lowest), high = response_at(v, cwt, highest);
	const double hz = cwt->fs / (double)v->period;
	for (size_t k = 0; k <= v->period / 2; ++k) {
		const double f = hz * (double)k;
		v->divisor[k] = at_least(f < lowest ? low : f > highest ? high : all[k]);
	}
}

static bool
is_flat(const wsi_inverse *v, const wsi_band *b, size_t k)
{
	return fabs(b->gain[k - b->k0] * (double)v->period - 1.0) <= 0.01;
}

/* Where the gain of a band is within 1 % of 1, around its middle; the error of all bands' sum. */
static void
measure_band(const wsi_inverse *v, const wsi_cwt *cwt, wsi_band *b, const double *all)
{
	const double lowest = v->lowest, highest = v->highest;
	const double n = (double)v->period, hz = cwt->fs / n, most = (double)(v->period / 2);
	const double from = fmin(fmax(ceil(b->low / hz), 0.0), most);
	const double to = fmin(floor(b->high / hz), most);
	size_t best = b->k0;
	for (int end = 0; end < 2; ++end) {
		const double f = end ? b->high : b->low;
		const double e = response_at(v, cwt, f);
		const double held = response_at(v, cwt, f < lowest ? lowest : f > highest ? highest
		                                : f);
		b->error = fmax(b->error, fabs(e / at_least(held) - 1.0));
	}
	for (size_t k = (size_t)from; (double)k <= to; ++k) {
		b->error = fmax(b->error, fabs(all[k] / v->divisor[k] - 1.0));
		if (k >= b->k0 && k < b->k1 && fabs(b->gain[k - b->k0] * n - 1.0) <
		    fabs(b->gain[best - b->k0] * n - 1.0))
			best = k;
	}
	size_t low = best, high = best;
	if (!is_flat(v, b, best))
		return;
	while (low > b->k0 && is_flat(v, b, low - 1))
		--low;
	while (high + 1 < b->k1 && is_flat(v, b, high + 1))
		++high;
	b->flat_low = (double)low * hz;
	b->flat_high = (double)high * hz;
}

/* Bins that a band's frequencies reach, and their sum; most: bins of the longest response. */
static void
find_bins(const wsi_inverse *v, const wsi_cwt *cwt, wsi_band *b)
{
	int64_t low = INT64_MAX, high = 0;
	for (size_t i = 0; i < b->count; ++i) {
		const wsi_cwt_response f = response_of(
			v, cwt, &cwt->scale[v->member[b->first + i].frequency]);
		const int64_t k0 = f.k0 < 0 ? 0 : f.k0;
		const int64_t end = f.k1 > 1 - f.k0 ? f.k1 : 1 - f.k0;
		low = k0 < low ? k0 : low;
		high = end > high ? end : high;
	}
	const int64_t most = (int64_t)(v->period / 2) + 1;
	b->k0 = (size_t)low;
	b->k1 = (size_t)(high < most ? high : most);
}

static void
lay_out_filters(wsi_inverse *v, const wsi_cwt *cwt)
{
	v->filters = true;
	v->longest = 1;
	for (size_t b = 0; b < v->bands; ++b) {
		find_bins(v, cwt, &v->band[b]);
		v->total += v->band[b].k1 - v->band[b].k0;
	}
	for (size_t i = 0; i < cwt->count; ++i) {
		const wsi_cwt_response f = response_of(v, cwt, &cwt->scale[i]);
		const size_t bins = (size_t)(f.k1 - f.k0);
		v->longest = bins > v->longest ? bins : v->longest;
	}
}

size_t
wsi_inverse_tables(const wsi_inverse *v, size_t *making)
{
	const size_t half = v->period / 2 + 1, single = v->longest + 2 * WSI_FFT_ACROSS;
	*making = v->filters ? (half + single + v->bands) * sizeof(double) : 0;
	return v->filters ? (v->total + half) * sizeof(double) : 0;
}

/* all: [N / 2 + 1], next: [band], both 0; single: of the longest response.  False where the user
 * stops it. */
static bool
fill_filters(wsi_inverse *v, const wsi_cwt *cwt, double *all, size_t *next, double *single,
             wsi_progress *progress)
{
	double *gain = v->gains;
	for (size_t b = 0; b < v->bands; ++b) {
		v->band[b].gain = gain;
		gain += v->band[b].k1 - v->band[b].k0;
	}
	for (size_t i = 0; i < cwt->count; ++i) {
		if (!wsi_goes_on(progress, 0))
			return false;
		add_frequency(cwt, v, i, single, next, all);
	}
	make_divisor(v, cwt, all);
	gain = v->gains;
	for (size_t b = 0; b < v->bands; ++b) {
		wsi_band *band = &v->band[b];
		for (size_t k = band->k0; k < band->k1; ++k)
			*gain++ /= v->divisor[k] * (double)v->period;
		measure_band(v, cwt, band, all);
	}
	return true;
}

static ws_status
fill(wsi_inverse *v, const wsi_cwt *cwt, wsi_progress *progress)
{
	const size_t half = v->period / 2 + 1;
	double *all = calloc(half, sizeof *all);
	size_t *next = calloc(v->bands, sizeof *next);
	double *single = malloc((v->longest + 2 * WSI_FFT_ACROSS) * sizeof *single);
	v->gains = calloc(v->total, sizeof *v->gains);
	v->divisor = malloc(half * sizeof *v->divisor);
	ws_status status = WS_OK;
	if (!all || !next || !single || !v->gains || !v->divisor)
		status = WSI_FAIL(WS_E_NOMEM, "no memory for the filters of %zu bands", v->bands);
	else if (!fill_filters(v, cwt, all, next, single, progress))
		status = WSI_FAIL(WS_E_CANCELLED, "cancelled");
	free(all);
	free(next);
	free(single);
	return status;
}

ws_status
wsi_inverse_fill(wsi_inverse *v, const wsi_cwt *cwt, wsi_progress *progress)
{
	if (!v->filters || v->divisor)
		return WS_OK;
	const ws_status status = fill(v, cwt, progress);
	if (status != WS_OK)
		wsi_inverse_empty(v);
	return status;
}

void
wsi_inverse_empty(wsi_inverse *v)
{
	free(v->divisor);
	free(v->gains);
	v->divisor = v->gains = NULL;
}

/* ---- Life ----------------------------------------------------------------------------- */

static ws_status
make(wsi_inverse *v, const wsi_cwt *cwt, const double *bands, bool filters)
{
	WSI_TRY(check(cwt));
	const size_t n = cwt->count;
	v->weight = calloc(n, sizeof *v->weight);
	v->energy = calloc(n, sizeof *v->energy);
	v->cell = calloc(2 * n, sizeof *v->cell);
	v->member = calloc(n * v->bands + 1, sizeof *v->member);
	v->band = calloc(v->bands, sizeof *v->band);
	placed *sorted = calloc(n, sizeof *sorted);
	ws_status status = WS_OK;
	if (!v->weight || !v->energy || !v->cell || !v->member || !v->band || !sorted)
		status = WSI_FAIL(WS_E_NOMEM, "no memory for %zu bands of %zu frequencies",
		                  v->bands, n);
	if (status == WS_OK) {
		for (size_t i = 0; i < n; ++i)
			sorted[i] = (placed){ cwt->scale[i].frequency, i };
		qsort(sorted, n, sizeof *sorted, rising);
		v->lowest = sorted[0].frequency;
		v->highest = sorted[n - 1].frequency;
		make_cells(v, sorted, n);
		make_weights(v, cwt, v->lowest == v->highest);
		status = take_bands(v, cwt, bands, v->lowest, v->highest);
		if (status == WS_OK && filters)
			lay_out_filters(v, cwt);
	}
	free(sorted);
	return status;
}

ws_status
wsi_inverse_create(wsi_inverse *v, const wsi_cwt *cwt, size_t period, const double *bands,
                   size_t count, bool filters)
{
	*v = (wsi_inverse){ .bands = bands ? count : 1, .period = period };
	const ws_status status = make(v, cwt, bands, filters);
	if (status != WS_OK)
		wsi_inverse_destroy(v);
	return status;
}

void
wsi_inverse_destroy(wsi_inverse *v)
{
	free(v->weight);
	free(v->energy);
	free(v->cell);
	free(v->member);
	wsi_inverse_empty(v);
	free(v->band);
	*v = (wsi_inverse){ 0 };
}
