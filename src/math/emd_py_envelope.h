/*
 * emd_py_envelope.h - the envelope that emd 0.8.1 draws through the maxima of a signal: knots
 * beyond the ends as _pad_extrema_rilling() adds them, and the C2 spline with not-a-knot ends.
 */
#ifndef WSI_MATH_EMD_PY_ENVELOPE_H
#define WSI_MATH_EMD_PY_ENVELOPE_H

#include <stdbool.h>
#include <stddef.h>

#include "math/real.h"

/* The extrema that the padding looks at: samples with strictly lower, or higher, neighbours. */
typedef struct emd_py_extrema {
	const double *x;
	size_t n;
	const double *max;      /* [n_max] samples */
	size_t n_max, n_min;
	double first_min[3], last_min[3]; /* from the end inwards */
} emd_py_extrema;

/* Knots that are being made. */
typedef struct emd_py_knots {
	double *t, *v;
	size_t n;
} emd_py_knots;

/* Knots that do not ascend are left out; emd refuses such envelopes whole. */
WSI_FN void
emd_py_add_knot(emd_py_knots *k, double t, double v)
{
	if (k->n && !(t > k->t[k->n - 1]))
		return;
	k->t[k->n] = t;
	k->v[k->n++] = v;
}

WSI_FN double
emd_py_value(const emd_py_extrema *e, double sample)
{
	return e->x[(size_t)sample];
}

/* Samples of maxima that are reflected, the farthest first at the left, last at the right. */
typedef struct emd_py_reflected {
	double about;
	double at[2];
	size_t n;
	bool all;               /* right: the last sample, then all maxima from the last on */
} emd_py_reflected;

/* `n` maxima from number `first` on, counted from the end inwards. */
WSI_FN void
emd_py_take_maxima(emd_py_reflected *r, const emd_py_extrema *e, bool right, size_t first, size_t n)
{
	r->n = 0;
	for (size_t i = first; i < first + n && i < e->n_max; ++i)
		r->at[r->n++] = right ? e->max[e->n_max - 1 - i] : e->max[i];
}

/* The farthest of the minima reflected at the left: flipud(indmin[first : first + n])[0]. */
WSI_FN double
emd_py_farthest_left(const emd_py_extrema *e, size_t first, size_t n)
{
	size_t last = first + n - 1;
	last = last < e->n_min ? last : e->n_min - 1;
	return e->first_min[last < 3 ? last : 2];
}

WSI_FN emd_py_reflected
emd_py_none_reflected(double about)
{
	emd_py_reflected r;
	r.about = about;
	r.at[0] = r.at[1] = 0.0;
	r.n = 0;
	r.all = false;
	return r;
}

/* As _pad_extrema_rilling(), left half. */
WSI_FN emd_py_reflected
emd_py_pad_left(const emd_py_extrema *e)
{
	emd_py_reflected r = emd_py_none_reflected(0.0);
	double far_min;
	const double max0 = e->max[0], min0 = e->first_min[0];
	bool about_max = false;
	if (max0 < min0 && e->x[0] > emd_py_value(e, min0)) {
		r.about = max0;
		about_max = true;
		emd_py_take_maxima(&r, e, false, 1, 2);
		far_min = emd_py_farthest_left(e, 0, 2);
	} else if (max0 < min0) {
		emd_py_take_maxima(&r, e, false, 0, 2);
		far_min = min0;
	} else if (e->x[0] > emd_py_value(e, max0)) {
		r.about = min0;
		emd_py_take_maxima(&r, e, false, 0, 2);
		far_min = emd_py_farthest_left(e, 1, 2);
	} else {
		/* The first maximum, and the first sample after it. */
		r.at[0] = 0.0;
		r.at[1] = max0;
		r.n = 2;
		far_min = emd_py_farthest_left(e, 0, 2);
	}
	const double far_max = r.n ? r.at[r.n - 1] : 0.0;
	if (2.0 * r.about - far_min < 0.0 && 2.0 * r.about - far_max < 0.0)
		return r;
	if (about_max)
		emd_py_take_maxima(&r, e, false, 0, 2);
	r.about = 0.0;
	return r;
}

/* The right half.  Numbers of minima are counted from the end inwards. */
WSI_FN emd_py_reflected
emd_py_pad_right(const emd_py_extrema *e)
{
	emd_py_reflected r = emd_py_none_reflected(0.0);
	double far_min;
	const double end = (double)(e->n - 1), max = e->max[e->n_max - 1], min = e->last_min[0];
	const size_t third = e->n_min > 2 ? 2 : 1;
	bool about_max = false;
	if (max < min && emd_py_value(e, end) < emd_py_value(e, max)) {
		r.about = min;
		emd_py_take_maxima(&r, e, true, 0, 2);
		far_min = e->last_min[third];
	} else if (max < min) {
		r = emd_py_none_reflected(end);
		r.all = true;
		far_min = min;
	} else if (emd_py_value(e, end) > emd_py_value(e, min)) {
		r.about = max;
		about_max = true;
		emd_py_take_maxima(&r, e, true, 1, 2);
		far_min = e->last_min[1];
	} else {
		r.about = end;
		emd_py_take_maxima(&r, e, true, 0, 1);
		far_min = e->first_min[0];
	}
	const double far_max = r.all ? e->max[0] : r.n ? r.at[r.n - 1] : end;
	if (2.0 * r.about - far_min > end && 2.0 * r.about - far_max > end)
		return r;
	if (about_max)
		emd_py_take_maxima(&r, e, true, 1, 2);
	r.about = (double)e->n;
	return r;
}

/* All knots, into k, which has room for 2 n_max + 5 and whose t is not e->max. */
WSI_FN void
emd_py_pad(emd_py_knots *k, const emd_py_extrema *e)
{
	const emd_py_reflected left = emd_py_pad_left(e), right = emd_py_pad_right(e);
	k->n = 0;
	for (size_t i = left.n; i-- > 0;)
		emd_py_add_knot(k, 2.0 * left.about - left.at[i], emd_py_value(e, left.at[i]));
	for (size_t i = 0; i < e->n_max; ++i)
		emd_py_add_knot(k, e->max[i], emd_py_value(e, e->max[i]));
	if (right.all)
		emd_py_add_knot(k, 2.0 * right.about - (double)(e->n - 1), e->x[e->n - 1]);
	for (size_t i = right.all ? e->n_max : 0; i-- > 0;)
		emd_py_add_knot(k, 2.0 * right.about - e->max[i], emd_py_value(e, e->max[i]));
	for (size_t i = 0; i < right.n; ++i)
		emd_py_add_knot(k, 2.0 * right.about - right.at[i], emd_py_value(e, right.at[i]));
}

/* Not-a-knot slopes s[n] by elimination, n >= 4; w[n]: the row above each diagonal. */
WSI_FN void
emd_py_slopes(const double *t, const double *v, size_t n, double *s, double *w)
{
	double h0 = t[1] - t[0], h1 = t[2] - t[1], d0 = (v[1] - v[0]) / h0, d1 = (v[2] - v[1]) / h1;
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

#endif
