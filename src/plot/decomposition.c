/*
 * decomposition.c - the figure of a decomposition: reads every row once,
 * keeps what shows, lays out, draws.
 */
#include <math.h>

#include "base/new.h"
#include "plot/draw.h"
#include "plot/figure.h"
#include "plot/surface.h"
#include "plot/text.h"

#define BLOCK    ((size_t)1 << 15)  /* samples read at a time */
#define MOST_COLUMNS 8              /* of a page */

/* ---- Rows ------------------------------------------------------------------ */

/* Number by which data->read knows the row of the figure; false: the channel
 * has no such mode and the cell stays empty. */
static bool
row_of_channel(const wsi_figure *f, size_t channel, size_t row, size_t *number)
{
	size_t modes = f->data->modes[channel];
	const bool residue = wsi_figure_is_residue(f, row);
	*number = residue ? modes + 1 : row;
	return residue || row <= modes;
}

/* Both ends of the interval about a part of a row that was read: block has both, of BLOCK. */
static ws_status
read_interval(const wsi_figure *f, size_t channel, size_t number, size_t first, size_t count,
              wsi_cell *cell, double *block)
{
	const wsi_plot_data *d = f->data;
	double *half = block + BLOCK;
	size_t bad = first;
	WSI_TRY(d->interval(d->user, channel, number, first, count, half));
	for (int end = 0; end < 2; ++end) {
		for (size_t i = 0; i < count; ++i)
			block[i] += end ? 2 * half[i] : -half[i];
		if (wsi_trace_push(&cell->ends[end], block, first, count, &bad) != WS_OK)
			return wsi_plot_refuse(d, channel, number, bad, block[bad - first],
			                       "drawn");
	}
	return WS_OK;
}

static ws_status
read_cell(const wsi_figure *f, size_t channel, size_t number, wsi_cell *cell, double *block)
{
	const wsi_plot_data *d = f->data;
	for (size_t first = 0; first < d->samples; first += BLOCK) {
		size_t count = d->samples - first < BLOCK ? d->samples - first : BLOCK;
		size_t bad;
		WSI_TRY(d->read(d->user, channel, number, first, count, block));
		if (wsi_trace_push(&cell->trace, block, first, count, &bad) != WS_OK)
			return wsi_plot_refuse(d, channel, number, bad, block[bad - first],
			                       "drawn");
		if (d->interval)
			WSI_TRY(read_interval(f, channel, number, first, count, cell, block));
	}
	if (d->interval) {
		cell->trace.lo = fmin(cell->trace.lo, cell->ends[0].lo);
		cell->trace.hi = fmax(cell->trace.hi, cell->ends[1].hi);
	}
	return WS_OK;
}

/* Room for the points of a row, and of the interval about it. */
static ws_status
start_cell(wsi_figure *f, wsi_cell *cell, size_t points, size_t columns)
{
	wsi_trace *const traces[] = {&cell->trace, &cell->ends[0], &cell->ends[1]};
	for (int i = 0; i < (f->data->interval ? 3 : 1); ++i) {
		wsi_point *p = wsi_kept_new(&f->kept, points, sizeof *p);
		WSI_HAVE(p, "not enough memory for the figure");
		wsi_trace_start(traces[i], f->data->samples, columns, p);
	}
	return WS_OK;
}

static ws_status
read_cells(wsi_figure *f, double *block)
{
	const double width = wsi_sheet_width(f->sheet, wsi_layout_width(f->per_page)) /
	                     (double)f->per_page;
	/* As many as a PNG has pixels. */
	size_t columns = (size_t)fmax(fmin(wsi_sheet_pixels(f->sheet) * width, 1 << 16), 16);
	size_t points = wsi_trace_points(f->data->samples, columns);
	for (size_t c = 0; c < f->data->n_channels; ++c) {
		for (size_t r = 0; r < f->rows; ++r) {
			wsi_cell *cell = wsi_figure_cell(f, c, r);
			size_t number;
			if (!row_of_channel(f, c, r, &number))
				continue;
			WSI_TRY(start_cell(f, cell, points, columns));
			WSI_TRY(read_cell(f, c, number, cell, block));
		}
	}
	return WS_OK;
}

/* ---- Measures -------------------------------------------------------------- */

static double
widest_label(const wsi_figure *f, cairo_t *cr)
{
	double width = wsi_text_width(cr, WSI_FONT_LABEL, "residue");
	char text[64];
	for (size_t r = 0; r < f->rows; ++r) {
		wsi_figure_label(f, r, text, sizeof text);
		width = fmax(width, wsi_text_width(cr, WSI_FONT_LABEL, text));
		wsi_figure_below(f, r, text, sizeof text);
		width = fmax(width, wsi_text_width(cr, WSI_FONT_SMALL, text));
	}
	return width;
}

static double
tick_x(const wsi_figure *f, size_t tick)
{
	return wsi_axis_place(&f->time, f->time.tick[tick]) * f->layout.cell_width;
}

/* Does the last label keep a distance from the page's edge, and from the first label of the next
 * column? */
static bool
last_fits(const wsi_figure *f, cairo_t *cr)
{
	const wsi_axis *axis = &f->time;
	const size_t last = axis->n - 1;
	const double half = wsi_text_width(cr, WSI_FONT_SMALL, axis->label[last]) / 2;
	const double x = tick_x(f, last);
	if (f->layout.x[f->layout.columns - 1] + x + half > f->layout.width)
		return false;
	const double next = f->layout.columns > 1 ? f->layout.x[1] - f->layout.x[0] : HUGE_VAL;
	return next + tick_x(f, 0) - x >=
	       half + wsi_text_width(cr, WSI_FONT_SMALL, axis->label[0]) / 2 + 9;
}

/* Whether neighbouring labels of the time axis keep a distance.  Where only the last one finds no
 * room, and two others do, it is left out: as many as fit tell more than its end does. */
static bool
labels_fit(wsi_figure *f, cairo_t *cr, double space)
{
	if (!wsi_draw_apart(cr, &f->time, f->layout.cell_width, space))
		return false;
	if (f->time.n > 2 && !last_fits(f, cr))
		f->time.n--;
	return last_fits(f, cr);
}

/* As many ticks as read well, labels so far apart. */
static bool
fit_time_axis(wsi_figure *f, cairo_t *cr, bool brief, double space)
{
	const wsi_plot_data *d = f->data;
	double step = d->fs_known ? 1 / d->fs : 1;
	double last = d->first_time + (double)(d->samples - 1) * step;
	size_t most = (size_t)fmin(fmax(f->layout.cell_width / 28, 4), 9);
	bool fits;
	do
		f->time_title = d->fs_known && wsi_axis_dates(&f->time, d->start_time,
		                                              d->first_time, last, most)
		                ? "date" : wsi_axis_time(&f->time, d->first_time, last, step,
		                                         d->fs_known,
		                              d->time_unit, most, brief);
	while (!(fits = labels_fit(f, cr, space)) && --most > 0);
	return fits && f->time.n > 1;
}

static void
make_time_axis(wsi_figure *f, cairo_t *cr)
{
	/* One label tells no scale. */
	if (!fit_time_axis(f, cr, false, 12) && !fit_time_axis(f, cr, true, 12))
		fit_time_axis(f, cr, true, 7);
}

static ws_status
measure(wsi_figure *f)
{
	cairo_t *cr = wsi_text_scratch();
	wsi_grid grid = {.columns = f->per_page, .rows = f->rows, .width = f->sheet->width,
	                 .height = wsi_sheet_height(f->sheet, 0, f->data->title),
	                 .has_axis = f->has_axis + f->first, .label_width = widest_label(f, cr),
	                 .first_share = 1.3, .first_gap = WSI_GROUP_GAP,
	                 .last_gap = f->data->labels || f->data->no_residue ? 0 : WSI_GROUP_GAP};
	for (size_t i = 0; i < f->data->n_channels * grid.rows; ++i)
		if (f->has_axis[i / grid.rows])
			grid.tick_width = fmax(grid.tick_width,
			                       wsi_draw_tick_width(cr, &f->cells[i].axis));
	f->layout = wsi_layout_make(&grid);
	make_time_axis(f, cr);
	return wsi_text_scratch_end(cr);
}

/* ---- The figure ------------------------------------------------------------ */

ws_status
wsi_plot_decomposition_check(const wsi_plot_data *d, const char *path)
{
	WSI_TRY(wsi_plot_check(d, path));
	if (d->n_channels > WSI_MOST_CHANNELS)
		return WSI_FAIL(WS_E_ARG, "%s: %zu channels do not fit in one figure of modes; "
		                "choose at most %d, or draw spectra", path, d->n_channels,
		                WSI_MOST_CHANNELS);
	return WS_OK;
}

static ws_status
draw(wsi_figure *f, wsi_sheet *sheet, double *block)
{
	WSI_TRY(read_cells(f, block));
	wsi_figure_scale(f);
	WSI_TRY(measure(f));
	wsi_surface *surface;
	const size_t pages = (f->data->n_channels + f->per_page - 1) / f->per_page;
	WSI_TRY(wsi_surface_open_pages(&surface, sheet, f->layout.width, f->layout.height, pages,
	                               f->data->title));
	ws_status status = WS_OK;
	for (size_t page = 0; page < pages && status == WS_OK; ++page) {
		f->first = page * f->per_page;
		status = measure(f);
		wsi_figure_draw(f, wsi_surface_cairo(surface), wsi_surface_page(surface, page));
	}
	return wsi_surface_end(surface, status);
}

/* As many on each page as on the others, as far as possible. */
static size_t
channels_of_a_page(size_t channels)
{
	const size_t pages = (channels + MOST_COLUMNS - 1) / MOST_COLUMNS;
	return (channels + pages - 1) / pages;
}

ws_status
wsi_plot_decomposition(const wsi_plot_data *data, wsi_sheet *sheet)
{
	WSI_TRY(wsi_plot_decomposition_check(data, sheet->path));
	/* Signal, modes and residue. */
	const size_t beside = data->labels || data->no_residue ? 1 : 2;
	wsi_figure f = {.data = data, .sheet = sheet, .rows = beside,
	                .per_page = channels_of_a_page(data->n_channels)};
	for (size_t c = 0; c < data->n_channels; ++c)
		f.rows = data->modes[c] + beside > f.rows ? data->modes[c] + beside : f.rows;

	f.cells = wsi_kept_new(&f.kept, data->n_channels * f.rows, sizeof *f.cells);
	double *block = wsi_kept_new(&f.kept, 2 * BLOCK, sizeof *block);
	ws_status status = wsi_plot_kept(&f.kept, sheet->path);
	if (status == WS_OK)
		status = draw(&f, sheet, block);
	wsi_kept_free(&f.kept);
	return status;
}
