/*
 * averages.h - sums over epochs of coefficients, of one channel or of two, what is formed of them,
 * and how powers are compared with a baseline.  In double; without branches where sums are added
 * to, so that loops over them become vectors.
 */
#ifndef WSI_MATH_AVERAGES_H
#define WSI_MATH_AVERAGES_H

#include <math.h>

#include "math/gaussian.h"
#include "wavesift/cwt.h"

/* Adds x + i y, which has `before` numbers before it, to their sum, and to squared distances from
 * their mean, as Youngs and Cramer (1971) add them: from the mean of those before, so that nothing
 * cancels where all are nearly alike. */
WSI_FN void
averages_add(double x, double y, double before, double *re, double *im, double *about)
{
	const double share = before > 0.0 ? 1.0 / before : 0.0, weight = before / (before + 1.0);
	const double a = x - *re * share, b = y - *im * share;
	*about += (a * a + b * b) * weight;
	*re += x;
	*im += y;
}

/* Adds (x + i y) / size; nothing has no phase. */
WSI_FN void
averages_add_unit(double x, double y, double size, double *re, double *im)
{
	const double share = size > 0.0 ? 1.0 / size : 0.0;
	*re += x * share;
	*im += y * share;
}

/* Sums of two channels' coefficients w = a + i b and v = c + i d: of |w|^2, |v|^2, w conj(v), and
 * of that by its size. */
WSI_FN void
averages_add_pair(double a, double b, double c, double d, double *power_w, double *power_v,
                  double *re, double *im, double *unit_re, double *unit_im)
{
	const double pw = a * a + b * b, pv = c * c + d * d;
	const double x = a * c + b * d, y = b * c - a * d;
	*power_w += pw;
	*power_v += pv;
	*re += x;
	*im += y;
	averages_add_unit(x, y, sqrt(pw) * sqrt(pv), unit_re, unit_im);
}

/* Of these sums: magnitude-squared coherence, phase-locking value, imaginary part of coherency. */
WSI_FN double
averages_coherence(double power_w, double power_v, double re, double im)
{
	const double cross = re * re + im * im;
	return fmin(power_w, power_v) > 0.0 ? fmin(cross / power_w / power_v, 1.0) : 0.0;
}

WSI_FN double
averages_locking(double unit_re, double unit_im, double epochs)
{
	return fmin(sqrt(unit_re * unit_re + unit_im * unit_im) / epochs, 1.0);
}

WSI_FN double
averages_imaginary(double power_w, double power_v, double im)
{
	return fmin(power_w, power_v) > 0.0
		? fmax(fmin(im / sqrt(power_w) / sqrt(power_v), 1.0), -1.0) : 0.0;
}

/* A power compared with the baseline's mean and deviation. */
WSI_FN double
averages_compared(ws_baseline how, double p, double mean, double deviation)
{
	switch (how) {
	case WS_BASELINE_RATIO:
		return p / mean;
	case WS_BASELINE_DB:
		return p > 0.0 && mean > 0.0
			? 10.0 / 2.30258509299404568402 * gaussian_log(p / mean)
			: p / mean - 1.0 == -1.0 ? -HUGE_VAL : (double)NAN;
	case WS_BASELINE_PERCENT:
		return 100.0 * (p - mean) / mean;
	case WS_BASELINE_Z:
		return (p - mean) / deviation;
	default:
		return p;
	}
}

#endif
