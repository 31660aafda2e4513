/* superlets.c - the row of superlets: geometric means of Morlet wavelets of several widths. */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/status.h"
#include "transform/cwt/cost.h"
#include "transform/cwt/family.h"
#include "transform/on_gpu.h"

#define MOST_ORDER 1000.0
#define DEFAULT_OMEGA0 3.77     /* the paper's 3 cycles */

/* The wavelets of one frequency. */
typedef struct superlet {
	double order;
	size_t first, count;    /* frequencies of the plan's transform, short wavelets first */
} superlet;

typedef struct superlets_plan {
	wsi_cwt_plan family;    /* its transform has the wavelets of all superlets, one by one */
	ws_cwt_opts o;          /* resolved */
	size_t count;
	superlet *set;          /* [count] */
	size_t together;        /* channels of a superlet that a thread takes at a time */
} superlets_plan;

static const superlets_plan *
plan_of(const ws_plan *plan)
{
	return (const superlets_plan *)plan;
}

/* ---- Arrays ---------------------------------------------------------------------------- */

#define OF_TIME(name, text) \
	{ name, text, WSI_REAL, { WS_AXIS_CHANNEL, WS_AXIS_FREQUENCY, WS_AXIS_TIME }, \
	  WS_ARRAY_MAIN }

static const wsi_array arrays[WS_SUPERLETS_ARRAYS] = {
	[WS_SUPERLETS_POWER] = OF_TIME("power", "squared geometric mean of magnitudes"),
	[WS_SUPERLETS_MAGNITUDE] = OF_TIME("magnitude", "geometric mean of magnitudes"),
	WSI_CWT_ROW_ARRAYS(WS_SUPERLETS, "the recording"),
	[WS_SUPERLETS_ORDER] = WSI_CWT_ROW_ARRAY("order", "wavelets of the mean"),
};

static size_t
extent(const ws_plan *base, int array, ws_axis axis)
{
	const superlets_plan *plan = plan_of(base);
	if (array == (plan->o.quantity == WS_QUANTITY_POWER ? WS_SUPERLETS_MAGNITUDE
	              : WS_SUPERLETS_POWER))
		return 0;
	return axis == WS_AXIS_FREQUENCY ? plan->count : plan->family.cwt->outputs;
}

static bool
axis_values(const ws_plan *base, int array, ws_axis axis, double *values)
{
	const superlets_plan *plan = plan_of(base);
	(void)array;
	for (size_t i = 0; axis == WS_AXIS_FREQUENCY && i < plan->count; ++i)
		values[i] = plan->family.cwt->scale[plan->set[i].first].frequency;
	return axis == WS_AXIS_FREQUENCY;
}

static void
put_rows(const superlets_plan *plan, const wsi_io *io, size_t first, size_t count)
{
	for (size_t i = 0; i < count; ++i) {
		const superlet *s = &plan->set[first + i];
		const wsi_cwt_scale *low = &plan->family.cwt->scale[s->first];
		const wsi_cwt_scale *high = low + s->count - 1;
		const double values[] = { low->scale, low->width_time, high->width_frequency,
			high->cone, s->order };
		for (int k = 0; k < 5; ++k)
			if (wsi_io_wants(io, WS_SUPERLETS_SCALE + k))
				((double *)io->arrays[WS_SUPERLETS_SCALE + k].data)[i] = values[k];
	}
}

/* ---- Plan ------------------------------------------------------------------------------ */

static ws_status
check(ws_cwt_opts *o)
{
	if (o->wavelet > WS_WAVELET_MORLET_ZERO_MEAN || o->fwhm != 0.0)
		return WSI_FAIL(WS_E_ARG, "superlets are of Morlet wavelets, whose widths are "
		                "cycles: leave out any other wavelet and width");
	if (o->quantity && o->quantity != WS_QUANTITY_POWER && o->quantity != WS_QUANTITY_MAGNITUDE)
		return WSI_FAIL(WS_E_ARG, "superlets have a power or a magnitude, no quantity %d",
		                (int)o->quantity);
	o->quantity = o->quantity ? o->quantity : WS_QUANTITY_POWER;
	o->set = o->set ? o->set : WS_SUPERLET_MULTIPLICATIVE;
	if (o->set < WS_SUPERLET_MULTIPLICATIVE || o->set > WS_SUPERLET_ADDITIVE)
		return WSI_FAIL(WS_E_ARG, "there is no set of wavelets %d", (int)o->set);
	if (o->order[0] == 0.0 && o->order[1] == 0.0) {
		o->order[0] = 1.0;
		o->order[1] = 10.0;
	}
	o->order[1] = o->order[1] != 0.0 ? o->order[1] : o->order[0];
	for (int i = 0; i < 2; ++i)
		if (!(o->order[i] >= 1.0 && o->order[i] <= MOST_ORDER))
			return WSI_FAIL(WS_E_ARG, "the order of superlets must be 1 to %g, not %g",
			                MOST_ORDER, o->order[i]);
	if (!o->reference && !o->cycles && o->param[0] == 0.0)
		o->param[0] = DEFAULT_OMEGA0;
	o->significance = 0;
	return WS_OK;
}

/* Where frequency i lies between the lowest, 0, and the highest, 1: in Hz; of the reference, whose
 * orders are numpy's linspace, in their list. */
static double
share_of(const wsi_cwt *axis, size_t i, double low, double high)
{
	if (axis->o.reference == WS_CWT_REF_SUPERLETS && axis->count > 1) {
		const size_t last = axis->count - 1;
		const bool falls = axis->scale[0].frequency > axis->scale[last].frequency;
		return (double)(falls ? last - i : i) / (double)last;
	}
	return high > low ? (axis->scale[i].frequency - low) / (high - low) : 0.0;
}

/* Orders on a line over frequency, and how many wavelets that makes. */
static ws_status
share_orders(superlets_plan *plan, const wsi_cwt *axis, size_t *wavelets)
{
	double low = HUGE_VAL, high = 0.0;
	for (size_t i = 0; i < axis->count; ++i) {
		low = fmin(low, axis->scale[i].frequency);
		high = fmax(high, axis->scale[i].frequency);
	}
	plan->count = axis->count;
	plan->set = wsi_kept_new(&plan->family.base.kept, plan->count, sizeof *plan->set);
	if (!plan->set)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu superlets", plan->count);
	*wavelets = 0;
	for (size_t i = 0; i < plan->count; ++i) {
		const double share = share_of(axis, i, low, high);
		const double order = plan->o.order[0] +
			share * (plan->o.order[1] - plan->o.order[0]);
		/* A whole number but for rounding is that number. */
		const double whole = rint(order);
		plan->set[i].order = fabs(order - whole) < 1e-9 ? whole : order;
		plan->set[i].first = *wavelets;
		plan->set[i].count = (size_t)ceil(plan->set[i].order);
		*wavelets += plan->set[i].count;
	}
	return WS_OK;
}

/* The transform of all wavelets: frequencies and cycles one by one. */
static ws_status
make_wavelets(superlets_plan *plan, const wsi_cwt *axis, size_t wavelets)
{
	const wsi_cwt_reference *reference = wsi_cwt_reference_row((int)axis->o.reference);
	double *frequencies = malloc(2 * wavelets * sizeof *frequencies);
	if (!frequencies)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu wavelets", wavelets);
	double *cycles = frequencies + wavelets;
	for (size_t i = 0; i < plan->count; ++i) {
		const superlet *s = &plan->set[i];
		const double first = axis->scale[i].omega0 / wsi_cwt_cycle(reference);
		for (size_t k = 0; k < s->count; ++k) {
			frequencies[s->first + k] = axis->scale[i].frequency;
			cycles[s->first + k] = plan->o.set == WS_SUPERLET_MULTIPLICATIVE
				? first * (double)(k + 1) : first + (double)k;
		}
	}
	ws_cwt_opts o = plan->o;
	o.quantity = WS_QUANTITY_MAGNITUDE;
	o.frequencies = frequencies;
	o.cycles = cycles;
	o.frequency_count = o.cycle_count = wavelets;
	o.scales = NULL;
	o.param[0] = 0.0;
	const wsi_cwt_plan *family = &plan->family;
	const ws_status status = wsi_cwt_lay_out(&plan->family.cwt, family->base.shape.samples,
	                                        family->base.shape.fs, family->base.shape.type, &o,
	                                        family->base.isa, family->base.gpu != NULL);
	free(frequencies);
	return status;
}

/* What a wavelet needs is made once for all channels that a thread takes together: as many as the
 * cache holds products of, and one where threads have few frequencies to share. */
#define MOST_TOGETHER 16
#define CACHED_OUTPUTS ((size_t)1 << 14)

static size_t
channels_together(const superlets_plan *plan)
{
	const ws_plan *base = &plan->family.base;
	const size_t fit = CACHED_OUTPUTS / plan->family.cwt->outputs;
	const size_t most = fit < MOST_TOGETHER ? fit : MOST_TOGETHER;
	if (most < 2 || wsi_cwt_at_once(base, plan->count) < 8 * (size_t)base->threads)
		return 1;
	return base->shape.channels < most ? base->shape.channels : most;
}

/* What a thread works in: a wavelet's magnitudes, and the product so far, of each channel. */
typedef struct own_parts {
	void *row;
	double *share, *exponent;
} own_parts;

static own_parts
take_own(const superlets_plan *plan, wsi_arena *arena)
{
	const wsi_cwt *cwt = plan->family.cwt;
	const size_t numbers = plan->together * cwt->outputs;
	own_parts own = { .row = wsi_arena_take(arena, numbers * cwt->ops->element) };
	own.share = wsi_arena_take(arena, numbers * sizeof(double));
	own.exponent = wsi_arena_take(arena, numbers * sizeof(double));
	return own;
}

static bool
squared(const superlets_plan *plan)
{
	return plan->o.quantity == WS_QUANTITY_POWER;
}

/* What a GPU forms of the wavelets' magnitudes. */
static ws_status
plan_gpu(superlets_plan *plan)
{
	const wsi_cwt *cwt = plan->family.cwt;
	wsi_kept *kept = &plan->family.base.kept;
	wsi_cwt_job_row *rows = wsi_kept_new(kept, plan->count, sizeof *rows);
	wsi_cwt_job_member *members = wsi_kept_new(kept, cwt->count, sizeof *members);
	if (kept->failed)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu superlets", plan->count);
	for (size_t i = 0; i < plan->count; ++i) {
		const superlet *s = &plan->set[i];
		rows[i] = (wsi_cwt_job_row){ s->first, s->count,
			(squared(plan) ? 2.0 : 1.0) / s->order };
		for (size_t k = 0; k < s->count; ++k)
			members[s->first + k] = (wsi_cwt_job_member){
				s->first + k, fmin(1.0, s->order - (double)k) };
	}
	const wsi_cwt_job_sums sums = { .form = WSI_CWT_MEANS, .rows = plan->count,
		.row = rows, .member = members, .members = cwt->count, .epochs = 1,
		.every = 1, .outputs = cwt->outputs, .arrays = {
			squared(plan) ? WS_SUPERLETS_POWER : WS_SUPERLETS_MAGNITUDE, -1, -1, -1 } };
	return wsi_cwt_on_gpu(&plan->family, plan->family.base.shape.channels, 0, &sums);
}

static ws_status
resolve(ws_plan *base, const void *asked)
{
	superlets_plan *plan = (superlets_plan *)base;
	ws_cwt_opts o = *(const ws_cwt_opts *)asked;
	size_t wavelets = 0;
	WSI_TRY(check(&o));
	WSI_TRY(wsi_cwt_make(&plan->family, &o));
	wsi_cwt *axis = plan->family.cwt;
	plan->family.cwt = NULL;
	plan->o = axis->o;
	ws_status status = share_orders(plan, axis, &wavelets);
	if (status == WS_OK)
		status = make_wavelets(plan, axis, wavelets);
	wsi_cwt_destroy(axis);
	WSI_TRY(status);
	const wsi_cwt *cwt = plan->family.cwt;
	plan->family.spectra = base->shape.channels;
	plan->family.squares = plan->o.quantity == WS_QUANTITY_POWER;
	wsi_cwt_keep(&plan->family, false);
	plan->family.other = "magnitude";
	const double means = WSI_COST_MEAN * (double)cwt->outputs *
	        (double)(wavelets + 3 * plan->count);
	wsi_cwt_share(base, (cwt->seconds + means) * (double)base->shape.channels,
	              wsi_cwt_at_once(base, plan->count) * base->shape.channels);
	plan->together = channels_together(plan);
	wsi_arena own = { 0 };
	take_own(plan, &own);
	plan->family.own_bytes = own.used;
	base->options = &plan->o;
	return base->gpu ? plan_gpu(plan) : WS_OK;
}

static void
describe(const ws_plan *base, wsi_line *to)
{
	const superlets_plan *plan = plan_of(base);
	wsi_line_put(to, "  method     superlets, %zu frequencies, orders %g to %g\n",
	             plan->count, plan->o.order[0], plan->o.order[1]);
	wsi_cwt_describe_scales(base, to);
	wsi_cwt_describe_work(base, to);
}

/* ---- Execution --------------------------------------------------------------------------- */

typedef struct shared {
	const superlets_plan *plan;
	const wsi_io *io;
	const char *spectra;
	size_t first;           /* superlet that is made */
	size_t groups;          /* of channels */
} shared;

/* Some channels of one superlet, wavelet by wavelet. */
static void
work(void *user, size_t item, wsi_cwt_scratch *scratch, void *memory)
{
	const shared *j = user;
	const superlets_plan *plan = j->plan;
	const wsi_cwt *cwt = plan->family.cwt;
	const size_t first = item % j->groups * plan->together, i = item / j->groups;
	const size_t left = plan->family.base.shape.channels - first, n = cwt->outputs;
	const size_t some = left < plan->together ? left : plan->together;
	const superlet *s = &plan->set[j->first + i];
	const size_t whole = (size_t)s->order, spectrum_bytes = wsi_cwt_spectrum_bytes(cwt);
	const size_t row_bytes = n * cwt->ops->element;
	wsi_arena arena = { .base = memory };
	const own_parts own = take_own(plan, &arena);
	for (size_t t = 0; t < some * n; ++t) {
		own.share[t] = 1.0;
		own.exponent[t] = 0.0;
	}
	for (size_t k = 0; k < s->count; ++k)
		for (size_t c = 0; c < some && wsi_cwt_goes_on(scratch); ++c) {
			char *row = (char *)own.row + c * row_bytes;
			wsi_cwt_one(cwt, j->spectra + (first + c) * spectrum_bytes, s->first + k,
			            WS_QUANTITY_MAGNITUDE, false, 0, n, row, scratch);
			if (k < whole)
				cwt->ops->cwt->multiply(row, n, k, own.share + c * n,
				                        own.exponent + c * n);
		}
	for (size_t c = 0; c < some; ++c) {
		const wsi_cwt_mean_args mean = {
			.share = own.share + c * n, .exponent = own.exponent + c * n,
			.last = s->count > whole ? (char *)own.row + c * row_bytes : NULL,
			.weight = s->order - (double)whole,
			.power = (squared(plan) ? 2.0 : 1.0) / s->order, .count = n,
			.out = wsi_io_row(j->io, squared(plan) ? WS_SUPERLETS_POWER
			                  : WS_SUPERLETS_MAGNITUDE, first + c, i) };
		cwt->ops->cwt->mean(&mean);
	}
}

static ws_status
run(const ws_plan *base, const wsi_io *io, wsi_progress *progress, void *workspace)
{
	const superlets_plan *plan = plan_of(base);
	wsi_pool pool;
	const size_t count = io->count ? io->count : plan->count;
	put_rows(plan, io, io->count ? io->first : 0, count);
	if (base->gpu)
		return wsi_gpu_run(base, &plan->family.job, io, progress);
	const wsi_cwt_execution e = wsi_cwt_begin(base, io, progress, workspace, &pool);
	const size_t groups = (base->shape.channels + plan->together - 1) / plan->together;
	shared j = { plan, io, e.spectra, e.first, groups };
	const wsi_cwt_work items = { .items = groups * count,
		.own_bytes = plan->family.own_bytes, .item = work, .user = &j };
	return wsi_cwt_finish(&e, &items);
}

/* ---- The row ----------------------------------------------------------------------------- */

const wsi_transform wsi_transform_superlets = {
	.about = {
		.name = "superlets", .title = "Superlets",
		.summary = "wavelets sharp in time and in frequency",
		.text = "Geometric means of the wavelet transforms of several widths at each "
		"frequency: what one of them blurs in time, another in frequency, is left out "
		"(Moca et al. 2021). Bursts that are close in time and in frequency are told "
		"apart; nothing can be put back together from means.",
		.examples = (const char *const[]){
			"wavesift superlets night.edf --channels Cz --freqs 4:80 --order 1:10 "
			"--plot bursts.png\tbursts of a channel, drawn",
			"wavesift superlets x.npy --fs 1000 --reference superlets --freqs "
			"20:80:61:lin --cycles 3 --order 5\tas the authors' code",
			NULL },
		.options_size = sizeof(ws_cwt_opts),
		.options_tag = WS_TAG_CWT, .family = "cwt", .group = "Analyse",
		.folder = "superlets", .type = WS_F64,
	},
	.options = wsi_superlets_options, .options_name = "ws_cwt_opts", .arrays = arrays,
	.n_arrays = WS_SUPERLETS_ARRAYS, .plan_size = sizeof(superlets_plan), .resolve = resolve,
	.every = wsi_cwt_every_of, .fill = wsi_cwt_fill_plan, .empty = wsi_cwt_empty_plan,
	.extent = extent, .axis_values = axis_values, .measure = wsi_cwt_measure, .run = run,
	.describe = describe, .release = wsi_cwt_release, .on_gpu = wsi_cwt_gpu_takes,
	.cut = WS_AXIS_FREQUENCY,
};
