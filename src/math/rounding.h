/*
 * rounding.h - f64 to f32 in a direction, or dithered.
 */
#ifndef WSI_MATH_ROUNDING_H
#define WSI_MATH_ROUNDING_H

#include "math/gaussian.h"

/* The largest f32 that is not above v; the next one above it unless v is one itself. */
WSI_FN float
rounding_down(double v)
{
	const float near = (float)v;
	return (double)near > v ? nextafterf(near, -HUGE_VALF) : near;
}

WSI_FN float
rounding_up(double v)
{
	const float near = (float)v;
	return (double)near < v ? nextafterf(near, HUGE_VALF) : near;
}

/* Up with the probability of v's place between both neighbours, 0 <= u < 1 at random. */
WSI_FN float
rounding_dithered(double v, double u)
{
	const float low = rounding_down(v), high = rounding_up(v);
	const double step = (double)high - (double)low;
	return step > 0.0 && v - (double)low > u * step ? high : low;
}

#endif
