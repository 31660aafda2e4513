/* shared.h - shared memory that blocks ask for, on the CPU: as much as the card is said to have. */
#ifndef WSI_CUDA_SHARED_H
#define WSI_CUDA_SHARED_H

#include <cuda_runtime.h>

template <class... P>
cudaError_t
allow_shared(void (*)(P...), size_t bytes)
{
	return bytes <= lanes::card.shared ? cudaSuccess : cudaErrorInvalidValue;
}

#endif
