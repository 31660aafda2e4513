/*
 * rounding.h - f64 to f32 in a direction, or dithered.
 */
#ifndef WSI_MATH_ROUNDING_H
#define WSI_MATH_ROUNDING_H

#include "math/gaussian.h"
#include "wavesift/conv.h"

/* The largest f32 that is not above v. */
WSI_FN float
rounding_down(double v)
{
	const float near = (float)v;
	return (double)near > v ? nextafterf(near, -HUGE_VALF) : near;
}

/* The smallest f32 that is not below v. */
WSI_FN float
rounding_up(double v)
{
	const float near = (float)v;
	return (double)near < v ? nextafterf(near, HUGE_VALF) : near;
}

/* One of both, at random: the upper one with the probability (v - lower) / (upper - lower).  u: a
 * random number, 0 <= u < 1. */
WSI_FN float
rounding_dithered(double v, double u)
{
	const float low = rounding_down(v), high = rounding_up(v);
	const double step = (double)high - (double)low;
	return step > 0.0 && v - (double)low > u * step ? high : low;
}

/* Value number `at` of a mask to f32; seed: of what is dithered. */
WSI_FN double
rounding_tap(double v, ws_mask_rounding how, uint64_t seed, uint32_t mask, uint64_t at)
{
	uint64_t bits[2];
	switch (how) {
	case WS_ROUND_ZERO: return v < 0.0 ? rounding_up(v) : rounding_down(v);
	case WS_ROUND_UP: return rounding_up(v);
	case WS_ROUND_DOWN: return rounding_down(v);
	case WS_ROUND_DITHER:
		gaussian_bits(seed, 0x6d61736bu, mask, at, bits);
		return rounding_dithered(v, (double)(int64_t)bits[0] * 0x1p-53);
	default: return (float)v;
	}
}

#endif
