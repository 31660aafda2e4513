/*
 * marks.cuh - extrema as bits: a thread owns a group of 16 samples and the 16
 * bits of each kind that belong to them; 32 groups have one word of summary,
 * a bit for each group that holds an extremum.
 *
 * A third bit a sample, shared by both kinds, tells that the extremum marked there lies half a
 * sample earlier: in the middle of a plateau of even length (math/marks.h).
 */
#ifndef WSI_CUDA_MARKS_CUH
#define WSI_CUDA_MARKS_CUH

#include "cuda/emd/block/lanes.cuh"
#include "cuda/emd/row.h"

constexpr int GROUP = 16;             /* samples */
constexpr int SPAN = 32 * GROUP;      /* samples of a warp, of a word of summary */

/* One of the bitmaps of a signal, for as many groups as the signal's tiles have.  Of half bits only
 * those words of groups are valid that the summary names. */
struct bitmap {
	uint16_t *group;              /* [groups] */
	uint32_t *summary;            /* [groups / 32] */
};

/* What a thread counts; see wsi_counts and wsi_mean_counts. */
struct tally {
	unsigned extrema;             /* maxima, minima << 16 */
	unsigned signs;               /* zero crossings, wrong signs << 16 */
	unsigned above;               /* above sd, above sd2 << 16 */
};

/* Bits of the samples s0 .. s0 + 15 that are not below low, nor above high. */
__device__ __forceinline__ unsigned
bits_within(int s0, int low, int high)
{
	if (s0 >= low && s0 + GROUP - 1 <= high)
		return 0xffffu;
	const int from = min(max(low - s0, 0), GROUP), past = min(max(high - s0 + 1, 0), GROUP);
	return 0xffffu & (~0u << from) & ~(~0u << past);
}

/* The word of a number that holds its sign in the highest bit. */
__device__ __forceinline__ unsigned
sign_word(float x)
{
	return __float_as_uint(x);
}

__device__ __forceinline__ unsigned
sign_word(double x)
{
	return (unsigned)__double2hiint(x);
}

/* Bit i: the step to sample s0 + i of a thread's group, for i = 0 .. 16, rises
 * or falls; y as in mark_tile.  Differences never round to zero, so that their
 * signs compare. */
template <class T>
__device__ __forceinline__ void
steps_of_group(const T (&y)[GROUP + 2], T flat, unsigned &rise, unsigned &fall)
{
	rise = fall = 0;
#pragma unroll
	for (int i = GROUP; i >= 0; --i) {
		const T step = y[i + 1] - y[i];
		rise = __funnelshift_l(sign_word(flat - step), rise, 1);
		fall = __funnelshift_l(sign_word(step + flat), fall, 1);
	}
}

/* Zero crossings and signs that an IMF's extrema would not have; bit i: of sample s0 + i - 1, for i
 * = 0 .. 16. */
__device__ __forceinline__ unsigned
count_sign_bits(unsigned positive, unsigned negative, int s0, int n, const unsigned mark[2])
{
	const unsigned before = s0 > 0 ? 0x1ffffu : 0x1fffeu; /* sample -1 is no zero */
	const unsigned zero = ~(positive | negative) & before;
	positive &= before;
	negative &= before;
	const unsigned here = bits_within(s0, 0, n - 1);
	const unsigned flips = ((positive >> 1 & negative) | (negative >> 1 & positive)) & here;
	const unsigned fresh = zero >> 1 & ~zero & here;
	const unsigned wrong_max = mark[WSI_MAX] & ~(positive >> 1);
	const unsigned wrong_min = mark[WSI_MIN] & ~(negative >> 1);
	return (__popc(flips) + __popc(fresh)) | (__popc(wrong_max) + __popc(wrong_min)) << 16;
}

/* The same of samples. */
template <class T>
__device__ __forceinline__ unsigned
count_signs(const T (&y)[GROUP + 2], int s0, int n, const unsigned mark[2])
{
	unsigned positive = 0, negative = 0;
#pragma unroll
	for (int i = 0; i <= GROUP; ++i) {
		if (y[i] > (T)0)
			positive |= 1u << i;
		if (y[i] < (T)0)
			negative |= 1u << i;
	}
	return count_sign_bits(positive, negative, s0, n, mark);
}

/* Stores the marks of a warp's groups, of which `group` is this thread's. */
__device__ __forceinline__ void
store_marks(const bitmap of[2], int group, const unsigned mark[2])
{
#pragma unroll
	for (int kind = 0; kind < 2; ++kind) {
		of[kind].group[group] = (uint16_t)mark[kind];
		const unsigned any = __ballot_sync(FULL, mark[kind] != 0);
		if ((threadIdx.x & 31) == 0)
			of[kind].summary[group >> 5] = any;
	}
}

/* Stores the half bits of a warp's groups, of which `group` is this thread's. */
__device__ __forceinline__ void
store_halves(const bitmap &of, int group, unsigned half)
{
	const unsigned any = __ballot_sync(FULL, half != 0);
	if (half)
		of.group[group] = (uint16_t)half;
	if ((threadIdx.x & 31) == 0)
		of.summary[group >> 5] = any;
}

/* The half bits of a group; both loads are under way together. */
__device__ __forceinline__ unsigned
halves_of_group(const bitmap &of, int group)
{
	const unsigned any = __ldcg(of.summary + (group >> 5)), half = __ldcg(of.group + group);
	return any >> (group & 31) & 1 ? half : 0u;
}

/* A search of one warp for the marks nearest a place, in order. */
template <int SIDE> struct seeker {
	int need, got;
	int *sample;                  /* [need] shared: what is found */

	/* Lanes bring groups in order; m holds the bits of this lane's. */
	__device__ __forceinline__ void
	bring(unsigned m, int group)
	{
		const int c = __popc(m), through = scan_lanes(c);
		for (int rank = got + through - c; m && rank < need; ++rank)
			sample[rank] = group * GROUP + take_bit<SIDE>(m);
		got = min(need, got + __shfl_sync(FULL, through, 31));
	}
};

/*
 * Up to `need` marked samples nearest group `from`, outwards: left of it, or
 * from it on to the right; returns how many there are.  One warp; sample and
 * room: `need` numbers each in shared memory.
 */
template <int SIDE>
__device__ __forceinline__ int
nearest_marks(const bitmap &marks, int groups, int from, int need, int *sample, int *room)
{
	constexpr int WORDS = 4; /* of summary for a lane at a time */
	const int lane = threadIdx.x & 31, words = groups / 32;
	seeker<SIDE> s = { need, 0, sample };
	if (need <= 0 || (SIDE == WSI_LEFT ? from <= 0 : from >= groups))
		return 0;
	/* The word at hand, group by group: all there is to do where extrema are dense. */
	const int word = SIDE == WSI_LEFT ? (from - 1) / 32 : from / 32;
	const int group = word * 32 + (SIDE == WSI_LEFT ? 31 - lane : lane);
	const bool in = SIDE == WSI_LEFT ? group < from : group >= from;
	unsigned bits[WORDS];
	/* The summary of the words from the k-th on, of which some are left. */
	const auto load = [&](int k, int left) {
#pragma unroll
		for (int i = 0; i < WORDS; ++i) {
			const int d = lane * WORDS + i;
			const int w = SIDE == WSI_LEFT ? word - k - d : word + k + d;
			bits[i] = d < left ? __ldcg(marks.summary + w) : 0u;
		}
	};
	const int beyond = SIDE == WSI_LEFT ? word : words - word - 1;
	load(1, beyond); /* on its way meanwhile, if it is wanted */
	s.bring(in ? __ldcg(marks.group + group) : 0u, group);
	for (int k = 1; s.got < need; k += 32 * WORDS) {
		const int left = beyond - k + 1;
		if (left <= 0)
			break;
		if (k > 1)
			load(k, left);
		int c = 0;
#pragma unroll
		for (int i = 0; i < WORDS; ++i)
			c += __popc(bits[i]);
		/* As many groups as marks are missing are enough. */
		const int through = scan_lanes(c), missing = need - s.got;
		int rank = through - c;
#pragma unroll
		for (int i = 0; i < WORDS; ++i) {
			const int d = lane * WORDS + i;
			const int w = SIDE == WSI_LEFT ? word - k - d : word + k + d;
			for (; bits[i] && rank < missing; ++rank)
				room[rank] = w * 32 + take_bit<SIDE>(bits[i]);
		}
		const int found = min(missing, __shfl_sync(FULL, through, 31));
		__syncwarp();
		for (int i = 0; i < found && s.got < need; i += 32) {
			const int g = i + lane < found ? room[i + lane] : 0;
			s.bring(i + lane < found ? __ldcg(marks.group + g) : 0u, g);
		}
		__syncwarp();
	}
	__syncwarp();
	return s.got;
}

#endif
