/*
 * conv_ops.h - the slots of direct convolution (wsi_ops.conv).  The order of the sums is
 * math/conv.h's; a table's element type is that of the sums.
 */
#ifndef WSI_CONV_OPS_H
#define WSI_CONV_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "math/masks.h"
#include "math/narrow.h"
#include "wavesift/conv.h"

/* Masks that a section kernel works on together, at most. */
#define WSI_CONV_ROWS 6
/* Outputs of a args, at most; the outputs that kernels compute are a multiple of what their
 * registers hold, which divides half of it. */
#define WSI_CONV_OUTPUTS 384

/* sums[row][j] = sum over t of taps[t][row] x[(t mod every) stride + t div every + j] */
typedef struct wsi_conv_args {
	const void *x;          /* readable for as many outputs as are computed */
	size_t every, stride;   /* 1: x[t + j], whatever the stride */
	const void *taps;       /* [tap][rows] */
	int n_taps;             /* 1 .. WSI_CONV_SECTION */
	int rows;               /* 1 .. WSI_CONV_ROWS */
	size_t outputs;         /* 1 .. WSI_CONV_OUTPUTS */
	void *sums;             /* [rows][WSI_CONV_OUTPUTS]; carried: twice that, sums first;
	                           parted: [accumulators] of them */
	int accumulators;       /* of a parted sum */
	const double *least;    /* [rows][WS_MOST_ACCUMULATORS] |products| from here on, and below
	                           those before it, belong to an accumulator; the last is 0 */
} wsi_conv_args;

/* Samples of a signal, zero outside: to[i] = x[first + i every], 0 <= i < count. */
typedef struct wsi_conv_stage {
	const void *x;          /* [n] */
	ws_type type;           /* of x: the table's, or WS_F32 */
	int64_t n, first, every;
	size_t count;
	void *to;
} wsi_conv_stage;

/* Taps a .. b - 1 of a mask by formula. */
typedef struct wsi_mask_args {
	wsi_mask mask;
	int64_t a, b;
	double *values;         /* of tap a on; complex: in turn */
} wsi_mask_args;

struct wsi_conv_ops {
	void (*section)(const wsi_conv_args *args);
	void (*section_carried)(const wsi_conv_args *args);
	/* Sums by the magnitude of x m rounded, to which fma adds. */
	void (*section_parted)(const wsi_conv_args *args);
	void (*stage)(const wsi_conv_stage *args);
	/* a[i] = b[i] + a[i] */
	void (*add)(void *a, const void *b, size_t n);
	/* The same of sums, then what they carry: a[2][n]; n is a multiple of 64. */
	void (*add_carried)(void *a, const void *b, size_t n);
	/* out[i step] = sums[i] (+ rest[i], if not NULL) + 0, step 1 or 2, in `type`, which is the
	 * table's or WS_F32.  False where one is not finite. */
	bool (*store)(const void *sums, const void *rest, size_t n, void *out, size_t step,
	              ws_type type);
	/* a[i] = a[i] by */
	void (*scale)(void *a, double by, size_t n);
	/* y = a b, complex numbers of which both parts are arrays. */
	void (*multiply)(void *y_re, void *y_im, const void *a_re, const void *a_im,
	                 const void *b_re, const void *b_im, size_t n);
	/* Rounds x[i] to the nearest of a 16-bit type (math/narrow.h). */
	void (*narrow)(void *x, size_t n, ws_narrow type, int exponent);
	/* The largest |x[i]|; they are finite. */
	double (*largest)(const void *x, size_t n);
	/* The first sample that is not finite; n: none. */
	size_t (*not_finite)(const void *x, size_t n);
	void (*mask)(const wsi_mask_args *args);
};
typedef struct wsi_conv_ops wsi_conv_ops;

#endif
