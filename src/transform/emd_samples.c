/* emd_samples.c - looks at the samples of an execution, and at its results. */
#include "transform/emd.h"

#include <float.h>
#include <math.h>

#include "base/status.h"

/* Samples that a thread looks at between two looks at what is left. */
#define STRETCH 4096

typedef struct look {
	const wsi_emd_plan *plan;
	const wsi_io *io;
	wsi_range *ranges;      /* [row][stretch] */
	atomic_size_t next;     /* stretch that nobody has taken yet */
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
	return method == WS_EMD || method == WS_MEMD ? 0 : (size_t)plan->params.o.realizations;
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
look_job(void *arg, int rank, int size)
{
	look *l = arg;
	const wsi_emd_plan *plan = l->plan;
	const size_t n = plan->params.samples, per_row = stretches(plan);
	const size_t items = rows(plan, l->io) * per_row;
	(void)rank;
	(void)size;
	for (size_t item; (item = atomic_fetch_add(&l->next, 1)) < items;) {
		const size_t first = item % per_row * STRETCH;
		const size_t count = n - first < STRETCH ? n - first : STRETCH;
		const char *x = row(plan, l->io, item / per_row);
		x += first * plan->ops->element;
		if (all_good(plan, x, count))
			plan->ops->minmax(x, count, &l->ranges[item].low, &l->ranges[item].high);
		else
			atomic_store(&l->bad, true);
	}
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

/* Says what is wrong with row i, where anything is; rows and samples count from 1. */
static ws_status
check_row(const wsi_emd_plan *plan, const wsi_io *io, size_t i)
{
	const bool f64 = plan->ops->type == WS_F64, noise = i >= plan->base.shape.channels;
	const char *what = noise ? "noise realization" : "channel";
	const size_t number = noise ? i - plan->base.shape.channels + 1 : io->first_channel + i + 1;
	const void *x = row(plan, io, i);
	for (size_t k = 0; k < plan->params.samples; ++k) {
		double v = f64 ? ((const double *)x)[k] : (double)((const float *)x)[k];
		if (!isfinite(v))
			return WSI_FAIL(WS_E_FORMAT, "%s %zu, sample %zu is not finite: mend "
			                "or leave out that stretch", what, number, k + 1);
	}
	return WS_OK;
}

ws_status
wsi_look_at_samples(const wsi_emd_plan *plan, const wsi_io *io, wsi_pool *pool, wsi_range *ranges)
{
	wsi_pool alone = { .size = 1 };
	look l = { .plan = plan, .io = io, .ranges = ranges };
	atomic_init(&l.next, 0);
	atomic_init(&l.bad, false);
	wsi_pool_run(pool ? pool : &alone, look_job, &l);
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

ws_status
wsi_check_results(const wsi_emd_plan *plan, const wsi_io *io, const wsi_range *ranges)
{
	const size_t n = plan->params.samples;
	for (size_t c = 0; c < plan->base.shape.channels; ++c) {
		if (!may_overflow(plan, ranges[c]))
			continue;
		const int modes = *(int32_t *)wsi_io_row(io, WS_EMD_MODE_COUNT, c, 0);
		bool good = all_good(plan, wsi_io_row(io, WS_EMD_RESIDUE, c, 0), n);
		for (int k = 0; k < modes; ++k)
			good = good &&
			       all_good(plan, wsi_io_row(io, WS_EMD_MODES, c, (size_t)k), n);
		if (!good)
			return WSI_FAIL(WS_E_FORMAT, "channel %zu: its modes are more than %s "
			                "holds; choose another unit", io->first_channel + c + 1,
			                plan->ops->type == WS_F64 ? "f64" : "f32");
	}
	return WS_OK;
}
