/*
 * cwt.h - the continuous wavelet transform.
 *
 *     W(s, t) = (1/N) sum over k of  X[k] conj(psi^(s w_k)) g(s) e^{i w_k t},   w_k = 2 pi k fs / N
 *
 * X is the discrete Fourier transform of the padded signal, psi^ that of the wavelet, g(s) the
 * norm.  Frequencies are the wavelet's own, in Hz, never those of the largest bin.  The sum is over
 * -N/2 <= k <= N/2: a wavelet has nothing beyond half the sampling rate.  Of an even N each of the
 * two bins at half the rate counts half, so that a tone there reads 1 in norm l1, as elsewhere.
 * Named references have the bins of their codes.
 *
 * On a GPU coefficients agree with the CPU's to rounding: within 1e-6 (f32), 1e-13 (f64) of the
 * largest of their frequency.  With arrays in the GPU's memory (ws_io.memory) the work is only put
 * into ws_io.cuda_stream: they are ready when the stream has come so far.  Samples are not checked
 * there: one that is not finite makes all coefficients of its channel NaN, and there is no
 * significance (WS_E_UNSUPPORTED).
 *
 * Sources: Torrence & Compo 1998 (Bull. Amer. Meteor. Soc. 79, 61), "T&C"; Lilly & Olhede 2009,
 * 2012 (Morse wavelets); Cohen 2019 (NeuroImage 199, 81: width in time); Deng et al. 2012.
 */
#include "wavesift/wavesift.h" /* which includes the families, in their order */

#ifndef WAVESIFT_CWT_H
#define WAVESIFT_CWT_H

#ifdef __cplusplus
extern "C" {
#endif

/* psi^(w) for w in radians, up to its constant.  "Analytic" ones are zero for w <= 0. */
typedef enum ws_wavelet {
	WS_WAVELET_DEFAULT          = 0, /* that of the reference; else WS_WAVELET_MORLET */
	WS_WAVELET_MORLET           = 1, /* exp(-(w - omega0)^2 / 2), analytic      */
	WS_WAVELET_MORLET_FULL      = 2, /* the same, its tail at negative w kept   */
	WS_WAVELET_MORLET_ZERO_MEAN = 3, /* the same minus exp(-(omega0^2 + w^2) / 2): no response
	                                    to a constant, whatever omega0          */
	WS_WAVELET_MORSE            = 4, /* w^beta exp(-w^gamma), analytic (Olhede & Walden 2002) */
	WS_WAVELET_PAUL             = 5, /* w^m exp(-w), analytic                   */
	WS_WAVELET_DOG              = 6, /* w^m exp(-w^2 / 2): derivative of a Gaussian, real; m = 2
	                                    is the Mexican hat                      */
	WS_WAVELET_BUMP             = 7  /* exp(1 - 1 / (1 - ((w - mu) / sigma)^2)) for
	                                    |w - mu| < sigma                        */
} ws_wavelet;

typedef enum ws_cwt_norm {
	WS_NORM_DEFAULT = 0, /* that of the reference; else WS_NORM_L1               */
	WS_NORM_L1 = 1, /* a tone of amplitude 1 has magnitude 1 at its frequency */
	WS_NORM_L2 = 2, /* every wavelet has unit energy in time: integral |psi_s(t)|^2 dt = 1,
	                   t in seconds                                             */
	WS_NORM_TC = 3  /* T&C: the same with t in samples: white noise has its variance as its
	                   mean power at every scale                                */
} ws_cwt_norm;

/* What continues the signal beyond its ends, endlessly: coefficients are those of the infinite
 * line, however long the wavelet, to rounding (1e-6 of their frequency's largest in f32, 1e-12 in
 * f64).
 * A step of a response of up to 3e-8 of its peak, as a Morlet wavelet of omega0 5.9 and more has at
 * 0, is left out of account in f32 of up to 3000 samples: where slow waves are by far the
 * strongest, as in a random walk, that is up to 7e-7 of a fast row.  In f32 a frequency whose
 * largest is less than a fortieth of the signal's is as near as 3e-8 of that, which is half a unit
 * of its last digit.  Named references have the padding of their codes. */
typedef enum ws_padding {
	WS_PADDING_DEFAULT  = 0, /* that of the reference; else WS_PADDING_REFLECT   */
	WS_PADDING_REFLECT  = 1, /* x[0 .. n-1], x[n-2 .. 1], repeated: mirror images, end samples
	                            once                                            */
	WS_PADDING_ZERO     = 2, /* zeros                                           */
	WS_PADDING_PERIODIC = 3  /* its other end: nothing is added, the transform wraps around */
} ws_padding;

typedef enum ws_quantity {
	WS_QUANTITY_DEFAULT   = 0, /* "cwt" complex, "bands" signal, "superlets" power */
	WS_QUANTITY_COMPLEX   = 1, /* real and imaginary part in turn               */
	WS_QUANTITY_MAGNITUDE = 2, /* |W|                                           */
	WS_QUANTITY_POWER     = 3, /* |W|^2                                         */
	WS_QUANTITY_PHASE     = 4, /* radians, -pi .. pi                            */
	WS_QUANTITY_SIGNAL    = 5  /* of "bands": the signal itself, from the coefficients of the
	                              band                                          */
} ws_quantity;

/* Noise that coefficients are compared with. */
typedef enum ws_significance {
	WS_SIGNIFICANCE_NONE  = 0, /* there are no levels (default) */
	WS_SIGNIFICANCE_WHITE = 1,
	WS_SIGNIFICANCE_AR1   = 2, /* red: x(t) = lag1 x(t - 1) + white noise */
	WS_SIGNIFICANCE_PHASE = 3, /* of "coherence" over time: the signals with phases of their
	                              Fourier transforms drawn at random, each channel for itself */
	WS_SIGNIFICANCE_SHUFFLE = 4 /* of "coherence" over epochs: those of one channel of a pair in
	                              an order drawn at random                       */
} ws_significance;

/* Averages over epochs of "trials", joined by |; W_e: coefficients of epoch e. */
enum {
	WS_AVERAGE_TOTAL   = 1, /* mean of |W_e|^2                                 */
	WS_AVERAGE_EVOKED  = 2, /* |mean of W_e|^2: what is locked to the event    */
	WS_AVERAGE_INDUCED = 4, /* mean of |W_e - mean of W_e|^2: the rest         */
	WS_AVERAGE_ITC     = 8  /* |mean of W_e / |W_e||: inter-trial coherence, 0..1 */
};

enum { WS_AGAINST_ALL = -1 }; /* of ws_cwt_opts.against */

/* How averaged power P is compared with B, its mean over the baseline's times at a frequency; not a
 * number where B is 0. */
typedef enum ws_baseline {
	WS_BASELINE_NONE    = 0, /* it is not (default)                            */
	WS_BASELINE_RATIO   = 1, /* P / B                                          */
	WS_BASELINE_DB      = 2, /* 10 log10(P / B)                                */
	WS_BASELINE_PERCENT = 3, /* 100 (P - B) / B                                */
	WS_BASELINE_Z       = 4  /* (P - B) by the standard deviation over the baseline's times */
} ws_baseline;

/* A published code whose numbers are to be reproduced.  It sets every option that the caller left
 * at its default, and its own padded length. */
typedef enum ws_cwt_reference {
	WS_CWT_REF_NONE       = 0,
	WS_CWT_REF_TC         = 1, /* T&C: zeros up to a power of two, Fourier frequency   */
	WS_CWT_REF_TC_PYCWT   = 2, /* pycwt: the same, with the tail at negative w         */
	WS_CWT_REF_SSQUEEZEPY = 3, /* ssqueezepy 0.6: Morse(60, 3); of Morlet wavelets of zero mean
	                              omega0 13.4                                         */
	WS_CWT_REF_MNE        = 4, /* MNE tfr_array_morlet: 7 cycles, cut at 5 deviations  */
	WS_CWT_REF_PYWT       = 5, /* PyWavelets cwt "cmorB-C": param = { B, C } (1.5, 1.0), scales
	                              from its table of 2^12 points                       */
	WS_CWT_REF_FCWT       = 6, /* fCWT's formula, sigma = param[0] (2)                 */
	WS_CWT_REF_MATLAB     = 7, /* Morse(20, 3), peak 2, 10 voices an octave            */
	WS_CWT_REF_DENG       = 8, /* Deng et al. 2012: no padding, bins not folded        */
	WS_CWT_REF_SUPERLETS  = 9  /* the Python code of Moca et al. 2021: wavelets cut at three
	                              deviations; c cycles are 5 deviations in time: its 3 cycles
	                              are omega0 3.77                                     */
} ws_cwt_reference;

/* Cycles of the i-th wavelet of a superlet, i = 1, 2, .. */
typedef enum ws_superlet_set {
	WS_SUPERLET_DEFAULT        = 0, /* WS_SUPERLET_MULTIPLICATIVE                */
	WS_SUPERLET_MULTIPLICATIVE = 1, /* i times those of the first                */
	WS_SUPERLET_ADDITIVE       = 2  /* i - 1 more than the first has             */
} ws_superlet_set;

typedef struct ws_cwt_opts {
	size_t size;
	unsigned tag;     /* WS_TAG_CWT */
	ws_cwt_reference reference;
	ws_wavelet wavelet;
	double param[2];  /* Morlet: omega0 (6); Morse: beta, gamma (20, 3); Paul: m (4); DOG:
	                     m (2); bump: mu, sigma (5, 0.6).  m and gamma at least 1 */
	ws_cwt_norm norm;
	ws_padding padding;
	ws_quantity quantity;
	int octave_arrays; /* of "cwt", 1: an array for each octave, see below    */
	size_t decimate;  /* D: one output sample for D of the signal, the first at its first;
	                     the coefficients themselves, not averages.  Default 1        */

	/* The frequency axis: one of these; else all that the signal holds. */
	const double *frequencies; /* [frequency_count] Hz, in any order, which arrays have too;
	                              borrowed while planning                    */
	size_t frequency_count;
	const double *scales;      /* [scale_count] seconds, likewise             */
	size_t scale_count;
	ws_range freqs;      /* Hz, from the highest down to the lowest, both included if count is
	                        given.  Defaults: the lowest frequency whose cone of influence
	                        leaves a sample uncovered; that whose wavelet is at a tenth of its
	                        peak at half the sampling rate; as many as by voices
	                        (WS_SPACING_LINEAR needs count); logarithmic */
	int voices;          /* frequencies an octave: from freqs.low, if it is given, up while they
	                        are at most freqs.high; else, and of references, from freqs.high
	                        down while they are at least freqs.low; default 10 */

	/* Width of Morlet wavelets, where param[0] is not given: one of these. */
	const double *cycles;   /* [cycle_count], 1 or as many as frequencies: omega0 of each, so
	                           that the deviation in time is cycles / (2 pi f) */
	size_t cycle_count;
	double fwhm;            /* s: full width at half maximum of the envelope in time, the same
	                           at all frequencies (Cohen 2019)                */

	/* Of "bands": [band_count][2] Hz, lowest and highest; default: one, all frequencies.
	 * Every frequency stands for the axis half way to its neighbours; where two bands meet
	 * within that, they share it.  Borrowed while planning.  Without a frequency axis they are
	 * it. */
	const double *bands;
	size_t band_count;

	/* Of "cwt": 0, none.  Of "coherence": noise_signals. */
	ws_significance significance;
	double lag1;            /* of WS_SIGNIFICANCE_AR1, between -1 and 1; default: of the signal,
	                           (r(1) + sqrt(r(2))) / 2 of its autocorrelation r (T&C, 3a) */
	double level;           /* 0 < level < 1; default 0.95 */

	/* Of "trials". */
	int averages;           /* WS_AVERAGE_.. | ..; default: all */
	double baseline_from, baseline_to; /* s, both included, counted as ws_shape.start is: from
	                           -0.2 to 0 of epochs that start at -0.5, say */
	ws_baseline baseline;   /* 0: none */

	/* Of "coherence": the channel that others are compared with, from 0, or WS_AGAINST_ALL. */
	int against;

	/* Of "superlets": orders at the lowest and the highest frequency, 1 .. 1000; 0: 1 and 10,
	 * the second alone 0: the same at all. */
	double order[2];
	ws_superlet_set set;

	/* Of "coherence" without epochs: what coefficients are averaged over, a Gaussian in time
	 * of this deviation in scales s, and a range of frequencies, in octaves.  Defaults: 1, and
	 * what wavelets are wide: 0.6 for the Morlet wavelet of omega0 6 (Torrence & Webster
	 * 1999). */
	double smooth_time, smooth_octaves;

	/* octave_arrays: an array for each octave instead of the first four, from the highest
	 * frequency down: "power_1", "power_2", .., by ws_plan_find().  Octave o has one
	 * output for D_o samples: D_o is `decimate` times as large a power of two as leaves twice
	 * the band in which its wavelets are above -30 dB, and 8 outputs, and divides the padded
	 * length (long signals: at least to 4096).  What folds is then below 1e-3 of the peak, in
	 * the coefficients and in their power.  Frequencies are put in the order of octaves; the
	 * arrays of all frequencies have that order. */

	/* Of "coherence": pairs of signals of noise (20 .. 100 000), in the place of each pair of
	 * channels, that levels of coherence come from; default: none.  significance, without
	 * epochs: WS_SIGNIFICANCE_PHASE (default), or WS_SIGNIFICANCE_AR1, red noise of each
	 * channel's variance and correlation at lag 1 (Grinsted et al. 2004), and without
	 * noise_signals no level; over epochs: WS_SIGNIFICANCE_SHUFFLE. */
	int noise_signals;
	int clusters;           /* 1: clusters of what is above these levels have a p; all
	                           frequencies are then worked on together */
	uint64_t seed;
} ws_cwt_opts;

/* As ws_options_init(): size is sizeof *opts. */
WS_API void ws_cwt_opts_init(ws_cwt_opts *opts, size_t size);

/* Number of each array of a plan.  Of the first four the one that ws_cwt_opts.quantity names is
 * made; the others have no extent.  The four after them describe the frequencies, by
 * ws_plan_axis() in Hz, each of which is that of the wavelet's peak (T&C references: 1 / Fourier
 * period).  All but the first four are optional. */
typedef enum ws_cwt_array {
	WS_CWT_COEFFICIENTS,    /* [channel][frequency][time] complex; norm l1: in the unit of x */
	WS_CWT_MAGNITUDE,       /* [channel][frequency][time], likewise            */
	WS_CWT_POWER,           /* [channel][frequency][time], squared             */
	WS_CWT_PHASE,           /* [channel][frequency][time] radians              */
	WS_CWT_SCALE,           /* [frequency] s                                    */
	WS_CWT_WIDTH_TIME,      /* [frequency] s: standard deviation of |psi(t)|^2  */
	WS_CWT_WIDTH_FREQUENCY, /* [frequency] Hz: likewise of |psi^(f)|^2          */
	WS_CWT_CONE,            /* [frequency] s: cone of influence.  Closer to an end of the
	                           signal than this, the coefficient depends on the padding (T&C:
	                           e-folding time of the power of an edge; Morse and bump: twice
	                           the width in time)                               */
	WS_CWT_SIGNIFICANCE,    /* [channel][frequency]: power above which a coefficient is, with
	                           probability `level`, none of noise of the signal's variance and
	                           lag1 (T&C (16) to (18), for any norm).  Of the quantity power;
	                           compare magnitudes with its root              */
	WS_CWT_ARRAYS
} ws_cwt_array;

/* "bands": the inverse transform, and the variance of bands.
 *
 *     x_b(t) = sum over f of band b of  c_f Re W(f, t)        WS_QUANTITY_SIGNAL (default)
 *     p_b(t) = sum over f of band b of  v_f |W(f, t)|^2       WS_QUANTITY_POWER
 *
 * c_f and v_f follow from the wavelets, the norm and the distance of neighbouring frequencies on a
 * logarithmic axis (T&C (11), (14) and (24) for any grid).  A signal is then divided by the
 * summed response of all frequencies, from the lowest to the highest of them, beyond by its value
 * there: between them the signals of bands that share out the grid add up to x exactly, but for
 * the error in WS_BANDS_ERROR.  Between mirror images that is a filter of the infinite line.  The
 * mean and what lies outside the grid's band are in none.  p_b is in squared units of x: a tone of
 * amplitude A in the middle of a band has A^2 / 2, and the sum over all bands is the variance.
 *
 * Its options are those of "cwt", quantity WS_QUANTITY_SIGNAL or WS_QUANTITY_POWER; it refuses odd
 * DOG wavelets and the references "mne", "pywt" and "deng", which have no such inverse. */
typedef enum ws_bands_array {
	WS_BANDS_SIGNAL,         /* [channel][time], x                               */
	WS_BANDS_BANDS,        /* [channel][band][time], x_b                       */
	WS_BANDS_POWER,         /* [channel][band][time], p_b; one of the two has an extent */
	WS_BANDS_LOW,           /* [band] Hz; optional, like all that follow         */
	WS_BANDS_HIGH,          /* [band] Hz                                        */
	WS_BANDS_FLAT_LOW,      /* [band] Hz: from here                             */
	WS_BANDS_FLAT_HIGH,     /* to there a signal is kept within 1 %; 0 where nowhere.  At the
	                           border of two bands each has about half of it    */
	WS_BANDS_ERROR,         /* [band]: largest relative error, between its two edges, of all
	                           bands' sum; above rounding where frequencies are too far apart */
	WS_BANDS_ARRAYS
} ws_bands_array;

/* "trials": averages over the epochs of each channel (ws_shape.epochs, two or more), formed as the
 * coefficients are made, in the order of the epochs.  Its options are those of "cwt" but quantity
 * and significance; powers are compared with the baseline, the inter-trial coherence is not.  Those
 * that `averages` does not name have no extent. */
typedef enum ws_trials_array {
	WS_TRIALS_TOTAL_POWER,  /* [channel][frequency][time], power, or as ws_baseline says */
	WS_TRIALS_EVOKED_POWER,
	WS_TRIALS_INDUCED_POWER,
	WS_TRIALS_ITC,          /* 0..1                                            */
	WS_TRIALS_SCALE,        /* [frequency] s; optional, like all that follow     */
	WS_TRIALS_WIDTH_TIME,   /* [frequency] s                                    */
	WS_TRIALS_WIDTH_FREQUENCY, /* [frequency] Hz                                */
	WS_TRIALS_CONE,         /* [frequency] s                                    */
	WS_TRIALS_ARRAYS
} ws_trials_array;

/* "coherence": every channel against one, or all of them against each other (WS_AGAINST_ALL).  With
 * W of a channel, V of the one it is compared with, and <> the mean over epochs (ws_shape.epochs):
 *
 *     cross_spectrum   <W conj(V)>                       its angle: by how much V lags, in
 *                                                        radians: over 2 pi f, seconds
 *     coherence        |<W conj(V)>|^2 / (<|W|^2> <|V|^2>)          0..1
 *     phase_locking    |<W conj(V) / |W V|>|                        0..1
 *
 * Without epochs <> is a mean over neighbouring times and frequencies (smooth_time, smooth_octaves;
 * Torrence & Webster 1999, J. Climate 12, 2679; Grinsted et al. 2004), of powers as of norm l1.
 * Frequencies must then rise or fall, and a power below 1e-13 of the largest of its frequency
 * counts as none.  The reference "tc-pycwt" has pycwt's window.
 *
 * Levels, pointwise: what the two stay below, with probability `level` at a time and frequency, if
 * the channels have nothing to do with each other.  Over K epochs, taken for independent and
 * Gaussian, 1 - (1 - level)^(1/(K - 1)) of the coherence (Halliday et al. 1995) and Rayleigh's test
 * of the locking; over time that of signals of noise (noise_signals), a level for each frequency,
 * of all times beyond the cone.  What two channels do at the event by themselves, each epoch alike,
 * is coherent over epochs, too; noise_signals over epochs compares with the epochs of one channel
 * in other orders, which have that (Lachaux et al. 1999): a level for each frequency and time, the
 * least that a share 1 - level of the orders is above.
 * Clusters (Maris & Oostenveld 2007): cells above the level of their pair that touch in time or
 * frequency, over time those beyond the cone; p is the share of the signals of noise, with the pair
 * itself, of which the largest cluster is as large.  Size is the sum of (value - level) /
 * (1 - level), in steps of 1/254.  No level shows whether two channels record one source: volume
 * conduction has no lag, so it leaves the imaginary part of coherency at 0 (Nolte et al. 2004):
 *
 *     imaginary        Im <W conj(V)> / sqrt(<|W|^2> <|V|^2>)       -1..1
 *
 * Its options are those of "cwt" but quantity and lag1.  All ws_shape.channels are compared, so a
 * run has all of them in each block. */
typedef enum ws_coherence_array {
	WS_COHERENCE_COHERENCE, /* [channel][frequency][time]; no extent for WS_AGAINST_ALL.  The
	                           channel that is compared with is among them      */
	WS_COHERENCE_PHASE_LOCKING,   /* likewise                                         */
	WS_COHERENCE_CROSS_SPECTRUM,     /* likewise, complex; optional, like SCALE to CONE  */
	WS_COHERENCE_SCALE,     /* [frequency] s, f64                               */
	WS_COHERENCE_WIDTH_TIME, /* [frequency] s                                   */
	WS_COHERENCE_WIDTH_FREQUENCY, /* [frequency] Hz                             */
	WS_COHERENCE_CONE,      /* [frequency] s                                    */
	WS_COHERENCE_COHERENCE_PAIRS, /* [channel][partner][frequency][time], instead of the first
	                           three for WS_AGAINST_ALL: W of the channel, V of the partner */
	WS_COHERENCE_PHASE_LOCKING_PAIRS,
	WS_COHERENCE_CROSS_SPECTRUM_PAIRS, /* complex; optional                              */
	WS_COHERENCE_IMAGINARY, /* as WS_COHERENCE_COHERENCE; optional, like all that follow */
	WS_COHERENCE_SIGNIFICANCE, /* [channel][frequency] f64: the level of coherence, NaN for the
	                           channel and itself; no extent without epochs and noise_signals */
	WS_COHERENCE_LOCKING_SIGNIFICANCE, /* likewise of the locking               */
	WS_COHERENCE_IMAGINARY_PAIRS, /* as WS_COHERENCE_COHERENCE_PAIRS                      */
	WS_COHERENCE_SIGNIFICANCE_PAIRS, /* [channel][partner][frequency] f64       */
	WS_COHERENCE_LOCKING_SIGNIFICANCE_PAIRS,
	WS_COHERENCE_SHUFFLED_SIGNIFICANCE, /* as WS_COHERENCE_COHERENCE: the level of coherence by
	                           shuffled epochs, in the place of WS_COHERENCE_SIGNIFICANCE */
	WS_COHERENCE_SHUFFLED_LOCKING_SIGNIFICANCE, /* likewise of the locking                   */
	WS_COHERENCE_CLUSTER_P,   /* likewise: p of the cluster of coherence that the cell is of, 1
	                           where it is of none; clusters                    */
	WS_COHERENCE_LOCKING_CLUSTER_P, /* likewise of the locking                    */
	WS_COHERENCE_SHUFFLED_SIGNIFICANCE_PAIRS, /* as WS_COHERENCE_COHERENCE_PAIRS */
	WS_COHERENCE_SHUFFLED_LOCKING_SIGNIFICANCE_PAIRS,
	WS_COHERENCE_CLUSTER_P_PAIRS,
	WS_COHERENCE_LOCKING_CLUSTER_P_PAIRS,
	WS_COHERENCE_ARRAYS
} ws_coherence_array;

/* "superlets": geometric means of the magnitudes of Morlet wavelets of one frequency and several
 * widths, which are sharp in time as the shortest and in frequency as the longest (Moca et al.
 * 2021, Nature Communications 12, 337).  A superlet of order o has n = ceil(o) wavelets, W_i of
 * c_i cycles (ws_superlet_set):
 *
 *     magnitude = (|W_1| |W_2| .. |W_n|^(1 - n + o))^(1 / o)         power = magnitude^2
 *
 * Orders lie on a line over frequency; of the reference "superlets" over its number.  Options are
 * those of "cwt" but significance and fwhm; wavelets are Morlet's, their cycles those of the first
 * (default: omega0 3.77, the paper's 3 cycles); quantity WS_QUANTITY_POWER (default) or
 * WS_QUANTITY_MAGNITUDE.  The reference "superlets" has |W|^2 twice as the paper, so a tone of
 * amplitude A has the power A^2 / 2; else it has A^2.  Where one of the wavelets responds to almost
 * nothing rounding is seen, as a mean of o numbers takes the o-th root of it: f64 is the better
 * choice. */
typedef enum ws_superlets_array {
	WS_SUPERLETS_POWER,     /* [channel][frequency][time]                       */
	WS_SUPERLETS_MAGNITUDE, /* [channel][frequency][time]; one of the two has an extent */
	WS_SUPERLETS_SCALE,     /* [frequency] s, of the shortest wavelet; optional, like all that
	                           follow                                           */
	WS_SUPERLETS_WIDTH_TIME, /* [frequency] s, of the shortest                  */
	WS_SUPERLETS_WIDTH_FREQUENCY, /* [frequency] Hz, of the longest             */
	WS_SUPERLETS_CONE,      /* [frequency] s, of the longest                    */
	WS_SUPERLETS_ORDER,     /* [frequency]                                      */
	WS_SUPERLETS_ARRAYS
} ws_superlets_array;

/* The signals of bands from coefficients in hand, such as edited ones.  bands: a plan of "bands";
 * coefficients: [frequency][time] complex of the plan's type, of one channel, as "cwt" makes them
 * of the same options but quantity WS_QUANTITY_COMPLEX; x: [band][time] of the plan's type.
 * Allocates.
 * The plan must not decimate.  Coefficients hold nothing of what lies beyond the ends, so there the
 * signal is exact only where the padding is the signal's own mirror image or other end:
 * WS_E_ARG for WS_PADDING_ZERO. */
WS_API ws_status ws_cwt_inverse(const ws_plan *bands, const void *coefficients, void *x);

#ifdef __cplusplus
}
#endif
#endif
