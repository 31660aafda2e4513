/*
 * plan.c - the plan of a convolution: which outputs there are, by which method each mask is taken,
 * its masks, and the tables that are made of these.
 */
#include "transform/conv/conv.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "base/status.h"
#include "transform/conv/gpu.h"
#include "transform/conv/scales.h"

/* ---- Outputs and methods ---------------------------------------------------------------- */

/* The outputs: math/conv.h's offsets of the longest mask are -longest / 2 .. */
static ws_status
resolve_outputs(wsi_conv_plan *plan)
{
	const int64_t n = (int64_t)plan->conv.n, longest = (int64_t)plan->longest;
	const int64_t before = longest / 2, after = longest - 1 - before;
	int64_t first = 0, last = n - 1;
	if (plan->o.extent == WS_EXTENT_FULL) {
		first = -after;
		last = n - 1 + before;
	} else if (plan->o.extent == WS_EXTENT_VALID) {
		if (longest > n)
			return WSI_FAIL(WS_E_ARG, "a mask of %zu taps does not lie within %zu "
			                "samples: leave it out, or take all responses (`extent "
			                "same`)", plan->longest, plan->conv.n);
		first = before;
		last = n - 1 - after;
	}
	plan->conv.first = first;
	plan->conv.every = plan->o.decimate;
	plan->conv.outputs = (size_t)((last - first) / plan->o.decimate + 1);
	return WS_OK;
}

/* The method of each mask, and the seconds that all take on one thread. */
static ws_status
choose_methods(wsi_conv_plan *plan, const ws_masks *m, const wsi_conv_extent *e)
{
	double seconds = 0.0;
	plan->method = wsi_kept_new(&plan->base.kept, m->count, 1);
	if (!plan->method)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu masks", m->count);
	if (plan->base.gpu) {
		plan->base.seconds = (double)plan->base.shape.channels *
			wsi_conv_gpu_choose(e, m, plan->o.method, plan->method);
		for (size_t i = 0; i < m->count; ++i)
			plan->of_method[plan->method[i]]++;
		return WS_OK;
	}
	for (size_t i = 0; i < m->count; ++i) {
		const ws_conv_method method = wsi_conv_choose(e, m->lengths[i], plan->o.method);
		plan->method[i] = (uint8_t)method;
		plan->of_method[method]++;
		seconds += wsi_conv_seconds(e, m->lengths[i], method) *
			wsi_conv_slowness(plan->base.isa, method, plan->o.sums,
			                  plan->o.accumulators);
	}
	plan->base.seconds = seconds * (double)plan->base.shape.channels;
	return WS_OK;
}

/* Where it matters how large the taps of each mask are. */
static ws_status
make_room_for_sizes(wsi_conv_plan *plan, const ws_masks *m)
{
	if (plan->o.accumulators == 1 && !plan->o.narrow)
		return WS_OK;
	wsi_kept *kept = &plan->base.kept;
	plan->exponents = wsi_kept_new(kept, m->count, sizeof *plan->exponents);
	plan->largest = wsi_kept_new(kept, m->count, sizeof *plan->largest);
	return !kept->failed ? WS_OK :
		WSI_FAIL(WS_E_NOMEM, "no memory for %zu masks", m->count);
}

static wsi_conv_extent
extent_of(const wsi_conv_plan *plan)
{
	return (wsi_conv_extent){ plan->conv.n, plan->conv.first, plan->conv.every,
		plan->conv.outputs, plan->complex, plan->bank.type };
}

static wsi_conv_shaping
shaping_of(const wsi_conv_plan *plan)
{
	return (wsi_conv_shaping){ .type = plan->bank.type, .rounded = plan->base.shape.type,
		.rounding = plan->o.mask_rounding, .seed = plan->o.seed, .flip = plan->o.flip,
		.part = plan->base.part, .method = plan->method, .narrow = plan->o.narrow,
		.exponent = plan->exponents };
}

/* All but values.  m: their lengths were checked. */
static ws_status
lay_out_masks(wsi_conv_plan *plan, const ws_masks *m)
{
	const bool wide = plan->base.shape.type == WS_F64 || plan->o.sums == WS_SUMS_F64;
	plan->complex = wsi_masks_complex(m);
	plan->masks = m->count;
	plan->shortest = plan->longest = m->lengths[0];
	for (size_t i = 1; i < m->count; ++i) {
		plan->shortest = m->lengths[i] < plan->shortest ? m->lengths[i] : plan->shortest;
		plan->longest = m->lengths[i] > plan->longest ? m->lengths[i] : plan->longest;
	}
	WSI_TRY(resolve_outputs(plan));
	plan->bank.type = wide ? WS_F64 : WS_F32;
	const wsi_conv_extent e = extent_of(plan);
	WSI_TRY(choose_methods(plan, m, &e));
	WSI_TRY(make_room_for_sizes(plan, m));
	if (!plan->forms) {
		const wsi_conv_shaping shaping = shaping_of(plan);
		WSI_TRY(wsi_conv_bank_lay_out(&plan->bank, m, &shaping));
		WSI_TRY(wsi_conv_spectra_lay_out(&plan->spectra, m, &shaping, &e));
	}
	if (plan->base.gpu)
		WSI_TRY(wsi_conv_gpu_make(plan, m, &e));
	if (!m->scales)
		return WS_OK;
	plan->scales = wsi_kept_new(&plan->base.kept, m->count, sizeof *plan->scales);
	if (!plan->scales)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu masks", m->count);
	memcpy(plan->scales, m->scales, m->count * sizeof *plan->scales);
	return WS_OK;
}

/* Does the GPU make the masks?  Then plan->forms is there. */
static ws_status
leave_to_gpu(wsi_conv_plan *plan, const ws_masks *made)
{
	const double most = plan->base.shape.type == WS_F32 ? 1e38 : 1e300;
	/* Where it matters how large taps are, they must be there. */
	if (!plan->base.gpu || !plan->o.mask_formula || plan->o.accumulators > 1 || plan->o.narrow)
		return WS_OK;
	WSI_TRY(wsi_masks_forms(&plan->forms, made));
	for (size_t i = 0; i < made->count; ++i) {
		/* No tap is above s^-1/2 times the factor. */
		const wsi_conv_form *f = &plan->forms[i];
		if (fabs(f->factor) * sqrt(f->mask.denominator / f->mask.numerator) < most)
			continue;
		free(plan->forms);
		plan->forms = NULL;
		return WS_OK;
	}
	return WS_OK;
}

/* What functions and lists of the caller told, in text of the plan's own. */
static ws_status
keep_errors(wsi_conv_plan *plan, const ws_masks *made)
{
	ws_conv_opts *o = &plan->o;
	for (int kind = 0; kind < WS_ERRORS; ++kind) {
		if (!o->error_function[kind] && !o->error_values[kind])
			continue;
		plan->error_values[kind] = wsi_masks_error_text(made, kind);
		if (!plan->error_values[kind])
			return WSI_FAIL(WS_E_NOMEM, "no memory for %zu masks", made->count);
		o->error_function[kind] = NULL;
		o->error_values[kind] = plan->error_values[kind];
	}
	return WS_OK;
}

/* Values are counted before they are laid out, which takes long where there are too many. */
static ws_status
check_memory(const wsi_conv_plan *plan, const ws_masks *m)
{
	const double part = plan->base.shape.type == WS_F64 || plan->o.sums == WS_SUMS_F64 ? 8 : 4;
	double taps = 0;
	for (size_t i = 0; i < m->count; ++i)
		taps += (double)m->lengths[i];
	const double bytes = taps * part * (wsi_masks_complex(m) ? 2 : 1);
	const double most = (double)plan->base.memory;
	if (!plan->base.memory || plan->o.method > WS_CONV_DIRECT || bytes <= most)
		return WS_OK;
	return WSI_FAIL(WS_E_NOMEM, "%zu masks of %.0f taps in all take %.1f MiB and %.1f MiB may "
	                "be used: allow more memory (`memory`), or fewer or smaller scales",
	                m->count, taps, bytes / 1048576.0, most / 1048576.0);
}

static ws_status
resolve_masks(wsi_conv_plan *plan)
{
	ws_masks given;
	if (plan->o.masks) {
		WSI_TRY(WSI_SIZED_COPY(ws_masks, &given, frequencies, plan->o.masks));
		WSI_TRY(wsi_masks_check_lengths(&given));
		plan->o.masks = &given;
	}
	plan->makers = plan->base.threads;
	ws_status status = wsi_masks_lay_out(&plan->made, &plan->o, plan->fs);
	if (status == WS_OK && !plan->o.masks)
		status = leave_to_gpu(plan, plan->made);
	if (status == WS_OK && !plan->forms && !plan->o.masks)
		status = check_memory(plan, plan->made);
	plan->given = plan->o.masks != NULL;
	plan->o.masks = NULL; /* borrowed until here, and by keep() */
	if (status == WS_OK)
		status = keep_errors(plan, plan->made);
	return status == WS_OK ? lay_out_masks(plan, plan->made) : status;
}

/* ---- Taps ------------------------------------------------------------------------------- */

typedef struct taker {
	wsi_conv_plan *plan;
	wsi_progress *progress;
} taker;

/* A wsi_masks_user. */
static ws_status
take_taps(void *arg, const wsi_mask_source *source, size_t *bad)
{
	const taker *t = arg;
	wsi_conv_plan *plan = t->plan;
	const wsi_conv_shaping shaping = shaping_of(plan);
	if (plan->exponents)
		WSI_TRY(wsi_conv_exponents(plan->exponents, plan->largest, plan->made, source,
		                           t->progress, bad));
	for (size_t i = 0; plan->exponents && i < plan->masks; ++i)
		if (plan->base.shape.type == WS_F32 && !(plan->largest[i] <= FLT_MAX))
			return WSI_FAIL(WS_E_ARG, "mask %zu has a tap of %g, more than f32 holds",
			                WSI_NO(i), plan->largest[i]);
	WSI_TRY(wsi_conv_take(&plan->bank, &plan->spectra, plan->made, &shaping, source,
	                      t->progress, bad));
	plan->gpu.direct_values = plan->bank.values;
	plan->gpu.other_values = plan->spectra.values;
	return WS_OK;
}

/* The masks of options that are still the caller's. */
ws_status
wsi_conv_keep(ws_plan *base, const void *asked)
{
	wsi_conv_plan *plan = wsi_conv_plan_of(base);
	ws_masks given;
	taker t = { plan, NULL };
	if (!plan->given)
		return WS_OK;
	WSI_TRY(WSI_SIZED_COPY(ws_masks, &given, frequencies,
	                       ((const ws_conv_opts *)asked)->masks));
	WSI_TRY(wsi_masks_check(&given));
	WSI_TRY(wsi_masks_with_source(plan->made, &plan->o, &given, plan->fs,
	                              wsi_ops_find(base->isa, WS_F64), plan->makers, take_taps,
	                              &t));
	wsi_masks_free(plan->made);
	plan->made = NULL;
	return WS_OK;
}

/* ---- Plans and their tables -------------------------------------------------------------- */

static ws_status
resolve_oversampling(wsi_conv_plan *plan)
{
	const ws_conv_opts *o = &plan->o;
	ws_masks kernel;
	if (o->oversample == 1)
		return WS_OK;
	if (plan->conv.n > (size_t)INT32_MAX)
		return WSI_FAIL(WS_E_ARG, "`oversample`: %zu samples become %zu, and 2^31 - 1 are "
		                "the most", plan->base.shape.samples, plan->conv.n);
	plan->over = (wsi_oversample){ .wide = wsi_ops_find(plan->base.isa, WS_F64),
		.samples = wsi_ops_find(plan->base.isa, plan->base.shape.type),
		.factor = o->oversample, .model = o->interpolation,
		.channels = plan->base.shape.channels, .n = plan->base.shape.samples };
	if (o->interpolation_kernel)
		WSI_TRY(WSI_SIZED_COPY(ws_masks, &kernel, frequencies, o->interpolation_kernel));
	return wsi_oversample_make(&plan->over, o->interpolation_kernel ? &kernel : NULL);
}

ws_status
wsi_conv_resolve(ws_plan *base, const void *asked)
{
	wsi_conv_plan *plan = wsi_conv_plan_of(base);
	plan->o = *(const ws_conv_opts *)asked;
	base->options = &plan->o;
	WSI_TRY(wsi_conv_resolve_options(&plan->o));
	if (plan->o.narrow && base->shape.type != WS_F32)
		return WSI_FAIL(WS_E_ARG, "numbers of 16 bits are for signals in f32 (`precision "
		                "f32`)");
	wsi_conv *c = &plan->conv;
	plan->fs = base->shape.fs * plan->o.oversample;
	c->n = wsi_oversample_samples(base->shape.samples, plan->o.oversample);
	WSI_TRY(resolve_oversampling(plan));
	WSI_TRY(resolve_masks(plan));
	plan->o.masks = NULL; /* borrowed until here */
	plan->o.interpolation_kernel = NULL;
	WSI_TRY(wsi_scales_keep(&plan->o, &base->kept));
	c->samples = wsi_ops_find(base->isa, base->shape.type);
	c->ops = plan->bank.type == base->shape.type ? c->samples
	         : wsi_ops_find(base->isa, plan->bank.type);
	c->complex = plan->complex;
	c->bank = &plan->bank;
	c->spectra = &plan->spectra;
	c->sums = plan->o.sums;
	c->accumulators = plan->o.accumulators;
	c->narrow = plan->o.narrow;
	c->exponent = plan->exponents;
	c->channels = base->shape.channels;
	if (base->seconds < 2e-4)
		base->threads = 1;
	c->threads = base->threads;
	plan->over.threads = base->threads;
	if (!base->gpu)
		base->seconds = wsi_shared_out(base->seconds, c->threads);
	return WS_OK;
}

/* Are there masks to be made by the CPU? */
static bool
makes(const wsi_conv_plan *plan)
{
	return !plan->given && !plan->forms;
}

static ws_status
fill(ws_plan *base, wsi_progress *progress)
{
	wsi_conv_plan *plan = wsi_conv_plan_of(base);
	taker t = { plan, progress };
	WSI_TRY(wsi_conv_spectra_fill(&plan->spectra, progress));
	if (!makes(plan) || plan->bank.values || plan->spectra.values)
		return WS_OK;
	return wsi_masks_with_source(plan->made, &plan->o, NULL, plan->fs,
	                             wsi_ops_find(base->isa, WS_F64), plan->makers, take_taps, &t);
}

void
wsi_conv_empty(ws_plan *base)
{
	wsi_conv_plan *plan = wsi_conv_plan_of(base);
	wsi_conv_spectra_empty(&plan->spectra);
	if (makes(plan))
		wsi_conv_drop(&plan->bank, &plan->spectra);
}

ws_status
wsi_conv_fill(ws_plan *base, wsi_progress *progress)
{
	const ws_status status = fill(base, progress);
	if (status != WS_OK)
		wsi_conv_empty(base);
	return status;
}

void
wsi_conv_release(ws_plan *base)
{
	wsi_conv_plan *plan = wsi_conv_plan_of(base);
	wsi_conv_bank_free(&plan->bank);
	wsi_conv_spectra_free(&plan->spectra);
	for (int kind = 0; kind < WS_ERRORS; ++kind)
		free(plan->error_values[kind]);
	free(plan->forms);
	wsi_masks_free(plan->made);
	wsi_oversample_free(&plan->over);
}
