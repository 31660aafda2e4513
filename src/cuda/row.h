/*
 * row.h - one signal being sifted, as the kernels keep it in device memory.
 *
 * A row goes from phase to phase, one kernel launch each (or one turn of the
 * loop where a block has a row to itself); the block that is the last to
 * finish a row's phase decides what the next one is (block/turn.cuh).
 */
#ifndef WSI_CUDA_ROW_H
#define WSI_CUDA_ROW_H

#include <stdint.h>

#include "math/boundary.h"
#include "math/marks.h"

enum row_phase {
	ROW_SIFT,                     /* subtract the mean of the envelopes, mark what comes out */
	ROW_DONE
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
struct row_edge {
	int lead, lead_out, trail, trail_in;
};

/* What blocks add to while a phase lasts; the block that ends it clears them. */
struct row_sums {
	unsigned long long extrema;   /* maxima, minima << 32 */
	unsigned long long signs;     /* zero crossings, wrong signs << 32 */
	unsigned long long above;     /* above sd, above sd2 << 32 */
	unsigned level;
	unsigned blocks;              /* that are through */
};

/* What every block of a row looks at first. */
struct alignas(16) row_head {
	int phase, set, sifts;        /* set: of h's marks */
	int extras_inside;            /* some lie inside the signal */
	void *h, *next;               /* [time] what is sifted, and what comes of it */
	double flat;                  /* steps of at most this are none */
};

template <class T> struct row {
	row_head head;
	row_sums sums;
	row_extras<T> extra[2][2];    /* [kind][side] */
	wsi_counts counts, previous;  /* of h, and of h one sift ago */
	int place;                    /* of h */
	int run;
	bool oscillates, unfinished;
};

/* What the host tells about a row. */
struct row_input {
	double scale, flat;
	double least_range;           /* smaller is nothing */
};

/* What it is told. */
struct row_output {
	int sifts;
	bool oscillates, untouched, unfinished;
};

#endif
