/*
 * lanes.cuh - what the lanes of a warp do together, and shared memory by its
 * own addresses.
 */
#ifndef WSI_CUDA_LANES_CUH
#define WSI_CUDA_LANES_CUH

#include "cuda/math.cuh"

constexpr unsigned FULL = ~0u;        /* all lanes */

/* A number that is the same in all lanes, so that the compiler knows. */
__device__ __forceinline__ int
uniform(int x)
{
	return __shfl_sync(FULL, x, 0);
}

/* The same pointer, kept in its registers: not made anew at each use from what it
 * came of. */
template <class P>
__device__ __forceinline__ P *
opaque(P *p)
{
	asm volatile("" : "+l"(p));
	return p;
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

/* Shared memory by its own addresses, which are one register. */
__device__ __forceinline__ unsigned
shared_address(const void *p)
{
	return (unsigned)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void
store_shared(unsigned at, int32_t v)
{
	asm volatile("st.shared.s32 [%0], %1;" ::"r"(at), "r"(v) : "memory");
}

__device__ __forceinline__ void
store_shared(unsigned at, float v)
{
	asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(v) : "memory");
}

__device__ __forceinline__ void
store_shared(unsigned at, double v)
{
	asm volatile("st.shared.f64 [%0], %1;" ::"r"(at), "d"(v) : "memory");
}

__device__ __forceinline__ four<float>
load_shared(unsigned at, float)
{
	four<float> f;
	asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
	             : "=f"(f.x), "=f"(f.y), "=f"(f.z), "=f"(f.w) : "r"(at));
	return f;
}

__device__ __forceinline__ int
load_shared(unsigned at, int)
{
	int v;
	asm volatile("ld.shared.s32 %0, [%1];" : "=r"(v) : "r"(at));
	return v;
}

__device__ __forceinline__ four<double>
load_shared(unsigned at, double)
{
	four<double> f;
	asm volatile("ld.shared.v2.f64 {%0, %1}, [%4];\n\tld.shared.v2.f64 {%2, %3}, [%4 + 16];"
	             : "=d"(f.x), "=d"(f.y), "=d"(f.z), "=d"(f.w) : "r"(at));
	return f;
}

__device__ __forceinline__ two<float>
load_two(unsigned at, float)
{
	two<float> v;
	asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(at));
	return v;
}

__device__ __forceinline__ two<double>
load_two(unsigned at, double)
{
	two<double> v;
	asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(v.x), "=d"(v.y) : "r"(at));
	return v;
}

/* One number. */
__device__ __forceinline__ float
load_one(unsigned at, float)
{
	float v;
	asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(at));
	return v;
}

__device__ __forceinline__ double
load_one(unsigned at, double)
{
	double v;
	asm volatile("ld.shared.f64 %0, [%1];" : "=d"(v) : "r"(at));
	return v;
}

#endif
