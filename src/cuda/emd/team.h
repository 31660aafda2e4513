/*
 * team.h - what the blocks of a row's tiles tell each other while they sift the
 * row from beginning to end (block/team.cuh).
 */
#ifndef WSI_CUDA_TEAM_H
#define WSI_CUDA_TEAM_H

#include "cuda/device/math.cuh"
#include "cuda/emd/row.h"

/* Tiles of a row that a team may have. */
constexpr int TEAM_TILES = 640;
/* Samples that a tile of a team may have. */
constexpr int TEAM_SAMPLES = 4096;

/* What every block of a team reads of a tile. */
struct alignas(8) team_word {
	unsigned knots;               /* maxima, minima << 16; TEAM_TOUCHED */
	unsigned edge;                /* its row_edge, team_edge */
};

/* A run of level steps touches an edge of the tile. */
constexpr unsigned TEAM_TOUCHED = 1u << 15;

/* What other blocks may want of a tile: the knots nearest each of its edges, or all where there are
 * no more; its first and last sample; the groups of its samples in which a run of level steps
 * touches an edge; its extremes and its sums. */
template <class T> struct team_note {
	static constexpr int EDGE = real<T>::REACH + 4;
	int32_t t[2][2 * EDGE];
	T v[2][2 * EDGE];
	T first, last;
	alignas(16) T run[TEAM_SAMPLES];
	unsigned long long low, high; /* order.cuh */
	double sum[3];
};

/* Where they tell it: by turns in two places, so that nobody overwrites what
 * another has yet to read. */
template <class T> struct team_board {
	team_word *word;              /* [2][blocks] */
	uint2 *signs;                 /* [2][blocks] and samples above, as a tally has them */
	team_note<T> *note;           /* [2][blocks] */
	unsigned *arrived; /* [blocks] a team's first: blocks that came to its meetings */
	int blocks;
};

#endif
