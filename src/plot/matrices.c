/* matrices.c - square matrices between channels as coloured cells. */
#include "plot/matrices.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>

#include "base/status.h"
#include "plot/axis.h"
#include "plot/draw.h"
#include "plot/layout.h"
#include "plot/surface.h"
#include "plot/text.h"

#define ACROSS      4       /* panels of a row */
#define PANEL       170.0   /* side, at least */
#define GAP         18.0    /* between panels of a row */
#define BELOW       30.0    /* between rows: the label of the next, besides names */
#define HEAD_GAP    22.0    /* over a kind: its quantity */
#define LEAST_CELL  9.5     /* that a name fits beside */
#define NAME        42.0    /* room for a name, beside and below: at least.. */
#define NAME_MOST   110.0   /* ..and at most */
#define NONE        WSI_RGB(0xD5D9DD) /* where there is no value */
#define BAR         11.0
#define BAR_GAP     16.0

/* ---- Colours ------------------------------------------------------------------------------- */

/* From white to blue; of quantities with a sign from vermilion by white to blue. */
static wsi_colour
colour_of(const wsi_matrix_kind *k, double v)
{
	static const wsi_colour above[] = { WSI_PAPER, WSI_MODE, WSI_RGB(0x0B2F55) };
	static const wsi_colour below[] = { WSI_PAPER, WSI_RESIDUE, WSI_RGB(0x5E2209) };
	if (isnan(v))
		return NONE;
	const double share = k->low < 0 ? fabs(v) / fmax(-k->low, k->high)
	                     : (v - k->low) / (k->high - k->low);
	return wsi_draw_mix(v < 0 && k->low < 0 ? below : above, 3,
	                    share < 0.6 ? share / 0.6 : 1 + (share - 0.6) / 0.4);
}

/* ---- Geometry ------------------------------------------------------------------------------ */

typedef struct page {
	const wsi_matrices *m;
	double side, cell, left, width, height;
	double name;            /* room for one */
	size_t across, rows;
	size_t every;           /* channels of which one is named */
} page;

/* The widest name, with what parts it from the cells. */
static ws_status
measure_names(page *g)
{
	char name[WSI_TEXT];
	cairo_t *cr = wsi_text_scratch();
	g->name = NAME;
	for (size_t i = 0; i < g->m->of->n_channels; ++i) {
		wsi_text_clean(name, sizeof name, g->m->of->channel_names[i]);
		g->name = fmax(g->name, wsi_text_width(cr, WSI_FONT_TICK, name) + 6);
	}
	g->name = fmin(g->name, NAME_MOST);
	return wsi_text_scratch_end(cr);
}

static void
measure(page *g)
{
	const wsi_matrices *m = g->m;
	const double least = (double)m->of->n_channels * 4;
	g->across = m->n < ACROSS ? m->n : ACROSS;
	g->rows = (m->n + ACROSS - 1) / ACROSS;
	g->side = fmin(fmax(PANEL, least), 420);
	g->cell = g->side / (double)m->of->n_channels;
	g->every = 1;
	while (g->cell * (double)g->every < LEAST_CELL)
		g->every++;
	g->left = WSI_MARGIN + g->name;
	g->width = ceil(g->left + (g->side + GAP) * (double)g->across - GAP + BAR_GAP + BAR + 40 +
	                WSI_MARGIN);
	if (g->width < 560)
		g->width = 560;
	const double kind = HEAD_GAP + (g->side + BELOW) * (double)g->rows + g->name;
	g->height = WSI_HEAD + kind * (double)m->n_kinds + 8;
}

/* ---- Drawing ------------------------------------------------------------------------------- */

/* Lines over the cells that are not above their level. */
static void
hatch(const page *g, const double *values, const double *level, wsi_box box, cairo_t *cr)
{
	const size_t n = g->m->of->n_channels;
	for (size_t i = 0; i < n * n; ++i) {
		const double x = box.x + (double)(i % n) * g->cell;
		const double y = box.y + (double)(i / n) * g->cell;
		if (i % n == i / n || isnan(values[i]) || values[i] > level[i])
			continue;
		cairo_move_to(cr, x, y + g->cell);
		cairo_line_to(cr, x + g->cell, y);
	}
	wsi_draw_colour(cr, WSI_GREY);
	cairo_set_line_width(cr, 0.8);
	cairo_stroke(cr);
}

static void
draw_cells(const page *g, const wsi_matrix_kind *k, const double *values, wsi_box box, cairo_t *cr)
{
	const size_t n = g->m->of->n_channels;
	cairo_save(cr);
	cairo_set_antialias(cr, CAIRO_ANTIALIAS_NONE);
	for (size_t i = 0; i < n; ++i)
		for (size_t j = 0; j < n; ++j) {
			wsi_draw_colour(cr, colour_of(k, values[i * n + j]));
			cairo_rectangle(cr, box.x + (double)j * g->cell,
			                box.y + (double)i * g->cell, g->cell, g->cell);
			cairo_fill(cr);
		}
	cairo_restore(cr);
	wsi_draw_frame(cr, &box);
}

/* Of the channels that are named, beside the rows or below the columns. */
static void
draw_names(const page *g, bool below, wsi_box box, cairo_t *cr)
{
	char name[WSI_TEXT];
	for (size_t i = 0; i < g->m->of->n_channels; i += g->every) {
		const double at = ((double)i + 0.5) * g->cell;
		wsi_text_clean(name, sizeof name, g->m->of->channel_names[i]);
		wsi_text_fit(cr, WSI_FONT_TICK, name, sizeof name, g->name - 6);
		if (below)
			wsi_text_draw_up(cr, WSI_FONT_TICK, WSI_GREY, WSI_RIGHT, box.x + at + 2.6,
			                 box.y + box.height + 4, name);
		else
			wsi_text_draw(cr, WSI_FONT_TICK, WSI_GREY, WSI_RIGHT, box.x - 4,
			              wsi_text_middle(WSI_FONT_TICK, box.y + at), name);
	}
}

static wsi_colour
colour_at(const void *kind, double share)
{
	const wsi_matrix_kind *k = kind;
	return colour_of(k, k->low + share * (k->high - k->low));
}

static void
draw_kind(const page *g, const wsi_matrix_kind *k, double top, cairo_t *cr)
{
	const wsi_matrices *m = g->m;
	wsi_text_draw(cr, WSI_FONT_HEAD, WSI_INK, WSI_LEFT, WSI_MARGIN, top + 4, k->quantity);
	const double first = top + HEAD_GAP + 6;
	const size_t size = m->of->n_channels;
	for (size_t i = 0; i < m->n; ++i) {
		const size_t row = i / ACROSS, column = i % ACROSS;
		const wsi_box box = { g->left + (double)column * (g->side + GAP),
			first + (double)row * (g->side + BELOW), g->side, g->side };
		wsi_text_draw(cr, WSI_FONT_SMALL, WSI_INK, WSI_LEFT, box.x, box.y - 5,
		              m->labels[i]);
		draw_cells(g, k, k->values[i], box, cr);
		if (k->level)
			hatch(g, k->values[i], k->level + i * size * size, box, cr);
		if (column == 0)
			draw_names(g, false, box, cr);
		if (i + ACROSS >= m->n)
			draw_names(g, true, box, cr);
	}
	const wsi_box bar = { g->left + (g->side + GAP) * (double)g->across - GAP + BAR_GAP, first,
		BAR, g->side };
	wsi_axis axis;
	wsi_axis_exact(&axis, k->low, k->high, 5);
	wsi_draw_bar(cr, &bar, true, &axis, colour_at, k);
}

/* Is there a cell without a value? */
static bool
has_none(const wsi_matrices *m)
{
	for (size_t k = 0; k < m->n_kinds; ++k)
		for (size_t i = 0; i < m->n; ++i)
			for (size_t j = 0; j < m->of->n_channels * m->of->n_channels; ++j)
				if (isnan(m->kinds[k].values[i][j]))
					return true;
	return false;
}

ws_status
wsi_plot_matrices(const wsi_matrices *m, wsi_sheet *sheet)
{
	page g = { .m = m };
	wsi_surface *surface;
	const char *path = sheet->path;
	WSI_TRY(wsi_sheet_check(path));
	if (m->n == 0 || m->of->n_channels == 0)
		return WSI_FAIL(WS_E_ARG, "%s: there is no mode to draw", path);
	if (m->n > WSI_MATRICES)
		return WSI_FAIL(WS_E_ARG, "%s: %zu modes do not fit in one figure; decompose into "
		                "at most %d (`modes`)", path, m->n, WSI_MATRICES);
	WSI_TRY(measure_names(&g));
	measure(&g);
	WSI_TRY(wsi_surface_open(&surface, sheet, g.width, g.height, m->of->title));
	cairo_t *cr = wsi_surface_cairo(surface);
	char note[64] = "";
	if (has_none(m))
		snprintf(note, sizeof note, "grey: %s", m->none);
	wsi_draw_title(cr, g.width, m->of->title, m->of->subtitle, note);
	const double kind = HEAD_GAP + (g.side + BELOW) * (double)g.rows + g.name;
	for (size_t i = 0; i < m->n_kinds; ++i)
		draw_kind(&g, &m->kinds[i], WSI_HEAD + (double)i * kind, cr);
	return wsi_surface_end(surface, WS_OK);
}
