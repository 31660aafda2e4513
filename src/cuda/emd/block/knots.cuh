/*
 * knots.cuh - the knots that a tile needs beside its own: those beyond it, and
 * the extras of a boundary rule that lie among its samples.
 */
#ifndef WSI_CUDA_KNOTS_CUH
#define WSI_CUDA_KNOTS_CUH

#include "base/element.h"
#include "cuda/emd/block/marks.cuh"
#include "cuda/emd/row.h"

/* How many knots a tile needs before and after it: those that decide the slopes of the knots either
 * side of its samples, and either side of the sample that follows; and one more, which tells that
 * the row's knots do not end with them. */
template <class T> constexpr int BEFORE_TILE = real<T>::REACH + 3;
template <class T> constexpr int AFTER_TILE = real<T>::REACH + 4;

/* The signal that a tile is part of. */
template <class T> struct signal {
	const T *x;
	int n, groups;                /* samples; groups of all tiles */
	uint16_t *marks;              /* [bitmap][groups] */
	uint32_t *summary;            /* [bitmap][groups / 32] */
	const row_extras<T> (*extra)[2]; /* [kind][side] */
	bool extras_inside;           /* of what is asked for, or between it and an end's others */
	bool halves, cyclic;          /* some extremum has a half bit */

	__device__ __forceinline__ bitmap
	bits(int kind) const
	{
		return { marks + (unsigned)(kind * groups),
			 summary + (unsigned)kind * ((unsigned)groups / 32) };
	}
};

/* The first sample at or after a tick. */
__device__ __forceinline__ int
sample_of(int32_t t)
{
	return (t + 1) >> 1;
}

template <class T> struct knot {
	int32_t t;
	T v;
};

/* The value of an extremum's knot at tick t; HALF: some of x lie between two samples. */
template <bool HALF, class T>
__device__ __forceinline__ T
value_at(const T *x, int32_t t)
{
	if constexpr (!HALF)
		return __ldcg(x + t / WSI_TICKS);
	const int sample = sample_of(t);
	const T v = __ldcg(x + sample);
	const bool half = t & 1;
	const T before = half ? __ldcg(x + sample - 1) : v; /* on its way with the other */
	return half ? knot_between(before, v) : v;
}

/* The knot of the extremum marked at a sample. */
template <class T>
__device__ __forceinline__ knot<T>
knot_of(const signal<T> &s, int sample)
{
	const T v = __ldcg(s.x + sample);
	if (!s.halves)
		return { sample * WSI_TICKS, v };
	const T before = __ldcg(s.x + max(sample - 1, 0));
	const int half = halves_of_group(s.bits(HALVES), sample / GROUP) >> sample % GROUP & 1;
	return { sample * WSI_TICKS - half, half ? knot_between(before, v) : v };
}

/* ---- Knots beyond a tile ------------------------------------------------------------ */

/* Knots that a warp appends on one side of a list, from the tile outwards. */
template <class T, int SIDE> struct appender {
	int32_t *t;
	T *v;
	int at, got, need;

	__device__ __forceinline__ int
	index(int i) const
	{
		return SIDE == WSI_LEFT ? at - 1 - i : at + i;
	}

	__device__ __forceinline__ void
	extras(const row_extras<T> &e, int begin, int end)
	{
		for (int k = 0; k < e.n; ++k) {
			const int i = SIDE == WSI_LEFT ? e.n - 1 - k : k;
			const int sample = sample_of(e.t[i]);
			if ((SIDE == WSI_LEFT ? sample >= begin : sample < end) || got == need)
				continue;
			if ((threadIdx.x & 31) == 0) {
				t[index(got)] = e.t[i];
				v[index(got)] = e.v[i];
			}
			++got;
		}
	}

	/* Marked samples, their ticks shifted by `away`. */
	__device__ __forceinline__ void
	samples(const signal<T> &s, const int *sample, int count, int32_t away)
	{
		for (int i = threadIdx.x & 31; i < count; i += 32) {
			const knot<T> k = knot_of(s, sample[i]);
			t[index(got + i)] = k.t + away;
			v[index(got + i)] = k.v;
		}
		got += count;
	}
};

/*
 * The knots of a kind beside a tile, from `group` on to one side, in the case that takes most time:
 * extrema are dense and have no extras among them, so that the next NEAR_SPANS spans hold all that
 * is needed.  False if they do not.  One warp.  HALF: some knots lie between two samples.
 */
constexpr int NEAR_SPANS = 4;

template <bool HALF, int SIDE, class T>
__device__ __forceinline__ bool
knots_beside(const signal<T> &s, int kind, int group, appender<T, SIDE> a)
{
	constexpr int TIMES = (AFTER_TILE<T> + 31) / 32;
	const uint16_t *const marks = s.marks + (size_t)kind * s.groups;
	const int lane = threadIdx.x & 31;
	for (int look = 0; look < NEAR_SPANS && a.got < a.need; ++look) {
		const int away = look * 32 + lane;
		const int mine = SIDE == WSI_LEFT ? group - 1 - away : group + away;
		const bool there = mine >= 0 && mine < s.groups;
		unsigned bits = there ? __ldcg(marks + mine) : 0u;
		const unsigned half = HALF && there ? halves_of_group(s.bits(HALVES), mine) : 0u;
		const int c = __popc(bits), through = scan_lanes(c);
		for (int rank = a.got + through - c; bits && rank < a.need; ++rank) {
			const int at = take_bit<SIDE>(bits);
			a.t[a.index(rank)] =
				(mine * GROUP + at) * WSI_TICKS - (HALF ? half >> at & 1 : 0);
		}
		a.got += __shfl_sync(FULL, through, 31);
	}
	if (a.got < a.need)
		return false;
	__syncwarp();
	T v[TIMES];
#pragma unroll
	for (int k = 0; k < TIMES; ++k)
		if (lane + 32 * k < a.need)
			v[k] = value_at<HALF>(s.x, a.t[a.index(lane + 32 * k)]);
#pragma unroll
	for (int k = 0; k < TIMES; ++k)
		if (lane + 32 * k < a.need)
			a.v[a.index(lane + 32 * k)] = v[k];
	return true;
}

/* The summary of half bits of a tile of groups from begin to end - 1, and of those groups that
 * knots_beside looks at: lane k of a warp has the word of the tile's span k - NEAR_SPANS. */
template <class T>
__device__ __forceinline__ unsigned
halves_near(const signal<T> &s, int begin, int end)
{
	const int lane = threadIdx.x & 31, span = begin / 32 - NEAR_SPANS + lane;
	const bool near = span >= 0 && span < min(end / 32 + NEAR_SPANS, s.groups / 32);
	return near ? __ldcg(s.bits(HALVES).summary + span) : 0u;
}

/* The half bits of this thread's group, given what halves_near gave the lanes of its warp. */
template <class T>
__device__ __forceinline__ unsigned
halves_of_own(const signal<T> &s, unsigned near, int group)
{
	const unsigned any = __shfl_sync(FULL, near, NEAR_SPANS + threadIdx.x / 32);
	return any >> (group & 31) & 1 ? __ldcg(s.bits(HALVES).group + group) : 0u;
}

/* The same signal once more, as often as it takes, while ticks last. */
template <int SIDE, class T>
__device__ __noinline__ void
periods_beyond(const signal<T> &s, int kind, appender<T, SIDE> &a, int *found, int *room)
{
	const int from = SIDE == WSI_LEFT ? s.groups : 0;
	const int64_t most = WSI_SAMPLES_BOUND, last = (int64_t)WSI_TICKS * (s.n - 1);
	for (int64_t times = 1; a.got < a.need; ++times) {
		__syncwarp();
		int count = nearest_marks<SIDE>(s.bits(kind), s.groups, from, a.need - a.got, found,
		                                room);
		const int64_t away = (SIDE == WSI_LEFT ? -WSI_TICKS : WSI_TICKS) * times * s.n;
		for (; count > 0; --count) {
			const int64_t t = knot_of(s, found[count - 1]).t + away;
			if (SIDE == WSI_LEFT ? t >= -most : t <= last + most)
				break;
		}
		if (count == 0)
			break;
		a.samples(s, found, count, (int32_t)away);
	}
}

/*
 * The knots of a kind beyond samples begin .. end - 1, which are groups up to
 * groups_end, on one side, nearest first: extras, extrema, extras; returns how
 * many.  One warp; dense: these may be, see knots_beside, but lie between two samples.
 */
template <int SIDE, class T>
__device__ __noinline__ int
knots_beyond(const signal<T> &s, int kind, int begin, int end, int groups_end, bool dense,
             appender<T, SIDE> a, int *found, int *room)
{
	const int from = SIDE == WSI_LEFT ? begin / GROUP : groups_end;
	if (dense && knots_beside<true>(s, kind, from, a))
		return a.need;
	if (s.extras_inside)
		a.extras(s.extra[kind][SIDE == WSI_LEFT ? WSI_RIGHT : WSI_LEFT], begin, end);
	const int count =
		nearest_marks<SIDE>(s.bits(kind), s.groups, from, a.need - a.got, found, room);
	a.samples(s, found, count, 0);
	if (a.got < a.need) {
		if (s.cyclic)
			periods_beyond(s, kind, a, found, room);
		else
			a.extras(s.extra[kind][SIDE], begin, end);
	}
	return a.got;
}

/* ---- Extras among samples -------------------------------------------------------- */

/* Bits of the extras of a kind that lie in the group from s0 on. */
template <class T>
__device__ __noinline__ unsigned
extras_of_group(const row_extras<T> *extra, int n, int s0)
{
	unsigned bits = 0;
	for (int side = 0; side < 2; ++side)
		for (int k = 0; k < extra[side].n; ++k) {
			const int inside = sample_of(extra[side].t[k]) - s0;
			if (inside >= 0 && inside < GROUP && s0 + inside < n)
				bits |= 1u << inside;
		}
	return bits;
}

/*
 * The same of both kinds; and at[], from the interval that marks alone would put s0 in to that
 * where extras inside the row count, too.  Extras are few, and those inside fewer: a lane looks at
 * each, and all take note of these.  half: those between two samples are added; no sample has knots
 * of both kinds.  One warp; extra: [kind][side].
 */
template <class T>
__device__ __forceinline__ void
add_extras(const row_extras<T> (&extra)[2][2], int n, int s0, unsigned (&mark)[2], unsigned &half,
           int (&at)[2])
{
	const int lane = threadIdx.x & 31, k = lane % WSI_NEAR;
	const row_extras<T> &e = extra[lane / (2 * WSI_NEAR) & 1][lane / WSI_NEAR & 1];
	const int32_t t = lane < 4 * WSI_NEAR && k < e.n ? e.t[k] : -WSI_TICKS;
	const int sample = sample_of(t);
	const bool is_inside = sample >= 0 && sample < n;
	for (unsigned left = __ballot_sync(FULL, is_inside); left;) {
		const int lane_of = take_bit<WSI_RIGHT>(left);
		const int inside = __shfl_sync(FULL, sample, lane_of) - s0;
		const unsigned bit = inside >= 0 && inside < GROUP ? 1u << inside : 0u;
		const int more =
			lane_of / WSI_NEAR & 1 ? (inside < 0 ? 1 : 0) : (inside < 0 ? 0 : -1);
		const bool maximum = lane_of < 2 * WSI_NEAR;
		half |= __shfl_sync(FULL, t, lane_of) & 1 ? bit : 0u;
		mark[WSI_MAX] |= maximum ? bit : 0u;
		mark[WSI_MIN] |= maximum ? 0u : bit;
		at[WSI_MAX] += maximum ? more : 0;
		at[WSI_MIN] += maximum ? 0 : more;
	}
}

/* Puts them among the group's knots, which are at t and v. */
template <class T>
__device__ __noinline__ void
place_extras(const row_extras<T> *extra, int n, int s0, unsigned mark, int32_t *t, T *v)
{
	for (int side = 0; side < 2; ++side)
		for (int k = 0; k < extra[side].n; ++k) {
			const int inside = sample_of(extra[side].t[k]) - s0;
			if (inside < 0 || inside >= GROUP || s0 + inside >= n)
				continue;
			const int at = __popc(mark & ((1u << inside) - 1));
			t[at] = extra[side].t[k];
			v[at] = extra[side].v[k];
		}
}

#endif
