/*
 * response.cu - responses of wavelets, and spectra times responses; windows of interpolations;
 * taps.
 *
 * Fits      any wavelet, scale and grid; what fold.cu does in one pass is not made here.
 * Twin      cwt_response, cwt_product (cpu/cwt/cwt_simd.h); windows: cpu/cwt/cwt.c; within
 *           rounding.
 * Launch    RESPONSE_THREADS (256): response_kernel over (bins of a band, RESPONSE_EACH a thread;
 *           scales), product_kernel over (points m, rows), window_kernel over (64, windows),
 *           lay_kernel and taps_kernel over the points.
 * Memory    response_kernel writes each value once; product_kernel reads the band's bins and values
 *           and writes m complex numbers; no shared memory but window_kernel's I0_TERMS numbers.
 */
#include "cuda/cwt/store.cuh"
#include "math/kaiser.h"

constexpr int RESPONSE_THREADS = 256, RESPONSE_EACH = 8;

/* ---- Responses ------------------------------------------------------------------------------ */

/* kaiser_weight(), without divisions, which would wait for each other.  by[k]: 1 / k^2. */
constexpr int I0_TERMS = 128;

__device__ static double
weight_by(const cwt_window &w, int j, double phase, const double *by)
{
	const double at = (phase - (j - (w.taps / 2 - 1))) / (0.5 * w.taps), rest = 1.0 - at * at;
	const double x = w.beta * sqrt(rest);
	double term = 1.0, sum = 1.0;
	for (int k = 1; k < I0_TERMS && term > 1e-18 * sum; ++k) {
		term *= 0.25 * x * x * by[k];
		sum += term;
	}
	return rest >= 0.0 ? sum / w.peak : 0.0;
}

template <class T>
__global__ void __launch_bounds__(RESPONSE_THREADS)
window_kernel(const __grid_constant__ cwt_windows windows)
{
	__shared__ double by[I0_TERMS];
	for (int k = 1 + (int)threadIdx.x; k < I0_TERMS; k += RESPONSE_THREADS)
		by[k] = 1.0 / ((double)k * k);
	__syncthreads();
	const cwt_window &w = windows.window[blockIdx.y];
	const unsigned roots = w.roots ? w.first + 2 * w.second : 0;
	for (unsigned i = blockIdx.x * RESPONSE_THREADS + threadIdx.x; i < roots;
	     i += gridDim.x * RESPONSE_THREADS) {
		const unsigned k = i < w.first ? i : i - w.first;
		w.roots[i] = phasor<float>(
			i < w.first ? (double)k / w.first
			: k < w.second ? (double)k / w.second
			               : (double)(k - w.second) / (double)w.m);
	}
	const int weights = w.ratio * w.taps, far = (int)(gridDim.x * RESPONSE_THREADS);
	const int first = (int)(blockIdx.x * RESPONSE_THREADS + threadIdx.x);
	for (int i = first; i < weights; i += far)
		((T *)w.weights)[i] = (T)weight_by(w, i % w.taps,
		                                   (double)(i / w.taps) / w.ratio, by);
	for (size_t q = (size_t)first; q < w.reach; q += (size_t)far)
		w.flat[q] = kaiser_flatten(w.taps, w.beta, w.peak, q, w.m);
}

cudaError_t
cwt_make_windows(const cwt_windows &windows, ws_type type, cudaStream_t stream)
{
	const dim3 grid(64, (unsigned)windows.count);
	if (type == WS_F64)
		window_kernel<double><<<grid, RESPONSE_THREADS, 0, stream>>>(windows);
	else
		window_kernel<float><<<grid, RESPONSE_THREADS, 0, stream>>>(windows);
	return cudaGetLastError();
}

/* Does product_kernel compute the response itself?  For few channels a Gaussian in single precision
 * is computed sooner than read; what is lost of its exponent is 1e-7 of the peak. */
template <class T>
__device__ __forceinline__ bool
in_place(const cwt_batch &batch, const cwt_segment &segment, const cwt_scale &s)
{
	return sizeof(T) == sizeof(float) && batch.channels < 4 && !segment.flat && !segment.room &&
	       !s.tabled && s.wavelet.kind <= WS_WAVELET_MORLET_FULL;
}

/*
 * A thread makes RESPONSE_EACH bins, RESPONSE_THREADS apart.  The Gaussian by its own recurrence:
 * values v and quotients q, `far` apart,
 *     v(w + far) = v(w) q(w),   q(w + far) = q(w) e^{-far^2}
 */
template <class T>
__global__ void __launch_bounds__(RESPONSE_THREADS)
response_kernel(const __grid_constant__ cwt_batch batch, T *responses)
{
	int i = 0;
	while (i + 1 < batch.segments && blockIdx.y >= batch.segment[i + 1].responses)
		++i;
	const cwt_segment &segment = batch.segment[i];
	const unsigned number = blockIdx.y - segment.responses;
	const cwt_scale &s = segment.scales[number];
	const wsi_wavelet wavelet = s.wavelet;
	const int band = s.k1 - s.k0, middle = s.centre - s.k0;
	const int begin = (int)(blockIdx.x * RESPONSE_THREADS * RESPONSE_EACH + threadIdx.x);
	if (begin >= band || !segment.table || in_place<T>(batch, segment, s))
		return;
	/* All bins of an analytic wavelet are above 0. */
	const bool gaussian = wavelet.kind <= WS_WAVELET_MORLET_FULL;
	const double far = RESPONSE_THREADS * s.step;
	const double d = s.step * (double)(s.k0 + begin) - wavelet.a;
	double v = gaussian ? exponential(-0.5 * d * d) : 0.0;
	double q = gaussian ? exponential(-far * (d + 0.5 * far)) : 0.0;
	const double last = exponential(-far * far);
	T *to = responses + segment.response + (size_t)number * segment.band;
	for (int e = 0; e < RESPONSE_EACH; ++e) {
		const int at = begin + e * RESPONSE_THREADS, k = s.k0 + at;
		if (at >= band)
			return;
		double value = gaussian ? v : wavelet_shape(&wavelet, s.step * (double)k);
		value *= s.gain;
		if (s.tabled && (k < s.plain0 || k >= s.plain1))
			value = batch.values[s.values + (size_t)(k < s.plain0 ? at
				: s.plain0 - s.k0 + k - s.plain1)];
		if (s.halve_nyquist && (k < 0 ? -k : k) == (int)(batch.n / 2))
			value *= 0.5;
		if (segment.flat)
			value *= segment.flat[at < middle ? middle - at : at - middle];
		to[at] = (T)value;
		v *= q;
		q *= last;
	}
}

cudaError_t
cwt_response(const cwt_batch &batch, ws_type type, void *response, cudaStream_t stream)
{
	constexpr unsigned each = RESPONSE_THREADS * RESPONSE_EACH;
	unsigned band = 0;
	for (int i = 0; i < batch.segments; ++i)
		band = batch.segment[i].band > band ? batch.segment[i].band : band;
	const cwt_segment &last = batch.segment[batch.segments - 1];
	const unsigned rows = last.first + last.end - last.begin;
	const unsigned count = last.responses + (rows - 1) / batch.channels + 1;
	const dim3 grid((band + each - 1) / each, count);
	if (type == WS_F64)
		response_kernel<double><<<grid, RESPONSE_THREADS, 0, stream>>>(batch,
		                                                               (double *)response);
	else
		response_kernel<float><<<grid, RESPONSE_THREADS, 0, stream>>>(batch,
		                                                              (float *)response);
	return cudaGetLastError();
}

/* ---- Products ----------------------------------------------------------------------------- */

template <class X, class T>
__global__ void __launch_bounds__(RESPONSE_THREADS)
product_kernel(const __grid_constant__ cwt_batch batch, const __grid_constant__ cwt_spectra spectra,
               const T *responses, two<T> *y)
{
	const cwt_segment &segment = segment_of(batch, blockIdx.y);
	const int q = (int)(blockIdx.x * RESPONSE_THREADS + threadIdx.x);
	const int m = (int)segment.m, n = (int)batch.n;
	if (q >= m)
		return;
	const cwt_row row = row_of(batch, segment, blockIdx.y);
	const cwt_scale &s = segment.scales[row.scale];
	const two<X> *x = (const two<X> *)spectra.x + row.channel * spectra.stride;
	const T *response = responses + segment.response + (size_t)row.scale * segment.band;
	const int band = s.k1 - s.k0;
	two<T> sum = { 0, 0 };
	int j = q + s.shift;
	const bool here = in_place<T>(batch, segment, s);
	const T gain = (T)s.gain;
#pragma unroll 4
	for (j = j < m ? j : j - m; j < band; j += m) {
		const int k = s.k0 + j;
		const two<X> v = cwt_bin(spectra, x, k);
		T h;
		if (here) {
			const float d = (float)fma(s.step, (double)k, -s.wavelet.a);
			h = gain * (T)exp2f(d * d * -0.72134752044448170368f);
			h = s.halve_nyquist && (k < 0 ? -k : k) == n / 2 ? h * (T)0.5 : h;
		} else {
			h = response[j];
		}
		sum.x = fma(h, (T)v.x, sum.x);
		sum.y = fma(h, (T)v.y, sum.y);
	}
	if (s.quarters & 1)
		sum = { -sum.y, sum.x };
	if (s.quarters & 2)
		sum = { -sum.x, -sum.y };
	y[segment.z + (size_t)(blockIdx.y - segment.begin) * segment.m + q] = sum;
}

template <class X, class T>
static void
launch_product(const cwt_batch &batch, const cwt_spectra &spectra, const void *response, void *y,
               cudaStream_t stream)
{
	unsigned m = 0;
	for (int i = 0; i < batch.segments; ++i)
		m = batch.segment[i].m > m ? batch.segment[i].m : m;
	const dim3 grid((m + RESPONSE_THREADS - 1) / RESPONSE_THREADS, batch.count);
	product_kernel<X, T><<<grid, RESPONSE_THREADS, 0, stream>>>(
		batch, spectra, (const T *)response, (two<T> *)y);
}

cudaError_t
cwt_product(const cwt_batch &batch, const cwt_spectra &spectra, ws_type from, const void *response,
            void *y, ws_type type, cudaStream_t stream)
{
	if (type == WS_F32)
		launch_product<float, float>(batch, spectra, response, y, stream);
	else if (from == WS_F32)
		launch_product<float, double>(batch, spectra, response, y, stream);
	else
		launch_product<double, double>(batch, spectra, response, y, stream);
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
taps_kernel(const __grid_constant__ cwt_batch batch, const __grid_constant__ cwt_spectra spectra,
            const two<double> *responses, two<double> *y)
{
	const int n = (int)batch.n, k = (int)(blockIdx.x * RESPONSE_THREADS + threadIdx.x);
	if (k >= n)
		return;
	const cwt_row row = row_of(batch, batch.segment[0], blockIdx.y);
	const two<X> v = cwt_bin(spectra, (const two<X> *)spectra.x + row.channel * spectra.stride,
	                         k);
	const two<double> h = responses[(size_t)row.scale * n + k];
	const two<double> p = times(two<double>{ (double)v.x, (double)v.y }, h);
	y[(size_t)blockIdx.y * n + k] = { p.x / n, p.y / n };
}

cudaError_t
cwt_product_taps(const cwt_batch &batch, const cwt_spectra &spectra, ws_type from,
                 const double *response, double *y, cudaStream_t stream)
{
	const dim3 grid((batch.n + RESPONSE_THREADS - 1) / RESPONSE_THREADS, batch.count);
	if (from == WS_F32)
		taps_kernel<float><<<grid, RESPONSE_THREADS, 0, stream>>>(
			batch, spectra, (const two<double> *)response, (two<double> *)y);
	else
		taps_kernel<double><<<grid, RESPONSE_THREADS, 0, stream>>>(
			batch, spectra, (const two<double> *)response, (two<double> *)y);
	return cudaGetLastError();
}
