/* hht_ref.h - plain twins of the slots of ops/hht_ops.h: a sample at a time, as defined there. */
#include "math/hilbert.h"
#include "math/modes.h"
#include "math/phase.h"
#include "ops/hht_ops.h"

static void
hht_polar(const double *x, const double *y, size_t n, double *modulus, double *angle)
{
	for (size_t i = 0; i < n; ++i) {
		if (modulus)
			modulus[i] = sqrt(fma(x[i], x[i], y[i] * y[i]));
		angle[i] = phase_angle(y[i], x[i]);
	}
}

static void
hht_unwrap(double *angle, size_t n, int numpy)
{
	double turns = 0.0, before = 0.0;
	for (size_t i = 0; i < n; ++i) {
		const double a = angle[i], step = i ? a - before : 0.0;
		if (numpy)
			turns += i ? phase_turn_numpy(before, a) : 0.0;
		else
			turns += step < -PHASE_PI ? 1.0 : step > PHASE_PI ? -1.0 : 0.0;
		angle[i] = numpy ? a + turns : fma(turns, PHASE_TURN, a);
		before = a;
	}
}

static size_t
hht_peaks(const double *x, size_t n, int refined, double *t, double *v)
{
	size_t peaks = 0;
	double last = -1.0;
	for (size_t i = 1; i + 1 < n; ++i) {
		const double sign = x[i] < 0.0 ? -1.0 : 1.0;
		const double l = sign * x[i - 1], m = sign * x[i], r = sign * x[i + 1];
		double behind = 0.0, value = m;
		if (!(m > fabs(l) && (m > fabs(r) || (refined && m == fabs(r)))))
			continue;
		if (refined)
			value = phase_peak(l, m, r, &behind);
		if (peaks && (double)i + behind < last + 0.5)
			continue;
		last = (double)i + behind;
		t[peaks] = last;
		v[peaks++] = value;
	}
	return peaks;
}

static void
hht_median(const double *x, size_t n, int width, int zeros, double *y)
{
	for (long i = 0; i < (long)n; ++i) {
		double v[WSI_WIDEST_MEDIAN];
		long half = width / 2, to_end = i < (long)n - 1 - i ? i : (long)n - 1 - i;
		if (!zeros && to_end < half)
			half = to_end;
		for (long k = -half; k <= half; ++k)
			v[k + half] = i + k < 0 || i + k >= (long)n ? 0.0 : x[i + k];
		qsort(v, (size_t)(2 * half + 1), sizeof *v, wsi_rising);
		y[i] = v[half];
	}
}

static void
hht_slope(const double *x, size_t n, int width, double scale, double *y)
{
	const size_t half = (size_t)width / 2;
	double squares = 0.0;
	for (size_t k = 1; k <= half; ++k)
		squares += 2.0 * (double)(k * k);
	for (size_t i = 0; i < n; ++i) {
		size_t at = i < half ? half : i;
		at = at > n - 1 - half ? n - 1 - half : at;
		double sum = x[at + 1] - x[at - 1];
		for (size_t k = 2; k <= half; ++k)
			sum = fma((double)k, x[at + k] - x[at - k], sum);
		y[i] = sum * (scale / squares);
	}
}

static void
hht_curve(const wsi_curve *c, size_t n, double *y)
{
	for (size_t i = 0; i < n; ++i) {
		size_t k = 0;
		while (k + 2 < c->n && c->t[k + 1] <= (double)i)
			++k;
		const double h = c->t[k + 1] - c->t[k], ih = 1.0 / h, u = (double)i - c->t[k];
		const double d = (c->v[k + 1] - c->v[k]) / h;
		const double c2 = cubic_c2_f64(c->s[k], c->s[k + 1], d, ih);
		const double c3 = cubic_c3_f64(c->s[k], c->s[k + 1], d, ih);
		y[i] = fma(u, fma(u, fma(u, c3, c2), c->s[k]), c->v[k]);
	}
}

static void
hht_bins(const wsi_bins *b, const double *f, size_t n, int32_t *bin)
{
	for (size_t i = 0; i < n; ++i) {
		bin[i] = -1;
		for (int k = 0; k < b->n; ++k)
			if (f[i] >= b->edges[k] && f[i] < b->edges[k + 1])
				bin[i] = k;
	}
}

static double
hht_peak(const void *row, ws_type type, size_t n, int *finite)
{
	double peak = 0.0;
	for (size_t i = 0; i < n; ++i) {
		const double x = wsi_real_at(row, type, i);
		if (!isfinite(x))
			*finite = 0;
		else if (fabs(x) > peak)
			peak = fabs(x);
	}
	return peak;
}

static double
hht_facts(const double *x, size_t n, size_t *maxima)
{
	double *squares = calloc(n + 1, sizeof *squares);
	*maxima = 0;
	for (size_t i = 0; i < n; ++i) {
		squares[i] = x[i] * x[i];
		*maxima += i > 0 && i + 1 < n && x[i] > x[i - 1] && x[i] >= x[i + 1];
	}
	const double sum = wide_sum(squares, n);
	free(squares);
	return sum;
}

static void
hht_weigh(const double *a, const double *f, size_t n, double *energy, double *moment)
{
	double *v = calloc(n + 1, sizeof *v);
	for (size_t i = 0; i < n; ++i)
		v[i] = a[i] * a[i];
	*energy = wide_sum(v, n);
	for (size_t i = 0; i < n; ++i)
		v[i] *= f[i];
	*moment = wide_sum(v, n);
	free(v);
}

static double
hht_outside(const double *a, const int32_t *bin, size_t n)
{
	double *v = calloc(n + 1, sizeof *v);
	for (size_t i = 0; i < n; ++i)
		v[i] = bin[i] < 0 ? a[i] * a[i] : 0.0;
	const double sum = wide_sum(v, n);
	free(v);
	return sum;
}

static void
hht_count(const double *f, size_t n, double limit, size_t *negative, size_t *above)
{
	*negative = *above = 0;
	for (size_t i = 0; i < n; ++i) {
		*negative += f[i] < 0.0;
		*above += f[i] > limit;
	}
}

static void
hht_respond(size_t half, const double *re, const double *im, const double *sum,
            const double *difference, const double *cosine, const double *sine, double *y_re,
            double *y_im)
{
	for (size_t k = 0; k < half; ++k) {
		const size_t back = k ? half - k : 0;
		const double p = sum ? sum[k] : 0.0;
		const double q = sum ? difference[k] : k ? -1.0 / (double)half : 0.0;
		hilbert_bin(re[k], im[k], re[back], im[back], p, q, cosine[k], sine[k], &y_re[k],
		            &y_im[k]);
	}
}

static const wsi_hht_ops hht_ops = {
	.polar = hht_polar, .unwrap = hht_unwrap, .peaks = hht_peaks, .median = hht_median,
	.slope = hht_slope, .curve = hht_curve, .bins = hht_bins, .peak = hht_peak,
	.facts = hht_facts, .weigh = hht_weigh, .outside = hht_outside, .count = hht_count,
	.respond = hht_respond,
};
