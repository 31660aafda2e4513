/*
 * signal.cu - the signal of some bins of a spectrum by two passes, in double:
 *
 *     z[t] = sum of x[k] e^{2 pi i k t / m} over bins k of a band,  m = first.n second.n
 *     k mod m = k2 + n2 k1,  t = t1 + n1 t2:   columns over k1, times e^{2 pi i k2 t1 / m};
 *     rows over k2
 *
 * Fits      m with two factors that cwt_split_of() finds; else cwt_tile_band() and cuFFT.
 * Twin      the same: band_kernel of tiles.cu and cuFFT, within rounding; the CPU has no such way.
 * Launch    CWT_PASS_THREADS a few columns, or a few rows.
 * Memory    reads the band, writes m complex numbers, reads them, writes the signal.
 */
#include "cuda/cwt/transform.cuh"
#include "cuda/device/shared.h"

struct signal_job {
	cwt_spectra spectra;
	cwt_band band;
	cwt_split split;
	unsigned m;
	two<double> *columns, *z; /* [channel][m] */
};

template <class X>
__global__ void __launch_bounds__(CWT_PASS_THREADS)
signal_columns_kernel(const __grid_constant__ signal_job job)
{
	extern __shared__ two<double> shared[];
	const cwt_pass &pass = job.split.first;
	const unsigned n2 = job.split.second.n;
	const unsigned first = blockIdx.x << pass.columns, channel = blockIdx.y;
	const two<X> *x = (const two<X> *)job.spectra.x + channel * job.spectra.stride;
	two<double> *to = job.columns + (size_t)channel * job.m;
	make_roots(pass, shared);
	two<double> *const room = shared + pass.n;
	const int points = pass.n << pass.columns, columns = (1 << pass.columns) - 1;
#pragma unroll 8
	for (int i = (int)threadIdx.x; i < points; i += CWT_PASS_THREADS) {
		const unsigned k2 = first + (unsigned)(i & columns);
		const unsigned k1 = (unsigned)i >> pass.columns;
		room[i] = k2 < n2 ? cwt_band_bin(job.spectra, x, job.band, (int)job.m,
		                                 (int)(k2 + n2 * k1)) : two<double>{};
	}
	const two<double> *const z = block_columns(pass, shared, room);
	const unsigned k2 = first + (threadIdx.x & (unsigned)columns);
	const unsigned step = CWT_PASS_THREADS >> pass.columns;
	unsigned t1 = threadIdx.x >> pass.columns;
	if (k2 >= n2)
		return;
	const unit_roots<double> of = unit_roots_of<double>(job.m);
	two<double> root = unit_root(of, k2 * t1 % job.m);
	const two<double> by = unit_root(of, k2 * step % job.m);
	for (int i = (int)threadIdx.x; i < points; i += CWT_PASS_THREADS, t1 += step) {
		if (sizeof(X) == sizeof(double)) /* as in spectrum.cu */
			root = unit_root(of, k2 * t1 % job.m);
		to[(size_t)t1 * n2 + k2] = times(z[i], root);
		root = times(root, by);
	}
}

__global__ void __launch_bounds__(CWT_PASS_THREADS)
signal_rows_kernel(const __grid_constant__ signal_job job)
{
	extern __shared__ two<double> shared[];
	const cwt_pass &pass = job.split.second;
	const unsigned n1 = job.split.first.n, n2 = pass.n;
	const unsigned first = blockIdx.x << pass.columns, channel = blockIdx.y;
	const two<double> *from = job.columns + (size_t)channel * job.m;
	two<double> *to = job.z + (size_t)channel * job.m;
	make_roots(pass, shared);
	two<double> *const room = shared + n2;
	const int points = (int)n2 << pass.columns, columns = (1 << pass.columns) - 1;
#pragma unroll 8
	for (int i = (int)threadIdx.x; i < points; i += CWT_PASS_THREADS) {
		const unsigned t1 = first + (unsigned)(i & columns);
		room[i] = t1 < n1 ? from[(size_t)t1 * n2 + ((unsigned)i >> pass.columns)]
		                  : two<double>{};
	}
	const two<double> *const z = block_columns(pass, shared, room);
	const unsigned t1 = first + (threadIdx.x & (unsigned)columns);
	for (int i = (int)threadIdx.x; t1 < n1 && i < points; i += CWT_PASS_THREADS)
		to[t1 + (size_t)n1 * ((unsigned)i >> pass.columns)] = z[i];
}

template <class X>
static cudaError_t
launch_signal(const signal_job &job, unsigned channels, cudaStream_t stream)
{
	const cwt_pass &first = job.split.first, &second = job.split.second;
	const unsigned columns = (second.n + (1u << first.columns) - 1) >> first.columns;
	const unsigned rows = (first.n + (1u << second.columns) - 1) >> second.columns;
	const size_t shared[2] = { cwt_pass_bytes(first, sizeof(two<double>)),
		                   cwt_pass_bytes(second, sizeof(two<double>)) };
	cudaError_t error = allow_shared(signal_columns_kernel<X>, shared[0]);
	if (error == cudaSuccess)
		error = allow_shared(signal_rows_kernel, shared[1]);
	if (error != cudaSuccess)
		return error;
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(columns, channels);
	config.blockDim = dim3(CWT_PASS_THREADS);
	config.dynamicSmemBytes = shared[0];
	config.stream = stream;
	error = cudaLaunchKernelEx(&config, signal_columns_kernel<X>, job);
	config.gridDim = dim3(rows, channels);
	config.dynamicSmemBytes = shared[1];
	return error != cudaSuccess ? error : cudaLaunchKernelEx(&config, signal_rows_kernel, job);
}

cudaError_t
cwt_tile_signal(const cwt_spectra &spectra, ws_type from, unsigned channels, const cwt_band &band,
                const cwt_split &split, double *columns, double *z, unsigned m, cudaStream_t stream)
{
	const signal_job job = { spectra, band, split, m, (two<double> *)columns,
		                 (two<double> *)z };
	return from == WS_F32 ? launch_signal<float>(job, channels, stream)
	                      : launch_signal<double>(job, channels, stream);
}
