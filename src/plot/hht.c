/* hht.c - figures of a Hilbert-Huang analysis. */
#include "plot/hht.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "plot/chart.h"
#include "plot/draw.h"
#include "plot/matrices.h"
#include "plot/plane.h"
#include "plot/text.h"

#define NEW(figure, n, type) ((type *)wsi_kept_new((figure)->kept, (n), sizeof(type)))

/* Of the largest value of a holospectrum; what is weaker has the palest colour. */
#define SHARE 1e-4

/* Characters of a band's label, which names a noise by numbers. */
#define LABEL 160

/* ---- Words --------------------------------------------------------------------------------- */

static bool
in_hertz(const wsi_plot_data *of)
{
	return wsi_plot_unit(of).name[0] != '/';
}

/* "power density (uV²/Hz)", "power density (unit² year)"; "power (uV²)".  summed: what follows
 * "energy"; power: of the unit of frequency, "" or "²". */
static void
name_quantity(const wsi_plot_data *of, const char *unit, ws_hht_quantity quantity,
              const char *summed, const char *power, char out[96])
{
	static const char *const names[] = { "", "power density", "power", "energy", "amplitude" };
	const char *frequency = wsi_plot_unit(of).name;
	if (quantity == WS_HHT_QUANTITY_AMPLITUDE)
		snprintf(out, 96, "amplitude, summed (%s)", unit);
	else if (quantity != WS_HHT_QUANTITY_DENSITY)
		snprintf(out, 96, "%s%s (%s\u00b2)", names[quantity],
		         quantity == WS_HHT_QUANTITY_ENERGY ? summed : "", unit);
	else if (in_hertz(of))
		snprintf(out, 96, "%s (%s\u00b2/%s%s)", names[quantity], unit, frequency, power);
	else
		snprintf(out, 96, "%s (%s\u00b2 %s%s)", names[quantity], unit, frequency + 1,
		         power);
}

/* ---- Panels of curves ------------------------------------------------------------------------ */

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
open_panel(const wsi_hht_curves *f, panel *p, size_t series, size_t numbers, size_t modes)
{
	char *text = NEW(f, 24 * modes, char);
	*p = (panel){ .series = NEW(f, series, wsi_series),
		.numbers = NEW(f, numbers, double), .names = NEW(f, modes, const char *),
		.quantity = NEW(f, 96, char), .label = NEW(f, LABEL, char) };
	WSI_TRY(wsi_plot_kept(f->kept, f->of->source));
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
make_marginal(const wsi_hht_curves *f, size_t i, wsi_chart_panel *out)
{
	panel made, *p = &made;
	const wsi_hht_channel *c = &f->channels[i];
	const size_t bands = f->bands, bins = f->bins;
	const double lowest = f->opts->freqs.low, hertz = wsi_plot_unit(f->of).seconds;
	const double by = f->opts->quantity == WS_HHT_QUANTITY_DENSITY ? 1 / hertz : 1;
	char unit[32];
	WSI_TRY(open_panel(f, p, c->modes + 4, 2 * bands + (5 + c->modes) * bins, c->modes));
	double *x = p->numbers, *all = x + bins, *each = all + bins;
	double *welch_x = each + c->modes * bins, *welch = welch_x + bands;
	scale(f->bin, bins, hertz, x);
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
		name_limits(f->opts, p->label);
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
		scale(f->band, bands, hertz, welch_x);
		scale(c->welch, bands, by, welch);
		p->series[n++] = (wsi_series){ .label = "Welch", .colour = WSI_RESIDUE,
			.width = 1.2, .n = bands, .x = welch_x, .y = welch };
	}
	p->series[n++] = (wsi_series){ .label = "Hilbert, all modes", .colour = WSI_INK,
		.width = WSI_BOLD_LINE, .n = bins, .x = x, .y = all };
	name_quantity(f->of, wsi_text_unit_or(f->of->units[i], unit), f->opts->quantity,
	              ", summed over samples", "", p->quantity);
	*out = (wsi_chart_panel){ .quantity = p->quantity, .n = n, .series = p->series,
		.y_least = 1e-5, .x_low = (lowest > 0 ? lowest : f->bin[0]) * hertz,
		.x_high = f->opts->freqs.high * hertz };
	return WS_OK;
}

/* ---- Modes against noise --------------------------------------------------------------------- */

/* Numbers of modes by their period. */
static void
sort_modes(const wsi_hht_channel *c, size_t *order)
{
	for (size_t k = 0; k < c->modes; k++) {
		size_t at = k;
		for (; at > 0 && c->period[order[at - 1]] > c->period[k]; at--)
			order[at] = order[at - 1];
		order[at] = k;
	}
}

/* "99 % of white noise", "90 % of 200 signals of AR(1) noise, lag 1 0.91" */
static void
name_noise(const ws_hht_opts *o, const wsi_hht_channel *c, char out[LABEL])
{
	const double percent = 100 * o->confidence;
	char which[64] = "noise";
	if (c->model == WS_BACKGROUND_WHITE)
		snprintf(which, sizeof which, "white noise");
	if (c->model == WS_BACKGROUND_AR1)
		snprintf(which, sizeof which, "AR(1) noise, lag 1 %.4g", c->slope);
	if (c->model == WS_BACKGROUND_POWER_LAW)
		snprintf(which, sizeof which, "power-law noise, exponent %.3g", c->slope);
	if (c->model == WS_BACKGROUND_BEND)
		snprintf(which, sizeof which, "power-law noise with a bend, exponent %.3g",
		         c->slope);
	if (o->noise_signals)
		snprintf(out, LABEL, "%.12g %% of %d signals of %s", percent, o->noise_signals,
		         which);
	else
		snprintf(out, LABEL, "%.12g %% of white noise", percent);
}

/* Does a mode stand out: by p, corrected for all modes, or above the line? */
static bool
stands_out(const ws_hht_opts *o, const wsi_hht_channel *c, size_t m)
{
	return c->p_any ? c->p_any[m] <= 0.5 * (1 - o->confidence) * (1 + 1e-9)
	                : c->energy[m] > c->high[m];
}

static ws_status
make_significance(const wsi_hht_curves *f, size_t i, wsi_chart_panel *out)
{
	panel made, *p = &made;
	const wsi_hht_channel *c = &f->channels[i];
	size_t *order = NEW(f, c->modes, size_t), n[2] = { 0 };
	bool *hollow = NEW(f, c->modes, bool);
	const char **named[2] = { NEW(f, c->modes, const char *), NEW(f, c->modes, const char *) };
	char unit[32];
	WSI_TRY(open_panel(f, p, 3, 7 * c->modes, c->modes));
	double *x = p->numbers, *low = x + c->modes, *high = low + c->modes;
	double *at[2] = { high + c->modes, high + 3 * c->modes };
	double lo = INFINITY, hi = 0;
	sort_modes(c, order);
	for (size_t k = 0; k < c->modes; k++) {
		const size_t m = order[k];
		x[k] = c->period[m] / wsi_plot_unit(f->of).seconds;
		low[k] = c->low[m];
		high[k] = c->high[m];
		/* Modes without a maximum have no period. */
		if (!(x[k] > 0))
			continue;
		const bool within = !stands_out(f->opts, c, m);
		named[within][n[within]] = p->names[m];
		at[within][n[within]] = x[k];
		at[within][c->modes + n[within]++] = c->energy[m];
		lo = fmin(lo, x[k]);
		hi = fmax(hi, x[k]);
	}
	for (size_t k = 0; k < c->modes; k++)
		hollow[k] = true;
	name_noise(f->opts, c, p->label);
	p->series[0] = (wsi_series){ .label = p->label, .colour = WSI_GREY, .n = c->modes,
		.x = x, .y = high, .low = low };
	p->series[1] = (wsi_series){ .label = c->p_any ? "above, corrected for all modes"
		                            : "mode above noise (number)", .colour = WSI_MODE,
		.n = n[0], .x = at[0], .y = at[0] + c->modes, .names = named[0] };
	p->series[2] = (wsi_series){ .label = c->p_any ? "not above, or untested"
		                            : "mode within or below", .colour = WSI_MODE,
		.n = n[1], .x = at[1], .y = at[1] + c->modes, .names = named[1],
		.hollow = hollow };
	snprintf(p->quantity, 96, "mean square (%s\u00b2)",
	         wsi_text_unit_or(f->of->units[i], unit));
	*out = (wsi_chart_panel){ .quantity = p->quantity, .n = 3, .series = p->series,
		.x_low = lo / 1.4, .x_high = hi * 1.4 };
	return WS_OK;
}

/* A panel for each channel. */
static ws_status
draw_curves(const wsi_hht_curves *f, wsi_chart chart,
            ws_status (*make)(const wsi_hht_curves *f, size_t i, wsi_chart_panel *out),
            wsi_sheet *sheet)
{
	wsi_chart_panel *panels = NEW(f, f->of->n_channels, wsi_chart_panel);
	WSI_TRY(wsi_plot_kept(f->kept, sheet->path));
	for (size_t i = 0; i < f->of->n_channels; i++)
		WSI_TRY(make(f, i, &panels[i]));
	chart.of = f->of;
	chart.y_log = true;
	chart.panels = panels;
	return wsi_plot_chart(&chart, sheet);
}

ws_status
wsi_plot_marginal(const wsi_hht_curves *f, wsi_sheet *sheet)
{
	char x_title[64];
	wsi_axis_frequency_title(x_title, sizeof x_title, f->of->periods, wsi_plot_unit(f->of));
	const wsi_chart chart = { .x_title = x_title, .nothing = "no power in these bins",
		.x_periods = f->of->periods, .x_log = f->opts->freqs.spacing == WS_SPACING_LOG };
	return draw_curves(f, chart, make_marginal, sheet);
}

ws_status
wsi_plot_significance(const wsi_hht_curves *f, wsi_sheet *sheet)
{
	char x_title[64];
	/* "s", "years" */
	snprintf(x_title, sizeof x_title, "mean period (%ss)",
	         in_hertz(f->of) ? "" : wsi_plot_unit(f->of).name + 1);
	const wsi_chart chart = { .x_title = x_title, .x_log = true,
		.nothing = "no mode that oscillates, or whose energy f64 holds" };
	return draw_curves(f, chart, make_significance, sheet);
}

/* ---- Modes between channels ------------------------------------------------------------------ */

/* "mode 3, 10.2 Hz": the mean over channels. */
static const char *
label_mode(const wsi_hht_pairs *f, size_t m)
{
	char frequency[48] = "", *label = NEW(f, 80, char);
	if (f->having[m])
		wsi_axis_frequency(frequency, sizeof frequency,
		                   f->frequency[m] / (double)f->having[m], wsi_plot_unit(f->of));
	if (label)
		snprintf(label, 80, *frequency ? "mode %zu, %s" : "mode %zu", m + 1, frequency);
	return label;
}

/* NaN where a channel has no such mode: the result has 0, as of modes that are not locked. */
static void
mark_none(const wsi_hht_pairs *f, size_t n)
{
	for (size_t m = 0; m < f->modes; m++)
		for (size_t i = 0; i < n * n; i++)
			if (m >= f->modes_of[i / n] || m >= f->modes_of[i % n])
				for (int k = 0; k < 2; k++)
					f->values[k][m * n * n + i] = NAN;
}

ws_status
wsi_plot_connectivity(const wsi_hht_pairs *f, wsi_sheet *sheet)
{
	const size_t n = f->of->n_channels;
	const char **labels = NEW(f, f->modes, const char *);
	const double **values = NEW(f, 2 * f->modes, const double *);
	for (size_t m = 0; m < f->modes && labels && values; m++) {
		labels[m] = label_mode(f, m);
		for (size_t k = 0; k < 2; k++)
			values[k * f->modes + m] = f->values[k] + m * n * n;
	}
	WSI_TRY(wsi_plot_kept(f->kept, sheet->path));
	mark_none(f, n);
	char hatched[96];
	snprintf(hatched, sizeof hatched, "phase locking of a mode between channels (hatched: not "
	         "above its %.3g %% level)", 100 * f->chance);
	const wsi_matrix_kind kinds[] = {
		{ f->level ? hatched : "phase locking of a mode between channels (0 none, 1 a "
		  "constant difference of phase)", 0, 1, values, f->level },
		{ "correlation of the amplitudes of a mode between channels", -1, 1,
		  values + f->modes, NULL },
	};
	const wsi_matrices figure = {
		.of = f->of, .n = f->modes, .labels = labels, .none = "a channel has no such mode",
		.n_kinds = 2, .kinds = kinds };
	return wsi_plot_matrices(&figure, sheet);
}

/* ---- Waves and their modulation -------------------------------------------------------------- */

/* Edges of bins between low and high, in the picture's unit; of logarithmic bins that begin at 0
 * Hz, the first as wide as the second. */
static double *
make_edges(const wsi_holospectra *f, const double *middle, size_t n, ws_range range, double by)
{
	const bool log = range.spacing == WS_SPACING_LOG;
	double *edges = NEW(f, n + 1, double);
	if (!edges)
		return NULL;
	for (size_t i = 1; i < n; i++)
		edges[i] = by * (log ? sqrt(middle[i - 1] * middle[i])
		                 : 0.5 * (middle[i - 1] + middle[i]));
	edges[n] = by * range.high;
	edges[0] = by * range.low;
	if (log && !(range.low > 0))
		edges[0] = n > 1 ? edges[1] * (edges[1] / edges[2 < n ? 2 : n]) : 0.5 * edges[n];
	return edges;
}

/* Of all channels; "unit" where that is not one, or not known. */
static const char *
common_unit(const wsi_plot_data *of, char text[32])
{
	char other[32];
	wsi_text_unit_or(of->units[0], text);
	for (size_t i = 1; i < of->n_channels; i++)
		if (strcmp(wsi_text_unit_or(of->units[i], other), text) != 0)
			return "unit";
	return text;
}

ws_status
wsi_plot_holospectra(const wsi_holospectra *f, wsi_sheet *sheet)
{
	const wsi_frequency_unit u = wsi_plot_unit(f->of);
	const size_t cells = f->bins * f->modulations, n = f->of->n_channels;
	const ws_range waves = f->opts->freqs, modulations = f->opts->modulation_freqs;
	const double *wave = make_edges(f, f->bin, f->bins, waves, u.seconds);
	const double *modulation = make_edges(f, f->modulation, f->modulations, modulations,
	                                      u.seconds);
	const double **values = NEW(f, n, const double *);
	char across[64], up[64], quantity[96], unit[32];
	WSI_TRY(wsi_plot_kept(f->kept, sheet->path));
	/* Of densities over both widths. */
	const double by = f->opts->quantity == WS_HHT_QUANTITY_DENSITY
			? 1 / (u.seconds * u.seconds) : 1;
	scale(f->values, n * cells, by, f->values);
	for (size_t i = 0; i < n; i++)
		values[i] = f->values + i * cells;
	wsi_axis_title(across, sizeof across, "frequency of the wave", u);
	wsi_axis_title(up, sizeof up, "frequency of its modulation", u);
	name_quantity(f->of, common_unit(f->of, unit), f->opts->quantity, "", "\u00b2", quantity);
	const wsi_plane figure = {
		.of = f->of, .quantity = quantity,
		.across = { across, f->bins, wave, waves.spacing == WS_SPACING_LOG },
		.up = { up, f->modulations, modulation, modulations.spacing == WS_SPACING_LOG },
		.values = values, .share = SHARE, .diagonal = "as fast as the wave" };
	return wsi_plot_plane(&figure, sheet);
}
