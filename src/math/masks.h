/*
 * masks.h - masks by formula (wavesift/conv.h), the same bits on every machine.
 */
#ifndef WSI_MATH_MASKS_H
#define WSI_MATH_MASKS_H

#include "math/exponential.h"
#include "math/gaussian.h"
#include "wavesift/conv.h"

/* A mask at scale s = numerator / denominator, both below 2^50. */
typedef struct wsi_mask {
	ws_mask_formula formula;
	double param;           /* w, |w| <= 1e6 */
	double numerator, denominator;
	int64_t half;           /* floor(8 s): taps are x = -half .. half */
	double shift;           /* added to x */
} wsi_mask;

/* cos(a) and sin(a) for |a| < 2^30, within 2^-52. */
WSI_FN void
mask_cos_sin(double a, double *cosine, double *sine)
{
	const double q = floor(fma(a, 0x1.45f306dc9c883p-1, 0.5)); /* 2 / pi */
	const double t = fma(-q, 0x1.1a62633145c07p-54, fma(-q, 0x1.921fb54442d18p+0, a));
	const double z = t * t;
	/* Taylor, as in gaussian_turn(); |t| <= pi / 4.  Without a loop, so that loops over it become
	 * vectors. */
	double c = 1.0 / 6402373705728000.0;
	c = fma(-c, z, 1.0 / 20922789888000.0);
	c = fma(-c, z, 1.0 / 87178291200.0);
	c = fma(-c, z, 1.0 / 479001600.0);
	c = fma(-c, z, 1.0 / 3628800.0);
	c = fma(-c, z, 1.0 / 40320.0);
	c = fma(-c, z, 1.0 / 720.0);
	c = fma(-c, z, 1.0 / 24.0);
	c = fma(-c, z, 0.5);
	c = fma(-c, z, 1.0);
	double s = 1.0 / 355687428096000.0;
	s = fma(-s, z, 1.0 / 1307674368000.0);
	s = fma(-s, z, 1.0 / 6227020800.0);
	s = fma(-s, z, 1.0 / 39916800.0);
	s = fma(-s, z, 1.0 / 362880.0);
	s = fma(-s, z, 1.0 / 5040.0);
	s = fma(-s, z, 1.0 / 120.0);
	s = fma(-s, z, 1.0 / 6.0);
	s = fma(-s, z, 1.0);
	s *= t;
	const int64_t turn = (int64_t)q & 3;
	const double cq = turn & 1 ? s : c, sq = turn & 1 ? c : s;
	*cosine = turn == 1 || turn == 2 ? -cq : cq;
	*sine = turn >= 2 ? -sq : sq;
}

/* The value at x; *imaginary is 0 but for WS_MASK_GABOR. */
WSI_FN double
mask_value(const wsi_mask *m, int64_t x, double *imaginary)
{
	/* Without a shift the product is exact. */
	const double t = ((double)x + m->shift) * m->denominator / m->numerator;
	const double norm = sqrt(m->denominator / m->numerator);
	double c, s;
	*imaginary = 0.0;
	if (m->formula == WS_MASK_DOPPLER) {
		const double u = 0.5 + t * 0.0625, v = 1.05 / (u + 0.05);
		gaussian_turn(v - floor(v), &c, &s);
		const double w = u * (1.0 - u);
		return w >= 0.0 ? norm * sqrt(w) * s : 0.0;
	}
	const double bell = norm * exponential(-0.5 * t * t);
	if (m->formula == WS_MASK_MEXICAN_HAT)
		return bell * 0x1.bc12081a51aaap-1 * (1.0 - t * t);
	mask_cos_sin(m->param * t, &c, &s);
	if (m->formula == WS_MASK_GABOR)
		*imaginary = bell * s;
	return bell * c;
}

#endif
