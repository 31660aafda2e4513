/*
 * cubic.h - template: the cubic between two knots (time, value, slope) and
 * the mean of two envelopes.  See real.h for REAL, FN and FMA.
 */
#include "math/real.h"

/* The value of a knot that lies between two samples (math/marks.h), the same from either side. */
WSI_FN REAL
FN(knot_between)(REAL a, REAL b)
{
	return (REAL)0.5 * (a + b);
}

/*
 * Hermite cubic v0 + u (s0 + u (c2 + u c3)), u = ticks since the left knot,
 * on an interval of h ticks with chord slope d = (v1 - v0) / h, ih = 1 / h.
 */
WSI_FN REAL
FN(cubic_c2)(REAL s0, REAL s1, REAL d, REAL ih)
{
	return FMA((REAL)3, d, -FMA((REAL)2, s0, s1)) * ih;
}

WSI_FN REAL
FN(cubic_c3)(REAL s0, REAL s1, REAL d, REAL ih)
{
	return FMA((REAL)-2, d, s0 + s1) * ih * ih;
}
