/*
 * view.cuh - what the kernels of Hilbert-Huang spectra share: the memory of a batch of channels,
 * rows of samples, and sums in the order of math/modes.h.
 *
 * Batch    channels that are worked on together; their modes are rows 0 .. rows - 1, row r mode
 *          r % modes of channel r / modes.
 * Chunk    rows of a batch that go through amplitude, phase and frequency together; buffers of a
 *          chunk are counted from its first row.
 * Tile     WSI_WIDE_BLOCK samples, the work of a block of WSI_WIDE threads: thread t has samples
 *          t, t + WSI_WIDE, .., which is the order of sums.
 */
#ifndef WSI_CUDA_HHT_VIEW_CUH
#define WSI_CUDA_HHT_VIEW_CUH

#include <math.h>

#include <cuda_runtime.h>

#include "cuda/device/shared.h"
#include "math/modes.h"
#include "ops/hht_job.h"

constexpr int HHT_TILE = WSI_WIDE_BLOCK, HHT_THREADS = WSI_WIDE, HHT_EACH = HHT_TILE / HHT_THREADS;

/* Two numbers that are loaded and stored together. */
struct alignas(16) hht_pair { double re, im; };

/* Numbers that no thread of the launch writes: their loads may pass stores. */
__device__ __forceinline__ hht_pair
pair_at(const hht_pair *at)
{
#ifdef __CUDA_ARCH__
	const double2 v = __ldg((const double2 *)(const void *)at);
	return { v.x, v.y };
#else
	return *at;
#endif
}

/* What blocks have of dynamic shared memory. */
extern __shared__ hht_pair hht_shared[];

template <class... P, class... A>
cudaError_t
hht_launch(cudaStream_t stream, dim3 grid, int threads, size_t shared, void (*kernel)(P...),
           A... arguments)
{
	cudaLaunchConfig_t config = {};
	config.gridDim = grid;
	config.blockDim = dim3((unsigned)threads);
	config.dynamicSmemBytes = shared;
	config.stream = stream;
	const cudaError_t error = allow_shared(kernel, shared);
	return error == cudaSuccess ? cudaLaunchKernelEx(&config, kernel, (P)arguments...) : error;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

/* A row of samples, brought to the scale of its channel. */
template <class T> struct hht_row {
	const T *x;
	double by;

	__device__ __forceinline__ double
	operator[](size_t i) const
	{
		return (double)__ldg(x + i) * by;
	}
};

/* Rows of a batch: row r of channel c at data + c channel + (r - c modes) row. */
template <class T> struct hht_rows {
	const char *data;
	size_t channel, row;
	int modes;
	const wsi_hht_channel *of; /* [channel] their scales; NULL: as they are */

	__device__ __forceinline__ hht_row<T>
	operator()(unsigned r) const
	{
		const unsigned c = r / (unsigned)modes;
		const char *at = data + c * channel + (r - c * (unsigned)modes) * row;
		return { (const T *)(const void *)at, of ? 1.0 / of[c].scale : 1.0 };
	}
};

/* Where rows go, likewise; data NULL: nowhere. */
template <class T> struct hht_out {
	char *data;
	size_t channel, row;
	int modes;

	__device__ __forceinline__ T *
	operator()(unsigned r) const
	{
		const unsigned c = r / (unsigned)modes;
		return (T *)(void *)(data + c * channel + (r - c * (unsigned)modes) * row);
	}
};

/* What all kernels of a chunk are told. */
struct hht_chunk {
	unsigned row0;          /* its first row */
	unsigned n;             /* samples */
	size_t stride;          /* numbers from one row of a buffer to the next */
	unsigned tiles;
	const int *alive;       /* [row] of the batch: there is such a mode */
	wsi_hht_sums *sums;     /* [row] of the batch */
};

__device__ __forceinline__ bool
hht_alive(const hht_chunk &c, unsigned local)
{
	return c.alive[c.row0 + local] != 0;
}

/* Sample m of a tile in shared memory, where neighbours of a thread's own are in other banks. */
__device__ __forceinline__ unsigned
skewed(unsigned m)
{
	return m + m / HHT_EACH;
}

/* This thread's samples of the tile from i0 on, fetched at once: value(i) of sample i; behind the
 * end that of the last one. */
template <class Value>
__device__ __forceinline__ void
own_of_tile(double (&v)[HHT_EACH], unsigned n, unsigned i0, Value value)
{
#pragma unroll
	for (unsigned k = 0; k < HHT_EACH; ++k) {
		const unsigned i = i0 + threadIdx.x + k * HHT_THREADS;
		v[k] = value(i < n ? i : n - 1);
	}
}

/* ---- Sums ---------------------------------------------------------------------------------- */

/* Sums of what the threads of a block have, by halves, to the first n of out[M], which thread 0
 * writes.  By all threads; they may go on to another such sum after a barrier. */
template <int M>
__device__ __forceinline__ void
block_wide_totals(const double (&v)[M], double *const (&out)[M], unsigned n = M)
{
	__shared__ double room[M][HHT_THREADS];
	const int t = (int)threadIdx.x;
	for (int m = 0; m < M; ++m)
		room[m][t] = v[m];
	__syncthreads();
	for (int half = HHT_THREADS / 2; half >= 64; half /= 2) {
		if (t < half)
			for (int m = 0; m < M; ++m)
				room[m][t] += room[m][t + half];
		__syncthreads();
	}
	if (t >= 32)
		return;
	for (int m = 0; m < M; ++m) {
		double s = room[m][t] + room[m][t + 32];
		for (int half = 16; half > 0; half /= 2)
			s += __shfl_down_sync(~0u, s, half);
		if (t == 0 && m < (int)n)
			*out[m] = s;
	}
}

/* Numbers above 0 ascend as their bits do. */
__device__ __forceinline__ unsigned long long
bits_of(double x)
{
	unsigned long long bits;
	memcpy(&bits, &x, sizeof bits);
	return bits;
}

/* The larger of several numbers above 0 stays at *to. */
__device__ __forceinline__ void
keep_largest(double *to, double x)
{
	for (int d = 16; d > 0; d /= 2) {
		const double other = __shfl_xor_sync(~0u, x, d);
		x = x < other ? other : x;
	}
	if (threadIdx.x % 32 == 0 && x > 0.0)
		atomicMax((unsigned long long *)(void *)to, bits_of(x));
}

/* The sum of tiles, one after the other. */
__device__ __forceinline__ double
tiles_total(const double *part, unsigned tiles)
{
	double sum = 0.0;
	for (unsigned i = 0; i < tiles; ++i)
		sum += part[i];
	return sum;
}

/* The sum of what the threads of a block have before this one; *all: of all.  By all threads. */
__device__ __forceinline__ int
block_sum_before(int mine, int *all)
{
	__shared__ int warps[HHT_THREADS / 32];
	const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
	int sum = mine;
	for (int d = 1; d < 32; d *= 2) {
		const int before = __shfl_up_sync(~0u, sum, d);
		sum += lane >= d ? before : 0;
	}
	if (lane == 31)
		warps[warp] = sum;
	__syncthreads();
	int before = 0, whole = 0;
	for (int w = 0; w < HHT_THREADS / 32; ++w) {
		before += w < warp ? warps[w] : 0;
		whole += warps[w];
	}
	*all = whole;
	__syncthreads();
	return before + sum - mine;
}

#endif
