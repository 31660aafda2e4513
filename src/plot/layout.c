/* layout.c - geometry of a figure of columns and rows. */
#include "plot/layout.h"

#include <math.h>

#define ROW_GAP       11.0  /* between cells; holds the small print of the lower one */
#define GROUP_GAP     7.0   /* more, after the first row and before the last */
#define SIGNAL_SHARE  1.3   /* height of the first row over that of a mode */
#define LABEL_GAP     12.0
#define AXIS_GAP      6.0   /* tick label to cell: the tick and a space */
#define COLUMN_GAP    14.0

double
wsi_layout_width(size_t columns)
{
	if (columns > 8)
		return 1200 + 140 * (double)(columns - 8);
	return fmin(840 + 110 * (double)(columns - 1), 1200);
}

wsi_layout
wsi_layout_make(size_t columns, size_t rows, double label_width, double axis_width)
{
	wsi_layout l = {.width = wsi_layout_width(columns), .rows = rows};
	double left = WSI_MARGIN + label_width + LABEL_GAP;
	double axis = axis_width + AXIS_GAP;
	l.pitch = (l.width - WSI_MARGIN - left + COLUMN_GAP) / (double)columns;
	l.cell_width = l.pitch - COLUMN_GAP - axis;
	l.first_cell = left + axis;

	l.title = 34;
	l.subtitle = 51;
	l.head = 77;
	l.first_row = 91;
	/* About 560 in all, within what reads well. */
	double shares = (double)rows - 1 + SIGNAL_SHARE;
	l.mode_height = fmin(fmax((560 - ROW_GAP * (double)rows) / shares, 30), 96);
	wsi_box last = wsi_layout_cell(&l, 0, rows - 1);
	double bottom = last.y + last.height;
	l.ticks = bottom + 16;
	l.axis_title = bottom + 31;
	l.height = ceil(l.axis_title + 18);
	return l;
}

wsi_box
wsi_layout_cell(const wsi_layout *l, size_t column, size_t row)
{
	wsi_box box = {.x = l->first_cell + l->pitch * (double)column, .y = l->first_row,
	               .width = l->cell_width, .height = SIGNAL_SHARE * l->mode_height};
	if (row > 0) {
		box.y += box.height + GROUP_GAP + ROW_GAP;
		box.y += (double)(row - 1) * (l->mode_height + ROW_GAP);
		if (row + 1 == l->rows)
			box.y += GROUP_GAP;
		box.height = l->mode_height;
	}
	return box;
}
