/*
 * order.cuh - real numbers as integers of the same order, and by them extremes
 * that no order of threads can change.
 */
#ifndef WSI_CUDA_ORDER_CUH
#define WSI_CUDA_ORDER_CUH

#include <math.h>
#include <stdint.h>
#include <string.h>

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

/* The extremes of what the lanes of a warp have seen; until then, the infinities. */
template <class T> struct extremes {
	T low = (T)INFINITY, high = -(T)INFINITY;

	__device__ __forceinline__ void
	see(T x)
	{
		low = x < low ? x : low;
		high = x > high ? x : high;
	}

	/* By all lanes of a warp. */
	__device__ __forceinline__ void
	give(unsigned long long *lowest, unsigned long long *highest)
	{
#pragma unroll
		for (int d = 16; d > 0; d >>= 1) {
			const T l = __shfl_xor_sync(~0u, low, d), h = __shfl_xor_sync(~0u, high, d);
			low = l < low ? l : low;
			high = h > high ? h : high;
		}
		if ((threadIdx.x & 31) == 0) {
			atomicMin(lowest, to_order((double)low));
			atomicMax(highest, to_order((double)high));
		}
	}
};

#endif
