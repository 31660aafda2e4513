/* legend.h - what the series of a chart are, over its panel. */
#ifndef WSI_PLOT_LEGEND_H
#define WSI_PLOT_LEGEND_H

#include <cairo.h>

#include "plot/series.h"

#define WSI_BAND   0.22  /* opacity of a band */
#define WSI_RADIUS 3.5   /* of a dot */

/* From left to right, the last label at the right edge of the line whose baseline is *y, in as many
 * lines as it needs, of which the uppermost has room for a name, too.  *y becomes this line's;
 * returns where the legend begins in it.  drawn: else it is only measured. */
double wsi_legend_draw(cairo_t *cr, const wsi_chart_panel *panel, double left, double right,
                       double *y, bool drawn);

#endif
