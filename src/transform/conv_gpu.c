/* conv_gpu.c - see conv_gpu.h. */
#include "transform/conv_gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/status.h"

/* ---- Methods ------------------------------------------------------------------------------ */

/* Picoseconds in f64; f32 takes half of that. */
#define TAP_COST 0.075          /* a tap at an output, direct */
#define STORE_COST 3.0          /* an output, direct */
#define POINT_COST 12.0         /* a point of a product, turned back and written */
#define LONG_POINT_COST 20.0    /* of transforms beyond LONG points, which take two passes */
#define LONG 8192
/* Seconds that transforms take besides, all masks together: some ten launches more. */
#define TRANSFORMS_COST 60e-6

static double
seconds_of(const wsi_conv_extent *e, size_t length, ws_conv_method method)
{
	const double parts = e->complex ? 2.0 : 1.0, unit = e->type == WS_F32 ? 0.5e-12 : 1e-12;
	const int64_t last = e->first + (int64_t)(e->outputs - 1) * e->every;
	const int64_t end = (int64_t)e->n - e->first;
	int64_t d0 = -(int64_t)(length / 2), d1 = d0 + (int64_t)length;
	d0 = d0 > -last ? d0 : -last;
	d1 = d1 < end ? d1 : end;
	if (d1 <= d0)
		return 0.0;
	if (method == WS_CONV_DIRECT)
		return unit * parts * (double)e->outputs * (TAP_COST * (double)(d1 - d0) +
		                                            STORE_COST);
	/* As src/cuda/conv/spectra.cu cuts it. */
	const size_t reach = (size_t)(-d0 > d1 ? -d0 : d1);
	const size_t span = (e->outputs - 1) * (size_t)e->every + 1;
	size_t width = 64;
	while (width < 2 * reach)
		width *= 2;
	const size_t all = span + width - 1, each = 4 * width > 4096 ? 4 * width : 4096;
	const size_t points = method == WS_CONV_FFT || all <= each ? all : each;
	const size_t block = points - width + 1, units = (span + block - 1) / block;
	const double cost = points > LONG ? LONG_POINT_COST : POINT_COST;
	return unit * parts * cost * (double)points * ((double)units + 1.0);
}

double
wsi_conv_gpu_choose(const wsi_conv_extent *e, const ws_masks *m, ws_conv_method forced,
                    uint8_t *method)
{
	double direct = 0.0, best = TRANSFORMS_COST;
	for (size_t i = 0; i < m->count; ++i) {
		double least = HUGE_VAL;
		for (int k = WS_CONV_DIRECT; k <= WS_CONV_OVERLAP_SAVE; ++k) {
			const double seconds = seconds_of(e, m->lengths[i], (ws_conv_method)k);
			if (forced && k != (int)forced)
				continue;
			if (seconds < least) {
				least = seconds;
				method[i] = (uint8_t)k;
			}
			direct += k == WS_CONV_DIRECT ? seconds : 0.0;
		}
		best += least;
	}
	if (forced && forced != WS_CONV_DIRECT)
		return best;
	if (direct <= best)
		memset(method, WS_CONV_DIRECT, m->count);
	return direct <= best ? direct : best;
}

/* ---- The job ------------------------------------------------------------------------------- */

/* Lines of the bank, in its order; returns the values that it has. */
static size_t
add_direct(wsi_conv_gpu_job *job, wsi_conv_line *lines, const wsi_conv_bank *bank,
           const ws_masks *m)
{
	size_t values = 0;
	for (size_t i = 0; i < bank->groups; ++i) {
		const wsi_conv_group *g = &bank->group[i];
		for (int r = 0; r < g->rows; ++r) {
			const size_t length = m->lengths[g->mask[r]];
			const int64_t d0 = -(int64_t)(length / 2);
			lines[job->direct++] = (wsi_conv_line){
				.taps = g->taps + (size_t)(d0 - g->d0) * (size_t)g->rows +
				        (size_t)r,
				.d0 = (int32_t)d0, .d1 = (int32_t)(d0 + (int64_t)length),
				.mask = g->mask[r], .part = g->part[r],
				.step = (uint8_t)g->rows, .method = WS_CONV_DIRECT };
		}
		values += (size_t)(g->d1 - g->d0) * (size_t)g->rows;
	}
	return values;
}

static size_t
add_others(wsi_conv_gpu_job *job, wsi_conv_line *lines, const wsi_conv_plan *plan)
{
	size_t values = 0;
	for (size_t i = 0; i < plan->spectra.rows; ++i) {
		const wsi_conv_row *r = &plan->spectra.row[i];
		const size_t taps = (size_t)(r->d1 - r->d0);
		for (uint8_t part = 0; part < (plan->complex ? 2 : 1); ++part)
			lines[job->direct + job->others++] = (wsi_conv_line){
				.taps = r->taps + part * taps, .d0 = (int32_t)r->d0,
				.d1 = (int32_t)r->d1, .mask = r->mask, .part = part, .step = 1,
				.method = plan->method[r->mask] };
		values += taps * (plan->complex ? 2 : 1);
	}
	return values;
}

ws_status
wsi_conv_gpu_make(wsi_conv_plan *plan, const ws_masks *m)
{
	const ws_plan *base = &plan->base;
	wsi_conv_line *lines = malloc(m->count * (plan->complex ? 2 : 1) * sizeof *lines);
	if (!lines)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu masks", m->count);
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	plan->lines = lines;
	plan->gpu = (wsi_conv_gpu_job){
		.sums = plan->bank.type, .samples = base->shape.type, .complex = plan->complex,
		.carried = plan->o.sums == WS_SUMS_COMPENSATED,
		.channels = base->shape.channels, .n = base->shape.samples,
		.first = plan->conv.first, .every = plan->conv.every,
		.outputs = plan->conv.outputs, .masks = m->count,
		.made = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec,
		.array = plan->complex ? WS_CONV_COMPLEX : WS_CONV_RESPONSES, .lines = lines,
		.direct_values = plan->bank.values, .other_values = plan->spectra.values };
	plan->gpu.n_direct_values = add_direct(&plan->gpu, lines, &plan->bank, m);
	plan->gpu.n_other_values = add_others(&plan->gpu, lines, plan);
	return WS_OK;
}
