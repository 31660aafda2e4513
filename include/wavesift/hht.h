/*
 * hht.h - Hilbert-Huang spectra: instantaneous amplitude, phase and frequency of modes, and their
 * energy over time and frequency (Huang et al. 1998).
 *
 * Transform "hht" decomposes every channel by a method of the EMD family (opts->emd), or takes
 * modes that there are already (opts->modes_given, opts->whole_given).  Samples may have any
 * magnitude.  A spectrum of power that its type does not hold is refused by name; one of amplitudes
 * is made, and mode_energy, its noise lines and time_power are infinite or 0 where f64 does not
 * hold them.
 */
#include "wavesift/wavesift.h" /* which includes the families, in their order */

#ifndef WAVESIFT_HHT_H
#define WAVESIFT_HHT_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options ----------------------------------------------------------- */

/* How a mode h becomes amplitude and phase.  Normalised: h is divided by the envelope of |h| until
 * it stays within -1 .. 1; what it was divided by is the amplitude. */
typedef enum ws_hht_method {
	WS_HHT_METHOD_DEFAULT = 0, /* that of the reference; else WS_HHT_HILBERT */
	WS_HHT_HILBERT    = 1, /* modulus and angle of the analytic signal (default) */
	WS_HHT_NHT        = 2, /* angle of the analytic signal of the normalised mode f
	                          (Huang et al. 2009)                          */
	WS_HHT_QUADRATURE = 3  /* angle of f and sqrt(1 - f^2), of the sign that the slope of f
	                          asks for (the same); no Fourier transform    */
} ws_hht_method;

/* A published code whose result is to be reproduced, quirks included.  It sets every option that
 * the caller left at its default. */
typedef enum ws_hht_reference {
	WS_HHT_REF_NONE = 0,
	WS_HHT_REF_EMD  = 1    /* frequency_transform(smooth_phase=5) and hilberthuang() of
	                          Python's emd 0.8.1.  Its phase begins at rising crossings of
	                          zero: a quarter turn more than ours.  A mode without an
	                          envelope, whose amplitude it leaves undefined, has the
	                          largest magnitude of the mode */
} ws_hht_reference;

/* What continues a mode beyond its ends before the Fourier transform. */
typedef enum ws_hht_ends {
	WS_HHT_ENDS_DEFAULT  = 0, /* that of the reference; else WS_HHT_ENDS_MIRROR */
	WS_HHT_ENDS_MIRROR   = 1, /* its mirror image about the extremum nearest the end, fading
	                             (default)                                  */
	WS_HHT_ENDS_PERIODIC = 2, /* the mode is one period                     */
	WS_HHT_ENDS_ZERO     = 3
} ws_hht_ends;

/* Samples that are left out: their instantaneous frequency is NaN, and they are in no bin. */
typedef enum ws_hht_exclude {
	WS_HHT_EXCLUDE_DEFAULT  = 0, /* that of the reference; else WS_HHT_EXCLUDE_NONE */
	WS_HHT_EXCLUDE_NONE     = 1, /* (default) */
	WS_HHT_EXCLUDE_NEGATIVE = 2, /* of negative frequency */
	WS_HHT_EXCLUDE_OUTLIERS = 3  /* these, and outliers (outlier_ratio) */
} ws_hht_exclude;

/* What a cell of the spectrum holds, a being the amplitudes of the samples in it. */
typedef enum ws_hht_quantity {
	WS_HHT_QUANTITY_DEFAULT   = 0, /* that of the reference; else WS_HHT_QUANTITY_DENSITY */
	WS_HHT_QUANTITY_DENSITY   = 1, /* sum of a^2 / 2, divided by the samples of the time bin and
	                                  the width of the frequency bin in Hz: unit^2 / Hz,
	                                  one-sided, as Welch's (default)        */
	WS_HHT_QUANTITY_POWER     = 2, /* sum of a^2 / 2, divided by the samples of the time bin:
	                                  unit^2                                 */
	WS_HHT_QUANTITY_ENERGY    = 3, /* sum of a^2: unit^2 times samples       */
	WS_HHT_QUANTITY_AMPLITUDE = 4  /* sum of a: unit times samples           */
} ws_hht_quantity;

/* Noise that the energy of a mode is compared with. */
typedef enum ws_hht_significance {
	WS_HHT_SIGNIFICANCE_DEFAULT = 0,
	/* Gaussian noise whose spectrum is fitted to the periodogram of the channel, by a
	 * likelihood that a line moves little.  noise_signals are decomposed like the channel: */
	WS_HHT_BACKGROUND = 1, /* one of these models, as the likelihood says */
	WS_HHT_WHITE      = 2,
	WS_HHT_AR1        = 3, /* x(t) = lag1 x(t - 1) + white noise            */
	WS_HHT_POWER_LAW  = 4, /* white noise and noise of density f^-exponent  */
	WS_HHT_WU_HUANG   = 5, /* formula of Wu & Huang 2004 for EMD of white noise, of which the
	                          first mode is taken to be: this is never more than noise */
	WS_HHT_BEND       = 6  /* a power law whose exponent is another one above some frequency:
	                          density f^-a (1 + (f / bend)^2)^-(b / 2), a from -3 to
	                          4, b from -8 to 8 */
} ws_hht_significance;

/* What was fitted to a channel. */
typedef enum ws_background {
	WS_BACKGROUND_NONE      = 0, /* the channel is constant: nothing is compared */
	WS_BACKGROUND_WHITE     = 1,
	WS_BACKGROUND_AR1       = 2,
	WS_BACKGROUND_POWER_LAW = 3,
	WS_BACKGROUND_BEND      = 4  /* a power law with a bend               */
} ws_background;

/* Arrays that are made besides figures of modes; joined by |. */
enum {
	WS_HHT_PART_MODES         = 1, /* modes and residue                    */
	WS_HHT_PART_INSTANTANEOUS = 2, /* amplitude, phase, instantaneous_frequency */
	WS_HHT_PART_SPECTRUM      = 4, /* spectrum, power, nonstationarity     */
	WS_HHT_PART_MODE_SPECTRUM = 8, /* mode_spectrum                        */
	WS_HHT_PART_MARGINAL      = 16, /* marginal, mode_marginal             */
	WS_HHT_PART_CYCLES        = 32, /* cycle, cycle_count                  */
	WS_HHT_PART_CONNECTIVITY  = 64, /* phase_locking, amplitude_correlation: of all channels of
	                                  a recording (ws_shape.recording_channels) */
	WS_HHT_PART_HOLOSPECTRUM  = 128, /* holospectrum                       */
	WS_HHT_PART_SPARSE        = 256, /* sparse_bin, sparse_value, sparse_left */
	WS_HHT_PARTS_DEFAULT      = WS_HHT_PART_MODES | WS_HHT_PART_INSTANTANEOUS |
	                            WS_HHT_PART_SPECTRUM | WS_HHT_PART_MARGINAL
};

typedef struct ws_hht_opts {
	size_t size;
	unsigned tag;          /* WS_TAG_HHT */
	ws_hht_method frequency_method;
	ws_hht_reference reference;
	ws_hht_ends ends;
	int smooth_phase;      /* samples of the running median of the unwrapped phase, odd, 31 at
	                          most; 1: none (default)                      */
	int smooth_frequency;  /* samples of the line fitted to the phase, whose slope is the
	                          frequency; odd, 3 .. 8191; default 3         */
	ws_hht_exclude exclude;
	double outlier_ratio;  /* a frequency above so many times the mode's mean_frequency is an
	                          outlier; default 5                           */
	ws_range freqs;        /* Hz, outer edges of the first and the last bin, and how many there
	                          are, at most 65 536; spaced evenly by their logarithm (default)
	                          or linearly.  Default: half the sampling rate, and 4 waves in
	                          the recording, or 2^-10 of the former where that is more
	                          (linear: 0); 12 bins an octave; linear: 100  */
	const double *edges;   /* [freqs.count + 1] Hz, ascending, from 0 on; borrowed while
	                          planning; instead of the rest of freqs       */
	double time_bin;       /* s; rounded to samples, at least one; default: the recording in
	                          about 1000 bins.  The last one may be shorter */
	ws_hht_quantity quantity;
	int parts;             /* WS_HHT_PART_.. | ..; default: WS_HHT_PARTS_DEFAULT */
	double confidence;     /* share of noise between noise_low and noise_high, 0 .. 1; default:
	                          0.9, one in twenty above; of WS_HHT_WU_HUANG 0.99 */
	int modes_given;       /* K > 0: x is [channel][K][time], modes, of ws_shape.channels
	                          channels; those after the last that is not zero throughout do
	                          not count.  emd is left alone, and signal, modes and residue are
	                          not made                                     */
	ws_emd_opts emd;       /* the decomposition, by emd.method, WS_METHOD_EMD by default.  Has
	                          its own size and tag, or is 0 throughout: all defaults */
	char emd_room[368];    /* 0; for what later versions append to emd: 512 bytes with it */
	int whole_given;       /* 1: x is [channel][1 + K + 1][time], the signal, its modes_given
	                          modes and the residue, as results hold them: all is as if the
	                          signal had been decomposed here             */
	ws_range modulation_freqs; /* of the holospectrum, likewise; default: freqs.low .. half of
	                          freqs.high, 6 bins an octave; linear: 50     */
	const double *modulation_edges;
	/* Confidence limits (Huang et al. 2003): the decomposition is also made with this rule and
	 * each number from one to the other, 2 to 64 of them; WS_STOP_FIXED, _S_NUMBER, _FIX_H. */
	ws_stop limits_rule;
	int limits_from, limits_to;
	int noise_signals;     /* signals of noise (50 .. 100 000) for each channel, decomposed as
	                          it is; significances come from them.  0 (default): there are no
	                          significances, but of WS_HHT_WU_HUANG */
	int sparse_cells;      /* of a time bin, that PART_SPARSE has room for; default: 3 a mode;
	                          not more than the bins                        */
	ws_hht_significance significance; /* of modes, against what; default: WS_HHT_BACKGROUND
	                          where there are noise_signals, else none      */
	/* Of "hhtrials": as of "trials" (wavesift/cwt.h). */
	double baseline_from, baseline_to; /* s, both included, on the time axis of an epoch
	                          (ws_shape.start): time bins whose middle lies there */
	ws_baseline baseline;  /* 0: none                                      */
	int averages;          /* WS_AVERAGE_TOTAL | _EVOKED | _INDUCED; default: all three */
} ws_hht_opts;

/* As ws_options_init(): size is sizeof *opts. */
WS_API void ws_hht_opts_init(ws_hht_opts *opts, size_t size);

/* ---- Arrays ------------------------------------------------------------ */

/* On a GPU all have the bits of the CPU.  Arrays of ws_io in its memory (WS_MEMORY_DEVICE): those
 * whose last axis is time; the others, WS_HHT_MODE_COUNT among them, are in the host's.
 * ws_execute() waits for both.  Rows of modes that there are not stay as they were.
 *
 * WS_MEMORY_DEVICE_ALL: the others are in its memory, too.  Two are not: WS_HHT_CAPPED, and
 * WS_HHT_MODE_COUNT of a decomposition, are in the host's when ws_execute() returns.  It then waits
 * for the decomposition alone.  Where modes or residue are not taken, they lie in the library's
 * memory, and it waits for the analysis too.  Samples of given modes are not checked: a
 * channel with one that is not finite has NaN in all small arrays of f64. */

/* Number of each array of such a plan.  All but MODE_COUNT are optional. */
typedef enum ws_hht_array {
	WS_HHT_SIGNAL,         /* [channel][time]: x                            */
	WS_HHT_MODES,          /* [channel][mode][time]                         */
	WS_HHT_RESIDUE,        /* [channel][time]                               */
	WS_HHT_MODE_COUNT,     /* [channel] i32                                 */
	WS_HHT_AMPLITUDE,      /* [channel][mode][time] instantaneous, in the unit of x */
	WS_HHT_PHASE,          /* [channel][mode][time] f64, rad, unwrapped: mode = amplitude times
	                          its cosine                                    */
	WS_HHT_INSTANTANEOUS_FREQUENCY, /* [channel][mode][time] Hz; NaN where excluded */
	WS_HHT_SPECTRUM,       /* [channel][frequency][time bin], of all modes  */
	WS_HHT_MODE_SPECTRUM,  /* [channel][mode][frequency][time bin]          */
	WS_HHT_POWER,          /* [channel][time bin] f64: instantaneous energy, the sum over all
	                          frequencies of the spectrum of WS_HHT_QUANTITY_POWER, whatever
	                          the quantity is                               */
	WS_HHT_NONSTATIONARITY, /* [channel][frequency] f64: degree of stationarity, the time's mean
	                          of (1 - spectrum / its mean over time)^2; 0 for what is steady,
	                          and where nothing is                          */
	WS_HHT_MARGINAL,       /* [channel][frequency] f64: the spectrum's mean over time; of
	                          WS_HHT_QUANTITY_ENERGY and _AMPLITUDE its sum */
	WS_HHT_MODE_MARGINAL,  /* [channel][mode][frequency] f64                */
	/* Figures of modes: [channel][mode] f64, but i32 counts */
	WS_HHT_MEAN_FREQUENCY, /* Hz: of the samples that are not excluded, weighted with a^2 */
	WS_HHT_OUTSIDE,        /* share of the sum of a^2 that lies in no bin    */
	WS_HHT_NEGATIVE,       /* samples of negative frequency                 */
	WS_HHT_OUTLIERS,       /* samples whose frequency is an outlier         */
	WS_HHT_MODE_ENERGY,    /* mean square of the mode                       */
	WS_HHT_MEAN_PERIOD,    /* s: the duration over the number of maxima     */
	WS_HHT_NOISE_LOW,      /* `confidence` of the modes of noise (significance) of that  */
	WS_HHT_NOISE_HIGH,     /* mean_period have a mode_energy between the two; made where there
	                          is a significance                             */
	WS_HHT_ORTHOGONALITY,  /* [channel] f64: sum over all pairs of different modes, the residue
	                          among them, of their products, over the sum of x^2 */
	WS_HHT_CYCLE,          /* [channel][mode][time] i32: number of the good cycle that a sample
	                          is in, from 0; -1: none.  A cycle goes from one rising crossing
	                          of zero to the next; it is good if its phase rises at every
	                          sample, begins and ends within pi / 12 of a whole turn, and has
	                          3 samples or more (emd.cycles.get_cycle_vector) */
	WS_HHT_CYCLE_COUNT,    /* [channel][mode] i32: how many there are       */
	/* Mode k of a channel and mode k of another channel of the recording
	 * (ws_shape.recording_channels), over all samples; 0 where either has no such mode. */
	WS_HHT_PHASE_LOCKING,  /* [channel][mode][partner] f64: magnitude of the mean of
	                          e^{i (phase - phase of the partner)}, 0 .. 1 (Lachaux et al.
	                          1999)                                         */
	WS_HHT_AMPLITUDE_CORRELATION, /* [channel][mode][partner] f64: of the amplitudes, -1 .. 1; 0
	                          where one is constant                         */
	WS_HHT_HOLOSPECTRUM,   /* [channel][frequency][modulation] f64: the amplitudes of all modes
	                          are decomposed a second time, by EMD (Huang et al. 2016); a is
	                          the amplitude of such a mode, at the frequency of the first mode
	                          and that of the second.  Over all time: of
	                          WS_HHT_QUANTITY_DENSITY the mean of a^2 / 2, divided by the widths
	                          of both bins, unit^2 / Hz^2, of others
	                          as WS_HHT_MARGINAL.  What is left of an amplitude, its trend, is
	                          in no bin                                    */
	WS_HHT_LIMITS_MEAN,    /* [channel][frequency] f64: mean and standard deviation of the */
	WS_HHT_LIMITS_DEVIATION, /* marginal spectrum over the rules of limits_rule; of
	                          PART_MARGINAL where these are given           */
	/* The spectrum without its empty cells, in arrays of a size that is known before: the cells
	 * of a time bin that are not zero, by ascending bins; of more than there is room for, the
	 * largest. */
	WS_HHT_SPARSE_BIN,     /* [channel][cell][time bin] i32: the bin of frequency, from 0; -1:
	                          none, nor in the places behind it             */
	WS_HHT_SPARSE_VALUE,   /* [channel][cell][time bin]: as WS_HHT_SPECTRUM, 0 where there is
	                          none                                          */
	WS_HHT_SPARSE_LEFT,    /* [channel][time bin] f64: the share that cells without room have in
	                          the sum of a^2 (WS_HHT_QUANTITY_AMPLITUDE: of a) in all bins */
	WS_HHT_CAPPED,         /* [channel] i32: as WS_EMD_CAPPED, always in the host's memory; 0
	                          of modes that are given                       */
	/* Where there are noise_signals; NaN where a channel has no noise, a mode no period: */
	WS_HHT_P,              /* [channel][mode] f64: share of the noise's modes of the mode's
	                          period that have as much energy, one-sided; counted among the
	                          modes nearest in period, half as many as there are signals; NaN
	                          of a mode of fewer than six maxima, too few for a test     */
	WS_HHT_P_ANY,          /* [channel][mode] f64: share of the signals of noise in which any
	                          mode stands out as far among those of its own period: corrected
	                          for the number of modes that have a p */
	WS_HHT_NOISE_MODEL,    /* [channel] i32: ws_background                  */
	WS_HHT_NOISE_SLOPE,    /* [channel] f64: its lag1, its exponent (of a bend: that far above
	                          it), or 0                                     */
	WS_HHT_NOISE_SPECTRUM, /* [channel][frequency] f64: its density, one-sided, unit^2 / Hz */
	WS_HHT_NOISE_BEND,     /* [channel] f64: of WS_BACKGROUND_BEND its frequency, Hz; else 0 */
	WS_HHT_LOCKING_LEVEL,  /* [channel][mode][partner] f64, where there are noise_signals: the
	                          phase_locking that a share (1 - confidence) / 2 of as many
	                          signals in the place of the channels is above, each channel's
	                          with phases of its Fourier transform drawn at random, decomposed
	                          as the channels are, the same mode, where they have it; NaN for
	                          a channel and itself, and where too few have it for that share */
	WS_HHT_ARRAYS
} ws_hht_array;

/*
 * "hhtrials": averages over the epochs of each channel (ws_shape.epochs, two or more) of the
 * spectra that "hht" gives, by the same options.  It has no parts, limits, noise_signals, modes of
 * results, nor WS_METHOD_MEMD.  Each epoch is decomposed by itself.  The modes of two epochs need
 * not be alike, so only the sum over all modes is averaged, never one of them, and no phases.
 *
 *     total     mean of the spectra of the epochs
 *     evoked    spectrum of the mean epoch: what is locked to the event
 *     induced   mean of the spectra of the epochs less the mean epoch: the rest.  Its sum
 *               with evoked is total only about, since a decomposition is not linear
 *
 * Epochs are worked on a few at a time and added in their order.  The default of time_bin cuts an
 * epoch in about 100.  Spectra are compared with the baseline, marginal spectra are not.
 */
typedef enum ws_hhtrials_array {
	WS_HHTRIALS_TOTAL_SPECTRUM,     /* [channel][frequency][time bin]                */
	WS_HHTRIALS_EVOKED_SPECTRUM,
	WS_HHTRIALS_INDUCED_SPECTRUM,
	WS_HHTRIALS_TOTAL_MARGINAL, /* [channel][frequency] f64, as WS_HHT_MARGINAL */
	WS_HHTRIALS_EVOKED_MARGINAL,
	WS_HHTRIALS_INDUCED_MARGINAL,
	WS_HHTRIALS_CAPPED,    /* [channel] i32: how many decompositions, of all averages, have
	                          WS_HHT_CAPPED 1; optional                     */
	WS_HHTRIALS_ARRAYS
} ws_hhtrials_array;

#ifdef __cplusplus
}
#endif
#endif
