/*
 * spectra.c - the spectra of a decomposition: reads every row once, keeps its
 * spectrum in bands, measures overlap.
 *
 * The filter bank of Flandrin, Rilling & Goncalves (2004), and of Rehman &
 * Mandic (2011) for several channels: modes are aligned where one mode holds
 * the same frequencies in every channel.
 */
#include "plot/spectra.h"

#include <math.h>
#include <string.h>

#include "base/status.h"
#include "plot/welch.h"

#define BLOCK   ((size_t)1 << 15)  /* samples read at a time */
#define LARGEST 1e150              /* has a square */

bool
wsi_spectra_has(const wsi_spectra *s, size_t channel, size_t row)
{
	return row <= s->data->modes[channel];
}

double *
wsi_spectra_row(const wsi_spectra *s, double *rows, size_t channel, size_t row)
{
	return rows + (channel * s->rows + row) * s->bands.n;
}

static double *
density(const wsi_spectra *s, size_t channel, size_t row)
{
	return wsi_spectra_row(s, s->density, channel, row);
}

static double
rate(const wsi_plot_data *d)
{
	return d->fs_known ? d->fs : 1;
}

/* ---- Rows ------------------------------------------------------------------- */

static ws_status
read_row(const wsi_spectra *s, size_t channel, size_t row, wsi_welch *welch, double *block)
{
	const wsi_plot_data *d = s->data;
	for (size_t first = 0; first < d->samples; first += BLOCK) {
		size_t count = d->samples - first < BLOCK ? d->samples - first : BLOCK;
		WSI_TRY(d->read(d->user, channel, row, first, count, block));
		for (size_t i = 0; i < count; ++i)
			if (!(fabs(block[i]) <= LARGEST))
				return wsi_plot_refuse(d, channel, row, first + i, block[i],
				                       "squared");
		wsi_welch_push(welch, block, count);
	}
	return WS_OK;
}

static ws_status
read_rows(wsi_spectra *s, wsi_welch *welch, double *block, double *bins)
{
	for (size_t c = 0; c < s->data->n_channels; ++c)
		for (size_t r = 0; r <= s->data->modes[c]; ++r) {
			WSI_TRY(read_row(s, c, r, welch, block));
			wsi_welch_finish(welch, bins);
			wsi_bands_mean(&s->bands, bins, density(s, c, r));
		}
	return WS_OK;
}

/* ---- Measures --------------------------------------------------------------- */

/* Channels of different units, or of none, which may be of any scale, can only
 * be compared as shares of their power. */
static void
divide_by_power(wsi_spectra *s)
{
	for (size_t c = 0; c < s->data->n_channels; ++c) {
		double power = wsi_bands_power(&s->bands, density(s, c, 0));
		for (size_t i = 0; power > 0 && i < s->rows * s->bands.n; ++i)
			density(s, c, 0)[i] /= power;
	}
}

static void
shape_rows(wsi_spectra *s)
{
	for (size_t c = 0; c < s->data->n_channels; ++c)
		for (size_t r = 0; r < s->rows; ++r) {
			double *shape = wsi_spectra_row(s, s->shape, c, r);
			bool is_one = wsi_bands_shape(&s->bands, density(s, c, r), shape);
			for (size_t i = 0; !is_one && i < s->bands.n; ++i)
				shape[i] = NAN;
		}
}

/* A mean and what it is made of so far. */
typedef struct mean {
	double sum, n;
} mean;

static void
add(mean *m, double x)
{
	m->sum += isnan(x) ? 0 : x;
	m->n += !isnan(x);
}

/* Over all channels, so that modes and signal keep their proportion: a channel
 * without the mode has none of its power. */
static void
average_density(const wsi_spectra *s, size_t row)
{
	double *out = s->mean_density + row * s->bands.n;
	for (size_t c = 0; c < s->data->n_channels; ++c)
		for (size_t i = 0; wsi_spectra_has(s, c, row) && i < s->bands.n; ++i)
			out[i] += density(s, c, row)[i] / (double)s->data->n_channels;
}

/* Over the channels that have the mode: the others have no shape of it. */
static void
average_shape(const wsi_spectra *s, size_t row)
{
	for (size_t i = 0; i < s->bands.n; ++i) {
		mean m = {0};
		for (size_t c = 0; c < s->data->n_channels; ++c)
			if (wsi_spectra_has(s, c, row))
				add(&m, wsi_spectra_row(s, s->shape, c, row)[i]);
		s->mean_shape[row * s->bands.n + i] = m.sum / m.n;
	}
}

/* Half of a mode in the lowest band: the row is too short to tell its frequency. */
static bool
is_too_slow(const wsi_spectra *s, size_t row)
{
	double octaves = s->bands.width[0] / s->bands.frequency[0] / M_LN2;
	return s->mean_shape[row * s->bands.n] * octaves > 0.5;
}

static void
compare(wsi_spectra *s, size_t row)
{
	mean aligned = {0}, mixed = {0};
	for (size_t c = 0; c < s->data->n_channels; ++c) {
		const double *one = density(s, c, row);
		for (size_t other = 0; other < c; ++other)
			if (wsi_spectra_has(s, c, row) && wsi_spectra_has(s, other, row))
				add(&aligned,
				    wsi_bands_overlap(&s->bands, one, density(s, other, row)));
		if (row > 0 && wsi_spectra_has(s, c, row + 1))
			add(&mixed, wsi_bands_overlap(&s->bands, one, density(s, c, row + 1)));
	}
	bool told = !is_too_slow(s, row);
	s->overlap[row] = told ? aligned.sum / aligned.n : NAN;
	s->mixing[row] = told ? mixed.sum / mixed.n : NAN;
}

/* ---- The figure ------------------------------------------------------------- */

ws_status
wsi_plot_spectra_check(const wsi_plot_data *d, const char *path)
{
	WSI_TRY(wsi_plot_check(d, path));
	if (d->samples < WSI_WELCH_LEAST)
		return WSI_FAIL(WS_E_ARG, "%s: spectra need rows of %d samples or more, not %zu",
		                path, WSI_WELCH_LEAST, d->samples);
	return WS_OK;
}

static double *
new_numbers(wsi_spectra *s, size_t n)
{
	return wsi_kept_new(&s->kept, n, sizeof(double));
}

static ws_status
read_spectra(wsi_spectra *s, const char *path, wsi_welch *welch)
{
	WSI_TRY(wsi_bands_make(&s->bands, &s->kept, wsi_welch_length(welch), rate(s->data)));
	const size_t row = s->bands.n, all = s->data->n_channels * s->rows * row;
	s->density = new_numbers(s, all);
	s->shape = new_numbers(s, all);
	s->mean_density = new_numbers(s, s->rows * row);
	s->mean_shape = new_numbers(s, s->rows * row);
	s->overlap = new_numbers(s, s->rows);
	s->mixing = new_numbers(s, s->rows);
	s->numbers = wsi_kept_new(&s->kept, s->rows, sizeof *s->numbers);
	double *block = new_numbers(s, BLOCK),
	        *bins = new_numbers(s, wsi_welch_length(welch) / 2 + 1);
	WSI_TRY(wsi_plot_kept(&s->kept, path));
	return read_rows(s, welch, block, bins);
}

static void
summarise(wsi_spectra *s)
{
	if (!s->one_unit)
		divide_by_power(s);
	shape_rows(s);
	for (size_t r = 0; r < s->rows; ++r) {
		average_density(s, r);
		average_shape(s, r);
		compare(s, r);
	}
}

ws_status
wsi_spectra_make(wsi_spectra *s, const wsi_plot_data *data, const char *path)
{
	*s = (wsi_spectra){.data = data, .rows = 1, .one_unit = true};
	s->unit = wsi_plot_unit(data);
	for (size_t c = 0; c < data->n_channels; ++c) {
		s->rows = data->modes[c] + 1 > s->rows ? data->modes[c] + 1 : s->rows;
		s->one_unit = s->one_unit && strcmp(data->units[c], data->units[0]) == 0
		              && (data->n_channels == 1 || data->units[c][0]);
	}
	wsi_welch *welch;
	WSI_TRY(wsi_welch_create(&welch, data->samples, rate(data)));
	ws_status status = read_spectra(s, path, welch);
	wsi_welch_destroy(welch);
	if (status == WS_OK)
		summarise(s);
	else
		wsi_spectra_free(s);
	return status;
}

void
wsi_spectra_free(wsi_spectra *s)
{
	wsi_kept_free(&s->kept);
}
