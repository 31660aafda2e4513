/* figure.c - see figure.h. */
#include "figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/status.h"
#include "io/selection.h"
#include "plot/plot.h"
#include "plot/surface.h"
#include "signals.h"
#include "values.h"

#define DEFAULT_CHANNELS 3

ws_status
cli_figure_check(const char *path, bool overwrite)
{
	WSI_TRY(wsi_surface_check(path));
	struct stat st;
	/* A link to nothing exists, too. */
	if (!overwrite && lstat(path, &st) == 0)
		return WSI_FAIL(WS_E_EXISTS, "%s: exists already; add --overwrite or choose another name",
		                path);
	return WS_OK;
}

const char *
cli_figure_subtitle(const char *options, int epoch, char text[320])
{
	if (epoch)
		snprintf(text, 320, "%s%sepoch %d", options, *options ? ", " : "", epoch);
	else
		snprintf(text, 320, "%s", options);
	return text;
}

void
cli_figure_tell(const char *path)
{
	struct stat st;
	char text[32];
	if (stat(path, &st) == 0)
		printf("figure  %s (%s)\n", path, cli_format_size((double)st.st_size, text));
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
choose(cli_figure *f, const char *list, const wsi_input *in)
{
	f->n = cli_figure_channels(in->n_channels, f->spectra);
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
	ws_status status = wsi_select(list, in->n_channels, names, "--plot-channels", "the selection",
	                              &f->channels, &f->n);
	free(names);
	if (status == WS_OK)
		qsort(f->channels, f->n, sizeof *f->channels, rising);
	return status;
}

static ws_status
open_spool(cli_figure *f, const wsi_input *in)
{
	ws_status status = wsi_spool_open(&f->spool, f->path, f->n, in->samples, f->type, 0);
	f->open = status == WS_OK;
	return status;
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

ws_status
cli_figure_rehearse(const char *path, const char *list, bool spectra, const wsi_input *in)
{
	cli_figure f = { .path = path, .spectra = spectra };
	WSI_TRY(choose(&f, list, in));
	const wsi_plot_data data = plot_data(&f, in);
	cli_figure_close(&f);
	WSI_TRY(spectra ? wsi_plot_spectra_check(&data, path)
	        : wsi_plot_decomposition_check(&data, path));
	return wsi_folder_check(path);
}

ws_status
cli_figure_open(cli_figure *f, const char *path, const char *list, bool spectra,
                const wsi_input *in, ws_type type)
{
	*f = (cli_figure){ .path = path, .type = type, .spectra = spectra };
	ws_status status = choose(f, list, in);
	if (status == WS_OK) {
		f->modes = calloc(f->n, sizeof *f->modes);
		f->figures = calloc(f->n, sizeof *f->figures);
		status = f->modes && f->figures ? open_spool(f, in)
		         : WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", path);
	}
	if (status != WS_OK)
		cli_figure_close(f);
	return status;
}

void
cli_figure_close(cli_figure *f)
{
	if (f->open)
		wsi_spool_close(&f->spool);
	for (size_t i = 0; f->figures && i < f->n; i++)
		free(f->figures[i]);
	free(f->figures);
	free(f->channels);
	free(f->modes);
	*f = (cli_figure){ 0 };
}

ws_status
cli_figure_put(cli_figure *f, const ws_channel_result *r, const ws_mode_figures *figures)
{
	size_t i = f->open ? f->spool.entries : f->n;
	/* A number past the first epoch's channels is of a later epoch. */
	if (i == f->n || r->channel != f->channels[i])
		return WS_OK;
	size_t modes = (size_t)r->modes;
	f->modes[i] = modes;
	f->figures[i] = calloc(modes + 1, sizeof **f->figures);
	if (!f->figures[i])
		return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", f->path);
	memcpy(f->figures[i], figures, modes * sizeof *figures);
	return wsi_spool_put(&f->spool, r->x, r->mode_rows, modes, r->residue);
}

/* A wsi_plot_read. */
static ws_status
read_row(void *user, size_t channel, size_t row, size_t first, size_t count, double *out)
{
	const cli_figure *f = user;
	if (cli_signalled())
		return WSI_FAIL(WS_E_CANCELLED, "cancelled");
	wsi_spool_row at = { channel, row == 0 ? WSI_ROW_SIGNAL
	                     : row == f->modes[channel] + 1 ? WSI_ROW_RESIDUE : row - 1 };
	if (f->type == WS_F64)
		return wsi_spool_read(&f->spool, at, first, count, out);
	/* Floats in the upper half of out widen from its beginning. */
	char *narrow = (char *)out + count * sizeof(float);
	WSI_TRY(wsi_spool_read(&f->spool, at, first, count, narrow));
	for (size_t i = 0; i < count; i++) {
		float v;
		memcpy(&v, narrow + i * sizeof v, sizeof v);
		out[i] = v;
	}
	return WS_OK;
}

ws_status
cli_figure_draw(cli_figure *f, const wsi_input *in, const char *title, const char *options)
{
	const char **names = calloc(2 * f->n, sizeof *names), **units = names + f->n;
	if (!names)
		return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", f->path);
	for (size_t i = 0; i < f->n; i++) {
		const wsi_channel *c = &in->rec->channels[in->channels[f->channels[i]]];
		names[i] = c->name;
		units[i] = c->unit;
	}
	char subtitle[320];
	wsi_plot_data data = plot_data(f, in);
	data.title = title;
	data.subtitle = cli_figure_subtitle(options, in->epoched ? (int)in->epochs[0] + 1 : 0,
	                                    subtitle);
	data.channel_names = names;
	data.units = units;
	data.modes = f->modes;
	data.figures = (const ws_mode_figures *const *)f->figures;
	data.read = read_row;
	data.user = f;
	ws_status status = f->spectra ? wsi_plot_spectra(&data, f->path)
	                   : wsi_plot_decomposition(&data, f->path);
	free(names);
	return status;
}
