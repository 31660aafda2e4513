/*
 * params.h - what algorithms and engines are told: the options with every default and
 * reference resolved (transform/emd/params.c), and the traits that follow from them.
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
	const double *vectors;    /* [direction][channel] of length 1; WS_METHOD_MEMD only */

	/* Traits of extrema and knots. */
	double resolution;        /* steps of this share of the input's magnitude are flat */
	bool centred;             /* a large offset is taken off first and put back to the residue;
	                             energies are about the mean */
	bool plateaus;            /* false: strict extrema only */
	bool lone_steps;          /* a flat step alone counts if it is not 0 (math/plateau.h) */
	bool half_ticks;          /* an even plateau's knot lies between two samples */
	bool cyclic;
	bool lower_middle;        /* a plateau's middle between two samples is rounded down */
	bool vanishing;           /* projections below 1e-6 throughout are zero */
	bool rule_at_once;        /* the stop rule judges before the first sift already, as
	                             references do; its verdict then depends on offsets */
	bool plain_hammersley;    /* the Hammersley set without memd.m's special case of three
	                             channels and without its repeated prime */
	int min_each;             /* fewest maxima, and minima, of a projection with envelopes */
	/* Traits of the loops. */
	int min_extrema;          /* fewer end sifting and decomposition; 0: never */
	bool needs_both;          /* sifting ends, too, where maxima or minima are missing: the
	                             boundary rule would have nothing to make knots of */
	double tiny_range;        /* a residue whose range is below this share of the input's is
	                             rounding */
	bool tiny_modes;          /* modes below tiny_range are kept, as references do */
	bool compare_crossings;   /* rilling: zero crossings and extrema must agree */
	double stop[3];           /* as math/stop.h wants them */
	double max_energy_ratio;  /* sum x^2 / sum r^2 that ends the decomposition; 0: none */
	/* Traits of ensembles. */
	bool imf_ends;            /* ceemdan.m: M(y) = y where y needs no sift, and a residue
	                             that needs none is the last */
	bool noise_residue;       /* a noise's residue is its last mode; false: it is never used */
	bool noise_as_given;      /* CEEMDAN's first noise is not divided by its std at constant
	                             SNR */
	bool rest_is_mode;        /* E_1(y) = y where y has no mode: the first row of emd.m */
	/* a residue whose steps change sign twice at most is the last */
	bool ends_by_extrema;
	int noise_max_sifts;      /* bound while the noise itself is decomposed */
	/* Of the plan. */
	bool one_mode;            /* memory suffices for one mode of each row at a time only */
	bool no_teams; /* nor for what blocks of a row tell each other (cuda/emd/team.h) */
} wsi_params;

/* The stop rule of a job of at most max_sifts. */
static inline wsi_rule
wsi_rule_of(const wsi_params *p, int max_sifts)
{
	const wsi_rule r = {
		p->o.stop_rule, { p->stop[0], p->stop[1], p->stop[2] }, p->o.sifts, max_sifts,
		p->o.check_every, p->rule_at_once, p->compare_crossings &&
			p->o.method != WS_METHOD_MEMD
	};
	return r;
}

#endif
