/* masks.c - the picture of masks. */
#include "plot/masks.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>

#include "base/kept.h"
#include "base/status.h"
#include "plot/axis.h"
#include "plot/decimate.h"
#include "plot/draw.h"
#include "plot/layout.h"
#include "plot/surface.h"
#include "plot/text.h"

#define COLUMNS   4
#define PANEL     186.0   /* width of a mask's panel */
#define HEIGHT    84.0
#define GAP_X     46.0    /* values of the panel to the right */
#define GAP_Y     50.0    /* ticks, and the name of the panel below */
#define SPECTRA   190.0   /* height of the panel of spectra */
#define POINTS    700     /* of a spectrum */
#define FLOOR     (-80.0) /* dB below the highest of all that are drawn */

typedef struct page {
	const wsi_mask_figure *f;
	size_t n, shown[WSI_MASK_PANELS]; /* numbers of masks */
	double left, width, height;
	wsi_box spectra;
	double lo, hi;          /* of frequencies */
	double *decibels;       /* [n][POINTS] */
	wsi_kept kept;          /* the rest */
	wsi_trace trace;        /* its points have room for a panel */
	double *taps;           /* [longest] a part of a mask */
} page;

static bool
is_complex(const page *g)
{
	return g->f->masks->type == WS_C128;
}

/* Part 0 or 1 of a mask, into g->taps; how many. */
static size_t
take_part(page *g, size_t mask, int part)
{
	const ws_masks *m = g->f->masks;
	const size_t parts = is_complex(g) ? 2 : 1;
	const double *values = (const double *)m->values + m->offsets[mask] * parts;
	for (size_t k = 0; k < m->lengths[mask]; ++k)
		g->taps[k] = values[k * parts + (size_t)part];
	return m->lengths[mask];
}

/* ---- Spectra -------------------------------------------------------------------------------- */

static double
frequency_at(const page *g, size_t i)
{
	return g->lo * pow(g->hi / g->lo, (double)i / (POINTS - 1));
}

/* Adds a part's sum over taps m e^{-i w k} to re + i im, times i if times_i. */
static void
add_part(const double *taps, size_t n, double w, bool times_i, double *re, double *im)
{
	/* A rotation that is set anew now and then: its error does not grow. */
	for (size_t from = 0; from < n; from += 256) {
		const size_t end = n - from < 256 ? n : from + 256;
		const double c = cos(w), s = sin(w);
		double x = cos(w * (double)from), y = sin(w * (double)from);
		for (size_t k = from; k < end; ++k) {
			*re += taps[k] * (times_i ? y : x);
			*im += taps[k] * (times_i ? x : -y);
			const double next = x * c - y * s;
			y = x * s + y * c;
			x = next;
		}
	}
}

static void
measure_spectra(page *g)
{
	double highest = -HUGE_VAL;
	for (size_t i = 0; i < g->n; ++i)
		for (size_t k = 0; k < POINTS; ++k) {
			const double w = 2 * M_PI * frequency_at(g, k) / g->f->of->fs;
			double re = 0, im = 0;
			for (int part = 0; part <= is_complex(g); ++part) {
				if (k == 0 || is_complex(g))
					take_part(g, g->shown[i], part);
				add_part(g->taps, g->f->masks->lengths[g->shown[i]], w, part == 1,
				         &re, &im);
			}
			double *to = &g->decibels[i * POINTS + k];
			*to = 10 * log10(fmax(re * re + im * im, 1e-300));
			highest = fmax(highest, *to);
		}
	for (size_t i = 0; i < g->n * POINTS; ++i)
		g->decibels[i] = fmax(g->decibels[i] - highest, FLOOR - 20);
}

static void
draw_spectra(const page *g, cairo_t *cr)
{
	const wsi_box *box = &g->spectra;
	wsi_axis across, up;
	wsi_axis_log(&across, g->lo, g->hi, 10);
	wsi_axis_exact(&up, FLOOR, 0, 5);
	wsi_draw_grid(cr, &across, box);
	wsi_draw_value_axis(cr, &up, box, true);
	wsi_draw_bottom_axis(cr, &across, box);
	wsi_draw_clip(cr, box);
	cairo_set_line_width(cr, WSI_LINE);
	for (size_t i = 0; i < g->n; ++i) {
		wsi_draw_colour(cr, wsi_draw_mode_colour(i, g->n));
		cairo_new_path(cr);
		for (size_t k = 0; k < POINTS; ++k) {
			const double at = wsi_axis_place(&across, log10(frequency_at(g, k)));
			cairo_line_to(cr, box->x + at * box->width,
			              wsi_draw_y(&up, box, g->decibels[i * POINTS + k]));
		}
		cairo_stroke(cr);
	}
	cairo_restore(cr);
	wsi_text_draw(cr, WSI_FONT_HEAD, WSI_INK, WSI_LEFT, box->x, box->y - 7, is_complex(g)
	              ? "spectra, at positive frequencies (dB)" : "spectra (dB)");
	wsi_draw_bottom_title(cr, &across, box, g->f->of->fs_known ? "frequency (Hz)"
	                      : "frequency (1/sample)");
}

/* ---- Masks ---------------------------------------------------------------------------------- */

/* "scale 3.25, 53 taps" */
static void
name_of(const page *g, size_t mask, char *out, size_t size)
{
	const ws_masks *m = g->f->masks;
	char what[48];
	snprintf(what, sizeof what, "mask %zu", mask + 1);
	if (m->frequencies && m->frequencies[mask] > 0)
		snprintf(what, sizeof what, "%.4g %s", m->frequencies[mask],
		         g->f->of->fs_known ? "Hz" : "/sample");
	if (m->scales)
		snprintf(what, sizeof what, "scale %.4g", m->scales[mask]);
	snprintf(out, size, "%s, %zu tap%s", what, m->lengths[mask],
	         m->lengths[mask] == 1 ? "" : "s");
}

static double
largest_of(page *g, size_t mask)
{
	double most = 0;
	for (int part = 0; part <= is_complex(g); ++part) {
		const size_t n = take_part(g, mask, part);
		for (size_t k = 0; k < n; ++k)
			most = fmax(most, fabs(g->taps[k]));
	}
	return most > 0 ? most : 1;
}

static ws_status
draw_part(page *g, cairo_t *cr, size_t mask, int part, const wsi_box *box, const wsi_axis *across,
          const wsi_axis *up)
{
	const size_t n = take_part(g, mask, part);
	wsi_trace *t = &g->trace;
	size_t bad;
	wsi_trace_start(t, n, (size_t)(2 * PANEL), t->points);
	WSI_TRY(wsi_trace_push(t, g->taps, 0, n, &bad));
	wsi_draw_colour(cr, part ? WSI_RESIDUE : WSI_MODE);
	cairo_set_line_width(cr, WSI_LINE);
	cairo_set_line_join(cr, CAIRO_LINE_JOIN_BEVEL);
	cairo_new_path(cr);
	for (size_t i = 0; i < t->n; ++i) {
		const double at = wsi_axis_place(across, t->points[i].at - (double)(n / 2));
		const double x = box->x + at * box->width, y = wsi_draw_y(up, box,
		                                                         t->points[i].value);
		cairo_line_to(cr, x, y);
	}
	cairo_stroke(cr);
	for (size_t i = 0; n <= 24 && i < t->n; ++i) {
		const double at = wsi_axis_place(across, t->points[i].at - (double)(n / 2));
		cairo_arc(cr, box->x + at * box->width, wsi_draw_y(up, box, t->points[i].value),
		          WSI_DOT, 0, 2 * M_PI);
		cairo_fill(cr);
	}
	return WS_OK;
}

static ws_status
draw_mask(page *g, cairo_t *cr, size_t i)
{
	const size_t mask = g->shown[i], n = g->f->masks->lengths[mask];
	const wsi_box box = { g->left + (double)(i % COLUMNS) * (PANEL + GAP_X),
		WSI_HEAD + 12 + (double)(i / COLUMNS) * (HEIGHT + GAP_Y), PANEL, HEIGHT };
	const double most = largest_of(g, mask), low = -(double)(n / 2) - 0.5;
	wsi_axis across, up;
	char name[96];
	wsi_axis_exact(&across, low, low + (double)n, 4);
	wsi_axis_symmetric(&up, -most, most);
	wsi_draw_grid(cr, &across, &box);
	wsi_draw_zero(cr, &up, &box);
	wsi_draw_value_axis(cr, &up, &box, true);
	wsi_draw_bottom_axis(cr, &across, &box);
	for (int part = is_complex(g); part >= 0; --part)
		WSI_TRY(draw_part(g, cr, mask, part, &box, &across, &up));
	name_of(g, mask, name, sizeof name);
	/* The colour of its spectrum. */
	wsi_draw_colour(cr, wsi_draw_mode_colour(i, g->n));
	cairo_rectangle(cr, box.x + 26, box.y - 13, 10, 3);
	cairo_fill(cr);
	wsi_text_draw(cr, WSI_FONT_HEAD, WSI_INK, WSI_LEFT, box.x + 41, box.y - 9, name);
	return WS_OK;
}

static ws_status
draw(page *g, cairo_t *cr)
{
	char note[96];
	snprintf(note, sizeof note, "%zu of %zu mask%s, taps counted from the centre%s", g->n,
	         g->f->masks->count, g->f->masks->count == 1 ? "" : "s",
	         is_complex(g) ? ", real (blue) and imaginary (red) part" : "");
	wsi_draw_title(cr, g->width, g->f->of->title, g->f->of->subtitle, note);
	for (size_t i = 0; i < g->n; ++i)
		WSI_TRY(draw_mask(g, cr, i));
	draw_spectra(g, cr);
	return WS_OK;
}

/* ---- The figure ----------------------------------------------------------------------------- */

/* The masks to be shown, where everything stands, and room for it. */
static ws_status
measure(page *g)
{
	const ws_masks *m = g->f->masks;
	size_t longest = 1;
	g->n = m->count < WSI_MASK_PANELS ? m->count : WSI_MASK_PANELS;
	for (size_t i = 0; i < g->n; ++i) {
		g->shown[i] = g->n > 1 ? i * (m->count - 1) / (g->n - 1) : 0;
		longest = m->lengths[g->shown[i]] > longest ? m->lengths[g->shown[i]] : longest;
	}
	const size_t rows = (g->n + COLUMNS - 1) / COLUMNS;
	g->left = WSI_MARGIN + 30;
	g->width = g->left + COLUMNS * (PANEL + GAP_X) - GAP_X + WSI_MARGIN;
	const double top = WSI_HEAD + 12 + (double)rows * (HEIGHT + GAP_Y) + 8;
	g->spectra = (wsi_box){ g->left, top, g->width - g->left - WSI_MARGIN, SPECTRA };
	g->height = top + SPECTRA + WSI_AXIS_TITLE + 18;
	g->hi = g->f->of->fs / 2;
	g->lo = g->hi / fmax(8, fmin((double)longest, 1e5));
	g->decibels = wsi_kept_new(&g->kept, g->n * POINTS, sizeof *g->decibels);
	g->taps = wsi_kept_new(&g->kept, longest, sizeof *g->taps);
	g->trace.points = wsi_kept_new(&g->kept, wsi_trace_points(longest, (size_t)(2 * PANEL)),
	                               sizeof *g->trace.points);
	return !g->kept.failed ? WS_OK : WSI_FAIL(WS_E_NOMEM, "not enough memory for the figure");
}

static ws_status
plot(page *g, wsi_sheet *sheet)
{
	wsi_surface *surface;
	WSI_TRY(measure(g));
	measure_spectra(g);
	WSI_TRY(wsi_surface_open(&surface, sheet, g->width, g->height, g->f->of->title));
	return wsi_surface_end(surface, draw(g, wsi_surface_cairo(surface)));
}

ws_status
wsi_plot_masks(const wsi_mask_figure *f, wsi_sheet *sheet)
{
	page g = { .f = f };
	WSI_TRY(wsi_sheet_check(sheet->path));
	const ws_status status = plot(&g, sheet);
	wsi_kept_free(&g.kept);
	return status;
}
