/*
 * angle.h - template: the angle of a complex number, the same bits on every machine, which libm's
 * is not.  Without branches, so that loops over it become vectors.
 */
#include "math/real.h"

/* The angle of (x, y) in -pi .. pi, 0 where both are 0; f32: within 2e-7, f64: within 4e-16. */
WSI_FN REAL
FN(angle_of)(REAL y, REAL x)
{
	const REAL quarter = (REAL)0.78539816339744830962;
	const REAL ax = x < 0 ? -x : x, ay = y < 0 ? -y : y;
	const REAL low = ax < ay ? ax : ay, high = ax < ay ? ay : ax;
	/* tan(a) up to tan(pi / 8), else tan(pi / 4 - a) = (high - low) / (high + low). */
	const REAL limit = (REAL)0.41421356237309504880 * high;
	const REAL top = low > limit ? low - high : low;
	const REAL bottom = low > limit ? low + high : high;
	const REAL t = top / (bottom > 0 ? bottom : (REAL)1), z = t * t;
	REAL p = 0;
	for (int k = REAL_BITS == 64 ? 43 : 19; k >= 1; k -= 2)
		p = FMA(p, -z, (REAL)1 / (REAL)k);
	REAL a = FMA(p, t, low > limit ? quarter : (REAL)0);
	a = ay > ax ? 2 * quarter - a : a;
	a = x < 0 ? 4 * quarter - a : a;
	return y < 0 ? -a : a;
}
