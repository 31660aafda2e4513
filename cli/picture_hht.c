/*
 * picture_hht.c - curves of a Hilbert-Huang analysis, a panel for each channel: marginal spectra
 * beside Welch's, and modes against white noise.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "picture.h"
#include "plot/bands.h"
#include "plot/chart.h"
#include "plot/draw.h"
#include "plot/welch.h"

typedef struct welch_spectra {
	wsi_welch *welch;
	wsi_bands bands;
	double *density;         /* of all bins */
	double *row;             /* of samples, as doubles */
} welch_spectra;

/* What is kept of a channel. */
typedef struct kept {
	size_t modes;
	double *marginal, *mode_marginal;  /* [bin], [mode][bin] */
	double *energy, *period, *low, *high; /* [mode] */
	double *welch;                     /* [band]; NULL: none */
	double *limits;                    /* [2][bin] mean and deviation; NULL: none */
} kept;

typedef struct curves {
	bool marginal;                     /* spectra; else significance */
	size_t bins, most;
	kept *of;               /* [channel] */
	welch_spectra *welch;               /* NULL: the figure has none */
} curves;

static const ws_hht_opts *
options_of(const cli_outcome *o)
{
	return o->opts;
}

/* ---- While it runs ------------------------------------------------------------------------- */

/* Is there a spectrum of the signal that can stand beside the marginal one? */
static bool
has_welch(const curves *f, const cli_outcome *o)
{
	return f->marginal && options_of(o)->quantity == WS_HHT_DENSITY &&
	       cli_array_made(&o->outputs->arrays[WS_HHT_SIGNAL]) &&
	       o->in->samples >= 2 * WSI_WELCH_LEAST;
}

static ws_status
open_welch(curves *f, const cli_outcome *o, cli_drawn *d)
{
	welch_spectra *w = f->welch = CLI_DRAWN_NEW(d, 1, welch_spectra);
	WSI_TRY(cli_drawn_check(d));
	WSI_TRY(wsi_welch_create(&w->welch, o->in->samples, o->in->fs));
	const size_t length = wsi_welch_length(w->welch);
	WSI_TRY(wsi_bands_make(&w->bands, &d->kept, length, o->in->fs));
	w->density = CLI_DRAWN_NEW(d, length / 2 + 1, double);
	w->row = CLI_DRAWN_NEW(d, o->in->samples, double);
	return cli_drawn_check(d);
}

static ws_status
open_curves(curves *f, const cli_outcome *o, cli_drawn *d)
{
	const bool limits = cli_array_made(&o->outputs->arrays[WS_HHT_LIMITS_MEAN]);
	f->bins = o->outputs->arrays[WS_HHT_MARGINAL].extent[1];
	f->most = o->outputs->arrays[WS_HHT_MODE_ENERGY].extent[1];
	if (has_welch(f, o))
		WSI_TRY(open_welch(f, o, d));
	f->of = CLI_DRAWN_NEW(d, d->n, kept);
	for (size_t i = 0; f->of && i < d->n; i++)
		f->of[i] = (kept){
			.marginal = CLI_DRAWN_NEW(d, f->bins, double),
			.mode_marginal = CLI_DRAWN_NEW(d, f->most * f->bins, double),
			.energy = CLI_DRAWN_NEW(d, f->most, double),
			.period = CLI_DRAWN_NEW(d, f->most, double),
			.low = CLI_DRAWN_NEW(d, f->most, double),
			.high = CLI_DRAWN_NEW(d, f->most, double),
			.welch = f->welch ? CLI_DRAWN_NEW(d, f->welch->bands.n, double) : NULL,
			.limits = limits ? CLI_DRAWN_NEW(d, 2 * f->bins, double) : NULL };
	return cli_drawn_check(d);
}

static ws_status
open_marginal(void *state, const cli_outcome *o, cli_drawn *d)
{
	((curves *)state)->marginal = true;
	return open_curves(state, o, d);
}

static ws_status
open_significance(void *state, const cli_outcome *o, cli_drawn *d)
{
	return open_curves(state, o, d);
}

static void
close_curves(void *state)
{
	const curves *f = state;
	if (f->welch)
		wsi_welch_destroy(f->welch->welch);
}

/* Has every sample the same value?  What rounding makes of it is no spectrum. */
static bool
is_constant(const double *x, size_t n)
{
	size_t i = 1;
	while (i < n && x[i] == x[0])
		i++;
	return i >= n;
}

/* Zero of a constant. */
static void
take_welch(welch_spectra *w, const cli_outcome *o, const ws_slab *signal, double *out)
{
	const float *narrow = signal->data;
	const size_t n = o->in->samples;
	if (o->outputs->arrays[WS_HHT_SIGNAL].type == WS_F64)
		memcpy(w->row, signal->data, n * sizeof *w->row);
	else
		for (size_t i = 0; i < n; i++)
			w->row[i] = narrow[i];
	if (is_constant(w->row, n))
		return;
	wsi_welch_push(w->welch, w->row, n);
	wsi_welch_finish(w->welch, w->density);
	wsi_bands_mean(&w->bands, w->density, out);
}

static ws_status
put(void *state, const cli_outcome *o, cli_drawn *d, size_t i, const ws_channel_result *r)
{
	curves *f = state;
	const ws_slab *s = r->slabs;
	(void)d;
	kept *c = &f->of[i];
	c->modes = (size_t)*(const int32_t *)s[WS_HHT_MODE_COUNT].data;
	const struct { ws_hht_array from; double *to; size_t n; } rows[] = {
		{ WS_HHT_MARGINAL, c->marginal, f->bins },
		{ WS_HHT_MODE_MARGINAL, c->mode_marginal, c->modes * f->bins },
		{ WS_HHT_MODE_ENERGY, c->energy, c->modes },
		{ WS_HHT_MEAN_PERIOD, c->period, c->modes },
		{ WS_HHT_NOISE_LOW, c->low, c->modes }, { WS_HHT_NOISE_HIGH, c->high, c->modes },
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		if (s[rows[k].from].data)
			memcpy(rows[k].to, s[rows[k].from].data, rows[k].n * sizeof(double));
	for (size_t k = 0; k < 2 && c->limits; k++)
		memcpy(c->limits + k * f->bins, s[WS_HHT_LIMITS_MEAN + k].data,
		       f->bins * sizeof *c->limits);
	if (f->welch)
		take_welch(f->welch, o, &s[WS_HHT_SIGNAL], c->welch);
	return WS_OK;
}

/* ---- Words --------------------------------------------------------------------------------- */

static bool
in_hertz(const wsi_plot_data *of)
{
	return wsi_plot_unit(of).name[0] != '/';
}

/* "power density (uV²/Hz)", "power density (unit² year)"; "power (uV²)" */
static void
name_quantity(const wsi_plot_data *of, size_t i, ws_hht_quantity quantity, char *out, size_t size)
{
	static const char *const names[] = { "", "power density", "power", "energy",
		"amplitude" };
	const bool density = quantity == WS_HHT_DENSITY, hertz = in_hertz(of);
	char text[32];
	const char *unit = cli_picture_unit(of->units[i], text);
	if (quantity == WS_HHT_AMPLITUDE)
		snprintf(out, size, "amplitude, summed (%s)", unit);
	else
		snprintf(out, size, "%s%s (%s\u00b2%s%s)", names[quantity],
		         quantity == WS_HHT_ENERGY ? ", summed over samples" : "", unit,
		         !density ? "" : hertz ? "/Hz" : " ",
		         density && !hertz ? wsi_plot_unit(of).name + 1 : "");
}

/* ---- Marginal spectra ------------------------------------------------------------------------ */

/* Density per Hz in that of the picture's frequency. */
static void
scale(const double *in, size_t n, double by, double *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = in[i] * by;
}

/* What a panel borrows. */
typedef struct panel {
	wsi_series *series;
	double *numbers;         /* what the series point to */
	const char **names;      /* of modes */
	char *quantity, *label;  /* of its axis; of its band */
} panel;

static ws_status
open_panel(panel *p, cli_drawn *d, size_t series, size_t numbers, size_t modes)
{
	char *text = CLI_DRAWN_NEW(d, 24 * modes, char);
	*p = (panel){ .series = CLI_DRAWN_NEW(d, series, wsi_series),
		.numbers = CLI_DRAWN_NEW(d, numbers, double),
		.names = CLI_DRAWN_NEW(d, modes, const char *),
		.quantity = CLI_DRAWN_NEW(d, 96, char), .label = CLI_DRAWN_NEW(d, 96, char) };
	WSI_TRY(cli_drawn_check(d));
	for (size_t k = 0; k < modes; k++, text += 24) {
		snprintf(text, 24, "%zu", k + 1);
		p->names[k] = text;
	}
	return WS_OK;
}

/* "1 standard deviation over stop rules s-number 3 to 12" */
static void
name_limits(const ws_hht_opts *o, char out[96])
{
	const char *rule = o->limits_rule == WS_STOP_FIXED ? "fixed"
	                   : o->limits_rule == WS_STOP_FIX_H ? "fix-h" : "s-number";
	snprintf(out, 96, "1 standard deviation over stop rules %s %d to %d", rule,
	         o->limits_from, o->limits_to);
}

static ws_status
make_marginal(const curves *f, const cli_outcome *o, cli_drawn *d, const wsi_plot_data *of,
              size_t i, wsi_chart_panel *out)
{
	panel made, *p = &made;
	const kept *c = &f->of[i];
	const size_t bands = f->welch ? f->welch->bands.n : 0, bins = f->bins;
	const double *middle = o->outputs->axes[WS_HHT_MARGINAL * WS_MOST_AXES + 1];
	const ws_hht_quantity quantity = options_of(o)->quantity;
	const double lowest = options_of(o)->freqs.low;
	const double hertz = wsi_plot_unit(of).seconds;
	const double by = quantity == WS_HHT_DENSITY ? 1 / hertz : 1;
	WSI_TRY(open_panel(p, d, c->modes + 4, 2 * bands + (5 + c->modes) * bins, c->modes));
	double *x = p->numbers, *all = x + bins, *each = all + bins;
	double *welch_x = each + c->modes * bins, *welch = welch_x + bands;
	scale(middle, bins, hertz, x);
	scale(c->marginal, bins, by, all);
	scale(c->mode_marginal, c->modes * bins, by, each);
	double *mean = welch + bands, *low = mean + bins, *high = low + bins;
	size_t n = 0;
	if (c->limits) {
		/* On a logarithmic axis nothing is as low as 0. */
		for (size_t b = 0; b < bins; b++) {
			mean[b] = c->limits[b] * by;
			high[b] = mean[b] + c->limits[bins + b] * by;
			low[b] = fmax(mean[b] - c->limits[bins + b] * by, 1e-3 * mean[b]);
		}
		name_limits(options_of(o), p->label);
		p->series[n++] = (wsi_series){ .label = p->label,
			.colour = WSI_MODE, .n = bins, .x = x, .y = high, .low = low };
		p->series[n++] = (wsi_series){ .label = "their mean", .colour = WSI_MODE,
			.width = WSI_BOLD_LINE, .n = bins, .x = x, .y = mean };
	}
	for (size_t k = 0; k < c->modes && !c->limits; k++)
		p->series[n++] = (wsi_series){ .name = p->names[k], .width = WSI_LINE,
			/* One alone has the first colour. */
			.colour = wsi_draw_mode_colour(k, c->modes + (c->modes == 1)),
			.n = bins, .x = x, .y = each + k * bins,
			.label = k ? NULL : "of a mode (number)" };
	if (bands) {
		scale(f->welch->bands.frequency, bands, hertz, welch_x);
		scale(c->welch, bands, by, welch);
		p->series[n++] = (wsi_series){ .label = "Welch", .colour = WSI_RESIDUE,
			.width = 1.2, .n = bands, .x = welch_x, .y = welch };
	}
	p->series[n++] = (wsi_series){ .label = "Hilbert, all modes", .colour = WSI_INK,
		.width = WSI_BOLD_LINE, .n = bins, .x = x, .y = all };
	name_quantity(of, i, quantity, p->quantity, 96);
	*out = (wsi_chart_panel){ .quantity = p->quantity, .n = n, .series = p->series,
		.y_least = 1e-6, .x_low = (lowest > 0 ? lowest : middle[0]) * hertz,
		.x_high = options_of(o)->freqs.high * hertz };
	return WS_OK;
}

/* ---- Modes against white noise --------------------------------------------------------------- */

/* Numbers of modes by their period. */
static void
sort_modes(const kept *c, size_t *order)
{
	for (size_t k = 0; k < c->modes; k++) {
		size_t at = k;
		for (; at > 0 && c->period[order[at - 1]] > c->period[k]; at--)
			order[at] = order[at - 1];
		order[at] = k;
	}
}

/* "99 % of white noise", "99 % of 200 signals of white noise" */
static void
name_noise(const ws_hht_opts *o, char out[96])
{
	const double percent = 100 * o->confidence;
	if (o->noise_signals)
		snprintf(out, 96, "%.12g %% of %d signals of white noise", percent,
		         o->noise_signals);
	else
		snprintf(out, 96, "%.12g %% of white noise", percent);
}

static ws_status
make_significance(const curves *f, const cli_outcome *o, cli_drawn *d, const wsi_plot_data *of,
                  size_t i, wsi_chart_panel *out)
{
	panel made, *p = &made;
	const kept *c = &f->of[i];
	size_t *order = CLI_DRAWN_NEW(d, c->modes, size_t), n[2] = { 0 };
	bool *hollow = CLI_DRAWN_NEW(d, c->modes, bool);
	const char **named[2] = { CLI_DRAWN_NEW(d, c->modes, const char *),
		CLI_DRAWN_NEW(d, c->modes, const char *) };
	char unit[32];
	WSI_TRY(open_panel(p, d, 3, 7 * c->modes, c->modes));
	double *x = p->numbers, *low = x + c->modes, *high = low + c->modes;
	double *at[2] = { high + c->modes, high + 3 * c->modes };
	double lo = INFINITY, hi = 0;
	sort_modes(c, order);
	for (size_t k = 0; k < c->modes; k++) {
		const size_t m = order[k];
		x[k] = c->period[m] / wsi_plot_unit(of).seconds;
		low[k] = c->low[m];
		high[k] = c->high[m];
		/* Modes without a maximum have no period. */
		if (!(x[k] > 0))
			continue;
		const bool within = c->energy[m] <= high[k];
		named[within][n[within]] = p->names[m];
		at[within][n[within]] = x[k];
		at[within][c->modes + n[within]++] = c->energy[m];
		lo = fmin(lo, x[k]);
		hi = fmax(hi, x[k]);
	}
	for (size_t k = 0; k < c->modes; k++)
		hollow[k] = true;
	name_noise(options_of(o), p->label);
	p->series[0] = (wsi_series){ .label = p->label, .colour = WSI_GREY, .n = c->modes,
		.x = x, .y = high, .low = low };
	p->series[1] = (wsi_series){ .label = "mode above noise (number)", .colour = WSI_MODE,
		.n = n[0], .x = at[0], .y = at[0] + c->modes, .names = named[0] };
	p->series[2] = (wsi_series){ .label = "mode within or below", .colour = WSI_MODE,
		.n = n[1], .x = at[1], .y = at[1] + c->modes, .names = named[1],
		.hollow = hollow };
	snprintf(p->quantity, 96, "mean square (%s\u00b2)", cli_picture_unit(of->units[i], unit));
	*out = (wsi_chart_panel){ .quantity = p->quantity, .n = 3, .series = p->series,
		.x_low = lo / 1.4, .x_high = hi * 1.4 };
	return WS_OK;
}

/* ---- The figure ------------------------------------------------------------------------------ */

static ws_status
draw(void *state, const cli_outcome *o, cli_drawn *d, wsi_plot_data *of, wsi_sheet *sheet)
{
	const curves *f = state;
	const bool marginal = f->marginal;
	const wsi_frequency_unit unit = wsi_plot_unit(of);
	char x_title[64];
	wsi_chart_panel *panels = CLI_DRAWN_NEW(d, d->n, wsi_chart_panel);
	WSI_TRY(cli_drawn_check(d));
	for (size_t i = 0; i < d->n; i++)
		WSI_TRY((marginal ? make_marginal : make_significance)(f, o, d, of, i, &panels[i]));
	if (marginal)
		wsi_axis_title(x_title, sizeof x_title, "frequency", unit);
	else /* "s", "years" */
		snprintf(x_title, sizeof x_title, "mean period (%ss)",
		         in_hertz(of) ? "" : unit.name + 1);
	const wsi_chart chart = {
		.of = of, .x_title = x_title, .y_log = true,
		.nothing = marginal ? "no power in these bins"
			: "no mode that oscillates, or whose energy f64 holds",
		.x_log = !marginal || options_of(o)->freqs.spacing == WS_SPACING_LOG,
		.panels = panels };
	return wsi_plot_chart(&chart, sheet);
}

const cli_picture cli_picture_marginal = {
	.figure = FIGURE_MARGINAL, .name = "marginal", .part = WS_HHT_PART_MARGINAL,
	.title = "Marginal Hilbert spectra", .size = sizeof(curves), .check_page = wsi_plot_check,
	.open = open_marginal, .put = put, .draw = draw, .close = close_curves,
};

const cli_picture cli_picture_significance = {
	.figure = FIGURE_SIGNIFICANCE, .title = "Significance of modes", .size = sizeof(curves),
	.check_page = wsi_plot_check, .open = open_significance, .put = put, .draw = draw,
	.close = close_curves,
};
