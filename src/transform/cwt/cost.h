/*
 * cost.h - what is made of wavelet coefficients, in seconds on one thread or on a GPU: for
 * estimates of time and the choice of threads and devices, no more.  Measured by bench/cwt on one
 * machine with AVX-512 and on one H200 (docs/performance.md).  Coefficients themselves:
 * cpu/cwt/cwt_ways.c.
 */
#ifndef WSI_TRANSFORM_CWT_COST_H
#define WSI_TRANSFORM_CWT_COST_H

/* Of an output of each frequency: */
#define WSI_COST_MEAN 1e-9              /* superlets: a wavelet's part of a mean, 1/3 of its end */
#define WSI_COST_EPOCH 1.5e-9           /* trials: sums over epochs, for each */
#define WSI_COST_PAIR 2.5e-9            /* coherence: of a pair over epochs, for each; .. */
#define WSI_COST_PAIR_SMOOTHED 1.2e-7   /* .. over neighbouring times and frequencies */
#define WSI_COST_FILTER 6e-8            /* bands: of a band, and of a padded or a line's sample */

/* On a GPU: of a coefficient of every sample, with all that comes before it; sums of pairs by the
 * bytes that memory gives; a padded sample of a band. */
#define WSI_COST_GPU(type) ((type) == WS_F64 ? 1.1e-11 : 4.5e-12)
#define WSI_COST_GPU_PAIR 1e-11
#define WSI_COST_GPU_PAIR_SMOOTHED 1.5e-10
#define WSI_COST_GPU_FILTER 1e-10

#endif
