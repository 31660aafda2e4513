/* cwt.h - the continuous wavelet transform: its options, and plans of its frequencies. */
#ifndef WSI_TRANSFORM_CWT_H
#define WSI_TRANSFORM_CWT_H

#include "cpu/cwt/cwt.h"
#include "ops/cwt_job.h"
#include "transform/transform.h"

extern const ws_option *const wsi_cwt_options[], *const wsi_bands_options[],
	*const wsi_superlets_options[], *const wsi_trials_options[],
	*const wsi_coherence_options[];
extern const wsi_need wsi_cwt_needs[];
extern const wsi_transform wsi_transform_cwt, wsi_transform_bands;

#define WSI_PI 3.14159265358979323846
#define WSI_LN_2 0.69314718055994530942 /* an octave */

/* The padded length N of a signal. */
typedef enum wsi_cwt_length {
	WSI_LENGTH_OURS = 0,    /* room for the longest wavelet, and a fast transform */
	WSI_LENGTH_POWER,       /* the least power of two that holds the signal */
	WSI_LENGTH_SSQUEEZEPY,  /* 2^(1 + round(log2 n)) */
	WSI_LENGTH_EXACT        /* n */
} wsi_cwt_length;

/* g(s), and what a wavelet's shape is multiplied by. */
typedef enum wsi_cwt_gain {
	WSI_GAIN_NORM = 0,      /* by ws_cwt_opts.norm */
	WSI_GAIN_SSQUEEZEPY,    /* sqrt 2 c pi^(1/4) of the zero-mean Morlet, unnormalised */
	WSI_GAIN_FCWT,          /* sqrt(2 pi) pi^(-1/4) */
	WSI_GAIN_DENG           /* pi^(-1/4) sqrt(2 pi s / n), s in samples */
} wsi_cwt_gain;

/* A named reference: the options that it sets, and what options cannot say. */
typedef struct wsi_cwt_reference {
	ws_cwt_opts o;          /* 0: not set */
	wsi_cwt_length length;
	wsi_cwt_gain gain;
	bool fourier;           /* frequencies are 1 / Fourier period (T&C, table 1) */
	bool halve_nyquist;
	bool nyquist_negative;  /* bin n / 2 belongs to w = -pi */
	bool unfolded;          /* bins beyond n / 2 have w > pi */
	bool refuses_long;      /* taps may not be more than the samples */
	double cycle;           /* omega0 of one of its cycles; 0: of ours, 1 */
	bool two_bands;         /* fCWT: nothing from bin 2 n / s on, s its scale */
	/* Taps of a wavelet in time; NULL where it is a response.  f in Hz, s in samples. */
	size_t (*tap_count)(const wsi_cwt *cwt, const wsi_cwt_scale *scale);
	size_t (*make_taps)(const wsi_cwt *cwt, const wsi_cwt_scale *scale, size_t count,
	                    double *re, double *im); /* gives the tap of the output's own sample */
} wsi_cwt_reference;

/* Checks options, and fills in what was not asked for: from the reference, then from the defaults.
 * WS_E_ARG names one. */
ws_status wsi_cwt_resolve(ws_cwt_opts *o, size_t samples);
ws_status wsi_cwt_check_decimate(size_t every, size_t samples);

static inline bool
wsi_cwt_is_morlet(ws_wavelet kind)
{
	return kind <= WS_WAVELET_MORLET_ZERO_MEAN;
}

/* omega0 of a cycle as the reference counts them. */
static inline double
wsi_cwt_cycle(const wsi_cwt_reference *reference)
{
	return reference->cycle != 0.0 ? reference->cycle : 1.0;
}

/* What norms do: by this the power of white noise at scale s differs from that at others.  With l1
 * it is the same at all. */
static inline double
wsi_cwt_norm_power(ws_cwt_norm norm, double s)
{
	return norm == WS_NORM_L1 ? 1.0 : s;
}

/* The row of a reference; WS_CWT_REF_NONE has one too.  NULL past the last. */
const wsi_cwt_reference *wsi_cwt_reference_row(int reference);
/* As its option is set (cwt/options.c). */
const char *wsi_cwt_reference_name(ws_cwt_reference reference);

/* One wavelet with all that follows from it, for s = 1. */
typedef struct wsi_wavelet_facts {
	double fourier;         /* w of the Fourier period: 2 pi / lambda (T&C); else of the peak */
	double energy;          /* integral of shape^2 dw */
	double width_time, width_frequency; /* standard deviations of the energy; rad */
	double cone;            /* e-folding time */
} wsi_wavelet_facts;

/* WS_E_ARG names the parameter that is out of range. */
ws_status wsi_wavelet_make(wsi_wavelet *v, ws_wavelet kind, const double param[2]);
wsi_wavelet_facts wsi_wavelet_facts_of(const wsi_wavelet *v);
/* Where the shape falls to eps: low < peak < high. */
void wsi_wavelet_band(const wsi_wavelet *v, double eps, double *low, double *high);
/* Is its band above 0, and narrower than `width` in ln w (a bump's: 0.2)?  *low, *high: where the
 * shape falls to 1e-17. */
bool wsi_wavelet_is_narrow(const wsi_wavelet *v, double width, double *low, double *high);
/* Where a wavelet of scale 1 has ended in time: from t on, t |psi(t)| is at most `least` of its
 * response's peak.  HUGE_VAL: nowhere.  Not for the Morlet wavelets, which reach as far as in
 * frequency. */
double wsi_wavelet_reach(const wsi_wavelet *v, double least);

/* frequency[count] in Hz, to be freed; WS_E_ARG says what is wrong with the axis. */
ws_status wsi_cwt_axis(const ws_cwt_opts *o, double centre, double f_min, double f_max, double fs,
                       double **frequency, size_t *count);

/* samples of one channel at fs Hz, without tables: what they take is known, and what needs them
 * cannot be run yet.  opts: of this version's size, or NULL.  On failure *cwt is NULL.  isa: NULL
 * for the best.  WS_QUANTITY_SIGNAL: frequencies and their filters alone, for no coefficient.
 * whole: of one padded length, as GPUs and filters take it. */
ws_status wsi_cwt_lay_out(wsi_cwt **cwt, size_t samples, double fs, ws_type type,
                          const ws_cwt_opts *opts, const char *isa, bool whole);
/* Makes the tables, those that are not there; WS_E_NOMEM, WS_E_CANCELLED, and then there are none.
 * progress: or NULL. */
ws_status wsi_cwt_fill(wsi_cwt *cwt, wsi_progress *progress);
/* Bytes of them, and *making of what they are made in. */
size_t wsi_cwt_tables(const wsi_cwt *cwt, size_t *making);
/* Frees them. */
void wsi_cwt_empty(wsi_cwt *cwt);
/* Both: laid out, and with its tables. */
ws_status wsi_cwt_create(wsi_cwt **cwt, size_t samples, double fs, ws_type type,
                         const ws_cwt_opts *opts, const char *isa);
void wsi_cwt_destroy(wsi_cwt *cwt);

/* Puts scales, whose bands are not found yet, into octaves, the fastest first, and says how each is
 * sampled.  unit: the wavelet's own scale by that of the axis.  WS_E_ARG: too many octaves. */
ws_status wsi_cwt_make_octaves(wsi_cwt *cwt, double unit);
/* Arrays of octaves [WSI_CWT_OCTAVES] of a quantity. */
const wsi_array *wsi_cwt_octave_arrays(ws_quantity quantity);

/* levels[count]: WS_CWT_SIGNIFICANCE of frequencies first .. of a channel x[samples]. */
void wsi_cwt_significance(const wsi_cwt *cwt, const void *x, size_t first, size_t count,
                          double *levels);

/* The largest magnitude that a tone of hz Hz, below half the sampling rate, and amplitude 1 has at
 * frequency f.  Of references whose wavelets are taps, where there are 16384 and more, tones near f
 * only. */
double wsi_cwt_tone(const wsi_cwt *cwt, size_t f, double hz);
/* The wavelet of frequency f in time: a coefficient is the sum of all samples times re - i im.
 * Samples first, first + step, .. from the coefficient's own, count of them. */
void wsi_cwt_weights(const wsi_cwt *cwt, size_t f, int64_t first, int64_t step, size_t count,
                     double *re, double *im);

/* The plan for a GPU, of so many channels, whose coefficients are that array of the transform; cwt
 * must outlive it.  What it points to is kept.  WS_E_NOMEM. */
ws_status wsi_cwt_job_make(wsi_cwt_job *job, const wsi_cwt *cwt, size_t channels, int array,
                           wsi_kept *kept);
/* Takes the plan's tables over, which must be there. */
void wsi_cwt_job_fill(wsi_cwt_job *job, const wsi_cwt *cwt);
/* The same of filters, whose signals it makes: those of bands (inverse.h), of signals between their
 * mirror images (even) or as cwt pads them.  Channels and outputs are the caller's to fill in. */
struct wsi_inverse;
ws_status wsi_cwt_job_filters(wsi_cwt_job *job, const wsi_cwt *cwt,
                              const struct wsi_inverse *bands, bool even, wsi_kept *kept);
/* Takes their gains over, and the plan's tables, which must be there. */
void wsi_cwt_job_fill_filters(wsi_cwt_job *job, const struct wsi_inverse *bands,
                              const wsi_cwt *cwt);

#endif
