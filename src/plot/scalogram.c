/* scalogram.c - the picture of a wavelet transform. */
#include "plot/scalogram.h"

#include <cairo.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/new.h"
#include "plot/axis.h"
#include "plot/contour.h"
#include "plot/draw.h"
#include "plot/marks.h"
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
#define SIGNAL_GAP  6.0
#define BAR         11.0    /* width of a colour bar, and its distance from the panel */
#define BAR_GAP     14.0
#define BESIDE      (BAR_GAP + BAR + 34) /* a panel: with the bar's labels */
#define PER_PAGE    6       /* of them */
#define LEAST_WIDE  160.0   /* of a panel on a page of given size */
#define LEAST_TALL  36.0
#define TICK_ROOM   25.0    /* of a frequency's label */
#define LOW_SHARE   0.05    /* of values that take the first colour, in decibels */
#define HIGH_SHARE  0.998   /* that do not take the last.. */
#define MOST_SHARE  0.99    /* ..where colours are linear */
#define MOST_DEPTH  80.0    /* dB from the last colour to the first */
#define MOST_LINEAR 40.0    /* times their median, above which the last colour asks for decibels */

/* ---- Colours ------------------------------------------------------------------------------- */

/* Dark to light, in even steps for the eye and in print without colour. */
static const wsi_colour even[] = {
	WSI_RGB(0x440154), WSI_RGB(0x482878), WSI_RGB(0x3E4A89), WSI_RGB(0x31688E),
	WSI_RGB(0x26828E), WSI_RGB(0x1F9E89), WSI_RGB(0x35B779), WSI_RGB(0x6DCD59),
	WSI_RGB(0xB4DE2C), WSI_RGB(0xFDE725),
};

/* Of cells on paper: the weakest are the palest. */
static const wsi_colour sparse[] = WSI_PALE_TO_DEEP;

/* Blue below 0, red above, both as dark at the ends. */
static const wsi_colour about_zero[] = {
	WSI_RGB(0x053061), WSI_RGB(0x2166AC), WSI_RGB(0x4393C3), WSI_RGB(0x92C5DE),
	WSI_RGB(0xF7F7F7), WSI_RGB(0xF4A582), WSI_RGB(0xD6604D), WSI_RGB(0xB2182B),
	WSI_RGB(0x67001F),
};

static wsi_colour
cyclic_colour(double share)
{
	const double angle = 2 * M_PI * share;
	return (wsi_colour){ 0.5 + 0.42 * cos(angle), 0.5 + 0.42 * cos(angle - 2.0944),
		0.5 + 0.42 * cos(angle + 2.0944) };
}

static wsi_colour
colour_of(const void *scalogram, double share)
{
	const wsi_scalogram *s = scalogram;
	if (s->colours == WSI_COLOURS_SIGNED)
		return wsi_draw_mix(about_zero, 9, 8 * share);
	if (s->colours == WSI_COLOURS_SPARSE)
		return wsi_draw_mix(sparse, 5, 4 * share);
	return s->colours == WSI_COLOURS_CYCLE ? cyclic_colour(share)
	       : wsi_draw_mix(even, 10, 9 * share);
}

/* ---- Values -------------------------------------------------------------------------------- */

static bool
in_decibels(const wsi_scalogram *s)
{
	return s->colours == WSI_COLOURS_DECIBEL || s->colours == WSI_COLOURS_SPARSE;
}

static double
shown(const wsi_scalogram *s, float value)
{
	return in_decibels(s) ? (s->amplitude ? 20 : 10) * log10(fmax(value, 1e-300)) : value;
}

static int
by_size(const void *a, const void *b)
{
	const float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

/* Does value i of a channel tell of the recording, rather than of what stands beside it? */
static bool
within_cone(const wsi_scalogram *s, size_t i)
{
	const double duration = (double)s->of->samples / s->of->fs;
	const double at = ((double)(i % s->columns) + 0.5) / (double)s->columns * duration;
	const double reach = s->cone ? s->cone[i / s->columns] : 0;
	return at >= reach - s->before && at <= duration - (reach - s->after);
}

/* Those values that colours are for: finite, as what is compared with a baseline may not be, and
 * where the ends of the recording do not reach, if there are such. */
static size_t
collect(const wsi_scalogram *s, const float *values, float *out)
{
	const size_t all = s->n_frequencies * s->columns;
	size_t n = 0;
	for (size_t i = 0; i < all; ++i)
		if (isfinite(values[i]) && within_cone(s, i))
			out[n++] = values[i];
	for (size_t i = 0, none = n; none == 0 && i < all; ++i)
		if (isfinite(values[i]))
			out[n++] = values[i];
	if (n == 0)
		out[n++] = 0;
	return n;
}

/* The values that colours are for, ascending; NULL: no memory. */
static float *
sort(const wsi_scalogram *s, size_t channel, size_t *n)
{
	float *sorted = malloc((s->n_frequencies * s->columns + 1) * sizeof *sorted);
	if (!sorted)
		return NULL;
	*n = collect(s, s->values[channel], sorted);
	qsort(sorted, *n, sizeof *sorted, by_size);
	return sorted;
}

/* Would few values take all colours? */
static ws_status
wants_decibels(const wsi_scalogram *s, size_t channel, bool *wants)
{
	size_t n;
	float *sorted = sort(s, channel, &n);
	WSI_HAVE(sorted, "not enough memory for the figure");
	const float middle = sorted[n / 2];
	*wants |= middle > 0 && sorted[(size_t)(HIGH_SHARE * (double)(n - 1))] > MOST_LINEAR * middle;
	free(sorted);
	return WS_OK;
}

/* What the first and the last colour stand for. */
static ws_status
range_of(const wsi_scalogram *s, size_t channel, double range[2])
{
	range[0] = -M_PI;
	range[1] = M_PI;
	if (s->range[1] > s->range[0]) {
		range[0] = s->range[0];
		range[1] = s->range[1];
		return WS_OK;
	}
	if (s->colours == WSI_COLOURS_CYCLE)
		return WS_OK;
	size_t n;
	float *sorted = sort(s, channel, &n);
	WSI_HAVE(sorted, "not enough memory for the figure");
	/* Of what is nothing decibels tell nothing. */
	size_t none = 0;
	while (in_decibels(s) && none + 1 < n && sorted[none] <= 0)
		none++;
	const double last = (double)(n - 1 - none);
	range[0] = s->colours == WSI_COLOURS_LINEAR ? 0
	           : shown(s, sorted[none + (size_t)(LOW_SHARE * last)]);
	range[1] = shown(s, sorted[none + (size_t)((in_decibels(s) ? HIGH_SHARE : MOST_SHARE)
	                                           * last)]);
	if (s->colours == WSI_COLOURS_SIGNED) {
		const double low = shown(s, sorted[(size_t)((1 - MOST_SHARE) * last)]);
		range[1] = fmax(fabs(range[1]), fabs(low));
		range[0] = -range[1];
	}
	if (in_decibels(s))
		range[0] = fmax(range[0], range[1] - MOST_DEPTH);
	if (!(range[1] > range[0]))
		range[1] = range[0] + 1;
	free(sorted);
	return WS_OK;
}

/* The widest of all panels. */
static ws_status
range_of_all(const wsi_scalogram *s, double range[2])
{
	range[0] = INFINITY;
	range[1] = -INFINITY;
	for (size_t i = 0; i < s->of->n_channels; ++i) {
		double other[2];
		WSI_TRY(range_of(s, i, other));
		range[0] = fmin(range[0], other[0]);
		range[1] = fmax(range[1], other[1]);
	}
	return WS_OK;
}

/* ---- The picture of a panel ---------------------------------------------------------------- */

typedef struct panel {
	const wsi_scalogram *s;
	size_t channel;
	wsi_box box;
	double range[2];
	const wsi_axis *frequency;
	double over;            /* height of what stands over it */
	double unit;            /* s: cycles of a second are as many of the axis */
	double pixels;          /* of the image, per unit of length */
} panel;

/* Of a frequency, what its axis takes. */
static double
on_axis(const panel *p, double frequency)
{
	const double f = frequency * p->unit;
	return p->s->linear ? f : log10(f);
}

/* The frequency nearest to a height of the picture, on the axis of the figure. */
static size_t
nearest(const panel *p, double place)
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

/* How far the ends of the recording reach at a height of the picture, s: between frequencies as on a
 * line from the one to the other. */
static double
reach_at(const panel *p, double place)
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
fill_row(const panel *p, uint32_t *row, int width, double place)
{
	const wsi_scalogram *s = p->s;
	const float *values = s->values[p->channel] + nearest(p, place) * s->columns;
	const double cone = reach_at(p, place);
	const double left = (cone - s->before) * s->of->fs / (double)s->of->samples;
	const double right = (cone - s->after) * s->of->fs / (double)s->of->samples;
	for (int x = 0; x < width; ++x) {
		const double at = (x + 0.5) / width;
		size_t column = (size_t)(at * (double)s->columns);
		const double v = shown(s, values[column]);
		const bool inside = at >= left && at <= 1 - right;
		/* Nothing, compared with a baseline by decibels, is below any. */
		const bool none = !(values[column] > 0) || (s->fades && v < p->range[0]);
		if (!isfinite(v) || (s->colours == WSI_COLOURS_SPARSE && none)) {
			row[x] = pixel_of(WSI_PAPER, 0);
			continue;
		}
		row[x] = pixel_of(colour_of(s, (v - p->range[0]) / (p->range[1] - p->range[0])),
		                  inside ? 0 : 0.55);
	}
}

static ws_status
draw_image(const panel *p, cairo_t *cr)
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
draw_cone(const panel *p, cairo_t *cr)
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
over_line(const panel *p, size_t cell, bool clusters)
{
	const wsi_scalogram *s = p->s;
	return clusters ? 1.000001 * WSI_CLUSTER_P / s->cluster[p->channel][cell]
	       : s->values[p->channel][cell] / s->contour[p->channel][cell];
}

/* Between two neighbouring frequencies, where the ends of the recording do not reach, or where they
 * do. */
static void
trace_row(const panel *p, const height row[2], bool clusters, bool inside, cairo_t *cr)
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
			within &= within_cone(s, at);
			value[i / 2][i % 2] = over_line(p, at, clusters);
		}
		if (within == inside)
			wsi_contour_cell(cr, x, y, value);
	}
}

/* Dark on a light edge, to be seen on any colour; grey where the ends of the recording reach. */
static ws_status
draw_contour(const panel *p, bool clusters, cairo_t *cr)
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
			wsi_draw_colour(cr, pass == 0 ? WSI_SPINE : pass == 1 ? WSI_PAPER : WSI_INK);
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
draw_marks(const panel *p, cairo_t *cr)
{
	const wsi_scalogram *s = p->s;
	const bool on_paper = s->colours == WSI_COLOURS_SPARSE;
	const wsi_colour colour = on_paper || s->colours == WSI_COLOURS_SIGNED ? WSI_INK : WSI_PAPER;
	const wsi_mark_look look = {colour, colour, p->box.x,
	                            p->box.width * s->of->fs / (double)s->of->samples, on_paper};
	const bool many = s->of->n_marks > WSI_MARKS_MANY;
	wsi_box box = p->box;
	box.height = many && box.height > WSI_MARK_SHORT ? WSI_MARK_SHORT : box.height;
	if (many && on_paper && s->signal) {
		box.y -= SIGNAL_GAP;
		box.height = SIGNAL_GAP - 1;
	}
	wsi_marks_draw_lines(cr, s->of, &look, &box);
	wsi_marks_draw_labels(cr, s->of, &look, &p->box, p->box.y + 10 + 8 * (many && !on_paper));
}

static void
draw_bar(const panel *p, cairo_t *cr)
{
	const wsi_box bar = { p->box.x + p->box.width + BAR_GAP, p->box.y, BAR, p->box.height };
	wsi_axis axis;
	wsi_axis_exact(&axis, p->range[0], p->range[1], 5);
	wsi_draw_bar(cr, &bar, false, &axis, colour_of, p->s);
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
	else if (in_decibels(s) && s->amplitude)
		snprintf(out, size, "%s (dB re 1 %s)", s->quantity, *unit ? unit : "unit");
	else if (in_decibels(s) && !strstr(s->quantity, "power"))
		snprintf(out, size, "%s (dB)", s->quantity);
	else if (in_decibels(s))
		snprintf(out, size, "%s (dB re 1 %s\u00b2)", s->quantity, *unit ? unit : "unit");
	else
		snprintf(out, size, *unit ? "%s (%s%s)" : "%s", s->quantity, unit,
		         strstr(s->quantity, "power") ? "\u00b2" : "");
}

/* Lines have two sides: how much is above the level, where the ends of the recording do not reach. */
static void
add_share_above(const wsi_scalogram *s, size_t channel, char *out, size_t size)
{
	size_t above = 0, all = 0;
	for (size_t i = 0; s->contour && i < s->n_frequencies * s->columns; ++i) {
		const float level = s->contour[channel][i];
		if (!isfinite(level) || !within_cone(s, i))
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
draw_signal(const panel *p, cairo_t *cr, char note[48])
{
	const wsi_scalogram *s = p->s;
	const float *low = s->signal[p->channel], *high = low + s->signal_columns;
	const wsi_box box = { p->box.x, p->box.y - p->over, p->box.width, p->over - SIGNAL_GAP };
	wsi_axis axis;
	double lo = INFINITY, hi = -INFINITY;
	for (size_t i = 0; i < s->signal_columns; ++i) {
		lo = fmin(lo, low[i]);
		hi = fmax(hi, high[i]);
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

static ws_status
draw_panel(panel *p, cairo_t *cr)
{
	char quantity[96], name[WSI_TEXT], channel[WSI_TEXT / 2], unit[32], note[48] = "";
	const double head = p->box.y - p->over;
	if (!p->s->shared)
		WSI_TRY(range_of(p->s, p->channel, p->range));
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
	const double over = s->signal ? SIGNAL + SIGNAL_GAP : 0;
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
	const double beside = g->left + BAR_GAP + BAR + 40 + WSI_MARGIN;
	g->across = fmax(wsi_sheet_width(sheet, ceil(beside + WIDTH)) - beside, LEAST_WIDE);
	g->width = beside + g->across;
	g->height = others + (g->panel + g->over) * shown;
	const double first = s->of->first_time;
	const double last = first + (double)(s->of->samples - 1) * step;
	const size_t most = (size_t)fmin(g->across / 60, 9);
	g->time_title = s->of->fs_known
	                && wsi_axis_dates(&g->time, s->of->start_time, first, last, most)
	                ? "date" : wsi_axis_time(&g->time, first, last, step, s->of->fs_known,
	                                         s->of->time_unit, most, false);
	return wsi_text_scratch_end(cr);
}

static void
draw_frequency_title(const wsi_scalogram *s, const page *g, cairo_t *cr, double top, double foot)
{
	char title[48];
	if (s->periods)
		wsi_axis_period_title(title, sizeof title, g->unit);
	else
		wsi_axis_title(title, sizeof title, "frequency", g->unit);
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
		panel p = { .s = s, .channel = c, .box = box, .frequency = &g->frequency,
			.over = g->over, .unit = g->unit.seconds, .pixels = g->pixels,
			.range = { range[0], range[1] } };
		WSI_TRY(draw_panel(&p, cr));
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
		WSI_TRY(range_of_all(s, range));
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
		WSI_TRY(wants_decibels(&s, i, &decibels));
	if (decibels) {
		s.colours = WSI_COLOURS_DECIBEL;
		s.amplitude = true;
	}
	WSI_TRY(measure(&s, sheet, &g));
	const size_t pages = (n + g.per_page - 1) / g.per_page;
	WSI_TRY(wsi_surface_open_pages(&surface, sheet, g.width, g.height, pages, s.of->title));
	return wsi_surface_end(surface, draw_pages(&s, &g, pages, surface));
}
