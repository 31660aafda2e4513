/*
 * chart.c - panels of curves, points and bands over common horizontal axes, each axis linear or
 * logarithmic.
 */
#include "plot/chart.h"

#include <cairo.h>
#include <math.h>

#include "base/status.h"
#include "plot/axis.h"
#include "plot/draw.h"
#include "plot/layout.h"
#include "plot/legend.h"
#include "plot/surface.h"
#include "plot/text.h"

#define WIDTH       700.0   /* of a panel */
#define PANEL       210.0   /* height; one alone is higher */
#define PANEL_ALONE 330.0
#define MOST_TALL   2000.0
#define LEAST_WIDE  160.0   /* of a panel on a page of given size */
#define LEAST_TALL  60.0
#define PER_PAGE    4       /* panels */
#define GAP         56.0    /* between panels: the axis of the one, the name of the other */
#define LEAST_DOT   1.2     /* radius of a point of a curve without neighbours */
#define LEAST_ROOM  0.05    /* of a linear axis beyond what it shows */
#define NAME_ABOVE  5.0     /* baseline of a name over its curve.. */
#define NAME_REACH  22.0    /* ..and how much higher it may stand to lie on no curve */
#define NAME_ROOM   16.0    /* over the highest curve, where one has a name */

typedef struct page {
	const wsi_chart *chart;
	wsi_axis x[WSI_COLUMNS], y[WSI_COLUMNS];
	bool empty[WSI_COLUMNS];
	double left, across, panel, width, height; /* across: width of a panel */
	double legend;          /* height of its lines but the last */
	size_t per_page;        /* panels */
} page;

/* ---- Axes ---------------------------------------------------------------------------------- */

static double
on_axis(bool logarithmic, double v)
{
	return logarithmic ? v > 0 ? log10(v) : NAN : v;
}

static void
widen(double v, double *lo, double *hi)
{
	if (isfinite(v)) {
		*lo = fmin(*lo, v);
		*hi = fmax(*hi, v);
	}
}

static bool
has_names(const wsi_chart_panel *p)
{
	for (size_t k = 0; k < p->n; ++k)
		if (p->series[k].name)
			return true;
	return false;
}

static void
measure_panel(page *g, size_t i)
{
	const wsi_chart *c = g->chart;
	const wsi_chart_panel *p = &c->panels[i];
	double lo = INFINITY, hi = -INFINITY;
	for (size_t k = 0; k < p->n; ++k)
		for (size_t j = 0; j < p->series[k].n; ++j) {
			const wsi_series *s = &p->series[k];
			if (s->x[j] < p->x_low || s->x[j] > p->x_high)
				continue;
			widen(on_axis(c->y_log, s->y[j]), &lo, &hi);
			if (s->low)
				widen(on_axis(c->y_log, s->low[j]), &lo, &hi);
		}
	g->empty[i] = !(lo <= hi);
	if (g->empty[i])
		return;
	if (c->y_log) {
		if (p->y_least > 0)
			lo = fmax(lo, hi + log10(p->y_least));
		const double room = fmax(LEAST_ROOM * (hi - lo), 0.15);
		const double names = has_names(p) ? (hi - lo) * NAME_ROOM / g->panel : 0;
		wsi_axis_log(&g->y[i], pow(10, lo - room), pow(10, hi + room + names), 7);
	} else {
		wsi_axis_ticks(&g->y[i], lo, hi, 6);
	}
	if (c->x_log) {
		wsi_axis_log(&g->x[i], p->x_low, p->x_high, 10);
	} else {
		wsi_axis_ticks(&g->x[i], p->x_low, p->x_high, 10);
	}
	if (c->x_periods)
		wsi_axis_periods(&g->x[i], p->x_low, p->x_high, !c->x_log, 10);
}

static ws_status
measure(page *g, const wsi_sheet *sheet)
{
	const wsi_chart *c = g->chart;
	double tick = 0;
	size_t empty = 0;
	const size_t n = c->of->n_channels, pages = (n + PER_PAGE - 1) / PER_PAGE;
	g->per_page = (n + pages - 1) / pages;
	const double shown = (double)g->per_page;
	const double others = WSI_HEAD + 12 + GAP * (shown - 1) + WSI_AXIS_TITLE + 18;
	const double natural = others + (n == 1 ? PANEL_ALONE : PANEL) * shown;
	g->panel = (wsi_sheet_height(sheet, natural, c->of->title) - others) / shown;
	g->panel = fmin(fmax(g->panel, LEAST_TALL), MOST_TALL);
	for (size_t i = 0; i < c->of->n_channels; ++i) {
		measure_panel(g, i);
		empty += g->empty[i];
	}
	if (empty == c->of->n_channels)
		return WSI_FAIL(WS_E_ARG, "%s: nothing to draw: channel %s has %s", sheet->path,
		                c->of->channel_names[0], c->nothing);
	cairo_t *cr = wsi_text_scratch();
	for (size_t i = 0; i < c->of->n_channels; ++i)
		if (!g->empty[i])
			tick = fmax(tick, wsi_draw_tick_width(cr, &g->y[i]));
	g->left = WSI_MARGIN + 16 + tick + 8;
	const double beside = g->left + WSI_MARGIN + 6;
	g->across = fmax(wsi_sheet_width(sheet, ceil(beside + WIDTH)) - beside, LEAST_WIDE);
	for (size_t i = 0; i < n; i += g->per_page) {
		double y = 0;
		wsi_legend_draw(cr, &c->panels[i], g->left, g->left + g->across, &y, false);
		g->legend = fmax(g->legend, -y);
	}
	g->panel = fmax(g->panel - g->legend / shown, LEAST_TALL);
	g->width = beside + g->across;
	g->height = others + g->legend + g->panel * shown;
	return wsi_text_scratch_end(cr);
}

/* ---- Series -------------------------------------------------------------------------------- */

typedef struct pen {
	const page *g;
	size_t panel;
	wsi_box box;
	cairo_t *cr;
} pen;

/* False where the point has no place on the axes. */
static bool
place(const pen *p, double x, double y, double *px, double *py)
{
	const wsi_chart *c = p->g->chart;
	const double ax = on_axis(c->x_log, x), ay = on_axis(c->y_log, y);
	if (!isfinite(ax) || !isfinite(ay))
		return false;
	*px = p->box.x + wsi_axis_place(&p->g->x[p->panel], ax) * p->box.width;
	*py = wsi_draw_y(&p->g->y[p->panel], &p->box, ay);
	return true;
}

/* A point without neighbours is a dot. */
static void
draw_curve(const pen *p, const wsi_series *s)
{
	size_t run = 0;
	double x, y, last_x = 0, last_y = 0;
	wsi_draw_colour(p->cr, s->colour);
	cairo_set_line_width(p->cr, s->width);
	for (size_t i = 0; i <= s->n; ++i) {
		const bool here = i < s->n && place(p, s->x[i], s->y[i], &x, &y);
		if (here && run == 0)
			cairo_move_to(p->cr, x, y);
		else if (here)
			cairo_line_to(p->cr, x, y);
		if (!here && run == 1) {
			cairo_stroke(p->cr);
			cairo_arc(p->cr, last_x, last_y, fmax(s->width, LEAST_DOT), 0, 2 * M_PI);
			cairo_fill(p->cr);
		}
		run = here ? run + 1 : 0;
		last_x = x;
		last_y = y;
	}
	cairo_stroke(p->cr);
}

/* From low to y, stretch by stretch of points that have a place. */
static void
draw_band(const pen *p, const wsi_series *s)
{
	double x, y, x2, y2;
	cairo_set_source_rgba(p->cr, s->colour.r, s->colour.g, s->colour.b, WSI_BAND);
	for (size_t from = 0; from < s->n;) {
		size_t to = from;
		while (to < s->n && place(p, s->x[to], s->y[to], &x, &y) &&
		       place(p, s->x[to], s->low[to], &x2, &y2))
			++to;
		for (size_t i = from; i < to; ++i) {
			place(p, s->x[i], s->y[i], &x, &y);
			if (i == from)
				cairo_move_to(p->cr, x, y);
			else
				cairo_line_to(p->cr, x, y);
		}
		for (size_t i = to; i > from; --i) {
			place(p, s->x[i - 1], s->low[i - 1], &x, &y);
			cairo_line_to(p->cr, x, y);
		}
		cairo_close_path(p->cr);
		cairo_fill(p->cr);
		from = to > from ? to : from + 1;
	}
}

static void
draw_dots(const pen *p, const wsi_series *s)
{
	double x, y;
	cairo_set_line_width(p->cr, 1.2);
	for (size_t i = 0; i < s->n; ++i) {
		if (!place(p, s->x[i], s->y[i], &x, &y))
			continue;
		cairo_new_path(p->cr);
		cairo_arc(p->cr, x, y, WSI_RADIUS, 0, 2 * M_PI);
		wsi_draw_colour(p->cr, s->hollow && s->hollow[i] ? WSI_PAPER : s->colour);
		cairo_fill_preserve(p->cr);
		wsi_draw_colour(p->cr, s->colour);
		cairo_stroke(p->cr);
	}
}

/* Names that would lie on another are left out. */
typedef struct names {
	wsi_box taken[64];
	size_t n;
} names;

static bool
is_free(const names *t, wsi_box b)
{
	for (size_t i = 0; i < t->n; ++i)
		if (b.x < t->taken[i].x + t->taken[i].width && t->taken[i].x < b.x + b.width &&
		    b.y < t->taken[i].y + t->taken[i].height && t->taken[i].y < b.y + b.height)
			return false;
	return t->n < sizeof t->taken / sizeof *t->taken;
}

/* paper: under it, so that it reads over curves.  False where it has no room. */
static bool
try_name(const pen *p, names *t, const char *text, wsi_colour colour, bool paper, double x,
         double y)
{
	const double width = wsi_text_width(p->cr, WSI_FONT_SMALL, text);
	const wsi_box b = { x - 2, y - 8, width + 4, 11 };
	if (!is_free(t, b) || b.x < p->box.x || b.x + b.width > p->box.x + p->box.width ||
	    b.y < p->box.y || b.y + b.height > p->box.y + p->box.height)
		return false;
	if (paper) {
		cairo_set_source_rgba(p->cr, 1, 1, 1, 0.8);
		cairo_rectangle(p->cr, b.x, b.y, b.width, b.height);
		cairo_fill(p->cr);
	}
	wsi_text_draw(p->cr, WSI_FONT_SMALL, colour, WSI_LEFT, x, y, text);
	t->taken[t->n++] = b;
	return true;
}

/* Beside the dots, on the side that has room. */
static void
name_dots(const pen *p, names *t, const wsi_series *s)
{
	double x, y;
	for (size_t i = 0; s->names && i < s->n; ++i) {
		if (!place(p, s->x[i], s->y[i], &x, &y))
			continue;
		const double width = wsi_text_width(p->cr, WSI_FONT_SMALL, s->names[i]);
		(void)(try_name(p, t, s->names[i], WSI_INK, false, x + 7, y + 3) ||
		       try_name(p, t, s->names[i], WSI_INK, false, x - 7 - width, y + 3) ||
		       try_name(p, t, s->names[i], WSI_INK, false, x - width / 2, y - 8) ||
		       try_name(p, t, s->names[i], WSI_INK, false, x - width / 2, y + 15));
	}
}

/* Heights of a panel, in units of length, at which a curve lies. */
typedef struct heights {
	bool taken[(int)MOST_TALL + 1];
} heights;

static void
take_heights(heights *h, const pen *p, double y0, double y1)
{
	const double last = (double)(sizeof h->taken / sizeof *h->taken) - 1;
	const double lo = fmax(fmin(y0, y1) - 1 - p->box.y, 0);
	const double hi = fmin(fmax(y0, y1) + 1 - p->box.y, last);
	for (int i = (int)lo; lo <= hi && i <= (int)hi; ++i)
		h->taken[i] = true;
}

/* What the horizontal axis has at a place of the page. */
static double
value_at(const pen *p, double px)
{
	const wsi_axis *axis = &p->g->x[p->panel];
	const double v = axis->lo + (px - p->box.x) / p->box.width * (axis->hi - axis->lo);
	return p->g->chart->x_log ? pow(10, v) : v;
}

/* The part of a curve from point i to the next that lies between two places of the page. */
static void
take_line(heights *h, const pen *p, const wsi_series *s, size_t i, double from, double to)
{
	double x0, y0, x1, y1;
	if (!place(p, s->x[i], s->y[i], &x0, &y0))
		return;
	if (i + 1 == s->n || !place(p, s->x[i + 1], s->y[i + 1], &x1, &y1)) {
		x1 = x0;
		y1 = y0;
	}
	const double slope = x1 != x0 ? (y1 - y0) / (x1 - x0) : 0;
	const double left = fmax(fmin(x0, x1), from), right = fmin(fmax(x0, x1), to);
	if (left > right)
		return;
	take_heights(h, p, x1 != x0 ? y0 + slope * (left - x0) : y0,
	             x1 != x0 ? y0 + slope * (right - x0) : y1);
}

/* Where the curves of a panel lie between two places of the page. */
static void
find_heights(heights *h, const pen *p, const wsi_chart_panel *panel, double from, double to)
{
	const double low = value_at(p, from), high = value_at(p, to);
	*h = (heights){ { false } };
	for (size_t k = 0; k < panel->n; ++k) {
		const wsi_series *s = &panel->series[k];
		for (size_t i = 0; s->width > 0 && i < s->n; ++i) {
			const double next = s->x[i + 1 < s->n ? i + 1 : i];
			if (fmin(s->x[i], next) <= high && fmax(s->x[i], next) >= low)
				take_line(h, p, s, i, from, to);
		}
	}
}

/* Is no curve under a name whose baseline this is? */
static bool
is_clear(const heights *h, const pen *p, double baseline)
{
	const int from = (int)(baseline - 8 - p->box.y), to = (int)(baseline + 3 - p->box.y);
	for (int i = from < 0 ? 0 : from; i <= to; ++i)
		if (i < (int)(sizeof h->taken / sizeof *h->taken) && h->taken[i])
			return false;
	return true;
}

/* Over its largest value that is drawn, where it lies on no curve; else on paper. */
static void
name_curve(const pen *p, names *t, const wsi_chart_panel *panel, const wsi_series *s)
{
	heights taken;
	double best = INFINITY, at = 0, x, y;
	for (size_t i = 0; s->name && i < s->n; ++i)
		if (place(p, s->x[i], s->y[i], &x, &y) && y < best && x >= p->box.x &&
		    x <= p->box.x + p->box.width) {
			best = y;
			at = x;
		}
	if (!s->name || !isfinite(best))
		return;
	const double width = wsi_text_width(p->cr, WSI_FONT_SMALL, s->name);
	at = fmin(fmax(at - width / 2, p->box.x + 3), p->box.x + p->box.width - width - 3);
	find_heights(&taken, p, panel, at - 2, at + width + 2);
	for (double up = 0; up <= NAME_REACH; up += 2)
		if (is_clear(&taken, p, best - NAME_ABOVE - up) &&
		    try_name(p, t, s->name, s->colour, false, at, best - NAME_ABOVE - up))
			return;
	best = fmax(best - 4, p->box.y + 9);
	for (int k = 0; k < 4; ++k)
		if (try_name(p, t, s->name, s->colour, true, at, best + 11 * k))
			return;
}

/* ---- The figure ------------------------------------------------------------------------------ */

/* Grid, series, names and axes. */
static void
draw_inside(const pen *p, const wsi_chart_panel *panel)
{
	const page *g = p->g;
	const wsi_axis *up = &g->y[p->panel];
	names taken = { .n = 0 };
	wsi_draw_grid(p->cr, &g->x[p->panel], &p->box);
	wsi_draw_levels(p->cr, up, &p->box);
	wsi_draw_clip(p->cr, &p->box);
	for (size_t k = 0; k < panel->n; ++k) {
		const wsi_series *s = &panel->series[k];
		if (s->low)
			draw_band(p, s);
		else if (s->width > 0)
			draw_curve(p, s);
		else
			draw_dots(p, s);
	}
	cairo_restore(p->cr);
	for (size_t k = 0; k < panel->n; ++k) {
		name_dots(p, &taken, &panel->series[k]);
		name_curve(p, &taken, panel, &panel->series[k]);
	}
	wsi_draw_value_axis(p->cr, up, &p->box, true);
	wsi_draw_bottom_axis(p->cr, &g->x[p->panel], &p->box);
	wsi_text_draw_up(p->cr, WSI_FONT_SMALL, WSI_GREY, WSI_CENTRE, WSI_MARGIN + 4,
	                 p->box.y + p->box.height / 2, panel->quantity);
}

static void
draw_panel(const page *g, size_t i, const wsi_box *box, cairo_t *cr)
{
	const wsi_chart_panel *panel = &g->chart->panels[i];
	const pen p = { g, i, *box, cr };
	if (g->empty[i])
		wsi_text_draw(cr, WSI_FONT_SMALL, WSI_GREY, WSI_CENTRE, box->x + box->width / 2,
		              wsi_text_middle(WSI_FONT_SMALL, box->y + box->height / 2),
		              g->chart->nothing);
	else
		draw_inside(&p, panel);
	double y = box->y - 6, end = box->x + box->width;
	if (i % g->per_page == 0)
		end = wsi_legend_draw(cr, panel, box->x, end, &y, true);
	wsi_draw_name(cr, box->x, y, end - box->x, g->chart->of->channel_names[i]);
}

static void
draw_page(const page *g, size_t number, wsi_surface *surface)
{
	const wsi_chart *c = g->chart;
	cairo_t *cr = wsi_surface_cairo(surface);
	if (wsi_surface_page(surface, number))
		wsi_draw_title(cr, g->width, c->of->title, c->of->subtitle, "");
	wsi_box box = { g->left, WSI_HEAD + 12 + g->legend, g->across, g->panel };
	for (size_t i = number * g->per_page; i < c->of->n_channels
	     && i < (number + 1) * g->per_page;
	     ++i) {
		draw_panel(g, i, &box, cr);
		box.y += g->panel + GAP;
	}
	wsi_text_draw(cr, WSI_FONT_SMALL, WSI_GREY, WSI_CENTRE, g->left + g->across / 2,
	              box.y - GAP + WSI_AXIS_TITLE + 4, c->x_title);
}

ws_status
wsi_plot_chart(const wsi_chart *chart, wsi_sheet *sheet)
{
	page g = { .chart = chart };
	wsi_surface *surface;
	WSI_TRY(wsi_sheet_check(sheet->path));
	if (chart->of->n_channels == 0 || chart->of->n_channels > WSI_COLUMNS)
		return WSI_FAIL(WS_E_ARG, "%s: %zu channels do not fit in one figure; choose at "
		                "most %d", sheet->path, chart->of->n_channels, WSI_COLUMNS);
	WSI_TRY(measure(&g, sheet));
	const size_t n = chart->of->n_channels, pages = (n + g.per_page - 1) / g.per_page;
	WSI_TRY(wsi_surface_open_pages(&surface, sheet, g.width, g.height, pages,
	                               chart->of->title));
	for (size_t i = 0; i < pages; ++i)
		draw_page(&g, i, surface);
	return wsi_surface_end(surface, WS_OK);
}
