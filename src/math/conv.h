/*
 * conv.h - the order in which a convolution adds its products.
 *
 * A tap has an offset d = k - L / 2 from the mask's centre: output n takes sample n + d.
 *   1. Offsets are cut into sections of 512: section j holds (d + 256) div 512 = j, so that the
 *      centre of every mask lies in the middle of section 0.
 *   2. Within a section, d ascending: s = fma(x, m, s), from s = +0.
 *   3. Sums of sections are added by a binary tree over the index j: 2 a and 2 a + 1 first, and so
 *      on, until one sum is left for j < 0 and one for j >= 0; these two last.
 *   4. Adding +0 makes -0 of the result +0.
 * A tap or sample that is missing counts as zero.  By 4. it does not matter whether zeros are added
 * or left out, hence neither how outputs and masks are cut, nor how masks are worked on together.
 * No output ever takes more than 512 + 21 roundings: its error is below 6e-14 (f64) of sum |x m|.
 */
#ifndef WSI_MATH_CONV_H
#define WSI_MATH_CONV_H

#include <math.h>

#include "math/real.h"

#define WSI_CONV_SECTION 512
/* Levels of the tree below those of the two sides: |j| < 2^20. */
#define WSI_CONV_LEVELS 21

/* The section of an offset. */
WSI_FN int64_t
conv_section(int64_t d)
{
	const int64_t e = d + WSI_CONV_SECTION / 2;
	return (e - (e < 0 ? WSI_CONV_SECTION - 1 : 0)) / WSI_CONV_SECTION;
}

/* Its first offset. */
WSI_FN int64_t
conv_section_start(int64_t j)
{
	return j * WSI_CONV_SECTION - WSI_CONV_SECTION / 2;
}

/* e, of which 2^e is above |v| and 2^(e - 1) is not; 0 of 0. */
WSI_FN int
conv_exponent(double v)
{
	int e;
	frexp(v, &e);
	return e;
}

/* The least magnitude of the products that accumulator k of n takes, those above it having what is
 * larger.  bits: of the sums' type; exponent: the signal's and the mask's, added. */
WSI_FN double
conv_least(int exponent, int k, int n, int bits)
{
	return k == n - 1 ? 0.0 : ldexp(1.0, exponent - (k + 1) * ((bits + n - 1) / n));
}

#endif
