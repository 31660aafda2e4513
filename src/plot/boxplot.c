/* boxplot.c - drawing box plots. */
#include "plot/boxplot.h"

#include <math.h>
#include <stdio.h>

#include "base/status.h"
#include "plot/draw.h"
#include "plot/surface.h"
#include "plot/text.h"

#define TOP         91.0
#define HEIGHT      300.0
#define LOW_HEIGHT  190.0   /* of one of several rows */
#define MOST_BESIDE 16      /* groups of a row */
#define PER_GROUP   58.0    /* width */
#define LEAST_WIDTH 560.0   /* of the page */
#define LEAST_SPAN  1e-3    /* of the axis */
#define BOX         26.0    /* width */
#define TICKS       6
#define FEW         5       /* numbers from which a box says more than they do */
#define COUNTS      15.0    /* height of the line that counts the numbers */

typedef struct geometry {
	wsi_box area;               /* of the first row */
	size_t rows, beside;        /* groups stand in as many rows, so many in each */
	double row_pitch;
	double pitch, width, height;
	wsi_axis axis;
} geometry;

static ws_status
measure(const wsi_boxplot *p, const char *path, geometry *g)
{
	double lo = p->top;
	size_t numbers = 0;
	for (size_t i = 0; i < p->n_groups; ++i) {
		numbers += p->groups[i].summary.n;
		lo = fmin(lo, p->groups[i].summary.least);
	}
	if (numbers == 0)
		return WSI_FAIL(WS_E_ARG, "%s: nothing to draw: no mode is in both results", path);
	/* Equal results are to look equal, not to show the rounding of their last digits. */
	wsi_axis_ticks(&g->axis, fmin(lo, p->top - LEAST_SPAN), p->top, TICKS);
	cairo_t *cr = wsi_text_scratch();
	double left = WSI_MARGIN + wsi_draw_tick_width(cr, &g->axis) + 8;
	g->rows = (p->n_groups + MOST_BESIDE - 1) / MOST_BESIDE;
	g->beside = (p->n_groups + g->rows - 1) / g->rows;
	double inner = fmax(PER_GROUP * (double)g->beside, LEAST_WIDTH - left - WSI_MARGIN);
	g->area = (wsi_box){left, TOP, inner, g->rows > 1 ? LOW_HEIGHT : HEIGHT};
	g->pitch = inner / (double)g->beside;
	g->row_pitch = g->area.height + WSI_TICK_LABELS + COUNTS + 24;
	g->width = ceil(left + inner + WSI_MARGIN);
	g->height = TOP + g->row_pitch * (double)(g->rows - 1) + g->area.height + WSI_AXIS_TITLE +
	            COUNTS + 18;
	return wsi_text_scratch_end(cr);
}

static void
dot(cairo_t *cr, double x, double y)
{
	cairo_new_path(cr);
	cairo_arc(cr, x, y, WSI_DOT, 0, 2 * M_PI);
	cairo_set_line_width(cr, WSI_LINE);
	cairo_stroke(cr);
}

static void
line(cairo_t *cr, double width, double x0, double y0, double x1, double y1)
{
	cairo_set_line_width(cr, width);
	cairo_move_to(cr, x0, y0);
	cairo_line_to(cr, x1, y1);
	cairo_stroke(cr);
}

static void
draw_box(const geometry *g, cairo_t *cr, const wsi_box *area, const wsi_tukey *t, double x)
{
	double y[3];
	for (size_t q = 0; q < 3; ++q)
		y[q] = wsi_draw_y(&g->axis, area, t->quartile[q]);
	double low = wsi_draw_y(&g->axis, area, t->low);
	double high = wsi_draw_y(&g->axis, area, t->high);
	line(cr, WSI_LINE, x, low, x, y[0]);
	line(cr, WSI_LINE, x, y[2], x, high);
	line(cr, WSI_LINE, x - BOX / 4, low, x + BOX / 4, low);
	line(cr, WSI_LINE, x - BOX / 4, high, x + BOX / 4, high);
	cairo_rectangle(cr, x - BOX / 2, y[2], BOX, y[0] - y[2]);
	cairo_set_source_rgba(cr, WSI_MODE.r, WSI_MODE.g, WSI_MODE.b, 0.15);
	cairo_fill_preserve(cr);
	wsi_draw_colour(cr, WSI_MODE);
	cairo_stroke(cr);
	line(cr, WSI_BOLD_LINE, x - BOX / 2, y[1], x + BOX / 2, y[1]);
}

static void
draw_group(const geometry *g, cairo_t *cr, const wsi_box *area, const wsi_box_group *group,
           size_t i)
{
	const wsi_tukey *t = &group->summary;
	double x = area->x + g->pitch * ((double)i + 0.5), foot = area->y + area->height;
	char count[32];
	snprintf(count, sizeof count, "%zu", t->n);
	wsi_text_draw(cr, WSI_FONT_LABEL, WSI_INK, WSI_CENTRE, x, foot + WSI_TICK_LABELS,
	              group->label);
	wsi_text_draw(cr, WSI_FONT_TICK, WSI_GREY, WSI_CENTRE, x, foot + WSI_TICK_LABELS + 13,
	              count);
	wsi_draw_colour(cr, WSI_MODE);
	bool few = t->n < FEW;
	if (!few)
		draw_box(g, cr, area, t, x);
	for (size_t k = 0; k < t->n; ++k)
		if (few || group->values[k] < t->low || group->values[k] > t->high)
			dot(cr, x, wsi_draw_y(&g->axis, area, group->values[k]));
}

static void
draw(const wsi_boxplot *p, const geometry *g, cairo_t *cr)
{
	wsi_box area = g->area;
	wsi_draw_title(cr, g->width, p->title, p->subtitle, "");
	wsi_text_draw(cr, WSI_FONT_HEAD, WSI_INK, WSI_LEFT, area.x, WSI_HEAD, p->quantity);
	for (size_t i = 0; i < p->n_groups; ++i) {
		area.y = g->area.y + (double)(i / g->beside) * g->row_pitch;
		if (i % g->beside == 0) {
			wsi_draw_levels(cr, &g->axis, &area);
			wsi_draw_value_axis(cr, &g->axis, &area, true);
		}
		draw_group(g, cr, &area, &p->groups[i], i % g->beside);
	}
	wsi_text_draw(cr, WSI_FONT_SMALL, WSI_GREY, WSI_CENTRE, area.x + area.width / 2,
	              area.y + area.height + WSI_AXIS_TITLE + COUNTS, p->axis_title);
}

ws_status
wsi_plot_boxes(const wsi_boxplot *plot, wsi_sheet *sheet)
{
	geometry g;
	wsi_surface *surface;
	WSI_TRY(wsi_sheet_check(sheet->path));
	WSI_TRY(measure(plot, sheet->path, &g));
	WSI_TRY(wsi_surface_open(&surface, sheet, g.width, g.height, plot->title));
	draw(plot, &g, wsi_surface_cairo(surface));
	return wsi_surface_end(surface, WS_OK);
}
