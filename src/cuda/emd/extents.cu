/* extents.cu - the extremes of rows, for the engine and for joint sifting. */
#include "cuda/emd/engine.h"

#include "cuda/device/order.cuh"

void
cuda_send_for_extents(cuda_engine *c, wsi_rows a)
{
	if (c->error != cudaSuccess)
		return;
	const size_t bytes = (size_t)a.n * sizeof *c->m.low;
	well(c,
	     is_f64(&c->e) ? rows_extremes(typed<double>(a), c->m.low, c->m.high, samples(&c->e),
	                                   c->kit.stream)
	                   : rows_extremes(typed<float>(a), c->m.low, c->m.high, samples(&c->e),
	                                   c->kit.stream),
	     "looking for extremes");
	well(c,
	     cudaMemcpyAsync(c->host_low, c->m.low, bytes, cudaMemcpyDeviceToHost, c->kit.stream),
	     "looking for extremes");
	well(c,
	     cudaMemcpyAsync(c->host_high, c->m.high, bytes, cudaMemcpyDeviceToHost, c->kit.stream),
	     "looking for extremes");
}

void
cuda_read_extents(const cuda_engine *c, wsi_extent *out, int n)
{
	for (int i = 0; i < n; ++i)
		out[i] = wsi_extent_of(to_real(c->host_low[i]), to_real(c->host_high[i]));
}
