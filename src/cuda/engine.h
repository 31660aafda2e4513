/* engine.h - the engine on a CUDA device, ops/engine.h. */
#ifndef WSI_CUDA_ENGINE_H
#define WSI_CUDA_ENGINE_H

#include <cuda_runtime.h>

#include "ops/backend.h"

struct wsi_device {
	int number;
	cudaDeviceProp facts;
	/* By wsi_memory: a block that is kept, for the next to borrow. */
	struct {
		void *spare;
		size_t bytes;
		bool lent;
	} kept[2];
	void *lock;
};

/* Operations of an engine on rows of float or double. */
void cuda_engine_layout(void *engine, wsi_device *d, const wsi_params *params, int rows,
                        wsi_progress *progress, wsi_arena *host, wsi_arena *device,
                        wsi_arena *seldom);
ws_status cuda_engine_start(void *engine, wsi_why *why);
ws_status cuda_engine_stop(void *engine, wsi_why *why);
extern const size_t cuda_engine_bytes;

/* One line about what a call of CUDA answered. */
ws_status cuda_failed(cudaError_t error, const char *what, wsi_why *why);

#endif
