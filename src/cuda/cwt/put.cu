/* put.cu - samples of whole inverse transforms to the caller's arrays. */
#include "cuda/cwt/store.cuh"

constexpr int PUT_THREADS = 256;

template <class Z, class T>
__global__ void __launch_bounds__(PUT_THREADS)
put_kernel(const cwt_rows rows, const two<Z> *z, size_t stride, unsigned step, const cwt_out out)
{
	const unsigned t = blockIdx.x * PUT_THREADS + threadIdx.x;
	if (t >= out.outputs)
		return;
	const cwt_row row = row_of(rows, blockIdx.y);
	const cwt_scale &scale = rows.scales[row.scale];
	const two<Z> v = z[blockIdx.y * stride + (size_t)t * step];
	const two<T> c = { (T)v.x, (T)v.y };
	const T unit = (T)out.heads[row.channel].scale;
	T *const to = place_of<T>(out, row, scale);
	if (out.quantity == WS_COMPLEX) {
		__stcs(to + 2 * (size_t)t, c.x * unit);
		__stcs(to + 2 * (size_t)t + 1, c.y * unit);
	} else {
		__stcs(to + t, quantity_of(out.quantity, c, unit));
	}
}

cudaError_t
cwt_put(const cwt_rows &rows, const void *z, size_t stride, unsigned step, ws_type from, ws_type to,
        const cwt_out &out, cudaStream_t stream)
{
	const dim3 grid((out.outputs + PUT_THREADS - 1) / PUT_THREADS, rows.count);
	if (from == WS_F32)
		put_kernel<float, float><<<grid, PUT_THREADS, 0, stream>>>(
			rows, (const two<float> *)z, stride, step, out);
	else if (to == WS_F32)
		put_kernel<double, float><<<grid, PUT_THREADS, 0, stream>>>(
			rows, (const two<double> *)z, stride, step, out);
	else
		put_kernel<double, double><<<grid, PUT_THREADS, 0, stream>>>(
			rows, (const two<double> *)z, stride, step, out);
	return cudaGetLastError();
}
