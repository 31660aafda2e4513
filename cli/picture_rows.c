/*
 * picture_rows.c - a signal and the rows that a transform made of it, below each other; or the
 * power spectra of all.
 *
 * Rows are put aside in a nameless file beside the picture.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/element.h"
#include "base/status.h"
#include "io/result/result.h"
#include "io/write/spool.h"
#include "picture.h"
#include "plot/text.h"
#include "shown_modes.h"
#include "signals.h"

#define MOST_LABELS 64           /* rows of a channel that are no modes, at most */
#define PART 1024                /* outputs read at a time */
#define PEAKED 40.0              /* times the mean, above which the largest power asks for
                                    decibels */

typedef struct rows_picture {
	ws_type type;
	size_t most;             /* rows that a channel may have: those of the main arrays */
	size_t *rows;            /* [channel] that it has */
	ws_mode_figures **figures; /* [channel][mode]; NULL where the rows are no modes */
	double *alignment;       /* [mode] NaN: nobody told; HUGE_VAL: channels differ, which are
	                            not of one signal; NULL where the rows are no modes */
	char labels[MOST_LABELS][32]; /* of rows that are no modes */
	size_t samples;          /* of the signal */
	size_t every, offset; /* rows have an output for so many of them, the first at this one */
	size_t outputs;          /* of a row */
	bool of_modes, measured, open;
	bool power;              /* rows are powers of bands */
	double floor;            /* then, in decibels, the least that is drawn; 0: they are not */
	bool intervals;          /* rows are means, and have them */
	wsi_spool spool;         /* [channel][1 + most][time]: the signal, then its rows; then their
	                            intervals, likewise */
} rows_picture;

/* ---- Rows --------------------------------------------------------------------------- */

/* Rows of an array [channel][time] or [channel][row][time]. */
static size_t
rows_of(const ws_array *a)
{
	return a->rank == 3 ? a->extent[1] : 1;
}

/* "level", "power 3", "power 8 Hz" */
static void
label_rows(rows_picture *f, const ws_array *a, double *const *axes)
{
	const size_t n = rows_of(a);
	for (size_t i = 0; i < n; i++) {
		char *label = f->labels[f->most + i];
		if (n == 1)
			snprintf(label, sizeof *f->labels, "%.31s", a->name);
		else if (axes[1])
			snprintf(label, sizeof *f->labels, "%.16s %.4g%s", a->name, axes[1][i],
			         a->axis[1] == WS_AXIS_FREQUENCY || a->axis[1] == WS_AXIS_BAND
			         ? " Hz" : "");
		else
			snprintf(label, sizeof *f->labels, "%.8s %zu", a->name, i + 1);
	}
}

/* "4 to 8 Hz" */
static void
label_band(char label[32], const cli_outcome *o, double low, double high)
{
	const wsi_input *in = o->in;
	const wsi_frequency_unit unit = wsi_axis_frequency_unit(in->fs, in->fs_known, in->samples);
	wsi_snprintf(label, 32, "%.4g to %.4g %.7s", low * unit.seconds, high * unit.seconds,
	             unit.name);
}

/* Rows of bands are called by their edges, which other arrays tell. */
static void
label_bands(rows_picture *f, const cli_outcome *o, const ws_channel_result *r)
{
	const double *low = NULL, *high = NULL;
	size_t n = 0;
	for (int k = 0; k < o->outputs->n; k++) {
		const ws_array *a = &o->outputs->arrays[k];
		if (a->rank != 1 || a->axis[0] != WS_AXIS_BAND || a->type != WS_F64)
			continue;
		if (strcmp(a->name, "low") == 0)
			low = r->slabs[k].data, n = a->extent[0];
		if (strcmp(a->name, "high") == 0)
			high = r->slabs[k].data;
	}
	for (size_t i = 0; low && high && i < n && i < f->most; i++)
		label_band(f->labels[i], o, low[i], high[i]);
}

static bool
is_power(const ws_array *a)
{
	return a->flags & WS_ARRAY_MAIN && a->rank == 3 && a->axis[1] == WS_AXIS_BAND
	       && strcmp(a->name, "power") == 0 && cli_array_made(a);
}

/* Has an array i an output for each sample, or of powers one for some of them? */
static bool
has_times(rows_picture *f, const cli_outcome *o, int i)
{
	const ws_array *a = &o->outputs->arrays[i];
	if (a->rank < 2 || a->rank > 3 || a->axis[a->rank - 1] != WS_AXIS_TIME
	    || a->type != f->type)
		return false;
	const size_t every = o->outputs->every[i * WS_MOST_AXES + a->rank - 1];
	f->outputs = a->extent[a->rank - 1];
	f->every = f->power && every > 1 ? every : 1;
	f->offset = (f->every - o->skipped % f->every) % f->every;
	return f->outputs == o->in->samples
	       || (f->every > 1 && o->args->figure != FIGURE_SPECTRA);
}

/* Those of the main arrays, which must lie on the times of the signal. */
static ws_status
find_rows(rows_picture *f, const cli_outcome *o)
{
	const char *name = o->args->command.name;
	const char *asked = o->run ? "--plot" : o->in->rec->path;
	bool signal = false;
	for (int i = 0; i < o->outputs->n; i++) {
		const ws_array *a = &o->outputs->arrays[i];
		signal |= (a->flags & WS_ARRAY_SIGNAL) != 0;
		f->intervals |= (a->flags & WSI_ARRAY_INTERVAL) != 0;
		if (!(a->flags & WS_ARRAY_MAIN) || !cli_array_made(a))
			continue;
		if (cli_axis_place(a, WS_AXIS_PARTNER) > 0)
			return WSI_FAIL(WS_E_ARG, "%s: %s of all pairs cannot be drawn; choose the "
			                "channel to compare with (--against), or leave --plot out",
			                asked, name);
		f->of_modes |= cli_axis_place(a, WS_AXIS_MODE) > 0;
		f->power |= is_power(a);
		if (!has_times(f, o, i))
			return WSI_FAIL(WS_E_ARG, "%s: %s of %s is no rows of samples, and cannot "
			                "be drawn", asked, a->name, name);
		if (!f->of_modes && f->most + rows_of(a) > MOST_LABELS)
			return WSI_FAIL(WS_E_ARG, "%s: %s makes more than the %d rows that fit in "
			                "a figure", asked, name, MOST_LABELS);
		if (!f->of_modes)
			label_rows(f, a, o->outputs->axes + i * WS_MOST_AXES);
		f->most += rows_of(a);
	}
	if (f->most == 0 || !signal)
		return WSI_FAIL(WS_E_ARG, "%s: %s makes no rows that can be drawn beside a signal",
		                asked, name);
	return WS_OK;
}

static uint64_t
place_of(const rows_picture *f, size_t i, size_t row, size_t sample)
{
	const uint64_t size = wsi_type_size(f->type);
	const uint64_t rows = (f->most + 1) * (1 + f->intervals);
	return size * ((uint64_t)f->samples * (i * rows + row) + sample);
}

static ws_status
check(const cli_outcome *o)
{
	rows_picture f = { .type = (ws_type)o->args->precision };
	return find_rows(&f, o);
}

/* ---- While it runs ------------------------------------------------------------------- */

static ws_status
open_rows(void *state, const cli_outcome *o, cli_drawn *d)
{
	rows_picture *f = state;
	f->type = (ws_type)o->args->precision;
	f->samples = o->in->samples;
	WSI_TRY(find_rows(f, o));
	f->rows = CLI_DRAWN_NEW(d, d->n, size_t);
	f->figures = CLI_DRAWN_NEW(d, d->n, ws_mode_figures *);
	f->alignment = f->of_modes ? CLI_DRAWN_NEW(d, f->most, double) : NULL;
	for (size_t k = 0; f->alignment && k < f->most; k++)
		f->alignment[k] = NAN;
	for (size_t i = 0; f->of_modes && f->figures && i < d->n; i++)
		f->figures[i] = CLI_DRAWN_NEW(d, f->most, ws_mode_figures);
	WSI_TRY(cli_drawn_check(d));
	WSI_TRY(wsi_spool_open(&f->spool, d->path, place_of(f, d->n, 0, 0), false));
	f->open = true;
	return WS_OK;
}

static void
close_rows(void *state)
{
	rows_picture *f = state;
	if (f->open)
		wsi_spool_close(&f->spool);
}

/* Puts the rows of a slab aside, from row `first` on; *put: how many. */
static ws_status
put_slab(rows_picture *f, size_t i, size_t first, const ws_array *a, const ws_slab *s, size_t *put)
{
	const int time = a->rank - 2; /* axis of the slab */
	const size_t size = wsi_type_size(f->type);
	*put = 0;
	if (!s->data)
		return WS_OK;
	const size_t bytes = s->extent[time] * size;
	const size_t rows = time ? s->extent[0] : 1, at = time ? s->first[0] : 0;
	for (size_t r = 0; r < rows; r++)
		WSI_TRY(wsi_spool_put(&f->spool, place_of(f, i, first + at + r, s->first[time]),
		                      (const char *)s->data + r * bytes, bytes));
	*put = rows;
	return WS_OK;
}

/* What a channel's modes have of it; all channels of a signal have the same. */
static void
put_alignment(rows_picture *f, const ws_array *a, const ws_slab *s)
{
	const double *values = s->data;
	if (!f->alignment || !values || a->type != WS_F64 || a->rank != 2 ||
	    a->axis[1] != WS_AXIS_MODE || strcmp(a->name, "alignment") != 0)
		return;
	for (size_t k = 0; k < s->extent[0] && k < f->most; k++)
		if (!isnan(values[k]))
			f->alignment[k] = isnan(f->alignment[k]) || f->alignment[k] == values[k]
				? values[k] : HUGE_VAL;
}

static ws_status
put(void *state, const cli_outcome *o, cli_drawn *d, size_t i, const ws_channel_result *r)
{
	rows_picture *f = state;
	const cli_family *family = cli_family_of(o->args->command.transform);
	size_t row = 1, n;
	(void)d;
	for (int k = 0; k < o->outputs->n; k++) {
		const ws_array *a = &o->outputs->arrays[k];
		put_alignment(f, a, &r->slabs[k]);
		const int interval = f->intervals ? cli_outputs_interval(o->outputs, k) : -1;
		const bool main = a->flags & WS_ARRAY_MAIN && cli_array_made(a);
		if (interval >= 0)
			WSI_TRY(put_slab(f, i, f->most + 1 + (main ? row : 0), a,
			                 &r->slabs[interval], &n));
		if (a->flags & WS_ARRAY_SIGNAL)
			WSI_TRY(put_slab(f, i, 0, a, &r->slabs[k], &n));
		if (!main)
			continue;
		WSI_TRY(put_slab(f, i, row, a, &r->slabs[k], &n));
		/* The residue follows the modes that were found. */
		row += f->of_modes ? n : rows_of(a);
	}
	if (!f->of_modes)
		label_bands(f, o, r);
	f->rows[i] = row - 1;
	f->measured = f->of_modes && family->figures;
	if (f->measured)
		family->figures(r, f->figures[i]);
	return WS_OK;
}

/* ---- Drawing -------------------------------------------------------------------------- */

/* Outputs of a row as they were put aside. */
static ws_status
read_outputs(const rows_picture *f, size_t channel, size_t row, size_t first, size_t count,
             double *out)
{
	const uint64_t at = place_of(f, channel, row, first);
	if (cli_signalled())
		return WSI_FAIL(WS_E_CANCELLED, "cancelled");
	if (f->type == WS_F64)
		return wsi_spool_read(&f->spool, at, out, count * sizeof *out);
	/* Floats in the upper half of out widen from its beginning. */
	char *narrow = (char *)out + count * sizeof(float);
	WSI_TRY(wsi_spool_read(&f->spool, at, narrow, count * sizeof(float)));
	for (size_t i = 0; i < count; i++) {
		float v;
		memcpy(&v, narrow + i * sizeof v, sizeof v);
		out[i] = v;
	}
	return WS_OK;
}

/* Samples of a row: those between two outputs lie on a line. */
static ws_status
read_between(const rows_picture *f, size_t channel, size_t row, size_t first, size_t count,
             double *out)
{
	double part[PART];
	for (size_t i = 0, k, n; i < count;) {
		k = first + i < f->offset ? 0 : (first + i - f->offset) / f->every;
		k = k < f->outputs ? k : f->outputs - 1;
		n = f->outputs - k < PART ? f->outputs - k : PART;
		WSI_TRY(read_outputs(f, channel, row, k, n, part));
		for (; i < count; i++) {
			const double at = first + i < f->offset ? 0
				: (double)(first + i - f->offset) / (double)f->every - (double)k;
			const size_t j = (size_t)at;
			if (j + 1 >= n && k + n < f->outputs)
				break;
			out[i] = j + 1 < n ? part[j] + (at - (double)j) * (part[j + 1] - part[j])
			         : part[n - 1];
		}
	}
	return WS_OK;
}

/* A wsi_plot_read. */
static ws_status
read_row(void *user, size_t channel, size_t row, size_t first, size_t count, double *out)
{
	const rows_picture *f = user;
	const bool apart = row > 0 && row != f->most + 1 && f->every > 1;
	WSI_TRY(apart ? read_between(f, channel, row, first, count, out)
	        : read_outputs(f, channel, row, first, count, out));
	for (size_t i = 0; row > 0 && f->floor > 0 && i < count; i++)
		out[i] = 10 * log10(out[i] < f->floor ? f->floor : out[i]);
	return WS_OK;
}

/* The same of its interval. */
static ws_status
read_interval(void *user, size_t channel, size_t row, size_t first, size_t count, double *out)
{
	return read_row(user, channel, ((const rows_picture *)user)->most + 1 + row, first, count,
	                out);
}

static ws_status
draw_as(rows_picture *f, const cli_outcome *o, cli_drawn *d, wsi_plot_data *of, wsi_sheet *sheet,
        ws_status (*as)(const wsi_plot_data *of, wsi_sheet *sheet))
{
	const char *labels[MOST_LABELS];
	size_t *modes = CLI_DRAWN_NEW(d, d->n, size_t);
	WSI_TRY(cli_drawn_check(d));
	/* The last row is the residue. */
	for (size_t i = 0; i < d->n; i++)
		modes[i] = f->rows[i] - f->of_modes;
	for (size_t i = 0; i < MOST_LABELS; i++)
		labels[i] = f->labels[i];
	of->modes = modes;
	of->labels = f->of_modes ? NULL : labels;
	of->figures = f->measured ? (const ws_mode_figures *const *)f->figures : NULL;
	of->alignment = f->alignment;
	of->read = read_row;
	of->user = f;
	of->interval = f->intervals ? read_interval : NULL;
	if (f->of_modes)
		WSI_TRY(cli_shown_modes(o->args->plot_modes, of, &d->kept));
	return as(of, sheet);
}

static ws_status
draw(void *state, const cli_outcome *o, cli_drawn *d, wsi_plot_data *of, wsi_sheet *sheet)
{
	return draw_as(state, o, d, of, sheet, wsi_plot_decomposition);
}

/* Are powers told in decibels?  If asked for, or if one has a peak beside which its row would be a
 * line, but not with intervals, whose ends would be far below 0. */
static ws_status
choose_decibels(rows_picture *f, const cli_outcome *o, const cli_drawn *d)
{
	const char *asked = o->args->db;
	double part[PART], largest = 0;
	bool peaked = false;
	for (size_t row = 0; row < d->n * f->most; row++) {
		double sum = 0, peak = 0;
		for (size_t at = 0, n; at < f->outputs; at += n) {
			n = f->outputs - at < PART ? f->outputs - at : PART;
			WSI_TRY(read_outputs(f, row / f->most, 1 + row % f->most, at, n, part));
			for (size_t k = 0; k < n; k++) {
				sum += part[k];
				peak = fmax(peak, part[k]);
			}
		}
		peaked |= peak * (double)f->outputs > PEAKED * sum;
		largest = fmax(largest, peak);
	}
	const bool decibels = asked ? !*asked : peaked && !f->intervals;
	f->floor = decibels ? fmax(largest * 1e-10, DBL_MIN) : 0;
	return WS_OK;
}

static ws_status
draw_powers(void *state, const cli_outcome *o, cli_drawn *d, wsi_plot_data *of, wsi_sheet *sheet)
{
	rows_picture *f = state;
	char unit[32], below[48];
	WSI_TRY(choose_decibels(f, o, d));
	bool same = true;
	for (size_t i = 0; i < d->n; i++)
		same &= strcmp(of->units[i], of->units[0]) == 0;
	wsi_text_unit_or(same ? of->units[0] : "", unit);
	snprintf(below, sizeof below, "%s%s\u00b2", f->floor > 0 ? "dB re 1 " : "", unit);
	of->row_unit = below;
	of->from_zero = f->floor == 0;
	return draw_as(f, o, d, of, sheet, wsi_plot_decomposition);
}

static bool
fits_powers(const cli_outcome *o)
{
	bool power = false;
	for (int i = 0; i < o->outputs->n; i++)
		power |= is_power(&o->outputs->arrays[i]);
	return power;
}

static ws_status
check_powers(const cli_outcome *o)
{
	rows_picture f = { .type = (ws_type)o->args->precision };
	WSI_TRY(find_rows(&f, o));
	return !f.intervals || !o->args->db || *o->args->db ? WS_OK
	       : WSI_FAIL(WS_E_ARG, "--db: means over epochs are drawn with their intervals, which "
	                  "decibels would not hold; leave it out");
}

static ws_status
draw_spectra(void *state, const cli_outcome *o, cli_drawn *d, wsi_plot_data *of, wsi_sheet *sheet)
{
	return draw_as(state, o, d, of, sheet, wsi_plot_spectra);
}

const cli_picture cli_picture_rows = {
	.figure = FIGURE_OWN, .size = sizeof(rows_picture), .check = check,
	.check_page = wsi_plot_decomposition_check, .open = open_rows, .put = put, .draw = draw,
	.close = close_rows,
};

const cli_picture cli_picture_powers = {
	.figure = FIGURE_NOT_GIVEN, .title = "Power of frequency bands", .decibels = true,
	.size = sizeof(rows_picture), .fits = fits_powers, .check = check_powers,
	.check_page = wsi_plot_decomposition_check, .open = open_rows, .put = put,
	.draw = draw_powers, .close = close_rows,
};

const cli_picture cli_picture_spectra = {
	.figure = FIGURE_SPECTRA, .all_channels = true, .size = sizeof(rows_picture),
	.check = check, .check_page = wsi_plot_spectra_check, .open = open_rows, .put = put,
	.draw = draw_spectra, .close = close_rows,
};
