/*
 * joint_windows.cuh - which knots each tile sees, and the elimination of their
 * system (math/joint.h): all that depends on times only.
 *
 * A block has 32 neighbouring windows of an envelope, some rows of each at a
 * time: rows are made by all threads, their pivots, a chain of divisions, by a warp
 * whose lanes have a window each, and the rows eliminated by all again.
 */
#ifndef WSI_CUDA_JOINT_WINDOWS_CUH
#define WSI_CUDA_JOINT_WINDOWS_CUH

#include "cuda/block/lanes.cuh"
#include "cuda/joint.h"

constexpr int WINDOWS_THREADS = 128;

template <class T> struct windows_shared {
	using row = typename joint_math<T>::joint_row;
	joint_window<T> w[32];
	const int32_t *t[32];            /* of a window's first knot */
	bool first[32], last[32];        /* its ends are the list's */
	row rows[32][JOINT_ROWS + 1];
	T pivot[32][JOINT_ROWS + 1];     /* its inverse */
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

/* By a lane: the window of a tile. */
template <class T>
__device__ void
open_window(windows_shared<T> &sh, const joint_signal<T> &s, int list, int tile)
{
	constexpr int REACH = joint_math<T>::REACH;
	const int lane = threadIdx.x & 31;
	const joint_knots k = s.knots[list];
	const uint32_t *bits = s.bits + (size_t)list * s.words + (size_t)tile * JOINT_TILE_WORDS;
	const int before = s.before[(size_t)list * s.tiles + tile], first = before > 0 ? before - 1 : 0;
	int last = first + __popc(bits[0] & ~1u);
#pragma unroll
	for (int i = 1; i < JOINT_TILE_WORDS; ++i)
		last += __popc(bits[i]);
	const int lo = first > REACH ? first - REACH : 0;
	const int hi = k.n - 1 - (last + 1) > REACH ? last + 1 + REACH : k.n - 1;
	joint_window<T> w = {};
	w.lo = lo;
	w.n = hi - lo + 1;
	w.own = first - lo;
	sh.first[lane] = lo == 0;
	sh.last[lane] = hi == k.n - 1;
	const bool ends = s.spline == WS_SPLINE_NOT_A_KNOT && w.n > 2;
	w.left = ends && lo == 0;
	w.right = ends && hi == k.n - 1;
	sh.w[lane] = w;
	sh.t[lane] = s.t + (size_t)list * s.t_stride + k.first + lo;
}

/* Row j of window i; not-a-knot leaves end slopes behind. */
template <class T>
__device__ typename joint_math<T>::joint_row
make_row(windows_shared<T> &sh, int i, int j, bool natural)
{
	using M = joint_math<T>;
	joint_window<T> &w = sh.w[i];
	const int32_t *t = sh.t[i];
	const int last = w.n - 1;
	const T zero = (T)0;
	if (j > last || last == 0)
		return { zero, zero, zero, zero };
	const T h0 = j > 0 ? (T)(t[j] - t[j - 1]) : zero, h1 = j < last ? (T)(t[j + 1] - t[j]) : zero;
	const T i0 = j > 0 ? reciprocal(h0) : zero, i1 = j < last ? reciprocal(h1) : zero;
	natural = natural && last > 1;
	if (j == 0)
		return natural && sh.first[i] ? typename M::joint_row{ zero, (T)-0.5, zero, (T)1.5 * i1 }
		                              : typename M::joint_row{ zero, zero, zero, i1 };
	if (j == last)
		return natural && sh.last[i] ? typename M::joint_row{ (T)-0.5, zero, (T)1.5 * i0, zero }
		                             : typename M::joint_row{ zero, zero, i0, zero };
	const T i01 = reciprocal((T)(t[j + 1] - t[j - 1]));
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

/* grid: tiles of the chunk / 32, envelope. */
template <class T>
__global__ void __launch_bounds__(WINDOWS_THREADS)
windows_kernel(const joint_signal<T> s, int tile0, int tiles)
{
	__shared__ windows_shared<T> sh;
	const int lane = threadIdx.x & 31, list = blockIdx.y, first = blockIdx.x * 32;
	const int windows = min(32, tiles - first);
	const bool chain = threadIdx.x < 32, natural = s.spline == WS_SPLINE_NATURAL;
	if (!s.active[list / 2])
		return;
	if (chain)
		open_window(sh, s, list, tile0 + first + min(lane, windows - 1));
	__syncthreads();
	int longest = sh.w[lane].n;
	for (int d = 16; d > 0; d >>= 1)
		longest = max(longest, __shfl_xor_sync(FULL, longest, d));
	T q = (T)0;
	for (int j0 = 0; j0 < longest; j0 += JOINT_ROWS) {
#pragma unroll
		for (int k = threadIdx.x; k < 32 * JOINT_ROWS; k += WINDOWS_THREADS)
			sh.rows[k / JOINT_ROWS][k % JOINT_ROWS] =
				make_row(sh, k / JOINT_ROWS, j0 + k % JOINT_ROWS, natural);
		__syncthreads();
#pragma unroll
		for (int j = 0; chain && j < JOINT_ROWS; ++j) {
			const T k = pivot_inverse(fma(-sh.rows[lane][j].a, q, (T)1));
			q = sh.rows[lane][j].c * k;
			sh.pivot[lane][j] = k;
		}
		__syncthreads();
#pragma unroll
		for (int k = threadIdx.x; k < 32 * JOINT_ROWS; k += WINDOWS_THREADS) {
			const int window = k / JOINT_ROWS, j = k % JOINT_ROWS;
			const typename joint_math<T>::joint_row r = sh.rows[window][j];
			const T p = sh.pivot[window][j];
			if (window < windows)
				s.weights[((size_t)list * s.chunk + first + window) * JOINT_WINDOW<T> + j0 + j] = {
					r.f * p, r.g * p, r.a * p, r.c * p };
		}
		__syncthreads();
	}
	if (chain && lane < windows)
		s.windows[(size_t)list * s.chunk + first + lane] = sh.w[lane];
}

#endif
