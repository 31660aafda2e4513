/*
 * solver_math.h - the arithmetic of every spline solver compared here, written
 * once: gcc and nvcc compile the same expressions, so slopes agree bit for bit.
 *
 * Compile with -DPRECISION=32 or 64, contraction off on both sides.
 *
 * A row is solved for its own knot, so that eliminating needs no minus signs:
 *     s_j = a s_{j-S} + c s_{j+S} + d,    a + c = -1/2 in a normalised inner row.
 * A row outside the list is all zeros (struct raw: b = 1).
 */
#ifndef SOLVER_MATH_H
#define SOLVER_MATH_H

#include <math.h>
#include <stdint.h>

#if PRECISION == 32
typedef float real;
#else
typedef double real;
#endif

#ifdef __CUDACC__
#define HD __host__ __device__ __forceinline__ static
#else
#define HD static inline __attribute__((always_inline))
#endif

/* One equation before normalisation: b s_j = a s_{j-1} + c s_{j+1} + r. */
struct raw {
	real a, b, c, r;
};

/* One normalised equation; S is the stride that the step has reached. */
struct row {
	real a, c, d;
};

HD real
mad(real x, real y, real z)
{
#if PRECISION == 32
	return fmaf(x, y, z);
#else
	return fma(x, y, z);
#endif
}

/* Correctly rounded 1 / x for 2^-100 < |x| < 2^100, in f64 unless x is the last
 * number before a power of two (sums of spacings and 1 - x of a first PCR step
 * never are).  The device's own function guards against the rest, at the price
 * of as many instructions again. */
HD real
recip(real x)
{
#ifndef __CUDA_ARCH__
	return (real)1 / x;
#elif PRECISION == 32
	float r;
	asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
	return fmaf(r, fmaf(-x, r, 1.0f), r);
#else
	double r, e;
	asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
	e = fma(-x, r, 1.0);
	r = fma(r, fma(e, e, e), r);
	return fma(r, fma(-x, r, 1.0), r);
#endif
}

/* The same for any x in that range. */
HD real
recip_any(real x)
{
#if defined(__CUDA_ARCH__) && PRECISION == 64
	return __drcp_rn(x);
#else
	return recip(x);
#endif
}

/* Chord slope of an interval; the evaluator wants 1 / h too. */
HD real
chord(real v0, real v1, real h)
{
	return (v1 - v0) * recip(h);
}

enum { DIVIDE_FIRST = -1, DIVIDE_ANY = -2 };

/* 1 / (1 - x): by division, else the product of `terms` factors
 * (1 + x)(1 + x^2)(1 + x^4)..., whose relative error is x^(2^terms). */
HD real
inverse(real x, int terms)
{
	if (terms == DIVIDE_FIRST)
		return recip((real)1 - x);
	if (terms == DIVIDE_ANY)
		return recip_any((real)1 - x);
	real k = (real)1;
	if (terms > 0)
		k = (real)1 + x;
	if (terms > 1) {
		x = x * x;
		k = mad(k, x, k);
	}
	if (terms > 2) {
		x = x * x;
		k = mad(k, x, k);
	}
	if (terms > 3) {
		x = x * x;
		k = mad(k, x, k);
	}
	if (terms > 4) {
		x = x * x;
		k = mad(k, x, k);
	}
	if (terms > 5) {
		x = x * x;
		k = mad(k, x, k);
	}
	return k;
}

/* Factors that the PCR step of stride 2^step needs.  The largest x for any
 * spacing is 1/4, 1/49, 1/9409, 2.8e-9, 1.9e-18; a not-a-knot end row has up to
 * 1/2, 1/20, 1/3900, 6.8e-9 (README: how found). */
HD int
terms_of(int step)
{
#if PRECISION == 32
	return step == 0 ? 5 : step == 1 ? 3 : step == 2 ? 2 : 0;
#else
	return step == 0 ? 6 : step == 1 ? 4 : step == 2 ? 3 : step == 3 ? 1 : 0;
#endif
}

/* The inner row of a knot: spacing and chord slope of the interval before it
 * (hl, dl) and after it (h, d). */
HD struct raw
raw_row(real hl, real h, real dl, real d)
{
	struct raw e;
	e.a = -h;
	e.b = (real)2 * (hl + h);
	e.c = -hl;
	e.r = (real)3 * mad(h, dl, hl * d);
	return e;
}

HD struct raw
raw_outside(void)
{
	struct raw e = {(real)0, (real)1, (real)0, (real)0};
	return e;
}

/* Natural end: 2 s_0 + s_1 = 3 d_0, and its mirror. */
HD struct raw
raw_natural_first(real d)
{
	struct raw e = {(real)0, (real)2, (real)-1, (real)3 * d};
	return e;
}

HD struct raw
raw_natural_last(real dl)
{
	struct raw e = {(real)-1, (real)2, (real)0, (real)3 * dl};
	return e;
}

/*
 * Not-a-knot, the first knot put into the second one's row, which becomes the
 * first: (h0 + h1) s_1 + h0 s_2 = 3 (h1 d0 + h0 d1) - h1 R, s_0 = R - (1 + h0/h1) s_1.
 * For the last knots pass spacings and chords in mirrored order and swap a and c.
 */
HD real
not_a_knot_r(real h0, real h1, real d0, real d1)
{
	real near = mad((real)3, h0, (real)2 * h1) * h1;
	return mad(near, d0, h0 * h0 * d1) * recip((h0 + h1) * h1);
}

HD struct raw
raw_not_a_knot(real h0, real h1, real d0, real d1)
{
	struct raw e = {(real)0, h0 + h1, -h0, (real)0};
	e.r = mad(-h1, not_a_knot_r(h0, h1, d0, d1), (real)3 * mad(h1, d0, h0 * d1));
	return e;
}

HD struct row
normalise(struct raw e)
{
	real w = recip(e.b);
	struct row q;
	q.a = e.a * w;
	q.c = e.c * w;
	q.d = e.r * w;
	return q;
}

/* A PCR step: the equation of m with its neighbours l and r put in. */
HD struct row
pcr(struct row l, struct row m, struct row r, int terms)
{
	real k = inverse(mad(m.a, l.c, m.c * r.a), terms);
	real ak = m.a * k, ck = m.c * k;
	struct row q;
	q.a = ak * l.a;
	q.c = ck * r.c;
	q.d = mad(ak, l.d, mad(ck, r.d, m.d * k));
	return q;
}

/* The last PCR step, of which only d is wanted. */
HD real
pcr_last(struct row l, struct row m, struct row r, int terms)
{
	if (terms == 0)
		return mad(m.a, l.d, mad(m.c, r.d, m.d));
	real k = inverse(mad(m.a, l.c, m.c * r.a), terms);
	return mad(m.a, l.d, mad(m.c, r.d, m.d)) * k;
}

/* The first PCR step on rows not yet normalised, with one division in all:
 * everything is multiplied by b_l b_r. */
HD struct row
pcr_first(struct raw l, struct raw m, struct raw r)
{
	real bb = l.b * r.b;
	real al = m.a * r.b, cr = m.c * l.b;
	real k = recip(mad(-al, l.c, mad(-cr, r.a, m.b * bb)));
	al = al * k;
	cr = cr * k;
	struct row q;
	q.a = al * l.a;
	q.c = cr * r.c;
	q.d = mad(al, l.r, mad(cr, r.r, m.r * (bb * k)));
	return q;
}

/* One more term of the Neumann series: x <- d + a x_{j-S} + c x_{j+S}. */
HD real
neumann(struct row m, real xl, real xr)
{
	return mad(m.a, xl, mad(m.c, xr, m.d));
}

/* Chunked elimination.  Inside a chunk row j reads
 *     s_j = a s_before + c s_{j+1} + d,   s_before = last knot of the chunk before. */
HD struct row
chunk_forward(struct row before, struct row m)
{
	real k = recip_any(mad(-m.a, before.c, (real)1));
	real ak = m.a * k;
	struct row q;
	q.a = ak * before.a;
	q.c = m.c * k;
	q.d = mad(ak, before.d, m.d * k);
	return q;
}

/* First knot of a chunk in terms of the ends: s_0 = a s_before + c s_last + d;
 * started from {0, 1, 0}, taken over the knots from the last but one down. */
HD struct row
chunk_backward(struct row m, struct row first)
{
	struct row q;
	q.a = mad(m.c, first.a, m.a);
	q.c = m.c * first.c;
	q.d = mad(m.c, first.d, m.d);
	return q;
}

/* The equation of a chunk's last knot among the last knots of the chunks. */
HD struct row
chunk_join(struct row last, struct row next_first)
{
	real k = recip_any(mad(-last.c, next_first.a, (real)1));
	real ck = last.c * k;
	struct row q;
	q.a = last.a * k;
	q.c = ck * next_first.c;
	q.d = mad(ck, next_first.d, last.d * k);
	return q;
}

#endif
