/* contour.c - the line on which a grid of values is 1, by straight lines through its cells. */
#include "plot/contour.h"

#include <stdbool.h>

/* Where the line meets an edge: 0 left, 1 top, 2 right, 3 bottom.  False: nowhere. */
static bool
meets(int edge, const double x[2], const double y[2], const double v[2][2], double at[2])
{
	static const int row[4][2] = { { 0, 1 }, { 0, 0 }, { 0, 1 }, { 1, 1 } };
	static const int column[4][2] = { { 0, 0 }, { 0, 1 }, { 1, 1 }, { 0, 1 } };
	const double a = v[row[edge][0]][column[edge][0]], b = v[row[edge][1]][column[edge][1]];
	if ((a > 1) == (b > 1))
		return false;
	const double share = (1 - a) / (b - a);
	at[0] = x[column[edge][0]] + share * (x[column[edge][1]] - x[column[edge][0]]);
	at[1] = y[row[edge][0]] + share * (y[row[edge][1]] - y[row[edge][0]]);
	return true;
}

void
wsi_contour_cell(cairo_t *cr, const double x[2], const double y[2], const double value[2][2])
{
	double point[4][2];
	int n = 0;
	for (int edge = 0; edge < 4; ++edge)
		n += meets(edge, x, y, value, point[n]);
	/* Of a saddle, two lines. */
	for (int i = 0; i + 1 < n; i += 2) {
		cairo_move_to(cr, point[i][0], point[i][1]);
		cairo_line_to(cr, point[i + 1][0], point[i + 1][1]);
	}
}
