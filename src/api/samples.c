/* samples.c - see samples.h. */
#include "api/samples.h"

#include <math.h>

#include "base/status.h"

/* Samples that a thread looks at between two looks at what is left. */
#define STRETCH 4096

typedef struct check {
	const ws_plan *plan;
	const ws_emd_io *io;
	atomic_size_t next;     /* stretch that nobody has taken yet */
	atomic_bool bad;
} check;

/* Passes without branches, which the compiler vectorises; NaN compares false. */
static bool
all_good_64(const double *x, size_t n)
{
	int bad = 0;
	for (size_t i = 0; i < n; ++i)
		bad |= !(fabs(x[i]) <= WS_LARGEST_F64);
	return !bad;
}

static bool
all_good_32(const float *x, size_t n)
{
	int bad = 0;
	for (size_t i = 0; i < n; ++i)
		bad |= !(fabsf(x[i]) <= (float)WS_LARGEST_F32);
	return !bad;
}

static bool
all_good(const ws_plan *plan, const void *x, size_t n)
{
	return plan->ops->type == WS_F64 ? all_good_64(x, n) : all_good_32(x, n);
}

/* Rows are the channels, then the realizations of the caller's noise. */
static size_t
rows(const ws_plan *plan, const ws_emd_io *io)
{
	const ws_method method = plan->params.o.method;
	const bool noise = io->noise && method != WS_EMD && method != WS_MEMD;
	return plan->channels + (noise ? (size_t)plan->params.o.realizations : 0);
}

static const void *
row(const ws_plan *plan, const ws_emd_io *io, size_t i)
{
	const size_t bytes = plan->params.samples * plan->ops->element;
	return i < plan->channels ? (const char *)io->x + i * bytes
	                          : (const char *)io->noise + (i - plan->channels) * bytes;
}

static void
check_job(void *arg, int rank, int size)
{
	check *c = arg;
	const size_t n = c->plan->params.samples, per_row = (n + STRETCH - 1) / STRETCH;
	const size_t items = rows(c->plan, c->io) * per_row;
	(void)rank;
	(void)size;
	for (size_t item; (item = atomic_fetch_add(&c->next, 1)) < items;) {
		const size_t first = item % per_row * STRETCH;
		const char *x = row(c->plan, c->io, item / per_row);
		if (!all_good(c->plan, x + first * c->plan->ops->element,
		              n - first < STRETCH ? n - first : STRETCH))
			atomic_store(&c->bad, true);
	}
}

/* Says what is wrong with row i, where anything is; rows and samples count from 1. */
static ws_status
check_row(const ws_plan *plan, const ws_emd_io *io, size_t i)
{
	const bool f64 = plan->ops->type == WS_F64, noise = i >= plan->channels;
	const char *what = noise ? "noise realization" : "channel";
	const size_t number = noise ? i - plan->channels + 1 : io->first_channel + i + 1;
	const void *x = row(plan, io, i);
	for (size_t k = 0; k < plan->params.samples; ++k) {
		double v = f64 ? ((const double *)x)[k] : (double)((const float *)x)[k];
		if (!isfinite(v))
			return WSI_FAIL(WS_E_FORMAT, "%s %zu, sample %zu is not finite: mend or leave out "
			                "that stretch", what, number, k + 1);
		if (fabs(v) > (f64 ? WS_LARGEST_F64 : WS_LARGEST_F32))
			return WSI_FAIL(WS_E_FORMAT, "%s %zu, sample %zu is %g, too large to be squared: "
			                "choose another unit", what, number, k + 1, v);
	}
	return WS_OK;
}

ws_status
wsi_check_samples(const ws_plan *plan, const ws_emd_io *io, wsi_pool *pool)
{
	wsi_pool alone = { .size = 1 };
	check c = { .plan = plan, .io = io };
	atomic_init(&c.next, 0);
	atomic_init(&c.bad, false);
	wsi_pool_run(pool ? pool : &alone, check_job, &c);
	for (size_t i = 0; atomic_load(&c.bad) && i < rows(plan, io); ++i)
		WSI_TRY(check_row(plan, io, i));
	return WS_OK;
}
