/*
 * hilbert.h - the Hilbert transform of m real samples that stand as m / 2 complex numbers, the even
 * samples their real parts and the odd ones their imaginary parts: what is done to the transform of
 * these; and how a signal goes on beyond its ends.
 */
#ifndef WSI_MATH_HILBERT_H
#define WSI_MATH_HILBERT_H

#include <stddef.h>

#include "math/real.h"

/*
 * Bin k of the transform of the complex numbers that stand for x, and bin m / 2 - k (0 for 0);
 * gives bin k of that of those that stand for y.  With E and O the transforms of even and odd
 * samples, w = e^{-2 pi i k / m} = c - i s, and p and q half the sum and half the difference of the
 * response at k and k + m / 2 over m / 2,
 *     E' = i (p E + q w O),  O' = i (q E / w + p O).
 */
WSI_FN void
hilbert_bin(double re, double im, double back_re, double back_im, double p, double q, double c,
            double s, double *y_re, double *y_im)
{
	const double e_re = 0.5 * (re + back_re);
	const double e_im = 0.5 * (im - back_im);
	const double o_re = 0.5 * (im + back_im);
	const double o_im = 0.5 * (back_re - re);
	/* w O and E / w */
	const double wo_re = c * o_re + s * o_im, wo_im = c * o_im - s * o_re;
	const double we_re = c * e_re - s * e_im, we_im = c * e_im + s * e_re;
	const double a_re = p * e_re + q * wo_re, a_im = p * e_im + q * wo_im;
	const double b_re = q * we_re + p * o_re, b_im = q * we_im + p * o_im;
	/* E' + i O' = i a - b */
	*y_re = -a_im - b_re;
	*y_im = a_re - b_im;
}

/* Is there an extremum at the middle one of three samples? */
WSI_FN int
hilbert_is_extremum(double before, double middle, double after)
{
	const double a = middle - before, b = after - middle;
	return (a > 0.0 && b <= 0.0) || (a < 0.0 && b >= 0.0);
}

/* What sample i, 1 .. room, beyond an end is multiplied by: 1, then falling to 0 in the farther
 * half. */
WSI_FN double
hilbert_fade(size_t room, size_t i)
{
	const double left = (double)(room - i + 1) / (double)(room / 2 + 1);
	return left < 1.0 ? left * left * (3.0 - 2.0 * left) : 1.0;
}

#endif
