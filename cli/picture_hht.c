/*
 * picture_hht.c - curves of a Hilbert-Huang analysis, a panel for each channel: marginal spectra
 * beside Welch's, and modes against noise.
 */
#include <string.h>

#include "base/element.h"
#include "base/status.h"
#include "picture.h"
#include "plot/bands.h"
#include "plot/hht.h"
#include "plot/welch.h"

typedef struct welch_spectra {
	wsi_welch *welch;
	wsi_bands bands;
	double *density;         /* of all bins */
	double *row;             /* of samples, as doubles */
} welch_spectra;

typedef struct curves {
	bool marginal;                     /* spectra; else significance */
	size_t bins, most;
	wsi_hht_channel *of;               /* [channel] */
	welch_spectra *welch;               /* NULL: the figure has none */
} curves;

/* ---- While it runs ------------------------------------------------------------------------- */

/* Is there a spectrum of the signal that can stand beside the marginal one? */
static bool
has_welch(const curves *f, const cli_outcome *o)
{
	const ws_hht_opts *opts = o->opts;
	return f->marginal && opts->quantity == WS_HHT_QUANTITY_DENSITY &&
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
	const bool p = cli_array_made(&o->outputs->arrays[WS_HHT_P_ANY]);
	f->bins = o->outputs->arrays[WS_HHT_MARGINAL].extent[1];
	f->most = o->outputs->arrays[WS_HHT_MODE_ENERGY].extent[1];
	if (has_welch(f, o))
		WSI_TRY(open_welch(f, o, d));
	f->of = CLI_DRAWN_NEW(d, d->n, wsi_hht_channel);
	for (size_t i = 0; f->of && i < d->n; i++)
		f->of[i] = (wsi_hht_channel){
			.marginal = CLI_DRAWN_NEW(d, f->bins, double),
			.mode_marginal = CLI_DRAWN_NEW(d, f->most * f->bins, double),
			.energy = CLI_DRAWN_NEW(d, f->most, double),
			.period = CLI_DRAWN_NEW(d, f->most, double),
			.p_any = p ? CLI_DRAWN_NEW(d, f->most, double) : NULL,
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
	if (!cli_array_made(&o->outputs->arrays[WS_HHT_NOISE_HIGH]))
		return WSI_FAIL(WS_E_ARG, "--figure significance: compares modes with noise: give "
		                "--noise-signals 199, or --significance wu-huang");
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
	const size_t n = o->in->samples;
	for (size_t i = 0; i < n; i++)
		w->row[i] = wsi_real_at(signal->data, o->outputs->arrays[WS_HHT_SIGNAL].type, i);
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
	wsi_hht_channel *c = &f->of[i];
	c->modes = (size_t)*(const int32_t *)s[WS_HHT_MODE_COUNT].data;
	const struct { ws_hht_array from; double *to; size_t n; } rows[] = {
		{ WS_HHT_MARGINAL, c->marginal, f->bins },
		{ WS_HHT_MODE_MARGINAL, c->mode_marginal, c->modes * f->bins },
		{ WS_HHT_MODE_ENERGY, c->energy, c->modes },
		{ WS_HHT_MEAN_PERIOD, c->period, c->modes },
		{ WS_HHT_NOISE_LOW, c->low, c->modes }, { WS_HHT_NOISE_HIGH, c->high, c->modes },
	};
	if (c->p_any) {
		memcpy(c->p_any, s[WS_HHT_P_ANY].data, c->modes * sizeof(double));
		/* Of a result on disk it is a double. */
		c->model = o->outputs->arrays[WS_HHT_NOISE_MODEL].type == WS_I32
			? *(const int32_t *)s[WS_HHT_NOISE_MODEL].data
			: (int32_t)*(const double *)s[WS_HHT_NOISE_MODEL].data;
		c->slope = *(const double *)s[WS_HHT_NOISE_SLOPE].data;
	}
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

/* ---- The figure ------------------------------------------------------------------------------ */

static ws_status
draw(void *state, const cli_outcome *o, cli_drawn *d, wsi_plot_data *of, wsi_sheet *sheet)
{
	const curves *f = state;
	const wsi_hht_curves figure = {
		.of = of, .opts = o->opts, .channels = f->of, .bins = f->bins,
		.bin = o->outputs->axes[WS_HHT_MARGINAL * WS_MOST_AXES + 1],
		.bands = f->welch ? f->welch->bands.n : 0,
		.band = f->welch ? f->welch->bands.frequency : NULL, .kept = &d->kept };
	return (f->marginal ? wsi_plot_marginal : wsi_plot_significance)(&figure, sheet);
}

const cli_picture cli_picture_marginal = {
	.figure = FIGURE_MARGINAL, .name = "marginal", .part = WS_HHT_PART_MARGINAL,
	.title = "Marginal Hilbert spectra", .frequencies = true, .size = sizeof(curves),
	.check_page = wsi_plot_check,
	.open = open_marginal, .put = put, .draw = draw, .close = close_curves,
};

const cli_picture cli_picture_significance = {
	.figure = FIGURE_SIGNIFICANCE, .title = "Significance of modes", .size = sizeof(curves),
	.check_page = wsi_plot_check, .open = open_significance, .put = put, .draw = draw,
	.close = close_curves,
};
