/*
 * layout.h - where things stand in a figure of columns and rows.
 *
 *     title
 *     subtitle                                   note
 *              head              head
 *     label    axis | cell       axis | cell
 *     label    axis | cell       axis | cell
 *                     ticks             ticks
 *                     axis title        axis title
 *
 * Lengths as in style.h, y downwards.
 */
#ifndef WSI_PLOT_LAYOUT_H
#define WSI_PLOT_LAYOUT_H

#include <stddef.h>

#define WSI_MARGIN 24.0

typedef struct wsi_layout {
	double width, height;
	double title, subtitle, head;  /* baselines */
	double ticks, axis_title;
	double first_cell, cell_width, pitch;  /* left of column 0; to the next */
	size_t rows;
	double first_row, mode_height;         /* top of row 0 */
} wsi_layout;

typedef struct wsi_box {
	double x, y, width, height;
} wsi_box;

/* Of the whole figure. */
double wsi_layout_width(size_t columns);

/* label_width: widest row label; axis_width: widest tick label. */
wsi_layout wsi_layout_make(size_t columns, size_t rows, double label_width, double axis_width);

/* Rows are signal, modes, residue: the first stands taller, first and last
 * a little apart. */
wsi_box wsi_layout_cell(const wsi_layout *layout, size_t column, size_t row);

#endif
