/* row_sum.c - the sum of many rows in a fixed order. */
#include "algo/row_sum.h"

wsi_row_sum
wsi_row_sum_take(wsi_engine *e, int n)
{
	int levels = 1; /* one more than the blocks fill: room for the block at hand */
	for (int blocks = (n + WSI_BLOCK_ROWS - 1) / WSI_BLOCK_ROWS; blocks > 0; blocks /= 2)
		levels++;
	return (wsi_row_sum){ e->take(e, levels, WSI_USED_OFTEN), 0 };
}

void
wsi_row_sum_add(wsi_engine *e, wsi_row_sum *sum, wsi_rows rows)
{
	const wsi_rows block = wsi_some_rows(sum->level, sum->level.n - 1, 1);
	for (int i = 0; i < rows.n; i += WSI_BLOCK_ROWS, ++sum->blocks) {
		int n = rows.n - i < WSI_BLOCK_ROWS ? rows.n - i : WSI_BLOCK_ROWS;
		int level = 0;
		e->sum(e, block, wsi_some_rows(rows, i, n));
		for (; sum->blocks >> level & 1; ++level)
			e->add(e, block, block, wsi_some_rows(sum->level, level, 1));
		e->copy(e, wsi_some_rows(sum->level, level, 1), block);
	}
}

void
wsi_row_sum_mean(wsi_engine *e, wsi_row_sum *sum, double divisor, wsi_rows y)
{
	/* What is left in the levels, the smallest first. */
	int total = -1;
	for (int level = 0; sum->blocks >> level; ++level) {
		if (!(sum->blocks >> level & 1))
			continue;
		const wsi_rows l = wsi_some_rows(sum->level, level, 1);
		if (total >= 0)
			e->add(e, l, l, wsi_some_rows(sum->level, total, 1));
		total = level;
	}
	e->divide(e, y, wsi_some_rows(sum->level, total, 1), divisor);
	sum->blocks = 0;
}

int
wsi_chunk_rows(int wanted, int n)
{
	int rows = (wanted + WSI_BLOCK_ROWS - 1) / WSI_BLOCK_ROWS * WSI_BLOCK_ROWS;
	return rows < n ? rows : n;
}
