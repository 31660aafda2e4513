/*
 * sum.h - sums in a fixed order: blocks of 32 by halves (element i with
 * i + 16, then + 8, .., as the lanes of a warp would), then a binary tree
 * over the blocks by index.  Who computes which block does not matter.
 */
#ifndef WSI_MATH_SUM_H
#define WSI_MATH_SUM_H

#include <stddef.h>

#include "math/real.h"

#define WSI_SUM_BLOCK 32

/* Destroys v. */
WSI_FN double
sum32_f64(double *v)
{
	for (int half = 16; half > 0; half /= 2)
		for (int i = 0; i < half; ++i)
			v[i] += v[i + half];
	return v[0];
}

WSI_FN float
sum32_f32(float *v)
{
	for (int half = 16; half > 0; half /= 2)
		for (int i = 0; i < half; ++i)
			v[i] += v[i + half];
	return v[0];
}

/* Binary tree over n block sums, in place: 0+1, 2+3, ..; then pairs of
 * pairs; an odd one is carried up. */
WSI_FN double
sum_tree(double *v, size_t n)
{
	if (n == 0)
		return 0.0;
	for (; n > 1; n = (n + 1) / 2) {
		size_t half = n / 2;
		for (size_t i = 0; i < half; ++i)
			v[i] = v[2 * i] + v[2 * i + 1];
		if (n & 1)
			v[half] = v[n - 1];
	}
	return v[0];
}

/* The same tree over values that come one after the other, as many as they are:
 * partial[l] holds a sum of 2^l values where bit l of n is set. */
typedef struct wsi_growing_sum {
	uint64_t n;
	double partial[64];
} wsi_growing_sum;

WSI_FN void
growing_add(wsi_growing_sum *s, double v)
{
	int level = 0;
	for (uint64_t n = s->n++; n & 1; n >>= 1)
		v = s->partial[level++] + v;
	s->partial[level] = v;
}

WSI_FN double
growing_total(const wsi_growing_sum *s)
{
	double sum = 0.0;
	int first = 1;
	for (int level = 0; level < 64; ++level)
		if (s->n >> level & 1) {
			sum = first ? s->partial[level] : s->partial[level] + sum;
			first = 0;
		}
	return sum;
}

#endif
