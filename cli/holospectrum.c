/* holospectrum.c - see holospectrum.h. */
#include "holospectrum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "figure.h"
#include "plot/axis.h"
#include "plot/plane.h"
#include "plot/text.h"

/* Of the largest value; what is weaker has the palest colour. */
#define SHARE 1e-4

static ws_status
no_memory(const cli_holospectrum *f)
{
	return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory for the figure", f->path);
}

ws_status
cli_holospectrum_open(cli_holospectrum *f, const cli_outcome *o, size_t *channels, size_t n)
{
	const ws_array *a = &o->outputs->arrays[WS_HHT_HOLOSPECTRUM];
	*f = (cli_holospectrum){ .path = o->args->plot, .n = n, .channels = channels,
		.bins = a->extent[1], .modulations = a->extent[2] };
	f->values = calloc(n * f->bins * f->modulations + 1, sizeof *f->values);
	return f->values ? WS_OK : no_memory(f);
}

void
cli_holospectrum_close(cli_holospectrum *f)
{
	free(f->values);
	*f = (cli_holospectrum){ 0 };
}

void
cli_holospectrum_put(cli_holospectrum *f, const ws_channel_result *r)
{
	const size_t cells = f->bins * f->modulations;
	for (size_t i = 0; i < f->n; i++)
		if (f->channels[i] == r->channel)
			memcpy(f->values + i * cells, r->slabs[WS_HHT_HOLOSPECTRUM].data,
			       cells * sizeof *f->values);
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

static void
name_value(const cli_outcome *o, const wsi_frequency_unit *u, char *out, size_t size)
{
	static const char *const names[] = { "", "power density", "power", "energy", "amplitude" };
	const wsi_input *in = o->in;
	const ws_hht_quantity quantity = ((const ws_hht_opts *)ws_run_options(o->run))->quantity;
	char sample[32];
	wsi_text_unit(sample, sizeof sample, in->rec->channels[in->channels[0]].unit);
	const char *unit = *sample ? sample : "unit";
	if (quantity == WS_HHT_AMPLITUDE)
		snprintf(out, size, "amplitude, summed (%s)", unit);
	else if (quantity != WS_HHT_DENSITY)
		snprintf(out, size, "%s (%s\u00b2)", names[quantity], unit);
	else if (u->name[0] != '/')
		snprintf(out, size, "%s (%s\u00b2/%s\u00b2)", names[quantity], unit, u->name);
	else
		snprintf(out, size, "%s (%s\u00b2 %s\u00b2)", names[quantity], unit, u->name + 1);
}

ws_status
cli_holospectrum_draw(cli_holospectrum *f, const cli_outcome *o, const wsi_provenance *p)
{
	const wsi_input *in = o->in;
	const ws_hht_opts *opts = ws_run_options(o->run);
	const wsi_frequency_unit u = wsi_axis_frequency_unit(in->fs, in->fs_known, in->samples);
	const size_t cells = f->bins * f->modulations;
	double *const *axes = o->outputs->axes + WS_HHT_HOLOSPECTRUM * WS_MOST_AXES;
	double *edges = calloc(f->bins + f->modulations + 2, sizeof *edges);
	const double **values = calloc(f->n + 1, sizeof *values);
	const char **names = calloc(f->n + 1, sizeof *names);
	char subtitle[320], across[64], up[64], quantity[96];
	if (!edges || !values || !names) {
		free(edges);
		free(values);
		free(names);
		return no_memory(f);
	}
	double *const modulation = edges + f->bins + 1;
	make_edges(axes[1], f->bins, opts->freq_low, opts->freq_high,
	           opts->freq_scale == WS_HHT_LOG, u.seconds, edges);
	make_edges(axes[2], f->modulations, opts->modulation_low, opts->modulation_high,
	           opts->modulation_scale == WS_HHT_LOG, u.seconds, modulation);
	/* Of densities over both widths, in the picture's unit. */
	const double by = opts->quantity == WS_HHT_DENSITY ? 1 / (u.seconds * u.seconds) : 1;
	for (size_t i = 0; i < f->n * cells; i++)
		f->values[i] *= by;
	for (size_t i = 0; i < f->n; i++) {
		values[i] = f->values + i * cells;
		names[i] = wsi_input_name(in, f->channels[i]);
	}
	const char *one = u.name[0] == '/' ? "1" : "";
	snprintf(across, sizeof across, "frequency of the wave (%s%s)", one, u.name);
	snprintf(up, sizeof up, "frequency of its modulation (%s%s)", one, u.name);
	name_value(o, &u, quantity, sizeof quantity);
	const wsi_plane figure = { .title = p->title,
		.subtitle = cli_figure_subtitle(p->options, u, in->epoched
		                                ? (int)in->epochs[0] + 1 : 0, subtitle),
		.quantity = quantity,
		.across = { across, f->bins, edges, opts->freq_scale == WS_HHT_LOG },
		.up = { up, f->modulations, modulation, opts->modulation_scale == WS_HHT_LOG },
		.n = f->n, .names = names, .values = values, .share = SHARE,
		.diagonal = "as fast as the wave" };
	const ws_status status = wsi_plot_plane(&figure, f->path);
	free(edges);
	free(values);
	free(names);
	return status;
}
