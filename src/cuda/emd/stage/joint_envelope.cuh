/*
 * joint_envelope.cuh - an envelope at a lane's channel, the envelopes of one of the
 * eight sums of directions, and how sums are added up.
 */
#ifndef WSI_CUDA_JOINT_ENVELOPE_CUH
#define WSI_CUDA_JOINT_ENVELOPE_CUH

#include "cuda/emd/stage/joint_slopes.cuh"

/* A warp has a sum. */
constexpr int MEAN_THREADS = WSI_JOINT_SUMS * 32;
/* Samples of a lane, whose sums fit into registers; those of a warp's squads are a span, part of a
 * block or all of it. */
template <class T, int LANES>
constexpr int MEAN_SAMPLES = LANES < 32 ? 2 * WSI_JOINT_PART : 64 / (int)sizeof(T);
template <class T, int LANES>
constexpr int MEAN_SPAN = MEAN_SAMPLES<T, LANES> * warp_squads<LANES>::N;

/* Samples from a tick to a sample; exact up to 2^23 in f32 (transform/emd/row.c). */
template <class T>
__device__ __forceinline__ T
samples_since(int tick, int sample)
{
	return (T)(sample * WSI_TICKS - tick) * (T)(1.0 / WSI_TICKS);
}

/* The cubic of an interval, and the knot after it, at a lane's channel. */
template <class T> struct envelope_cubic {
	using M = joint_math<T>;
	T c0, c1, c2, c3;       /* since its knot */
	T v1, s1;

	__device__ __forceinline__ void
	begin(T v0, T s0, T v, T s, T inverse)
	{
		c0 = v0, c1 = s0, v1 = v, s1 = s;
		M::joint_cubic(v1 - c0, inverse, inverse * inverse, c1, s1, &c2, &c3);
	}

	/* Goes on to the next interval, of which v, s is the end. */
	__device__ __forceinline__ void
	next(T v, T s, T inverse)
	{
		begin(v1, s1, v, s, inverse);
	}

	/* Adds the cubic as one of the time since u. */
	__device__ __forceinline__ void
	add_to(T (&sum)[4], T u) const
	{
		T a0 = c0, a1 = c1, a2 = c2;
		M::joint_recentre(&a0, &a1, &a2, c3, u);
		sum[0] += a0;
		sum[1] += a1;
		sum[2] += a2;
		sum[3] += c3;
	}
};

/* Upper minus lower envelope, sample by sample; empty where no rule asks. */
template <class T, int LANES, bool ABOVE> struct envelope_distance {
	static constexpr int N = ABOVE ? MEAN_SAMPLES<T, LANES> : 1;
	T x[N];

	__device__ __forceinline__ void
	note(int i, int kind, const envelope_cubic<T> &cubic, T u)
	{
		if (!ABOVE)
			return;
		const T value = cubic_at(cubic.c0, cubic.c1, cubic.c2, cubic.c3, u);
		x[ABOVE ? i : 0] = kind == WSI_MAX ? value : x[ABOVE ? i : 0] - value;
	}

	/* Sum over the channels of the squad of squares, by halves as sum32 (math/sum.h), where
	 * what a squad has no lanes for is zero: a lane gets that of the sample of its own number
	 * there, which must be one. */
	__device__ __forceinline__ T
	sum_squares(bool there) const
	{
		const int lane = threadIdx.x & 31;
		T square[N];
#pragma unroll
		for (int i = 0; i < N; ++i) {
			square[i] = there ? x[i] * x[i] : (T)0;
#pragma unroll
			for (int far = LANES / 2; far >= N; far /= 2)
				square[i] += __shfl_xor_sync(FULL, square[i], far);
		}
#pragma unroll
		for (int half = N / 2; half > 0; half /= 2)
#pragma unroll
			for (int i = 0; i < half; ++i) {
				const bool upper = lane & half;
				const T mine = upper ? square[i + half] : square[i];
				const T other = upper ? square[i] : square[i + half];
				square[i] = mine + __shfl_xor_sync(FULL, other, half);
			}
		return square[0];
	}
};

/* The envelopes of one sum, in the order 2 g, 2 g + 1, 2 (g + 8), .. */
struct sum_of_envelopes {
	int sum, n;

	__device__ __forceinline__
	sum_of_envelopes(int directions)
	    : sum(uniform(threadIdx.x / 32)),
	      n(2 * ((directions - sum + WSI_JOINT_SUMS - 1) / WSI_JOINT_SUMS))
	{
	}

	__device__ __forceinline__ int
	list(int i) const
	{
		return 2 * (sum + i / 2 * WSI_JOINT_SUMS) + (i & 1);
	}
};

/* ---- Sums ---------------------------------------------------------------------------- */

/* Binary tree over the eight sums, stride apart. */
template <class T>
__device__ __forceinline__ T
total_of(const T *sum, size_t stride)
{
	T x[WSI_JOINT_SUMS];
#pragma unroll
	for (int i = 0; i < WSI_JOINT_SUMS; ++i)
		x[i] = sum[i * stride];
#pragma unroll
	for (int n = WSI_JOINT_SUMS / 2; n > 0; n /= 2)
#pragma unroll
		for (int i = 0; i < n; ++i)
			x[i] = x[2 * i] + x[2 * i + 1];
	return x[0];
}

/* Half of the sum is the mean of two envelopes. */
template <class T>
__device__ __forceinline__ T
share_of(const joint_signal<T> &s)
{
	const int active = s.state->active;
	return active > 0 ? (T)(0.5 / active) : (T)0;
}

/* Sum over the channels of a squad: as sum32 (math/sum.h). */
template <int LANES, class T>
__device__ __forceinline__ T
sum_channels(T x)
{
#pragma unroll
	for (int d = LANES / 2; d > 0; d >>= 1)
		x += __shfl_xor_sync(FULL, x, d);
	return x;
}

#endif
