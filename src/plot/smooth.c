/* smooth.c - values over time and frequency, spread over their neighbours for a figure. */
#include "plot/smooth.h"

#include <math.h>
#include <stdlib.h>

#include "base/new.h"

#define REACH 3.0   /* of the Gaussian, in standard deviations */

typedef struct line {
	size_t n;
	double *in, *out, *kernel; /* [n] each */
} line;

/* Each value's share goes to neighbours from .. to - 1 only, and all of it. */
static void
spread(line *l, size_t from, size_t to, double deviation)
{
	const size_t most = (size_t)ceil(REACH * deviation), reach = most < l->n ? most : l->n - 1;
	for (size_t k = 0; k <= reach; ++k)
		l->kernel[k] = exp(-0.5 * (double)(k * k) / (deviation * deviation));
	for (size_t i = from; i < to; ++i)
		l->out[i] = 0;
	for (size_t i = from; i < to; ++i) {
		const size_t first = i - from < reach ? from : i - reach;
		const size_t end = to - i <= reach ? to : i + reach + 1;
		double sum = 0;
		if (l->in[i] == 0)
			continue;
		for (size_t j = first; j < end; ++j)
			sum += l->kernel[j < i ? i - j : j - i];
		for (size_t j = first; j < end; ++j)
			l->out[j] += l->in[i] / sum * l->kernel[j < i ? i - j : j - i];
	}
}

/* Along rows, segment by segment. */
static void
spread_columns(line *l, float *row, size_t columns, const wsi_smoothing *how)
{
	for (size_t c = 0; c < columns; ++c)
		l->in[c] = isfinite(row[c]) ? row[c] : 0;
	for (size_t from = 0, k = 0; from < columns;) {
		while (k < how->n_cuts && how->cuts[k] <= from)
			++k;
		const size_t to = k < how->n_cuts && how->cuts[k] < columns
		        ? how->cuts[k] : columns;
		spread(l, from, to, how->columns);
		from = to;
	}
	for (size_t c = 0; c < columns; ++c)
		row[c] = (float)l->out[c];
}

/* Along a column. */
static void
spread_rows(line *l, float *values, size_t rows, size_t columns, const wsi_smoothing *how)
{
	for (size_t r = 0; r < rows; ++r) {
		const double v = values[r * columns];
		l->in[r] = isfinite(v) ? v * (how->weight ? how->weight[r] : 1) : 0;
	}
	spread(l, 0, rows, how->rows);
	for (size_t r = 0; r < rows; ++r)
		values[r * columns] = (float)(l->out[r] / (how->weight ? how->weight[r] : 1));
}

ws_status
wsi_smooth(float *values, size_t rows, size_t columns, const wsi_smoothing *how)
{
	const size_t n = rows > columns ? rows : columns;
	double *all;
	WSI_NEW(all, 3 * n + 1, "not enough memory for the figure");
	line l = { n, all, all + n, all + 2 * n };
	for (size_t i = 0; how->amplitude && i < rows * columns; ++i)
		values[i] *= values[i];
	for (size_t r = 0; how->columns > 0 && r < rows; ++r)
		spread_columns(&l, values + r * columns, columns, how);
	for (size_t c = 0; how->rows > 0 && c < columns; ++c)
		spread_rows(&l, values + c, rows, columns, how);
	for (size_t i = 0; how->amplitude && i < rows * columns; ++i)
		values[i] = sqrtf(values[i]);
	free(all);
	return WS_OK;
}
