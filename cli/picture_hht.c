/*
 * picture_hht.c - curves of a Hilbert-Huang analysis, a panel for each channel: marginal spectra
 * beside Welch's, and modes against white noise.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "picture.h"
#include "plot/axis.h"
#include "plot/bands.h"
#include "plot/chart.h"
#include "plot/text.h"
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
	const cli_drawn *drawn;
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
open_welch(curves *f, const cli_outcome *o)
{
	welch_spectra *w = f->welch = calloc(1, sizeof *w);
	if (!w)
		return cli_drawn_no_memory(f->drawn);
	WSI_TRY(wsi_welch_create(&w->welch, o->in->samples, o->in->fs));
	const size_t length = wsi_welch_length(w->welch);
	WSI_TRY(wsi_bands_make(&w->bands, length, o->in->fs));
	w->density = calloc(length / 2 + 1, sizeof *w->density);
	w->row = calloc(o->in->samples, sizeof *w->row);
	return w->density && w->row ? WS_OK : cli_drawn_no_memory(f->drawn);
}

static ws_status
open_channels(curves *f, bool limits)
{
	f->of = calloc(f->drawn->n, sizeof *f->of);
	for (size_t i = 0; f->of && i < f->drawn->n; i++) {
		kept *c = &f->of[i];
		c->marginal = calloc(f->bins + 1, sizeof *c->marginal);
		c->mode_marginal = calloc(f->most * f->bins + 1, sizeof *c->mode_marginal);
		c->energy = calloc(4 * f->most + 1, sizeof *c->energy);
		if (limits)
			c->limits = calloc(2 * f->bins, sizeof *c->limits);
		if (limits && !c->limits)
			return cli_drawn_no_memory(f->drawn);
		c->welch = f->welch ? calloc(f->welch->bands.n, sizeof *c->welch) : NULL;
		if (!c->marginal || !c->mode_marginal || !c->energy || (f->welch && !c->welch))
			return cli_drawn_no_memory(f->drawn);
		c->period = c->energy + f->most;
		c->low = c->period + f->most;
		c->high = c->low + f->most;
	}
	return f->of || !f->drawn->n ? WS_OK : cli_drawn_no_memory(f->drawn);
}

static ws_status
open_curves(curves *f, const cli_outcome *o, const cli_drawn *drawn)
{
	f->drawn = drawn;
	f->bins = o->outputs->arrays[WS_HHT_MARGINAL].extent[1];
	f->most = o->outputs->arrays[WS_HHT_MODE_ENERGY].extent[1];
	if (has_welch(f, o))
		WSI_TRY(open_welch(f, o));
	return open_channels(f, cli_array_made(&o->outputs->arrays[WS_HHT_LIMITS_MEAN]));
}

static ws_status
open_marginal(void *state, const cli_outcome *o, const cli_drawn *drawn)
{
	((curves *)state)->marginal = true;
	return open_curves(state, o, drawn);
}

static ws_status
open_significance(void *state, const cli_outcome *o, const cli_drawn *drawn)
{
	return open_curves(state, o, drawn);
}

static void
close_curves(void *state)
{
	curves *f = state;
	for (size_t i = 0; f->of && i < f->drawn->n; i++) {
		free(f->of[i].marginal);
		free(f->of[i].mode_marginal);
		free(f->of[i].energy);
		free(f->of[i].welch);
		free(f->of[i].limits);
	}
	free(f->of);
	if (f->welch) {
		wsi_welch_destroy(f->welch->welch);
		wsi_bands_free(&f->welch->bands);
		free(f->welch->density);
		free(f->welch->row);
		free(f->welch);
	}
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
put(void *state, const cli_outcome *o, const ws_channel_result *r)
{
	curves *f = state;
	const ws_slab *s = r->slabs;
	const size_t i = cli_drawn_place(f->drawn, r->channel);
	if (i == f->drawn->n)
		return WS_OK;
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

/* What a picture says of units. */
typedef struct units {
	wsi_frequency_unit frequency;
	char sample[32];         /* of the samples, "" unknown */
} units;

static units
units_of(const cli_outcome *o, size_t channel)
{
	const wsi_input *in = o->in;
	units u = { .frequency = wsi_axis_frequency_unit(in->fs, in->fs_known, in->samples) };
	wsi_text_unit(u.sample, sizeof u.sample, in->rec->channels[in->channels[channel]].unit);
	return u;
}

static bool
in_hertz(const units *u)
{
	return u->frequency.name[0] != '/';
}

/* "uV²/Hz", "unit² year"; of powers "uV²" */
static void
name_square(const units *u, ws_hht_quantity quantity, char *out, size_t size)
{
	const char *unit = *u->sample ? u->sample : "unit";
	if (quantity != WS_HHT_DENSITY)
		snprintf(out, size, "%s\u00b2", unit);
	else if (in_hertz(u))
		snprintf(out, size, "%s\u00b2/Hz", unit);
	else
		snprintf(out, size, "%s\u00b2 %s", unit, u->frequency.name + 1);
}

static void
name_quantity(const units *u, ws_hht_quantity quantity, char *out, size_t size)
{
	static const char *const names[] = { "", "power density", "power", "energy",
		"amplitude" };
	char unit[64];
	name_square(u, quantity, unit, sizeof unit);
	if (quantity == WS_HHT_AMPLITUDE)
		snprintf(out, size, "amplitude, summed (%s)", *u->sample ? u->sample : "unit");
	else
		snprintf(out, size, "%s%s (%s)", names[quantity],
		         quantity == WS_HHT_ENERGY ? ", summed over samples" : "", unit);
}

/* ---- Marginal spectra ------------------------------------------------------------------------ */

/* Density per Hz in that of the picture's frequency. */
static void
scale(const double *in, size_t n, double by, double *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = in[i] * by;
}

/* Everything that a panel borrows. */
typedef struct panel {
	wsi_series *series;
	double *numbers;         /* what the series point to */
	char (*names)[24];       /* of modes */
	const char **named;
	bool *hollow;
	char quantity[96], noise[96], limits[96];
} panel;

static bool
open_panel(panel *p, size_t series, size_t numbers, size_t modes)
{
	*p = (panel){ .series = calloc(series + 1, sizeof *p->series),
		.numbers = calloc(numbers + 1, sizeof *p->numbers),
		.names = calloc(modes + 1, sizeof *p->names),
		.named = calloc(2 * modes + 1, sizeof *p->named),
		.hollow = calloc(modes + 1, sizeof *p->hollow) };
	for (size_t k = 0; p->names && k < modes; k++)
		snprintf(p->names[k], sizeof *p->names, "%zu", k + 1);
	return p->series && p->numbers && p->names && p->named && p->hollow;
}

static void
close_panel(panel *p)
{
	free(p->series);
	free(p->numbers);
	free(p->names);
	free(p->named);
	free(p->hollow);
}

static wsi_colour
mode_colour(size_t k, size_t modes)
{
	static const wsi_colour stops[] = WSI_MODES;
	const size_t last = sizeof stops / sizeof *stops - 1;
	const double at = modes > 1 ? (double)k * (double)last / (double)(modes - 1) : 0;
	const size_t i = at < (double)last ? (size_t)at : last - 1;
	const double t = at - (double)i;
	const wsi_colour a = stops[i], b = stops[i + 1];
	return (wsi_colour){ a.r + t * (b.r - a.r), a.g + t * (b.g - a.g), a.b + t * (b.b - a.b) };
}

/* "1 standard deviation over stop rules s-number 3 to 12" */
static void
name_limits(const ws_hht_opts *o, char *out, size_t size)
{
	const char *rule = o->limits_rule == WS_STOP_FIXED ? "fixed"
	                   : o->limits_rule == WS_STOP_FIX_H ? "fix-h" : "s-number";
	snprintf(out, size, "1 standard deviation over stop rules %s %d to %d", rule,
	         o->limits_from, o->limits_to);
}

static ws_status
make_marginal(const curves *f, const cli_outcome *o, size_t i, panel *p,
              wsi_chart_panel *out)
{
	const kept *c = &f->of[i];
	const size_t bands = f->welch ? f->welch->bands.n : 0, bins = f->bins;
	const double *middle = o->outputs->axes[WS_HHT_MARGINAL * WS_MOST_AXES + 1];
	const ws_hht_quantity quantity = options_of(o)->quantity;
	const double lowest = options_of(o)->freqs.low;
	const units u = units_of(o, f->drawn->channels[i]);
	const double hertz = u.frequency.seconds;
	const double by = quantity == WS_HHT_DENSITY ? 1 / hertz : 1;
	if (!open_panel(p, c->modes + 4, 2 * bands + (5 + c->modes) * bins, c->modes))
		return cli_drawn_no_memory(f->drawn);
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
		name_limits(options_of(o), p->limits, sizeof p->limits);
		p->series[n++] = (wsi_series){ .label = p->limits,
			.colour = WSI_MODE, .n = bins, .x = x, .y = high, .low = low };
		p->series[n++] = (wsi_series){ .label = "their mean", .colour = WSI_MODE,
			.width = WSI_BOLD_LINE, .n = bins, .x = x, .y = mean };
	}
	for (size_t k = 0; k < c->modes && !c->limits; k++)
		p->series[n++] = (wsi_series){ .name = p->names[k], .width = WSI_LINE,
			.colour = mode_colour(k, c->modes), .n = bins, .x = x,
			.y = each + k * bins, .label = k ? NULL : "of a mode (number)" };
	if (bands) {
		scale(f->welch->bands.frequency, bands, hertz, welch_x);
		scale(c->welch, bands, by, welch);
		p->series[n++] = (wsi_series){ .label = "Welch", .colour = WSI_RESIDUE,
			.width = 1.2, .n = bands, .x = welch_x, .y = welch };
	}
	p->series[n++] = (wsi_series){ .label = "Hilbert, all modes", .colour = WSI_INK,
		.width = WSI_BOLD_LINE, .n = bins, .x = x, .y = all };
	name_quantity(&u, quantity, p->quantity, sizeof p->quantity);
	*out = (wsi_chart_panel){ .name = wsi_input_name(o->in, f->drawn->channels[i]),
		.quantity = p->quantity, .n = n, .series = p->series, .y_least = 1e-6,
		.x_low = (lowest > 0 ? lowest : middle[0]) * hertz,
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
name_noise(const ws_hht_opts *o, char *out, size_t size)
{
	const double percent = 100 * o->confidence;
	if (o->noise_signals)
		snprintf(out, size, "%.12g %% of %d signals of white noise", percent,
		         o->noise_signals);
	else
		snprintf(out, size, "%.12g %% of white noise", percent);
}

static ws_status
make_significance(const curves *f, const cli_outcome *o, size_t i, panel *p,
                  wsi_chart_panel *out)
{
	const kept *c = &f->of[i];
	const units u = units_of(o, f->drawn->channels[i]);
	size_t *order = calloc(c->modes + 1, sizeof *order), n[2] = { 0 };
	if (!order || !open_panel(p, 3, 7 * c->modes, c->modes)) {
		free(order);
		return cli_drawn_no_memory(f->drawn);
	}
	double *x = p->numbers, *low = x + c->modes, *high = low + c->modes;
	double *at[2] = { high + c->modes, high + 3 * c->modes };
	double lo = INFINITY, hi = 0;
	const char **named[2] = { p->named, p->named + c->modes };
	sort_modes(c, order);
	for (size_t k = 0; k < c->modes; k++) {
		const size_t m = order[k];
		x[k] = c->period[m] / u.frequency.seconds;
		low[k] = c->low[m];
		high[k] = c->high[m];
		/* Modes without a maximum have no period. */
		if (!(x[k] > 0))
			continue;
		const bool within = c->energy[m] <= high[k];
		named[within][n[within]] = p->names[m];
		at[within][n[within]] = x[k];
		at[within][c->modes + n[within]++] = c->energy[m];
		p->hollow[k] = true;
		lo = fmin(lo, x[k]);
		hi = fmax(hi, x[k]);
	}
	for (size_t k = 0; k < c->modes; k++)
		p->hollow[k] = true;
	free(order);
	name_noise(options_of(o), p->noise, sizeof p->noise);
	p->series[0] = (wsi_series){ .label = p->noise, .colour = WSI_GREY, .n = c->modes,
		.x = x, .y = high, .low = low };
	p->series[1] = (wsi_series){ .label = "mode above noise (number)", .colour = WSI_MODE,
		.n = n[0], .x = at[0], .y = at[0] + c->modes, .names = named[0] };
	p->series[2] = (wsi_series){ .label = "mode within or below", .colour = WSI_MODE,
		.n = n[1], .x = at[1], .y = at[1] + c->modes, .names = named[1],
		.hollow = p->hollow };
	snprintf(p->quantity, sizeof p->quantity, "mean square (%s\u00b2)",
	         *u.sample ? u.sample : "unit");
	*out = (wsi_chart_panel){ .name = wsi_input_name(o->in, f->drawn->channels[i]),
		.quantity = p->quantity, .n = 3, .series = p->series, .x_low = lo / 1.4,
		.x_high = hi * 1.4 };
	return WS_OK;
}

/* ---- The figure ------------------------------------------------------------------------------ */

static ws_status
draw_panels(const curves *f, const cli_outcome *o, const wsi_provenance *p, panel *panels,
     wsi_chart_panel *made)
{
	const units u = units_of(o, 0);
	const bool marginal = f->marginal;
	char title[512], subtitle[320], x_title[64];
	for (size_t i = 0; i < f->drawn->n; i++)
		WSI_TRY(marginal ? make_marginal(f, o, i, &panels[i], &made[i])
		        : make_significance(f, o, i, &panels[i], &made[i]));
	const char *name = u.frequency.name;
	if (marginal)
		snprintf(x_title, sizeof x_title, "frequency (%s%s)", in_hertz(&u) ? "" : "1",
		         name);
	else
		snprintf(x_title, sizeof x_title, "mean period (%s%s)",
		         in_hertz(&u) ? "" : name + 1, "s"); /* "s", "years" */
	const wsi_chart chart = {
		.title = cli_outcome_title(o, p, marginal ? "Marginal Hilbert spectra"
		                           : "Significance of modes", title),
		.subtitle = cli_outcome_subtitle(o, p, subtitle),
		.nothing = marginal ? "no power in these bins"
			: "no mode that oscillates, or whose energy f64 holds",
		.note = "", .x_title = x_title, .y_log = true,
		.x_log = !marginal || options_of(o)->freqs.spacing == WS_SPACING_LOG,
		.n = f->drawn->n,
		.panels = made };
	return wsi_plot_chart(&chart, f->drawn->path);
}

static ws_status
draw(void *state, const cli_outcome *o, const wsi_provenance *p)
{
	const curves *f = state;
	panel *panels = calloc(f->drawn->n, sizeof *panels);
	wsi_chart_panel *made = calloc(f->drawn->n, sizeof *made);
	const ws_status status = panels && made ? draw_panels(f, o, p, panels, made)
	                         : cli_drawn_no_memory(f->drawn);
	for (size_t i = 0; panels && i < f->drawn->n; i++)
		close_panel(&panels[i]);
	free(panels);
	free(made);
	return status;
}

const cli_picture cli_picture_marginal = {
	.figure = FIGURE_MARGINAL, .name = "marginal", .part = WS_HHT_PART_MARGINAL,
	.size = sizeof(curves), .check_page = wsi_plot_check, .open = open_marginal, .put = put,
	.draw = draw, .close = close_curves,
};

const cli_picture cli_picture_significance = {
	.figure = FIGURE_SIGNIFICANCE, .size = sizeof(curves), .check_page = wsi_plot_check,
	.open = open_significance, .put = put, .draw = draw, .close = close_curves,
};
