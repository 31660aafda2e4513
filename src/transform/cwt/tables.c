/* tables.c - the tables of a plan of frequencies: made, counted, freed. */
#include <stdlib.h>

#include "base/new.h"
#include "math/padding.h"
#include "transform/cwt/cwt.h"
#include "transform/cwt/edge.h"
#include "transform/cwt/far.h"
#include "transform/cwt/maker.h"
#include "transform/cwt/ways.h"

static ws_status
make_taps(wsi_cwt *cwt, wsi_progress *progress)
{
	const wsi_cwt_reference *reference = wsi_cwt_reference_row((int)cwt->o.reference);
	size_t total = 0;
	for (size_t i = 0; i < cwt->count; ++i)
		total += 2 * cwt->scale[i].tap_count;
	if (total == 0 || cwt->tap_store)
		return WS_OK;
	double *taps = cwt->tap_store = malloc(total * sizeof *taps);
	if (!taps)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu taps", total);
	for (size_t i = 0; i < cwt->count; ++i) {
		wsi_cwt_scale *scale = &cwt->scale[i];
		if (!wsi_goes_on(progress, 0))
			return WSI_FAIL(WS_E_CANCELLED, "cancelled");
		scale->taps = taps;
		scale->tap_zero = reference->make_taps(cwt, scale, scale->tap_count, taps,
		                                       taps + scale->tap_count);
		taps += 2 * scale->tap_count;
	}
	return WS_OK;
}

/* How many shares of a padded signal's mirror images the plan keeps. */
static size_t
fades(const wsi_cwt *cwt)
{
	return cwt->o.padding != WS_PADDING_REFLECT || cwt->steps || cwt->length == cwt->samples
	       ? 0 : padding_fades(cwt->length - cwt->samples);
}

static ws_status
make_fade(wsi_cwt *cwt)
{
	const size_t n = fades(cwt), gap = cwt->length - cwt->samples;
	if (n == 0 || cwt->fade)
		return WS_OK;
	WSI_NEW(cwt->fade, n, "no memory for the padding");
	for (size_t i = 0; i < n; ++i)
		cwt->fade[i] = padding_share(gap, padding_fade(gap) + i);
	return WS_OK;
}

static ws_status
fill_far(wsi_cwt *cwt, wsi_progress *progress)
{
	wsi_far_kept kept = { 0 };
	ws_status status = WS_OK;
	for (size_t i = 0; status == WS_OK && i < cwt->count; ++i) {
		if (cwt->scale[i].of != cwt || !cwt->scale[i].far ||
		    cwt->scale[i].response.table)
			continue;
		status = wsi_goes_on(progress, 0)
			? wsi_far_fill(cwt->far, cwt->wide, cwt->length, &cwt->scale[i],
			               &kept)
			: WSI_FAIL(WS_E_CANCELLED, "cancelled");
	}
	wsi_far_free(&kept);
	return status;
}

static ws_status
fill(wsi_cwt *cwt, wsi_progress *progress)
{
	WSI_TRY(wsi_dft_fill(&cwt->dft, progress));
	WSI_TRY(make_taps(cwt, progress));
	WSI_TRY(make_fade(cwt));
	WSI_TRY(wsi_cwt_fill_grids(cwt, progress));
	WSI_TRY(wsi_cwt_kept_fill(cwt));
	if (cwt->edge)
		WSI_TRY(wsi_edge_fill(cwt->edge, progress));
	if (cwt->far)
		WSI_TRY(fill_far(cwt, progress));
	return cwt->near ? fill(cwt->near, progress) : WS_OK;
}

ws_status
wsi_cwt_fill(wsi_cwt *cwt, wsi_progress *progress)
{
	const ws_status status = fill(cwt, progress);
	if (status != WS_OK)
		wsi_cwt_empty(cwt);
	return status;
}

size_t
wsi_cwt_tables(const wsi_cwt *cwt, size_t *making)
{
	size_t bytes = wsi_dft_tables(&cwt->dft, making) + wsi_cwt_grid_tables(cwt) +
	               fades(cwt) * sizeof *cwt->fade + cwt->kept.bytes;
	for (size_t i = 0; i < cwt->count; ++i)
		if (cwt->scale[i].of == cwt)
			bytes += 2 * cwt->scale[i].tap_count * sizeof(double);
	for (size_t i = 0; i < cwt->count; ++i) {
		size_t most;
		if (cwt->scale[i].of != cwt || !cwt->scale[i].far)
			continue;
		bytes += wsi_far_tables(cwt->far, cwt->length, &cwt->scale[i], &most);
		*making = most > *making ? most : *making;
	}
	if (cwt->edge) {
		size_t most;
		bytes += wsi_edge_tables(cwt->edge, &most);
		*making = most > *making ? most : *making;
	}
	if (cwt->near) {
		size_t most;
		bytes += wsi_cwt_tables(cwt->near, &most);
		*making = most > *making ? most : *making;
	}
	return bytes;
}

void
wsi_cwt_empty_own(wsi_cwt *cwt)
{
	wsi_cwt_empty_grids(cwt);
	wsi_cwt_kept_empty(cwt);
	wsi_dft_empty(&cwt->dft);
	if (cwt->edge)
		wsi_edge_empty(cwt->edge);
	for (size_t i = 0; cwt->scale && i < cwt->count; ++i) {
		if (cwt->scale[i].of != cwt)
			continue;
		free((void *)cwt->scale[i].response.table);
		cwt->scale[i].response.table = NULL;
		cwt->scale[i].taps = NULL;
	}
	free(cwt->tap_store);
	free(cwt->fade);
	cwt->tap_store = cwt->fade = NULL;
}

void
wsi_cwt_empty(wsi_cwt *cwt)
{
	for (wsi_cwt *of = cwt; of; of = of->near)
		wsi_cwt_empty_own(of);
}
