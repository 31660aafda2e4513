/* shared.h - how much shared memory blocks of a kernel may ask for. */
#ifndef WSI_CUDA_SHARED_H
#define WSI_CUDA_SHARED_H

#include <cuda_runtime.h>

/* Allows them so many bytes at least, on the device in force.  What has been allowed is never taken
 * back: another thread may be about to launch the kernel with more. */
cudaError_t cuda_allow_shared(const void *kernel, size_t bytes);

template <class... P>
cudaError_t
allow_shared(void (*kernel)(P...), size_t bytes)
{
	return cuda_allow_shared((const void *)kernel, bytes);
}

#endif
