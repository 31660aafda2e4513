/* figures.c - what a mode holds: mean, standard deviation, frequency and band. */
#include <math.h>
#include <string.h>

#include "base/cpu_probe.h"
#include "base/element.h"
#include "base/sized.h"
#include "base/status.h"
#include "math/alignment.h"
#include "math/half_waves.h"
#include "math/sum.h"
#include "transform/emd/emd.h"

/* Rows of so many crossings, the second left out, are counted about the mean of their waves; of
 * more the parts at the ends move the frequency of a sine by less than 2e-4. */
enum { LEAST_WAVES = 3, MANY_WAVES = 64 };

typedef struct row {
	const wsi_ops *ops;
	const void *x;
	size_t n;
} row;

static double
sample(const row *r, size_t i)
{
	return wsi_real_at(r->x, r->ops->type, i);
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
			                "or leave out that stretch", WSI_NO(i));
	return WS_OK;
}

/* ---- The middle of whole waves ------------------------------------------------------------ */

/* The integral of x 2^-shift - mean from crossing a to crossing b, by the trapezoid rule. */
static double
area_between(const row *r, int shift, double mean, wsi_crossing a, wsi_crossing b)
{
	const size_t from = (size_t)a.sample, to = (size_t)b.sample;
	const row part = { .ops = r->ops, .n = to - from,
		.x = (const char *)r->x + from * wsi_type_size(r->ops->type) };
	const double scale = ldexp(1.0, -shift);
	const double first = sample(r, from) * scale - mean;
	const double last = sample(r, to - 1) * scale - mean;
	double peak, sum = part.ops->sum_and_peak(part.x, part.n, &peak) * scale;
	if (!isfinite(sum))
		sum = 0.5 * divided_sum(&part, ldexp(1.0, shift - 1));
	/* Trapezoids have half of each end sample; the triangles to the crossings are added. */
	return sum - (double)part.n * mean - 0.5 * (first * a.part + last * (1.0 - b.part));
}

/* The time from crossing a to crossing b, in samples. */
static double
time_between(wsi_crossing a, wsi_crossing b)
{
	return (b.sample - a.sample) + (b.part - a.part);
}

/* The mean of a row in which few half waves were counted about its mean, over as many whole waves
 * as there are: a part of a wave at an end moves the row's own mean, by a tenth of the amplitude of
 * six half waves, and with it all crossings.  Of an even number of crossings it is that over the
 * waves from the first on and over those up to the last, so that the direction of time does not
 * matter. */
static double
mean_of_waves(const row *r, int shift, double mean, const wsi_half_waves *h)
{
	const wsi_wave_end *a = &h->ends[0], *b = &h->ends[1];
	if (h->crossings % 2)
		return mean + area_between(r, shift, mean, a->at, b->at)
		       / time_between(a->at, b->at);
	const double area = area_between(r, shift, mean, a->at, b->beside)
		+ area_between(r, shift, mean, a->beside, b->at);
	return mean + area / (time_between(a->at, b->beside) + time_between(a->beside, b->at));
}

/* ---- Figures of a row ---------------------------------------------------------------------- */

/* Frequencies, in cycles a sample, of a row that varies. */
static void
describe(const wsi_half_waves *h, ws_mode_figures *f)
{
	wsi_pair sum = { 0.0, 0.0 }, below = sum;
	for (int i = h->first; i < h->end; ++i)
		sum += h->bins[0][i] + h->bins[1][i];
	if (!(sum[0] > 0.0))
		return;
	f->frequency = sum[1] / sum[0];
	f->effective_half_waves = sum[0] * sum[0] / h->squares;
	/* The quartiles, by the mean frequency of the bin they fall in. */
	for (int i = h->first; i < h->end && f->band_high == 0.0; ++i) {
		const wsi_pair c = h->bins[0][i] + h->bins[1][i];
		if (!(c[0] > 0.0))
			continue;
		below += c;
		if (f->band_low == 0.0 && below[0] >= 0.25 * sum[0])
			f->band_low = c[1] / c[0];
		if (f->median_frequency == 0.0 && below[0] >= 0.5 * sum[0])
			f->median_frequency = c[1] / c[0];
		if (below[0] >= 0.75 * sum[0])
			f->band_high = c[1] / c[0];
	}
}

/* The power spectrum of the row, of so many points. */
typedef struct spectrum {
	double *power;
	size_t points;
} spectrum;

static void
add_spectrum(const wsi_half_waves *h, const spectrum *s)
{
	for (int i = h->first; i < h->end; ++i) {
		const wsi_pair c = h->bins[0][i] + h->bins[1][i];
		if (c[0] > 0.0)
			spectrum_add(s->power, s->points, c[1] / c[0], c[0]);
	}
}

/* sum, if finite, and largest magnitude of the row.  It is brought to at most 1 by a
 * power of two, so that no square leaves the range.  s: NULL, or what its spectrum is added to. */
static void
measure(const row *r, double sum, double peak, ws_mode_figures *f, const spectrum *s)
{
	int exponent;
	frexp(peak, &exponent);
	const int shift = exponent < -1000 ? -1000 : exponent;
	const double scale = ldexp(1.0, -shift);
	const double mean = isfinite(sum) ? sum / (double)r->n * scale
	                    : divided_sum(r, ldexp(1.0, shift)) / (double)r->n;
	wsi_half_waves h;
	r->ops->half_waves(r->x, r->n, scale, mean, &h);
	/* All samples lie on one side of the mean: they are equal, but for its rounding. */
	if (h.crossings == 0)
		return;
	f->mean = ldexp(mean, shift);
	f->deviation = ldexp(sqrt(h.energy / (double)r->n), shift);
	f->half_waves = h.crossings;
	if (h.crossings >= LEAST_WAVES && h.crossings < MANY_WAVES) {
		const double middle = mean_of_waves(r, shift, mean, &h);
		r->ops->half_waves(r->x, r->n, scale, middle, &h);
		/* One at each end may go; more were ripples of something larger. */
		if (h.crossings + 2 < f->half_waves)
			r->ops->half_waves(r->x, r->n, scale, mean, &h);
	}
	describe(&h, f);
	if (s)
		add_spectrum(&h, s);
}

/* The sum of squares about the mean of n samples from number i on, each times scale. */
static double
energy_of(const row *r, size_t i, size_t n, double scale, double mean)
{
	double sum = 0.0;
	for (size_t k = i; k < i + n; ++k) {
		const double v = sample(r, k) * scale - mean;
		sum = fma(v, v, sum);
	}
	return sum;
}

/* The share of the energy in the first and the last period; f: else complete, in samples. */
static double
end_share(const row *r, double peak, const ws_mode_figures *f)
{
	if (!(f->frequency > 0.0))
		return 0.0;
	int exponent;
	frexp(peak, &exponent);
	const double scale = ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
	const double mean = f->mean * scale, deviation = f->deviation * scale;
	const double period = fmin(ceil(1.0 / f->frequency), (double)(r->n / 2));
	const size_t n = (size_t)period;
	const double ends = energy_of(r, 0, n, scale, mean)
		+ energy_of(r, r->n - n, n, scale, mean);
	return fmin(ends / (deviation * deviation * (double)r->n), 1.0);
}

/* Figures of a row that is not empty; s may be NULL. */
static ws_status
figures_of_row(const row *r, double fs, ws_mode_figures *f, const spectrum *s)
{
	double peak;
	const double sum = r->ops->sum_and_peak(r->x, r->n, &peak);
	if (!isfinite(sum))
		WSI_TRY(check_finite(r));
	*f = (ws_mode_figures){ .mean = sample(r, 0) };
	if (s)
		memset(s->power, 0, s->points * sizeof *s->power);
	measure(r, sum, peak, f, s);
	f->end_share = end_share(r, peak, f);
	f->frequency *= fs;
	f->band_low *= fs;
	f->band_high *= fs;
	f->median_frequency *= fs;
	f->zero_crossing_frequency = 0.5 * (double)f->half_waves / (double)r->n * fs;
	return WS_OK;
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
	ws_mode_figures f;
	WSI_TRY(figures_of_row(&r, fs, &f, NULL));
	wsi_sized_fill(figures, &f, sizeof f);
	return WS_OK;
}

/* ---- Of all modes of an execution -------------------------------------------------------- */

typedef struct all_rows {
	const wsi_emd_plan *plan;
	const wsi_io *io;
	const wsi_emd_scratch *scratch;
	bool aligned;           /* spectra are wanted, too */
} all_rows;

size_t
wsi_emd_figures_bytes(const wsi_emd_plan *plan)
{
	const size_t channels = plan->base.shape.channels, points = wsi_emd_spectrum_points(plan);
	const size_t modes = (size_t)plan->params.o.modes;
	return (channels * (modes + 1 + modes * points) + points) * sizeof(double);
}

bool
wsi_emd_wants_figures(const wsi_io *io)
{
	for (int i = WS_EMD_FREQUENCY; i <= WS_EMD_ALIGNMENT; ++i)
		if (wsi_io_wants(io, i))
			return true;
	return wsi_io_wants(io, WS_EMD_MEDIAN_FREQUENCY) || wsi_io_wants(io, WS_EMD_END_SHARE);
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
	const row r = { .ops = a->plan->ops, .x = x, .n = shape->samples };
	const bool aligned = a->aligned && mode < modes;
	const spectrum s = { aligned ? wsi_emd_spectrum(a->scratch, channel, mode) : NULL,
		a->scratch->points };
	ws_mode_figures f;
	/* Results are finite here: nothing can be wrong. */
	(void)figures_of_row(&r, shape->fs, &f, aligned ? &s : NULL);
	*wsi_emd_scratch_figure(a->scratch, channel, mode) = f.deviation;
	if (mode == modes)
		return;
	set(io, WS_EMD_FREQUENCY, channel, mode, f.frequency);
	set(io, WS_EMD_BAND_LOW, channel, mode, f.band_low);
	set(io, WS_EMD_BAND_HIGH, channel, mode, f.band_high);
	set(io, WS_EMD_HALF_WAVES, channel, mode, (double)f.half_waves);
	set(io, WS_EMD_EFFECTIVE_HALF_WAVES, channel, mode, f.effective_half_waves);
	set(io, WS_EMD_ZERO_CROSSING_FREQUENCY, channel, mode, f.zero_crossing_frequency);
	set(io, WS_EMD_MEDIAN_FREQUENCY, channel, mode, f.median_frequency);
	set(io, WS_EMD_END_SHARE, channel, mode, f.end_share);
}

static void
row_figures(void *arg, size_t i, int rank)
{
	all_rows *a = arg;
	const size_t per_channel = a->scratch->per_channel;
	(void)rank;
	if (i % per_channel <= mode_count(a->io, i / per_channel))
		figures_of(a, i / per_channel, i % per_channel);
}

/* Makes of the standard deviations of a channel's rows the shares of the variance: of each row
 * over the sum of all; 0 where that is 0. */
static void
shares_of(const wsi_io *io, size_t channel, double *figures)
{
	const size_t modes = mode_count(io, channel);
	double largest = 0, sum = 0;
	for (size_t m = 0; m <= modes; ++m)
		largest = figures[m] > largest ? figures[m] : largest;
	/* By the largest, so that no square leaves the range. */
	for (size_t m = 0; m <= modes && largest > 0; ++m)
		sum += figures[m] / largest * (figures[m] / largest);
	for (size_t m = 0; m <= modes; ++m) {
		const double d = largest > 0 ? figures[m] / largest : 0;
		figures[m] = sum > 0 ? d * d / sum : 0;
		if (m < modes)
			set(io, WS_EMD_VARIANCE_SHARE, channel, m, figures[m]);
		else
			set(io, WS_EMD_RESIDUE_SHARE, channel, 0, figures[m]);
	}
}

ws_status
wsi_emd_figures(const wsi_emd_plan *plan, const wsi_io *io, wsi_pool *pool, double *memory)
{
	const size_t modes = (size_t)plan->params.o.modes;
	const size_t channels = plan->base.shape.channels;
	wsi_emd_scratch s = { .figures = memory, .per_channel = modes + 1,
		.points = wsi_emd_spectrum_points(plan) };
	if (!wsi_emd_wants_figures(io))
		return WS_OK;
	s.spectra = memory + channels * s.per_channel;
	s.sum = s.spectra + channels * modes * s.points;
	all_rows a = { .plan = plan, .io = io, .scratch = &s,
		.aligned = wsi_emd_aligns(plan) && wsi_io_wants(io, WS_EMD_ALIGNMENT) };
	wsi_pool_items(pool, channels * s.per_channel, row_figures, &a);
	if (pool->progress && wsi_cancelled(pool->progress))
		return WS_OK;
	for (size_t c = 0; c < channels; ++c)
		shares_of(io, c, wsi_emd_scratch_figure(&s, c, 0));
	if (a.aligned)
		wsi_emd_alignment(plan, io, &s);
	return WS_OK;
}
