/*
 * geometric.h - geometric means of many numbers of any size: a product as share 2^exponent, which
 * neither overflows nor underflows.  Without branches, so that loops over it become vectors.
 */
#ifndef WSI_MATH_GEOMETRIC_H
#define WSI_MATH_GEOMETRIC_H

#include "math/exponential.h"
#include "math/gaussian.h"

/* Product times x >= 0.  1 <= share < 2, or share is 0. */
WSI_FN void
geometric_take(double *share, double *exponent, double x)
{
	/* Subnormal numbers have no leading 1. */
	const bool small = x < 0x1p-1000;
	const double up = small ? x * 0x1p100 : x;
	uint64_t bits;
	memcpy(&bits, &up, sizeof bits);
	const double e = (double)(int32_t)(bits >> 52) - (small ? 1123.0 : 1023.0);
	bits = (bits & 0x000fffffffffffffu) | 0x3ff0000000000000u;
	double m;
	memcpy(&m, &bits, sizeof m);
	const double product = x > 0.0 ? *share * m : 0.0;
	const bool carry = product >= 2.0;
	*share = carry ? 0.5 * product : product;
	*exponent += carry ? e + 1.0 : e;
}

/* Factors that are 0 or of these sizes may be multiplied as they are, so many of them: the product
 * has the digits of the product of shares.  Then share is settled. */
#define GEOMETRIC_FACTORS 6
#define GEOMETRIC_LEAST 0x1p-160
#define GEOMETRIC_MOST 0x1p160

/* 1 <= share < 2 again, or 0, of a share that is normal, or 0. */
WSI_FN void
geometric_settle(double *share, double *exponent)
{
	uint64_t bits;
	memcpy(&bits, share, sizeof bits);
	*exponent += (double)((int32_t)(bits >> 52) - 1023);
	bits = (bits & 0x000fffffffffffffu) | 0x3ff0000000000000u;
	double m;
	memcpy(&m, &bits, sizeof m);
	*share = *share == 0.0 ? 0.0 : m;
}

#define GEOMETRIC_LN2 0x1.62e42fefa39efp-1

/* (product last^weight)^power, within some 1e-15 times the logarithm of the product; 0 where a
 * factor is 0. */
WSI_FN double
geometric_mean(double share, double exponent, double last, double weight, double power)
{
	/* 0 has no logarithm that gaussian_log() gives. */
	const bool none = (share == 0.0) | (last == 0.0);
	const double log = gaussian_log(none ? 1.0 : share) + exponent * GEOMETRIC_LN2 +
	                   weight * gaussian_log(none ? 1.0 : last);
	return exponential(power * (none ? -HUGE_VAL : log));
}

#endif
