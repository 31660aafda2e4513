/* hht_envelope.c - envelopes of a mode: knots, and the cubics between them. */
#include <math.h>
#include <string.h>

#include "algo/hht.h"
#include "math/phase.h"

#define REAL double
#define REAL_BITS 64
#define FN(name) name##_f64
#define FMA(a, b, c) fma((a), (b), (c))
#include "math/slopes.h"

static void
add_knot(wsi_curve *c, double t, double v)
{
	c->t[c->n] = t;
	c->v[c->n++] = v;
}

/* ---- Of the magnitude: PCHIP, which never overshoots, so that it stays above 0 -------------- */

static void
pchip_slopes(wsi_curve *c)
{
	const size_t last = c->n - 1;
	double h0 = c->t[1] - c->t[0], d0 = (c->v[1] - c->v[0]) / h0;
	c->s[0] = c->s[last] = 0.0; /* level beyond the outermost */
	for (size_t k = 1; k < last; ++k) {
		const double h1 = c->t[k + 1] - c->t[k], d1 = (c->v[k + 1] - c->v[k]) / h1;
		c->s[k] = pchip_slope_f64(h0, h1, d0, d1);
		h0 = h1;
		d0 = d1;
	}
}

bool
wsi_hht_envelope_of_magnitude(const wsi_hht *h, wsi_hht_scratch *s, const double *x)
{
	wsi_curve *c = &s->knots;
	/* The first knot comes last. */
	const size_t peaks = h->ops->peaks(x, h->n, !h->emd, c->t + 1, c->v + 1);
	if (peaks < (h->emd ? 2 : 1))
		return false;
	c->n = peaks + 1;
	c->t[0] = phase_lower(c->t[1], 0.0) - 1.0;
	c->v[0] = c->v[1];
	add_knot(c, phase_upper(c->t[peaks], (double)h->n) + 1.0, c->v[peaks]);
	pchip_slopes(c);
	return true;
}

/* ---- Of the maxima, as emd 0.8.1 ---------------------------------------------------------- */

/* The extrema that its padding looks at. */
typedef struct turns {
	const double *x;
	size_t n;
	const double *max;      /* [n_max] samples */
	size_t n_max, n_min;
	double first_min[3], last_min[3]; /* from the end inwards */
} turns;

static double
value(const turns *e, double sample)
{
	return e->x[(size_t)sample];
}

/* Strict maxima to c->t, and what is needed of the minima. */
static turns
find_turns(wsi_curve *c, const double *x, size_t n)
{
	turns e = { .x = x, .n = n, .max = c->t };
	for (size_t i = 1; i + 1 < n; ++i) {
		if (x[i] > x[i - 1] && x[i] > x[i + 1])
			c->t[e.n_max++] = (double)i;
		if (x[i] < x[i - 1] && x[i] < x[i + 1]) {
			if (e.n_min < 3)
				e.first_min[e.n_min] = (double)i;
			memmove(e.last_min + 1, e.last_min, 2 * sizeof *e.last_min);
			e.last_min[0] = (double)i;
			e.n_min++;
		}
	}
	return e;
}

/* Samples of maxima that are reflected, the farthest first at the left, last at the right. */
typedef struct reflected {
	double about;
	double at[2];
	size_t n;
	bool all;               /* right: the last sample, then all maxima from the last on */
} reflected;

/* `n` maxima from number `first` on, counted from the end inwards. */
static void
take_maxima(reflected *r, const turns *e, bool right, size_t first, size_t n)
{
	r->n = 0;
	for (size_t i = first; i < first + n && i < e->n_max; ++i)
		r->at[r->n++] = right ? e->max[e->n_max - 1 - i] : e->max[i];
}

/* The farthest of the minima reflected at the left: flipud(indmin[first : first + n])[0]. */
static double
farthest_left(const turns *e, size_t first, size_t n)
{
	size_t last = first + n - 1;
	last = last < e->n_min ? last : e->n_min - 1;
	return e->first_min[last < 3 ? last : 2];
}

/* As _pad_extrema_rilling(), left half. */
static reflected
pad_left(const turns *e)
{
	reflected r = { .about = 0.0 };
	double far_min;
	const double max0 = e->max[0], min0 = e->first_min[0];
	bool about_max = false;
	if (max0 < min0 && e->x[0] > value(e, min0)) {
		r.about = max0;
		about_max = true;
		take_maxima(&r, e, false, 1, 2);
		far_min = farthest_left(e, 0, 2);
	} else if (max0 < min0) {
		take_maxima(&r, e, false, 0, 2);
		far_min = min0;
	} else if (e->x[0] > value(e, max0)) {
		r.about = min0;
		take_maxima(&r, e, false, 0, 2);
		far_min = farthest_left(e, 1, 2);
	} else {
		/* The first maximum, and the first sample after it. */
		r = (reflected){ .about = 0.0, .at = { 0.0, max0 }, .n = 2 };
		far_min = farthest_left(e, 0, 2);
	}
	const double far_max = r.n ? r.at[r.n - 1] : 0.0;
	if (2.0 * r.about - far_min < 0.0 && 2.0 * r.about - far_max < 0.0)
		return r;
	if (about_max)
		take_maxima(&r, e, false, 0, 2);
	r.about = 0.0;
	return r;
}

/* The right half.  Numbers of minima are counted from the end inwards. */
static reflected
pad_right(const turns *e)
{
	reflected r = { .about = 0.0 };
	double far_min;
	const double end = (double)(e->n - 1), max = e->max[e->n_max - 1], min = e->last_min[0];
	const size_t third = e->n_min > 2 ? 2 : 1;
	bool about_max = false;
	if (max < min && value(e, end) < value(e, max)) {
		r.about = min;
		take_maxima(&r, e, true, 0, 2);
		far_min = e->last_min[third];
	} else if (max < min) {
		r = (reflected){ .about = end, .all = true };
		far_min = min;
	} else if (value(e, end) > value(e, min)) {
		r.about = max;
		about_max = true;
		take_maxima(&r, e, true, 1, 2);
		far_min = e->last_min[1];
	} else {
		r.about = end;
		take_maxima(&r, e, true, 0, 1);
		far_min = e->first_min[0];
	}
	const double far_max = r.all ? e->max[0] : r.n ? r.at[r.n - 1] : end;
	if (2.0 * r.about - far_min > end && 2.0 * r.about - far_max > end)
		return r;
	if (about_max)
		take_maxima(&r, e, true, 1, 2);
	r.about = (double)e->n;
	return r;
}

/* All knots into c, whose t holds the maxima; w: room for them. */
static void
pad(wsi_curve *c, const turns *e, double *w)
{
	const reflected left = pad_left(e), right = pad_right(e);
	const size_t n_max = e->n_max;
	const double *x = e->x;
	memcpy(w, e->max, n_max * sizeof *w);
	c->n = 0;
	for (size_t i = left.n; i-- > 0;)
		add_knot(c, 2.0 * left.about - left.at[i], x[(size_t)left.at[i]]);
	for (size_t i = 0; i < n_max; ++i)
		add_knot(c, w[i], x[(size_t)w[i]]);
	if (right.all)
		add_knot(c, 2.0 * right.about - (double)(e->n - 1), x[e->n - 1]);
	for (size_t i = right.all ? n_max : 0; i-- > 0;)
		add_knot(c, 2.0 * right.about - w[i], x[(size_t)w[i]]);
	for (size_t i = 0; i < right.n; ++i)
		add_knot(c, 2.0 * right.about - right.at[i], x[(size_t)right.at[i]]);
}

/* Knots that do not ascend are left out; so is nothing that emd takes, which refuses them. */
static void
ascend(wsi_curve *c)
{
	size_t n = 0;
	for (size_t i = 0; i < c->n; ++i)
		if (n == 0 || c->t[i] > c->t[n - 1]) {
			c->t[n] = c->t[i];
			c->v[n++] = c->v[i];
		}
	c->n = n;
}

/* Not-a-knot slopes by elimination; w: the row above each diagonal. */
static void
spline_slopes(wsi_curve *c, double *w)
{
	const size_t n = c->n;
	const double *t = c->t, *v = c->v;
	double h0 = t[1] - t[0], h1 = t[2] - t[1], d0 = (v[1] - v[0]) / h0, d1 = (v[2] - v[1]) / h1;
	double *s = c->s;
	w[0] = (h0 + h1) / h1;
	s[0] = ((h0 + 2.0 * (h0 + h1)) * h1 * d0 + h0 * h0 * d1) / ((h0 + h1) * h1);
	for (size_t i = 1; i + 1 < n; ++i) {
		h0 = t[i] - t[i - 1];
		h1 = t[i + 1] - t[i];
		d0 = (v[i] - v[i - 1]) / h0;
		d1 = (v[i + 1] - v[i]) / h1;
		const double b = 2.0 * (h0 + h1) - h1 * w[i - 1];
		w[i] = h0 / b;
		s[i] = (3.0 * (h1 * d0 + h0 * d1) - h1 * s[i - 1]) / b;
	}
	/* h0, h1, d0, d1 are the last two intervals: the last row is (h0 + h1) s + h0 s = .. */
	const double b = h0 - (h0 + h1) * w[n - 2];
	const double r = ((h1 + 2.0 * (h0 + h1)) * h0 * d1 + h1 * h1 * d0) / (h0 + h1);
	s[n - 1] = (r - (h0 + h1) * s[n - 2]) / b;
	for (size_t i = n - 1; i-- > 0;)
		s[i] -= w[i] * s[i + 1];
}

bool
wsi_hht_envelope_of_maxima(wsi_hht_scratch *s, const double *x, size_t n)
{
	wsi_curve *c = &s->knots;
	const turns e = find_turns(c, x, n);
	if (e.n_max < 2 || e.n_min < 2)
		return false;
	pad(c, &e, s->rows);
	ascend(c);
	if (c->n < 4)
		return false;
	spline_slopes(c, s->rows);
	return true;
}
