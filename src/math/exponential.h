/*
 * exponential.h - exp, the same bits on every machine, which libm's is not.  Without branches, so
 * that loops over it become vectors.
 */
#ifndef WSI_MATH_EXPONENTIAL_H
#define WSI_MATH_EXPONENTIAL_H

#include <math.h>
#include <string.h>

#include "math/real.h"

/* exp(x), within 2 ulp; 0 below -708, and x is taken for 709 above it. */
WSI_FN double
exponential(double x)
{
	const double most = x < 709.0 ? x : 709.0;
	const double bound = most > -708.0 ? most : -708.0;
	/* Adding 1.5 * 2^52 leaves the nearest integer in the low bits. */
	const double shift = 0x1.8p52, shifted = fma(bound, 0x1.71547652b82fep0, shift);
	const double k = shifted - shift;
	const double t = fma(k, -0x1.abc9e3b39803fp-56, fma(k, -0x1.62e42fefa39efp-1, bound));
	/* |t| <= ln(2) / 2: Taylor; the first term left out is below 5e-18. */
	double p = 1.0 / 6227020800.0;
	p = fma(p, t, 1.0 / 479001600.0);
	p = fma(p, t, 1.0 / 39916800.0);
	p = fma(p, t, 1.0 / 3628800.0);
	p = fma(p, t, 1.0 / 362880.0);
	p = fma(p, t, 1.0 / 40320.0);
	p = fma(p, t, 1.0 / 5040.0);
	p = fma(p, t, 1.0 / 720.0);
	p = fma(p, t, 1.0 / 120.0);
	p = fma(p, t, 1.0 / 24.0);
	p = fma(p, t, 1.0 / 6.0);
	p = fma(p, t, 0.5);
	p = fma(p, t, 1.0);
	p = fma(p, t, 1.0);
	int64_t bits, exponent;
	memcpy(&exponent, &shifted, sizeof exponent);
	memcpy(&bits, &p, sizeof bits);
	bits += (int64_t)((uint64_t)exponent << 52);
	memcpy(&p, &bits, sizeof p);
	return x > -708.0 ? p : 0.0;
}

#endif
