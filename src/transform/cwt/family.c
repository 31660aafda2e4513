/* family.c - what the rows of the wavelet family share. */
#include "transform/cwt/family.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/element.h"
#include "base/status.h"
#include "ops/cwt_job.h"
#include "transform/cwt/cost.h"
#include "transform/epochs.h"
#include "transform/on_gpu.h"

static const wsi_cwt_plan *
family_of(const ws_plan *plan)
{
	return (const wsi_cwt_plan *)plan;
}

/* ---- Arrays ------------------------------------------------------------------------------ */

size_t
wsi_cwt_extent(const ws_plan *plan, int array, ws_axis axis)
{
	const wsi_cwt *cwt = family_of(plan)->cwt;
	(void)array;
	return axis == WS_AXIS_FREQUENCY ? cwt->count : cwt->outputs;
}

bool
wsi_cwt_axis_values(const ws_plan *plan, int array, ws_axis axis, double *values)
{
	const wsi_cwt *cwt = family_of(plan)->cwt;
	(void)array;
	for (size_t i = 0; axis == WS_AXIS_FREQUENCY && i < cwt->count; ++i)
		values[i] = cwt->scale[i].frequency;
	return axis == WS_AXIS_FREQUENCY;
}

size_t
wsi_cwt_every_of(const ws_plan *plan, int array)
{
	(void)array;
	return family_of(plan)->cwt->o.decimate;
}

void
wsi_cwt_put_rows(const wsi_cwt *cwt, const wsi_io *io, int first)
{
	const size_t from = io->count ? io->first : 0, count = io->count ? io->count : cwt->count;
	for (size_t i = 0; i < count; ++i) {
		const wsi_cwt_scale *s = &cwt->scale[from + i];
		const double values[] = { s->scale, s->width_time, s->width_frequency, s->cone };
		for (int k = 0; k < 4; ++k)
			if (wsi_io_wants(io, first + k))
				((double *)io->arrays[first + k].data)[i] = values[k];
	}
}

/* ---- Plans ------------------------------------------------------------------------------- */

/* Bytes of what rows of all frequencies share, up to which it is kept for the next block. */
#define LITTLE ((size_t)16 << 20)

/* More frequencies are refused. */
#define MOST_LISTED ((size_t)1 << 24)

/* How many there are says nothing without the list, nor does a list of none, nor a range beside a
 * list. */
static ws_status
check_lists(const ws_cwt_opts *o)
{
	const struct { const char *list, *counted; const double *given; size_t count; } lists[] = {
		{ "frequencies", "frequency_count", o->frequencies, o->frequency_count },
		{ "scales", "scale_count", o->scales, o->scale_count },
		{ "cycles", "cycle_count", o->cycles, o->cycle_count },
		{ "bands", "band_count", o->bands, o->band_count },
	};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
		if (!lists[i].given && lists[i].count)
			return WSI_FAIL(WS_E_ARG, "`%s` is %zu, but `%s` is NULL: give the "
			                "list, or leave its count 0", lists[i].counted,
			                lists[i].count, lists[i].list);
		else if (lists[i].given && !lists[i].count)
			return WSI_FAIL(WS_E_ARG, "`%s` is there, but `%s` is 0: tell how many "
			                "they are", lists[i].list, lists[i].counted);
	const ws_range *r = &o->freqs;
	const bool ranged = r->low != 0.0 || r->high != 0.0 || r->count ||
	                    r->spacing == WS_SPACING_LINEAR;
	if ((o->frequencies && o->scales) || (ranged && (o->frequencies || o->scales)))
		return WSI_FAIL(WS_E_ARG, "`%s` means nothing beside %s: leave one of them out",
		                ranged ? "freqs" : "scales",
		                o->frequencies ? "a list of frequencies" : "`scales`");
	return WS_OK;
}

/* Options tell their lists for as long as the plan lives; the caller's may go before. */
static ws_status
keep_lists(wsi_cwt_plan *plan, ws_cwt_opts *o)
{
	/* What nobody looks at need not be there. */
	if (plan->base.transform != &wsi_transform_bands)
		o->bands = NULL;
	const double **const lists[] = { &o->frequencies, &o->scales, &o->cycles, &o->bands };
	const size_t counts[] = { o->frequency_count, o->scale_count, o->cycle_count,
		                  2 * o->band_count };
	for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
		if (*lists[i] && counts[i] <= MOST_LISTED) {
			plan->lists[i] = wsi_kept_new(&plan->base.kept, counts[i], sizeof(double));
			if (!plan->lists[i])
				return WSI_FAIL(WS_E_NOMEM, "no memory for a list of %zu numbers",
				                counts[i]);
			memcpy(plan->lists[i], *lists[i], counts[i] * sizeof(double));
			*lists[i] = plan->lists[i];
		}
	return WS_OK;
}

ws_status
wsi_cwt_make(wsi_cwt_plan *plan, const ws_cwt_opts *asked)
{
	const ws_shape *shape = &plan->base.shape;
	ws_cwt_opts o = *asked;
	if (o.quantity == WS_QUANTITY_SIGNAL && plan->base.transform != &wsi_transform_bands)
		return WSI_FAIL(WS_E_ARG, "there is no quantity %d", (int)o.quantity);
	WSI_TRY(check_lists(&o));
	WSI_TRY(keep_lists(plan, &o));
	const bool filters = plan->base.transform == &wsi_transform_bands &&
		o.quantity != WS_QUANTITY_POWER;
	const ws_status status = wsi_cwt_lay_out(&plan->cwt, wsi_shape_x_samples(shape), shape->fs,
	                                         shape->type, &o, plan->base.isa,
	                                         filters || plan->base.gpu);
	if (status != WS_OK)
		return status;
	/* A layout by itself forgets what it borrowed. */
	ws_cwt_opts *kept = &plan->cwt->o;
	kept->frequencies = plan->lists[0];
	kept->scales = plan->lists[1];
	kept->cycles = plan->lists[2];
	kept->bands = plan->lists[3];
	plan->base.options = kept;
	return WS_OK;
}

ws_status
wsi_cwt_take_epochs(wsi_cwt_plan *plan, size_t least)
{
	WSI_TRY(wsi_epochs_take(&plan->base.shape, least, &plan->epochs));
	plan->base.x_rows = plan->epochs;
	return WS_OK;
}

/* Forward transforms that threads share at a time, and how many a thread makes of these. */
static size_t
transforms_at_once(const ws_plan *plan)
{
	const size_t epochs = family_of(plan)->epochs;
	return epochs ? epochs : plan->shape.channels;
}

static size_t
transforms_of_a_thread(const ws_plan *plan)
{
	const size_t threads = (size_t)plan->threads;
	return (transforms_at_once(plan) + threads - 1) / threads;
}

void
wsi_cwt_keep(wsi_cwt_plan *plan, bool wanted)
{
	const size_t memory = plan->base.memory;
	size_t bytes = 0;
	for (const wsi_cwt *of = plan->cwt; of; of = of->near)
		bytes += wsi_cwt_kept_bytes(of);
	const size_t little = memory && memory / 64 < LITTLE ? memory / 64 : LITTLE;
	const bool keeps = (plan->base.again && bytes <= little) ||
		(wanted && bytes <= plan->spectra * wsi_cwt_spectrum_bytes(plan->cwt));
	for (wsi_cwt *of = plan->cwt; of; of = of->near)
		of->kept.bytes = keeps && !plan->base.gpu ? wsi_cwt_kept_bytes(of) : 0;
}

size_t
wsi_cwt_at_once(const ws_plan *plan, size_t count)
{
	return plan->part && plan->part < count ? plan->part : count;
}

void
wsi_cwt_share(ws_plan *plan, double seconds, size_t items)
{
	const wsi_cwt_plan *family = family_of(plan);
	seconds += family->cwt->responses;
	if (seconds < WSI_ALONE)
		plan->threads = 1;
	else if (items < (size_t)plan->threads)
		plan->threads = (int)items;
	/* Each is made by one thread: others wait. */
	const double idle = (double)transforms_of_a_thread(plan) -
	                    (double)transforms_at_once(plan) / plan->threads;
	const double times = family->epochs ? (double)plan->shape.channels : 1.0;
	plan->seconds = wsi_shared_out(seconds, plan->threads) + idle * times *
	        family->cwt->forward;
}

/* What an execution works in: its threads, spectra, and the threads' scratch. */
typedef struct workspace_parts {
	wsi_worker *workers;
	char *spectra;
	void *shared, *scratch;
} workspace_parts;

static workspace_parts
lay_out(const wsi_cwt_plan *plan, wsi_arena *arena)
{
	const int threads = plan->base.threads;
	workspace_parts parts = {
		.workers = wsi_arena_take(arena, (size_t)threads * sizeof(wsi_worker)) };
	parts.spectra = wsi_arena_take(arena, plan->spectra * wsi_cwt_spectrum_bytes(plan->cwt));
	parts.shared = wsi_arena_take(arena, plan->shared_bytes);
	parts.scratch = wsi_arena_take(arena, wsi_cwt_items_workspace(
		plan->cwt, plan->spectra, threads, plan->own_bytes));
	return parts;
}

ws_status
wsi_cwt_measure(ws_plan *plan, bool aside)
{
	const wsi_cwt_plan *family = family_of(plan);
	wsi_arena arena = { 0 };
	(void)aside;
	plan->tables = wsi_cwt_tables(family->cwt, &plan->making);
	if (plan->gpu)
		return wsi_gpu_measure(plan, &family->job, sizeof family->job);
	lay_out(family, &arena);
	plan->workspace = arena.used;
	return WS_OK;
}

ws_status
wsi_cwt_fill_plan(ws_plan *plan, wsi_progress *progress)
{
	wsi_cwt_plan *family = (wsi_cwt_plan *)plan;
	WSI_TRY(wsi_cwt_fill(family->cwt, progress));
	if (plan->gpu && family->job.quantity != WS_QUANTITY_SIGNAL)
		wsi_cwt_job_fill(&family->job, family->cwt);
	return WS_OK;
}

void
wsi_cwt_empty_plan(ws_plan *plan)
{
	wsi_cwt_empty(((wsi_cwt_plan *)plan)->cwt);
}

void
wsi_cwt_release(ws_plan *plan)
{
	wsi_cwt_plan *family = (wsi_cwt_plan *)plan;
	wsi_cwt_destroy(family->cwt);
}

ws_status
wsi_cwt_on_gpu(wsi_cwt_plan *plan, size_t signals, int array, const wsi_cwt_job_sums *sums)
{
	const wsi_cwt *cwt = plan->cwt;
	WSI_TRY(wsi_cwt_job_make(&plan->job, cwt, signals, array, &plan->base.kept));
	plan->job.squares = plan->squares;
	plan->job.gain = wsi_cwt_power_gain(cwt);
	plan->job.other = plan->other;
	if (sums)
		plan->job.sums = *sums;
	plan->base.seconds = WSI_COST_GPU(cwt->type) * (double)cwt->count * (double)signals *
	                     (double)cwt->samples;
	return WS_OK;
}

ws_status
wsi_cwt_gpu_takes(const ws_shape *shape, const void *opts)
{
	const ws_cwt_opts *o = opts;
	(void)shape;
	/* They hear slow waves at all scales, beside which a GPU's f32 rounds too much. */
	if (o && o->wavelet == WS_WAVELET_PAUL)
		return WSI_FAIL(WS_E_UNSUPPORTED, "Paul wavelets are for the CPU: leave out "
		                "`device`, or take another wavelet");
	return WS_OK;
}

void
wsi_cwt_describe_scales(const ws_plan *plan, wsi_line *to)
{
	const wsi_cwt *cwt = family_of(plan)->cwt;
	size_t by_way[WSI_CWT_WAYS] = { 0 };
	if (plan->gpu)
		return; /* the device tells its own */
	for (size_t i = 0; i < cwt->count; ++i)
		by_way[cwt->scale[i].way]++;
	wsi_line_put(to, "  scales     ");
	const size_t before = to->used;
	for (int i = 0; i < WSI_CWT_WAYS; ++i)
		if (by_way[i])
			wsi_line_put(to, "%s%zu by %s", to->used > before ? ", " : "", by_way[i],
			             wsi_cwt_ways[i].name);
	wsi_line_put(to, "\n");
}

void
wsi_cwt_describe_work(const ws_plan *plan, wsi_line *to)
{
	if (plan->gpu)
		wsi_gpu_describe(plan, &family_of(plan)->job, to);
	else
		wsi_line_put(to, "  kernels    cpu/%s/%s, %d thread%s\n  workspace  %.1f MiB\n",
		             family_of(plan)->cwt->ops->isa,
		             plan->shape.type == WS_F64 ? "f64" : "f32", plan->threads,
		             plan->threads == 1 ? "" : "s", (double)plan->workspace / 1048576.0);
}

/* ---- Executions -------------------------------------------------------------------------- */

wsi_cwt_execution
wsi_cwt_begin(const ws_plan *plan, const wsi_io *io, wsi_progress *progress, void *workspace,
              wsi_pool *pool)
{
	wsi_arena arena = { .base = workspace };
	const workspace_parts parts = lay_out(family_of(plan), &arena);
	wsi_pool_start(pool, plan->threads, parts.workers, progress);
	return (wsi_cwt_execution){ .plan = family_of(plan), .io = io, .progress = progress,
		.pool = pool, .first = io->count ? io->first : 0,
		.count = io->count ? io->count : family_of(plan)->cwt->count,
		.spectra = parts.spectra, .shared = parts.shared, .scratch = parts.scratch };
}

ws_status
wsi_cwt_refuse(const wsi_cwt_execution *e, size_t channel, size_t samples)
{
	const wsi_cwt *cwt = e->plan->cwt;
	const char *x = e->io->x + channel * e->io->x_stride;
	const size_t n = cwt->samples, number = WSI_NO(e->io->first_channel + channel);
	for (size_t k = 0; k < samples; ++k) {
		const double v = wsi_real_at(x, cwt->type, k);
		if (!isfinite(v) && e->plan->epochs > 1)
			return WSI_FAIL(WS_E_FORMAT, "channel %zu, epoch %zu, sample %zu is not "
			                "finite: mend or leave out that epoch", number,
			                WSI_NO(k / n), WSI_NO(k % n));
		if (!isfinite(v))
			return WSI_FAIL(WS_E_FORMAT, "channel %zu, sample %zu is not finite: mend "
			                "or leave out that stretch", number, WSI_NO(k));
	}
	return WS_OK;
}

int
wsi_cwt_power_gain(const wsi_cwt *cwt)
{
	double gain = 0.0;
	int exponent;
	for (size_t i = 0; i < cwt->count; ++i) {
		/* Taps of norm l2 have their scale in samples. */
		const bool taps = cwt->scale[i].tap_count && cwt->o.norm == WS_NORM_L2;
		const double n = (double)cwt->scale[i].of->length;
		gain = fmax(gain, fabs(cwt->scale[i].response.gain) * n *
		            (taps ? sqrt(cwt->fs) : 1));
	}
	/* Wavelets of peak 1 in frequency have magnitudes of 1 to 3 in all, in time. */
	frexp(4.0 * gain, &exponent);
	return exponent;
}

/* WS_E_FORMAT: a channel's coefficients, or their squares, would be infinite, or these all 0. */
static ws_status
type_fits(const wsi_cwt_execution *e, size_t channel, const char *spectrum)
{
	const wsi_cwt *cwt = e->plan->cwt;
	const void *re, *im;
	double scale;
	char why[256];
	wsi_cwt_spectrum(cwt, spectrum, &re, &im, &scale);
	const bool squares = e->plan->squares;
	const int beyond = wsi_cwt_unfit(cwt->type, wsi_cwt_power_gain(cwt), scale, squares);
	if (!beyond)
		return WS_OK;
	wsi_cwt_unfit_text(cwt->type, scale, beyond, squares,
	                   WSI_NO(e->io->first_channel + channel),
	                    e->plan->other, why, sizeof why);
	return WSI_FAIL(WS_E_FORMAT, "%s", why);
}

ws_status
wsi_cwt_take(const wsi_cwt_execution *e, size_t channel, char *spectra)
{
	const wsi_cwt *cwt = e->plan->cwt;
	const size_t epochs = e->plan->epochs, n = cwt->samples;
	const size_t channels = epochs ? 1 : e->plan->base.shape.channels;
	const ws_status status = wsi_cwt_forward(
		cwt, e->io->x + channel * e->io->x_stride,
		epochs ? n * wsi_type_size(cwt->type) : e->io->x_stride, epochs ? epochs : channels,
		spectra, e->pool, e->progress, e->scratch);
	for (size_t c = channel; status == WS_E_FORMAT && c < channel + channels; ++c)
		WSI_TRY(wsi_cwt_refuse(e, c, epochs ? epochs * n : n));
	if (status != WS_OK || wsi_cancelled(e->progress))
		return status;
	for (size_t i = 0; i < (epochs ? epochs : channels); ++i)
		WSI_TRY(type_fits(e, epochs ? channel : channel + i,
		                  spectra + i * wsi_cwt_spectrum_bytes(cwt)));
	return WS_OK;
}

double
wsi_cwt_forward_share(const wsi_cwt_execution *e, double part)
{
	const ws_plan *plan = &e->plan->base;
	return fmin(0.9, (double)transforms_of_a_thread(plan) * e->plan->cwt->forward /
	            (plan->seconds * part));
}

ws_status
wsi_cwt_finish(const wsi_cwt_execution *e, const wsi_cwt_work *items)
{
	const double forward = wsi_cwt_forward_share(e, 1.0);
	wsi_progress_step(e->progress, 0.0, forward);
	const ws_status status = wsi_cwt_take(e, 0, e->spectra);
	wsi_progress_step(e->progress, forward, 1.0);
	if (status == WS_OK)
		wsi_cwt_items(e->plan->cwt, items, e->pool, e->progress, e->scratch);
	wsi_pool_stop(e->pool);
	return status;
}

/* One channel, or pair: one spectra, then one items.  The step of the progress is that from `from`
 * to `end`. */
static ws_status
run_channel(const wsi_epochs_work *work, wsi_epochs_channel *one, double from, double end)
{
	const wsi_cwt_execution *e = one->execution;
	const double to = work->after ? from + (end - from) / work->parts : end;
	const wsi_cwt *cwt = e->plan->cwt;
	const double share = wsi_cwt_forward_share(e, to - from);
	const double forward = from + share * (to - from);
	const double middle = work->before ? forward + 0.8 * (to - forward) : forward;
	const wsi_cwt_work before = { .items = work->before_items, .item = work->before,
		.own_bytes = e->plan->own_bytes, .user = one };
	const wsi_cwt_work items = { .items = e->count, .item = work->item,
		.own_bytes = e->plan->own_bytes, .user = one };
	wsi_progress_step(e->progress, from, forward);
	WSI_TRY(wsi_cwt_take(e, one->channel, e->spectra));
	wsi_progress_step(e->progress, forward, middle);
	if (work->before)
		wsi_cwt_items(cwt, &before, e->pool, e->progress, e->scratch);
	wsi_progress_step(e->progress, middle, to);
	wsi_cwt_items(cwt, &items, e->pool, e->progress, e->scratch);
	return work->after ? work->after(one, to, end) : WS_OK;
}

ws_status
wsi_epochs_run(const ws_plan *plan, const wsi_io *io, wsi_progress *progress, void *workspace,
               const wsi_epochs_work *work)
{
	const wsi_cwt_plan *family = family_of(plan);
	const size_t channels = plan->shape.channels, pairs = work->with_end - work->with;
	const size_t rounds = pairs ? pairs : 1;
	const double all = (double)(channels * rounds);
	wsi_pool pool;
	const wsi_cwt_execution e = wsi_cwt_begin(plan, io, progress, workspace, &pool);
	char *beside = e.spectra + family->epochs * wsi_cwt_spectrum_bytes(family->cwt);
	ws_status status = WS_OK;
	for (size_t r = 0; r < rounds && status == WS_OK && !wsi_cancelled(progress); ++r) {
		wsi_epochs_channel one = { &e, 0, work->with + r, pairs ? beside : NULL };
		wsi_progress_step(progress, (double)(r * channels) / all,
		                  (double)(r * channels) / all);
		if (pairs)
			status = wsi_cwt_take(&e, one.with, beside);
		for (size_t c = work->once ? one.with : 0; c < channels && status == WS_OK &&
		     !wsi_cancelled(progress); ++c) {
			const double done = (double)(r * channels + c);
			one.channel = c;
			status = run_channel(work, &one, done / all, (done + 1.0) / all);
		}
	}
	wsi_pool_stop(&pool);
	wsi_cwt_put_rows(family->cwt, io, work->scales);
	return status;
}
