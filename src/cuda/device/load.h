/* load.h - kernels brought to a device ahead of their first launch. */
#ifndef WSI_CUDA_LOAD_H
#define WSI_CUDA_LOAD_H

#include <cuda_runtime.h>

/* Loads all kernels of the file that has this one, for the device in force.  Called again it costs
 * microseconds. */
cudaError_t cuda_load_file_of(const void *kernel);

#endif
