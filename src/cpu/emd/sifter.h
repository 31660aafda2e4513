/*
 * sifter.h - the sifting loop of one signal.
 *
 * A sifter is worked on by a team of `size` threads, each with its own rank,
 * range of words and scratch; a team of one never waits.  Every member calls
 * every function; results do not depend on the size of the team.  Between two sifts a team takes
 * in threads that have nothing else to do (door.h).
 */
#ifndef WSI_SIFTER_H
#define WSI_SIFTER_H

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

void wsi_member_layout(wsi_member *m, const wsi_ops *ops, wsi_arena *arena);

/* Lays out a sifter for a team of up to `most`; wsi_sifter_start() once it has its place. */
void wsi_sifter_layout(wsi_sifter *s, const wsi_ops *ops, const wsi_params *params, int most,
                       wsi_progress *progress, wsi_arena *arena);
void wsi_sifter_start(wsi_sifter *s);

/* Who is in the team, before its members start: members[size]. */
void wsi_sifter_team(wsi_sifter *s, wsi_member *members, int size);

/* Row i of a job. */
wsi_sifted wsi_sifter_sift(wsi_sifter *s, int rank, const wsi_sift_job *job, int i);

/* Goes on with the row at work, where the door has taken in a thread as this rank. */
void wsi_sifter_join(wsi_sifter *s, int rank, wsi_member *member);

/* Of one row. */
wsi_extent wsi_sifter_extent(wsi_sifter *s, int rank, const void *x);
bool wsi_sifter_oscillates(wsi_sifter *s, int rank, const void *x, wsi_extent input);

/* In fixed order; a team of one only. */
void wsi_sifter_mean_std(const wsi_sifter *s, const void *x, double *mean, double *std);
double wsi_sifter_energy(const wsi_sifter *s, const void *x);

#endif
