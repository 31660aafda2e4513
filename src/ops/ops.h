/*
 * ops.h - the slots: the seam between the algorithms and the backends.
 *
 * A sift is: mark the extrema of h, make the knots beyond its ends, then
 * replace h by h minus the mean of its envelopes.  Between two sifts the
 * state of a signal is its samples and three bits a sample, so that a slot
 * works on any range of words (64 samples each) knowing no more of the rest than
 * the knots next to it: cutting a signal in any way leaves every bit the same.
 *
 * Each slot has a plain twin in ops/ref/, written from the definition, against
 * which every kernel is tested bit for bit.
 */
#ifndef WSI_OPS_H
#define WSI_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "math/joint_grid.h"
#include "math/marks.h"
#include "wavesift/wavesift.h"

/* ---- mark --------------------------------------------------------------- */

typedef struct wsi_mark_args {
	const void *x;          /* [time] */
	size_t n;               /* samples of the whole signal */
	uint64_t *marks[2];     /* [kind][word]: a bit for each extremum */
	uint64_t *half;         /* [word]: of these, the ones half a sample earlier; or NULL */
	size_t word0, word1;    /* the words to fill */
	double flat;            /* a step of at most this, either way, is none */
	bool plateaus;          /* a flat top is one extremum, at its middle (math/marks.h) */
	bool lone;              /* but a flat step alone counts if it is not 0 (math/plateau.h) */
	bool cyclic;            /* sample n - 1 precedes sample 0 */
	bool signs;             /* count zero crossings and wrong signs too */
} wsi_mark_args;

/* ---- mean_sub -------------------------------------------------------------- */

typedef struct wsi_mean_args {
	const void *x;          /* [time] h */
	void *y;                /* [time] h minus the mean envelope; not x */
	size_t n;
	const uint64_t *marks[2];
	const uint64_t *half;   /* as mark left it; or NULL */
	ws_spline spline;
	size_t word0, word1;    /* the words to work on */
	const wsi_ends *ends;   /* the knots on both sides of these words */
	/* Statistics of the mean m and the amplitude a, as the stop rule wants. */
	bool want_above;        /* count |m| > sd a and |m| > sd2 a */
	double sd, sd2;
	bool want_sums;         /* fill block_sums */
	double *block_sums;     /* [3][2 * words]: sum of m^2, h^2, (m/h)^2 over each
	                           block of 32 samples */
	void *scratch;          /* wsi_ops.mean_scratch bytes */
} wsi_mean_args;

/* ---- Multivariate: project, joint_mean ------------------------------------- */

/*
 * Several channels as one signal: h[row][lane], lane by lane the channels, then
 * zeros up to wsi_lanes().  Rows 0 .. n - 1 are samples; the rows from
 * wsi_joint_rows() on hold the values of knots beyond the ends.
 */
static inline size_t
wsi_lanes(size_t channels, size_t element)
{
	const size_t group = 64 / element;
	return (channels + group - 1) / group * group;
}

static inline size_t
wsi_joint_rows(size_t n)
{
	return WSI_WORDS(n) * WSI_WORD;
}

/* Directions worked on together; the table of directions is padded with zeros
 * to a multiple of this. */
#define WSI_DIRECTION_GROUP 32

/* Steps and signs of the projections p[direction] = sum over channels of
 * u[channel][direction] h[.][channel], first channel first. */
typedef struct wsi_project_args {
	const void *h;          /* [row][lane] */
	size_t n, channels;
	const void *u;          /* [channel][direction], padded */
	size_t directions;      /* padded */
	size_t used;            /* of them, without the padding */
	size_t word0, word1;
	double flat;
	bool cyclic;
	/* [sample][lane] or NULL.  Where the step to a sample is level on any direction, the mean
	 * of its row of h and the one before; the other rows stay as they were. */
	void *middle;
	/* [direction][word] bits: the step to a sample rises, falls; where wanted
	 * (or NULL) the sample is above, below zero. */
	uint64_t *rise, *fall, *above, *below;
	size_t words;           /* of a row of bits */
} wsi_project_args;

/* The knots of one envelope of one direction. */
typedef struct wsi_knots {
	const int32_t *t;       /* [knot] ascending, in ticks */
	int32_t n, n_left, n_right; /* the first n_left and last n_right are of a boundary rule */
	size_t row_left, row_right; /* values of those knots: from these rows of h on.  Values of
	                               other knots: row t / 2 of h; for odd t, row
	                               (t + 1) / 2 of middle */
	const uint64_t *bits;   /* [word] the first sample at or after each knot */
	const int32_t *before;  /* [tile] knots up to its first sample, itself included */
} wsi_knots;

/* y = h minus the mean over directions of the mean of both envelopes. */
typedef struct wsi_joint_mean_args {
	const void *h;          /* [row][lane] */
	const void *middle;     /* [sample][lane] from project; NULL: no knot needs it */
	void *y;                /* not h */
	size_t n, channels;
	const wsi_knots (*knots)[2]; /* [direction][kind] */
	const bool *active;     /* [direction] has envelopes */
	size_t directions;
	int n_active;           /* at least 1 */
	ws_spline spline;       /* WS_SPLINE_NOT_A_KNOT or _NATURAL */
	size_t tile0, tile1;    /* of WSI_JOINT_TILE samples */
	/* Statistics of the mean m and of the amplitude a, the mean over directions of
	 * half the distance of the envelopes; lengths over the channels. */
	bool want_above;        /* count |m| > sd a and |m| > sd2 a */
	double sd, sd2;
	bool want_sums;         /* fill block_sums */
	double *block_sums;     /* [2][2 * words]: sum of |m|^2, |h|^2 over each block of 32
	                           samples */
	void *scratch;          /* wsi_ops.joint_scratch() bytes */
} wsi_joint_mean_args;

/* What half waves add up to: math/half_waves.h, which only CPUs read. */
struct wsi_half_waves;

/* ---- The table ---------------------------------------------------------------- */

typedef struct wsi_ops {
	const char *isa;
	ws_type type;
	size_t element;         /* bytes */
	size_t mean_scratch;    /* bytes */

	/* Level 0.  Lengths in samples; y may be a or b. */
	void (*subtract)(void *y, const void *a, const void *b, size_t n); /* y = a - b */
	void (*add_scaled)(void *y, const void *a, const void *b, double scale,
	                   size_t n);                          /* y = a + scale b */
	/* y = the sum of k rows in order; rows stride samples apart. */
	void (*sum_rows)(void *y, const void *rows, size_t stride, int k, size_t n);
	void (*add)(void *y, const void *a, const void *b, size_t n);      /* y = a + b */
	void (*divide)(void *y, const void *a, double divisor, size_t n);
	void (*shift)(void *y, const void *a, double by, size_t n);        /* y = a + by */
	/* y = a 2^exponent - offset, the product rounded once where it is subnormal. */
	void (*scale)(void *y, const void *a, int exponent, double offset, size_t n);
	/* White noise w_realization[0..n), math/gaussian.h. */
	void (*noise)(uint64_t seed, uint32_t stream, uint32_t realization, size_t n, void *out);
	/* Of zeros of both signs, either. */
	void (*minmax)(const void *x, size_t n, double *min, double *max);
	/* Sums over blocks of 32 samples: of x, or of (x - mean)^2 given a mean. */
	void (*block_sums)(const void *x, size_t n, const double *mean, double *sums);
	/* The sum of all samples in the order of math/sum.h, and the largest magnitude. */
	double (*sum_and_peak)(const void *x, size_t n, double *peak);
	/* The half waves of scale x about mean, into h; n > 0. */
	void (*half_waves)(const void *x, size_t n, double scale, double mean,
	                   struct wsi_half_waves *h);

	/* Level 1 and 2. */
	void (*mark)(const wsi_mark_args *args, wsi_counts *counts);         /* adds */
	void (*mean_sub)(const wsi_mean_args *args, wsi_mean_counts *counts); /* adds */

	/* The same of several channels. */
	void (*project)(const wsi_project_args *args);
	/* One sample of one projection. */
	double (*project_sample)(const wsi_project_args *args, size_t direction, size_t sample);
	/* Rows of channels, stride bytes apart, to h[sample][lane] and back. */
	void (*interleave)(void *h, const void *rows, size_t stride, size_t channels, size_t lanes,
	                   size_t n);
	void (*deinterleave)(void *rows, size_t stride, const void *h, size_t channels,
	                     size_t lanes, size_t n);
	/* y = the larger (or smaller) of y and a + ahead (a - b). */
	void (*extrapolate)(void *y, const void *a, const void *b, double ahead, bool larger,
	                    size_t n);
	size_t (*joint_scratch)(size_t channels);
	void (*joint_mean)(const wsi_joint_mean_args *args, wsi_mean_counts *counts); /* adds */

	/* Hilbert-Huang spectra: ops/hht_ops.h. */
	const struct wsi_hht_ops *hht;

	/* Direct convolution: ops/conv_ops.h. */
	const struct wsi_conv_ops *conv;

	/* The wavelet transform: ops/cwt_ops.h. */
	const struct wsi_cwt_ops *cwt;
} wsi_ops;

/* The table of an instruction set ("avx512", "avx2", "neon", "plain", "ref")
 * and type; NULL where this build or machine has none. */
const wsi_ops *wsi_ops_find(const char *isa, ws_type type);

#endif
