/* load.cu - kernels brought to a device ahead of their first launch. */
#include <cuda.h>

#include <new>
#include <vector>

#include "cuda/device/load.h"

/* CUDA brings a kernel to the device when it is launched first, and may wait for all work that is
 * under way to do so.  Behind a launch of seconds that would be so long, and deaf to the user. */

/* Of the driver, which the backend is not linked with. */
struct driver {
	decltype(&cuFuncGetModule) module_of;
	decltype(&cuModuleGetFunctionCount) count;
	decltype(&cuModuleEnumerateFunctions) list;
	decltype(&cuFuncLoad) load;
};

template <class Function>
static bool
find(const char *name, Function *function)
{
	constexpr unsigned VERSION = 12040; /* that has all of them */
	cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
	void *address = NULL;
	const cudaError_t error = cudaGetDriverEntryPointByVersion(
		name, &address, VERSION, cudaEnableDefault, &found);
	*function = (Function)address;
	return error == cudaSuccess && found == cudaDriverEntryPointSuccess;
}

static cudaError_t
status_of(CUresult result)
{
	return result == CUDA_SUCCESS ? cudaSuccess
	       : result == CUDA_ERROR_OUT_OF_MEMORY ? cudaErrorMemoryAllocation
	                                            : cudaErrorInvalidKernelImage;
}

cudaError_t
cuda_load_file_of(const void *kernel)
try {
	driver d;
	if (!find("cuFuncGetModule", &d.module_of) || !find("cuModuleGetFunctionCount", &d.count) ||
	    !find("cuModuleEnumerateFunctions", &d.list) || !find("cuFuncLoad", &d.load)) {
		cudaGetLastError();
		return cudaSuccess; /* an older driver loads them when they are launched */
	}
	cudaFunction_t known;
	const cudaError_t error = cudaGetFuncBySymbol(&known, kernel);
	if (error != cudaSuccess)
		return error;
	CUmodule file;
	unsigned n = 0;
	CUresult result = d.module_of(&file, known);
	if (result == CUDA_SUCCESS)
		result = d.count(&n, file);
	std::vector<CUfunction> all(n);
	if (result == CUDA_SUCCESS && n > 0)
		result = d.list(all.data(), n, file);
	for (unsigned i = 0; i < n && result == CUDA_SUCCESS; ++i)
		result = d.load(all[i]);
	return status_of(result);
} catch (const std::bad_alloc &) {
	return cudaErrorMemoryAllocation;
}
