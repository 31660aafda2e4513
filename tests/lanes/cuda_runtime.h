/*
 * cuda_runtime.h - as much of CUDA as the kernels that tests run (src/cuda/stage, hht, cwt) and
 * src/cuda/emd/sifting.cu ask for, on the CPU (lanes.h).  Everything is done when it is asked for, so
 * that there is nothing to wait for.
 */
#ifndef LANES_CUDA_RUNTIME_H
#define LANES_CUDA_RUNTIME_H

#include <math.h>

#include <map>

#include "lanes.h"

/* ---- The language ------------------------------------------------------------------- */

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __grid_constant__
#define __launch_bounds__(...)
#define __shared__ thread_local

/* What a lane asks of its place. */
template <class Of, unsigned dim3::*C> struct lanes_place {
	operator unsigned() const { return Of::get().*C; }
};
template <class Of> struct lanes_places {
	lanes_place<Of, &dim3::x> x;
	lanes_place<Of, &dim3::y> y;
};
struct lanes_thread { static dim3 get() { return lanes::current->now->index; } };
struct lanes_block { static dim3 get() { return lanes::current->index; } };
struct lanes_threads { static dim3 get() { return lanes::current->size; } };
struct lanes_blocks { static dim3 get() { return lanes::current->grid; } };
inline constexpr lanes_places<lanes_thread> threadIdx = {};
inline constexpr lanes_places<lanes_block> blockIdx = {};
inline constexpr lanes_places<lanes_threads> blockDim = {};
inline constexpr lanes_places<lanes_blocks> gridDim = {};

#define __builtin_assume(truth)

struct alignas(16) int4 { int x, y, z, w; };
struct alignas(8) uint2 { unsigned x, y; };

struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
inline float2 make_float2(float x, float y) { return { x, y }; }
inline float4 make_float4(float x, float y, float z, float w) { return { x, y, z, w }; }

inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
inline size_t min(size_t a, size_t b) { return a < b ? a : b; }

template <class T> inline T __ldg(const T *at) { return *at; }
inline int __popc(unsigned a) { return __builtin_popcount(a); }
inline int __ffs(unsigned a) { return __builtin_ffs((int)a); }
inline int __clz(unsigned a) { return a ? __builtin_clz(a) : 32; }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
inline unsigned __funnelshift_l(unsigned low, unsigned high, int n)
{
	return (unsigned)(((uint64_t)high << 32 | low) << (n & 31) >> 32);
}

inline unsigned
__brev(unsigned a)
{
	unsigned b = 0;
	for (int i = 0; i < 32; ++i)
		b |= (a >> i & 1) << (31 - i);
	return b;
}

inline unsigned
__float_as_uint(float x)
{
	unsigned a;
	memcpy(&a, &x, sizeof a);
	return a;
}

inline int __float_as_int(float x) { return (int)__float_as_uint(x); }
inline float
__int_as_float(int a)
{
	float x;
	memcpy(&x, &a, sizeof x);
	return x;
}

inline int
__double2hiint(double x)
{
	uint64_t a;
	memcpy(&a, &x, sizeof a);
	return (int)(a >> 32);
}

/* Of pi x: arguments are at most a few turns. */
inline void
sincospi(double x, double *sine, double *cosine)
{
	const long double turn = 3.14159265358979323846264338327950288L * (long double)x;
	*sine = (double)sinl(turn);
	*cosine = (double)cosl(turn);
}

inline void
sincospif(float x, float *sine, float *cosine)
{
	double s, c;
	sincospi((double)x, &s, &c);
	*sine = (float)s;
	*cosine = (float)c;
}

template <class T> void __stcs(T *p, T v) { *p = v; }
template <class T> T __ldcg(const T *p) { return *(const volatile T *)p; }
inline uint2 __ldcg(const uint2 *p) { return *p; }
inline int4 __ldcg(const int4 *p) { return *p; }
inline bool __isGlobal(const void *) { return true; }

template <class T> T atomicAdd(T *p, T a) { return __atomic_fetch_add(p, a, __ATOMIC_RELAXED); }
inline int atomicAdd(int *p, int a) { return __atomic_fetch_add(p, a, __ATOMIC_RELAXED); }
template <class T> T atomicOr(T *p, T a) { return __atomic_fetch_or(p, a, __ATOMIC_RELAXED); }
inline unsigned
atomicOr(unsigned *p, int a)
{
	return __atomic_fetch_or(p, (unsigned)a, __ATOMIC_RELAXED);
}

template <class T> T
atomicMin(T *p, T a)
{
	T was = __atomic_load_n(p, __ATOMIC_RELAXED);
	while (a < was && !__atomic_compare_exchange_n(p, &was, a, false, __ATOMIC_RELAXED,
	                                               __ATOMIC_RELAXED)) {
	}
	return was;
}

template <class T> T
atomicMax(T *p, T a)
{
	T was = __atomic_load_n(p, __ATOMIC_RELAXED);
	while (a > was && !__atomic_compare_exchange_n(p, &was, a, false, __ATOMIC_RELAXED,
	                                               __ATOMIC_RELAXED)) {
	}
	return was;
}

/* ---- Lanes together ------------------------------------------------------------------ */

inline int lane_number() { return (int)(lanes::current->now->number % 32); }

template <class T> T __shfl_sync(unsigned, T a, int from) { return lanes::exchange(a, from); }
template <class T>
T
__shfl_xor_sync(unsigned, T a, int d)
{
	return lanes::exchange(a, lane_number() ^ d);
}
template <class T> T __shfl_up_sync(unsigned, T a, int d)
{
	const int from = lane_number() - d;
	return lanes::exchange(a, from < 0 ? lane_number() : from);
}
template <class T> T __shfl_down_sync(unsigned, T a, int d)
{
	const int from = lane_number() + d;
	return lanes::exchange(a, from > 31 ? lane_number() : from);
}

inline unsigned __ballot_sync(unsigned, bool a) { return lanes::ballot(a); }
inline bool __any_sync(unsigned, bool a) { return lanes::ballot(a) != 0; }
inline bool __all_sync(unsigned, bool a) { return lanes::ballot(!a) == 0; }
inline void __syncwarp() { lanes::meet(lanes::warp(), lanes::BARRIER); }
inline void __syncthreads() { lanes::barrier(false); }
inline bool __syncthreads_or(bool a) { return lanes::barrier(a); }

/* ---- The runtime --------------------------------------------------------------------- */

enum cudaError_t {
	cudaSuccess,
	cudaErrorInvalidValue,
	cudaErrorMemoryAllocation,
	cudaErrorNotReady,
	cudaErrorUnknown
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaLaunchAttributeID {
	cudaLaunchAttributeCooperative,
	cudaLaunchAttributeProgrammaticStreamSerialization
};

typedef struct lanes_stream *cudaStream_t;
typedef struct lanes_event *cudaEvent_t;
typedef struct lanes_graph *cudaGraphExec_t;

struct cudaDeviceProp {
	size_t sharedMemPerBlockOptin, sharedMemPerMultiprocessor;
	int multiProcessorCount, major, cooperativeLaunch;
};

struct cudaLaunchAttribute {
	cudaLaunchAttributeID id;
	struct { int cooperative, programmaticStreamSerializationAllowed; } val;
};

struct cudaLaunchConfig_t {
	dim3 gridDim, blockDim;
	size_t dynamicSmemBytes;
	cudaStream_t stream;
	cudaLaunchAttribute *attrs;
	unsigned numAttrs;
};

struct cudaFuncAttributes { int ptxVersion; };

template <class Kernel>
cudaError_t
cudaFuncGetAttributes(cudaFuncAttributes *a, Kernel)
{
	a->ptxVersion = 90;
	return cudaSuccess;
}

inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }

inline cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind, cudaStream_t)
{
	memcpy(to, from, n);
	return cudaSuccess;
}

inline cudaError_t
cudaMemsetAsync(void *p, int c, size_t n, cudaStream_t)
{
	memset(p, c, n);
	return cudaSuccess;
}

/* Two of a processor. */
template <class Kernel>
cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Kernel, int, size_t)
{
	*blocks = 2;
	return cudaSuccess;
}

/* Of a launch that is only looked at: numbers of rows are 0, and lists and sets the first. */
template <class A> A lanes_idle(const A &a) { return a; }
inline int lanes_idle(int) { return 0; }

/* Kernels that were launched and looked at, by address: are they left out? */
inline std::map<const void *, bool> lanes_seen;
/* How often kernels were launched. */
inline std::map<const void *, int> lanes_launched;

template <class... P, class... A>
cudaError_t
cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...), A... arguments)
{
	if (lanes::card.looks) {
		const auto seen = lanes_seen.emplace((const void *)kernel, false);
		if (seen.second) {
			lanes::card.missing = false;
			lanes::launch(dim3(), config->blockDim, false,
			              [=] { kernel(lanes_idle(arguments)...); });
			seen.first->second = lanes::card.missing;
		}
		return cudaSuccess;
	}
	++lanes_launched[(const void *)kernel];
	bool together = false;
	for (unsigned i = 0; i < config->numAttrs; ++i)
		together = together || config->attrs[i].id == cudaLaunchAttributeCooperative;
	lanes::launch(config->gridDim, config->blockDim, together, [=] { kernel(arguments...); });
	return cudaSuccess;
}

#endif
