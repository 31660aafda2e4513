/* conv_gpu.c - see conv_gpu.h. */
#include "transform/conv_gpu.h"

#include <stdlib.h>

#include "base/status.h"

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
	plan->lines = lines;
	plan->gpu = (wsi_conv_gpu_job){
		.sums = plan->bank.type, .samples = base->shape.type, .complex = plan->complex,
		.carried = plan->o.sums == WS_SUMS_COMPENSATED,
		.channels = base->shape.channels, .n = base->shape.samples,
		.first = plan->conv.first, .every = plan->conv.every,
		.outputs = plan->conv.outputs, .masks = m->count,
		.array = plan->complex ? WS_CONV_COMPLEX : WS_CONV_RESPONSES, .lines = lines,
		.direct_values = plan->bank.values, .other_values = plan->spectra.values };
	plan->gpu.n_direct_values = add_direct(&plan->gpu, lines, &plan->bank, m);
	plan->gpu.n_other_values = add_others(&plan->gpu, lines, plan);
	return WS_OK;
}
