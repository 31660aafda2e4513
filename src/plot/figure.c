/* figure.c - drawing a decomposition whose cells are read and laid out. */
#include "plot/figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/style.h"
#include "plot/text.h"

#define TICK_LENGTH 3.0
#define DOTS_FROM   8.0   /* distance of samples from which each gets a dot */

wsi_cell *
wsi_figure_cell(const wsi_figure *f, size_t channel, size_t row)
{
	return &f->cells[channel * f->rows + row];
}

void
wsi_figure_label(const wsi_figure *f, size_t row, char *out, size_t size)
{
	if (row == 0)
		snprintf(out, size, "signal");
	else if (row + 1 == f->rows)
		snprintf(out, size, "residue");
	else
		snprintf(out, size, "IMF %zu", row);
}

void
wsi_figure_frequency(const wsi_figure *f, size_t channel, size_t row, char *out, size_t size)
{
	const wsi_plot_data *d = f->data;
	out[0] = '\0';
	bool is_mode = row > 0 && row <= d->modes[channel] && row + 1 < f->rows;
	if (is_mode && d->mean_frequency && d->mean_frequency[channel])
		wsi_axis_frequency(out, size, d->mean_frequency[channel][row - 1],
		                   wsi_axis_frequency_unit(d->fs, d->fs_known, d->samples));
}

/* ---- Strokes ---------------------------------------------------------------- */

static void
set_colour(cairo_t *cr, wsi_colour colour)
{
	cairo_set_source_rgb(cr, colour.r, colour.g, colour.b);
}

/* The middle of a PNG's pixel, so that hairlines are sharp. */
static double
crisp(double x)
{
	return floor(x * 2) / 2 + 0.25;
}

static void
hairline(cairo_t *cr, wsi_colour colour, double x0, double y0, double x1, double y1)
{
	set_colour(cr, colour);
	cairo_set_line_width(cr, WSI_HAIRLINE);
	cairo_move_to(cr, x0, y0);
	cairo_line_to(cr, x1, y1);
	cairo_stroke(cr);
}

/* ---- Cells ------------------------------------------------------------------ */

static double
time_x(const wsi_figure *f, const wsi_box *box, double sample)
{
	const wsi_plot_data *d = f->data;
	double t = d->first_time + sample / (d->fs_known ? d->fs : 1);
	return box->x + wsi_axis_place(&f->time, t) * box->width;
}

static double
value_y(const wsi_cell *cell, const wsi_box *box, double value)
{
	return box->y + (1 - wsi_axis_place(&cell->axis, value)) * box->height;
}

static void
draw_trace(const wsi_figure *f, cairo_t *cr, const wsi_cell *cell, const wsi_box *box,
           wsi_colour colour)
{
	const wsi_trace *t = &cell->trace;
	set_colour(cr, colour);
	cairo_set_line_width(cr, WSI_LINE);
	cairo_set_line_join(cr, CAIRO_LINE_JOIN_BEVEL);
	cairo_new_path(cr);  /* text leaves its end as the current point */
	for (size_t i = 0; i < t->n; ++i)
		cairo_line_to(cr, time_x(f, box, t->points[i].at),
		              value_y(cell, box, t->points[i].value));
	cairo_stroke(cr);

	bool sparse = box->width >= DOTS_FROM * (double)(f->data->samples - 1);
	for (size_t i = 0; sparse && i < t->n; ++i) {
		cairo_arc(cr, time_x(f, box, t->points[i].at),
		          value_y(cell, box, t->points[i].value), WSI_DOT, 0, 2 * M_PI);
		cairo_fill(cr);
	}
}

static void
draw_value_axis(cairo_t *cr, const wsi_cell *cell, const wsi_box *box)
{
	double x = crisp(box->x);
	hairline(cr, WSI_SPINE, x, box->y, x, box->y + box->height);
	for (size_t i = 0; i < cell->axis.n; ++i) {
		double y = value_y(cell, box, cell->axis.tick[i]);
		hairline(cr, WSI_SPINE, x - TICK_LENGTH, crisp(y), x, crisp(y));
		wsi_text_draw(cr, WSI_FONT_TICK, WSI_GREY, WSI_RIGHT, box->x - TICK_LENGTH - 2,
		              wsi_text_middle(WSI_FONT_TICK, y), cell->axis.label[i]);
	}
	wsi_text_draw(cr, WSI_FONT_TICK, WSI_GREY, WSI_LEFT, box->x, box->y - 2, cell->axis.note);
}

static void
draw_cell(const wsi_figure *f, cairo_t *cr, size_t channel, size_t row)
{
	const wsi_cell *cell = wsi_figure_cell(f, channel, row);
	const wsi_box box = wsi_layout_cell(&f->layout, channel, row);
	bool is_mode = row > 0 && row + 1 < f->rows;
	if (!cell->trace.points)
		return;
	for (size_t i = 0; i < f->time.n; ++i) {
		double x = crisp(box.x + wsi_axis_place(&f->time, f->time.tick[i]) * box.width);
		hairline(cr, WSI_GRID, x, box.y, x, box.y + box.height);
	}
	if (is_mode) {
		double zero = crisp(value_y(cell, &box, 0));
		hairline(cr, WSI_ZERO, box.x, zero, box.x + box.width, zero);
	}
	draw_value_axis(cr, cell, &box);
	draw_trace(f, cr, cell, &box, row == 0 ? WSI_INK : is_mode ? WSI_MODE : WSI_RESIDUE);
	if (f->data->n_channels > 1) {
		char text[64];
		wsi_figure_frequency(f, channel, row, text, sizeof text);
		wsi_text_draw(cr, WSI_FONT_TICK, WSI_GREY, WSI_RIGHT, box.x + box.width, box.y - 2,
		              text);
	}
}

static void
draw_time_axis(const wsi_figure *f, cairo_t *cr, size_t channel)
{
	const wsi_box box = wsi_layout_cell(&f->layout, channel, f->rows - 1);
	double y = crisp(box.y + box.height + 3);
	hairline(cr, WSI_SPINE, box.x, y, box.x + box.width, y);
	for (size_t i = 0; i < f->time.n; ++i) {
		double x = box.x + wsi_axis_place(&f->time, f->time.tick[i]) * box.width;
		hairline(cr, WSI_SPINE, crisp(x), y, crisp(x), y + TICK_LENGTH);
		wsi_text_draw(cr, WSI_FONT_SMALL, WSI_GREY, WSI_CENTRE, x, f->layout.ticks,
		              f->time.label[i]);
	}
	wsi_text_draw(cr, WSI_FONT_SMALL, WSI_GREY, WSI_CENTRE, box.x + box.width / 2,
	              f->layout.axis_title, f->time_title);
}

/* ---- Words ------------------------------------------------------------------ */

static void
draw_title(const wsi_figure *f, cairo_t *cr)
{
	const wsi_plot_data *d = f->data;
	double room = f->layout.width - 2 * WSI_MARGIN;
	char text[WSI_TEXT], start[WSI_TEXT];
	wsi_text_clean(text, sizeof text, d->title);
	wsi_text_fit(cr, WSI_FONT_TITLE, text, sizeof text, room);
	wsi_text_draw(cr, WSI_FONT_TITLE, WSI_INK, WSI_LEFT, WSI_MARGIN, f->layout.title, text);

	if (d->start_time[0]) {
		char clean[WSI_TEXT - 32];
		wsi_text_clean(clean, sizeof clean, d->start_time);
		char *t = strchr(clean, 'T');
		if (t)
			*t = ' ';
		snprintf(start, sizeof start, "recording starts %s", clean);
		wsi_text_fit(cr, WSI_FONT_SMALL, start, sizeof start, room / 2);
		wsi_text_draw(cr, WSI_FONT_SMALL, WSI_GREY, WSI_RIGHT, WSI_MARGIN + room,
		              f->layout.subtitle, start);
		room -= wsi_text_width(cr, WSI_FONT_SMALL, start) + 20;
	}
	wsi_text_clean(text, sizeof text, d->subtitle);
	wsi_text_fit(cr, WSI_FONT_SMALL, text, sizeof text, room);
	wsi_text_draw(cr, WSI_FONT_SMALL, WSI_GREY, WSI_LEFT, WSI_MARGIN, f->layout.subtitle, text);
}

/* "Fp1  µV" above the column. */
static void
draw_head(const wsi_figure *f, cairo_t *cr, size_t channel)
{
	const wsi_box box = wsi_layout_cell(&f->layout, channel, 0);
	char name[WSI_TEXT], unit[WSI_TEXT], raw[WSI_TEXT];
	wsi_text_clean(name, sizeof name, f->data->channel_names[channel]);
	wsi_text_clean(raw, sizeof raw, f->data->units[channel]);
	/* Files of ASCII write u for micro. */
	bool micro = strcmp(raw, "uV") == 0 || strcmp(raw, "uA") == 0 || strcmp(raw, "us") == 0;
	snprintf(unit, sizeof unit, "%s%.*s", micro ? "µ" : "", WSI_TEXT - 8, raw + micro);

	wsi_text_fit(cr, WSI_FONT_SMALL, unit, sizeof unit, box.width / 3);
	double unit_width = unit[0] ? wsi_text_width(cr, WSI_FONT_SMALL, unit) + 6 : 0;
	wsi_text_fit(cr, WSI_FONT_HEAD, name, sizeof name, box.width - unit_width);
	wsi_text_draw(cr, WSI_FONT_HEAD, WSI_INK, WSI_LEFT, box.x, f->layout.head, name);
	wsi_text_draw(cr, WSI_FONT_SMALL, WSI_GREY, WSI_LEFT,
	              box.x + wsi_text_width(cr, WSI_FONT_HEAD, name) + 6, f->layout.head, unit);
}

static void
draw_label(const wsi_figure *f, cairo_t *cr, size_t row)
{
	const wsi_box box = wsi_layout_cell(&f->layout, 0, row);
	double middle = box.y + box.height / 2;
	char label[64], frequency[64] = "";
	wsi_figure_label(f, row, label, sizeof label);
	if (f->data->n_channels == 1)
		wsi_figure_frequency(f, 0, row, frequency, sizeof frequency);
	if (frequency[0]) {
		wsi_text_draw(cr, WSI_FONT_SMALL, WSI_GREY, WSI_LEFT, WSI_MARGIN,
		              wsi_text_middle(WSI_FONT_SMALL, middle + 7), frequency);
		middle -= 6;
	}
	wsi_text_draw(cr, WSI_FONT_LABEL, WSI_INK, WSI_LEFT, WSI_MARGIN,
	              wsi_text_middle(WSI_FONT_LABEL, middle), label);
}

void
wsi_figure_draw(const wsi_figure *f, cairo_t *cr)
{
	draw_title(f, cr);
	for (size_t r = 0; r < f->rows; ++r)
		draw_label(f, cr, r);
	for (size_t c = 0; c < f->data->n_channels; ++c) {
		draw_head(f, cr, c);
		for (size_t r = 0; r < f->rows; ++r)
			draw_cell(f, cr, c, r);
		draw_time_axis(f, cr, c);
	}
}
