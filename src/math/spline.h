/*
 * spline.h - template: slopes of a C2 cubic spline by truncated parallel
 * cyclic reduction (PCR) and a short Neumann series.
 *
 * Knots (t_j, v_j), intervals h_j = t_{j+1} - t_j, chords d_j.  Continuity of
 * the second derivative at an inner knot gives a row for its slope,
 *     s_j = a_j s_{j-1} + c_j s_{j+1} + r_j,    a_j + c_j = -1/2,
 *     a_j = -h_j w,  c_j = -h_{j-1} w,  w = 1 / (2 (h_{j-1} + h_j)),
 *     r_j = 3 (h_j d_{j-1} + h_{j-1} d_j) w.
 * A PCR step puts the neighbours' rows in: the row then couples to knots twice
 * as far, with about the square of the coupling.  After a few steps a few
 * Neumann terms s <- r + a s_l + c s_r leave no more than rounding, and the
 * rest is dropped, so that s_j depends on the rows of REACH knots either side
 * and on nothing else: how a signal is cut into tiles cannot change a bit.
 * Evidence and error: docs/decisions/0001-spline-solver.md.
 */
#include "math/real.h"

/* Those of the other type, where both are made. */
#undef PCR_STEPS
#undef NEUMANN_TERMS
#undef PCR_STRIDE
#undef PCR_REACH
#undef NATURAL_COUPLING
#undef NATURAL_CHORD
#if REAL_BITS == 64
#define PCR_STEPS WSI_PCR_STEPS_64
#define NEUMANN_TERMS WSI_NEUMANN_TERMS_64
#else
#define PCR_STEPS WSI_PCR_STEPS_32
#define NEUMANN_TERMS WSI_NEUMANN_TERMS_32
#endif
/* Distance of the neighbours in the Neumann terms, and of the farthest row. */
#define PCR_STRIDE (1 << PCR_STEPS)
#define PCR_REACH (PCR_STRIDE - 1 + NEUMANN_TERMS * PCR_STRIDE)

/*
 * 1 / x for a whole number of ticks, and for 1 - x in the first PCR step.  A
 * GPU's own division guards against operands that these are not; Newton's
 * steps from its approximation give the same bits for half the instructions
 * (bench/solver; in f64 only a number just below a power of two would differ).
 */
WSI_FN REAL
FN(reciprocal)(REAL x)
{
#if !defined(__CUDA_ARCH__)
	return (REAL)1 / x;
#elif REAL_BITS == 64
	REAL r, e;
	asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
	e = FMA(-x, r, (REAL)1);
	r = FMA(r, FMA(e, e, e), r);
	return FMA(r, FMA(-x, r, (REAL)1), r);
#else
	REAL r;
	asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
	return FMA(r, FMA(-x, r, (REAL)1), r);
#endif
}

WSI_FN void
FN(spline_row)(REAL h0, REAL h1, REAL d0, REAL d1, REAL *a, REAL *c, REAL *r)
{
	REAL w = (REAL)0.5 * FN(reciprocal)(h0 + h1);
	*a = -h1 * w;
	*c = -h0 * w;
	*r = (REAL)3 * FMA(h1, d0, h0 * d1) * w;
}

/*
 * 1 / (1 - x).  At step 0 by division; later x is at most 1/20, 1/3900, 7e-9
 * for any spacing (bench/solver/bounds.py), and the product
 * (1 + x)(1 + x^2)(1 + x^4).. with so many factors is exact to rounding.
 */
WSI_FN REAL
FN(inverse_one_minus)(REAL x, int step)
{
	if (step == 0)
		return FN(reciprocal)((REAL)1 - x);
#if REAL_BITS == 64
	const int factors = step == 1 ? 4 : step == 2 ? 3 : 1;
#else
	const int factors = step == 1 ? 3 : 2;
#endif
	REAL k = (REAL)1 + x;
	for (int f = 1; f < factors; ++f) {
		x = x * x;
		k = FMA(k, x, k);
	}
	return k;
}

/* Row (a, c, r) with left neighbour (al, cl, rl) and right (ar, cr, rr), all
 * 2^step knots away; a neighbour that does not exist is all zeros. */
WSI_FN void
FN(pcr_step)(REAL a, REAL c, REAL r, REAL al, REAL cl, REAL rl, REAL ar, REAL cr, REAL rr,
             int step, REAL *a1, REAL *c1, REAL *r1)
{
	REAL k = FN(inverse_one_minus)(FMA(a, cl, c * ar), step);
	REAL ka = k * a, kc = k * c;
	*a1 = ka * al;
	*c1 = kc * cr;
	*r1 = FMA(ka, rl, FMA(kc, rr, k * r));
}

WSI_FN REAL
FN(neumann_term)(REAL a, REAL c, REAL r, REAL sl, REAL sr)
{
	return FMA(a, sl, FMA(c, sr, r));
}

/*
 * Not-a-knot: the first two intervals carry one cubic.  Its row,
 *     s_0 = R - g s_1,  g = (h_0 + h_1) / h_1,
 * is put into row 1, which becomes s_1 = 2 c_1 s_2 + 2 (r_1 + a_1 R).
 * The right end is the same with its intervals counted from the end inwards.
 */
WSI_FN REAL
FN(not_a_knot_rhs)(REAL h0, REAL h1, REAL d0, REAL d1)
{
	REAL sum = h0 + h1;
	REAL n = FMA((REAL)2, sum, h0) * h1;
	return FMA(n, d0, h0 * h0 * d1) / (sum * h1);
}

WSI_FN REAL
FN(not_a_knot_row_rhs)(REAL a1, REAL rhs, REAL r1)
{
	return (REAL)2 * FMA(a1, rhs, r1);
}

WSI_FN REAL
FN(not_a_knot_coupling)(REAL h0, REAL h1)
{
	return (h0 + h1) / h1;
}

WSI_FN REAL
FN(not_a_knot_end)(REAL g, REAL rhs, REAL s1)
{
	return FMA(-g, s1, rhs);
}

/* Natural: no curvature at the end, s_0 = 3/2 d_0 - 1/2 s_1. */
#define NATURAL_COUPLING ((REAL)-0.5)
#define NATURAL_CHORD ((REAL)1.5)
