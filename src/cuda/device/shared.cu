/* shared.cu - how much shared memory blocks of a kernel may ask for. */
#include "cuda/device/shared.h"

#include <mutex>

cudaError_t
cuda_allow_shared(const void *kernel, size_t bytes)
{
	static std::mutex asking;
	const std::lock_guard<std::mutex> guard(asking);
	cudaFuncAttributes now = {};
	const cudaError_t error = cudaFuncGetAttributes(&now, kernel);
	if (error != cudaSuccess || (size_t)now.maxDynamicSharedSizeBytes >= bytes)
		return error;
	return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
	                            (int)bytes);
}
