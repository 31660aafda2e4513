/*
 * steps.cuh - rows that do not stay on the chip: start, sift, advance and finish of all rows at
 * once, a launch or two each.
 *
 * Fits      every row: all boundaries, rules and lengths (steps are the way of last resort).
 * Twin      cpu/emd/sifter.c: the same bits.
 * Launch    start_kernel and finish_kernel: blocks of tiles of the rows listed; a sift is
 *           cubics_kernel and knots_kernel (WARPS warps, as many blocks as run at once, over tiles
 *           of a set) and advance_kernel (a block a row, of ADVANCE_WARPS warps, or, where rows are
 *           many, HALF_ADVANCE_WARPS or SHORT_ADVANCE_WARPS).
 * Memory    a tile's samples and knots in shared memory (sift_memory); a sift reads h and marks and
 *           writes the next h and marks; lists of knots of rows that have few.
 */
#ifndef WSI_CUDA_STEPS_CUH
#define WSI_CUDA_STEPS_CUH

#include "cuda/emd/block/flow.cuh"
#include "cuda/emd/block/rows.cuh"
#include "cuda/emd/block/advance.cuh"

/* Of a block that makes a row's advance: many list the knots of a long row.  Where rows are more
 * than processors, a processor has two of some warps under way if their lists fit, of short rows
 * three: each is a chain of loads, which the others hide. */
constexpr int ADVANCE_WARPS = 16, SHORT_ADVANCE_WARPS = 6, SHORT_ADVANCE_SPANS = 32;
template <class T> constexpr int SHORT_ADVANCES = real<T>::F64 ? 2 : 3;
template <class T> constexpr int HALF_ADVANCE_WARPS = real<T>::F64 ? 8 : 10;

/* For what comes of a sift. */
template <class T, int WARPS> struct put_memory {
	plateau_memory<WARPS> plateaus;
	span_buffer<T> span[WARPS];
};

template <class T, int WARPS, sift_flow FLOW> union sift_memory {
	tile_memory<T, WARPS, FLOW> tile;
	put_memory<T, WARPS> put;
};

template <class T>
__device__ __forceinline__ uint32_t *
knots_of_span(const sift_rows<T> &s, int i, int tile, int warps)
{
	return s.knots + (size_t)i * (s.groups / 32) + tile * warps + threadIdx.x / 32;
}

/*
 * The launches of a sift follow each other closely: on devices that can, the
 * next is made ready while the one before is under way (programmatic dependent
 * launch), and waits here for all that came before it to be done and visible.
 */
__device__ __forceinline__ void
wait_for_before()
{
#if __CUDA_ARCH__ >= 900
	cudaGridDependencySynchronize();
#endif
}

/* From here on the next launch may begin, up to its own wait. */
__device__ __forceinline__ void
let_next_begin()
{
#if __CUDA_ARCH__ >= 900
	cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/* Asks for all of a launch's parameters at once, by warps, while it waits: whoever comes to them
 * one after the other waits for each. */
template <int WARPS, class T>
__device__ __forceinline__ void
fetch_parameters(const sift_rows<T> &s)
{
#if __CUDA_ARCH__ >= 900
	constexpr int WORDS = sizeof s / 4, LINE = 16;
	for (int k = (int)threadIdx.x / 32 * LINE; k < WORDS; k += WARPS * LINE)
		asm volatile("" ::"r"(((const int *)&s)[k]));
#endif
}

/* item / tiles and the rest, by inverse = (2^32 - 1) / tiles, which is
 * at most one too little. */
struct quotient {
	int whole, rest;
};

__device__ __forceinline__ quotient
divide(int item, int tiles, unsigned inverse)
{
	quotient q = { (int)__umulhi((unsigned)item, inverse), 0 };
	q.rest = item - q.whole * tiles;
	if (q.rest >= tiles) {
		++q.whole;
		q.rest -= tiles;
	}
	return q;
}

/* A row of those that list names, or of all where it is NULL. */
__device__ __forceinline__ int
row_listed(const int *list, int k)
{
	return list ? list[k] : k;
}

/* Of such rows nothing is known yet, and there is no work. */
template <class T>
__global__ void
clear_kernel(const __grid_constant__ sift_rows<T> s, const int *list, int count)
{
	constexpr int WORDS = sizeof(row<T>) / sizeof(unsigned);
	wait_for_before();
	let_next_begin();
	for (int item = blockIdx.x; item < count; item += gridDim.x) {
		const int i = row_listed(list, item);
		for (int k = threadIdx.x; k < WORDS; k += blockDim.x)
			((unsigned *)&s.rows[i])[k] = 0;
		/* Of half bits in both sets, see store_found. */
		for (int k = threadIdx.x; k < s.groups / 32; k += blockDim.x)
			for (int set = 0; set < 2; ++set)
				bitmap_of(s, i, set, HALVES).summary[k] = 0;
		if (threadIdx.x == 0) {
			s.low[i] = ORDER_HIGHEST;
			s.high[i] = ORDER_LOWEST;
			s.relay[i] = {};
		}
	}
	if (blockIdx.x == 0 && threadIdx.x < 3 * ROW_PHASES)
		s.work_count[threadIdx.x] = 0;
	if (blockIdx.x == 0 && threadIdx.x == 0) {
		*s.relay_ended = {};
		*s.drawn = 0;
	}
}

/* Stores what a tile has found of the next h, of a row that is started or sifted: its marks, and,
 * if some, its half bits: where steps of the tile were level, or the set had some before. Elsewhere
 * its summaries are zero since the row's start. */
template <class T>
__device__ __forceinline__ void
store_found(const sift_rows<T> &s, int i, int set, int group, const unsigned mark[2], unsigned half,
            bool some)
{
	const bitmap of[2] = { bitmap_of(s, i, set, 0), bitmap_of(s, i, set, 1) };
	store_marks(of, group, mark);
	if (seldom(some))
		store_halves(bitmap_of(s, i, set, HALVES), group, half);
}

/* Returns whether steps were level. */
template <class T, int WARPS>
__device__ __forceinline__ bool
start_tile(put_memory<T, WARPS> &m, const sift_rows<T> &s, int i, int tile, tally &count,
           unsigned &half)
{
	const int warp = uniform(threadIdx.x / 32);
	const int begin = tile * WARPS * SPAN, s0 = begin + (int)threadIdx.x * GROUP;
	T y[GROUP + 2], x[GROUP];
	load_source(s, i, s0, x);
	if (s.b || s.copy)
		m.span[warp].store(s.y + i * s.stride, begin + warp * SPAN, s.n, x);
	with_source_beside(s, i, s0, x, y);
	unsigned mark[2];
	const bool level = mark_tile<T, WARPS>(m.plateaus, y, begin, s.n, (T)s.input[i].flat,
	                                       s.signs, s.plateaus, s.lone_steps, s.half_ticks,
	                                       mark, half, count,
	                                       s.edges + (size_t)i * s.tiles + tile);
	count.above = 0;
	store_found(s, i, 0, s0 / GROUP, mark, half, level);
	if (!is_step(s, i))
		return level;
	extremes<T> seen;
	see_group(seen, x, s0, s.n);
	seen.give(s.low + i, s.high + i);
	return level;
}

template <class T, int WARPS>
__global__ void __launch_bounds__(WARPS * 32)
start_kernel(const __grid_constant__ sift_rows<T> s, const int *list, int)
{
	__shared__ put_memory<T, WARPS> m;
	const quotient q = divide(blockIdx.x, s.tiles, s.tiles_inverse);
	const int i = row_listed(list, q.whole), tile = q.rest;
	wait_for_before();
	tally count;
	unsigned half;
	const bool level = start_tile<T, WARPS>(m, s, i, tile, count, half);
	hand_in(s.rows[i].sums, knots_of_span(s, i, tile, WARPS), count, level, half, s.signs);
}

/* ---- Sift ------------------------------------------------------------------------------ */

/* What is sifted, and what comes of it: the compiler is told that both are in device memory. */
template <class T>
__device__ __forceinline__ const T *
h_of(const row_head &head)
{
	__builtin_assume(__isGlobal(head.h));
	return (const T *)head.h;
}

template <class T>
__device__ __forceinline__ T *
next_of(const row_head &head)
{
	__builtin_assume(__isGlobal(head.next));
	return (T *)head.next;
}

template <class T>
__device__ __forceinline__ signal<T>
signal_of(const sift_rows<T> &s, int i, const row_head &head, int begin, int end)
{
	const bitmap marks = bitmap_of(s, i, head.set, 0);
	return { h_of<T>(head), s.n, s.groups, marks.group, marks.summary, s.rows[i].extra,
		 begin < head.left_inside || end > head.right_inside, head.halves, s.cyclic };
}

/* What comes of a sift: y into memory, marked and counted.  All threads of a
 * tile's block; y as in sift_group. */
template <class T, int WARPS>
__device__ __forceinline__ void
put_tile(put_memory<T, WARPS> &m, const sift_rows<T> &s, int i, int tile, const row_head &head,
         const T (&y)[GROUP + 2], tally &count)
{
	const int warp = uniform(threadIdx.x / 32);
	const int begin = tile * WARPS * SPAN, s0 = begin + (int)threadIdx.x * GROUP;
	m.span[warp].store(next_of<T>(head), begin + warp * SPAN, s.n, y + 1);
	bool level = false;
	unsigned half = 0;
	if (is_last(s, head.sifts + 1)) {
		if (is_step(s, i) && !s.tiny_modes) {
			extremes<T> seen;
			see_group(seen, y + 1, s0, s.n);
			seen.give(s.low + i, s.high + i);
		}
	} else {
		unsigned mark[2];
		level = mark_tile<T, WARPS>(m.plateaus, y, begin, s.n, (T)head.flat, s.signs,
		                            s.plateaus, s.lone_steps, s.half_ticks, mark, half,
		                            count, s.edges + (size_t)i * s.tiles + tile);
		store_found(s, i, 1 - head.set, s0 / GROUP, mark, half, level || head.had_halves);
	}
	hand_in(s.rows[i].sums, knots_of_span(s, i, tile, WARPS), count, level, half, s.signs);
}

/* The same where no more is wanted than flow tells: what is at[] and mark[] is there.  whole_ticks:
 * the thread's knots lie on samples; buffer: the warp's. */
template <class T, int WARPS, bool COUNTS, class Cubics>
__device__ __forceinline__ void
flow_tile(plateau_memory<WARPS> &m, span_buffer<T> &buffer, const sift_rows<T> &s, int i, int tile,
          const row_head &head, const Cubics (&l)[2], const int (&at)[2], const unsigned (&mark)[2],
          bool whole_ticks)
{
	const int begin = (tile * WARPS + uniform(threadIdx.x / 32)) * SPAN;
	const int s0 = begin + (int)(threadIdx.x & 31) * GROUP;
	flow<T, Cubics, false, COUNTS> f(l, at, mark, whole_ticks ? 0u : 1u, s0, s.n, (T)head.flat,
	                                 (T)s.rule.p[0], (T)s.rule.p[1]);
	unsigned rise, fall, exact;
	const samples_in_memory<T> x = { h_of<T>(head), s0 };
	f.run(x, buffer, s.lone_steps, rise, fall, exact);
	buffer.store(next_of<T>(head), begin, s.n);
	tally count = {};
	bool level = false;
	unsigned half = 0;
	if (!COUNTS && is_last(s, head.sifts + 1)) {
		if (is_step(s, i) && !s.tiny_modes) {
			extremes<T> seen;
#pragma unroll 1
			for (int k = 0; k < GROUP; k += some_samples<T>::COUNT)
				see_some(seen, buffer.get(k), s0 + k, s.n);
			seen.give(s.low + i, s.high + i);
		}
	} else {
		unsigned found[2];
		level = mark_steps<WARPS>(m, rise, fall, exact, tile * WARPS * SPAN, s.n,
		                          s.plateaus, s.half_ticks, found, half, count,
		                          s.edges + (size_t)i * s.tiles + tile);
		if (COUNTS)
			f.count(found, count);
		store_found(s, i, 1 - head.set, s0 / GROUP, found, half, level || head.had_halves);
	}
	hand_in(s.rows[i].sums, knots_of_span(s, i, tile, WARPS), count, level, half, COUNTS);
}

/* ---- Rows with many knots: a tile collects its own ----------------------------------------- */

template <class T, int WARPS, sift_flow FLOW>
__device__ __forceinline__ void
sift_by_knots(sift_memory<T, WARPS, FLOW> &m, const sift_rows<T> &s, int i, int tile,
              const row_head &head)
{
	auto &knots = m.tile.knots;
	const int warp = uniform(threadIdx.x / 32), begin = tile * WARPS * SPAN;
	const signal<T> h = signal_of(s, i, head, begin, begin + WARPS * SPAN);
	const collected_group g = collect_tile(m.tile, h, tile);
	make_all_cubics(knots, s.spline, g.rank.all, 1);
	const shared_cubics<T> l[2] = { cubics_of(knots, WSI_MAX, g.rank.all[WSI_MAX]),
		                        cubics_of(knots, WSI_MIN, g.rank.all[WSI_MIN]) };
	if constexpr (FLOW != NO_FLOW) {
		flow_tile<T, WARPS, FLOW == COUNTING_FLOW>(m.put.plateaus, knots.out[warp], s,
		                                           i, tile, head, l,
		                                           g.at, g.mark, g.whole_ticks);
	} else {
		T x[GROUP], y[GROUP + 2];
		tally count = {};
		load_group(h.x, g.s0, s.n, x);
		sift_group<false, true>(l, g.at, g.mark, g.whole_ticks ? 0u : 1u, g.s0, s.n,
		                        tile * WARPS + warp, wanted_of(s, i, head.sifts), x,
		                        load_neighbours(h.x, g.s0, s.n), y, count);
		__syncthreads(); /* the knots are done with */
		put_tile<T, WARPS>(m.put, s, i, tile, head, y, count);
	}
}

/* Blocks of a processor. */
template <class T, int WARPS, sift_flow FLOW>
constexpr int
knots_blocks()
{
	return TIGHT<T, WARPS, FLOW> ? TIGHT_TILES_AT_ONCE : WARPS_AT_ONCE<T> / WARPS;
}

/* Begins when the advance is done, beside cubics_kernel, which has other rows; where that is not
 * launched, waits for the advance. */
template <class T, int WARPS, sift_flow FLOW>
__global__ void __launch_bounds__(WARPS * 32, (knots_blocks<T, WARPS, FLOW>()))
knots_kernel(const __grid_constant__ sift_rows<T> s, int set)
{
	using memory = sift_memory<T, WARPS, FLOW>;
	WHERE_SHARED_FITS(sizeof(memory)) {
		extern __shared__ double shared[];
		memory &m = *(memory *)shared;
		if (!s.cubics)
			wait_for_before();
		const int items = s.work_count[set * ROW_PHASES + ROW_KNOTS] * s.tiles;
		for (int item = blockIdx.x; item < items; item += gridDim.x) {
			const quotient q = divide(item, s.tiles, s.tiles_inverse);
			const int i = work_of(s, set, ROW_KNOTS)[q.whole];
			sift_by_knots<T, WARPS, FLOW>(m, s, i, q.rest, s.rows[i].head);
			__syncthreads();
		}
		/* Who waits for this waits for the other rows, too; one block is enough, so that
		 * others make room for the advances. */
		if (s.cubics && blockIdx.x == 0) {
			let_next_begin();
			wait_for_before();
		}
	}
}

/* ---- Rows with few knots: all are listed ---------------------------------------------------- */

template <class T, int WARPS, sift_flow FLOW>
__device__ __forceinline__ void
sift_by_list(put_memory<T, WARPS> &m, const sift_rows<T> &s, int i, int tile, const row_head &head,
             const global_cubics<T> (&l)[2])
{
	const int warp = uniform(threadIdx.x / 32), span = tile * WARPS + warp, begin = span * SPAN;
	const int s0 = begin + (int)(threadIdx.x & 31) * GROUP;
	const signal<T> h = signal_of(s, i, head, begin, begin + SPAN);
	const listed_group g(h, s0, s.places[(size_t)i * (s.groups / 32) + span]);
	if constexpr (FLOW != NO_FLOW) {
		flow_tile<T, WARPS, FLOW == COUNTING_FLOW>(m.plateaus, m.span[warp], s, i, tile,
		                                           head, l, g.at, g.mark, true);
	} else {
		T x[GROUP], y[GROUP + 2];
		tally count = {};
		load_group(h.x, s0, s.n, x);
		sift_group<false, true>(l, g.at, g.mark, 0u, s0, s.n, span,
		                        wanted_of(s, i, head.sifts), x,
		                        load_neighbours(h.x, s0, s.n), y, count);
		put_tile<T, WARPS>(m, s, i, tile, head, y, count);
	}
}

/* Blocks of a processor for whom registers are there, as samples flow; none holds more than
 * 16, older ones 32 warps. */
template <class T, int WARPS>
constexpr int
cubics_blocks(sift_flow flow)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
	constexpr int MOST = 32 / WARPS;
#else
	constexpr int MOST = 16;
#endif
	const int halves = flow == PLAIN_FLOW ? 5 : flow == COUNTING_FLOW ? 4 : 3;
	const int blocks = halves * WARPS_AT_ONCE<T> / 2 / WARPS;
	return blocks < MOST ? blocks : MOST;
}

template <class T, int WARPS, sift_flow FLOW>
__global__ void __launch_bounds__(WARPS * 32, (cubics_blocks<T, WARPS>(FLOW)))
cubics_kernel(const __grid_constant__ sift_rows<T> s, int set)
{
	__shared__ put_memory<T, WARPS> m;
	WHERE_SHARED_FITS(sizeof(sift_memory<T, WARPS, FLOW>)) { /* of the other launch */
		wait_for_before();
		let_next_begin();
		const int items = s.work_count[set * ROW_PHASES + ROW_CUBICS] * s.tiles;
		for (int item = blockIdx.x; item < items; item += gridDim.x) {
			const quotient q = divide(item, s.tiles, s.tiles_inverse);
			const int i = work_of(s, set, ROW_CUBICS)[q.whole];
			const row_head head = s.rows[i].head;
			const size_t list = (size_t)i * 2 * s.list;
			const global_cubics<T> l[2] = {
				{ s.cubics + list, s.ticks + list, head.knots[0] },
				{ s.cubics + list + s.list, s.ticks + list + s.list,
				  head.knots[1] },
			};
			sift_by_list<T, WARPS, FLOW>(m, s, i, q.rest, head, l);
			__syncthreads();
		}
	}
}

/* ---- Advances -------------------------------------------------------------------------------- */

/* The advances of all rows of a set, or of those listed that were started; what goes on is put into
 * set `next`. */
template <class T, int WARPS, int AT_ONCE>
__global__ void __launch_bounds__(WARPS * 32, AT_ONCE)
advance_kernel(const __grid_constant__ sift_rows<T> s, int set, int next, bool started,
               const int *list, int count)
{
	extern __shared__ four<double> lists[];
	__shared__ advance_memory<T> m;
	fetch_parameters<WARPS>(s);
	wait_for_before();
	int of[ROW_PHASES];
	for (int p = 0; p < ROW_PHASES; ++p)
		of[p] = started ? 0 : s.work_count[set * ROW_PHASES + p];
	const int items = started ? count : of[ROW_KNOTS] + of[ROW_CUBICS];
	for (int item = blockIdx.x; item < items; item += gridDim.x) {
		const int i = started ? row_listed(list, item) : row_of_set(s, set, of, item);
		advance<T, WARPS>(m, lists, s, i, started);
		const int phase = m.r.head.phase;
		__syncthreads();
		if (threadIdx.x == 0 && phase != ROW_DONE)
			work_of(s, next, phase)[
				atomicAdd(&s.work_count[next * ROW_PHASES + phase], 1)] = i;
	}
	/* The set that was worked on before this one is free again. */
	if (blockIdx.x == 0 && threadIdx.x < ROW_PHASES)
		s.work_count[(next + 1) % 3 * ROW_PHASES + threadIdx.x] = 0;
}

/* ---- Finish: what the job wants, from y and the mode ------------------------------------- */

/* Samples of a row that a block delivers at a time: each thread four times some, whose loads
 * are under way together. */
constexpr int DELIVERY_THREADS = 128, DELIVERY_AT_ONCE = 4;
template <class T>
constexpr int DELIVERY = DELIVERY_THREADS * DELIVERY_AT_ONCE * some_samples<T>::COUNT;

/* Where the k-th of those from `begin` on lies. */
template <class T>
__device__ __forceinline__ int
delivered(int begin, int k)
{
	return begin + (k * DELIVERY_THREADS + (int)threadIdx.x) * some_samples<T>::COUNT;
}

/* Some samples from x on, four times. */
template <class T>
__device__ __forceinline__ void
load_delivered(const T *x, int begin, int n, some_samples<T> (&out)[DELIVERY_AT_ONCE])
{
#pragma unroll
	for (int k = 0; k < DELIVERY_AT_ONCE; ++k)
		if (delivered<T>(begin, k) < n)
			out[k] = *(const some_samples<T> *)(x + delivered<T>(begin, k));
}

template <class T>
__device__ __forceinline__ void
store_delivered(T *x, int begin, int n, const some_samples<T> (&v)[DELIVERY_AT_ONCE])
{
#pragma unroll
	for (int k = 0; k < DELIVERY_AT_ONCE; ++k)
		if (delivered<T>(begin, k) < n)
			*(some_samples<T> *)(x + delivered<T>(begin, k)) = v[k];
}

/* Rows that a relay has left: they had few knots to begin with, or came to have, or the user has
 * cancelled. */
template <class T>
__device__ __forceinline__ int
rows_left(const sift_rows<T> &s)
{
	return __ldcg(s.work_count + ROW_CUBICS) +
	       __ldcg(s.work_count + 2 * ROW_PHASES + ROW_KNOTS);
}

/* The extent of each row's mode, where the last sift has not told it. */
template <class T>
__global__ void
mode_extent_kernel(const __grid_constant__ sift_rows<T> s, const int *list, int count)
{
	const int i = row_listed(list, (int)blockIdx.x % count);
	wait_for_before();
	let_next_begin();
	const row<T> &r = s.rows[i];
	if (!is_step(s, i) || !r.oscillates || r.crowded || is_last(s, r.head.sifts) ||
	    (s.if_none_left && rows_left(s) > 0))
		return;
	extremes<T> seen;
	const int at_once = (int)gridDim.x / count * DELIVERY<T>;
	for (int begin = (int)blockIdx.x / count * DELIVERY<T>; begin < s.n; begin += at_once) {
		some_samples<T> x[DELIVERY_AT_ONCE];
		load_delivered(place_of(s, i, r.place), begin, s.n, x);
#pragma unroll
		for (int k = 0; k < DELIVERY_AT_ONCE; ++k)
			see_some(seen, x[k], delivered<T>(begin, k), s.n);
	}
	seen.give(s.low + i, s.high + i);
}

/* Is what came of row i a mode? */
template <class T>
__device__ __forceinline__ bool
is_mode(const sift_rows<T> &s, int i, const row<T> &r)
{
	return r.oscillates &&
	       (!is_step(s, i) || s.tiny_modes ||
	        is_mode_by_range(s, i, r, 0, to_real(s.high[i]) - to_real(s.low[i])));
}

/* Tells the host what became of row i. */
template <class T>
__device__ __forceinline__ void
tell_outcome(const sift_rows<T> &s, int i)
{
	const row<T> &r = s.rows[i];
	if (r.crowded)
		answer(s, i, { 0, false, false, false, true });
	else
		answer(s, i, { r.head.sifts, is_mode(s, i, r),
			       r.oscillates && r.place == ROW_SOURCE, r.unfinished });
}

/* The first blocks tell the host of all rows, so that it can go on meanwhile.  Then rows are
 * delivered from the last to the first: of what was sifted last level 2 still has the most. */
template <class T>
__global__ void
finish_kernel(const __grid_constant__ sift_rows<T> s, const int *list, int count)
{
	using some = some_samples<T>;
	const int blocks = (int)gridDim.x / count, item = (int)(gridDim.x - 1 - blockIdx.x);
	const int i = row_listed(list, item / blocks), begin = item % blocks * DELIVERY<T>;
	const row<T> &r = s.rows[i];
	wait_for_before();
	if (s.if_none_left && rows_left(s) > 0)
		return;
	if ((int)blockIdx.x < count && threadIdx.x == 0)
		tell_outcome(s, row_listed(list, blockIdx.x));
	if (r.crowded)
		return;
	T *const rest = deflated_row(s, i);
	const bool oscillates = is_mode(s, i, r), untouched = r.place == ROW_SOURCE;
	const bool there = oscillates && r.place == ROW_OUT; /* the mode, in out already */
	/* ceemdan.m takes an IMF for its own local mean. */
	const bool all_rest = !oscillates || (untouched && s.imf_ends);
	const bool deflate = oscillates && is_deflated(s, i), gives = gives_rest(s, i);
	some mode[DELIVERY_AT_ONCE] = {}, source[DELIVERY_AT_ONCE];
	if (oscillates)
		load_delivered(place_of(s, i, r.place), begin, s.n, mode);
	if (gives || deflate)
		load_delivered(gives || s.copy ? place_of(s, i, ROW_SOURCE) : rest, begin, s.n,
		               source);
	if (gives)
#pragma unroll
		for (int k = 0; k < DELIVERY_AT_ONCE; ++k)
#pragma unroll
			for (int j = 0; j < some::COUNT; ++j)
				mode[k].v[j] =
					all_rest ? source[k].v[j] : source[k].v[j] - mode[k].v[j];
	if (gives || !there)
		store_delivered(s.out + i * s.out_stride, begin, s.n, mode);
	if (deflate) {
		if (gives && is_added_to(s, i))
			load_delivered(rest, begin, s.n, source);
#pragma unroll
		for (int k = 0; k < DELIVERY_AT_ONCE; ++k)
#pragma unroll
			for (int j = 0; j < some::COUNT; ++j)
				source[k].v[j] -= mode[k].v[j];
		store_delivered(rest, begin, s.n, source);
	}
}

#endif
