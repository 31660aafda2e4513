/* tiles_f64.cu - the kernels of tiles (tiles.cuh) whose outputs are doubles. */
#include "cuda/cwt/tiles.cuh"

cudaError_t
cwt_tiles_f64(const cwt_tile_batch &batch, cudaStream_t stream)
{
	return launch_quantity<double>(batch, stream);
}

size_t
cwt_tile_shared_f64(void)
{
	return tile_block<double>::BYTES;
}
