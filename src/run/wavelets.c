/* wavelets.c - the wavelets of a run, one a frequency, as its plan has them; for pictures. */
#include "run/wavelets.h"

#include "run/blocks.h"
#include "transform/cwt/family.h"

/* All plans of a run have the same. */
static const wsi_cwt *
cwt_of(const ws_run *run)
{
	return wsi_cwt_of_rows(run->lanes[0].plan);
}

size_t
wsi_run_wavelets(const ws_run *run)
{
	const wsi_cwt *cwt = cwt_of(run);
	return cwt ? cwt->count : 0;
}

wsi_run_wavelet
wsi_run_wavelet_of(const ws_run *run, size_t f)
{
	const wsi_cwt *cwt = cwt_of(run);
	const wsi_cwt_scale *s = &cwt->scale[f];
	return (wsi_run_wavelet){ s->frequency, s->width_time, s->width_frequency,
		2.0 * s->cone >= (double)cwt->samples / cwt->fs };
}

void
wsi_run_wavelet_weights(const ws_run *run, size_t f, int64_t first, int64_t step, size_t count,
                        double *re, double *im)
{
	wsi_cwt_weights(cwt_of(run), f, first, step, count, re, im);
}

double
wsi_run_wavelet_tone(const ws_run *run, size_t f, double hz)
{
	return wsi_cwt_tone(cwt_of(run), f, hz);
}
