/* cos_sin.h - cosine and sine, the same bits on every machine. */
#ifndef WSI_MATH_COS_SIN_H
#define WSI_MATH_COS_SIN_H

#include <math.h>
#include <stdbool.h>

#include "math/real.h"

/* Of t + quarter pi / 2, |t| <= pi / 4, within an ulp; quarter: 0 .. 4. */
WSI_FN void
cos_sin(double t, double quarter, double *cosine, double *sine)
{
	double z = t * t, c = 0.0, s = 0.0;
	/* Taylor: the first term left out is below 1e-17. */
	const double inverse_factorial[19] = {
		1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040,
		1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600,
		1.0 / 6227020800, 1.0 / 87178291200, 1.0 / 1307674368000,
		1.0 / 20922789888000, 1.0 / 355687428096000, 1.0 / 6402373705728000
	};
	for (int k = 18; k >= 0; k -= 2)
		c = fma(-c, z, inverse_factorial[k]);
	for (int k = 17; k >= 1; k -= 2)
		s = fma(-s, z, inverse_factorial[k]);
	s *= t;
	/* Quarter turns swap the two and change signs. */
	const bool odd = quarter == 1.0 || quarter == 3.0;
	double cq = odd ? s : c, sq = odd ? c : s;
	*cosine = quarter == 1.0 || quarter == 2.0 ? -cq : cq;
	*sine = quarter == 2.0 || quarter == 3.0 ? -sq : sq;
}

#endif
