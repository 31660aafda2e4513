/*
 * beside.h - copies rows to the host beside what the device does meanwhile.
 *
 * A copy to memory that is not pinned keeps a thread of the host busy: it gets
 * one of its own, and a stream.
 */
#ifndef WSI_CUDA_BESIDE_H
#define WSI_CUDA_BESIDE_H

#include <cuda_runtime.h>
#include <pthread.h>

struct beside_copy {
	int device;
	cudaStream_t stream;
	cudaEvent_t ready;      /* what the copy waits for */
	pthread_t thread;
	bool running;
	void *to;
	const void *from;
	size_t to_stride, from_stride, bytes; /* of a row */
	size_t rows;
	cudaError_t error;
};

cudaError_t beside_open(beside_copy *b, int device);

/* Begins the copy that b describes once all of `stream` so far is done; none is
 * running. */
cudaError_t beside_begin(beside_copy *b, cudaStream_t stream);

/* Waits for the copy, if there is one. */
cudaError_t beside_end(beside_copy *b);

void beside_close(beside_copy *b);

#endif
