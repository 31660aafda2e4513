/* logarithm.h - e^x, and the natural logarithm of x > 0, with the same bits on every machine. */
#ifndef WSI_MATH_LOGARITHM_H
#define WSI_MATH_LOGARITHM_H

#include "math/decibel.h"
#include "math/gaussian.h"

static inline double
portable_exp(double x)
{
	return decibel_exp(x);
}

static inline double
portable_log(double x)
{
	int e;
	const double m = frexp(x, &e);
	return gaussian_log(m) + (double)e * 0x1.62e42fefa39efp-1;
}

#endif
