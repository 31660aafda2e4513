/*
 * interpolate.cuh - outputs between the points of a grid in shared memory, by a window, rotated by
 * the band's carrier and stored.
 *
 * Twin      cwt_interpolate (cpu/cwt/cwt_simd.h).
 * A thread keeps the weights of EACH neighbouring outputs of a grid point, and goes along the grid
 * with a window of its points; at least 4 lanes store 64 bytes or more that lie together.
 */
#ifndef WSI_CUDA_CWT_INTERPOLATE_CUH
#define WSI_CUDA_CWT_INTERPOLATE_CUH

#include "cuda/cwt/store.cuh"

/* STEPS: odd, so that squads read other banks. */
template <class T, int RATIO, int TAPS, int THREADS, int STEPS> struct interpolation {
	static constexpr int EACH = sizeof(T) == 4 ? 2 : 1; /* outputs of a thread a step */
	static constexpr int LANES = RATIO / EACH;          /* of a grid point */
	static constexpr int SQUAD = LANES < 4 ? 4 : LANES; /* lanes whose outputs lie together */
	static constexpr int POINTS = SQUAD / LANES;        /* of a squad, a step */
	static constexpr int BLOCK = THREADS / SQUAD * POINTS * STEPS; /* points of all threads */
	static_assert(STEPS % 2 == 1 && RATIO >= EACH && SQUAD <= THREADS,
	              "threads share a point's outputs");
};

/* The carrier of output t, which is output `local` of its tile:
 *     e^{2 pi i (a t / n + b local / m)} */
struct cwt_carrier {
	unsigned long long a, b;
	unsigned n, m;
	double by_n, by_m;      /* 1 / n, 1 / m */
};

template <class T>
__device__ __forceinline__ two<T>
carrier_at(const cwt_carrier &c, unsigned t, unsigned local)
{
	const double v = (double)(c.a * t % c.n) * c.by_n + (double)(c.b * local % c.m) * c.by_m;
	return phasor<T>(v - floor(v));
}

template <class T, bool COMPLEX>
__device__ __forceinline__ void
store_one(T *to, unsigned t, two<T> v, T unit, ws_quantity quantity)
{
	if (COMPLEX)
		stream((two<T> *)to + t, two<T>{ v.x * unit, v.y * unit });
	else
		stream(to + t, quantity_of(quantity, v, unit));
}

/* Outputs t and t + 1, t even, of a row that is aligned to such a pair. */
template <bool COMPLEX>
__device__ __forceinline__ void
store_pair(float *to, unsigned t, two<float> a, two<float> b, float unit, ws_quantity quantity)
{
	if (COMPLEX)
		__stcs((float4 *)(to + 2 * (size_t)t),
		       make_float4(a.x * unit, a.y * unit, b.x * unit, b.y * unit));
	else
		__stcs((float2 *)(to + t), make_float2(quantity_of(quantity, a, unit),
		                                       quantity_of(quantity, b, unit)));
}

/* What outputs are stored as, and where. */
template <class T> struct cwt_sink {
	T *to;                  /* of output 0 */
	T unit;
	ws_quantity quantity;
	unsigned end;           /* outputs from here on are not stored */
};

/*
 * Outputs of BLOCK grid points by THREADS threads: u[TAPS / 2 - 1] is the first of them, whose
 * first output is t0, output `local` of its tile.  rotated[step]: the carrier's rotation over that
 * many steps.  ROTATED: not power, nor magnitude, which need no carrier.
 */
template <class T, int RATIO, int TAPS, int THREADS, int STEPS, bool COMPLEX, bool ROTATED>
__device__ __forceinline__ void
interpolate(const two<T> *u, const two<T> *rotated, const T *weights, const cwt_carrier &carrier,
            unsigned t0, unsigned local, const cwt_sink<T> &sink)
{
	using as = interpolation<T, RATIO, TAPS, THREADS, STEPS>;
	const unsigned squad = threadIdx.x / as::SQUAD, lane = threadIdx.x % as::SQUAD;
	const unsigned phase = lane % as::LANES * as::EACH;
	const unsigned point = squad * (as::POINTS * STEPS) + lane / as::LANES;
	unsigned t = t0 + point * RATIO + phase;
	if (t >= sink.end)
		return;
	T w[as::EACH][TAPS];
	two<T> phasors[as::EACH];
	for (int e = 0; e < as::EACH; ++e) {
		for (int j = 0; j < TAPS; ++j)
			w[e][j] = weights[(phase + e) * TAPS + j];
		if (ROTATED)
			phasors[e] = carrier_at<T>(carrier, t + e, local + (t - t0) + e);
	}
	const bool aligned = (size_t)sink.to % (as::EACH * (COMPLEX ? 2 : 1) * sizeof(T)) == 0;
	two<T> v[TAPS];
#pragma unroll
	for (int j = 0; j < TAPS; ++j)
		v[j] = u[point + j];
#pragma unroll
	for (int step = 0; step < STEPS; ++step) {
		if (step > 0) {
			constexpr int by = as::POINTS < TAPS ? as::POINTS : TAPS;
#pragma unroll
			for (int j = 0; j < TAPS - by; ++j)
				v[j] = v[j + by];
#pragma unroll
			for (int j = TAPS - by; j < TAPS; ++j)
				v[j] = u[point + step * as::POINTS + j];
		}
		two<T> z[as::EACH];
#pragma unroll
		for (int e = 0; e < as::EACH; ++e) {
			two<T> sum = { v[0].x * w[e][0], v[0].y * w[e][0] };
#pragma unroll
			for (int j = 1; j < TAPS; ++j)
				sum = { fma(v[j].x, w[e][j], sum.x), fma(v[j].y, w[e][j], sum.y) };
			z[e] = ROTATED ? times(sum, times(phasors[e], rotated[step])) : sum;
		}
		if (t >= sink.end)
			return;
		if constexpr (as::EACH == 2) {
			if (aligned && t + 1 < sink.end) {
				store_pair<COMPLEX>(sink.to, t, z[0], z[1], sink.unit,
				                    sink.quantity);
			} else {
				store_one<T, COMPLEX>(sink.to, t, z[0], sink.unit, sink.quantity);
				if (t + 1 < sink.end)
					store_one<T, COMPLEX>(sink.to, t + 1, z[1], sink.unit,
					                      sink.quantity);
			}
		} else {
			store_one<T, COMPLEX>(sink.to, t, z[0], sink.unit, sink.quantity);
		}
		t += RATIO * as::POINTS;
	}
}

/* rotated[] of one that follows, by the first threads; then they must meet. */
template <class T, int RATIO, int TAPS, int THREADS, int STEPS>
__device__ __forceinline__ void
make_rotations(const cwt_carrier &carrier, two<T> *rotated)
{
	using as = interpolation<T, RATIO, TAPS, THREADS, STEPS>;
	const unsigned outputs = RATIO * as::POINTS * threadIdx.x;
	if (threadIdx.x < STEPS)
		rotated[threadIdx.x] = carrier_at<T>(carrier, outputs, outputs);
}

#endif
