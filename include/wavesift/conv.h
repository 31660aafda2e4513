/*
 * conv.h - convolution of a signal with many masks of different lengths: transform "conv".
 *
 *     y[i][n] = sum over k < L_i of  x[n + k - L_i / 2] m_i[k]          (L / 2 rounded down)
 *
 * x is zero outside the signal.  This is correlation, without conjugation; with `flip` the masks
 * are reversed first, which is convolution.  Source: Jerome & Yan 2021 (multi-resolution signal
 * processing by masks).
 *
 * Array `responses` [channel][mask][time] has the masks in the order in which they were given; it
 * is complex where the masks are.
 *
 * On a GPU direct sums have the CPU's bits; which method a mask takes may differ, and array `method`
 * tells.  Arrays in the GPU's memory (WS_MEMORY_DEVICE): ws_execute puts the work into io->stream
 * and does not wait for it; samples are not looked at: one that is not finite makes responses
 * around it so, up to 512 samples beyond the mask's reach too, or with transforms anywhere.
 */
#ifndef WAVESIFT_CONV_H
#define WAVESIFT_CONV_H

#include "wavesift/wavesift.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Masks ------------------------------------------------------------- */

/* A positive rational number; 0 / 0: not given. */
typedef struct ws_ratio { int64_t numerator, denominator; } ws_ratio;

/* Masks of any lengths in one array. */
typedef struct ws_masks {
	size_t size;
	size_t count;             /* 1 .. 2^24                                    */
	const size_t *lengths;    /* [mask] taps, 1 .. 2^29 - 1                    */
	const size_t *offsets;    /* [mask] first tap in values; NULL: one after the other */
	const void *values;       /* finite; complex: real and imaginary part in turn */
	ws_type type;             /* of values: WS_F64, WS_F32, WS_C128, WS_C64    */
	const double *scales;     /* [mask]; or NULL                               */
	const double *frequencies;/* [mask] Hz; or NULL                            */
} ws_masks;

/*
 * Masks of a formula at a scale s, in samples: L = 2 floor(8 s) + 1 taps at t = x / s for the
 * whole numbers |x| <= 8 s.  Made in f64, the same bits on every machine.
 */
typedef enum ws_mask_formula {
	WS_MASK_MORLET      = 1, /* s^-1/2 exp(-t^2 / 2) cos(w t), w = 5 (default)  */
	WS_MASK_MEXICAN_HAT = 2, /* s^-1/2 2 / (3^1/2 pi^1/4) (1 - t^2) exp(-t^2 / 2) */
	WS_MASK_GABOR       = 3, /* s^-1/2 exp(-t^2 / 2) exp(i w t), w = 5: complex */
	WS_MASK_DOPPLER     = 4  /* s^-1/2 sqrt(u (1 - u)) sin(2.1 pi / (u + 0.05)),
	                            u = 1/2 + t / 16:
	                            matched to the Doppler signal                  */
} ws_mask_formula;

typedef enum ws_scale_spacing {
	WS_SCALES_LINEAR = 1,    /* rational, exactly (default)                    */
	WS_SCALES_LOG    = 2     /* rounded to a multiple of 2^-20                 */
} ws_scale_spacing;

/* How masks become f32 where the signal is. */
typedef enum ws_mask_rounding {
	WS_ROUND_NEAREST = 1,    /* default */
	WS_ROUND_ZERO    = 2,
	WS_ROUND_UP      = 3,
	WS_ROUND_DOWN    = 4,
	WS_ROUND_DITHER  = 5     /* up or down at random, so that the mean error is 0; by seed */
} ws_mask_rounding;

/* ---- Options ----------------------------------------------------------- */

/* Outputs n.  All masks share one time axis. */
typedef enum ws_conv_output {
	WS_OUTPUT_SAME  = 1, /* those of the signal's samples (default)            */
	WS_OUTPUT_FULL  = 2, /* all at which the longest mask meets a sample; the axis begins before
	                        the signal                                        */
	WS_OUTPUT_VALID = 3  /* all at which the longest mask lies within the signal */
} ws_conv_output;

/* The sum over the taps; its order is docs/decisions/0011-convolution.md. */
typedef enum ws_sums {
	WS_SUMS_PLAIN       = 1, /* in the signal's type (default)                 */
	WS_SUMS_F64         = 2, /* f32 signals: products and sums in f64, rounded at the end */
	WS_SUMS_COMPENSATED = 3  /* the errors of products and sums are summed too */
} ws_sums;

typedef enum ws_conv_method {
	WS_CONV_DIRECT       = 1, /* the same bits on any machine, CPU or GPU      */
	WS_CONV_FFT          = 2, /* one transform of the whole signal             */
	WS_CONV_OVERLAP_SAVE = 3  /* transforms of pieces of the signal            */
} ws_conv_method;

typedef struct ws_conv_opts {
	size_t size;
	const ws_masks *masks;    /* borrowed while planning; or made by a formula: */
	ws_mask_formula formula;
	double formula_param;     /* w                                             */
	const ws_ratio *scales;   /* [scale_count] borrowed while planning; or     */
	ws_ratio scale_low, scale_high; /* from, to; default 1 and scale_count     */
	size_t scale_count;       /* default 32                                    */
	ws_scale_spacing scale_spacing;
	ws_mask_rounding mask_rounding;
	uint64_t seed;            /* of WS_ROUND_DITHER                            */
	int flip;                 /* nonzero: convolution                          */
	ws_conv_output output;
	int decimate;             /* D: outputs n_0, n_0 + D, .. only; default 1   */
	ws_sums sums;
	ws_conv_method method;    /* default: for each mask the one that is expected to be faster */
} ws_conv_opts;

/* ---- Arrays ------------------------------------------------------------ */

enum {
	WS_CONV_SIGNAL    = 0,    /* [channel][time] the samples, which execution does not write */
	WS_CONV_RESPONSES = 1,    /* of real masks; has no elements where they are complex */
	WS_CONV_COMPLEX   = 2,    /* of complex masks, likewise; its name is "responses" too */
	WS_CONV_METHOD    = 3,    /* i32 [mask]: ws_conv_method                        */
	WS_CONV_ARRAYS    = 4
};

/* ---- Masks by formula -------------------------------------------------- */

/* Makes the masks that opts describe by formula and scales, as a plan would (f64), on the threads
 * of ctx; fs is that of the frequencies.  On failure *masks is NULL.  WS_E_ARG, WS_E_NOMEM. */
WS_API ws_status ws_masks_create(ws_masks **masks, ws_ctx *ctx, const ws_conv_opts *opts,
                                 double fs);
WS_API void ws_masks_destroy(ws_masks *masks);

#ifdef __cplusplus
}
#endif
#endif
