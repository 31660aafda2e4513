/*
 * conv_job.h - a convolution with many masks as a GPU's library gets it.  Pointers are into the
 * plan.
 */
#ifndef WSI_CONV_JOB_H
#define WSI_CONV_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "math/masks.h"
#include "wavesift/conv.h"

/* Points: of the narrowest class of masks by FFT, as few widths make few classes, each of which
 * takes launches of its own; of the transform that one kernel makes with all else. */
enum { WSI_CONV_LEAST_WIDTH = 1024, WSI_CONV_FUSED = 8192 };

/* A mask that the device makes: by formula, its taps times factor. */
typedef struct wsi_conv_form {
	wsi_mask mask;
	double factor;
} wsi_conv_form;

/* One real mask, or one part of a complex one.  The tap of offset d is values[taps + (d - d0) step]
 * of the direct masks' values, or of the others'. */
typedef struct wsi_conv_line {
	size_t taps;
	int32_t d0, d1;         /* offsets: d0 .. d1 - 1 */
	uint32_t mask;          /* its place in the order in which they were given */
	uint8_t part;           /* 0: real, 1: imaginary */
	uint8_t step;
	uint8_t method;         /* ws_conv_method */
} wsi_conv_line;

/* How the device oversamples signals in its own memory (math/oversample.h). */
typedef struct wsi_conv_new_samples {
	int factor;             /* 1: not */
	ws_interpolation model; /* not the autoregressive one */
	size_t n;               /* samples of a channel before */
	const double *kernel;   /* [tap][factor] */
	int taps, lead;         /* tap 0 is sample -lead */
} wsi_conv_new_samples;

/* Output j of channel c and mask m: the sum at sample first + j every.  math/conv.h has the order
 * of direct sums. */
typedef struct wsi_conv_job {
	ws_type sums;           /* WS_F64, WS_F32: of taps and sums */
	ws_type samples;        /* of the signal and of the responses */
	bool complex;           /* masks are; both parts of one follow each other in lines */
	bool carried;           /* direct sums carry their errors */
	int accumulators;       /* of direct sums, by magnitude; 1: not */
	ws_narrow narrow;       /* to which samples are rounded; values are */
	const int16_t *exponents; /* [mask] of its largest tap; where there are accumulators */
	size_t channels, n;     /* samples of each */
	int64_t first, every;
	size_t outputs, masks;
	int array;              /* that of the responses */
	const wsi_conv_line *lines; /* by the direct method, shortest first; then the others */
	size_t direct, others;  /* lines of each */
	uint64_t made;          /* tells jobs apart that lay at one address */
	const void *direct_values, *other_values;
	/* [mask]; or NULL: values are given.  Lines of such masks have all taps, and step 1. */
	const wsi_conv_form *forms;
	ws_mask_rounding rounding; /* of taps where samples are f32 */
	uint64_t seed;
	bool flip;              /* taps in reverse */
	/* Of arrays in the device's memory; others come oversampled. */
	wsi_conv_new_samples over;
} wsi_conv_job;

#endif
