/*
 * joint_rows.cuh - rows of channels to samples of all channels, and back.
 *
 * Fits      every row of memd; channels are padded to whole groups of lanes.
 * Twin      the slots interleave and deinterleave of cpu/emd/joint_rows_simd.h: the same bits.
 * Launch    TRANSPOSE x TRANSPOSE_ROWS threads over (samples, channels) by TRANSPOSE each.
 * Memory    a tile of TRANSPOSE^2 in shared memory; reads and writes each number once.
 */
#ifndef WSI_CUDA_JOINT_ROWS_CUH
#define WSI_CUDA_JOINT_ROWS_CUH

#include "cuda/device/load.h"
#include "cuda/emd/joint.h"

/* samples and channels transposed at a time; rows of threads */
constexpr int TRANSPOSE = 32, TRANSPOSE_ROWS = 8;

template <class T>
__global__ void __launch_bounds__(TRANSPOSE * TRANSPOSE_ROWS)
gather_kernel(const joint_signal<T> s, const T *rows, size_t stride)
{
	__shared__ T x[TRANSPOSE][TRANSPOSE + 1];
	const int sample0 = blockIdx.x * TRANSPOSE, channel0 = blockIdx.y * TRANSPOSE;
	for (int k = threadIdx.y; k < TRANSPOSE; k += TRANSPOSE_ROWS) {
		const int c = channel0 + k, i = sample0 + threadIdx.x;
		x[k][threadIdx.x] = c < s.channels && i < s.n ? rows[(size_t)c * stride + i] : (T)0;
	}
	__syncthreads();
	for (int k = threadIdx.y; k < TRANSPOSE; k += TRANSPOSE_ROWS) {
		const int c = channel0 + threadIdx.x, i = sample0 + k;
		if (c < s.lanes && i < s.n)
			s.h[0][(size_t)i * s.lanes + c] = x[threadIdx.x][k];
		/* Where channels are few, nobody writes these any more. */
		if (c >= s.channels && c < s.lanes && i < s.n)
			s.h[1][(size_t)i * s.lanes + c] = (T)0;
	}
}

template <class T>
__global__ void __launch_bounds__(TRANSPOSE * TRANSPOSE_ROWS)
scatter_kernel(const joint_signal<T> s, const T *h, bool if_sifted, T *rows, size_t stride, T *rest,
               size_t rest_stride)
{
	__shared__ T x[TRANSPOSE][TRANSPOSE + 1];
	if (if_sifted && s.state->sifts == 0)
		return;
	const int sample0 = blockIdx.x * TRANSPOSE, channel0 = blockIdx.y * TRANSPOSE;
	for (int k = threadIdx.y; k < TRANSPOSE; k += TRANSPOSE_ROWS) {
		const int c = channel0 + threadIdx.x, i = sample0 + k;
		x[k][threadIdx.x] = c < s.lanes && i < s.n ? h[(size_t)i * s.lanes + c] : (T)0;
	}
	/* On its way meanwhile. */
	T left[TRANSPOSE / TRANSPOSE_ROWS];
	const int i = sample0 + threadIdx.x;
#pragma unroll
	for (int j = 0; j < TRANSPOSE / TRANSPOSE_ROWS; ++j) {
		const int c = channel0 + threadIdx.y + j * TRANSPOSE_ROWS;
		left[j] = c < s.channels && i < s.n ? rest[(size_t)c * rest_stride + i] : (T)0;
	}
	__syncthreads();
#pragma unroll
	for (int j = 0; j < TRANSPOSE / TRANSPOSE_ROWS; ++j) {
		const int k = threadIdx.y + j * TRANSPOSE_ROWS, c = channel0 + k;
		if (c < s.channels && i < s.n) {
			const T mode = x[threadIdx.x][k];
			rows[(size_t)c * stride + i] = mode;
			rest[(size_t)c * rest_stride + i] = left[j] - mode;
		}
	}
}

template <class T>
cudaError_t
joint_load()
{
	return cuda_load_file_of((const void *)scatter_kernel<T>);
}

template <class T>
static dim3
transposes(const joint_signal<T> &s)
{
	return dim3((unsigned)((s.n + TRANSPOSE - 1) / TRANSPOSE),
	            (unsigned)((s.lanes + TRANSPOSE - 1) / TRANSPOSE));
}

template <class T>
cudaError_t
joint_gather(const joint_signal<T> &s, const T *rows, size_t stride, cudaStream_t stream)
{
	gather_kernel<T><<<transposes(s), dim3(TRANSPOSE, TRANSPOSE_ROWS), 0, stream>>>(
		s, rows, stride);
	return cudaGetLastError();
}

template <class T>
cudaError_t
joint_scatter(const joint_signal<T> &s, int set, bool if_sifted, T *rows, size_t stride, T *rest,
              size_t rest_stride, cudaStream_t stream)
{
	scatter_kernel<T><<<transposes(s), dim3(TRANSPOSE, TRANSPOSE_ROWS), 0, stream>>>(
		s, s.h[set], if_sifted, rows, stride, rest, rest_stride);
	return cudaGetLastError();
}

#endif
