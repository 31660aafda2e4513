/*
 * hilbert.h - the Hilbert transform of one period of n samples: every wave of its Fourier series
 * a quarter turn later, means and, where n is even, the wave of n / 2 left out.
 */
#ifndef WSI_HILBERT_H
#define WSI_HILBERT_H

#include <stddef.h>

#include "base/progress.h"
#include "ops/hht_job.h"
#include "ops/ops.h"

typedef struct wsi_hilbert wsi_hilbert;

/* Lays one out, without its tables.  ops: of WS_F64.  WS_E_NOMEM.  On failure *h is NULL. */
ws_status wsi_hilbert_create(wsi_hilbert **h, const wsi_ops *ops, size_t n);
/* Makes the tables, once; WS_E_NOMEM, WS_E_CANCELLED, and then there are none.  progress: or
 * NULL. */
ws_status wsi_hilbert_fill(wsi_hilbert *h, wsi_progress *progress);
/* Bytes of them, and *making of what they are made in. */
size_t wsi_hilbert_tables_bytes(const wsi_hilbert *h, size_t *making);
/* Frees them. */
void wsi_hilbert_empty(wsi_hilbert *h);
void wsi_hilbert_destroy(wsi_hilbert *h);

/* Bytes of scratch that one transform needs; a multiple of 64. */
size_t wsi_hilbert_scratch(const wsi_hilbert *h);

/* scratch is aligned to 64 bytes; y may be where it begins.  May be called from several threads. */
void wsi_hilbert_run(const wsi_hilbert *h, const double *x, double *y, void *scratch);

/* The tables of a transform, which stay its own. */
wsi_hilbert_tables wsi_hilbert_look(const wsi_hilbert *h);

/* The least number of samples from n on whose transform is quick. */
size_t wsi_hilbert_length(size_t n);

#endif
