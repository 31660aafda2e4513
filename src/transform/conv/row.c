/* row.c - the row of conv, convolution with many masks: its arrays, memory and work. */
#include "transform/conv/conv.h"

#include <string.h>

#include "base/status.h"
#include "cpu/conv/conv.h"
#include "transform/on_gpu.h"

static const wsi_array arrays[WS_CONV_ARRAYS] = {
	[WS_CONV_SIGNAL] = { "signal", "the samples", WSI_REAL,
		{ WS_AXIS_CHANNEL, WS_AXIS_TIME }, WS_ARRAY_SIGNAL },
	[WS_CONV_RESPONSES] = { "responses", "sums of samples by masks", WSI_REAL,
		{ WS_AXIS_CHANNEL, WS_AXIS_MASK, WS_AXIS_TIME }, WS_ARRAY_MAIN },
	[WS_CONV_METHOD] = { "method", "1 direct, 2 by FFT, 3 by overlap-save", WSI_I32,
		{ WS_AXIS_MASK }, WS_ARRAY_OPTIONAL },
};

static size_t
extent(const ws_plan *base, int array, ws_axis axis)
{
	const wsi_conv_plan *plan = wsi_conv_plan_of(base);
	if (array == WS_CONV_SIGNAL)
		return base->shape.samples;
	return axis == WS_AXIS_MASK ? plan->masks : plan->conv.outputs;
}

static wsi_element
element(const ws_plan *base, int array, wsi_element declared)
{
	return array == WS_CONV_RESPONSES && wsi_conv_plan_of(base)->complex
	        ? WSI_COMPLEX : declared;
}

static bool
axis_values(const ws_plan *base, int array, ws_axis axis, double *values)
{
	const wsi_conv_plan *plan = wsi_conv_plan_of(base);
	const size_t n = extent(base, array, axis);
	if (array == WS_CONV_SIGNAL)
		return false;
	if (axis == WS_AXIS_TIME) {
		for (size_t i = 0; i < n; ++i)
			values[i] = (double)(plan->conv.first + (int64_t)i * plan->conv.every) /
			            plan->fs;
		return true;
	}
	if (axis != WS_AXIS_MASK || !plan->scales)
		return false;
	memcpy(values, plan->scales, n * sizeof *values);
	return true;
}

static size_t
every(const ws_plan *base, int array)
{
	const wsi_conv_plan *plan = wsi_conv_plan_of(base);
	(void)array;
	return plan->conv.first == 0 && plan->o.oversample == 1 ? (size_t)plan->conv.every : 0;
}

/* ---- Work ------------------------------------------------------------------------------- */

/* Bytes of the oversampled signal, and of making it. */
static void
lay_out_oversampled(const wsi_conv_plan *plan, char **y, char **scratch, wsi_arena *arena)
{
	const bool any = plan->o.oversample > 1;
	*y = wsi_arena_take(arena, any ? plan->base.shape.channels * plan->conv.n *
	                    wsi_type_size(plan->base.shape.type) : 0);
	*scratch = wsi_arena_take(arena, any ? wsi_oversample_bytes(&plan->over) : 0);
}

static ws_status
measure(ws_plan *base, bool aside)
{
	const wsi_conv_plan *plan = wsi_conv_plan_of(base);
	wsi_arena arena = { 0 };
	char *y, *scratch;
	(void)aside;
	lay_out_oversampled(plan, &y, &scratch, &arena);
	if (base->gpu)
		WSI_TRY(wsi_gpu_measure(base, &plan->gpu, sizeof plan->gpu));
	else
		wsi_arena_take(&arena, wsi_conv_bytes(&plan->conv));
	base->workspace = arena.used;
	size_t making;
	const size_t values = plan->forms ? 0 : wsi_conv_take_bytes(&plan->bank, &plan->spectra,
		plan->made, plan->makers, &making);
	base->tables = wsi_conv_spectra_tables(&plan->spectra) + (plan->given ? 0 : values);
	base->making = plan->given || plan->forms ? 0 : making;
	base->host_bytes += plan->bank.groups * sizeof *plan->bank.group +
		plan->spectra.rows * sizeof *plan->spectra.row + (plan->given ? values : 0);
	return WS_OK;
}

/* own: io, or where the signal is oversampled what it becomes; a GPU oversamples what is in its
 * memory. */
static ws_status
take_samples(const wsi_conv_plan *plan, const wsi_io *io, wsi_io *own, wsi_progress *progress,
             wsi_arena *arena)
{
	char *y, *scratch;
	*own = *io;
	lay_out_oversampled(plan, &y, &scratch, arena);
	if (plan->o.oversample == 1)
		return WS_OK;
	if (io->on_device && (plan->over.model == WS_INTERPOLATE_AUTOREGRESSIVE ||
	                      plan->o.accumulators > 1 || plan->o.narrow))
		return WSI_FAIL(WS_E_UNSUPPORTED, "signals in the device's memory are not "
		                "oversampled there by the autoregressive model, nor before several "
		                "accumulators or numbers of 16 bits: hand over arrays in this "
		                "machine's memory");
	if (io->on_device)
		return WS_OK;
	WSI_TRY(wsi_oversample_run(&plan->over, io->x, io->x_stride, io->first_channel, y,
	                           progress, scratch));
	own->x = y;
	own->x_stride = plan->conv.n * wsi_type_size(plan->base.shape.type);
	return WS_OK;
}

static ws_status
run(const ws_plan *base, const wsi_io *io, wsi_progress *progress, void *workspace)
{
	const wsi_conv_plan *plan = wsi_conv_plan_of(base);
	const size_t masks = io->count ? io->count : plan->masks;
	int32_t *method = wsi_io_wants(io, WS_CONV_METHOD) ? wsi_io_row(io, WS_CONV_METHOD, 0, 0)
	                  : NULL;
	wsi_arena arena = { .base = workspace };
	wsi_io own;
	WSI_TRY(take_samples(plan, io, &own, progress, &arena));
	if (wsi_cancelled(progress))
		return WS_OK;
	for (size_t i = 0; method && i < masks; ++i)
		method[i] = plan->method[io->first + i];
	if (base->gpu)
		return wsi_gpu_run(base, &plan->gpu, &own, progress);
	void *rest = wsi_arena_take(&arena, wsi_conv_bytes(&plan->conv));
	return wsi_conv_run(&plan->conv, &own, WS_CONV_RESPONSES, progress, rest);
}

static void
describe(const ws_plan *base, wsi_line *to)
{
	static const char *const extents[] = { "", "same", "full", "valid" };
	static const char *const names[] = { "", "direct", "by FFT", "by overlap-save" };
	static const char *const sums[] = { "", "plain", "f64", "compensated" };
	static const char *const narrow[] = { "", " of f16", " of bf16" };
	static const char *const models[] = { "", "linear", "cubic", "band-limited",
		"autoregressive", "kernel" };
	const wsi_conv_plan *plan = wsi_conv_plan_of(base);
	const ws_conv_opts *o = &plan->o;
	wsi_line_put(to, "  method     conv, %s, extent %s, every %d, %s sums%s",
	             o->flip ? "convolution" : "correlation", extents[o->extent], o->decimate,
	             sums[o->sums], narrow[o->narrow]);
	if (o->accumulators > 1)
		wsi_line_put(to, ", %d accumulators", o->accumulators);
	const char *before = ": ";
	for (int m = WS_CONV_DIRECT; m <= WS_CONV_OVERLAP_SAVE; ++m)
		if (plan->of_method[m]) {
			wsi_line_put(to, "%s%zu %s", before, plan->of_method[m], names[m]);
			before = ", ";
		}
	wsi_line_put(to, "\n  masks      %zu of %zu to %zu taps, %s, ", plan->masks,
	             plan->shortest, plan->longest, plan->complex ? "complex" : "real");
	if (plan->forms)
		wsi_line_put(to, "made by the GPU\n");
	else
		wsi_line_put(to, "%.1f MiB\n",
		             (double)((plan->bank.count + plan->spectra.count) *
		                      wsi_type_size(plan->bank.type)) / 1048576.0);
	if (o->oversample > 1)
		wsi_line_put(to, "  samples    %d for one, %s\n", o->oversample,
		             models[o->interpolation]);
	if (base->gpu)
		wsi_gpu_describe(base, &plan->gpu, to);
	else
		wsi_line_put(to, "  kernels    cpu/%s/%s, %d thread%s\n", base->isa,
		             plan->conv.ops->type == WS_F64 ? "f64" : "f32", base->threads,
		             base->threads == 1 ? "" : "s");
	if (base->note[0])
		wsi_line_put(to, "  not used   %s\n", base->note);
	wsi_line_put(to, "  workspace  %.1f MiB\n",
	             (double)(base->gpu ? base->device_bytes : base->workspace) / 1048576.0);
}

static ws_status
on_gpu(const ws_shape *shape, const void *opts)
{
	(void)shape;
	(void)opts;
	return WS_OK;
}

/* But for Fourier transforms. */
static bool
same_anywhere(const ws_plan *base)
{
	const wsi_conv_plan *plan = wsi_conv_plan_of(base);
	return plan->of_method[WS_CONV_DIRECT] == plan->masks;
}

const wsi_transform wsi_transform_conv = {
	{ "conv", "Convolution", "convolution with many masks",
	  "Sums of the signal by masks of any lengths: a few formulae at many scales, or masks of "
	  "your own, such as measured wavelets or matched filters.",
	  (const char *const[]){
		  "wavesift conv bearing.wav --mask-formula morlet --scales 1:200:200\tMorlet "
		  "masks of 17 to 3201 taps",
		  "wavesift conv eeg.edf --masks filters.npy --flip\ta filter bank", NULL },
	  sizeof(ws_conv_opts), "conv", "Analyse", "conv", WS_F64, 0, 0, WS_TAG_CONV },
	.options = wsi_conv_options, .needs = wsi_conv_needs, .options_name = "ws_conv_opts",
	.arrays = arrays, .n_arrays = WS_CONV_ARRAYS, .plan_size = sizeof(wsi_conv_plan),
	.resolve = wsi_conv_resolve, .every = every, .fill = wsi_conv_fill,
	.empty = wsi_conv_empty, .keep = wsi_conv_keep,
	.extent = extent, .element = element, .axis_values = axis_values, .measure = measure,
	.run = run, .describe = describe, .release = wsi_conv_release, .on_gpu = on_gpu,
	.cut = WS_AXIS_MASK, .fewer = "samples or masks", .same_anywhere = same_anywhere,
};
