/*
 * joint_slopes.cuh - slopes of every envelope at the knots of a tile, a warp
 * each: lanes are channels (math/joint_channel.h).
 */
#ifndef WSI_CUDA_JOINT_SLOPES_CUH
#define WSI_CUDA_JOINT_SLOPES_CUH

#include "cuda/block/lanes.cuh"
#include "cuda/joint.h"

constexpr int SLOPES_WARPS = 2;

/* Knots whose values and weights are on their way at a time. */
constexpr int SLOPES_AHEAD = 8;

/* What a warp has in shared memory; knots from the tile's first interval on. */
template <class T> struct slopes_room {
	T half_done[JOINT_WINDOW<T> - joint_math<T>::REACH + SLOPES_AHEAD][32];
	alignas(16) int offset[JOINT_WINDOW<T> + 2 * SLOPES_AHEAD]; /* as in joint_knot: of knots
	                                    1, 2, .., the last one again and again */
	T q[JOINT_WINDOW<T>];            /* of each knot, joint_weights */
};

/* Row r of h. */
template <class T>
__device__ __forceinline__ int
offset_of_row(const joint_signal<T> &s, int r)
{
	return r * (s.lanes / (64 / (int)sizeof(T)));
}

template <class T>
__device__ __forceinline__ T
value_at(const T *column, int offset)
{
	return __ldg(column + (size_t)offset * (64 / sizeof(T)));
}

/* The slopes of an envelope from the tile's first interval on: [knot][32]. */
template <class T>
__device__ __forceinline__ T *
slopes_of(const joint_signal<T> &s, int list, int in_chunk, int group)
{
	return s.slopes + (((size_t)group * 2 * s.directions + list) * s.chunk + in_chunk) *
	                          JOINT_OWN * 32;
}

__device__ __forceinline__ joint_weights<float>
load_weights(const joint_weights<float> *w)
{
	const float4 f = __ldg((const float4 *)w);
	return { f.x, f.y, f.z, f.w };
}

__device__ __forceinline__ joint_weights<double>
load_weights(const joint_weights<double> *w)
{
	const double2 a = __ldg((const double2 *)w), b = __ldg((const double2 *)w + 1);
	return { a.x, a.y, b.x, b.y };
}

/* The next differences and rows of a batch, on their way. */
template <class T> struct slopes_batch {
	T next[SLOPES_AHEAD];
	joint_weights<T> row[SLOPES_AHEAD];

	__device__ __forceinline__ void
	load(const T *column, const int *offset, const joint_weights<T> *weights)
	{
#pragma unroll
		for (int k = 0; k < SLOPES_AHEAD; k += 4) {
			const int4 at = *(const int4 *)(offset + k);
			next[k] = value_at(column, at.x);
			next[k + 1] = value_at(column, at.y);
			next[k + 2] = value_at(column, at.z);
			next[k + 3] = value_at(column, at.w);
		}
#pragma unroll
		for (int k = 0; k < SLOPES_AHEAD; ++k)
			row[k] = load_weights(weights + k);
	}
};

/* What the mean wants to know of a tile's own knots. */
template <class T>
__device__ __forceinline__ void
note_knots(const joint_signal<T> &s, const slopes_room<T> &room, const joint_window<T> &w,
           const int32_t *t, const uint32_t *bits, size_t window, int first_offset)
{
	const int lane = threadIdx.x & 31, last = w.n - 1;
	for (int i = w.own + lane; i <= last && i < w.own + JOINT_OWN; i += 32) {
		const int time = t[i];
		s.own[window * JOINT_OWN + i - w.own] = {
			i > 0 ? room.offset[i - 1] : first_offset, time,
			i < last ? reciprocal((T)(t[i + 1] - time)) : (T)0 };
	}
	const uint32_t word = lane < JOINT_TILE_WORDS ? bits[lane] : 0;
	/* The tile's first sample starts interval 0. */
	const int through = scan_lanes(__popc(lane == 0 ? word & ~1u : word));
	const int before = through - __popc(lane == 0 ? word & ~1u : word);
	if (lane < JOINT_TILE_WORDS) {
		s.marks[window].starts[lane] = word;
		s.marks[window].knot[lane] = before + (lane > 0 ? word & 1 : 0);
	}
}

/* grid: envelope, so that neighbours read the same samples; tile of the chunk /
 * SLOPES_WARPS; group of channels from group0 on. */
template <class T>
__global__ void __launch_bounds__(SLOPES_WARPS * 32)
slopes_kernel(const joint_signal<T> s, const T *h, int tile0, int tiles, int group0)
{
	using M = joint_math<T>;
	extern __shared__ __align__(16) char shared[];
	const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, list = blockIdx.x;
	const int in_chunk = blockIdx.y * SLOPES_WARPS + warp;
	if (in_chunk >= tiles || !s.active[list / 2])
		return;
	slopes_room<T> &room = ((slopes_room<T> *)shared)[warp];
	const int channel = (group0 + blockIdx.z) * 32 + lane;
	const T *column = h + (channel < s.lanes ? channel : 0);
	const size_t window = (size_t)list * s.chunk + in_chunk;
	const joint_knots k = s.knots[list];
	const joint_window<T> w = s.windows[window];
	const int32_t *t = s.t + (size_t)list * s.t_stride + k.first + w.lo;
	const int left = k.n_left - w.lo, right = k.n - k.n_right - w.lo;
	const int row_left = s.first_extra + list * 2 * s.extras + w.lo;
	const int row_right = s.first_extra + (list * 2 + 1) * s.extras - right;
	const int last = w.n - 1, own = w.own;
	auto offset_of = [&](int i) {
		return offset_of_row(s, i < left ? row_left + i : i >= right ? row_right + i : t[i]);
	};
	const int first_offset = offset_of(0);
	for (int i = lane; i < last + 2 * SLOPES_AHEAD; i += 32)
		room.offset[i] = offset_of(min(i + 1, last));
	__syncwarp();
	if (group0 + blockIdx.z == 0)
		note_knots(s, room, w, t, s.bits + (size_t)list * s.words +
		                                  (size_t)(tile0 + in_chunk) * JOINT_TILE_WORDS, window,
		           first_offset);
	const joint_weights<T> *weights = s.weights + window * JOINT_WINDOW<T>;
	T *out = slopes_of(s, list, in_chunk, blockIdx.z) + lane;
	/* Whole batches, the next on its way while one is worked on: rows past the last
	 * are zeros. */
	T v = value_at(column, first_offset), d0 = (T)0, p = (T)0;
	slopes_batch<T> batch;
	batch.load(column, room.offset, weights);
	for (int first = 0; first <= last; first += SLOPES_AHEAD) {
		const slopes_batch<T> now = batch;
		if (first + SLOPES_AHEAD <= last)
			batch.load(column, room.offset + first + SLOPES_AHEAD, weights + first + SLOPES_AHEAD);
#pragma unroll
		for (int k = 0; k < SLOPES_AHEAD; ++k) {
			const T d1 = now.next[k] - v;
			p = M::joint_forward(now.row[k].x, now.row[k].y, now.row[k].z, d0, d1, p);
			if (first + k >= own)
				room.half_done[first + k - own][lane] = p;
			v = now.next[k];
			d0 = d1;
		}
		if (lane < SLOPES_AHEAD)
			room.q[first + lane] = __ldg(&weights[first + lane].w);
	}
	__syncwarp();
	/* Slopes from the right end of the window; those past the tile are not kept.  First
	 * what is left over by whole batches. */
	T chain = (T)0;
	int i = last - own;
	for (; (i + 1) % SLOPES_AHEAD; --i) {
		chain = M::joint_backward(room.q[own + i], room.half_done[i][lane], chain);
		if (i < JOINT_OWN)
			out[i * 32] = chain;
	}
	for (; i >= 0; i -= SLOPES_AHEAD) {
		const T *q = &room.q[own + i], *half = &room.half_done[i][lane];
		T *to = out + i * 32;
#pragma unroll
		for (int k = 0; k < SLOPES_AHEAD; ++k) {
			chain = M::joint_backward(q[-k], half[-32 * k], chain);
			if (i - k < JOINT_OWN)
				to[-32 * k] = chain;
		}
	}
	/* The ends' own slopes, where the tile reaches them. */
	auto value = [&](int i) { return value_at(column, i > 0 ? room.offset[i - 1] : first_offset); };
	if (w.left && own == 0) {
		const typename M::joint_end e = w.end[WSI_LEFT];
		const T v0 = value(0), v1 = value(1), v2 = value(2);
		out[0] = M::joint_end_slope(e.f, e.g, e.q, v1 - v0, v2 - v1, out[32]);
	}
	if (w.right && last - own < JOINT_OWN) {
		const typename M::joint_end e = w.end[WSI_RIGHT];
		const T v0 = value(last), v1 = value(last - 1), v2 = value(last - 2);
		/* A tile behind the last knot but one does not look at the slope. */
		const T before = last > own ? out[(last - 1 - own) * 32] : (T)0;
		out[(last - own) * 32] = M::joint_end_slope(e.f, e.g, e.q, v0 - v1, v1 - v2, before);
	}
}

#endif
