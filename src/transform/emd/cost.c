/*
 * cost.c - what a decomposition is expected to take.
 *
 * Constants lie between those of the machines that were measured (bench/emd, docs/performance.md),
 * which differ by up to three times: programs that tell people what to expect measure the machine
 * at hand (cli/estimate.c).
 */
#include <math.h>
#include <string.h>

#include "transform/emd/emd.h"

/* ns of a sample and sift on one core, where extrema are far apart. */
static const struct cost {
	const char *isa;
	double ns[2];           /* by ws_type */
} costs[] = {
	{ "avx512", { 0.8, 0.54 } },
	{ "avx2", { 1.1, 0.68 } },
	{ "neon", { 1.7, 1.35 } },
	{ "plain", { 12.0, 12.0 } },
	{ "ref", { 40.0, 40.0 } },
};

/* The first mode takes so many times that more, each of the others half as much as the one before
 * it. */
#define DENSE 6.0

/* On a GPU: the mean over the modes, and what a mode of the rows worked on together takes however
 * short they are. */
static const double gpu_ns[] = { 2e-2, 8e-3 };
#define GPU_SECONDS_A_MODE 20e-6

/* What rules that adapt take on noisy data, as sifts that all modes take alike; where channels are
 * sifted together. */
#define ADAPTIVE_SIFTS 50
#define ADAPTIVE_SIFTS_JOINT 11

/* Of a mode's sifts, per channel and direction, where channels are sifted together. */
#define JOINT_SHARE 1.7

/* What all wait for: the slowest of the rows that are sifted together, of what one takes on average
 * (of a fixed number of sifts, of a rule); each thread, to begin and to meet the others, s. */
#define TAIL 0.3
#define TAIL_ADAPTIVE 0.7
#define SECONDS_A_THREAD 2e-4
/* Rows for each thread that are sifted together. */
#define TOGETHER 16

static double
ns_of(const wsi_emd_plan *plan)
{
	for (size_t i = 0; i < sizeof costs / sizeof *costs; ++i)
		if (strcmp(costs[i].isa, plan->ops->isa) == 0)
			return costs[i].ns[plan->params.type];
	return costs[0].ns[plan->params.type];
}

/* Seconds of one row on one thread; of a GPU, as far as rows fill it. */
static double
row_seconds(const wsi_emd_plan *plan, double modes)
{
	const ws_emd_opts *o = &plan->params.o;
	const bool joint = o->method == WS_METHOD_MEMD;
	const double likely = joint ? ADAPTIVE_SIFTS_JOINT : ADAPTIVE_SIFTS;
	const double sifts = o->stop_rule == WS_STOP_FIXED ? o->sifts : fmin(o->max_sifts, likely);
	const double each = plan->base.gpu ? modes * gpu_ns[plan->params.type]
		: (modes + 2.0 * DENSE * (1.0 - exp2(-modes))) * ns_of(plan);
	return (double)plan->params.samples * sifts * each * (joint ? JOINT_SHARE : 1.0) * 1e-9;
}

/* Rows of all channels; of MEMD each channel by each direction, where a short row of channels costs
 * a whole vector. */
static double
rows_of(const wsi_emd_plan *plan)
{
	const wsi_params *p = &plan->params;
	const double group = p->type == WS_F64 ? 8.0 : 16.0;
	const double channels = (double)plan->base.shape.channels;
	if (p->o.method == WS_METHOD_EMD)
		return channels;
	if (p->o.method != WS_METHOD_MEMD)
		return channels * p->o.realizations;
	return channels / (double)(p->together - (size_t)p->o.noise_channels) *
	       ceil((double)p->together / group) * group * p->o.directions;
}

/* Rows of noise that are decomposed beside them. */
static double
noise_rows(const wsi_emd_plan *plan)
{
	const ws_emd_opts *o = &plan->params.o;
	if (o->method != WS_METHOD_CEEMDAN && o->method != WS_METHOD_ICEEMDAN)
		return 0.0;
	return o->realizations * (o->channel_noise == WS_NOISE_SHARED
	                          ? 1.0 : (double)plan->base.shape.channels);
}

/* Seconds that threads wait for each other. */
static double
waits(const wsi_emd_plan *plan, double rows, double noises, double one)
{
	const ws_emd_opts *o = &plan->params.o;
	const double threads = plan->base.threads, at_once = TOGETHER * threads;
	const double tail = o->stop_rule == WS_STOP_FIXED ? TAIL : TAIL_ADAPTIVE;
	if (threads < 2.0)
		return 0.0;
	if (o->method == WS_METHOD_MEMD || (o->method == WS_METHOD_EMD && plan->within))
		return threads * SECONDS_A_THREAD;
	return threads * SECONDS_A_THREAD + tail * one * (1.0 - 1.0 / threads) *
	       (ceil(rows / at_once) + ceil(noises / at_once));
}

double
wsi_emd_cost(const wsi_emd_plan *plan)
{
	/* No more modes are likely than there are octaves. */
	const double modes = fmin(plan->params.o.modes, floor(log2((double)plan->params.samples)));
	const double rows = rows_of(plan), noises = noise_rows(plan);
	const double one = row_seconds(plan, modes), seconds = (rows + noises) * one;
	/* How many rows are worked on together is known once memory is measured. */
	if (plan->base.gpu)
		return seconds + (plan->rows ? (rows + noises) / plan->rows : 1.0) * modes *
		                 GPU_SECONDS_A_MODE;
	return wsi_shared_out(seconds, plan->base.threads) + waits(plan, rows, noises, one);
}
