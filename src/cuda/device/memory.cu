/* memory.cu - memory of a device, and of the host that it addresses: one spare block of each is
 * kept and lent. */
#include <stdio.h>

#include <mutex>

#include "cuda/device/device.h"

/* Kernels read and write memory of the host by the same pointers. */
static cudaError_t
allocate(wsi_memory kind, size_t bytes, void **memory)
{
	if (kind == WSI_DEVICE_MEMORY)
		return cudaMalloc(memory, bytes);
	return cudaHostAlloc(memory, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
}

void
cuda_release(wsi_memory kind, void *memory)
{
	if (kind == WSI_DEVICE_MEMORY)
		cudaFree(memory);
	else
		cudaFreeHost(memory);
}

static ws_status
not_borrowed(wsi_memory kind, size_t bytes, cudaError_t error, wsi_why *why)
{
	cudaGetLastError(); /* what failed leaves no trace for the next */
	const double mib = (double)bytes / 1048576.0;
	if (kind == WSI_HOST_MEMORY && error == cudaErrorMemoryAllocation) {
		snprintf(why->text, sizeof why->text,
		         "%.1f MiB of host memory: %s; try `device cpu`, "
		         "or allow more of the device's (`device_memory`)",
		         mib, cudaGetErrorString(error));
		return WS_E_NOMEM;
	}
	char what[96];
	snprintf(what, sizeof what, "%.1f MiB of %s memory", mib,
	         kind == WSI_DEVICE_MEMORY ? "device" : "host");
	return cuda_failed(error, what, why);
}

/* The spare block, which is not lent, is at least so large. */
static cudaError_t
enlarge(wsi_device *d, wsi_memory kind, size_t bytes)
{
	auto &k = d->kept[kind];
	if (k.bytes >= bytes)
		return cudaSuccess;
	cuda_release(kind, k.spare);
	k.spare = NULL;
	k.bytes = 0;
	const cudaError_t error = allocate(kind, bytes, &k.spare);
	if (error == cudaSuccess)
		k.bytes = bytes;
	return error;
}

/* The spare block if it is not lent, else a new one. */
ws_status
cuda_borrow(wsi_device *d, wsi_memory kind, size_t bytes, void **memory, wsi_why *why)
{
	const std::lock_guard<std::mutex> guard(*(std::mutex *)d->lock);
	auto &k = d->kept[kind];
	*memory = NULL;
	cudaError_t error = cudaSetDevice(d->number);
	if (error == cudaSuccess && kind == WSI_DEVICE_MEMORY && !k.lent && d->busy) {
		error = cudaEventSynchronize(d->last);
		d->busy = false;
	}
	if (error == cudaSuccess && !k.lent)
		error = enlarge(d, kind, bytes);
	if (error == cudaSuccess && !k.lent) {
		k.lent = true;
		*memory = k.spare;
	} else if (error == cudaSuccess) {
		error = allocate(kind, bytes, memory);
	}
	return error == cudaSuccess ? WS_OK : not_borrowed(kind, bytes, error, why);
}

void
cuda_give_back(wsi_device *d, wsi_memory kind, void *memory)
{
	const std::lock_guard<std::mutex> guard(*(std::mutex *)d->lock);
	if (memory && memory == d->kept[kind].spare) {
		d->kept[kind].lent = false;
	} else {
		cudaSetDevice(d->number);
		cuda_release(kind, memory);
	}
}

ws_status
cuda_borrow_in(wsi_device *d, cudaStream_t stream, size_t bytes, void **memory, wsi_why *why)
{
	const std::lock_guard<std::mutex> guard(*(std::mutex *)d->lock);
	auto &k = d->kept[WSI_DEVICE_MEMORY];
	*memory = NULL;
	cudaError_t error = cudaSetDevice(d->number);
	if (error == cudaSuccess && k.lent) {
		error = cudaMallocAsync(memory, bytes, stream);
	} else if (error == cudaSuccess) {
		error = enlarge(d, WSI_DEVICE_MEMORY, bytes);
		if (error == cudaSuccess && d->busy)
			error = cudaStreamWaitEvent(stream, d->last, 0);
		if (error == cudaSuccess && !d->last)
			error = cudaEventCreateWithFlags(&d->last, cudaEventDisableTiming);
		k.lent = error == cudaSuccess;
		*memory = k.lent ? k.spare : NULL;
	}
	return error == cudaSuccess ? WS_OK : not_borrowed(WSI_DEVICE_MEMORY, bytes, error, why);
}

cudaError_t
cuda_give_back_in(wsi_device *d, cudaStream_t stream, void *memory)
{
	const std::lock_guard<std::mutex> guard(*(std::mutex *)d->lock);
	auto &k = d->kept[WSI_DEVICE_MEMORY];
	if (!memory || memory != k.spare)
		return memory ? cudaFreeAsync(memory, stream) : cudaSuccess;
	d->busy = true;
	k.lent = false;
	return cudaEventRecord(d->last, stream);
}
