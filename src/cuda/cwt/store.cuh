/* store.cuh - rows, phasors and quantities of the wavelet transform's kernels. */
#ifndef WSI_CUDA_CWT_STORE_CUH
#define WSI_CUDA_CWT_STORE_CUH

#include "cuda/cwt/kernels.h"
#include "cuda/device/complex.cuh"

#define TEMPLATE "math/angle.h"
#include "math/overloads.h"

/* A row of a batch. */
struct cwt_row {
	unsigned scale, channel; /* in the lists that its segment has */
};

/* The segment that row r is in. */
__device__ __forceinline__ const cwt_segment &
segment_of(const cwt_batch &batch, unsigned r)
{
	int i = 0;
	while (i + 1 < batch.segments && r >= batch.segment[i].end)
		++i;
	return batch.segment[i];
}

__device__ __forceinline__ cwt_row
row_of(const cwt_batch &batch, const cwt_segment &s, unsigned r)
{
	const unsigned i = s.first + r - s.begin;
	return { i / batch.channels, i % batch.channels };
}

template <class T>
__device__ __forceinline__ T *
place_of(const cwt_out &out, const cwt_row &row, const cwt_scale &scale)
{
	return (T *)(out.base + row.channel * out.channel_stride +
	             scale.row * out.frequency_stride);
}

/* e^{2 pi i v}: the quarter turns are exact. */
__device__ __forceinline__ void
cos_sin_2pi(float v, float *c, float *s)
{
	sincospif(2.0f * v, s, c);
}

__device__ __forceinline__ void
cos_sin_2pi(double v, float *c, float *s)
{
	sincospif(2.0f * (float)v, s, c);
}

__device__ __forceinline__ void
cos_sin_2pi(double v, double *c, double *s)
{
	sincospi(2.0 * v, s, c);
}

/* e^{2 pi i v}, |v| of a few turns. */
template <class T>
__device__ __forceinline__ two<T>
phasor(double v)
{
	const double quarter = rint(4.0 * v);
	T c, s;
	cos_sin_2pi(fma(-0.25, quarter, v), &c, &s);
	switch ((int)quarter & 3) {
	case 1:
		return { -s, c };
	case 2:
		return { -c, -s };
	case 3:
		return { s, -c };
	default:
		return { c, s };
	}
}

/* Bin k of a channel's spectrum x, or the conjugate of the one that it mirrors. */
template <class X>
__device__ __forceinline__ two<X>
cwt_bin(const cwt_spectra &spectra, const two<X> *x, int k)
{
	const int n = (int)spectra.n;
	const bool low = k < -spectra.below, high = k > n / 2 + spectra.above;
	two<X> v = x[low ? -k : high ? n - k : k];
	v.y = low || high ? -v.y : v.y;
	return v;
}

/* What a band has at place q of m. */
template <class X>
__device__ __forceinline__ two<double>
cwt_band_bin(const cwt_spectra &spectra, const two<X> *x, const cwt_band &band, int m, int q)
{
	const int far = q < band.place ? q - band.place + m : q - band.place;
	if (far >= band.count)
		return { 0.0, 0.0 };
	const two<X> v = cwt_bin(spectra, x, band.first + far);
	return { (double)v.x, (double)v.y };
}

/* As much of a channel's scale as spectra of tiles take, so that neither they nor powers leave the
 * range of single precision; the outputs take what is left, which is 1 but for odd recordings. */
__device__ __forceinline__ double
tile_unit(double scale)
{
	return fmin(fmax(scale, 0x1p-40), 0x1p40);
}

/* What is stored where no complex number is. */
template <class T>
__device__ __forceinline__ T
quantity_of(ws_quantity quantity, two<T> z, T scale)
{
	const T power = fma(z.x, z.x, z.y * z.y);
	if (quantity == WS_QUANTITY_POWER)
		return power * scale * scale;
	if (quantity == WS_QUANTITY_MAGNITUDE)
		return sqrt(power) * scale;
	return angle_of(z.y, z.x);
}

/* Stores of what nobody reads again soon. */
__device__ __forceinline__ void stream(float *to, float v) { __stcs(to, v); }
__device__ __forceinline__ void stream(double *to, double v) { __stcs(to, v); }
__device__ __forceinline__ void
stream(two<float> *to, two<float> v)
{
	__stcs((float2 *)to, make_float2(v.x, v.y));
}
__device__ __forceinline__ void
stream(two<double> *to, two<double> v)
{
	/* Rows of complex numbers need not be aligned to their size. */
	__stcs(&to->x, v.x);
	__stcs(&to->y, v.y);
}

#endif
