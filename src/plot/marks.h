/* marks.h - events on the time axis of a figure. */
#ifndef WSI_PLOT_MARKS_H
#define WSI_PLOT_MARKS_H

#include "plot/draw.h"

typedef struct wsi_mark_look {
	wsi_colour line, label;
	double x, per_second;    /* where the first sample lies, and how long a second is */
	bool backed;             /* labels stand on paper */
} wsi_mark_look;

/* More marks than so many have short lines: across the picture they would hide what is under it. */
#define WSI_MARKS_MANY 24
#define WSI_MARK_SHORT 8.0

/* Lines from the upper edge of box down, of marks of data that lie within it. */
void wsi_marks_draw_lines(cairo_t *cr, const wsi_plot_data *data, const wsi_mark_look *look,
                          const wsi_box *box);

/* Labels at a baseline, right of their lines, or left where box ends; marks whose labels would
 * touch have one, "go ×3" or "12 events". */
void wsi_marks_draw_labels(cairo_t *cr, const wsi_plot_data *data, const wsi_mark_look *look,
                           const wsi_box *box, double y);

#endif
