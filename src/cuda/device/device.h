/* device.h - an open device: its memory, and the kit that work on it needs. */
#ifndef WSI_CUDA_DEVICE_H
#define WSI_CUDA_DEVICE_H

#include <cuda_runtime.h>

#include "cuda/device/transfer.h"
#include "ops/backend.h"

/* What takes long to make, and an engine or a transform needs while it runs. */
struct cuda_kit {
	cudaStream_t stream, aside;   /* the latter past what is under way */
	cudaStream_t low;             /* of low priority; NULL until one is wanted */
	transfer *now, *beside;
	cudaEvent_t event[3];
	char *pinned;
	size_t pinned_bytes;
};

struct fft_library;
struct conv_kept;
struct cwt_kept;
struct hht_kept;

struct wsi_device {
	int number;
	cudaDeviceProp facts;
	bool impatient; /* the driver ends launches that take long: there is a display */
	cuda_kit kit;                 /* kept for the next; all NULL where one has it */
	/* By wsi_memory: a block that is kept, for the next to borrow. */
	struct {
		void *spare;
		size_t bytes;
		bool lent;
	} kept[2];
	fft_library *fft;             /* its plans (fft/library.h); NULL until the first is made */
	void *lock;
	conv_kept *conv;              /* tables of convolutions (conv/kept.h); or NULL */
	bool loaded[2][2];            /* kernels of engines (load.h): of joint sifting; of f64 */
	cwt_kept *cwt;                /* plans of wavelet transforms (cwt/kept.h); or NULL */
	hht_kept *hht;                /* tables of Hilbert-Huang spectra (hht/kept.h); or NULL */
	/* Of the device's block that is kept: after the work of who borrowed it in a stream, NULL
	 * where nobody has; and whether that may still be under way. */
	cudaEvent_t last;
	bool busy;
};

/* ---- Kits (kit.cu) ------------------------------------------------------------------------ */

/* The one that the device keeps, if there is one. */
cuda_kit cuda_kit_take(wsi_device *d);
/* Makes what is missing, and at least so many bytes of pinned memory. */
cudaError_t cuda_kit_complete(cuda_kit *kit, int device, size_t pinned_bytes);
/* Makes events that are missing. */
cudaError_t cuda_kit_events(cuda_kit *kit);
/* The device keeps it; the one that it has kept meanwhile is closed. */
void cuda_kit_give(wsi_device *d, cuda_kit *kit);
void cuda_kit_close(cuda_kit *kit);

/* Closes what convolutions, wavelet transforms, or Hilbert-Huang spectra have kept. */
void conv_kept_close(conv_kept *kept);
void cwt_kept_close(cwt_kept *kept);
void hht_kept_close(hht_kept *kept);

/* ---- Of the table (memory.cu, look.cu) ------------------------------------------------------ */

ws_status cuda_borrow(wsi_device *d, wsi_memory kind, size_t bytes, void **memory, wsi_why *why);
void cuda_give_back(wsi_device *d, wsi_memory kind, void *memory);
/* Frees what was allocated; NULL is fine. */
void cuda_release(wsi_memory kind, void *memory);
/* Of the device's memory, for what comes next in a stream, and given back once all of it so far is
 * done.  Neither waits for the device, but where a larger block than before must be allocated. */
ws_status cuda_borrow_in(wsi_device *d, cudaStream_t stream, size_t bytes, void **memory,
                         wsi_why *why);
cudaError_t cuda_give_back_in(wsi_device *d, cudaStream_t stream, void *memory);
ws_status cuda_look(wsi_device *d, const void *rows, size_t stride, size_t n, size_t samples,
                    ws_type type, void *stream, double *low, double *high, size_t *bad,
                    wsi_why *why);

/* One line about what a call of CUDA answered. */
ws_status cuda_failed(cudaError_t error, const char *what, wsi_why *why);

#endif
