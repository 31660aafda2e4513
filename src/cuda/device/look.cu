/*
 * look.cu - the extremes of rows that a caller has in the device's memory, and the first sample of
 * each that is not finite.
 *
 * Fits      arrays on the device; those of the host are looked at as they are copied.
 * Twin      transform/emd/samples.c: the same numbers.
 * Launch    LOOK_THREADS (256) over (LOOK_BLOCKS stretches of a row, up to GRID_ROWS rows).
 * Memory    reads each sample once; writes what a block found into pinned memory, where the host
 *           joins the stretches of a row.
 */
#include <math.h>
#include <stdint.h>

#include "cuda/device/grid.h"
#include "cuda/emd/engine.h"

constexpr int LOOK_THREADS = 256;
constexpr int LOOK_BLOCKS = 64; /* of a row */

struct look_found { double low, high; unsigned long long bad; };

/* Joins what the threads of a block found; thread 0 has all of it. */
__device__ static look_found
block_join(look_found mine)
{
	__shared__ look_found found[LOOK_THREADS];
	found[threadIdx.x] = mine;
	for (int half = LOOK_THREADS / 2; half > 0; half /= 2) {
		__syncthreads();
		if ((int)threadIdx.x < half) {
			look_found &a = found[threadIdx.x];
			const look_found b = found[threadIdx.x + half];
			a = { fmin(a.low, b.low), fmax(a.high, b.high),
			      a.bad < b.bad ? a.bad : b.bad };
		}
	}
	return found[0];
}

template <class T>
__global__ void
look_kernel(const char *rows, size_t stride, size_t samples, look_found *out)
{
	const T *x = (const T *)(rows + blockIdx.y * stride);
	look_found f = { INFINITY, -INFINITY, ~0ull };
	for (size_t i = (size_t)blockIdx.x * LOOK_THREADS + threadIdx.x; i < samples;
	     i += (size_t)LOOK_THREADS * gridDim.x) {
		const double v = x[i];
		if (!isfinite(v) && i < f.bad)
			f.bad = i;
		f.low = fmin(f.low, v);
		f.high = fmax(f.high, v);
	}
	f = block_join(f);
	if (threadIdx.x == 0)
		out[blockIdx.y * gridDim.x + blockIdx.x] = f;
}

static cudaError_t
look_at(const char *rows, size_t stride, size_t n, size_t samples, ws_type type,
        cudaStream_t stream, look_found *found)
{
	const dim3 grid(LOOK_BLOCKS, (unsigned)n);
	if (type == WS_F64)
		look_kernel<double><<<grid, LOOK_THREADS, 0, stream>>>(rows, stride, samples,
		                                                       found);
	else
		look_kernel<float><<<grid, LOOK_THREADS, 0, stream>>>(rows, stride, samples, found);
	const cudaError_t error = cudaGetLastError();
	return error == cudaSuccess ? cudaStreamSynchronize(stream) : error;
}

ws_status
cuda_look(wsi_device *d, const void *rows, size_t stride, size_t n, size_t samples, ws_type type,
          void *stream, double *low, double *high, size_t *bad, wsi_why *why)
{
	void *memory;
	const size_t most = n < GRID_ROWS ? n : GRID_ROWS;
	const ws_status status = cuda_borrow(d, WSI_HOST_MEMORY,
	                                     most * LOOK_BLOCKS * sizeof(look_found), &memory, why);
	if (status != WS_OK)
		return status;
	cudaError_t error = cudaSetDevice(d->number);
	const look_found *found = (const look_found *)memory;
	for (size_t first = 0; first < n && error == cudaSuccess; first += most) {
		const size_t count = n - first < most ? n - first : most;
		error = look_at((const char *)rows + first * stride, stride, count, samples, type,
		                (cudaStream_t)stream, (look_found *)memory);
		for (size_t i = 0; i < count && error == cudaSuccess; ++i) {
			look_found all = found[i * LOOK_BLOCKS];
			for (size_t k = 1; k < LOOK_BLOCKS; ++k) {
				const look_found &f = found[i * LOOK_BLOCKS + k];
				all = { fmin(all.low, f.low), fmax(all.high, f.high),
					all.bad < f.bad ? all.bad : f.bad };
			}
			low[first + i] = all.low;
			high[first + i] = all.high;
			bad[first + i] = all.bad == ~0ull ? SIZE_MAX : (size_t)all.bad;
		}
	}
	cuda_give_back(d, WSI_HOST_MEMORY, memory);
	return error == cudaSuccess ? WS_OK : cuda_failed(error, "looking at the samples", why);
}
