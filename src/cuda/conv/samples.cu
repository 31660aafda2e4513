/*
 * samples.cu - samples in the device's memory before they are convolved: looked at, rounded to a
 * narrow type, oversampled.
 *
 * Fits      arrays of the caller's on the device; those of the host are prepared there.
 * Twin      cpu/conv/conv.c (checks, rounding by math/narrow.h), cpu/conv/oversample.c: the same
 *           bits.
 * Launch    THREADS (256), four samples each or more, over (samples, channels).
 * Memory    reads a sample once (of a kernel once a tap, from the cache), writes it once.
 */
#include "cuda/conv/samples.h"

#include <string.h>

#include <algorithm>

#include "math/conv.h"
#include "math/narrow.h"
#include "math/oversample.h"

constexpr int THREADS = 256;

static dim3
grid(const sample_rows &rows)
{
	return dim3((unsigned)std::min((rows.n + 4 * THREADS - 1) / (4 * THREADS), (size_t)1024),
	            rows.channels);
}

#define EACH(i, n)                                                                           \
	for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n);              \
	     i += (size_t)gridDim.x * blockDim.x)

template <class X>
__global__ void
look_kernel(sample_rows rows, unsigned long long first, unsigned long long *bad)
{
	const X *x = (const X *)(rows.x + blockIdx.y * rows.x_stride);
	EACH(i, rows.n)
		if (!(x[i] - x[i] == (X)0))
			atomicMin(bad, first + ((unsigned long long)blockIdx.y << 32) + i);
}

/* Magnitudes are in the order of their bits. */
template <class X>
__global__ void
largest_kernel(sample_rows rows, unsigned long long *largest)
{
	__shared__ unsigned long long of_block;
	const X *x = (const X *)(rows.x + blockIdx.y * rows.x_stride);
	X most = (X)0;
	if (threadIdx.x == 0)
		of_block = 0;
	__syncthreads();
	EACH(i, rows.n) {
		const X size = x[i] < (X)0 ? -x[i] : x[i];
		most = size > most ? size : most;
	}
	atomicMax(&of_block, (unsigned long long)__double_as_longlong((double)most));
	__syncthreads();
	if (threadIdx.x == 0)
		atomicMax(&largest[blockIdx.y], of_block);
}

/* As conv_narrow() of ops/conv_rows.h. */
__global__ void
narrow_kernel(sample_rows rows, const unsigned long long *largest, ws_narrow type, char *to,
              size_t to_stride)
{
	const float *x = (const float *)(rows.x + blockIdx.y * rows.x_stride);
	float *y = (float *)(to + blockIdx.y * to_stride);
	const int exponent =
		conv_exponent(__longlong_as_double((long long)largest[blockIdx.y]));
	const double down = ldexp(1.0, -exponent), up = ldexp(1.0, exponent);
	EACH(i, rows.n)
		y[i] = (float)(narrow_nearest((double)x[i] * down, type) * up);
}

/* The place q / factor behind sample g of the polynomial through the outermost samples, as do_gap()
 * of cpu/conv/oversample.c has it. */
template <class X>
__device__ double
polynomial_at_end(const X *x, long long n, long long g, int q, int factor)
{
	double weights[WSI_CUBIC_TAPS], sum = 0.0;
	const long long last = n < WSI_CUBIC_TAPS ? 0 : n - WSI_CUBIC_TAPS;
	const long long from = g == 0 ? 0 : last;
	const int count = n - from < WSI_CUBIC_TAPS ? (int)(n - from) : WSI_CUBIC_TAPS;
	oversample_polynomial((double)(g - from) + (double)q / (double)factor, count, weights);
	for (int k = 0; k < count; ++k)
		sum = fma((double)x[from + k], weights[k], sum);
	return sum;
}

template <class X>
__global__ void
oversample_kernel(sample_rows rows, wsi_conv_new_samples over, const double *kernel, long long low,
                  long long high, char *to, size_t to_stride)
{
	const X *x = (const X *)(rows.x + blockIdx.y * rows.x_stride);
	X *y = (X *)(to + blockIdx.y * to_stride);
	const long long n = (long long)over.n;
	EACH(i, (size_t)(high - low)) {
		const long long g = (low + (long long)i) / over.factor;
		const int q = (int)((low + (long long)i) % over.factor);
		if (q == 0 && over.model != WS_INTERPOLATE_KERNEL) {
			y[i] = x[g];
			continue;
		}
		if (over.model == WS_INTERPOLATE_CUBIC && (g == 0 || g >= n - 2)) {
			y[i] = (X)polynomial_at_end(x, n, g, q, over.factor);
			continue;
		}
		double sum = 0.0;
		for (int k = 0; k < over.taps; ++k) {
			const long long at = g - over.lead + k;
			sum = fma(at >= 0 && at < n ? (double)x[at] : 0.0,
			          kernel[k * over.factor + q], sum);
		}
		y[i] = (X)sum;
	}
}

cudaError_t
samples_oversample(const sample_rows &rows, const wsi_conv_new_samples &over, const double *kernel,
                   long long low, long long high, char *to, size_t to_stride, cudaStream_t stream)
{
	const dim3 blocks = grid({ rows.type, rows.x, rows.x_stride, (size_t)(high - low),
	                           rows.channels });
	if (rows.type == WS_F64)
		oversample_kernel<double><<<blocks, THREADS, 0, stream>>>(rows, over, kernel, low,
		                                                          high, to, to_stride);
	else
		oversample_kernel<float><<<blocks, THREADS, 0, stream>>>(rows, over, kernel, low,
		                                                         high, to, to_stride);
	return cudaGetLastError();
}

cudaError_t
samples_look(const sample_rows &rows, unsigned long long first, unsigned long long *bad,
             cudaStream_t stream)
{
	if (rows.type == WS_F64)
		look_kernel<double><<<grid(rows), THREADS, 0, stream>>>(rows, first, bad);
	else
		look_kernel<float><<<grid(rows), THREADS, 0, stream>>>(rows, first, bad);
	return cudaGetLastError();
}

cudaError_t
samples_largest(const sample_rows &rows, unsigned long long *largest, cudaStream_t stream)
{
	const cudaError_t error = cudaMemsetAsync(largest, 0, rows.channels * sizeof *largest,
	                                          stream);
	if (error != cudaSuccess)
		return error;
	if (rows.type == WS_F64)
		largest_kernel<double><<<grid(rows), THREADS, 0, stream>>>(rows, largest);
	else
		largest_kernel<float><<<grid(rows), THREADS, 0, stream>>>(rows, largest);
	return cudaGetLastError();
}

cudaError_t
samples_narrow(const sample_rows &rows, const unsigned long long *largest, ws_narrow type, char *to,
               size_t to_stride, cudaStream_t stream)
{
	narrow_kernel<<<grid(rows), THREADS, 0, stream>>>(rows, largest, type, to, to_stride);
	return cudaGetLastError();
}

unsigned long long
samples_largest_on_host(ws_type type, const char *x, size_t n)
{
	double most = 0.0;
	for (size_t i = 0; i < n; ++i) {
		const double v = type == WS_F64 ? ((const double *)x)[i]
		                 : (double)((const float *)x)[i];
		const double size = v < 0.0 ? -v : v;
		most = size > most ? size : most;
	}
	unsigned long long bits;
	memcpy(&bits, &most, sizeof bits);
	return bits;
}
