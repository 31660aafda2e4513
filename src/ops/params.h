/*
 * params.h - what algorithms and engines are told: the options with every default and
 * reference resolved (plan/params.c), and the traits that follow from them.
 */
#ifndef WSI_PARAMS_H
#define WSI_PARAMS_H

#include <stdbool.h>

#include "math/stop.h"
#include "wavesift/wavesift.h"

typedef struct wsi_params {
	ws_emd_opts o;            /* no field is left at "default" */
	size_t samples;
	ws_type type;
	size_t together;          /* channels of one multivariate signal, noise included; else 1 */
	const double *vectors;    /* [direction][channel] of length 1; WS_MEMD only */

	/* Traits of extrema and knots. */
	double resolution;        /* steps of this share of the input's magnitude are flat */
	bool centred;             /* a large offset is taken off first and put back to the residue;
	                             energies are about the mean */
	bool plateaus;            /* false: strict extrema only */
	bool half_ticks;          /* an even plateau's knot lies between two samples */
	bool cyclic;
	bool lower_middle;        /* a plateau's middle between two samples is rounded down */
	bool vanishing;           /* projections below 1e-6 throughout are zero */
	bool rule_at_once;        /* the stop rule judges what is to be sifted, and the first sift:
	                             its verdict then depends on offsets */
	bool plain_hammersley;    /* that set has neither memd.m's own case of three channels nor its
	                             prime that comes twice */
	int min_each;             /* extrema of either kind that a projection's envelopes need */
	/* Traits of the loops. */
	int min_extrema;          /* fewer end sifting and decomposition; 0: never */
	bool needs_both;          /* so does a lack of either kind: the boundary rule has
	                             nothing to make its knots of */
	double tiny_range;        /* a residue of this share of the input's range is none.. */
	bool tiny_modes;          /* ..and so is a mode, but where a reference keeps it */
	bool compare_crossings;   /* rilling: zero crossings and extrema must agree */
	double stop[3];           /* as math/stop.h wants them */
	double max_energy_ratio;  /* sum x^2 / sum r^2 that ends the decomposition; 0: none */
	/* Traits of ensembles. */
	bool imf_ends;            /* ceemdan.m: M(y) = y where y needs no sift, and a residue
	                             that needs none is the last */
	bool output_standardised; /* left in units of std(x) */
	bool noise_residue;       /* a noise's residue is its last mode; false: it is never used */
	bool noise_as_given;      /* CEEMDAN's first noise is not divided by its std at constant SNR */
	bool rest_is_mode;        /* E_1(y) = y where y has no mode: the first row of emd.m */
	bool ends_by_turns;       /* a residue whose steps change sign twice at most is the last */
	int noise_max_sifts;      /* bound while the noise itself is decomposed */
	/* Of the plan. */
	bool one_mode;            /* a job: there is no memory for more */
} wsi_params;

/* The stop rule of a job of at most max_sifts. */
static inline wsi_rule
wsi_rule_of(const wsi_params *p, int max_sifts)
{
	const wsi_rule r = {
		p->o.stop, { p->stop[0], p->stop[1], p->stop[2] }, p->o.sifts, max_sifts,
		p->o.check_every, p->rule_at_once, p->compare_crossings && p->o.method != WS_MEMD
	};
	return r;
}

#endif
