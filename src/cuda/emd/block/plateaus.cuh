/*
 * plateaus.cuh - extrema where a signal stays level for a while: a run of
 * steps that neither rise nor fall, between a rise and a fall, is one extremum,
 * marked at its middle rounded up; its half bit tells that the middle lies half a sample earlier.
 * A level step alone may count all the same (math/plateau.h).
 *
 * Runs inside a tile are marked by its block.  Of those that touch its edges
 * it leaves a note, and the block that ends the row's phase joins the notes.
 */
#ifndef WSI_CUDA_PLATEAUS_CUH
#define WSI_CUDA_PLATEAUS_CUH

#include "cuda/emd/block/marks.cuh"
#include "cuda/emd/row.h"
#include "math/plateau.h"

/* Is a step of a thread's group level, given those that rise and fall? */
__device__ __forceinline__ bool
some_level(unsigned rise, unsigned fall)
{
	return seldom((~(rise | fall) & 0xffffu) != 0);
}

/* Is one of them, as far as the group tells, beside none that is level, too?  Only of such is it
 * ever asked what they are exactly; runs of many, as crests of slow waves have, are passed over. */
__device__ __forceinline__ bool
some_alone(unsigned rise, unsigned fall, int s0, int n)
{
	const unsigned level = bits_within(s0, 1, n - 1) & ~(rise | fall);
	return (level & ~(level << 1) & ~(level >> 1)) != 0;
}

/* Of a tile, for its plateaus: 16 steps or samples a thread. */
template <int WARPS> struct plateau_memory {
	unsigned rise[WARPS * 32], fall[WARPS * 32];
	unsigned mark[WARPS * 32];    /* maxima, minima << 16 */
	unsigned half[WARPS * 32];
	unsigned other[WARPS * 32];   /* steps that are not level, or do not exist */
	unsigned any[WARPS];          /* threads that have such */
};

enum { STEP_NONE, STEP_RISE, STEP_FALL };

__device__ __forceinline__ int
direction(unsigned rise, unsigned fall, int i)
{
	return rise >> i & 1 ? STEP_RISE : fall >> i & 1 ? STEP_FALL : STEP_NONE;
}

/* A direction as math/plateau.h has it. */
__device__ __forceinline__ int
sign_of(int step)
{
	return step == STEP_RISE ? 1 : step == STEP_FALL ? -1 : 0;
}

/* A direction goes beside another one in a row_edge: of a level step that is alone at that edge of
 * the tile, what it is exactly. */
constexpr int LONE_SHIFT = 2;

/* Steps of a thread's group that rise or, << 16, fall by anything at all. */
template <class T>
__device__ __forceinline__ void
note_exactly(unsigned &exact, int i, T from, T to)
{
	exact |= (to > from ? 1u : to < from ? 1u << 16 : 0u) << i;
}

/* Where the run of level steps from `step` of a tile on ends: its first step that is other, or
 * none. */
template <int WARPS>
__device__ __forceinline__ int
run_end(const plateau_memory<WARPS> &m, int step)
{
	int thread = step / GROUP;
	unsigned other = m.other[thread] >> step % GROUP;
	if (other)
		return step + __ffs(other) - 1;
	unsigned threads = ++thread % 32 ? m.any[thread / 32] >> thread % 32 << thread % 32 : 0u;
	for (int w = (thread + 31) / 32; !threads && w < WARPS; ++w, thread = w * 32)
		threads = m.any[w];
	if (!threads)
		return WARPS * SPAN;
	thread = (thread - 1) / 32 * 32 + __ffs(threads) - 1;
	return thread * GROUP + __ffs(m.other[thread]) - 1;
}

/* The last step of a tile that is not level; -1: all are. */
template <int WARPS>
__device__ __forceinline__ int
last_other(const plateau_memory<WARPS> &m)
{
	for (int w = WARPS - 1; w >= 0; --w)
		if (m.any[w]) {
			const int thread = w * 32 + 31 - __clz(m.any[w]);
			return thread * GROUP + 31 - __clz(m.other[thread]);
		}
	return -1;
}

template <int WARPS>
__device__ __forceinline__ int
direction_of(const plateau_memory<WARPS> &m, int step)
{
	return direction(m.rise[step / GROUP], m.fall[step / GROUP], step % GROUP);
}

/* Does a plateau, given its level steps first .. last, have its middle between two samples?  Step i
 * leads to sample i. */
__device__ __forceinline__ bool
is_even_plateau(int first, int last)
{
	return ((first + last) & 1) == 0;
}

/* Marks a sample of the tile; sign: 1 a maximum, -1 a minimum, 0 neither. */
template <int WARPS>
__device__ __forceinline__ void
put_mark(plateau_memory<WARPS> &m, int sample, int sign)
{
	if (sign)
		atomicOr(&m.mark[sample / GROUP], 1u << (sample % GROUP + (sign > 0 ? 0 : 16)));
}

/*
 * The plateaus inside a tile of a signal of n samples.  Returns the marks of this thread's group,
 * of maxima and, << 16, of minima; half gets their half bits.  EDGES: *edge gets what touches the
 * edges of the tile.  rise and fall: the steps of this thread's group; one that does not exist is
 * in neither.  exact: see note_exactly; 0 where no level step counts.  All threads of the block.
 */
template <int WARPS, bool EDGES>
__device__ __forceinline__ unsigned
plateaus_of_tile(plateau_memory<WARPS> &m, int begin, int n, unsigned rise, unsigned fall,
                 unsigned exact, unsigned &half, row_edge *edge)
{
	constexpr int END = WARPS * SPAN;
	const int me = threadIdx.x;
	const unsigned exist = bits_within(begin + me * GROUP, 1, n - 1);
	const unsigned level = exist & ~(rise | fall), other = 0xffffu & ~level;
	const unsigned any = __ballot_sync(FULL, other != 0);
	m.rise[me] = rise;
	m.fall[me] = fall;
	m.other[me] = other;
	m.mark[me] = m.half[me] = 0;
	if (me % 32 == 0)
		m.any[me / 32] = any;
	sync_tile<WARPS>();
	const unsigned last_before =
		me > 0 ? (m.rise[me - 1] | m.fall[me - 1]) >> (GROUP - 1) & 1 : 0u;
	/* Bit i: a level run begins at this step, after one that is not. */
	unsigned starts = level & ~(level << 1 | (last_before ? 0u : 1u));
	while (starts) {
		const int bit = take_bit<WSI_RIGHT>(starts), first = me * GROUP + bit;
		const int end = run_end(m, first);
		/* What follows is beside the tile, if there is any. */
		if (end == END && begin + END != n)
			continue;
		const int in = sign_of(direction_of(m, first - 1));
		const int out = end < END ? sign_of(direction_of(m, end)) : 0;
		const int lone = end == first + 1 ? sign_of(direction(exact, exact >> 16, bit)) : 0;
		const wsi_plateau p = plateau_between(in, lone, out);
		put_mark(m, first - 1, p.first);
		put_mark(m, (first + end - 1) / 2, p.middle);
		put_mark(m, first, p.last);
		if (p.middle && is_even_plateau(first, end - 1)) {
			const int middle = (first + end - 1) / 2;
			atomicOr(&m.half[middle / GROUP], 1u << (middle % GROUP));
		}
	}
	sync_tile<WARPS>();
	if (EDGES && me == 0) {
		const int lead = run_end(m, 0);
		edge->lead = lead;
		edge->lead_out = lead < END ? direction_of(m, lead) : STEP_NONE;
		if (lead == 1)
			edge->lead_out |= direction(exact, exact >> 16, 0) << LONE_SHIFT;
	}
	if (EDGES && me == WARPS * 32 - 1) {
		const int last = last_other(m);
		edge->trail = END - 1 - last;
		edge->trail_in = last >= 0 ? direction_of(m, last) : STEP_NONE;
		if (END - 1 - last == 1)
			edge->trail_in |= direction(exact, exact >> 16, GROUP - 1) << LONE_SHIFT;
	}
	half = m.half[me];
	return m.mark[me];
}

/* At once, past the caches of the multiprocessor. */
__device__ __forceinline__ row_edge
load_edge(const row_edge *edge)
{
	const int4 e = __ldcg((const int4 *)edge);
	return { e.x, e.y, e.z, e.w };
}

/* The plateau across the edge after tile i, which is left, and which is no run before: next is the
 * tile after it, and right tile k, the first of these that is not level throughout.  Calls
 * found(plateau, first, last, i) if it has an extremum; first and last: its samples. */
template <class Found>
__device__ __forceinline__ void
plateau_across(const row_edge &left, const row_edge &next, const row_edge &right, int i, int k,
               int tile_samples, Found found)
{
	constexpr int PLAIN = (1 << LONE_SHIFT) - 1;
	const bool alone = left.trail + next.lead == 1;
	const int lone = !alone ? STEP_NONE
	                        : (left.trail ? left.trail_in : next.lead_out) >> LONE_SHIFT;
	const int first = (i + 1) * tile_samples - left.trail;
	const int last = k * tile_samples + right.lead - 1;
	const wsi_plateau p = plateau_between(sign_of(left.trail_in & PLAIN), sign_of(lone),
	                                      sign_of(right.lead_out & PLAIN));
	if (p.first || p.middle || p.last)
		found(p, first - 1, last, i);
}

/* Does a run of level steps begin in a tile, and touch the edge after it? */
__device__ __forceinline__ bool
run_begins(const row_edge &left, const row_edge &next, int tile_samples)
{
	return left.trail != tile_samples && (left.trail > 0 || next.lead > 0);
}

/* The plateaus across the edges of a row's tiles: calls found(plateau, first, last, i) for
 * each that has an extremum, whose first and last sample these are, and that begins in tile i.  All
 * threads of one block; edge_of(i) gives what touches the edges of a tile: at once. */
template <class EdgeOf, class Found>
__device__ __forceinline__ void
plateaus_across(EdgeOf edge_of, int tiles, int tile_samples, Found found)
{
	for (int i = threadIdx.x; i + 1 < tiles; i += blockDim.x) {
		const row_edge left = edge_of(i), next = edge_of(i + 1);
		if (!run_begins(left, next, tile_samples))
			continue;
		row_edge right = next;
		int k = i + 1;
		while (right.lead == tile_samples && ++k < tiles)
			right = edge_of(k);
		if (k < tiles)
			plateau_across(left, next, right, i, k, tile_samples, found);
	}
}

/* The first tile from k on that is not level throughout, or `tiles`.  One warp, which looks at many
 * at a time. */
template <class EdgeOf>
__device__ __forceinline__ int
first_not_level(EdgeOf edge_of, int k, int tiles, int tile_samples)
{
	constexpr int AT_ONCE = 4; /* of a lane */
	for (; k < tiles; k += 32 * AT_ONCE) {
		int lead[AT_ONCE];
#pragma unroll
		for (int j = 0; j < AT_ONCE; ++j) {
			const int tile = k + 32 * j + (int)(threadIdx.x & 31);
			lead[j] = tile < tiles ? edge_of(tile).lead : 0;
		}
#pragma unroll
		for (int j = 0; j < AT_ONCE; ++j) {
			const unsigned others = __ballot_sync(FULL, lead[j] != tile_samples);
			if (others)
				return min(k + 32 * j + __ffs(others) - 1, tiles);
		}
	}
	return tiles;
}

/* The same where edges come from far away, and runs may be of hundreds of tiles: a warp has 32
 * tiles, of which only the last run goes on beyond these, and looks for its end together. */
template <class EdgeOf, class Found>
__device__ __forceinline__ void
plateaus_across_far(EdgeOf edge_of, int tiles, int tile_samples, Found found)
{
	const int lane = threadIdx.x & 31;
	for (int i0 = uniform((int)threadIdx.x - lane); i0 + 1 < tiles; i0 += blockDim.x) {
		const int i = i0 + lane;
		const bool there = i + 1 < tiles;
		const row_edge left = there ? edge_of(i) : row_edge{};
		const row_edge next = there ? edge_of(i + 1) : row_edge{};
		const bool begins = there && run_begins(left, next, tile_samples);
		/* Bit of this lane and up: the tile after is not level throughout, or is none. */
		const unsigned others = __ballot_sync(FULL, next.lead != tile_samples) >> lane;
		const int end = lane + (others ? __ffs(others) - 1 : 0);
		row_edge right = { __shfl_sync(FULL, next.lead, end),
			           __shfl_sync(FULL, next.lead_out, end), 0, 0 };
		int k = i0 + 1 + end;
		if (__any_sync(FULL, begins && !others)) {
			const int far = first_not_level(edge_of, i0 + 33, tiles, tile_samples);
			if (!others) {
				k = far;
				right = far < tiles ? edge_of(far) : row_edge{};
			}
		}
		if (begins && k < tiles)
			plateau_across(left, next, right, i, k, tile_samples, found);
	}
}

/* The kind of extremum of a sign that is not 0. */
__device__ __forceinline__ int
kind_of_sign(int sign)
{
	return sign > 0 ? WSI_MAX : WSI_MIN;
}

/* A plateau's middle, given its first and last sample; does it lie half a sample before? */
__device__ __forceinline__ int
plateau_middle(int first, int last)
{
	return (first + last + 1) / 2;
}

__device__ __forceinline__ bool
plateau_is_even(int first, int last)
{
	return ((last - first) & 1) != 0;
}

/* An extremum that an IMF would not have. */
template <class T>
__device__ __forceinline__ bool
has_wrong_sign(int kind, T v)
{
	return kind == WSI_MAX ? v <= (T)0 : v >= (T)0;
}

/*
 * The extrema of each thread of a tile that begins at sample `begin` of n, and their half bits,
 * given its steps (steps_of_group).  All threads of the block.  True where a step was level, if
 * plateaus count; elsewhere there are no half bits.  half_ticks: there are any at all.  exact: see
 * plateaus_of_tile; 0 where no level step is alone (some_alone).  EDGES: there are other tiles.
 */
template <int WARPS, bool EDGES = true>
__device__ __forceinline__ bool
mark_steps(plateau_memory<WARPS> &m, unsigned rise, unsigned fall, unsigned exact, int begin, int n,
           bool plateaus, bool half_ticks, unsigned mark[2], unsigned &half, tally &count,
           row_edge *edge)
{
	const int s0 = begin + (int)threadIdx.x * GROUP;
	/* No step leads to sample 0, nor to those beyond the end. */
	const unsigned exist = bits_within(s0, 1, n - 1) | (s0 + GROUP < n ? 1u << GROUP : 0u);
	/* What is no number neither rises nor falls. */
	const unsigned is_number = exist & ~(rise & fall);
	rise &= is_number;
	fall &= is_number;
	mark[WSI_MAX] = rise & fall >> 1 & 0xffffu;
	mark[WSI_MIN] = fall & rise >> 1 & 0xffffu;
	bool level = false;
	half = 0;
	if (plateaus) {
		level = sync_tile_or<WARPS>((exist & ~(rise | fall) & 0xffffu) != 0);
		if (level) {
			const unsigned more = plateaus_of_tile<WARPS, EDGES>(
				m, begin, n, rise & 0xffffu, fall & 0xffffu, exact, half, edge);
			mark[WSI_MAX] |= more & 0xffffu;
			mark[WSI_MIN] |= more >> 16;
			half = half_ticks ? half : 0u;
		} else if (EDGES) {
			/* What the tiles beside may want to know of runs that end here. */
			if (threadIdx.x == 0) {
				edge->lead = 0;
				edge->lead_out = direction(rise, fall, 0);
			}
			if (threadIdx.x == WARPS * 32 - 1) {
				edge->trail = 0;
				edge->trail_in = direction(rise, fall, GROUP - 1);
			}
		}
	}
	count.extrema = __popc(mark[WSI_MAX]) | __popc(mark[WSI_MIN]) << 16;
	return level;
}

/* The same of samples y[1] .. y[16]; y[0] and y[17] are their neighbours, of any value where there
 * is none.  lone: a level step alone counts if it is not 0. */
template <class T, int WARPS, bool EDGES = true>
__device__ __forceinline__ bool
mark_tile(plateau_memory<WARPS> &m, const T (&y)[GROUP + 2], int begin, int n, T flat, bool signs,
          bool plateaus, bool lone, bool half_ticks, unsigned mark[2], unsigned &half, tally &count,
          row_edge *edge)
{
	unsigned rise, fall, exact = 0;
	steps_of_group(y, flat, rise, fall);
	const int s0 = begin + (int)threadIdx.x * GROUP;
	if (lone && some_level(rise, fall) && some_alone(rise, fall, s0, n))
#pragma unroll
		for (int i = 0; i < GROUP; ++i)
			note_exactly(exact, i, y[i], y[i + 1]);
	const bool level = mark_steps<WARPS, EDGES>(m, rise, fall, exact, begin, n, plateaus,
	                                            half_ticks, mark, half, count, edge);
	count.signs = signs ? count_signs(y, s0, n, mark) : 0u;
	return level;
}

#endif
