/*
 * picture_holospectrum.c - a holospectrum: energy over the frequency of a wave and that of its
 * modulation, a panel for each channel.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "plot/axis.h"
#include "plot/plane.h"
#include "plot/text.h"

/* Of the largest value; what is weaker has the palest colour. */
#define SHARE 1e-4

typedef struct plane {
	const cli_drawn *drawn;
	size_t bins, modulations;
	double *values;           /* [channel][bins][modulations] */
} plane;

static ws_status
open_plane(void *state, const cli_outcome *o, const cli_drawn *drawn)
{
	const ws_array *a = &o->outputs->arrays[WS_HHT_HOLOSPECTRUM];
	plane *f = state;
	*f = (plane){ .drawn = drawn, .bins = a->extent[1], .modulations = a->extent[2] };
	f->values = calloc(drawn->n * f->bins * f->modulations + 1, sizeof *f->values);
	return f->values ? WS_OK : cli_drawn_no_memory(drawn);
}

static void
close_plane(void *state)
{
	free(((plane *)state)->values);
}

static ws_status
put(void *state, const cli_outcome *o, const ws_channel_result *r)
{
	const plane *f = state;
	const size_t cells = f->bins * f->modulations, i = cli_drawn_place(f->drawn, r->channel);
	(void)o;
	if (i < f->drawn->n)
		memcpy(f->values + i * cells, r->slabs[WS_HHT_HOLOSPECTRUM].data,
		       cells * sizeof *f->values);
	return WS_OK;
}

/* Edges of bins between low and high, in the picture's unit; of logarithmic bins that begin at 0
 * Hz, the first as wide as the second. */
static void
make_edges(const double *middle, size_t n, double low, double high, bool log, double by,
           double *edges)
{
	for (size_t i = 1; i < n; i++)
		edges[i] = by * (log ? sqrt(middle[i - 1] * middle[i])
		                 : 0.5 * (middle[i - 1] + middle[i]));
	edges[n] = by * high;
	edges[0] = by * low;
	if (log && !(low > 0))
		edges[0] = n > 1 ? edges[1] * (edges[1] / edges[2 < n ? 2 : n]) : 0.5 * edges[n];
}

/* Of the channels that are drawn; "unit" where that is not one, or not known. */
static void
name_unit(const cli_outcome *o, const cli_drawn *drawn, char *out, size_t size)
{
	const wsi_input *in = o->in;
	char unit[32];
	for (size_t i = 0; i < drawn->n; i++) {
		wsi_text_unit(unit, sizeof unit,
		              in->rec->channels[in->channels[drawn->channels[i]]].unit);
		if (i == 0)
			snprintf(out, size, "%s", unit);
		if (!*unit || strcmp(unit, out) != 0)
			snprintf(out, size, "unit");
	}
}

static void
name_value(const plane *f, const cli_outcome *o, const wsi_frequency_unit *u, char *out,
           size_t size)
{
	static const char *const names[] = { "", "power density", "power", "energy", "amplitude" };
	const ws_hht_quantity quantity = ((const ws_hht_opts *)o->opts)->quantity;
	char unit[32] = "unit";
	name_unit(o, f->drawn, unit, sizeof unit);
	if (quantity == WS_HHT_AMPLITUDE)
		snprintf(out, size, "amplitude, summed (%s)", unit);
	else if (quantity != WS_HHT_DENSITY)
		snprintf(out, size, "%s (%s\u00b2)", names[quantity], unit);
	else if (u->name[0] != '/')
		snprintf(out, size, "%s (%s\u00b2/%s\u00b2)", names[quantity], unit, u->name);
	else
		snprintf(out, size, "%s (%s\u00b2 %s\u00b2)", names[quantity], unit, u->name + 1);
}

static ws_status
draw(void *state, const cli_outcome *o, const wsi_provenance *p)
{
	const plane *f = state;
	const size_t n = f->drawn->n;
	const wsi_input *in = o->in;
	const ws_hht_opts *opts = o->opts;
	const wsi_frequency_unit u = wsi_axis_frequency_unit(in->fs, in->fs_known, in->samples);
	const size_t cells = f->bins * f->modulations;
	double *const *axes = o->outputs->axes + WS_HHT_HOLOSPECTRUM * WS_MOST_AXES;
	double *edges = calloc(f->bins + f->modulations + 2, sizeof *edges);
	const double **values = calloc(n + 1, sizeof *values);
	const char **names = calloc(n + 1, sizeof *names);
	char title[512], subtitle[320], across[64], up[64], quantity[96];
	if (!edges || !values || !names) {
		free(edges);
		free(values);
		free(names);
		return cli_drawn_no_memory(f->drawn);
	}
	double *const modulation = edges + f->bins + 1;
	make_edges(axes[1], f->bins, opts->freqs.low, opts->freqs.high,
	           opts->freqs.spacing == WS_SPACING_LOG, u.seconds, edges);
	make_edges(axes[2], f->modulations, opts->modulation_freqs.low, opts->modulation_freqs.high,
	           opts->modulation_freqs.spacing == WS_SPACING_LOG, u.seconds, modulation);
	/* Of densities over both widths, in the picture's unit. */
	const double by = opts->quantity == WS_HHT_DENSITY ? 1 / (u.seconds * u.seconds) : 1;
	for (size_t i = 0; i < n * cells; i++)
		f->values[i] *= by;
	for (size_t i = 0; i < n; i++) {
		values[i] = f->values + i * cells;
		names[i] = wsi_input_name(in, f->drawn->channels[i]);
	}
	const char *one = u.name[0] == '/' ? "1" : "";
	snprintf(across, sizeof across, "frequency of the wave (%s%s)", one, u.name);
	snprintf(up, sizeof up, "frequency of its modulation (%s%s)", one, u.name);
	name_value(f, o, &u, quantity, sizeof quantity);
	const wsi_plane figure = {
		.title = cli_outcome_title(o, p, "Holospectra", title),
		.subtitle = cli_outcome_subtitle(o, p, subtitle),
		.quantity = quantity,
		.across = { across, f->bins, edges, opts->freqs.spacing == WS_SPACING_LOG },
		.up = { up, f->modulations, modulation,
			opts->modulation_freqs.spacing == WS_SPACING_LOG },
		.n = n, .names = names, .values = values, .share = SHARE,
		.diagonal = "as fast as the wave" };
	const ws_status status = wsi_plot_plane(&figure, f->drawn->path);
	free(edges);
	free(values);
	free(names);
	return status;
}

const cli_picture cli_picture_holospectrum = {
	.figure = FIGURE_HOLOSPECTRUM, .name = "holospectrum", .part = WS_HHT_PART_HOLOSPECTRUM,
	.size = sizeof(plane), .check_page = wsi_plot_check, .open = open_plane, .put = put,
	.draw = draw, .close = close_plane,
};
