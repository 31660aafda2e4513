/* hht_spectrum.c - energy over time and frequency. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/element.h"
#include "cpu/hht/hht.h"
#include "math/modes.h"

double
wsi_hht_factor(const wsi_hht *h, size_t bin, size_t samples, double scale)
{
	const double width = h->bins.edges[bin + 1] - h->bins.edges[bin];
	return mode_factor((int)h->quantity, width, (double)samples, scale);
}

/* v, or 0 where the bin is -1, without a branch: bins of noise cannot be foreseen. */
static inline double
where_in(double v, int32_t bin)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	bits &= ~(uint64_t)(int64_t)(bin >> 31);
	memcpy(&v, &bits, sizeof bits);
	return v;
}

/* Adds a mode's samples first .. last - 1 to their bins, what is in none to cells[-1].  Returns the
 * sum of a^2 in all bins. */
static double
add_samples(const wsi_hht_mode *m, size_t first, size_t last, bool squares, double *cells)
{
	double power = 0.0;
	for (size_t i = first; i < last; ++i) {
		const double a = m->amplitude[i], e = a * a;
		cells[m->bin[i]] += squares ? e : a;
		power += where_in(e, m->bin[i]);
	}
	return power;
}

/* The same for APART stretches of `samples` samples each, the first from `first` on: to cells[.]
 * [row], and to power[.].  Additions to one cell wait for one another, those of several stretches
 * do not.  whole: what is in no bin has an a^2 of 0. */
#define APART 8
static inline void
add_apart(const wsi_hht_mode *m, size_t first, size_t samples, bool squares, bool whole,
          double *cells, size_t row, double *power)
{
	double sum[APART] = { 0 };
	const int32_t *bin = m->bin + first;
	const double *amplitude = m->amplitude + first;
	for (size_t i = 0; i < samples; ++i)
		for (size_t t = 0; t < APART; ++t) {
			const int32_t b = bin[i + t * samples];
			const double a = amplitude[i + t * samples], e = a * a;
			(cells + t * row)[b] += squares ? e : a;
			sum[t] += whole ? e : where_in(e, b);
		}
	for (size_t t = 0; t < APART; ++t)
		power[t] += sum[t];
}

/* The time bins first .. first + n of cells[.][bin] to row `bin` of out, times factor. */
static void
store(ws_type type, char *row, size_t first, size_t n, const double *cells, size_t stride,
      const double *factor)
{
	for (size_t t = 0; t < n; ++t)
		wsi_real_put(row, type, first + t, cells[t * stride] * factor[t]);
}

/* The samples of time bin t: from *first on. */
static size_t
samples_of(const wsi_hht *h, size_t t, size_t *first)
{
	*first = t * h->time_bin;
	return h->n - *first < h->time_bin ? h->n - *first : h->time_bin;
}

/* Stores n time bins of cells[time bin][1 + bins], from the first bin on. */
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
		store(to->type, out + b * stride, first, n, cells + b, bins + 1, factor);
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
		if (value)
			wsi_real_put(value, to->type, t, v);
		if (to->sparse_bin)
			((int32_t *)(void *)(to->sparse_bin + i * to->sparse_bin_stride))[t] =
				i < n ? list[i].bin : -1;
	}
	if (to->sparse_left)
		to->sparse_left[t] = all != 0.0 ? left / all : 0.0;
}

/* ---- Time bins ------------------------------------------------------------------------------ */

/* Adds a mode's samples of n time bins from `first` on to cells[.][row], each after that for what
 * is in no bin; power[.]: plus a^2. */
static void
add_times(const wsi_hht *h, const wsi_hht_mode *m, size_t first, size_t n, bool squares,
          double *cells, double *power)
{
	const size_t row = (size_t)h->bins.n + 1;
	for (size_t t = 0; t < n;) {
		size_t at, last;
		const size_t samples = samples_of(h, first + t, &at);
		if (t + APART <= n && samples_of(h, first + t + APART - 1, &last) == samples) {
			double *to = cells + t * row, *sum = power + t;
			if (!squares)
				add_apart(m, at, samples, false, false, to, row, sum);
			else if (m->outside > 0.0)
				add_apart(m, at, samples, true, false, to, row, sum);
			else
				add_apart(m, at, samples, true, true, to, row, sum);
			t += APART;
			continue;
		}
		power[t] += add_samples(m, at, at + samples, squares, cells + t * row);
		++t;
	}
}

/* Asks for a mode's samples of n time bins from `first` on.  There are too few for the machine to
 * see that they follow each other, as they are read from several places in turn. */
static void
fetch(const wsi_hht *h, const wsi_hht_mode *m, size_t first, size_t n)
{
	const size_t from = first * h->time_bin, to = from + n * h->time_bin;
	const size_t end = to < h->n ? to : h->n, line = 64 / sizeof *m->amplitude;
	if (n * h->time_bin > 4096)
		return;
	for (size_t i = from; i < end; i += line)
		__builtin_prefetch(m->amplitude + i);
	for (size_t i = from; i < end; i += 2 * line)
		__builtin_prefetch(m->bin + i);
}

void
wsi_hht_add_mode(const wsi_hht *h, const wsi_hht_mode *mode, const wsi_hht_times *sums)
{
	const bool squares = h->quantity != WS_HHT_QUANTITY_AMPLITUDE;
	const size_t row = (size_t)h->bins.n + 1;
	for (size_t t = 0; t < h->time_bins; t += WSI_HHT_ACROSS)
		add_times(h, mode, t, h->time_bins - t < WSI_HHT_ACROSS ? h->time_bins - t
		          : WSI_HHT_ACROSS, squares, sums->cells + t * row + 1, sums->power + t);
}

/* Modes of up to WSI_HHT_ACROSS time bins, to all[.][row] and power[.]. */
static void
add_modes(const wsi_hht *h, wsi_hht_scratch *s, const wsi_hht_mode *modes, size_t n_modes,
          size_t first, size_t n, const wsi_hht_cells *to, double *all, double *power)
{
	const size_t row = (size_t)h->bins.n + 1, bytes = row * sizeof *s->cells;
	const bool squares = h->quantity != WS_HHT_QUANTITY_AMPLITUDE;
	double *one = s->cells + 1 + WSI_HHT_ACROSS * row;
	memset(all - 1, 0, n * bytes);
	for (size_t k = 0; k < n_modes; ++k) {
		double none[WSI_HHT_ACROSS] = { 0 };
		if (k + 1 < n_modes)
			fetch(h, &modes[k + 1], first, n);
		add_times(h, &modes[k], first, n, squares, all, power);
		if (!to->mode_spectrum)
			continue;
		memset(one - 1, 0, n * bytes);
		add_times(h, &modes[k], first, n, squares, one, none);
		store_all(h, to, to->mode_spectrum + k * to->mode_stride, to->mode_bin_stride,
		          first, n, one);
	}
}

/* Up to WSI_HHT_ACROSS time bins. */
static void
bin_few(const wsi_hht *h, wsi_hht_scratch *s, const wsi_hht_mode *modes, size_t n_modes,
        size_t first, size_t n, const wsi_hht_cells *to)
{
	const size_t bins = (size_t)h->bins.n, row = bins + 1;
	double own[WSI_HHT_ACROSS] = { 0 };
	const double *all = s->cells + 1, *power = own;
	if (to->sums.cells) {
		all = to->sums.cells + first * row + 1;
		power = to->sums.power + first;
	} else {
		add_modes(h, s, modes, n_modes, first, n, to, s->cells + 1, own);
	}
	if (to->spectrum)
		store_all(h, to, to->spectrum, to->stride, first, n, all);
	for (size_t t = 0; t < n; ++t) {
		size_t at;
		const double samples = (double)samples_of(h, first + t, &at);
		if (to->power)
			to->power[first + t] = mode_squared(0.5 * power[t] / samples, to->scale);
		if (to->sparse_bin || to->sparse_value || to->sparse_left)
			store_sparse(h, to, first + t, all + t * row,
			             (wsi_hht_cell *)(void *)s->block);
		for (size_t b = 0; b < bins; ++b)
			to->squares[b] += all[t * row + b] * all[t * row + b] / samples;
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
