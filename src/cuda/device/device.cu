/* device.cu - CUDA devices, and the symbol that the core asks for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <mutex>
#include <new>

#include "cuda/emd/engine.h"
#include "cuda/fft/library.h"
#include "cuda/device/work.h"

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
	snprintf(f->detail, sizeof f->detail, "compute capability %d.%d, CUDA driver %d.%d",
	         p.major, p.minor, driver / 1000, driver % 1000 / 10);
	f->memory = p.totalGlobalMem;
	/* Parts of a device (MIG) may have its number in common. */
	if (!strstr(p.name, "MIG"))
		memcpy(f->uuid, p.uuid.bytes, sizeof f->uuid);
	size_t total;
	error = cudaSetDevice(device);
	if (error == cudaSuccess && !rows_have_code()) {
		snprintf(f->why.text, sizeof f->why.text,
		         "this build has no code for compute capability "
		         "%d.%d",
		         p.major, p.minor);
		return;
	}
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
	int timeout = 0;
	if (error == cudaSuccess)
		error = cudaDeviceGetAttribute(&timeout, cudaDevAttrKernelExecTimeout, number);
	d->impatient = timeout != 0;
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
	/* No code for the card is for more (cuda/device/math.cuh). */
	d->facts.sharedMemPerBlockOptin =
		std::min(d->facts.sharedMemPerBlockOptin, most_shared_of(d->facts.major));
	*out = d;
	return WS_OK;
}

static void
close_device(wsi_device *d)
{
	if (!d)
		return;
	cudaSetDevice(d->number);
	fft_library_close(d->fft); /* plans end before streams */
	cuda_kit_close(&d->kit);
	conv_kept_close(d->conv);
	cwt_kept_close(d->cwt);
	hht_kept_close(d->hht);
	if (d->last)
		cudaEventDestroy(d->last);
	cuda_release(WSI_DEVICE_MEMORY, d->kept[WSI_DEVICE_MEMORY].spare);
	cuda_release(WSI_HOST_MEMORY, d->kept[WSI_HOST_MEMORY].spare);
	delete (std::mutex *)d->lock;
	free(d);
}

/* Samples that are worth working on together: enough to fill any device
 * several times over, and to make what is done once a row cheap. */
static int
good_rows(const wsi_device *d, const wsi_params *params)
{
	(void)d;
	const size_t wanted = ((size_t)64 << 20) / params->samples;
	return (int)(wanted < 32 ? 32 : wanted > 32768 ? 32768 : wanted);
}

/* Transforms that do not sift. */
static const wsi_device_transform *const transforms[] = {
	&cuda_transform_cwt, &cuda_transform_bands, &cuda_transform_superlets,
	&cuda_transform_trials, &cuda_transform_coherence, &cuda_transform_conv,
	&cuda_transform_hht,
	NULL, /* the end */
};

static const wsi_device_transform *
transform(const char *name)
{
	for (const wsi_device_transform *const *t = transforms; *t; ++t)
		if (strcmp((*t)->name, name) == 0)
			return *t;
	return NULL;
}

extern "C" __attribute__((visibility("default"))) const wsi_backend *
wsi_backend_entry(int version)
{
	static const wsi_backend backend = {
		WSI_BACKEND_VERSION, WSI_SHARED,       "cuda",
		cuda_engine_bytes,   devices,          facts,
		open_device,         close_device,     cuda_borrow,
		cuda_give_back,      cuda_look,        good_rows,
		cuda_engine_layout,  cuda_engine_start, cuda_engine_stop,
		transform,
	};
	return version == WSI_BACKEND_VERSION ? &backend : NULL;
}
