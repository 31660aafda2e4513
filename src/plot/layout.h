/*
 * layout.h - where things stand in a figure of columns and rows.
 *
 *     title
 *     subtitle                                   note
 *              head              head
 *     label    axis | cell       cell            aside
 *     label    axis | cell       cell            aside
 *                     ticks      ticks
 *                          axis title
 *
 * Columns of one scale have its axis once, before the first of them.  Lengths
 * as in style.h, y downwards.
 */
#ifndef WSI_PLOT_LAYOUT_H
#define WSI_PLOT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#define WSI_COLUMNS 32  /* most on one page */

#define WSI_MARGIN      24.0
#define WSI_TITLE       34.0  /* baselines from the top of the page */
#define WSI_SUBTITLE    51.0
#define WSI_HEAD        77.0
#define WSI_TICK_LABELS 16.0  /* baselines from the foot of the last row */
#define WSI_AXIS_TITLE  31.0

/* What the figure has to hold. */
typedef struct wsi_grid {
	size_t columns, rows;      /* columns at most WSI_COLUMNS */
	const bool *has_axis;      /* per column; NULL: the first only */
	double width, height;      /* of the page, where they are given; else 0 */
	double label_width;        /* widest row label */
	double tick_width;         /* widest tick label of an axis */
	double aside_width;        /* what stands beside the last column, or 0 */
	double first_share;        /* height of the first row over that of the others */
	double first_gap;          /* between the first row and the next, more than between
	                              others */
	double last_gap;           /* likewise, before the last row */
} wsi_grid;

typedef struct wsi_layout {
	double width, height;
	double x[WSI_COLUMNS], cell_width;     /* left of each column's cells */
	double aside;                          /* left of what stands beside them */
	double foot;                           /* of the last row */
	double row_height, first_height, first_gap, last_gap;
	size_t columns, rows;
} wsi_layout;

typedef struct wsi_box {
	double x, y, width, height;
} wsi_box;

/* Of a whole figure, at least. */
double wsi_layout_width(size_t columns);

/* Gaps that set the signal and the residue apart from the modes. */
#define WSI_GROUP_GAP 7.0

wsi_layout wsi_layout_make(const wsi_grid *grid);

wsi_box wsi_layout_cell(const wsi_layout *layout, size_t column, size_t row);

#endif
