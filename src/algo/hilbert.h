/*
 * hilbert.h - the Hilbert transform of one period of n samples: every wave of its Fourier series
 * a quarter turn later, means and, where n is even, the wave of n / 2 left out.
 */
#ifndef WSI_HILBERT_H
#define WSI_HILBERT_H

#include <stdbool.h>
#include <stddef.h>

#include "wavesift/wavesift.h"

typedef struct wsi_hilbert wsi_hilbert;

/* WS_E_NOMEM; WS_E_UNSUPPORTED where there is no Fourier transform.  On failure *h is NULL. */
ws_status wsi_hilbert_create(wsi_hilbert **h, size_t n);
void wsi_hilbert_destroy(wsi_hilbert *h);

/* Bytes of scratch that one transform needs; a multiple of 64. */
size_t wsi_hilbert_scratch(const wsi_hilbert *h);

/* x[n] and y[n] are aligned to 64 bytes, scratch too; x is left as it was.  May be called from
 * several threads. */
void wsi_hilbert_run(const wsi_hilbert *h, double *x, double *y, void *scratch);

/* The least length of at least n with no prime factor beyond 5, even. */
size_t wsi_hilbert_length(size_t n);

#endif
