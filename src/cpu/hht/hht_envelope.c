/* hht_envelope.c - envelopes of a mode: knots, and the cubics between them. */
#include <string.h>

#include "cpu/hht/hht.h"
#include "math/emd_py_envelope.h"
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
	const size_t peaks = h->ops->peaks(x, h->n, !h->emd_py, c->t + 1, c->v + 1);
	if (peaks < (h->emd_py ? 2 : 1))
		return false;
	c->n = peaks + 1;
	c->t[0] = phase_lower(c->t[1], 0.0) - 1.0;
	c->v[0] = c->v[1];
	add_knot(c, phase_upper(c->t[peaks], (double)h->n) + 1.0, c->v[peaks]);
	pchip_slopes(c);
	return true;
}

/* ---- Of the maxima, as emd 0.8.1 ---------------------------------------------------------- */

/* Strict maxima to max, and what is needed of the minima. */
static emd_py_extrema
find_extrema(double *max, const double *x, size_t n)
{
	emd_py_extrema e = { .x = x, .n = n, .max = max };
	for (size_t i = 1; i + 1 < n; ++i) {
		if (x[i] > x[i - 1] && x[i] > x[i + 1])
			max[e.n_max++] = (double)i;
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

bool
wsi_hht_envelope_of_maxima(wsi_hht_scratch *s, const double *x, size_t n)
{
	wsi_curve *c = &s->knots;
	const emd_py_extrema e = find_extrema(s->rows, x, n);
	if (e.n_max < 2 || e.n_min < 2)
		return false;
	emd_py_knots k = { .t = c->t, .v = c->v };
	emd_py_pad(&k, &e);
	c->n = k.n;
	if (c->n < 4)
		return false;
	emd_py_slopes(c->t, c->v, c->n, c->s, s->rows);
	return true;
}
