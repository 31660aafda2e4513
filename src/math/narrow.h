/*
 * narrow.h - rounding to the 16-bit types, within f32 or f64.
 *
 * A value is first multiplied by an exact power of two, 2^-e, so that the largest of its signal or
 * mask is below 1, and afterwards by 2^e: no result depends on the unit.  Scaled so, f16 has 11
 * significant bits down to 2^-29 and multiples of 2^-39 below (its range of exponents ends 2^15
 * above 1); bf16 has 8 significant bits.
 */
#ifndef WSI_MATH_NARROW_H
#define WSI_MATH_NARROW_H

#include <math.h>
#include <string.h>

#include "math/real.h"
#include "wavesift/conv.h"

/* The distance of neighbours about v, |v| <= 1, which is a power of two. */
WSI_FN double
narrow_step(double v, ws_narrow type)
{
	int exponent;
	frexp(v, &exponent);
	const int bits = type == WS_NARROW_F16 ? 11 : 8;
	const int least = type == WS_NARROW_F16 ? -39 : -126 - 7;
	return ldexp(1.0, exponent - bits > least ? exponent - bits : least);
}

/* The nearest to v, |v| <= 1, of two the even one: adding 1.5 2^k, k = 52 + log2 of the step,
 * leaves no digits below it. */
WSI_FN double
narrow_nearest(double v, ws_narrow type)
{
	const int bits = type == WS_NARROW_F16 ? 11 : 8;
	const int least = type == WS_NARROW_F16 ? -39 : -126 - 7;
	uint64_t u;
	double c;
	memcpy(&u, &v, sizeof u);
	const int step = (int)(u >> 52 & 0x7ff) - 1022 - bits;
	u = (uint64_t)(1023 + 52 + (step > least ? step : least)) << 52 | (uint64_t)1 << 51;
	memcpy(&c, &u, sizeof c);
	return (v + c) - c;
}

/* The next one that is not above v. */
WSI_FN double
narrow_down(double v, ws_narrow type)
{
	const double step = narrow_step(v, type);
	return floor(v / step) * step;
}

/* Not below. */
WSI_FN double
narrow_up(double v, ws_narrow type)
{
	return -narrow_down(-v, type);
}

#endif
