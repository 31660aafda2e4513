/* hht_spectrum.c - energy over time and frequency. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algo/hht.h"
#include "math/modes.h"

double
wsi_hht_factor(const wsi_hht *h, size_t bin, size_t samples, double scale)
{
	const double width = h->bins.edges[bin + 1] - h->bins.edges[bin];
	return mode_factor((int)h->quantity, width, (double)samples, scale);
}

/* Adds a mode's samples first .. last - 1 to their bins.  Returns the sum of a^2 in all of them. */
static double
add_samples(const wsi_hht_mode *m, size_t first, size_t last, bool squares, double *cells)
{
	double power = 0.0;
	for (size_t i = first; i < last; ++i) {
		const double a = m->amplitude[i], e = a * a;
		if (m->bin[i] < 0)
			continue;
		cells[m->bin[i]] += squares ? e : a;
		power += e;
	}
	return power;
}

/* The same for APART stretches of `samples` samples each, the first from `first` on: to cells[.]
 * [bins], and to power[.].  Additions to one cell wait for one another, those of several stretches
 * do not.  What is in no bin adds nothing to the first. */
#define APART 8
static void
add_apart(const wsi_hht_mode *m, size_t first, size_t samples, bool squares, double *cells,
          size_t bins, double *power)
{
	double sum[APART] = { 0 };
	for (size_t i = first; i < first + samples; ++i)
		for (size_t t = 0; t < APART; ++t) {
			const int32_t bin = m->bin[i + t * samples];
			const double a = m->amplitude[i + t * samples], e = a * a;
			const bool in = bin >= 0;
			cells[t * bins + (in ? (size_t)bin : 0)] += !in ? 0.0 : squares ? e : a;
			sum[t] += in ? e : 0.0;
		}
	for (size_t t = 0; t < APART; ++t)
		power[t] += sum[t];
}

/* The time bins first .. first + n of cells[.][bin] to row `bin` of out, times factor. */
static void
store(ws_type type, char *row, size_t first, size_t n, const double *cells, size_t stride,
      const double *factor)
{
	for (size_t t = 0; t < n; ++t) {
		const double v = cells[t * stride] * factor[t];
		if (type == WS_F64)
			((double *)(void *)row)[first + t] = v;
		else
			((float *)(void *)row)[first + t] = (float)v;
	}
}

/* The samples of time bin t: from *first on. */
static size_t
samples_of(const wsi_hht *h, size_t t, size_t *first)
{
	*first = t * h->time_bin;
	return h->n - *first < h->time_bin ? h->n - *first : h->time_bin;
}

/* Stores n time bins of cells[time bin][bin]. */
static void
store_all(const wsi_hht *h, const wsi_hht_cells *to, char *out, size_t stride, size_t first,
          size_t n, const double *cells)
{
	const size_t bins = (size_t)h->bins.n;
	for (size_t b = 0; b < bins; ++b) {
		double factor[WSI_HHT_ACROSS];
		for (size_t t = 0; t < n; ++t) {
			size_t at;
			const size_t samples = samples_of(h, first + t, &at);
			factor[t] = t && samples == h->time_bin
			            ? factor[0] : wsi_hht_factor(h, b, samples, to->scale);
		}
		store(to->type, out + b * stride, first, n, cells + b, bins, factor);
	}
}

/* ---- Sparse ------------------------------------------------------------------------------- */

/* Larger cells first, of equal ones the lower. */
static int
by_value(const void *a, const void *b)
{
	const wsi_hht_cell *x = a, *y = b;
	const double u = fabs(x->value), v = fabs(y->value);
	return u != v ? (u < v) - (u > v) : (x->bin > y->bin) - (x->bin < y->bin);
}

static int
by_bin(const void *a, const void *b)
{
	const wsi_hht_cell *x = a, *y = b;
	return (x->bin > y->bin) - (x->bin < y->bin);
}

/* The cells of time bin t that are not zero, as far as there is room for them.  list: [bins]. */
static void
store_sparse(const wsi_hht *h, const wsi_hht_cells *to, size_t t, const double *cells,
             wsi_hht_cell *list)
{
	size_t n = 0, at;
	const size_t samples = samples_of(h, t, &at);
	double all = 0.0, left = 0.0;
	for (int32_t b = 0; b < h->bins.n; ++b)
		if (cells[b] != 0.0) {
			list[n++] = (wsi_hht_cell){ cells[b], b };
			all += cells[b];
		}
	if (n > to->sparse) {
		qsort(list, n, sizeof *list, by_value);
		qsort(list + to->sparse, n - to->sparse, sizeof *list, by_bin);
		for (size_t i = to->sparse; i < n; ++i)
			left += list[i].value;
		n = to->sparse;
		qsort(list, n, sizeof *list, by_bin);
	}
	for (size_t i = 0; i < to->sparse; ++i) {
		const double v = i < n ? list[i].value * wsi_hht_factor(h, (size_t)list[i].bin,
		                                                        samples, to->scale) : 0.0;
		char *value = to->sparse_value ? to->sparse_value + i * to->sparse_value_stride
		              : NULL;
		if (value && to->type == WS_F64)
			((double *)(void *)value)[t] = v;
		else if (value)
			((float *)(void *)value)[t] = (float)v;
		if (to->sparse_bin)
			((int32_t *)(void *)(to->sparse_bin + i * to->sparse_bin_stride))[t] =
				i < n ? list[i].bin : -1;
	}
	if (to->sparse_left)
		to->sparse_left[t] = all != 0.0 ? left / all : 0.0;
}

/* ---- Time bins ------------------------------------------------------------------------------ */

/* Adds a mode's samples of n time bins from `first` on to cells[.][bin]; power[.]: plus a^2. */
static void
add_times(const wsi_hht *h, const wsi_hht_mode *m, size_t first, size_t n, bool squares,
          double *cells, double *power)
{
	const size_t bins = (size_t)h->bins.n;
	for (size_t t = 0; t < n;) {
		size_t at, last;
		const size_t samples = samples_of(h, first + t, &at);
		if (t + APART <= n && samples_of(h, first + t + APART - 1, &last) == samples) {
			add_apart(m, at, samples, squares, cells + t * bins, bins, power + t);
			t += APART;
			continue;
		}
		power[t] += add_samples(m, at, at + samples, squares, cells + t * bins);
		++t;
	}
}

/* Up to WSI_HHT_ACROSS time bins. */
static void
bin_few(const wsi_hht *h, wsi_hht_scratch *s, const wsi_hht_mode *modes, size_t n_modes,
        size_t first, size_t n, const wsi_hht_cells *to)
{
	const size_t bins = (size_t)h->bins.n, bytes = bins * sizeof *s->cells;
	const bool squares = h->quantity != WS_HHT_AMPLITUDE;
	double *all = s->cells, *one = s->cells + WSI_HHT_ACROSS * bins;
	double power[WSI_HHT_ACROSS] = { 0 };
	memset(all, 0, n * bytes);
	for (size_t k = 0; k < n_modes; ++k) {
		double none[WSI_HHT_ACROSS] = { 0 };
		add_times(h, &modes[k], first, n, squares, all, power);
		if (to->mode_spectrum) {
			memset(one, 0, n * bytes);
			add_times(h, &modes[k], first, n, squares, one, none);
		}
		if (to->mode_spectrum)
			store_all(h, to, to->mode_spectrum + k * to->mode_stride,
			          to->mode_bin_stride, first, n, one);
	}
	if (to->spectrum)
		store_all(h, to, to->spectrum, to->stride, first, n, all);
	for (size_t t = 0; t < n; ++t) {
		size_t at;
		const double samples = (double)samples_of(h, first + t, &at);
		if (to->power)
			to->power[first + t] = 0.5 * to->scale * to->scale * power[t] / samples;
		if (to->sparse_bin || to->sparse_value || to->sparse_left)
			store_sparse(h, to, first + t, all + t * bins,
			             (wsi_hht_cell *)(void *)s->block);
		for (size_t b = 0; b < bins; ++b)
			to->squares[b] += all[t * bins + b] * all[t * bins + b] / samples;
	}
}

void
wsi_hht_bin_times(const wsi_hht *h, wsi_hht_scratch *s, const wsi_hht_mode *modes, size_t n_modes,
                  size_t first, size_t last, const wsi_hht_cells *to)
{
	memset(to->squares, 0, (size_t)h->bins.n * sizeof *to->squares);
	for (size_t t = first; t < last; t += WSI_HHT_ACROSS)
		bin_few(h, s, modes, n_modes, t, last - t < WSI_HHT_ACROSS ? last - t
		        : WSI_HHT_ACROSS, to);
}
