/*
 * alignment.h - power spectra over log2(frequency), for how far a mode is one rhythm in several
 * channels: docs/decisions/0017-alignment.md.
 *
 * A spectrum is what lies at points an eighth of an octave apart.  What has a frequency between
 * them is spread by a Gaussian of a quarter of an octave, so that it does not matter where between
 * them it lies.
 */
#ifndef WSI_MATH_ALIGNMENT_H
#define WSI_MATH_ALIGNMENT_H

#include "math/exponential.h"
#include "math/gaussian.h"

enum { WSI_SPECTRUM_OCTAVE = 8,   /* points an octave */
       WSI_SPECTRUM_REACH = 8 };  /* points: four standard deviations, either side */

/* Points of the spectra of rows of n samples, whose half waves have 1/(4 n) to 1/2 cycles a
 * sample. */
WSI_FN size_t
spectrum_points(size_t n)
{
	size_t octaves = 1;
	while (n >> octaves)
		++octaves;
	return (octaves + 1) * WSI_SPECTRUM_OCTAVE + 2 * WSI_SPECTRUM_REACH + 1;
}

/* Adds energy of frequency f, in cycles a sample. */
WSI_FN void
spectrum_add(double *spectrum, size_t points, double f, double energy)
{
	/* The last but REACH is 1/2. */
	const double per_octave = WSI_SPECTRUM_OCTAVE, to_log2 = 1.4426950408889634;
	const double place = (double)(points - 1 - WSI_SPECTRUM_REACH) + per_octave *
	                     (gaussian_log(f < 0.5 ? f : 0.5) * to_log2 + 1.0);
	const double first = floor(place) - (WSI_SPECTRUM_REACH - 1);
	for (int i = 0; i < 2 * WSI_SPECTRUM_REACH; ++i) {
		const double at = first + i, z = at - place;
		if (at >= 0.0 && at < (double)points)
			spectrum[(size_t)at] += energy * exponential(-0.125 * z * z);
	}
}

/* Makes the roots of the shares of the whole, whose squares add up to 1; false where there is
 * nothing. */
WSI_FN bool
spectrum_roots(double *spectrum, size_t points)
{
	double sum = 0.0;
	for (size_t i = 0; i < points; ++i)
		sum += spectrum[i];
	for (size_t i = 0; i < points && sum > 0.0; ++i)
		spectrum[i] = sqrt(spectrum[i] / sum);
	return sum > 0.0;
}

#endif
