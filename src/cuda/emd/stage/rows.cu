/*
 * rows.cu - passes over whole rows: copies, sums, differences, scales, noise, extremes, means,
 * deviations.
 *
 * Fits      any number and length of rows.
 * Twin      cpu/emd/rows_simd.h (sums by trees, math/sum.h): the same bits.
 * Launch    THREADS over (four samples a thread or more, rows); node_kernel: 1024 over (nodes of
 *           1024 and more, rows); tree_kernel and what follows: a thread a row.
 * Memory    each pass reads its rows and writes its row once; nodes of sums in the device's memory.
 */
#include "cuda/emd/rows.h"

#include "cuda/device/grid.h"
#include "cuda/device/load.h"
#include "cuda/device/math.cuh"
#include "cuda/device/order.cuh"
#include "math/gaussian.h"
#include "math/sum.h"

constexpr int THREADS = 256;

/* Blocks that cover `samples` of `rows` rows, several samples a thread. */
static dim3
grid_over(int samples, int rows)
{
	const int wanted = (samples + THREADS * 4 - 1) / (THREADS * 4);
	return dim3((unsigned)(wanted < 4096 ? wanted : 4096), grid_rows((size_t)rows));
}

#define EACH_ROW(i, n) for (int i = blockIdx.y; i < (n); i += gridDim.y)
#define EACH_SAMPLE(k, n) \
	for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < (n); k += gridDim.x * blockDim.x)

template <class T, row_pass PASS>
__global__ void
pass_kernel(device_rows<T> y, device_rows<T> a, device_rows<T> b, T number, const double *scale,
            int samples)
{
	EACH_ROW(i, y.n) {
		T *yi = y[i];
		const T *ai = a[i], *bi = b[i];
		const bool scaled = PASS == PASS_ADD_SCALED || PASS == PASS_SHIFT;
		const T s = scaled ? (T)scale[i] : (T)0;
		if (PASS == PASS_SHIFT && s == (T)0)
			continue;
		EACH_SAMPLE(k, samples) {
			switch (PASS) {
			case PASS_COPY:
				yi[k] = ai[k];
				break;
			case PASS_ZERO:
				yi[k] = (T)0;
				break;
			case PASS_SUBTRACT:
				yi[k] = ai[k] - bi[k];
				break;
			case PASS_ADD:
				yi[k] = ai[k] + bi[k];
				break;
			case PASS_DIVIDE:
				yi[k] = ai[k] / number;
				break;
			case PASS_SHIFT:
				yi[k] = ai[k] + s;
				break;
			case PASS_ADD_SCALED:
				yi[k] = fma(s, bi[k], ai[k]);
				break;
			}
		}
	}
}

template <class T>
cudaError_t
rows_pass(row_pass pass, device_rows<T> y, device_rows<T> a, device_rows<T> b, double number,
          const double *scale, int samples, cudaStream_t stream)
{
	const dim3 grid = grid_over(samples, y.n);
#define CASE(p)                                                                             \
	case p:                                                                             \
		pass_kernel<T, p>                                                           \
			<<<grid, THREADS, 0, stream>>>(y, a, b, (T)number, scale, samples); \
		break
	switch (pass) {
		CASE(PASS_COPY);
		CASE(PASS_ZERO);
		CASE(PASS_SUBTRACT);
		CASE(PASS_ADD);
		CASE(PASS_DIVIDE);
		CASE(PASS_SHIFT);
		CASE(PASS_ADD_SCALED);
	}
#undef CASE
	return cudaGetLastError();
}

template <class T>
__global__ void
scale_kernel(device_rows<T> y, const row_unit *units, row_unit unit, int samples)
{
	EACH_ROW(i, y.n) {
		const row_unit u = units ? units[i] : unit;
		const T one = (T)u.one, two = (T)u.two, offset = (T)u.offset;
		T *const yi = y[i];
		if (one == (T)1 && two == (T)1 && offset == (T)0)
			continue;
		EACH_SAMPLE(k, samples)
			yi[k] = yi[k] * one * two - offset;
	}
}

template <class T>
cudaError_t
rows_scale(device_rows<T> y, const row_unit *units, row_unit unit, int samples, cudaStream_t stream)
{
	scale_kernel<<<grid_over(samples, y.n), THREADS, 0, stream>>>(y, units, unit, samples);
	return cudaGetLastError();
}

template <class T>
__global__ void
clear_kernel(device_rows<T> y, const int *list, int count, int samples)
{
	EACH_ROW(i, count)
		EACH_SAMPLE(k, samples)
			y[list[i]][k] = (T)0;
}

template <class T>
cudaError_t
rows_clear(device_rows<T> y, const int *list, int count, int samples, cudaStream_t stream)
{
	clear_kernel<<<grid_over(samples, count), THREADS, 0, stream>>>(y, list, count, samples);
	return cudaGetLastError();
}

template <class T>
__global__ void
noise_kernel(device_rows<T> y, uint64_t seed, uint32_t number, int first, int repeat, int samples)
{
	EACH_ROW(i, y.n) {
		T *yi = y[i];
		const uint32_t realization = (uint32_t)((first + i) / repeat);
		EACH_SAMPLE(pair, (samples + 1) / 2) {
			double z[2];
			gaussian_pair(seed, number, realization, (uint64_t)pair, z);
			yi[2 * pair] = (T)z[0];
			if (2 * pair + 1 < samples)
				yi[2 * pair + 1] = (T)z[1];
		}
	}
}

template <class T>
cudaError_t
rows_noise(device_rows<T> y, uint64_t seed, uint32_t number, int first, int repeat, int samples,
           cudaStream_t stream)
{
	noise_kernel<<<grid_over(samples, y.n), THREADS, 0, stream>>>(y, seed, number, first,
	                                                              repeat, samples);
	return cudaGetLastError();
}

template <class T>
__global__ void
sum_kernel(device_rows<T> y, device_rows<T> a, int apart, int samples)
{
	EACH_ROW(of, y.n) {
		const device_rows<T> some = { a[(size_t)of * apart], a.stride, a.n };
		EACH_SAMPLE(k, samples) {
			T sum = some[0][k];
#pragma unroll 8
			for (int i = 1; i < some.n; ++i)
				sum += some[i][k];
			y[of][k] = sum;
		}
	}
}

template <class T>
cudaError_t
rows_sum(device_rows<T> y, device_rows<T> a, int apart, int samples, cudaStream_t stream)
{
	const dim3 grid((unsigned)((samples + THREADS - 1) / THREADS), grid_rows((size_t)y.n));
	sum_kernel<<<grid, THREADS, 0, stream>>>(y, a, apart, samples);
	return cudaGetLastError();
}

template <class T>
__global__ void
extremes_kernel(device_rows<T> a, unsigned long long *low, unsigned long long *high, int samples)
{
	EACH_ROW(i, a.n) {
		extremes<T> of;
#pragma unroll 4
		EACH_SAMPLE(k, samples)
			of.see(a[i][k]);
		of.give(low + i, high + i);
	}
}

template <class T>
cudaError_t
rows_extremes(device_rows<T> a, unsigned long long *low, unsigned long long *high, int samples,
              cudaStream_t stream)
{
	cudaError_t error = cudaMemsetAsync(low, 0xff, (size_t)a.n * sizeof *low, stream);
	if (error == cudaSuccess)
		error = cudaMemsetAsync(high, 0, (size_t)a.n * sizeof *high, stream);
	if (error != cudaSuccess)
		return error;
	extremes_kernel<<<grid_over(samples, a.n), THREADS, 0, stream>>>(a, low, high, samples);
	return cudaGetLastError();
}

/* ---- Sums in fixed order -------------------------------------------------------------- */

/* Pairs of nodes, lane by lane, up to lane 0 of 32; this lane's covers blocks
 * of 32 samples from `block` on, of which there are `blocks`, `span` a node.  A
 * node without a partner is carried up. */
__device__ static double
tree_of_lanes(double sum, long block, long blocks, long span)
{
	for (int d = 1; d < 32; d *= 2, span *= 2) {
		const double other = __shfl_down_sync(~0u, sum, d);
		if (block + span < blocks)
			sum += other;
	}
	return sum;
}

template <class T>
__global__ void __launch_bounds__(1024)
node_kernel(device_rows<T> a, bool square, const double *mean, double *nodes, int n_nodes,
            int samples)
{
	__shared__ double part[32];
	const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
	const long blocks = ((long)samples + WSI_SUM_BLOCK - 1) / WSI_SUM_BLOCK;
	EACH_ROW(i, a.n) {
		const T *x = a[i];
		const double m = mean ? mean[i] : 0.0;
		const long first = (long)blockIdx.x * (NODE_SAMPLES / WSI_SUM_BLOCK) + warp * 32;
		double mine = 0.0; /* of block first + lane */
		for (int k = 0; k < 32; ++k) {
			const long sample = (first + k) * WSI_SUM_BLOCK + lane;
			double v = 0.0;
			if (sample < samples) {
				v = (double)x[sample] - m;
				v = square ? v * v : v;
			}
			for (int d = 16; d > 0; d /= 2)
				v += __shfl_down_sync(~0u, v, d);
			v = __shfl_sync(~0u, v, 0);
			mine = lane == k ? v : mine;
		}
		mine = tree_of_lanes(mine, first + lane, blocks, 1);
		if (lane == 0)
			part[warp] = mine;
		__syncthreads();
		if (warp == 0) {
			const long block =
				(long)blockIdx.x * (NODE_SAMPLES / WSI_SUM_BLOCK) + lane * 32;
			const double sum = tree_of_lanes(part[lane], block, blocks, 32);
			if (lane == 0)
				nodes[(size_t)i * n_nodes + blockIdx.x] = sum;
		}
		__syncthreads();
	}
}

/* One thread a row: there are few nodes. */
__global__ static void
tree_kernel(double *nodes, int n_nodes, double *total, int rows)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < rows)
		total[i] = sum_tree(nodes + (size_t)i * n_nodes, n_nodes);
}

static unsigned
blocks_of(int n)
{
	return (unsigned)((n + 127) / 128);
}

template <class T>
cudaError_t
rows_total(device_rows<T> a, bool square, const double *mean, double *nodes, double *total,
           int samples, cudaStream_t stream)
{
	const int n_nodes = (samples + NODE_SAMPLES - 1) / NODE_SAMPLES;
	const dim3 grid((unsigned)n_nodes, grid_rows((size_t)a.n));
	/* Threads for the samples there are; warps without any have no part. */
	node_kernel<<<grid, 1024, 0, stream>>>(a, square, mean, nodes, n_nodes, samples);
	tree_kernel<<<blocks_of(a.n), 128, 0, stream>>>(nodes, n_nodes, total, a.n);
	return cudaGetLastError();
}

__global__ static void
mean_kernel(double *total, int rows, int samples)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < rows)
		total[i] = total[i] / (double)samples;
}

__global__ static void
std_kernel(double *total, int rows, int samples)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < rows)
		total[i] = samples > 1 ? sqrt(total[i] / (double)(samples - 1)) : 0.0;
}

cudaError_t
rows_mean(double *total, int rows, int samples, cudaStream_t stream)
{
	mean_kernel<<<blocks_of(rows), 128, 0, stream>>>(total, rows, samples);
	return cudaGetLastError();
}

cudaError_t
rows_std(double *total, int rows, int samples, cudaStream_t stream)
{
	std_kernel<<<blocks_of(rows), 128, 0, stream>>>(total, rows, samples);
	return cudaGetLastError();
}

/* ---- Both types -------------------------------------------------------------------------- */

bool
rows_have_code(void)
{
	cudaFuncAttributes attributes;
	const bool there =
		cudaFuncGetAttributes(&attributes, pass_kernel<float, PASS_COPY>) == cudaSuccess;
	cudaGetLastError(); /* it is no failure of what comes next */
	return there;
}

cudaError_t
rows_load(void)
{
	return cuda_load_file_of((const void *)pass_kernel<float, PASS_COPY>);
}

#define INSTANCE(T)                                                                              \
	template cudaError_t rows_pass(row_pass, device_rows<T>, device_rows<T>, device_rows<T>, \
	                               double, const double *, int, cudaStream_t);               \
	template cudaError_t rows_scale(device_rows<T>, const row_unit *, row_unit, int,         \
	                                cudaStream_t);                                           \
	template cudaError_t rows_clear(device_rows<T>, const int *, int, int, cudaStream_t);    \
	template cudaError_t rows_noise(device_rows<T>, uint64_t, uint32_t, int, int, int,       \
	                                cudaStream_t);                                           \
	template cudaError_t rows_sum(device_rows<T>, device_rows<T>, int, int, cudaStream_t);   \
	template cudaError_t rows_extremes(device_rows<T>, unsigned long long *,                 \
	                                   unsigned long long *, int, cudaStream_t);             \
	template cudaError_t rows_total(device_rows<T>, bool, const double *, double *, double *, \
	                                int, cudaStream_t);
INSTANCE(float)
INSTANCE(double)
