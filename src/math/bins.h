/* bins.h - the bin that a frequency lies in, found from its leading bits. */
#ifndef WSI_MATH_BINS_H
#define WSI_MATH_BINS_H

#include <stdint.h>
#include <string.h>

#include "math/real.h"

/* The exponent and eight bits after it: ascending with f >= 0. */
WSI_FN uint32_t
bins_key(double f)
{
	uint64_t bits;
	memcpy(&bits, &f, sizeof bits);
	return (uint32_t)(bits >> 44);
}

/* -1: f is below edges[0], from edges[n] on, or not a number.  The edges alone decide. */
WSI_FN int32_t
bins_find(const double *edges, int n, const int32_t *guess, uint32_t key, uint32_t keys, double f)
{
	if (!(f >= edges[0] && f < edges[n]))
		return -1;
	/* The sum of -0 and 0 is 0, whose bits are the least. */
	const uint32_t k = bins_key(f + 0.0), i = k < key ? 0 : k - key;
	int32_t b = guess[i < keys ? i : keys - 1];
	while (f >= edges[b + 1])
		++b;
	return b;
}

#endif
