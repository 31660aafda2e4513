/*
 * span.cuh - the samples of a warp's span in shared memory: on their way to device memory, and
 * where whole rows keep theirs.
 *
 * Threads own 16 consecutive samples each. If each stored its own, 16 bytes at a time, every store
 * would touch parts of sectors all over the span, and take the memory half as long again; so
 * they go through shared memory, and are stored whole lines at a time. Loads have no need of
 * that: what a thread loads, others find in the cache.
 */
#ifndef WSI_CUDA_SPAN_CUH
#define WSI_CUDA_SPAN_CUH

#include "cuda/emd/block/marks.cuh"

/* Samples that are loaded and stored together; a row's memory goes on to whole words. */
template <class T> struct alignas(16) some_samples {
	static constexpr int COUNT = 16 / sizeof(T);
	T v[COUNT];
};

/* Of a warp; between two uses it meets.  Vectors lie where lanes find different banks, whether each
 * asks for a vector of its own thread, or they for neighbouring ones. */
template <class T> struct span_buffer {
	using some = some_samples<T>;
	static constexpr int VECTORS = GROUP / some::COUNT;
	some of[32][VECTORS];          /* [thread] */

	__device__ static __forceinline__ int
	place(int thread, int vector)
	{
		return vector ^ (thread * VECTORS / 8 & (VECTORS - 1));
	}

	/* A thread's samples from the i-th on. */
	__device__ __forceinline__ void
	put(int i, const some &v)
	{
		const int lane = threadIdx.x & 31;
		of[lane][place(lane, i / some::COUNT)] = v;
	}

	__device__ __forceinline__ some
	get(int i) const
	{
		const int lane = threadIdx.x & 31;
		return of[lane][place(lane, i / some::COUNT)];
	}

	/* A thread's i-th sample, where i is known at run time only. */
	__device__ __forceinline__ T
	own(int i) const
	{
		const int lane = threadIdx.x & 31;
		return ((const T *)of[lane])[i ^ place(lane, 0) * some::COUNT];
	}

	/* A sample of the span. */
	__device__ __forceinline__ T
	at(int sample) const
	{
		const int thread = sample / GROUP, i = sample % GROUP;
		return of[thread][place(thread, i / some::COUNT)].v[i % some::COUNT];
	}

	/* All of a thread's. */
	__device__ __forceinline__ void
	put_all(const T *v)
	{
#pragma unroll
		for (int i = 0; i < GROUP; i += some::COUNT) {
			some vector;
#pragma unroll
			for (int j = 0; j < some::COUNT; ++j)
				vector.v[j] = v[i + j];
			put(i, vector);
		}
	}

	__device__ __forceinline__ void
	get_all(T (&v)[GROUP]) const
	{
#pragma unroll
		for (int i = 0; i < GROUP; i += some::COUNT) {
			const some vector = get(i);
#pragma unroll
			for (int j = 0; j < some::COUNT; ++j)
				v[i + j] = vector.v[j];
		}
	}

	/* All that the threads have put is stored, as samples begin .. of n, to the end of a group:
	 * who loads does so by groups. */
	__device__ __forceinline__ void
	store(T *y, int begin, int n) const
	{
		const int lane = threadIdx.x & 31, sample = begin + lane * some::COUNT;
		const int end = (n + GROUP - 1) / GROUP * GROUP;
		some *const to = (some *)(y + sample);
		const bool whole = begin + SPAN <= end;
		__syncwarp();
#pragma unroll
		for (int k = 0; k < VECTORS; ++k) {
			const int thread = k * 32 / VECTORS + lane / VECTORS;
			if (whole || sample + k * 32 * some::COUNT < end)
				to[k * 32] = of[thread][place(thread, lane % VECTORS)];
		}
	}

	/* The same, of each thread's v. */
	__device__ __forceinline__ void
	store(T *y, int begin, int n, const T *v)
	{
		put_all(v);
		store(y, begin, n);
	}
};

#endif
