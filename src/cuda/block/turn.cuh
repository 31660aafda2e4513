/*
 * turn.cuh - what happens between two phases of a row: counts are read, the
 * stop rule is asked, the knots beyond the ends are made.  One block does it,
 * the last of the row to finish; the same decisions as cpu/sifter.c.
 */
#ifndef WSI_CUDA_TURN_CUH
#define WSI_CUDA_TURN_CUH

#include "cuda/block/plateaus.cuh"
#include "cuda/block/tile.cuh"
#include "cuda/order.cuh"
#include "cuda/sift.h"

template <class T> struct turn_memory {
	wsi_near near[2][2];          /* [side][kind] */
	int found[4][WSI_NEAR], room[4][WSI_NEAR];
	double sum[3];
	unsigned extrema, wrong_signs; /* of plateaus across edges */
	int phase;
};

template <class T>
__device__ __forceinline__ const T *
place_of(const sift_rows<T> &s, int i, int place)
{
	return place == ROW_OUT    ? s.out + i * s.out_stride
	       : place == ROW_ROOM ? s.room + i * s.stride
	       : s.b               ? s.y + i * s.stride
	                           : s.r + i * s.r_stride;
}

template <class T>
__device__ __forceinline__ bitmap
bitmap_of(const sift_rows<T> &s, int i, int set, int kind)
{
	const size_t at = (size_t)i * 4 + set * 2 + kind;
	return { s.marks + at * s.groups, s.summary + at * (s.groups / 32) };
}

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
				sum = __ldcg(v + 2 * i) + __ldcg(v + 2 * i + 1);
			else if (i == half && odd)
				sum = __ldcg(v + n - 1);
			__syncthreads();
			if (i < half + odd)
				v[i] = sum;
			__syncthreads();
		}
	}
	return __ldcg(v);
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
__device__ void
read_sums(row<T> &r, unsigned extrema, unsigned wrong_signs)
{
	r.counts = {};
	r.counts.extrema[WSI_MAX] = (int64_t)(r.sums.extrema & 0xffffffffu) + (extrema & 0xffffu);
	r.counts.extrema[WSI_MIN] = (int64_t)(r.sums.extrema >> 32) + (extrema >> 16);
	r.counts.zero_crossings = (int64_t)(r.sums.signs & 0xffffffffu);
	r.counts.wrong_sign = (int64_t)(r.sums.signs >> 32) + wrong_signs;
}

/* h and its marks are there: is there a sift to make? */
template <class T>
__device__ int
turn_marked(const sift_rows<T> &s, row<T> &r)
{
	const int64_t max = r.counts.extrema[WSI_MAX], min = r.counts.extrema[WSI_MIN];
	const bool before = stop_is_before(s.stop), due = r.head.sifts % s.check_every == 0;
	if (max + min < s.min_extrema || (s.needs_both && (max == 0 || min == 0)))
		return ROW_DONE;
	r.oscillates = true;
	if (s.stop == WS_STOP_S_NUMBER && r.head.sifts > 0 &&
	    stop_s_number(&r.counts, &r.previous, (int)s.stop_param[0], &r.run) && due)
		return ROW_DONE;
	r.previous = r.counts;
	if (r.head.sifts == s.max_sifts && !before) {
		r.unfinished = s.stop != WS_STOP_FIXED;
		return ROW_DONE;
	}
	return ROW_SIFT;
}

/* Is the sift that `r.head.sifts` others preceded one whose statistics are wanted? */
template <class T>
__device__ __forceinline__ wanted<T>
wanted_of(const sift_rows<T> &s, int i, int sifts)
{
	wanted<T> w;
	w.above = stop_is_before(s.stop) && (sifts % s.check_every == 0 || sifts == s.max_sifts);
	w.sums = stop_needs_sums(s.stop) && (sifts + 1) % s.check_every == 0;
	w.sd = (T)s.stop_param[0];
	w.sd2 = (T)s.stop_param[1];
	w.spans = s.groups / 32;
	w.sum = s.sums + (size_t)i * 3 * w.spans;
	return w;
}

/* Tells the blocks where h is, and where to put what comes of it. */
template <class T>
__device__ void
point_to(const sift_rows<T> &s, int i, row<T> &r)
{
	r.head.h = (void *)place_of(s, i, r.place);
	r.head.next = (void *)place_of(s, i, r.place == ROW_OUT ? ROW_ROOM : ROW_OUT);
	r.head.flat = s.input[i].flat;
}

/* A sift is done; its result is not yet h. */
template <class T>
__device__ int
turn_sifted(const sift_rows<T> &s, int i, row<T> &r, const double sum[3])
{
	const wanted<T> w = wanted_of(s, i, r.head.sifts);
	wsi_sift_stats stats = {};
	stats.n = s.n;
	stats.counts = r.counts;
	stats.above.above_sd = (int64_t)(r.sums.above & 0xffffffffu);
	stats.above.above_sd2 = (int64_t)(r.sums.above >> 32);
	stats.sum_m2 = sum[0];
	stats.sum_h2 = sum[1];
	stats.sum_q2 = sum[2];
	if (w.above && stop_rilling(&stats, s.stop_param, s.compare_crossings))
		return ROW_DONE;
	if (r.head.sifts == s.max_sifts) {
		r.unfinished = true;
		return ROW_DONE;
	}
	r.place = r.place == ROW_OUT ? ROW_ROOM : ROW_OUT;
	r.head.set = 1 - r.head.set;
	++r.head.sifts;
	if ((s.stop == WS_STOP_FIXED && r.head.sifts == s.sifts) ||
	    (w.sums && stop_sums(s.stop, &stats, s.stop_param)))
		return ROW_DONE;
	return ROW_SIFT;
}

/* Makes the knots beyond the ends of h; all threads, each warp a share. */
template <class T, int WARPS>
__device__ void
make_ends(turn_memory<T> &m, const sift_rows<T> &s, int i, row<T> &r)
{
	const int lane = threadIdx.x & 31, last = (s.n - 1) * WSI_TICKS;
	signal<T> h = {};
	h.x = place_of(s, i, r.place);
	h.n = s.n;
	h.half_ticks = s.half_ticks;
	for (int k = threadIdx.x / 32; k < 4; k += WARPS) {
		const int side = k / 2, kind = k % 2;
		const bitmap marks = bitmap_of(s, i, r.head.set, kind);
		const int n = side == WSI_LEFT
			? nearest_marks<WSI_RIGHT>(marks, s.groups, 0, WSI_NEAR, m.found[k], m.room[k])
			: nearest_marks<WSI_LEFT>(marks, s.groups, s.groups, WSI_NEAR, m.found[k], m.room[k]);
		wsi_near &near = m.near[side][kind];
		if (lane < n) {
			const int t = tick_of(h, m.found[k][lane]);
			near.u[lane] = side == WSI_LEFT ? t : last - t;
			near.v[lane] = (double)__ldcg(h.x + m.found[k][lane]);
		}
		if (lane == 0)
			near.n = n;
	}
	__syncthreads();
	if (threadIdx.x != 0)
		return;
	r.head.extras_inside = false;
	for (int side = 0; side < 2; ++side) {
		wsi_beyond out[2];
		const double end = (double)__ldcg(h.x + (side == WSI_LEFT ? 0 : s.n - 1));
		boundary_knots(s.boundary, m.near[side], end, out);
		for (int kind = 0; kind < 2; ++kind) {
			row_extras<T> &e = r.extra[kind][side];
			e.n = out[kind].n;
			for (int k = 0; k < e.n; ++k) {
				const int to = side == WSI_LEFT ? e.n - 1 - k : k;
				e.t[to] = side == WSI_LEFT ? out[kind].u[k] : last - out[kind].u[k];
				e.v[to] = (T)out[kind].v[k];
				const int sample = sample_of(e.t[to]);
				r.head.extras_inside = r.head.extras_inside || (sample >= 0 && sample < s.n);
			}
		}
	}
}

/* What the warps of a block counted. */
template <int WARPS> struct tally_memory {
	tally warp[WARPS];
	bool last;
};

/*
 * Adds what this block's threads counted to the row's sums, and tells all of
 * them whether it was the row's last block to do so: then all that the others
 * wrote is visible.
 */
template <int WARPS>
__device__ __forceinline__ bool
hand_in(tally_memory<WARPS> &m, row_sums &sums, const tally &mine, bool level, bool signs,
        int tiles)
{
	tally t;
	t.extrema = sum_lanes(mine.extrema);
	t.signs = t.above = 0;
	if (signs) {
		t.signs = sum_lanes(mine.signs);
		t.above = sum_lanes(mine.above);
	}
	if ((threadIdx.x & 31) == 0)
		m.warp[threadIdx.x / 32] = t;
	__syncthreads();
	if (threadIdx.x == 0) {
		unsigned long long extrema = 0, signs = 0, above = 0;
		for (int w = 0; w < WARPS; ++w) {
			const tally &c = m.warp[w];
			extrema += (c.extrema & 0xffffu) | (unsigned long long)(c.extrema >> 16) << 32;
			signs += (c.signs & 0xffffu) | (unsigned long long)(c.signs >> 16) << 32;
			above += (c.above & 0xffffu) | (unsigned long long)(c.above >> 16) << 32;
		}
		if (extrema)
			atomicAdd(&sums.extrema, extrema);
		if (signs)
			atomicAdd(&sums.signs, signs);
		if (above)
			atomicAdd(&sums.above, above);
		if (level)
			atomicOr(&sums.level, 1u);
		__threadfence();
		m.last = atomicAdd(&sums.blocks, 1u) == (unsigned)tiles - 1;
		__threadfence();
	}
	__syncthreads();
	return m.last;
}

/* Marks plateaus across the edges of tiles, and counts them; all threads. */
template <class T, int WARPS>
__device__ __noinline__ void
join_plateaus(turn_memory<T> &m, const sift_rows<T> &s, int i, int place, int set)
{
	const bitmap of[2] = { bitmap_of(s, i, set, 0), bitmap_of(s, i, set, 1) };
	unsigned wrong_signs;
	const unsigned extrema = plateaus_across(s.edges + (size_t)i * s.tiles, s.tiles,
	                                         WARPS * SPAN, place_of(s, i, place), s.signs, of,
	                                         wrong_signs);
	if (extrema)
		atomicAdd(&m.extrema, extrema);
	if (wrong_signs)
		atomicAdd(&m.wrong_signs, wrong_signs);
}

/*
 * All blocks of a row are through with what they did: what comes next.  All
 * threads of one block.  started: they made y, else a sift.
 */
template <class T, int WARPS>
__device__ __noinline__ void
turn(turn_memory<T> &m, const sift_rows<T> &s, int i, bool started)
{
	row<T> &r = s.rows[i];
	const row_head head = r.head;
	if (!started && wanted_of(s, i, head.sifts).sums)
		for (int k = 0; k < 3; ++k) {
			const double sum = fold(s.sums + ((size_t)i * 3 + k) * (s.groups / 32), s.groups / 32);
			if (threadIdx.x == 0)
				m.sum[k] = sum;
		}
	if (threadIdx.x == 0)
		m.extrema = m.wrong_signs = 0;
	__syncthreads();
	if (__ldcg(&r.sums.level) && s.tiles > 1) {
		/* Of what is to be the next h. */
		const int place = started ? r.place : r.place == ROW_OUT ? ROW_ROOM : ROW_OUT;
		join_plateaus<T, WARPS>(m, s, i, place, started ? head.set : 1 - head.set);
		__threadfence();
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		/* Sums are others' atomics: read them where they were made. */
		row_sums sums;
		sums.extrema = __ldcg(&r.sums.extrema);
		sums.signs = __ldcg(&r.sums.signs);
		sums.above = __ldcg(&r.sums.above);
		r.sums = sums;
		int next = ROW_SIFT;
		if (!started)
			next = turn_sifted(s, i, r, m.sum);
		else if (s.step && s.min_extrema > 0 &&
		         !(to_real(__ldcg(s.high + i)) - to_real(__ldcg(s.low + i)) > s.input[i].least_range))
			next = ROW_DONE;
		if (next == ROW_SIFT) {
			read_sums(r, m.extrema, m.wrong_signs);
			if (s.cyclic) {
				const bitmap of[2] = { bitmap_of(s, i, r.head.set, 0), bitmap_of(s, i, r.head.set, 1) };
				mark_seam(place_of(s, i, r.place), s.n, (T)s.input[i].flat, s.signs, of,
				          r.counts);
				__threadfence();
			}
			next = turn_marked(s, r);
		}
		r.sums = {};
		point_to(s, i, r);
		r.head.phase = next;
		m.phase = next;
		s.output[i] = { r.head.sifts, r.oscillates, r.oscillates && r.place == ROW_SOURCE,
			        r.unfinished };
		s.phase[i] = next;
	}
	__syncthreads();
	if (m.phase == ROW_SIFT && !s.cyclic)
		make_ends<T, WARPS>(m, s, i, r);
	__syncthreads();
}

#endif
