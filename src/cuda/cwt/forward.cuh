/* forward.cuh - what a look at a channel's samples finds. */
#ifndef WSI_CUDA_CWT_FORWARD_CUH
#define WSI_CUDA_CWT_FORWARD_CUH

#include <math.h>

#include "cuda/cwt/kernels.h"

/* What is taken off a channel. */
__device__ __forceinline__ cwt_head
head_of(const cwt_found &f, double first, size_t samples, bool centred, bool f64)
{
	int exponent = 0;
	const double largest = fabs(f.low) > fabs(f.high) ? f.low : f.high;
	if (isfinite(largest))
		frexp(largest, &exponent);
	const int most = WSI_CWT_EXPONENTS(f64);
	exponent = exponent > most ? most : exponent < 1 - most ? 1 - most : exponent;
	const double rest = f.sum / (double)samples / CWT_SUM_UNIT;
	const double unscale = ldexp(1.0, -exponent);
	return { ldexp(1.0, exponent), centred ? first * unscale + rest * unscale : 0.0 };
}

#endif
