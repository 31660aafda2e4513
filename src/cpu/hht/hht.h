/*
 * hht.h - Hilbert-Huang analysis: from modes to amplitude, phase and frequency, and to their energy
 * over time and frequency.
 *
 * Modes of a channel go through it alone (hht_mode.c), then stretches of time (hht_spectrum.c).
 * Who does which changes no bit: a cell is the sum over modes, and in each over samples, in order.
 */
#ifndef WSI_HHT_H
#define WSI_HHT_H

#include <stdbool.h>

#include "cpu/hht/hilbert.h"
#include "base/arena.h"
#include "ops/hht_ops.h"
#include "wavesift/wavesift.h"

/* What is to be done; immutable. */
typedef struct wsi_hht {
	const wsi_hht_ops *ops;
	ws_hht_method method;
	ws_hht_ends ends;
	ws_hht_exclude exclude;
	ws_hht_quantity quantity;
	bool emd_py;              /* as emd 0.8.1 does */
	int smooth_phase, smooth_frequency;
	double fs, outlier_ratio;
	size_t n;               /* samples */
	size_t lead, padded;    /* samples put before them; of a period of the Fourier transform */
	const wsi_hilbert *hilbert; /* of that period; NULL: the method needs none */
	wsi_bins bins;
	size_t time_bin, time_bins; /* samples of one; how many */
} wsi_hht;

/* Sets lead and padded. */
void wsi_hht_pad(wsi_hht *h);

/* ---- A mode ------------------------------------------------------------------------------ */

/* A cell on its way into sparse arrays. */
typedef struct wsi_hht_cell {
	double value;
	int32_t bin;
} wsi_hht_cell;

/* What a thread works in. */
typedef struct wsi_hht_scratch {
	double *x, *y;          /* [padded] */
	double *phase, *smooth; /* [n] */
	wsi_curve knots;        /* room for n + 16 */
	double *rows;           /* [n + 16], of their system */
	void *fft;
	double *block;          /* [WSI_HHT_BLOCKS][2][1 + bins]; later [bins] of wsi_hht_cell */
	double *cells;          /* [WSI_HHT_ACROSS][1 + bins], and as many for one mode */
} wsi_hht_scratch;

/* Blocks of samples that are added to bins together. */
#define WSI_HHT_BLOCKS 4

/* Time bins that are made together. */
#define WSI_HHT_ACROSS 8

wsi_hht_scratch wsi_hht_scratch_take(const wsi_hht *h, wsi_arena *arena);

/* A mode on its way.  Amplitudes are in the unit of the samples. */
typedef struct wsi_hht_mode {
	double *amplitude;      /* [n]; wsi_hht_normalise leaves the normalised mode here */
	int32_t *bin;           /* [n] */
	double *marginal;       /* [bins] sum of a^2, or of a */
	double energy;          /* sum of a^2 */
	double moment;          /* sum of a^2 f */
	double kept;            /* sum of a^2 of what is not excluded */
	double outside;         /* sum of a^2 that lies in no bin */
	size_t negative, outliers;
} wsi_hht_mode;

/* Of quadrature as emd 0.8.1 has it: normalises x[n], which stays, into mode->amplitude and returns
 * its largest magnitude; emd divides by that of all modes of the channel.  A mode without an
 * envelope stays as it is in the unit of the samples, which is `scale` of x. */
double wsi_hht_normalise(const wsi_hht *h, wsi_hht_scratch *s, const double *x, double scale,
                         wsi_hht_mode *mode);

/* Amplitude, phase and frequency of s->x[lead .. lead + n), and all that mode has.  largest: what
 * wsi_hht_normalise() gave, or 0.  The unwrapped phase is left in s->phase, the frequency in s->y,
 * NaN where excluded. */
void wsi_hht_analyse(const wsi_hht *h, wsi_hht_scratch *s, wsi_hht_mode *mode, double largest);

/* Numbers the good cycles of a phase, to which `ahead` is added, and returns how many there are.
 * cycle[n]: that of each sample, from 0; -1: none.  As emd.cycles.get_cycle_vector(): a cycle goes
 * from one step of the phase modulo a turn to the next.  It is good if it rises at every sample,
 * begins and ends within pi / 12 of a whole turn, and has three samples or more. */
size_t wsi_hht_cycles(const double *phase, double ahead, size_t n, int32_t *cycle);

/* ---- Envelopes (hht_envelope.c) ------------------------------------------------------------ */

/* The curve through the maxima of |x[n]|, level beyond the outermost: those of the sines through
 * three samples, as emd through samples.  False where there are none, as emd where there is one. */
bool wsi_hht_envelope_of_magnitude(const wsi_hht *h, wsi_hht_scratch *s, const double *x);

/* The C2 spline through the maxima of x[n], with those that emd 0.8.1 adds beyond the ends.  False
 * where it has none. */
bool wsi_hht_envelope_of_maxima(wsi_hht_scratch *s, const double *x, size_t n);

/* ---- The spectrum of a channel ------------------------------------------------------------- */

/* What modes have added to all time bins. */
typedef struct wsi_hht_times {
	double *cells; /* [time bin][1 + bins], the first for what is in no bin; NULL: none */
	double *power;          /* [time bin] sum of a^2 in all bins */
} wsi_hht_times;

/* Where a stretch of time bins goes. */
typedef struct wsi_hht_cells {
	wsi_hht_times sums;      /* of all modes, if they are there */
	ws_type type;
	char *spectrum;         /* [bin][time bin]; or NULL */
	size_t stride;          /* bytes from one bin to the next */
	char *mode_spectrum;    /* [mode][bin][time bin]; or NULL */
	size_t mode_stride, mode_bin_stride;
	double *power;          /* [time bin]; or NULL */
	double *squares;        /* [bin] the sum over these time bins of their samples times the
	                           square of a sample's mean share; set */
	double scale;           /* a unit of the modes' amplitudes */
	size_t sparse;          /* cells of a time bin that sparse arrays have room for */
	char *sparse_bin, *sparse_value; /* [cell][time bin] i32, of `type`; or NULL */
	size_t sparse_bin_stride, sparse_value_stride; /* bytes from one cell to the next */
	double *sparse_left;    /* [time bin]; or NULL */
} wsi_hht_cells;

/* Adds a mode to sums, which are zero before the first: those that wsi_hht_bin_times() has of modes
 * one after the other, but taken while the mode is in the caches. */
void wsi_hht_add_mode(const wsi_hht *h, const wsi_hht_mode *mode, const wsi_hht_times *sums);

/* Time bins first .. last - 1.  Modes are not read where their sums are there. */
void wsi_hht_bin_times(const wsi_hht *h, wsi_hht_scratch *s, const wsi_hht_mode *modes,
                       size_t n_modes, size_t first, size_t last, const wsi_hht_cells *cells);

/* What the sum over the samples of a time bin (or of all) in a bin is multiplied by: of `samples`
 * samples, amplitudes in units of scale. */
double wsi_hht_factor(const wsi_hht *h, size_t bin, size_t samples, double scale);

/* ---- Bins (hht_bins.c) ---------------------------------------------------------------------- */

/* Takes memory for n bins; edges are filled by the caller, then wsi_bins_guess() is called. */
ws_status wsi_bins_take(wsi_bins *bins, int n);
void wsi_bins_guess(wsi_bins *bins);
void wsi_bins_free(wsi_bins *bins);

#endif
