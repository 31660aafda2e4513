/*
 * samples.cuh - the sift of a thread's 16 samples, given the cubics of both
 * envelopes, and what a stop rule wants to know of it.
 */
#ifndef WSI_CUDA_SAMPLES_CUH
#define WSI_CUDA_SAMPLES_CUH

#include "cuda/block/knots.cuh"

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
		/* No knot may lie before sample 0: then nothing comes of what is taken instead. */
		const int first = max(at[kind], 0), ticks = (s0 - 1) * WSI_TICKS - l[kind].tick(first);
		e[kind].at = at[kind];
		e[kind].c = l[kind].cubic(first);
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

#endif
