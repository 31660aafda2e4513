/*
 * joint_project.cuh - the steps of projections.
 *
 * A thread has a sample and JOINT_DIRECTIONS directions: one product a channel
 * and direction, and ballots for the bits.
 *
 * Fits      every row of memd; channels are padded to whole groups of lanes.
 * Twin      cpu/emd/joint_project_simd.h: the same bits.
 * Launch    PROJECT_THREADS over (tiles sifted here, JOINT_DIRECTIONS directions a block).
 * Memory    reads h once for JOINT_DIRECTIONS directions, writes a bit a step and kind.
 */
#ifndef WSI_CUDA_JOINT_PROJECT_CUH
#define WSI_CUDA_JOINT_PROJECT_CUH

#include "cuda/emd/block/lanes.cuh"
#include "cuda/emd/joint.h"

constexpr int PROJECT_THREADS = WSI_JOINT_TILE / 2;

/* One sample of one projection, first channel first. */
template <class T>
__device__ T
project_sample(const joint_signal<T> &s, const T *h, int direction, int sample)
{
	const T *x = h + (size_t)sample * s.lanes, *u = s.u + direction;
	T p = x[0] * u[0];
#pragma unroll 8
	for (int c = 1; c < s.channels; ++c)
		p = fma(x[c], u[(size_t)c * s.padded], p);
	return p;
}

/* The same by a warp, whose lanes load the channels. */
template <class T>
__device__ T
project_by_warp(const joint_signal<T> &s, const T *h, int direction, int sample)
{
	const int lane = threadIdx.x & 31;
	T p = (T)0;
	for (int c0 = 0; c0 < s.channels; c0 += 32) {
		const bool there = c0 + lane < s.channels;
		const T x = there ? h[(size_t)sample * s.lanes + c0 + lane] : (T)0;
		const T u = there ? s.u[(size_t)(c0 + lane) * s.padded + direction] : (T)0;
#pragma unroll
		for (int c = 0; c < 32; ++c) {
			const T xc = __shfl_sync(FULL, x, c), uc = __shfl_sync(FULL, u, c);
			if (c0 + c < s.channels)
				p = c0 + c == 0 ? xc * uc : fma(xc, uc, p);
		}
	}
	return p;
}

/* Rows of 64 bytes at a time. */
template <class T> constexpr int PROJECT_CHANNELS = 64 / (int)sizeof(T);
/* Samples of a thread, PROJECT_THREADS apart: what is read of directions serves all. */
constexpr int PROJECT_SAMPLES = WSI_JOINT_TILE / PROJECT_THREADS;

template <class T> struct project_shared {
	T x[WSI_JOINT_TILE + 1][PROJECT_CHANNELS<T> + 1]; /* the first row comes before the tile */
	alignas(16) T u[PROJECT_CHANNELS<T>][JOINT_DIRECTIONS];
	T before[WSI_JOINT_TILE / 32 + 1][JOINT_DIRECTIONS]; /* each word */
};

/* Some channels of a tile, as a thread brings them. */
template <class T> struct project_chunk {
	static constexpr int CHANNELS = PROJECT_CHANNELS<T>, ROWS = PROJECT_THREADS / CHANNELS;
	static constexpr int N = WSI_JOINT_TILE / ROWS, D = JOINT_DIRECTIONS;
	static_assert(CHANNELS * D % PROJECT_THREADS == 0 && D <= PROJECT_THREADS);
	T x[N], u[CHANNELS * D / PROJECT_THREADS], before;

	/* All on their way at once; of channels that are none, whose u is zero, none. */
	__device__ __forceinline__ void
	load(const joint_signal<T> &s, const T *h, int first, int previous, int c0, int d0)
	{
		const int row = (int)threadIdx.x / CHANNELS, c = c0 + (int)threadIdx.x % CHANNELS;
		if (c0 >= s.channels)
			return;
		const T *from = h + (size_t)(first + row) * s.lanes + c;
#pragma unroll
		for (int i = 0; i < N; ++i, from += ROWS * s.lanes)
			x[i] = first + row + i * ROWS < s.n ? *from : (T)0;
		before = h[(size_t)previous * s.lanes + c];
#pragma unroll
		for (int i = 0; i < CHANNELS * D / PROJECT_THREADS; ++i) {
			const int k = i * PROJECT_THREADS + (int)threadIdx.x, of = c0 + k / D;
			u[i] = of < s.channels ? s.u[(size_t)of * s.padded + d0 + k % D] : (T)0;
		}
	}

	__device__ __forceinline__ void
	store(project_shared<T> &sh) const
	{
		const int row = (int)threadIdx.x / CHANNELS, c = (int)threadIdx.x % CHANNELS;
#pragma unroll
		for (int i = 0; i < N; ++i)
			sh.x[1 + row + i * ROWS][c] = x[i];
		if (row == 0)
			sh.x[0][c] = before;
#pragma unroll
		for (int i = 0; i < CHANNELS * D / PROJECT_THREADS; ++i)
			sh.u[0][i * PROJECT_THREADS + (int)threadIdx.x] = u[i];
	}
};

/* The words of a warp's bits for JOINT_DIRECTIONS directions, one kept by a lane. */
struct ballot_words {
	uint32_t mine = 0;

	__device__ __forceinline__ void
	add(int direction, bool has)
	{
		const uint32_t all = __ballot_sync(FULL, has);
		mine = (threadIdx.x & 31) == direction ? all : mine;
	}

	/* bits: [direction][word] */
	__device__ __forceinline__ void
	put(uint32_t *bits, int words, int word) const
	{
		if ((threadIdx.x & 31) < JOINT_DIRECTIONS)
			bits[(size_t)(threadIdx.x & 31) * words + word] = mine;
	}
};

/* Of the level steps of a direction in a word, those that may be the middle of a plateau
 * between a rise and a fall: where it is all in the word its middle, else all of it. */
__device__ __forceinline__ unsigned
maybe_middle(unsigned level, unsigned rise, unsigned fall)
{
	unsigned middle = 0;
	while (level) {
		const int first = __ffs(level) - 1, end = first + __clz(__brev(~(level >> first)));
		const unsigned run = level & (end < 32 ? (1u << end) - 1 : ~0u);
		level &= ~run;
		if (first == 0 || end == 32)
			middle |= run;
		else if ((end - first) % 2 && (rise >> (first - 1) & 1) == (fall >> end & 1))
			middle |= 1u << (first + end) / 2;
	}
	return middle;
}

/* By a warp: rows of s.middle for the samples of a word, some at a time. */
template <class T>
__device__ __forceinline__ void
fill_middle(const joint_signal<T> &s, const T *h, unsigned samples, int word)
{
	constexpr int MANY = 4;
	for (int c = threadIdx.x & 31; c < s.lanes; c += 32)
#pragma unroll 1
		for (unsigned left = samples; left;) {
			T x[MANY], before[MANY];
			unsigned rest = left;
#pragma unroll
			for (int i = 0; i < MANY; ++i, rest &= rest - 1)
				if (rest) {
					const size_t at =
						(size_t)(word * 32 + __ffs(rest) - 1) * s.lanes + c;
					x[i] = h[at], before[i] = h[at - s.lanes];
				}
#pragma unroll
			for (int i = 0; i < MANY; ++i, left &= left - 1)
				if (left)
					s.middle[(size_t)(word * 32 + __ffs(left) - 1) * s.lanes +
					         c] = (before[i] + x[i]) * (T)0.5;
		}
}

/* Nothing is known yet of the knots to come. */
__device__ __forceinline__ void
forget(joint_state *state)
{
	state->active = 0;
	state->most_extrema = 0;
	state->agrees = 0;
}

template <class T>
__global__ void __launch_bounds__(PROJECT_THREADS, sizeof(T) == 4 ? 4 : 2)
project_kernel(const joint_signal<T> s, const T *h)
{
	__shared__ project_shared<T> sh;
	constexpr int CHANNELS = PROJECT_CHANNELS<T>, D = JOINT_DIRECTIONS, N = PROJECT_SAMPLES;
	const int first = (s.first_tile + blockIdx.x) * WSI_JOINT_TILE, d0 = blockIdx.y * D;
	const int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
	const int previous = first > 0 ? first - 1 : s.cyclic ? s.n - 1 : 0;
	T p[N][D] = {}, q = (T)0;
	project_chunk<T> chunk;
	chunk.load(s, h, first, previous, 0, d0);
	for (int c0 = 0; c0 < s.channels; c0 += CHANNELS) {
		chunk.store(sh);
		__syncthreads();
		chunk.load(s, h, first, previous, c0 + CHANNELS, d0);
#pragma unroll 2
		for (int c = 0; c < CHANNELS; ++c) {
			T x[N];
#pragma unroll
			for (int i = 0; i < N; ++i)
				x[i] = sh.x[1 + i * PROJECT_THREADS + threadIdx.x][c];
			/* From zero on: only the sign of a zero differs from the CPU's first
			 * product, and nothing looks at that. */
#pragma unroll
			for (int k = 0; k < D; ++k)
#pragma unroll
				for (int i = 0; i < N; ++i)
					p[i][k] = fma(x[i], sh.u[c][k], p[i][k]);
		}
		if (threadIdx.x < D)
#pragma unroll 4
			for (int c = 0; c < CHANNELS; ++c)
				q = fma(sh.x[0][c], sh.u[c][threadIdx.x], q);
		__syncthreads();
	}
	if (threadIdx.x < D)
		sh.before[0][threadIdx.x] = q;
#pragma unroll
	for (int i = 0; i < N; ++i)
#pragma unroll
		for (int k = 0; k < D; ++k)
			if (lane == 31)
				sh.before[i * (PROJECT_THREADS / 32) + warp + 1][k] = p[i][k];
	__syncthreads();
	if (threadIdx.x == 0 && blockIdx.x == 0 && blockIdx.y == 0)
		forget(s.state);
	const size_t at = (size_t)d0 * s.words;
#pragma unroll
	for (int i = 0; i < N; ++i) {
		const int in_tile = i * (PROJECT_THREADS / 32) + warp, word = first / 32 + in_tile;
		const int sample = word * 32 + lane;
		const bool valid = sample < s.n, stepped = valid && (sample > 0 || s.cyclic);
		ballot_words rise, fall, above, below;
#pragma unroll
		for (int k = 0; k < D; ++k) {
			T before = __shfl_up_sync(FULL, p[i][k], 1);
			before = lane == 0 ? sh.before[in_tile][k] : before;
			rise.add(k, stepped && p[i][k] - before > s.flat);
			fall.add(k, stepped && before - p[i][k] > s.flat);
		}
		rise.put(s.rise + at, s.words, word);
		fall.put(s.fall + at, s.words, word);
		if (s.middle) {
			const unsigned inner = __ballot_sync(FULL, valid && sample > 0);
			const bool used = lane < D && d0 + lane < s.directions;
			const unsigned level = used ? inner & ~(rise.mine | fall.mine) : 0;
			if (__any_sync(FULL, level != 0))
				fill_middle(s, h,
				            or_lanes(maybe_middle(level, rise.mine, fall.mine)),
				            word);
		}
		if (!s.crossings)
			continue;
#pragma unroll
		for (int k = 0; k < D; ++k) {
			above.add(k, valid && p[i][k] > (T)0);
			below.add(k, valid && p[i][k] < (T)0);
		}
		above.put(s.above + at, s.words, word);
		below.put(s.below + at, s.words, word);
	}
}

template <class T>
cudaError_t
joint_project(const joint_signal<T> &s, int set, cudaStream_t stream)
{
	const dim3 grid((unsigned)(s.end_tile - s.first_tile),
	                (unsigned)(s.padded / JOINT_DIRECTIONS));
	project_kernel<T><<<grid, PROJECT_THREADS, 0, stream>>>(s, s.h[set]);
	return cudaGetLastError();
}

#endif
