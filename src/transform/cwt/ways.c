/* ways.c - a way chosen for each frequency, and the grids of those that take one. */
#include "transform/cwt/ways.h"

#include <math.h>
#include <stdlib.h>

#include "base/element.h"
#include "base/fused.h"
#include "base/status.h"
#include "math/kaiser.h"

/* ---- Choice -------------------------------------------------------------------------- */

/* So many numbers of a table are made before the caller is asked again whether to go on. */
#define ASK ((size_t)1 << 16)

/* Points of the grid by bins of the band. */
static double
window_over(const wsi_cwt_grid *grid, ws_type type)
{
	return grid->taps == WSI_CWT_FEW_TAPS(type == WS_F64 ? 64 : 32) ? 2.0 : 1.25;
}

static size_t
weight_bytes(const wsi_cwt_grid *grid, ws_type type)
{
	return (size_t)grid->taps * (size_t)grid->ratio * wsi_type_size(type);
}

/* Bins first .. end - 1. */
static WSI_IN_BOTH void
flatten(wsi_cwt_grid *grid, double beta, double peak, size_t first, size_t end)
{
	for (size_t q = first; q < end; ++q)
		grid->flatten[q] = kaiser_flatten(grid->taps, beta, peak, q, grid->m);
}

WSI_FUSED static void
flatten_fused(wsi_cwt_grid *grid, double beta, double peak, size_t first, size_t end)
{
	flatten(grid, beta, peak, first, end);
}

static void
flatten_plain(wsi_cwt_grid *grid, double beta, double peak, size_t first, size_t end)
{
	flatten(grid, beta, peak, first, end);
}

/* The Kaiser-Bessel window of grid->taps points, and the reciprocal of its transform. */
static ws_status
make_window(wsi_cwt_grid *grid, ws_type type, wsi_progress *progress)
{
	const int taps = grid->taps;
	const double beta = kaiser_beta(taps, window_over(grid, type)), peak = kaiser_i0(beta);
	const size_t ratio = (size_t)grid->ratio;
	grid->weights = malloc(weight_bytes(grid, type));
	grid->flatten = malloc(grid->reach * sizeof(double));
	if (!grid->weights || !grid->flatten)
		return WSI_FAIL(WS_E_NOMEM, "no memory for the weights of an interpolation");
	for (int j = 0; j < taps; ++j)
		for (size_t p = 0; p < ratio; ++p) {
			const double value = kaiser_weight(taps, beta, peak, j,
			                                   (double)p / (double)ratio);
			wsi_real_put(grid->weights, type, (size_t)j * ratio + p, value);
		}
	for (size_t q = 0; q < grid->reach; q += ASK) {
		const size_t left = grid->reach - q, end = q + (left < ASK ? left : ASK);
		if (!wsi_goes_on(progress, 0))
			return WSI_FAIL(WS_E_CANCELLED, "cancelled");
		(WSI_HAS_FUSED() ? flatten_fused : flatten_plain)(grid, beta, peak, q, end);
	}
	return WS_OK;
}

static ws_status
find_grid(wsi_cwt *cwt, size_t step, int ratio, int taps, int *index)
{
	const size_t m = cwt->length / step / (size_t)ratio;
	for (*index = 0; *index < cwt->grids; ++*index) {
		const wsi_cwt_grid *g = &cwt->grid[*index];
		if (g->ratio == ratio && g->taps == taps && g->m == m)
			return WS_OK;
	}
	wsi_cwt_grid *all = realloc(cwt->grid, ((size_t)cwt->grids + 1) * sizeof *all);
	if (!all)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a grid");
	cwt->grid = all;
	wsi_cwt_grid *grid = &all[cwt->grids++];
	*grid = (wsi_cwt_grid){ .ratio = ratio, .taps = taps, .m = m };
	if (ratio > 1)
		grid->reach = (size_t)(0.5 * (double)m / window_over(grid, cwt->type)) + 2;
	return wsi_fft_create(&grid->fft, cwt->type, grid->m);
}

ws_status
wsi_cwt_choose_ways(wsi_cwt *cwt)
{
	for (size_t i = 0; i < cwt->count; ++i) {
		wsi_cwt_scale *scale = &cwt->scale[i];
		if (scale->of != cwt)
			continue;
		int best = -1, best_ratio = 0, best_taps = 0;
		double least = HUGE_VAL;
		for (int way = 0; way < WSI_CWT_WAYS; ++way) {
			int ratio = 1, taps = 0;
			if (!wsi_cwt_ways[way].fits(cwt, scale, &ratio, &taps))
				continue;
			const double cost = wsi_cwt_ways[way].cost(cwt, scale, ratio, taps);
			if (cost < least) {
				least = cost;
				best = way;
				best_ratio = ratio;
				best_taps = taps;
			}
		}
		if (best < 0)
			return WSI_FAIL(WS_E_INTERNAL, "no way to compute %g Hz", scale->frequency);
		scale->way = best;
		scale->cost = wsi_cwt_scale_cost(cwt, scale, best_ratio, best_taps);
		cwt->seconds += wsi_cwt_scale_seconds(cwt, scale, best_ratio, best_taps);
		cwt->responses += wsi_cwt_response_seconds(scale);
		WSI_TRY(best < WSI_CWT_IN_DOUBLE
		        ? find_grid(cwt, scale->step, best_ratio, best_taps, &scale->grid)
		        : wsi_dft_add_inverse(&cwt->dft));
	}
	cwt->forward = 1e-9 * wsi_cwt_forward_cost(cwt);
	cwt->seconds += cwt->forward;
	return WS_OK;
}

/* ---- Tables -------------------------------------------------------------------------- */

ws_status
wsi_cwt_fill_grids(wsi_cwt *cwt, wsi_progress *progress)
{
	for (int g = 0; g < cwt->grids; ++g) {
		wsi_cwt_grid *grid = &cwt->grid[g];
		WSI_TRY(wsi_fft_fill(grid->fft, progress));
		if (grid->ratio > 1 && !grid->flatten)
			WSI_TRY(make_window(grid, cwt->type, progress));
	}
	return WS_OK;
}

size_t
wsi_cwt_grid_tables(const wsi_cwt *cwt)
{
	size_t bytes = 0;
	for (int g = 0; g < cwt->grids; ++g) {
		const wsi_cwt_grid *grid = &cwt->grid[g];
		bytes += wsi_fft_tables(grid->fft);
		if (grid->ratio > 1)
			bytes += weight_bytes(grid, cwt->type) + grid->reach * sizeof(double);
	}
	return bytes;
}

void
wsi_cwt_empty_grids(wsi_cwt *cwt)
{
	for (int g = 0; g < cwt->grids; ++g) {
		wsi_fft_empty(cwt->grid[g].fft);
		free(cwt->grid[g].weights);
		free(cwt->grid[g].flatten);
		cwt->grid[g].weights = NULL;
		cwt->grid[g].flatten = NULL;
	}
}

void
wsi_cwt_free_grids(wsi_cwt *cwt)
{
	wsi_cwt_empty_grids(cwt);
	for (int g = 0; g < cwt->grids; ++g)
		wsi_fft_destroy(cwt->grid[g].fft);
	free(cwt->grid);
}
