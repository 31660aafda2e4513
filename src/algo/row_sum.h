/*
 * row_sum.h - the sum of many rows in a fixed order: blocks of 32 rows, each
 * added one after the other by index, then a binary tree over the blocks.
 * However the rows are handed over in chunks, the order stays the same.
 */
#ifndef WSI_ROW_SUM_H
#define WSI_ROW_SUM_H

#include "ops/engine.h"

#define WSI_BLOCK_ROWS 32

typedef struct wsi_row_sum {
	wsi_rows level;         /* row l holds the sum of 2^l blocks */
	int blocks;             /* added so far: its bits tell which levels are in use */
} wsi_row_sum;

/* For up to n rows. */
wsi_row_sum wsi_row_sum_take(wsi_engine *e, int n);

/* Chunks come in order, all but the last a multiple of WSI_BLOCK_ROWS. */
void wsi_row_sum_add(wsi_engine *e, wsi_row_sum *sum, wsi_rows rows);

/* Row 0 of y = sum / divisor; the sum starts anew. */
void wsi_row_sum_mean(wsi_engine *e, wsi_row_sum *sum, double divisor, wsi_rows y);

/* Rows to work on together, of `wanted`: a whole number of blocks, or all n. */
int wsi_chunk_rows(int wanted, int n);

#endif
