/* samples.c - looks at the samples of an execution, and at its results. */
#include "transform/emd/emd.h"

#include <float.h>
#include <math.h>

#include "base/element.h"
#include "base/status.h"

/* Samples that a thread looks at between two looks at what is left. */
#define STRETCH 4096

typedef struct look {
	const wsi_emd_plan *plan;
	const wsi_io *io;
	wsi_range *ranges;      /* [row][stretch] */
	atomic_bool bad;
} look;

/* Passes without branches, which the compiler vectorises; NaN compares false. */
static bool
all_good_64(const double *x, size_t n)
{
	int bad = 0;
	for (size_t i = 0; i < n; ++i)
		bad |= !(fabs(x[i]) <= DBL_MAX);
	return !bad;
}

static bool
all_good_32(const float *x, size_t n)
{
	int bad = 0;
	for (size_t i = 0; i < n; ++i)
		bad |= !(fabsf(x[i]) <= FLT_MAX);
	return !bad;
}

static bool
all_good(const wsi_emd_plan *plan, const void *x, size_t n)
{
	return plan->ops->type == WS_F64 ? all_good_64(x, n) : all_good_32(x, n);
}

/* ---- Rows are the channels, then the realizations of the caller's noise ---------------- */

static size_t
noise_rows(const wsi_emd_plan *plan)
{
	const ws_method method = plan->params.o.method;
	return method == WS_METHOD_EMD || method == WS_METHOD_MEMD ? 0
		: (size_t)plan->params.o.realizations;
}

static size_t
rows(const wsi_emd_plan *plan, const wsi_io *io)
{
	return plan->base.shape.channels + (io->noise ? noise_rows(plan) : 0);
}

static size_t
stretches(const wsi_emd_plan *plan)
{
	return (plan->params.samples + STRETCH - 1) / STRETCH;
}

size_t
wsi_ranges_bytes(const wsi_emd_plan *plan)
{
	return (plan->base.shape.channels + noise_rows(plan)) * stretches(plan) * sizeof(wsi_range);
}

static const void *
row(const wsi_emd_plan *plan, const wsi_io *io, size_t i)
{
	const size_t channels = plan->base.shape.channels;
	if (i < channels)
		return io->x + i * io->x_stride;
	return (const char *)io->noise +
	       (i - channels) * plan->params.samples * plan->ops->element;
}

/* ---- The pass ---------------------------------------------------------------------------- */

static void
look_at_stretch(void *arg, size_t i, int rank)
{
	look *l = arg;
	const wsi_emd_plan *plan = l->plan;
	const size_t n = plan->params.samples, per_row = stretches(plan);
	const size_t first = i % per_row * STRETCH;
	const size_t count = n - first < STRETCH ? n - first : STRETCH;
	const char *x = row(plan, l->io, i / per_row);
	x += first * plan->ops->element;
	(void)rank;
	if (all_good(plan, x, count))
		plan->ops->minmax(x, count, &l->ranges[i].low, &l->ranges[i].high);
	else
		atomic_store(&l->bad, true);
}

/* One range for each row, in place. */
static void
join_stretches(const wsi_emd_plan *plan, const wsi_io *io, wsi_range *ranges)
{
	const size_t per_row = stretches(plan);
	for (size_t i = 0; i < rows(plan, io); ++i) {
		wsi_range all = ranges[i * per_row];
		for (size_t k = 1; k < per_row; ++k) {
			const wsi_range *r = &ranges[i * per_row + k];
			all = (wsi_range){ fmin(all.low, r->low), fmax(all.high, r->high) };
		}
		ranges[i] = all;
	}
}

/* Sample k of row i is not finite. */
static ws_status
refuse_sample(const wsi_emd_plan *plan, const wsi_io *io, size_t i, size_t k)
{
	const bool noise = i >= plan->base.shape.channels;
	const size_t number = noise ? i - plan->base.shape.channels : io->first_channel + i;
	return WSI_FAIL(WS_E_FORMAT, "%s %zu, sample %zu is not finite: mend or leave out that "
	                "stretch", noise ? "noise realization" : "channel", WSI_NO(number),
	                WSI_NO(k));
}

static ws_status
check_row(const wsi_emd_plan *plan, const wsi_io *io, size_t i)
{
	const void *x = row(plan, io, i);
	for (size_t k = 0; k < plan->params.samples; ++k) {
		if (!isfinite(wsi_real_at(x, plan->ops->type, k)))
			return refuse_sample(plan, io, i, k);
	}
	return WS_OK;
}

/* ---- The same of rows in a GPU's memory -------------------------------------------------- */

/* Rows of one call. */
#define LOOKED_AT 64

/* n rows, stride bytes apart.  bad: the first that holds a number that is not finite, and its
 * sample; n where there is none. */
static ws_status
look_on_device(const wsi_emd_plan *plan, const wsi_io *io, const void *x, size_t stride, size_t n,
               wsi_range *ranges, size_t bad[2])
{
	const wsi_gpu *gpu = plan->base.gpu;
	double low[LOOKED_AT], high[LOOKED_AT];
	size_t not_finite[LOOKED_AT];
	wsi_why why = { "" };
	bad[0] = n;
	for (size_t first = 0; first < n; first += LOOKED_AT) {
		const size_t count = n - first < LOOKED_AT ? n - first : LOOKED_AT;
		const ws_status status = gpu->backend->look(
			gpu->device, (const char *)x + first * stride, stride, count,
			plan->params.samples, plan->params.type, io->stream, low, high, not_finite,
			&why);
		if (status != WS_OK)
			return WSI_FAIL(status, "device %s: %s", gpu->name, why.text);
		for (size_t i = 0; i < count; ++i) {
			ranges[first + i] = (wsi_range){ low[i], high[i] };
			if (not_finite[i] == SIZE_MAX || bad[0] < n)
				continue;
			bad[0] = first + i;
			bad[1] = not_finite[i];
		}
	}
	return WS_OK;
}

static ws_status
look_at_device_rows(const wsi_emd_plan *plan, const wsi_io *io, wsi_range *ranges)
{
	const size_t channels = plan->base.shape.channels;
	size_t bad[2];
	WSI_TRY(look_on_device(plan, io, io->x, io->x_stride, channels, ranges, bad));
	if (bad[0] < channels)
		return refuse_sample(plan, io, bad[0], bad[1]);
	const size_t n = rows(plan, io) - channels;
	WSI_TRY(look_on_device(plan, io, io->noise, plan->params.samples * plan->ops->element, n,
	                       ranges + channels, bad));
	return bad[0] < n ? refuse_sample(plan, io, channels + bad[0], bad[1]) : WS_OK;
}

/* ---- Either ------------------------------------------------------------------------------ */

ws_status
wsi_look_at_samples(const wsi_emd_plan *plan, const wsi_io *io, wsi_pool *pool, wsi_range *ranges)
{
	wsi_pool alone = { .size = 1 };
	if (io->on_device)
		return look_at_device_rows(plan, io, ranges);
	look l = { .plan = plan, .io = io, .ranges = ranges };
	atomic_init(&l.bad, false);
	wsi_pool_items(pool ? pool : &alone, rows(plan, io) * stretches(plan), look_at_stretch, &l);
	for (size_t i = 0; atomic_load(&l.bad) && i < rows(plan, io); ++i)
		WSI_TRY(check_row(plan, io, i));
	join_stretches(plan, io, ranges);
	return WS_OK;
}

/* ---- Results ------------------------------------------------------------------------------ */

/* A mode may be a few times as large as its signal. */
static bool
may_overflow(const wsi_emd_plan *plan, wsi_range range)
{
	const double largest = plan->ops->type == WS_F64 ? DBL_MAX : (double)FLT_MAX;
	return fmax(fabs(range.low), fabs(range.high)) > largest / 1024.0;
}

/* Are all numbers of a result's row finite? */
static ws_status
check_finite(const wsi_emd_plan *plan, const wsi_io *io, const void *x, bool *good)
{
	wsi_range range;
	size_t bad[2] = { 1 };
	if (io->on_device)
		WSI_TRY(look_on_device(plan, io, x, 0, 1, &range, bad));
	*good = *good && (io->on_device ? bad[0] == 1 : all_good(plan, x, plan->params.samples));
	return WS_OK;
}

ws_status
wsi_check_results(const wsi_emd_plan *plan, const wsi_io *io, const wsi_range *ranges)
{
	for (size_t c = 0; c < plan->base.shape.channels; ++c) {
		if (!may_overflow(plan, ranges[c]))
			continue;
		const int modes = *(int32_t *)wsi_io_row(io, WS_EMD_MODE_COUNT, c, 0);
		bool good = true;
		WSI_TRY(check_finite(plan, io, wsi_io_row(io, WS_EMD_RESIDUE, c, 0), &good));
		for (int k = 0; k < modes; ++k)
			WSI_TRY(check_finite(plan, io, wsi_io_row(io, WS_EMD_MODES, c, (size_t)k),
			                     &good));
		if (!good)
			return WSI_FAIL(WS_E_FORMAT, "channel %zu: its modes are more than %s "
			                "holds; choose another unit", WSI_NO(io->first_channel + c),
			                plan->ops->type == WS_F64 ? "f64" : "f32");
	}
	return WS_OK;
}
