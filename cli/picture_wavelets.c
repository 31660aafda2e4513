/*
 * picture_wavelets.c - the wavelets of some frequencies of a transform, in time and in frequency.
 *
 * They are those of the plan at work, each in the stretch of five of its widths to either side.
 */
#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "picture.h"
#include "plot/wavelets.h"
#include "run/wavelets.h"

#define WIDTHS   5.0
#define WEIGHTS  4096     /* of a wavelet, at most */
#define POINTS   601      /* of a response */

/* What is drawn, and room for it. */
typedef struct wavelets {
	size_t n, of;
	wsi_wavelet_drawn drawn[WSI_WAVELET_ROWS];
	double re[WSI_WAVELET_ROWS][WEIGHTS], im[WSI_WAVELET_ROWS][WEIGHTS];
	double magnitude[WSI_WAVELET_ROWS][POINTS];
} wavelets;

typedef struct placed {
	double frequency;
	size_t number;
} placed;

static int
falling(const void *a, const void *b)
{
	const placed *x = a, *y = b;
	if (x->frequency != y->frequency)
		return x->frequency > y->frequency ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Those that are drawn: the highest, the lowest, and evenly between them. */
static ws_status
choose(wavelets *w, const cli_outcome *o, cli_drawn *d)
{
	w->of = wsi_run_wavelets(o->run);
	w->n = w->of < WSI_WAVELET_ROWS ? w->of : WSI_WAVELET_ROWS;
	placed *all = CLI_DRAWN_NEW(d, w->of, placed);
	WSI_TRY(cli_drawn_check(d));
	for (size_t i = 0; i < w->of; i++) {
		all[i] = (placed){ wsi_run_wavelet_of(o->run, i).frequency, i };
	}
	qsort(all, w->of, sizeof *all, falling);
	for (size_t i = 0; i < w->n; i++)
		w->drawn[i].number = all[w->n > 1 ? i * (w->of - 1) / (w->n - 1) : 0].number + 1;
	return WS_OK;
}

static void
measure(wavelets *w, size_t i, const cli_outcome *o)
{
	wsi_wavelet_drawn *d = &w->drawn[i];
	const size_t f = d->number - 1;
	const double fs = o->in->fs;
	const wsi_run_wavelet of = wsi_run_wavelet_of(o->run, f);
	d->frequency = of.frequency;
	d->width_time = of.width_time;
	d->width_frequency = of.width_frequency;
	d->shaded = of.shaded;
	/* Numbers of samples are exact up to there; longer wavelets are cut. */
	const double reach = fmin(fmax(ceil(WIDTHS * d->width_time * fs), 4), 1e15);
	const int64_t step = (int64_t)ceil(reach / (WEIGHTS / 2 - 1));
	const int64_t side = (int64_t)ceil(reach / (double)step);
	d->step = (double)step;
	d->first = -(double)(side * step);
	d->n = (size_t)(2 * side + 1);
	wsi_run_wavelet_weights(o->run, f, -side * step, step, d->n, w->re[i], w->im[i]);
	/* As much as numbers tell apart, at least. */
	const double beside = fmax(WIDTHS * d->width_frequency, 1e-9 * d->frequency);
	d->low = fmax(d->frequency - beside, 0);
	d->high = fmin(d->frequency + beside, 0.5 * fs);
	for (size_t k = 0; k < POINTS; k++) {
		const double hz = d->low + (d->high - d->low) * (double)k / (POINTS - 1);
		/* Half the rate itself is both halves of a tone at once. */
		w->magnitude[i][k] = wsi_run_wavelet_tone(o->run, f,
		                                          fmin(hz, 0.5 * fs * (1 - 1e-9)));
	}
	d->points = POINTS;
	d->re = w->re[i];
	d->im = w->im[i];
	d->magnitude = w->magnitude[i];
}

static ws_status
draw(void *state, const cli_outcome *o, cli_drawn *d, wsi_plot_data *of, wsi_sheet *sheet)
{
	wavelets *w = CLI_DRAWN_NEW(d, 1, wavelets);
	(void)state;
	WSI_TRY(cli_drawn_check(d));
	WSI_TRY(choose(w, o, d));
	for (size_t i = 0; i < w->n; i++)
		measure(w, i, o);
	const wsi_wavelet_figure figure = { .of = of, .n = w->n, .all = w->of,
		.wavelets = w->drawn };
	return wsi_plot_wavelets(&figure, sheet);
}

const cli_picture cli_picture_wavelets = {
	.figure = FIGURE_WAVELETS, .title = "Wavelets", .draw = draw,
};
