/*
 * resident.cuh - all sifts of rows whose tiles are on the device together (block/team.cuh) in one
 * launch: the block of a tile keeps its samples in registers and its knots in shared memory from
 * the row's start to its finish.
 *
 * The advance is each block's own, from the same counts, so that one meeting a sift is enough.
 *
 * Fits      rows of more than one tile, while a row's blocks run together (teams_fits, ways.cuh).
 * Twin      cpu/emd/sifter.c: the same bits.
 * Launch    resident_kernel: WARPS warps a tile, cooperative: the blocks of as many rows as there
 *           are at once; rows come in turn, from their start on or from where steps have
 *           brought them (sift_resume).
 * Memory    samples in registers, knots and notes in shared memory (resident_memory); the device's
 *           memory has what blocks of a team tell each other, a row's samples once at either end.
 */
#ifndef WSI_CUDA_RESIDENT_CUH
#define WSI_CUDA_RESIDENT_CUH

#include "cuda/emd/block/rows.cuh"
#include "cuda/emd/block/team.cuh"
#include "cuda/emd/block/advance.cuh"
#include "math/sum.h"

template <class T, int WARPS> struct resident_memory {
	tile_knots<T, WARPS, BEFORE_TILE<T>, AFTER_TILE<T>> knots;
	advance_memory<T> advance;
	row_edge edge;                /* of the tile */
	neighbours<T> beside[WARPS];  /* samples of h */
	T first, last;
	double sum[3][WARPS];
	unsigned signs[WARPS], above[WARPS];
	unsigned long long low, high; /* extremes, order.cuh */
};

/* What is needed while there are no cubics, in their place. */
template <int WARPS> struct between_sifts {
	plateau_memory<WARPS> plateaus;
	team_view view;
};

/* How a row comes to an advance: it begins; it comes from steps, whose advance has been made; it
 * was sifted. */
enum row_comes { ROW_STARTED, ROW_RESUMED, ROW_SIFTED };

/* A thread of the block that keeps a tile of row i.  FIXED: the number of sifts is, so that nothing
 * else is wanted of the samples.  ALONE: in f32, the block has a multiprocessor for itself, and so
 * registers for all that it works on, which it has in f64 in any case. */
template <class T, int WARPS, bool FIXED, bool ALONE> struct resident {
	using memory = resident_memory<T, WARPS>;
	static constexpr int THREADS = WARPS * 32, TILE = WARPS * SPAN;
	static constexpr int OWN = BEFORE_TILE<T> + 1;
	memory &m;
	const sift_rows<T> &s;
	team &others;
	int i, begin, s0; /* the row; the first sample of the tile, of the thread */
	int mode;         /* of the job */
	T h[GROUP];
	T y[GROUP + 2];               /* what came of the last sift, or of none */
	unsigned mark[2], half;       /* of it */
	tile_ranks rank;
	tally count;
	bool level;                   /* some step of it in the tile is */

	/* Does the rule count them? */
	__device__ __forceinline__ bool
	signs() const
	{
		return !FIXED && s.signs;
	}

	__device__ __forceinline__ plateau_memory<WARPS> &
	plateaus()
	{
		static_assert(sizeof(plateau_memory<WARPS>) <= sizeof m.knots.cubic, "room");
		return ((between_sifts<WARPS> *)m.knots.cubic)->plateaus;
	}

	__device__ __forceinline__ team_view &
	view()
	{
		static_assert(sizeof(between_sifts<WARPS>) <= sizeof m.knots.cubic, "room");
		return ((between_sifts<WARPS> *)m.knots.cubic)->view;
	}

	/* For the warp's samples on their way to memory. */
	__device__ __forceinline__ span_buffer<T> &
	buffer()
	{
		return m.knots.out[uniform(threadIdx.x / 32)];
	}

	/* The first sample of the warp. */
	__device__ __forceinline__ int
	span_begin()
	{
		return begin + uniform(threadIdx.x / 32) * SPAN;
	}

	/* Knots of a kind before the tile, and of the row. */
	__device__ __forceinline__ int
	before_tile(int kind)
	{
		return (int)view().before[kind][others.tile];
	}

	__device__ __forceinline__ int
	of_row(int kind)
	{
		return (int)view().before[kind][others.tiles];
	}

	__device__ __forceinline__ knot<T>
	knot_at(int kind, int at)
	{
		return knot_told(s.board, others, view(), kind, at);
	}

	__device__ __forceinline__ void
	put_h(const T *x)
	{
#pragma unroll
		for (int k = 0; k < GROUP; ++k)
			h[k] = x[k];
	}

	__device__ __forceinline__ void
	get_h(T (&x)[GROUP]) const
	{
#pragma unroll
		for (int k = 0; k < GROUP; ++k)
			x[k] = h[k];
	}

	/* ---- What comes of a sift ---- */

	__device__ __forceinline__ void
	mark_samples()
	{
		level = mark_tile<T, WARPS>(plateaus(), y, begin, s.n, (T)s.input[i].flat, signs(),
		                            s.plateaus, s.lone_steps, s.half_ticks, mark, half,
		                            count, &m.edge);
	}

	/* Puts knots, samples at edges and counts where others of the block see them. */
	__device__ __forceinline__ void
	hand_in()
	{
		const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
		rank = rank_knots<WARPS>(m.knots.warp_knots, mark);
		int32_t *const t[2] = { m.knots.t[0] + OWN + rank.before[0],
			                m.knots.t[1] + OWN + rank.before[1] };
		T *const v[2] = { m.knots.v[0] + OWN + rank.before[0],
			          m.knots.v[1] + OWN + rank.before[1] };
#pragma unroll
		for (int kind = 0; kind < 2; ++kind)
			place_knots(y + 1, s0, mark[kind], or_lanes(mark[kind]), t[kind], v[kind]);
		if (seldom(half != 0))
			place_halves(y, s0, mark, half, t, v);
		if (lane == 31 && warp + 1 < WARPS)
			m.beside[warp + 1].before = y[GROUP];
		if (lane == 0 && warp > 0)
			m.beside[warp - 1].after = y[1];
		if (threadIdx.x == 0)
			m.first = y[1];
		const int last = min(begin + TILE, s.n) - 1 - s0;
		if (last >= 0 && last < GROUP)
#pragma unroll
			for (int k = 0; k < GROUP; ++k)
				if (k == last)
					m.last = y[k + 1];
		if (signs()) {
			const unsigned wrong = sum_lanes(count.signs);
			const unsigned above = sum_lanes(count.above);
			if (lane == 0) {
				m.signs[warp] = wrong;
				m.above[warp] = above;
			}
		}
		__syncthreads();
	}

	/* Tells the thread's samples, if a run of level steps that touches an edge has some of
	 * them, or begins with the step from one. */
	__device__ __forceinline__ void
	tell_runs(team_note<T> &note)
	{
		static_assert(TILE <= TEAM_SAMPLES, "room");
		using some = some_samples<T>;
		const int first = (int)threadIdx.x * GROUP;
		if (first >= m.edge.lead && first + GROUP < TILE - m.edge.trail)
			return;
#pragma unroll
		for (int k = 0; k < GROUP; k += some::COUNT) {
			some vector;
#pragma unroll
			for (int j = 0; j < some::COUNT; ++j)
				vector.v[j] = y[1 + k + j];
			*(some *)&note.run[first + k] = vector;
		}
	}

	/* Tells the team; sums: those of the last sift are wanted. */
	__device__ __forceinline__ void
	tell(bool sums)
	{
		constexpr int EDGE = team_note<T>::EDGE;
		team_note<T> &note = s.board.note[others.here()];
#pragma unroll
		for (int kind = 0; kind < 2; ++kind) {
			const int all = rank.all[kind], told = min(all, 2 * EDGE);
			for (int k = threadIdx.x; k < told; k += THREADS) {
				const int from =
					OWN +
					(all <= 2 * EDGE || k < EDGE ? k : all - 2 * EDGE + k);
				note.t[kind][k] = m.knots.t[kind][from];
				note.v[kind][k] = m.knots.v[kind][from];
			}
		}
		const bool touched = level && (m.edge.lead > 0 || m.edge.trail > 0);
		if (touched)
			tell_runs(note);
		if (threadIdx.x == 0) {
			const int here = others.here();
			const unsigned knots =
				(unsigned)(rank.all[WSI_MAX] | rank.all[WSI_MIN] << 16);
			s.board.word[here] = { knots | (touched ? TEAM_TOUCHED : 0u),
				               team_edge(m.edge) };
			if (signs()) {
				uint2 all = {};
				for (int w = 0; w < WARPS; ++w) {
					all.x += m.signs[w];
					all.y += m.above[w];
				}
				s.board.signs[here] = all;
			}
			note.first = m.first;
			note.last = m.last;
			note.low = m.low;
			note.high = m.high;
			for (int k = 0; k < 3 && sums; ++k)
				note.sum[k] = m.sum[k][0];
		}
		meet(s.board, others);
	}

	/* ---- The advance ---- */

	/* Marks an extremum of the tile, if it is one of this thread's. */
	__device__ __forceinline__ void
	mark_joined(const joined_knot &k)
	{
		const int kind = k.kind, at = k.at;
		if (at / GROUP != (int)threadIdx.x)
			return;
		half |= k.half ? 1u << at % GROUP : 0u;
		mark[WSI_MAX] |= kind == WSI_MAX ? 1u << at % GROUP : 0u;
		mark[WSI_MIN] |= kind == WSI_MIN ? 1u << at % GROUP : 0u;
		if (!signs())
			return;
		unsigned wrong = 0;
#pragma unroll
		for (int k = 0; k < GROUP; ++k)
			wrong |= has_wrong_sign(kind, y[k + 1]) ? 1u << k : 0u;
		count.signs += (wrong >> at % GROUP & 1u) << 16;
	}

	/* Marks the plateaus across the tile's edges that have their middle in it; false where
	 * there are none. */
	__device__ __forceinline__ bool
	join_plateaus()
	{
		const unsigned left = view().joined[WSI_LEFT][others.tile];
		const unsigned right = view().joined[WSI_RIGHT][others.tile];
		if (left)
			mark_joined(joined_told(left));
		if (right)
			mark_joined(joined_told(right));
		if (right & JOINED_BOTH) {
			const joined_knot k = joined_told(right);
			mark_joined({ 1 - k.kind, k.at - 1, false, false });
		}
		return left || right;
	}

	/* What all counted, into the row's sums; by all threads. */
	__device__ __forceinline__ void
	add_up(row_comes as, bool sums)
	{
		row<T> &r = m.advance.r;
		/* Once: the tree destroys what it adds up. */
		if (threadIdx.x == 0)
			for (int k = 0; k < 3 && sums; ++k)
				m.sum[k][0] = sum_tree(m.sum[k], WARPS);
		tell(sums);
		const bool known = read_counts<WARPS>(s.board, others, view(), r.sums, signs(),
		                                      s.half_ticks, true);
		if (others.joined && join_plateaus())
			hand_in();
		if (!known) {
			/* Since what others cannot know of them must be told. */
			tell(sums);
			read_counts<WARPS>(s.board, others, view(), r.sums, signs(), s.half_ticks,
			                   false);
		}
		const team_note<T> *note = s.board.note + others.there();
		if (sums)
			fold_sums(note);
		if (as == ROW_STARTED)
			read_extremes(note);
	}

	__device__ __forceinline__ void
	fold_sums(const team_note<T> *note)
	{
		for (int k = 0; k < 3; ++k) {
			for (int q = threadIdx.x; q < others.tiles; q += THREADS)
				view().sum[q] = __ldcg(&note[q].sum[k]);
			__syncthreads();
			const double sum = fold(view().sum, others.tiles);
			if (threadIdx.x == 0)
				m.advance.sum[k] = sum;
			__syncthreads();
		}
	}

	/* ---- Extremes ---- */

	__device__ __forceinline__ void
	find_extremes(const T *v)
	{
		if (threadIdx.x == 0) {
			m.low = ORDER_HIGHEST;
			m.high = ORDER_LOWEST;
		}
		__syncthreads();
		extremes<T> seen;
		see_group(seen, v, s0, s.n);
		seen.give(&m.low, &m.high);
		__syncthreads();
	}

	__device__ __forceinline__ void
	read_extremes(const team_note<T> *note)
	{
		extremes<double> seen;
#pragma unroll 4
		for (int q = threadIdx.x; q < others.tiles; q += THREADS) {
			seen.see(to_real(__ldcg(&note[q].low)));
			seen.see(to_real(__ldcg(&note[q].high)));
		}
		seen.give(&m.low, &m.high);
		__syncthreads();
	}

	__device__ __forceinline__ double
	range() const
	{
		return to_real(m.high) - to_real(m.low);
	}

	/* ---- Knots beside the tile ---- */

	/* Are the ends of the row among what the tile's slopes depend on? */
	__device__ __forceinline__ bool
	sees_ends()
	{
		bool sees = false;
#pragma unroll
		for (int kind = 0; kind < 2; ++kind) {
			const int before = before_tile(kind);
			const int after = of_row(kind) - before - rank.all[kind];
			sees = sees || before < BEFORE_TILE<T> || after < AFTER_TILE<T>;
		}
		return sees;
	}

	__device__ __forceinline__ T
	end_sample(int side)
	{
		const team_note<T> *note = s.board.note + others.there();
		return side == WSI_LEFT ? __ldcg(&note->first)
		                        : __ldcg(&note[others.tiles - 1].last);
	}

	/* What lies beyond the ends of the row; one warp. */
	__device__ __forceinline__ void
	see_to_ends()
	{
		const int lane = threadIdx.x & 31, last = (s.n - 1) * WSI_TICKS;
		const int side = lane / (2 * WSI_NEAR) & 1, kind = lane / WSI_NEAR & 1;
		const int k = lane % WSI_NEAR;
		const int marked = kind == WSI_MAX ? of_row(WSI_MAX) : of_row(WSI_MIN);
		lane_near<T> near = { min(marked, WSI_NEAR) };
		if (k < marked) {
			const knot<T> a = knot_at(kind, side == WSI_LEFT ? k : marked - 1 - k);
			near.u = side == WSI_LEFT ? a.t : last - a.t;
			near.v = a.v;
		}
		make_ends(m.advance.r, s, near, end_sample(side));
	}

	/* Takes the samples beside the tile; one warp. */
	__device__ __forceinline__ void
	take_samples_beside()
	{
		const int lane = threadIdx.x & 31;
		const team_note<T> *note = s.board.note + others.there() + others.tile;
		if (lane == 0 && others.tile > 0)
			m.beside[0].before = __ldcg(&note[-1].last);
		if (lane == 1 && others.tile + 1 < others.tiles)
			m.beside[WARPS - 1].after = __ldcg(&note[1].first);
	}

	/* Extrema of a kind on one side of the tile. */
	__device__ __forceinline__ int
	marked_beside(int kind, int side)
	{
		const int own = kind == WSI_MAX ? rank.all[WSI_MAX] : rank.all[WSI_MIN];
		return side == WSI_LEFT ? before_tile(kind)
		                        : of_row(kind) - before_tile(kind) - own;
	}

	/* Where the list has knot k beside the tile, counted outwards. */
	__device__ __forceinline__ int
	beside_at(int kind, int side, int k)
	{
		const int own = kind == WSI_MAX ? rank.all[WSI_MAX] : rank.all[WSI_MIN];
		return side == WSI_LEFT ? OWN - 1 - k : OWN + own + k;
	}

	__device__ static constexpr int
	needed_beside(int side)
	{
		return side == WSI_LEFT ? BEFORE_TILE<T> : AFTER_TILE<T>;
	}

	/* The knots of a kind on one side of the tile that are listed; the nearest one's rank in
	 * the row. */
	struct listed {
		int kind, side, got, nearest;

		__device__ __forceinline__ int
		rank(int k) const
		{
			return side == WSI_LEFT ? nearest - k : nearest + k;
		}
	};

	/* Of the kind and side of a task; the tile's memory learns how many. */
	__device__ __forceinline__ listed
	begin_list(int task)
	{
		const int kind = task / 2, side = task % 2, before = before_tile(kind);
		const int own = kind == WSI_MAX ? rank.all[WSI_MAX] : rank.all[WSI_MIN];
		const int got = min(needed_beside(side), marked_beside(kind, side));
		if ((threadIdx.x & 31) == 0)
			(side == WSI_LEFT ? m.knots.before : m.knots.after)[kind] = got;
		return { kind, side, got, side == WSI_LEFT ? before - 1 : before + own };
	}

	__device__ __forceinline__ void
	put_beside(const listed &l, int k, const knot<T> &a)
	{
		const int at = beside_at(l.kind, l.side, k);
		m.knots.t[l.kind][at] = a.t;
		m.knots.v[l.kind][at] = a.v;
	}

	/* Lists the knots of other tiles beside this one; by warps first, first + step, ..  A lane
	 * that has registers for them asks for the knots of two tasks before it waits for one. */
	__device__ __forceinline__ void
	list_beside(int first, int step)
	{
		const int lane = threadIdx.x & 31;
		int task = uniform(threadIdx.x / 32) - first;
		for (; ALONE && task < 4; task += 2 * step)
			list_at_once(begin_list(task),
			             task + step < 4 ? begin_list(task + step) : listed{}, lane);
		for (; task < 4; task += step) {
			const listed l = begin_list(task);
			for (int k = lane; k < l.got; k += 32)
				put_beside(l, k, knot_at(l.kind, l.rank(k)));
		}
	}

	__device__ __forceinline__ void
	list_at_once(const listed &one, const listed &other, int lane)
	{
		constexpr int ROUNDS = (AFTER_TILE<T> + 31) / 32;
		knot<T> a[ROUNDS], b[ROUNDS];
#pragma unroll
		for (int r = 0; r < ROUNDS; ++r) {
			const int k = lane + 32 * r;
			if (k < one.got)
				a[r] = knot_at(one.kind, one.rank(k));
			if (k < other.got)
				b[r] = knot_at(other.kind, other.rank(k));
		}
#pragma unroll
		for (int r = 0; r < ROUNDS; ++r) {
			const int k = lane + 32 * r;
			if (k < one.got)
				put_beside(one, k, a[r]);
			if (k < other.got)
				put_beside(other, k, b[r]);
		}
	}

	/* Adds to them those beyond the ends, a thread each. */
	__device__ __forceinline__ void
	list_beyond()
	{
		const int task = threadIdx.x / WSI_NEAR, k = threadIdx.x % WSI_NEAR;
		if (task >= 4)
			return;
		const int kind = task / 2, side = task % 2, marked = marked_beside(kind, side);
		const row_extras<T> &e = m.advance.r.extra[kind][side];
		const int got = min(needed_beside(side), marked + e.n);
		const int extra = side == WSI_LEFT ? e.n - 1 - k : k;
		if (marked + k < got) {
			m.knots.t[kind][beside_at(kind, side, marked + k)] = e.t[extra];
			m.knots.v[kind][beside_at(kind, side, marked + k)] = e.v[extra];
		}
		if (k == 0 && marked < got)
			(side == WSI_LEFT ? m.knots.before : m.knots.after)[kind] = got;
	}

	/* After a sift, or none: false where the row is done.  What the next sift needs
	 * is ready then. */
	__device__ __forceinline__ bool
	advance(row_comes as, bool &ends)
	{
		const bool started = as == ROW_STARTED;
		const bool sums = !FIXED && as == ROW_SIFTED &&
			wanted_of(s, i, m.advance.r.head.sifts).sums;
		hand_in();
		add_up(as, sums);
		ends = sees_ends();
		/* Side by side, since each is a chain of its own. */
		const int warp = uniform(threadIdx.x / 32);
		if (ends && warp == WARPS - 1)
			see_to_ends();
		if (threadIdx.x == 0)
			m.advance.phase =
				as == ROW_RESUMED
					? ROW_KNOTS
					: decide<FIXED>(m.advance, s, i, s.input[i], m.advance.r,
			                                started, started ? range() : 0.0);
		constexpr int LISTER = 1;
		if (warp == LISTER)
			take_samples_beside();
		const int listers = WARPS == 4 && ends ? 2 : WARPS - LISTER;
		if (warp >= LISTER && warp < LISTER + listers)
			list_beside(LISTER, listers);
		__syncthreads();
		if (ends) {
			list_beyond();
			__syncthreads();
		}
		return m.advance.phase != ROW_DONE;
	}

	/* ---- A sift ---- */

	__device__ __forceinline__ void
	sift(bool ends)
	{
		const row<T> &r = m.advance.r;
		const int warp = uniform(threadIdx.x / 32);
		/* Some of what lies beyond all extrema may still lie inside the tile. */
		const bool inside = ends && (begin < r.head.left_inside ||
		                             min(begin + TILE, s.n) > r.head.right_inside);
		int at[2] = { OWN - 1 + rank.before[0], OWN - 1 + rank.before[1] };
		/* So that ticks are added up exactly. */
		static_assert(2 * WSI_TICKS * TEAM_TILES * TEAM_SAMPLES < (1 << 24) - 64, "f32");
		if (inside)
			add_extras(r.extra, s.n, s0, mark, half, at);
		make_all_cubics(m.knots, s.spline, rank.all, inside ? WSI_NEAR + 1 : 1);
		const shared_cubics<T> l[2] = { cubics_of(m.knots, WSI_MAX, rank.all[WSI_MAX]),
			                        cubics_of(m.knots, WSI_MIN, rank.all[WSI_MIN]) };
		wanted<T> want = {};
		if constexpr (!FIXED) {
			want = wanted_of(s, i, r.head.sifts);
			want.sum = m.sum[0];
			want.spans = WARPS;
		}
		T x[GROUP];
		get_h(x);
		sift_group<true, !FIXED>(l, at, mark, half, s0, s.n, warp, want, x, m.beside[warp],
		                         y, count);
	}

	/* ---- A row ---- */

	/* h = y = r + scale b; its extremes and marks. */
	__device__ __forceinline__ void
	start()
	{
		row<T> &r = m.advance.r;
		T x[GROUP];
		constexpr int WORDS = sizeof(row<T>) / sizeof(unsigned);
		load_source(s, i, s0, x);
		with_source_beside(s, i, s0, x, y);
		put_h(x);
		if (s.copy)
			buffer().store(s.y + i * s.stride, span_begin(), s.n, x);
		for (int k = threadIdx.x; k < WORDS; k += THREADS)
			((unsigned *)&r)[k] = 0;
		if (threadIdx.x < WARPS)
			m.beside[threadIdx.x] = {};
		if (threadIdx.x == 0)
			m.advance.extrema = m.advance.wrong_signs = 0;
		__syncthreads();
		if (threadIdx.x == 0)
			r.head.flat = s.input[i].flat;
		if (is_step(s, i))
			find_extremes(x);
		mark_samples();
		count.above = 0;
	}

	/* h = y = what steps have made of the row; its marks. */
	__device__ __forceinline__ void
	resume()
	{
		row<T> &r = m.advance.r;
		T x[GROUP];
		constexpr int WORDS = sizeof(row<T>) / sizeof(unsigned);
		for (int k = threadIdx.x; k < WORDS; k += THREADS)
			((unsigned *)&r)[k] = __ldcg((const unsigned *)&s.rows[i] + k);
		if (threadIdx.x < WARPS)
			m.beside[threadIdx.x] = {};
		if (threadIdx.x == 0)
			m.advance.extrema = m.advance.wrong_signs = 0;
		__syncthreads();
		const T *const from = place_of(s, i, r.place);
		load_group(from, s0, s.n, x);
#pragma unroll
		for (int k = 0; k < GROUP; ++k)
			y[k + 1] = x[k];
		y[0] = s0 > 0 && s0 < s.n ? __ldcg(from + s0 - 1) : (T)0;
		y[GROUP + 1] = s0 + GROUP < s.n ? __ldcg(from + s0 + GROUP) : (T)0;
		put_h(x);
		mark_samples();
		count.above = 0;
	}

	/* Takes what came of a sift, or of none, for h; false where the row is done. */
	__device__ __forceinline__ bool
	take(row_comes as, bool &ends)
	{
		const int sifts = m.advance.r.head.sifts;
		const bool more = advance(as, ends);
		/* Some rules look before they take it. */
		if (m.advance.r.head.sifts > sifts)
			put_h(y + 1);
		return more;
	}

	/* False where that was the last of a fixed number: what came of it is h, and
	 * needs no marks. */
	__device__ __forceinline__ bool
	sift_and_mark(bool ends)
	{
		row<T> &r = m.advance.r;
		sift(ends);
		if (!FIXED || r.head.sifts + 1 < s.rule.sifts) {
			mark_samples();
			return true;
		}
		put_h(y + 1);
		__syncthreads();
		if (threadIdx.x == 0)
			advance_sifted<true>(s, i, r, m.advance.sum);
		__syncthreads();
		return false;
	}

	/* Is the mode one, by its range? */
	__device__ __forceinline__ bool
	is_mode(const T (&x)[GROUP])
	{
		if (!m.advance.r.oscillates || !is_step(s, i) || s.tiny_modes)
			return m.advance.r.oscillates;
		find_extremes(x);
		if (threadIdx.x == 0) {
			team_note<T> &note = s.board.note[others.here()];
			note.low = m.low;
			note.high = m.high;
		}
		meet(s.board, others);
		read_extremes(s.board.note + others.there());
		return is_mode_by_range(s, i, m.advance.r, mode, range());
	}

	/* Leaves h and the row as steps would, for their finish. */
	__device__ __forceinline__ void
	leave()
	{
		T x[GROUP];
		constexpr int WORDS = sizeof(row<T>) / sizeof(unsigned);
		get_h(x);
		buffer().store((T *)place_of(s, i, m.advance.r.place), span_begin(), s.n, x);
		for (int k = threadIdx.x; k < WORDS && begin == 0; k += THREADS)
			((unsigned *)&s.rows[i])[k] = ((const unsigned *)&m.advance.r)[k];
		__syncthreads();
	}

	/* Delivers what the job wants, from h; may what is left have another mode for it? */
	__device__ __forceinline__ bool
	finish()
	{
		const row<T> &r = m.advance.r;
		T x[GROUP];
		get_h(x);
		const bool oscillates = is_mode(x), untouched = r.place == ROW_SOURCE;
		deliver_group(s, i, s.out + mode * s.mode_stride + i * s.out_stride, oscillates,
		              untouched, s0, x, buffer(), span_begin());
		if (begin == 0 && threadIdx.x == 0)
			answer(s, i,
			       { r.head.sifts, oscillates, r.oscillates && untouched,
			         r.unfinished },
			       mode);
		__syncthreads();
		return oscillates && mode + 1 < s.modes;
	}
};

/* Of a block's shared memory, by the device for itself. */
constexpr size_t KEPT = 1024;

/* Warps of a wide tile; others are as wide as those of steps. */
constexpr int WIDE_WARPS = 8;

/* Shared memory of a block that a card needs for teams of so many warps: the wide ones have all
 * that a multiprocessor has registers for. */
template <class T, int WARPS>
constexpr size_t SHARED_OF_TEAMS = (WARPS == WIDE_WARPS ? WARPS_AT_ONCE<T> / WARPS : 1) *
                                           (sizeof(resident_memory<T, WARPS>) + KEPT) -
                                   KEPT;

/* The block's tile of the rows that list names, or of rows 0 .. count - 1; where the job resumes,
 * of a set of rows that steps have left. */
template <class T, int WARPS, bool FIXED, bool ALONE>
__global__ void __launch_bounds__(WARPS * 32, ALONE ? 1 : WARPS_AT_ONCE<T> / WARPS)
resident_kernel(const __grid_constant__ sift_rows<T> s, const int *list, int count)
{
	using tile = resident<T, WARPS, FIXED, ALONE>;
	WHERE_SHARED_FITS(SHARED_OF_TEAMS<T, WARPS>) {
		extern __shared__ double shared[];
		const int tiles = (s.n + tile::TILE - 1) / tile::TILE;
		const int first = (int)blockIdx.x / tiles * tiles;
		team others = { s.board.blocks, first, tiles, (int)blockIdx.x - first, tile::TILE };
		const int begin = others.tile * tile::TILE, s0 = begin + (int)threadIdx.x * GROUP;
		typename tile::memory &m = *(typename tile::memory *)shared;
		const bool resumes = !FIXED && s.resumes;
		int of[ROW_PHASES] = {};
		for (int p = 0; p < ROW_PHASES && resumes; ++p)
			of[p] = s.work_count[s.resumed * ROW_PHASES + p];
		count = resumes ? of[ROW_KNOTS] + of[ROW_CUBICS] : count;
		for (int item = first / tiles, mode = 0; item < count;) {
			const int i = resumes ? row_of_set(s, s.resumed, of, item)
			              : list  ? list[item]
			                      : item;
			tile t = { m, s, others, i, begin, s0, mode };
			row_comes as = resumes ? ROW_RESUMED : ROW_STARTED;
			if (resumes)
				t.resume();
			else
				t.start();
			bool ends;
			while (t.take(as, ends) && t.sift_and_mark(ends))
				as = ROW_SIFTED;
			if (resumes) {
				t.leave();
				item += (int)gridDim.x / tiles;
			} else if (t.finish()) {
				++mode;
				/* All have left the samples that others begin with. */
				meet(s.board, others);
			} else {
				mode = 0;
				item += (int)gridDim.x / tiles;
			}
		}
	}
}

#endif
