/*
 * joint_windows.cuh - which knots each tile sees, and the elimination of their
 * system (math/joint.h): all that depends on times only.
 *
 * A thread has a window and goes through it from left to right, a chain of
 * divisions; the lanes of a warp have neighbouring tiles.
 */
#ifndef WSI_CUDA_JOINT_WINDOWS_CUH
#define WSI_CUDA_JOINT_WINDOWS_CUH

#include "cuda/block/lanes.cuh"
#include "cuda/joint.h"

/* Rows that a thread makes before the warp stores them, window by window. */
constexpr int WINDOW_ROWS = 16;

__device__ __forceinline__ float
pivot_reciprocal(float x)
{
	return __frcp_rn(x);
}

__device__ __forceinline__ double
pivot_reciprocal(double x)
{
	return __drcp_rn(x);
}

/* One window at work. */
template <class T> struct window_maker {
	using M = joint_math<T>;
	using row = typename M::joint_row;

	const int32_t *t;       /* knot j is t[j] while the warp makes rows near j */
	const int32_t *source;  /* of all its knots */
	joint_window<T> w;
	bool natural, left, right; /* the ends of the list */
	int at;                 /* the next row */
	T h0, i0, q;            /* the interval before it, and its inverse; the last row's Q */

	__device__ T
	length(int j) const
	{
		return (T)(t[j + 1] - t[j]);
	}

	__device__ void
	open(const joint_signal<T> &s, int d, int kind, int tile)
	{
		const size_t list = 2 * (size_t)d + kind;
		const joint_knots k = s.knots[list];
		const uint32_t *bits = s.bits + list * s.words + (size_t)tile * JOINT_TILE_WORDS;
		const int before = s.before[list * s.tiles + tile], first = before > 0 ? before - 1 : 0;
		int last = first + __popc(bits[0] & ~1u);
		for (int i = 1; i < JOINT_TILE_WORDS; ++i)
			last += __popc(bits[i]);
		const int lo = first > M::REACH ? first - M::REACH : 0;
		const int hi = k.n - 1 - (last + 1) > M::REACH ? last + 1 + M::REACH : k.n - 1;
		w = {};
		w.lo = lo;
		w.n = hi - lo + 1;
		w.own = first - lo;
		source = s.t + list * s.t_stride + k.first + lo;
		natural = s.spline == WS_SPLINE_NATURAL;
		left = lo == 0;
		right = hi == k.n - 1;
		w.left = left && !natural && w.n > 2;
		w.right = right && !natural && w.n > 2;
		at = 0;
		h0 = i0 = q = (T)0;
	}

	/* An inner row; ends of not-a-knot change it. */
	__device__ row
	inner(int j, T h1, T i1)
	{
		const int last = w.n - 1;
		const T i01 = reciprocal((T)(t[j + 1] - t[j - 1]));
		if (w.left && w.right && last == 2) {
			w.end[WSI_LEFT] = M::joint_parabola_end(i0);
			w.end[WSI_RIGHT] = M::joint_parabola_end(i1);
			return M::joint_parabola(h0, h1, i0, i1, i01);
		}
		row r = M::joint_inner(h0, h1, i0, i1, i01);
		if (w.left && j == 1)
			w.end[WSI_LEFT] = M::joint_not_a_knot(h0, h1, i0, i1, i01, &r.a, &r.c, &r.f, &r.g);
		if (w.right && j == last - 1)
			w.end[WSI_RIGHT] = M::joint_not_a_knot(h1, h0, i1, i0, i01, &r.c, &r.a, &r.g, &r.f);
		return r;
	}

	/* The next row, eliminated. */
	__device__ joint_weights<T>
	next()
	{
		const int j = at++, last = w.n - 1;
		const T zero = (T)0;
		const T h1 = j < last ? length(j) : zero, i1 = j < last ? reciprocal(h1) : zero;
		row r = { zero, zero, zero, zero };
		if (j > 0 && j < last)
			r = inner(j, h1, i1);
		else if (j == 0 && last > 0)
			r = natural && left && last > 1 ? row{ zero, (T)-0.5, zero, (T)1.5 * i1 }
			                                : row{ zero, zero, zero, i1 };
		else if (last > 0)
			r = natural && right && last > 1 ? row{ (T)-0.5, zero, (T)1.5 * i0, zero }
			                                 : row{ zero, zero, i0, zero };
		const T k = pivot_reciprocal(fma(-r.a, q, (T)1));
		q = r.c * k;
		h0 = h1;
		i0 = i1;
		return { r.f * k, r.g * k, r.a * k, q };
	}
};

/* Times of a warp's windows, one before and one after the rows being made. */
constexpr int WINDOW_TIMES = WINDOW_ROWS + 2;

template <class T> struct windows_shared {
	joint_weights<T> made[32][WINDOW_ROWS + 1];
	int32_t t[32][WINDOW_TIMES + 1];
};

/* By a warp: times of knots j0 - 1 .. of all its windows. */
template <class T>
__device__ __forceinline__ void
load_times(windows_shared<T> &sh, const int32_t *source, int n, int j0)
{
	const int lane = threadIdx.x & 31;
	for (int i = lane; i < 32 * WINDOW_TIMES; i += 32) {
		const int window = i / WINDOW_TIMES, k = i % WINDOW_TIMES, j = j0 - 1 + k;
		const long long from = __shfl_sync(FULL, (long long)source, window);
		const int last = __shfl_sync(FULL, n, window) - 1;
		if (j >= 0 && j <= last)
			sh.t[window][k] = ((const int32_t *)from)[j];
	}
	__syncwarp();
}

template <class T>
__global__ void __launch_bounds__(32)
windows_kernel(const joint_signal<T> s, int tile0, int tiles)
{
	__shared__ windows_shared<T> sh;
	const int lane = threadIdx.x, list = blockIdx.y;
	const int first = blockIdx.x * 32, in_chunk = first + lane;
	if (!s.active[list / 2])
		return;
	const bool mine = in_chunk < tiles;
	window_maker<T> m;
	m.open(s, list / 2, list & 1, tile0 + (mine ? in_chunk : first));
	const int n = mine ? m.w.n : 0;
	int longest = n;
	for (int d = 16; d > 0; d >>= 1)
		longest = max(longest, __shfl_xor_sync(FULL, longest, d));
	for (int j0 = 0; j0 < longest; j0 += WINDOW_ROWS) {
		load_times(sh, m.source, n, j0);
		m.t = sh.t[lane] + 1 - j0;
		for (int j = j0; j < j0 + WINDOW_ROWS && j < n; ++j)
			sh.made[lane][j - j0] = m.next();
		__syncwarp();
#pragma unroll 4
		for (int i = lane; i < 32 * WINDOW_ROWS; i += 32) {
			const int window = i / WINDOW_ROWS, j = i % WINDOW_ROWS;
			if (first + window < tiles && j0 + j < JOINT_WINDOW<T>)
				s.weights[((size_t)list * s.chunk + first + window) * JOINT_WINDOW<T> + j0 + j] =
					sh.made[window][j];
		}
		__syncwarp();
	}
	if (mine)
		s.windows[(size_t)list * s.chunk + in_chunk] = m.w;
}

#endif
