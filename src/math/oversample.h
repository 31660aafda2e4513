/*
 * oversample.h - weights of the samples about a place between two of them, by which a signal gets
 * R - 1 new samples in each gap.
 */
#ifndef WSI_MATH_OVERSAMPLE_H
#define WSI_MATH_OVERSAMPLE_H

#include "math/band_limited.h"

/* Samples of a kernel, at most, and of each model's. */
#define WSI_OVERSAMPLE_TAPS 512
#define WSI_CUBIC_TAPS 4

/* The weights at u of the polynomial through `count` samples at 0, 1, .. (Lagrange). */
WSI_FN void
oversample_polynomial(double u, int count, double *weights)
{
	for (int j = 0; j < count; ++j) {
		double w = 1.0;
		for (int i = 0; i < count; ++i)
			if (i != j)
				w = w * (u - (double)i) / (double)(j - i);
		weights[j] = w;
	}
}

/* Those of samples 1 - WSI_BAND_HALF .. WSI_BAND_HALF at u, 0 <= u < 1. */
WSI_FN void
oversample_band(double u, double *weights)
{
	for (int j = 0; j < 2 * WSI_BAND_HALF; ++j)
		weights[j] = band_weight((double)(j + 1 - WSI_BAND_HALF) - u);
}

#endif
