/*
 * smooth.cu - sums of two channels averaged in time by a Gaussian, as coherence without epochs has
 * them.
 *
 * Fits      any pair and frequency; the transforms are cuFFT's, in double.
 * Twin      wsi_coherence_over_times() and silence() of transform/cwt/coherence_pair.c,
 *           wsi_smoothing_time() of transform/cwt/coherence_window.c: within rounding.
 * Launch    SMOOTH_THREADS (256): lay_kernel and multiply_kernel a point each, over (points, sums);
 *           take_kernel: a block for each pair's frequency.
 * Memory    reads two coefficients and writes three complex numbers a point; reads and writes
 *           these; reads them and writes six numbers an output.
 */
#include "cuda/cwt/sums.h"

#include "math/averages.h"
#include "math/exponential.h"

constexpr int SMOOTH_THREADS = 256, SUMS = 6;

/* Item and frequency, of those of the range, of the batch's i-th. */
struct smooth_place {
	unsigned item, frequency;
};

__device__ __forceinline__ smooth_place
place_of(const cwt_smooth &m, unsigned i)
{
	return { (m.first + i) / m.s.frequencies, (m.first + i) % m.s.frequencies };
}

template <class T>
__global__ void __launch_bounds__(SMOOTH_THREADS)
lay_kernel(const __grid_constant__ cwt_smooth m)
{
	const unsigned t = blockIdx.x * SMOOTH_THREADS + threadIdx.x;
	double v[SUMS] = { 0.0, 0.0, 0.0, 0.0, 0.0, 0.0 };
	if (t >= m.n)
		return;
	if (t < m.samples && blockIdx.y < m.count) {
		const smooth_place at = place_of(m, blockIdx.y);
		const cwt_sums_item item = m.s.item[at.item];
		const char *row = m.s.rows + at.frequency * m.s.frequency_stride;
		const two<T> w = ((const two<T> *)(row + item.w * m.s.signal_stride))[t];
		const two<T> u = ((const two<T> *)(row + item.v * m.s.signal_stride))[t];
		averages_add_pair(w.x, w.y, u.x, u.y, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5]);
	}
	two<double> *z = m.z + (size_t)blockIdx.y * 3 * m.n + t;
	for (int i = 0; i < 3; ++i)
		z[(size_t)i * m.n] = { v[2 * i], v[2 * i + 1] };
}

__global__ void __launch_bounds__(SMOOTH_THREADS)
multiply_kernel(const __grid_constant__ cwt_smooth m)
{
	const unsigned k = blockIdx.x * SMOOTH_THREADS + threadIdx.x;
	const smooth_place at = place_of(m, blockIdx.y / 3);
	if (k >= m.n)
		return;
	const double length = (double)m.n, two_pi = 6.28318530717958647693;
	const double w = m.gaussian[m.s.frequency + at.frequency].deviation * two_pi *
	                 (double)(k < m.n - k ? k : m.n - k) / length;
	const double gain = exponential(-0.5 * w * w) / length;
	two<double> *z = m.z + (size_t)blockIdx.y * m.n + k;
	*z = { z->x * gain, z->y * gain };
}

/* The larger of all threads' numbers, which are not negative. */
__device__ static double
block_largest(double v)
{
	__shared__ double of_warps[SMOOTH_THREADS / 32];
	for (int d = 16; d; d /= 2)
		v = fmax(v, __shfl_xor_sync(0xffffffff, v, d));
	__syncthreads();
	if (threadIdx.x % 32 == 0)
		of_warps[threadIdx.x / 32] = v;
	__syncthreads();
	for (int i = 0; i < SMOOTH_THREADS / 32; ++i)
		v = fmax(v, of_warps[i]);
	return v;
}

/* The share of the Gaussian about sample t that lies within the signal. */
__device__ __forceinline__ double
share_within(const cwt_smooth &m, const wsi_cwt_job_gaussian &g, size_t t)
{
	if (g.whole == 0.0)
		return 1.0;
	const size_t after = m.samples - 1 - t;
	const double *part = m.parts + g.part;
	const double sum = part[t < g.reach ? t : g.reach] +
	                   part[after < g.reach ? after : g.reach] - 1.0;
	return sum / g.whole;
}

/* Rounding is no coherence: below 1e-13 of the largest power of its frequency there is nothing. */
__global__ void __launch_bounds__(SMOOTH_THREADS)
take_kernel(const __grid_constant__ cwt_smooth m)
{
	const smooth_place at = place_of(m, blockIdx.y);
	const unsigned f = m.s.frequency + at.frequency, n = m.s.outputs;
	const two<double> *z = m.z + (size_t)blockIdx.y * 3 * m.n;
	double *to = m.s.state + ((size_t)at.item * m.span + f - m.from) * SUMS * n;
	double most_w = 0.0, most_v = 0.0;
	for (unsigned t = threadIdx.x; t < n; t += SMOOTH_THREADS) {
		const size_t from = (size_t)t * m.s.every;
		const double share = share_within(m, m.gaussian[f], from);
		for (int i = 0; i < 3; ++i) {
			const two<double> v = z[(size_t)i * m.n + from];
			to[(size_t)(2 * i) * n + t] = v.x / share;
			to[(size_t)(2 * i + 1) * n + t] = v.y / share;
		}
		most_w = fmax(most_w, to[t]);
		most_v = fmax(most_v, to[(size_t)n + t]);
	}
	most_w = block_largest(most_w);
	most_v = block_largest(most_v);
	for (unsigned t = threadIdx.x; t < n; t += SMOOTH_THREADS) {
		const bool w = to[t] > 1e-13 * most_w, v = to[(size_t)n + t] > 1e-13 * most_v;
		for (int i = 0; i < SUMS; ++i)
			if (i == 0 ? !w : i == 1 ? !v : !(w && v))
				to[(size_t)i * n + t] = 0.0;
	}
}

/* ---- Launches -------------------------------------------------------------------------------- */

static cudaError_t
launch(void (*kernel)(cwt_smooth), const cwt_smooth &m, dim3 grid, cudaStream_t stream)
{
	cudaLaunchConfig_t config = {};
	config.gridDim = grid;
	config.blockDim = dim3(SMOOTH_THREADS);
	config.stream = stream;
	return cudaLaunchKernelEx(&config, kernel, m);
}

static unsigned
across(const cwt_smooth &m)
{
	return (m.n + SMOOTH_THREADS - 1) / SMOOTH_THREADS;
}

cudaError_t
cwt_smooth_lay(const cwt_smooth &m, ws_type type, cudaStream_t stream)
{
	return launch(type == WS_F64 ? lay_kernel<double> : lay_kernel<float>, m,
	              dim3(across(m), m.room), stream);
}

cudaError_t
cwt_smooth_multiply(const cwt_smooth &m, cudaStream_t stream)
{
	return launch(multiply_kernel, m, dim3(across(m), 3 * m.count), stream);
}

cudaError_t
cwt_smooth_take(const cwt_smooth &m, cudaStream_t stream)
{
	return launch(take_kernel, m, dim3(1, m.count), stream);
}
