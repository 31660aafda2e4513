/*
 * hht_backend.cpp - the GPU's code for Hilbert-Huang spectra with its lanes as fibers of the CPU
 * (lanes.h), for a backend that is the CPU's otherwise (fake_backend.c).  Its device has as much
 * shared memory a block as LANES_SHARED says, in KiB; else that of a Hopper GPU.  LANES_ORDER, a
 * number, is the order in which lanes come (lanes.h).
 */
#include <cuda_runtime.h>

#include <stdlib.h>

#include <utility>

#include "cuda/hht/hht.cu"

alignas(1024) thread_local hht_pair hht_shared[240 * 1024 / sizeof(hht_pair)];

/* ---- The work of a transform, where all memory is the host's ------------------------------- */

static int nowhere;

ws_status
cuda_work_begin(cuda_work *w, wsi_device *d, const wsi_io *io, size_t, size_t,
                wsi_progress *progress, wsi_why *)
{
	*w = {};
	w->device = d;
	w->io = io;
	w->progress = progress;
	w->stream = (cudaStream_t)(void *)&nowhere;
	return WS_OK;
}

ws_status
cuda_work_end(cuda_work *w, wsi_why *)
{
	return w->error == cudaSuccess ? WS_OK : WS_E_BACKEND;
}

/* Before a block: its bytes; behind it what nobody may write. */
constexpr size_t BEFORE = 256, BEHIND = 4096;

ws_status
cuda_borrow(wsi_device *, wsi_memory, size_t bytes, void **memory, wsi_why *)
{
	char *p = (char *)aligned_alloc(256, (BEFORE + bytes + BEHIND + 255) / 256 * 256);
	memcpy(p, &bytes, sizeof bytes);
	memset(p + BEFORE, 0x7f, bytes);
	memset(p + BEFORE + bytes, 0x5a, BEHIND);
	*memory = p + BEFORE;
	return WS_OK;
}

void
cuda_give_back(wsi_device *, wsi_memory, void *memory)
{
	char *p = (char *)memory - BEFORE;
	size_t bytes;
	memcpy(&bytes, p, sizeof bytes);
	for (size_t i = 0; i < BEHIND; ++i)
		if (p[BEFORE + bytes + i] != 0x5a) {
			fprintf(stderr, "hht_backend: writes beyond its memory\n");
			abort();
		}
	free(p);
}

ws_status
cuda_borrow_in(wsi_device *d, cudaStream_t, size_t bytes, void **memory, wsi_why *why)
{
	return cuda_borrow(d, WSI_DEVICE_MEMORY, bytes, memory, why);
}

cudaError_t
cuda_give_back_in(wsi_device *d, cudaStream_t, void *memory)
{
	if (memory)
		cuda_give_back(d, WSI_DEVICE_MEMORY, memory);
	return cudaSuccess;
}

/* Those of the last plan are kept. */
static hht_tables kept;

cudaError_t
hht_tables_take(wsi_device *d, uint64_t made, size_t bytes, cudaStream_t, hht_tables *tables)
{
	wsi_why why;
	*tables = {};
	if (kept.memory && kept.made == made && kept.bytes == bytes) {
		*tables = std::exchange(kept, {});
		return cudaSuccess;
	}
	tables->made = made;
	tables->bytes = bytes;
	cuda_borrow(d, WSI_DEVICE_MEMORY, bytes, (void **)&tables->memory, &why);
	return cudaSuccess;
}

cudaError_t
hht_tables_give(wsi_device *d, cudaStream_t, hht_tables *tables, bool good)
{
	if (good) {
		tables->last = (cudaEvent_t)(void *)&nowhere;
		std::swap(kept, *tables);
	}
	if (tables->memory)
		cuda_give_back(d, WSI_DEVICE_MEMORY, tables->memory);
	return cudaSuccess;
}

cuda_kit cuda_kit_take(wsi_device *) { return {}; }
cudaError_t cuda_kit_complete(cuda_kit *, int, size_t) { return cudaSuccess; }
void cuda_kit_give(wsi_device *, cuda_kit *) { }
void cuda_kit_close(cuda_kit *) { }

void
cuda_work_table(cuda_work *, void *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
}

void
cuda_work_put(cuda_work *, void *to, size_t to_stride, const void *from, size_t from_stride,
              size_t bytes, size_t rows)
{
	for (size_t i = 0; i < rows; ++i)
		memcpy((char *)to + i * to_stride, (const char *)from + i * from_stride, bytes);
}

void
cuda_work_get(cuda_work *w, void *to, size_t to_stride, const void *from, size_t from_stride,
              size_t bytes, size_t rows, bool)
{
	cuda_work_put(w, to, to_stride, from, from_stride, bytes, rows);
}

bool
cuda_work_wait(cuda_work *w)
{
	return w->error == cudaSuccess;
}

/* ---- The row ------------------------------------------------------------------------------- */

static wsi_device *
own_device()
{
	static wsi_device d;
	const char *shared = getenv("LANES_SHARED");
	const char *order = getenv("LANES_ORDER");
	lanes::in_order = (lanes::order)(order ? atoi(order) % lanes::ORDERS : 0);
	d.facts = {};
	d.facts.sharedMemPerBlockOptin = (shared ? (size_t)atoi(shared) : 227) * 1024;
	return &d;
}

extern "C" const wsi_device_transform *
fake_transform(const char *name)
{
	static wsi_device_transform row;
	row = cuda_transform_hht;
	row.measure = [](wsi_device *, const void *job, size_t part, size_t most, size_t *device,
	                 size_t *pinned, wsi_why *why) {
		return cuda_transform_hht.measure(own_device(), job, part, most, device, pinned,
		                                  why);
	};
	row.run = [](wsi_device *, const void *job, const wsi_io *io, size_t device, size_t pinned,
	             wsi_progress *progress, wsi_why *why) {
		return cuda_transform_hht.run(own_device(), job, io, device, pinned, progress, why);
	};
	row.describe = [](wsi_device *, const void *job, char *text, size_t size) {
		cuda_transform_hht.describe(own_device(), job, text, size);
	};
	return strcmp(name, "hht") == 0 ? &row : NULL;
}
