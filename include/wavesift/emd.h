/*
 * emd.h - empirical mode decomposition: emd, eemd, ceemdan, iceemdan and memd.
 *
 * They share the options struct ws_emd_opts and make the arrays of ws_emd_array.
 */
#include "wavesift/wavesift.h" /* which includes the families, in their order */

#ifndef WAVESIFT_EMD_H
#define WAVESIFT_EMD_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options ----------------------------------------------------------- */

/* The method is that of the transform's name; opts may have the same or 0. */
typedef enum ws_method {
	WS_METHOD_DEFAULT = 0, /* that of the transform; of "hht" WS_METHOD_EMD          */
	WS_METHOD_EMD      = 1, /* Huang et al. 1998                                  */
	WS_METHOD_EEMD     = 2, /* ensemble EMD, Wu & Huang 2009                      */
	WS_METHOD_CEEMDAN  = 3, /* Torres et al. 2011                                 */
	WS_METHOD_ICEEMDAN = 4, /* Improved CEEMDAN, Colominas et al. 2014            */
	WS_METHOD_MEMD     = 5  /* multivariate EMD, Rehman & Mandic 2010: all channels of a
	                    recording jointly, so that mode k of every channel lies in the same
	                    band                                               */
} ws_method;

/* A published code whose result is to be reproduced, quirks included.  It
 * sets every option that the caller left at its default. */
typedef enum ws_reference {
	WS_REF_NONE        = 0,
	WS_REF_RILLING     = 1, /* emd.m, Rilling & Flandrin, 3.2007           */
	WS_REF_COLOMINAS   = 2, /* ceemdan.m, Colominas, 2.2015                */
	WS_REF_TORRES      = 3, /* CEEMDAN as first published, rilling inside  */
	WS_REF_LIBEEMD     = 4, /* libeemd 1.4 (Luukko et al. 2016)            */
	WS_REF_CEEMDAN_GPU = 5, /* CEEMDAN-GPU (Wang & Juhasz 2023)            */
	WS_REF_MEMD        = 6, /* memd.m, Rehman & Mandic, 10.2009            */
	WS_REF_MEMD_GPU    = 7  /* MEMD-GPU (Wang & Juhasz 2023): its envelopes and sifts, on
	                           the directions of memd.m                     */
} ws_reference;

typedef enum ws_boundary {
	WS_BOUNDARY_DEFAULT     = 0, /* that of the reference; else WS_BOUNDARY_MIRROR */
	WS_BOUNDARY_MIRROR      = 1, /* two extrema mirrored, Rilling's rule (default) */
	WS_BOUNDARY_EXTRAPOLATE = 2, /* end samples, or the line through the nearest two
	                                extrema where that is more extreme (libeemd)   */
	WS_BOUNDARY_SLOPE       = 3, /* the same, but the line only where four extrema of
	                                the kind exist (the published GPU codes)       */
	WS_BOUNDARY_PERIODIC    = 4  /* the signal is one period                       */
} ws_boundary;

typedef enum ws_spline {
	WS_SPLINE_DEFAULT    = 0, /* that of the reference; else WS_SPLINE_NOT_A_KNOT */
	WS_SPLINE_NOT_A_KNOT = 1, /* cubic, C2 (default)                       */
	WS_SPLINE_NATURAL    = 2, /* cubic, C2, zero curvature at the ends     */
	WS_SPLINE_PCHIP      = 3, /* monotone, Fritsch & Butland 1984          */
	WS_SPLINE_AKIMA      = 4  /* Akima 1970                                */
} ws_spline;

/*
 * When a mode is finished.  h is the signal being sifted, m the mean of its
 * envelopes, a half their difference.  Parameters are stop_rule_param[0..2]; 0
 * means the default given here, and must be in those that a rule does not have.
 */
typedef enum ws_stop {
	WS_STOP_DEFAULT   = 0, /* that of the reference; else of the method           */
	WS_STOP_FIXED     = 1, /* after exactly `sifts` sifts, 10 (default of EMD, EEMD) */
	WS_STOP_RILLING   = 2, /* Rilling et al. 2003: |m| <= p0 |a| but for a share p2 of the
	                          samples, |m| <= p1 |a| for all, and as many zero crossings
	                          as extrema, give or take one; 0.05, 0.5, 0.05.  Tested
	                          before a sift: a signal that is a mode is left alone.
	                          (default of CEEMDAN and Improved CEEMDAN)             */
	WS_STOP_S_NUMBER  = 3, /* Huang et al. 2003: p0 sifts in a row that leave the numbers
	                          of extrema (one may come or go), maxima > 0 > minima; 4 */
	WS_STOP_SD        = 4, /* Huang et al. 1998: sum (m / h)^2 < p0; 0.25.  Grows with the
	                          number of samples: prefer WS_STOP_CAUCHY              */
	WS_STOP_CAUCHY    = 5, /* sum m^2 < p0 sum h^2; 0.05                            */
	WS_STOP_TOLERANCE = 6, /* MATLAB's emd: the same with 0.2, at most 100 sifts; of EMD and
	                          MEMD it ends the decomposition too, once the input has p1 dB
	                          more energy than the residue; 0.2, 20                 */
	WS_STOP_ENERGY    = 7, /* Rato et al. 2008: h has p0 dB more energy than m; 50  */
	WS_STOP_FIX_H     = 8  /* WS_METHOD_MEMD: p0 tests in a row of which each finds a direction
	                          with as many zero crossings as extrema, give or take one; 2 */
} ws_stop;

/*
 * Of these WS_METHOD_MEMD has WS_STOP_FIXED, FIX_H and, on vectors, RILLING (its default: |m| is
 * the length of the mean over the directions, |a| the mean of half the distances between
 * the envelopes; 0.075, 0.75, 0.075), CAUCHY, TOLERANCE and ENERGY (sums over all channels).
 * None of them judges before the second sift, but for references: the first takes off
 * offsets, on which no verdict is to depend.
 */

/* Directions on which WS_METHOD_MEMD projects the channels. */
typedef enum ws_direction_set {
	WS_DIRECTIONS_DEFAULT    = 0, /* that of the reference; else WS_DIRECTIONS_SCRAMBLED */
	WS_DIRECTIONS_SCRAMBLED  = 1, /* evenly spread over the sphere for any number of
	                                 channels, docs/decisions/0008-memd.md (default) */
	WS_DIRECTIONS_HAMMERSLEY = 2, /* those of memd.m: uneven from some ten channels on */
	WS_DIRECTIONS_GAUSSIAN   = 3, /* independent, by seed                            */
	WS_DIRECTIONS_GIVEN      = 4  /* direction_vectors                               */
} ws_direction_set;

/* Scale of the noise mode E_k(w) that stage k >= 2 adds to the residue r: SNRFlag 1 and 2 of
 * Colominas's ceemdan.m. */
typedef enum ws_snr {
	WS_SNR_DEFAULT    = 0, /* that of the reference; else WS_SNR_INCREASING */
	WS_SNR_INCREASING = 1, /* noise * std(r) * E_k(w)                      */
	WS_SNR_CONSTANT   = 2  /* noise * std(r) * E_k(w) / std(E_k(w))        */
} ws_snr;

typedef enum ws_channel_noise {
	WS_NOISE_DEFAULT     = 0, /* WS_NOISE_SHARED                          */
	WS_NOISE_SHARED      = 1, /* all channels see the same noise (default) */
	WS_NOISE_INDEPENDENT = 2
} ws_channel_noise;

typedef struct ws_emd_opts {
	size_t size;
	unsigned tag;     /* WS_TAG_EMD */
	ws_method method;
	ws_reference reference;
	ws_boundary boundary;
	ws_spline spline;
	ws_stop stop_rule;
	double stop_rule_param[3];
	int sifts;        /* sifts a mode of WS_STOP_FIXED; giving it selects that rule */
	int max_sifts;    /* bound of the other rules; default 1000           */
	int check_every;  /* sifts between two stop tests; default 1          */
	int modes;        /* K, how many at most, without the residue.  The modes found are the same
	                     as without the limit; all that is slower stays in the residue.
	                     Default: log2(samples); EMD, MEMD and WS_REF_TORRES 8 more,
	                     which they rarely need */
	/* Ensembles */
	int realizations; /* default 100                                      */
	int pairs;        /* EEMD: nonzero adds and subtracts each noise (complementary EEMD,
	                     CEEMD); realizations even */
	double noise;     /* in units of the signal's std; default 0.2; negative: none */
	ws_snr snr;       /* default: WS_SNR_INCREASING                       */
	uint64_t seed;    /* any number, 0 too; the same seed draws the same noise, anywhere */
	ws_channel_noise channel_noise;
	/* WS_METHOD_MEMD */
	int directions;   /* V; default 64, or twice the channels if that is more:
	                     fewer than twice the channels are too few            */
	ws_direction_set direction_set;
	const double *direction_vectors; /* [V][channels + noise_channels], of any length but 0,
	                     borrowed while planning; selects WS_DIRECTIONS_GIVEN */
	int noise_channels; /* NA-MEMD (Rehman & Mandic 2011): channels of white noise that are
	                     sifted along and dropped; they spread the modes evenly over the
	                     octaves; default none                                */
	int standardize;  /* nonzero: for the projections each channel counts over the power of two
	                     nearest its standard deviation, so that those of large units do not
	                     decide alone; modes have the channels' units          */
	double noise_power; /* of each, in shares of the mean power of the channels;
	                     default 0.05                                         */
} ws_emd_opts;

/* As ws_options_init(): size is sizeof *opts. */
WS_API void ws_emd_opts_init(ws_emd_opts *opts, size_t size);

/* ---- Arrays ------------------------------------------------------------ */

/*
 * Number of each array of such a plan.  [mode] is ws_plan_modes() long.  Modes and residue are in
 * the unit of x.  MODES, RESIDUE and MODE_COUNT must be given, all others are optional; those of
 * [channel][mode] from WS_EMD_FREQUENCY on are the figures of modes (ws_mode_figures).
 */
typedef enum ws_emd_array {
	WS_EMD_SIGNAL,       /* [channel][time]: x                             */
	WS_EMD_MODES,        /* [channel][mode][time]                          */
	WS_EMD_RESIDUE,      /* [channel][time]                                */
	WS_EMD_MODE_COUNT,   /* [channel] i32                                  */
	WS_EMD_SIFTS,        /* [channel][mode] i32: sifts made (ensembles: the largest of all
	                        realizations; memd: the same for all channels) */
	WS_EMD_UNFINISHED,   /* [channel] i32: modes cut off by max_sifts before their stop rule
	                        held                                           */
	WS_EMD_FREQUENCY,    /* [channel][mode] f64, Hz                        */
	WS_EMD_BAND_LOW,     /* Hz                                             */
	WS_EMD_BAND_HIGH,
	WS_EMD_HALF_WAVES,
	WS_EMD_EFFECTIVE_HALF_WAVES,
	WS_EMD_ZERO_CROSSING_FREQUENCY, /* Hz                                       */
	WS_EMD_VARIANCE_SHARE, /* variance over the sum of those of all modes and the residue */
	WS_EMD_RESIDUE_SHARE, /* [channel] f64: that of the residue             */
	WS_EMD_ALIGNMENT,    /* [channel][mode] f64, WS_METHOD_MEMD: how far the mode is one rhythm
	                        in all channels, 0 to 1, the same for all of them; NaN where fewer
	                        than two have it.  Overlap of their power spectra:
	                        docs/decisions/0017-alignment.md               */
	WS_EMD_CAPPED,       /* [channel] i32: 1 where the channel has as many modes as there may
	                        be, and its residue oscillates still; -1: it has as many, and the
	                        residue, in a GPU's memory, was not examined; else 0 */
	WS_EMD_MEDIAN_FREQUENCY, /* [channel][mode] f64, Hz                    */
	WS_EMD_END_SHARE,    /* [channel][mode] f64                            */
	WS_EMD_ARRAYS
} ws_emd_array;

/* ---- Results ----------------------------------------------------------- */

/* Modes that the caller's arrays must have room for, per channel; rows past mode_count are left
 * alone.  The sum of modes and residue is x to rounding for every method but unpaired EEMD, whose
 * noise averages out only as 1/sqrt(I).  0 where plan is NULL, or makes no modes. */
WS_API int ws_plan_modes(const ws_plan *plan);
/* Most modes that a channel of a run can have. */
WS_API int ws_run_modes(const ws_run *run);

/* ---- What a mode holds ------------------------------------------------ */

/*
 * Figures of one row.  A half wave is what lies between two crossings of the
 * row's mean, interpolated linearly.  One of length L has the frequency
 * 1/(2 L), raised (at most doubled) by the third harmonic that the
 * energy of its differences asks for; what lies before the first crossing and after the
 * last is taken with its mirror image for a half wave, whose energy is that by
 * which it exceeds the whole half wave beside it.  Of fewer than 64 crossings the
 * mean is that of whole waves (docs/decisions/0009-mode-frequency.md).  Weighted with the
 * energies of the half waves, the mean of their frequencies is the centroid of
 * the row's power spectrum, the quartiles are its band; a sine of six half waves or
 * more is met within 0.5 %.  Against the
 * periodogram of the row and its mirror image: within 5 % for modes of 30 half
 * waves or more (docs/validation.md).  With a dozen neither figure is sharp, nor
 * where nearly all energy lies in a dozen of them (effective_half_waves).
 */
typedef struct ws_mode_figures {
	size_t size;
	double frequency;      /* Hz; 0 for a constant row                     */
	double band_low, band_high; /* Hz; a quarter of the energy lies below, a quarter above */
	size_t half_waves;     /* crossings of the mean: whole half waves, and half of one at
	                          each end                                     */
	double effective_half_waves; /* (sum e)^2 / sum e^2 over their energies e: how many
	                          carry the energy                             */
	double zero_crossing_frequency; /* Hz: half_waves / 2 over the duration n / fs; counts
	                          quiet stretches as much as loud ones.  Crossings are those of
	                          the mean, which modes have near zero         */
	double mean;           /* in the unit of the samples                   */
	double deviation;      /* standard deviation about the mean (divided by n), likewise;
	                          its square is the variance                   */
	double median_frequency; /* Hz; half of the energy lies below.  Says more than the mean
	                          where that lies outside the band             */
	double end_share;      /* share of the energy in the first and the last period, 1 /
	                          frequency each (half of the row where that is less).  Of a
	                          steady wave 2 periods over the duration; far more:
	                          the mode is one of the row's ends              */
} ws_mode_figures;

/* Fills *figures, whose size is set, for x[n] at fs samples a second.  The same
 * bits on every machine, and for a row times a power of two; may be called from
 * several threads.  Errors: WS_E_ARG; WS_E_FORMAT a sample is not finite. */
WS_API ws_status ws_mode_stats(const void *x, ws_type type, size_t n, double fs,
                               ws_mode_figures *figures);

#ifdef __cplusplus
}
#endif
#endif
