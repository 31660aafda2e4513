/* tiles_f32.cu - the kernels of tiles (tiles.cuh) whose outputs are of single precision. */
#include "cuda/cwt/tiles.cuh"

cudaError_t
cwt_tiles_f32(const cwt_tile_batch &batch, cudaStream_t stream)
{
	return launch_quantity<float>(batch, stream);
}

size_t
cwt_tile_shared_f32(void)
{
	return tile_block<float>::BYTES;
}
