/*
 * transfer.h - rows on their way between host and device, at once or beside what the device
 * does meanwhile.
 *
 * The driver copies from and to memory that is not pinned through its own, one copy after the
 * other, at a fraction of what the link carries; so such rows go through pinned memory here, by
 * some threads.
 */
#ifndef WSI_CUDA_TRANSFER_H
#define WSI_CUDA_TRANSFER_H

#include <cuda_runtime.h>

#include "base/progress.h"

/* Threads that copy, and the bytes that each copies at a time. */
constexpr int TRANSFER_LANES = 4;
constexpr size_t TRANSFER_PACKET = (size_t)256 << 10;

/* Rows of `bytes` each; of those only which names: NULL for all.  Once the user has cancelled,
 * who is asked meanwhile, the rest stays behind. */
struct transfer_rows {
	char *host, *device;
	size_t host_stride, device_stride, bytes, rows;
	bool to_host;
	const bool *which;
	wsi_progress *progress; /* or NULL */
};

/* One at a time. */
struct transfer;

cudaError_t transfer_open(transfer **out, int device);
void transfer_close(transfer *t);

/* Once all of `stream` so far is done; what comes next in it finds the rows there. */
cudaError_t transfer_now(transfer *t, const transfer_rows &job, cudaStream_t stream);

/* The same beside what comes next, until transfer_end, which does nothing where none is
 * under way. */
cudaError_t transfer_begin(transfer *t, const transfer_rows &job, cudaStream_t stream);
cudaError_t transfer_end(transfer *t);

#endif
