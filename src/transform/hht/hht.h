/* hht.h - Hilbert-Huang spectra: what their row (hht.c) shares with its options and execution. */
#ifndef WSI_TRANSFORM_HHT_H
#define WSI_TRANSFORM_HHT_H

#include <math.h>

#include "cpu/fft/dft.h"
#include "cpu/hht/hht.h"
#include "ops/ops.h"
#include "transform/options.h"
#include "transform/transform.h"

/* Most stop rules over which limits are taken. */
#define WSI_HHT_RULES 64

typedef struct wsi_hht_plan {
	ws_plan base;
	ws_hht_opts o;          /* no field is left at "default" */
	ws_plan *emd;           /* the decomposition; NULL: modes are given */
	wsi_hht hht;
	wsi_hilbert *hilbert;   /* hht.hilbert; NULL: none */
	size_t modes;           /* of a channel, at most */
	double spread;          /* standard deviations between which o.confidence of all lie */
	size_t batch;           /* channels that are worked on together */
	bool on_device;         /* modes of a decomposition stay in the GPU's memory */
	uint64_t made;          /* as in wsi_hht_job */
	ws_plan *rules[WSI_HHT_RULES]; /* decompositions whose spectra give limits */
	int n_rules;
	ws_plan *noise;         /* decomposes signals of noise; NULL: nobody asks */
	wsi_dft spectra, colours; /* of a signal; of the circle that noise is made on; n 0: none */
	/* Of the holospectrum: */
	wsi_hht am;             /* as hht, with bins of modulations */
	ws_plan *second;        /* EMD of the amplitudes of a channel; NULL: none is made */
	size_t second_modes;    /* of an amplitude, at most */
} wsi_hht_plan;

static inline const wsi_hht_plan *
wsi_hht_plan_of(const ws_plan *plan)
{
	return (const wsi_hht_plan *)plan;
}

/* Channels that are looked at together. */
static inline size_t
wsi_hht_together(const ws_plan *plan)
{
	return plan->shape.recording_channels ? plan->shape.recording_channels
	                                      : plan->shape.channels;
}

/* Of time bins that one thread makes; their number is part of the order of sums. */
#define WSI_HHT_STRETCHES 64

extern const ws_option *const wsi_hht_options[];
extern const wsi_need wsi_hht_needs[], wsi_hhtrials_needs[];
extern const ws_option *const wsi_hhtrials_options[]; /* hht/trials.c */

/* The options of the decomposition within those of a row. */
#define WSI_HHT_WITHIN                                                                      \
	{ "ws_emd_opts", offsetof(ws_hht_opts, emd), WSI_HHT_EMD_ROOM, sizeof(ws_emd_opts),     \
	  offsetof(ws_emd_opts, stop_rule), WS_TAG_EMD }
#define WSI_HHT_EMD_ROOM 512
_Static_assert(offsetof(ws_hht_opts, emd_room) - offsetof(ws_hht_opts, emd) ==
               sizeof(ws_emd_opts), "emd_room follows emd");
_Static_assert(sizeof(ws_emd_opts) + sizeof ((ws_hht_opts *)0)->emd_room == WSI_HHT_EMD_ROOM,
               "emd_room shrinks as ws_emd_opts grows");

/* As in wsi_transform. */
void wsi_hht_line(const void *opts, const ws_option_file *files, wsi_line *to);

/* "emd", .. */
const char *wsi_hht_decomposition(const ws_hht_opts *o);

/* Digits in which people are told of a frequency, as of "%.*g": 22050 Hz has no power of ten. */
int wsi_hht_digits(double frequency);

/* Fills plan->o with every default and reference resolved, but for emd, and the edges of the bins.
 * WS_E_ARG names the option. */
ws_status wsi_hht_resolve(wsi_hht_plan *plan, const ws_hht_opts *asked);

/* The plans of limits (hht/limits.c); opts: those of the decomposition as asked. */
ws_status wsi_hht_limits_resolve(wsi_hht_plan *plan, const ws_emd_opts *opts);

/* The plan of noise (hht/noise.c); likewise. */
ws_status wsi_hht_noise_resolve(wsi_hht_plan *plan, const ws_emd_opts *opts);
/* After the other: of levels of phase locking, if there are. */
ws_status wsi_hht_locking_resolve(wsi_hht_plan *plan);

/* The plan of the second decomposition (hht/holo.c). */
ws_status wsi_hht_holo_resolve(wsi_hht_plan *plan);

/* The middle of bin i. */
static inline double
wsi_hht_middle(const wsi_bins *b, ws_spacing scale, size_t i)
{
	const double low = b->edges[i], high = b->edges[i + 1];
	return scale == WS_SPACING_LOG && low > 0.0 ? sqrt(low * high) : 0.5 * (low + high);
}

/* Bins that an octave of a range of frequencies, and of one of modulations, has where their number
 * is not given. */
#define WSI_HHT_BINS_AN_OCTAVE 12
#define WSI_HHT_MODULATIONS_AN_OCTAVE 6

/* Share of the time that a decomposition takes, as far as progress goes. */
#define WSI_HHT_DECOMPOSING 0.8

/* On a GPU (hht/gpu.c). */
ws_status wsi_hht_gpu_measure(ws_plan *plan, bool aside);
ws_status wsi_hht_gpu_run(const ws_plan *plan, const wsi_io *io, wsi_progress *progress,
                          void *workspace);
void wsi_hht_gpu_describe(const ws_plan *plan, wsi_line *to);

/* As in wsi_transform (hht/run.c). */
ws_status wsi_hht_measure(ws_plan *plan, bool aside);
ws_status wsi_hht_run(const ws_plan *plan, const wsi_io *io, wsi_progress *progress,
                      void *workspace);

#endif
