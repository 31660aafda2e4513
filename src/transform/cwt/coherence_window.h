/*
 * coherence_window.h - means over neighbouring times and frequencies, by which a recording without
 * epochs has a coherence (Torrence & Webster 1999; Grinsted et al. 2004).
 */
#ifndef WSI_TRANSFORM_COHERENCE_WINDOW_H
#define WSI_TRANSFORM_COHERENCE_WINDOW_H

#include "transform/cwt/cwt.h"

/* The frequencies that one is averaged over. */
typedef struct wsi_smoothing_window {
	size_t first, count;
	const double *weight;   /* [count] */
} wsi_smoothing_window;

typedef struct wsi_smoothing {
	double deviation;       /* of the Gaussian in time, in scales */
	bool whole;             /* means near the ends are over what there is */
	wsi_smoothing_window *window; /* [frequency] */
	double *weights;
} wsi_smoothing;

/* WS_E_ARG: frequencies neither rise nor fall. */
ws_status wsi_smoothing_sorted(const wsi_cwt *cwt);
/* For the frequencies of cwt; o: smooth_time and smooth_octaves, 0 for the defaults.  WS_E_ARG:
 * frequencies neither rise nor fall.  What is made is to be destroyed in any case. */
ws_status wsi_smoothing_create(wsi_smoothing *s, const wsi_cwt *cwt, const ws_cwt_opts *o);
void wsi_smoothing_destroy(wsi_smoothing *s);

/* The frequencies *from .. *from + result - 1 that those from first on need. */
size_t wsi_smoothing_reach(const wsi_smoothing *s, size_t first, size_t count, size_t *from);

/* The same for a GPU: rows [cwt->count] of members, [wsi_smoothing_members()], and Gaussians
 * [cwt->count]; gives how many numbers their parts are. */
size_t wsi_smoothing_members(const wsi_smoothing *s, const wsi_cwt *cwt);
size_t wsi_smoothing_list(const wsi_smoothing *s, const wsi_cwt *cwt, wsi_cwt_job_row *rows,
                         wsi_cwt_job_member *members, wsi_cwt_job_gaussian *gaussians);
/* Fills these numbers, and the Gaussians' sums. */
void wsi_smoothing_fill(const wsi_smoothing *s, const wsi_cwt *cwt,
                            wsi_cwt_job_gaussian *gaussians, double *parts);

/* Bytes of scratch of the next. */
size_t wsi_smoothing_bytes(const wsi_cwt *cwt);
/* Means in time of rows[samples] of frequency f, an even number of them, of every decimate-th
 * sample, in place. */
void wsi_smoothing_time(const wsi_smoothing *s, const wsi_cwt *cwt, size_t f, size_t decimate,
                        double *const sums[], int count, void *scratch);

#endif
