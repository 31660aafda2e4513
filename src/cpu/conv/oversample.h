/*
 * oversample.h - channels with R - 1 new samples in each gap between two (math/oversample.h,
 * math/autoregressive.h): R (n - 1) + 1 samples.
 *
 * New samples are weighted sums of those about them, made by the kernels of direct convolution in
 * f64: fused multiply-adds, the earliest sample first, rounded to the signal's type at the end; the
 * same bits for any threads and on any machine.
 */
#ifndef WSI_CPU_OVERSAMPLE_H
#define WSI_CPU_OVERSAMPLE_H

#include "cpu/conv/conv_bank.h"

typedef struct wsi_oversample {
	const wsi_ops *wide;    /* f64 */
	const wsi_ops *samples; /* of the signal's type */
	int factor;             /* R: 2 or 4 */
	ws_interpolation model;
	double *kernel;         /* [tap][R] of all models but the autoregressive one */
	int taps, lead;         /* tap 0 is sample -lead */
	size_t channels, n;     /* n: before */
	int threads;
} wsi_oversample;

static inline size_t
wsi_oversample_samples(size_t n, int factor)
{
	return (n - 1) * (size_t)factor + 1;
}

/* Makes o->kernel from given, R rows of the user's, or by o->model; the rest is there.  WS_E_ARG
 * says what is wrong with a kernel, WS_E_NOMEM. */
ws_status wsi_oversample_make(wsi_oversample *o, const ws_masks *given);
void wsi_oversample_free(wsi_oversample *o);

/* Bytes of workspace, the channels that are made not included. */
size_t wsi_oversample_bytes(const wsi_oversample *o);

/* y[channel][R (n - 1) + 1] from x.  WS_E_FORMAT names a sample that is not finite, or behind which
 * one is made that the type does not hold.  A cancelled one is WS_OK. */
ws_status wsi_oversample_run(const wsi_oversample *o, const char *x, size_t x_stride,
                             size_t first_channel, void *y, wsi_progress *progress,
                             void *workspace);

#endif
