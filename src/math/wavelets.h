/*
 * wavelets.h - wavelets in the frequency domain: shapes whose largest value is 1.
 *
 * Of each there are a row of the table, the bounds of its parameters, its peak and its shape;
 * options, widths, norms and cones of influence follow from these (docs/adding-a-wavelet.md).
 */
#ifndef WSI_MATH_WAVELETS_H
#define WSI_MATH_WAVELETS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "math/exponential.h"
#include "math/gaussian.h"
#include "wavesift/cwt.h"

typedef struct wsi_wavelet {
	ws_wavelet kind;
	double a, b;            /* the two parameters; sigma of WS_WAVELET_BUMP */
	double peak;            /* w of the largest value */
	double at_peak;         /* the formula's logarithm there; of a Morlet wavelet of zero mean
	                           its value */
} wsi_wavelet;

/* Number, name, its form for help, defaults of its parameters, and whether it has something at
 * negative w. */
#define WSI_WAVELETS(FIRST, ROW)                                                                 \
	FIRST(WS_WAVELET_MORLET, "morlet", "morlet:OMEGA0 (default, 6)", 6.0, 0.0, false)         \
	ROW(WS_WAVELET_MORLET_FULL, "morlet-full", "morlet-full", 6.0, 0.0, true)                 \
	ROW(WS_WAVELET_MORLET_ZERO_MEAN, "morlet-zero-mean", "morlet-zero-mean", 6.0, 0.0, true)  \
	ROW(WS_WAVELET_MORSE, "morse", "morse:BETA,GAMMA (20,3)", 20.0, 3.0, false)               \
	ROW(WS_WAVELET_PAUL, "paul", "paul:M (4)", 4.0, 0.0, false)                               \
	ROW(WS_WAVELET_DOG, "dog", "dog:M (2, the Mexican hat)", 2.0, 0.0, true)                  \
	ROW(WS_WAVELET_BUMP, "bump", "bump:MU,SIGMA (5,0.6)", 5.0, 0.6, false)

/* ln(w) for w > 0. */
WSI_FN double wavelet_log(double w) { return gaussian_log(w); }

/* psi^(w) by its value at the peak.  The sign of a DOG's negative side is here; its powers of i
 * are wavelet_quarters(). */
WSI_FN double
wavelet_shape(const wsi_wavelet *v, double w)
{
	const double d = w - v->a;
	switch (v->kind) {
	case WS_WAVELET_MORLET:
		return w > 0.0 ? exponential(-0.5 * d * d) : 0.0;
	case WS_WAVELET_MORLET_FULL:
		return exponential(-0.5 * d * d);
	case WS_WAVELET_MORLET_ZERO_MEAN:
		return (exponential(-0.5 * d * d) -
		        exponential(-0.5 * (v->a * v->a + w * w))) / v->at_peak;
	case WS_WAVELET_MORSE:
		if (w <= 0.0)
			return 0.0;
		return exponential(v->a * wavelet_log(w) - exponential(v->b * wavelet_log(w)) -
		                   v->at_peak);
	case WS_WAVELET_PAUL:
		return w > 0.0 ? exponential(v->a * wavelet_log(w) - w - v->at_peak) : 0.0;
	case WS_WAVELET_DOG: {
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

/* NULL where the parameters may be such; else what they must be, a format of both of them. */
WSI_FN const char *
wavelet_needs(ws_wavelet kind, double a, double b)
{
	const bool whole = a >= 1.0 && a <= 100.0 && floor(a) == a;
	switch (kind) {
	case WS_WAVELET_MORSE:
		return a > 0.0 && a < 1e4 && b >= 1.0 && b < 100.0 ? NULL
		       : "Morse wavelets need 0 < beta < 10000 and 1 <= gamma < 100, not %g and %g";
	case WS_WAVELET_PAUL:
	case WS_WAVELET_DOG:
		return whole ? NULL : "m of Paul and DOG wavelets is a whole number from 1 to 100, "
		                      "not %g";
	case WS_WAVELET_BUMP:
		return b > 0.0 && a > b && a < HUGE_VAL ? NULL
		       : "the bump wavelet needs 0 < sigma < mu, not mu %g and sigma %g";
	default:
		return a >= 0.5 && a < HUGE_VAL ? NULL
		       : "the Morlet wavelet's omega0 (its number of cycles) must be at least 0.5, "
		         "not %g";
	}
}

/* Sets peak and at_peak from kind and parameters. */
WSI_FN void
wavelet_settle(wsi_wavelet *v)
{
	const double a = v->a, b = v->b;
	v->peak = a;
	v->at_peak = 1.0;
	switch (v->kind) {
	case WS_WAVELET_MORLET_ZERO_MEAN:
		/* Of exp(-(w - a)^2 / 2) - exp(-(a^2 + w^2) / 2): w (1 - e^{-a w}) = a. */
		for (int i = 0; i < 200; ++i)
			v->peak = 0.5 * (v->peak + a / (1.0 - exponential(-a * v->peak)));
		v->at_peak = wavelet_shape(v, v->peak);
		break;
	case WS_WAVELET_MORSE:
		v->peak = exponential(wavelet_log(a / b) / b);
		v->at_peak = a * wavelet_log(v->peak) - exponential(b * wavelet_log(v->peak));
		break;
	case WS_WAVELET_PAUL:
		v->at_peak = a * wavelet_log(a) - a;
		break;
	case WS_WAVELET_DOG:
		v->peak = sqrt(a);
		v->at_peak = a * wavelet_log(v->peak) - 0.5 * v->peak * v->peak;
		break;
	default:
		break;
	}
}

/* Both sides of the spectrum. */
WSI_FN bool
wavelet_two_sided(const wsi_wavelet *v)
{
#define WSI_BOTH_SIDES(number, name, form, a, b, both) || ((both) && v->kind == (number))
	return false WSI_WAVELETS(WSI_BOTH_SIDES, WSI_BOTH_SIDES);
#undef WSI_BOTH_SIDES
}

/* conj(psi^) is the shape times i^quarters: of DOG -i^m (T&C, table 1). */
WSI_FN int
wavelet_quarters(const wsi_wavelet *v)
{
	if (v->kind != WS_WAVELET_DOG)
		return 0;
	return (6 - (int)v->a % 4) % 4;
}

#endif
