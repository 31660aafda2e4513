/*
 * cwt_job.h - a continuous wavelet transform as a GPU's backend is asked for it (ops/backend.h).
 */
#ifndef WSI_CWT_JOB_H
#define WSI_CWT_JOB_H

#include "ops/cwt_ops.h"

/* One frequency: a response, or taps. */
typedef struct wsi_cwt_job_scale {
	wsi_cwt_response response;
	int64_t centre;         /* bin in the middle of the band */
	const double *taps;     /* [2][tap_count]: real, imaginary parts; there when it runs */
	size_t tap_count;       /* 0: a response */
	size_t tap_zero;        /* the tap that meets the output's own sample */
} wsi_cwt_job_scale;

typedef struct wsi_cwt_job {
	size_t channels, samples;
	size_t length;          /* of the padded signal */
	size_t decimate, outputs; /* of each frequency: ceil(samples / decimate) */
	ws_type type;
	ws_quantity quantity;
	ws_padding padding;
	bool steps, centred;    /* as in wsi_cwt (cpu/cwt/cwt.h) */
	uint64_t made;          /* its number, of all that the process has made */
	int array;              /* of the transform's arrays, the one that is made */
	size_t count;           /* of frequencies */
	const wsi_cwt_job_scale *scales;
	size_t begin;           /* of the plan's frequencies, the first of these */
	double *owned_taps;     /* of responses that are tables to the CPU; or NULL */
	/* Other frequencies of the same signals, sampled otherwise into another array; or NULL. */
	const struct wsi_cwt_job *next;
} wsi_cwt_job;

#endif
