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

#include "cuda/block/marks.cuh"
#include "cuda/block/spline.cuh"
#include "cuda/row.h"

/* Knots beyond a tile that it needs: the slopes of the knots either side of
 * its samples, and of those either side of the sample that follows. */
template <class T> constexpr int BEFORE_TILE = real<T>::REACH + 2;
template <class T> constexpr int AFTER_TILE = real<T>::REACH + 3;

/* The signal that a tile is part of. */
template <class T> struct signal {
	const T *x;
	int n, groups;                /* samples; groups of all tiles */
	uint16_t *marks;              /* [kind][groups] */
	uint32_t *summary;            /* [kind][groups / 32] */
	const row_extras<T> (*extra)[2]; /* [kind][side] */
	bool extras_inside;           /* of what is asked for, or between it and an end's others */
	bool half_ticks, cyclic;

	__device__ __forceinline__ bitmap
	bits(int kind) const
	{
		return { marks + (size_t)kind * groups, summary + (size_t)kind * (groups / 32) };
	}
};

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

/* The first sample at or after a tick. */
__device__ __forceinline__ int
sample_of(int32_t t)
{
	return (t + 1) >> 1;
}

/* Where the knot of the extremum marked at a sample lies. */
template <class T>
__device__ __forceinline__ int32_t
tick_of(const signal<T> &s, int sample)
{
	if (!s.half_ticks || sample == 0 || s.x[sample] != s.x[sample - 1])
		return sample * WSI_TICKS;
	int i = sample, k = sample;
	while (i > 0 && s.x[i - 1] == s.x[sample])
		--i;
	while (k + 1 < s.n && s.x[k + 1] == s.x[sample])
		++k;
	return i + k;
}

/* ---- Knots beyond a tile ------------------------------------------------------------ */

/* Knots that a warp appends on one side of a list, from the tile outwards. */
template <class T, int SIDE> struct appender {
	int32_t *t;
	T *v;
	int at, got, need;

	__device__ __forceinline__ int
	index(int i) const
	{
		return SIDE == WSI_LEFT ? at - 1 - i : at + i;
	}

	__device__ __forceinline__ void
	extras(const row_extras<T> &e, int begin, int end)
	{
		for (int k = 0; k < e.n; ++k) {
			const int i = SIDE == WSI_LEFT ? e.n - 1 - k : k, sample = sample_of(e.t[i]);
			if ((SIDE == WSI_LEFT ? sample >= begin : sample < end) || got == need)
				continue;
			if ((threadIdx.x & 31) == 0) {
				t[index(got)] = e.t[i];
				v[index(got)] = e.v[i];
			}
			++got;
		}
	}

	/* Marked samples, their ticks shifted by `away`. */
	__device__ __forceinline__ void
	samples(const signal<T> &s, const int *sample, int count, int32_t away)
	{
		for (int i = threadIdx.x & 31; i < count; i += 32) {
			t[index(got + i)] = tick_of(s, sample[i]) + away;
			v[index(got + i)] = __ldcg(s.x + sample[i]);
		}
		got += count;
	}
};

/* The same signal once more, as often as it takes, while ticks last. */
template <int SIDE, class T>
__device__ __noinline__ void
periods_beyond(const signal<T> &s, int kind, appender<T, SIDE> &a, int *found, int *room)
{
	const int from = SIDE == WSI_LEFT ? s.groups : 0;
	const int64_t most = (int64_t)1 << 29, last = (int64_t)WSI_TICKS * (s.n - 1);
	for (int64_t times = 1; a.got < a.need; ++times) {
		__syncwarp();
		int count = nearest_marks<SIDE>(s.bits(kind), s.groups, from, a.need - a.got, found, room);
		const int64_t away = (SIDE == WSI_LEFT ? -WSI_TICKS : WSI_TICKS) * times * s.n;
		for (; count > 0; --count) {
			const int64_t t = (int64_t)WSI_TICKS * found[count - 1] + away;
			if (SIDE == WSI_LEFT ? t >= -most : t <= last + most)
				break;
		}
		if (count == 0)
			break;
		a.samples(s, found, count, (int32_t)away);
	}
}

/*
 * The knots of a kind beyond samples begin .. end - 1, which are groups up to
 * groups_end, on one side, nearest first: extras, extrema, extras; returns how
 * many.  One warp.
 */
template <int SIDE, class T>
__device__ __noinline__ int
knots_beyond(const signal<T> &s, int kind, int begin, int end, int groups_end,
             appender<T, SIDE> a, int *found, int *room)
{
	if (s.extras_inside)
		a.extras(s.extra[kind][SIDE == WSI_LEFT ? WSI_RIGHT : WSI_LEFT], begin, end);
	const int from = SIDE == WSI_LEFT ? begin / GROUP : groups_end;
	const int count = nearest_marks<SIDE>(s.bits(kind), s.groups, from, a.need - a.got, found, room);
	a.samples(s, found, count, 0);
	if (a.got < a.need) {
		if (s.cyclic)
			periods_beyond(s, kind, a, found, room);
		else
			a.extras(s.extra[kind][SIDE], begin, end);
	}
	return a.got;
}

/*
 * The same where extrema are dense, which is where time goes: all that is
 * needed is in the few groups beside the tile.  False if it is not.
 */
template <int SIDE, class T>
__device__ __forceinline__ bool
knots_beside(const T *x, const uint16_t *marks, int group, int groups, appender<T, SIDE> a)
{
	constexpr int LOOKS = 4, TIMES = (AFTER_TILE<T> + 31) / 32;
	const int lane = threadIdx.x & 31;
	for (int look = 0; look < LOOKS && a.got < a.need; ++look) {
		const int away = look * 32 + lane, mine = SIDE == WSI_LEFT ? group - 1 - away : group + away;
		unsigned bits = mine >= 0 && mine < groups ? __ldcg(marks + mine) : 0u;
		const int c = __popc(bits), through = scan_lanes(c);
		for (int rank = a.got + through - c; bits && rank < a.need; ++rank)
			a.t[a.index(rank)] = (mine * GROUP + take_bit<SIDE>(bits)) * WSI_TICKS;
		a.got += __shfl_sync(FULL, through, 31);
	}
	if (a.got < a.need)
		return false;
	__syncwarp();
	T v[TIMES];
#pragma unroll
	for (int k = 0; k < TIMES; ++k)
		if (lane + 32 * k < a.need)
			v[k] = __ldcg(x + a.t[a.index(lane + 32 * k)] / WSI_TICKS);
#pragma unroll
	for (int k = 0; k < TIMES; ++k)
		if (lane + 32 * k < a.need)
			a.v[a.index(lane + 32 * k)] = v[k];
	return true;
}

/* ---- Samples -------------------------------------------------------------------------- */

/* Shared memory by its own addresses, which are one register. */
__device__ __forceinline__ unsigned
shared_address(const void *p)
{
	return (unsigned)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void
store_shared(unsigned at, int32_t v)
{
	asm volatile("st.shared.s32 [%0], %1;" ::"r"(at), "r"(v) : "memory");
}

__device__ __forceinline__ void
store_shared(unsigned at, float v)
{
	asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(v) : "memory");
}

__device__ __forceinline__ void
store_shared(unsigned at, double v)
{
	asm volatile("st.shared.f64 [%0], %1;" ::"r"(at), "d"(v) : "memory");
}

__device__ __forceinline__ four<float>
load_shared(unsigned at, float)
{
	four<float> f;
	asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
	             : "=f"(f.x), "=f"(f.y), "=f"(f.z), "=f"(f.w) : "r"(at));
	return f;
}

__device__ __forceinline__ int
load_shared(unsigned at, int)
{
	int v;
	asm volatile("ld.shared.s32 %0, [%1];" : "=r"(v) : "r"(at));
	return v;
}

__device__ __forceinline__ four<double>
load_shared(unsigned at, double)
{
	four<double> f;
	asm volatile("ld.shared.v2.f64 {%0, %1}, [%4];\n\tld.shared.v2.f64 {%2, %3}, [%4 + 16];"
	             : "=d"(f.x), "=d"(f.y), "=d"(f.z), "=d"(f.w) : "r"(at));
	return f;
}

/* Cubics of one envelope, where a tile or the turn has put them. */
template <class T> struct shared_cubics {
	unsigned at, ticks;           /* addresses */
	int end;

	__device__ __forceinline__ four<T>
	cubic(int i) const
	{
		return load_shared(at + i * (int)sizeof(four<T>), (T)0);
	}

	__device__ __forceinline__ int
	tick(int i) const
	{
		return load_shared(ticks + i * (int)sizeof(int32_t), 0);
	}
};

template <class T> struct global_cubics {
	const four<T> *at;
	const int32_t *ticks;
	int end;

	__device__ __forceinline__ four<T>
	cubic(int i) const
	{
		return at[i];
	}

	__device__ __forceinline__ int
	tick(int i) const
	{
		return ticks[i];
	}
};

/* A thread's place in one envelope: the cubic in force and the ticks since its
 * knot. */
template <class T> struct walker {
	four<T> c;
	T u;
	int at;
};

template <class T>
__device__ __forceinline__ T
height(const walker<T> &w)
{
	return cubic_at(w.c.x, w.c.y, w.c.z, w.c.w, w.u);
}

/* The sample at hand has a knot. */
template <class Cubics, class T>
__device__ __forceinline__ void
step_to_knot(walker<T> &w, const Cubics &l)
{
	w.c = l.cubic(++w.at);
	w.u = (T)0;
}

/* To a sample, whatever the ticks are. */
template <class Cubics, class T>
__device__ __forceinline__ void
step_exactly(walker<T> &w, const Cubics &l, bool knot, int sample)
{
	if (knot)
		w.c = l.cubic(++w.at);
	w.u = (T)(sample * WSI_TICKS - l.tick(w.at));
}

/* 16 samples of a row, whose memory goes on to whole words. */
template <class T>
__device__ __forceinline__ void
load_group(const T *x, int s0, int n, T (&out)[GROUP])
{
	constexpr int AT_ONCE = 16 / sizeof(T);
	struct alignas(16) chunk { T v[AT_ONCE]; };
#pragma unroll
	for (int i = 0; i < GROUP; i += AT_ONCE) {
		chunk c = {};
		if (s0 < n)
			c = *(const chunk *)(x + s0 + i);
#pragma unroll
		for (int k = 0; k < AT_ONCE; ++k)
			out[i + k] = c.v[k];
	}
}

template <class T>
__device__ __forceinline__ void
store_group(T *y, int s0, int n, const T *v)
{
	constexpr int AT_ONCE = 16 / sizeof(T);
	struct alignas(16) chunk { T v[AT_ONCE]; };
	if (s0 >= n)
		return;
#pragma unroll
	for (int i = 0; i < GROUP; i += AT_ONCE) {
		chunk c;
#pragma unroll
		for (int k = 0; k < AT_ONCE; ++k)
			c.v[k] = v[i + k];
		*(chunk *)(y + s0 + i) = c;
	}
}

/* Bits of the extras of a kind that lie in the group from s0 on. */
template <class T>
__device__ __noinline__ unsigned
extras_of_group(const row_extras<T> *extra, int n, int s0)
{
	unsigned bits = 0;
	for (int side = 0; side < 2; ++side)
		for (int k = 0; k < extra[side].n; ++k) {
			const int inside = sample_of(extra[side].t[k]) - s0;
			if (inside >= 0 && inside < GROUP && s0 + inside < n)
				bits |= 1u << inside;
		}
	return bits;
}

/* Puts them among the group's knots, which are at t and v. */
template <class T>
__device__ __noinline__ void
place_extras(const row_extras<T> *extra, int n, int s0, unsigned mark, int32_t *t, T *v)
{
	for (int side = 0; side < 2; ++side)
		for (int k = 0; k < extra[side].n; ++k) {
			const int inside = sample_of(extra[side].t[k]) - s0;
			if (inside < 0 || inside >= GROUP || s0 + inside >= n)
				continue;
			const int at = __popc(mark & ((1u << inside) - 1));
			t[at] = extra[side].t[k];
			v[at] = extra[side].v[k];
		}
}

/* What a stop rule wants to know of a sift. */
template <class T> struct wanted {
	bool above, sums;
	T sd, sd2;
	double *sum;                  /* [3][spans of the row] of m^2, h^2, (m / h)^2 */
	int spans;
};

/* Sums over a warp's samples: blocks of 32, of two lanes, by halves, then the
 * tree over the blocks. */
template <class T>
__device__ __forceinline__ double
sum_span(const T (&v)[GROUP])
{
	T w[GROUP];
#pragma unroll
	for (int i = 0; i < GROUP; ++i)
		w[i] = v[i] + __shfl_down_sync(FULL, v[i], 1);
#pragma unroll
	for (int half = GROUP / 2; half > 0; half /= 2)
#pragma unroll
		for (int i = 0; i < half; ++i)
			w[i] += w[i + half];
	double sum = (double)w[0];
#pragma unroll
	for (int d = 2; d < 32; d *= 2)
		sum += __shfl_down_sync(FULL, sum, d);
	return sum;
}

/* Stores the sums of a warp's samples x, number `span` of the row. */
template <class T>
__device__ __forceinline__ void
sum_statistics(const wanted<T> &want, const T (&x)[GROUP], const T (&twice_mean)[GROUP], int s0,
               int n, int span)
{
	T m2[GROUP], h2[GROUP], q2[GROUP];
#pragma unroll
	for (int i = 0; i < GROUP; ++i) {
		const bool valid = s0 + i < n;
		const T mean = valid ? (T)0.5 * twice_mean[i] : (T)0, h = valid ? x[i] : (T)0;
		m2[i] = mean * mean;
		h2[i] = h * h;
		q2[i] = h2[i] > (T)0 ? m2[i] / h2[i] : (T)0;
	}
	const double sum[3] = { sum_span(m2), sum_span(h2), sum_span(q2) };
	for (int k = 0; k < 3; ++k)
		if ((threadIdx.x & 31) == 0)
			want.sum[k * want.spans + span] = sum[k];
}

/*
 * The sift of a thread's samples: y = x minus the mean of the envelopes; y[0]
 * .. y[17] are its samples with one beside either way.  at: the interval of
 * each envelope that the sample before them lies in; span: of the row.
 */
template <class Cubics, class T>
__device__ __forceinline__ void
sift_group(const signal<T> &s, const Cubics l[2], const int at[2], const unsigned mark[2],
           const unsigned any[2], int s0, int span, const wanted<T> &want, T (&y)[GROUP + 2],
           tally &count)
{
	const int lane = threadIdx.x & 31;
	T x[GROUP];
	load_group(s.x, s0, s.n, x);
	T before = __shfl_up_sync(FULL, x[GROUP - 1], 1);
	if (lane == 0 && s0 > 0 && s0 < s.n)
		before = s.x[s0 - 1];
	walker<T> e[2];
	bool plain = !s.half_ticks;
#pragma unroll
	for (int kind = 0; kind < 2; ++kind) {
		const int ticks = (s0 - 1) * WSI_TICKS - l[kind].tick(at[kind]);
		e[kind].at = at[kind];
		e[kind].c = l[kind].cubic(at[kind]);
		e[kind].u = (T)ticks;
		/* Ticks add up exactly while they are whole numbers of the type. */
		plain = plain && (real<T>::F64 || ticks < (1 << 24) - 64);
	}
	y[0] = minus_half(before, height(e[WSI_MAX]) + height(e[WSI_MIN]), (T)-0.5);
	T sum[GROUP], difference[GROUP];
	if (__all_sync(FULL, plain)) {
#pragma unroll
		for (int i = 0; i < GROUP; ++i) {
#pragma unroll
			for (int kind = 0; kind < 2; ++kind) {
				e[kind].u += (T)WSI_TICKS;
				if (any[kind] >> i & 1)
					if (mark[kind] >> i & 1)
						step_to_knot(e[kind], l[kind]);
			}
			const T upper = height(e[WSI_MAX]), lower = height(e[WSI_MIN]);
			sum[i] = upper + lower;
			difference[i] = upper - lower;
		}
	} else {
#pragma unroll
		for (int i = 0; i < GROUP; ++i) {
#pragma unroll
			for (int kind = 0; kind < 2; ++kind)
				step_exactly(e[kind], l[kind], mark[kind] >> i & 1, s0 + i);
			const T upper = height(e[WSI_MAX]), lower = height(e[WSI_MIN]);
			sum[i] = upper + lower;
			difference[i] = upper - lower;
		}
	}
#pragma unroll
	for (int i = 0; i < GROUP; ++i)
		y[i + 1] = minus_half(x[i], sum[i], (T)-0.5);
	count.above = 0;
	if (want.above) {
		/* Mean and amplitude are the halves of sum and difference, exactly. */
		const unsigned valid = bits_within(s0, 0, s.n - 1);
#pragma unroll
		for (int i = 0; i < GROUP; ++i) {
			const T mean = fabs(sum[i]), amplitude = fabs(difference[i]);
			if (valid >> i & 1)
				count.above += (mean > want.sd * amplitude ? 1u : 0u) +
				               (mean > want.sd2 * amplitude ? 1u << 16 : 0u);
		}
	}
	if (want.sums)
		sum_statistics(want, x, sum, s0, s.n, span);
	/* The sample that follows: another thread's, or another tile's. */
	y[GROUP + 1] = __shfl_down_sync(FULL, y[1], 1);
	const int next = s0 + GROUP;
	if (lane == 31 && next < s.n) {
#pragma unroll
		for (int kind = 0; kind < 2; ++kind) {
			const int after = e[kind].at + 1;
			const bool knot = after < l[kind].end && l[kind].tick(after) <= next * WSI_TICKS;
			step_exactly(e[kind], l[kind], knot, next);
		}
		y[GROUP + 1] = minus_half(s.x[next], height(e[WSI_MAX]) + height(e[WSI_MIN]), (T)-0.5);
	}
}

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
