/*
 * joint.h - the sifting loop of several channels together (multivariate EMD,
 * Rehman & Mandic 2010).
 *
 * A sift is three passes, each shared out among all threads: the steps of all
 * projections, word by word; their extrema and knots, direction by direction
 * (joint_knots.c); h minus the mean of all envelopes, tile by tile.
 */
#ifndef WSI_CPU_JOINT_H
#define WSI_CPU_JOINT_H

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

/* channels: those of one signal, noise included. */
void wsi_joint_layout(wsi_joint *j, const wsi_ops *ops, const wsi_params *params, int threads,
                      wsi_progress *progress, wsi_arena *arena);

/* pool: between its start and stop. */
void wsi_joint_sift(wsi_joint *j, wsi_pool *pool, const wsi_joint_job *job);

/* Fills knots, found and active of a direction from its steps, and the rows of
 * h beyond the signal that its knots need. */
void wsi_joint_find_knots(wsi_joint *j, char *h, size_t direction);

#endif
