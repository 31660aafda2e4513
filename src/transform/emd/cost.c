/*
 * cost.c - what a decomposition is expected to take.
 *
 * Constants: ns per sample per sift, mean over the modes of white noise, one
 * core, measured by bench/emd on one machine (docs/performance.md); good for
 * a progress estimate before the first sift, no more.
 */
#include <math.h>
#include <string.h>

#include "transform/emd/emd.h"

static const struct cost {
	const char *isa;
	double ns[2];           /* by ws_type */
} costs[] = {
	{ "avx512", { 1.2, 0.9 } },
	{ "avx2", { 1.7, 1.05 } },
	{ "neon", { 2.5, 2.0 } },
	{ "plain", { 18.0, 18.0 } },
	{ "ref", { 60.0, 60.0 } },
};

/* On a GPU: the same, and what a mode of the rows worked on together takes
 * however short they are. */
static const double gpu_ns[] = { 2e-2, 8e-3 };
#define GPU_SECONDS_A_MODE 20e-6

/* What rules that adapt take on noisy data, on average over the modes: the
 * dense first ones take most. */
#define ADAPTIVE_SIFTS 60

/* Of that, per channel and direction, where channels are sifted together. */
#define JOINT_SHARE 1.2

static double
ns_per_sample_sift(const wsi_emd_plan *plan)
{
	const ws_type type = plan->params.type;
	if (plan->base.gpu)
		return gpu_ns[type];
	for (size_t i = 0; i < sizeof costs / sizeof *costs; ++i)
		if (strcmp(costs[i].isa, plan->ops->isa) == 0)
			return costs[i].ns[type];
	return costs[0].ns[type];
}

double
wsi_emd_cost(const wsi_emd_plan *plan)
{
	const wsi_params *p = &plan->params;
	const ws_emd_opts *o = &p->o;
	double sifts = o->stop_rule == WS_STOP_FIXED          ? o->sifts
	               : o->max_sifts < ADAPTIVE_SIFTS ? o->max_sifts
	                                                 : ADAPTIVE_SIFTS;
	double modes = 0.0;
	for (size_t n = p->samples; n > 1; n /= 2)
		modes += 1.0;
	modes = o->modes < modes ? o->modes : modes;
	double rows = (double)plan->base.shape.channels;
	if (o->method == WS_METHOD_MEMD) {
		/* Each channel by each direction; a short row of channels costs a whole vector. */
		const double group = p->type == WS_F64 ? 8.0 : 16.0;
		const double lanes = ceil((double)p->together / group) * group;
		rows = rows / (double)(p->together - (size_t)o->noise_channels) * lanes *
		       o->directions;
		return rows * (double)p->samples * modes * sifts * JOINT_SHARE *
		       ns_per_sample_sift(plan) * 1e-9 / plan->base.threads;
	}
	if (o->method != WS_METHOD_EMD)
		rows *= o->realizations;
	if (o->method == WS_METHOD_CEEMDAN || o->method == WS_METHOD_ICEEMDAN) {
		double noises = o->channel_noise == WS_NOISE_SHARED ? 1.0
			: (double)plan->base.shape.channels;
		rows *= 1.0 + noises / (double)plan->base.shape.channels;
	}
	double seconds = rows * (double)p->samples * modes * sifts * ns_per_sample_sift(plan) *
	                 1e-9;
	/* How many rows are worked on together is known once memory is measured. */
	if (plan->base.gpu)
		return seconds + (plan->rows ? rows / plan->rows : 1.0) * modes *
		                 GPU_SECONDS_A_MODE;
	return seconds / plan->base.threads;
}
