/*
 * library.h - cuFFT, which is opened at run time: the backend's library needs nothing but the
 * driver to be loaded.
 *
 * A plan is made once for a device and kept.  Who takes it has it alone.
 */
#ifndef WSI_CUDA_FFT_LIBRARY_H
#define WSI_CUDA_FFT_LIBRARY_H

#include "cuda/device/device.h"

/* Of real numbers forward, n / 2 + 1 complex ones each; complex, either way; back to n real ones.
 * Nothing is scaled. */
enum fft_kind { FFT_REAL_FORWARD, FFT_COMPLEX, FFT_REAL_BACK };

struct fft_shape {
	fft_kind kind;
	ws_type type;           /* WS_F32, WS_F64: of the parts */
	size_t n, batch;
	size_t in_step, out_step; /* elements from one transform to the next */
};

struct fft_plan {
	fft_shape shape;
	int handle;
	size_t bytes;           /* of device memory that it works in */
	bool taken;
};

/* WS_E_BACKEND where cuFFT is not there, WS_E_NOMEM. */
ws_status fft_take(wsi_device *d, const fft_shape &shape, fft_plan **plan, wsi_why *why);
void fft_give(wsi_device *d, fft_plan *plan);

/* work: plan->bytes, aligned to 256.  in may be out where elements are as large; in is not kept. */
cudaError_t fft_run(wsi_device *d, fft_plan *plan, void *in, void *out, bool inverse, void *work,
                    cudaStream_t stream);

void fft_library_close(fft_library *library);

#endif
