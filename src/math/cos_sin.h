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
	const double z = t * t;
	/* Taylor; the first term left out is below 1e-17.  Without a loop, so that loops over it
	 * become vectors. */
	double c = 1.0 / 6402373705728000.0;
	c = fma(-c, z, 1.0 / 20922789888000.0);
	c = fma(-c, z, 1.0 / 87178291200.0);
	c = fma(-c, z, 1.0 / 479001600.0);
	c = fma(-c, z, 1.0 / 3628800.0);
	c = fma(-c, z, 1.0 / 40320.0);
	c = fma(-c, z, 1.0 / 720.0);
	c = fma(-c, z, 1.0 / 24.0);
	c = fma(-c, z, 0.5);
	c = fma(-c, z, 1.0);
	double s = 1.0 / 355687428096000.0;
	s = fma(-s, z, 1.0 / 1307674368000.0);
	s = fma(-s, z, 1.0 / 6227020800.0);
	s = fma(-s, z, 1.0 / 39916800.0);
	s = fma(-s, z, 1.0 / 362880.0);
	s = fma(-s, z, 1.0 / 5040.0);
	s = fma(-s, z, 1.0 / 120.0);
	s = fma(-s, z, 1.0 / 6.0);
	s = fma(-s, z, 1.0);
	s *= t;
	/* Quarter turns swap the two and change signs. */
	const bool odd = quarter == 1.0 || quarter == 3.0;
	double cq = odd ? s : c, sq = odd ? c : s;
	*cosine = quarter == 1.0 || quarter == 2.0 ? -cq : cq;
	*sine = quarter == 2.0 || quarter == 3.0 ? -sq : sq;
}

#endif
