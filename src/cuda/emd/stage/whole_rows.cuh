/*
 * whole_rows.cuh - rows that a warp, or a block, holds: all sifts of a row in one launch, its
 * samples and knots in shared memory from the row's start to its finish.
 *
 * What takes time here is fetching instructions: so loops are not unrolled, and the warps of a
 * block that have a row each go through each sift in step.  Where the number of sifts is fixed and
 * nothing else is wanted of the samples, they flow (block/flow.cuh) from their place in memory back
 * to it.
 *
 * Fits      rows of up to SPAN (512) samples, a warp each; longer ones, a block each, while they
 *           fit in shared memory (whole_warps()); not single samples.
 * Twin      cpu/emd/sifter.c: the same bits.
 * Launch    short_kernel: SHORT_ROWS rows a block, (32, SHORT_ROWS) threads; whole_kernel: WARPS
 *           warps a row; both as many blocks as run at once, rows are drawn.
 * Memory    all of a row in shared memory (whole_memory); reads its samples once, writes the mode
 *           and what is left once.
 */
#ifndef WSI_CUDA_WHOLE_ROWS_CUH
#define WSI_CUDA_WHOLE_ROWS_CUH

#include "cuda/emd/block/flow.cuh"
#include "cuda/emd/block/rows.cuh"
#include "cuda/emd/block/advance.cuh"

template <class T, int WARPS, sift_flow FLOW> struct whole_memory {
	/* In the lists the row's own knots start at OWN; beside them are those beyond the ends. */
	static constexpr int OWN = WSI_NEAR + 2, MOST_ROWS = WARPS > 1 ? 9 : 7;
	/* No two knots are neighbours, but at the ends.  Where as many warps as registers are for
	 * would want more shared memory than there is, there is room for what white noise has, 171
	 * of a kind a warp: a row with more is left as it was. */
	static constexpr bool TIGHT = FLOW != NO_FLOW && WARPS > 1;
	static constexpr int ROOM = TIGHT ? 200 * WARPS : WARPS * SPAN / 2 + 2;
	/* And what lanes without knots load. */
	static constexpr int KNOTS = OWN + ROOM + WSI_NEAR + MOST_ROWS + 2;
	two<T> lower[2][KNOTS], upper[2][KNOTS]; /* see halved_list */
	int32_t t[2][KNOTS];
	span_buffer<T> h[WARPS];
	unsigned warp_knots[WARPS];   /* maxima, minima << 16 */
	int next;                     /* row for the block */
	advance_memory<T> advance;
	double sum[3][WARPS];
	unsigned signs[WARPS], above[WARPS];
	unsigned long long low, high; /* extremes, order.cuh */
};

template <class T, int WARPS, sift_flow FLOW>
using whole_cubics = halved_cubics<T, (int)sizeof whole_memory<T, WARPS, FLOW>::lower>;

/* A thread's samples of h. */
template <class T> struct samples_of_whole {
	const span_buffer<T> &h;      /* of its warp */
	T prior, next;                /* before and after the warp's, as they were */

	__device__ __forceinline__ some_samples<T>
	from(int i) const
	{
		return h.get(i);
	}

	__device__ __forceinline__ T
	before() const
	{
		return prior;
	}

	__device__ __forceinline__ T
	after() const
	{
		return next;
	}
};

/* A thread of the warps that have row i. */
template <class T, int WARPS, sift_flow FLOW> struct whole_row {
	using memory = whole_memory<T, WARPS, FLOW>;
	using cubics = whole_cubics<T, WARPS, FLOW>;
	static constexpr bool PLAIN = FLOW == PLAIN_FLOW;
	static_assert(offsetof(memory, upper) == sizeof memory::lower, "the upper halves follow");
	static constexpr int OWN = memory::OWN;
	memory &m;
	const sift_rows<T> &s;
	int i, mode;
	unsigned mark[2], half;
	tile_ranks rank;
	tally count;
	bool restores;                /* h before the last sift is in s.out, should it be wanted */
	bool refused;                 /* it is: the rule takes nothing of the last sift */
	bool crowded;                 /* there is no room for its knots */

	__device__ __forceinline__ static int
	lane()
	{
		return (int)(threadIdx.x & 31);
	}

	/* Of those that have the row. */
	__device__ __forceinline__ static int
	thread()
	{
		return WARPS > 1 ? (int)threadIdx.x : lane();
	}

	__device__ __forceinline__ static int
	warp()
	{
		return WARPS > 1 ? uniform(threadIdx.x / 32) : 0;
	}

	__device__ __forceinline__ static int
	s0()
	{
		return thread() * GROUP;
	}

	__device__ __forceinline__ plateau_memory<WARPS> &
	plateaus()
	{
		static_assert(sizeof(plateau_memory<WARPS>) <= sizeof m.upper, "room");
		return *(plateau_memory<WARPS> *)m.upper;
	}

	/* For samples on their way to memory, while there are no cubics. */
	__device__ __forceinline__ span_buffer<T> &
	buffer()
	{
		static_assert(WARPS * sizeof(span_buffer<T>) <= sizeof m.upper, "room");
		return ((span_buffer<T> *)m.upper)[warp()];
	}

	__device__ __forceinline__ void
	get_h(T (&x)[GROUP]) const
	{
		m.h[warp()].get_all(x);
	}

	/* Where the mode goes. */
	__device__ __forceinline__ T *
	out() const
	{
		return s.out + mode * s.mode_stride + i * s.out_stride;
	}

	/* A sample of the row. */
	__device__ __forceinline__ T
	h_at(int sample) const
	{
		return m.h[sample / SPAN].at(sample % SPAN);
	}

	/* ---- The advance ---- */

	/* Lists the knots of both kinds, of which no sample is of both; the second kind's list
	 * follows the first's. */
	__device__ __forceinline__ void
	list_knots()
	{
		const shared_place t = shared_address(m.t), v = shared_address(m.lower);
		const span_buffer<T> &h = m.h[warp()];
		int at[2] = { OWN + rank.before[0], memory::KNOTS + OWN + rank.before[1] };
#pragma unroll 1
		for (unsigned left = mark[0] | mark[1]; left;) {
			const int k = take_bit<WSI_RIGHT>(left), kind = mark[1] >> k & 1;
			const unsigned to = (unsigned)(kind ? at[1] : at[0]);
			at[0] += 1 - kind;
			at[1] += kind;
			store_shared(t + to * (unsigned)sizeof(int32_t), (s0() + k) * WSI_TICKS);
			store_shared(v + to * (unsigned)sizeof(two<T>), h.own(k));
		}
	}

	/* Those with half bits lie half a sample earlier. */
	__device__ __forceinline__ void
	list_halves()
	{
		const span_buffer<T> &h =
			m.h[WARPS > 1 ? threadIdx.x / 32 : 0]; /* not all of the warp are here */
#pragma unroll 1
		for (unsigned left = half; left;) {
			const int k = take_bit<WSI_RIGHT>(left), kind = mark[1] >> k & 1;
			const unsigned before = (kind ? mark[1] : mark[0]) & ((1u << k) - 1);
			const int at =
				OWN + (kind ? rank.before[1] : rank.before[0]) + __popc(before);
			m.t[kind][at] = (s0() + k) * WSI_TICKS - 1;
			m.lower[kind][at].x =
				knot_between(k > 0 ? h.own(k - 1) : h_at(s0() - 1), h.own(k));
		}
	}

	__device__ __forceinline__ void
	rank_own()
	{
		if constexpr (WARPS > 1) {
			rank = rank_knots<WARPS>(m.warp_knots, mark);
		} else {
			const int knots = __popc(mark[0]) | __popc(mark[1]) << 16;
			const int through = scan_lanes(knots);
			const int mine = through - knots, all = __shfl_sync(FULL, through, 31);
			rank = { { mine & 0xffff, mine >> 16 }, { all & 0xffff, all >> 16 } };
		}
	}

	/* Lists the extrema, and adds up what lanes have counted.  False where there is no room for
	 * them. */
	__device__ __forceinline__ bool
	hand_in()
	{
		if (!PLAIN && s.signs) {
			const unsigned signs = sum_lanes(count.signs);
			const unsigned above = sum_lanes(count.above);
			const int w = warp();
			if (lane() == 0) {
				m.signs[w] = signs;
				m.above[w] = above;
			}
		}
		rank_own(); /* all meet */
		if (memory::TIGHT && max(rank.all[0], rank.all[1]) > memory::ROOM)
			return false;
		list_knots();
		if (seldom(half != 0))
			list_halves();
		if (thread() == 0) {
			unsigned signs = 0, above = 0;
			for (int w = 0; w < WARPS && !PLAIN && s.signs; ++w) {
				signs += m.signs[w];
				above += m.above[w];
			}
			row_sums &sums = m.advance.r.sums;
			sums.extrema = (unsigned)rank.all[0] | (unsigned long long)rank.all[1]
			                                               << 32;
			sums.signs = (signs & 0xffffu) | (unsigned long long)(signs >> 16) << 32;
			sums.above = (above & 0xffffu) | (unsigned long long)(above >> 16) << 32;
			for (int k = 0; k < 3 && FLOW == NO_FLOW; ++k)
				m.advance.sum[k] = sum_tree(m.sum[k], WARPS);
		}
		sync_tile<WARPS>();
		return true;
	}

	/* What lies beyond the ends, of the extrema nearest them; one warp. */
	__device__ __forceinline__ void
	see_to_ends()
	{
		const int last = (s.n - 1) * WSI_TICKS;
		const int side = lane() / (2 * WSI_NEAR) & 1, kind = lane() / WSI_NEAR & 1;
		const int k = lane() % WSI_NEAR, marked = kind ? rank.all[1] : rank.all[0];
		lane_near<T> near = { min(marked, WSI_NEAR) };
		if (k < marked) {
			const int at = OWN + (side == WSI_LEFT ? k : marked - 1 - k);
			const int t = m.t[kind][at];
			near.u = side == WSI_LEFT ? t : last - t;
			near.v = m.lower[kind][at].x;
		}
		make_ends(m.advance.r, s, near, h_at(side == WSI_LEFT ? 0 : s.n - 1));
		__syncwarp();
		const row_extras<T> &e = m.advance.r.extra[kind][side];
		if (lane() < 4 * WSI_NEAR && k < e.n) {
			const int at = side == WSI_LEFT ? OWN - e.n + k : OWN + marked + k;
			m.t[kind][at] = e.t[k];
			m.lower[kind][at].x = e.v[k];
		}
	}

	__device__ __forceinline__ double
	range() const
	{
		return to_real(m.high) - to_real(m.low);
	}

	/* After a sift, or none: false where the row is done, or left as it was. */
	__device__ __forceinline__ bool
	advance(bool started)
	{
		const int sifts = m.advance.r.head.sifts;
		crowded = !hand_in();
		if (crowded)
			return false;
		/* Side by side, since each is a chain of its own. */
		if (warp() == 0)
			see_to_ends();
		if (thread() == (WARPS > 1 ? 32 : 0))
			m.advance.phase = decide<PLAIN>(m.advance, s, i, s.input[i], m.advance.r,
			                                started, started ? range() : 0.0);
		sync_tile<WARPS>();
		refused = !started && m.advance.r.head.sifts == sifts;
		return m.advance.phase != ROW_DONE;
	}

	/* ---- A sift ---- */

	/* Takes some samples of device memory for h. */
	__device__ __forceinline__ void
	load_h(const T *x)
	{
		using some = some_samples<T>;
		span_buffer<T> &h = m.h[warp()];
		/* Not unrolled: registers are for those who sift. */
#pragma unroll 1
		for (int k = 0; k < GROUP && s0() < s.n; k += some::COUNT)
			h.put(k, *(const some *)(x + s0() + k));
		sync_tile<WARPS>();
	}

	/* Of a kind; mine: what look_at_ends gave this lane. */
	__device__ __forceinline__ halved_list<T>
	list_of(int kind, const knotless_end<T> &mine)
	{
		const row_extras<T> *e = m.advance.r.extra[kind];
		const int all = kind ? rank.all[1] : rank.all[0];
		return { { m.t[kind], uniform(OWN - e[WSI_LEFT].n),
			   uniform(OWN + all + e[WSI_RIGHT].n), true, true },
			 m.lower[kind],
			 m.upper[kind],
			 { end_of_lane(mine, kind * 16), end_of_lane(mine, kind * 16 + 8) } };
	}

	/* Makes those of both lists; all warps. */
	__device__ __forceinline__ void
	make_all_cubics()
	{
		const int worker = warp() / 2, least = intervals_of<T, 5>(AT_ENDS);
		/* Whoever has no share, of which that is the least, need not look at ends. */
		if (WARPS > 1 && worker * least > max(rank.all[0], rank.all[1]) + 2 * WSI_NEAR)
			return;
		const knotless_end<T> end = look_at_ends();
		/* Not unrolled: instructions that are fetched once serve both. */
#pragma unroll 1
		for (int kind = WARPS > 1 ? warp() & 1 : 0; kind < 2; kind += WARPS > 1 ? 2 : 1) {
			const halved_list<T> list = list_of(kind, end);
			make_cubics<memory::MOST_ROWS>(list, s.spline, list.first, list.end - 1,
			                               worker, WARPS > 1 ? WARPS / 2 : 1);
		}
	}

	/* The ends of both lists, a quarter of the lanes each. */
	__device__ __forceinline__ knotless_end<T>
	look_at_ends()
	{
		if (s.spline != WS_SPLINE_NOT_A_KNOT)
			return {};
		const int kind = lane() / 16, side = lane() / 8 & 1;
		const row_extras<T> &e = m.advance.r.extra[kind][side];
		const int last = OWN + (kind ? rank.all[1] : rank.all[0]) + e.n - 1;
		const halved_list<T> list = { { m.t[kind] }, m.lower[kind], m.upper[kind] };
		return end_of(list, side == WSI_LEFT ? OWN - e.n : last, side == WSI_LEFT ? 1 : -1);
	}

	/* False where that was the last of a fixed number: what came of it is h, and needs no
	 * marks. */
	__device__ __forceinline__ bool
	sift()
	{
		row<T> &r = m.advance.r;
		int at[2] = { OWN - 1 + rank.before[0], OWN - 1 + rank.before[1] };
		/* Some of what lies beyond all extrema may still lie inside the row. */
		if (r.head.left_inside > 0 || r.head.right_inside < s.n)
			add_extras(r.extra, s.n, s0(), mark, half, at);
		make_all_cubics();
		cubics l[2];
#pragma unroll
		for (int kind = 0; kind < 2; ++kind)
			l[kind] = { shared_address(m.lower[kind]), shared_address(m.t[kind]),
				    OWN + rank.all[kind] + r.extra[kind][WSI_RIGHT].n };
		if (FLOW != NO_FLOW || (WARPS == 1 && s.flow != NO_FLOW)) {
			const samples_of_whole<T> x = samples();
			sync_tile<WARPS>();
			if (PLAIN || (WARPS == 1 && s.flow == PLAIN_FLOW))
				return sift_flowing<false>(l, at, x);
			return sift_flowing<true>(l, at, x);
		}
		const neighbours<T> beside = beside_warp();
		sync_tile<WARPS>();
		sift_with_statistics(l, at, beside);
		return true;
	}

	/* Those of this thread, and beside it, before any warp puts what comes of a sift in their
	 * place. */
	__device__ __forceinline__ samples_of_whole<T>
	samples()
	{
		const bool first = WARPS > 1 ? s0() > 0 : lane() > 0;
		const bool last = WARPS > 1 && lane() == 31;
		return { m.h[warp()], first ? h_at(s0() - 1) : (T)0,
			 last && s0() + GROUP < s.n ? h_at(s0() + GROUP) : (T)0 };
	}

	/* Beside its warp's. */
	__device__ __forceinline__ neighbours<T>
	beside_warp()
	{
		const int begin = warp() * SPAN;
		return { WARPS > 1 && begin > 0 ? h_at(begin - 1) : (T)0,
			 WARPS > 1 && begin + SPAN < s.n ? h_at(begin + SPAN) : (T)0 };
	}

	template <bool COUNTS>
	__device__ __forceinline__ bool
	sift_flowing(const cubics (&l)[2], const int (&at)[2], const samples_of_whole<T> &x)
	{
		flow<T, cubics, true, COUNTS> f(l, at, mark, half, s0(), s.n, (T)s.input[i].flat,
		                                (T)s.rule.p[0], (T)s.rule.p[1]);
		span_buffer<T> &h = m.h[warp()];
		unsigned rise, fall, exact;
		const bool last = !COUNTS && is_last(s, m.advance.r.head.sifts + 1);
		if (COUNTS && restores) {
			h.store(out(), warp() * SPAN, s.n);
			__syncwarp();
		}
		f.run(x, h, s.lone_steps, rise, fall, exact);
		sync_tile<WARPS>();
		if (last) {
			if (thread() == 0)
				advance_sifted<true>(s, i, m.advance.r, m.advance.sum);
			sync_tile<WARPS>();
			return false;
		}
		mark_steps<WARPS, false>(plateaus(), rise, fall, exact, 0, s.n, s.plateaus,
		                         s.half_ticks, mark, half, count, NULL);
		if (COUNTS)
			f.count(mark, count);
		if (WARPS == 1)
			__syncwarp();
		return true;
	}

	__device__ __forceinline__ void
	sift_with_statistics(const cubics (&l)[2], const int (&at)[2], const neighbours<T> &beside)
	{
		wanted<T> want = wanted_of(s, i, m.advance.r.head.sifts);
		want.sum = m.sum[0];
		want.spans = WARPS;
		T x[GROUP], y[GROUP + 2];
		get_h(x);
		sift_group<true, true>(l, at, mark, half, s0(), s.n, warp(), want, x, beside, y,
		                       count);
		sync_tile<WARPS>(); /* the cubics are done with */
		if (restores)
			buffer().store(out(), warp() * SPAN, s.n, x);
		take(y);
	}

	/* Takes y[1] .. for h, and marks it; see mark_tile. */
	__device__ __forceinline__ void
	take(const T (&y)[GROUP + 2])
	{
		T h[GROUP];
#pragma unroll
		for (int k = 0; k < GROUP; ++k)
			h[k] = y[k + 1];
		m.h[warp()].put_all(h);
		sync_tile<WARPS>();
		mark_tile<T, WARPS, false>(plateaus(), y, 0, s.n, (T)s.input[i].flat, s.signs,
		                           s.plateaus, s.lone_steps, s.half_ticks, mark, half,
		                           count, NULL);
		sync_tile<WARPS>();
	}

	/* ---- A row ---- */

	__device__ __forceinline__ void
	find_extremes(const T *x)
	{
		if (thread() == 0) {
			m.low = ORDER_HIGHEST;
			m.high = ORDER_LOWEST;
		}
		sync_tile<WARPS>();
		extremes<T> seen;
		see_group(seen, x, s0(), s.n);
		seen.give(&m.low, &m.high);
		sync_tile<WARPS>();
	}

	/* h = y = r + scale b; its extremes and marks. */
	__device__ __forceinline__ void
	start()
	{
		row<T> &r = m.advance.r;
		T x[GROUP], y[GROUP + 2];
		constexpr int WORDS = sizeof(row<T>) / sizeof(unsigned);
		restores = stop_is_before(s.rule.stop);
		load_source(s, i, s0(), x);
		with_source_beside(s, i, s0(), x, y);
		if (s.copy)
			buffer().store(s.y + i * s.stride, warp() * SPAN, s.n, x);
		for (int k = thread(); k < WORDS; k += 32 * WARPS)
			((unsigned *)&r)[k] = 0;
		if (thread() == 0)
			m.advance.extrema = m.advance.wrong_signs = 0;
		if (FLOW == NO_FLOW && thread() < 3 * WARPS)
			m.sum[0][thread()] = 0.0;
		if (is_step(s, i))
			find_extremes(x);
		take(y);
		if (thread() == 0)
			r.head.flat = s.input[i].flat;
		count.above = 0;
	}

	/* Is the mode one, by its range? */
	__device__ __forceinline__ bool
	is_mode(const T (&x)[GROUP])
	{
		if (!m.advance.r.oscillates || !is_step(s, i) || s.tiny_modes)
			return m.advance.r.oscillates;
		find_extremes(x);
		return is_mode_by_range(s, i, m.advance.r, mode, range());
	}

	/* Delivers what the job wants, from h; then(more), by each thread as soon as that is known:
	 * may what is left have another mode for the job?  Returns that. */
	template <class Then>
	__device__ __forceinline__ bool
	finish(Then then)
	{
		const row<T> &r = m.advance.r;
		if (memory::TIGHT && crowded) {
			then(false);
			if (thread() == 0)
				answer(s, i, { 0, false, false, false, true }, mode);
			sync_tile<WARPS>();
			return false;
		}
		/* Only now, since the loop over sifts has no registers for it. */
		if (!PLAIN && restores && refused)
			load_h(out());
		T x[GROUP];
		get_h(x);
		const bool oscillates = is_mode(x), untouched = r.place == ROW_SOURCE;
		const bool more = oscillates && mode + 1 < s.modes;
		then(more);
		deliver_group(s, i, out(), oscillates, untouched, s0(), x, buffer(), warp() * SPAN);
		if (thread() == 0)
			answer(s, i,
			       { r.head.sifts, oscillates, r.oscillates && untouched,
			         r.unfinished },
			       mode);
		sync_tile<WARPS>();
		return more;
	}
};

/* Rows of a block, one a warp, where shared memory allows: as many as there are registers for. */
template <class T> constexpr int SHORT_ROWS = WARPS_AT_ONCE<T>;

/* The rows that list names, or rows 0 .. count - 1. */
template <class T>
__global__ void __launch_bounds__(32 * SHORT_ROWS<T>, 1)
short_kernel(const __grid_constant__ sift_rows<T> s, const int *list, int count)
{
	extern __shared__ double shared[];
	whole_row<T, 1, NO_FLOW> row = { ((whole_memory<T, 1, NO_FLOW> *)shared)[threadIdx.y], s };
	int item = (int)(blockIdx.x * blockDim.y + threadIdx.y);
	bool started = true;
	while (__syncthreads_or(item < count)) {
		if (item >= count)
			continue;
		if (started) {
			row.i = list ? list[item] : item;
			row.start();
		}
		started = !(row.advance(started) && row.sift());
		if (started) {
			int next = 0;
			row.finish([&](bool) {
				if (row.lane() == 0)
					next = draw_row(s, count, (int)(gridDim.x * blockDim.y));
			});
			item = uniform(next);
		}
	}
}

/* Warps of a multiprocessor whose rows are of several: the longest row has all of them. */
template <class T, sift_flow FLOW>
constexpr int WHOLE_WARPS = FLOW != NO_FLOW ? (real<T>::F64 ? 10 : 20) : WARPS_AT_ONCE<T>;

/* The same, a row a block, whose modes are sifted one after the other. */
template <class T, int WARPS, sift_flow FLOW>
__global__ void __launch_bounds__(32 * WARPS, (WHOLE_WARPS<T, FLOW> / WARPS))
whole_kernel(const __grid_constant__ sift_rows<T> s, const int *list, int count)
{
	using memory = whole_memory<T, WARPS, FLOW>;
	WHERE_SHARED_FITS(sizeof(memory)) {
		extern __shared__ double shared[];
		memory &m = *(memory *)shared;
		whole_row<T, WARPS, FLOW> row = { m, s };
		const auto draw = [&](bool more) {
			if (!more && threadIdx.x == 0)
				m.next = draw_row(s, count, (int)gridDim.x);
		};
		for (int item = blockIdx.x; item < count;) {
			row.i = list ? list[item] : item;
			row.start();
			for (bool started = true; row.advance(started) && row.sift();)
				started = false;
			if (row.finish(draw)) {
				++row.mode;
			} else {
				row.mode = 0;
				item = m.next;
			}
		}
	}
}

#endif
