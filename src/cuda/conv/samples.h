/*
 * samples.h - what is done to a convolution's samples on the device before they are summed: a look
 * for those that are not finite, their largest magnitude, rounding to 16 bits (math/narrow.h), and
 * new samples between them (math/oversample.h).
 */
#ifndef WSI_CUDA_CONV_SAMPLES_H
#define WSI_CUDA_CONV_SAMPLES_H

#include "cuda/device/device.h"
#include "ops/conv_job.h"

/* Rows x[channel][n] on the device, x_stride bytes apart. */
struct sample_rows {
	ws_type type;            /* WS_F64 or WS_F32 */
	const char *x;
	size_t x_stride, n;
	unsigned channels;
};

/* Lowers *bad to first + (channel << 32) + i where sample i is not finite. */
cudaError_t samples_look(const sample_rows &rows, unsigned long long first,
                         unsigned long long *bad, cudaStream_t stream);

/* largest[channel]: the bits of |sample| in f64, the largest of all. */
cudaError_t samples_largest(const sample_rows &rows, unsigned long long *largest,
                            cudaStream_t stream);

/* f32 rows, rounded to a 16-bit type at the scale of largest[channel]; `to` may be x. */
cudaError_t samples_narrow(const sample_rows &rows, const unsigned long long *largest,
                           ws_narrow type, char *to, size_t to_stride, cudaStream_t stream);

/* New samples low .. high - 1 of rows that become over.factor times as dense, to to[channel];
 * kernel: over.kernel on the device.  rows.n: over.n.
 * Twin: cpu/conv/oversample.c, the same bits. */
cudaError_t samples_oversample(const sample_rows &rows, const wsi_conv_new_samples &over,
                               const double *kernel, long long low, long long high, char *to,
                               size_t to_stride, cudaStream_t stream);

/* The same number of a row in the host's memory. */
unsigned long long samples_largest_on_host(ws_type type, const char *x, size_t n);

#endif
