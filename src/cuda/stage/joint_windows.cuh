/*
 * joint_windows.cuh - which knots each tile sees, and the elimination of their
 * system (math/joint.h): all that depends on times only.
 *
 * A block has 32 neighbouring windows of an envelope, some rows of each at a
 * time. One warp, whose lanes have a window each, works out pivots, a chain of
 * divisions; the others make the rows that come next meanwhile, and write those
 * that are done.
 */
#ifndef WSI_CUDA_JOINT_WINDOWS_CUH
#define WSI_CUDA_JOINT_WINDOWS_CUH

#include "cuda/block/lanes.cuh"
#include "cuda/joint.h"

constexpr int WINDOWS_THREADS = 256, WINDOWS_MAKERS = WINDOWS_THREADS - 32;

template <class T> struct windows_shared {
	joint_window<T> w[32];
	const int32_t *t[32];            /* of a window's first knot */
	bool first[32], last[32];        /* its ends are the list's */
	/* Rows being made (a, c, f, g), eliminated, and written (joint_weights); padded, for
	 * the lanes that eliminate. */
	four<T> rows[3][32][JOINT_ROWS + 1];
};

__device__ __forceinline__ float
pivot_inverse(float x)
{
	return __frcp_rn(x);
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

/* By a lane: the window of a tile, and where its blocks stand. */
template <class T>
__device__ void
open_window(windows_shared<T> &sh, const joint_signal<T> &s, int list, int tile, joint_marks *marks)
{
	constexpr int REACH = joint_math<T>::REACH;
	const int lane = threadIdx.x & 31;
	const joint_knots k = s.knots[list];
	const uint32_t *bits = s.bits + (size_t)list * s.words + (size_t)tile * JOINT_TILE_WORDS;
	const int before = s.before[(size_t)list * s.tiles + tile], first = before > 0 ? before - 1 : 0;
	int last = first;
#pragma unroll
	for (int i = 0; i < JOINT_TILE_WORDS; ++i) {
		/* The tile's first sample starts interval `first` already. */
		const uint32_t starts = i == 0 ? bits[i] & ~1u : bits[i];
		marks[i] = { starts, last + (int)(starts & 1) - first };
		last += __popc(starts);
	}
	const int lo = first > REACH ? first - REACH : 0;
	const int hi = k.n - 1 - (last + 1) > REACH ? last + 1 + REACH : k.n - 1;
	joint_window<T> w = {};
	w.lo = lo;
	w.n = hi - lo + 1;
	w.own = first - lo;
	w.rows = last - first + 3;
	sh.first[lane] = lo == 0;
	sh.last[lane] = hi == k.n - 1;
	const bool ends = s.spline == WS_SPLINE_NOT_A_KNOT && w.n > 2;
	w.left = ends && lo == 0;
	w.right = ends && hi == k.n - 1;
	sh.w[lane] = w;
	sh.t[lane] = s.t + (size_t)list * s.t_stride + k.first + lo;
}

/* Knot j of window i, and its row, which not-a-knot leaves end slopes behind of. */
template <class T>
__device__ typename joint_math<T>::joint_row
make_row(windows_shared<T> &sh, int i, int j, bool natural, int *time, T *inverse)
{
	using M = joint_math<T>;
	joint_window<T> &w = sh.w[i];
	const int32_t *t = sh.t[i];
	const int last = w.n - 1;
	const T zero = (T)0;
	const int t1 = t[min(j, last)], t0 = t[min(max(j - 1, 0), last)], t2 = t[min(j + 1, last)];
	const T h0 = (T)(t1 - t0), h1 = (T)(t2 - t1);
	const T i0 = j > 0 ? reciprocal(h0) : zero, i1 = j < last ? reciprocal(h1) : zero;
	*time = t1;
	*inverse = i1;
	if (j > last || last == 0)
		return { zero, zero, zero, zero };
	natural = natural && last > 1;
	if (j == 0)
		return natural && sh.first[i] ? typename M::joint_row{ zero, (T)-0.5, zero, (T)1.5 * i1 }
		                              : typename M::joint_row{ zero, zero, zero, i1 };
	if (j == last)
		return natural && sh.last[i] ? typename M::joint_row{ (T)-0.5, zero, (T)1.5 * i0, zero }
		                             : typename M::joint_row{ zero, zero, i0, zero };
	const T i01 = reciprocal((T)(t2 - t0));
	if (w.left && w.right && last == 2) {
		w.end[WSI_LEFT] = M::joint_parabola_end(i0);
		w.end[WSI_RIGHT] = M::joint_parabola_end(i1);
		return M::joint_parabola(h0, h1, i0, i1, i01);
	}
	typename M::joint_row r = M::joint_inner(h0, h1, i0, i1, i01);
	if (w.left && j == 1)
		w.end[WSI_LEFT] = M::joint_not_a_knot(h0, h1, i0, i1, i01, &r.a, &r.c, &r.f, &r.g);
	if (w.right && j == last - 1)
		w.end[WSI_RIGHT] = M::joint_not_a_knot(h1, h0, i1, i0, i01, &r.c, &r.a, &r.g, &r.f);
	return r;
}

/* Rows of all windows at work, for the threads that make and write them. */
template <class T> struct windows_maker {
	windows_shared<T> &sh;
	const joint_signal<T> &s;
	joint_knots list;
	int first_left, first_right; /* rows of h with the values beyond the ends */
	size_t window;          /* the block's first */
	int windows;

	/* Where the value of a knot of the list is. */
	__device__ __forceinline__ int
	offset_of(int k, int time) const
	{
		const int right = k - (list.n - list.n_right);
		return offset_of_row(s, k < list.n_left ? first_left + k
		                        : right >= 0    ? first_right + right
		                                        : time);
	}

	__device__ __forceinline__ void
	make(int j0, int thread) const
	{
		const bool natural = s.spline == WS_SPLINE_NATURAL;
		for (int k = thread; k < 32 * JOINT_ROWS; k += WINDOWS_MAKERS) {
			const int i = k / JOINT_ROWS, j = j0 + k % JOINT_ROWS;
			joint_knot<T> knot;
			const typename joint_math<T>::joint_row r =
				make_row(sh, i, j, natural, &knot.time, &knot.inverse);
			sh.rows[j0 / JOINT_ROWS % 3][i][k % JOINT_ROWS] = { r.a, r.c, r.f, r.g };
			knot.offset = offset_of(sh.w[i].lo + min(j, sh.w[i].n - 1), knot.time);
			if (i < windows)
				s.seen[(window + i) * JOINT_WINDOW<T> + j] = knot;
		}
	}

	__device__ __forceinline__ void
	write(int j0, int thread) const
	{
		for (int k = thread; k < windows * JOINT_ROWS; k += WINDOWS_MAKERS) {
			const int i = k / JOINT_ROWS, j = k % JOINT_ROWS;
			s.weights[(window + i) * JOINT_WINDOW<T> + j0 + j] = sh.rows[j0 / JOINT_ROWS % 3][i][j];
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
__global__ void __launch_bounds__(WINDOWS_THREADS)
windows_kernel(const joint_signal<T> s, int tile0, int tiles)
{
	extern __shared__ __align__(16) char shared[];
	windows_shared<T> &sh = *(windows_shared<T> *)shared;
	const int lane = threadIdx.x & 31, list = blockIdx.y, first = blockIdx.x * 32;
	const int windows = min(32, tiles - first);
	const size_t window = (size_t)list * s.chunk + first;
	const bool chain = threadIdx.x < 32;
	if (!s.active[list / 2]) {
		if (chain && lane < windows)
			s.windows[window + lane] = {};
		return;
	}
	if (chain) {
		const int mine = min(lane, windows - 1);
		open_window(sh, s, list, tile0 + first + mine, s.marks + (window + mine) * JOINT_TILE_WORDS);
	}
	__syncthreads();
	int longest = sh.w[lane].n;
	for (int d = 16; d > 0; d >>= 1)
		longest = max(longest, __shfl_xor_sync(FULL, longest, d));
	const joint_knots k = s.knots[list];
	const windows_maker<T> maker = { sh, s, k, s.first_extra + list * 2 * s.extras,
		                         s.first_extra + (list * 2 + 1) * s.extras, window, windows };
	const int end = (longest + JOINT_ROWS) / JOINT_ROWS * JOINT_ROWS; /* one row more at least */
	T q = (T)0;
	for (int j0 = -JOINT_ROWS; j0 < end + JOINT_ROWS; j0 += JOINT_ROWS) {
		if (chain) {
			if (j0 >= 0 && j0 < end)
				q = eliminate<T>(sh.rows[j0 / JOINT_ROWS % 3][lane], q);
		} else {
			if (j0 + JOINT_ROWS < end)
				maker.make(j0 + JOINT_ROWS, threadIdx.x - 32);
			if (j0 >= JOINT_ROWS)
				maker.write(j0 - JOINT_ROWS, threadIdx.x - 32);
		}
		__syncthreads();
	}
	if (chain && lane < windows)
		s.windows[window + lane] = sh.w[lane];
}

#endif
