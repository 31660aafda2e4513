/* modes.h - steps of Hilbert-Huang spectra that are short and done in several places. */
#ifndef WSI_MATH_MODES_H
#define WSI_MATH_MODES_H

#include <stddef.h>

#include "math/decibel.h"
#include "math/phase.h"
#include "wavesift/wavesift.h"

/* Half of a sum's parts, and so on, until there is one.  Destroys v. */
WSI_FN double
wide_total(double *v, int parts)
{
	for (int half = parts / 2; half > 0; half /= 2)
		for (int i = 0; i < half; ++i)
			v[i] += v[i + half];
	return v[0];
}

/* Sums over samples: blocks of so many, one after the other; in each this many sums, sample i to
 * number i modulo WSI_WIDE, which are then added by halves (wide_total). */
#define WSI_WIDE_BLOCK 4096
#define WSI_WIDE 256

/* The sum of n numbers so. */
WSI_FN double
wide_sum(const double *v, size_t n)
{
	double sum = 0.0;
	for (size_t first = 0; first < n; first += WSI_WIDE_BLOCK) {
		double part[WSI_WIDE] = { 0 };
		for (size_t i = first; i < n && i < first + WSI_WIDE_BLOCK; ++i)
			part[i % WSI_WIDE] += v[i];
		sum += wide_total(part, WSI_WIDE);
	}
	return sum;
}

/* How often a mode is divided by its envelope, and how near the envelope must be to 1. */
#define WSI_NORMALISATIONS 3
#define WSI_NORMAL 1e-9
#define WSI_NORMAL_EMD 1e-10

/* The other side of the right triangle of hypotenuse 1 and side f, below 0 where f rises. */
WSI_FN double
mode_quadrature(double f, double before, double after)
{
	const double side = sqrt(phase_upper((1.0 - f) * (1.0 + f), 0.0));
	return after - before > 0.0 ? -side : side;
}

/* Samples by which mode_quadrature() tells where f rises.  forward: sample i and the next; else
 * those on both sides. */
WSI_FN size_t
mode_after(size_t i, size_t n)
{
	return i + 1 < n ? i + 1 : i;
}

WSI_FN size_t
mode_before(size_t i, size_t n, int forward)
{
	const size_t before = forward || i == 0 ? i : i - 1;
	return forward && i + 1 >= n && i > 0 ? i - 1 : before;
}

/* A phase modulo a turn, exactly. */
WSI_FN double
phase_wrap(double phase)
{
	const double turns = floor(phase / PHASE_TURN);
	double w = fma(-turns, PHASE_TURN, phase);
	if (w < 0.0)
		w = fma(-(turns - 1.0), PHASE_TURN, phase);
	else if (w >= PHASE_TURN)
		w = fma(-(turns + 1.0), PHASE_TURN, phase);
	return w;
}

/* A cycle ends where the phase steps back by more than this, is good if it begins and ends within
 * this of a whole turn, and has more samples than this. */
#define WSI_CYCLE_STEP (1.5 * PHASE_PI)
#define WSI_CYCLE_EDGE (PHASE_PI / 12.0)
#define WSI_CYCLE_FEW 2

/* Is a cycle of so many samples good, that goes from one wrapped phase to another? */
WSI_FN int
cycle_is_good(int rises, double first, double last, size_t samples)
{
	return rises && first <= WSI_CYCLE_EDGE && last >= PHASE_TURN - WSI_CYCLE_EDGE &&
	       samples > WSI_CYCLE_FEW;
}

/* v squared units of scale: infinite only where the result is, and 0 where v is. */
WSI_FN double
mode_squared(double v, double scale)
{
	return v * scale * scale;
}

/* What the sum over so many samples in a bin of that width is multiplied by; scale: a unit of the
 * amplitudes. */
WSI_FN double
mode_factor(int quantity, double width, double samples, double scale)
{
	if (quantity == WS_HHT_QUANTITY_DENSITY)
		return 0.5 * scale * scale / (samples * width);
	if (quantity == WS_HHT_QUANTITY_POWER)
		return 0.5 * scale * scale / samples;
	return quantity == WS_HHT_QUANTITY_ENERGY ? scale * scale : scale;
}

/* Degree of stationarity of a bin over n samples: the mean of (1 - H / mean)^2 is that of H^2 over
 * mean^2, less 1.  squares: the sum of H^2; marginal: that of H. */
WSI_FN double
mode_nonstationarity(double squares, double marginal, double n)
{
	const double mean = marginal / n;
	const double ds = mean > 0.0 ? squares / n / (mean * mean) - 1.0 : 0.0;
	return ds > 0.0 ? ds : 0.0;
}

/*
 * Energy times period is the same in all modes of white noise but the first, which has more by
 * this: 4/3 in the mean of 200 signals of 4096 samples, 10 sifts (Flandrin et al. 2004: 1/0.719).
 */
#define WSI_FIRST_MODE (4.0 / 3.0)

/* Between which mean squares white noise lies in mode k of n samples and so many maxima, where the
 * first mode, of `squares` and first_maxima, is noise: the spread of Wu & Huang 2004. */
WSI_FN void
mode_noise(double squares, double first_maxima, double maxima, double n, int k, double spread,
           double *low, double *high)
{
	const double line = squares / first_maxima / n;
	const double mean = line * maxima / (k ? WSI_FIRST_MODE : 1.0);
	const double ratio = decibel_exp(spread * sqrt(2.0 / maxima));
	*low = mean / ratio;
	*high = mean * ratio;
}

/* The index of orthogonality: the sum over all pairs of different rows of their products, which is
 * the square of the sum of all, less the squares of each, over it. */
WSI_FN double
mode_orthogonality(double whole, double each)
{
	return whole > 0.0 ? (whole - each) / whole : 0.0;
}

/* The cubic from knot (t, v, s) to the next, h later, of value v1 and slope s1, its coefficients
 * c2, c3 those of math/cubic.h: its value at sample i. */
WSI_FN double
mode_curve(double i, double t, double v, double s, double c2, double c3)
{
	const double u = i - t;
	return fma(u, fma(u, fma(u, c3, c2), s), v);
}

#endif
