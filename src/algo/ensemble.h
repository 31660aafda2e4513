/*
 * ensemble.h - what the ensemble methods share.
 *
 * Realizations advance stage by stage (a stage is a mode), so that the state
 * is one residue a realization, I x N, whatever the number of modes.  Within
 * a stage they go in chunks, each a whole number of blocks of 32: rows of a
 * block are added in order of their index, blocks by a binary tree.  Neither
 * chunks nor threads can change the order of a sum.
 */
#ifndef WSI_ENSEMBLE_H
#define WSI_ENSEMBLE_H

#include "algo/algo.h"

#define WSI_BLOCK_ROWS 32

/* A sum of rows under way: level l holds the sum of 2^l blocks. */
typedef struct wsi_row_sum {
	char *levels;           /* [levels][time] */
	int blocks;             /* added so far */
} wsi_row_sum;

typedef struct wsi_ensemble {
	const wsi_work *work;
	size_t row;             /* bytes of a padded row */
	int realizations;
	int chunk;              /* realizations that are worked on together */
	int levels;             /* rows of a wsi_row_sum */
	wsi_sifter *sifters;    /* [thread], without r */
	char *state;            /* [realization][time] residue of each member */
	wsi_extent *extent;     /* [realization] of the member's input */
	bool *alive;            /* [realization] has modes left */
	char *out;              /* [chunk][time] what a stage yields */
} wsi_ensemble;

/* What every method needs, then the method's own. */
void wsi_ensemble_layout(wsi_ensemble *e, const wsi_work *work, wsi_arena *arena);
void wsi_row_sum_layout(wsi_row_sum *sum, const wsi_ensemble *e, wsi_arena *arena);

static inline void *
wsi_row(const wsi_ensemble *e, char *rows, int i)
{
	return rows + (size_t)i * e->row;
}

/* Noise w_i of a stream, from the caller's array where there is one. */
void wsi_noise_row(const wsi_ensemble *e, uint32_t stream, int realization, void *out);

/* Adds rows[0..count); chunks come in order, all but the last full. */
void wsi_row_sum_add(const wsi_ensemble *e, wsi_row_sum *sum, const char *rows, int count);
/* out = sum / divisor, and the sum starts anew. */
void wsi_row_sum_take(const wsi_ensemble *e, wsi_row_sum *sum, double divisor, void *out);

/* Extracts the next mode of state[i] into out, or zeroes it where there is
 * none; false then. */
bool wsi_next_mode(wsi_ensemble *e, int thread, int i, int max_sifts, void *out,
                   wsi_sifted *sifted);

#endif
