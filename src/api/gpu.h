/*
 * gpu.h - a context: what may be used, and the GPUs that it has opened,
 * each when the first plan wants it (CUDA takes its time).
 */
#ifndef WSI_API_GPU_H
#define WSI_API_GPU_H

#include <pthread.h>

#include "api/backend.h"
#include "transform/transform.h"

#define WSI_MOST_GPUS 16

typedef struct wsi_gpu_slot {
	int number;             /* < 0: the first usable one */
	bool tried;
	ws_status status;       /* of the try */
	wsi_why why;
	wsi_gpu gpu;
} wsi_gpu_slot;

struct ws_ctx {
	int threads;
	const char *isa;
	bool may_cpu, may_gpu;  /* both: "auto" */
	size_t device_memory;   /* of each GPU; 0: 90 % of what is free */
	char *backend;          /* its file, as the caller named it; or NULL */
	int n_slots;
	pthread_mutex_t lock;   /* of what follows */
	wsi_loaded loaded;
	bool present;           /* there are GPUs, usable or not */
	wsi_gpu_slot slots[WSI_MOST_GPUS];
};

/* Takes "auto", "cpu", "cuda" or "cuda:LIST". */
ws_status wsi_ctx_set_device(ws_ctx *ctx, const char *device);

/* Keeps the file of the backend; opens it at once where a GPU may be used, so that a wrong one is
 * refused rather than passed over.  WS_E_BACKEND. */
ws_status wsi_ctx_set_backend(ws_ctx *ctx, const char *file);

/* GPU i of the n_slots that the caller named, opened.  WS_E_BACKEND, with the
 * reason, where it cannot be used. */
ws_status wsi_ctx_gpu(ws_ctx *ctx, int i, const wsi_gpu **gpu);

/* Closes what is open. */
void wsi_ctx_close(ws_ctx *ctx);

#endif
