/* shared.h - how much shared memory blocks of a kernel may ask for. */
#ifndef WSI_CUDA_SHARED_H
#define WSI_CUDA_SHARED_H

#include <cuda_runtime.h>

#include <mutex>

/* One for all kernels: they are asked and told one after the other. */
inline std::mutex &
shared_lock()
{
	static std::mutex lock;
	return lock;
}

/* Allows them so many bytes at least, on the device in force.  What has been allowed is never taken
 * back: another thread may be about to launch the kernel with more. */
template <class... P>
cudaError_t
allow_shared(void (*kernel)(P...), size_t bytes)
{
	const std::lock_guard<std::mutex> guard(shared_lock());
	cudaFuncAttributes now = {};
	const cudaError_t error = cudaFuncGetAttributes(&now, kernel);
	if (error != cudaSuccess || (size_t)now.maxDynamicSharedSizeBytes >= bytes)
		return error;
	return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
	                            (int)bytes);
}

#endif
