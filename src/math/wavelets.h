/*
 * wavelets.h - wavelets in the frequency domain: shapes whose largest value is 1.
 */
#ifndef WSI_MATH_WAVELETS_H
#define WSI_MATH_WAVELETS_H

#include <stdbool.h>

#include "math/exponential.h"
#include "math/gaussian.h"
#include "wavesift/cwt.h"

typedef struct wsi_wavelet {
	ws_wavelet kind;
	double a, b;            /* the two parameters; sigma of WS_BUMP */
	double peak;            /* w of the largest value */
	double at_peak;         /* the formula's logarithm there; WS_MORLET_ZERO_MEAN: its value */
} wsi_wavelet;

/* ln(w) for w > 0. */
WSI_FN double wavelet_log(double w) { return gaussian_log(w); }

/* psi^(w) by its value at the peak.  The sign of a DOG's negative side is here; its powers of i
 * are wavelet_quarters(). */
WSI_FN double
wavelet_shape(const wsi_wavelet *v, double w)
{
	const double d = w - v->a;
	switch (v->kind) {
	case WS_MORLET:
		return w > 0.0 ? exponential(-0.5 * d * d) : 0.0;
	case WS_MORLET_FULL:
		return exponential(-0.5 * d * d);
	case WS_MORLET_ZERO_MEAN:
		return (exponential(-0.5 * d * d) -
		        exponential(-0.5 * (v->a * v->a + w * w))) / v->at_peak;
	case WS_MORSE:
		if (w <= 0.0)
			return 0.0;
		return exponential(v->a * wavelet_log(w) - exponential(v->b * wavelet_log(w)) -
		                   v->at_peak);
	case WS_PAUL:
		return w > 0.0 ? exponential(v->a * wavelet_log(w) - w - v->at_peak) : 0.0;
	case WS_DOG: {
		if (w == 0.0)
			return 0.0;
		const double half = 0.5 * v->a, p = v->a * wavelet_log(w < 0.0 ? -w : w);
		const double value = exponential(p - 0.5 * w * w - v->at_peak);
		return w < 0.0 && floor(half) != half ? -value : value;
	}
	default: {
		const double x = d / v->b, rest = 1.0 - x * x;
		return rest > 0.0 ? exponential(1.0 - 1.0 / rest) : 0.0;
	}
	}
}

/* Both sides of the spectrum. */
WSI_FN bool
wavelet_two_sided(const wsi_wavelet *v)
{
	return v->kind == WS_MORLET_FULL || v->kind == WS_MORLET_ZERO_MEAN || v->kind == WS_DOG;
}

/* conj(psi^) is the shape times i^quarters: of DOG -i^m (T&C, table 1). */
WSI_FN int
wavelet_quarters(const wsi_wavelet *v)
{
	if (v->kind != WS_DOG)
		return 0;
	return (6 - (int)v->a % 4) % 4;
}

#endif
