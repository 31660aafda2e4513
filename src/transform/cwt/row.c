/* row.c - the row of the continuous wavelet transform; cwt/plan.c plans its frequencies. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "math/quantities.h"
#include "transform/cwt/family.h"
#include "transform/on_gpu.h"
#include "transform/options.h"

static const wsi_cwt *
cwt_of(const ws_plan *plan)
{
	return ((const wsi_cwt_plan *)plan)->cwt;
}

/* ---- Arrays ------------------------------------------------------------------------------ */

#define COEFFICIENTS(name, text, element) \
	{ name, text, element, { WS_AXIS_CHANNEL, WS_AXIS_FREQUENCY, WS_AXIS_TIME }, WS_ARRAY_MAIN }
#define QUANTITY_ARRAY(number, array, name, file, element, text, of_octave) \
	[array] = COEFFICIENTS(file, text, element),
static const wsi_array arrays[WS_CWT_ARRAYS] = {
	WSI_QUANTITIES(QUANTITY_ARRAY)
	WSI_CWT_ROW_ARRAYS(WS_CWT, "the recording"),
	[WS_CWT_SIGNIFICANCE] = { "significance", "power that noise seldom exceeds", WSI_F64,
		{ WS_AXIS_CHANNEL, WS_AXIS_FREQUENCY }, WS_ARRAY_OPTIONAL },
};

/* Is an array that of a quantity? */
static bool
holds_quantity(int array)
{
#define HOLDS(number, its, name, file, element, text, of_octave) || array == (its)
	return false WSI_QUANTITIES(HOLDS);
#undef HOLDS
}

static size_t
extent(const ws_plan *plan, int array, ws_axis axis)
{
	const wsi_cwt *cwt = cwt_of(plan);
	if (array >= WS_CWT_ARRAYS)
		return axis == WS_AXIS_FREQUENCY ? cwt->octave[array - WS_CWT_ARRAYS].count
			: cwt->octave[array - WS_CWT_ARRAYS].outputs;
	if (holds_quantity(array) && (cwt->octaves || array != quantity_array(cwt->o.quantity)))
		return 0;
	if (array == WS_CWT_SIGNIFICANCE && !cwt->o.significance)
		return 0;
	return wsi_cwt_extent(plan, array, axis);
}

static bool
axis_values(const ws_plan *plan, int array, ws_axis axis, double *values)
{
	const wsi_cwt *cwt = cwt_of(plan);
	if (array < WS_CWT_ARRAYS)
		return wsi_cwt_axis_values(plan, array, axis, values);
	const wsi_cwt_octave *o = &cwt->octave[array - WS_CWT_ARRAYS];
	for (size_t i = 0; axis == WS_AXIS_FREQUENCY && i < o->count; ++i)
		values[i] = cwt->scale[o->first + i].frequency;
	return axis == WS_AXIS_FREQUENCY;
}

static size_t
every(const ws_plan *plan, int array)
{
	return array < WS_CWT_ARRAYS ? wsi_cwt_every_of(plan, array)
	       : cwt_of(plan)->octave[array - WS_CWT_ARRAYS].decimate;
}

/* Of frequencies that are not all of one octave. */
static void
part(const ws_plan *plan, int array, size_t *first, size_t *count)
{
	if (array < WS_CWT_ARRAYS)
		return;
	const wsi_cwt_octave *o = &cwt_of(plan)->octave[array - WS_CWT_ARRAYS];
	const size_t from = *first > o->first ? *first : o->first;
	const size_t to = *first + *count, last = o->first + o->count, end = to < last ? to : last;
	*count = end > from ? end - from : 0;
	*first = *count ? from - o->first : 0;
}

/* ---- Plan -------------------------------------------------------------------------------- */

static ws_status
resolve(ws_plan *base, const void *opts)
{
	wsi_cwt_plan *family = (wsi_cwt_plan *)base;
	const size_t channels = base->shape.channels;
	WSI_TRY(wsi_cwt_make(family, opts));
	const wsi_cwt *cwt = family->cwt;
	family->spectra = channels;
	family->squares = cwt->o.quantity == WS_QUANTITY_POWER ||
		(cwt->o.significance && cwt->type == WS_F64);
	family->other = cwt->o.significance ? NULL : "magnitude";
	wsi_cwt_keep(family, false);
	base->further = wsi_cwt_octave_arrays(cwt->o.quantity);
	base->n_further = cwt->octaves;
	wsi_cwt_share(base, cwt->seconds * (double)channels,
	              wsi_cwt_at_once(base, cwt->count) * channels);
	return !base->gpu ? WS_OK
		: wsi_cwt_on_gpu(family, channels, cwt->octaves ? WS_CWT_ARRAYS
		                 : quantity_array(cwt->o.quantity), NULL);
}

/* "  octaves    9, one of 1, 1, 2, 4 .. samples\n" */
static void
describe_octaves(const wsi_cwt *cwt, wsi_line *to)
{
	wsi_line_put(to, "  octaves    %d, one of ", cwt->octaves);
	for (int o = 0; o < cwt->octaves; ++o)
		wsi_line_put(to, "%s%zu", o ? ", " : "", cwt->octave[o].decimate);
	wsi_line_put(to, " samples\n");
}

static void
describe(const ws_plan *plan, wsi_line *to)
{
	const wsi_cwt *cwt = cwt_of(plan);
	double low = HUGE_VAL, high = 0.0;
	char wavelet[96], from[WSI_FREQUENCY_TEXT], most[WSI_FREQUENCY_TEXT];
	for (size_t i = 0; i < cwt->count; ++i) {
		low = fmin(low, cwt->scale[i].frequency);
		high = fmax(high, cwt->scale[i].frequency);
	}
	const ws_option *const *o = wsi_cwt_options;
	while (strcmp((*o)->name, "wavelet") != 0)
		++o;
	ws_option_text(*o, &cwt->o, wavelet, sizeof wavelet);
	wsi_line_put(to, "  method     cwt, %s, %zu frequencies from %s to %s\n",
	             wavelet, cwt->count, wsi_tell_frequency(low, cwt->fs, from),
	             wsi_tell_frequency(high, cwt->fs, most));
	if (cwt->octaves)
		describe_octaves(cwt, to);
	wsi_cwt_describe_scales(plan, to);
	wsi_cwt_describe_work(plan, to);
}

/* ---- Execution --------------------------------------------------------------------------- */

static void
put_rows(const ws_plan *plan, const wsi_io *io, wsi_progress *progress)
{
	const wsi_cwt *cwt = cwt_of(plan);
	const size_t first = io->count ? io->first : 0, count = io->count ? io->count : cwt->count;
	const bool compared = cwt->o.significance && wsi_io_wants(io, WS_CWT_SIGNIFICANCE);
	wsi_cwt_put_rows(cwt, io, WS_CWT_SCALE);
	for (size_t c = 0; compared && c < plan->shape.channels && !wsi_cancelled(progress); ++c) {
		wsi_cwt_significance(cwt, io->x + c * io->x_stride, first, count,
		                     wsi_io_row(io, WS_CWT_SIGNIFICANCE, c, 0));
		wsi_progress_poll(progress);
	}
}

/* Frequencies f0 .. f0 + count - 1, which are sampled alike, into an array of theirs. */
static void
run_alike(const wsi_cwt_execution *e, int array, size_t f0, size_t count, size_t outputs)
{
	const ws_buffer *out = &e->io->arrays[array];
	const wsi_cwt_part job = {
		.spectra = e->spectra, .channels = e->plan->base.shape.channels,
		.f0 = f0, .f1 = f0 + count, .t0 = 0, .t1 = outputs,
		.out = out->data, .channel_stride = out->stride[0],
		.frequency_stride = out->stride[1],
	};
	wsi_cwt_run(e->plan->cwt, &job, e->pool, e->progress, e->scratch);
}

/* Octaves take as long as they have outputs. */
static void
run_octaves(const wsi_cwt_execution *e, double forward)
{
	const wsi_cwt *cwt = e->plan->cwt;
	double all = 0.0, done = 0.0;
	for (int o = 0; o < cwt->octaves; ++o)
		all += (double)cwt->octave[o].count * (double)cwt->octave[o].outputs;
	for (int o = 0; o < cwt->octaves && !wsi_cancelled(e->progress); ++o) {
		const wsi_cwt_octave *octave = &cwt->octave[o];
		const double share = (double)octave->count * (double)octave->outputs / all;
		size_t first = e->first, count = e->count;
		part(&e->plan->base, WS_CWT_ARRAYS + o, &first, &count);
		wsi_progress_step(e->progress, forward + done * (1.0 - forward),
		                  forward + (done + share) * (1.0 - forward));
		if (count)
			run_alike(e, WS_CWT_ARRAYS + o, octave->first + first, count,
			          octave->outputs);
		done += share;
	}
}

static void
run_frequencies(const wsi_cwt_execution *e, double forward)
{
	const wsi_cwt *cwt = e->plan->cwt;
	wsi_progress_step(e->progress, forward, 1.0);
	if (cwt->octaves)
		run_octaves(e, forward);
	else
		run_alike(e, quantity_array(cwt->o.quantity), e->first, e->count, cwt->outputs);
}

static ws_status
run(const ws_plan *plan, const wsi_io *io, wsi_progress *progress, void *workspace)
{
	ws_status status;
	if (io->on_device && cwt_of(plan)->o.significance && wsi_io_wants(io, WS_CWT_SIGNIFICANCE))
		return WSI_FAIL(WS_E_UNSUPPORTED, "significance is told of samples in the host's "
		                "memory: leave the array out, or copy the samples");
	if (plan->gpu) {
		status = wsi_gpu_run(plan, &((const wsi_cwt_plan *)plan)->job, io, progress);
	} else {
		wsi_pool pool;
		const wsi_cwt_execution e = wsi_cwt_begin(plan, io, progress, workspace, &pool);
		const double forward = wsi_cwt_forward_share(&e, 1.0);
		wsi_progress_step(progress, 0.0, forward);
		status = wsi_cwt_take(&e, 0, e.spectra);
		if (status == WS_OK)
			run_frequencies(&e, forward);
		wsi_pool_stop(&pool);
	}
	if (status == WS_OK)
		put_rows(plan, io, progress);
	return status;
}

static ws_status
on_gpu(const ws_shape *shape, const void *opts)
{
	const ws_cwt_opts *o = opts;
	WSI_TRY(wsi_cwt_gpu_takes(shape, opts));
	if (o && o->quantity && !quantity_has_kernels(o->quantity))
		return WSI_FAIL(WS_E_UNSUPPORTED, "this quantity is for the CPU: leave out "
		                "`device`, or take another `quantity`");
	return WS_OK;
}

/* ---- The row ----------------------------------------------------------------------------- */

const wsi_transform wsi_transform_cwt = {
	.about = {
		.name = "cwt", .title = "Wavelet transform",
		.summary = "continuous wavelet transform",
		.text = "Tells how much of each frequency every moment holds: the signal against a "
		"wavelet of each width (Torrence & Compo 1998). A tone of amplitude 1 has "
		"magnitude 1. Fast oscillations are told well in time, slow ones well in "
		"frequency.",
		.examples = (const char *const[]){
			"wavesift cwt night.edf --channels Cz --freqs 1:40 --plot cz.png\t"
			"one channel, drawn",
			"wavesift cwt night.edf --freqs 4,8,12 --quantity power --decimate 16\t"
			"power of three frequencies, every 16th sample",
			"wavesift cwt night.edf --quantity power --octave-arrays\teach octave no "
			"more often than it changes",
			"wavesift cwt x.npy --fs 500 --reference mne --freqs 4:40:37:lin\tas MNE "
			"does",
			NULL },
		.options_size = sizeof(ws_cwt_opts),
		.options_tag = WS_TAG_CWT, .family = "cwt", .group = "Analyse",
		.folder = "cwt", .type = WS_F32,
	},
	.options = wsi_cwt_options, .needs = wsi_cwt_needs, .options_name = "ws_cwt_opts",
	.arrays = arrays, .n_arrays = WS_CWT_ARRAYS, .plan_size = sizeof(wsi_cwt_plan),
	.resolve = resolve, .every = every, .fill = wsi_cwt_fill_plan, .empty = wsi_cwt_empty_plan,
	.extent = extent, .axis_values = axis_values, .measure = wsi_cwt_measure, .run = run,
	.describe = describe, .release = wsi_cwt_release, .on_gpu = on_gpu,
	.cut = WS_AXIS_FREQUENCY, .part = part, .fewer = "samples",
};
