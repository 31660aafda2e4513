/*
 * hht_job.h - what a GPU does for Hilbert-Huang spectra: the analysis of modes, all of
 * cpu/hht/hht.h.
 *
 * Structs that both sides know.  Tables and results lie in the host's memory.
 */
#ifndef WSI_HHT_JOB_H
#define WSI_HHT_JOB_H

#include "ops/fft.h"
#include "ops/hht_ops.h"

/* Of a Hilbert transform (cpu/hht/hilbert.c). */
typedef struct wsi_hilbert_tables {
	size_t n, half;         /* samples of its period; half of those of the transform */
	bool at_once;           /* the transform has n samples; then sum is 0 everywhere, difference
	                           0 at index 0 and one number at all others */
	const wsi_fft *fft, *back; /* of half; its factors exchanged */
	const double *sum, *difference, *cosine, *sine; /* [half], math/hilbert.h */
} wsi_hilbert_tables;

/* What a mode adds up to; amplitudes are in units of the channel's scale. */
typedef struct wsi_hht_sums {
	double peak;            /* largest magnitude, in the unit of the samples */
	uint64_t bad;           /* first sample that is not finite; UINT64_MAX: none */
	double squares;         /* sum of squares of the samples */
	double energy, moment, kept, outside; /* as in wsi_hht_mode, cpu/hht/hht.h */
	int32_t maxima, negative, outliers, cycles;
} wsi_hht_sums;

/* Of a channel. */
typedef struct wsi_hht_channel {
	double scale;           /* power of two: modes over it are at most 1 */
	double whole, rest;     /* sum of squares of the sum of all rows, and of the residue */
	int32_t count;          /* modes */
} wsi_hht_channel;

/* Rows of samples: channel c, row k at data + c channel + k row. */
typedef struct wsi_hht_rows {
	const char *data;       /* or NULL */
	size_t channel, row;    /* bytes from one to the next */
	bool on_device;
} wsi_hht_rows;

typedef enum wsi_hht_task {
	WSI_HHT_ANALYSE,
	WSI_HHT_PUT             /* copies io->x to put */
} wsi_hht_task;

typedef struct wsi_hht_job {
	wsi_hht_task task;
	ws_type type;           /* of the samples */
	size_t channels, modes, n;
	size_t resident;        /* bytes of the device's memory that the caller has there already */
	double before;          /* share of the whole that is done, as far as progress goes */

	ws_hht_method method;
	ws_hht_ends ends;
	ws_hht_exclude exclude;
	ws_hht_quantity quantity;
	int parts;              /* WS_HHT_PART_.. */
	double spread;          /* standard deviations of noise's energy, of its limits */
	uint64_t made;          /* tells plans apart, whose tables the device keeps */
	bool emd_py, decomposes; /* as emd 0.8.1; modes come from a decomposition, with a residue */
	int smooth_phase, smooth_frequency;
	double fs, outlier_ratio;
	size_t lead, padded;
	wsi_hilbert_tables hilbert; /* fft NULL: the method needs none */
	wsi_bins bins;
	size_t time_bin, time_bins;
	size_t stretches;       /* of time bins */

	void *put;              /* [channel][time] on the device */
	wsi_hht_rows given;     /* modes; data NULL while measuring */
	wsi_hht_rows signal, residue; /* where decomposes; row is 0 */
	const int32_t *counts;  /* [channel] modes of each; NULL: those up to the last that is not
	                           zero throughout */

	bool awaited;           /* run() waits, wherever the arrays are: it reads memory that is the
	                           caller's until then */

	/* Results; not of io->all_on_device, where the device makes the arrays of them */
	wsi_hht_sums *sums;     /* [channel][mode] */
	wsi_hht_channel *channel; /* [channel] */
	double *marginal;       /* [channel][mode][bins] */
	double *squares;        /* [channel][bins] as wsi_hht_cells.squares, of all stretches */
} wsi_hht_job;

#endif
