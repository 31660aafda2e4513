/*
 * slopes.h - template: slopes of the splines that need no system: PCHIP,
 * Akima, and the parabola through three knots.  Scalars only.
 */
#include <stdbool.h>

#include "math/real.h"

/* Middle slope of the parabola through three knots. */
WSI_FN REAL
FN(parabola_slope)(REAL h0, REAL h1, REAL d0, REAL d1)
{
	return FMA(h1, d0, h0 * d1) / (h0 + h1);
}

/* The slope at either end of it, given that end's chord. */
WSI_FN REAL
FN(parabola_end)(REAL d, REAL middle)
{
	return FMA((REAL)2, d, -middle);
}

/* Of signs, not of the product, which may underflow. */
WSI_FN bool
FN(same_sign)(REAL a, REAL b)
{
	return (a > (REAL)0 && b > (REAL)0) || (a < (REAL)0 && b < (REAL)0);
}

/* Fritsch & Butland 1984: weighted harmonic mean of the chords, 0 at a local
 * extremum of the knots. */
WSI_FN REAL
FN(pchip_slope)(REAL h0, REAL h1, REAL d0, REAL d1)
{
	if (!FN(same_sign)(d0, d1))
		return (REAL)0;
	REAL w0 = FMA((REAL)2, h1, h0);
	REAL w1 = FMA((REAL)2, h0, h1);
	return (w0 + w1) / (w0 / d0 + w1 / d1);
}

/* One-sided three-point slope at an end, limited to keep the shape. */
WSI_FN REAL
FN(pchip_end)(REAL h0, REAL h1, REAL d0, REAL d1)
{
	REAL s = FMA(FMA((REAL)2, h0, h1), d0, -(h0 * d1)) / (h0 + h1);
	if (!FN(same_sign)(s, d0))
		return (REAL)0;
	REAL limit = (REAL)3 * d0;
	if (!FN(same_sign)(d0, d1) && (s < (REAL)0 ? -s : s) > (limit < (REAL)0 ? -limit : limit))
		return limit;
	return s;
}

/* Akima's chords one and two beyond an end, extrapolated linearly from the outermost and the
 * next. */
WSI_FN REAL
FN(akima_beyond)(REAL outer, REAL inner, int beyond)
{
	const REAL next = FMA((REAL)2, outer, -inner);
	return beyond == 1 ? next : FMA((REAL)2, next, -outer);
}

/* Chord j of d, which has first .. last; at most two beyond either end.  A single chord goes on
 * for ever. */
WSI_FN REAL
FN(akima_chord)(const REAL *d, int first, int last, int j)
{
	if (first == last || (j >= first && j <= last))
		return d[j < first ? first : j > last ? last : j];
	return j < first ? FN(akima_beyond)(d[first], d[first + 1], first - j)
	                 : FN(akima_beyond)(d[last], d[last - 1], j - last);
}

/* Weights of less than this share of the chords around are rounding of 0. */
#undef AKIMA_ROUNDING
#if REAL_BITS == 64
#define AKIMA_ROUNDING ((REAL)0x1p-30)
#else
#define AKIMA_ROUNDING ((REAL)0x1p-12)
#endif

/*
 * Akima 1970 from the chords d_{j-2} .. d_{j+1} around knot j: d_{j-1} and d_j, each weighted
 * by how much the chords on the other side differ.  Where either side is straight but for
 * rounding the weights decide nothing, and the mean of the two is taken; relative to these
 * chords alone, so that the slope depends on nothing farther away.  Knots in reverse order
 * give exactly the negative slope.
 */
WSI_FN REAL
FN(akima_slope)(REAL dm2, REAL dm1, REAL d0, REAL d1)
{
	REAL w1 = d1 - d0, w2 = dm1 - dm2;
	w1 = w1 < (REAL)0 ? -w1 : w1;
	w2 = w2 < (REAL)0 ? -w2 : w2;
	REAL outer = (dm2 < (REAL)0 ? -dm2 : dm2) + (d1 < (REAL)0 ? -d1 : d1);
	REAL inner = (dm1 < (REAL)0 ? -dm1 : dm1) + (d0 < (REAL)0 ? -d0 : d0);
	REAL sum = w1 + w2, weighted = (w1 * dm1 + w2 * d0) / sum;
	return sum > AKIMA_ROUNDING * (outer + inner) ? weighted : (REAL)0.5 * (dm1 + d0);
}
