/*
 * samples.cuh - the sift of a thread's 16 samples, given the cubics of both
 * envelopes, and what a stop rule wants to know of it.
 */
#ifndef WSI_CUDA_SAMPLES_CUH
#define WSI_CUDA_SAMPLES_CUH

#include "cuda/emd/block/knots.cuh"
#include "cuda/emd/block/span.cuh"
#include "cuda/device/order.cuh"

/* Cubics of one envelope, where a tile or the advance has put them; who walks keeps the place of
 * one. Those in shared memory lie STRIDE bytes apart. */
template <class T, int STRIDE> struct cubics_in_shared {
	using type = T;
	using place = shared_place;
	static constexpr bool RARE = false;
	shared_place at, ticks;
	int end;

	__device__ __forceinline__ place
	place_of(int i) const
	{
		return at + i * STRIDE;
	}

	__device__ static __forceinline__ place
	beyond(place p, int by)
	{
		return p + by * STRIDE;
	}

	__device__ __forceinline__ int
	tick(place p) const
	{
		return load_shared(ticks + (int)(p - at) / (STRIDE / (int)sizeof(int32_t)), 0);
	}
};

template <class T> struct shared_cubics : cubics_in_shared<T, (int)sizeof(four<T>)> {
	__device__ __forceinline__ four<T>
	cubic(shared_place p) const
	{
		return load_shared(p, (T)0);
	}
};

/* In two halves, the upper ones so many bytes after the lower. */
template <class T, int UPPER> struct halved_cubics : cubics_in_shared<T, (int)sizeof(two<T>)> {
	__device__ __forceinline__ four<T>
	cubic(shared_place p) const
	{
		const two<T> a = load_two(p, (T)0), b = load_two(p + UPPER, (T)0);
		return { a.x, a.y, b.x, b.y };
	}
};

template <class T> struct global_cubics {
	using type = T;
	using place = int;
	static constexpr bool RARE = true;
	const four<T> *at;
	const int32_t *ticks;
	int end;

	__device__ static __forceinline__ place
	place_of(int i)
	{
		return i;
	}

	__device__ static __forceinline__ place
	beyond(place p, int by)
	{
		return p + by;
	}

	__device__ __forceinline__ four<T>
	cubic(place p) const
	{
		return at[p];
	}

	__device__ __forceinline__ int
	tick(place p) const
	{
		return ticks[p];
	}
};

/* A thread's place in one envelope: the cubic in force, the ticks since its knot, the cubic that
 * comes next, and, for who goes exactly, the knot's tick. */
template <class Cubics> struct walker {
	using T = typename Cubics::type;
	four<T> c;
	T u;
	typename Cubics::place next;
	int tick;
};

template <class Cubics>
__device__ __forceinline__ typename Cubics::type
height(const walker<Cubics> &w)
{
	return cubic_at(w.c.x, w.c.y, w.c.z, w.c.w, w.u);
}

/*
 * A walk from the sample before s0, in interval `at`; plain stays true where ticks can be added
 * up, exactly: while they are whole numbers of the type.
 */
template <class Cubics, class T = typename Cubics::type>
__device__ __forceinline__ walker<Cubics>
begin_walk(const Cubics &l, int at, int s0, bool &plain)
{
	/* No knot may lie before sample 0: then nothing comes of what is taken instead. */
	const auto first = l.place_of(max(at, 0));
	const int tick = l.tick(first), ticks = (s0 - 1) * WSI_TICKS - tick;
	plain = plain && (real<T>::F64 || ticks < (1 << 24) - 64);
	return { l.cubic(first), (T)ticks, l.place_of(at + 1), tick };
}

/* To a sample, the next, which has a knot, or that of any lane; half: it lies half a sample before.
 * Where knots are rare their ticks tell. */
template <class Cubics, class T = typename Cubics::type>
__device__ __forceinline__ void
step_plainly(walker<Cubics> &w, const Cubics &l, bool any, bool knot, bool half, int sample)
{
	w.u += (T)WSI_TICKS;
	if constexpr (Cubics::RARE) {
		/* A branch, rather than many instructions that nobody carries out. */
		if (!any)
			return;
		__syncwarp();
	}
	if (knot) {
		w.c = l.cubic(w.next);
		if constexpr (Cubics::RARE)
			half = sample * WSI_TICKS != l.tick(w.next);
		w.next = l.beyond(w.next, 1);
		w.u = half ? (T)1 : (T)0;
	}
}

/* To a sample, whatever the ticks are. */
template <class Cubics, class T = typename Cubics::type>
__device__ __forceinline__ void
step_exactly(walker<Cubics> &w, const Cubics &l, bool knot, int sample)
{
	if (knot) {
		w.c = l.cubic(w.next);
		w.tick = l.tick(w.next);
		w.next = l.beyond(w.next, 1);
	}
	w.u = (T)(sample * WSI_TICKS - w.tick);
}

/* To the sample after a thread's, of which marks tell nothing. */
template <class Cubics, class T = typename Cubics::type>
__device__ __forceinline__ void
step_to_next(walker<Cubics> &w, const Cubics &l, int sample)
{
	w.tick = l.tick(l.beyond(w.next, -1));
	step_exactly(w, l, w.next < l.place_of(l.end) && l.tick(w.next) <= sample * WSI_TICKS,
	             sample);
}

/* 16 samples of a row, whose memory goes on to whole words. */
template <class T>
__device__ __forceinline__ void
load_group(const T *x, int s0, int n, T (&out)[GROUP])
{
	using some = some_samples<T>;
#pragma unroll
	for (int i = 0; i < GROUP; i += some::COUNT) {
		some c = {};
		if (s0 < n)
			c = *(const some *)(x + s0 + i);
#pragma unroll
		for (int k = 0; k < some::COUNT; ++k)
			out[i + k] = c.v[k];
	}
}

/* Some samples of n, from s0 on. */
template <class T>
__device__ __forceinline__ void
see_some(extremes<T> &seen, const some_samples<T> &x, int s0, int n)
{
#pragma unroll
	for (int k = 0; k < some_samples<T>::COUNT; ++k)
		if (s0 + k < n)
			seen.see(x.v[k]);
}

/* A thread's samples of n. */
template <class T>
__device__ __forceinline__ void
see_group(extremes<T> &seen, const T *v, int s0, int n)
{
	/* All of them, nearly always. */
	if (s0 + GROUP <= n)
#pragma unroll
		for (int k = 0; k < GROUP; ++k)
			seen.see(v[k]);
	else
#pragma unroll
		for (int k = 0; k < GROUP; ++k)
			if (s0 + k < n)
				seen.see(v[k]);
}

/* What a stop rule wants to know of a sift. */
template <class T> struct wanted {
	bool above, sums;
	T sd, sd2;
	double *sum;                  /* [3][spans of the row] of m^2, h^2, (m / h)^2 */
	int spans;
};

/* Notes of a thread's samples, one after the other, whether the mean is above parts sd and sd2 of
 * the amplitude: the sign of a difference, which never rounds to zero. */
template <class T> struct mean_notes {
	T sd, sd2;
	unsigned above, above2;       /* of the samples so far, the last in bit 0 */

	/* Twice the mean and twice the amplitude, exactly: sum and difference of the envelopes. */
	__device__ __forceinline__ void
	note(T mean, T amplitude)
	{
		mean = fabs(mean);
		amplitude = fabs(amplitude);
		above = __funnelshift_l(sign_word(sd * amplitude - mean), above, 1);
		above2 = __funnelshift_l(sign_word(sd2 * amplitude - mean), above2, 1);
	}

	/* Of the last 16, which begin with sample s0, as a tally has them. */
	__device__ __forceinline__ unsigned
	count(int s0, int n) const
	{
		const unsigned valid = __brev(bits_within(s0, 0, n - 1)) >> (32 - GROUP);
		return __popc(above & valid) | __popc(above2 & valid) << 16;
	}
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

/* The samples beside those of a warp: what is before its first lane's, and
 * after its last one's. */
template <class T> struct neighbours { T before, after; };

template <class T>
__device__ __forceinline__ neighbours<T>
load_neighbours(const T *x, int s0, int n)
{
	const int lane = threadIdx.x & 31;
	return { lane == 0 && s0 > 0 && s0 < n ? x[s0 - 1] : (T)0,
		 lane == 31 && s0 + GROUP < n ? x[s0 + GROUP] : (T)0 };
}

/*
 * The heights of both envelopes at a thread's samples of n.  Calls put(i, heights) with i = 0 for
 * the sample before them, with 1 .. 16 for them, and in a warp's last lane with 17 for the sample
 * after them.  at: the interval that the sample before lies in.  half: samples whose knots lie half
 * a sample before them.  HALVES: rows are so short that ticks can be added up.  Else half tells
 * only whether there are such samples, and ticks are looked up then.  Cubics that are RARE need no
 * half.
 */
template <bool HALVES, class T, class Cubics, class Put>
__device__ __forceinline__ void
walk_envelopes(const Cubics (&l)[2], const int (&at)[2], const unsigned (&mark)[2], unsigned half,
               int s0, int n, Put put)
{
	walker<Cubics> w[2];
	T e[2];
	unsigned any[2]; /* samples that have a knot in any of the warp's groups */
	bool plain = HALVES || Cubics::RARE || half == 0;
#pragma unroll
	for (int k = 0; k < 2; ++k) {
		w[k] = begin_walk(l[k], at[k], s0, plain);
		e[k] = height(w[k]);
		any[k] = or_lanes(mark[k]);
	}
	put(0, e);
	const auto walk = [&](auto step) {
#pragma unroll
		for (int i = 0; i < GROUP; ++i) {
#pragma unroll
			for (int k = 0; k < 2; ++k) {
				step(w[k], l[k], any[k] >> i & 1, mark[k] >> i & 1, i);
				e[k] = height(w[k]);
			}
			put(i + 1, e);
		}
	};
	using place = walker<Cubics>;
	if (__all_sync(FULL, HALVES ? half == 0 : plain))
		walk([=](place &w, const Cubics &l, bool any, bool knot, int i) {
			step_plainly(w, l, any, knot, false, s0 + i);
		});
	else if (HALVES)
		walk([&](place &w, const Cubics &l, bool any, bool knot, int i) {
			step_plainly(w, l, any, knot, half >> i & 1, s0 + i);
		});
	else
		walk([&](place &w, const Cubics &l, bool, bool knot, int i) {
			step_exactly(w, l, knot, s0 + i);
		});
	const int next = s0 + GROUP;
	if ((threadIdx.x & 31) == 31 && next < n) {
#pragma unroll
		for (int k = 0; k < 2; ++k) {
			step_to_next(w[k], l[k], next);
			e[k] = height(w[k]);
		}
		put(GROUP + 1, e);
	}
}

/*
 * The sift of a thread's samples of n: y = x minus the mean of the envelopes;
 * y[0] .. y[17] are its samples with one beside either way.  span: of the row,
 * as `want` counts them.
 */
template <class T>
__device__ __forceinline__ void
subtract_mean(const T (&e)[2][GROUP + 2], int s0, int n, int span, const wanted<T> &want,
              const T (&x)[GROUP], const neighbours<T> &beside, T (&y)[GROUP + 2])
{
	const T (&upper)[GROUP + 2] = e[WSI_MAX], (&lower)[GROUP + 2] = e[WSI_MIN];
	const int lane = threadIdx.x & 31;
	T before = __shfl_up_sync(FULL, x[GROUP - 1], 1);
	before = lane == 0 ? beside.before : before;
	y[0] = minus_half(before, upper[0] + lower[0], (T)-0.5);
#pragma unroll
	for (int i = 0; i < GROUP; ++i)
		y[i + 1] = minus_half(x[i], upper[i + 1] + lower[i + 1], (T)-0.5);
	/* The sample that follows: another thread's, or another warp's. */
	y[GROUP + 1] = __shfl_down_sync(FULL, y[1], 1);
	if (lane == 31 && s0 + GROUP < n)
		y[GROUP + 1] =
			minus_half(beside.after, upper[GROUP + 1] + lower[GROUP + 1], (T)-0.5);
	T sum[GROUP];
#pragma unroll
	for (int i = 0; i < GROUP; ++i)
		sum[i] = upper[i + 1] + lower[i + 1];
	sum_statistics(want, x, sum, s0, n, span);
}

/* The same, given the cubics: see walk_envelopes.  NOTES: a rule may want to know how many means
 * are above. */
template <bool HALVES, bool NOTES, class Cubics, class T>
__device__ __forceinline__ void
sift_group(const Cubics (&l)[2], const int (&at)[2], const unsigned (&mark)[2], unsigned half,
           int s0, int n, int span, const wanted<T> &want, const T (&x)[GROUP],
           const neighbours<T> &beside, T (&y)[GROUP + 2], tally &count)
{
	const int lane = threadIdx.x & 31;
	count.above = 0;
	if (want.sums) {
		T e[2][GROUP + 2];
		const auto keep = [&](int i, const T (&height)[2]) {
			e[0][i] = height[0];
			e[1][i] = height[1];
		};
		walk_envelopes<HALVES, T>(l, at, mark, half, s0, n, keep);
		subtract_mean(e, s0, n, span, want, x, beside, y);
		return;
	}
	/* All heights need not be kept then. */
	mean_notes<T> notes = { want.sd, want.sd2 };
	T before = __shfl_up_sync(FULL, x[GROUP - 1], 1);
	before = lane == 0 ? beside.before : before;
	walk_envelopes<HALVES, T>(l, at, mark, half, s0, n, [&](int i, const T (&height)[2]) {
		const T here = i == 0 ? before : i == GROUP + 1 ? beside.after : x[i - 1];
		const T mean = height[WSI_MAX] + height[WSI_MIN];
		y[i] = minus_half(here, mean, (T)-0.5);
		if (NOTES && i > 0 && i <= GROUP)
			notes.note(mean, height[WSI_MAX] - height[WSI_MIN]);
	});
	const T after = __shfl_down_sync(FULL, y[1], 1);
	y[GROUP + 1] = lane == 31 && s0 + GROUP < n ? y[GROUP + 1] : after;
	if (NOTES && want.above)
		count.above = notes.count(s0, n);
}

#endif
