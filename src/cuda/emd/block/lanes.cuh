/*
 * lanes.cuh - what the lanes of a warp do together.
 */
#ifndef WSI_CUDA_LANES_CUH
#define WSI_CUDA_LANES_CUH

#include "cuda/emd/block/machine.cuh"

constexpr unsigned FULL = ~0u;        /* all lanes */

/* A number that is the same in all lanes, so that the compiler knows. */
__device__ __forceinline__ int
uniform(int x)
{
	return __shfl_sync(FULL, x, 0);
}

/* What is seldom true: what follows is put out of the way of what is fetched all the time. */
__device__ __forceinline__ bool
seldom(bool a)
{
	return __builtin_expect(a, 0);
}

/* The threads of a tile meet, which are one warp, or all of the block. */
template <int WARPS>
__device__ __forceinline__ void
sync_tile()
{
	if constexpr (WARPS == 1)
		__syncwarp();
	else
		__syncthreads();
}

/* The same; is it so for any of them? */
template <int WARPS>
__device__ __forceinline__ bool
sync_tile_or(bool a)
{
	if constexpr (WARPS == 1) {
		__syncwarp();
		return __any_sync(FULL, a);
	} else {
		return __syncthreads_or(a);
	}
}

/* Sums of a and of all lanes before. */
template <class Whole>
__device__ __forceinline__ Whole
scan_lanes(Whole a)
{
	const int lane = threadIdx.x & 31;
#pragma unroll
	for (int d = 1; d < 32; d <<= 1) {
		const Whole b = __shfl_up_sync(FULL, a, d);
		a += lane >= d ? b : 0;
	}
	return a;
}

/* The sum over all lanes. */
__device__ __forceinline__ unsigned
sum_lanes(unsigned a)
{
#if __CUDA_ARCH__ >= 800
	return __reduce_add_sync(FULL, a);
#else
#pragma unroll
	for (int d = 16; d > 0; d >>= 1)
		a += __shfl_xor_sync(FULL, a, d);
	return a;
#endif
}

/* All bits that any lane has set. */
__device__ __forceinline__ unsigned
or_lanes(unsigned a)
{
#if __CUDA_ARCH__ >= 800
	return __reduce_or_sync(FULL, a);
#else
#pragma unroll
	for (int d = 16; d > 0; d >>= 1)
		a |= __shfl_xor_sync(FULL, a, d);
	return a;
#endif
}

/* The first or last bit set, which is taken out. */
template <int SIDE>
__device__ __forceinline__ int
take_bit(unsigned &m)
{
	const int bit = SIDE == WSI_LEFT ? 31 - __clz(m) : __ffs(m) - 1;
	m ^= 1u << bit;
	return bit;
}

#endif
