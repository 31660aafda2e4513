/* work.cu - the work of a transform that does not sift. */
#include "cuda/device/work.h"

static cudaError_t
borrow_in_stream(cuda_work *w, size_t memory)
{
	return memory ? cudaMallocAsync((void **)&w->memory, memory, w->stream) : cudaSuccess;
}

ws_status
cuda_work_begin(cuda_work *w, wsi_device *d, const wsi_io *io, size_t memory, size_t pinned,
                wsi_progress *progress, wsi_why *why)
{
	*w = {};
	w->device = d;
	w->io = io;
	w->progress = progress;
	cudaError_t error = cudaSetDevice(d->number);
	if (io->on_device) {
		w->stream = (cudaStream_t)io->stream;
		error = error == cudaSuccess ? borrow_in_stream(w, memory) : error;
		return error == cudaSuccess ? WS_OK : cuda_failed(error, "device memory", why);
	}
	w->kit = cuda_kit_take(d);
	if (error == cudaSuccess)
		error = cuda_kit_complete(&w->kit, d->number, pinned);
	if (error != cudaSuccess) {
		cuda_kit_close(&w->kit);
		return cuda_failed(error, "starting the device", why);
	}
	w->stream = w->kit.stream;
	w->pinned = w->kit.pinned;
	const ws_status status = memory ? cuda_borrow(d, WSI_DEVICE_MEMORY, memory,
	                                              (void **)&w->memory, why) : WS_OK;
	if (status != WS_OK)
		cuda_kit_give(d, &w->kit);
	return status;
}

ws_status
cuda_work_end(cuda_work *w, wsi_why *why)
{
	if (w->io->on_device) {
		if (w->memory)
			well(w, cudaFreeAsync(w->memory, w->stream), "giving memory back");
	} else {
		well(w, transfer_end(w->kit.beside), "copying from the device");
		well(w, cudaStreamSynchronize(w->stream), "waiting for the device");
		if (w->memory)
			cuda_give_back(w->device, WSI_DEVICE_MEMORY, w->memory);
		if (w->error == cudaSuccess)
			cuda_kit_give(w->device, &w->kit);
		else
			cuda_kit_close(&w->kit);
	}
	return w->error == cudaSuccess ? WS_OK : cuda_failed(w->error, w->failed, why);
}

void
cuda_work_table(cuda_work *w, void *to, const void *from, size_t bytes)
{
	/* A copy of more than this waits for all that the stream has to do; some copies do not. */
	constexpr size_t STAGED = 64 << 10, MOST = 16 * STAGED;
	const size_t step = bytes <= MOST ? STAGED : bytes;
	for (size_t at = 0; at < bytes && w->error == cudaSuccess; at += step)
		well(w, cudaMemcpyAsync((char *)to + at, (const char *)from + at,
		                        bytes - at < step ? bytes - at : step,
		                        cudaMemcpyHostToDevice, w->stream),
		     "copying tables to the device");
	/* What is pinned would be read later. */
	cudaPointerAttributes there = {};
	if (cudaPointerGetAttributes(&there, from) != cudaSuccess)
		cudaGetLastError();
	if (there.type == cudaMemoryTypeHost)
		well(w, cudaStreamSynchronize(w->stream), "copying tables to the device");
}

/* Between rows of the device. */
static cudaError_t
copy_rows(char *to, size_t to_stride, const char *from, size_t from_stride, size_t bytes,
          size_t rows, cudaStream_t stream)
{
	/* The driver steps along rows of up to 2 GiB. */
	const size_t most = (size_t)1 << 30;
	if (rows > 1 && to_stride <= most && from_stride <= most)
		return cudaMemcpy2DAsync(to, to_stride, from, from_stride, bytes, rows,
		                         cudaMemcpyDeviceToDevice, stream);
	cudaError_t error = cudaSuccess;
	for (size_t i = 0; i < rows && error == cudaSuccess; ++i)
		error = cudaMemcpyAsync(to + i * to_stride, from + i * from_stride, bytes,
		                        cudaMemcpyDeviceToDevice, stream);
	return error;
}

void
cuda_work_put(cuda_work *w, void *to, size_t to_stride, const void *from, size_t from_stride,
              size_t bytes, size_t rows)
{
	if (w->error != cudaSuccess)
		return;
	const transfer_rows job = { (char *)from, (char *)to, from_stride, to_stride, bytes, rows,
		                    false, NULL, w->progress };
	well(w, w->io->on_device ? copy_rows((char *)to, to_stride, (const char *)from,
	                                     from_stride, bytes, rows, w->stream)
	     : transfer_now(w->kit.now, job, w->stream), "copying to the device");
}

void
cuda_work_get(cuda_work *w, void *to, size_t to_stride, const void *from, size_t from_stride,
              size_t bytes, size_t rows, bool beside)
{
	if (w->error != cudaSuccess)
		return;
	const char *const what = "copying from the device";
	if (w->io->on_device) {
		well(w, copy_rows((char *)to, to_stride, (const char *)from, from_stride, bytes,
		                  rows, w->stream), what);
		return;
	}
	const transfer_rows job = { (char *)to, (char *)from, to_stride, from_stride, bytes, rows,
		                    true, NULL, w->progress };
	if (well(w, transfer_end(w->kit.beside), what))
		well(w, beside ? transfer_begin(w->kit.beside, job, w->stream)
		     : transfer_now(w->kit.now, job, w->stream), what);
}

void
cuda_work_settle(cuda_work *w)
{
	if (!w->io->on_device && w->error == cudaSuccess)
		well(w, transfer_end(w->kit.beside), "copying from the device");
}

bool
cuda_work_wait(cuda_work *w)
{
	return w->error == cudaSuccess &&
	       well(w, cudaStreamSynchronize(w->stream), "waiting for the device");
}
