/*
 * cwt_job.h - a continuous wavelet transform as a GPU's backend is asked for it (ops/backend.h).
 */
#ifndef WSI_CWT_JOB_H
#define WSI_CWT_JOB_H

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "ops/cwt_ops.h"

/* One frequency: a response, or taps.  Tables of responses lie one after the other, those of
 * earlier frequencies first. */
typedef struct wsi_cwt_job_scale {
	wsi_cwt_response response;
	int64_t centre;         /* bin in the middle of the band */
	const double *taps;     /* [2][tap_count]: real, imaginary parts; there when it runs */
	size_t tap_count;       /* 0: a response */
	size_t tap_zero;        /* the tap that meets the output's own sample */
	size_t table, table_bins; /* of the response's table: its place, how many; 0: none */
} wsi_cwt_job_scale;

/* The tables of an edge, in the order that they lie in. */
enum { WSI_EDGE_B, WSI_EDGE_W, WSI_EDGE_SIDE, WSI_EDGE_CHIRP, WSI_EDGE_RESPONSE, WSI_EDGE_BEGIN,
	WSI_EDGE_END, WSI_EDGE_TABLES };

/* Spectra beside edges at which responses are cut, as cpu/cwt/cwt_edge.h has them. */
typedef struct wsi_cwt_job_edge {
	bool at_zero, at_half, mirrored;
	size_t in, out, count;
	size_t line, chirps;    /* points of the two transforms */
	uint64_t period;
	int64_t first;
	const double *table;    /* all of them; there when it runs */
	size_t table_count;     /* numbers; 0: no edge, spectra are those of the padded signals */
	size_t at[WSI_EDGE_TABLES]; /* where each begins */
} wsi_cwt_job_edge;

/* What a device forms of rows of coefficients, which are then no results themselves. */
typedef enum wsi_cwt_form {
	WSI_CWT_ROWS = 0,       /* nothing: they are the results */
	WSI_CWT_MEANS,          /* geometric means of magnitudes (superlets) */
	WSI_CWT_POWERS,         /* weighted sums of powers (bands) */
	WSI_CWT_EPOCHS,         /* averages over epochs (trials) */
	WSI_CWT_PAIRS,          /* the same of two channels (coherence) */
	WSI_CWT_TIMES           /* the same over neighbouring times and frequencies, of no epochs */
} wsi_cwt_form;

/* A row of means, of powers, or over frequencies: members first .. first + count - 1, whose
 * frequencies rise.  A mean is of members of weight 1, the last of which may have less, to that
 * power. */
typedef struct wsi_cwt_job_row {
	size_t first, count;
	double power;
} wsi_cwt_job_row;

typedef struct wsi_cwt_job_member {
	size_t frequency;
	double weight;
} wsi_cwt_job_member;

/* A Gaussian in time, by which a frequency's sums are averaged: its deviation in samples, and its
 * sums from 0 to k, at parts[part + k], k <= reach.  whole: its sum; 0: means near the ends are of
 * zeros beyond, too. */
typedef struct wsi_cwt_job_gaussian {
	double deviation, whole;
	size_t part, reach;
} wsi_cwt_job_gaussian;

/* Arrays that are formed at once, at most. */
#define WSI_CWT_FORMED 4

typedef struct wsi_cwt_job_sums {
	wsi_cwt_form form;
	size_t rows;            /* of results, of a channel or pair */
	const wsi_cwt_job_row *row; /* [rows]; of epochs and pairs NULL: a row is a frequency */
	const wsi_cwt_job_member *member;
	size_t members;
	const wsi_cwt_job_gaussian *gaussian; /* of times: [frequency] */
	const double *parts;    /* [part_count]; there when it runs */
	size_t part_count;
	size_t epochs;          /* of a channel, one behind the other; 1: it has none */
	size_t first, every, outputs; /* of a row of results: every so many coefficients, or of
	                           times, means over them */
	int arrays[WSI_CWT_FORMED]; /* of the transform, in the order of averages, or of what pairs
	                               have; -1: not made */
	ws_baseline baseline;   /* of powers over epochs: outputs baseline_first .. baseline_last */
	size_t baseline_first, baseline_last;
	int against;            /* channel that pairs are of; WS_AGAINST_ALL: all pairs */
} wsi_cwt_job_sums;

typedef struct wsi_cwt_job {
	size_t channels, samples; /* of sums: channels times epochs */
	size_t length;          /* of the padded signal */
	size_t decimate, outputs; /* of each frequency: ceil(samples / decimate) */
	size_t first;           /* of signals (WS_QUANTITY_SIGNAL), the sample of output 0 */
	ws_type type;
	ws_quantity quantity;
	ws_padding padding;
	bool steps, centred;    /* as in wsi_cwt (cpu/cwt/cwt.h) */
	uint64_t made;          /* its number, of all that the process has made */
	int array;              /* of the transform's arrays, the one that is made */
	size_t count;           /* of frequencies */
	const wsi_cwt_job_scale *scales;
	size_t begin;           /* of the plan's frequencies, the first of these */
	/* The type must hold squares of magnitudes, which are below 2^gain times a channel's scale;
	 * other: a quantity that is no square, or NULL.  Of the first of jobs that follow. */
	bool squares;
	int gain;
	const char *other;
	wsi_cwt_job_sums sums;
	wsi_cwt_job_edge edge;
	double *tables;         /* of responses, of this job and all that follow it; there when it
	                           runs; or NULL */
	size_t table_count;
	/* Other frequencies of the same signals, sampled otherwise into another array; or NULL. */
	const struct wsi_cwt_job *next;
} wsi_cwt_job;

/* Does the type hold magnitudes below 2^gain scale, scale a power of two, or the squares of them
 * (0)? They are infinite (1), or nothing is left of squares (-1).  Magnitudes are taken as those of
 * a tone, which are a sixteenth of the bound. */
static inline int
wsi_cwt_unfit(ws_type type, int gain, double scale, bool squares)
{
	const int most = type == WS_F64 ? DBL_MAX_EXP : FLT_MAX_EXP;
	int exponent;
	frexp(scale, &exponent);
	if (!squares)
		/* Of samples near the end of the type the scale is below them. */
		return (exponent > WSI_CWT_EXPONENTS(type == WS_F64) ? most : exponent - 1) + gain -
		        4 > most;
	const int size = 2 * (exponent + gain);
	return size > most ? 1 : size > (type == WS_F64 ? DBL_MIN_EXP : FLT_MIN_EXP) ? 0 : -1;
}

/* That a channel, counted from 1, is refused for it.  other: a quantity that is not a square, or
 * NULL. */
static inline void
wsi_cwt_unfit_text(ws_type type, double scale, int beyond, bool squares, size_t channel,
                    const char *other, char *text, size_t size)
{
	const bool f64 = type == WS_F64;
	const int used = snprintf(text, size, "channel %zu: the %s of its frequencies, from "
	                          "samples of up to %.3g, is %s than %s holds; choose another "
	                          "unit%s%s", channel, squares ? "power" : "magnitude", scale,
	                          beyond > 0 ? "more" : "less", f64 ? "f64" : "f32",
	                          f64 ? "" : other ? "," : ", or",
	                          f64 ? "" : " `precision f64`");
	if (squares && other && used > 0 && (size_t)used < size)
		snprintf(text + used, size - (size_t)used, ", or `quantity %s`", other);
}

#endif
