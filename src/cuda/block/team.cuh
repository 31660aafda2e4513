/*
 * team.cuh - the blocks of a row's tiles, one a tile, which sift the row in step.
 *
 * After a sift each tells what it counted and the knots nearest its edges, all
 * meet, and each draws the same conclusions from what all have told.  They must
 * be on the device at the same time: a cooperative launch.
 */
#ifndef WSI_CUDA_BLOCK_TEAM_CUH
#define WSI_CUDA_BLOCK_TEAM_CUH

#include "cuda/block/list.cuh"
#include "cuda/team.h"

/* A block's view of its team. */
struct team {
	int blocks;                   /* of all teams, see team_board */
	int first, tiles, tile;       /* the team's first block; which tile is this one's */
	unsigned meetings;            /* there were */

	/* Where to tell, and where, after a meeting, others have told. */
	__device__ __forceinline__ int
	here() const
	{
		return (meetings & 1 ? blocks : 0) + first + tile;
	}

	__device__ __forceinline__ int
	there() const
	{
		return (meetings & 1 ? 0 : blocks) + first;
	}
};

/* All have told, and may read.  All threads of all blocks of the team.  One
 * thread of each waits, at one place: many would be in each other's way. */
template <class T>
__device__ __forceinline__ void
meet(const team_board<T> &board, team &t)
{
	++t.meetings;
	__syncthreads();
	if (threadIdx.x == 0) {
		unsigned *const arrived = board.arrived + t.first, all = t.meetings * (unsigned)t.tiles;
		unsigned now;
		/* What the block has told is released, and what others have told acquired. */
		asm volatile("red.release.gpu.global.add.u32 [%0], 1;" :: "l"(arrived) : "memory");
		do
			asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(arrived) : "memory");
		while (now < all);
	}
	__syncthreads();
}

/* What a block makes of what all have told, in its shared memory. */
struct team_view {
	unsigned before[2][TEAM_TILES + 1]; /* [kind] knots before each tile; of all */
	double sum[TEAM_TILES];
	unsigned warp_knots[TEAM_TILES / 32];
};

template <class T> struct knot {
	int32_t t;
	T v;
};

/* A knot by its rank in the row, of those that were told. */
template <class T>
__device__ __forceinline__ knot<T>
knot_told(const team_board<T> &board, const team &t, const team_view &view, int kind, int rank)
{
	constexpr int EDGE = team_note<T>::EDGE;
	const unsigned *before = view.before[kind];
	/* The last tile that no more come before: most often the one beside this. */
	int low = 0, high = t.tiles - 1;
	const int beside = rank < (int)before[t.tile] ? t.tile - 1 : t.tile + 1;
	if (beside < t.tiles && (int)before[beside] <= rank && rank < (int)before[beside + 1])
		low = high = beside;
	while (low < high) {
		const int middle = (low + high + 1) / 2;
		if ((int)before[middle] <= rank)
			low = middle;
		else
			high = middle - 1;
	}
	const int all = (int)(before[low + 1] - before[low]), inside = rank - (int)before[low];
	const int k = all <= 2 * EDGE || inside < EDGE ? inside : inside - (all - 2 * EDGE);
	const team_note<T> &note = board.note[t.there() + low];
	return { __ldcg(&note.t[kind][k]), __ldcg(&note.v[kind][k]) };
}

/* Adds up the tiles' signs and samples above.  All threads of a block. */
template <class T>
__device__ __forceinline__ void
read_signs(const team_board<T> &board, const team &t, row_sums &sums)
{
	unsigned sum[4] = {};
	for (int k = threadIdx.x; k < t.tiles; k += blockDim.x) {
		const uint2 c = __ldcg(board.signs + t.there() + k);
		sum[0] += c.x & 0xffffu;
		sum[1] += c.x >> 16;
		sum[2] += c.y & 0xffffu;
		sum[3] += c.y >> 16;
	}
	for (int k = 0; k < 4; ++k)
		sum[k] = sum_lanes(sum[k]);
	if ((threadIdx.x & 31) == 0) {
		atomicAdd(&sums.signs, sum[0] | (unsigned long long)sum[1] << 32);
		atomicAdd(&sums.above, sum[2] | (unsigned long long)sum[3] << 32);
	}
}

/* Adds up what all have counted: into the sums, and the knots before each tile.
 * All threads of a block; returns whether steps were level anywhere. */
template <int WARPS, class T>
__device__ __forceinline__ bool
read_counts(const team_board<T> &board, const team &t, team_view &view, row_sums &sums, bool signs)
{
	constexpr int THREADS = WARPS * 32, MOST = TEAM_TILES / THREADS;
	const int warp = threadIdx.x / 32;
	const unsigned *const knots = board.knots + t.there();
	unsigned own[MOST], through[MOST], level = 0;
#pragma unroll
	for (int k = 0; k < MOST; ++k) {
		const int tile = k * THREADS + (int)threadIdx.x;
		own[k] = tile < t.tiles ? __ldcg(knots + tile) : 0u;
	}
	/* Of 32 tiles at a time both kinds fit into one word. */
#pragma unroll
	for (int k = 0; k < MOST; ++k) {
		if (k * THREADS >= t.tiles)
			break;
		level |= own[k] & TEAM_LEVEL;
		own[k] &= ~TEAM_LEVEL;
		through[k] = (unsigned)scan_lanes((int)own[k]);
		if ((threadIdx.x & 31) == 31)
			view.warp_knots[k * WARPS + warp] = through[k];
	}
	if (threadIdx.x == 0)
		sums = {};
	__syncthreads();
	unsigned all[2] = {};
#pragma unroll
	for (int k = 0; k < MOST; ++k) {
		if (k * THREADS >= t.tiles)
			break;
		unsigned before[2] = {};
#pragma unroll
		for (int w = 0; w < WARPS; ++w) {
			const unsigned of_warp = view.warp_knots[k * WARPS + w];
			before[0] = w == warp ? all[0] : before[0];
			before[1] = w == warp ? all[1] : before[1];
			all[0] += of_warp & 0xffffu;
			all[1] += of_warp >> 16;
		}
		const int tile = k * THREADS + (int)threadIdx.x;
		const unsigned here = through[k] - own[k];
		if (tile < t.tiles) {
			view.before[0][tile] = before[0] + (here & 0xffffu);
			view.before[1][tile] = before[1] + (here >> 16);
		}
	}
	if (threadIdx.x == 0) {
		view.before[0][t.tiles] = all[0];
		view.before[1][t.tiles] = all[1];
		sums.extrema = all[0] | (unsigned long long)all[1] << 32;
	}
	if (signs)
		read_signs(board, t, sums);
	return __syncthreads_or(level != 0);
}

#endif
