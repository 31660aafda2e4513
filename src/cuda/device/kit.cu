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
	for (int k = 0; k < 2 && error == cudaSuccess; ++k)
		if (!kit->event[k])
			error = cudaEventCreateWithFlags(&kit->event[k], cudaEventDisableTiming);
	return error;
}

void
cuda_kit_close(cuda_kit *kit)
{
	transfer_close(kit->now);
	transfer_close(kit->beside);
	for (int k = 0; k < 2; ++k)
		if (kit->event[k])
			cudaEventDestroy(kit->event[k]);
	if (kit->stream)
		cudaStreamDestroy(kit->stream);
	if (kit->aside)
		cudaStreamDestroy(kit->aside);
	cudaFreeHost(kit->pinned);
	*kit = {};
}
