/* layout.c - geometry of a figure of columns and rows. */
#include "plot/layout.h"

#include <math.h>

#define FIRST_ROW    91.0
#define ROW_GAP      11.0  /* between cells; holds the small print of the lower one */
#define LABEL_GAP    12.0
#define AXIS_GAP     6.0   /* tick label to cell: the tick and a space */
#define COLUMN_GAP   14.0
#define NARROW_GAP   9.0   /* where columns are many */
#define LEAST_CELL   62.0  /* width at which a mean frequency still stands over a cell */
#define MANY_COLUMNS 8

double
wsi_layout_width(size_t columns)
{
	return fmin(840 + 110 * (double)(columns - 1), 1200);
}

/* About 560 in all, more on a wide page, within what reads well; or what a page has room for. */
static void
place_rows(wsi_layout *l, const wsi_grid *g)
{
	double others = (double)g->rows - 1;
	double room = fmax(560, 0.3 * l->width) - ROW_GAP * (double)g->rows;
	if (g->height > 0)
		room = g->height - FIRST_ROW - WSI_AXIS_TITLE - 18 - g->first_gap - g->last_gap -
		       ROW_GAP * others;
	l->row_height = fmax(room / (others + g->first_share), g->height > 0 ? 14 : 30);
	l->row_height = g->height > 0 ? l->row_height : fmin(l->row_height, 96);
	l->first_height = g->first_share * l->row_height;
	l->first_gap = g->first_gap;
	l->last_gap = g->last_gap;
}

wsi_layout
wsi_layout_make(const wsi_grid *g)
{
	wsi_layout l = {.columns = g->columns, .rows = g->rows};
	double gap = g->columns > MANY_COLUMNS ? NARROW_GAP : COLUMN_GAP;
	double axis = g->tick_width + AXIS_GAP;
	double left = WSI_MARGIN + g->label_width + LABEL_GAP;
	double aside = g->aside_width > 0 ? g->aside_width + COLUMN_GAP : 0;
	double taken = left + aside + WSI_MARGIN;
	for (size_t c = 0; c < g->columns; ++c)
		taken += (c > 0 ? gap : 0) + (c == 0 || (g->has_axis && g->has_axis[c]) ? axis : 0);
	double n = (double)g->columns;
	l.width = fmax(g->width > 0 ? g->width : wsi_layout_width(g->columns),
	               taken + n * LEAST_CELL);
	l.width = g->width > 0 ? l.width : ceil(l.width);
	l.cell_width = (l.width - taken) / n;
	for (size_t c = 0; c < g->columns; ++c) {
		left += c == 0 || (g->has_axis && g->has_axis[c]) ? axis : 0;
		l.x[c] = left;
		left += l.cell_width + gap;
	}
	l.aside = l.width - WSI_MARGIN - g->aside_width;
	place_rows(&l, g);
	wsi_box last = wsi_layout_cell(&l, 0, g->rows - 1);
	l.foot = last.y + last.height;
	l.height = ceil(l.foot + WSI_AXIS_TITLE + 18);
	return l;
}

wsi_box
wsi_layout_cell(const wsi_layout *l, size_t column, size_t row)
{
	wsi_box box = {.x = l->x[column], .y = FIRST_ROW, .width = l->cell_width,
	               .height = l->first_height};
	if (row > 0) {
		box.y += l->first_height + l->first_gap + ROW_GAP;
		box.y += (double)(row - 1) * (l->row_height + ROW_GAP);
		if (row + 1 == l->rows)
			box.y += l->last_gap;
		box.height = l->row_height;
	}
	return box;
}
