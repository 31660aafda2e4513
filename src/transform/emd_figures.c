/* emd_figures.c - what a mode holds: mean, standard deviation, frequency and band. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/cpu_probe.h"
#include "base/items.h"
#include "base/sized.h"
#include "base/status.h"
#include "math/half_waves.h"
#include "math/sum.h"
#include "transform/emd.h"

typedef struct row {
	const wsi_ops *ops;
	const void *x;
	size_t n;
} row;

static double
sample(const row *r, size_t i)
{
	return r->ops->type == WS_F64 ? ((const double *)r->x)[i]
	                              : (double)((const float *)r->x)[i];
}

/* The sum of all samples over divisor, in the same order. */
static double
divided_sum(const row *r, double divisor)
{
	wsi_growing_sum sum = { .n = 0 };
	for (size_t i = 0; i < r->n; i += WSI_SUM_BLOCK) {
		double v[WSI_SUM_BLOCK];
		for (size_t k = 0; k < WSI_SUM_BLOCK; ++k)
			v[k] = i + k < r->n ? sample(r, i + k) / divisor : 0.0;
		growing_add(&sum, sum32_f64(v));
	}
	return growing_total(&sum);
}

static ws_status
check_finite(const row *r)
{
	for (size_t i = 0; i < r->n; ++i)
		if (!isfinite(sample(r, i)))
			return WSI_FAIL(WS_E_FORMAT, "sample %zu of the row is not finite: mend "
			                "or leave out that stretch", i + 1);
	return WS_OK;
}

/* Frequencies, in cycles a sample, of a row that varies. */
static void
describe(const wsi_half_waves *h, ws_mode_figures *f)
{
	wsi_pair sum = { 0.0, 0.0 }, below = sum;
	for (int i = 0; i < WSI_CLASSES; ++i)
		sum += h->classes[0][i] + h->classes[1][i];
	f->half_waves = h->crossings;
	if (!(sum[0] > 0.0))
		return;
	f->frequency = sum[1] / sum[0];
	f->effective_half_waves = sum[0] * sum[0] / h->squares;
	/* The quartiles, by the mean frequency of the class they fall in. */
	for (int i = 0; i < WSI_CLASSES && f->band_high == 0.0; ++i) {
		const wsi_pair c = h->classes[0][i] + h->classes[1][i];
		if (!(c[0] > 0.0))
			continue;
		below += c;
		if (f->band_low == 0.0 && below[0] >= 0.25 * sum[0])
			f->band_low = c[1] / c[0];
		if (below[0] >= 0.75 * sum[0])
			f->band_high = c[1] / c[0];
	}
}

/* sum, if finite, and largest magnitude of the row.  It is brought to at most 1 by a
 * power of two, so that no square leaves the range. */
static void
measure(const row *r, double sum, double peak, ws_mode_figures *f)
{
	int exponent;
	frexp(peak, &exponent);
	const int shift = exponent < -1000 ? -1000 : exponent;
	const double scale = ldexp(1.0, -shift);
	const double mean = isfinite(sum) ? sum / (double)r->n * scale
	                    : divided_sum(r, ldexp(1.0, shift)) / (double)r->n;
	wsi_half_waves h;
	memset(&h, 0, sizeof h);
	r->ops->half_waves(r->x, r->n, scale, mean, &h);
	/* All samples lie on one side of the mean: they are equal, but for its rounding. */
	if (h.crossings == 0)
		return;
	f->mean = ldexp(mean, shift);
	f->deviation = ldexp(sqrt(h.energy / (double)r->n), shift);
	describe(&h, f);
}

ws_status
ws_mode_stats(const void *x, ws_type type, size_t n, double fs, ws_mode_figures *figures)
{
	if (!figures)
		return WSI_FAIL(WS_E_ARG, "ws_mode_stats: figures is NULL");
	WSI_TRY(wsi_sized_check("ws_mode_figures", figures->size,
	                        WSI_UP_TO(ws_mode_figures, frequency)));
	if (!x || n == 0)
		return WSI_FAIL(WS_E_ARG, "a row needs at least one sample");
	if (type != WS_F64 && type != WS_F32)
		return WSI_FAIL(WS_E_ARG, "ws_type %d is neither WS_F64 nor WS_F32", (int)type);
	if (!(fs > 0.0) || !isfinite(fs))
		return WSI_FAIL(WS_E_ARG, "the sampling rate must be above 0, not %g", fs);
	const row r = { .ops = wsi_ops_find(wsi_cpu_isa(0), type), .x = x, .n = n };
	ws_mode_figures f = { 0 };
	double peak;
	const double sum = r.ops->sum_and_peak(x, n, &peak);
	if (!isfinite(sum))
		WSI_TRY(check_finite(&r));
	f.mean = sample(&r, 0);
	measure(&r, sum, peak, &f);
	f.frequency *= fs;
	f.band_low *= fs;
	f.band_high *= fs;
	f.crossing_frequency = 0.5 * (double)f.half_waves / (double)n * fs;
	wsi_sized_fill(figures, &f, sizeof f);
	return WS_OK;
}

/* ---- Of all modes of an execution -------------------------------------------------------- */

typedef struct all_rows {
	const wsi_emd_plan *plan;
	const wsi_io *io;
	double *deviations;     /* [channel][max_modes + 1], the residue's after the modes' */
	wsi_items rows;
} all_rows;

size_t
wsi_emd_figures_bytes(const wsi_emd_plan *plan)
{
	return plan->base.shape.channels * ((size_t)plan->params.o.max_modes + 1) * sizeof(double);
}

bool
wsi_emd_wants_figures(const wsi_io *io)
{
	for (int i = WS_EMD_FREQUENCY; i < WS_EMD_ARRAYS; ++i)
		if (wsi_io_wants(io, i))
			return true;
	return false;
}

static size_t
mode_count(const wsi_io *io, size_t channel)
{
	return (size_t)*(const int32_t *)wsi_io_row(io, WS_EMD_MODE_COUNT, channel, 0);
}

static void
set(const wsi_io *io, int array, size_t channel, size_t mode, double value)
{
	if (wsi_io_wants(io, array))
		*(double *)wsi_io_row(io, array, channel, mode) = value;
}

/* Row `mode` of a channel; the residue is the one after its modes. */
static void
figures_of(all_rows *a, size_t channel, size_t mode)
{
	const ws_shape *shape = &a->plan->base.shape;
	const wsi_io *io = a->io;
	const size_t modes = mode_count(io, channel);
	const void *x = mode < modes ? wsi_io_row(io, WS_EMD_MODES, channel, mode)
	                : wsi_io_row(io, WS_EMD_RESIDUE, channel, 0);
	ws_mode_figures f = { .size = sizeof f };
	/* Results are finite here: nothing can be wrong. */
	(void)ws_mode_stats(x, shape->type, shape->samples, shape->fs, &f);
	a->deviations[channel * ((size_t)a->plan->params.o.max_modes + 1) + mode] = f.deviation;
	if (mode == modes)
		return;
	set(io, WS_EMD_FREQUENCY, channel, mode, f.frequency);
	set(io, WS_EMD_BAND_LOW, channel, mode, f.band_low);
	set(io, WS_EMD_BAND_HIGH, channel, mode, f.band_high);
	set(io, WS_EMD_HALF_WAVES, channel, mode, (double)f.half_waves);
	set(io, WS_EMD_EFFECTIVE_HALF_WAVES, channel, mode, f.effective_half_waves);
	set(io, WS_EMD_CROSSING_FREQUENCY, channel, mode, f.crossing_frequency);
}

static void
figures_job(void *arg, int rank, int size)
{
	all_rows *a = arg;
	const size_t per_channel = (size_t)a->plan->params.o.max_modes + 1;
	(void)size;
	for (size_t i; wsi_items_next(&a->rows, rank, &i);)
		if (i % per_channel <= mode_count(a->io, i / per_channel))
			figures_of(a, i / per_channel, i % per_channel);
}

/* Variance of each row over the sum of all; 0 where that is 0. */
static void
shares_of(const wsi_io *io, size_t channel, const double *deviations)
{
	const size_t modes = mode_count(io, channel);
	double largest = 0, sum = 0;
	for (size_t m = 0; m <= modes; ++m)
		largest = deviations[m] > largest ? deviations[m] : largest;
	/* By the largest, so that no square leaves the range. */
	for (size_t m = 0; m <= modes && largest > 0; ++m)
		sum += deviations[m] / largest * (deviations[m] / largest);
	for (size_t m = 0; m <= modes; ++m) {
		const double d = largest > 0 ? deviations[m] / largest : 0;
		const double share = sum > 0 ? d * d / sum : 0;
		if (m < modes)
			set(io, WS_EMD_VARIANCE_SHARE, channel, m, share);
		else
			set(io, WS_EMD_RESIDUE_SHARE, channel, 0, share);
	}
}

ws_status
wsi_emd_figures(const wsi_emd_plan *plan, const wsi_io *io, wsi_pool *pool, double *scratch)
{
	const size_t per_channel = (size_t)plan->params.o.max_modes + 1;
	all_rows a = { .plan = plan, .io = io, .deviations = scratch,
		.rows = { .count = plan->base.shape.channels * per_channel,
			.progress = pool->progress } };
	if (!wsi_emd_wants_figures(io))
		return WS_OK;
	wsi_pool_run(pool, figures_job, &a);
	if (pool->progress && wsi_cancelled(pool->progress))
		return WS_OK;
	for (size_t c = 0; c < plan->base.shape.channels; ++c)
		shares_of(io, c, scratch + c * per_channel);
	return WS_OK;
}
