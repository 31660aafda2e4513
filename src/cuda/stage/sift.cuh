/*
 * sift.cuh - the kernels of sifting: start, step, whole, finish (sift.h).
 * sift_f32.cu and sift_f64.cu instantiate them.
 */
#include "cuda/block/turn.cuh"

/* Blocks of a multiprocessor that registers leave room for. */
template <class T> constexpr int WARPS_AT_ONCE = real<T>::F64 ? 8 : 16;

template <class T, int WARPS> struct sift_memory {
	union {
		tile_memory<T, WARPS> tile;
		plateau_memory<WARPS> plateaus;
		turn_memory<T> turn;
	};
	tally_memory<WARPS> tallies;
};

/* Without sifting. */
template <class T, int WARPS> struct start_memory {
	plateau_memory<WARPS> plateaus;
	turn_memory<T> turn;
	tally_memory<WARPS> tallies;
};

/* The row and tile of a block. */
struct block_place {
	int row, tile;
};

__device__ __forceinline__ block_place
place_of_block(const int *list)
{
	return { list[blockIdx.y], (int)blockIdx.x };
}

/* ---- Start: y = r + scale b, its extent and marks ---------------------------------- */

template <class T>
__device__ __forceinline__ T
source_at(const sift_rows<T> &s, int i, T scale, int sample)
{
	const T r = s.r[i * s.r_stride + sample];
	return s.b ? fma(scale, s.b[i * s.b_stride + sample], r) : r;
}

/* Returns whether steps were level. */
template <class T, int WARPS>
__device__ __forceinline__ bool
start_tile(plateau_memory<WARPS> &m, const sift_rows<T> &s, int i, int tile, tally &count)
{
	const int begin = tile * WARPS * SPAN, s0 = begin + (int)threadIdx.x * GROUP;
	const int lane = threadIdx.x & 31;
	const T scale = (T)s.input[i].scale;
	T y[GROUP + 2], x[GROUP];
	load_group(s.r + i * s.r_stride, s0, s.n, x);
	if (s.b) {
		T b[GROUP];
		load_group(s.b + i * s.b_stride, s0, s.n, b);
#pragma unroll
		for (int k = 0; k < GROUP; ++k)
			x[k] = fma(scale, b[k], x[k]);
		store_group(s.y + i * s.stride, s0, s.n, x);
	}
#pragma unroll
	for (int k = 0; k < GROUP; ++k)
		y[k + 1] = x[k];
	y[0] = s0 > 0 && s0 < s.n ? source_at(s, i, scale, s0 - 1) : (T)0;
	y[GROUP + 1] = s0 + GROUP < s.n ? source_at(s, i, scale, s0 + GROUP) : (T)0;
	unsigned mark[2];
	const bitmap of[2] = { bitmap_of(s, i, 0, 0), bitmap_of(s, i, 0, 1) };
	const bool level = mark_tile<T, WARPS>(m, y, begin, s.n, (T)s.input[i].flat, s.signs,
	                                       s.plateaus, mark, count,
	                                       s.edges + (size_t)i * s.tiles + tile);
	count.above = 0;
	store_marks(of, s0 / GROUP, mark);
	if (!s.step)
		return level;
	unsigned long long low = ORDER_HIGHEST, high = ORDER_LOWEST;
#pragma unroll
	for (int k = 0; k < GROUP; ++k)
		if (s0 + k < s.n) {
			const unsigned long long o = to_order((double)x[k]);
			low = o < low ? o : low;
			high = o > high ? o : high;
		}
	for (int d = 16; d > 0; d >>= 1) {
		const unsigned long long l = __shfl_xor_sync(FULL, low, d), h = __shfl_xor_sync(FULL, high, d);
		low = l < low ? l : low;
		high = h > high ? h : high;
	}
	if (lane == 0) {
		atomicMin(s.low + i, low);
		atomicMax(s.high + i, high);
	}
	return level;
}

template <class T, int WARPS>
__global__ void __launch_bounds__(WARPS * 32)
start_kernel(const __grid_constant__ sift_rows<T> s, const int *list)
{
	__shared__ start_memory<T, WARPS> m;
	const block_place p = place_of_block(list);
	tally count;
	const bool level = start_tile<T, WARPS>(m.plateaus, s, p.row, p.tile, count);
	if (hand_in(m.tallies, s.rows[p.row].sums, count, level, s.signs, s.tiles))
		turn<T, WARPS>(m.turn, s, p.row, true);
}

/* ---- One sift -------------------------------------------------------------------------- */

/* The tile's part of a row's sift; returns whether steps of the outcome are level. */
template <class T, int WARPS>
__device__ __forceinline__ bool
sift_row(sift_memory<T, WARPS> &m, const sift_rows<T> &s, int i, int tile, const row_head &head,
         tally &count)
{
	const int begin = tile * WARPS * SPAN, s0 = begin + (int)threadIdx.x * GROUP;
	const bitmap marks = bitmap_of(s, i, head.set, 0);
	const signal<T> h = { (const T *)head.h, s.n, s.groups, marks.group, marks.summary,
		              s.rows[i].extra, head.extras_inside != 0, s.half_ticks, s.cyclic };
	T y[GROUP + 2];
	sift_tile<T, WARPS>(m.tile, h, s.spline, tile, wanted_of(s, i, head.sifts), y, count);
	store_group((T *)head.next, s0, s.n, y + 1);
	if (s.stop == WS_STOP_FIXED && head.sifts + 1 == s.sifts)
		return false;
	__syncthreads(); /* the knots are done with */
	unsigned mark[2];
	const bitmap of[2] = { bitmap_of(s, i, 1 - head.set, 0), bitmap_of(s, i, 1 - head.set, 1) };
	const bool level = mark_tile<T, WARPS>(m.plateaus, y, begin, s.n, (T)head.flat, s.signs,
	                                       s.plateaus, mark, count,
	                                       s.edges + (size_t)i * s.tiles + tile);
	store_marks(of, s0 / GROUP, mark);
	return level;
}

template <class T, int WARPS>
__global__ void __launch_bounds__(WARPS * 32, WARPS_AT_ONCE<T> / WARPS)
step_kernel(const __grid_constant__ sift_rows<T> s, const int *list)
{
	extern __shared__ double shared[];
	sift_memory<T, WARPS> &m = *(sift_memory<T, WARPS> *)shared;
	const block_place p = place_of_block(list);
	const row_head head = s.rows[p.row].head;
	if (head.phase == ROW_DONE)
		return;
	tally count = {};
	const bool level = sift_row<T, WARPS>(m, s, p.row, p.tile, head, count);
	if (hand_in(m.tallies, s.rows[p.row].sums, count, level, s.signs, s.tiles))
		turn<T, WARPS>(m.turn, s, p.row, false);
}

/* A row of one tile needs no other block: all its sifts in one launch. */
template <class T, int WARPS>
__global__ void __launch_bounds__(WARPS * 32, WARPS_AT_ONCE<T> / WARPS)
whole_kernel(const __grid_constant__ sift_rows<T> s, const int *list)
{
	extern __shared__ double shared[];
	sift_memory<T, WARPS> &m = *(sift_memory<T, WARPS> *)shared;
	const int i = list[blockIdx.y];
	tally count;
	bool level = start_tile<T, WARPS>(m.plateaus, s, i, 0, count);
	for (bool started = true;; started = false) {
		hand_in(m.tallies, s.rows[i].sums, count, level, s.signs, 1);
		turn<T, WARPS>(m.turn, s, i, started);
		const row_head head = s.rows[i].head;
		if (head.phase == ROW_DONE)
			break;
		count = {};
		level = sift_row<T, WARPS>(m, s, i, 0, head, count);
	}
}

/* ---- Finish: what the job wants, from y and the mode ------------------------------------- */

/* The extent of each row's mode. */
template <class T>
__global__ void
mode_extent_kernel(const __grid_constant__ sift_rows<T> s, const int *list)
{
	const block_place p = place_of_block(list);
	const row<T> &r = s.rows[p.row];
	if (!r.oscillates)
		return;
	const T *h = place_of(s, p.row, r.place);
	const int per_tile = s.groups / s.tiles * GROUP;
	const int begin = p.tile * per_tile, end = min(begin + per_tile, s.n);
	unsigned long long low = ORDER_HIGHEST, high = ORDER_LOWEST;
	for (int i = begin + (int)threadIdx.x; i < end; i += blockDim.x) {
		const unsigned long long o = to_order((double)h[i]);
		low = o < low ? o : low;
		high = o > high ? o : high;
	}
	for (int d = 16; d > 0; d >>= 1) {
		const unsigned long long l = __shfl_xor_sync(FULL, low, d), g = __shfl_xor_sync(FULL, high, d);
		low = l < low ? l : low;
		high = g > high ? g : high;
	}
	if ((threadIdx.x & 31) == 0) {
		atomicMin(s.low + p.row, low);
		atomicMax(s.high + p.row, high);
	}
}

template <class T>
__global__ void
finish_kernel(const __grid_constant__ sift_rows<T> s, const int *list)
{
	const block_place p = place_of_block(list);
	const int i = p.row;
	const row<T> &r = s.rows[i];
	const T *h = place_of(s, i, r.place), *y = place_of(s, i, ROW_SOURCE);
	T *out = s.out + i * s.out_stride, *rest = s.r + i * s.r_stride;
	bool oscillates = r.oscillates;
	if (oscillates && s.step && !s.tiny_modes)
		oscillates = to_real(s.high[i]) - to_real(s.low[i]) > s.input[i].least_range;
	const bool untouched = r.place == ROW_SOURCE;
	const int per_tile = s.groups / s.tiles * GROUP;
	const int begin = p.tile * per_tile, end = min(begin + per_tile, s.n);
	for (int k = begin + (int)threadIdx.x; k < end; k += blockDim.x) {
		/* ceemdan.m takes an IMF for its own local mean. */
		T v;
		if (s.rest)
			v = !oscillates || (untouched && s.imf_ends) ? y[k] : y[k] - h[k];
		else
			v = oscillates ? h[k] : (T)0;
		out[k] = v;
		if (oscillates && s.deflate)
			rest[k] = rest[k] - v;
	}
	if (p.tile == 0 && threadIdx.x == 0)
		s.output[i].oscillates = oscillates;
}

/* ---- Launching ---------------------------------------------------------------------------- */

/* That a grid has along y. */
constexpr int MOST_ROWS = 32768;

template <class T, int WARPS, class Kernel>
static cudaError_t
launch(Kernel kernel, size_t shared, const sift_rows<T> &s, const int *list, int count,
       cudaStream_t stream)
{
	const cudaError_t error =
		cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
	if (error != cudaSuccess)
		return error;
	for (int first = 0; first < count; first += MOST_ROWS) {
		const dim3 grid((unsigned)s.tiles, (unsigned)min(count - first, MOST_ROWS));
		kernel<<<grid, WARPS * 32, shared, stream>>>(s, list + first);
	}
	return cudaGetLastError();
}

#define BY_WARPS(kernel, shared)                                                                \
	switch (sift_warps(s.n)) {                                                              \
	case 1:                                                                                 \
		return launch<T, 1>(kernel<T, 1>, shared(1), s, list, count, stream);           \
	case 2:                                                                                 \
		return launch<T, 2>(kernel<T, 2>, shared(2), s, list, count, stream);           \
	default:                                                                                \
		return launch<T, 4>(kernel<T, 4>, shared(4), s, list, count, stream);           \
	}
#define NO_MEMORY(warps) 0
#define SIFT_MEMORY(warps) sizeof(sift_memory<T, warps>)

template <class T>
cudaError_t
sift_start(const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	BY_WARPS(start_kernel, NO_MEMORY)
}

template <class T>
cudaError_t
sift_step(const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	BY_WARPS(step_kernel, SIFT_MEMORY)
}

template <class T>
cudaError_t
sift_whole(const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	BY_WARPS(whole_kernel, SIFT_MEMORY)
}

template <class T>
cudaError_t
sift_finish(const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	if (s.step && !s.tiny_modes) {
		const cudaError_t error =
			launch<T, 4>(mode_extent_kernel<T>, 0, s, list, count, stream);
		if (error != cudaSuccess)
			return error;
	}
	return launch<T, 4>(finish_kernel<T>, 0, s, list, count, stream);
}
