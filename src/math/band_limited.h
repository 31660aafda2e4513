/*
 * band_limited.h - interpolation between samples by a windowed sinc of WSI_BAND_HALF samples to
 * either side, the same bits on every machine.  Tones up to 0.8 of half the sampling rate are
 * interpolated within 1e-7 of their amplitude, up to 0.9 within 3e-4.
 */
#ifndef WSI_MATH_BAND_LIMITED_H
#define WSI_MATH_BAND_LIMITED_H

#include "math/masks.h"

#define WSI_BAND_HALF 32

/* I0(x), the modified Bessel function, by its series; 0 <= x <= 15. */
WSI_FN double
band_bessel(double x)
{
	const double q = 0.25 * x * x;
	double term = 1.0, sum = 1.0;
	for (int k = 1; k <= 40; ++k) {
		term = term * q / (double)(k * k);
		sum += term;
	}
	return sum;
}

/* The weight of a sample that lies u samples away: sinc(u) by Kaiser's window, beta = 14.5. */
WSI_FN double
band_weight(double u)
{
	const double pi = 0x1.921fb54442d18p1, r = u / WSI_BAND_HALF, inside = 1.0 - r * r;
	double c, s;
	if (u == 0.0)
		return 1.0;
	if (!(inside > 0.0) || u == floor(u))
		return 0.0;
	mask_cos_sin(pi * u, &c, &s);
	return s / (pi * u) * band_bessel(14.5 * sqrt(inside)) / 209594.3239621261;
}

#endif
