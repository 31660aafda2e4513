/*
 * masks.h - masks by formula (wavesift/conv.h), the same bits on every machine.
 */
#ifndef WSI_MATH_MASKS_H
#define WSI_MATH_MASKS_H

#include "math/cos_sin.h"
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
	cos_sin(t, fma(-4.0, floor(0.25 * q), q), cosine, sine);
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
