/*
 * scalogram_panel.c - a panel of a scalogram: its cells, the veil and the lines over them, its
 * colour bar, and the signal above.
 */
#include "plot/scalogram_panel.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/new.h"
#include "plot/contour.h"
#include "plot/marks.h"
#include "plot/text.h"

/* Beside a panel: with the labels of the bar. */
#define BESIDE (WSI_SCALOGRAM_BAR_GAP + WSI_SCALOGRAM_BAR + 34)

/* ---- The picture of a panel ---------------------------------------------------------------- */

/* Of a frequency, what its axis takes. */
static double
on_axis(const wsi_scalogram_panel *p, double frequency)
{
	const double f = frequency * p->unit;
	return p->s->linear ? f : log10(f);
}

/* The frequency nearest to a height of the picture, on the axis of the figure. */
static size_t
nearest(const wsi_scalogram_panel *p, double place)
{
	size_t best = 0;
	double least = INFINITY;
	for (size_t i = 0; i < p->s->n_frequencies; ++i) {
		const double at = wsi_axis_place(p->frequency, on_axis(p, p->s->frequency[i]));
		if (fabs(at - place) < least) {
			least = fabs(at - place);
			best = i;
		}
	}
	return best;
}

static uint32_t
pixel_of(wsi_colour c, double veil)
{
	const uint32_t r = (uint32_t)(255 * (c.r + (1 - c.r) * veil) + 0.5);
	const uint32_t g = (uint32_t)(255 * (c.g + (1 - c.g) * veil) + 0.5);
	const uint32_t b = (uint32_t)(255 * (c.b + (1 - c.b) * veil) + 0.5);
	return 0xFF000000 | r << 16 | g << 8 | b;
}

/* How far the ends of the recording reach at a height of the picture, s: between frequencies as on
 * a line from the one to the other. */
static double
reach_at(const wsi_scalogram_panel *p, double place)
{
	const wsi_scalogram *s = p->s;
	double below = -INFINITY, above = INFINITY, low = 0, high = 0;
	for (size_t i = 0; s->cone && i < s->n_frequencies; ++i) {
		const double at = wsi_axis_place(p->frequency, on_axis(p, s->frequency[i]));
		if (at <= place && at > below) {
			below = at;
			low = s->cone[i];
		}
		if (at >= place && at < above) {
			above = at;
			high = s->cone[i];
		}
	}
	if (!isfinite(below))
		return high;
	return !isfinite(above) || !(above > below) ? low
	       : low + (place - below) / (above - below) * (high - low);
}

/* Coefficients that depend on what lies beyond the ends of the recording are veiled. */
static void
fill_row(const wsi_scalogram_panel *p, uint32_t *row, int width, double place)
{
	const wsi_scalogram *s = p->s;
	const float *values = s->values[p->channel] + nearest(p, place) * s->columns;
	const double cone = reach_at(p, place);
	const double left = (cone - s->before) * s->of->fs / (double)s->of->samples;
	const double right = (cone - s->after) * s->of->fs / (double)s->of->samples;
	for (int x = 0; x < width; ++x) {
		const double at = (x + 0.5) / width;
		size_t column = (size_t)(at * (double)s->columns);
		const double v = wsi_scalogram_shown(s, values[column]);
		const bool inside = at >= left && at <= 1 - right;
		/* Nothing, compared with a baseline by decibels, is below any. */
		const bool none = !(values[column] > 0) || (s->fades && v < p->range[0]);
		if (!isfinite(v) || (s->colours == WSI_COLOURS_SPARSE && none)) {
			row[x] = pixel_of(WSI_PAPER, 0);
			continue;
		}
		const double share = (v - p->range[0]) / (p->range[1] - p->range[0]);
		row[x] = pixel_of(wsi_scalogram_colour(s, share), inside ? 0 : 0.55);
	}
}

static ws_status
draw_image(const wsi_scalogram_panel *p, cairo_t *cr)
{
	const int width = (int)ceil(p->box.width * p->pixels);
	const int height = (int)ceil(p->box.height * p->pixels);
	cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
	if (cairo_surface_status(image) != CAIRO_STATUS_SUCCESS) {
		cairo_surface_destroy(image);
		return WSI_FAIL(WS_E_NOMEM, "not enough memory for the figure");
	}
	unsigned char *data = cairo_image_surface_get_data(image);
	const int stride = cairo_image_surface_get_stride(image);
	cairo_surface_flush(image);
	for (int y = 0; y < height; ++y)
		fill_row(p, (uint32_t *)(void *)(data + (size_t)y * (size_t)stride), width,
		         1 - (y + 0.5) / height);
	cairo_surface_mark_dirty(image);
	cairo_save(cr);
	cairo_translate(cr, p->box.x, p->box.y);
	cairo_scale(cr, p->box.width / width, p->box.height / height);
	cairo_set_source_surface(cr, image, 0, 0);
	cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
	cairo_paint(cr);
	cairo_restore(cr);
	cairo_surface_destroy(image);
	return WS_OK;
}

/* The border of what is veiled. */
static void
draw_cone(const wsi_scalogram_panel *p, cairo_t *cr)
{
	const wsi_scalogram *s = p->s;
	if (!s->cone)
		return;
	wsi_draw_clip(cr, &p->box);
	wsi_draw_colour(cr, s->colours == WSI_COLOURS_SIGNED ? WSI_GREY : WSI_PAPER);
	cairo_set_line_width(cr, WSI_LINE);
	const double duration = (double)s->of->samples / s->of->fs;
	for (int side = 0; side < 2; ++side) {
		const double hidden = side ? s->after : s->before;
		/* Both borders end in the middle of the recording. */
		const double most = (0.5 * (s->before + duration + s->after) - hidden) / duration;
		bool ended = true;
		for (int y = 0; y <= (int)p->box.height; ++y) {
			const double reach = reach_at(p, 1 - y / p->box.height) - hidden;
			const double share = fmin(reach / duration, most);
			const double x = p->box.x + p->box.width * (side ? 1 - share : share);
			if (ended)
				cairo_move_to(cr, x, p->box.y + y);
			else
				cairo_line_to(cr, x, p->box.y + y);
			ended = share == most;
		}
		cairo_stroke(cr);
	}
	cairo_restore(cr);
}

/* ---- The contour --------------------------------------------------------------------------- */

typedef struct height {
	double y;
	size_t f;
} height;

static int
by_height(const void *a, const void *b)
{
	const double x = ((const height *)a)->y, y = ((const height *)b)->y;
	return (x > y) - (x < y);
}

/* Of a cell, above 1 within a line: where values are above their levels, or a cluster's p is
 * small. */
static double
over_line(const wsi_scalogram_panel *p, size_t cell, bool clusters)
{
	const wsi_scalogram *s = p->s;
	return clusters ? 1.000001 * WSI_CLUSTER_P / s->cluster[p->channel][cell]
	       : s->values[p->channel][cell] / s->contour[p->channel][cell];
}

/* Between two neighbouring frequencies, where the ends of the recording do not reach, or where they
 * do. */
static void
trace_row(const wsi_scalogram_panel *p, const height row[2], bool clusters, bool inside,
          cairo_t *cr)
{
	const wsi_scalogram *s = p->s;
	const double y[2] = { row[0].y, row[1].y };
	const double step = p->box.width / (double)s->columns;
	/* The first and last column reach to the borders. */
	for (size_t c = 0; c <= s->columns; ++c) {
		const size_t of[2] = { c > 0 ? c - 1 : 0, c < s->columns ? c : c - 1 };
		const double left = p->box.x + ((double)c - 0.5) * step;
		const double x[2] = { left, left + step };
		double value[2][2];
		bool within = true;
		for (int i = 0; i < 4; ++i) {
			const size_t at = row[i / 2].f * s->columns + of[i % 2];
			within &= wsi_scalogram_within_cone(s, at);
			value[i / 2][i % 2] = over_line(p, at, clusters);
		}
		if (within == inside)
			wsi_contour_cell(cr, x, y, value);
	}
}

/* Dark on a light edge, to be seen on any colour; grey where the ends of the recording reach. */
static ws_status
draw_contour(const wsi_scalogram_panel *p, bool clusters, cairo_t *cr)
{
	const wsi_scalogram *s = p->s;
	const double line = clusters ? 3 * WSI_LINE : WSI_LINE;
	if (clusters ? !s->cluster : !s->contour)
		return WS_OK;
	/* The first and last frequency reach to the borders. */
	const size_t n = s->n_frequencies + 2;
	height *rows;
	WSI_NEW(rows, n, "not enough memory for the figure");
	for (size_t i = 0; i < s->n_frequencies; ++i) {
		const double place = wsi_axis_place(p->frequency, on_axis(p, s->frequency[i]));
		rows[i + 1] = (height){ p->box.y + p->box.height * (1 - place), i };
	}
	qsort(rows + 1, n - 2, sizeof *rows, by_height);
	rows[0] = (height){ p->box.y, rows[1].f };
	rows[n - 1] = (height){ p->box.y + p->box.height, rows[n - 2].f };
	wsi_draw_clip(cr, &p->box);
	cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
	for (int pass = 0; pass < 3; ++pass)
		for (size_t i = 0; i + 1 < n; ++i) {
			trace_row(p, &rows[i], clusters, pass > 0, cr);
			wsi_draw_colour(cr, pass == 0 ? WSI_SPINE : pass == 1
			                ? WSI_PAPER : WSI_INK);
			cairo_set_line_width(cr, pass == 1 ? line + WSI_LINE : line);
			cairo_stroke(cr);
		}
	cairo_restore(cr);
	free(rows);
	return WS_OK;
}

/* Lines across the picture; of many marks short ones at its upper edge, which stand over a picture
 * on paper, where else they could not be told from its cells.  Labels are on the picture. */
static void
draw_marks(const wsi_scalogram_panel *p, cairo_t *cr)
{
	const wsi_scalogram *s = p->s;
	const bool on_paper = s->colours == WSI_COLOURS_SPARSE;
	const wsi_colour colour = on_paper || s->colours == WSI_COLOURS_SIGNED
	        ? WSI_INK : WSI_PAPER;
	const wsi_mark_look look = {colour, colour, p->box.x,
	                            p->box.width * s->of->fs / (double)s->of->samples, on_paper};
	const bool many = s->of->n_marks > WSI_MARKS_MANY;
	wsi_box box = p->box;
	box.height = many && box.height > WSI_MARK_SHORT ? WSI_MARK_SHORT : box.height;
	if (many && on_paper && s->signal) {
		box.y -= WSI_SCALOGRAM_OVER;
		box.height = WSI_SCALOGRAM_OVER - 1;
	}
	wsi_marks_draw_lines(cr, s->of, &look, &box);
	wsi_marks_draw_labels(cr, s->of, &look, &p->box, p->box.y + 10 + 8 * (many && !on_paper));
}

static void
draw_bar(const wsi_scalogram_panel *p, cairo_t *cr)
{
	const wsi_box bar = { p->box.x + p->box.width + WSI_SCALOGRAM_BAR_GAP, p->box.y,
		WSI_SCALOGRAM_BAR, p->box.height };
	wsi_axis axis;
	wsi_axis_exact(&axis, p->range[0], p->range[1], 5);
	wsi_draw_bar(cr, &bar, false, &axis, wsi_scalogram_colour, p->s);
	wsi_text_draw(cr, WSI_FONT_TICK, WSI_GREY, WSI_RIGHT, bar.x + bar.width + 34, bar.y - 15,
	              axis.note);
}

/* "magnitude (uV)", "power (dB re 1 uV²)" */
static void
quantity_of(const wsi_scalogram *s, size_t channel, char *out, size_t size)
{
	char unit[32] = "";
	wsi_text_unit(unit, sizeof unit, s->of->units[channel]);
	if (s->unit)
		snprintf(out, size, *s->unit ? "%s (%s)" : "%s", s->quantity, s->unit);
	else if (s->colours == WSI_COLOURS_CYCLE)
		snprintf(out, size, "%s (rad)", s->quantity);
	else if (s->reference)
		snprintf(out, size, "%s (dB re 1 %s%s%s)", s->quantity, *unit ? unit : "unit",
		         s->amplitude ? "" : "\u00b2", s->reference);
	else if (wsi_scalogram_in_decibels(s) && s->amplitude)
		snprintf(out, size, "%s (dB re 1 %s)", s->quantity, *unit ? unit : "unit");
	else if (wsi_scalogram_in_decibels(s) && !strstr(s->quantity, "power"))
		snprintf(out, size, "%s (dB)", s->quantity);
	else if (wsi_scalogram_in_decibels(s))
		snprintf(out, size, "%s (dB re 1 %s\u00b2)", s->quantity, *unit ? unit : "unit");
	else
		snprintf(out, size, *unit ? "%s (%s%s)" : "%s", s->quantity, unit,
		         strstr(s->quantity, "power") ? "\u00b2" : "");
}

/* Lines have two sides: how much is above the level, where the ends of the recording do not
 * reach. */
static void
add_share_above(const wsi_scalogram *s, size_t channel, char *out, size_t size)
{
	size_t above = 0, all = 0;
	for (size_t i = 0; s->contour && i < s->n_frequencies * s->columns; ++i) {
		const float level = s->contour[channel][i];
		if (!isfinite(level) || !wsi_scalogram_within_cone(s, i))
			continue;
		all++;
		above += s->values[channel][i] > level;
	}
	const size_t n = strlen(out);
	if (all)
		snprintf(out + n, size - n, "; %.3g %% above the level",
		         floor(1000 * (double)above / (double)all) / 10);
}

/* Every column's samples as a line from the least to the largest.  note: what its ticks are
 * multiplied with, or "". */
static void
draw_signal(const wsi_scalogram_panel *p, cairo_t *cr, char note[48])
{
	const wsi_scalogram *s = p->s;
	const float *low = s->signal[p->channel], *high = low + s->signal_columns;
	const wsi_box box = { p->box.x, p->box.y - p->over, p->box.width,
		p->over - WSI_SCALOGRAM_OVER };
	wsi_axis axis;
	float lo = INFINITY, hi = -INFINITY;
	for (size_t i = 0; i < s->signal_columns; ++i) {
		lo = fminf(lo, low[i]);
		hi = fmaxf(hi, high[i]);
	}
	wsi_axis_range(&axis, lo, hi);
	wsi_draw_colour(cr, WSI_INK);
	cairo_set_line_width(cr, WSI_THIN_LINE);
	for (size_t i = 0; i < s->signal_columns; ++i) {
		const double x = box.x + ((double)i + 0.5) / (double)s->signal_columns * box.width;
		const double y = wsi_draw_y(&axis, &box, low[i]);
		if (i == 0)
			cairo_move_to(cr, x, y);
		else
			cairo_line_to(cr, x, y);
		cairo_line_to(cr, x, wsi_draw_y(&axis, &box, high[i]));
	}
	cairo_stroke(cr);
	snprintf(note, 48, "%s", axis.note);
	axis.note[0] = '\0';
	wsi_draw_value_axis(cr, &axis, &box, true);
}

ws_status
wsi_scalogram_draw_panel(wsi_scalogram_panel *p, cairo_t *cr)
{
	char quantity[96], name[WSI_TEXT], channel[WSI_TEXT / 2], unit[32], note[48] = "";
	const double head = p->box.y - p->over;
	if (!p->s->shared)
		WSI_TRY(wsi_scalogram_range_of(p->s, p->channel, p->range));
	WSI_TRY(draw_image(p, cr));
	draw_cone(p, cr);
	WSI_TRY(draw_contour(p, false, cr));
	WSI_TRY(draw_contour(p, true, cr));
	draw_marks(p, cr);
	draw_bar(p, cr);
	wsi_draw_value_axis(cr, p->frequency, &p->box, true);
	quantity_of(p->s, p->channel, quantity, sizeof quantity);
	add_share_above(p->s, p->channel, quantity, sizeof quantity);
	if (p->s->signal)
		draw_signal(p, cr, note);
	wsi_text_unit(unit, sizeof unit, p->s->of->units[p->channel]);
	wsi_text_channel(channel, sizeof channel, p->s->of->channel_names[p->channel]);
	if (*unit && strstr(channel, p->s->of->units[p->channel]))
		*unit = '\0';
	snprintf(name, sizeof name, p->s->signal && (*unit || *note) ? "%s (%s%s%s)" : "%s",
	         channel, note, *note && *unit ? " " : "", unit);
	wsi_draw_name(cr, p->box.x, head - 6,
	              p->box.width + BESIDE - 10 - wsi_text_width(cr, WSI_FONT_SMALL, quantity),
	              name);
	wsi_text_draw(cr, WSI_FONT_SMALL, WSI_GREY, WSI_RIGHT,
	              p->box.x + p->box.width + BESIDE, head - 5, quantity);
	return WS_OK;
}
