/*
 * row_sum.h - the sum of many rows in a fixed order: blocks of 32 rows, each
 * added one after the other by index, then a binary tree over the blocks.
 * However the rows are handed over in chunks, the order stays the same; so it
 * does where several devices have some blocks each.
 */
#ifndef WSI_ROW_SUM_H
#define WSI_ROW_SUM_H

#include "algo/algo.h"

#define WSI_BLOCK_ROWS 32
#define WSI_MOST_NODES 64

/* The sum of 2^level blocks, of which the first has a number that is a multiple of as many. */
typedef struct wsi_node { int first, level; } wsi_node;

/* Several sums side by side, to each of which as many rows are added. */
typedef struct wsi_row_sum {
	const wsi_work *work;
	wsi_rows rows;          /* [node][sum] of nodes that have no neighbour yet to be added to,
	                           in order */
	int many, sums;         /* that there is room for, and that there are */
	int depth;              /* how many there are */
	wsi_node node[WSI_MOST_NODES];
	int first, next;        /* blocks: the device's first, the one that comes next */
	/* What peers look at: rows of the nodes that were added here. */
	char *shown;
	int shown_depth;
	wsi_node shown_node[WSI_MOST_NODES];
} wsi_row_sum;

int wsi_blocks_of(int n);

/* Room for `many` sums of n rows each, which all devices at work have together; several only of
 * a device that is alone. */
wsi_row_sum wsi_row_sum_take(const wsi_work *w, wsi_engine *e, int n, int many);

/* Adds rows.n rows to each of sum->sums sums, for sum i from row i * apart on.  Chunks come in
 * order from the device's first row on, all but the last a multiple of WSI_BLOCK_ROWS. */
void wsi_row_sum_add(wsi_engine *e, wsi_row_sum *sum, wsi_rows rows, int apart);

/* Row i of y = sum i / divisor, of the rows of all devices; the sums start anew. */
void wsi_row_sum_mean(wsi_engine *e, wsi_row_sum *sum, double divisor, wsi_rows y);

/* Rows to work on together, of `wanted`: a whole number of blocks, or all n. */
int wsi_chunk_rows(int wanted, int n);

/* Channels of which `rows` rows each are well worked on together. */
int wsi_group_channels(const wsi_work *w, const wsi_engine *e, int rows);

/* The rows of n that this device has: whole blocks, as many as the others. */
typedef struct wsi_members { int first, end; } wsi_members;
wsi_members wsi_own_members(const wsi_work *w, int n);

#endif
