/*
 * sifter.h - the sifting loop of one signal.
 *
 * A sifter is worked on by a team of `size` threads, each with its own rank,
 * range of words and scratch; a team of one never waits.  Every member calls
 * every function; results do not depend on the size of the team.
 */
#ifndef WSI_SIFTER_H
#define WSI_SIFTER_H

#include "base/barrier.h"
#include "math/stop.h"
#include "ops/engine.h"

/* Knots of one kind in the order in which they are met on a way. */
typedef struct wsi_walk {
	int n;
	int32_t t[WSI_BEYOND];   /* ticks */
	double v[WSI_BEYOND];
} wsi_walk;

/* What one member of the team computes for all to read. */
typedef struct wsi_share {
	wsi_walk edge[2][2];     /* [kind][side] extrema of its words, from that side inwards */
	wsi_counts counts[2];    /* [set] as the marks: the last are read while the next are made */
	wsi_mean_counts above;
	double min, max;
	char pad[WSI_ALIGN];
} wsi_share;

typedef struct wsi_sifter {
	const wsi_ops *ops;
	const wsi_params *params;
	wsi_progress *progress;
	bool reports;            /* rank 0 is the thread that may call the user */
	size_t n;
	int size;                /* of the team; never above that of the layout */
	wsi_barrier barrier;
	void *y;                 /* [time] r + scale b, for methods that add */
	void *room;              /* [time] the other half of the ping-pong */
	uint64_t *marks[2][2];   /* [set][kind]: of h, and of the next h while it is made */
	uint64_t *half[2];       /* [set]: which of these lie half a sample earlier; or NULL */
	double *block_sums;      /* [3][2 * words] */
	wsi_ends *ends;          /* [rank] */
	wsi_share *share;        /* [rank] */
	void **mean_scratch;     /* [rank] */
} wsi_sifter;

/* Lays out a sifter for a team of up to `size`. */
void wsi_sifter_layout(wsi_sifter *s, const wsi_ops *ops, const wsi_params *params, int size,
                       wsi_progress *progress, wsi_arena *arena);

/* Sets the size of the team, before its members start. */
void wsi_sifter_team(wsi_sifter *s, int size);

/* Row i of a job. */
wsi_sifted wsi_sifter_sift(wsi_sifter *s, int rank, const wsi_sift_job *job, int i);

/* Of one row. */
wsi_extent wsi_sifter_extent(wsi_sifter *s, int rank, const void *x);
bool wsi_sifter_oscillates(wsi_sifter *s, int rank, const void *x, wsi_extent input);

/* In fixed order; a team of one only. */
void wsi_sifter_mean_std(const wsi_sifter *s, const void *x, double *mean, double *std);
double wsi_sifter_energy(const wsi_sifter *s, const void *x);

#endif
