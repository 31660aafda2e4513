/*
 * picture_connectivity.c - modes between channels: matrices of phase locking and of the correlation
 * of amplitudes.
 */
#include "picture.h"
#include "plot/hht.h"

typedef struct matrices {
	size_t most;              /* modes */
	size_t modes;             /* of the channel with the most */
	double *values[3];        /* [mode][channel][channel] phase locking, correlation, and the
	                             level of locking; NULL: none */
	double *frequency;        /* [mode] sum over the channels that have it, Hz */
	size_t *having;           /* [mode] how many these are */
	size_t *modes_of;         /* [channel] */
} matrices;

static ws_status
open_matrices(void *state, const cli_outcome *o, cli_drawn *d)
{
	matrices *f = state;
	f->most = o->outputs->arrays[WS_HHT_PHASE_LOCKING].extent[1];
	const int made = cli_array_made(&o->outputs->arrays[WS_HHT_LOCKING_LEVEL]) ? 3 : 2;
	for (int k = 0; k < made; k++)
		f->values[k] = CLI_DRAWN_NEW(d, f->most * d->n * d->n, double);
	f->frequency = CLI_DRAWN_NEW(d, f->most, double);
	f->having = CLI_DRAWN_NEW(d, f->most, size_t);
	f->modes_of = CLI_DRAWN_NEW(d, d->n, size_t);
	return cli_drawn_check(d);
}

static ws_status
put(void *state, const cli_outcome *o, cli_drawn *d, size_t i, const ws_channel_result *r)
{
	static const int arrays[] = { WS_HHT_PHASE_LOCKING, WS_HHT_AMPLITUDE_CORRELATION,
		WS_HHT_LOCKING_LEVEL };
	matrices *f = state;
	const size_t n = d->n, modes = r->slabs[WS_HHT_PHASE_LOCKING].extent[0];
	const double *frequency = r->slabs[WS_HHT_MEAN_FREQUENCY].data;
	(void)o;
	f->modes = modes > f->modes ? modes : f->modes;
	f->modes_of[i] = modes;
	for (size_t m = 0; m < modes; m++) {
		f->frequency[m] += frequency[m];
		f->having[m]++;
		for (int k = 0; k < 3 && f->values[k]; k++) {
			const ws_slab *s = &r->slabs[arrays[k]];
			const double *row = (const double *)s->data + m * s->extent[1];
			for (size_t j = 0; j < n; j++)
				f->values[k][(m * n + i) * n + j] = row[d->channels[j]];
		}
	}
	return WS_OK;
}

static ws_status
draw(void *state, const cli_outcome *o, cli_drawn *d, wsi_plot_data *of, wsi_sheet *sheet)
{
	const matrices *f = state;
	const wsi_hht_pairs figure = {
		.of = of, .modes = f->modes, .modes_of = f->modes_of,
		.values = { f->values[0], f->values[1] }, .level = f->values[2],
		.chance = 0.5 * (1 - ((const ws_hht_opts *)o->opts)->confidence),
		.frequency = f->frequency, .having = f->having, .kept = &d->kept };
	return wsi_plot_connectivity(&figure, sheet);
}

const cli_picture cli_picture_connectivity = {
	.figure = FIGURE_CONNECTIVITY, .name = "connectivity", .part = WS_HHT_PART_CONNECTIVITY,
	.title = "Modes between channels", .all_channels = true, .size = sizeof(matrices),
	.check_page = wsi_plot_check, .open = open_matrices, .put = put, .draw = draw,
};
