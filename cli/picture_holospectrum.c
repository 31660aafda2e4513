/*
 * picture_holospectrum.c - a holospectrum: energy over the frequency of a wave and that of its
 * modulation, a panel for each channel.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "picture.h"
#include "plot/plane.h"

/* Of the largest value; what is weaker has the palest colour. */
#define SHARE 1e-4

typedef struct plane {
	size_t bins, modulations;
	double *values;           /* [channel][bins][modulations] */
} plane;

static ws_status
open_plane(void *state, const cli_outcome *o, cli_drawn *d)
{
	const ws_array *a = &o->outputs->arrays[WS_HHT_HOLOSPECTRUM];
	plane *f = state;
	*f = (plane){ .bins = a->extent[1], .modulations = a->extent[2] };
	f->values = CLI_DRAWN_NEW(d, d->n * f->bins * f->modulations, double);
	return cli_drawn_check(d);
}

static ws_status
put(void *state, const cli_outcome *o, cli_drawn *d, size_t i, const ws_channel_result *r)
{
	const plane *f = state;
	const size_t cells = f->bins * f->modulations;
	(void)o, (void)d;
	memcpy(f->values + i * cells, r->slabs[WS_HHT_HOLOSPECTRUM].data, cells * sizeof(double));
	return WS_OK;
}

/* Edges of bins between low and high, in the picture's unit; of logarithmic bins that begin at 0
 * Hz, the first as wide as the second. */
static double *
make_edges(cli_drawn *d, const double *middle, size_t n, ws_range range, double by)
{
	const bool log = range.spacing == WS_SPACING_LOG;
	double *edges = CLI_DRAWN_NEW(d, n + 1, double);
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

/* Of the channels that are drawn; "unit" where that is not one, or not known. */
static const char *
common_unit(const wsi_plot_data *of, char text[32])
{
	char other[32];
	cli_picture_unit(of->units[0], text);
	for (size_t i = 1; i < of->n_channels; i++)
		if (strcmp(cli_picture_unit(of->units[i], other), text) != 0)
			return "unit";
	return text;
}

static void
name_value(const wsi_plot_data *of, ws_hht_quantity quantity, char *out, size_t size)
{
	static const char *const names[] = { "", "power density", "power", "energy", "amplitude" };
	const char *per = wsi_plot_unit(of).name;
	char text[32];
	const char *unit = common_unit(of, text);
	if (quantity == WS_HHT_AMPLITUDE)
		snprintf(out, size, "amplitude, summed (%s)", unit);
	else if (quantity != WS_HHT_DENSITY)
		snprintf(out, size, "%s (%s\u00b2)", names[quantity], unit);
	else if (per[0] != '/')
		snprintf(out, size, "%s (%s\u00b2/%s\u00b2)", names[quantity], unit, per);
	else
		snprintf(out, size, "%s (%s\u00b2 %s\u00b2)", names[quantity], unit, per + 1);
}

static ws_status
draw(void *state, const cli_outcome *o, cli_drawn *d, wsi_plot_data *of, wsi_sheet *sheet)
{
	const plane *f = state;
	const ws_hht_opts *opts = o->opts;
	const wsi_frequency_unit u = wsi_plot_unit(of);
	const size_t cells = f->bins * f->modulations;
	double *const *axes = o->outputs->axes + WS_HHT_HOLOSPECTRUM * WS_MOST_AXES;
	const double *wave = make_edges(d, axes[1], f->bins, opts->freqs, u.seconds);
	const double *modulation = make_edges(d, axes[2], f->modulations, opts->modulation_freqs,
	                                      u.seconds);
	const double **values = CLI_DRAWN_NEW(d, d->n, const double *);
	char across[64], up[64], quantity[96];
	WSI_TRY(cli_drawn_check(d));
	/* Of densities over both widths, in the picture's unit. */
	const double by = opts->quantity == WS_HHT_DENSITY ? 1 / (u.seconds * u.seconds) : 1;
	for (size_t i = 0; i < d->n * cells; i++)
		f->values[i] *= by;
	for (size_t i = 0; i < d->n; i++)
		values[i] = f->values + i * cells;
	wsi_axis_title(across, sizeof across, "frequency of the wave", u);
	wsi_axis_title(up, sizeof up, "frequency of its modulation", u);
	name_value(of, opts->quantity, quantity, sizeof quantity);
	const wsi_plane figure = {
		.of = of, .quantity = quantity,
		.across = { across, f->bins, wave, opts->freqs.spacing == WS_SPACING_LOG },
		.up = { up, f->modulations, modulation,
			opts->modulation_freqs.spacing == WS_SPACING_LOG },
		.values = values, .share = SHARE, .diagonal = "as fast as the wave" };
	return wsi_plot_plane(&figure, sheet);
}

const cli_picture cli_picture_holospectrum = {
	.figure = FIGURE_HOLOSPECTRUM, .name = "holospectrum", .part = WS_HHT_PART_HOLOSPECTRUM,
	.title = "Holospectra", .size = sizeof(plane), .check_page = wsi_plot_check,
	.open = open_plane, .put = put, .draw = draw,
};
