/* figure.c - see figure.h. */
#include "figure.h"
#include "input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/status.h"
#include "message.h"
#include "io/opened.h"
#include "io/selection.h"
#include "plot/masks.h"
#include "plot/plot.h"
#include "plot/surface.h"
#include "signals.h"
#include "values.h"
#include "wavesift/conv.h"

#define DEFAULT_CHANNELS 3

ws_status
cli_figure_check(const cli_args *args, const char *path)
{
	WSI_TRY(wsi_opened_check(args->opened, path));
	WSI_TRY(wsi_surface_check(path));
	struct stat st;
	/* A link to nothing exists, too. */
	if (!args->overwrite && lstat(path, &st) == 0)
		return WSI_FAIL(WS_E_EXISTS, "%s: exists already; add --overwrite or choose "
		                "another name", path);
	return wsi_folder_check(path);
}

const char *
cli_figure_subtitle(const char *options, wsi_frequency_unit unit, int epoch, char text[320])
{
	wsi_axis_range_in(text, 320, options, unit);
	const size_t used = strlen(text);
	if (epoch)
		snprintf(text + used, 320 - used, "%sepoch %d", used ? ", " : "", epoch);
	return text;
}

size_t
cli_figure_channels(size_t n, bool spectra)
{
	return spectra || n < DEFAULT_CHANNELS ? n : DEFAULT_CHANNELS;
}

static int
rising(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	return (x > y) - (x < y);
}

static ws_status
choose_channels(cli_figure *f, const char *list, const wsi_input *in)
{
	f->n = cli_figure_channels(in->n_channels, f->spectra || f->all);
	if (!list) {
		f->channels = calloc(f->n, sizeof *f->channels);
		for (size_t i = 0; f->channels && i < f->n; i++)
			f->channels[i] = i;
		return f->channels ? WS_OK : WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", f->path);
	}
	const char **names = calloc(in->n_channels, sizeof *names);
	if (!names)
		return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", f->path);
	for (size_t i = 0; i < in->n_channels; i++)
		names[i] = wsi_input_name(in, i);
	ws_status status = wsi_select(list, in->n_channels, names, "--plot-channels",
	                              "the selection", &f->channels, &f->n);
	free(names);
	if (status == WS_OK)
		qsort(f->channels, f->n, sizeof *f->channels, rising);
	return status;
}

/* ---- Rows --------------------------------------------------------------------------- */

/* Rows of an array [channel][time] or [channel][row][time]. */
static size_t
rows_of(const ws_array *a)
{
	return a->rank == 3 ? a->extent[1] : 1;
}

/* "level", "power 3", "power 8 Hz" */
static void
label_rows(cli_figure *f, const ws_array *a, double *const *axes)
{
	const size_t n = rows_of(a);
	for (size_t i = 0; i < n; i++) {
		char *label = f->labels[f->most + i];
		if (n == 1)
			snprintf(label, sizeof *f->labels, "%.31s", a->name);
		else if (axes[1])
			snprintf(label, sizeof *f->labels, "%.16s %.4g%s", a->name, axes[1][i],
			         a->axis[1] == WS_AXIS_FREQUENCY || a->axis[1] == WS_AXIS_BAND
			         ? " Hz" : "");
		else
			snprintf(label, sizeof *f->labels, "%.8s %zu", a->name, i + 1);
	}
}

/* Those of the main arrays, which must lie on the times of the signal. */
static ws_status
find_rows(cli_figure *f, const cli_outcome *o)
{
	const char *name = o->args->command.name;
	bool signal = false;
	for (int i = 0; i < o->outputs->n; i++) {
		const ws_array *a = &o->outputs->arrays[i];
		signal |= (a->flags & WS_ARRAY_SIGNAL) != 0;
		if (!(a->flags & WS_ARRAY_MAIN) || !cli_array_made(a))
			continue;
		f->of_modes |= cli_axis_place(a, WS_AXIS_MODE) > 0;
		if (a->rank < 2 || a->rank > 3 || a->axis[a->rank - 1] != WS_AXIS_TIME ||
		    a->type != f->type
		    || a->extent[a->rank - 1] != o->in->samples)
			return WSI_FAIL(WS_E_ARG, "--plot: %s of %s is no rows of samples, and "
			                "cannot be drawn", a->name, name);
		if (!f->of_modes && f->most + rows_of(a) > CLI_FIGURE_ROWS)
			return WSI_FAIL(WS_E_ARG, "--plot: %s makes more than the %d rows that fit "
			                "in a figure", name, CLI_FIGURE_ROWS);
		if (!f->of_modes)
			label_rows(f, a, o->outputs->axes + i * WS_MOST_AXES);
		f->most += rows_of(a);
	}
	if (f->most == 0 || !signal)
		return WSI_FAIL(WS_E_ARG, "--plot: %s makes no rows that can be drawn beside a "
		                "signal", name);
	return WS_OK;
}

static uint64_t
place_of(const cli_figure *f, size_t i, size_t row, size_t sample, size_t samples)
{
	const uint64_t size = f->type == WS_F32 ? 4 : 8;
	return size * ((uint64_t)samples * (i * (f->most + 1) + row) + sample);
}

/* What is known beforehand. */
static wsi_plot_data
plot_data(const cli_figure *f, const wsi_input *in)
{
	return (wsi_plot_data){
		.source = in->rec->path, .n_channels = f->n,
		.samples = in->samples, .fs = in->fs, .fs_known = in->fs_known,
		.first_time = wsi_input_first_time(in), .time_unit = in->rec->time_unit,
		.start_time = in->rec->start_time,
	};
}

static ws_status
choose(cli_figure *f, const cli_outcome *o)
{
	*f = (cli_figure){ .path = o->args->plot, .type = (ws_type)o->args->precision,
		.spectra = o->args->figure == FIGURE_SPECTRA };
	f->analysed = cli_hht_figure_asked(o->args);
	f->masks = o->args->figure == FIGURE_MASKS;
	if (f->masks)
		return WS_OK;
	f->all = o->args->figure == FIGURE_CONNECTIVITY;
	f->colours = !f->analysed && cli_scalogram_array(o) >= 0;
	if (f->analysed)
		WSI_TRY(cli_hht_figure_check(o));
	if (!f->colours && !f->analysed)
		WSI_TRY(find_rows(f, o));
	return choose_channels(f, o->args->plot_channels, o->in);
}

ws_status
cli_figure_rehearse(const cli_outcome *o)
{
	cli_figure f;
	WSI_TRY(choose(&f, o));
	const wsi_plot_data data = plot_data(&f, o->in);
	const bool colours = f.colours || f.analysed;
	cli_figure_close(&f);
	if (o->args->figure == FIGURE_MASKS)
		return WS_OK;
	return colours ? wsi_plot_check(&data, o->args->plot)
	       : o->args->figure == FIGURE_SPECTRA ? wsi_plot_spectra_check(&data, o->args->plot)
	       : wsi_plot_decomposition_check(&data, o->args->plot);
}

static ws_status
open_parts(cli_figure *f, const cli_outcome *o)
{
	f->open = f->colours || f->analysed;
	if (f->masks)
		return WS_OK;
	if (f->analysed)
		return cli_hht_figure_open(&f->hht, o, f->channels, f->n);
	if (f->colours)
		return cli_scalogram_open(&f->scalogram, o, f->channels, f->n);
	f->rows = calloc(f->n, sizeof *f->rows);
	f->figures = calloc(f->n, sizeof *f->figures);
	if (!f->rows || !f->figures)
		return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", f->path);
	for (size_t i = 0; f->of_modes && i < f->n; i++) {
		f->figures[i] = calloc(f->most, sizeof **f->figures);
		if (!f->figures[i])
			return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", f->path);
	}
	WSI_TRY(wsi_spool_open(&f->spool, f->path, place_of(f, f->n, 0, 0, o->in->samples), false));
	f->open = true;
	return WS_OK;
}

ws_status
cli_figure_open(cli_figure *f, const cli_outcome *o)
{
	WSI_TRY(choose(f, o));
	ws_status status = open_parts(f, o);
	if (status != WS_OK)
		cli_figure_close(f);
	return status;
}

void
cli_figure_close(cli_figure *f)
{
	if (f->colours)
		cli_scalogram_close(&f->scalogram);
	else if (f->analysed)
		cli_hht_figure_close(&f->hht);
	else if (f->open)
		wsi_spool_close(&f->spool);
	for (size_t i = 0; f->figures && i < f->n; i++)
		free(f->figures[i]);
	free(f->figures);
	free(f->channels);
	free(f->rows);
	*f = (cli_figure){ 0 };
}

/* Puts the rows of a slab aside, from row `first` on; *put: how many. */
static ws_status
put_slab(cli_figure *f, size_t i, size_t first, const ws_array *a, const ws_slab *s, size_t *put)
{
	const int time = a->rank - 2; /* axis of the slab */
	const size_t samples = a->extent[time + 1], size = f->type == WS_F32 ? 4 : 8;
	const size_t bytes = s->extent[time] * size;
	const size_t rows = time ? s->extent[0] : 1, at = time ? s->first[0] : 0;
	for (size_t r = 0; r < rows; r++)
		WSI_TRY(wsi_spool_put(&f->spool, place_of(f, i, first + at + r, s->first[time],
		                                          samples),
		                      (const char *)s->data + r * bytes, bytes));
	*put = rows;
	return WS_OK;
}

ws_status
cli_figure_put(cli_figure *f, const cli_outcome *o, const cli_family *family,
               const ws_channel_result *r)
{
	size_t i = 0, row = 1, put;
	if (f->open && f->colours)
		return cli_scalogram_put(&f->scalogram, o, r);
	if (f->open && f->analysed)
		return cli_hht_figure_put(&f->hht, o, r);
	/* A number past the first epoch's channels is of a later epoch. */
	while (f->open && i < f->n && f->channels[i] != r->channel)
		i++;
	if (!f->open || i == f->n)
		return WS_OK;
	for (int k = 0; k < o->outputs->n; k++) {
		const ws_array *a = &o->outputs->arrays[k];
		if (a->flags & WS_ARRAY_SIGNAL)
			WSI_TRY(put_slab(f, i, 0, a, &r->slabs[k], &put));
		if (!(a->flags & WS_ARRAY_MAIN) || !cli_array_made(a))
			continue;
		WSI_TRY(put_slab(f, i, row, a, &r->slabs[k], &put));
		/* The residue follows the modes that were found. */
		row += f->of_modes ? put : rows_of(a);
	}
	f->rows[i] = row - 1;
	f->measured = f->of_modes && family->figures;
	if (f->measured)
		family->figures(r, f->figures[i]);
	return WS_OK;
}

/* ---- Drawing -------------------------------------------------------------------------- */

typedef struct reading {
	const cli_figure *f;
	size_t samples;
} reading;

/* A wsi_plot_read. */
static ws_status
read_row(void *user, size_t channel, size_t row, size_t first, size_t count, double *out)
{
	const reading *r = user;
	const uint64_t at = place_of(r->f, channel, row, first, r->samples);
	if (cli_signalled())
		return WSI_FAIL(WS_E_CANCELLED, "cancelled");
	if (r->f->type == WS_F64)
		return wsi_spool_read(&r->f->spool, at, out, count * sizeof *out);
	/* Floats in the upper half of out widen from its beginning. */
	char *narrow = (char *)out + count * sizeof(float);
	WSI_TRY(wsi_spool_read(&r->f->spool, at, narrow, count * sizeof(float)));
	for (size_t i = 0; i < count; i++) {
		float v;
		memcpy(&v, narrow + i * sizeof v, sizeof v);
		out[i] = v;
	}
	return WS_OK;
}

static ws_status
draw(cli_figure *f, wsi_plot_data *data, const char **names, size_t *modes)
{
	const char *labels[CLI_FIGURE_ROWS];
	for (size_t i = 0; i < CLI_FIGURE_ROWS; i++)
		labels[i] = f->labels[i];
	/* The last row is the residue. */
	for (size_t i = 0; i < f->n; i++)
		modes[i] = f->rows[i] - f->of_modes;
	data->channel_names = names;
	data->units = names + f->n;
	data->modes = modes;
	data->labels = f->of_modes ? NULL : labels;
	data->figures = f->measured ? (const ws_mode_figures *const *)f->figures : NULL;
	data->read = read_row;
	return f->spectra ? wsi_plot_spectra(data, f->path) : wsi_plot_decomposition(data, f->path);
}

static ws_status
draw_masks(const cli_outcome *o, const wsi_provenance *p)
{
	const ws_conv_opts *conv = o->args->opts;
	ws_masks *masks;
	WSI_TRY(ws_masks_create(&masks, o->ctx, conv, o->in->fs));
	const wsi_mask_figure figure = { .title = p->title, .subtitle = p->options, .masks = masks,
		.fs = o->in->fs * (conv->oversample > 1 ? conv->oversample : 1),
		.fs_known = o->in->fs_known };
	const ws_status status = wsi_plot_masks(&figure, o->args->plot);
	ws_masks_destroy(masks);
	return status;
}

ws_status
cli_figure_draw(cli_figure *f, const cli_outcome *o, const wsi_provenance *p)
{
	const wsi_input *in = o->in;
	if (f->masks)
		return draw_masks(o, p);
	if (f->colours)
		return cli_scalogram_draw(&f->scalogram, o, p);
	if (f->analysed)
		return cli_hht_figure_draw(&f->hht, o, p);
	const char **names = calloc(2 * f->n, sizeof *names);
	size_t *modes = calloc(f->n, sizeof *modes);
	char subtitle[320];
	reading r = { f, in->samples };
	wsi_plot_data data = plot_data(f, in);
	for (size_t i = 0; names && i < f->n; i++) {
		const wsi_channel *c = &in->rec->channels[in->channels[f->channels[i]]];
		names[i] = c->name;
		names[f->n + i] = c->unit;
	}
	data.title = p->title;
	data.subtitle = cli_figure_subtitle(p->options, wsi_axis_frequency_unit(
		in->fs, in->fs_known, in->samples), cli_input_shown_epoch(in), subtitle);
	data.user = &r;
	ws_status status = names && modes ? draw(f, &data, names, modes)
	                   : WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", f->path);
	free(names);
	free(modes);
	return status;
}
