/*
 * kaiser.h - Kaiser and Bessel's window, by which a band is interpolated between the points of a
 * grid: weights, and what takes their transform off the band's bins beforehand.
 */
#ifndef WSI_MATH_KAISER_H
#define WSI_MATH_KAISER_H

#include <math.h>

#include "math/exponential.h"

/* Modified Bessel function of the first kind: all terms are positive. */
WSI_FN double
kaiser_i0(double x)
{
	double term = 1.0, sum = 1.0;
	for (int k = 1; term > 1e-18 * sum; ++k) {
		term *= 0.25 * x * x / ((double)k * k);
		sum += term;
	}
	return sum;
}

/* beta after Beatty et al. 2005, for `over` times as many points as the band has bins. */
WSI_FN double
kaiser_beta(int taps, double over)
{
	const double w = taps, share = (over - 0.5) / over;
	return 3.14159265358979323846 * sqrt(w * w * share * share - 0.8);
}

/* The weight of tap j, of `taps`, for an output that lies behind tap taps / 2 - 1 by the share
 * `phase` of the distance to the next.  peak: kaiser_i0(beta). */
WSI_FN double
kaiser_weight(int taps, double beta, double peak, int j, double phase)
{
	const double x = (phase - (j - (taps / 2 - 1))) / (0.5 * taps), rest = 1.0 - x * x;
	return rest >= 0.0 ? kaiser_i0(beta * sqrt(rest)) / peak : 0.0;
}

/* One over the window's transform at bin q of m. */
WSI_FN double
kaiser_flatten(int taps, double beta, double peak, size_t q, size_t m)
{
	const double w = taps, v = 3.14159265358979323846 * w * (double)q / (double)m;
	const double root = sqrt(beta * beta - v * v), up = exponential(root);
	return peak * root / (w * 0.5 * (up - 1.0 / up));
}

#endif
