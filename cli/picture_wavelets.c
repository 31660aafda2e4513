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

static ws_status
no_memory(const cli_outcome *o)
{
	return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory for the figure", o->args->plot);
}

/* Those that are drawn: the highest, the lowest, and evenly between them. */
static ws_status
choose(wavelets *w, const cli_outcome *o)
{
	w->of = wsi_run_wavelets(o->run);
	w->n = w->of < WSI_WAVELET_ROWS ? w->of : WSI_WAVELET_ROWS;
	placed *all = calloc(w->of, sizeof *all);
	if (!all)
		return no_memory(o);
	for (size_t i = 0; i < w->of; i++) {
		all[i] = (placed){ wsi_run_wavelet_of(o->run, i).frequency, i };
	}
	qsort(all, w->of, sizeof *all, falling);
	for (size_t i = 0; i < w->n; i++)
		w->drawn[i].number = all[w->n > 1 ? i * (w->of - 1) / (w->n - 1) : 0].number + 1;
	free(all);
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
draw(void *state, const cli_outcome *o, const wsi_provenance *p)
{
	const wsi_input *in = o->in;
	char title[512], subtitle[320];
	(void)state;
	wavelets *w = calloc(1, sizeof *w);
	ws_status status = w ? choose(w, o) : no_memory(o);
	for (size_t i = 0; status == WS_OK && i < w->n; i++)
		measure(w, i, o);
	if (status == WS_OK) {
		const wsi_frequency_unit unit = wsi_axis_frequency_unit(in->fs, in->fs_known,
		                                                        in->samples);
		const wsi_wavelet_figure figure = {
			.title = cli_outcome_title(o, p, "Wavelets", title),
			.subtitle = cli_picture_subtitle(p->options, unit, 0, subtitle),
			.n = w->n, .of = w->of, .wavelets = w->drawn,
			.samples = in->samples, .fs = in->fs, .fs_known = in->fs_known,
		};
		status = wsi_plot_wavelets(&figure, o->args->plot);
	}
	free(w);
	return status;
}

const cli_picture cli_picture_wavelets = { .figure = FIGURE_WAVELETS, .draw = draw };
