/*
 * joint_mean.cuh - the mean of all envelopes, taken off.
 *
 * A block of threads has a span of samples and 32 channels, each warp one of the eight
 * sums of directions. Lanes are channels: they walk along an envelope, part by part, and
 * add its cubics to sums that stay in registers, while the knots of the next envelope
 * come. Which samples are knots is the same for all lanes, so that they never part. Where a
 * warp has several squads (joint_slopes.cuh), each has its own parts of a wider span.
 * What else was tried: docs/decisions/0008-memd.md.
 *
 * Fits      blocks of samples in which a knot starts; others are joint_whole.cuh's, added here.
 * Twin      cpu/emd/joint_mean_simd.h: the same bits.
 * Launch    MEAN_THREADS, a warp each of the WSI_JOINT_SUMS sums, over (spans of the chunk, groups
 *           of 32 channels).
 * Memory    knots of two envelopes a warp in shared memory (mean_ready), asked for ahead; values
 *           and slopes from the second-level cache; reads h, writes h minus the mean.
 */
#ifndef WSI_CUDA_JOINT_MEAN_CUH
#define WSI_CUDA_JOINT_MEAN_CUH

#include <cuda_pipeline.h>

#include "cuda/emd/stage/joint_whole.cuh"

template <class T, int LANES>
constexpr int MEAN_PARTS = MEAN_SAMPLES<T, LANES> / WSI_JOINT_PART;
/* Knots of a span: those of a kind lie two samples apart, but at ends; one more either
 * side. */
template <class T, int LANES> constexpr int MEAN_KNOTS = MEAN_SPAN<T, LANES> / 2 + 3;

/* What of a knot is wanted at each interval: the first fields of joint_knot. */
template <class T> struct alignas(2 * sizeof(T)) knot_step { T inverse; int offset; };

/* Knots of a span on their way while another envelope is walked along: by channel, and what
 * depends on times only, which comes before. */
template <class T, int LANES> struct mean_ready {
	static constexpr int KNOTS = MEAN_KNOTS<T, LANES>;
	alignas(16) T value[2][KNOTS][LANES], slope[2][KNOTS][LANES];
	knot_step<T> step[3][KNOTS];
};

/* The buffers there that an envelope takes, in a ring: bytes from the first. */
template <class T, int LANES> struct mean_buffers {
	static constexpr int KNOTS = MEAN_KNOTS<T, LANES> * LANES * (int)sizeof(T);
	static constexpr int STEPS = MEAN_KNOTS<T, LANES> * (int)sizeof(knot_step<T>);
	int knots, steps;

	__device__ __forceinline__ mean_buffers
	next() const
	{
		return { KNOTS - knots, steps < 2 * STEPS ? steps + STEPS : 0 };
	}
};

/* A warp's mean_ready by the addresses that a lane needs: made once, not at each use. */
template <class T, int LANES> struct mean_places {
	using buffers = mean_buffers<T, LANES>;
	using copy = row_copy<T, LANES, 32>;
	static constexpr int SLOPES = 2 * buffers::KNOTS; /* from values */
	static constexpr int ROW = LANES * (int)sizeof(T);
	unsigned copied;        /* the first value that it copies */
	unsigned walked;        /* the first at its own channel */
	unsigned steps;

	__device__ __forceinline__
	mean_places(mean_ready<T, LANES> &r)
	    : copied(shared_address(&r.value[0][copy::row()][copy::channel()])),
	      walked(shared_address(&r.value[0][0][warp_squads<LANES>::channel()])),
	      steps(shared_address(&r.step[0][0]))
	{
		asm volatile("" : "+r"(copied), "+r"(walked), "+r"(steps));
	}

	__device__ __forceinline__ T
	value(buffers t, int k) const
	{
		return load_one(walked + t.knots + k * ROW, (T)0);
	}

	__device__ __forceinline__ T
	slope(buffers t, int k) const
	{
		return load_one(walked + t.knots + k * ROW + SLOPES, (T)0);
	}

	__device__ __forceinline__ T
	inverse(buffers t, int k) const
	{
		return load_one(steps + t.steps + k * (int)sizeof(knot_step<T>), (T)0);
	}

	__device__ __forceinline__ int
	offset(buffers t, int k) const
	{
		return load_shared(steps + t.steps + k * (int)sizeof(knot_step<T>) + (int)sizeof(T),
		                   0);
	}
};

/* An envelope at a span, as the lane knows it that looks at it. */
struct span_place {
	bool wanted;
	unsigned starts;        /* samples of the block, after the first, that are knots */
	unsigned halves; /* of those in the span, counted from its first sample, the knots that
	                    lie half a sample before */
	int knot, slope,
		time; /* of the first sample's interval: in s.seen, in slopes; its knot's */
};

/* The sums of a lane (cpu/emd/joint_mean_simd.h has them as rows). */
template <class T, int LANES> struct mean_sums {
	static constexpr int PARTS = MEAN_PARTS<T, LANES>;
	T part[PARTS][4], more[PARTS][2];
};

template <class T, int LANES, bool ABOVE> struct envelope_adder {
	using copy = row_copy<T, LANES, 32>;
	using buffers_of = mean_buffers<T, LANES>;
	static constexpr int KNOTS = MEAN_KNOTS<T, LANES>, PARTS = MEAN_PARTS<T, LANES>;
	static constexpr int SAMPLES = MEAN_SAMPLES<T, LANES>;
	const joint_signal<T> &s;
	const T *column;        /* row 0 of h at the channels that this lane copies */
	const T *slopes;        /* of the group's first knot that it copies, there */
	mean_places<T, LANES> places;
	int first, from;        /* sample of the span; the same in its block */
	mean_sums<T, LANES> sums;
	envelope_distance<T, LANES, ABOVE> distance;

	/* Samples of the span, after the first, that are knots; of the block's. */
	__device__ __forceinline__ unsigned
	later(unsigned starts) const
	{
		return starts >> from & ((2u << (MEAN_SPAN<T, LANES> - 1)) - 2);
	}

	/* Sends for what depends on times only of lane k's envelope. */
	__device__ __forceinline__ void
	send_for_steps(const span_place &place, int k, unsigned starts, buffers_of buffers) const
	{
		const int lane = threadIdx.x & 31, n = __popc(later(starts)) + 2;
		const joint_knot<T> *from = s.seen + __shfl_sync(FULL, place.knot, k) + lane;
		const unsigned to = places.steps + buffers.steps + lane * (int)sizeof(knot_step<T>);
		if (lane < n)
			__pipeline_memcpy_async((void *)__cvta_shared_to_generic(to), from,
			                        sizeof(knot_step<T>));
	}

	/* Sends for its knots, whose steps are there. */
	__device__ __forceinline__ void
	send_for_knots(const span_place &place, int k, unsigned starts, buffers_of buffers) const
	{
		constexpr int N = (KNOTS + copy::ROWS - 1) / copy::ROWS;
		const int n = __popc(later(starts)) + 2;
		const T *slope = slopes + (ptrdiff_t)__shfl_sync(FULL, place.slope, k) * LANES;
		const unsigned to = places.copied + buffers.knots;
		int offset[N];
#pragma unroll
		for (int i = 0; i < N; ++i)
			if (i * copy::ROWS + copy::row() < n)
				offset[i] = places.offset(buffers, i * copy::ROWS + copy::row());
#pragma unroll
		for (int i = 0; i < N; ++i)
			if (i * copy::ROWS + copy::row() < n) {
				const int row = i * copy::ROWS * LANES;
				copy::send(to + row * (int)sizeof(T), value_of(column, offset[i]));
				copy::send(to + row * (int)sizeof(T) + places.SLOPES, slope + row);
			}
	}

	/* On to the interval of the k-th knot. */
	__device__ __forceinline__ void
	advance(buffers_of buffers, envelope_cubic<T> &cubic, int k) const
	{
		cubic.next(places.value(buffers, k + 1), places.slope(buffers, k + 1),
		           places.inverse(buffers, k));
	}

	/* At the knot-th sample of a part: on to the interval that starts half a sample before it.
	 * u: of the part's first sample. */
	__device__ __forceinline__ void
	bend_half(const envelope_cubic<T> &before, const envelope_cubic<T> &cubic, T u, int part,
	          int knot)
	{
		using M = joint_math<T>;
		const T half = (T)0.5;
		T j2, j3;
		M::joint_bend(before.c2, before.c3, u + ((T)knot - half), cubic.c2, cubic.c3, &j2,
		              &j3);
		if (knot == 1) {
			T c1, c2, c3;
			M::joint_part_jump(j2, j3, -half, (T)(11.0 / 6.0), (T)(1.0 / 6.0), &c1, &c2,
			                   &c3);
			sums.part[part][1] += c1;
			sums.part[part][2] += c2;
			sums.part[part][3] += c3;
		} else if (knot == 2) {
			sums.more[part][0] += M::joint_jump_at(j2, j3, half);
			sums.more[part][1] += M::joint_jump_at(j2, j3, (T)1.5);
		} else {
			sums.more[part][1] += M::joint_jump_at(j2, j3, half);
		}
	}

	/* To where a squad's samples begin: how many knots of `later` lie before; u: since the last
	 * of these, if there is one.  `later` is then counted from there. */
	template <bool HALVES>
	__device__ __forceinline__ int
	go_to_squad(unsigned &later, unsigned halves, T &u) const
	{
		const int start = warp_squads<LANES>::squad() * SAMPLES;
		const unsigned before = later & ((1u << start) - 1);
		const int k = __popc(before);
		later >>= start;
		if (before == 0)
			u += (T)start;
		else
			u = (T)(start - 31 + __clz(before)) +
			    (HALVES && halves >> (k - 1) & 1 ? (T)0.5 : (T)0);
		return k;
	}

	/* Along the parts of the squad's samples, in a span whose first is u after its knot; a
	 * whole block's are there already.  HALVES: some of `later` are knots of `halves`. */
	template <bool HALVES>
	__device__ __forceinline__ void
	walk(buffers_of buffers, unsigned later, unsigned halves, bool whole, T u, int kind)
	{
		envelope_cubic<T> cubic;
		int k = LANES < 32 ? go_to_squad<HALVES>(later, halves, u) : 0;
		cubic.v1 = places.value(buffers, k), cubic.s1 = places.slope(buffers, k);
		advance(buffers, cubic, k);
#pragma unroll
		for (int part = 0; part < PARTS; ++part) {
			const int i = part * WSI_JOINT_PART;
			if (later >> i & 1) {
				advance(buffers, cubic, ++k);
				u = HALVES && halves >> (k - 1) & 1 ? (T)0.5 : (T)0;
			}
			if (!ABOVE || !whole)
				cubic.add_to(sums.part[part], u);
			distance.note(i, kind, cubic, u);
			if (later >> i & 14) {
#pragma unroll
				for (int knot = 1; knot < WSI_JOINT_PART; ++knot) {
					if (HALVES && later >> (i + knot) & 1 && halves >> k & 1) {
						const envelope_cubic<T> before = cubic;
						advance(buffers, cubic, ++k);
						bend_half(before, cubic, u, part, knot);
						u = (T)0.5 - (T)knot;
					} else if (later >> (i + knot) & 1) {
						const T c2 = cubic.c2, c3 = cubic.c3;
						T one, two;
						advance(buffers, cubic, ++k);
						joint_math<T>::joint_jump(c2, c3, u + (T)knot,
						                          cubic.c2, cubic.c3, &one,
						                          &two);
						if (knot < WSI_JOINT_PART - 1)
							sums.more[part][knot - 1] += one;
						if (knot == 1)
							sums.more[part][1] += two;
						u = (T)-knot;
					}
					distance.note(i + knot, kind, cubic, u + (T)knot);
				}
			} else if (ABOVE) {
#pragma unroll
				for (int knot = 1; knot < WSI_JOINT_PART; ++knot)
					distance.note(i + knot, kind, cubic, u + (T)knot);
			}
			u += (T)WSI_JOINT_PART;
		}
	}

	/* By a lane: the envelope of `window`. */
	__device__ __forceinline__ span_place
	look_at(int window, int block) const
	{
		const joint_window<T> &w = s.windows[window];
		const joint_marks m = s.marks[(size_t)window * JOINT_TILE_WORDS + block];
		const int before = __popc(m.starts & ((2u << from) - 2));
		const int in_tile = m.knot() + before;
		const unsigned halves = m.halves_knot / JOINT_KNOTS >> before;
		span_place p = { false,
			         m.starts & ~1u,
			         halves & ((1u << __popc(later(m.starts))) - 1),
			         window * JOINT_WINDOW<T> + w.own + in_tile,
			         window * SLOPES_ROWS<T, LANES> + in_tile,
			         0 };
		p.wanted = w.n > 0 && (ABOVE || p.starts != 0);
		if (p.wanted)
			p.time = s.seen[p.knot].time;
		return p;
	}

	/* Envelopes that lanes look at; HALVES: some have knots between samples.  The fast way
	 * stands by itself: one loop for both is a tenth slower. While one is walked along, the
	 * knots of the next come, and the steps of the one after that. done: of an envelope by its
	 * lane. */
	template <bool HALVES, class Done>
	__device__ __forceinline__ void
	add_some(const span_place &place, Done done)
	{
		const int lane = threadIdx.x & 31;
		/* As all that decides where to go, the same in all lanes, so that the compiler
		 * knows. */
		unsigned left = or_lanes((unsigned)place.wanted << lane);
		const auto take = [&]() {
			const int k = __ffs(left) - 1;
			left &= left - 1;
			return k;
		};
		const auto starts_of = [&](int k) {
			return or_lanes(lane == k ? place.starts : 0);
		};
		int now = take(), next = take();
		unsigned starts = starts_of(now), next_starts = starts_of(next);
		buffers_of buffers = { 0, 0 };
		if (now < 0)
			return;
		__syncwarp(); /* nobody walks along those before */
		send_for_steps(place, now, starts, buffers);
		__pipeline_commit();
		__pipeline_wait_prior(0);
		__syncwarp();
		send_for_knots(place, now, starts, buffers);
		if (next >= 0)
			send_for_steps(place, next, next_starts, buffers.next());
		__pipeline_commit();
		while (now >= 0) {
			const int after = take();
			const unsigned after_starts = starts_of(after);
			__pipeline_wait_prior(0);
			__syncwarp();
			if (next >= 0)
				send_for_knots(place, next, next_starts, buffers.next());
			if (after >= 0)
				send_for_steps(place, after, after_starts, buffers.next().next());
			__pipeline_commit();
			const int time = __shfl_sync(FULL, place.time, now);
			const T u = samples_since<T>(time, first);
			const unsigned halves =
				HALVES ? or_lanes(lane == now ? place.halves : 0) : 0;
			walk<HALVES>(buffers, later(starts), halves, starts == 0, u, now & 1);
			done(now);
			now = next, next = after;
			starts = next_starts, next_starts = after_starts;
			buffers = buffers.next();
		}
	}

	/* All of a sum that are not whole (ABOVE: all): lanes look at 32 envelopes at a time.
	 * distances: of a direction [sample of the squad]. */
	__device__ __forceinline__ void
	add_all(const sum_of_envelopes &envelopes, int tile, int block, bool counted, T *distances,
	        size_t stride)
	{
		const int lane = threadIdx.x & 31, channel = warp_squads<LANES>::channel();
		for (int batch = 0; batch < envelopes.n; batch += 32) {
			span_place place = {};
			if (batch + lane < envelopes.n)
				place = look_at(envelopes.list(batch + lane) * s.chunk + tile,
				                block);
			const auto done = [&](int k) {
				if (!ABOVE || (k & 1) != WSI_MIN)
					return;
				const T square = distance.sum_squares(counted);
				if (channel < SAMPLES)
					distances[envelopes.list(batch + k) / 2 * stride +
					          channel] = square;
			};
			if (__any_sync(FULL, place.halves != 0))
				add_some<true>(place, done);
			else
				add_some<false>(place, done);
		}
	}
};

/* ---- The mean ----------------------------------------------------------------------- */

/* Sums that the warps show to each other: of a pair of parts. */
template <class T> struct mean_shown {
	T part[WSI_JOINT_SUMS][2][4][32], more[WSI_JOINT_SUMS][2][2][32];
};
template <class T, int LANES>
constexpr int mean_bytes =
	(int)(WSI_JOINT_SUMS * sizeof(mean_ready<T, LANES>) > sizeof(mean_shown<T>)
	              ? WSI_JOINT_SUMS * sizeof(mean_ready<T, LANES>) : sizeof(mean_shown<T>));

/* y = h minus share times the sum, of one sample and channel; squares: |m|^2 and |h|^2
 * of each group of channels. */
template <int LANES, class T>
__device__ __forceinline__ void
finish_sample(const joint_signal<T> &s, const T *h, T *y, T sum, int sample, int group,
              bool squares)
{
	const int lane = warp_squads<LANES>::channel(), channel = group * 32 + lane;
	const bool counted = channel < s.channels;
	const size_t at = (size_t)sample * s.lanes + channel;
	const T share = share_of(s), zero = (T)0, x = channel < s.lanes ? h[at] : zero;
	if (channel < s.lanes)
		y[at] = fma(-share, sum, x);
	if (!squares)
		return;
	const T m = counted ? sum * share : zero, a = counted ? x : zero;
	const T m2 = sum_channels<LANES>(m * m), h2 = sum_channels<LANES>(a * a);
	if (lane == 0) {
		s.squares[(size_t)group * s.n + sample] = m2;
		s.squares[((size_t)(s.lanes + 31) / 32 + group) * s.n + sample] = h2;
	}
}

/* Of the eight sums of a squad's samples, the means, a pair of parts at a time: a warp has a sample
 * of each pair. whole: the block's cubic; from: the squad's first sample in it. */
template <class T, int LANES>
__device__ __forceinline__ void
finish_samples(const joint_signal<T> &s, const T *h, T *y, mean_shown<T> &shown,
               const mean_sums<T, LANES> &sums, const T *whole, int first, int from, int group,
               bool squares)
{
	constexpr int PAIR = 2 * WSI_JOINT_PART;
	static_assert(PAIR == WSI_JOINT_SUMS);
	const int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
	const int mine = warp / WSI_JOINT_PART, at = warp % WSI_JOINT_PART;
#pragma unroll
	for (int pair = 0; pair < MEAN_PARTS<T, LANES> / 2; ++pair) {
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
		sum += cubic_at(whole[0], whole[LANES], whole[2 * LANES], whole[3 * LANES],
		                (T)(from + sample));
		if (first + sample < s.n)
			finish_sample<LANES>(s, h, y, sum, first + sample, group, squares);
	}
}

/*
 * y = h minus the mean. ABOVE: also the squared distance of both envelopes into
 * s.distances [group][direction][sample of the chunk]; squares: see finish_sample.
 * grid: span of the chunk; group of channels from group0 on.
 */
template <class T, int LANES, bool ABOVE>
__global__ void __launch_bounds__(MEAN_THREADS, ABOVE || sizeof(T) == 8 ? 2 : 4)
mean_kernel(const joint_signal<T> s, const T *h, T *y, int tile0, int group0, bool squares)
{
	extern __shared__ __align__(16) char shared[];
	using squads = warp_squads<LANES>;
	using copy = row_copy<T, LANES, 32>;
	const int warp = threadIdx.x / 32, channel = squads::channel();
	const int group = group0 + (int)blockIdx.y;
	const int start = blockIdx.x * MEAN_SPAN<T, LANES>;
	const int first = tile0 * WSI_JOINT_TILE + start; /* samples */
	const int block = start / WSI_JOINT_BLOCK, from = start % WSI_JOINT_BLOCK;
	const int of_squad = squads::squad() * MEAN_SAMPLES<T, LANES>;
	const size_t samples = (size_t)s.chunk * WSI_JOINT_TILE;
	envelope_adder<T, LANES, ABOVE> a = {
		s,
		column_of(s, h, group * 32 + copy::channel()),
		opaque(slopes_of<LANES>(s, 0, 0, blockIdx.y) + copy::row() * LANES +
		       copy::channel()),
		mean_places<T, LANES>(((mean_ready<T, LANES> *)shared)[warp]),
		first,
		from,
		{},
		{}
	};
	a.add_all(sum_of_envelopes(s.directions), block / WSI_JOINT_BLOCKS,
	          block % WSI_JOINT_BLOCKS, group * 32 + channel < s.channels,
	          s.distances + (size_t)group * s.directions * samples + start + of_squad, samples);
	finish_samples(s, h, y, *(mean_shown<T> *)shared, a.sums,
	               whole_of<LANES>(s, blockIdx.y, block) + channel, first + of_squad,
	               from + of_squad, group, squares);
	if (threadIdx.x == 0 && first == s.first_tile * WSI_JOINT_TILE && group == 0)
		s.state->sifts += s.state->active > 0;
}

#endif
