/*
 * joint_slopes.cuh - slopes of every envelope at the knots of a tile, a warp
 * each: lanes are channels (math/joint_channel.h).
 */
#ifndef WSI_CUDA_JOINT_SLOPES_CUH
#define WSI_CUDA_JOINT_SLOPES_CUH

#include "cuda/block/lanes.cuh"
#include "cuda/joint.h"

constexpr int SLOPES_WARPS = 2;

/* What a warp has in shared memory; knots from the tile's first interval on. */
template <class T> struct slopes_room {
	T half_done[JOINT_WINDOW<T> - joint_math<T>::REACH][32];
	int offset[JOINT_WINDOW<T>];     /* of each knot's value, in rows of h */
};

/* The window of one envelope, and where its knots' values are. */
template <class T> struct joint_view {
	joint_window<T> w;
	const int32_t *t;                /* of its first knot */
	int left, right, row_left, row_right; /* knots whose values have rows of their own */

	__device__ __forceinline__
	joint_view(const joint_signal<T> &s, int list, int in_chunk)
	{
		const joint_knots k = s.knots[list];
		w = s.windows[(size_t)list * s.chunk + in_chunk];
		t = s.t + (size_t)list * s.t_stride + k.first + w.lo;
		left = k.n_left - w.lo;
		right = k.n - k.n_right - w.lo;
		row_left = s.first_extra + list * 2 * s.extras + w.lo;
		row_right = s.first_extra + (list * 2 + 1) * s.extras - right;
	}

	__device__ __forceinline__ int
	row(int i) const
	{
		return i < left ? row_left + i : i >= right ? row_right + i : t[i];
	}
};

/* The slopes of an envelope from the tile's first interval on: [knot][32]. */
template <class T>
__device__ __forceinline__ T *
slopes_of(const joint_signal<T> &s, int list, int in_chunk, int group)
{
	return s.slopes + (((size_t)group * 2 * s.directions + list) * s.chunk + in_chunk) *
	                          JOINT_OWN * 32;
}

/* grid: tile of the chunk / SLOPES_WARPS, envelope, group of channels from group0 on. */
template <class T>
__global__ void __launch_bounds__(SLOPES_WARPS * 32)
slopes_kernel(const joint_signal<T> s, const T *h, int tiles, int group0)
{
	using M = joint_math<T>;
	extern __shared__ __align__(16) char shared[];
	const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, list = blockIdx.y;
	const int in_chunk = blockIdx.x * SLOPES_WARPS + warp;
	if (in_chunk >= tiles || !s.active[list / 2])
		return;
	slopes_room<T> &room = ((slopes_room<T> *)shared)[warp];
	const int channel = (group0 + blockIdx.z) * 32 + lane;
	const T *column = h + (channel < s.lanes ? channel : 0);
	const size_t stride = (size_t)s.lanes;
	const joint_view<T> view(s, list, in_chunk);
	const joint_window<T> &w = view.w;
	const joint_weights<T> *weights = s.weights + ((size_t)list * s.chunk + in_chunk) * JOINT_WINDOW<T>;
	T *out = slopes_of(s, list, in_chunk, blockIdx.z) + lane;
	const int last = w.n - 1, own = w.own;
	for (int i = lane; i < w.n; i += 32)
		room.offset[i] = view.row(i);
	__syncwarp();
	auto value = [&](int i) { return column[(size_t)room.offset[i] * stride]; };
	T v = value(0), d0 = (T)0, p = (T)0;
#pragma unroll 8
	for (int i = 0; i <= last; ++i) {
		const joint_weights<T> a = weights[i];
		const T next = value(i < last ? i + 1 : last), d1 = next - v;
		p = M::joint_forward(a.x, a.y, a.z, d0, d1, p);
		if (i >= own)
			room.half_done[i - own][lane] = p;
		v = next;
		d0 = d1;
	}
	/* Slopes from the right end of the window; those past the tile are not kept. */
	T chain = (T)0, after_left = (T)0, before_right = (T)0;
#pragma unroll 8
	for (int i = last; i >= own; --i) {
		chain = M::joint_backward(weights[i].w, room.half_done[i - own][lane], chain);
		if (i - own < JOINT_OWN)
			out[(i - own) * 32] = chain;
		after_left = i == 1 ? chain : after_left;
		before_right = i == last - 1 ? chain : before_right;
	}
	/* The ends' own slopes, where the tile reaches them. */
	if (w.left && own == 0) {
		const typename M::joint_end e = w.end[WSI_LEFT];
		const T v0 = value(0), v1 = value(1), v2 = value(2);
		out[0] = M::joint_end_slope(e.f, e.g, e.q, v1 - v0, v2 - v1, after_left);
	}
	if (w.right && last - own < JOINT_OWN) {
		const typename M::joint_end e = w.end[WSI_RIGHT];
		const T v0 = value(last), v1 = value(last - 1), v2 = value(last - 2);
		out[(last - own) * 32] = M::joint_end_slope(e.f, e.g, e.q, v0 - v1, v1 - v2, before_right);
	}
}

#endif
