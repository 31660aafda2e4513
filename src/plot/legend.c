/* legend.c - what the series of a chart are, over its panel. */
#include "plot/legend.h"

#include <math.h>
#include <stdio.h>

#include "plot/draw.h"
#include "plot/text.h"

#define SAMPLE     16.0  /* width of a line, or of a band, of the legend */
#define LINE       13.0  /* from one line of it to the next */
#define NAME_WIDTH 50.0  /* of a name beside its uppermost line, at least */

/* What a line of the legend is of, left of x. */
static void
draw_sample(cairo_t *cr, const wsi_series *s, double x, double middle)
{
	if (s->low) {
		cairo_set_source_rgba(cr, s->colour.r, s->colour.g, s->colour.b, WSI_BAND);
		cairo_rectangle(cr, x - SAMPLE, middle - 4, SAMPLE, 8);
		cairo_fill(cr);
	} else if (s->width > 0) {
		wsi_draw_colour(cr, s->colour);
		cairo_set_line_width(cr, s->width);
		cairo_move_to(cr, x - SAMPLE, middle);
		cairo_line_to(cr, x, middle);
		cairo_stroke(cr);
	} else {
		cairo_new_path(cr);
		cairo_arc(cr, x - WSI_RADIUS, middle, WSI_RADIUS, 0, 2 * M_PI);
		wsi_draw_colour(cr, s->hollow ? WSI_PAPER : s->colour);
		cairo_fill_preserve(cr);
		wsi_draw_colour(cr, s->colour);
		cairo_stroke(cr);
	}
}

double
wsi_legend_draw(cairo_t *cr, const wsi_chart_panel *panel, double left, double right, double *y,
                bool drawn)
{
	double x = right;
	for (size_t k = panel->n; k-- > 0;) {
		const wsi_series *s = &panel->series[k];
		char label[WSI_TEXT];
		if (!s->label)
			continue;
		snprintf(label, sizeof label, "%s", s->label);
		wsi_text_fit(cr, WSI_FONT_SMALL, label, sizeof label, right - left - SAMPLE - 5);
		const double width = wsi_text_width(cr, WSI_FONT_SMALL, label) + 5;
		if (x < right && x - width - SAMPLE < left) {
			x = right;
			*y -= LINE;
		}
		if (drawn) {
			wsi_text_draw(cr, WSI_FONT_SMALL, WSI_INK, WSI_RIGHT, x, *y, label);
			draw_sample(cr, s, x - width, *y - 3);
		}
		x -= width + SAMPLE + 14;
	}
	if (x > left + NAME_WIDTH || x == right)
		return x;
	*y -= LINE;
	return right;
}
