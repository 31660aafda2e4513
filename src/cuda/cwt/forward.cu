/*
 * forward.cu - channels made ready for their forward transform: offset and scale are taken off, the
 * ends are padded.  The sums go over fixed stretches, in fixed order.
 *
 * Fits      any length; spectrum.cu does it within its first pass where its factors fit.
 * Twin      wsi_cwt_pad() and its sums, cpu/cwt/cwt.c: the same bits.
 * Launch    FORWARD_THREADS (256): look_kernel over (at most CWT_LOOK_BLOCKS stretches, channels);
 *           pad_kernel over (four samples a thread, channels); narrow_kernel over numbers.
 * Memory    reads the samples twice, writes the padded signal once, in double.
 */
#include "cuda/cwt/forward.cuh"
#include "math/padding.h"

constexpr int FORWARD_THREADS = 256;
static_assert(CWT_LOOK_BLOCKS <= FORWARD_THREADS, "a block joins what blocks found");

/* Joins what the threads of a block found; all of them have it then. */
__device__ static cwt_found
join(cwt_found mine)
{
	__shared__ cwt_found found[FORWARD_THREADS];
	found[threadIdx.x] = mine;
	__syncthreads();
	for (int half = FORWARD_THREADS / 2; half > 0; half /= 2) {
		if ((int)threadIdx.x < half) {
			cwt_found &a = found[threadIdx.x];
			const cwt_found b = found[threadIdx.x + half];
			a = { fmin(a.low, b.low), fmax(a.high, b.high), a.sum + b.sum };
		}
		__syncthreads();
	}
	return found[0];
}

int
cwt_look_blocks(size_t samples)
{
	const size_t wanted = samples / (8 * FORWARD_THREADS);
	return wanted < 1 ? 1 : wanted < CWT_LOOK_BLOCKS ? (int)wanted : CWT_LOOK_BLOCKS;
}

template <class T>
__global__ void __launch_bounds__(FORWARD_THREADS)
look_kernel(const char *rows, size_t stride, size_t samples, cwt_found *out,
            unsigned long long *bad)
{
	const T *x = (const T *)(rows + blockIdx.y * stride);
	const double first = (double)x[0] * CWT_SUM_UNIT;
	cwt_found f = { INFINITY, -INFINITY, 0.0 };
#pragma unroll 4
	for (size_t i = (size_t)blockIdx.x * FORWARD_THREADS + threadIdx.x; i < samples;
	     i += (size_t)FORWARD_THREADS * gridDim.x) {
		const double v = x[i];
		if (!isfinite(v))
			atomicMin(&bad[blockIdx.y], (unsigned long long)i);
		f.low = fmin(f.low, v);
		f.high = fmax(f.high, v);
		f.sum += v * CWT_SUM_UNIT - first;
	}
	f = join(f);
	if (threadIdx.x == 0)
		out[blockIdx.y * gridDim.x + blockIdx.x] = f;
}

cudaError_t
cwt_look(const char *x, size_t stride, unsigned channels, const wsi_cwt_job &job,
         cwt_found *found, unsigned long long *bad, cudaStream_t stream)
{
	const dim3 grid((unsigned)cwt_look_blocks(job.samples), channels);
	if (job.type == WS_F64)
		look_kernel<double><<<grid, FORWARD_THREADS, 0, stream>>>(x, stride, job.samples,
		                                                          found, bad);
	else
		look_kernel<float><<<grid, FORWARD_THREADS, 0, stream>>>(x, stride, job.samples,
		                                                         found, bad);
	return cudaGetLastError();
}

template <class T>
__global__ void __launch_bounds__(FORWARD_THREADS)
pad_kernel(const char *rows, size_t stride, size_t samples, size_t length, ws_padding padding,
           bool steps, bool centred, int blocks, const cwt_found *found, double *padded,
           cwt_head *heads)
{
	const T *x = (const T *)(rows + blockIdx.y * stride);
	const cwt_found none = { INFINITY, -INFINITY, 0.0 };
	const cwt_found *mine = found + blockIdx.y * (size_t)blocks;
	const cwt_found all = join((int)threadIdx.x < blocks ? mine[threadIdx.x] : none);
	const cwt_head head = head_of(all, x[0], samples, centred, sizeof(T) == 8);
	if (blockIdx.x == 0 && threadIdx.x == 0)
		heads[blockIdx.y] = head;
	const double unscale = 1.0 / head.scale;
	double *to = padded + blockIdx.y * length;
	for (size_t t = (size_t)blockIdx.x * FORWARD_THREADS + threadIdx.x; t < length;
	     t += (size_t)FORWARD_THREADS * gridDim.x) {
		double v = 0.0;
		if (t < samples) {
			v = x[t];
		} else if (padding != WS_PADDING_ZERO) {
			const padding_place p = padding_at(padding, steps, samples, length, t);
			v = padding_between(x[p.before], x[p.after], p.share);
		}
		to[t] = v * unscale - head.offset;
	}
}

cudaError_t
cwt_pad(const char *x, size_t stride, unsigned channels, const wsi_cwt_job &job,
        const cwt_found *found, double *padded, cwt_head *heads, cudaStream_t stream)
{
	const size_t wanted = (job.length + 4 * FORWARD_THREADS - 1) / (4 * FORWARD_THREADS);
	const dim3 grid((unsigned)(wanted < 4096 ? wanted : 4096), channels);
	const int blocks = cwt_look_blocks(job.samples);
	if (job.type == WS_F64)
		pad_kernel<double><<<grid, FORWARD_THREADS, 0, stream>>>(
			x, stride, job.samples, job.length, job.padding, job.steps, job.centred,
			blocks, found, padded, heads);
	else
		pad_kernel<float><<<grid, FORWARD_THREADS, 0, stream>>>(
			x, stride, job.samples, job.length, job.padding, job.steps, job.centred,
			blocks, found, padded, heads);
	return cudaGetLastError();
}

__global__ void __launch_bounds__(FORWARD_THREADS)
narrow_kernel(const double *from, float *to, size_t count)
{
	for (size_t i = (size_t)blockIdx.x * FORWARD_THREADS + threadIdx.x; i < count;
	     i += (size_t)FORWARD_THREADS * gridDim.x)
		to[i] = (float)from[i];
}

cudaError_t
cwt_narrow(const double *from, float *to, size_t count, cudaStream_t stream)
{
	const size_t wanted = (count + 4 * FORWARD_THREADS - 1) / (4 * FORWARD_THREADS);
	narrow_kernel<<<(unsigned)(wanted < 65536 ? wanted : 65536), FORWARD_THREADS, 0, stream>>>(
		from, to, count);
	return cudaGetLastError();
}
