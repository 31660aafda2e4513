/* coherence_parts.h - the plan of `coherence`, the arrays that a pair of channels has, and the
 * memory that threads work in. */
#ifndef WSI_TRANSFORM_COHERENCE_PARTS_H
#define WSI_TRANSFORM_COHERENCE_PARTS_H

#include "base/arena.h"
#include "transform/cwt/coherence_level.h"
#include "transform/cwt/coherence_window.h"
#include "transform/cwt/family.h"

typedef struct wsi_coherence_plan {
	wsi_cwt_plan family;    /* without epochs its transform does not decimate */
	ws_cwt_opts o;          /* resolved */
	bool smooth;            /* without epochs */
	bool shuffle;           /* levels are of epochs in another order */
	size_t outputs;         /* of a row of the result */
	wsi_smoothing smoothing;
	wsi_surrogates surrogates;
	size_t most_rows;       /* of sums, that a part of the frequencies needs */
	wsi_cwt_job_gaussian *gaussians; /* on a GPU, over time: what its job lists */
	double *parts;
} wsi_coherence_plan;

static inline const wsi_coherence_plan *
wsi_coherence_plan_of(const ws_plan *plan)
{
	return (const wsi_coherence_plan *)plan;
}

/* What a pair has: rows of time, levels of frequencies, and rows of levels and of clusters. */
enum {
	PAIR_COHERENCE, PAIR_LOCKING, PAIR_CROSS, PAIR_IMAGINARY,
	PAIR_ROWS, PAIR_LEVEL = PAIR_ROWS, PAIR_LEVEL_LOCKING,
	PAIR_SHUFFLED, PAIR_CLUSTERS = PAIR_SHUFFLED + 2, PAIR_KINDS = PAIR_CLUSTERS + 2
};

/* Its array, of a channel's pair with one, or of all pairs. */
extern const int wsi_coherence_array[2][PAIR_KINDS];

bool wsi_coherence_of_all(const wsi_coherence_plan *plan);
/* Is a kind made by these options? */
bool wsi_coherence_has(const wsi_coherence_plan *plan, int kind);

/* What a thread works in: coefficients of one frequency, w of a channel, v of the one that it is
 * compared with, and sums over epochs. */
typedef struct wsi_coherence_own {
	char *w, *v;            /* [outputs] complex, of one epoch or, to be shuffled, of each */
	size_t next;            /* bytes to the next epoch's, or 0 */
	double *power_w, *power_v, *re, *im, *unit_re, *unit_im; /* [outputs] */
	void *rest;             /* of smoothing */
	/* Of shuffled epochs: */
	double *values[2];      /* [1 + noise_signals][outputs]: coherence, locking */
	double *sorted;         /* [noise_signals] */
	size_t *order;          /* [epoch] */
} wsi_coherence_own;

enum { PAIR_SUMS = 6 };         /* the rows of doubles, in that order */

wsi_coherence_own wsi_coherence_take_own(const wsi_coherence_plan *plan, wsi_arena *arena);

/* What all threads work in: of a pair over time rows of sums [most_rows][PAIR_SUMS][outputs]; of
 * signals of noise over time counts of values for each frequency of the part, a signal and scratch;
 * of clusters their maps, of the pair itself and, of epochs, of each signal of noise. */
typedef struct wsi_coherence_shared {
	double *rows;
	char *kept;             /* over epochs, [frequency][epoch][outputs] complex of the channel
	                           that others are compared with; or NULL: made for each of them */
	wsi_level_counts *counts; /* [frequency][coherence, locking] */
	void *signal, *scratch;
	uint8_t *maps;          /* [map][coherence, locking][frequency][outputs] */
	double *levels;         /* over time, [frequency][coherence, locking] */
	wsi_clusters clusters[2];
	double *p;              /* [frequency][outputs] */
} wsi_coherence_shared;

/* Are the coefficients of the channel that others are compared with kept? */
bool wsi_coherence_keeps(const wsi_coherence_plan *plan);
/* Bytes of those of an epoch. */
static inline size_t
wsi_coherence_row_bytes(const wsi_coherence_plan *plan)
{
	return 2 * plan->family.cwt->outputs * plan->family.cwt->ops->element;
}
wsi_coherence_shared wsi_coherence_take_shared(const wsi_coherence_plan *plan, wsi_arena *arena);
/* Maps of clusters: of the pair itself and, of epochs, of each signal of noise. */
size_t wsi_coherence_maps(const wsi_coherence_plan *plan);
uint8_t *wsi_coherence_map_row(const wsi_coherence_plan *plan, const wsi_coherence_shared *p,
                               size_t map, int k, size_t item);

#endif
