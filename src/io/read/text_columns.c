/* text_columns.c - which columns of a table are channels, and what a user should know of them; see
 * text_table.h. */
#include "io/read/text_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Does a column count the rows from the first on: by one, or, looped, from 0 again now and then? */
static bool
counts_rows(const text_state *s, size_t column, bool looped)
{
	const double *x = s->values + s->first_row * s->columns + column;
	const size_t rows = s->rows - s->first_row;
	if (!looped && x[0] != 0 && x[0] != 1)
		return false;
	for (size_t i = 1; i < rows; ++i) {
		const double step = x[i * s->columns] - x[(i - 1) * s->columns];
		if (!(step == 1) && !(looped && x[i * s->columns] == 0))
			return false;
	}
	return rows > 0 && x[0] == floor(x[0]);
}

/* Is there no number in it? */
static bool
is_empty(const text_state *s, size_t column)
{
	size_t i = s->first_row;
	while (i < s->rows && isnan(s->values[i * s->columns + column]))
		++i;
	return i == s->rows;
}

/* Times that are none of the table's: they rise, or stay. */
static bool
is_other_time(const text_state *s, size_t column)
{
	const double *x = s->values + s->first_row * s->columns + column;
	const char *name = s->names ? s->names[column] : "";
	if ((strncasecmp(name, "time", 4) != 0 && strncasecmp(name, "unix", 4) != 0) ||
	    !text_read_time_name(name, NULL).is_time)
		return false;
	for (size_t i = 1; i < s->rows - s->first_row; ++i)
		if (!(x[i * s->columns] >= x[(i - 1) * s->columns]))
			return false;
	return true;
}

/* A column that is called a time, where the table has none, is left out: that is told. */
static ws_status
note_other_time(wsi_recording *rec, size_t channel)
{
	const text_state *s = rec->state;
	if (s->times != TEXT_UNTIMED || rec->opts.fs != 0)
		return WS_OK;
	return wsi_recording_add_note(rec, "%s: column %s is called a time, but not taken for that "
	                              "of the rows, and left out; name one column 'time_s', or "
	                              "give `fs`", rec->path, rec->channels[channel].name);
}

/* Channels that are no signals, if others are: what counts rows, other times, empty columns. */
static ws_status
mark_signals(wsi_recording *rec)
{
	const text_state *s = rec->state;
	size_t signals = 0, empty = 0;
	for (size_t i = 0; i < rec->n_channels; ++i) {
		const size_t c = s->column_of[i];
		const char *name = s->names ? s->names[c] : "";
		const bool counts = i == 0 && *name != '\0' && !s->numeric_names &&
		                    text_counts_by_name(name) && counts_rows(s, c, true);
		/* OpenViBE numbers its epochs. */
		const bool vibe = s->time_name.rate > 0 && strcmp(name, "Epoch") == 0;
		const bool none = is_empty(s, c), time = !none && is_other_time(s, c);
		rec->channels[i].is_signal = !counts && !vibe && !none && !time;
		if (time)
			WSI_TRY(note_other_time(rec, i));
		signals += rec->channels[i].is_signal;
		empty += none;
	}
	for (size_t i = 0; signals == 0 && i < rec->n_channels; ++i)
		rec->channels[i].is_signal = true;
	return signals == 0 || empty == 0 ? WS_OK
	       : wsi_recording_add_note(rec, "%s: %zu column%s without any number %s no signal%s",
	                                rec->path, empty, empty == 1 ? "" : "s",
	                                empty == 1 ? "is" : "are", empty == 1 ? "" : "s");
}

/* Wristbands of Empatica: in all columns the first row is when it begins, in seconds since 1970,
 * and the second the rate. */
static ws_status
settle_start(wsi_recording *rec)
{
	text_state *s = rec->state;
	const double *x = s->values;
	if (s->names || s->times != TEXT_UNTIMED || s->rows < 4 || rec->opts.masks
	    || !(x[0] >= 1e9 && x[0] < 4e9) || !(x[s->columns] > 0 && x[s->columns] <= 1e4))
		return WS_OK;
	for (size_t i = 0; i < s->rows * s->columns; ++i) {
		const size_t row = i / s->columns;
		if (row < 2 ? x[i] != x[row * s->columns] : !(isnan(x[i]) || fabs(x[i]) < 1e8))
			return WS_OK;
	}
	const text_date start = { .seconds = (int64_t)x[0], .fraction = x[0] - floor(x[0]),
		                  .zone = true };
	text_format_date(&start, s->told.start);
	s->told.rate = x[s->columns];
	s->first_row = 2;
	return wsi_recording_add_note(rec, "%s: its first two rows are taken for the moment when "
	                              "it begins and for its rate, as wristbands write them",
	                              rec->path);
}

/* Are the names of the columns those that stand in row 0? */
static ws_status
settle_names(wsi_recording *rec)
{
	text_state *s = rec->state;
	const bool corner = s->columns > 1 && isnan(s->values[0]);
	if (s->numeric_row && s->columns > 1)
		return wsi_recording_add_note(rec, "%s: its first line, which counts its columns "
		                              "from 0, is read as numbers, as others are whole "
		                              "numbers too; if it has their names, take it off, or "
		                              "write words", rec->path);
	if (!s->numeric_names || s->rows < 2)
		return WS_OK;
	s->first_row = 1;
	if (corner && !counts_rows(s, 0, false)) {
		s->first_row = 0;
		return WS_OK;
	}
	s->names = calloc(s->columns, sizeof *s->names);
	for (size_t i = 0; s->names && i < s->columns; ++i) {
		char number[24] = "";
		if (i >= corner)
			snprintf(number, sizeof number, "%zu", i - corner);
		s->names[i] = wsi_strdup(number);
		if (!s->names[i])
			break;
	}
	WSI_HAVE(s->names && s->names[s->columns - 1], "%s: no memory for its columns", rec->path);
	return wsi_recording_add_note(rec, "%s: its first line is taken for names, as it counts "
	                              "the columns from 0 and no other line is of whole numbers "
	                              "alone", rec->path);
}

/* Two columns of whole numbers without names, "1,5": they may be one column of decimal commas. */
static ws_status
note_decimal_commas(wsi_recording *rec)
{
	const text_state *s = rec->state;
	if (s->columns != 2 || s->delimiter != ',' || s->names || s->points)
		return WS_OK;
	for (size_t i = 0; i < 2 * s->rows; ++i)
		if (!(s->values[i] == floor(s->values[i])) || (i % 2 && !(s->values[i] >= 0)))
			return WS_OK;
	return wsi_recording_add_note(rec, "%s: its commas are taken to part two channels; if 1,5 "
	                              "is one number, write 1.5, and if not, names in a first line "
	                              "say so", rec->path);
}

/* A column that rises evenly without the name of a time is likely one, and no signal. */
static ws_status
note_untold_time(wsi_recording *rec)
{
	const text_state *s = rec->state;
	const double *x = s->values + s->first_row * s->columns;
	const size_t rows = s->rows - s->first_row;
	if (s->times != TEXT_UNTIMED || s->columns < 2 || s->column_of[0] != 0 || rows < 8 ||
	    !rec->channels[0].is_signal)
		return WS_OK;
	const double step = (x[(rows - 1) * s->columns] - x[0]) / (double)(rows - 1);
	for (size_t i = 1; i < rows; ++i)
		if (!(x[i * s->columns] > x[(i - 1) * s->columns]) ||
		    !(fabs(x[i * s->columns] - x[0] - (double)i * step) < 0.3 * step))
			return WS_OK;
	return wsi_recording_add_note(rec, "%s: its first column (%.40s) rises evenly, as times "
	                              "do, and is read as a signal; if it is the time, name it in "
	                              "a first line, such as 'time_s', 'time_ms' or 'year'",
	                              rec->path, rec->channels[0].name);
}

/* More columns than rows are rarely channels. */
static ws_status
note_rows(wsi_recording *rec)
{
	const size_t samples = rec->channels[0].samples;
	if (rec->opts.masks || rec->fs_known || rec->n_channels < 16 || samples >= rec->n_channels)
		return WS_OK;
	return wsi_recording_add_note(rec, "%s: its %zu columns are read as channels, of %zu "
	                              "sample%s each; if a row is a signal, turn the table",
	                              rec->path, rec->n_channels, samples, samples == 1 ? "" : "s");
}

/* Which columns are channels: neither times nor numbers of rows without a name. */
static ws_status
choose_columns(wsi_recording *rec)
{
	text_state *s = rec->state;
	const bool unnamed = s->names && s->columns > 1 && (s->names[0][0] == '\0' ||
	                                                    strncmp(s->names[0], "Unnamed",
	                                                            7) == 0);
	size_t n = 0;
	WSI_NEW(s->column_of, s->columns, "%s: no memory for its columns", rec->path);
	const bool timed = s->times != TEXT_UNTIMED;
	for (size_t c = 0; c < s->columns; ++c) {
		if (timed && c >= s->time_column && c < s->time_column + s->time_columns)
			continue;
		if (c == 0 && unnamed && counts_rows(s, c, false))
			continue;
		s->column_of[n++] = c;
	}
	if (s->months) {
		*s->column_of = s->time_column + 1;
		return wsi_recording_set_channels(rec, 1, 0);
	}
	if (s->corner && s->column_of[0] == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: its rows have %zu columns, the line of names "
		                "before them has %zu; a table has as many in every line", rec->path,
		                s->columns, s->columns - 1);
	return wsi_recording_set_channels(rec, n, 0);
}

/* Those to come have no value yet. */
static size_t
count_months(const text_state *s)
{
	size_t n = 12 * s->rows;
	while (n > 1 && isnan(text_month(s, n - 1)))
		--n;
	return n;
}

/* Of nines alone, as in -9999, 99.9 and -99.99, or another number that often stands for none? */
static bool
may_be_fill(double x)
{
	static const double fills[] = { 32768, 32767, 65535, 8888, 99, 999, 9999, 99999, 999999,
	                                9.99, 99.9, 99.99, 999.9, 999.99, 999.25, 9999.25,
	                                9999.9, 9999.99, 99999.9, 999.999, 9999.999 };
	for (size_t i = 0; i < sizeof fills / sizeof *fills; ++i)
		if (fabs(x) == fills[i])
			return true;
	return fabs(x) >= 1e20 && isfinite(x);
}

/* A channel's range without a number, and how often it has it. */
static size_t
range_without(const text_state *s, size_t column, double fill, double *low, double *high)
{
	size_t n = 0;
	*low = INFINITY;
	*high = -INFINITY;
	for (size_t i = s->first_row; i < s->rows; ++i) {
		const double v = s->values[i * s->columns + column];
		n += v == fill;
		*low = v < *low && v != fill ? v : *low;
		*high = v > *high && v != fill ? v : *high;
	}
	return n;
}

/* Of all columns, row by row as they lie in memory. */
static void
find_ranges(const text_state *s, double *low, double *high)
{
	for (size_t c = 0; c < s->columns; ++c) {
		low[c] = INFINITY;
		high[c] = -INFINITY;
	}
	for (size_t i = s->first_row; i < s->rows; ++i) {
		const double *row = s->values + i * s->columns;
		for (size_t c = 0; c < s->columns; ++c) {
			low[c] = row[c] < low[c] ? row[c] : low[c];
			high[c] = row[c] > high[c] ? row[c] : high[c];
		}
	}
}

/* Channels whose extreme is nines, far from all else, may have it for no value. */
static ws_status
note_fill(wsi_recording *rec, const double *low, const double *high)
{
	const text_state *s = rec->state;
	for (size_t i = 0, told = 0; i < rec->n_channels && told < 4; ++i) {
		const size_t c = s->column_of[i];
		const double fill = may_be_fill(low[c]) && low[c] < 0 ? low[c]
		                    : may_be_fill(high[c]) ? high[c] : 0;
		double a, b;
		if (fill == 0 || low[c] == high[c])
			continue;
		const size_t n = range_without(s, c, fill, &a, &b);
		/* Farther off than the others are from each other. */
		if (!(fmin(fabs(fill - a), fabs(fill - b)) > 1.5 * (b - a)) ||
		    2 * n > s->rows - s->first_row)
			continue;
		++told;
		WSI_TRY(wsi_recording_add_note(rec, "%s: channel %.40s has %g %zu time%s, far from "
		                               "its other numbers; if it stands for a missing "
		                               "value, `missing %g` says so", rec->path,
		                               rec->channels[i].name, fill, n, n == 1 ? "" : "s",
		                               fill));
	}
	return WS_OK;
}

static ws_status
look_for_fill(wsi_recording *rec)
{
	const text_state *s = rec->state;
	if (rec->opts.missing || rec->opts.masks || s->months)
		return WS_OK;
	double *low = malloc(2 * s->columns * sizeof *low);
	WSI_HAVE(low, "%s: no memory for its columns", rec->path);
	find_ranges(s, low, low + s->columns);
	const ws_status status = note_fill(rec, low, low + s->columns);
	free(low);
	return status;
}

ws_status
text_set_channels(wsi_recording *rec)
{
	text_state *s = rec->state;
	double rate;
	WSI_TRY(settle_start(rec));
	WSI_TRY(text_take_times(rec, &rate));
	WSI_TRY(settle_names(rec));
	WSI_TRY(choose_columns(rec));
	rec->fs_known = rate > 0;
	for (size_t i = 0; i < rec->n_channels; ++i) {
		const size_t column = s->column_of[i];
		const char *name = s->names ? s->names[column] : "";
		if (*name != '\0')
			WSI_TRY(wsi_channel_set_name(&rec->channels[i], name));
		char unit[24];
		if (s->units)
			WSI_TRY(wsi_channel_set_unit(&rec->channels[i], s->units[column]));
		else if (text_unit_in(name, unit))
			WSI_TRY(wsi_channel_set_unit(&rec->channels[i], unit));
		if (rec->fs_known)
			rec->channels[i].fs = rate;
		rec->channels[i].samples = s->months ? count_months(s) : s->rows - s->first_row;
	}
	if (s->months)
		WSI_TRY(wsi_channel_set_name(&rec->channels[0], "months"));
	else
		WSI_TRY(mark_signals(rec));
	WSI_TRY(look_for_fill(rec));
	WSI_TRY(note_decimal_commas(rec));
	WSI_TRY(note_untold_time(rec));
	WSI_TRY(note_rows(rec));
	rec->dated = s->dated;
	if (s->dated)
		text_format_date(&s->first_date, rec->start_time);
	else if (s->times == TEXT_UNTIMED && s->told.start[0] != '\0' &&
	         text_parse_date(s->told.start, false, &s->first_date))
		text_format_date(&s->first_date, rec->start_time);
	return WS_OK;
}
