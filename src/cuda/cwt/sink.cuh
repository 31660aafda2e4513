/*
 * sink.cuh - where a warp's outputs of a tile go, and how they are stored.
 */
#ifndef WSI_CUDA_CWT_SINK_CUH
#define WSI_CUDA_CWT_SINK_CUH

#include "cuda/cwt/lanes.cuh"

/* e^{2 pi i angle / 2^64} */
template <class T>
__device__ __forceinline__ two<T>
phasor_of(unsigned long long angle)
{
	const unsigned long long quarter = (angle + (1ull << 61)) >> 62;
	const long long rest = (long long)(angle - (quarter << 62));
	T c, s;
	if constexpr (sizeof(T) == 4)
		sincospif((float)(int)(rest >> 32) * 0x1p-31f, &s, &c);
	else
		sincospi((double)rest * 0x1p-63, &s, &c);
	const bool odd = quarter & 1, back = quarter & 2;
	const T x = odd ? -s : c, y = odd ? c : s;
	return { back ? -x : x, back ? -y : y };
}

/* v at `to`, which is an output's place; complex numbers have been scaled. */
template <class T, bool COMPLEX>
__device__ __forceinline__ void
store_output(T *to, two<T> v, T unit, ws_quantity quantity)
{
	if (COMPLEX)
		stream((two<T> *)to, v);
	else
		stream(to, quantity_of(quantity, v, unit));
}

/* Two outputs at `to`, which is aligned to them. */
template <bool COMPLEX>
__device__ __forceinline__ void
store_outputs(float *to, two<float> a, two<float> b, float unit, ws_quantity quantity)
{
	if (COMPLEX)
		__stcs((float4 *)to, make_float4(a.x, a.y, b.x, b.y));
	else
		__stcs((float2 *)to, make_float2(quantity_of(quantity, a, unit),
		                                 quantity_of(quantity, b, unit)));
}

/* Where a warp's outputs go. */
template <class T> struct tile_sink {
	T *to;                  /* of output 0 */
	T unit;
	ws_quantity quantity;
	unsigned first, end;    /* point of the signal that is kept first; outputs from `end` on are
	                         * not stored */
};

#endif
