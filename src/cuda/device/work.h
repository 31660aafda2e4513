/*
 * work.h - the work of a transform that does not sift: a stream, memory, and the way of arrays to
 * and from the host.
 *
 *     cuda_work_begin  ->  put, launches, get  ->  cuda_work_end
 *
 * Arrays in the host's memory: the work has a stream of its own, and end() waits for it.  Arrays in
 * the device's: the stream is the caller's, and nothing is waited for.
 * After the first failure nothing is done any more; end() tells of it.
 */
#ifndef WSI_CUDA_WORK_H
#define WSI_CUDA_WORK_H

#include "cuda/device/device.h"

struct cuda_work {
	wsi_device *device;
	const wsi_io *io;
	wsi_progress *progress;
	cudaStream_t stream;
	char *memory;           /* of the device, as many bytes as were asked for */
	char *pinned;           /* NULL for arrays in the device's memory: nobody would wait */
	cuda_kit kit;           /* of arrays in the host's memory; else all NULL */
	cudaError_t error;
	const char *failed;     /* what was being done */
};

/* Memory: aligned to 256 bytes.  On failure there is nothing to end. */
ws_status cuda_work_begin(cuda_work *w, wsi_device *d, const wsi_io *io, size_t memory,
                          size_t pinned, wsi_progress *progress, wsi_why *why);

/* Also where something failed. */
ws_status cuda_work_end(cuda_work *w, wsi_why *why);

/* Notes the first failure; true where all is well. */
inline bool
well(cuda_work *w, cudaError_t error, const char *what)
{
	if (w->error == cudaSuccess && error != cudaSuccess) {
		w->error = error;
		w->failed = what;
	}
	return w->error == cudaSuccess;
}

/* Goes on: nothing failed, and the user has not asked to stop. */
inline bool
goes_on(cuda_work *w)
{
	return w->error == cudaSuccess && !wsi_cancelled(w->progress);
}

/* A table from the host, which may change once this returns. */
void cuda_work_table(cuda_work *w, void *to, const void *from, size_t bytes);

/* Rows of `bytes` bytes from io's x, row r at x + r x_stride, to the device's rows. */
void cuda_work_put(cuda_work *w, void *to, size_t to_stride, const void *from, size_t from_stride,
                   size_t bytes, size_t rows);

/* Rows to the caller's arrays.  beside: while later launches go on; the device's rows must stay
 * until the next get, or end.  One at a time is beside. */
void cuda_work_get(cuda_work *w, void *to, size_t to_stride, const void *from, size_t from_stride,
                   size_t bytes, size_t rows, bool beside);

/* Waits for what is beside, so that its rows may change. */
void cuda_work_settle(cuda_work *w);

/* Waits for the stream, so that pinned memory may be read; false where something failed. */
bool cuda_work_wait(cuda_work *w);

/* A row of the table of transforms (device.cu).  Each stands in a file of its own. */
extern const wsi_device_transform cuda_transform_cwt, cuda_transform_bands,
	cuda_transform_superlets, cuda_transform_trials, cuda_transform_coherence,
	cuda_transform_conv, cuda_transform_hht;

#endif
