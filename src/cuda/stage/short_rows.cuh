/*
 * short_rows.cuh - rows that a warp holds: all sifts of a row in one launch, its samples and knots in
 * shared memory from the row's start to its finish.
 *
 * What takes time here is fetching instructions: so loops are not unrolled, and the warps of a block,
 * each with a row of its own, go through each sift in step.  Where the number of sifts is fixed and nothing else is wanted of the samples, they
 * flow (block/flow.cuh) from their place in memory back to it.
 */
#ifndef WSI_CUDA_SHORT_ROWS_CUH
#define WSI_CUDA_SHORT_ROWS_CUH

#include "cuda/block/flow.cuh"
#include "cuda/block/rows.cuh"
#include "cuda/block/turn.cuh"

template <class T> struct short_memory {
	/* In the lists the row's own knots start at OWN; beside them are those beyond the ends. */
	static constexpr int OWN = WSI_NEAR + 2, MOST_ROWS = 7;
	/* No two are neighbours, but at the ends; and what lanes without knots load. */
	static constexpr int KNOTS = OWN + SPAN / 2 + 2 + WSI_NEAR + MOST_ROWS + 2;
	two<T> lower[2][KNOTS], upper[2][KNOTS]; /* see halved_list */
	int32_t t[2][KNOTS];
	span_buffer<T> h;
	turn_memory<T> turn;
	row_edge edge;
	double sum[3];
	unsigned long long low, high; /* extremes, order.cuh */
};

template <class T> using short_cubics = halved_cubics<T, (int)sizeof short_memory<T>::lower>;
static_assert(offsetof(short_memory<float>, upper) == sizeof short_memory<float>::lower &&
              offsetof(short_memory<double>, upper) == sizeof short_memory<double>::lower, "the upper halves follow");

/* A thread's samples of h. */
template <class T> struct samples_of_short {
	const span_buffer<T> &h;
	T prior;                      /* the one before them */

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
		return (T)0; /* a row ends with its warp's samples */
	}
};

/* A thread of the warp that has row i. */
template <class T> struct short_row {
	using memory = short_memory<T>;
	static constexpr int OWN = memory::OWN;
	memory &m;
	const sift_rows<T> &s;
	int i;
	unsigned mark[2];
	tile_ranks rank;
	tally count;
	bool restores;                /* h before the last sift is in s.out, should it be wanted */

	__device__ __forceinline__ static int
	lane()
	{
		return (int)(threadIdx.x & 31);
	}

	__device__ __forceinline__ static int
	s0()
	{
		return lane() * GROUP;
	}

	__device__ __forceinline__ plateau_memory<1> &
	plateaus()
	{
		static_assert(sizeof(plateau_memory<1>) <= sizeof m.upper, "room");
		return *(plateau_memory<1> *)m.upper;
	}

	/* For samples on their way to memory, while there are no cubics. */
	__device__ __forceinline__ span_buffer<T> &
	buffer()
	{
		static_assert(sizeof(span_buffer<T>) <= sizeof m.upper, "room");
		return *(span_buffer<T> *)m.upper;
	}

	__device__ __forceinline__ void
	get_h(T (&x)[GROUP]) const
	{
		m.h.get_all(x);
	}

	/* ---- The turn ---- */

	/* Lists the knots of both kinds, of which no sample is of both; the second kind's list follows the
	 * first's. */
	__device__ __forceinline__ void
	list_knots()
	{
		const shared_place t = shared_address(m.t), v = shared_address(m.lower);
		int at[2] = { OWN + rank.before[0], memory::KNOTS + OWN + rank.before[1] };
#pragma unroll 1
		for (unsigned left = mark[0] | mark[1]; left;) {
			const int k = take_bit<WSI_RIGHT>(left), kind = mark[1] >> k & 1;
			const unsigned to = (unsigned)(kind ? at[1] : at[0]);
			at[0] += 1 - kind;
			at[1] += kind;
			store_shared(t + to * (unsigned)sizeof(int32_t), (s0() + k) * WSI_TICKS);
			store_shared(v + to * (unsigned)sizeof(two<T>), m.h.own(k));
		}
	}

	/* Lists the extrema, and adds up what lanes have counted. */
	__device__ __forceinline__ void
	hand_in()
	{
		const int knots = __popc(mark[0]) | __popc(mark[1]) << 16, through = scan_lanes(knots);
		const int mine = through - knots, all = __shfl_sync(FULL, through, 31);
		rank = { { mine & 0xffff, mine >> 16 }, { all & 0xffff, all >> 16 } };
		list_knots();
		unsigned signs = 0, above = 0;
		if (s.signs) {
			signs = sum_lanes(count.signs);
			above = sum_lanes(count.above);
		}
		if (lane() == 0) {
			row_sums &sums = m.turn.r.sums;
			sums.extrema = (unsigned)rank.all[0] | (unsigned long long)rank.all[1] << 32;
			sums.signs = (signs & 0xffffu) | (unsigned long long)(signs >> 16) << 32;
			sums.above = (above & 0xffffu) | (unsigned long long)(above >> 16) << 32;
			for (int k = 0; k < 3; ++k)
				m.turn.sum[k] = m.sum[k];
		}
		__syncwarp();
	}

	/* What lies beyond the ends, of the extrema nearest them. */
	__device__ __forceinline__ void
	see_to_ends()
	{
		const int last = (s.n - 1) * WSI_TICKS;
		const int side = lane() / (2 * WSI_NEAR) & 1, kind = lane() / WSI_NEAR & 1;
		const int k = lane() % WSI_NEAR, marked = kind ? rank.all[1] : rank.all[0];
		lane_near<T> near = { min(marked, WSI_NEAR) };
		if (k < marked) {
			const int at = OWN + (side == WSI_LEFT ? k : marked - 1 - k), t = m.t[kind][at];
			near.u = side == WSI_LEFT ? t : last - t;
			near.v = m.lower[kind][at].x;
		}
		make_ends(m.turn.r, s, near, m.h.at(side == WSI_LEFT ? 0 : s.n - 1));
		__syncwarp();
		const row_extras<T> &e = m.turn.r.extra[kind][side];
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

	/* After a sift, or none: false where the row is done. */
	__device__ __forceinline__ bool
	turn(bool started)
	{
		const int sifts = m.turn.r.head.sifts;
		hand_in();
		see_to_ends();
		if (lane() == 0)
			m.turn.phase = decide(m.turn, s, i, s.input[i], m.turn.r, started, started ? range() : 0.0);
		__syncwarp();
		/* Some rules look before they take what came of a sift. */
		if (restores && !started && m.turn.r.head.sifts == sifts)
			load_h(s.out + i * s.out_stride);
		return m.turn.phase != ROW_DONE;
	}

	/* ---- A sift ---- */

	/* Takes some samples of device memory for h. */
	__device__ __forceinline__ void
	load_h(const T *x)
	{
		T h[GROUP];
		load_group(x, s0(), s.n, h);
		m.h.put_all(h);
		__syncwarp();
	}

	/* Of a kind; mine: what look_at_ends gave this lane. */
	__device__ __forceinline__ halved_list<T>
	list_of(int kind, const knotless_end<T> &mine)
	{
		const row_extras<T> *e = m.turn.r.extra[kind];
		const int all = kind ? rank.all[1] : rank.all[0];
		return { { m.t[kind], uniform(OWN - e[WSI_LEFT].n), uniform(OWN + all + e[WSI_RIGHT].n), true, true },
			 m.lower[kind], m.upper[kind],
			 { end_of_lane(mine, kind * 16), end_of_lane(mine, kind * 16 + 8) } };
	}

	/* The ends of both lists, a quarter of the lanes each. */
	__device__ __forceinline__ knotless_end<T>
	look_at_ends()
	{
		if (s.spline != WS_SPLINE_NOT_A_KNOT)
			return {};
		const int kind = lane() / 16, side = lane() / 8 & 1;
		const row_extras<T> &e = m.turn.r.extra[kind][side];
		const int last = OWN + (kind ? rank.all[1] : rank.all[0]) + e.n - 1;
		const halved_list<T> list = { { m.t[kind] }, m.lower[kind], m.upper[kind] };
		return end_of(list, side == WSI_LEFT ? OWN - e.n : last, side == WSI_LEFT ? 1 : -1);
	}

	/* False where that was the last of a fixed number: what came of it is h, and needs no marks. */
	__device__ __forceinline__ bool
	sift()
	{
		row<T> &r = m.turn.r;
		int at[2] = { OWN - 1 + rank.before[0], OWN - 1 + rank.before[1] };
		/* Some of what lies beyond all extrema may still lie inside the row. */
		if (r.head.left_inside > 0 || r.head.right_inside < s.n)
			add_extras(r.extra, s.n, s0(), mark, at);
		const knotless_end<T> end = look_at_ends();
#pragma unroll 1
		for (int kind = 0; kind < 2; ++kind) {
			const halved_list<T> list = list_of(kind, end);
			make_cubics<memory::MOST_ROWS>(list, s.spline, list.first, list.end - 1, 0, 1);
		}
		short_cubics<T> l[2];
#pragma unroll
		for (int kind = 0; kind < 2; ++kind)
			l[kind] = { shared_address(m.lower[kind]), shared_address(m.t[kind]),
				    OWN + rank.all[kind] + r.extra[kind][WSI_RIGHT].n };
		const samples_of_short<T> x = { m.h, lane() > 0 ? m.h.at(s0() - 1) : (T)0 };
		__syncwarp();
		if (s.stop == WS_STOP_FIXED)
			return sift_plainly(l, at, x);
		sift_with_statistics(l, at);
		return true;
	}

	__device__ __forceinline__ bool
	sift_plainly(const short_cubics<T> (&l)[2], const int (&at)[2], const samples_of_short<T> &x)
	{
		flow<T, short_cubics<T>> f(l, at, mark, s0(), s.n, true, (T)s.input[i].flat);
		unsigned rise, fall;
		const bool last = is_last(s, m.turn.r.head.sifts + 1);
		f.run(x, [&](int k, const some_samples<T> &y) { m.h.put(k, y); }, rise, fall);
		__syncwarp();
		if (last) {
			if (lane() == 0)
				turn_sifted(s, i, m.turn.r, m.turn.sum);
			__syncwarp();
			return false;
		}
		mark_steps<1>(plateaus(), rise, fall, 0, s.n, s.plateaus, mark, count, &m.edge);
		__syncwarp();
		return true;
	}

	__device__ __forceinline__ void
	sift_with_statistics(const short_cubics<T> (&l)[2], const int (&at)[2])
	{
		wanted<T> want = wanted_of(s, i, m.turn.r.head.sifts);
		want.sum = m.sum;
		want.spans = 1;
		T x[GROUP], y[GROUP + 2];
		get_h(x);
		sift_group(l, at, mark, s0(), s.n, true, 0, want, x, { (T)0, (T)0 }, y, count);
		__syncwarp();
		if (restores)
			buffer().store(s.out + i * s.out_stride, 0, s.n, x);
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
		m.h.put_all(h);
		__syncwarp();
		mark_tile<T, 1>(plateaus(), y, 0, s.n, (T)s.input[i].flat, s.signs, s.plateaus, mark, count,
		                &m.edge);
		__syncwarp();
	}

	/* ---- A row ---- */

	__device__ __forceinline__ void
	find_extremes(const T *x)
	{
		if (lane() == 0) {
			m.low = ORDER_HIGHEST;
			m.high = ORDER_LOWEST;
		}
		__syncwarp();
		extremes<T> seen;
		see_group(seen, x, s0(), s.n);
		seen.give(&m.low, &m.high);
		__syncwarp();
	}

	/* h = y = r + scale b; its extremes and marks. */
	__device__ __forceinline__ void
	start(int row_number)
	{
		row<T> &r = m.turn.r;
		T x[GROUP], y[GROUP + 2];
		constexpr int WORDS = sizeof(row<T>) / sizeof(unsigned);
		i = row_number;
		restores = stop_is_before(s.stop);
		load_source(s, i, s0(), x);
		with_source_beside(s, i, s0(), x, y);
		if (s.copy)
			buffer().store(s.y + i * s.stride, 0, s.n, x);
		for (int k = lane(); k < WORDS; k += 32)
			((unsigned *)&r)[k] = 0;
		if (lane() == 0)
			m.turn.extrema = m.turn.wrong_signs = 0;
		if (lane() < 3)
			m.sum[lane()] = 0.0;
		if (s.step)
			find_extremes(x);
		take(y);
		count.above = 0;
	}

	/* Is the mode one, by its range? */
	__device__ __forceinline__ bool
	is_mode(const T (&x)[GROUP])
	{
		if (!m.turn.r.oscillates || !s.step || s.tiny_modes)
			return m.turn.r.oscillates;
		find_extremes(x);
		return range() > s.input[i].least_range;
	}

	/* Delivers what the job wants, from h. */
	__device__ __forceinline__ void
	finish()
	{
		const row<T> &r = m.turn.r;
		T x[GROUP];
		get_h(x);
		const bool oscillates = is_mode(x), untouched = r.place == ROW_SOURCE;
		deliver_group(s, i, oscillates, untouched, s0(), x, buffer(), 0);
		if (lane() == 0)
			s.output[i] = { r.head.sifts, oscillates, r.oscillates && untouched, r.unfinished };
		__syncwarp();
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
	short_row<T> row = { ((short_memory<T> *)shared)[threadIdx.y], s };
	int item = (int)(blockIdx.x * blockDim.y + threadIdx.y), next = 0;
	bool started = true;
	while (__syncthreads_or(item < count)) {
		if (item >= count)
			continue;
		if (started) {
			row.start(list ? list[item] : item);
			if (row.lane() == 0)
				next = draw_row(s, (int)(gridDim.x * blockDim.y));
		}
		const bool more = row.turn(started) && row.sift();
		started = false;
		if (!more) {
			row.finish();
			item = uniform(next);
			started = true;
		}
	}
}

#endif
