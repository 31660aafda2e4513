/*
 * phase.h - angles of complex samples, whole turns, medians of three, five and any number, and the
 * extremum between three samples.  In double for either type of samples: an unwrapped phase grows
 * without bound, and in single precision its slope would not survive.
 *
 * The same bits on every machine, which libm's angle is not; without branches where loops over it
 * are to become vectors.
 */
#ifndef WSI_MATH_PHASE_H
#define WSI_MATH_PHASE_H

#include <math.h>

#include "math/real.h"

#define PHASE_PI 0x1.921fb54442d18p1
#define PHASE_TURN 0x1.921fb54442d18p2

/* Angle of (x, y) in -pi .. pi within 4e-16; 0 where both are 0. */
WSI_FN double
phase_angle(double y, double x)
{
	const double quarter = 0x1.921fb54442d18p-1;
	const double ax = fabs(x), ay = fabs(y);
	const double low = ax < ay ? ax : ay, high = ax < ay ? ay : ax;
	/* tan(a) up to tan(pi / 8), else tan(pi / 4 - a) = (high - low) / (high + low). */
	const double limit = 0.41421356237309504880 * high;
	const double top = low > limit ? low - high : low;
	const double bottom = low > limit ? low + high : high;
	const double t = top / (bottom > 0.0 ? bottom : 1.0), z = t * t;
	/* atan(t) / t = 1 + z p(z) for z <= tan(pi / 8)^2; by Chebyshev, within 2e-19. */
	double p = fma(0x1.0ad36a455cafbp-6, z, -0x1.1b33b923aa954p-5);
	p = fma(p, z, 0x1.74ddd408bb4c1p-5);
	p = fma(p, z, -0x1.ac7a938b69c93p-5);
	p = fma(p, z, 0x1.e19a13b9fc6dfp-5);
	p = fma(p, z, -0x1.110e880a7a521p-4);
	p = fma(p, z, 0x1.3b1392d9e785cp-4);
	p = fma(p, z, -0x1.745d165df3f95p-4);
	p = fma(p, z, 0x1.c71c71c304b68p-4);
	p = fma(p, z, -0x1.249249248d7eep-3);
	p = fma(p, z, 0x1.9999999999953p-3);
	p = fma(p, z, -0x1.5555555555555p-2);
	double a = fma(p * z, t, t) + (low > limit ? quarter : 0.0);
	a = ay > ax ? 2.0 * quarter - a : a;
	a = x < 0.0 ? 4.0 * quarter - a : a;
	return y < 0.0 ? -a : a;
}

/* Turns to add behind a step from one angle to the next, so that it is at most half a turn. */
WSI_FN double
phase_turn(double before, double after)
{
	const double step = after - before;
	return (step < -PHASE_PI ? 1.0 : 0.0) - (step > PHASE_PI ? 1.0 : 0.0);
}

/* The same as numpy.unwrap has it, in radians: what it adds to all samples from here on. */
WSI_FN double
phase_turn_numpy(double before, double after)
{
	const double step = after - before, shifted = step + PHASE_PI;
	double within = shifted < 0.0 ? shifted + PHASE_TURN : shifted >= PHASE_TURN
	                ? shifted - PHASE_TURN : shifted;
	within -= PHASE_PI;
	if (within == -PHASE_PI && step > 0.0)
		within = PHASE_PI;
	return fabs(step) < PHASE_PI ? 0.0 : within - step;
}

WSI_FN double
phase_lower(double a, double b)
{
	return a < b ? a : b;
}

WSI_FN double
phase_upper(double a, double b)
{
	return a < b ? b : a;
}

WSI_FN double
phase_median3(double a, double b, double c)
{
	return phase_upper(phase_lower(a, b), phase_lower(phase_upper(a, b), c));
}

/* The median of five is that of e, the larger of the lower two and the smaller of the upper two
 * of two pairs. */
WSI_FN double
phase_median5(double a, double b, double c, double d, double e)
{
	const double low = phase_upper(phase_lower(a, b), phase_lower(c, d));
	const double high = phase_lower(phase_upper(a, b), phase_upper(c, d));
	return phase_median3(low, high, e);
}

/* The median of v[width], which is put into order. */
WSI_FN double
phase_middle(double *v, int width)
{
	for (int i = 1; i < width; ++i) {
		const double x = v[i];
		int k = i;
		for (; k > 0 && v[k - 1] > x; --k)
			v[k] = v[k - 1];
		v[k] = x;
	}
	return v[width / 2];
}

/*
 * The extremum of the sine through three samples, of which the middle one, above 0, is larger than
 * `left` and not smaller than `right`: its value, and how far it lies behind the middle sample.
 * Of a slowly modulated sine it is exact but for the modulation, however few samples a wave has.
 */
WSI_FN double
phase_peak(double left, double middle, double right, double *behind)
{
	/* A cos(w t - p): the cosine of w from the sum of the neighbours, A sin(p) from their
	 * difference. */
	const double c = 0.5 * (left + right) / middle;
	const double s = sqrt(fma(-c, c, 1.0));
	const double d = 0.5 * (right - left) / s;
	if (!(s > 1e-6)) {
		*behind = 0.0;
		return middle;
	}
	*behind = phase_angle(d, middle) / phase_angle(s, c);
	return sqrt(fma(d, d, middle * middle));
}

#endif
