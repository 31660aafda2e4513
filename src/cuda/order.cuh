/*
 * order.cuh - real numbers as integers of the same order, for atomic extremes.
 */
#ifndef WSI_CUDA_ORDER_CUH
#define WSI_CUDA_ORDER_CUH

#include <stdint.h>

constexpr unsigned long long ORDER_LOWEST = 0, ORDER_HIGHEST = ~0ull;

__host__ __device__ inline unsigned long long
to_order(double x)
{
	long long bits;
	memcpy(&bits, &x, sizeof bits);
	return (unsigned long long)bits ^ (bits < 0 ? ~0ull : 1ull << 63);
}

__host__ __device__ inline double
to_real(unsigned long long order)
{
	const unsigned long long bits = order ^ (order >> 63 ? 1ull << 63 : ~0ull);
	double x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

#endif
