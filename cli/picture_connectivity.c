/*
 * picture_connectivity.c - modes between channels: matrices of phase locking and of the correlation
 * of amplitudes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "picture.h"
#include "plot/axis.h"
#include "plot/matrices.h"

typedef struct matrices {
	const cli_drawn *drawn;
	size_t most;              /* modes */
	size_t modes;             /* of the channel with the most */
	double *values[2];        /* [mode][channel][channel] phase locking, correlation */
	double *frequency;        /* [mode] sum over the channels that have it, Hz */
	size_t *having;           /* [mode] how many these are */
	size_t *modes_of;         /* [channel] */
} matrices;

static ws_status
open_matrices(void *state, const cli_outcome *o, const cli_drawn *drawn)
{
	matrices *f = state;
	const size_t n = drawn->n;
	f->drawn = drawn;
	f->most = o->outputs->arrays[WS_HHT_PHASE_LOCKING].extent[1];
	for (int k = 0; k < 2; k++)
		f->values[k] = calloc(f->most * n * n + 1, sizeof *f->values[k]);
	f->frequency = calloc(f->most + 1, sizeof *f->frequency);
	f->having = calloc(f->most + 1, sizeof *f->having);
	f->modes_of = calloc(n + 1, sizeof *f->modes_of);
	return f->values[0] && f->values[1] && f->frequency && f->having && f->modes_of ? WS_OK
	       : cli_drawn_no_memory(drawn);
}

static void
close_matrices(void *state)
{
	matrices *f = state;
	free(f->values[0]);
	free(f->values[1]);
	free(f->frequency);
	free(f->having);
	free(f->modes_of);
}

static ws_status
put(void *state, const cli_outcome *o, const ws_channel_result *r)
{
	static const int arrays[] = { WS_HHT_PHASE_LOCKING, WS_HHT_AMPLITUDE_CORRELATION };
	matrices *f = state;
	const size_t n = f->drawn->n, i = cli_drawn_place(f->drawn, r->channel);
	(void)o;
	if (i == n)
		return WS_OK;
	const size_t modes = r->slabs[WS_HHT_PHASE_LOCKING].extent[0];
	const double *frequency = r->slabs[WS_HHT_MEAN_FREQUENCY].data;
	f->modes = modes > f->modes ? modes : f->modes;
	f->modes_of[i] = modes;
	for (size_t m = 0; m < modes; m++) {
		f->frequency[m] += frequency[m];
		f->having[m]++;
		for (int k = 0; k < 2; k++) {
			const ws_slab *s = &r->slabs[arrays[k]];
			const double *row = (const double *)s->data + m * s->extent[1];
			for (size_t j = 0; j < n; j++)
				f->values[k][(m * n + i) * n + j] = row[f->drawn->channels[j]];
		}
	}
	return WS_OK;
}

/* "mode 3, 10.2 Hz": the mean over channels. */
static void
label_mode(const matrices *f, const cli_outcome *o, size_t m, char *out, size_t size)
{
	char frequency[48] = "";
	const wsi_input *in = o->in;
	if (f->having[m])
		wsi_axis_frequency(frequency, sizeof frequency,
		                   f->frequency[m] / (double)f->having[m],
		                   wsi_axis_frequency_unit(in->fs, in->fs_known, in->samples));
	snprintf(out, size, *frequency ? "mode %zu, %s" : "mode %zu", m + 1, frequency);
}

/* NaN where a channel has no such mode: the result has 0, as of modes that are not locked. */
static void
mark_none(const matrices *f)
{
	const size_t n = f->drawn->n;
	for (size_t m = 0; m < f->modes; m++)
		for (size_t i = 0; i < n * n; i++)
			if (m >= f->modes_of[i / n] || m >= f->modes_of[i % n])
				for (int k = 0; k < 2; k++)
					f->values[k][m * n * n + i] = NAN;
}

static ws_status
draw(void *state, const cli_outcome *o, const wsi_provenance *p)
{
	const matrices *f = state;
	const size_t n = f->drawn->n;
	char (*labels)[80] = calloc(f->modes + 1, sizeof *labels);
	const char **texts = calloc(f->modes + n + 1, sizeof *texts);
	const double **values = calloc(2 * f->modes + 1, sizeof *values);
	char title[512], subtitle[320];
	if (!labels || !texts || !values) {
		free(labels);
		free(texts);
		free(values);
		return cli_drawn_no_memory(f->drawn);
	}
	mark_none(f);
	for (size_t m = 0; m < f->modes; m++) {
		label_mode(f, o, m, labels[m], sizeof *labels);
		texts[m] = labels[m];
		for (size_t k = 0; k < 2; k++)
			values[k * f->modes + m] = f->values[k] + m * n * n;
	}
	for (size_t i = 0; i < n; i++)
		texts[f->modes + i] = wsi_input_name(o->in, f->drawn->channels[i]);
	const wsi_matrix_kind kinds[] = {
		{ "phase locking of a mode between channels (0 none, 1 a constant difference of "
		  "phase)", 0, 1, values },
		{ "correlation of the amplitudes of a mode between channels", -1, 1,
		  values + f->modes },
	};
	const wsi_matrices figure = {
		.title = cli_outcome_title(o, p, "Modes between channels", title),
		.subtitle = cli_outcome_subtitle(o, p, subtitle),
		.size = n, .names = texts + f->modes, .n = f->modes, .labels = texts,
		.none = "a channel has no such mode",
		.n_kinds = 2, .kinds = kinds };
	const ws_status status = wsi_plot_matrices(&figure, f->drawn->path);
	free(labels);
	free(texts);
	free(values);
	return status;
}

const cli_picture cli_picture_connectivity = {
	.figure = FIGURE_CONNECTIVITY, .name = "connectivity", .part = WS_HHT_PART_CONNECTIVITY,
	.all_channels = true, .size = sizeof(matrices), .check_page = wsi_plot_check,
	.open = open_matrices, .put = put, .draw = draw, .close = close_matrices,
};
