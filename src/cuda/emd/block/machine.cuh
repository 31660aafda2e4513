/*
 * machine.cuh - what takes instructions of the machine: shared memory by its own addresses, what
 * the host is told, and what blocks that run at the same time release to each other.  Tests have
 * another (tests/lanes).
 */
#ifndef WSI_CUDA_MACHINE_CUH
#define WSI_CUDA_MACHINE_CUH

#include "cuda/device/math.cuh"

/* The same pointer, kept in its registers: not made anew at each use from what it
 * came of. */
template <class P>
__device__ __forceinline__ P *
opaque(P *p)
{
	asm volatile("" : "+l"(p));
	return p;
}

/* ---- Kernels that are left out ---------------------------------------------------------- */

/* Begins the body of a kernel that is launched only where a block may have so many bytes of shared
 * memory.  Code for cards that have less is for them alone (cmake/cuda.cmake) and has no such
 * kernel: the host never launches it there, and CUDA would refuse to. */
#if defined(WSI_NO_LATER_CARDS) && defined(__CUDA_ARCH__)
constexpr size_t MOST_SHARED = most_shared_of(__CUDA_ARCH__ / 100);
#else
constexpr size_t MOST_SHARED = ~(size_t)0;
#endif
#define WHERE_SHARED_FITS(...)                                                              \
	if constexpr ((__VA_ARGS__) > MOST_SHARED)                                          \
		__trap();                                                                   \
	else

/* ---- Shared memory ------------------------------------------------------------------- */

/* An address in it is one register. */
using shared_place = unsigned;

__device__ __forceinline__ shared_place
shared_address(const void *p)
{
	return (shared_place)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void
store_shared(shared_place at, int32_t v)
{
	asm volatile("st.shared.s32 [%0], %1;" ::"r"(at), "r"(v) : "memory");
}

__device__ __forceinline__ void
store_shared(shared_place at, float v)
{
	asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(v) : "memory");
}

__device__ __forceinline__ void
store_shared(shared_place at, double v)
{
	asm volatile("st.shared.f64 [%0], %1;" ::"r"(at), "d"(v) : "memory");
}

__device__ __forceinline__ four<float>
load_shared(shared_place at, float)
{
	four<float> f;
	asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
	             : "=f"(f.x), "=f"(f.y), "=f"(f.z), "=f"(f.w) : "r"(at));
	return f;
}

__device__ __forceinline__ int
load_shared(shared_place at, int)
{
	int v;
	asm volatile("ld.shared.s32 %0, [%1];" : "=r"(v) : "r"(at));
	return v;
}

__device__ __forceinline__ four<double>
load_shared(shared_place at, double)
{
	four<double> f;
	asm volatile("ld.shared.v2.f64 {%0, %1}, [%4];\n\tld.shared.v2.f64 {%2, %3}, [%4 + 16];"
	             : "=d"(f.x), "=d"(f.y), "=d"(f.z), "=d"(f.w) : "r"(at));
	return f;
}

__device__ __forceinline__ two<float>
load_two(shared_place at, float)
{
	two<float> v;
	asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(at));
	return v;
}

__device__ __forceinline__ two<double>
load_two(shared_place at, double)
{
	two<double> v;
	asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(v.x), "=d"(v.y) : "r"(at));
	return v;
}

/* One number. */
__device__ __forceinline__ float
load_one(shared_place at, float)
{
	float v;
	asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(at));
	return v;
}

__device__ __forceinline__ double
load_one(shared_place at, double)
{
	double v;
	asm volatile("ld.shared.f64 %0, [%1];" : "=d"(v) : "r"(at));
	return v;
}

/* ---- The host, which may look at any time ------------------------------------------------ */

__device__ __forceinline__ void
tell_host(unsigned long long *p, unsigned long long v)
{
	asm volatile("st.relaxed.sys.global.u64 [%0], %1;" :: "l"(p), "l"(v) : "memory");
}

/* ---- Blocks at the same time -------------------------------------------------------------- */

/* Adds one, after all that the thread has done, or seen of its block's. */
__device__ __forceinline__ void
release_one(unsigned *p)
{
	asm volatile("red.release.gpu.global.add.u32 [%0], 1;" :: "l"(p) : "memory");
}

/* The same; returns how many have done so, all of which can be seen then. */
__device__ __forceinline__ unsigned
arrive(unsigned *p)
{
	unsigned before;
	asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
	             : "=r"(before)
	             : "l"(p)
	             : "memory");
	return before + 1;
}

/* What is there; all that was released before it can be seen then. */
__device__ __forceinline__ unsigned
acquire(const unsigned *p)
{
	unsigned now;
	asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(p) : "memory");
	return now;
}

/* Waits until there is at least that much; returns what is there, which is acquired. */
__device__ __forceinline__ unsigned
await_least(const unsigned *p, unsigned least)
{
	unsigned now = acquire(p);
	if (now >= least)
		return now;
	do /* nor does anyone lose what is cached nearby, meanwhile */
		asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(p) : "memory");
	while (now < least);
	return acquire(p);
}

#endif
