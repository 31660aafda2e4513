/* spectra_draw.c - the figure of spectra: its layout, and what is drawn. */
#include <math.h>
#include <stdio.h>

#include "base/c_locale.h"
#include "base/status.h"
#include "plot/draw.h"
#include "plot/spectra.h"
#include "plot/surface.h"
#include "plot/text.h"

#define DECADES      2.0   /* of the first row below the lowest peak of a mode */
#define MOST_DECADES 9.0   /* of the first row */
#define ABOVE        2.0   /* room over the largest density, as a factor */
#define ASIDE_GAP    12.0
#define SECOND_HEAD  18.0  /* height of the heading over the modes */
#define NUMBER_GAP   4.0   /* between the numbers of modes */
#define MOST_ASIDE   36    /* that a number moves from its peak, also in all.. */
#define MOST_UP      10    /* ..and lines of 3 upwards */
#define HEAD_LEAST   20.0  /* width of what stands behind a heading */
#define DEFINITIONS  15.0  /* height of the line that defines the measures */

static const char *const aside_heads[] = {"overlap", "mixing"};

/* ---- Axes ------------------------------------------------------------------- */

static double
largest(const wsi_spectra *s, const double *density)
{
	double most = 0;
	for (size_t i = 0; i < s->bands.n; ++i)
		most = fmax(most, density[i]);
	return most;
}

/* From the signal's peak down to where the lowest of the modes still shows. */
static wsi_axis
density_axis(const wsi_spectra *s)
{
	double hi = 0, lo = INFINITY;
	for (size_t r = 0; r < s->rows; ++r) {
		double peak = largest(s, s->mean_density + r * s->bands.n) / s->unit.seconds;
		hi = fmax(hi, peak);
		if (peak > 0)
			lo = fmin(lo, peak * pow(10, -DECADES));
	}
	wsi_axis axis;
	if (hi > 1e-290)
		wsi_axis_log(&axis, fmax(lo, hi * pow(10, -MOST_DECADES)), ABOVE * hi, 6);
	else
		wsi_axis_log(&axis, pow(10, -DECADES), 1, 6);
	return axis;
}

/* From 0, of the shapes of a mode. */
static wsi_axis
shape_axis(const wsi_spectra *s, size_t row)
{
	double hi = 0;
	for (size_t c = 0; c < s->data->n_channels; ++c)
		if (wsi_spectra_has(s, c, row))
			hi = fmax(hi, largest(s, wsi_spectra_row(s, s->shape, c, row)));
	wsi_axis axis;
	wsi_axis_range(&axis, 0, hi > 0 ? hi : 1);
	axis.lo = 0;
	return axis;
}

/* ---- Words ------------------------------------------------------------------ */

/* "µV²/Hz", "µV²·day", or of the power of each channel. */
static void
density_unit(const wsi_spectra *s, char *out, size_t size)
{
	char unit[64];
	const char *per = s->unit.name[0] == '/' ? s->unit.name + 1 : NULL;
	wsi_text_unit(unit, sizeof unit, s->data->units[0]);
	if (!s->one_unit || !unit[0])
		snprintf(out, size, "%s%s%s%s", s->one_unit ? "power" : "share of a channel's "
		         "power", per ? " × " : " / ", per ? per : s->unit.name, "");
	else
		snprintf(out, size, "%s²%s%s", unit, per ? "·" : "/", per ? per : s->unit.name);
}

/* Mean over the channels that have the mode. */
static void
mean_frequency(const wsi_spectra *s, size_t row, char *out, size_t size)
{
	const wsi_plot_data *d = s->data;
	double sum = 0, n = 0;
	for (size_t c = 0; d->figures && c < d->n_channels; ++c)
		if (row <= d->modes[c] && d->figures[c]) {
			sum += d->figures[c][row - 1].frequency;
			n++;
		}
	wsi_axis_frequency(out, size, n > 0 ? sum / n : 0, s->unit);
}

static void
row_label(const wsi_spectra *s, size_t row, char label[64], char small[64])
{
	snprintf(label, 64, "%s", s->data->numbers ? "modes" : "all modes");
	snprintf(small, 64, row == 0 ? "and signal" : "");
	if (row > 0) {
		snprintf(label, 64, "IMF %zu", wsi_plot_number(s->data, row));
		mean_frequency(s, row, small, 64);
	}
}

/* ---- Numbers ---------------------------------------------------------------- */

static double
frequency_x(const wsi_spectra *s, const wsi_box *box, size_t band)
{
	double f = log10(s->bands.frequency[band] * s->unit.seconds);
	return box->x + wsi_axis_place(&s->frequency, f) * box->width;
}

static bool
clash(const wsi_spectra_number *a, const wsi_spectra_number *b)
{
	return fabs(a->x - b->x) < (a->width + b->width) / 2 + NUMBER_GAP
	       && fabs(a->y - b->y) < WSI_FONT_HEAD.size;
}

/* Does the line from one band to the next, at heights y[0] and y[1], go through a number? */
static bool
is_crossed(const wsi_spectra *s, const wsi_box *box, const wsi_spectra_number *at, size_t band,
           const double y[2])
{
	const double x0 = frequency_x(s, box, band), x1 = frequency_x(s, box, band + 1);
	const double left = fmax(x0, at->x - at->width / 2 - 1);
	const double right = fmin(x1, at->x + at->width / 2 + 1), slope = (y[1] - y[0]) / (x1 - x0);
	const double a = y[0] + slope * (left - x0), b = y[0] + slope * (right - x0);
	return left <= right && fmin(a, b) < at->y + 1.5 && fmax(a, b) > at->y - 9;
}

/* Is there neither a number before nor a curve?  y: heights of all rows in all bands; NULL: curves
 * may be there. */
static bool
is_free(const wsi_spectra *s, const wsi_box *box, size_t row, const wsi_spectra_number *at,
        const double *y)
{
	for (size_t r = 1; r < row; ++r)
		if (s->numbers[r].width > 0 && clash(&s->numbers[r], at))
			return false;
	for (size_t i = 0; y && i < s->rows * s->bands.n; ++i)
		if ((i + 1) % s->bands.n > 0 && is_crossed(s, box, at, i % s->bands.n, y + i))
			return false;
	return true;
}

/* The nearest free place, aside or higher; false: none is so near that one sees whose it is. */
static bool
move_apart(wsi_spectra *s, const wsi_box *box, size_t row, const double *y)
{
	wsi_spectra_number *number = &s->numbers[row], best = *number;
	double least = MOST_ASIDE;
	for (int line = 0; line <= MOST_UP; ++line)
		for (int step = -MOST_ASIDE; step <= MOST_ASIDE; ++step) {
			wsi_spectra_number at = *number;
			at.x += step;
			at.y -= 3 * line;
			double way = hypot(at.x - number->x, at.y - number->y);
			if (way < least && at.x - at.width / 2 >= box->x && at.y > box->y
			    && at.x <= box->x + box->width
			    && is_free(s, box, row, &at, y)) {
				least = way;
				best = at;
			}
		}
	*number = best;
	return least < MOST_ASIDE;
}

/* Each number over the peak of its curve.  y: room for the heights of all rows in all bands. */
static void
place_numbers(wsi_spectra *s, cairo_t *cr, double *y)
{
	const wsi_box box = wsi_layout_cell(&s->layout, 0, 0);
	const wsi_axis axis = density_axis(s);
	for (size_t i = 0; i < s->rows * s->bands.n; ++i)
		y[i] = wsi_draw_y(&axis, &box, log10(s->mean_density[i] / s->unit.seconds));
	for (size_t r = 1; r < s->rows; ++r) {
		wsi_spectra_number *number = &s->numbers[r];
		const double *density = s->mean_density + r * s->bands.n;
		size_t peak = 0;
		for (size_t i = 0; i < s->bands.n; ++i)
			peak = density[i] > density[peak] ? i : peak;
		double value = log10(density[peak] / s->unit.seconds);
		if (!(value > axis.lo))
			continue;
		snprintf(number->text, sizeof number->text, "%zu", wsi_plot_number(s->data, r));
		number->width = wsi_text_width(cr, WSI_FONT_HEAD, number->text);
		number->x = fmax(frequency_x(s, &box, peak), box.x + 8);
		number->y = wsi_draw_y(&axis, &box, value) - 4;
		/* The row's label has the number, too. */
		if (!move_apart(s, &box, r, y) && !move_apart(s, &box, r, NULL))
			number->width = 0;
	}
}

/* ---- Measures --------------------------------------------------------------- */

ws_status
wsi_spectra_measure(wsi_spectra *s, const wsi_sheet *sheet)
{
	cairo_t *cr = wsi_text_scratch();
	double modes = (double)s->rows - 1;
	const double height = wsi_sheet_height(sheet, 0, s->data->title);
	wsi_grid grid = {.columns = 1, .rows = s->rows, .first_gap = SECOND_HEAD,
	                 .width = sheet->width, .height = height > 0 ? height - DEFINITIONS : 0,
	                 .first_share = fmin(4.5, 1.5 + 0.3 * modes)};
	for (size_t r = 0; r < s->rows; ++r) {
		char label[64], small[64];
		wsi_axis axis = r == 0 ? density_axis(s) : shape_axis(s, r);
		row_label(s, r, label, small);
		grid.label_width = fmax(grid.label_width, wsi_text_width(cr, WSI_FONT_LABEL,
		                        label));
		grid.label_width = fmax(grid.label_width, wsi_text_width(cr, WSI_FONT_SMALL,
		                        small));
		grid.tick_width = fmax(grid.tick_width, wsi_draw_tick_width(cr, &axis));
	}
	grid.aside_width = wsi_text_width(cr, WSI_FONT_TICK, aside_heads[1]);
	if (s->data->n_channels > 1)
		grid.aside_width += wsi_text_width(cr, WSI_FONT_TICK, aside_heads[0]) + ASIDE_GAP;
	s->layout = wsi_layout_make(&grid);
	s->layout.height += DEFINITIONS;

	double rate = s->data->fs_known ? s->data->fs : 1;
	const double low = s->bands.frequency[0] * s->unit.seconds;
	wsi_axis_log(&s->frequency, low, rate / 2 * s->unit.seconds, 12);
	if (s->data->periods)
		wsi_axis_periods(&s->frequency, low, rate / 2 * s->unit.seconds, false, 12);
	double *y = wsi_kept_new(&s->kept, s->rows * s->bands.n, sizeof *y);
	if (y)
		place_numbers(s, cr, y);
	return wsi_text_scratch_end(cr);
}

/* ---- Rows ------------------------------------------------------------------- */

/* A line over the bands; log: on an axis of logarithms. */
static void
trace(const wsi_spectra *s, cairo_t *cr, const wsi_box *box, const wsi_axis *axis,
      const double *values, bool log)
{
	cairo_new_path(cr);
	for (size_t i = 0; i < s->bands.n; ++i) {
		double value = log ? log10(values[i] / s->unit.seconds) : values[i];
		if (isfinite(value))
			cairo_line_to(cr, frequency_x(s, box, i),
			              fmin(wsi_draw_y(axis, box, value), box->y + 2 * box->height));
		else
			cairo_new_sub_path(cr);
	}
	cairo_stroke(cr);
}

/* What is below the axis does not show. */
static void
begin_row(const wsi_spectra *s, cairo_t *cr, const wsi_box *box, const wsi_axis *axis)
{
	wsi_draw_grid(cr, &s->frequency, box);
	wsi_draw_value_axis(cr, axis, box, true);
	const wsi_box shown = { box->x, box->y - 1, box->width, box->height + 1 };
	wsi_draw_clip(cr, &shown);
	cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
}

/* The filter bank: the signal and each mode, means over the channels. */
static void
draw_all(const wsi_spectra *s, cairo_t *cr)
{
	const wsi_box box = wsi_layout_cell(&s->layout, 0, 0);
	const wsi_axis axis = density_axis(s);
	begin_row(s, cr, &box, &axis);
	wsi_draw_colour(cr, WSI_INK);
	cairo_set_line_width(cr, WSI_LINE);
	trace(s, cr, &box, &axis, s->mean_density, true);
	cairo_set_line_width(cr, WSI_BOLD_LINE);
	for (size_t r = 1; r < s->rows; ++r) {
		wsi_draw_colour(cr, wsi_draw_mode_colour(r - 1, s->rows - 1));
		trace(s, cr, &box, &axis, s->mean_density + r * s->bands.n, true);
	}
	cairo_restore(cr);
	for (size_t r = 1; r < s->rows; ++r)
		if (s->numbers[r].width > 0)
			wsi_text_draw(cr, WSI_FONT_HEAD, wsi_draw_mode_colour(r - 1, s->rows - 1),
			              WSI_CENTRE, s->numbers[r].x, s->numbers[r].y,
			              s->numbers[r].text);
}

/* A mode in every channel, and the mean. */
static void
draw_mode(const wsi_spectra *s, cairo_t *cr, size_t row)
{
	const wsi_box box = wsi_layout_cell(&s->layout, 0, row);
	const wsi_axis axis = shape_axis(s, row);
	const wsi_colour colour = wsi_draw_mode_colour(row - 1, s->rows - 1);
	double channels = (double)s->data->n_channels;
	begin_row(s, cr, &box, &axis);
	cairo_set_source_rgba(cr, colour.r, colour.g, colour.b, fmax(0.2, 0.7 / sqrt(channels)));
	cairo_set_line_width(cr, WSI_THIN_LINE);
	for (size_t c = 0; c < s->data->n_channels; ++c)
		if (wsi_spectra_has(s, c, row))
			trace(s, cr, &box, &axis, wsi_spectra_row(s, s->shape, c, row), false);
	wsi_draw_colour(cr, colour);
	cairo_set_line_width(cr, WSI_BOLD_LINE);
	trace(s, cr, &box, &axis, s->mean_shape + row * s->bands.n, false);
	cairo_restore(cr);
}

/* ---- Beside and below ------------------------------------------------------- */

static void
draw_overlap(cairo_t *cr, double right, double y, double overlap)
{
	char text[32];
	wsi_snprintf(text, sizeof text, isnan(overlap) ? "–" : "%.2f", overlap);
	wsi_text_draw(cr, WSI_FONT_SMALL, isnan(overlap) ? WSI_GREY : WSI_INK, WSI_RIGHT, right,
	              wsi_text_middle(WSI_FONT_SMALL, y), text);
}

/* The overlap of a mode beside its row, its mixing with the next between the two. */
static void
draw_aside(const wsi_spectra *s, cairo_t *cr)
{
	double right = s->layout.width - WSI_MARGIN;
	double middle = s->layout.aside + wsi_text_width(cr, WSI_FONT_TICK, aside_heads[0]);
	bool several = s->data->n_channels > 1;
	for (size_t r = 1; r < s->rows; ++r) {
		const wsi_box box = wsi_layout_cell(&s->layout, 0, r);
		double foot = box.y + box.height;
		if (r == 1 && several)
			wsi_text_draw(cr, WSI_FONT_TICK, WSI_GREY, WSI_RIGHT, middle, box.y - 8,
			              aside_heads[0]);
		if (r == 1 && s->rows > 2)
			wsi_text_draw(cr, WSI_FONT_TICK, WSI_GREY, WSI_RIGHT, right, box.y - 8,
			              aside_heads[1]);
		if (several)
			draw_overlap(cr, middle, box.y + box.height / 2, s->overlap[r]);
		if (r + 1 < s->rows)
			draw_overlap(cr, right, (foot + wsi_layout_cell(&s->layout, 0, r + 1).y) /
			             2, s->mixing[r]);
	}
	char text[WSI_TEXT];
	snprintf(text, sizeof text, "%smixing: %s a mode and the next%s; 1 the same frequencies, "
	         "0 none in common, – rows too short to tell",
	         several ? "overlap: of the shapes of a mode in two channels, mean over "
	         "pairs; " : "", several ? "of" : "overlap of the shapes of",
	         several ? ", mean over channels" : "");
	wsi_text_fit(cr, WSI_FONT_TICK, text, sizeof text, s->layout.width - 2 * WSI_MARGIN);
	wsi_text_draw(cr, WSI_FONT_TICK, WSI_GREY, WSI_LEFT, WSI_MARGIN,
	              s->layout.foot + WSI_AXIS_TITLE + DEFINITIONS + 2, text);
}

/* "Power spectral density  µV²/Hz", what the figure or its modes show, up to a right border. */
static void
draw_head(cairo_t *cr, double x, double right, double y, const char *head, const char *small)
{
	char text[192];
	snprintf(text, sizeof text, "%s", head);
	wsi_text_fit(cr, WSI_FONT_HEAD, text, sizeof text, right - x);
	wsi_text_draw(cr, WSI_FONT_HEAD, WSI_INK, WSI_LEFT, x, y, text);
	const double from = x + wsi_text_width(cr, WSI_FONT_HEAD, text) + 6;
	if (right - from < HEAD_LEAST)
		return;
	snprintf(text, sizeof text, "%s", small);
	wsi_text_fit(cr, WSI_FONT_SMALL, text, sizeof text, right - from);
	wsi_text_draw(cr, WSI_FONT_SMALL, WSI_GREY, WSI_LEFT, from, y, text);
}

static void
draw_heads(const wsi_spectra *s, cairo_t *cr)
{
	char unit[128], text[192];
	size_t n = s->data->n_channels;
	density_unit(s, unit, sizeof unit);
	snprintf(text, sizeof text, n > 1 ? "%s, mean of %zu channels" : "%s", unit, n);
	draw_head(cr, s->layout.x[0], s->layout.width - WSI_MARGIN, WSI_HEAD,
	          "Power spectral density", text);
	if (s->rows > 1)
		draw_head(cr, s->layout.x[0], s->layout.aside - ASIDE_GAP,
		          wsi_layout_cell(&s->layout, 0, 1).y - 8, "Shape",
		          n > 1 ? "share of a mode's power per octave, each channel and their mean"
		          : "share of a mode's power per octave");
}

static void
draw(const wsi_spectra *s, cairo_t *cr)
{
	const wsi_layout *l = &s->layout;
	const wsi_box last = wsi_layout_cell(l, 0, s->rows - 1);
	wsi_draw_recording_title(cr, l->width, s->data);
	draw_heads(s, cr);
	draw_all(s, cr);
	for (size_t r = 1; r < s->rows; ++r)
		draw_mode(s, cr, r);
	for (size_t r = 0; r < s->rows; ++r) {
		const wsi_box box = wsi_layout_cell(l, 0, r);
		char label[64], small[64];
		row_label(s, r, label, small);
		wsi_draw_row_label(cr, &box, label, small);
	}
	wsi_draw_bottom_axis(cr, &s->frequency, &last);
	char title[64];
	wsi_axis_frequency_title(title, sizeof title, s->data->periods, s->unit);
	wsi_draw_bottom_title(cr, &s->frequency, &last, title);
	draw_aside(s, cr);
}

static ws_status
draw_into(wsi_spectra *s, wsi_sheet *sheet)
{
	WSI_TRY(wsi_spectra_measure(s, sheet));
	WSI_TRY(wsi_plot_kept(&s->kept, sheet->path));
	wsi_surface *surface;
	WSI_TRY(wsi_surface_open(&surface, sheet, s->layout.width, s->layout.height,
	                         s->data->title));
	draw(s, wsi_surface_cairo(surface));
	return wsi_surface_end(surface, WS_OK);
}

ws_status
wsi_plot_spectra(const wsi_plot_data *data, wsi_sheet *sheet)
{
	wsi_spectra s;
	WSI_TRY(wsi_plot_spectra_check(data, sheet->path));
	WSI_TRY(wsi_spectra_make(&s, data, sheet->path));
	ws_status status = draw_into(&s, sheet);
	wsi_spectra_free(&s);
	return status;
}
