/* device.cu - CUDA devices, and the symbol that the core asks for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mutex>
#include <new>

#include "cuda/engine.h"

static int
devices(wsi_why *why)
{
	int n = 0;
	const cudaError_t error = cudaGetDeviceCount(&n);
	if (error == cudaErrorInsufficientDriver)
		snprintf(why->text, sizeof why->text,
		         "the NVIDIA driver is missing or older than this build needs");
	else if (error != cudaSuccess || n == 0)
		snprintf(why->text, sizeof why->text, "%s",
		         error == cudaSuccess ? "no CUDA device" : cudaGetErrorString(error));
	return error == cudaSuccess ? n : 0;
}

/* A kernel's attributes are there only if there is code for the device. */
static bool
has_code(const cudaDeviceProp &p)
{
	return p.major * 10 + p.minor >= 75;
}

static void
facts(int device, wsi_device_facts *f)
{
	*f = {};
	cudaDeviceProp p;
	cudaError_t error = cudaGetDeviceProperties(&p, device);
	if (error != cudaSuccess) {
		cuda_failed(error, "asking the device", &f->why);
		return;
	}
	int driver = 0;
	cudaDriverGetVersion(&driver);
	snprintf(f->model, sizeof f->model, "%.127s", p.name);
	snprintf(f->detail, sizeof f->detail, "compute capability %d.%d, CUDA driver %d.%d", p.major,
	         p.minor, driver / 1000, driver % 1000 / 10);
	f->memory = p.totalGlobalMem;
	if (!has_code(p)) {
		snprintf(f->why.text, sizeof f->why.text, "compute capability %d.%d is below 7.5", p.major,
		         p.minor);
		return;
	}
	size_t total;
	error = cudaSetDevice(device);
	if (error == cudaSuccess)
		error = cudaMemGetInfo(&f->memory_free, &total);
	f->usable = error == cudaSuccess;
	if (!f->usable)
		cuda_failed(error, "opening the device", &f->why);
}

static ws_status
open_device(int number, wsi_device **out, wsi_why *why)
{
	*out = NULL;
	wsi_device *d = (wsi_device *)calloc(1, sizeof *d);
	if (!d) {
		snprintf(why->text, sizeof why->text, "no memory for a device");
		return WS_E_NOMEM;
	}
	d->number = number;
	d->lock = new (std::nothrow) std::mutex;
	cudaError_t error = d->lock ? cudaGetDeviceProperties(&d->facts, number)
	                            : cudaErrorMemoryAllocation;
	if (error == cudaSuccess)
		error = cudaSetDevice(number);
	if (error == cudaSuccess)
		error = cudaFree(NULL); /* makes the context */
	if (error != cudaSuccess) {
		const ws_status status = cuda_failed(error, "opening the device", why);
		delete (std::mutex *)d->lock;
		free(d);
		return status;
	}
	*out = d;
	return WS_OK;
}

static void
close_device(wsi_device *d)
{
	if (!d)
		return;
	cudaSetDevice(d->number);
	cudaFree(d->spare);
	delete (std::mutex *)d->lock;
	free(d);
}

/* The spare block if it is large enough and not lent, else a new one. */
static ws_status
borrow(wsi_device *d, size_t bytes, void **memory, wsi_why *why)
{
	const std::lock_guard<std::mutex> guard(*(std::mutex *)d->lock);
	*memory = NULL;
	cudaError_t error = cudaSetDevice(d->number);
	if (!d->lent && d->spare_bytes < bytes) {
		cudaFree(d->spare);
		d->spare = NULL;
		d->spare_bytes = 0;
		if (error == cudaSuccess)
			error = cudaMalloc(&d->spare, bytes);
		if (error == cudaSuccess)
			d->spare_bytes = bytes;
	}
	if (error == cudaSuccess && !d->lent) {
		d->lent = true;
		*memory = d->spare;
	} else if (error == cudaSuccess) {
		error = cudaMalloc(memory, bytes);
	}
	if (error == cudaSuccess)
		return WS_OK;
	cudaGetLastError(); /* what failed leaves no trace for the next */
	char what[96];
	snprintf(what, sizeof what, "%.1f MiB of device memory", (double)bytes / 1048576.0);
	return cuda_failed(error, what, why);
}

static void
give_back(wsi_device *d, void *memory)
{
	const std::lock_guard<std::mutex> guard(*(std::mutex *)d->lock);
	if (memory && memory == d->spare) {
		d->lent = false;
	} else {
		cudaSetDevice(d->number);
		cudaFree(memory);
	}
}

/* Samples that are worth working on together: enough to fill any device
 * several times over, and to make what is done once a row cheap. */
static int
good_rows(const wsi_device *d, const wsi_params *params)
{
	(void)d;
	const size_t wanted = ((size_t)64 << 20) / params->samples;
	return (int)(wanted < 32 ? 32 : wanted > 65536 ? 65536 : wanted);
}

extern "C" __attribute__((visibility("default"))) const wsi_backend *
wsi_backend_entry(int version)
{
	static const wsi_backend backend = {
		WSI_BACKEND_VERSION, "cuda", cuda_engine_bytes, devices, facts, open_device, close_device,
		borrow, give_back, good_rows, cuda_engine_layout, cuda_engine_start, cuda_engine_stop,
	};
	return version == WSI_BACKEND_VERSION ? &backend : NULL;
}
