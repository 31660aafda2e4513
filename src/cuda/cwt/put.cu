/*
 * put.cu - samples of whole inverse transforms, in double, to the caller's arrays.
 *
 * Fits      what is made in double (the ways CWT_ANY, CWT_TAPS): every step-th sample of a
 *           transform of N points.
 * Twin      store_some() of cpu/cwt/cwt_ways.c: the same bits.
 * Launch    PUT_THREADS (256), an output each, over (outputs, rows of the batch).
 * Memory    reads a complex number an output, writes the output; nothing is shared.
 */
#include "cuda/cwt/store.cuh"

constexpr int PUT_THREADS = 256;

template <class T>
__global__ void __launch_bounds__(PUT_THREADS)
put_kernel(const __grid_constant__ cwt_batch batch, const two<double> *z, unsigned first,
           unsigned step, const cwt_out out)
{
	const unsigned t = blockIdx.x * PUT_THREADS + threadIdx.x;
	if (t >= out.outputs)
		return;
	const cwt_segment &s = segment_of(batch, blockIdx.y);
	const cwt_row row = row_of(batch, s, blockIdx.y);
	const two<double> v = z[s.z + (size_t)(blockIdx.y - s.begin) * s.m + first +
	                        (size_t)t * step];
	const two<T> c = { (T)v.x, (T)v.y };
	const T unit = (T)out.heads[row.channel].scale;
	T *const to = place_of<T>(out, row, s.scales[row.scale]);
	if (out.quantity == WS_QUANTITY_COMPLEX)
		stream((two<T> *)to + t, two<T>{ c.x * unit, c.y * unit });
	else if (out.quantity == WS_QUANTITY_SIGNAL)
		stream(to + t, (T)(v.x * out.heads[row.channel].scale));
	else
		stream(to + t, quantity_of(out.quantity, c, unit));
}

cudaError_t
cwt_put(const cwt_batch &batch, const double *z, unsigned first, unsigned step, ws_type to,
        const cwt_out &out, cudaStream_t stream)
{
	const dim3 grid((out.outputs + PUT_THREADS - 1) / PUT_THREADS, batch.count);
	if (to == WS_F32)
		put_kernel<float><<<grid, PUT_THREADS, 0, stream>>>(batch, (const two<double> *)z,
		                                                    first, step, out);
	else
		put_kernel<double><<<grid, PUT_THREADS, 0, stream>>>(batch, (const two<double> *)z,
		                                                     first, step, out);
	return cudaGetLastError();
}
