/*
 * picture_connectivity.c - modes between channels: matrices of phase locking and of the correlation
 * of amplitudes.
 */
#include <math.h>
#include <stdio.h>

#include "base/status.h"
#include "picture.h"
#include "plot/matrices.h"

typedef struct matrices {
	size_t most;              /* modes */
	size_t modes;             /* of the channel with the most */
	double *values[2];        /* [mode][channel][channel] phase locking, correlation */
	double *frequency;        /* [mode] sum over the channels that have it, Hz */
	size_t *having;           /* [mode] how many these are */
	size_t *modes_of;         /* [channel] */
} matrices;

static ws_status
open_matrices(void *state, const cli_outcome *o, cli_drawn *d)
{
	matrices *f = state;
	f->most = o->outputs->arrays[WS_HHT_PHASE_LOCKING].extent[1];
	for (int k = 0; k < 2; k++)
		f->values[k] = CLI_DRAWN_NEW(d, f->most * d->n * d->n, double);
	f->frequency = CLI_DRAWN_NEW(d, f->most, double);
	f->having = CLI_DRAWN_NEW(d, f->most, size_t);
	f->modes_of = CLI_DRAWN_NEW(d, d->n, size_t);
	return cli_drawn_check(d);
}

static ws_status
put(void *state, const cli_outcome *o, cli_drawn *d, size_t i, const ws_channel_result *r)
{
	static const int arrays[] = { WS_HHT_PHASE_LOCKING, WS_HHT_AMPLITUDE_CORRELATION };
	matrices *f = state;
	const size_t n = d->n, modes = r->slabs[WS_HHT_PHASE_LOCKING].extent[0];
	const double *frequency = r->slabs[WS_HHT_MEAN_FREQUENCY].data;
	(void)o;
	f->modes = modes > f->modes ? modes : f->modes;
	f->modes_of[i] = modes;
	for (size_t m = 0; m < modes; m++) {
		f->frequency[m] += frequency[m];
		f->having[m]++;
		for (int k = 0; k < 2; k++) {
			const ws_slab *s = &r->slabs[arrays[k]];
			const double *row = (const double *)s->data + m * s->extent[1];
			for (size_t j = 0; j < n; j++)
				f->values[k][(m * n + i) * n + j] = row[d->channels[j]];
		}
	}
	return WS_OK;
}

/* "mode 3, 10.2 Hz": the mean over channels. */
static const char *
label_mode(const matrices *f, cli_drawn *d, const wsi_plot_data *of, size_t m)
{
	char frequency[48] = "", *label = CLI_DRAWN_NEW(d, 80, char);
	if (f->having[m])
		wsi_axis_frequency(frequency, sizeof frequency,
		                   f->frequency[m] / (double)f->having[m], wsi_plot_unit(of));
	if (label)
		snprintf(label, 80, *frequency ? "mode %zu, %s" : "mode %zu", m + 1, frequency);
	return label;
}

/* NaN where a channel has no such mode: the result has 0, as of modes that are not locked. */
static void
mark_none(const matrices *f, size_t n)
{
	for (size_t m = 0; m < f->modes; m++)
		for (size_t i = 0; i < n * n; i++)
			if (m >= f->modes_of[i / n] || m >= f->modes_of[i % n])
				for (int k = 0; k < 2; k++)
					f->values[k][m * n * n + i] = NAN;
}

static ws_status
draw(void *state, const cli_outcome *o, cli_drawn *d, wsi_plot_data *of, wsi_sheet *sheet)
{
	const matrices *f = state;
	const char **labels = CLI_DRAWN_NEW(d, f->modes, const char *);
	const double **values = CLI_DRAWN_NEW(d, 2 * f->modes, const double *);
	(void)o;
	for (size_t m = 0; m < f->modes && labels && values; m++) {
		labels[m] = label_mode(f, d, of, m);
		for (size_t k = 0; k < 2; k++)
			values[k * f->modes + m] = f->values[k] + m * d->n * d->n;
	}
	WSI_TRY(cli_drawn_check(d));
	mark_none(f, d->n);
	const wsi_matrix_kind kinds[] = {
		{ "phase locking of a mode between channels (0 none, 1 a constant difference of "
		  "phase)", 0, 1, values },
		{ "correlation of the amplitudes of a mode between channels", -1, 1,
		  values + f->modes },
	};
	const wsi_matrices figure = {
		.of = of, .n = f->modes, .labels = labels, .none = "a channel has no such mode",
		.n_kinds = 2, .kinds = kinds };
	return wsi_plot_matrices(&figure, sheet);
}

const cli_picture cli_picture_connectivity = {
	.figure = FIGURE_CONNECTIVITY, .name = "connectivity", .part = WS_HHT_PART_CONNECTIVITY,
	.title = "Modes between channels", .all_channels = true, .size = sizeof(matrices),
	.check_page = wsi_plot_check, .open = open_matrices, .put = put, .draw = draw,
};
