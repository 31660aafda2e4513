/* plane.c - values over a plane of two axes, such as two frequencies, as coloured cells. */
#include "plot/plane.h"

#include <cairo.h>
#include <math.h>

#include "base/status.h"
#include "plot/axis.h"
#include "plot/draw.h"
#include "plot/layout.h"
#include "plot/surface.h"
#include "plot/text.h"

#define MOST_ACROSS 3       /* panels of a row */
#define WIDTH       300.0   /* of a panel */
#define HEIGHT      240.0
#define LEFT        52.0    /* ticks and title of the upright axis */
#define GAP         24.0    /* between panels of a row */
#define NAME_GAP    18.0    /* over a panel: its channel */
#define BELOW       46.0    /* ticks and title of the axis across */
#define BAR         11.0
#define BAR_GAP     18.0
#define BAR_TICKS   62.0

typedef struct page {
	const wsi_plane *m;
	size_t across;
	double width, height;
	wsi_axis x, y, bar;     /* the last of logarithms */
} page;

/* ---- Colours ------------------------------------------------------------------------------- */

static wsi_colour
colour_of(const void *none, double share)
{
	(void)none;
	static const wsi_colour stops[] = WSI_PALE_TO_DEEP;
	return wsi_draw_mix(stops, 5, 4 * share);
}

/* ---- Geometry ------------------------------------------------------------------------------ */

static double
largest_of(const wsi_plane *m)
{
	double largest = 0;
	for (size_t k = 0; k < m->of->n_channels; ++k)
		for (size_t i = 0; i < m->across.n * m->up.n; ++i)
			largest = fmax(largest, m->values[k][i]);
	return largest;
}

static void
make_axis(wsi_axis *axis, const wsi_plane_axis *of, size_t most)
{
	const double lo = of->edges[0], hi = of->edges[of->n];
	if (of->log) {
		wsi_axis_log(axis, lo, hi, most);
		axis->lo = log10(lo);
		axis->hi = log10(hi);
	} else {
		wsi_axis_exact(axis, lo, hi, most);
	}
}

static void
measure(page *g, double largest)
{
	const wsi_plane *m = g->m;
	g->across = m->of->n_channels < MOST_ACROSS ? m->of->n_channels : MOST_ACROSS;
	const size_t rows = (m->of->n_channels + g->across - 1) / g->across;
	g->width = WSI_MARGIN + LEFT + (WIDTH + GAP) * (double)g->across - GAP + BAR_GAP + BAR +
	           BAR_TICKS + WSI_MARGIN;
	if (g->width < 560)
		g->width = 560;
	g->height = WSI_HEAD + (NAME_GAP + HEIGHT + BELOW) * (double)rows + 8;
	make_axis(&g->x, &m->across, 7);
	make_axis(&g->y, &m->up, 7);
	wsi_axis_log(&g->bar, m->share * largest, largest, 6);
	g->bar.lo = log10(m->share * largest);
	g->bar.hi = log10(largest);
}

/* Where an edge lies, 0 .. 1. */
static double
place_of(const wsi_axis *axis, const wsi_plane_axis *of, size_t edge)
{
	return wsi_axis_place(axis, of->log ? log10(of->edges[edge]) : of->edges[edge]);
}

/* ---- Drawing ------------------------------------------------------------------------------- */

static void
draw_cells(const page *g, const double *values, wsi_box box, cairo_t *cr)
{
	const wsi_plane *m = g->m;
	cairo_save(cr);
	cairo_set_antialias(cr, CAIRO_ANTIALIAS_NONE);
	for (size_t i = 0; i < m->across.n; ++i)
		for (size_t j = 0; j < m->up.n; ++j) {
			const double v = values[i * m->up.n + j];
			if (!(v > 0))
				continue;
			const double x0 = place_of(&g->x, &m->across, i);
			const double x1 = place_of(&g->x, &m->across, i + 1);
			const double y0 = place_of(&g->y, &m->up, j);
			const double y1 = place_of(&g->y, &m->up, j + 1);
			wsi_draw_colour(cr, colour_of(NULL, wsi_axis_place(&g->bar, log10(v))));
			cairo_rectangle(cr, box.x + x0 * box.width, box.y + (1 - y1) * box.height,
			                (x1 - x0) * box.width, (y1 - y0) * box.height);
			cairo_fill(cr);
		}
	cairo_restore(cr);
}

/* The line on which both axes are equal, where it lies in the panel. */
static void
draw_diagonal(const page *g, bool first, wsi_box box, cairo_t *cr)
{
	const wsi_plane *m = g->m;
	if (!m->diagonal || m->across.log != m->up.log)
		return;
	const double from = fmax(g->x.lo, g->y.lo), to = fmin(g->x.hi, g->y.hi);
	if (!(to > from))
		return;
	const double x0 = box.x + wsi_axis_place(&g->x, from) * box.width;
	const double x1 = box.x + wsi_axis_place(&g->x, to) * box.width;
	const double y0 = wsi_draw_y(&g->y, &box, from), y1 = wsi_draw_y(&g->y, &box, to);
	wsi_draw_hairline(cr, WSI_GREY, x0, y0, x1, y1);
	if (!first)
		return;
	cairo_save(cr);
	/* Near its end, where the fastest waves leave most room. */
	cairo_translate(cr, x1, y1);
	cairo_rotate(cr, atan2(y1 - y0, x1 - x0));
	const double width = wsi_text_width(cr, WSI_FONT_TICK, m->diagonal);
	cairo_set_source_rgba(cr, 1, 1, 1, 0.7);
	cairo_rectangle(cr, -width - 10, -11, width + 4, 10);
	cairo_fill(cr);
	wsi_text_draw(cr, WSI_FONT_TICK, WSI_INK, WSI_RIGHT, -8, -4, m->diagonal);
	cairo_restore(cr);
}

static void
draw_axes(const page *g, bool left, bool below, wsi_box box, cairo_t *cr)
{
	for (size_t i = 0; i < g->x.n; ++i) {
		const double x = wsi_draw_crisp(box.x + wsi_axis_place(&g->x, g->x.tick[i]) *
		                                box.width);
		wsi_draw_hairline(cr, WSI_SPINE, x, box.y + box.height, x,
		                  box.y + box.height + 4);
		if (below)
			wsi_text_draw(cr, WSI_FONT_TICK, WSI_GREY, WSI_CENTRE, x,
			              box.y + box.height + 14, g->x.label[i]);
	}
	for (size_t i = 0; i < g->y.n; ++i) {
		const double y = wsi_draw_crisp(wsi_draw_y(&g->y, &box, g->y.tick[i]));
		wsi_draw_hairline(cr, WSI_SPINE, box.x - 4, y, box.x, y);
		if (left)
			wsi_text_draw(cr, WSI_FONT_TICK, WSI_GREY, WSI_RIGHT, box.x - 7,
			              wsi_text_middle(WSI_FONT_TICK, y), g->y.label[i]);
	}
	wsi_draw_frame(cr, &box);
	if (below)
		wsi_text_draw(cr, WSI_FONT_SMALL, WSI_INK, WSI_CENTRE, box.x + box.width / 2,
		              box.y + box.height + 29, g->m->across.title);
	if (!left)
		return;
	wsi_text_draw_up(cr, WSI_FONT_SMALL, WSI_INK, WSI_CENTRE, box.x - LEFT + 12,
	                 box.y + box.height / 2, g->m->up.title);
}

static void
draw_panel(const page *g, size_t i, cairo_t *cr)
{
	const wsi_plane *m = g->m;
	const size_t row = i / g->across, column = i % g->across;
	const double top = WSI_HEAD + (NAME_GAP + HEIGHT + BELOW) * (double)row;
	const wsi_box box = { WSI_MARGIN + LEFT + (double)column * (WIDTH + GAP), top + NAME_GAP,
		WIDTH, HEIGHT };
	wsi_draw_name(cr, box.x, box.y - 6, WIDTH, m->of->channel_names[i]);
	draw_cells(g, m->values[i], box, cr);
	draw_diagonal(g, i == 0, box, cr);
	draw_axes(g, column == 0, i + g->across >= m->of->n_channels, box, cr);
}

ws_status
wsi_plot_plane(const wsi_plane *m, wsi_sheet *sheet)
{
	page g = { .m = m };
	wsi_surface *surface;
	const char *path = sheet->path;
	WSI_TRY(wsi_sheet_check(path));
	if (m->of->n_channels > WSI_PLANES)
		return WSI_FAIL(WS_E_ARG, "%s: %zu channels do not fit in one figure; take at most "
		                "%d (`plot_channels`)", path, m->of->n_channels, WSI_PLANES);
	const double largest = m->of->n_channels ? largest_of(m) : 0;
	if (!(largest > 0) || !(m->share * largest > 0))
		return WSI_FAIL(WS_E_ARG, "%s: there is nothing to draw: all is zero", path);
	measure(&g, largest);
	WSI_TRY(wsi_surface_open(&surface, sheet, g.width, g.height, m->of->title));
	cairo_t *cr = wsi_surface_cairo(surface);
	wsi_draw_title(cr, g.width, m->of->title, m->of->subtitle, "");
	for (size_t i = 0; i < m->of->n_channels; ++i)
		draw_panel(&g, i, cr);
	const wsi_box bar = { WSI_MARGIN + LEFT + (WIDTH + GAP) * (double)g.across - GAP + BAR_GAP,
		WSI_HEAD + NAME_GAP, BAR, HEIGHT };
	wsi_draw_bar(cr, &bar, true, &g.bar, colour_of, NULL);
	wsi_text_draw_up(cr, WSI_FONT_SMALL, WSI_INK, WSI_CENTRE,
	                 bar.x + bar.width + BAR_TICKS - 14, bar.y + bar.height / 2, m->quantity);
	return wsi_surface_end(surface, WS_OK);
}
