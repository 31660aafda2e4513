/* gpu.c - convolution on a GPU: the plan as its library gets it. */
#include "transform/conv/gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "transform/on_gpu.h"

/* ---- Methods ------------------------------------------------------------------------------ */

/* What takes how long on an H200, in picoseconds, f64 and f32. */
typedef struct costs {
	double tap, store;      /* of an output, direct: a tap, and the rest */
	double chain;           /* of the longest direct mask, a tap up to CHAIN: others wait for
	                           it */
	double point; /* of a transform of WSI_CONV_FUSED points, in one kernel with all else */
	double middle, large;   /* of others, which take several kernels: up to MIDDLE points */
	double once, class;     /* of any transforms, and of each width of masks: launches */
} costs;

static const costs costs_of[2] = {
	[WS_F64] = { 0.065, 4.5, 5e4, 12.5, 45.0, 70.0, 35e6, 19e6 },
	[WS_F32] = { 0.049, 3.3, 2e4, 3.9, 20.0, 36.0, 0, 24e6 },
};

/* Longer masks are cut into branches. */
#define CHAIN 1024.0
#define MIDDLE 65536

/* Picoseconds of a mask; *class: a number of those that share launches, 0: none; *taps: those that
 * meet samples. */
static double
cost_of(const wsi_conv_extent *e, size_t length, ws_conv_method method, int *class, double *taps)
{
	const costs *c = &costs_of[e->type];
	const double parts = e->complex ? 2.0 : 1.0;
	const int64_t last = e->first + (int64_t)(e->outputs - 1) * e->every;
	const int64_t end = (int64_t)e->n - e->first;
	int64_t d0 = -(int64_t)(length / 2), d1 = d0 + (int64_t)length;
	d0 = d0 > -last ? d0 : -last;
	d1 = d1 < end ? d1 : end;
	*class = 0;
	*taps = d1 > d0 ? (double)(d1 - d0) : 0.0;
	if (method == WS_CONV_DIRECT || d1 <= d0)
		return parts * (double)e->outputs * (c->store + c->tap * *taps);
	/* As src/cuda/conv cuts it. */
	const size_t reach = (size_t)(-d0 > d1 ? -d0 : d1);
	const size_t span = (e->outputs - 1) * (size_t)e->every + 1;
	size_t width = WSI_CONV_LEAST_WIDTH, points = WSI_CONV_FUSED;
	for (*class = method == WS_CONV_FFT ? 1 : 33; width < 2 * reach; width *= 2)
		++*class;
	const size_t all = span + width - 1;
	const bool fused = method == WS_CONV_OVERLAP_SAVE && 2 * width <= WSI_CONV_FUSED &&
	                   2 * all > WSI_CONV_FUSED;
	if (!fused)
		points = method == WS_CONV_FFT || all <= 4 * width ? all : 4 * width;
	const size_t block = points - width + 1, units = (span + block - 1) / block;
	if (fused)
		return parts * (double)points * ((double)units + 1.0) * c->point;
	return parts * (double)points * (double)units * (points > MIDDLE ? c->large : c->middle);
}

/* The larger of both. */
static double
larger(double a, double b)
{
	return a > b ? a : b;
}

double
wsi_conv_gpu_choose(const wsi_conv_extent *e, const ws_masks *m, ws_conv_method forced,
                    uint8_t *method)
{
	const costs *c = &costs_of[e->type];
	double direct = 0.0, best = 0.0, longest = 0.0, longest_direct = 0.0, taps;
	uint64_t classes = 0;
	for (size_t i = 0; i < m->count; ++i) {
		double least = HUGE_VAL;
		int class = 0;
		for (int k = WS_CONV_DIRECT; k <= WS_CONV_OVERLAP_SAVE; ++k) {
			int of;
			const double cost = cost_of(e, m->lengths[i], (ws_conv_method)k, &of,
			                            &taps);
			direct += k == WS_CONV_DIRECT ? cost : 0.0;
			if ((forced && k != (int)forced) || cost >= least)
				continue;
			least = cost;
			class = of;
			method[i] = (uint8_t)k;
		}
		best += least;
		longest = larger(longest, taps);
		if (method[i] == WS_CONV_DIRECT)
			longest_direct = larger(longest_direct, taps);
		classes |= class ? UINT64_C(1) << (class - 1) : 0;
	}
	direct += c->chain * (longest < CHAIN ? longest : CHAIN);
	best += c->chain * (longest_direct < CHAIN ? longest_direct : CHAIN);
	best += classes ? c->once : 0.0;
	for (; classes; classes &= classes - 1)
		best += c->class;
	if (forced > WS_CONV_DIRECT || best < direct)
		return 1e-12 * best;
	memset(method, WS_CONV_DIRECT, m->count);
	return 1e-12 * direct;
}

/* ---- The job ------------------------------------------------------------------------------- */

/* Lines of the bank, in its order. */
static void
add_direct(wsi_conv_job *job, wsi_conv_line *lines, const wsi_conv_bank *bank,
           const ws_masks *m)
{
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
	}
}

static void
add_others(wsi_conv_job *job, wsi_conv_line *lines, const wsi_conv_plan *plan)
{
	for (size_t i = 0; i < plan->spectra.rows; ++i) {
		const wsi_conv_row *r = &plan->spectra.row[i];
		const size_t taps = (size_t)(r->d1 - r->d0);
		for (uint8_t part = 0; part < (plan->complex ? 2 : 1); ++part)
			lines[job->direct + job->others++] = (wsi_conv_line){
				.taps = r->taps + part * taps, .d0 = (int32_t)r->d0,
				.d1 = (int32_t)r->d1, .mask = r->mask, .part = part, .step = 1,
				.method = plan->method[r->mask] };
	}
}

static int
shorter(const void *left, const void *right)
{
	const wsi_conv_line *a = left, *b = right;
	const int32_t m = a->d1 - a->d0, n = b->d1 - b->d0;
	if (m != n)
		return m < n ? -1 : 1;
	if (a->mask != b->mask)
		return a->mask < b->mask ? -1 : 1;
	return (int)a->part - (int)b->part;
}

/* Lines of masks that the device makes. */
static void
add_made(wsi_conv_job *job, wsi_conv_line *lines, const wsi_conv_plan *plan, const ws_masks *m,
         const wsi_conv_extent *e)
{
	const int parts = plan->complex ? 2 : 1;
	for (size_t i = 0; i < m->count; ++i)
		if (plan->method[i] == WS_CONV_DIRECT)
			job->direct += (size_t)parts;
	size_t direct = 0;
	for (size_t i = 0; i < m->count; ++i)
		for (int part = 0; part < parts; ++part) {
			int64_t d0 = -(int64_t)(m->lengths[i] / 2);
			int64_t d1 = d0 + (int64_t)m->lengths[i];
			const bool others = plan->method[i] != WS_CONV_DIRECT;
			if (others)
				wsi_conv_offsets(e, m->lengths[i], &d0, &d1);
			lines[others ? job->direct + job->others++ : direct++] = (wsi_conv_line){
				.d0 = (int32_t)d0, .d1 = (int32_t)d1, .mask = (uint32_t)i,
				.part = (uint8_t)part, .step = 1, .method = plan->method[i] };
		}
	qsort(lines, job->direct, sizeof *lines, shorter);
}

ws_status
wsi_conv_gpu_make(wsi_conv_plan *plan, const ws_masks *m, const wsi_conv_extent *e)
{
	const ws_plan *base = &plan->base;
	wsi_conv_line *lines = wsi_kept_new(&plan->base.kept, m->count * (plan->complex ? 2 : 1),
	                                    sizeof *lines);
	if (!lines)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu masks", m->count);
	plan->gpu = (wsi_conv_job){
		.sums = plan->bank.type, .samples = base->shape.type, .complex = plan->complex,
		.carried = plan->o.sums == WS_SUMS_COMPENSATED,
		.channels = base->shape.channels, .n = plan->conv.n,
		.first = plan->conv.first, .every = plan->conv.every,
		.outputs = plan->conv.outputs, .masks = m->count,
		.made = wsi_gpu_job_number(),
		.array = WS_CONV_RESPONSES, .lines = lines,
		.accumulators = plan->o.accumulators, .narrow = plan->o.narrow,
		.exponents = plan->exponents,
		.forms = plan->forms, .rounding = plan->o.mask_rounding, .seed = plan->o.seed,
		.flip = plan->o.flip,
		.over = { .factor = plan->o.oversample, .model = plan->over.model,
		          .n = plan->over.n, .kernel = plan->over.kernel, .taps = plan->over.taps,
		          .lead = plan->over.lead } };
	if (plan->forms) {
		add_made(&plan->gpu, lines, plan, m, e);
		return WS_OK;
	}
	add_direct(&plan->gpu, lines, &plan->bank, m);
	add_others(&plan->gpu, lines, plan);
	return WS_OK;
}
