/*
 * work.h - an execution of Hilbert-Huang spectra: what its jobs on modes (hht/run.c) share with
 * those on times and channels (hht/finish.c).
 */
#ifndef WSI_TRANSFORM_HHT_WORK_H
#define WSI_TRANSFORM_HHT_WORK_H

#include "base/element.h"
#include "base/pool.h"
#include "transform/hht/background.h"
#include "transform/hht/hht.h"
#include "transform/surrogate.h"

/* Of a mode, besides what the analysis leaves. */
typedef struct wsi_hht_facts {
	double peak;            /* largest magnitude, in the unit of the samples */
	double squares;         /* sum of squares, by scale */
	double largest;         /* of the normalised mode */
	size_t maxima;
	size_t bad;             /* first sample that is not finite; SIZE_MAX: none */
} wsi_hht_facts;

#define WSI_HHT_NO_MODE INT32_MAX

/* A mode of a signal of noise. */
typedef struct wsi_hht_point {
	double at, value;       /* ln of its period, in samples; wsi_background_excess() */
	int32_t signal, mode;   /* WSI_HHT_NO_MODE: the signal has no such mode, or it no period */
} wsi_hht_point;

/* Points of a mode on both sides of a period that are not taken yet: those before `left`, and those
 * from `right` on. */
typedef struct wsi_hht_sides {
	size_t left, right;
} wsi_hht_sides;

/* Noise that a channel stands on, over 2^exponent, and modes of it. */
typedef struct wsi_hht_null {
	wsi_background of[WSI_BACKGROUNDS];
	double share[WSI_BACKGROUNDS]; /* how likely each is */
	ws_background best;     /* WS_BACKGROUND_NONE: nothing is compared */
	int exponent;
	wsi_hht_point *points;  /* [signal][mode]; then those that there are, by mode and period */
	size_t *first;          /* [mode + 1] of a mode; then how many there are */
	wsi_hht_sides *sides;   /* [mode] at work (hht/levels.c) */
	size_t modes;
	double *largest;        /* [signal] how far the mode that stands out most does, ascending */
	double longest;         /* period, ln: of longer ones there is no p */
} wsi_hht_null;

typedef struct wsi_hht_noise {
	wsi_hht_null *null;     /* [channel]; NULL: nobody asks */
} wsi_hht_noise;

/* Of a mode: p and noise_low, noise_high over 4^exponent. */
typedef struct wsi_hht_level {
	double p, p_any;        /* NaN: there is none */
	double low, high;
} wsi_hht_level;

/* Modes of all channels, for looking at two together. */
typedef struct wsi_hht_pairs {
	double *rows;           /* [channel][mode][3][n]: cosine and sine of the phase; the
	                           amplitude less its mean, of square 1 */
	bool *kept;             /* [channel][mode] */
} wsi_hht_pairs;

/* Phase locking of channels that know nothing of each other. */
typedef struct wsi_hht_locking {
	wsi_surrogates noise;
	char *x;                /* [channel][n] of noise, of the plan's type; NULL: nobody asks */
	void *scratch;
	size_t kept;            /* of each pair: the largest, rising; then how many it has */
	double *largest;        /* [channel][mode][partner][kept + 1] */
} wsi_hht_locking;

/* The amplitudes of a channel, decomposed a second time. */
typedef struct wsi_hht_holo {
	double *amplitude;      /* [mode][n] */
	double *modes, *residue; /* [mode][second mode][n], [mode][n] */
	int32_t *count;         /* [mode] second modes that there are */
	double *largest;        /* [mode] of its normalised second modes; for emd's quadrature */
	double *cells;          /* [mode][bin][modulation]; NULL: not wanted */
	wsi_hht_mode *mode;     /* [thread] */
	char *workspace;        /* of the decomposition */
	size_t channel;         /* at work, of the batch */
} wsi_hht_holo;

typedef struct wsi_hht_work {
	const wsi_hht_plan *plan;
	const wsi_io *io;
	wsi_progress *progress;
	ws_buffer modes, residue; /* strides resolved; not of modes that are given */
	char *decomposition;    /* workspace */
	wsi_hht_mode *mode;     /* [batch][mode] */
	wsi_hht_facts *facts;      /* likewise */
	size_t *count;          /* [batch] modes that there are */
	double *scale;          /* [batch] power of two: modes over it are at most 1 */
	double *squares;        /* [batch][stretch][bin] */
	size_t stretches;       /* as many as squares has */
	const wsi_hht_channel *channel; /* [batch] what a GPU has added up; NULL: none */
	double *sums;           /* [thread][bin] */
	wsi_hht_times times;     /* of the channel at hand, whose modes come one after the other; or
	                           none */
	wsi_hht_noise noise;
	double *limits;         /* [channel][2][bin] mean and sum of squares about it */
	bool aside;             /* what is at work is for limits: the caller gets none of it */
	wsi_hht_holo holo;
	wsi_hht_locking locking;
	wsi_hht_pairs pairs;    /* of all channels; empty where nobody asks for it */
	wsi_hht_scratch *scratch; /* [thread] */
	wsi_worker *workers;    /* [thread] */
	size_t first, n;        /* channels of the batch at hand */
} wsi_hht_work;

/* ---- Rows ---------------------------------------------------------------------------------- */

static inline const char *
wsi_hht_mode_row(const wsi_hht_work *w, size_t channel, size_t k)
{
	const ws_plan *base = &w->plan->base;
	if (!w->plan->emd)
		return w->io->x + channel * w->io->x_stride + (k + (size_t)w->plan->o.whole_given) *
		       base->shape.samples * wsi_type_size(base->shape.type);
	return (const char *)w->modes.data + channel * w->modes.stride[0] + k * w->modes.stride[1];
}

/* NULL where it is not known. */
static inline const char *
wsi_hht_residue_row(const wsi_hht_work *w, size_t channel)
{
	if (w->plan->emd)
		return (const char *)w->residue.data + channel * w->residue.stride[0];
	return w->plan->o.whole_given ? wsi_hht_mode_row(w, channel, w->plan->modes) : NULL;
}

/* Row of mode k of an array of [channel][mode][..]; NULL where it is not made or not wanted. */
static inline void *
wsi_hht_out_row(const wsi_hht_work *w, int array, int part, size_t channel, size_t k)
{
	if ((part && !(w->plan->o.parts & part)) || w->aside || !wsi_io_wants(w->io, array))
		return NULL;
	return wsi_io_row(w->io, array, channel, k);
}

/* ---- Steps that a GPU's work has, too (hht/shared.c) ----------------------------------------- */

/* Takes modes and residue of all channels, of a decomposition, from the arena: not those that the
 * caller takes.  io: NULL while measuring. */
void wsi_hht_take_modes(wsi_hht_work *w, const wsi_io *io, wsi_arena *arena);

/* Decomposes inner->x, and so on, into modes and residue, by emd: the plan's, or one of its
 * rules. */
ws_status wsi_hht_decompose(wsi_hht_work *w, const ws_plan *emd, wsi_io *inner);

/* Decomposes rows x[row][n] of doubles by a plan of their own: their modes[row][mode][n],
 * residue[row][n] and count[row].  It tells no progress. */
ws_status wsi_hht_decompose_aside(const wsi_hht_work *w, const ws_plan *emd, const double *x,
                                  double *modes, double *residue, int32_t *count,
                                  void *workspace);

/* WS_E_FORMAT, and why, where the power of modes of magnitude `peak` is more or less than the type
 * of a spectrum of power holds: its cells would be infinite or zero. */
ws_status wsi_hht_power_fits(const wsi_hht_work *w, size_t c, double peak);
/* WS_E_FORMAT: a sample of mode k is not finite. */
ws_status wsi_hht_refuse(const wsi_hht_work *w, size_t c, size_t k, size_t sample);

/* ---- Work of all threads (wsi_pool_item) ----------------------------------------------------- */

/* Spectra, by stretches of time; marginal spectra and figures, by channels. */
void wsi_hht_bin_stretch(void *work, size_t i, int rank);
void wsi_hht_finish_channel(void *work, size_t c, int rank);

/* ---- Noise (hht/noise.c) --------------------------------------------------------------------- */

/* The tables, which stay. */
void wsi_hht_noise_lay_out(wsi_hht_work *w, wsi_arena *arena);
/* Bytes that wsi_hht_noise_run() works in; what it finds stands in w->noise. */
size_t wsi_hht_noise_bytes(const wsi_hht_plan *plan);
ws_status wsi_hht_noise_run(wsi_hht_work *w, void *workspace);

/* Sorts what was found of noise (hht/levels.c), unless the user cancels. */
void wsi_hht_levels_make(wsi_hht_null *null, size_t signals, wsi_progress *progress, int rank);
/* Of mode k; energy: over 4^exponent.  One thread at a time for a channel. */
wsi_hht_level wsi_hht_levels_at(const wsi_hht_null *null, size_t signals, size_t k, double energy,
                                double period, double confidence);

/* ---- Limits over stop rules (hht/limits.c) ------------------------------------------------- */

/* Takes what the analysis of the batch found as decomposition number `rule`, from 0. */
void wsi_hht_limits_add(wsi_hht_work *w, int rule);
/* What the caller takes, of all channels. */
void wsi_hht_limits_put(const wsi_hht_work *w);

/* ---- Amplitudes decomposed a second time (hht/holo.c) ---------------------------------------- */

void wsi_hht_holo_lay_out(wsi_hht_work *w, wsi_arena *arena);
/* The holospectra of the batch, whose modes are analysed. */
ws_status wsi_hht_holo_batch(wsi_hht_work *w, wsi_pool *pool);

/* ---- Channels beside each other (hht/pairs.c) ---------------------------------------------- */

void wsi_hht_pairs_lay_out(wsi_hht_work *w, wsi_arena *arena);
/* Keeps mode k of a channel, as analysed. */
void wsi_hht_pairs_keep(wsi_hht_work *w, size_t channel, size_t k, const double *amplitude,
                        const double *phase);
/* What stays; and noise of number i to w->locking.x. */
void wsi_hht_locking_lay_out(wsi_hht_work *w, wsi_arena *arena);
void wsi_hht_locking_draw(const wsi_hht_work *w, const wsi_io *io, size_t i);
/* When all are kept, an item for each mode of each channel.  Of what is aside the phase locking
 * goes to w->locking. */
void wsi_hht_pairs_of(void *work, size_t i, int rank);

#endif
