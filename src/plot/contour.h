/*
 * contour.h - the line on which a grid of values is 1, by straight lines through its cells.
 */
#ifndef WSI_PLOT_CONTOUR_H
#define WSI_PLOT_CONTOUR_H

#include <cairo.h>
#include <stddef.h>

/* Four corners of a cell: rows r, r + 1 at heights y[2], columns c, c + 1 at x[2];
 * value[row][column].  Adds the parts of the line within the cell to cr's path. */
void wsi_contour_cell(cairo_t *cr, const double x[2], const double y[2],
                      const double value[2][2]);

#endif
