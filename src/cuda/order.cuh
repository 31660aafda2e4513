/*
 * order.cuh - real numbers as integers of the same order, and by them extremes
 * that no order of threads can change.
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

/* The extremes of what the lanes of a warp have seen. */
struct extremes {
	unsigned long long low = ORDER_HIGHEST, high = ORDER_LOWEST;

	__device__ __forceinline__ void
	see(double x)
	{
		widen(to_order(x), to_order(x));
	}

	/* By all lanes of a warp. */
	__device__ __forceinline__ void
	give(unsigned long long *lowest, unsigned long long *highest)
	{
		for (int d = 16; d > 0; d >>= 1)
			widen(__shfl_xor_sync(~0u, low, d), __shfl_xor_sync(~0u, high, d));
		if ((threadIdx.x & 31) == 0) {
			atomicMin(lowest, low);
			atomicMax(highest, high);
		}
	}

private:
	__device__ __forceinline__ void
	widen(unsigned long long l, unsigned long long h)
	{
		low = l < low ? l : low;
		high = h > high ? h : high;
	}
};

#endif
