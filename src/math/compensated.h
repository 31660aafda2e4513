/*
 * compensated.h - template: sums that carry their rounding errors along (Dot2 of Ogita, Rump &
 * Oishi 2005): as accurate as in twice the digits, unless products are subnormal.
 */
#include "math/real.h"

/* A sum and what rounding took from it. */
typedef struct FN(carried) { REAL sum, rest; } FN(carried);

/* s + a b */
WSI_FN FN(carried)
FN(carried_fma)(FN(carried) s, REAL a, REAL b)
{
	const REAL p = a * b, product_rest = FMA(a, b, -p);
	const REAL sum = s.sum + p, z = sum - s.sum;
	const REAL sum_rest = (s.sum - (sum - z)) + (p - z);
	return (FN(carried)){ sum, s.rest + (product_rest + sum_rest) };
}

/* a + b */
WSI_FN FN(carried)
FN(carried_add)(FN(carried) a, FN(carried) b)
{
	const REAL sum = a.sum + b.sum, z = sum - a.sum;
	const REAL sum_rest = (a.sum - (sum - z)) + (b.sum - z);
	return (FN(carried)){ sum, (a.rest + b.rest) + sum_rest };
}
