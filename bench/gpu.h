/* gpu.h - what benchmark programs in CUDA share: calls that are checked, times on a stream. */
#ifndef BENCH_GPU_H
#define BENCH_GPU_H

#include <algorithm>
#include <vector>

#include <cuda_runtime.h>

#include "check.h"

#define CUDA(call) check_cuda(call, #call)

static inline void
check_cuda(cudaError_t status, const char *call)
{
	if (status == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
	exit(1);
}

/* Of what is enqueued: the median of 9 after 2 to warm up. */
template <class F>
static double
median_seconds(F &&work, cudaStream_t stream = 0)
{
	std::vector<float> ms;
	cudaEvent_t from, to;
	CUDA(cudaEventCreate(&from));
	CUDA(cudaEventCreate(&to));
	for (int i = -2; i < 9; ++i) {
		float t;
		CUDA(cudaEventRecord(from, stream));
		work();
		CUDA(cudaEventRecord(to, stream));
		CUDA(cudaEventSynchronize(to));
		CUDA(cudaEventElapsedTime(&t, from, to));
		if (i >= 0)
			ms.push_back(t);
	}
	std::sort(ms.begin(), ms.end());
	CUDA(cudaEventDestroy(from));
	CUDA(cudaEventDestroy(to));
	return ms[ms.size() / 2] * 1e-3;
}

#endif
