/* beside.cu - copies to the host beside what the device does meanwhile. */
#include "cuda/beside.h"

cudaError_t
beside_open(beside_copy *b, int device)
{
	b->device = device;
	const cudaError_t error = cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking);
	return error == cudaSuccess ? cudaEventCreateWithFlags(&b->ready, cudaEventDisableTiming) : error;
}

static void *
copy(void *arg)
{
	beside_copy *b = (beside_copy *)arg;
	b->error = cudaSetDevice(b->device);
	if (b->error == cudaSuccess)
		b->error = cudaMemcpy2DAsync(b->to, b->to_stride, b->from, b->from_stride, b->bytes, b->rows,
		                             cudaMemcpyDefault, b->stream);
	if (b->error == cudaSuccess)
		b->error = cudaStreamSynchronize(b->stream);
	return NULL;
}

cudaError_t
beside_begin(beside_copy *b, cudaStream_t stream)
{
	cudaError_t error = cudaEventRecord(b->ready, stream);
	if (error == cudaSuccess)
		error = cudaStreamWaitEvent(b->stream, b->ready, 0);
	if (error != cudaSuccess)
		return error;
	/* Without a thread, here. */
	b->running = pthread_create(&b->thread, NULL, copy, b) == 0;
	if (!b->running)
		copy(b);
	return b->running ? cudaSuccess : b->error;
}

cudaError_t
beside_end(beside_copy *b)
{
	if (!b->running)
		return cudaSuccess;
	pthread_join(b->thread, NULL);
	b->running = false;
	return b->error;
}

void
beside_close(beside_copy *b)
{
	beside_end(b);
	if (b->ready)
		cudaEventDestroy(b->ready);
	if (b->stream)
		cudaStreamDestroy(b->stream);
	*b = {};
}
