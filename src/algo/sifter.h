/*
 * sifter.h - one signal being sifted: r, the ping-pong pair h, the marks.
 *
 * A sifter is worked on by a team of `size` threads, each with its own rank,
 * range of words and scratch; a team of one never waits.  Every member calls
 * every function; results do not depend on the size of the team.
 */
#ifndef WSI_SIFTER_H
#define WSI_SIFTER_H

#include "algo/params.h"
#include "base/arena.h"
#include "base/barrier.h"
#include "base/progress.h"
#include "math/stop.h"
#include "ops/ops.h"

/* What one member of the team computes for all to read. */
typedef struct wsi_share {
	wsi_counts counts;
	wsi_mean_counts above;
	double min, max;
	char pad[WSI_ALIGN];
} wsi_share;

typedef struct wsi_sifter {
	const wsi_ops *ops;
	const wsi_params *params;
	size_t n;
	int size;                /* of the team; never above that of the layout */
	wsi_barrier barrier;
	double flat;             /* steps of h of at most this are none; of the input */
	wsi_progress *progress;  /* asked now and then whether to stop */
	bool reports;            /* rank 0 is the thread that may call the user */
	void *r;                 /* [time] residue: what is still to be decomposed */
	void *h[2];              /* [time] */
	uint64_t *marks[2];
	double *block_sums;      /* [3][2 * words], and as much for folding */
	wsi_ends *ends;          /* [rank] */
	wsi_share *share;        /* [rank] */
	void **mean_scratch;     /* [rank] */
} wsi_sifter;

typedef struct wsi_sifted {
	const void *mode;        /* [time] r itself where no sift was made */
	int sifts;
	bool oscillates;         /* false: r has too few extrema; mode is not valid */
	bool unfinished;         /* max_sifts came before the stop rule */
	bool cancelled;          /* mode is not valid */
} wsi_sifted;

/* Lays out a sifter; rows padded to whole words.  `own_r`: with room for r. */
void wsi_sifter_layout(wsi_sifter *s, const wsi_ops *ops, const wsi_params *params, int size,
                       bool own_r, wsi_progress *progress, wsi_arena *arena);

/* Sets the size of the team, before its members start. */
void wsi_team_start(wsi_sifter *s, int size);

/* Waits for the team. */
void wsi_team_wait(wsi_sifter *s);

/* Samples first .. first + count - 1 are this rank's. */
void wsi_team_range(const wsi_sifter *s, int rank, size_t *first, size_t *count);

/* Sifts the fastest mode out of s->r; s->r stays as it is. */
wsi_sifted wsi_sift(wsi_sifter *s, int rank, int max_sifts);

/* The same as a step of a decomposition whose input had this range: does not
 * oscillate either where r is spent, or the mode no more than rounding. */
wsi_sifted wsi_extract(wsi_sifter *s, int rank, double input_range, int max_sifts);

/* Extent of a row: what rounding and tiny rests are measured by. */
typedef struct wsi_extent {
	double range;            /* max - min */
	double magnitude;        /* max |x| */
} wsi_extent;

wsi_extent wsi_extent_of(wsi_sifter *s, int rank, const void *x);

/* Tells s the extent of the input that r stems from, before it sifts. */
void wsi_sifter_scale(wsi_sifter *s, int rank, wsi_extent input);

/* Has s->r anything left to extract? */
bool wsi_oscillates(wsi_sifter *s, int rank, double input_range);

/* Mean and standard deviation (n - 1) in fixed order; a team of one only. */
void wsi_mean_std(const wsi_sifter *s, const void *x, double *mean, double *std);

/* Sum of squares in fixed order. */
double wsi_energy(wsi_sifter *s, int rank, const void *x);

#endif
