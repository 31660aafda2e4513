/*
 * joint_mean.cuh - the mean of all envelopes, taken off.
 *
 * A block of threads has a span of samples and 32 channels, each warp one of the eight
 * sums of directions. Lanes are channels: they walk along an envelope, part by part, and
 * add its cubics to sums that stay in registers, while the knots of the next envelope
 * come. Which samples are knots is the same for all lanes, so that they never part.
 * What else was tried: docs/decisions/0008-memd.md.
 */
#ifndef WSI_CUDA_JOINT_MEAN_CUH
#define WSI_CUDA_JOINT_MEAN_CUH

#include <cuda_pipeline.h>

#include "cuda/stage/joint_whole.cuh"

template <class T> constexpr int MEAN_PARTS = MEAN_SPAN<T> / WSI_JOINT_PART;
/* Knots of a span: those of a kind lie two samples apart, but at ends; one more either
 * side. */
template <class T> constexpr int MEAN_KNOTS = MEAN_SPAN<T> / 2 + 3;

/* Where an envelope stands at a span. */
template <class T> struct envelope_place {
	unsigned later;         /* samples of the span, after the first, that are knots */
	bool whole;             /* its block is */
	const T *slope;         /* of the first sample's interval, at this lane's channel */
	joint_knot<T> knot;     /* as lanes count from that interval */
};

/* Knots of a span by channel, on their way while another envelope is walked along; and
 * what depends on times only. */
template <class T> struct mean_ready {
	alignas(2 * sizeof(T)) T knot[MEAN_KNOTS<T>][32][2]; /* value, slope */
	T inverse[MEAN_KNOTS<T>];
};

/* The sums of a lane (cpu/joint_mean_simd.h has them as rows). */
template <class T> struct mean_sums { T part[MEAN_PARTS<T>][4], more[MEAN_PARTS<T>][2]; };

template <class T, bool ABOVE> struct envelope_adder {
	const joint_signal<T> &s;
	const T *column;        /* row 0 of h at this lane's channel */
	const T *slopes;        /* of the group, at this lane's channel */
	mean_ready<T> *ready;   /* two, in turn */
	int first;              /* sample of the span */
	mean_sums<T> sums;
	envelope_distance<T, ABOVE> distance;

	/* Sends for the knots of an envelope. */
	__device__ __forceinline__ void
	send_for(const envelope_place<T> &e, mean_ready<T> &to) const
	{
		const int lane = threadIdx.x & 31, n = __popc(e.later) + 2;
		const T *slope = e.slope;
		__syncwarp(); /* nobody walks along the last but one any more */
#pragma unroll 2
		for (int k = 0; k < n; ++k, slope += 32) {
			const int offset = __shfl_sync(FULL, e.knot.offset, k);
			__pipeline_memcpy_async(&to.knot[k][lane][0], value_of(column, offset), sizeof(T));
			__pipeline_memcpy_async(&to.knot[k][lane][1], slope, sizeof(T));
		}
		if (lane < n)
			to.inverse[lane] = e.knot.inverse;
		__pipeline_commit();
	}

	/* On to the interval of the k-th knot. */
	__device__ __forceinline__ void
	advance(const mean_ready<T> &here, envelope_piece<T> &piece, int k) const
	{
		const T *next = here.knot[k + 1][threadIdx.x & 31];
		piece.next(next[0], next[1], here.inverse[k]);
	}

	/* Along the parts of the span, whose first sample is u after its knot; a whole block's
	 * are there already. */
	__device__ __forceinline__ void
	walk(const mean_ready<T> &here, unsigned later, bool whole, T u, int kind)
	{
		const T *start = here.knot[0][threadIdx.x & 31], *next = here.knot[1][threadIdx.x & 31];
		envelope_piece<T> piece;
		piece.begin(start[0], start[1], next[0], next[1], here.inverse[0]);
		int k = 0;
#pragma unroll
		for (int part = 0; part < MEAN_PARTS<T>; ++part) {
			const int i = part * WSI_JOINT_PART;
			if (later >> i & 1) {
				advance(here, piece, ++k);
				u = (T)0;
			}
			if (!ABOVE || !whole)
				piece.add_to(sums.part[part], u);
			distance.note(i, kind, piece, u);
			if (later >> i & 14) {
#pragma unroll
				for (int knot = 1; knot < WSI_JOINT_PART; ++knot) {
					if (later >> (i + knot) & 1) {
						const T c2 = piece.c2, c3 = piece.c3;
						T one, two;
						advance(here, piece, ++k);
						joint_math<T>::joint_jump(c2, c3, u + (T)knot, piece.c2, piece.c3, &one, &two);
						if (knot < WSI_JOINT_PART - 1)
							sums.more[part][knot - 1] += one;
						if (knot == 1)
							sums.more[part][1] += two;
						u = (T)-knot;
					}
					distance.note(i + knot, kind, piece, u + (T)knot);
				}
			} else if (ABOVE) {
#pragma unroll
				for (int knot = 1; knot < WSI_JOINT_PART; ++knot)
					distance.note(i + knot, kind, piece, u + (T)knot);
			}
			u += (T)WSI_JOINT_PART;
		}
	}

	/* All of a sum that are not whole (ABOVE: all): lanes look at 32 envelopes at a time.
	 * from: the span's first sample in the block; distances: of a direction [sample]. */
	__device__ __forceinline__ void
	add_all(const sum_of_envelopes &envelopes, int tile, int block, int from, bool counted,
	        T *distances, size_t stride)
	{
		for (int batch = 0; batch < envelopes.n; batch += 32) {
			const int lane = threadIdx.x & 31, i = batch + lane;
			unsigned starts = 0;
			int at = 0, slope = 0;
			bool wanted = false;
			if (i < envelopes.n) {
				const int window = envelopes.list(i) * s.chunk + tile;
				const joint_marks m = s.marks[(size_t)window * JOINT_TILE_WORDS + block];
				const int knot = m.knot + __popc(m.starts & ((2u << from) - 2));
				starts = m.starts & ~1u;
				at = window * JOINT_WINDOW<T> + s.windows[window].own + knot;
				slope = window * JOINT_OWN + knot;
				wanted = s.windows[window].n > 0 && (ABOVE || starts != 0);
			}
			unsigned left = __ballot_sync(FULL, wanted);
			auto look_at = [&](int k, envelope_place<T> &e) {
				const unsigned bits = or_lanes(lane == k ? starts : 0);
				e.whole = bits == 0;
				e.later = bits >> from & ((1u << MEAN_SPAN<T>) - 2);
				e.slope = slopes + (ptrdiff_t)__shfl_sync(FULL, slope, k) * 32;
				const int knot = __shfl_sync(FULL, at, k);
				e.knot = s.seen[knot + min(lane, __popc(e.later) + 1)];
			};
			if (!left)
				continue;
			/* Of the one after the next it is looked where it stands, the next one's knots are
			 * sent for; of the last nothing comes of that. */
			envelope_place<T> next, after;
			int k = __ffs(left) - 1;
			look_at(k, next);
			left &= left - 1;
			look_at(left ? __ffs(left) - 1 : k, after);
			send_for(next, ready[0]);
			for (int turn = 0;; turn ^= 1) {
				const unsigned later = next.later;
				const bool whole = next.whole, last = !left;
				const T u = (T)(first - __shfl_sync(FULL, next.knot.time, 0));
				const int now = k, kind = now & 1;
				if (!last) {
					k = __ffs(left) - 1;
					left &= left - 1;
					next = after;
					send_for(next, ready[1 - turn]);
					look_at(left ? __ffs(left) - 1 : k, after);
					__pipeline_wait_prior(1);
				} else {
					__pipeline_wait_prior(0);
				}
				__syncwarp();
				walk(ready[turn], later, whole, u, kind);
				if (ABOVE && kind == WSI_MIN) {
					const T square = distance.sum_squares(counted);
					if (lane < MEAN_SPAN<T>)
						distances[envelopes.list(batch + now) / 2 * stride + lane] = square;
				}
				if (last)
					break;
			}
		}
	}
};

/* ---- The mean ----------------------------------------------------------------------- */

/* Sums that the warps show to each other: of a pair of parts. */
template <class T> struct mean_shown {
	T part[WSI_JOINT_SUMS][2][4][32], more[WSI_JOINT_SUMS][2][2][32];
};
template <class T>
constexpr int mean_bytes = (int)(2 * WSI_JOINT_SUMS * sizeof(mean_ready<T>) > sizeof(mean_shown<T>)
	? 2 * WSI_JOINT_SUMS * sizeof(mean_ready<T>) : sizeof(mean_shown<T>));

/* y = h minus share times the sum, of one sample and channel; squares: |m|^2 and |h|^2
 * of each group of channels. */
template <class T>
__device__ __forceinline__ void
finish_sample(const joint_signal<T> &s, const T *h, T *y, T sum, int sample, int group, bool squares)
{
	const int lane = threadIdx.x & 31, channel = group * 32 + lane;
	const bool counted = channel < s.channels;
	const size_t at = (size_t)sample * s.lanes + channel;
	const T share = share_of(s), zero = (T)0, x = channel < s.lanes ? h[at] : zero;
	if (channel < s.lanes)
		y[at] = fma(-share, sum, x);
	if (!squares)
		return;
	const T m = counted ? sum * share : zero, a = counted ? x : zero;
	const T m2 = sum_channels(m * m), h2 = sum_channels(a * a);
	if (lane == 0) {
		s.squares[(size_t)group * s.n + sample] = m2;
		s.squares[((size_t)(s.lanes + 31) / 32 + group) * s.n + sample] = h2;
	}
}

/* Of the eight sums of a span, the means, a pair of parts at a time: a warp has a sample
 * of each pair. whole: the block's cubic; from: the span's first sample in it. */
template <class T>
__device__ __forceinline__ void
finish_span(const joint_signal<T> &s, const T *h, T *y, mean_shown<T> &shown, const mean_sums<T> &sums,
            const T *whole, int first, int from, int group, bool squares)
{
	constexpr int PAIR = 2 * WSI_JOINT_PART;
	static_assert(PAIR == WSI_JOINT_SUMS);
	const int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
	const int mine = warp / WSI_JOINT_PART, at = warp % WSI_JOINT_PART;
#pragma unroll
	for (int pair = 0; pair < MEAN_PARTS<T> / 2; ++pair) {
		__syncthreads();
#pragma unroll
		for (int i = 0; i < 4; ++i) {
			shown.part[warp][0][i][lane] = sums.part[2 * pair][i];
			shown.part[warp][1][i][lane] = sums.part[2 * pair + 1][i];
			shown.more[warp][i / 2][i % 2][lane] = sums.more[2 * pair + i / 2][i % 2];
		}
		__syncthreads();
		T part[4];
#pragma unroll
		for (int i = 0; i < 4; ++i)
			part[i] = total_of(&shown.part[0][mine][i][lane], 8 * 32);
		const int sample = pair * PAIR + warp;
		T sum = cubic_at(part[0], part[1], part[2], part[3], (T)at);
		if (at >= 2)
			sum += total_of(&shown.more[0][mine][at - 2][lane], 4 * 32);
		sum += cubic_at(whole[0], whole[32], whole[64], whole[96], (T)(from + sample));
		if (first + sample < s.n)
			finish_sample(s, h, y, sum, first + sample, group, squares);
	}
}

/*
 * y = h minus the mean. ABOVE: also the squared distance of both envelopes into
 * s.distances [group][direction][sample of the chunk]; squares: see finish_sample.
 * grid: span of the chunk; group of channels from group0 on.
 */
template <class T, bool ABOVE>
__global__ void __launch_bounds__(MEAN_THREADS, ABOVE || sizeof(T) == 8 ? 2 : 4)
mean_kernel(const joint_signal<T> s, const T *h, T *y, int tile0, int group0, bool squares)
{
	extern __shared__ __align__(16) char shared[];
	const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, group = group0 + (int)blockIdx.y;
	const int start = blockIdx.x * MEAN_SPAN<T>, first = tile0 * WSI_JOINT_TILE + start; /* samples */
	const int block = start / WSI_JOINT_BLOCK, from = start % WSI_JOINT_BLOCK;
	const int channel = group * 32 + lane;
	const size_t samples = (size_t)s.chunk * WSI_JOINT_TILE;
	envelope_adder<T, ABOVE> a = { s, column_of(s, h, channel),
		                       opaque(slopes_of(s, 0, 0, blockIdx.y) + lane),
		                       (mean_ready<T> *)shared + 2 * warp, first, {}, {} };
	a.add_all(sum_of_envelopes(s.directions), block / WSI_JOINT_BLOCKS, block % WSI_JOINT_BLOCKS, from,
	          channel < s.channels, s.distances + (size_t)group * s.directions * samples + start,
	          samples);
	finish_span(s, h, y, *(mean_shown<T> *)shared, a.sums, whole_of(s, blockIdx.y, block) + lane, first,
	            from, group, squares);
	if (threadIdx.x == 0 && first == 0 && group == 0)
		s.state->sifts += s.state->active > 0;
}

#endif
