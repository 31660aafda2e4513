/* joint_knots.h - a sift of several channels together, and the knots of its directions. */
#ifndef WSI_CPU_JOINT_KNOTS_H
#define WSI_CPU_JOINT_KNOTS_H

#include <stdatomic.h>

#include "base/items.h"
#include "base/pool.h"
#include "ops/engine.h"

/* What was found on one direction. */
typedef struct wsi_direction {
	int64_t extrema[2];     /* [kind] */
	int64_t zero_crossings;
} wsi_direction;

typedef struct wsi_joint {
	const wsi_ops *ops;
	const wsi_params *params;
	wsi_progress *progress;
	wsi_pool *pool;
	size_t n, channels, lanes, directions;
	size_t words, tiles;    /* of a row of bits, whole tiles; of a signal */
	size_t extras;          /* rows beyond the signal for a side of an envelope */
	char *h[2];             /* [row][lane] (ops.h): the signal, and the next */
	char *u;                /* [channel][direction] */
	wsi_project_args steps;  /* the first pass, on the h at hand */
	char *middle;           /* [sample][lane] or NULL (wsi_project_args) */
	uint64_t *bits;         /* [direction][kind][word] knots */
	uint64_t *half;         /* [direction][word] those that lie half a sample before; not filled
	                           where a direction has none */
	int32_t *before;        /* [direction][kind][tile] */
	int32_t *t;             /* [direction][..] the knots of both envelopes */
	size_t t_stride;
	wsi_knots (*knots)[2];  /* [direction][kind] */
	wsi_direction *found;   /* [direction] */
	bool *active;           /* [direction] */
	double vanished;        /* what vanishing projections stay below */
	double *block_sums;
	void **scratch;         /* [thread] */
	wsi_mean_counts *counts; /* [thread], each on a line of its own */
} wsi_joint;

/* Fills knots, found and active of a direction from its steps, and the rows of
 * h beyond the signal that its knots need. */
void wsi_joint_find_knots(wsi_joint *j, char *h, size_t direction);

#endif
