/*
 * moving_rms.c - the transform `rms`: the root of the mean square in a window that moves over a
 * channel.  docs/adding-a-transform.md explains it part by part.
 */
#include "moving_rms.h"

#include <float.h>
#include <math.h>

#include "base/status.h"
#include "transform/transform.h"

/* ---- What it is asked ------------------------------------------------------------------- */

static const ws_option window = {
	"window", "S", "Length of the window in seconds. Default: 0.1.",
	.kind = WS_OPTION_REAL, .offset = offsetof(moving_rms_opts, window),
	.low = DBL_TRUE_MIN, .high = HUGE_VAL,
};
static const ws_option edge = {
	"edge", "HOW",
	"At the ends the window keeps the samples that there are (shrink, default), or reaches "
	"over zeros (zero).", .kind = WS_OPTION_CHOICE, .offset = offsetof(moving_rms_opts, edge),
	.choices = (const ws_choice[]){ { "shrink", MOVING_RMS_SHRINK },
		{ "zero", MOVING_RMS_ZERO }, { NULL, 0 } },
};
static const ws_option *const options[] = { &window, &edge, NULL };

/* ---- What it makes ---------------------------------------------------------------------- */

static const wsi_array arrays[MOVING_RMS_ARRAYS] = {
	[MOVING_RMS_SIGNAL] = { "signal", "the samples", WSI_REAL,
		{ WS_AXIS_CHANNEL, WS_AXIS_TIME }, WS_ARRAY_SIGNAL },
	[MOVING_RMS_RMS] = { "rms", "root of the mean square", WSI_REAL,
		{ WS_AXIS_CHANNEL, WS_AXIS_TIME }, WS_ARRAY_MAIN },
	[MOVING_RMS_PEAK] = { "peak", "its largest", WSI_F64, { WS_AXIS_CHANNEL },
		WS_ARRAY_OPTIONAL },
};

/* ---- The plan --------------------------------------------------------------------------- */

typedef struct rms_plan {
	ws_plan base;
	moving_rms_opts o;      /* resolved */
	size_t reach;           /* samples before and after the one in the middle */
} rms_plan;

static ws_status
resolve(ws_plan *base, const void *asked)
{
	rms_plan *plan = (rms_plan *)base;
	plan->o = *(const moving_rms_opts *)asked;
	if (!plan->o.window)
		plan->o.window = 0.1;
	if (!plan->o.edge)
		plan->o.edge = MOVING_RMS_SHRINK;
	const double samples = plan->o.window * base->shape.fs;
	if (!(samples >= 1 && samples <= (double)base->shape.samples))
		return WSI_FAIL(WS_E_ARG, "window: %g s are %g samples, of a signal of %zu",
		                plan->o.window, samples, base->shape.samples);
	plan->reach = (size_t)(samples / 2);
	base->options = &plan->o;
	base->seconds = 1e-9 * (double)base->shape.channels * (double)base->shape.samples * samples;
	return WS_OK;
}

static void
describe(const ws_plan *base, wsi_line *to)
{
	const rms_plan *plan = (const rms_plan *)base;
	wsi_line_put(to, "  method     rms, %zu samples a window\n"
	             "  kernels    cpu, %d threads, a channel each\n", 2 * plan->reach + 1,
	             base->threads);
}

/* ---- The work --------------------------------------------------------------------------- */

static double
square(const void *x, ws_type type, size_t i)
{
	const double v = type == WS_F64 ? ((const double *)x)[i] : (double)((const float *)x)[i];
	return v * v;
}

static ws_status
channel(const ws_plan *base, const wsi_io *io, size_t c)
{
	const rms_plan *plan = (const rms_plan *)base;
	const ws_type type = base->shape.type;
	const size_t n = base->shape.samples, reach = plan->reach;
	const char *x = io->x + c * io->x_stride;
	double peak = 0;
	for (size_t i = 0; i < n; ++i) {
		const size_t first = i > reach ? i - reach : 0;
		const size_t end = n - i > reach ? i + reach + 1 : n;
		double sum = 0;
		for (size_t k = first; k < end; ++k)
			sum += square(x, type, k);
		const size_t of = plan->o.edge == MOVING_RMS_ZERO ? 2 * reach + 1 : end - first;
		const double root = sqrt(sum / (double)of);
		peak = fmax(peak, root);
		if (wsi_io_wants(io, MOVING_RMS_RMS) && type == WS_F64)
			((double *)wsi_io_row(io, MOVING_RMS_RMS, c, 0))[i] = root;
		else if (wsi_io_wants(io, MOVING_RMS_RMS))
			((float *)wsi_io_row(io, MOVING_RMS_RMS, c, 0))[i] = (float)root;
	}
	if (wsi_io_wants(io, MOVING_RMS_PEAK))
		*(double *)wsi_io_row(io, MOVING_RMS_PEAK, c, 0) = peak;
	return WS_OK;
}

static ws_status
run(const ws_plan *plan, const wsi_io *io, wsi_progress *progress, void *workspace)
{
	(void)workspace;
	return wsi_each_channel(plan, io, progress, channel);
}

/* ---- The row ---------------------------------------------------------------------------- */

static const wsi_transform rms = {
	{ "rms", "Moving RMS", "how strong a signal is, moment by moment",
	  "Takes the root of the mean square of every channel in a window that moves over it.",
	  (const char *const[]){ "wavesift rms night.edf --window 0.5\thalf a second", NULL },
	  sizeof(moving_rms_opts), .options_tag = MOVING_RMS_TAG, .group = "Analyse" },
	.options = options, .options_name = "moving_rms_opts",
	.arrays = arrays, .n_arrays = MOVING_RMS_ARRAYS, .plan_size = sizeof(rms_plan),
	.resolve = resolve, .measure = wsi_no_workspace, .run = run, .describe = describe,
};

/* A row of the library stands in src/transform/table.c instead. */
__attribute__((constructor)) static void
add_row(void)
{
	wsi_transform_register(&rms);
}
