/*
 * between.cuh - outputs between points in shared memory, by a window.  In single precision tensor
 * cores do it, where a device has them (products.cuh).
 *
 * A lane keeps the weights of one or two neighbouring outputs of a point, and goes along the
 * points.
 */
#ifndef WSI_CUDA_CWT_BETWEEN_CUH
#define WSI_CUDA_CWT_BETWEEN_CUH

#include "cuda/cwt/sink.cuh"

constexpr int TILE_STEPS = 16;

/* How lanes share the outputs of a grid of RATIO outputs a point. */
template <class T, int RATIO> struct tile_lanes {
	static constexpr int TAPS = WSI_CWT_FEW_TAPS(8 * sizeof(T));
	static constexpr int EACH = sizeof(T) == 4 ? 2 : 1;    /* outputs of a lane at a point */
	static constexpr int PHASES = RATIO / EACH;            /* lanes of a point */
	static constexpr int SQUAD = PHASES < 4 ? 4 : PHASES;  /* whose outputs lie together */
	static constexpr int POINTS = SQUAD / PHASES;          /* of a squad, a step */
	static constexpr int SQUADS = LANES / SQUAD;
	/* Steps of straight code: after them the window's registers are where they were. */
	static constexpr int STRAIGHT = TAPS / POINTS < 4 ? 4 : TAPS / POINTS;
	static_assert(RATIO >= EACH && SQUAD <= LANES, "lanes share a point's outputs");
};

/* The weights of a lane, and its window of points. */
template <class T, int RATIO> struct tile_window {
	using as = tile_lanes<T, RATIO>;
	T w[as::EACH][as::TAPS];
	two<T> v[as::TAPS];

	__device__ __forceinline__ void
	begin(const T *weights, const two<T> *u)
	{
#pragma unroll
		for (int i = 0; i < as::EACH * as::TAPS; ++i)
			w[i / as::TAPS][i % as::TAPS] = weights[i];
#pragma unroll
		for (int j = 0; j < as::TAPS; ++j)
			v[j] = u[j];
	}

	/* Goes on by the points of a step; u: those of the new place. */
	__device__ __forceinline__ void
	go_on(const two<T> *u)
	{
		constexpr int kept = as::TAPS > as::POINTS ? as::TAPS - as::POINTS : 0;
#pragma unroll
		for (int j = 0; j < kept; ++j)
			v[j] = v[j + as::POINTS];
#pragma unroll
		for (int j = kept; j < as::TAPS; ++j)
			v[j] = u[j];
	}

	__device__ __forceinline__ two<T>
	output(int e, two<T> phasor) const
	{
		two<T> sum = { v[0].x * w[e][0], v[0].y * w[e][0] };
#pragma unroll
		for (int j = 1; j < as::TAPS; ++j)
			sum = { fma(v[j].x, w[e][j], sum.x), fma(v[j].y, w[e][j], sum.y) };
		return times(sum, phasor);
	}
};

/* A lane's outputs of one step, of which `left` are wanted. */
template <class T, int RATIO, bool COMPLEX, bool WHOLE>
__device__ __forceinline__ void
put_step(const tile_window<T, RATIO> &window, const two<T> *phasors, two<T> rotated, T *to,
         unsigned left, const tile_sink<T> &sink)
{
	constexpr int EACH = tile_lanes<T, RATIO>::EACH;
	two<T> out[EACH];
#pragma unroll
	for (int e = 0; e < EACH; ++e)
		out[e] = window.output(e, times(phasors[e], rotated));
	if constexpr (WHOLE && EACH == 2) {
		store_outputs<COMPLEX>(to, out[0], out[1], sink.unit, sink.quantity);
	} else {
#pragma unroll
		for (int e = 0; e < EACH; ++e)
			if (WHOLE || (unsigned)e < left)
				store_output<T, COMPLEX>(to + e * (COMPLEX ? 2 : 1), out[e],
				                         sink.unit, sink.quantity);
	}
}

/*
 * Outputs between `count` points of shared memory, from z[0] on.  start: the carrier's angle at the
 * first; step: from one output to the next, both in 2^-64 turns.  rotated[TILE_STEPS]
 * of shared memory is nobody's.
 */
template <class T, int RATIO, bool COMPLEX>
__device__ __forceinline__ void
put_between(const cwt_tile_segment &k, unsigned count, const two<T> *z, two<T> *rotated,
            unsigned long long start, unsigned long long step, const tile_sink<T> &sink, int lane)
{
	using as = tile_lanes<T, RATIO>;
	constexpr int EACH = as::EACH, POINTS = as::POINTS, FAR = POINTS * RATIO;
	constexpr int NUMBERS = COMPLEX ? 2 : 1, STRAIGHT = as::STRAIGHT;
	const unsigned squad = (unsigned)lane / as::SQUAD, member = (unsigned)lane % as::SQUAD;
	const unsigned phase = member % as::PHASES * EACH;
	/* Odd: lanes of squads read other banks. */
	const unsigned steps = (count + as::SQUADS * POINTS - 1) / (as::SQUADS * POINTS) | 1;
	const unsigned from = squad * steps * POINTS, to = from + steps * POINTS;
	if (lane < TILE_STEPS)
		rotated[lane] = phasor_of<T>(step * (unsigned)(lane * FAR));
	__syncwarp();
	/* Outputs are counted from the first that the tile keeps. */
	const unsigned last = (to < count ? to : count) * RATIO;
	const unsigned there = sink.end - sink.first * RATIO, end = last < there ? last : there;
	unsigned point = from + member / as::PHASES, t = point * RATIO + phase;
	if (t >= end)
		return;
	const two<T> *u = z + point - (as::TAPS / 2 - 1);
	T *out = sink.to + ((size_t)sink.first * RATIO + t) * NUMBERS;
	const bool aligned = (size_t)out % (EACH * NUMBERS * sizeof(T)) == 0;
	tile_window<T, RATIO> window;
	window.begin((const T *)k.weights + phase * as::TAPS, u);
	for (;;) {
		two<T> phasors[EACH];
#pragma unroll
		for (int e = 0; e < EACH; ++e) {
			const two<T> phasor = phasor_of<T>(start + step * (t + e));
			const T unit = COMPLEX ? sink.unit : (T)1;
			phasors[e] = { phasor.x * unit, phasor.y * unit };
		}
#pragma unroll 1
		for (int s = 0; s < TILE_STEPS; s += STRAIGHT) {
			const bool goes_on = t + STRAIGHT * FAR < end;
			if (aligned && t + (STRAIGHT - 1) * FAR + EACH <= end) {
#pragma unroll
				for (int i = 0; i < STRAIGHT; ++i) {
					put_step<T, RATIO, COMPLEX, true>(
						window, phasors, rotated[s + i],
						out + i * FAR * NUMBERS, EACH, sink);
					window.go_on(u + (i + 1) * POINTS);
				}
			} else {
#pragma unroll 1
				for (int i = 0; i < STRAIGHT && t + i * FAR < end; ++i) {
					put_step<T, RATIO, COMPLEX, false>(
						window, phasors, rotated[s + i],
						out + i * FAR * NUMBERS, end - (t + i * FAR), sink);
					if (goes_on || i + 1 < STRAIGHT)
						window.go_on(u + (i + 1) * POINTS);
				}
			}
			if (!goes_on)
				return;
			t += STRAIGHT * FAR;
			out += STRAIGHT * FAR * NUMBERS;
			u += STRAIGHT * POINTS;
		}
	}
}

#endif
