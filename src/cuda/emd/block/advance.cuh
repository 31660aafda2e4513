/*
 * advance.cuh - what happens between two sifts of a row: counts are read, the stop
 * rule is asked, the knots beyond the ends are made.  One block does it, by the
 * same decisions as cpu/emd/sifter.c.
 */
#ifndef WSI_CUDA_ADVANCE_CUH
#define WSI_CUDA_ADVANCE_CUH

#include "cuda/emd/block/list.cuh"
#include "cuda/emd/block/plateaus.cuh"
#include "cuda/emd/block/rows.cuh"
#include "cuda/emd/block/tile.cuh"
#include "cuda/device/order.cuh"
#include "cuda/emd/sift.h"

/* The extremum that a lane sees near an end, as wsi_near has them: lane = (side * 2 + kind) *
 * WSI_NEAR
 * + its number, of the `n` there are of the kind. */
template <class T> struct lane_near {
	int n;
	int32_t u;
	T v;
};

template <class T> struct advance_memory {
	row<T> r;                     /* while it is worked on */
	T end[2];                     /* [side] samples of h */
	lane_near<T> near[4 * WSI_NEAR]; /* by lanes, of what is seen there */
	int found[4][WSI_NEAR], room[4][WSI_NEAR];
	double sum[3];
	unsigned extrema, wrong_signs; /* of plateaus across edges */
	int phase;
};

/* The binary tree over n sums, in place; all threads. */
__device__ inline double
fold(double *v, int n)
{
	for (; n > 1; n = (n + 1) / 2) {
		const int half = n / 2;
		const bool odd = n & 1;
		/* In stretches, so that nobody overwrites what another has yet to read. */
		for (int i0 = 0; i0 < half + odd; i0 += blockDim.x) {
			const int i = i0 + threadIdx.x;
			double sum = 0.0;
			if (i < half)
				sum = v[2 * i] + v[2 * i + 1];
			else if (i == half && odd)
				sum = v[n - 1];
			__syncthreads();
			if (i < half + odd)
				v[i] = sum;
			__syncthreads();
		}
	}
	return *v;
}

/* Where one period ends and begins again there may be extrema, too. */
template <class T>
__device__ void
mark_seam(const T *x, int n, T flat, bool signs, const bitmap of[2], wsi_counts &c)
{
	for (int i = 0; i < 2 && n > 1; ++i) {
		const int at = i ? 0 : n - 1;
		const T left = __ldcg(x + (i ? n - 1 : n - 2)), right = __ldcg(x + (i ? 1 : 0));
		const T here = __ldcg(x + at);
		const bool up = here - left > flat && here - right > flat;
		const bool down = left - here > flat && right - here > flat;
		if (!up && !down)
			continue;
		const int kind = up ? WSI_MAX : WSI_MIN;
		atomicOr((unsigned *)of[kind].group + at / (2 * GROUP), 1u << (at % (2 * GROUP)));
		atomicOr(of[kind].summary + at / SPAN, 1u << (at / GROUP % 32));
		c.extrema[kind]++;
		if (signs)
			c.wrong_sign += up ? here <= (T)0 : here >= (T)0;
	}
}

/* The counts of h, from the sums and the plateaus across edges. */
template <class T>
__device__ __forceinline__ void
read_sums(row<T> &r, unsigned extrema, unsigned wrong_signs)
{
	r.counts = {};
	r.counts.extrema[WSI_MAX] = (int64_t)(r.sums.extrema & 0xffffffffu) + (extrema & 0xffffu);
	r.counts.extrema[WSI_MIN] = (int64_t)(r.sums.extrema >> 32) + (extrema >> 16);
	r.counts.zero_crossings = (int64_t)(r.sums.signs & 0xffffffffu);
	r.counts.wrong_sign = (int64_t)(r.sums.signs >> 32) + wrong_signs;
}

/* The stop rule; FIXED: it is known to be a number of sifts, so that code for others is none. */
template <bool FIXED, class T>
__device__ __forceinline__ wsi_rule
rule_of(const sift_rows<T> &s)
{
	wsi_rule rule = s.rule;
	if (FIXED)
		rule.stop = WS_STOP_FIXED;
	return rule;
}

/* h and its marks are there: is there a sift to make? */
template <bool FIXED, class T>
__device__ __forceinline__ int
advance_marked(const sift_rows<T> &s, row<T> &r)
{
	const wsi_rule rule = rule_of<FIXED>(s);
	const int64_t max = r.counts.extrema[WSI_MAX], min = r.counts.extrema[WSI_MIN];
	if (max + min < s.min_extrema || (s.needs_both && (max == 0 || min == 0)))
		return ROW_DONE;
	r.oscillates = true;
	const wsi_verdict verdict = judge_extrema(&rule, &r.judge, r.head.sifts, &r.counts, false);
	r.unfinished = verdict == WSI_CUT_OFF;
	return verdict == WSI_GO_ON ? ROW_KNOTS : ROW_DONE;
}

/* Is that as many sifts as are made, known beforehand?  Then what comes of the last needs no
 * marks, but its extent. */
template <class T>
__device__ __forceinline__ bool
is_last(const sift_rows<T> &s, int sifts)
{
	return judge_ends_with(&s.rule, sifts - 1);
}

/* The statistics that are wanted of the sift which so many others preceded. */
template <class T>
__device__ __forceinline__ wanted<T>
wanted_of(const sift_rows<T> &s, int i, int sifts)
{
	wanted<T> w;
	const wsi_wants wants = judge_wants(&s.rule, sifts);
	w.above = wants.above;
	w.sums = wants.sums;
	w.sd = (T)s.rule.p[0];
	w.sd2 = (T)s.rule.p[1];
	w.spans = s.groups / 32;
	w.sum = s.sums + (size_t)i * 3 * w.spans;
	return w;
}

/* Where the next h goes: in the end, if the number of sifts is known, to out. */
template <class T>
__device__ __forceinline__ int
next_place(const sift_rows<T> &s, const row<T> &r)
{
	if (r.place == ROW_SOURCE)
		return s.rule.stop == WS_STOP_FIXED && s.rule.sifts % 2 == 0 ? ROW_ROOM : ROW_OUT;
	return r.place == ROW_OUT ? ROW_ROOM : ROW_OUT;
}

/* Tells the blocks where h is, and where to put what comes of it. */
template <class T>
__device__ __forceinline__ void
point_to(const sift_rows<T> &s, int i, const row_input &input, row<T> &r)
{
	r.head.h = (void *)place_of(s, i, r.place);
	r.head.next = (void *)place_of(s, i, next_place(s, r));
	r.head.flat = input.flat;
}

/* A sift is done; its result is not yet h. */
template <bool FIXED, class T>
__device__ __forceinline__ int
advance_sifted(const sift_rows<T> &s, int i, row<T> &r, const double sum[3])
{
	const wsi_rule rule = rule_of<FIXED>(s);
	wsi_sift_stats stats = {};
	stats.n = s.n;
	stats.counts = r.counts;
	stats.above.above_sd = (int64_t)(r.sums.above & 0xffffffffu);
	stats.above.above_sd2 = (int64_t)(r.sums.above >> 32);
	stats.sum_m2 = sum[0];
	stats.sum_h2 = sum[1];
	stats.sum_q2 = sum[2];
	const wsi_verdict verdict = judge_mean(&rule, r.head.sifts, &stats);
	r.unfinished = verdict == WSI_CUT_OFF;
	if (verdict == WSI_IS_MODE || verdict == WSI_CUT_OFF)
		return ROW_DONE;
	r.place = next_place(s, r);
	r.head.set = 1 - r.head.set;
	++r.head.sifts;
	if (verdict == WSI_NEXT_IS_MODE)
		return ROW_DONE;
	return ROW_KNOTS;
}

/*
 * Makes the knots beyond the ends of h, each by a lane, of what they see near these; end: the end
 * sample of the lane's side.  One warp; lanes from 16 on see what the others do.
 */
template <class T>
__device__ __forceinline__ void
make_ends(row<T> &r, const sift_rows<T> &s, const lane_near<T> &near, T end)
{
	constexpr int SIDE = 2 * WSI_NEAR;
	const int lane = threadIdx.x & 31, side = lane / SIDE & 1, kind = lane / WSI_NEAR & 1;
	const int k = lane % WSI_NEAR, first = lane / SIDE * SIDE;
	const auto u_of = [&](int of, int i) {
		return __shfl_sync(FULL, near.u, first + of * WSI_NEAR + i);
	};
	const auto v_of = [&](int of, int i) {
		return __shfl_sync(FULL, near.v, first + of * WSI_NEAR + i);
	};
	const int32_t u[2][3] = { { u_of(0, 0), u_of(0, 1), u_of(0, 2) },
		                  { u_of(1, 0), u_of(1, 1), u_of(1, 2) } };
	int n;
	int32_t made_u;
	T made_v;
	if (s.boundary == WS_BOUNDARY_MIRROR) {
		const int there[2] = { __shfl_sync(FULL, near.n, first),
			               __shfl_sync(FULL, near.n, first + WSI_NEAR) };
		const int a = boundary_nearest(u[WSI_MAX][0], u[WSI_MIN][0]);
		const T highest = v_of(WSI_MAX, 0), lowest = v_of(WSI_MIN, 0);
		const bool inside =
			boundary_inside(a, (double)end, (double)(a == WSI_MAX ? lowest : highest),
		                        boundary_tie(r.head.flat));
		const wsi_mirror m = boundary_mirror_of(there, u, a, inside);
		n = kind ? m.n[1] : m.n[0];
		const int from = (kind ? m.first[1] : m.first[0]) + k;
		const int32_t from_u = u_of(kind, max(from, 0));
		const T from_v = v_of(kind, max(from, 0));
		made_u = from == WSI_END_SAMPLE ? 0 : 2 * m.about - from_u;
		made_v = from == WSI_END_SAMPLE ? end : from_v;
	} else {
		const wsi_near two = { near.n,
			               { kind ? u[1][0] : u[0][0], kind ? u[1][1] : u[0][1] },
			               { (double)v_of(kind, 0), (double)v_of(kind, 1) } };
		wsi_beyond out;
		boundary_extrapolated(s.boundary, &two, kind, (double)end, &out);
		n = out.n;
		made_u = out.u[0];
		made_v = (T)out.v[0];
	}
	const int last = (s.n - 1) * WSI_TICKS, t = side == WSI_LEFT ? made_u : last - made_u;
	const bool made = k < n;
	if (lane < 2 * SIDE) {
		row_extras<T> &e = r.extra[kind][side];
		const int at = side == WSI_LEFT ? n - 1 - k : k;
		if (made) {
			e.t[at] = t;
			e.v[at] = made_v;
		}
		if (k == 0)
			e.n = n;
	}
	/* How far they reach into the signal: to this sample from the left, from it on to the
	 * right. */
	int reach = side == WSI_LEFT ? (made ? max(sample_of(t) + 1, 0) : 0)
	                             : -(made ? min(sample_of(t), s.n) : s.n);
#pragma unroll
	for (int d = 1; d < SIDE; d *= 2)
		reach = max(reach, __shfl_xor_sync(FULL, reach, d));
	if (lane == 0)
		r.head.left_inside = reach;
	if (lane == SIDE)
		r.head.right_inside = -reach;
}

/* Looks at the extrema of a kind nearest one end of what is h, or will be if the row goes on;
 * one warp. */
template <class T>
__device__ __forceinline__ void
look_at_end(advance_memory<T> &m, const sift_rows<T> &s, int i, const signal<T> &h, int set,
            int side, int kind)
{
	const int lane = threadIdx.x & 31, last = (s.n - 1) * WSI_TICKS, k = side * 2 + kind;
	if (lane == 31 && kind == WSI_MAX)
		m.end[side] = __ldcg(h.x + (side == WSI_LEFT ? 0 : s.n - 1));
	const bitmap marks = bitmap_of(s, i, set, kind);
	const int n = side == WSI_LEFT ? nearest_marks<WSI_RIGHT>(marks, s.groups, 0, WSI_NEAR,
	                                                          m.found[k], m.room[k])
	                               : nearest_marks<WSI_LEFT>(marks, s.groups, s.groups,
	                                                         WSI_NEAR, m.found[k], m.room[k]);
	if (lane >= WSI_NEAR)
		return;
	lane_near<T> &near = m.near[k * WSI_NEAR + lane];
	near.n = n;
	if (lane < n) {
		const knot<T> found = knot_of(h, m.found[k][lane]);
		near.u = side == WSI_LEFT ? found.t : last - found.t;
		near.v = found.v;
	}
}

/* ---- The advance ------------------------------------------------------------------------ */

/* See tile_memory. */
template <class T>
__device__ __forceinline__ bool
has_tight_tiles(const sift_rows<T> &s)
{
	return TIGHT<T, TIGHT_WARPS, PLAIN_FLOW> && s.flow != NO_FLOW && s.warps == TIGHT_WARPS;
}

/* A tile with more extrema of a kind than CROWDED_TILE has no room: two samples at the seam may
 * come on top.  Tiles are counted only of rows that have a span of more than CROWDED_SPAN, a
 * quarter of that; two plateaus across edges may come on top of it. */
constexpr unsigned CROWDED_TILE = TIGHT_ROOM - 2, CROWDED_SPAN = TIGHT_ROOM / TIGHT_WARPS - 2;
static_assert(TIGHT_WARPS * CROWDED_SPAN + 4 <= TIGHT_ROOM, "room");

/* Adds what a warp's threads counted to the row's sums.  half: a thread's half bits, none where no
 * step of the tile is level. */
__device__ __forceinline__ void
hand_in(row_sums &sums, uint32_t *knots, const tally &mine, bool level, unsigned half, bool signs)
{
	const bool halves = level && __any_sync(FULL, half != 0);
	const unsigned extrema = sum_lanes(mine.extrema);
	unsigned crossings = 0, above = 0;
	if (signs) {
		crossings = sum_lanes(mine.signs);
		above = sum_lanes(mine.above);
	}
	if ((threadIdx.x & 31) != 0)
		return;
	*knots = extrema;
	atomicAdd(&sums.extrema, (extrema & 0xffffu) | (unsigned long long)(extrema >> 16) << 32);
	if (crossings)
		atomicAdd(&sums.signs, (crossings & 0xffffu) | (unsigned long long)(crossings >> 16)
		                                                       << 32);
	if (above)
		atomicAdd(&sums.above, (above & 0xffffu) | (unsigned long long)(above >> 16) << 32);
	const unsigned flags =
		(level ? ROW_IS_LEVEL : 0) | (halves ? ROW_HAS_HALVES : 0) |
		(max(extrema & 0xffffu, extrema >> 16) > CROWDED_SPAN ? ROW_IS_CROWDED : 0);
	if (flags)
		atomicOr(&sums.flags, flags);
}

/* Sets the half bit of a sample that no other thread looks at meanwhile, nor any other of its
 * group. */
template <class T>
__device__ __forceinline__ void
set_half(const sift_rows<T> &s, int i, int set, int sample)
{
	const bitmap halves = bitmap_of(s, i, set, HALVES);
	const int group = sample / GROUP;
	halves.group[group] = (uint16_t)(halves_of_group(halves, group) | 1u << sample % GROUP);
	atomicOr(halves.summary + group / 32, 1u << group % 32);
}

/* Marks plateaus across the edges of tiles, counts them and adds them to the
 * knots of their spans; all threads.  own: the edges of the tile that has the thread's number, and
 * of the next. */
template <int WARPS, class T>
__device__ __forceinline__ void
join_plateaus(advance_memory<T> &m, const sift_rows<T> &s, int i, int place, int set,
              const row_edge (&own)[2])
{
	const bitmap of[2] = { bitmap_of(s, i, set, 0), bitmap_of(s, i, set, 1) };
	const T *x = place_of(s, i, place);
	uint32_t *knots = s.knots + (size_t)i * (s.groups / 32);
	const row_edge *edges = s.edges + (size_t)i * s.tiles;
	const auto edge_of = [&](int tile) {
		const int beside = tile - (int)threadIdx.x;
		return beside == 0 ? own[0] : beside == 1 ? own[1] : load_edge(edges + tile);
	};
	const auto put = [&](int sign, int sample, bool half) {
		const int group = sample / GROUP, kind = kind_of_sign(sign);
		const unsigned one = kind == WSI_MAX ? 1u : 1u << 16;
		if (sign == 0)
			return;
		atomicOr((unsigned *)of[kind].group + group / 2, 1u << (sample % (2 * GROUP)));
		atomicOr(of[kind].summary + group / 32, 1u << (group % 32));
		atomicAdd(knots + group / 32, one);
		atomicAdd(&m.extrema, one);
		if (half && s.half_ticks) {
			set_half(s, i, set, sample);
			atomicOr(&m.r.sums.flags, ROW_HAS_HALVES);
		}
		if (s.signs && has_wrong_sign(kind, __ldcg(x + sample)))
			atomicAdd(&m.wrong_signs, 1u);
	};
	const auto found = [&](const wsi_plateau &p, int first, int last, int) {
		put(p.first, first, false);
		put(p.middle, plateau_middle(first, last), plateau_is_even(first, last));
		put(p.last, last, false);
	};
	const int tile_samples = s.groups / s.tiles * GROUP;
	constexpr int SOME = 128; /* tiles, which threads pass soon enough */
	if (WARPS >= LONG_ADVANCE_WARPS && s.tiles > SOME)
		plateaus_across_far(edge_of, s.tiles, tile_samples, found);
	else
		plateaus_across(edge_of, s.tiles, tile_samples, found);
}

/* Is what came of a step's row a mode, by its range? */
template <class T>
__device__ __forceinline__ bool
is_mode_by_range(const sift_rows<T> &s, int i, const row<T> &r, int mode, double range)
{
	return range > s.input[i].least_range &&
	       !(s.bounded && s.mode + mode > 0 && mode_overshoots(range, r.range));
}

/* The decision, by one thread; range: of a row that was started. */
template <bool FIXED, class T>
__device__ __forceinline__ int
decide(const advance_memory<T> &m, const sift_rows<T> &s, int i, const row_input &input, row<T> &r,
       bool started, double range)
{
	if (started)
		r.range = range;
	else if (advance_sifted<FIXED>(s, i, r, m.sum) == ROW_DONE)
		return ROW_DONE;
	if (started && is_step(s, i) && s.min_extrema > 0 && !(range > input.least_range))
		return ROW_DONE;
	read_sums(r, m.extrema, m.wrong_signs);
	if (s.cyclic) {
		const bitmap of[2] = { bitmap_of(s, i, r.head.set, 0),
			               bitmap_of(s, i, r.head.set, 1) };
		mark_seam(place_of(s, i, r.place), s.n, (T)s.input[i].flat, s.signs, of, r.counts);
	}
	return advance_marked<FIXED>(s, r);
}

/* Warps of a block that see to a row's ends, to the decision, and to lists; where there are none
 * for these, no lists are made. */
enum { END_WARPS = 4, DECIDING_WARP = 4, OTHER_WARPS = 5 };

/* The sums of a sift that the rule wants, of all groups.  All threads. */
template <class T>
__device__ __forceinline__ void
read_rule_sums(advance_memory<T> &m, const sift_rows<T> &s, int i)
{
	for (int k = 0; k < 3; ++k) {
		const double sum =
			fold(s.sums + ((size_t)i * 3 + k) * (s.groups / 32), s.groups / 32);
		if (threadIdx.x == 0)
			m.sum[k] = sum;
	}
}

/* The samples of a row in a place, with the marks of a set. */
template <class T>
__device__ __forceinline__ signal<T>
marked_signal(const sift_rows<T> &s, int i, int place, int set, bool halves)
{
	const bitmap marks = bitmap_of(s, i, set, 0);
	return { place_of(s, i, place), s.n, s.groups, marks.group, marks.summary, NULL, false,
		 halves, s.cyclic };
}

/* Has one of a row's tiles more extrema of a kind than a tight one has room for?  All threads. */
template <class T>
__device__ __noinline__ bool
has_crowded_tile(const sift_rows<T> &s, int i)
{
	const int4 *const knots = (const int4 *)(s.knots + (size_t)i * (s.groups / 32));
	static_assert(TIGHT_WARPS == 4, "spans of a tile in a load");
	bool crowded = false;
	for (int tile = threadIdx.x; tile < s.tiles; tile += blockDim.x) {
		const int4 of = __ldcg(knots + tile);
		const unsigned all = (unsigned)(of.x + of.y + of.z + of.w);
		crowded |= max(all & 0xffffu, all >> 16) > CROWDED_TILE;
	}
	return __syncthreads_or(crowded);
}

/* The head of a row as its next sift finds it.  One thread. */
template <class T>
__device__ __forceinline__ void
end_advance(const sift_rows<T> &s, row<T> &r, int phase, bool halves, bool crowded)
{
	if (phase == ROW_KNOTS && crowded) {
		phase = ROW_DONE;
		r.crowded = true;
	}
	r.head.phase = phase;
	r.head.had_halves = r.head.halves;
	r.head.halves = halves;
	r.sums = {};
}

/*
 * What a row does next, after it was started or sifted: all threads of one
 * block.  lists: memory for the cubics of a row that has few knots.  FLOW: what its samples are
 * known to do; NO_FLOW: anything.
 */
template <class T, int WARPS, sift_flow FLOW = NO_FLOW>
__device__ __forceinline__ void
advance(advance_memory<T> &m, void *lists, const sift_rows<T> &s, int i, bool started)
{
	constexpr bool LISTS = WARPS > OTHER_WARPS, FIXED = FLOW == PLAIN_FLOW;
	row<T> &r = m.r;
	static_assert(sizeof(row<T>) % sizeof(unsigned) == 0, "copied by words");
	constexpr int WORDS = sizeof(row<T>) / sizeof(unsigned);
	const int warp = uniform(threadIdx.x / 32);
	const row_input input = s.input[i]; /* on its way early, as the edges are */
	const bool joins = s.plateaus && s.tiles > 1;
	row_edge edge[2] = {}; /* see join_plateaus */
#pragma unroll
	for (int k = 0; k < 2; ++k)
		if (joins && (int)threadIdx.x + k < s.tiles)
			edge[k] = load_edge(s.edges + (size_t)i * s.tiles + threadIdx.x + k);
	for (int k = threadIdx.x; k < WORDS; k += WARPS * 32)
		((unsigned *)&r)[k] = __ldcg((const unsigned *)&s.rows[i] + k);
	if (threadIdx.x == 0)
		m.extrema = m.wrong_signs = 0;
	__syncthreads();
	if (started && threadIdx.x == 0)
		r.head.right_inside = s.n;
	if (FLOW == NO_FLOW && !started && wanted_of(s, i, r.head.sifts).sums)
		read_rule_sums(m, s, i);
	/* Of what will be h, if there is a next sift; the last leaves no marks. */
	const bool looks = !s.cyclic && (started || !is_last(s, r.head.sifts + 1));
	const int place = started ? r.place : next_place(s, r);
	const int set = started ? r.head.set : 1 - r.head.set;
	if (joins && r.sums.flags & ROW_IS_LEVEL)
		join_plateaus<WARPS>(m, s, i, place, set, edge);
	__syncthreads();
	const bool halves = r.sums.flags & ROW_HAS_HALVES;
	const bool crowded = has_tight_tiles(s) && r.sums.flags & ROW_IS_CROWDED &&
	                     has_crowded_tile(s, i);
	const signal<T> h = marked_signal(s, i, place, set, halves);
	row_list<T, WARPS, LISTS ? WARPS - OTHER_WARPS : 1> list = {
		list_memory<T>(lists, s.few), s, i, set, h,
		{ (int)(unsigned)r.sums.extrema + (int)(m.extrema & 0xffffu),
		  (int)(r.sums.extrema >> 32) + (int)(m.extrema >> 16) },
	};
	const bool few =
		LISTS && looks && s.cubics && list.marked[0] <= s.few && list.marked[1] <= s.few;
	/* Side by side, since each is a chain of its own. */
	if (warp < END_WARPS && looks)
		look_at_end(m, s, i, h, set, warp / 2, warp % 2);
	if (threadIdx.x == (LISTS ? DECIDING_WARP : END_WARPS - 1) * 32) {
		m.phase = decide<FIXED>(m, s, i, input, r, started,
		                 started ? to_real(s.high[i]) - to_real(s.low[i]) : 0.0);
		point_to(s, i, input, r);
		if (s.looks)
			answer(s, i, { r.head.sifts, r.oscillates });
		if (started) { /* for the mode's */
			s.low[i] = ORDER_HIGHEST;
			s.high[i] = ORDER_LOWEST;
		}
	} else if (warp >= OTHER_WARPS && few) {
		list.list_ticks();
	}
	__syncthreads();
	int phase = m.phase;
	const bool listed = few && phase != ROW_DONE;
	if (warp == 0 && looks) {
		const int lane = threadIdx.x % (4 * WSI_NEAR);
		make_ends(r, s, m.near[lane], m.end[lane / (2 * WSI_NEAR)]);
		__syncwarp();
		if (listed)
			list.list_extras(r);
	} else if (warp > 0 && listed) {
		list.list_values();
	}
	__syncthreads();
	if (listed) {
		phase = ROW_CUBICS;
		list.make(r);
	}
	if (threadIdx.x == 0)
		end_advance(s, r, phase, halves, crowded);
	__syncthreads();
	for (int k = threadIdx.x; k < WORDS; k += WARPS * 32)
		((unsigned *)&s.rows[i])[k] = ((const unsigned *)&r)[k];
	__syncthreads();
}

#endif
