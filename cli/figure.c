/* figure.c - the picture of --plot. */
#include "figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/rising.h"
#include "base/status.h"
#include "base/target.h"
#include "io/read/pauses.h"
#include "io/read/selection.h"
#include "io/result/array_list.h"
#include "io/result/provenance.h"
#include "marks.h"
#include "message.h"
#include "page.h"
#include "sheet.h"
#include "shown_modes.h"
#include "values.h"
#include "written.h"

#define DEFAULT_CHANNELS 3

extern const cli_picture cli_picture_rows;          /* the signal and its rows below each other */
extern const cli_picture cli_picture_powers;        /* the same of powers of bands */
extern const cli_picture cli_picture_spectra;       /* their power spectra */
extern const cli_picture cli_picture_scalogram;     /* time and frequency, in colours */
extern const cli_picture cli_picture_marginal;      /* of hht: beside Welch's spectrum */
extern const cli_picture cli_picture_significance;  /* of hht: modes against white noise */
extern const cli_picture cli_picture_connectivity;  /* of hht: modes between channels */
extern const cli_picture cli_picture_holospectrum;  /* of hht: waves and their modulation */
extern const cli_picture cli_picture_masks;         /* of conv: the masks alone */
extern const cli_picture cli_picture_wavelets;      /* of cwt and its like: wavelets alone */

/* The first that is asked for, or fits; rows are what all else is drawn as. */
static const cli_picture *const kinds[] = {
	&cli_picture_masks, &cli_picture_wavelets, &cli_picture_marginal, &cli_picture_significance,
	&cli_picture_connectivity, &cli_picture_holospectrum, &cli_picture_scalogram,
	&cli_picture_spectra, &cli_picture_powers, &cli_picture_rows,
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- Names and channels ---------------------------------------------------------------------- */

void
cli_figure_title(const cli_args *args, const char **title, const char **subtitle)
{
	const bool none = args->title && strcmp(args->title, "none") == 0;
	if (args->title)
		*title = none ? "" : args->title;
	if (none)
		*subtitle = "";
}

ws_status
cli_figure_check(const cli_args *args, const char *path)
{
	wsi_sheet sheet;
	struct stat st;
	WSI_TRY(wsi_sheet_check(path));
	WSI_TRY(cli_sheet_of(args, path, &sheet));
	WSI_TRY(cli_shown_modes_check(args->plot_modes));
	const bool there = wsi_target_stat(path, &st) == 0;
	if (there && !S_ISREG(st.st_mode))
		return WSI_FAIL(WS_E_IO, "%s: is a folder or a device, not a file; give a file "
		                "name", path);
	/* A link to nothing exists, too. */
	if (!args->overwrite && (there || lstat(path, &st) == 0))
		return WSI_FAIL(WS_E_EXISTS, "%s: exists already; add --overwrite or choose "
		                "another name", path);
	return wsi_folder_check(path);
}

size_t
cli_figure_channels(size_t n, bool all)
{
	return all || n < DEFAULT_CHANNELS ? n : DEFAULT_CHANNELS;
}

ws_status
cli_figure_choose(const char *list, const cli_choice *from, size_t **chosen, size_t *n)
{
	if (list)
		return wsi_select(list, from->n, from->names, from->option, from->where, chosen, n);
	const bool skips = from->without < from->n && from->n > 1;
	*n = cli_figure_channels(from->n - skips, from->all);
	*chosen = calloc(*n + 1, sizeof **chosen);
	for (size_t i = 0; *chosen && i < *n; i++)
		(*chosen)[i] = i + (skips && i >= from->without);
	return *chosen ? WS_OK : WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", from->where);
}

/* But for that which all are compared with: it has only itself to show. */
static ws_status
choose_channels(cli_drawn *d, bool all, const char *list, const cli_outcome *o)
{
	const wsi_input *in = o->in;
	const char **names = CLI_DRAWN_NEW(d, in->n_channels, const char *);
	WSI_TRY(cli_drawn_check(d));
	for (size_t i = 0; i < in->n_channels; i++)
		names[i] = wsi_input_name(in, i);
	const cli_choice from = { in->n_channels, names, o->run ? "plot_channels" : "channels",
		o->run ? "the selection" : in->rec->path, all, cli_drawn_against(o) };
	const ws_status status = cli_figure_choose(list, &from, &d->channels, &d->n);
	if (status == WS_OK)
		qsort(d->channels, d->n, sizeof *d->channels, wsi_rising_sizes);
	return status;
}

/* ---- The kind -------------------------------------------------------------------------------- */

void
cli_figure_prepare(const cli_args *args)
{
	for (int i = 0; args->plot && i < KINDS; i++) {
		if (kinds[i]->figure != args->figure || !(kinds[i]->part & ~WS_HHT_PARTS_DEFAULT))
			continue;
		ws_hht_opts *o = args->opts;
		if (!o->parts)
			o->parts = WS_HHT_PARTS_DEFAULT | kinds[i]->part;
	}
}

/* WS_E_ARG where the part of hht that a kind draws is not among those chosen. */
static ws_status
check_part(const cli_picture *kind, const cli_outcome *o)
{
	if (!kind->part || ((const ws_hht_opts *)o->opts)->parts & kind->part)
		return WS_OK;
	return WSI_FAIL(WS_E_ARG, "--figure %s needs %s among --parts", kind->name, kind->name);
}

static const cli_picture *
kind_of(const cli_outcome *o)
{
	const int asked = o->args->figure ? o->args->figure : FIGURE_OWN;
	int i = 0;
	while (i < KINDS - 1 && kinds[i]->figure != asked && !(kinds[i]->fits && kinds[i]->fits(o)))
		i++;
	return kinds[i];
}

static ws_status
choose(cli_figure *f, const cli_outcome *o)
{
	*f = (cli_figure){ .kind = kind_of(o), .drawn.path = o->args->plot };
	WSI_TRY(check_part(f->kind, o));
	WSI_TRY(cli_picture_look_check(o->args, f->kind));
	if (f->kind->check)
		WSI_TRY(f->kind->check(o));
	if (!f->kind->check_page)
		return WS_OK;
	return choose_channels(&f->drawn, f->kind->all_channels, o->args->plot_channels, o);
}

/* What is known of them beforehand. */
static wsi_plot_data
signals_of(const cli_drawn *d, const wsi_input *in)
{
	return (wsi_plot_data){
		.source = in->rec->path, .n_channels = d->n, .samples = in->samples, .fs = in->fs,
		.fs_known = in->fs_known, .first_time = wsi_input_first_time(in),
		.time_unit = in->rec->time_unit, .start_time = wsi_input_start_time(in),
	};
}

ws_status
cli_figure_rehearse(const cli_outcome *o)
{
	cli_figure f;
	ws_status status = choose(&f, o);
	if (status == WS_OK && f.kind->check_page) {
		const wsi_plot_data data = signals_of(&f.drawn, o->in);
		status = f.kind->check_page(&data, f.drawn.path);
	}
	cli_figure_close(&f);
	return status;
}

/* ---- Its way --------------------------------------------------------------------------------- */

ws_status
cli_figure_open(cli_figure *f, const cli_outcome *o)
{
	ws_status status = choose(f, o);
	if (status == WS_OK && f->kind->open) {
		f->state = wsi_kept_new(&f->drawn.kept, 1, f->kind->size);
		status = cli_drawn_check(&f->drawn);
		if (status == WS_OK)
			status = f->kind->open(f->state, o, &f->drawn);
	}
	if (status != WS_OK)
		cli_figure_close(f);
	return status;
}

ws_status
cli_figure_look(cli_figure *f, const cli_outcome *o)
{
	const ws_status status = choose(f, o);
	if (status != WS_OK)
		cli_figure_close(f);
	return status;
}

/* Its place among those drawn; drawn.n: it is none.  A number past the first epoch's channels is of
 * a later epoch. */
static size_t
place_of(const cli_figure *f, size_t channel)
{
	size_t i = 0;
	while (i < f->drawn.n && f->drawn.channels[i] != channel)
		i++;
	return i;
}

bool
cli_figure_wants(const cli_figure *f, size_t channel)
{
	return place_of(f, channel) < f->drawn.n;
}

ws_status
cli_figure_put(cli_figure *f, const cli_outcome *o, const ws_channel_result *result)
{
	const size_t i = place_of(f, result->channel);
	return f->state && i < f->drawn.n ? f->kind->put(f->state, o, &f->drawn, i, result)
	       : WS_OK;
}

/* "Marginal spectra of eeg.edf": the title of the result, but named by what the picture shows. */
static const char *
title_of(const cli_picture *kind, const cli_outcome *o, const char *title, char text[512])
{
	const size_t own = strlen(o->args->command.transform->title);
	if (!kind->title)
		return title;
	snprintf(text, 512, "%s%s", kind->title, strlen(title) > own ? title + own : "");
	return text;
}

ws_status
cli_figure_draw(cli_figure *f, const cli_outcome *o, const char *told, const char *options,
                wsi_sheet *sheet)
{
	const wsi_input *in = o->in;
	cli_drawn *d = &f->drawn;
	char title[512], subtitle[320];
	const char **names = CLI_DRAWN_NEW(d, d->n, const char *);
	const char **units = CLI_DRAWN_NEW(d, d->n, const char *);
	WSI_TRY(cli_drawn_check(d));
	for (size_t i = 0; i < d->n; i++) {
		names[i] = wsi_input_name(in, d->channels[i]);
		units[i] = in->rec->channels[in->channels[d->channels[i]]].unit;
	}
	wsi_plot_data of = signals_of(d, in);
	of.title = title_of(f->kind, o, told, title);
	const char *command = o->run ? wsi_provenance_command(&d->kept, o->args->command_line)
	                      : wsi_arrays_fact(in->rec, "command");
	of.subtitle = cli_picture_subtitle(options, &o->args->command, command, wsi_plot_unit(&of),
	                                   d->n ? cli_input_shown_epoch(in) : 0, subtitle);
	/* Who chose them knows. */
	if (!o->args->plot_channels && cli_drawn_against(o) == in->n_channels)
		cli_picture_tell_channels(subtitle, d->n, in->n_channels);
	cli_figure_title(o->args, &of.title, &of.subtitle);
	of.periods = o->args->period;
	of.channel_names = names;
	of.units = units;
	/* Averages have the moment of their events alone. */
	const char *about = o->run ? o->args->epochs_at : wsi_arrays_fact(in->rec, "epochs_at");
	const cli_marked marked = { in->events, in->gathered ? 0 : in->n_events, in->epoched,
	                            about };
	WSI_TRY(cli_marks_take(&d->kept, o->args->events_shown, &marked, &of));
	return f->kind->draw(f->state, o, d, &of, sheet);
}

typedef struct drawing {
	ws_status (*draw)(void *user, wsi_sheet *sheet);
	void *user;
} drawing;

/* A cli_page's draw. */
static ws_status
draw_again(void *user, int i, wsi_sheet *sheet)
{
	const drawing *d = user;
	(void)i;
	return d->draw(d->user, sheet);
}

int
cli_figure_make(const cli_args *args, const char *path, ws_status status,
                ws_status (*draw)(void *user, wsi_sheet *sheet), void *user)
{
	wsi_sheet sheet;
	if (status != WS_OK)
		return cli_report(status);
	status = cli_written_check(args, path);
	if (status == WS_OK)
		status = cli_figure_check(args, path);
	if (status == WS_OK)
		status = cli_page_check(args);
	if (status == WS_OK)
		status = cli_sheet_of(args, path, &sheet);
	if (status == WS_OK)
		status = wsi_sheet_place(&sheet, draw(user, &sheet));
	if (status == WS_OK && !args->quiet)
		cli_print_file("figure", path);
	if (status != WS_OK || !args->report)
		return cli_report_output(status);
	drawing again = { draw, user };
	const cli_page report = { .args = args, .title = wsi_base_name(args->operands[0]),
		.root = json_pack("{s:s}", "result", args->operands[0]), .figures = 1,
		.draw = draw_again, .user = &again };
	return cli_page_write(&report);
}

void
cli_figure_close(cli_figure *f)
{
	if (f->state && f->kind->close)
		f->kind->close(f->state);
	free(f->drawn.channels);
	wsi_kept_free(&f->drawn.kept);
	*f = (cli_figure){ 0 };
}
