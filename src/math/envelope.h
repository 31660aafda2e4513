/*
 * envelope.h - template: evaluation of the envelopes and the sift of one
 * sample.  REAL may be a vector.
 */
#include "math/real.h"

WSI_FN REAL
FN(cubic_at)(REAL c0, REAL c1, REAL c2, REAL c3, REAL u)
{
	return FMA(FMA(FMA(c3, u, c2), u, c1), u, c0);
}

/* x minus the mean of the envelopes; halving is exact. */
WSI_FN REAL
FN(minus_half)(REAL x, REAL sum, REAL minus_one_half)
{
	return FMA(minus_one_half, sum, x);
}
