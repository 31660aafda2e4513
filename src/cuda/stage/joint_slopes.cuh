/*
 * joint_slopes.cuh - slopes of every envelope at the knots of a tile, a warp
 * each: lanes are channels (math/joint_channel.h).
 */
#ifndef WSI_CUDA_JOINT_SLOPES_CUH
#define WSI_CUDA_JOINT_SLOPES_CUH

#include "cuda/stage/joint_windows.cuh"

/* Neighbouring envelopes of a tile, which read the same samples. */
template <class T> constexpr int SLOPES_WARPS = 16 / (int)sizeof(T);
/* Knots that are worked on together: values of the next ones are on their way. */
constexpr int SLOPES_AHEAD = 8;
/* Half-done rows that are kept in shared memory, so that many warps fit there; what
 * a dense window has more of waits where its slopes will be. */
constexpr int SLOPES_KEPT = 40;

/* What a warp has in shared memory. */
template <class T> struct slopes_room {
	T kept[SLOPES_KEPT + SLOPES_AHEAD][32]; /* rows past the last are zeros */
	joint_weights<T> weights[JOINT_WINDOW<T> + 2 * SLOPES_AHEAD]; /* zeros after the last */
	int offset[JOINT_WINDOW<T> + 3 * SLOPES_AHEAD]; /* as in joint_knot: of knots 1, 2, ..,
	                                    the last one again and again */
};

/* Where the value of a knot is. */
template <class T>
__device__ __forceinline__ const T *
value_of(const T *column, int offset)
{
	return (const T *)((const char *)column + (int64_t)offset * 64);
}

template <class T>
__device__ __forceinline__ T
value_at(const T *column, int offset)
{
	return __ldg(value_of(column, offset));
}

/* Row 0 of h at a channel; of a group's that are none, at one. */
template <class T>
__device__ __forceinline__ const T *
column_of(const joint_signal<T> &s, const T *h, int channel)
{
	return opaque(h + (channel < s.lanes ? channel : 0));
}

/* The slopes of an envelope from the tile's first interval on: [knot][32]. */
template <class T>
__device__ __forceinline__ T *
slopes_of(const joint_signal<T> &s, int list, int in_chunk, int group)
{
	return s.slopes + (((size_t)group * 2 * s.directions + list) * s.chunk + in_chunk) *
	                          JOINT_OWN * 32;
}

/* One envelope of one tile, as a lane sees it: one channel. */
template <class T> struct slopes_solver {
	using M = joint_math<T>;
	static constexpr int AHEAD = SLOPES_AHEAD;
	slopes_room<T> &room;
	const T *column;        /* row 0 of h at this lane's channel */
	T *out;                 /* slope of the tile's first interval */
	int first;              /* offset of knot 0 */
	int last, own, rows;    /* of its window */
	int outside;            /* rows from own on that wait in out; the others are kept */

	__device__ __forceinline__
	slopes_solver(slopes_room<T> &room, const joint_signal<T> &s, const T *h, int list, int in_chunk,
	              int group, int channel, const joint_window<T> &w)
		: room(room), column(column_of(s, h, channel)),
		  out(opaque(slopes_of(s, list, in_chunk, group) + (threadIdx.x & 31))), last(w.n - 1), own(w.own),
		  rows(w.rows)
	{
		const int lane = threadIdx.x & 31;
		const size_t window = ((size_t)list * s.chunk + in_chunk) * JOINT_WINDOW<T>;
		const int more = padded_rows() - SLOPES_KEPT;
		outside = more > 0 ? (more + AHEAD - 1) / AHEAD * AHEAD : 0;
		first = s.seen[window].offset;
#pragma unroll 2
		for (int i = lane; i <= last; i += 32) {
			room.weights[i] = s.weights[window + i];
			room.offset[i] = s.seen[window + i + 1].offset;
		}
		if (lane < 3 * AHEAD)
			room.offset[last + lane] = s.seen[window + last].offset;
		if (lane < 2 * AHEAD)
			room.weights[last + 1 + lane] = {};
		__syncwarp();
	}

	/* Two rows of zeros at least: there is no slope behind the last knot of all. */
	__device__ __forceinline__ int
	padded_rows() const
	{
		return (last - own + 2 + AHEAD) / AHEAD * AHEAD;
	}

	__device__ __forceinline__ void
	load_values(T (&v)[AHEAD], int i) const
	{
#pragma unroll
		for (int k = 0; k < AHEAD; ++k)
			v[k] = value_at(column, room.offset[i + k]);
	}

	/* Where elimination stands: the last knot's value, the difference before it, p. */
	struct front { T v, d, p; };

	/* AHEAD rows from i on, of which v are the next knots' values. */
	__device__ __forceinline__ void
	eliminate(const T (&v)[AHEAD], int i, front &f) const
	{
		T done[AHEAD];
#pragma unroll
		for (int k = 0; k < AHEAD; ++k) {
			const joint_weights<T> w = room.weights[i + k];
			const T d = v[k] - f.v;
			done[k] = M::joint_forward(w.x, w.y, w.z, f.d, d, f.p);
			f = { v[k], d, done[k] };
		}
		const int row = i - own;
		T *half_done = &room.kept[0][threadIdx.x & 31] + (row - outside) * 32;
#pragma unroll
		for (int k = 0; k < AHEAD; ++k)
			if (row + k >= outside)
				half_done[k * 32] = done[k];
#pragma unroll
		for (int k = 0; k < AHEAD && row < outside; ++k)
			if (row + k >= 0 && row + k < outside)
				out[(row + k) * 32] = done[k];
	}

	/* From the left, two batches in turn: while one is worked on, the other is on its way. */
	__device__ __forceinline__ void
	forward() const
	{
		front f = { value_at(column, first), (T)0, (T)0 };
		T even[AHEAD], odd[AHEAD];
		load_values(even, 0);
		for (int i = 0;; i += 2 * AHEAD) {
			load_values(odd, i + AHEAD);
			eliminate(even, i, f);
			if (i + AHEAD > last)
				break;
			load_values(even, i + 2 * AHEAD);
			eliminate(odd, i + AHEAD, f);
			if (i + 2 * AHEAD > last)
				break;
		}
#pragma unroll 1
		for (int row = last / AHEAD * AHEAD + AHEAD - own; row < padded_rows(); ++row)
			room.kept[row - outside][threadIdx.x & 31] = (T)0;
	}

	/* Slopes, from the right; those that the tile does not need are not written. */
	__device__ __forceinline__ void
	backward() const
	{
		T slope = (T)0;
		for (int row = padded_rows() - AHEAD; row >= 0; row -= AHEAD) {
			T half[AHEAD];
			if (row >= outside) {
#pragma unroll
				for (int k = 0; k < AHEAD; ++k)
					half[k] = room.kept[row - outside + k][threadIdx.x & 31];
			} else {
#pragma unroll
				for (int k = 0; k < AHEAD; ++k)
					half[k] = out[(row + k) * 32];
			}
#pragma unroll
			for (int k = AHEAD - 1; k >= 0; --k) {
				slope = M::joint_backward(room.weights[own + row + k].w, half[k], slope);
				if (row + k < rows)
					out[(row + k) * 32] = slope;
			}
		}
	}

	__device__ __forceinline__ T
	value(int i) const
	{
		return value_at(column, i > 0 ? room.offset[i - 1] : first);
	}

	/* The list's ends have slopes of their own, where the tile reaches them. */
	__device__ __forceinline__ void
	set_ends(const joint_window<T> &w) const
	{
		if (w.left && own == 0) {
			const typename M::joint_end e = w.end[WSI_LEFT];
			const T v0 = value(0), v1 = value(1), v2 = value(2);
			out[0] = M::joint_end_slope(e.f, e.g, e.q, v1 - v0, v2 - v1, out[32]);
		}
		if (w.right && last - own < rows) {
			const typename M::joint_end e = w.end[WSI_RIGHT];
			const T v0 = value(last), v1 = value(last - 1), v2 = value(last - 2);
			/* A tile behind the last knot but one does not look at the slope. */
			const T before = last > own ? out[(last - 1 - own) * 32] : (T)0;
			out[(last - own) * 32] = M::joint_end_slope(e.f, e.g, e.q, v0 - v1, v1 - v2, before);
		}
	}
};

/* grid: envelope / SLOPES_WARPS; tile of the chunk; group of channels from group0 on. */
template <class T>
__global__ void __launch_bounds__(SLOPES_WARPS<T> * 32)
slopes_kernel(const joint_signal<T> s, const T *h, int group0)
{
	extern __shared__ __align__(16) char shared[];
	const int warp = threadIdx.x / 32, list = blockIdx.x * SLOPES_WARPS<T> + warp;
	if (list >= 2 * s.directions)
		return;
	const joint_window<T> w = s.windows[(size_t)list * s.chunk + blockIdx.y];
	if (w.n == 0)
		return;
	const int channel = (group0 + (int)blockIdx.z) * 32 + (int)(threadIdx.x & 31);
	const slopes_solver<T> solver(((slopes_room<T> *)shared)[warp], s, h, list, blockIdx.y, blockIdx.z,
	                              channel, w);
	solver.forward();
	solver.backward();
	solver.set_ends(w);
}

#endif
