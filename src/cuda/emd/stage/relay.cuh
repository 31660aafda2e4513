/*
 * relay.cuh - rows with many knots that do not stay on the chip: all sifts in one launch, or as
 * many as are made while there are rows enough.
 *
 * Most blocks sift the tiles of all rows in order, sift after sift; some make a row's advance as
 * soon as its last tile is done, and hand it back.  Where rows are many that is long before anyone
 * comes to the row again, so that advances cost no more than their blocks do; nobody waits for the
 * ends of launches in any case.  Rows that come to have few knots leave: launches suit them better
 * (stage/steps.cuh).  Where a rule decides the number of sifts, all leave once half of the rows
 * have ended, and another relay takes them on as long as they have tiles for all blocks.
 *
 * Fits      more than one row, samples that flow (relay_fits, ways.cuh).
 * Twin      cpu/emd/sifter.c: the same bits.
 * Launch    relay_kernel: RELAY_WARPS warps, cooperative: s.relay_blocks, all on the device
 *           together; the first s.advancers of them make advances.  relay_again_kernel before
 *           another relay: a thread a row.
 * Memory    as a sift and an advance of steps.cuh, in shared memory one at a time (relay_memory); a
 *           sift reads h and marks and writes the next h and marks.
 */
#ifndef WSI_CUDA_RELAY_CUH
#define WSI_CUDA_RELAY_CUH

#include "cuda/emd/stage/steps.cuh"

constexpr int RELAY_WARPS = 4;

/* row_relay::advanced of rows that are done, or have left. */
constexpr unsigned RELAY_ENDED = 1u << 30;

template <class T, sift_flow FLOW> union relay_memory {
	sift_memory<T, RELAY_WARPS, FLOW> sift;
	advance_memory<T> advance;
};

/* What the one who looks tells the other threads of its block: whether their row goes on; the row,
 * and its tile. */
enum relay_state { RELAY_GOES_ON, RELAY_LEAVES, RELAY_PASSED_OVER, RELAY_IS_OVER };

struct relay_item {
	relay_state state;
	int row, tile;
};

/* ---- Advances -------------------------------------------------------------------------------- */

/* A row has ended; where all of them have, nobody waits for anything any more. */
template <class T>
__device__ __forceinline__ relay_state
passed_over(const sift_rows<T> &s, int rows)
{
	return __ldcg(&s.relay_ended->rows) >= (unsigned)rows ? RELAY_IS_OVER : RELAY_PASSED_OVER;
}

/* Where a rule decides, so many of a relay's rows leave it together.  If they have fewer tiles than
 * there are blocks, all wait for advances.  And who comes to a row that has ended passes over it
 * tile by tile: where half have ended, a relay of the others follows. */
template <class T>
__device__ __forceinline__ int
relay_least(const sift_rows<T> &s, int rows)
{
	return max(s.relay_blocks / s.tiles, rows / 2);
}

/* Have enough rows left that have many knots? */
template <class T>
__device__ __forceinline__ bool
relay_follows(const sift_rows<T> &s)
{
	const unsigned left = __ldcg(s.work_count + 2 * ROW_PHASES + ROW_KNOTS);
	const int many = (int)(left - __ldcg(&s.relay_ended->few));
	return many > s.relay_blocks / s.tiles;
}

/* Waits until all tiles of row i have been sifted k times.  One thread. */
template <class T, sift_flow FLOW>
__device__ __forceinline__ relay_state
await_tiles(const sift_rows<T> &s, int i, int k, int rows)
{
	const row_relay &at = s.relay[i];
	if (__ldcg(&at.advanced) >= RELAY_ENDED)
		return passed_over(s, rows);
	await_least(&at.sifted, (unsigned)k * (unsigned)s.tiles);
	const unsigned long long extrema = __ldcg(&s.rows[i].sums.extrema);
	const bool few = k < s.relay_sifts && (int)(unsigned)extrema <= s.few &&
	                 (int)(extrema >> 32) <= s.few;
	const bool last = FLOW == COUNTING_FLOW &&
	                  rows - (int)__ldcg(&s.relay_ended->rows) <= relay_least(s, rows);
	if (few)
		atomicAdd(&s.relay_ended->few, 1u);
	return few || last || __ldcg(s.drawn) >= ALL_DRAWN ? RELAY_LEAVES : RELAY_GOES_ON;
}

/* Of every advancers-th row; the list of those that leave is the third set's. */
template <class T, sift_flow FLOW>
__device__ __forceinline__ void
make_advances(advance_memory<T> &m, relay_state &state, const sift_rows<T> &s, int rows)
{
	for (int k = 1; k <= s.relay_sifts; ++k)
		for (int r = (int)blockIdx.x; r < rows; r += s.advancers) {
			const int i = work_of(s, 0, ROW_KNOTS)[r];
			if (threadIdx.x == 0)
				state = await_tiles<T, FLOW>(s, i, k, rows);
			__syncthreads();
			if (state == RELAY_IS_OVER)
				return;
			if (state == RELAY_GOES_ON)
				advance<T, RELAY_WARPS, FLOW>(m, NULL, s, i, false);
			if (threadIdx.x == 0 && state == RELAY_LEAVES)
				work_of(s, 2, ROW_KNOTS)[atomicAdd(
					&s.work_count[2 * ROW_PHASES + ROW_KNOTS], 1)] = i;
			if (threadIdx.x == 0 && state != RELAY_PASSED_OVER) {
				if (state == RELAY_GOES_ON && m.r.head.phase == ROW_KNOTS) {
					release_one(&s.relay[i].advanced);
				} else {
					atomicOr(&s.relay[i].advanced, RELAY_ENDED);
					atomicAdd(&s.relay_ended->rows, 1u);
				}
			}
			if (FLOW == PLAIN_FLOW && r == 0 && threadIdx.x == 0)
				tell_relay(s, false, k);
			__syncthreads();
		}
}

/* ---- Tiles --------------------------------------------------------------------------------- */

/* The tiles of all rows, once a sift, in shares: whoever has one more of a sift has one less of
 * another. */
template <class T, sift_flow FLOW>
__device__ __forceinline__ void
sift_tiles(sift_memory<T, RELAY_WARPS, FLOW> &m, relay_item &told, const sift_rows<T> &s, int rows)
{
	constexpr int ASKING = 32; /* thread 0 has yet to tell of the tile before */
	const int items = rows * s.tiles, workers = (int)gridDim.x - s.advancers;
	int item = (int)blockIdx.x - s.advancers;
	for (int k = 0; items > 0; item += workers) {
		for (; item >= items && k < s.relay_sifts; ++k)
			item -= items;
		if (k == s.relay_sifts)
			return;
		if (threadIdx.x == ASKING) {
			const quotient q = divide(item, s.tiles, s.tiles_inverse);
			told.row = work_of(s, 0, ROW_KNOTS)[q.whole];
			told.tile = q.rest;
			const bool ended =
				await_least(&s.relay[told.row].advanced,
				            (unsigned)k) >= RELAY_ENDED;
			told.state = ended ? passed_over(s, rows) : RELAY_GOES_ON;
		}
		__syncthreads();
		if (told.state == RELAY_IS_OVER)
			return;
		const int i = told.row;
		if (told.state == RELAY_GOES_ON)
			sift_by_knots<T, RELAY_WARPS, FLOW>(m, s, i, told.tile, s.rows[i].head);
		__syncthreads();
		if (threadIdx.x == 0)
			release_one(&s.relay[i].sifted);
	}
}

/* Nothing has been sifted yet of rows that go into a relay once more. */
template <class T>
__global__ void
relay_again_kernel(const __grid_constant__ sift_rows<T> s)
{
	const int rows = s.work_count[ROW_KNOTS];
	const int thread = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	for (int k = thread; k < rows; k += (int)(gridDim.x * blockDim.x))
		s.relay[work_of(s, 0, ROW_KNOTS)[k]] = {};
	if (thread == 0) {
		s.work_count[2 * ROW_PHASES + ROW_KNOTS] = 0;
		*s.relay_ended = {};
	}
}

/* Those that the first set has of rows with many knots. */
template <class T, sift_flow FLOW>
__global__ void __launch_bounds__(RELAY_WARPS * 32, (knots_blocks<T, RELAY_WARPS, FLOW>()))
relay_kernel(const __grid_constant__ sift_rows<T> s)
{
	WHERE_SHARED_FITS(sizeof(relay_memory<T, FLOW>)) {
		extern __shared__ double shared[];
		__shared__ relay_item told;
		relay_memory<T, FLOW> &m = *(relay_memory<T, FLOW> *)shared;
		const int rows = s.work_count[ROW_KNOTS];
		if ((int)blockIdx.x < s.advancers)
			make_advances<T, FLOW>(m.advance, told.state, s, rows);
		else
			sift_tiles<T, FLOW>(m.sift, told, s, rows);
		__syncthreads();
		if (threadIdx.x != 0 || arrive(&s.relay_ended->blocks) < gridDim.x)
			return;
		s.work_count[ROW_KNOTS] = 0;
		tell_relay(s, true, rows_left(s), relay_follows(s));
	}
}

#endif
