/*
 * hht_simd.h - the slots of ops/hht_ops.h.  Loops without branches, which the compiler makes
 * vectors of; turns and bins go sample by sample.
 */
#include "math/bins.h"
#include "math/modes.h"
#include "ops/hht_ops.h"

static void
hht_polar(const double *restrict x, const double *restrict y, size_t n, double *restrict modulus,
          double *restrict angle)
{
	if (modulus)
		for (size_t i = 0; i < n; ++i)
			modulus[i] = sqrt(fma(x[i], x[i], y[i] * y[i]));
	for (size_t i = 0; i < n; ++i)
		angle[i] = phase_angle(y[i], x[i]);
}

static void
hht_unwrap(double *angle, size_t n, int numpy)
{
	double turns = 0.0, before = n ? angle[0] : 0.0;
	if (numpy)
		for (size_t i = 1; i < n; ++i) {
			const double a = angle[i];
			turns += phase_turn_numpy(before, a);
			before = a;
			angle[i] = a + turns;
		}
	else
		for (size_t i = 1; i < n; ++i) {
			const double a = angle[i];
			turns += phase_turn(before, a);
			before = a;
			angle[i] = fma(turns, PHASE_TURN, a);
		}
}

static size_t
hht_peaks(const double *x, size_t n, int refined, double *t, double *v)
{
	size_t peaks = 0;
	for (size_t i = 1; i + 1 < n; ++i) {
		const double l = fabs(x[i - 1]), m = fabs(x[i]), r = fabs(x[i + 1]);
		if (!(m > l) || !(refined ? m >= r : m > r))
			continue;
		double behind = 0.0, value = m;
		if (refined)
			value = phase_peak(x[i] < 0.0 ? -x[i - 1] : x[i - 1], m,
			                   x[i] < 0.0 ? -x[i + 1] : x[i + 1], &behind);
		const double at = (double)i + behind;
		if (peaks && at < t[peaks - 1] + 0.5)
			continue;
		t[peaks] = at;
		v[peaks++] = value;
	}
	return peaks;
}

/* The median of v[width], which is put into order. */
static double
hht_middle(double *v, int width)
{
	for (int i = 1; i < width; ++i) {
		const double x = v[i];
		int k = i;
		for (; k > 0 && v[k - 1] > x; --k)
			v[k] = v[k - 1];
		v[k] = x;
	}
	return v[width / 2];
}

/* Sample i, whose window does not lie within the samples. */
static double
hht_median_near_end(const double *x, size_t n, size_t i, int width, int zeros)
{
	double v[WSI_WIDEST_MEDIAN];
	size_t half = (size_t)width / 2;
	if (!zeros) {
		half = i < half ? i : half;
		half = n - 1 - i < half ? n - 1 - i : half;
	}
	int m = 0;
	for (size_t k = 0; k < 2 * half + 1; ++k)
		v[m++] = i + k < half || i + k - half >= n ? 0.0 : x[i + k - half];
	return hht_middle(v, m);
}

static void
hht_median(const double *restrict x, size_t n, int width, int zeros, double *restrict y)
{
	const size_t half = (size_t)width / 2;
	const size_t first = half < n ? half : n, last = n > 2 * half ? n - half : first;
	for (size_t i = 0; i < first; ++i)
		y[i] = hht_median_near_end(x, n, i, width, zeros);
	for (size_t i = last; i < n; ++i)
		y[i] = hht_median_near_end(x, n, i, width, zeros);
	if (width == 1)
		memcpy(y, x, n * sizeof *y);
	else if (width == 3)
		for (size_t i = first; i < last; ++i)
			y[i] = phase_median3(x[i - 1], x[i], x[i + 1]);
	else if (width == 5)
		for (size_t i = first; i < last; ++i)
			y[i] = phase_median5(x[i - 2], x[i - 1], x[i], x[i + 1], x[i + 2]);
	else
		for (size_t i = first; i < last; ++i) {
			double v[WSI_WIDEST_MEDIAN];
			memcpy(v, x + i - half, (size_t)width * sizeof *v);
			y[i] = hht_middle(v, width);
		}
}

static void
hht_slope(const double *restrict x, size_t n, int width, double scale, double *restrict y)
{
	const size_t half = (size_t)width / 2;
	double squares = 0.0;
	for (size_t k = 1; k <= half; ++k)
		squares += 2.0 * (double)(k * k);
	const double by = scale / squares;
	for (size_t i = half; i < n - half; ++i)
		y[i] = x[i + 1] - x[i - 1];
	for (size_t k = 2; k <= half; ++k)
		for (size_t i = half; i < n - half; ++i)
			y[i] = fma((double)k, x[i + k] - x[i - k], y[i]);
	for (size_t i = half; i < n - half; ++i)
		y[i] *= by;
	for (size_t i = 0; i < half; ++i) {
		y[i] = y[half];
		y[n - 1 - i] = y[n - 1 - half];
	}
}

static void
hht_curve(const wsi_curve *c, size_t n, double *restrict y)
{
	size_t i = 0;
	for (size_t k = 0; k + 1 < c->n && i < n; ++k) {
		const double t = c->t[k], end = c->t[k + 1], h = end - t;
		const double d = (c->v[k + 1] - c->v[k]) / h, ih = 1.0 / h;
		const double v = c->v[k], s = c->s[k];
		const double c2 = cubic_c2_f64(s, c->s[k + 1], d, ih);
		const double c3 = cubic_c3_f64(s, c->s[k + 1], d, ih);
		if (end <= (double)i)
			continue;
		const size_t stop = end >= (double)n || k + 2 == c->n ? n : (size_t)ceil(end);
		for (; i < stop; ++i)
			y[i] = mode_curve((double)i, t, v, s, c2, c3);
	}
}

static void
hht_bins(const wsi_bins *b, const double *f, size_t n, int32_t *bin)
{
	for (size_t i = 0; i < n; ++i)
		bin[i] = bins_find(b->edges, b->n, b->guess, b->key, b->keys, f[i]);
}

static const wsi_hht_ops hht_ops = {
	.polar = hht_polar, .unwrap = hht_unwrap, .peaks = hht_peaks, .median = hht_median,
	.slope = hht_slope, .curve = hht_curve, .bins = hht_bins,
};
