/*
 * conv.h - convolution of a signal with many masks (kernels, impulse responses) of different
 * lengths: transform "conv".
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
 * On a GPU direct sums have the CPU's bits; which method a mask takes may differ, and array
 * `method` has it.  Arrays in the GPU's memory (WS_MEMORY_DEVICE): ws_execute puts the work into
 * io->cuda_stream and does not wait for it; samples are not checked: one that is not finite makes
 * responses around it so, up to 512 samples beyond the mask's reach too, or with transforms
 * anywhere.  With `oversample` they are oversampled there too, but not by the autoregressive model,
 * nor before several accumulators or numbers of 16 bits: WS_E_UNSUPPORTED.
 */
#include "wavesift/wavesift.h" /* which includes the families, in their order */

#ifndef WAVESIFT_CONV_H
#define WAVESIFT_CONV_H

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
	ws_type type;             /* of values, whatever ws_shape.type is: WS_F64, WS_F32, or of
	                             complex masks WS_C128, WS_C64                 */
	/* What WS_AXIS_MASK shows, and errors of an instrument are looked up by; no sum depends on
	 * them. */
	const double *scales;     /* [mask] in samples, as of formulas; or NULL    */
	const double *frequencies;/* [mask] Hz; or NULL                            */
} ws_masks;

/*
 * Masks of a formula at a scale s, in samples: L = 2 floor(8 s) + 1 taps at t = x / s for the
 * whole numbers |x| <= 8 s.  Made in f64, the same bits on every machine.
 */
typedef enum ws_mask_formula {
	WS_MASK_GIVEN       = 0, /* none: masks are given (default) */
	WS_MASK_MORLET      = 1, /* s^-1/2 exp(-t^2 / 2) cos(w t), w = 5  */
	WS_MASK_MEXICAN_HAT = 2, /* s^-1/2 2 / (3^1/2 pi^1/4) (1 - t^2) exp(-t^2 / 2) */
	WS_MASK_GABOR       = 3, /* s^-1/2 exp(-t^2 / 2) exp(i w t), w = 5: complex */
	WS_MASK_DOPPLER     = 4  /* s^-1/2 sqrt(u (1 - u)) sin(2.1 pi / (u + 0.05)),
	                            u = 1/2 + t / 16:
	                            matched to the Doppler signal                  */
} ws_mask_formula;

/* How masks become f32 where the signal is. */
typedef enum ws_mask_rounding {
	WS_ROUND_DEFAULT = 0,    /* WS_ROUND_NEAREST */
	WS_ROUND_NEAREST = 1,
	WS_ROUND_ZERO    = 2,
	WS_ROUND_UP      = 3,
	WS_ROUND_DOWN    = 4,
	WS_ROUND_DITHER  = 5     /* up or down at random, so that the mean error is 0; by seed */
} ws_mask_rounding;

/* ---- Options ----------------------------------------------------------- */

/* Outputs n.  All masks share one time axis. */
typedef enum ws_extent {
	WS_EXTENT_DEFAULT = 0, /* WS_EXTENT_SAME                                     */
	WS_EXTENT_SAME  = 1, /* those of the signal's samples                      */
	WS_EXTENT_FULL  = 2, /* all at which the longest mask meets a sample; the axis begins before
	                        the signal                                        */
	WS_EXTENT_VALID = 3  /* all at which the longest mask lies within the signal */
} ws_extent;

/* The sum over the taps; its order is docs/decisions/0011-convolution.md. */
typedef enum ws_sums {
	WS_SUMS_DEFAULT     = 0, /* WS_SUMS_PLAIN                                     */
	WS_SUMS_PLAIN       = 1, /* in the signal's type                           */
	WS_SUMS_F64         = 2, /* f32 signals: products and sums in f64, rounded at the end */
	WS_SUMS_COMPENSATED = 3  /* the errors of products and sums are summed too */
} ws_sums;

typedef enum ws_conv_method {
	WS_CONV_DEFAULT      = 0, /* for each mask the one that is expected to be faster */
	WS_CONV_DIRECT       = 1, /* the same bits on any machine, CPU or GPU      */
	WS_CONV_FFT          = 2, /* one transform of the whole signal             */
	WS_CONV_OVERLAP_SAVE = 3  /* transforms of pieces of the signal            */
} ws_conv_method;

/* 16-bit types to which samples and masks are rounded; sums are those of the signal's type. */
typedef enum ws_narrow {
	WS_NARROW_NONE = 0, /* they are not (default) */
	WS_NARROW_F16  = 1, /* IEEE binary16: 11 significant bits */
	WS_NARROW_BF16 = 2  /* bfloat16: 8 */
} ws_narrow;

/* What lies between the samples of a signal that is oversampled R times: sample n becomes number
 * R n, and R - 1 new ones follow, sums of those about them, in f64. */
typedef enum ws_interpolation {
	WS_INTERPOLATE_DEFAULT = 0, /* WS_INTERPOLATE_BAND_LIMITED                  */
	WS_INTERPOLATE_LINEAR = 1, /* the straight line                           */
	WS_INTERPOLATE_CUBIC = 2,  /* the polynomial through the four nearest samples, near the
	                              ends through the outermost four             */
	WS_INTERPOLATE_BAND_LIMITED = 3, /* a windowed sinc of 64 samples
	                              (src/math/band_limited.h), zeros beyond the ends */
	WS_INTERPOLATE_AUTOREGRESSIVE = 4, /* what an autoregressive model of order 16 of the
	                              channel expects, given the 32 nearest samples
	                              (src/math/autoregressive.h)                 */
	WS_INTERPOLATE_KERNEL = 5  /* that of ws_conv_opts                        */
} ws_interpolation;

/* The most accumulators of a response. */
#define WS_MOST_ACCUMULATORS 8

/* Bytes of an expression, its end included. */
#define WS_EXPRESSION 512

/* Errors of an instrument. */
enum { WS_ERROR_AMPLITUDE = 0, WS_ERROR_TIMING = 1, WS_ERROR_JITTER = 2, WS_ERRORS = 3 };
/* That of a mask of such a scale and frequency, Hz; 0: it has none.  Called by the thread that
 * plans, for one mask after the other, maybe more than once. */
typedef double (*ws_error_function)(void *user, double scale, double frequency);

typedef struct ws_conv_opts {
	size_t size;
	unsigned tag;             /* WS_TAG_CONV */
	const ws_masks *masks;    /* borrowed while planning; or made by a formula: */
	ws_mask_formula mask_formula;
	double mask_formula_param; /* w of WS_MASK_MORLET and WS_MASK_GABOR; default 5 */
	const ws_ratio *scales;   /* [scale_count] borrowed while planning, whose copies options of
	                             a plan have; or */
	ws_ratio scale_low, scale_high; /* from, to; default 1 and scale_count     */
	size_t scale_count;       /* default 32                                    */
	ws_spacing scale_spacing; /* linear: rational, exactly (default); logarithmic: rounded to a
	                             multiple of 2^-20                             */
	ws_mask_rounding mask_rounding;
	uint64_t seed;            /* of WS_ROUND_DITHER                            */
	int flip;                 /* nonzero: convolution                          */
	ws_extent extent;
	int decimate;             /* D: outputs n_0, n_0 + D, .. only; default 1   */
	ws_sums sums;
	ws_conv_method method;    /* default: for each mask the one that is expected to be faster */
	/* Instead of a formula an expression, and another of the imaginary part; or "".  In x, a
	 * tap's place in samples, -8 s .. 8 s; s, the scale; f = fs / s and fs, in Hz; pi, e, and
	 * constants, "w=5,b=0.5".  Evaluated by muParser with the machine's libm. */
	char mask_expression[WS_EXPRESSION], mask_imaginary[WS_EXPRESSION];
	char mask_constants[WS_EXPRESSION];
	/* N > 1: products are summed in N accumulators by their magnitude, plain sums only, direct
	 * only.  The first takes those above 2^(E - W), where 2^E is the power of two above the
	 * largest sample times that above the largest tap and W = ceil(24 / N), f64 ceil(53 / N);
	 * the next those above 2^(E - 2 W), and so on; the last takes all others.  At the end
	 * they are added, the smallest first. */
	int accumulators;
	/*
	 * Errors of the instrument that masks make good; "": none.  A number; or C times a power of
	 * the scale (samples) or frequency (Hz), "scale^P:C", "frequency^P:C"; or a table, straight
	 * between points, level beyond, "scale:X=Y,X=Y", "frequency:X=Y,.."; or "expression:TEXT"
	 * of s and f as above, with those constants.  Of masks by an expression, frequency is f.
	 *   amplitude_error  gain: taps are divided by it
	 *   timing_error     s by which samples are taken too late: masks are moved as much, those
	 *                    of a formula or expression exactly, others by band-limited
	 *                    interpolation (src/math/band_limited.h), which makes them longer
	 *   timing_jitter    rms of samples' times, s, which leaves exp(-(2 pi f jitter)^2 / 2) of
	 *                    a tone of f Hz on average: taps are divided by that.  Or
	 *                    "phase-noise:F0:F=L,F=L..", that of an oscillator of F0 Hz with L
	 *                    dBc/Hz at F Hz from it
	 */
	char amplitude_error[WS_EXPRESSION], timing_error[WS_EXPRESSION];
	char timing_jitter[WS_EXPRESSION];
	ws_narrow narrow;         /* f32 signals only: samples (to nearest, even) and masks (by
	                             mask_rounding) are rounded to that type, each signal and mask
	                             at the scale of its largest value; default: not */
	/* R rows of real numbers, at most 512 each, borrowed while planning; or NULL.  Number
	 * R n + p is the sum over k of row p's k-th by x[n + k - L_p / 2], L_p its length, zeros
	 * beyond the ends.  The samples themselves, p = 0, are such sums, too. */
	const ws_masks *interpolation_kernel;
	/* R = 2 or 4: masks meet the signal oversampled R times, R (n - 1) + 1 samples at R fs.
	 * Everything is counted in those: scales, frequencies, the time axis, decimate, which
	 * with R gives responses at the signal's samples.  Default 1: the signal as it is. */
	int oversample;
	ws_interpolation interpolation;
	/* Errors of the instrument by a function, called while planning, or as text of one value
	 * for each mask, "0.9,0.95,..", borrowed likewise; NULL: by their text above.  Options of a
	 * plan have such values, in memory of its own, where there was a function. */
	ws_error_function error_function[WS_ERRORS];
	void *error_user;
	const char *error_values[WS_ERRORS];
} ws_conv_opts;

/* As ws_options_init(): size is sizeof *opts. */
WS_API void ws_conv_opts_init(ws_conv_opts *opts, size_t size);

/* ---- Arrays ------------------------------------------------------------ */

/* Number of each array of such a plan. */
typedef enum ws_conv_array {
	WS_CONV_SIGNAL    = 0,    /* [channel][time] the samples, which execution does not write,
	                             not oversampled                              */
	WS_CONV_RESPONSES = 1,    /* [channel][mask][time] in the unit of x times that of the masks;
	                             of complex masks complex: its type is WS_C128 or WS_C64.  Its
	                             time axis is `extent` by `decimate`: ws_plan_array() has its
	                             length, ws_plan_axis() its times, and of WS_AXIS_MASK the
	                             scales of masks, or their numbers where they have none */
	WS_CONV_METHOD    = 2,    /* [mask] i32: ws_conv_method; optional          */
	WS_CONV_ARRAYS    = 3
} ws_conv_array;

/* ---- Masks of options --------------------------------------------------- */

/* Makes the masks of opts as a plan would before it rounds them (f64), on the threads of ctx: those
 * of a formula at its scales, or a copy of opts->masks.  fs: of the signal, before it is
 * oversampled; frequencies are in its unit.
 * On failure *masks is NULL.  WS_E_ARG, WS_E_NOMEM. */
WS_API ws_status ws_masks_create(ws_masks **masks, ws_ctx *ctx, const ws_conv_opts *opts,
                                 double fs);
WS_API void ws_masks_destroy(ws_masks *masks);

#ifdef __cplusplus
}
#endif
#endif
