/* scalogram.c - the picture of a wavelet transform: its pages, panels and axes. */
#include "plot/scalogram.h"

#include <math.h>

#include "base/status.h"
#include "plot/layout.h"
#include "plot/surface.h"
#include "plot/text.h"

#define WIDTH       860.0   /* of a panel */
#define PANEL       210.0   /* height; one alone is higher */
#define PANEL_ALONE 330.0
#define PANEL_MANY  110.0   /* where there are more than MANY */
#define MANY        4
#define GAP         34.0    /* between panels: name and note */
#define SIGNAL      46.0    /* most height of the signal over a panel, and what parts them */
#define PER_PAGE    6       /* of them */
#define LEAST_WIDE  160.0   /* of a panel on a page of given size */
#define LEAST_TALL  36.0
#define TICK_ROOM   25.0    /* of a frequency's label */

/* ---- The figure ------------------------------------------------------------------------------ */

typedef struct page {
	wsi_axis frequency, time;
	const char *time_title;
	wsi_frequency_unit unit;
	double left, across, panel, width, height; /* across: width of a panel */
	double over;            /* height of the signal over a panel, and of what parts them */
	size_t per_page;        /* panels */
	double pixels;
} page;

/* Half a step beyond either end; a frequency alone still has a height. */
static void
measure_log(const wsi_scalogram *s, page *g, double lo, double hi, size_t most)
{
	const double step = s->n_frequencies > 1 ? pow(hi / lo,
	                                               0.5 / (double)(s->n_frequencies - 1))
	                    : 1.2;
	wsi_axis_log(&g->frequency, lo / step, hi * step, most);
}

static void
measure_frequency(const wsi_scalogram *s, page *g)
{
	double lo = INFINITY, hi = 0;
	const size_t most = (size_t)fmax(g->panel / TICK_ROOM, 4);
	g->unit = wsi_plot_unit(s->of);
	for (size_t i = 0; i < s->n_frequencies; ++i) {
		lo = fmin(lo, s->frequency[i] * g->unit.seconds);
		hi = fmax(hi, s->frequency[i] * g->unit.seconds);
	}
	if (s->linear) {
		const double half = s->n_frequencies > 1
		                    ? 0.5 * (hi - lo) / (double)(s->n_frequencies - 1) : 0.1 * hi;
		wsi_axis_exact(&g->frequency, fmax(lo - half, 0), hi + half, most);
	} else {
		measure_log(s, g, lo, hi, most);
	}
	if (s->periods)
		wsi_axis_periods(&g->frequency, lo, hi, s->linear, most);
}

static ws_status
measure(const wsi_scalogram *s, const wsi_sheet *sheet, page *g)
{
	const size_t n = s->of->n_channels, pages = n > MANY ? (n + PER_PAGE - 1) / PER_PAGE : 1;
	g->per_page = (n + pages - 1) / pages;
	const double shown = (double)g->per_page;
	const double others = WSI_HEAD + 12 + GAP * (shown - 1) + WSI_AXIS_TITLE + 18;
	const double over = s->signal ? SIGNAL + WSI_SCALOGRAM_OVER : 0;
	const double natural = n == 1 ? PANEL_ALONE : n > MANY ? PANEL_MANY : PANEL;
	const double tall = others + (natural + over) * shown;
	const double room = (wsi_sheet_height(sheet, tall, s->of->title) - others) / shown;
	g->over = fmin(over, room / 4);
	g->panel = fmax(room - g->over, LEAST_TALL);
	g->pixels = fmax(wsi_sheet_pixels(sheet), 1);
	measure_frequency(s, g);
	const double step = s->of->fs_known ? 1 / s->of->fs : 1;
	cairo_t *cr = wsi_text_scratch();
	g->left = WSI_MARGIN + 16 + wsi_draw_tick_width(cr, &g->frequency) + 8;
	const double beside = g->left + WSI_SCALOGRAM_BAR_GAP + WSI_SCALOGRAM_BAR + 40 + WSI_MARGIN;
	g->across = fmax(wsi_sheet_width(sheet, ceil(beside + WIDTH)) - beside, LEAST_WIDE);
	g->width = beside + g->across;
	g->height = others + (g->panel + g->over) * shown;
	const double first = s->of->first_time;
	const double last = first + (double)(s->of->samples - 1) * step;
	size_t most = (size_t)fmin(fmax(g->across / 60, 4), 9);
	do
		g->time_title = s->of->fs_known
		                && wsi_axis_dates(&g->time, s->of->start_time, first, last, most)
		                ? "date" : wsi_axis_time(&g->time, first, last, step,
		                                         s->of->fs_known,
		                                         s->of->time_unit, most, false);
	while (!wsi_draw_apart(cr, &g->time, g->across, 12) && --most > 0);
	return wsi_text_scratch_end(cr);
}

static void
draw_frequency_title(const wsi_scalogram *s, const page *g, cairo_t *cr, double top, double foot)
{
	char title[48];
	wsi_axis_frequency_title(title, sizeof title, s->periods, g->unit);
	wsi_text_draw_up(cr, WSI_FONT_SMALL, WSI_GREY, WSI_CENTRE, WSI_MARGIN + 4,
	                 (top + foot) / 2, s->axis_title ? s->axis_title : title);
}

/* Channels first .. end - 1. */
static ws_status
draw(const wsi_scalogram *s, const page *g, size_t first, size_t end, const double range[2],
     cairo_t *cr)
{
	wsi_box box = { g->left, WSI_HEAD + 12 + g->over, g->across, g->panel };
	const double top = box.y;
	for (size_t c = first; c < end; ++c) {
		wsi_scalogram_panel p = { .s = s, .channel = c, .box = box,
			.frequency = &g->frequency, .over = g->over, .unit = g->unit.seconds,
			.pixels = g->pixels, .range = { range[0], range[1] } };
		WSI_TRY(wsi_scalogram_draw_panel(&p, cr));
		if (c + 1 == end)
			wsi_draw_bottom_axis(cr, &g->time, &box);
		box.y += g->panel + g->over + GAP;
	}
	const double foot = box.y - g->over - GAP;
	draw_frequency_title(s, g, cr, top, foot);
	wsi_text_draw(cr, WSI_FONT_SMALL, WSI_GREY, WSI_CENTRE, g->left + g->across / 2,
	              foot + WSI_AXIS_TITLE + 4, g->time_title);
	return WS_OK;
}

static ws_status
draw_pages(const wsi_scalogram *s, const page *g, size_t pages, wsi_surface *surface)
{
	cairo_t *cr = wsi_surface_cairo(surface);
	const size_t n = s->of->n_channels;
	double range[2] = { 0 };
	if (s->shared)
		WSI_TRY(wsi_scalogram_range(s, range));
	for (size_t i = 0; i < pages; ++i) {
		const size_t first = i * g->per_page, end = first + g->per_page;
		if (wsi_surface_page(surface, i))
			wsi_draw_recording_title(cr, g->width, s->of);
		WSI_TRY(draw(s, g, first, end < n ? end : n, range, cr));
	}
	return WS_OK;
}

ws_status
wsi_plot_scalogram(const wsi_scalogram *figure, wsi_sheet *sheet)
{
	page g;
	wsi_surface *surface;
	wsi_scalogram s = *figure;
	const size_t n = s.of->n_channels;
	bool decibels = false;
	WSI_TRY(wsi_sheet_check(sheet->path));
	if (n == 0 || n > WSI_SCALOGRAM_PANELS)
		return WSI_FAIL(WS_E_ARG, "%s: %zu channels do not fit in one figure; choose at "
		                "most %d", sheet->path, n, WSI_SCALOGRAM_PANELS);
	const bool may = s.colours == WSI_COLOURS_LINEAR && !s.linear_colours && !s.unit
	                 && !(s.range[1] > s.range[0]);
	for (size_t i = 0; may && i < n; ++i)
		WSI_TRY(wsi_scalogram_wants_decibels(&s, i, &decibels));
	if (decibels) {
		s.colours = WSI_COLOURS_DECIBEL;
		s.amplitude = true;
	}
	WSI_TRY(measure(&s, sheet, &g));
	const size_t pages = (n + g.per_page - 1) / g.per_page;
	WSI_TRY(wsi_surface_open_pages(&surface, sheet, g.width, g.height, pages, s.of->title));
	return wsi_surface_end(surface, draw_pages(&s, &g, pages, surface));
}
