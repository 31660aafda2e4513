/*
 * tile.cuh - the knots around a tile, and the sift of its samples.
 *
 * A block of WARPS warps owns WARPS * SPAN consecutive samples, a thread 16 of
 * them.  The state between sifts is the samples and their marks; a tile needs
 * of its neighbours the knots nearest it, as many as a slope depends on.
 */
#ifndef WSI_CUDA_TILE_CUH
#define WSI_CUDA_TILE_CUH

#include "cuda/emd/block/samples.cuh"
#include "cuda/emd/block/spline.cuh"
#include "cuda/emd/sift.h"

/* Warps of a multiprocessor that registers leave room for. */
template <class T> constexpr int WARPS_AT_ONCE = real<T>::F64 ? 8 : 16;

/* The knots of a tile, MOST of a kind, `BEFORE` others before them and `AFTER` after. */
template <class T, int WARPS, int BEFORE, int AFTER, int MOST = WARPS * SPAN / 2>
struct tile_knots {
	/* In the list the tile's own knots start here. */
	static constexpr int OWN = BEFORE + 1;
	/* No two extrema of a kind are neighbours; rounded up, and what lanes
	 * without knots load. */
	static constexpr int KNOTS = OWN + MOST + 2 * WSI_NEAR + AFTER + MOST_ROWS_A_LANE + 3;
	union {
		four<T> cubic[2][KNOTS];
		struct {
			int found[4][AFTER], room[4][AFTER];
		} beside;             /* while knots beside the tile are looked for */
	};
	union {
		T v[2][KNOTS];
		span_buffer<T> out[WARPS]; /* what comes of the sift, once there are cubics */
	};
	int32_t t[2][KNOTS];
	int before[2], after[2];      /* [kind] knots there are of those */
	unsigned warp_knots[WARPS];   /* maxima, minima << 16 */
};

/* By kind: knots of a tile before this thread's, and of the whole tile. */
struct tile_ranks {
	int before[2], all[2];
};

/* All threads of the block, once in a sift. */
template <int WARPS>
__device__ __forceinline__ tile_ranks
rank_knots(unsigned (&warp_knots)[WARPS], const unsigned mark[2])
{
	const int warp = uniform(threadIdx.x / 32);
	const int knots = __popc(mark[0]) | __popc(mark[1]) << 16, through = scan_lanes(knots);
	if ((threadIdx.x & 31) == 31)
		warp_knots[warp] = (unsigned)through;
	sync_tile<WARPS>();
	int all = 0, mine = through - knots;
	if constexpr (WARPS > 4) { /* less than adding them up one by one */
		const int lane = threadIdx.x & 31;
		const unsigned of_warp = lane < WARPS ? warp_knots[lane] : 0u;
		all = (int)sum_lanes(of_warp);
		mine += (int)sum_lanes(lane < warp ? of_warp : 0u);
	} else {
#pragma unroll
		for (int w = 0; w < WARPS; ++w) {
			mine += w < warp ? (int)warp_knots[w] : 0;
			all += (int)warp_knots[w];
		}
	}
	return { { mine & 0xffff, mine >> 16 }, { all & 0xffff, all >> 16 } };
}

/* Puts the marked of a thread's samples x, from s0 on, among the knots at t and
 * v; any: samples of the warp's groups that are marked somewhere: the rest is
 * passed over. */
template <class T>
__device__ __forceinline__ void
place_knots(const T *x, int s0, unsigned mark, unsigned any, int32_t *t_at, T *v_at)
{
	shared_place t = shared_address(t_at), v = shared_address(v_at);
#pragma unroll
	for (int i = 0; i < GROUP; ++i)
		if (any >> i & 1)
			if (mark >> i & 1) {
				store_shared(t, (s0 + i) * WSI_TICKS);
				store_shared(v, x[i]);
				t += sizeof(int32_t);
				v += sizeof(T);
			}
}

/* Puts those of them, of both kinds, that have half bits half a sample earlier, one at a time:
 * there are few; y as in mark_tile. */
template <class T>
__device__ __forceinline__ void
place_halves(const T (&y)[GROUP + 2], int s0, const unsigned (&mark)[2], unsigned half,
             int32_t *const (&t)[2], T *const (&v)[2])
{
#pragma unroll 1
	while (half) {
		const int i = take_bit<WSI_RIGHT>(half);
		const bool minimum = mark[WSI_MIN] >> i & 1;
		const int k = __popc((minimum ? mark[WSI_MIN] : mark[WSI_MAX]) & ((1u << i) - 1));
		T before = y[0], here = y[1];
#pragma unroll
		for (int j = 1; j < GROUP; ++j) {
			before = j == i ? y[j] : before;
			here = j == i ? y[j + 1] : here;
		}
		(minimum ? t[1] : t[0])[k] = (s0 + i) * WSI_TICKS - 1;
		(minimum ? v[1] : v[0])[k] = knot_between(before, here);
	}
}

/* The same, of a row's samples in memory. */
template <class T>
__device__ __noinline__ void
place_halves_of_row(const T *x, int s0, unsigned mark, unsigned half, int32_t *t, T *v)
{
	while (half &= mark) {
		const int i = take_bit<WSI_RIGHT>(half), k = __popc(mark & ((1u << i) - 1));
		t[k] = (s0 + i) * WSI_TICKS - 1;
		v[k] = knot_between(x[s0 + i - 1], x[s0 + i]);
	}
}

/* The cubics of a kind between a tile's knots, of which there are `own`, and the next
 * either side, or, where the row ends, `beside` of those: there are fewer others than BEFORE
 * or AFTER then.  Workers: see make_cubics. */
template <class T, int WARPS, int BEFORE, int AFTER, int MOST>
__device__ __forceinline__ void
make_tile_cubics(tile_knots<T, WARPS, BEFORE, AFTER, MOST> &m, ws_spline spline, int kind, int own,
                 int beside, int worker, int workers)
{
	constexpr int OWN = tile_knots<T, WARPS, BEFORE, AFTER, MOST>::OWN;
	constexpr int ROWS = WARPS > 1 ? 9 : 7;
	const int before = uniform(m.before[kind]), after = uniform(m.after[kind]);
	const int own_end = OWN + uniform(own);
	const bool left_end = before < BEFORE, right_end = after < AFTER;
	const knot_list<T> l = { { m.t[kind], OWN - before, own_end + after, left_end, right_end },
		                 m.v[kind], m.cubic[kind] };
	make_cubics<ROWS>(l, spline, OWN - (left_end ? beside : 1),
	                  own_end + (right_end ? beside : 1), worker, workers);
}

/* Those of both kinds; all warps of the block. */
template <class T, int WARPS, int BEFORE, int AFTER, int MOST>
__device__ __forceinline__ void
make_all_cubics(tile_knots<T, WARPS, BEFORE, AFTER, MOST> &m, ws_spline spline, const int own[2],
                int beside)
{
	constexpr int STEP = WARPS > 1 ? 2 : 1;
	const int warp = uniform(threadIdx.x / 32);
	for (int kind = warp % STEP; kind < 2; kind += STEP)
		make_tile_cubics(m, spline, kind, kind ? own[WSI_MIN] : own[WSI_MAX], beside,
		                 warp / STEP, WARPS / STEP);
	sync_tile<WARPS>();
}

template <class T, int WARPS, int BEFORE, int AFTER, int MOST>
__device__ __forceinline__ shared_cubics<T>
cubics_of(const tile_knots<T, WARPS, BEFORE, AFTER, MOST> &m, int kind, int own)
{
	constexpr int OWN = tile_knots<T, WARPS, BEFORE, AFTER, MOST>::OWN;
	return { shared_address(m.cubic[kind]), shared_address(m.t[kind]),
		 OWN + own + m.after[kind] };
}

/* ---- A tile that reads its neighbours' marks --------------------------------------------- */

/*
 * Where there is room for fewer knots, more blocks of a multiprocessor hide each other's waits: a
 * tight tile, of TIGHT_WARPS, has room for what white noise has; a row with more is left for tiles
 * that have room for all.
 */
constexpr int TIGHT_WARPS = 4, TIGHT_ROOM = 828, TIGHT_TILES_AT_ONCE = 5;
template <class T, int WARPS, sift_flow FLOW>
constexpr bool TIGHT = FLOW != NO_FLOW && WARPS == TIGHT_WARPS && !real<T>::F64;

template <class T, int WARPS, sift_flow FLOW> struct tile_memory {
	static constexpr int ROOM = TIGHT<T, WARPS, FLOW> ? TIGHT_ROOM : WARPS * SPAN / 2;
	tile_knots<T, WARPS, BEFORE_TILE<T>, AFTER_TILE<T>, ROOM> knots;
	signal<T> s;                  /* for functions that are rarely called */
};

/* Looks for the knots beside a tile, of which there are `own`; by warps in turn.  halves: some of
 * them, or beside them, lie between two samples. */
template <class T, int WARPS, sift_flow FLOW>
__device__ __forceinline__ void
look_beside(tile_memory<T, WARPS, FLOW> &m, const signal<T> &s, int begin, int end,
            const int own[2], bool halves)
{
	constexpr int OWN = decltype(m.knots)::OWN;
	const int groups_end = (begin + WARPS * SPAN) / GROUP;
	/* Extras inside would come between. */
	const bool dense = !s.extras_inside, plain = dense && !halves;
	for (int i = uniform(threadIdx.x / 32); i < 4; i += WARPS) {
		const int kind = i / 2;
		int32_t *t = m.knots.t[kind];
		T *v = m.knots.v[kind];
		int got;
		if (i % 2 == WSI_LEFT) {
			appender<T, WSI_LEFT> a = { t, v, OWN, 0, BEFORE_TILE<T> };
			got = plain && knots_beside<false>(s, kind, begin / GROUP, a)
			              ? a.need
			              : knots_beyond(m.s, kind, begin, end, groups_end,
			                             dense && halves, a, m.knots.beside.found[i],
			                             m.knots.beside.room[i]);
		} else {
			const int own_end = OWN + (kind == WSI_MAX ? own[WSI_MAX] : own[WSI_MIN]);
			appender<T, WSI_RIGHT> a = { t, v, own_end, 0, AFTER_TILE<T> };
			got = plain && knots_beside<false>(s, kind, groups_end, a)
			              ? a.need
			              : knots_beyond(m.s, kind, begin, end, groups_end,
			                             dense && halves, a, m.knots.beside.found[i],
			                             m.knots.beside.room[i]);
		}
		if ((threadIdx.x & 31) == 0)
			(i % 2 == WSI_LEFT ? m.knots.before : m.knots.after)[kind] = got;
	}
}

/* A thread's group of a tile, from sample s0 on, that collects its knots: as listed_group, and
 * whether the thread's knots lie on samples. */
struct collected_group {
	int s0;
	unsigned mark[2];
	tile_ranks rank;
	int at[2];
	bool whole_ticks;
};

/* Collects the knots of a tile. */
template <class T, int WARPS, sift_flow FLOW>
__device__ __forceinline__ collected_group
collect_tile(tile_memory<T, WARPS, FLOW> &m, const signal<T> &s, int tile)
{
	constexpr int OWN = decltype(m.knots)::OWN;
	const int begin = tile * WARPS * SPAN, end = min(begin + WARPS * SPAN, s.n);
	const int s0 = begin + (int)threadIdx.x * GROUP, group = s0 / GROUP;
	if (threadIdx.x == 0)
		m.s = s;
	unsigned mark[2] = { s.marks[group], s.marks[s.groups + group] };
	/* On its way with the samples, if anybody asks. */
	const unsigned near =
		s.halves ? halves_near(s, begin / GROUP, begin / GROUP + WARPS * 32) : 0u;
	if (s.extras_inside)
#pragma unroll
		for (int kind = 0; kind < 2; ++kind)
			mark[kind] |= extras_of_group(s.extra[kind], s.n, s0);
	T x[GROUP];
	load_group(s.x, s0, s.n, x);
	const tile_ranks rank = rank_knots<WARPS>(m.knots.warp_knots, mark);
	const bool halves = s.halves && __any_sync(FULL, near != 0);
	unsigned half = 0;
	if (seldom(halves))
		half = halves_of_own(s, near, group);
	look_beside(m, s, begin, end, rank.all, halves);
	const unsigned any[2] = { or_lanes(mark[0]), or_lanes(mark[1]) };
#pragma unroll
	for (int kind = 0; kind < 2; ++kind) {
		int32_t *t = m.knots.t[kind] + OWN + rank.before[kind];
		T *v = m.knots.v[kind] + OWN + rank.before[kind];
		place_knots(x, s0, mark[kind], any[kind], t, v);
		if (seldom(half != 0))
			place_halves_of_row(s.x, s0, mark[kind], half, t, v);
		if (s.extras_inside)
			place_extras(s.extra[kind], s.n, s0, mark[kind], t, v);
	}
	__syncthreads();
	return { s0,
		 { mark[0], mark[1] },
		 rank,
		 { OWN - 1 + rank.before[0], OWN - 1 + rank.before[1] },
		 !half && !(s.halves && s.extras_inside) };
}

/* A thread's group, from sample s0 on, of a row whose knots are listed: its marks, and the interval
 * that the sample before lies in.  knots: those before the warp's span. */
struct listed_group {
	unsigned mark[2];
	int at[2];

	template <class T>
	__device__ __forceinline__
	listed_group(const signal<T> &s, int s0, uint32_t knots)
	    : mark{ s.marks[s0 / GROUP], s.marks[s.groups + s0 / GROUP] }
	{
		if (s.extras_inside)
#pragma unroll
			for (int kind = 0; kind < 2; ++kind)
				mark[kind] |= extras_of_group(s.extra[kind], s.n, s0);
		const int own = __popc(mark[0]) | __popc(mark[1]) << 16;
		const int before = (int)knots + scan_lanes(own) - own;
		at[WSI_MAX] = (before & 0xffff) - 1;
		at[WSI_MIN] = (before >> 16) - 1;
	}
};

#endif
