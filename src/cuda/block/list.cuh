/*
 * list.cuh - the knots of a whole row, listed and solved by one block, where
 * they are few.
 */
#ifndef WSI_CUDA_LIST_CUH
#define WSI_CUDA_LIST_CUH

#include "cuda/block/places.cuh"
#include "cuda/block/spline.cuh"

/*
 * For the cubics of a whole row, in shared memory of a size that the device
 * has.  Lists begin at 1; lanes without knots load some beyond the end.
 */
template <class T> struct list_memory {
	four<T> *cubic[2];
	T *v[2];
	int32_t *t[2];
	unsigned *warp_sum;

	static constexpr int WARP_SUMS = 32, BESIDE = 2 * WSI_NEAR + 20;
	static constexpr size_t KNOT = 2 * (sizeof(four<T>) + sizeof(T) + sizeof(int32_t));

	static constexpr size_t
	bytes(int few)
	{
		return KNOT * (size_t)(few + BESIDE) + WARP_SUMS * sizeof(unsigned);
	}

	__device__ __forceinline__
	list_memory(void *memory, int few)
	{
		const int knots = few + BESIDE;
		for (int kind = 0; kind < 2; ++kind)
			cubic[kind] = (four<T> *)memory + kind * knots;
		for (int kind = 0; kind < 2; ++kind)
			v[kind] = (T *)(cubic[1] + knots) + kind * knots;
		for (int kind = 0; kind < 2; ++kind)
			t[kind] = (int32_t *)(v[1] + knots) + kind * knots;
		warp_sum = (unsigned *)(t[1] + knots);
	}
};

/* Sums of a and of what all threads before have; all: of all. */
template <int WARPS>
__device__ __forceinline__ unsigned
scan_block(unsigned *warp_sum, unsigned a, unsigned &all)
{
	const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
	unsigned through = (unsigned)scan_lanes((int)a);
	if (lane == 31)
		warp_sum[warp] = through;
	__syncthreads();
	all = 0;
	for (int w = 0; w < WARPS; ++w) {
		through += w < warp ? warp_sum[w] : 0;
		all += warp_sum[w];
	}
	__syncthreads();
	return through;
}

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

/* The ticks of a span's marks, by one thread. */
template <class T>
__device__ __forceinline__ void
list_span(const signal<T> &h, const bitmap &marks, int span, int32_t *t)
{
	constexpr int AT_ONCE = 4; /* loads that are under way together */
	unsigned groups = __ldcg(marks.summary + span);
	while (groups) {
		int group[AT_ONCE];
		unsigned bits[AT_ONCE];
#pragma unroll
		for (int k = 0; k < AT_ONCE; ++k) {
			group[k] = groups ? span * 32 + take_bit<WSI_RIGHT>(groups) : -1;
			bits[k] = group[k] >= 0 ? __ldcg(marks.group + group[k]) : 0u;
		}
#pragma unroll
		for (int k = 0; k < AT_ONCE; ++k)
			while (bits[k])
				*t++ = tick_of(h, group[k] * GROUP + take_bit<WSI_RIGHT>(bits[k]));
	}
}

/*
 * Lists all knots of a row and makes their cubics, for rows that have few: then
 * tiles need neither collect knots nor solve.  Leaves in s.knots how many lie
 * before each span.  All threads of a block.
 */
template <class T, int WARPS>
__device__ void
make_row_cubics(const list_memory<T> &m, const sift_rows<T> &s, int i, row<T> &r)
{
	constexpr int THREADS = WARPS * 32;
	const int spans = s.groups / 32, per_thread = (spans + THREADS - 1) / THREADS;
	const int first = (int)threadIdx.x * per_thread, last = min(first + per_thread, spans);
	uint32_t *knots = s.knots + (size_t)i * spans;
	signal<T> h = {};
	h.x = (const T *)r.head.h;
	h.n = s.n;
	h.half_ticks = s.half_ticks;
	unsigned mine = 0, all;
	for (int span = first; span < last; ++span)
		mine += __ldcg(knots + span);
	unsigned before = scan_block<WARPS>(m.warp_sum, mine, all) - mine;
	const int left[2] = { r.extra[0][WSI_LEFT].n, r.extra[1][WSI_LEFT].n };
	for (int span = first; span < last; ++span) {
		const unsigned own = __ldcg(knots + span);
		unsigned of_tile = before;
#pragma unroll
		for (int kind = 0; kind < 2; ++kind) {
			int e = left[kind];
			if (r.head.left_inside > span * SPAN || r.head.right_inside < span * SPAN)
				e = extras_before(r.extra[kind][WSI_LEFT], span * SPAN) +
				    extras_before(r.extra[kind][WSI_RIGHT], span * SPAN);
			of_tile += (unsigned)e << 16 * kind;
			if (!(own >> 16 * kind & 0xffffu))
				continue;
			const bitmap marks = bitmap_of(s, i, r.head.set, kind);
			list_span(h, marks, span, m.t[kind] + 1 + left[kind] + (before >> 16 * kind & 0xffffu));
		}
		knots[span] = of_tile;
		before += own;
	}
	int end[2];
#pragma unroll
	for (int kind = 0; kind < 2; ++kind) {
		const int marked = (int)(all >> 16 * kind & 0xffffu);
		const row_extras<T> &el = r.extra[kind][WSI_LEFT], &er = r.extra[kind][WSI_RIGHT];
		end[kind] = 1 + el.n + marked + er.n;
		if ((int)threadIdx.x < el.n) {
			m.t[kind][1 + threadIdx.x] = el.t[threadIdx.x];
			m.v[kind][1 + threadIdx.x] = el.v[threadIdx.x];
		}
		if ((int)threadIdx.x < er.n) {
			m.t[kind][1 + el.n + marked + threadIdx.x] = er.t[threadIdx.x];
			m.v[kind][1 + el.n + marked + threadIdx.x] = er.v[threadIdx.x];
		}
	}
	__syncthreads();
#pragma unroll
	for (int kind = 0; kind < 2; ++kind)
		for (int j = 1 + left[kind] + (int)threadIdx.x; j < end[kind] - r.extra[kind][WSI_RIGHT].n;
		     j += THREADS)
			m.v[kind][j] = __ldcg(h.x + sample_of(m.t[kind][j]));
	__syncthreads();
	const int warp = uniform(threadIdx.x / 32), kind = warp & 1;
	const knot_list<T> l = { m.t[kind], m.v[kind], m.cubic[kind], 1,
		                 uniform(kind ? end[1] : end[0]), true, true };
	make_cubics<MOST_ROWS_A_LANE>(l, s.spline, l.first, l.end - 1, warp / 2, WARPS / 2);
	__syncthreads();
#pragma unroll
	for (int k = 0; k < 2; ++k) {
		const size_t list = ((size_t)i * 2 + k) * ROW_LIST;
		for (int j = 1 + (int)threadIdx.x; j < end[k]; j += THREADS) {
			s.cubics[list + j - 1] = m.cubic[k][j];
			s.ticks[list + j - 1] = m.t[k][j];
		}
		if (threadIdx.x == 0)
			r.head.knots[k] = end[k] - 1;
	}
}

#endif
