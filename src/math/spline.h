/*
 * spline.h - template: slopes of a C2 cubic spline by truncated parallel
 * cyclic reduction (PCR).
 *
 * Knots (t_j, v_j), intervals h_j = t_{j+1} - t_j, chords d_j.  Continuity of
 * the second derivative at an inner knot, divided by its diagonal, reads
 *     a_j s_{j-1} + s_j + c_j s_{j+1} = r_j,   a_j + c_j = 1/2,
 *     a_j = h_j / (2 (h_{j-1} + h_j)),  c_j = h_{j-1} / (2 (h_{j-1} + h_j)),
 *     r_j = 3 (a_j d_{j-1} + c_j d_j).
 * One PCR step eliminates the neighbours: the row then couples to knots twice
 * as far, with the square of the coupling or less (1/2, 1/3, 1/8, 1/63,
 * 2.5e-4, 6e-8, 4e-15 at the worst spacing; far less at others).  After
 * PCR_STEPS steps the coupling is below rounding and is dropped, so that s_j
 * depends on the knots j - 2^steps .. j + 2^steps and on nothing else: how a
 * signal is cut into tiles cannot change a bit.
 */
#include "math/real.h"

WSI_FN void
FN(spline_row)(REAL h0, REAL h1, REAL d0, REAL d1, REAL *a, REAL *c, REAL *r)
{
	REAL w = (REAL)0.5 / (h0 + h1);
	*a = h1 * w;
	*c = h0 * w;
	*r = (REAL)3 * FMA(*a, d0, *c * d1);
}

/*
 * 1 / (1 - x) as (1 + x)(1 + x^2)(1 + x^4)..: after the first step x is so
 * small that a few factors beat a division.  The number of factors follows
 * from the bounds above: x <= 1/9, 1/64, 2.5e-4, 6e-8, 4e-15.
 */
WSI_FN REAL
FN(recip_one_minus)(REAL x, int factors)
{
	REAL k = (REAL)1 + x;
	for (int f = 1; f < factors; ++f) {
		x = x * x;
		k = FMA(k, x, k);
	}
	return k;
}

/* The k of PCR step 0, 1, ..; `step` is a constant after inlining. */
WSI_FN REAL
FN(pcr_k)(REAL a, REAL c, REAL cl, REAL ar, int step)
{
	REAL x = FMA(a, cl, c * ar);
#if REAL_BITS == 64
	return step == 0 ? (REAL)1 / ((REAL)1 - x)
	                 : FN(recip_one_minus)(x, step <= 2 ? 4 : step == 3 ? 3 : step == 4 ? 2 : 1);
#else
	return step == 0 ? (REAL)1 / ((REAL)1 - x)
	                 : FN(recip_one_minus)(x, step == 1 ? 3 : step <= 3 ? 2 : 1);
#endif
}

/* Row (a, c, r) with left neighbour (al, cl, rl) and right (ar, cr, rr). */
WSI_FN void
FN(pcr_step)(REAL a, REAL c, REAL r, REAL al, REAL cl, REAL rl, REAL ar, REAL cr, REAL rr,
             int step, REAL *a1, REAL *c1, REAL *r1)
{
	REAL k = FN(pcr_k)(a, c, cl, ar, step);
	*a1 = -(a * al) * k;
	*c1 = -(c * cr) * k;
	*r1 = FMA(-a, rl, FMA(-c, rr, r)) * k;
}

/* The last step needs the right-hand side only. */
WSI_FN REAL
FN(pcr_last)(REAL a, REAL c, REAL r, REAL cl, REAL rl, REAL ar, REAL rr, int step)
{
	return FMA(-a, rl, FMA(-c, rr, r)) * FN(pcr_k)(a, c, cl, ar, step);
}

/*
 * Not-a-knot: the first two intervals carry one cubic.  Its row,
 *     s_0 + g s_1 = R,  g = (h_0 + h_1) / h_1,
 * is eliminated from row 1, which becomes s_1 + 2 c_1 s_2 = 2 (r_1 - a_1 R).
 * Mirrored in time (h, d from the end inwards, slopes negated by the caller's
 * choice of d) it serves the right end as well, since the row is odd in d, s.
 */
WSI_FN REAL
FN(not_a_knot_rhs)(REAL h0, REAL h1, REAL d0, REAL d1)
{
	REAL sum = h0 + h1;
	REAL n = FMA((REAL)2, sum, h0) * h1;
	return FMA(n, d0, h0 * h0 * d1) / (sum * h1);
}

WSI_FN REAL
FN(not_a_knot_end)(REAL h0, REAL h1, REAL rhs, REAL s1)
{
	return FMA(-((h0 + h1) / h1), s1, rhs);
}
