/* wavelets.c - the picture of wavelets. */
#include "plot/wavelets.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/kept.h"
#include "base/status.h"
#include "plot/axis.h"
#include "plot/decimate.h"
#include "plot/draw.h"
#include "plot/layout.h"
#include "plot/surface.h"
#include "plot/text.h"

#define LEFT      (WSI_MARGIN + 32)  /* of the panels of time: room for values */
#define TIME      430.0   /* width of a panel */
#define FREQUENCY 300.0
#define GAP_X     58.0    /* values of the panel to the right */
#define HEIGHT    78.0
#define GAP_Y     70.0    /* ticks, what they are, and the head of the row below */
#define TOP       116.0   /* of the first row */
#define HEAD      14.0    /* from a row's head to its panels */
#define WIDTH     (LEFT + TIME + GAP_X + FREQUENCY + WSI_MARGIN)
#define FEW       60      /* samples that are drawn as dots, too */
#define COLUMNS   ((size_t)(2 * TIME))

typedef struct page {
	const wsi_wavelet_figure *f;
	cairo_t *cr;
	wsi_frequency_unit unit;
	wsi_kept kept;          /* the rest */
	wsi_trace trace;        /* its points have room for a panel */
	double *size;           /* [most weights of a wavelet] their magnitude */
} page;

/* A panel with its two axes. */
typedef struct panel {
	wsi_box box;
	wsi_axis across, up;
} panel;

/* ---- What is drawn -------------------------------------------------------------------------- */

static double
largest(const double *x, size_t n)
{
	double most = 0;
	for (size_t i = 0; i < n; ++i)
		most = fmax(most, fabs(x[i]));
	return most;
}

static bool
is_real(const wsi_wavelet_drawn *w)
{
	return largest(w->im, w->n) <= 1e-6 * largest(w->re, w->n);
}

/* Samples are left out: are those that stay too far apart for its waves?  Then only its magnitude
 * is drawn. */
static bool
is_dense(const page *g, const wsi_wavelet_drawn *w)
{
	return w->step > 1 && w->step * w->frequency > 0.25 * g->f->of->fs;
}

/* ---- Panels --------------------------------------------------------------------------------- */

/* The width of a wavelet to either side of middle, then axes; title: what the lower one is of. */
static void
draw_panel(const page *g, const panel *p, double middle, double width, const char *title)
{
	const wsi_box *b = &p->box;
	cairo_t *cr = g->cr;
	const double low = fmax(wsi_axis_place(&p->across, middle - width), 0);
	const double high = fmin(wsi_axis_place(&p->across, middle + width), 1);
	cairo_set_source_rgba(cr, WSI_MODE.r, WSI_MODE.g, WSI_MODE.b, 0.1);
	cairo_rectangle(cr, b->x + low * b->width, b->y, fmax(high - low, 0) * b->width, b->height);
	cairo_fill(cr);
	wsi_draw_grid(cr, &p->across, b);
	wsi_draw_zero(cr, &p->up, b);
	wsi_draw_value_axis(cr, &p->up, b, true);
	wsi_draw_bottom_axis(cr, &p->across, b);
	wsi_draw_bottom_title(cr, &p->across, b, title);
}

/* The path of values of a wavelet's samples, times sign. */
static ws_status
trace(page *g, const panel *p, const wsi_wavelet_drawn *w, const double *values, double sign)
{
	wsi_trace *t = &g->trace;
	const double fs = g->f->of->fs;
	size_t bad;
	wsi_trace_start(t, w->n, COLUMNS, t->points);
	WSI_TRY(wsi_trace_push(t, values, 0, w->n, &bad));
	cairo_set_line_join(g->cr, CAIRO_LINE_JOIN_BEVEL);
	for (size_t i = 0; i < t->n; ++i) {
		const double at = (w->first + t->points[i].at * w->step) / fs;
		cairo_line_to(g->cr, p->box.x + wsi_axis_place(&p->across, at) * p->box.width,
		              wsi_draw_y(&p->up, &p->box, sign * t->points[i].value));
	}
	return WS_OK;
}

static ws_status
draw_part(page *g, const panel *p, const wsi_wavelet_drawn *w, const double *values,
          wsi_colour colour)
{
	wsi_draw_colour(g->cr, colour);
	cairo_set_line_width(g->cr, WSI_LINE);
	cairo_new_path(g->cr);
	WSI_TRY(trace(g, p, w, values, 1));
	cairo_stroke(g->cr);
	const wsi_trace *t = &g->trace;
	for (size_t i = 0; w->n <= FEW && i < t->n; ++i) {
		const double at = (w->first + t->points[i].at * w->step) / g->f->of->fs;
		cairo_arc(g->cr, p->box.x + wsi_axis_place(&p->across, at) * p->box.width,
		          wsi_draw_y(&p->up, &p->box, t->points[i].value), WSI_DOT, 0, 2 * M_PI);
		cairo_fill(g->cr);
	}
	return WS_OK;
}

/* The magnitude above and below the axis, as lines, or, where waves are too many to be told apart,
 * as the area that they fill. */
static ws_status
draw_magnitude(page *g, const panel *p, const wsi_wavelet_drawn *w, bool fill)
{
	for (size_t i = 0; i < w->n; ++i)
		g->size[i] = hypot(w->re[i], w->im[i]);
	wsi_draw_colour(g->cr, fill ? WSI_MODE : WSI_SPINE);
	cairo_set_line_width(g->cr, WSI_LINE);
	for (int sign = 1; sign >= -1; sign -= 2) {
		const double y = wsi_draw_y(&p->up, &p->box, 0);
		cairo_new_path(g->cr);
		if (fill)
			cairo_move_to(g->cr, p->box.x, y);
		WSI_TRY(trace(g, p, w, g->size, sign));
		if (fill)
			cairo_line_to(g->cr, p->box.x + p->box.width, y);
		if (fill)
			cairo_fill(g->cr);
		else
			cairo_stroke(g->cr);
	}
	return WS_OK;
}

static ws_status
draw_time(page *g, const wsi_wavelet_drawn *w, double y)
{
	const wsi_plot_data *f = g->f->of;
	panel p = { .box = { LEFT, y, TIME, HEIGHT } };
	const double last = w->first + (double)(w->n - 1) * w->step;
	const double most = fmax(largest(w->re, w->n), largest(w->im, w->n));
	const char *title = wsi_axis_time(&p.across, w->first / f->fs, last / f->fs,
	                                  w->step / f->fs, f->fs_known, 0, 7, false);
	p.across.hi = fmax(last / f->fs, p.across.tick[p.across.n - 1]);
	wsi_axis_symmetric(&p.up, -most, most);
	draw_panel(g, &p, 0, w->width_time, title);
	if (is_dense(g, w))
		return draw_magnitude(g, &p, w, true);
	if (!is_real(w)) {
		WSI_TRY(draw_magnitude(g, &p, w, false));
		WSI_TRY(draw_part(g, &p, w, w->im, WSI_RESIDUE));
	}
	return draw_part(g, &p, w, w->re, WSI_MODE);
}

static void
draw_frequency(page *g, const wsi_wavelet_drawn *w, double y)
{
	const double per = g->unit.seconds, low = w->low * per, high = w->high * per;
	panel p = { .box = { WIDTH - WSI_MARGIN - FREQUENCY, y, FREQUENCY, HEIGHT } };
	const double most = largest(w->magnitude, w->points);
	wsi_axis_exact(&p.across, low, high, 6);
	wsi_axis_ticks(&p.up, 0, most, 3);
	p.up.lo = 0;
	p.up.hi = most > 0 ? 1.06 * most : 1;
	size_t ticks = 0;
	for (size_t i = 0; i < p.across.n; ++i)
		if (p.across.tick[i] >= low && p.across.tick[i] <= high) {
			p.across.tick[ticks] = p.across.tick[i];
			memmove(p.across.label[ticks++], p.across.label[i],
			        sizeof *p.across.label);
		}
	p.across.n = ticks;
	char title[48];
	wsi_axis_title(title, sizeof title, "frequency", g->unit);
	draw_panel(g, &p, w->frequency * per, w->width_frequency * per, title);
	wsi_draw_colour(g->cr, WSI_MODE);
	cairo_set_line_width(g->cr, WSI_LINE);
	cairo_new_path(g->cr);
	for (size_t i = 0; i < w->points; ++i)
		cairo_line_to(g->cr, p.box.x + p.box.width * (double)i / (double)(w->points - 1),
		              wsi_draw_y(&p.up, &p.box, w->magnitude[i]));
	cairo_stroke(g->cr);
}

/* ---- Words ---------------------------------------------------------------------------------- */

/* "10.2 Hz" and after it "widths 93.6 ms and 1.70 Hz, frequency 12 of 73" */
static void
draw_head(page *g, const wsi_wavelet_drawn *w, double y)
{
	char name[48], time[48], frequency[48], text[256];
	wsi_axis_frequency(name, sizeof name, w->frequency, g->unit);
	wsi_axis_duration(time, sizeof time, w->width_time, (double)w->n * w->step / g->f->of->fs,
	                  g->f->of->fs_known);
	wsi_axis_frequency(frequency, sizeof frequency, w->width_frequency, g->unit);
	snprintf(text, sizeof text, "widths %s and %s, frequency %zu of %zu%s%s", time, frequency,
	         w->number, g->f->all,
	         w->shaded ? "; at every moment the ends of the signal are within its reach"
	         : "", is_dense(g, w) ? "; waves too many to be told apart" : "");
	const double after = WSI_MARGIN + 12 + wsi_text_width(g->cr, WSI_FONT_HEAD, name);
	wsi_text_fit(g->cr, WSI_FONT_SMALL, text, sizeof text, WIDTH - WSI_MARGIN - after);
	wsi_text_draw(g->cr, WSI_FONT_HEAD, WSI_INK, WSI_LEFT, WSI_MARGIN, y, name);
	wsi_text_draw(g->cr, WSI_FONT_SMALL, WSI_GREY, WSI_LEFT, after, y, text);
}

static void
draw_words(page *g)
{
	const wsi_wavelet_figure *f = g->f;
	bool real = true;
	for (size_t i = 0; i < f->n; ++i)
		real = real && is_real(&f->wavelets[i]);
	char note[96];
	snprintf(note, sizeof note, "%zu of %zu frequenc%s, widths (standard deviations) shaded",
	         f->n, f->all, f->all == 1 ? "y" : "ies");
	wsi_draw_title(g->cr, WIDTH, f->of->title, f->of->subtitle, note);
	wsi_text_draw(g->cr, WSI_FONT_LABEL, WSI_INK, WSI_LEFT, LEFT, WSI_HEAD, real
	              ? "what each sample weighs" : "what each sample weighs: real part (blue), "
	              "imaginary part (red), magnitude (grey)");
	wsi_text_draw(g->cr, WSI_FONT_LABEL, WSI_INK, WSI_LEFT, WIDTH - WSI_MARGIN - FREQUENCY,
	              WSI_HEAD, "magnitude of a tone of amplitude 1");
}

/* ---- The figure ----------------------------------------------------------------------------- */

static ws_status
draw(page *g)
{
	draw_words(g);
	for (size_t i = 0; i < g->f->n; ++i) {
		const wsi_wavelet_drawn *w = &g->f->wavelets[i];
		const double y = TOP + (double)i * (HEIGHT + GAP_Y);
		draw_head(g, w, y - HEAD);
		WSI_TRY(draw_time(g, w, y));
		draw_frequency(g, w, y);
	}
	return WS_OK;
}

static ws_status
plot(page *g, wsi_sheet *sheet)
{
	const wsi_wavelet_figure *f = g->f;
	const double height = TOP + (double)f->n * (HEIGHT + GAP_Y) - GAP_Y + WSI_AXIS_TITLE + 18;
	size_t most = 1;
	for (size_t i = 0; i < f->n; ++i)
		most = f->wavelets[i].n > most ? f->wavelets[i].n : most;
	g->size = wsi_kept_new(&g->kept, most, sizeof *g->size);
	g->trace.points = wsi_kept_new(&g->kept, wsi_trace_points(most, COLUMNS),
	                               sizeof *g->trace.points);
	WSI_TRY(wsi_plot_kept(&g->kept, sheet->path));
	wsi_surface *surface;
	WSI_TRY(wsi_surface_open(&surface, sheet, WIDTH, height, f->of->title));
	g->cr = wsi_surface_cairo(surface);
	return wsi_surface_end(surface, draw(g));
}

ws_status
wsi_plot_wavelets(const wsi_wavelet_figure *f, wsi_sheet *sheet)
{
	page g = { .f = f, .unit = wsi_plot_unit(f->of) };
	WSI_TRY(wsi_sheet_check(sheet->path));
	const ws_status status = plot(&g, sheet);
	wsi_kept_free(&g.kept);
	return status;
}
