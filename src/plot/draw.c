/* draw.c - strokes, axes and the title of figures. */
#include "plot/draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/text.h"

#define TICK_LENGTH 3.0
#define APART       6.0   /* labels beside each other.. */
#define BELOW       7.9   /* ..and below each other, from baseline to baseline */
#define AXIS_BELOW  3.0   /* from the foot of a cell to the axis */

/* ---- Strokes ---------------------------------------------------------------- */

void
wsi_draw_colour(cairo_t *cr, wsi_colour colour)
{
	cairo_set_source_rgb(cr, colour.r, colour.g, colour.b);
}

double
wsi_draw_crisp(double x)
{
	return floor(x * 2) / 2 + 0.25;
}

void
wsi_draw_hairline(cairo_t *cr, wsi_colour colour, double x0, double y0, double x1, double y1)
{
	wsi_draw_colour(cr, colour);
	cairo_set_line_width(cr, WSI_HAIRLINE);
	cairo_move_to(cr, x0, y0);
	cairo_line_to(cr, x1, y1);
	cairo_stroke(cr);
}

wsi_colour
wsi_draw_mix(const wsi_colour *stops, size_t n, double at)
{
	at = fmin(fmax(at, 0), (double)(n - 1));
	const size_t i = at < (double)(n - 2) ? (size_t)at : n - 2;
	const double t = at - (double)i;
	const wsi_colour a = stops[i], b = stops[i + 1];
	return (wsi_colour){ a.r + t * (b.r - a.r), a.g + t * (b.g - a.g), a.b + t * (b.b - a.b) };
}

wsi_colour
wsi_draw_mode_colour(size_t k, size_t n)
{
	static const wsi_colour stops[] = WSI_MODES;
	const size_t last = sizeof stops / sizeof *stops - 1;
	return wsi_draw_mix(stops, last + 1,
	                    n > 1 ? (double)k * (double)last / (double)(n - 1) : 1);
}

/* ---- Axes ------------------------------------------------------------------- */

void
wsi_draw_clip(cairo_t *cr, const wsi_box *box)
{
	cairo_save(cr);
	cairo_rectangle(cr, box->x, box->y, box->width, box->height);
	cairo_clip(cr);
}

void
wsi_draw_frame(cairo_t *cr, const wsi_box *box)
{
	wsi_draw_colour(cr, WSI_SPINE);
	cairo_set_line_width(cr, WSI_HAIRLINE);
	cairo_rectangle(cr, box->x, box->y, box->width, box->height);
	cairo_stroke(cr);
}

double
wsi_draw_y(const wsi_axis *axis, const wsi_box *box, double value)
{
	return box->y + (1 - wsi_axis_place(axis, value)) * box->height;
}

void
wsi_draw_value_axis(cairo_t *cr, const wsi_axis *axis, const wsi_box *box, bool labels)
{
	double x = wsi_draw_crisp(box->x);
	wsi_draw_hairline(cr, WSI_SPINE, x, box->y, x, box->y + box->height);
	double last = INFINITY;
	for (size_t i = 0; i < axis->n; ++i) {
		double y = wsi_draw_y(axis, box, axis->tick[i]);
		wsi_draw_hairline(cr, WSI_SPINE, x - TICK_LENGTH, wsi_draw_crisp(y), x,
		                  wsi_draw_crisp(y));
		/* What stands above or below has labels too. */
		y = fmin(fmax(y, box->y + 3), box->y + box->height - 3);
		if (!labels || fabs(last - y) < BELOW)
			continue;
		last = y;
		wsi_text_draw(cr, WSI_FONT_TICK, WSI_GREY, WSI_RIGHT, box->x - TICK_LENGTH - 2,
		              wsi_text_middle(WSI_FONT_TICK, y), axis->label[i]);
	}
	wsi_text_draw(cr, WSI_FONT_TICK, WSI_GREY, WSI_LEFT, box->x, box->y - 2, axis->note);
}

void
wsi_draw_grid(cairo_t *cr, const wsi_axis *axis, const wsi_box *box)
{
	for (size_t i = 0; i < axis->n; ++i) {
		double x = wsi_axis_place(axis, axis->tick[i]) * box->width;
		x = wsi_draw_crisp(box->x + x);
		wsi_draw_hairline(cr, WSI_GRID, x, box->y, x, box->y + box->height);
	}
}

static void
draw_level(cairo_t *cr, const wsi_axis *axis, const wsi_box *box, double value, wsi_colour colour)
{
	const double y = wsi_draw_crisp(wsi_draw_y(axis, box, value));
	wsi_draw_hairline(cr, colour, box->x, y, box->x + box->width, y);
}

void
wsi_draw_levels(cairo_t *cr, const wsi_axis *axis, const wsi_box *box)
{
	for (size_t i = 0; i < axis->n; ++i)
		draw_level(cr, axis, box, axis->tick[i], WSI_GRID);
}

void
wsi_draw_zero(cairo_t *cr, const wsi_axis *axis, const wsi_box *box)
{
	draw_level(cr, axis, box, 0, WSI_ZERO);
}

void
wsi_draw_bar(cairo_t *cr, const wsi_box *bar, bool framed, const wsi_axis *axis,
             wsi_draw_share colour, const void *user)
{
	/* Slices that share pixels would show. */
	cairo_set_antialias(cr, CAIRO_ANTIALIAS_NONE);
	for (int y = 0; y < (int)bar->height; ++y) {
		wsi_draw_colour(cr, colour(user, 1 - (y + 0.5) / bar->height));
		cairo_rectangle(cr, bar->x, bar->y + y, bar->width, 1.2);
		cairo_fill(cr);
	}
	cairo_set_antialias(cr, CAIRO_ANTIALIAS_DEFAULT);
	if (framed)
		wsi_draw_frame(cr, bar);
	double last = INFINITY;
	for (size_t i = 0; i < axis->n; ++i) {
		double y = wsi_draw_y(axis, bar, axis->tick[i]);
		/* Words stand above. */
		y = fmax(y, bar->y + 3);
		if (fabs(last - y) < BELOW)
			continue;
		last = y;
		wsi_text_draw(cr, WSI_FONT_TICK, WSI_GREY, WSI_LEFT, bar->x + bar->width + 4,
		              wsi_text_middle(WSI_FONT_TICK, y), axis->label[i]);
	}
}

void
wsi_draw_bottom_axis(cairo_t *cr, const wsi_axis *axis, const wsi_box *box)
{
	double foot = box->y + box->height;
	double y = wsi_draw_crisp(foot + AXIS_BELOW), free_from = -INFINITY;
	wsi_draw_hairline(cr, WSI_SPINE, box->x, y, box->x + box->width, y);
	for (size_t i = 0; i < axis->n; ++i) {
		double x = box->x + wsi_axis_place(axis, axis->tick[i]) * box->width;
		wsi_draw_hairline(cr, WSI_SPINE, wsi_draw_crisp(x), y, wsi_draw_crisp(x),
		                  y + TICK_LENGTH);
		const double half = wsi_text_width(cr, WSI_FONT_SMALL, axis->label[i]) / 2;
		if (x - half < free_from)
			continue;
		free_from = x + half + APART;
		wsi_text_draw(cr, WSI_FONT_SMALL, WSI_GREY, WSI_CENTRE, x, foot + WSI_TICK_LABELS,
		              axis->label[i]);
	}
}

void
wsi_draw_bottom_title(cairo_t *cr, const wsi_axis *axis, const wsi_box *box, const char *title)
{
	char text[96];
	snprintf(text, sizeof text, "%s%s%s", title, *axis->note ? " " : "", axis->note);
	wsi_text_draw(cr, WSI_FONT_SMALL, WSI_GREY, WSI_CENTRE, box->x + box->width / 2,
	              box->y + box->height + WSI_AXIS_TITLE, text);
}

/* ---- Words ------------------------------------------------------------------ */

void
wsi_draw_title(cairo_t *cr, double width, const char *title, const char *subtitle,
               const char *note)
{
	double room = width - 2 * WSI_MARGIN;
	char text[WSI_TEXT];
	if (!*title)
		return;
	wsi_text_clean(text, sizeof text, title);
	const bool fits = wsi_text_width(cr, WSI_FONT_TITLE, text) <= room;
	const wsi_font font = fits ? WSI_FONT_TITLE : WSI_FONT_HEAD;
	wsi_text_fit(cr, font, text, sizeof text, room);
	wsi_text_draw(cr, font, WSI_INK, WSI_LEFT, WSI_MARGIN, WSI_TITLE, text);

	if (note[0]) {
		wsi_text_clean(text, sizeof text, note);
		wsi_text_fit(cr, WSI_FONT_SMALL, text, sizeof text, room / 2);
		wsi_text_draw(cr, WSI_FONT_SMALL, WSI_GREY, WSI_RIGHT, WSI_MARGIN + room,
		              WSI_SUBTITLE, text);
		room -= wsi_text_width(cr, WSI_FONT_SMALL, text) + 20;
	}
	wsi_text_clean(text, sizeof text, subtitle);
	wsi_text_fit(cr, WSI_FONT_SMALL, text, sizeof text, room);
	wsi_text_draw(cr, WSI_FONT_SMALL, WSI_GREY, WSI_LEFT, WSI_MARGIN, WSI_SUBTITLE, text);
}

void
wsi_draw_recording_title(cairo_t *cr, double width, const wsi_plot_data *data)
{
	char note[64] = "";
	if (data->start_time[0])
		snprintf(note, sizeof note, "recording starts %s", data->start_time);
	char *t = strchr(note, 'T');
	if (t)
		*t = strcmp(t, "T00:00:00") == 0 ? '\0' : ' ';
	wsi_draw_title(cr, width, data->title, data->subtitle, note);
}

void
wsi_draw_name(cairo_t *cr, double x, double y, double room, const char *name)
{
	char text[WSI_TEXT];
	wsi_text_channel(text, sizeof text, name);
	wsi_text_fit(cr, WSI_FONT_HEAD, text, sizeof text, room);
	wsi_text_draw(cr, WSI_FONT_HEAD, WSI_INK, WSI_LEFT, x, y, text);
}

void
wsi_draw_row_label(cairo_t *cr, const wsi_box *box, const char *label, const char *small)
{
	double middle = box->y + box->height / 2;
	if (small[0]) {
		wsi_text_draw(cr, WSI_FONT_SMALL, WSI_GREY, WSI_LEFT, WSI_MARGIN,
		              wsi_text_middle(WSI_FONT_SMALL, middle + 7), small);
		middle -= 6;
	}
	wsi_text_draw(cr, WSI_FONT_LABEL, WSI_INK, WSI_LEFT, WSI_MARGIN,
	              wsi_text_middle(WSI_FONT_LABEL, middle), label);
}

double
wsi_draw_tick_width(cairo_t *cr, const wsi_axis *axis)
{
	double width = 0;
	for (size_t i = 0; i < axis->n; ++i)
		width = fmax(width, wsi_text_width(cr, WSI_FONT_TICK, axis->label[i]));
	return width;
}

bool
wsi_draw_apart(cairo_t *cr, const wsi_axis *axis, double width, double space)
{
	for (size_t i = 1; i < axis->n; ++i) {
		const double text = wsi_text_width(cr, WSI_FONT_SMALL, axis->label[i - 1])
		                    + wsi_text_width(cr, WSI_FONT_SMALL, axis->label[i]);
		const double apart = wsi_axis_place(axis, axis->tick[i])
		                     - wsi_axis_place(axis, axis->tick[i - 1]);
		if (apart * width < text / 2 + space)
			return false;
	}
	return true;
}
