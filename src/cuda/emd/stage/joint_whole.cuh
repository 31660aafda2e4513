/*
 * joint_whole.cuh - blocks of samples in which no knot starts: the cubics of envelopes there, added
 * up.  Late modes have hardly any other.
 *
 * Fits      blocks of WSI_JOINT_BLOCK samples without a knot; others are joint_mean.cuh's.
 * Twin      cpu/emd/joint_mean_simd.h: the same bits.
 * Launch    MEAN_THREADS, a warp each of the WSI_JOINT_SUMS sums, over (WHOLE_BLOCKS blocks of the
 *           chunk, groups of 32 channels).
 * Memory    values and slopes of two knots an envelope and block, from the second-level cache;
 *           warps join their sums in shared memory (whole_shown); writes four coefficients a block.
 */
#ifndef WSI_CUDA_JOINT_WHOLE_CUH
#define WSI_CUDA_JOINT_WHOLE_CUH

#include "cuda/emd/stage/joint_envelope.cuh"

/* Blocks of samples of a squad, and of a block of threads. */
constexpr int WHOLE_EACH = WSI_JOINT_BLOCKS / 4;
template <int LANES> constexpr int WHOLE_BLOCKS = WHOLE_EACH * warp_squads<LANES>::N;

/* An envelope in a whole block as a lane knows it that looks at it: the interval's ends in
 * h, in slopes, and how long the block is after its knot. */
template <class T> struct whole_place { int offset, next, slope; T inverse, u; };

/* The same with values, for all lanes. */
template <class T> struct whole_cubic { T v0, s0, v1, s1, inverse, u; };

/* The sums of whole blocks: cubics [block][coefficient]. */
template <class T, int LANES> struct whole_adder {
	using squads = warp_squads<LANES>;
	static constexpr int EACH = WHOLE_EACH;
	const joint_signal<T> &s;
	const T *column;        /* row 0 of h at this lane's channel */
	const T *slopes;        /* of the group, at this lane's channel */
	int first;              /* sample of the squad's first block */
	T sums[EACH][4];

	/* Looks at the envelope of `window` in each block; a bit each of those that are whole. */
	__device__ __forceinline__ unsigned
	look_at(int window, int from, unsigned there, whole_place<T> (&place)[EACH]) const
	{
		const joint_window<T> &w = s.windows[window];
		const joint_marks *m = s.marks + (size_t)window * JOINT_TILE_WORDS + from;
		const joint_knot<T> *seen = s.seen + (size_t)window * JOINT_WINDOW<T> + w.own;
		unsigned whole = 0;
#pragma unroll
		for (int block = 0; block < EACH; ++block)
			whole |= (unsigned)((m[block].starts & ~1u) == 0) << block;
		whole = w.n > 0 ? whole & there : 0;
#pragma unroll
		for (int block = 0; block < EACH; ++block)
			if (whole >> block & 1) {
				const int knot = m[block].knot();
				const joint_knot<T> k = seen[knot];
				place[block] = { k.offset, seen[knot + 1].offset,
					         window * SLOPES_ROWS<T, LANES> + knot, k.inverse,
					         samples_since<T>(
							 k.time, first + block * WSI_JOINT_BLOCK) };
			}
		return whole;
	}

	/* What lane k of a squad knows. */
	template <class Number>
	static __device__ __forceinline__ Number
	of_lane(Number x, int k)
	{
		return __shfl_sync(FULL, x, k, LANES);
	}

	/* Sends for the values where lane k looks, if it is `there`. */
	__device__ __forceinline__ whole_cubic<T>
	send_for(const whole_place<T> &place, int k, bool there) const
	{
		const int offset = of_lane(place.offset, k), next = of_lane(place.next, k);
		const T *slope = slopes + (ptrdiff_t)of_lane(place.slope, k) * LANES;
		whole_cubic<T> p = { (T)0, (T)0, (T)0, (T)0, of_lane(place.inverse, k),
			             of_lane(place.u, k) };
		if (LANES == 32 || there) {
			p.v0 = value_at(column, offset), p.s0 = __ldg(slope);
			p.v1 = value_at(column, next), p.s1 = __ldg(slope + LANES);
		}
		return p;
	}

	__device__ __forceinline__ void
	add(const whole_cubic<T> &p, int block)
	{
		envelope_cubic<T> cubic;
		cubic.begin(p.v0, p.s0, p.v1, p.s1, p.inverse);
		cubic.add_to(sums[block], p.u);
	}

	/* All of a sum: a squad's lanes look at LANES envelopes at a time; values of the next one
	 * are on their way. from: the squad's first block in the tile. */
	__device__ __forceinline__ void
	add_all(const sum_of_envelopes &envelopes, int tile, int from)
	{
		const int blocks =
			min((s.n - first + WSI_JOINT_BLOCK - 1) / WSI_JOINT_BLOCK, EACH);
		const unsigned there = blocks > 0 ? (1u << blocks) - 1 : 0;
		for (int batch = 0; batch < envelopes.n; batch += LANES) {
			const int i = batch + squads::channel();
			whole_place<T> place[EACH] = {};
			unsigned whole = 0;
			if (i < envelopes.n)
				whole = look_at(envelopes.list(i) * s.chunk + tile, from, there,
				                place);
			whole_cubic<T> now[EACH] = {}, next[EACH] = {};
			unsigned left = __ballot_sync(FULL, whole != 0), of_now = 0, of_next = 0;
			if (LANES < 32)
				left = left >> squads::squad() * LANES & ((1u << LANES % 32) - 1);
			do {
#pragma unroll
				for (int block = 0; block < EACH; ++block)
					now[block] = next[block];
				of_now = of_next;
				const int k = __ffs(left) - 1;
				const unsigned found = __shfl_sync(FULL, whole, k, LANES);
				of_next = left ? found : 0;
				left &= left - 1;
#pragma unroll
				for (int block = 0; block < EACH; ++block) {
					const bool wanted = of_next >> block & 1;
					if (LANES < 32 ? __any_sync(FULL, wanted) : wanted)
						next[block] = send_for(place[block], k, wanted);
				}
#pragma unroll
				for (int block = 0; block < EACH; ++block)
					if (of_now >> block & 1)
						add(now[block], block);
			} while (LANES < 32 ? __any_sync(FULL, of_next) : of_next);
		}
	}
};

/* The cubic of a block: [coefficient][LANES]. */
template <int LANES, class T>
__device__ __forceinline__ T *
whole_of(const joint_signal<T> &s, int group, int block)
{
	return s.whole + ((size_t)group * s.chunk * WSI_JOINT_BLOCKS + block) * 4 * LANES;
}

/* Sums that the warps show to each other, by rows. */
template <class T> struct whole_shown { T x[WSI_JOINT_SUMS][WHOLE_EACH * 4][32]; };

/* Cubics of whole blocks into s.whole. grid: some blocks of the chunk; group of channels
 * from group0 on. */
template <class T, int LANES>
__global__ void __launch_bounds__(MEAN_THREADS, sizeof(T) == 4 ? 3 : 2)
whole_kernel(const joint_signal<T> s, const T *h, int tile0, int group0)
{
	__shared__ whole_shown<T> shown;
	using squads = warp_squads<LANES>;
	const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, channel = squads::channel();
	const int block0 = blockIdx.x * WHOLE_BLOCKS<LANES> + squads::squad() * WHOLE_EACH;
	whole_adder<T, LANES> a = { s,
		                    column_of(s, h, (group0 + (int)blockIdx.y) * 32 + channel),
		                    opaque(slopes_of<LANES>(s, 0, 0, blockIdx.y) + channel),
		                    tile0 * WSI_JOINT_TILE + block0 * WSI_JOINT_BLOCK, {} };
	a.add_all(sum_of_envelopes(s.directions), block0 / WSI_JOINT_BLOCKS,
	          block0 % WSI_JOINT_BLOCKS);
#pragma unroll
	for (int i = 0; i < WHOLE_EACH * 4; ++i)
		shown.x[warp][i][lane] = a.sums[i / 4][i % 4];
	__syncthreads();
	for (int i = warp; i < WHOLE_EACH * 4; i += WSI_JOINT_SUMS)
		whole_of<LANES>(s, blockIdx.y, block0)[i * LANES + channel] =
			total_of(&shown.x[0][i][lane], WHOLE_EACH * 4 * 32);
}

#endif
