/*
 * scale.c - which channels share the scales of their rows.
 *
 * The amplitudes of one mode are to be compared along its row, as are those of
 * channels in any picture of an EEG, so channels of one unit share a scale.
 */
#include <math.h>
#include <string.h>

#include "plot/figure.h"

/* Of the heights of two signals; beyond it the lower one would be a line. */
#define MOST_RATIO 30.0

static double
height(const wsi_figure *f, size_t channel, size_t row)
{
	const wsi_trace *t = &wsi_figure_cell(f, channel, row)->trace;
	return t->hi - t->lo;
}

static bool
may_share(const wsi_figure *f, size_t a, size_t b)
{
	double x = height(f, a, 0), y = height(f, b, 0);
	return strcmp(f->data->units[a], f->data->units[b]) == 0 &&
	       fmax(x, y) <= MOST_RATIO * fmin(x, y);
}

/* The scale of a row for the channels that begin with leader, also for those
 * that have no such mode: the axis may stand before one of them. */
static void
scale_row(wsi_figure *f, size_t leader, size_t row)
{
	double lo = INFINITY, hi = -INFINITY, tallest = 0;
	for (size_t c = leader; c < f->data->n_channels; ++c) {
		const wsi_trace *t = &wsi_figure_cell(f, c, row)->trace;
		if (f->scale[c] != leader || !t->points)
			continue;
		lo = fmin(lo, t->lo);
		hi = fmax(hi, t->hi);
		tallest = fmax(tallest, t->hi - t->lo);
	}
	if (lo > hi)
		return;
	const bool from_zero = row > 0 && f->data->from_zero;
	lo = from_zero ? fmin(lo, 0) : lo;
	bool is_mode = row > 0 && !f->data->labels && !wsi_figure_is_residue(f, row);
	/* Offsets, such as those of electrodes, would hide what moves. */
	bool apart = !is_mode && !from_zero && hi - lo > 2 * tallest;
	for (size_t c = leader; c < f->data->n_channels; ++c) {
		wsi_cell *cell = wsi_figure_cell(f, c, row);
		if (f->scale[c] != leader)
			continue;
		if (is_mode)
			wsi_axis_symmetric(&cell->axis, lo, hi);
		else if (!apart)
			wsi_axis_range(&cell->axis, lo, hi);
		else
			wsi_axis_about(&cell->axis, (cell->trace.lo + cell->trace.hi) / 2, tallest);
		if (!apart && !f->has_axis[c])
			cell->axis.note[0] = '\0';
	}
}

void
wsi_figure_scale(wsi_figure *f)
{
	for (size_t c = 0; c < f->data->n_channels; ++c) {
		size_t leader = 0;
		while (leader < c && (f->scale[leader] != leader || !may_share(f, leader, c)))
			++leader;
		f->scale[c] = leader;
		f->has_axis[c] = c % f->per_page == 0 || leader != f->scale[c - 1];
	}
	for (size_t c = 0; c < f->data->n_channels; ++c)
		for (size_t r = 0; f->scale[c] == c && r < f->rows; ++r)
			scale_row(f, c, r);
}
