/*
 * joint_windows.cuh - which knots each tile sees, and the elimination of their
 * system (math/joint.h): all that depends on times only.
 *
 * A block has 32 neighbouring windows of an envelope, some rows of each at a
 * time. One warp, whose lanes have a window each, works out pivots, a chain of
 * divisions; the others make the rows that come next meanwhile, and write those
 * that are done.
 *
 * Fits      every envelope of a chunk of tiles.
 * Twin      cpu/emd/joint_mean_simd.h, by math/joint.h: the same bits.
 * Launch    WINDOWS_THREADS over (tiles of the chunk / 32, envelopes).
 * Memory    some rows of 32 windows in shared memory (windows_shared), made and written meanwhile;
 *           reads knot times, writes a window's knots and eliminated rows once.
 */
#ifndef WSI_CUDA_JOINT_WINDOWS_CUH
#define WSI_CUDA_JOINT_WINDOWS_CUH

#include "cuda/device/shared.h"
#include "cuda/emd/block/lanes.cuh"
#include "cuda/emd/joint.h"

/* Threads that make rows, two at a time, and those that eliminate. */
constexpr int WINDOWS_MAKERS = 32 * JOINT_ROWS / 2, WINDOWS_THREADS = WINDOWS_MAKERS + 32;
/* Blocks that a multiprocessor is to hold: older ones have 1024 threads. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
template <class T> constexpr int WINDOWS_BLOCKS = 3;
#else
template <class T> constexpr int WINDOWS_BLOCKS = sizeof(T) == 4 ? 4 : 3;
#endif

template <class T> struct windows_shared {
	joint_window<T> w[32];
	/* Rows being made (a, c, f, g), eliminated, and written (joint_weights); padded, for
	 * the lanes that eliminate. */
	four<T> rows[3][32][JOINT_ROWS + 1];
};

/* Pivots lie between 1/3 and 1: no need to guard against others. */
__device__ __forceinline__ float
pivot_inverse(float x)
{
	return reciprocal(x);
}

__device__ __forceinline__ double
pivot_inverse(double x)
{
	return __drcp_rn(x);
}

/* Row r of h, in units of 64 bytes. */
template <class T>
__device__ __forceinline__ int
offset_of_row(const joint_signal<T> &s, int r)
{
	return r * (s.lanes / (64 / (int)sizeof(T)));
}

/* Which of the bits of `starts`, counted from the lowest, `half` has too. */
__device__ __forceinline__ uint32_t
halves_among(uint32_t starts, uint32_t half)
{
	uint32_t halves = 0;
	for (half &= starts; half; half &= half - 1)
		halves |= 1u << __popc(starts & ((half & -half) - 1));
	return halves;
}

/* By a lane: the window of a tile, and where its blocks stand. */
template <class T>
__device__ void
open_window(windows_shared<T> &sh, const joint_signal<T> &s, int list, int tile, joint_marks *marks)
{
	constexpr int REACH = joint_math<T>::REACH;
	const int lane = threadIdx.x & 31;
	const joint_knots k = s.knots[list];
	const uint32_t *words = s.bits + (size_t)list * s.words + (size_t)tile * JOINT_TILE_WORDS;
	const int before = s.before[(size_t)list * s.tiles + tile];
	const int first = before > 0 ? before - 1 : 0;
	uint32_t starts[JOINT_TILE_WORDS];
#pragma unroll
	for (int i = 0; i < JOINT_TILE_WORDS; ++i)
		starts[i] = words[i];
	const uint32_t *halves =
		s.half + (size_t)(list / 2) * s.words + (size_t)tile * JOINT_TILE_WORDS;
	uint32_t any = 0;
	if (s.active[list / 2] & JOINT_HALVED)
#pragma unroll
		for (int i = 0; i < JOINT_TILE_WORDS; ++i)
			any |= halves[i] & starts[i];
	/* The tile's first sample starts interval `first` already. */
	starts[0] &= ~1u;
	int last = first;
#pragma unroll
	for (int i = 0; i < JOINT_TILE_WORDS; ++i) {
		marks[i] = { starts[i], (uint32_t)last + (starts[i] & 1) - first };
		last += __popc(starts[i]);
	}
	if (any)
#pragma unroll 1
		for (int i = 0; i < JOINT_TILE_WORDS; ++i)
			marks[i].halves_knot +=
				halves_among(marks[i].starts & ~1u, halves[i]) * JOINT_KNOTS;
	const int lo = first > REACH ? first - REACH : 0;
	const int hi = k.n - 1 - (last + 1) > REACH ? last + 1 + REACH : k.n - 1;
	joint_window<T> w = {};
	w.lo = lo;
	w.n = hi - lo + 1;
	w.own = first - lo;
	w.rows = last - first + 3;
	const bool ends = s.spline == WS_SPLINE_NOT_A_KNOT && w.n > 2;
	w.left = ends && lo == 0;
	w.right = ends && hi == k.n - 1;
	sh.w[lane] = w;
}

/* The times of a knot and of its neighbours; beyond the window, of its end. */
struct knot_times { int before, at, after; };

/* A window as a thread that makes its rows knows it. */
template <class T> struct window_view {
	using M = joint_math<T>;
	using row = typename M::joint_row;
	int lo, last;            /* first knot in the list; last, counted from it */
	bool left, right;        /* as in joint_window */
	bool natural_left, natural_right; /* the list ends here, and with no curvature */

	/* Of knot j; t: the list. */
	__device__ __forceinline__ knot_times
	times(const int32_t *t, int j) const
	{
		return { t[lo + min(max(j - 1, 0), last)], t[lo + min(j, last)],
			 t[lo + min(j + 1, last)] };
	}

	/* The row of a knot at either end of the window, and of none behind it. */
	__device__ __forceinline__ row
	outer_row(int j, T i0, T i1) const
	{
		const T zero = (T)0;
		if (j > last || last == 0)
			return { zero, zero, zero, zero };
		if (j == 0)
			return natural_left ? row{ zero, (T)-0.5, zero, (T)1.5 * i1 }
			                    : row{ zero, zero, zero, i1 };
		return natural_right ? row{ (T)-0.5, zero, (T)1.5 * i0, zero }
		                     : row{ zero, zero, i0, zero };
	}

	/* The row of knot j, which not-a-knot leaves end slopes behind of; inverse: of the
	 * interval that follows. */
	__device__ __forceinline__ row
	make_row(int j, const knot_times &k, T *inverse, typename M::joint_end *end) const
	{
		constexpr T TICK = (T)(1.0 / WSI_TICKS);
		const T h0 = (T)(k.at - k.before) * TICK, h1 = (T)(k.after - k.at) * TICK;
		const T i0 = reciprocal(h0), i1 = reciprocal(h1);
		const T i01 = reciprocal((T)(k.after - k.before) * TICK);
		*inverse = j < last ? i1 : (T)0;
		if (j == 0 || j >= last)
			return outer_row(j, i0, i1);
		row r = M::joint_inner(h0, h1, i0, i1, i01);
		if (left && right && last == 2) {
			end[WSI_LEFT] = M::joint_parabola_end(i0);
			end[WSI_RIGHT] = M::joint_parabola_end(i1);
			return M::joint_parabola(h0, h1, i0, i1, i01);
		}
		if (left && j == 1)
			end[WSI_LEFT] =
				M::joint_not_a_knot(h0, h1, i0, i1, i01, &r.a, &r.c, &r.f, &r.g);
		if (right && j == last - 1)
			end[WSI_RIGHT] =
				M::joint_not_a_knot(h1, h0, i1, i0, i01, &r.c, &r.a, &r.g, &r.f);
		return r;
	}
};

/* All of it, also what lies between its fields: what is written in part is read before. */
template <class T>
__device__ __forceinline__ void
store_knot(joint_knot<T> *to, const joint_knot<T> &knot)
{
	static_assert(sizeof knot == sizeof(int4));
	int4 all;
	memcpy(&all, &knot, sizeof all);
	*(int4 *)to = all;
}

/* A thread that makes rows and writes them: every JOINT_ROWS-th of two windows. */
template <class T> struct windows_maker {
	static constexpr int VIEWS = 32 * JOINT_ROWS / WINDOWS_MAKERS, APART = 32 / VIEWS;
	windows_shared<T> &sh;
	const joint_signal<T> &s;
	joint_knots list;
	const int32_t *t;            /* of the list's first knot */
	int first_left, first_right; /* rows of h with the values beyond the ends */
	size_t window;               /* the block's first */
	int windows, first, row;     /* of the block; this thread's first; its rows */
	window_view<T> view[VIEWS];
	knot_times ahead[VIEWS];     /* of the rows that come next */

	__device__ __forceinline__
	windows_maker(windows_shared<T> &sh, const joint_signal<T> &s, int list_number,
	              size_t window, int windows, int thread)
	    : sh(sh), s(s), list(s.knots[list_number]),
	      t(s.t + (size_t)list_number * s.t_stride + list.first),
	      first_left(s.first_extra + list_number * 2 * s.extras),
	      first_right(first_left + s.extras), window(window), windows(windows),
	      first(thread / JOINT_ROWS), row(thread % JOINT_ROWS)
	{
		const bool natural = s.spline == WS_SPLINE_NATURAL;
#pragma unroll
		for (int k = 0; k < VIEWS; ++k) {
			const joint_window<T> &w = sh.w[first + k * APART];
			const bool bends = natural && w.n > 2, first_of_all = w.lo == 0;
			const bool last_of_all = w.lo + w.n == list.n;
			view[k] = { w.lo, w.n - 1, w.left != 0, w.right != 0, bends && first_of_all,
				    bends && last_of_all };
			ahead[k] = view[k].times(t, row);
		}
	}

	/* Where the value of a knot of the list is. */
	__device__ __forceinline__ int
	offset_of(int k, int time) const
	{
		const int right = k - (list.n - list.n_right);
		static_assert(WSI_TICKS == 2);
		if (k < list.n_left)
			return offset_of_row(s, first_left + k);
		if (right >= 0)
			return offset_of_row(s, first_right + right);
		return offset_of_row(s, (time + 1) >> 1) + (time & 1) * s.middle_offset;
	}

	__device__ __forceinline__ void
	make(int j0, four<T> (&rows)[32][JOINT_ROWS + 1])
	{
		const int j = j0 + row;
		knot_times now[VIEWS];
#pragma unroll
		for (int k = 0; k < VIEWS; ++k) {
			now[k] = ahead[k];
			ahead[k] = view[k].times(t, j + JOINT_ROWS);
		}
#pragma unroll
		for (int k = 0; k < VIEWS; ++k) {
			const int i = first + k * APART;
			joint_knot<T> knot = {};
			const typename window_view<T>::row r =
				view[k].make_row(j, now[k], &knot.inverse, sh.w[i].end);
			rows[i][row] = { r.a, r.c, r.f, r.g };
			knot.time = now[k].at;
			knot.offset = offset_of(view[k].lo + min(j, view[k].last), knot.time);
			if (i < windows)
				store_knot(s.seen + (window + i) * JOINT_WINDOW<T> + j, knot);
		}
	}

	__device__ __forceinline__ void
	write(int j0, const four<T> (&rows)[32][JOINT_ROWS + 1]) const
	{
#pragma unroll
		for (int k = 0; k < VIEWS; ++k) {
			const int i = first + k * APART;
			if (i < windows)
				s.weights[(window + i) * JOINT_WINDOW<T> + j0 + row] = rows[i][row];
		}
	}
};

/* By a lane: eliminates some rows of its window; returns the last c. */
template <class T>
__device__ __forceinline__ T
eliminate(four<T> *rows, T q)
{
#pragma unroll
	for (int j = 0; j < JOINT_ROWS; ++j) {
		const four<T> r = rows[j];
		const T p = pivot_inverse(fma(-r.x, q, (T)1));
		q = r.y * p;
		rows[j] = { r.z * p, r.w * p, r.x * p, q };
	}
	return q;
}

/* grid: tiles of the chunk / 32, envelope. */
template <class T>
__global__ void __launch_bounds__(WINDOWS_THREADS, WINDOWS_BLOCKS<T>)
windows_kernel(const joint_signal<T> s, int tile0, int tiles)
{
	extern __shared__ __align__(16) char shared[];
	windows_shared<T> &sh = *(windows_shared<T> *)shared;
	const int lane = threadIdx.x & 31, list = blockIdx.y, first = blockIdx.x * 32;
	const int windows = min(32, tiles - first);
	const size_t window = (size_t)list * s.chunk + first;
	const bool chain = threadIdx.x >= WINDOWS_MAKERS;
	if (!s.active[list / 2]) {
		if (chain && lane < windows)
			s.windows[window + lane] = {};
		return;
	}
	if (chain) {
		const int mine = min(lane, windows - 1);
		open_window(sh, s, list, tile0 + first + mine,
		            s.marks + (window + mine) * JOINT_TILE_WORDS);
	}
	__syncthreads();
	int longest = sh.w[lane].n;
	for (int d = 16; d > 0; d >>= 1)
		longest = max(longest, __shfl_xor_sync(FULL, longest, d));
	const int end =
		(longest + JOINT_ROWS) / JOINT_ROWS * JOINT_ROWS; /* one row more at least */
	windows_maker<T> maker(sh, s, list, window, windows, threadIdx.x % WINDOWS_MAKERS);
	T q = (T)0;
	for (int step = -1; step * JOINT_ROWS < end + JOINT_ROWS; ++step) {
		const int j0 = step * JOINT_ROWS;
		if (chain) {
			if (j0 >= 0 && j0 < end)
				q = eliminate<T>(sh.rows[step % 3][lane], q);
		} else {
			if (j0 + JOINT_ROWS < end)
				maker.make(j0 + JOINT_ROWS, sh.rows[(step + 1) % 3]);
			if (j0 >= JOINT_ROWS)
				maker.write(j0 - JOINT_ROWS, sh.rows[(step - 1) % 3]);
		}
		__syncthreads();
	}
	if (chain && lane < windows)
		s.windows[window + lane] = sh.w[lane];
}

#endif
