/*
 * row.h - one signal being sifted, as the kernels keep it in device memory.
 *
 * Sift and advance alternate: tiles make h minus the mean of its envelopes and
 * mark its extrema; then one block a row reads what they counted, asks the stop
 * rule, makes the knots beyond the ends and tells the row's next phase.
 */
#ifndef WSI_CUDA_ROW_H
#define WSI_CUDA_ROW_H

#include <stdint.h>

#include "math/boundary.h"
#include "math/marks.h"


/* The bitmaps of a signal: its extrema of both kinds (WSI_MAX, WSI_MIN), and their half bits. */
enum { HALVES = 2, BITMAPS = 3 };

enum row_phase {
	ROW_KNOTS,                    /* to be sifted, each tile by knots it collects itself */
	ROW_CUBICS,                   /* to be sifted by cubics of the whole row: they are few */
	ROW_DONE,
	ROW_PHASES = ROW_DONE         /* that there is work in */
};

/* Which buffer holds h. */
enum row_place { ROW_SOURCE, ROW_OUT, ROW_ROOM };

/* Knots beyond one end, ascending. */
template <class T> struct row_extras {
	int n;
	int32_t t[WSI_NEAR];
	T v[WSI_NEAR];
};

/* The level steps that touch the edges of a tile: how many there are from its
 * first step on, and what follows them; how many up to its last, and what
 * precedes them (block/plateaus.cuh). */
struct alignas(16) row_edge {
	int lead, lead_out, trail, trail_in;
};

/* What warps add to while they sift a row; the advance reads and clears it. */
struct row_sums {
	unsigned long long extrema;   /* maxima, minima << 32 */
	unsigned long long signs;     /* zero crossings, wrong signs << 32 */
	unsigned long long above;     /* above sd, above sd2 << 32 */
	unsigned flags;               /* of these: */
};

/* Steps are level; a warp has more extrema of a kind than its share of a tight tile; some of them
 * have half bits. */
enum { ROW_IS_LEVEL = 1, ROW_IS_CROWDED = 2, ROW_HAS_HALVES = 4 };

/* What every block of a row looks at first. */
struct alignas(16) row_head {
	int phase, set, sifts;        /* set: of h's marks */
	int left_inside, right_inside; /* extras inside the signal lie before, and from these on */
	bool halves, had_halves; /* h has half bits; h before it had, whose marks' place is next */
	void *h, *next;               /* [time] what is sifted, and what comes of it */
	double flat;                  /* steps of at most this are none */
	int knots[2];                 /* [kind] ROW_CUBICS: in the row's list */
};

template <class T> struct row {
	row_head head;
	row_sums sums;
	row_extras<T> extra[2][2];    /* [kind][side] */
	wsi_counts counts;            /* of h */
	double range;                 /* of y, for a step */
	int place;                    /* of h */
	wsi_judge judge;
	bool oscillates, unfinished;
	bool crowded;                 /* left as it was, see sift_rows::flow */
};

/* Progress of a row in a relay launch (stage/relay.cuh). */
struct row_relay {
	unsigned sifted;              /* tiles, of all sifts so far */
	unsigned advanced;              /* times, or RELAY_ENDED and more */
};

/* Blocks and rows of a relay launch that have ended; of the rows those that have few knots now. */
struct relay_ends {
	unsigned blocks, rows, few;
};

/* What the host tells about a row. */
struct row_input {
	double scale, flat;
	double least_range;           /* smaller is nothing */
};

/* What became of a row, written by the device into pinned host memory in one store, so that the
 * host can look before the launch is done.  job: number of the job whose answer it is. */
struct alignas(8) row_output {
	int sifts;
	bool oscillates : 1, untouched : 1, unfinished : 1, crowded : 1;
	uint16_t job;
};
static_assert(sizeof(row_output) == sizeof(unsigned long long), "one store");

/* Progress of a relay launch, written the same way: sifts made so far; or, at the end, rows left,
 * and whether another relay suits enough of them. */
struct alignas(8) relay_output {
	int count;                    /* see sift_rows::relayed */
	uint16_t job;
	bool again;
};
static_assert(sizeof(relay_output) == sizeof(unsigned long long), "one store");

#endif
