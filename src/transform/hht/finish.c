/* finish.c - what follows from the modes of a batch: spectra, marginal spectra, figures. */
#include <math.h>
#include <string.h>

#include "math/logarithm.h"
#include "math/modes.h"
#include "transform/hht/work.h"

/* ---- Times ---------------------------------------------------------------------------------- */

static wsi_hht_cells
cells_of(const wsi_hht_work *w, size_t c, size_t stretch)
{
	const wsi_hht_plan *plan = w->plan;
	const ws_buffer *all = &w->io->arrays[WS_HHT_SPECTRUM];
	const ws_buffer *each = &w->io->arrays[WS_HHT_MODE_SPECTRUM];
	const size_t channel = w->first + c;
	const size_t bins = (size_t)plan->hht.bins.n;
	return (wsi_hht_cells){
		.sums = w->times,
		.type = plan->base.shape.type,
		.spectrum = wsi_hht_out_row(w, WS_HHT_SPECTRUM, WS_HHT_PART_SPECTRUM, channel, 0),
		.stride = all->stride[1],
		.mode_spectrum = wsi_hht_out_row(w, WS_HHT_MODE_SPECTRUM, WS_HHT_PART_MODE_SPECTRUM,
		                         channel, 0),
		.mode_stride = each->stride[1], .mode_bin_stride = each->stride[2],
		.power = wsi_hht_out_row(w, WS_HHT_POWER, WS_HHT_PART_SPECTRUM, channel, 0),
		.squares = w->squares + (c * WSI_HHT_STRETCHES + stretch) * bins,
		.scale = w->scale[c],
		.sparse = (size_t)plan->o.sparse_cells,
		.sparse_bin = wsi_hht_out_row(w, WS_HHT_SPARSE_BIN, WS_HHT_PART_SPARSE, channel, 0),
		.sparse_value = wsi_hht_out_row(w, WS_HHT_SPARSE_VALUE, WS_HHT_PART_SPARSE, channel,
		                                0),
		.sparse_bin_stride = w->io->arrays[WS_HHT_SPARSE_BIN].stride[1],
		.sparse_value_stride = w->io->arrays[WS_HHT_SPARSE_VALUE].stride[1],
		.sparse_left = wsi_hht_out_row(w, WS_HHT_SPARSE_LEFT, WS_HHT_PART_SPARSE, channel,
		                               0),
	};
}

void
wsi_hht_bin_stretch(void *arg, size_t i, int rank)
{
	wsi_hht_work *w = arg;
	const wsi_hht *h = &w->plan->hht;
	const size_t each = (h->time_bins + WSI_HHT_STRETCHES - 1) / WSI_HHT_STRETCHES;
	const size_t c = i / WSI_HHT_STRETCHES, stretch = i % WSI_HHT_STRETCHES;
	size_t first = stretch * each, last = first + each;
	first = first < h->time_bins ? first : h->time_bins;
	last = last < h->time_bins ? last : h->time_bins;
	const wsi_hht_cells cells = cells_of(w, c, stretch);
	wsi_hht_bin_times(h, &w->scratch[rank], w->mode + c * w->plan->modes, w->count[c],
	                  first, last, &cells);
}

static void
nonstationarity(const wsi_hht_work *w, size_t c, const double *marginal, double *out)
{
	const size_t bins = (size_t)w->plan->hht.bins.n;
	const double *squares = w->squares + c * w->stretches * bins;
	const double n = (double)w->plan->hht.n;
	for (size_t b = 0; b < bins; ++b) {
		double sum = 0.0;
		for (size_t s = 0; s < w->stretches; ++s)
			sum += squares[s * bins + b];
		out[b] = mode_nonstationarity(sum, marginal[b], n);
	}
}

/* Bins whose factors, each a division, are at hand for all modes. */
#define BINS_TOGETHER 64

/* Bins first .. end - 1 of the marginal spectra of a channel and its modes. */
static void
some_marginals(const wsi_hht_work *w, size_t c, size_t first, size_t end, double *sums)
{
	const wsi_hht *h = &w->plan->hht;
	const size_t channel = w->first + c;
	const wsi_hht_mode *modes = w->mode + c * w->plan->modes;
	double factor[BINS_TOGETHER];
	for (size_t b = first; b < end; ++b) {
		factor[b - first] = wsi_hht_factor(h, b, h->n, w->scale[c]);
		sums[b] = 0.0;
	}
	for (size_t k = 0; k < w->count[c]; ++k) {
		double *out = wsi_hht_out_row(w, WS_HHT_MODE_MARGINAL, WS_HHT_PART_MARGINAL,
		                              channel, k);
		for (size_t b = first; b < end; ++b)
			sums[b] += modes[k].marginal[b];
		for (size_t b = first; out && b < end; ++b)
			out[b] = modes[k].marginal[b] * factor[b - first];
	}
	double *all = wsi_hht_out_row(w, WS_HHT_MARGINAL, WS_HHT_PART_MARGINAL, channel, 0);
	for (size_t b = first; all && b < end; ++b)
		all[b] = sums[b] * factor[b - first];
}

static void
marginals(wsi_hht_work *w, size_t c, double *sums)
{
	const size_t channel = w->first + c, bins = (size_t)w->plan->hht.bins.n;
	for (size_t b = 0; b < bins; b += BINS_TOGETHER)
		some_marginals(w, c, b, bins - b < BINS_TOGETHER ? bins : b + BINS_TOGETHER, sums);
	double *ds = wsi_hht_out_row(w, WS_HHT_NONSTATIONARITY, WS_HHT_PART_SPECTRUM, channel, 0);
	if (ds)
		nonstationarity(w, c, sums, ds);
}

static void
put(const wsi_hht_work *w, int array, size_t channel, size_t k, double value)
{
	double *row = wsi_hht_out_row(w, array, 0, channel, 0);
	if (row)
		row[k] = value;
}

static void
put_count(const wsi_hht_work *w, int array, size_t channel, size_t k, size_t value)
{
	int32_t *row = wsi_hht_out_row(w, array, 0, channel, 0);
	if (row)
		row[k] = (int32_t)value;
}

/* By the formula of Wu & Huang, as mode_noise(). */
static void
put_formula(const wsi_hht_work *w, size_t channel, size_t k, const wsi_hht_facts *first,
            double scale)
{
	const wsi_hht_facts *f = first + k;
	double low = 0.0, high = 0.0;
	if (first->maxima && f->maxima)
		mode_noise(first->squares, (double)first->maxima, (double)f->maxima,
		           (double)w->plan->hht.n, (int)k, w->plan->spread, &low, &high);
	put(w, WS_HHT_NOISE_LOW, channel, k, mode_squared(low, scale));
	put(w, WS_HHT_NOISE_HIGH, channel, k, mode_squared(high, scale));
}

/* By signals of noise. */
static void
put_levels(const wsi_hht_work *w, size_t channel, size_t k, const wsi_hht_facts *f, double scale)
{
	const wsi_hht_plan *plan = w->plan;
	const wsi_hht_null *null = &w->noise.null[channel];
	const double n = (double)plan->hht.n, unit = ldexp(1.0, null->exponent);
	wsi_hht_level level = { NAN, NAN, 0.0, 0.0 };
	if (f->maxima)
		level = wsi_hht_levels_at(null, (size_t)plan->o.noise_signals, k,
		                          mode_squared(f->squares / n, scale / unit),
		                          n / (double)f->maxima, plan->o.confidence);
	put(w, WS_HHT_P, channel, k, level.p);
	put(w, WS_HHT_P_ANY, channel, k, level.p_any);
	put(w, WS_HHT_NOISE_LOW, channel, k, mode_squared(level.low, unit));
	put(w, WS_HHT_NOISE_HIGH, channel, k, mode_squared(level.high, unit));
}

/* The noise of a channel. */
static void
put_background(const wsi_hht_work *w, size_t channel)
{
	const wsi_hht *h = &w->plan->hht;
	const wsi_hht_null *null = &w->noise.null[channel];
	const wsi_background *b = &null->of[null->best];
	const double unit = ldexp(1.0, null->exponent);
	put_count(w, WS_HHT_NOISE_MODEL, channel, 0, (size_t)(null->best == WSI_BACKGROUND_WALK
	                                                      ? WS_BACKGROUND_AR1 : null->best));
	put(w, WS_HHT_NOISE_SLOPE, channel, 0, null->best ? wsi_background_slope(b) : NAN);
	put(w, WS_HHT_NOISE_BEND, channel, 0, null->best == WS_BACKGROUND_BEND
	                                      ? portable_exp(b->bend) * h->fs : 0.0);
	for (size_t i = 0; i < (size_t)h->bins.n; ++i) {
		const double f = wsi_hht_middle(&h->bins, w->plan->o.freqs.spacing, i) / h->fs;
		const bool there = null->best && f > 0.0 && f <= 0.5;
		put(w, WS_HHT_NOISE_SPECTRUM, channel, i, there
		    ? mode_squared(portable_exp(wsi_background_at(b, f)) / h->fs, unit) : NAN);
	}
}

static void
figures(const wsi_hht_work *w, size_t c)
{
	const wsi_hht *h = &w->plan->hht;
	const size_t channel = w->first + c, first = c * w->plan->modes;
	const double n = (double)h->n, scale = w->scale[c];
	for (size_t k = 0; k < w->count[c]; ++k) {
		const wsi_hht_mode *m = &w->mode[first + k];
		const wsi_hht_facts *f = &w->facts[first + k];
		put(w, WS_HHT_MEAN_FREQUENCY, channel, k,
		    m->kept > 0.0 ? m->moment / m->kept : 0.0);
		put(w, WS_HHT_OUTSIDE, channel, k, m->energy > 0.0 ? m->outside / m->energy : 0.0);
		put_count(w, WS_HHT_NEGATIVE, channel, k, m->negative);
		put_count(w, WS_HHT_OUTLIERS, channel, k, m->outliers);
		put(w, WS_HHT_MODE_ENERGY, channel, k, mode_squared(f->squares / n, scale));
		put(w, WS_HHT_MEAN_PERIOD, channel, k,
		    f->maxima ? n / (double)f->maxima / h->fs : 0.0);
		if (w->plan->o.significance == WS_HHT_WU_HUANG)
			put_formula(w, channel, k, &w->facts[first], scale);
		else if (w->noise.null)
			put_levels(w, channel, k, f, scale);
	}
	if (w->noise.null)
		put_background(w, channel);
}

/* Adds n samples of a row from number i on, times `by`. */
static void
add_row(const wsi_hht_work *w, const char *row, size_t i, size_t n, double by, double *to)
{
	const void *x = row;
	if (w->plan->base.shape.type == WS_F64)
		for (size_t j = 0; j < n; ++j)
			to[j] += ((const double *)x)[i + j] * by;
	else
		for (size_t j = 0; j < n; ++j)
			to[j] += (double)((const float *)x)[i + j] * by;
}

/* Samples of several rows that are read together. */
#define SOME (4 * WSI_WIDE)

/* Asks for n samples of a row from number i on: the machine does not see that they come next. */
static void
fetch(const wsi_hht_work *w, const char *row, size_t i, size_t n)
{
	const size_t size = wsi_type_size(w->plan->base.shape.type);
	for (size_t at = i * size; at < (i + n) * size; at += 64)
		__builtin_prefetch(row + at);
}

/* Adds the squares of x[n], n at most SOME, to their sums. */
static void
square(const double *x, size_t n, double *sums)
{
	for (size_t i = 0; i < n; i += WSI_WIDE) {
		const size_t few = n - i < WSI_WIDE ? n - i : WSI_WIDE;
		for (size_t j = 0; j < few; ++j)
			sums[j] += x[i + j] * x[i + j];
	}
}

/* Of samples i .. end - 1, i a multiple of WSI_WIDE, the sum of squares of all rows' sum, and of
 * the residue. */
static void
add_squares(const wsi_hht_work *w, size_t c, size_t i, size_t end, double *whole, double *rest)
{
	const size_t channel = w->first + c;
	const double by = 1.0 / w->scale[c];
	const char *residue = wsi_hht_residue_row(w, channel);
	double all[WSI_WIDE] = { 0 }, left[WSI_WIDE] = { 0 };
	for (size_t n; i < end; i += n) {
		double x[SOME] = { 0 };
		n = end - i < SOME ? end - i : SOME;
		if (residue) {
			add_row(w, residue, i, n, by, x);
			square(x, n, left);
			memset(x, 0, n * sizeof *x);
			add_row(w, w->io->x + channel * w->io->x_stride, i, n, by, x);
		}
		for (size_t k = 0; !residue && k < w->count[c]; ++k) {
			const bool more = k + 1 < w->count[c];
			if (more || i + 2 * n <= end)
				fetch(w, wsi_hht_mode_row(w, channel, more ? k + 1 : 0),
				      more ? i : i + n, n);
			add_row(w, wsi_hht_mode_row(w, channel, k), i, n, by, x);
		}
		square(x, n, all);
	}
	*whole += wide_total(all, WSI_WIDE);
	*rest += wide_total(left, WSI_WIDE);
}

static void
orthogonality(const wsi_hht_work *w, size_t c)
{
	const size_t n = w->plan->hht.n;
	double whole = 0.0, rest = 0.0, each = 0.0;
	if (w->channel) {
		whole = w->channel[c].whole;
		rest = w->channel[c].rest;
	}
	for (size_t i = 0; !w->channel && i < n; i += WSI_WIDE_BLOCK)
		add_squares(w, c, i, n - i < WSI_WIDE_BLOCK ? n : i + WSI_WIDE_BLOCK, &whole,
		            &rest);
	for (size_t k = 0; k < w->count[c]; ++k)
		each += w->facts[c * w->plan->modes + k].squares;
	each += rest;
	put(w, WS_HHT_ORTHOGONALITY, w->first + c, 0, mode_orthogonality(whole, each));
}

void
wsi_hht_finish_channel(void *arg, size_t c, int rank)
{
	wsi_hht_work *w = arg;
	marginals(w, c, w->sums + (size_t)rank * (size_t)w->plan->hht.bins.n);
	figures(w, c);
	if (wsi_io_wants(w->io, WS_HHT_ORTHOGONALITY))
		orthogonality(w, c);
}
