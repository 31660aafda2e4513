/*
 * joint_whole.cuh - blocks of samples in which no knot starts: the cubics of
 * envelopes there, added up. Late modes have hardly any other.
 */
#ifndef WSI_CUDA_JOINT_WHOLE_CUH
#define WSI_CUDA_JOINT_WHOLE_CUH

#include "cuda/stage/joint_envelope.cuh"

/* Blocks of samples of a block of threads. */
constexpr int WHOLE_BLOCKS = WSI_JOINT_BLOCKS / 4;

/* The sums of whole blocks: cubics [block][coefficient]. */
template <class T> struct whole_adder {
	const joint_signal<T> &s;
	const T *column;        /* row 0 of h at this lane's channel */
	const T *slopes;        /* of the group, at this lane's channel */
	int first;              /* sample of the first block */
	T sums[WHOLE_BLOCKS][4];

	/* The blocks' envelope of `window`; whole: which, a bit each; knot: of each, the interval;
	 * at: of the tile's first interval in s.seen. */
	__device__ __forceinline__ void
	add(int window, int at, unsigned whole, const int (&knot)[WHOLE_BLOCKS])
	{
		envelope_piece<T> piece = {};
		int now = -1, time = 0;
#pragma unroll
		for (int block = 0; block < WHOLE_BLOCKS; ++block) {
			if (!(whole >> block & 1))
				continue;
			if (knot[block] != now) {
				now = knot[block];
				const joint_knot<T> k = s.seen[at + now], next = s.seen[at + now + 1];
				const T *slope = slopes + ((ptrdiff_t)window * JOINT_OWN + now) * 32;
				piece.begin(value_at(column, k.offset), __ldg(slope), value_at(column, next.offset),
				            __ldg(slope + 32), k.inverse);
				time = k.time;
			}
			piece.add_to(sums[block], (T)(first + block * WSI_JOINT_BLOCK - time));
		}
	}

	/* All of a sum: lanes look at 32 envelopes at a time. from: first block in the tile. */
	__device__ __forceinline__ void
	add_all(const sum_of_envelopes &envelopes, int tile, int from)
	{
		const int blocks = min((s.n - first + WSI_JOINT_BLOCK - 1) / WSI_JOINT_BLOCK, WHOLE_BLOCKS);
		const unsigned there = blocks > 0 ? (1u << blocks) - 1 : 0;
		for (int batch = 0; batch < envelopes.n; batch += 32) {
			const int lane = threadIdx.x & 31, i = batch + lane;
			int window = 0, at = 0, knots[WHOLE_BLOCKS];
			unsigned whole = 0;
			if (i < envelopes.n) {
				window = envelopes.list(i) * s.chunk + tile;
				at = window * JOINT_WINDOW<T> + s.windows[window].own;
				const joint_marks *m = s.marks + (size_t)window * JOINT_TILE_WORDS + from;
#pragma unroll
				for (int block = 0; block < WHOLE_BLOCKS; ++block) {
					const joint_marks mark = m[block];
					knots[block] = mark.knot;
					whole |= (unsigned)((mark.starts & ~1u) == 0) << block;
				}
				whole = s.windows[window].n > 0 ? whole & there : 0;
			}
			unsigned left = __ballot_sync(FULL, whole != 0);
			for (; left; left &= left - 1) {
				const int k = __ffs(left) - 1;
				int knot[WHOLE_BLOCKS];
#pragma unroll
				for (int block = 0; block < WHOLE_BLOCKS; ++block)
					knot[block] = __shfl_sync(FULL, knots[block], k);
				add(__shfl_sync(FULL, window, k), __shfl_sync(FULL, at, k), __shfl_sync(FULL, whole, k),
				    knot);
			}
		}
	}
};

/* The cubic of a block: [coefficient][32]. */
template <class T>
__device__ __forceinline__ T *
whole_of(const joint_signal<T> &s, int group, int block)
{
	return s.whole + ((size_t)group * s.chunk * WSI_JOINT_BLOCKS + block) * 4 * 32;
}

/* Sums that the warps show to each other, by rows. */
template <class T> struct whole_shown { T x[WSI_JOINT_SUMS][WHOLE_BLOCKS * 4][32]; };

/* Cubics of whole blocks into s.whole. grid: some blocks of the chunk; group of channels
 * from group0 on. */
template <class T>
__global__ void __launch_bounds__(MEAN_THREADS, sizeof(T) == 4 ? 3 : 2)
whole_kernel(const joint_signal<T> s, const T *h, int tile0, int group0)
{
	__shared__ whole_shown<T> shown;
	const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, block0 = blockIdx.x * WHOLE_BLOCKS;
	whole_adder<T> a = { s, column_of(s, h, (group0 + (int)blockIdx.y) * 32 + lane),
		             opaque(slopes_of(s, 0, 0, blockIdx.y) + lane),
		             tile0 * WSI_JOINT_TILE + block0 * WSI_JOINT_BLOCK, {} };
	a.add_all(sum_of_envelopes(s.directions), block0 / WSI_JOINT_BLOCKS, block0 % WSI_JOINT_BLOCKS);
#pragma unroll
	for (int i = 0; i < WHOLE_BLOCKS * 4; ++i)
		shown.x[warp][i][lane] = a.sums[i / 4][i % 4];
	__syncthreads();
	for (int i = warp; i < WHOLE_BLOCKS * 4; i += WSI_JOINT_SUMS)
		whole_of(s, blockIdx.y, block0)[i * 32 + lane] =
			total_of(&shown.x[0][i][lane], WHOLE_BLOCKS * 4 * 32);
}

#endif
