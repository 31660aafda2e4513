/*
 * list.cuh - the knots of a whole row, listed and solved by one block, where
 * they are few.
 */
#ifndef WSI_CUDA_LIST_CUH
#define WSI_CUDA_LIST_CUH

#include "cuda/emd/block/places.cuh"
#include "cuda/emd/block/spline.cuh"

/*
 * For the knots of a whole row, in shared memory of a size that the device has; their cubics go to
 * the device's memory as they are made. The extrema are listed from MARKED on before it is known
 * what lies beyond the ends, and how many those are; lanes without knots load some beyond the end.
 */
template <class T> struct list_memory {
	static constexpr int MARKED = 1 + WSI_NEAR;
	static constexpr int BESIDE = 2 * WSI_NEAR + 20;
	static constexpr size_t KNOT = 2 * (sizeof(T) + sizeof(int32_t));
	T *first;
	int knots;                    /* that there is room for, of a kind */

	static constexpr size_t
	bytes(int few)
	{
		return KNOT * (size_t)(few + BESIDE);
	}

	__device__ __forceinline__
	list_memory(void *memory, int few) : first((T *)memory), knots(few + BESIDE) {}

	__device__ __forceinline__ T *
	v(int kind) const
	{
		return first + kind * knots;
	}

	__device__ __forceinline__ int32_t *
	t(int kind) const
	{
		return (int32_t *)(v(0) + 2 * knots) + kind * knots;
	}
};

/* Extras of a kind that lie before a sample. */
template <class T>
__device__ __forceinline__ int
extras_before(const row_extras<T> &e, int sample)
{
	int n = 0;
	for (int k = 0; k < e.n; ++k)
		n += sample_of(e.t[k]) < sample;
	return n;
}

/* A block of so many warps makes the advance of few rows, which may be long: it has code for long
 * rows, too, for which others have no registers. */
constexpr int LONG_ADVANCE_WARPS = 16;

/*
 * What happens between two sifts of such a row: some warps of the block, the LISTING last ones,
 * list its extrema, while others see to the ends; then all but the first, which makes what lies
 * beyond the ends, look up values; then all of them solve.
 */
template <class T, int WARPS, int LISTING> struct row_list {
	static constexpr int LISTERS = 32 * LISTING, THREADS = 32 * WARPS;
	static constexpr bool MANY = WARPS >= LONG_ADVANCE_WARPS;
	static constexpr int MARKED = list_memory<T>::MARKED;
	const list_memory<T> m;
	const sift_rows<T> &s;
	const int i, set;
	const signal<T> h;
	const int marked[2];          /* extrema of a kind */

	/* Of a span: the knots before it. */
	__device__ __forceinline__ uint32_t *
	places() const
	{
		return s.places + (size_t)i * (s.groups / 32);
	}

	/* Of the row's knots of a kind, by their numbers here. */
	__device__ __forceinline__ four<T> *
	cubics_of(int kind) const
	{
		return s.cubics + ((size_t)i * 2 + kind) * s.list - 1;
	}

	/* Groups whose marks, and half bits, are under way together. */
	template <int AT_ONCE> struct some_groups {
		int group[AT_ONCE];
		unsigned bits[AT_ONCE], half[AT_ONCE];

		/* Asks for the first of those of a span that have marks, and takes them out of
		 * `groups`; halves: those that have half bits. */
		__device__ __forceinline__ void
		ask(const uint16_t *marks, const uint16_t *half_bits, unsigned &groups,
		    unsigned halves, int span)
		{
#pragma unroll
			for (int k = 0; k < AT_ONCE; ++k) {
				group[k] = groups ? span * 32 + take_bit<WSI_RIGHT>(groups) : -1;
				bits[k] = group[k] >= 0 ? __ldcg(marks + group[k]) : 0u;
				half[k] = group[k] >= 0 && halves >> group[k] % 32 & 1
				                  ? __ldcg(half_bits + group[k]) : 0u;
			}
		}

		/* Puts the ticks of their marks at t; returns how many. */
		__device__ __forceinline__ int
		list(int32_t *t)
		{
			int listed = 0;
#pragma unroll
			for (int k = 0; k < AT_ONCE; ++k)
				while (bits[k]) {
					const int at = take_bit<WSI_RIGHT>(bits[k]);
					t[listed++] = (group[k] * GROUP + at) * WSI_TICKS -
					              (int)(half[k] >> at & 1);
				}
			return listed;
		}
	};

	/* Puts the ticks of a span's marks at t; returns how many. */
	__device__ __forceinline__ int
	list_span(const uint16_t *marks, const uint16_t *half_bits, unsigned groups,
	          unsigned halves, int span, int32_t *t) const
	{
		int listed = 0;
		while (groups) {
			some_groups<8> some;
			some.ask(marks, half_bits, groups, halves, span);
			listed += some.list(t + listed);
		}
		return listed;
	}

	/* The groups of a span that have marks of a kind. */
	__device__ __forceinline__ unsigned
	marked_groups(int item, int items) const
	{
		return item < items ? __ldcg(bitmap_of(s, i, set, item & 1).summary + item / 2)
		                    : 0u;
	}

	/* Those that have half bits. */
	__device__ __forceinline__ unsigned
	half_groups(int item, int items) const
	{
		return h.halves && item < items
		               ? __ldcg(bitmap_of(s, i, set, HALVES).summary + item / 2) : 0u;
	}

	/* The knots of the first `spans` spans, whose number is one of whole tiles.  One warp. */
	__device__ __forceinline__ unsigned
	knots_before(const uint32_t *knots, int spans) const
	{
		const int lane = threadIdx.x & 31;
		unsigned sum = 0;
		if (s.warps == TILE_WARPS) { /* four spans in a load */
			const int4 *const fours = (const int4 *)knots;
#pragma unroll 8
			for (int k = lane; k < spans / 4; k += 32) {
				const int4 of = __ldcg(fours + k);
				sum += (unsigned)(of.x + of.y + of.z + of.w);
			}
		} else {
#pragma unroll 8
			for (int span = lane; span < spans; span += 32)
				sum += __ldcg(knots + span);
		}
		return sum_lanes(sum);
	}

	/*
	 * Where spans are many, most of them have no knot: each warp goes through its own and notes
	 * the items that have some where values will be; then its lanes are dealt these.  A warp's
	 * notes begin where the knots before it would, so that none gets into another's.  By value,
	 * not inlined: shorter rows are not to keep their list in memory for it.
	 */
	__device__ __noinline__ static void
	list_many_spans(row_list l)
	{
		constexpr int AT_ONCE = 8, TOGETHER = 4;
		const uint32_t *const knots = l.s.knots + (size_t)l.i * (l.s.groups / 32);
		const int lister = (int)threadIdx.x - (THREADS - LISTERS), lane = lister & 31;
		const int spans = l.s.groups / 32;
		const int each = (spans + LISTERS - 1) / LISTERS * 32;
		const int first = min(lister / 32 * each, spans), last = min(first + each, spans);
		unsigned before = l.knots_before(knots, first);
		uint32_t *const noted = (uint32_t *)l.m.v(0) + (before & 0xffffu) + (before >> 16);
		before += WSI_NEAR | WSI_NEAR << 16;
		int items = 0;
#pragma unroll 1
		for (int span0 = first + lane; span0 - lane < last; span0 += 32 * AT_ONCE) {
			unsigned of[AT_ONCE], through[AT_ONCE];
#pragma unroll
			for (int j = 0; j < AT_ONCE; ++j) {
				const int span = span0 + 32 * j;
				of[j] = span < last ? __ldcg(knots + span) : 0u;
			}
#pragma unroll
			for (int j = 0; j < AT_ONCE; ++j)
				through[j] = (unsigned)scan_lanes((int)of[j]);
#pragma unroll
			for (int j = 0; j < AT_ONCE; ++j) {
				const int span = span0 + 32 * j;
				if (span < last)
					l.places()[span] = before + through[j] - of[j];
				before += __shfl_sync(FULL, through[j], 31);
#pragma unroll
				for (int kind = 0; kind < 2; ++kind) {
					const bool has = (of[j] >> 16 * kind & 0xffffu) != 0;
					const unsigned all = __ballot_sync(FULL, has);
					if (has)
						noted[items + __popc(all & ((1u << lane) - 1))] =
							(uint32_t)(span * 2 + kind);
					items += __popc(all);
				}
			}
		}
		__syncwarp();
#pragma unroll 1
		for (int k = lane; k < items; k += 32 * TOGETHER)
			l.list_noted<TOGETHER>(noted, k, items);
	}

	/* The k-th of a warp's noted items, and those 32, 64, .. behind it. */
	template <int TOGETHER>
	__device__ __forceinline__ void
	list_noted(const uint32_t *noted, int k, int items) const
	{
		constexpr int GROUPS = 3;
		some_groups<GROUPS> some[TOGETHER];
		int item[TOGETHER];
		unsigned groups[TOGETHER], halves[TOGETHER], before[TOGETHER];
#pragma unroll
		for (int j = 0; j < TOGETHER; ++j) {
			const bool there = k + 32 * j < items;
			item[j] = there ? (int)noted[k + 32 * j] : 0;
			groups[j] = marked_groups(item[j], there ? item[j] + 1 : 0);
			halves[j] = half_groups(item[j], there ? item[j] + 1 : 0);
			before[j] = there ? places()[item[j] / 2] : 0u;
		}
#pragma unroll
		for (int j = 0; j < TOGETHER; ++j)
			some[j].ask(bitmap_of(s, i, set, item[j] & 1).group,
			            bitmap_of(s, i, set, HALVES).group, groups[j], halves[j],
			            item[j] / 2);
#pragma unroll
		for (int j = 0; j < TOGETHER; ++j) {
			const int kind = item[j] & 1;
			int32_t *const to = m.t(kind) + MARKED - WSI_NEAR +
			                    (int)(before[j] >> 16 * kind & 0xffffu);
			const int listed = some[j].list(to);
			if (groups[j]) /* seldom, where spans are many */
				list_span(bitmap_of(s, i, set, kind).group,
				          bitmap_of(s, i, set, HALVES).group, groups[j], halves[j],
				          item[j] / 2, to + listed);
		}
	}

	/*
	 * Lists the extrema's ticks, all that follows from marks alone, and the places of spans in
	 * the list.  The work is dealt in items, maxima and minima of a span: each lister has some
	 * neighbouring ones.  A warp adds up by itself what comes before its own, so that none
	 * waits for another.
	 */
	__device__ __forceinline__ void
	list_ticks() const
	{
		const uint32_t *const knots = s.knots + (size_t)i * (s.groups / 32);
		const int lister = (int)threadIdx.x - (THREADS - LISTERS), lane = lister % 32;
		const int items = s.groups / 16, each = (items + LISTERS - 1) / LISTERS;
		const int first = min(lister * each, items), last = min(first + each, items);
		const int of_warp = min((lister - lane) * each, items);
		/* Items that are listed together, so that a long row's many do not wait each. */
		constexpr int TOGETHER = 4, GROUPS = 3;
		if (MANY && items > TOGETHER * LISTERS)
			return list_many_spans(*this);
		unsigned groups[TOGETHER], halves[TOGETHER];
#pragma unroll
		for (int j = 0; j < TOGETHER; ++j) {
			groups[j] = marked_groups(first + j, last);
			halves[j] = half_groups(first + j, last);
		}
		unsigned mine = 0, others = 0;
#pragma unroll 8
		for (int item = first; item < last; ++item)
			mine += __ldcg(knots + item / 2) & (item & 1 ? 0xffff0000u : 0xffffu);
		if (s.warps == TILE_WARPS) { /* four spans in a load */
			const int4 *const fours = (const int4 *)knots;
#pragma unroll 8
			for (int k = lane; k < of_warp / 8; k += 32) {
				const int4 of = __ldcg(fours + k);
				others += (unsigned)(of.x + of.y + of.z + of.w);
			}
		} else {
#pragma unroll 8
			for (int span = lane; span < of_warp / 2; span += 32)
				others += __ldcg(knots + span);
		}
		unsigned before = sum_lanes(others) + (unsigned)scan_lanes((int)mine) - mine +
		                  (WSI_NEAR | WSI_NEAR << 16);
		const uint16_t *const marks[2] = { bitmap_of(s, i, set, 0).group,
			                           bitmap_of(s, i, set, 1).group };
		const uint16_t *const half_bits = bitmap_of(s, i, set, HALVES).group;
#pragma unroll 1
		for (int item = first; item < last; item += TOGETHER) {
			some_groups<GROUPS> some[TOGETHER];
			unsigned next[TOGETHER], next_halves[TOGETHER];
#pragma unroll
			for (int j = 0; j < TOGETHER; ++j)
				some[j].ask((item + j) & 1 ? marks[1] : marks[0], half_bits,
				            groups[j], halves[j], (item + j) / 2);
#pragma unroll
			for (int j = 0; j < TOGETHER; ++j) {
				next[j] = marked_groups(item + TOGETHER + j, last);
				next_halves[j] = half_groups(item + TOGETHER + j, last);
			}
#pragma unroll
			for (int j = 0; j < TOGETHER; ++j) {
				const int kind = (item + j) & 1, span = (item + j) / 2;
				const int at = (int)(before >> 16 * kind & 0xffffu);
				if (kind == 0 && item + j < last)
					places()[span] = before;
				int32_t *const to = m.t(kind) + MARKED - WSI_NEAR + at;
				int listed = some[j].list(to);
				if (groups[j]) /* seldom, where items are many */
					listed += list_span(kind ? marks[1] : marks[0], half_bits,
					                    groups[j], halves[j], span,
					                    to + listed);
				before += (unsigned)listed << 16 * kind;
				groups[j] = next[j];
				halves[j] = next_halves[j];
			}
		}
	}

	/* Their values; by all warps but the first. */
	__device__ __forceinline__ void
	list_values() const
	{
		constexpr int AT_ONCE = 8, THEY = THREADS - 32;
		const int all = marked[0] + marked[1];
		for (int k0 = (int)threadIdx.x - 32; k0 < all; k0 += AT_ONCE * THEY) {
			T v[AT_ONCE];
#pragma unroll
			for (int j = 0; j < AT_ONCE; ++j) {
				const int k = k0 + j * THEY, kind = k < marked[0] ? 0 : 1;
				if (k < all)
					v[j] = value_at<true>(
						h.x, m.t(kind)[MARKED + k - kind * marked[0]]);
			}
#pragma unroll
			for (int j = 0; j < AT_ONCE; ++j) {
				const int k = k0 + j * THEY, kind = k < marked[0] ? 0 : 1;
				if (k < all)
					m.v(kind)[MARKED + k - kind * marked[0]] = v[j];
			}
		}
	}

	/* Adds what lies beyond the ends; the first warp. */
	__device__ __forceinline__ void
	list_extras(const row<T> &r) const
	{
		const int k = threadIdx.x & (WSI_NEAR - 1), of = threadIdx.x / WSI_NEAR;
		if (of < 4) {
			const int kind = of / 2, side = of % 2;
			const row_extras<T> &e = r.extra[kind][side];
			const int at = side == WSI_LEFT ? MARKED - e.n : MARKED + marked[kind];
			if (k < e.n) {
				m.t(kind)[at + k] = e.t[k];
				m.v(kind)[at + k] = e.v[k];
			}
		}
	}

	/* Spans begin elsewhere in the list where extras lie inside the signal. */
	__device__ __noinline__ void
	pass_extras_inside(const row<T> &r) const
	{
		for (int span = threadIdx.x; span < s.groups / 32; span += THREADS)
			for (int kind = 0; kind < 2; ++kind) {
				const row_extras<T> *e = r.extra[kind];
				const int more = extras_before(e[WSI_LEFT], span * SPAN) -
				                 e[WSI_LEFT].n +
				                 extras_before(e[WSI_RIGHT], span * SPAN);
				places()[span] += (unsigned)more << 16 * kind;
			}
	}

	/* Makes the cubics; by all threads. */
	__device__ __forceinline__ void
	make(row<T> &r) const
	{
		if (r.head.left_inside > 0 || r.head.right_inside < s.n)
			pass_extras_inside(r);
		const int warp = uniform(threadIdx.x / 32), kind = warp & 1;
		const int first = MARKED - r.extra[kind][WSI_LEFT].n;
		const int end = MARKED + marked[kind] + r.extra[kind][WSI_RIGHT].n;
		const knot_list<T> l = { { m.t(kind), uniform(first), uniform(end), true, true },
			                 m.v(kind), cubics_of(kind) };
		/* In f32 more rows a lane would be more code to fetch than it saves. */
		constexpr int MOST = real<T>::F64 ? MOST_ROWS_A_LANE : 7;
		make_cubics<MOST>(l, s.spline, l.first, l.end - 1, warp / 2, WARPS / 2);
		__syncthreads();
#pragma unroll
		for (int k = 0; k < 2; ++k) {
			const size_t list = ((size_t)i * 2 + k) * s.list;
			const int from = MARKED - r.extra[k][WSI_LEFT].n;
			const int past = MARKED + marked[k] + r.extra[k][WSI_RIGHT].n;
			/* Who asks for a knot before the first finds one, too. */
			for (int j = from - 1 + (int)threadIdx.x; j < past; j += THREADS)
				s.ticks[list + j - 1] = m.t(k)[max(j, from)];
			if (threadIdx.x == 0) {
				cubics_of(k)[from - 1] = cubics_of(k)[from];
				r.head.knots[k] = past - 1;
			}
		}
	}
};

#endif
