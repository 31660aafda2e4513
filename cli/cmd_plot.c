/* cmd_plot.c - wavesift plot: the figure of a result on disk. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/new.h"
#include "commands.h"
#include "figure.h"
#include "input.h"
#include "io/result/result.h"
#include "marks.h"
#include "message.h"
#include "plot/axis.h"
#include "plot/plot.h"
#include "redraw.h"
#include "shown_modes.h"
#include "signals.h"
#include "values.h"
#include "written.h"

typedef struct picture {
	const cli_args *args;
	wsi_result *result;
	wsi_kept kept;             /* names and what follows them */
	const char *source, *name; /* the result's file, and without its folder */
	char path[CLI_PATH];
	size_t n, *channels, epoch, first, samples;
	const char **names, **units;
	size_t *modes;
	ws_mode_figures **figures;
	double *alignment;         /* [mode], as of plot/plot.h; or NULL */
} picture;

/* ---- Selection ------------------------------------------------------------------ */

static ws_status
choose_channels(picture *p, const cli_args *a)
{
	const wsi_result *r = p->result;
	const cli_choice from = { r->channels, (const char *const *)r->channel_names, "channels",
		a->operands[0], a->figure == FIGURE_SPECTRA, r->channels };
	return cli_figure_choose(a->channels, &from, &p->channels, &p->n);
}

static ws_status
choose_time(picture *p, const cli_args *a)
{
	const wsi_result *r = p->result;
	const wsi_time_axis axis = { .path = p->source, .samples = r->samples, .fs = r->fs,
		.origin = r->time_origin + r->first_time, .unit = r->time_unit,
		.fs_known = r->fs_known, .start_time = r->start_time, .dated = r->rec->dated };
	wsi_moment from = a->from, to = a->to;
	WSI_TRY(wsi_moments_resolve(&from, &to, p->source, r->start_time, r->time_unit));
	return wsi_select_time(&axis, &from, &to, &p->first, &p->samples);
}

/* ---- Rows ------------------------------------------------------------------------- */

static ws_status
check_memory(const picture *p)
{
	return p->kept.failed ? WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", p->path) : WS_OK;
}

static ws_status
name_rows(picture *p)
{
	const wsi_result *r = p->result;
	p->names = wsi_kept_new(&p->kept, p->n, sizeof *p->names);
	p->units = wsi_kept_new(&p->kept, p->n, sizeof *p->units);
	p->modes = wsi_kept_new(&p->kept, p->n, sizeof *p->modes);
	p->figures = wsi_kept_new(&p->kept, p->n, sizeof *p->figures);
	WSI_TRY(check_memory(p));
	for (size_t i = 0; i < p->n; i++) {
		size_t c = p->channels[i];
		p->names[i] = r->channel_names[c];
		p->units[i] = r->units[c];
		p->modes[i] = (size_t)r->mode_count[p->epoch * r->channels + c];
	}
	return WS_OK;
}

/* All channels of a signal have the same; where those drawn differ they are of several. */
static ws_status
take_alignment(picture *p)
{
	const wsi_result *r = p->result;
	if (!r->alignment)
		return WS_OK;
	p->alignment = wsi_kept_new(&p->kept, r->max_modes, sizeof *p->alignment);
	WSI_TRY(check_memory(p));
	for (size_t m = 0; m < r->max_modes; m++) {
		double *to = &p->alignment[m];
		*to = NAN;
		for (size_t i = 0; i < p->n; i++) {
			const size_t row = p->epoch * r->channels + p->channels[i];
			const double x = m < p->modes[i] ? r->alignment[row * r->max_modes + m]
			        : NAN;
			if (!isnan(x))
				*to = isnan(*to) || *to == x ? x : HUGE_VAL;
		}
	}
	return WS_OK;
}

/* Of averages, what the epochs have. */
static ws_status
take_figures(picture *p)
{
	const wsi_result *r = p->result;
	for (size_t i = 0; i < p->n; i++) {
		ws_mode_figures *to = p->figures[i] = wsi_kept_new(&p->kept, p->modes[i],
		                                                   sizeof *to);
		WSI_TRY(check_memory(p));
		for (size_t m = 0; m < p->modes[i]; m++) {
			const size_t at = p->channels[i] * r->max_modes + m;
			to[m] = (ws_mode_figures){ .size = sizeof *to,
			                           .frequency = r->frequency[at],
				.band_low = r->band_low[at], .band_high = r->band_high[at],
				.half_waves = (size_t)fmin(fmax(r->half_waves[at], 0), 1e15),
				.end_share = r->end_share[at] };
		}
	}
	return WS_OK;
}

/* Frequencies are those of the result, whatever part of it is drawn. */
static ws_status
measure(picture *p)
{
	wsi_result *r = p->result;
	if (r->frequency && r->band_low && r->band_high && r->half_waves && r->end_share)
		return take_figures(p);
	double *row = wsi_kept_new(&p->kept, r->samples, sizeof *row);
	WSI_HAVE(row, "%s: not enough memory for a row of %zu samples", p->path, r->samples);
	for (size_t i = 0; i < p->n; i++) {
		p->figures[i] = wsi_kept_new(&p->kept, p->modes[i], sizeof **p->figures);
		WSI_TRY(check_memory(p));
		for (size_t m = 0; m < p->modes[i]; m++) {
			WSI_TRY(wsi_result_read(r, p->epoch, p->channels[i], m, 0, r->samples,
			                        row));
			p->figures[i][m].size = sizeof **p->figures;
			/* A row that is not finite has no figures; the drawing says which it is. */
			(void)ws_mode_stats(row, WS_F64, r->samples, r->fs, &p->figures[i][m]);
		}
	}
	return WS_OK;
}

static size_t
stored_row(const picture *p, size_t channel, size_t row)
{
	return row == 0 ? WSI_ROW_SIGNAL : row == p->modes[channel] + 1 ? WSI_ROW_RESIDUE : row - 1;
}

/* A wsi_plot_read. */
static ws_status
read_row(void *user, size_t channel, size_t row, size_t first, size_t count, double *out)
{
	const picture *p = user;
	if (cli_signalled())
		return WSI_FAIL(WS_E_CANCELLED, "cancelled");
	return wsi_result_read(p->result, p->epoch, p->channels[channel],
	                       stored_row(p, channel, row), p->first + first, count, out);
}

/* Likewise. */
static ws_status
read_interval(void *user, size_t channel, size_t row, size_t first, size_t count, double *out)
{
	const picture *p = user;
	return wsi_result_read_interval(p->result, p->channels[channel],
	                                stored_row(p, channel, row), p->first + first, count, out);
}

/* That of the result; of Hilbert-Huang spectra, whose modes are drawn, what the picture shows. */
static const char *
title_of(const picture *p, char text[512])
{
	const char *title = p->result->title, *spectra = ws_transform_find("hht")->title;
	const size_t n = strlen(spectra);
	if (!*title)
		return p->name;
	if (strncmp(title, spectra, n) != 0)
		return title;
	snprintf(text, 512, "Modes%s", title + n);
	return text;
}

static ws_status
draw(void *user, wsi_sheet *sheet)
{
	picture *p = user;
	const bool spectra = p->args->figure == FIGURE_SPECTRA;
	const wsi_result *r = p->result;
	WSI_TRY(name_rows(p));
	WSI_TRY(take_alignment(p));
	char title[512], subtitle[320];
	wsi_plot_data data = {
		.source = p->source,
		.title = title_of(p, title),
		.subtitle = cli_picture_subtitle(r->options, NULL, NULL,
			wsi_axis_frequency_unit(r->fs, r->fs_known, p->samples),
			r->epochs ? wsi_result_epoch(r, p->epoch) : 0, subtitle),
		.n_channels = p->n, .channel_names = p->names, .units = p->units, .modes = p->modes,
		.figures = (const ws_mode_figures *const *)p->figures, .alignment = p->alignment,
		.samples = p->samples, .fs = r->fs, .fs_known = r->fs_known,
		.first_time = r->time_origin + r->first_time + (double)p->first / r->fs,
		.time_unit = r->time_unit, .start_time = r->start_time,
		.read = read_row, .interval = r->has_intervals ? read_interval : NULL, .user = p,
	};
	if (!p->args->channels)
		cli_picture_tell_channels(subtitle, p->n, r->channels);
	data.periods = p->args->period;
	cli_figure_title(p->args, &data.title, &data.subtitle);
	WSI_TRY((spectra ? wsi_plot_spectra_check : wsi_plot_decomposition_check)(&data, p->path));
	WSI_TRY(measure(p));
	/* Averages have the moment of their events alone. */
	const cli_marked marked = { r->events, r->has_intervals ? 0 : r->n_events,
		r->has_intervals ? 1 : r->epochs ? p->epoch + 1 : 0, r->epochs_at };
	WSI_TRY(cli_marks_take(&p->kept, p->args->events_shown, &marked, &data));
	WSI_TRY(cli_shown_modes(p->args->plot_modes, &data, &p->kept));
	cli_signals_hold();
	return (spectra ? wsi_plot_spectra : wsi_plot_decomposition)(&data, sheet);
}

int
cli_cmd_plot(const cli_args *args)
{
	wsi_open_opts opts = cli_open_opts(args);
	opts.with_events = true;
	picture p = { .args = args, .source = args->operands[0],
		.name = wsi_base_name(args->operands[0]) };
	ws_status status = cli_name_output(p.path, args->output, p.name, NULL, ".png");
	if (status == WS_OK)
		status = cli_written_hold(args, p.path);
	if (status != WS_OK)
		return cli_report_output(status);
	if (args->figure > FIGURE_SPECTRA)
		return cli_redraw(args, p.path, NULL);
	status = wsi_result_open(&p.result, args->operands[0], &opts);
	if (status == WS_E_FORMAT && !args->figure) {
		char why[1024];
		snprintf(why, sizeof why, "%s", ws_error_detail());
		return cli_redraw(args, p.path, why);
	}
	if (status == WS_OK)
		status = cli_picture_look_check(args, &(cli_picture){
			.frequencies = args->figure == FIGURE_SPECTRA });
	if (status == WS_OK)
		status = choose_channels(&p, args);
	if (status == WS_OK)
		status = cli_redraw_epoch(args, p.result->epoch_numbers, p.result->epochs,
		                          &p.epoch);
	if (status == WS_OK)
		status = choose_time(&p, args);
	const int code = cli_figure_make(args, p.path, status, draw, &p);
	wsi_kept_free(&p.kept);
	free(p.channels);
	wsi_result_close(p.result);
	return code;
}
