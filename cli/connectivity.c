/* connectivity.c - see connectivity.h. */
#include "connectivity.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "figure.h"
#include "plot/axis.h"
#include "plot/matrices.h"

static ws_status
no_memory(const cli_connectivity *f)
{
	return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory for the figure", f->path);
}

ws_status
cli_connectivity_open(cli_connectivity *f, const cli_outcome *o, size_t *channels, size_t n)
{
	*f = (cli_connectivity){ .path = o->args->plot, .n = n, .channels = channels,
		.most = o->outputs->arrays[WS_HHT_PHASE_LOCKING].extent[1] };
	for (int k = 0; k < 2; k++)
		f->values[k] = calloc(f->most * n * n + 1, sizeof *f->values[k]);
	f->frequency = calloc(f->most + 1, sizeof *f->frequency);
	f->having = calloc(f->most + 1, sizeof *f->having);
	return f->values[0] && f->values[1] && f->frequency && f->having ? WS_OK : no_memory(f);
}

void
cli_connectivity_close(cli_connectivity *f)
{
	free(f->values[0]);
	free(f->values[1]);
	free(f->frequency);
	free(f->having);
	*f = (cli_connectivity){ 0 };
}

ws_status
cli_connectivity_put(cli_connectivity *f, const ws_channel_result *r)
{
	static const int arrays[] = { WS_HHT_PHASE_LOCKING, WS_HHT_AMPLITUDE_CORRELATION };
	const size_t n = f->n;
	size_t i = 0;
	while (i < n && f->channels[i] != r->channel)
		i++;
	if (i == n)
		return WS_OK;
	const size_t modes = r->slabs[WS_HHT_PHASE_LOCKING].extent[0];
	const double *frequency = r->slabs[WS_HHT_MEAN_FREQUENCY].data;
	f->modes = modes > f->modes ? modes : f->modes;
	for (size_t m = 0; m < modes; m++) {
		f->frequency[m] += frequency[m];
		f->having[m]++;
		for (int k = 0; k < 2; k++) {
			const ws_slab *s = &r->slabs[arrays[k]];
			const double *row = (const double *)s->data + m * s->extent[1];
			for (size_t j = 0; j < n; j++)
				f->values[k][(m * n + i) * n + j] = row[f->channels[j]];
		}
	}
	return WS_OK;
}

/* "mode 3, 10.2 Hz": the mean over channels. */
static void
label_mode(const cli_connectivity *f, const cli_outcome *o, size_t m, char *out, size_t size)
{
	char frequency[48] = "";
	const wsi_input *in = o->in;
	if (f->having[m])
		wsi_axis_frequency(frequency, sizeof frequency,
		                   f->frequency[m] / (double)f->having[m],
		                   wsi_axis_frequency_unit(in->fs, in->fs_known, in->samples));
	snprintf(out, size, *frequency ? "mode %zu, %s" : "mode %zu", m + 1, frequency);
}

ws_status
cli_connectivity_draw(cli_connectivity *f, const cli_outcome *o, const wsi_provenance *p)
{
	char (*labels)[80] = calloc(f->modes + 1, sizeof *labels);
	const char **texts = calloc(f->modes + f->n + 1, sizeof *texts);
	const double **values = calloc(2 * f->modes + 1, sizeof *values);
	char subtitle[320];
	if (!labels || !texts || !values) {
		free(labels);
		free(texts);
		free(values);
		return no_memory(f);
	}
	for (size_t m = 0; m < f->modes; m++) {
		label_mode(f, o, m, labels[m], sizeof *labels);
		texts[m] = labels[m];
		for (size_t k = 0; k < 2; k++)
			values[k * f->modes + m] = f->values[k] + m * f->n * f->n;
	}
	for (size_t i = 0; i < f->n; i++)
		texts[f->modes + i] = wsi_input_name(o->in, f->channels[i]);
	const wsi_matrix_kind kinds[] = {
		{ "phase locking of a mode between channels (0 none, 1 a constant difference of "
		  "phase)", 0, 1, values },
		{ "correlation of the amplitudes of a mode between channels", -1, 1,
		  values + f->modes },
	};
	const wsi_matrices figure = { .title = p->title,
		.subtitle = cli_figure_subtitle(p->options, wsi_axis_frequency_unit(
		                                o->in->fs, o->in->fs_known,
		                                o->in->samples), o->in->epoched
		                                ? (int)o->in->epochs[0] + 1 : 0, subtitle),
		.size = f->n, .names = texts + f->modes, .n = f->modes, .labels = texts,
		.n_kinds = 2, .kinds = kinds };
	const ws_status status = wsi_plot_matrices(&figure, f->path);
	free(labels);
	free(texts);
	free(values);
	return status;
}
