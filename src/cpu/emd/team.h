/*
 * team.h - a team of `size` threads that sift one signal together, each with its own rank, range of
 * words and scratch; a team of one never waits.
 */
#ifndef WSI_TEAM_H
#define WSI_TEAM_H

#include "base/barrier.h"
#include "cpu/emd/door.h"
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

/* A thread's own, in whichever team it works. */
typedef struct wsi_member {
	wsi_ends ends;
	wsi_share share;
	void *mean_scratch;
	bool reports;            /* the thread that may call the user */
} wsi_member;

/* Where a team stands when others come in. */
typedef struct wsi_sift_place {
	const wsi_sift_job *job;
	int row;
	const void *y, *h;       /* what is sifted, and what has become of it */
	int sifts, set;
	double range;            /* of y */
	wsi_judge judge;
} wsi_sift_place;

typedef struct wsi_sifter {
	const wsi_ops *ops;
	const wsi_params *params;
	wsi_progress *progress;
	size_t n;
	wsi_member **team;       /* [rank] */
	int size, most;          /* of the team, and that it may have */
	wsi_barrier barrier;
	wsi_door door;
	/* What rank 0 says before the team meets, for all to see behind that: */
	bool stop;               /* the user has cancelled */
	int coming;              /* so many come in, and which answer of the door tells them */
	uint64_t answers;
	wsi_sift_place place;    /* for those who come in */
	void *y;                 /* [time] r + scale b, for methods that add */
	void *room;              /* [time] the other half of the ping-pong */
	uint64_t *marks[2][2];   /* [set][kind]: of h, and of the next h while it is made */
	uint64_t *half[2];       /* [set]: which of these lie half a sample earlier; or NULL */
	double *block_sums;      /* [3][2 * words] */
} wsi_sifter;

#endif
