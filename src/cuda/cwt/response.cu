/*
 * response.cu - responses of wavelets, and spectra times responses.
 *
 * Twins: cwt_hat, cwt_product (cpu/cwt_simd.h).
 */
#include "cuda/cwt/store.cuh"
#include "math/kaiser.h"

constexpr int RESPONSE_THREADS = 256, RESPONSE_EACH = 8;

/* ---- Responses ------------------------------------------------------------------------------ */

__global__ void __launch_bounds__(RESPONSE_THREADS)
flatten_kernel(double *flat, size_t reach, int taps, double beta, double peak, size_t m)
{
	const size_t q = (size_t)blockIdx.x * RESPONSE_THREADS + threadIdx.x;
	if (q < reach)
		flat[q] = kaiser_flatten(taps, beta, peak, q, m);
}

cudaError_t
cwt_flatten(double *flat, size_t reach, int taps, double over, size_t m, cudaStream_t stream)
{
	const double beta = kaiser_beta(taps, over);
	flatten_kernel<<<(unsigned)((reach + RESPONSE_THREADS - 1) / RESPONSE_THREADS),
	                 RESPONSE_THREADS, 0, stream>>>(flat, reach, taps, beta, kaiser_i0(beta), m);
	return cudaGetLastError();
}

/*
 * A thread makes RESPONSE_EACH bins, RESPONSE_THREADS apart.  The Gaussian by its own recurrence:
 * values v and quotients q, `far` apart,
 *     v(w + far) = v(w) q(w),   q(w + far) = q(w) e^{-far^2}
 */
template <class T>
__global__ void __launch_bounds__(RESPONSE_THREADS)
response_kernel(const cwt_scale *scales, unsigned n, const double *flat, T *hat, size_t stride)
{
	const cwt_scale &s = scales[blockIdx.y];
	const wsi_wavelet wavelet = s.wavelet;
	const int band = s.k1 - s.k0, middle = s.centre - s.k0;
	const int begin = (int)(blockIdx.x * RESPONSE_THREADS * RESPONSE_EACH + threadIdx.x);
	if (begin >= band)
		return;
	/* All bins of an analytic wavelet are above 0. */
	const bool gaussian = wavelet.kind <= WS_MORLET_FULL;
	const double far = RESPONSE_THREADS * s.step;
	const double d = s.step * (double)(s.k0 + begin) - wavelet.a;
	double v = gaussian ? exponential(-0.5 * d * d) : 0.0;
	double q = gaussian ? exponential(-far * (d + 0.5 * far)) : 0.0;
	const double last = exponential(-far * far);
	T *to = hat + blockIdx.y * stride;
	for (int e = 0; e < RESPONSE_EACH; ++e) {
		const int i = begin + e * RESPONSE_THREADS, k = s.k0 + i;
		if (i >= band)
			return;
		double value = gaussian ? v : wavelet_shape(&wavelet, s.step * (double)k);
		value *= s.gain;
		if (s.halve_nyquist && k == (int)(n / 2))
			value *= 0.5;
		if (flat)
			value *= flat[i < middle ? middle - i : i - middle];
		to[i] = (T)value;
		v *= q;
		q *= last;
	}
}

cudaError_t
cwt_response(const cwt_scale *scales, unsigned count, unsigned n, const double *flat, ws_type type,
             void *hat, size_t stride, cudaStream_t stream)
{
	constexpr size_t each = RESPONSE_THREADS * RESPONSE_EACH;
	const dim3 grid((unsigned)((stride + each - 1) / each), count);
	if (type == WS_F64)
		response_kernel<double><<<grid, RESPONSE_THREADS, 0, stream>>>(
			scales, n, flat, (double *)hat, stride);
	else
		response_kernel<float><<<grid, RESPONSE_THREADS, 0, stream>>>(
			scales, n, flat, (float *)hat, stride);
	return cudaGetLastError();
}

/* ---- Products ----------------------------------------------------------------------------- */

/* Bin k of a real signal's spectrum of n points, any k in -n / 2 .. n. */
template <class X>
__device__ __forceinline__ two<X>
bin_of(const two<X> *x, int k, int n)
{
	const bool mirrored = k < 0 || k > n / 2;
	two<X> v = x[k < 0 ? -k : k > n / 2 ? n - k : k];
	v.y = mirrored ? -v.y : v.y;
	return v;
}

template <class X, class T>
__global__ void __launch_bounds__(RESPONSE_THREADS)
product_kernel(const cwt_rows rows, const two<X> *spectra, size_t x_stride, int n, const T *hats,
               size_t stride, two<T> *y, int m)
{
	const int q = (int)(blockIdx.x * RESPONSE_THREADS + threadIdx.x);
	if (q >= m)
		return;
	const cwt_row row = row_of(rows, blockIdx.y);
	const cwt_scale &s = rows.scales[row.scale];
	const two<X> *x = spectra + row.channel * x_stride;
	/* Rows of a batch may begin within a scale's channels: hats begin with that scale. */
	const T *hat = hats + (row.scale - rows.first / rows.channels) * stride;
	const int band = s.k1 - s.k0;
	two<T> sum = { 0, 0 };
	int j = q + s.shift;
	for (j = j < m ? j : j - m; j < band; j += m) {
		const two<X> v = bin_of(x, s.k0 + j, n);
		sum.x = fma(hat[j], (T)v.x, sum.x);
		sum.y = fma(hat[j], (T)v.y, sum.y);
	}
	if (s.quarters & 1)
		sum = { -sum.y, sum.x };
	if (s.quarters & 2)
		sum = { -sum.x, -sum.y };
	y[(size_t)blockIdx.y * m + q] = sum;
}

template <class X, class T>
static void
launch_product(const cwt_rows &rows, const cwt_spectra &spectra, const void *hat, size_t stride,
               void *y, unsigned m, cudaStream_t stream)
{
	const dim3 grid((m + RESPONSE_THREADS - 1) / RESPONSE_THREADS, rows.count);
	product_kernel<X, T><<<grid, RESPONSE_THREADS, 0, stream>>>(
		rows, (const two<X> *)spectra.x, spectra.stride, (int)spectra.n, (const T *)hat,
		stride, (two<T> *)y, (int)m);
}

cudaError_t
cwt_product(const cwt_rows &rows, const cwt_spectra &spectra, ws_type from, const void *hat,
            size_t stride, void *y, unsigned m, ws_type type, cudaStream_t stream)
{
	if (type == WS_F32)
		launch_product<float, float>(rows, spectra, hat, stride, y, m, stream);
	else if (from == WS_F32)
		launch_product<float, double>(rows, spectra, hat, stride, y, m, stream);
	else
		launch_product<double, double>(rows, spectra, hat, stride, y, m, stream);
	return cudaGetLastError();
}

/* ---- Taps ------------------------------------------------------------------------------- */

/* out[t] = sum over j of taps[j] x[t - (j - zero)] */
__global__ void __launch_bounds__(RESPONSE_THREADS)
lay_kernel(const double *taps, size_t count, size_t zero, two<double> *y, size_t n)
{
	const size_t k = (size_t)blockIdx.x * RESPONSE_THREADS + threadIdx.x;
	if (k >= n)
		return;
	const size_t j = (k + zero) % n;
	y[k] = j < count ? two<double>{ taps[j], taps[count + j] } : two<double>{ 0.0, 0.0 };
}

cudaError_t
cwt_lay_taps(const double *taps, size_t count, size_t zero, double *y, size_t n,
             cudaStream_t stream)
{
	lay_kernel<<<(unsigned)((n + RESPONSE_THREADS - 1) / RESPONSE_THREADS), RESPONSE_THREADS, 0,
	             stream>>>(taps, count, zero, (two<double> *)y, n);
	return cudaGetLastError();
}

template <class X>
__global__ void __launch_bounds__(RESPONSE_THREADS)
taps_kernel(const cwt_rows rows, const two<X> *spectra, size_t x_stride, int n,
            const two<double> *hats, two<double> *y)
{
	const int k = (int)(blockIdx.x * RESPONSE_THREADS + threadIdx.x);
	if (k >= n)
		return;
	const cwt_row row = row_of(rows, blockIdx.y);
	const two<X> v = bin_of(spectra + row.channel * x_stride, k, n);
	const unsigned scale = row.scale - rows.first / rows.channels;
	const two<double> h = hats[(size_t)scale * n + k];
	const two<double> p = times(two<double>{ (double)v.x, (double)v.y }, h);
	y[(size_t)blockIdx.y * n + k] = { p.x / n, p.y / n };
}

cudaError_t
cwt_product_taps(const cwt_rows &rows, const cwt_spectra &spectra, ws_type from, const double *hat,
                 double *y, cudaStream_t stream)
{
	const dim3 grid((spectra.n + RESPONSE_THREADS - 1) / RESPONSE_THREADS, rows.count);
	if (from == WS_F32)
		taps_kernel<float><<<grid, RESPONSE_THREADS, 0, stream>>>(
			rows, (const two<float> *)spectra.x, spectra.stride, (int)spectra.n,
			(const two<double> *)hat, (two<double> *)y);
	else
		taps_kernel<double><<<grid, RESPONSE_THREADS, 0, stream>>>(
			rows, (const two<double> *)spectra.x, spectra.stride, (int)spectra.n,
			(const two<double> *)hat, (two<double> *)y);
	return cudaGetLastError();
}
