/* figure.c - drawing a decomposition whose cells are read and laid out. */
#include "plot/figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "plot/draw.h"
#include "plot/marks.h"
#include "plot/text.h"

#define DOTS_FROM 8.0    /* distance of samples from which each gets a dot */
#define NARROW    100.0  /* width of a cell whose lines are thin */

wsi_cell *
wsi_figure_cell(const wsi_figure *f, size_t channel, size_t row)
{
	return &f->cells[channel * f->rows + row];
}

bool
wsi_figure_is_residue(const wsi_figure *f, size_t row)
{
	return !f->data->labels && !f->data->no_residue && row + 1 == f->rows;
}

void
wsi_figure_label(const wsi_figure *f, size_t row, char *out, size_t size)
{
	if (row == 0)
		snprintf(out, size, "signal");
	else if (f->data->labels)
		snprintf(out, size, "%s", f->data->labels[row - 1]);
	else if (wsi_figure_is_residue(f, row))
		snprintf(out, size, "residue");
	else
		snprintf(out, size, "IMF %zu", wsi_plot_number(f->data, row));
}

/* That of a cell's mode; "" where there is none. */
static void
frequency_of(const wsi_figure *f, size_t channel, size_t row, char *out, size_t size)
{
	const wsi_plot_data *d = f->data;
	out[0] = '\0';
	bool is_mode = row > 0 && row <= d->modes[channel] && !wsi_figure_is_residue(f, row);
	if (is_mode && d->figures && d->figures[channel])
		wsi_axis_frequency(out, size, d->figures[channel][row - 1].frequency,
		                   wsi_plot_unit(d));
}

void
wsi_figure_below(const wsi_figure *f, size_t row, char *out, size_t size)
{
	const wsi_plot_data *d = f->data;
	out[0] = '\0';
	if (d->row_unit && row > 0)
		snprintf(out, size, "%s", d->row_unit);
	else if (d->n_channels == 1)
		frequency_of(f, 0, row, out, size);
	else if (row > 0 && d->alignment && !wsi_figure_is_residue(f, row) &&
	         isfinite(d->alignment[row - 1]))
		wsi_snprintf(out, size, "aligned %.2f", d->alignment[row - 1]);
}

/* "8.07–11.2 Hz, 7719 half waves"; "" where there is none. */
static void
band(const wsi_figure *f, size_t channel, size_t row, char *out, size_t size)
{
	const wsi_plot_data *d = f->data;
	char frequency[64], low[64], high[64];
	frequency_of(f, channel, row, frequency, sizeof frequency);
	out[0] = '\0';
	if (!frequency[0])
		return;
	const ws_mode_figures *m = &d->figures[channel][row - 1];
	const wsi_frequency_unit unit = wsi_plot_unit(d);
	wsi_axis_frequency(low, sizeof low, m->band_low, unit);
	wsi_axis_frequency(high, sizeof high, m->band_high, unit);
	/* A unit that both have is said once. */
	char *low_unit = strchr(low, ' ');
	const char *high_unit = strchr(high, ' ');
	if (low_unit && high_unit && strcmp(low_unit, high_unit) == 0)
		*low_unit = '\0';
	snprintf(out, size, "%s–%s, %zu half wave%s", low, high, m->half_waves,
	         m->half_waves == 1 ? "" : "s");
}

/* What stands above a mode's cell: as much as fits.  The frequency of a single
 * channel's mode stands beside it. */
static void
caption(const wsi_figure *f, cairo_t *cr, size_t channel, size_t row, double width, char *out,
        size_t size)
{
	char frequency[64] = "", range[160];
	band(f, channel, row, range, sizeof range);
	if (f->data->n_channels > 1)
		frequency_of(f, channel, row, frequency, sizeof frequency);
	snprintf(out, size, *frequency && *range ? "%s (%s)" : "%s%s", frequency, range);
	if (wsi_text_width(cr, WSI_FONT_TICK, out) > width)
		snprintf(out, size, "%s", frequency);
}

/* ---- Cells ------------------------------------------------------------------ */

static double
time_x(const wsi_figure *f, const wsi_box *box, double sample)
{
	const wsi_plot_data *d = f->data;
	double t = d->first_time + sample / (d->fs_known ? d->fs : 1);
	return box->x + wsi_axis_place(&f->time, t) * box->width;
}

/* Lines through a row; of many marks short ones, and in the first row only. */
static wsi_mark_look
mark_look(const wsi_figure *f, const wsi_box *box)
{
	const double rate = f->data->fs_known ? f->data->fs : 1, x = time_x(f, box, 0);
	return (wsi_mark_look){WSI_SPINE, WSI_GREY, x, (time_x(f, box, rate) - x), false};
}

static void
draw_marks(const wsi_figure *f, cairo_t *cr, size_t row, wsi_box box)
{
	const wsi_mark_look look = mark_look(f, &box);
	const bool many = f->data->n_marks > WSI_MARKS_MANY;
	if (row == 0)
		wsi_marks_draw_labels(cr, f->data, &look, &box, box.y - 2);
	if (many && row > 0)
		return;
	box.height = many ? WSI_MARK_SHORT : box.height;
	wsi_marks_draw_lines(cr, f->data, &look, &box);
}

/* A pale band from one end of the interval about a row to the other. */
static void
draw_interval(const wsi_figure *f, cairo_t *cr, const wsi_cell *cell, const wsi_box *box,
              wsi_colour colour)
{
	const wsi_trace *low = &cell->ends[0], *high = &cell->ends[1];
	const wsi_colour shades[] = {WSI_PAPER, colour};
	wsi_draw_colour(cr, wsi_draw_mix(shades, 2, 0.28));
	cairo_new_path(cr);
	for (size_t i = 0; i < low->n; ++i)
		cairo_line_to(cr, time_x(f, box, low->points[i].at),
		              wsi_draw_y(&cell->axis, box, low->points[i].value));
	for (size_t i = high->n; i-- > 0;)
		cairo_line_to(cr, time_x(f, box, high->points[i].at),
		              wsi_draw_y(&cell->axis, box, high->points[i].value));
	cairo_fill(cr);
}

static void
draw_trace(const wsi_figure *f, cairo_t *cr, const wsi_cell *cell, const wsi_box *box,
           wsi_colour colour)
{
	const wsi_trace *t = &cell->trace;
	wsi_draw_colour(cr, colour);
	cairo_set_line_width(cr, box->width < NARROW ? WSI_THIN_LINE : WSI_LINE);
	cairo_set_line_join(cr, CAIRO_LINE_JOIN_BEVEL);
	cairo_new_path(cr);  /* text leaves its end as the current point */
	for (size_t i = 0; i < t->n; ++i)
		cairo_line_to(cr, time_x(f, box, t->points[i].at),
		              wsi_draw_y(&cell->axis, box, t->points[i].value));
	cairo_stroke(cr);

	bool sparse = box->width >= DOTS_FROM * (double)(f->data->samples - 1);
	for (size_t i = 0; sparse && i < t->n; ++i) {
		cairo_arc(cr, time_x(f, box, t->points[i].at),
		          wsi_draw_y(&cell->axis, box, t->points[i].value), WSI_DOT, 0, 2 * M_PI);
		cairo_fill(cr);
	}
}

/* Has a channel's mode its energy at the ends? */
static bool
at_ends(const wsi_figure *f, size_t channel, size_t row)
{
	const wsi_plot_data *d = f->data;
	if (row == 0 || row > d->modes[channel] || !d->figures || !d->figures[channel])
		return false;
	const ws_mode_figures *m = &d->figures[channel][row - 1];
	return wsi_plot_at_ends(m->end_share, m->frequency, (double)d->samples / d->fs);
}

/* The first and last period of a mode that has its energy there. */
static void
shade_ends(const wsi_figure *f, cairo_t *cr, size_t channel, size_t row, const wsi_box *box)
{
	const wsi_plot_data *d = f->data;
	if (!at_ends(f, channel, row))
		return;
	const ws_mode_figures *m = &d->figures[channel][row - 1];
	const double left = box->x, right = left + box->width, period = d->fs / m->frequency;
	const double first = fmin(time_x(f, box, period), right);
	const double last = fmax(time_x(f, box, (double)(d->samples - 1) - period), left);
	wsi_draw_colour(cr, WSI_ENDS);
	cairo_new_path(cr);
	if (first > left)
		cairo_rectangle(cr, left, box->y, first - left, box->height);
	if (last < right)
		cairo_rectangle(cr, last, box->y, right - last, box->height);
	cairo_fill(cr);
}

static void
draw_cell(const wsi_figure *f, cairo_t *cr, size_t channel, size_t row)
{
	const wsi_cell *cell = wsi_figure_cell(f, channel, row);
	const wsi_box box = wsi_layout_cell(&f->layout, channel - f->first, row);
	bool is_mode = row > 0 && !wsi_figure_is_residue(f, row);
	if (!cell->trace.points) {
		/* The scale of the channels after it. */
		if (f->has_axis[channel] && cell->axis.n > 0)
			wsi_draw_value_axis(cr, &cell->axis, &box, true);
		return;
	}
	if (is_mode)
		shade_ends(f, cr, channel, row, &box);
	const wsi_colour colour = row == 0 ? WSI_INK : is_mode ? WSI_MODE : WSI_RESIDUE;
	draw_interval(f, cr, cell, &box, colour);
	wsi_draw_grid(cr, &f->time, &box);
	draw_marks(f, cr, row, box);
	if (is_mode && !f->data->labels) {
		wsi_draw_zero(cr, &cell->axis, &box);
	}
	wsi_draw_value_axis(cr, &cell->axis, &box, f->has_axis[channel]);
	draw_trace(f, cr, cell, &box, colour);
	char text[256];
	caption(f, cr, channel, row, box.width, text, sizeof text);
	wsi_text_draw(cr, WSI_FONT_TICK, WSI_GREY, WSI_RIGHT, box.x + box.width, box.y - 3, text);
}

/* ---- Words ------------------------------------------------------------------ */

/* "Fp1  µV" above the column; the unit once for columns of one scale. */
static void
draw_head(const wsi_figure *f, cairo_t *cr, size_t channel)
{
	const wsi_box box = wsi_layout_cell(&f->layout, channel - f->first, 0);
	char name[WSI_TEXT], unit[WSI_TEXT] = "";
	wsi_text_channel(name, sizeof name, f->data->channel_names[channel]);
	const char *of = f->data->units[channel];
	if (f->has_axis[channel] && !(*of && strstr(name, of)))
		wsi_text_unit(unit, sizeof unit, of);

	wsi_text_fit(cr, WSI_FONT_SMALL, unit, sizeof unit, box.width / 3);
	double unit_width = unit[0] ? wsi_text_width(cr, WSI_FONT_SMALL, unit) + 6 : 0;
	wsi_text_fit(cr, WSI_FONT_HEAD, name, sizeof name, box.width - unit_width);
	wsi_text_draw(cr, WSI_FONT_HEAD, WSI_INK, WSI_LEFT, box.x, WSI_HEAD, name);
	wsi_text_draw(cr, WSI_FONT_SMALL, WSI_GREY, WSI_LEFT,
	              box.x + wsi_text_width(cr, WSI_FONT_HEAD, name) + 6, WSI_HEAD, unit);
}

static void
draw_label(const wsi_figure *f, cairo_t *cr, size_t row)
{
	const wsi_box box = wsi_layout_cell(&f->layout, 0, row);
	char label[64], below[64];
	wsi_figure_label(f, row, label, sizeof label);
	wsi_figure_below(f, row, below, sizeof below);
	wsi_draw_row_label(cr, &box, label, below);
}

/* What shades are, below the page's labels where it has any. */
static void
draw_legend(const wsi_figure *f, cairo_t *cr)
{
	const double y = f->layout.foot + WSI_AXIS_TITLE + 11;
	bool shaded = false;
	for (size_t c = f->first; c < f->data->n_channels && c < f->first + f->per_page; ++c)
		for (size_t r = 1; r <= f->data->modes[c]; ++r)
			shaded |= at_ends(f, c, r);
	if (!shaded)
		return;
	wsi_draw_colour(cr, WSI_ENDS);
	cairo_rectangle(cr, WSI_MARGIN, y - 7, 9, 8);
	cairo_fill(cr);
	wsi_text_draw(cr, WSI_FONT_TICK, WSI_GREY, WSI_LEFT, WSI_MARGIN + 13, y,
	              "may be made by the ends");
}

void
wsi_figure_draw(const wsi_figure *f, cairo_t *cr, bool titled)
{
	const wsi_layout *l = &f->layout;
	if (titled)
		wsi_draw_recording_title(cr, l->width, f->data);
	for (size_t r = 0; r < f->rows; ++r)
		draw_label(f, cr, r);
	for (size_t c = f->first; c < f->data->n_channels && c < f->first + f->per_page; ++c) {
		const wsi_box last = wsi_layout_cell(l, c - f->first, f->rows - 1);
		draw_head(f, cr, c);
		for (size_t r = 0; r < f->rows; ++r)
			draw_cell(f, cr, c, r);
		wsi_draw_bottom_axis(cr, &f->time, &last);
	}
	draw_legend(f, cr);
	double right = l->x[l->columns - 1] + l->cell_width;
	char title[96];
	snprintf(title, sizeof title, "%s%s%s", f->time_title, *f->time.note ? " " : "",
	         f->time.note);
	wsi_text_draw(cr, WSI_FONT_SMALL, WSI_GREY, WSI_CENTRE, (l->x[0] + right) / 2,
	              l->foot + WSI_AXIS_TITLE, title);
}
