/*
 * tile.cuh - the knots around a tile, and the sift of its samples.
 *
 * A block of WARPS warps owns WARPS * SPAN consecutive samples, a thread 16 of
 * them.  The state between sifts is the samples and their marks; what a tile
 * needs of its neighbours it reads off their marks: the knots nearest it, as
 * many as a slope depends on.
 */
#ifndef WSI_CUDA_TILE_CUH
#define WSI_CUDA_TILE_CUH

#include "cuda/block/samples.cuh"
#include "cuda/block/spline.cuh"

template <class T, int WARPS> struct tile_memory {
	/* In the list the tile's own knots start here. */
	static constexpr int OWN = BEFORE_TILE<T> + 1;
	/* No two extrema of a kind are neighbours; rounded up, and what lanes
	 * without knots load. */
	static constexpr int KNOTS = OWN + WARPS * SPAN / 2 + 2 * WSI_NEAR + AFTER_TILE<T> + 16;
	four<T> cubic[2][KNOTS];
	T v[2][KNOTS];
	int32_t t[2][KNOTS];
	int before[2], after[2];      /* [kind] knots found, beyond the tile */
	int found[4][AFTER_TILE<T>], room[4][AFTER_TILE<T>];
	unsigned warp_knots[WARPS];   /* maxima, minima << 16 */
	signal<T> s;                  /* for functions that are rarely called */
};

/* Of a tile, by knots that it collects: see sift_group. */
template <class T, int WARPS>
__device__ __forceinline__ void
sift_tile(tile_memory<T, WARPS> &m, const signal<T> &s, ws_spline spline, int tile,
          const wanted<T> &want, T (&y)[GROUP + 2], tally &count)
{
	constexpr int OWN = tile_memory<T, WARPS>::OWN;
	const int lane = threadIdx.x & 31, warp = uniform(threadIdx.x / 32);
	const int begin = tile * WARPS * SPAN, end = min(begin + WARPS * SPAN, s.n);
	const int s0 = begin + (int)threadIdx.x * GROUP, group = s0 / GROUP;
	if (threadIdx.x == 0)
		m.s = s;
	unsigned mark[2] = { s.marks[group], s.marks[s.groups + group] };
	if (s.extras_inside)
#pragma unroll
		for (int kind = 0; kind < 2; ++kind)
			mark[kind] |= extras_of_group(s.extra[kind], s.n, s0);
	/* Knots before this thread's, and of the tile. */
	const int knots = __popc(mark[0]) | __popc(mark[1]) << 16, through = scan_lanes(knots);
	if (lane == 31)
		m.warp_knots[warp] = (unsigned)through;
	__syncthreads();
	int own = 0, mine = through - knots;
#pragma unroll
	for (int w = 0; w < WARPS; ++w) {
		mine += w < warp ? (int)m.warp_knots[w] : 0;
		own += (int)m.warp_knots[w];
	}
	const int rank[2] = { mine & 0xffff, mine >> 16 }, n_own[2] = { own & 0xffff, own >> 16 };
	/* Extras inside would come between. */
	const bool dense = !s.extras_inside && !s.half_ticks;
	for (int i = warp; i < 4; i += WARPS) {
		const int kind = i / 2, groups_end = (begin + WARPS * SPAN) / GROUP;
		if (i % 2 == WSI_LEFT) {
			appender<T, WSI_LEFT> a = { m.t[kind], m.v[kind], OWN, 0, BEFORE_TILE<T> };
			const int got = dense && knots_beside(s.x, s.marks + (size_t)kind * s.groups,
			                                      begin / GROUP, s.groups, a)
				? a.need
				: knots_beyond(m.s, kind, begin, end, groups_end, a, m.found[i], m.room[i]);
			if (lane == 0)
				m.before[kind] = got;
		} else {
			const int own_end = OWN + (kind == WSI_MAX ? n_own[WSI_MAX] : n_own[WSI_MIN]);
			appender<T, WSI_RIGHT> a = { m.t[kind], m.v[kind], own_end, 0, AFTER_TILE<T> };
			const int got = dense && knots_beside(s.x, s.marks + (size_t)kind * s.groups, groups_end,
			                                      s.groups, a)
				? a.need
				: knots_beyond(m.s, kind, begin, end, groups_end, a, m.found[i], m.room[i]);
			if (lane == 0)
				m.after[kind] = got;
		}
	}
	/* Samples of the warp's groups that have a knot somewhere: the rest is passed over. */
	const unsigned any[2] = { or_lanes(mark[0]), or_lanes(mark[1]) };
	T x[GROUP];
	load_group(s.x, s0, s.n, x);
#pragma unroll
	for (int kind = 0; kind < 2; ++kind) {
		unsigned t = shared_address(&m.t[kind][OWN + rank[kind]]);
		unsigned v = shared_address(&m.v[kind][OWN + rank[kind]]);
#pragma unroll
		for (int i = 0; i < GROUP; ++i)
			if (any[kind] >> i & 1)
				if (mark[kind] >> i & 1) {
					store_shared(t, (s0 + i) * WSI_TICKS);
					store_shared(v, x[i]);
					t += sizeof(int32_t);
					v += sizeof(T);
				}
		if (s.half_ticks)
			for (unsigned b = mark[kind], k = 0; b; ++k)
				m.t[kind][OWN + rank[kind] + k] = tick_of(m.s, s0 + take_bit<WSI_RIGHT>(b));
	}
	if (s.extras_inside)
#pragma unroll
		for (int kind = 0; kind < 2; ++kind)
			place_extras(s.extra[kind], s.n, s0, mark[kind], m.t[kind] + OWN + rank[kind],
			             m.v[kind] + OWN + rank[kind]);
	__syncthreads();
#pragma unroll 1
	for (int kind = WARPS > 1 ? warp & 1 : 0; kind < 2; kind += WARPS > 1 ? 2 : 1) {
		const int before = uniform(m.before[kind]), after = uniform(m.after[kind]);
		const int own_end = OWN + uniform(kind == WSI_MAX ? n_own[WSI_MAX] : n_own[WSI_MIN]);
		const knot_list<T> l = { m.t[kind], m.v[kind], m.cubic[kind], OWN - before, own_end + after,
			                 before < BEFORE_TILE<T>, after < AFTER_TILE<T> };
		make_cubics(l, spline, OWN - 1, own_end + 1, WARPS > 1 ? warp / 2 : 0,
		            WARPS > 1 ? WARPS / 2 : 1);
	}
	__syncthreads();
	const shared_cubics<T> l[2] = {
		{ shared_address(m.cubic[0]), shared_address(m.t[0]), OWN + n_own[0] + m.after[0] },
		{ shared_address(m.cubic[1]), shared_address(m.t[1]), OWN + n_own[1] + m.after[1] },
	};
	const int at[2] = { OWN - 1 + rank[0], OWN - 1 + rank[1] };
	sift_group(s, l, at, mark, any, s0, tile * WARPS + warp, want, y, count);
}

/* Of a span, by cubics of the whole row; knots: those before the span. */
template <class T>
__device__ __forceinline__ void
sift_span(const signal<T> &s, const global_cubics<T> l[2], int span, uint32_t knots,
          const wanted<T> &want, T (&y)[GROUP + 2], tally &count)
{
	const int s0 = span * SPAN + (int)(threadIdx.x & 31) * GROUP, group = s0 / GROUP;
	unsigned mark[2] = { s.marks[group], s.marks[s.groups + group] };
	if (s.extras_inside)
#pragma unroll
		for (int kind = 0; kind < 2; ++kind)
			mark[kind] |= extras_of_group(s.extra[kind], s.n, s0);
	const int own = __popc(mark[0]) | __popc(mark[1]) << 16;
	const int before = (int)knots + scan_lanes(own) - own;
	const unsigned any[2] = { or_lanes(mark[0]), or_lanes(mark[1]) };
	const int at[2] = { (before & 0xffff) - 1, (before >> 16) - 1 };
	sift_group(s, l, at, mark, any, s0, span, want, y, count);
}

#endif
