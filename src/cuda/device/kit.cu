/* kit.cu - streams, events, transfers and pinned memory, kept from one job to the next. */
#include <mutex>

#include "cuda/device/device.h"

cuda_kit
cuda_kit_take(wsi_device *d)
{
	const std::lock_guard<std::mutex> guard(*(std::mutex *)d->lock);
	const cuda_kit kit = d->kit;
	d->kit = {};
	return kit;
}

void
cuda_kit_give(wsi_device *d, cuda_kit *kit)
{
	cuda_kit other;
	{
		const std::lock_guard<std::mutex> guard(*(std::mutex *)d->lock);
		other = d->kit;
		d->kit = *kit;
	}
	*kit = {};
	cuda_kit_close(&other);
}

cudaError_t
cuda_kit_events(cuda_kit *kit)
{
	cudaError_t error = cudaSuccess;
	for (cudaEvent_t &event : kit->event)
		if (!event && error == cudaSuccess)
			error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
	return error;
}

cudaError_t
cuda_kit_complete(cuda_kit *kit, int device, size_t pinned_bytes)
{
	cudaError_t error = cudaSuccess;
	if (kit->pinned_bytes < pinned_bytes) {
		cudaFreeHost(kit->pinned);
		kit->pinned = NULL;
		kit->pinned_bytes = 0;
		error = cudaMallocHost((void **)&kit->pinned, pinned_bytes);
		if (error == cudaSuccess)
			kit->pinned_bytes = pinned_bytes;
	}
	if (error == cudaSuccess && !kit->stream)
		error = cudaStreamCreateWithFlags(&kit->stream, cudaStreamNonBlocking);
	if (error == cudaSuccess && !kit->aside)
		error = cudaStreamCreateWithFlags(&kit->aside, cudaStreamNonBlocking);
	if (error == cudaSuccess && !kit->now)
		error = transfer_open(&kit->now, device);
	if (error == cudaSuccess && !kit->beside)
		error = transfer_open(&kit->beside, device);
	return error == cudaSuccess ? cuda_kit_events(kit) : error;
}

void
cuda_kit_close(cuda_kit *kit)
{
	transfer_close(kit->now);
	transfer_close(kit->beside);
	for (cudaEvent_t event : kit->event)
		if (event)
			cudaEventDestroy(event);
	if (kit->stream)
		cudaStreamDestroy(kit->stream);
	if (kit->aside)
		cudaStreamDestroy(kit->aside);
	if (kit->low)
		cudaStreamDestroy(kit->low);
	cudaFreeHost(kit->pinned);
	*kit = {};
}
