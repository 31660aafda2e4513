/*
 * picture_holospectrum.c - a holospectrum: energy over the frequency of a wave and that of its
 * modulation, a panel for each channel.
 */
#include <string.h>

#include "picture.h"
#include "plot/hht.h"

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

static ws_status
draw(void *state, const cli_outcome *o, cli_drawn *d, wsi_plot_data *of, wsi_sheet *sheet)
{
	const plane *f = state;
	double *const *axes = o->outputs->axes + WS_HHT_HOLOSPECTRUM * WS_MOST_AXES;
	const wsi_holospectra figure = {
		.of = of, .opts = o->opts, .bins = f->bins, .modulations = f->modulations,
		.bin = axes[1], .modulation = axes[2], .values = f->values, .kept = &d->kept };
	return wsi_plot_holospectra(&figure, sheet);
}

const cli_picture cli_picture_holospectrum = {
	.figure = FIGURE_HOLOSPECTRUM, .name = "holospectrum", .part = WS_HHT_PART_HOLOSPECTRUM,
	.title = "Holospectra", .size = sizeof(plane), .check_page = wsi_plot_check,
	.open = open_plane, .put = put, .draw = draw,
};
