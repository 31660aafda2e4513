/*
 * text.c - tables of numbers: CSV, TSV, semicolons, bars or blanks between columns.
 *
 * A column is a channel, a row a moment.  Lines starting with # or % are comments, of which those
 * before the numbers may name the columns and tell the rate.  What the first column says of time
 * gives the sampling rate and the origin, and times must be even unless the user gives the rate.  A
 * first column of row numbers is no signal.  The table is read into memory when it is opened.
 * text_table.h shows how the work is shared out.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "io/decoder.h"
#include "io/segments.h"
#include "io/text_table.h"

static int
text_probe(const unsigned char *head, size_t n, const char *path)
{
	size_t digits = 0, marks = 0;
	bool printable = true;
	for (size_t i = 0; i < n; ++i) {
		digits += head[i] >= '0' && head[i] <= '9';
		marks += head[i] > ' ';
		printable = printable && (head[i] >= ' ' || (head[i] >= '\t' && head[i] <= '\r'));
	}
	/* Tables are digits for the most part; prose is not. */
	if (printable && digits > 0 && digits >= marks / 4)
		return 2;
	/* A byte order mark of UTF-16 is let through to be told what is wrong. */
	if (!printable && !(n >= 2 && (head[0] ^ head[1]) == 1 && head[0] >= 0xfe))
		return 0;
	return wsi_name_ends(path, ".csv") || wsi_name_ends(path, ".tsv") ||
	       wsi_name_ends(path, ".txt") || wsi_name_ends(path, ".dat") ||
	       wsi_name_ends(path, ".asc") || wsi_name_ends(path, ".ascii") ||
	       wsi_name_ends(path, ".psv") || wsi_name_ends(path, ".lvm");
}

/* ---- Times ---------------------------------------------------------------- */

/* Says what is wrong with the times; a decomposition across a gap would pass
 * for one of the whole. */
static ws_status
refuse_times(const wsi_recording *rec, const text_spacing *t)
{
	static const char fs[] = "give --fs to take the rows as evenly spaced";
	const text_state *s = rec->state;
	const size_t line = s->lines[t->row];
	const double unit = s->times == TEXT_NUMBERS ? s->unit : 1;
	const char *name = unit == 1 ? " s" : "";
	switch (t->found) {
	case TEXT_NO_TIME:
		return WSI_FAIL(WS_E_FORMAT, "%s: line %zu has no time; remove the line, or %s",
		                rec->path, line, fs);
	case TEXT_BACK:
		return WSI_FAIL(WS_E_FORMAT, "%s: line %zu: the time goes back by %.6g%s; sort "
		                "the rows, or %s", rec->path, line, -t->interval / unit, name, fs);
	case TEXT_REPEATED:
		return WSI_FAIL(WS_E_FORMAT, "%s: line %zu repeats the time of the line "
		                "before; remove one of them, or %s", rec->path, line, fs);
	default:
		return WSI_FAIL(WS_E_FORMAT, "%s: line %zu: the times are not evenly spaced: "
		                "this one is off by %.3g%s of steps of %.6g%s; resample the "
		                "table, or %s", rec->path, line, t->off / unit, name,
		                t->step / unit, name, fs);
	}
}

/* Rows behind a gap are a segment.  Their times count from the first row; scale: of the times, whose
 * unit may be known by now. */
static ws_status
report_gaps(wsi_recording *rec, const text_spacing *spacing, double scale, double rate)
{
	const text_state *s = rec->state;
	const double *times = s->values + s->time_column;
	for (size_t i = 1, found = 0; i < s->rows && found < spacing->gaps; ++i) {
		const double time = times[i * s->columns];
		if (!text_is_gap(spacing, time - times[(i - 1) * s->columns]))
			continue;
		++found;
		WSI_TRY(wsi_recording_add_segment(rec, (double)i / rate, scale * time, NAN));
	}
	return WS_OK;
}

/* The rate that names or comments tell, beside that of the times: they agree, or the times are in a
 * unit that their name does not tell. */
static ws_status
reconcile(wsi_recording *rec, double told, double *rate)
{
	static const struct {
		double seconds;
		const char *name;
	} units[] = { { 1e-3, "ms" }, { 1e-6, "us" }, { 1e-9, "ns" } };
	text_state *s = rec->state;
	if (fabs(told - *rate) <= 0.01 * told) {
		*rate = told;
		return WS_OK;
	}
	for (size_t i = 0; i < 3 && s->times == TEXT_NUMBERS && s->time_name.unit == 0; ++i) {
		const double in_unit = *rate / units[i].seconds;
		if (s->unit != 1 || fabs(told - in_unit) > 0.01 * told)
			continue;
		s->unit = units[i].seconds;
		*rate = told;
		return wsi_recording_add_note(rec, "%s: its times are taken for %s, as %g Hz are told",
		                              rec->path, units[i].name, told);
	}
	return WSI_FAIL(WS_E_FORMAT, "%s: a rate of %g Hz is told where the times of its rows are %g s "
	                "apart; give the true rate with --fs", rec->path, told, 1 / *rate);
}

/* From times that are even, or so but for jitter around a rate that is told. */
static ws_status
take_even_times(wsi_recording *rec, double told, double *rate)
{
	text_state *s = rec->state;
	text_spacing spacing;
	const bool dates = s->times != TEXT_NUMBERS && s->times != TEXT_CLOCK;
	const double unit = s->unit;
	if (!text_examine(s->values + s->time_column, s->rows, s->columns,
	                  dates ? &s->first_date : NULL, s->resolution, &spacing))
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory to look at its times", rec->path);
	if (spacing.found == TEXT_MONTHS)
		return wsi_recording_add_note(rec, "%s: its times step by calendar months, "
		                              "which differ in length, so they count samples; --fs "
		                              "gives a rate", rec->path);
	if (spacing.found == TEXT_JITTER && told > 0 &&
	    spacing.gaps == 0 && fabs(told * spacing.step - 1) <= 0.01) {
		*rate = told;
		WSI_TRY(wsi_recording_add_note(rec, "%s: its times are not evenly spaced, by %.3g s at "
		                               "worst; the %g Hz that are told are taken", rec->path,
		                               spacing.off, told));
	} else if (spacing.found != TEXT_EVEN) {
		return refuse_times(rec, &spacing);
	} else {
		*rate = spacing.rate;
		if (told > 0)
			WSI_TRY(reconcile(rec, told, rate));
		WSI_TRY(report_gaps(rec, &spacing, s->unit != unit ? s->unit / unit : 1, *rate));
	}
	/* Dates count from the first one, which start_time tells. */
	if (!dates)
		rec->time_origin = s->first_time * (s->times == TEXT_NUMBERS ? s->unit : 1);
	rec->time_unit = dates ? 0 : s->times == TEXT_NUMBERS ? s->unit : 1;
	return WS_OK;
}

/* Is the column of times empty?  LabVIEW leaves it so where a rate is told. */
static bool
no_times(const text_state *s)
{
	size_t i = 0;
	while (i < s->rows && isnan(s->values[i * s->columns + s->time_column]))
		++i;
	return i == s->rows;
}

/* Twelve times the rate of years that are whole. */
static ws_status
take_years(wsi_recording *rec, double *rate)
{
	WSI_TRY(take_even_times(rec, 0, rate));
	if (rec->n_segments > 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: its years of 12 months have gaps; add the years that "
		                "lack, of missing values", rec->path);
	*rate *= 12;
	return wsi_recording_add_note(rec, "%s: its years of 12 months are read as one signal of months "
	                              "from the first January on", rec->path);
}

/* *rate from the times and from what is told, 0 where there is none, and where times begin.  A rate
 * that the user gives takes their place. */
static ws_status
take_times(wsi_recording *rec, double *rate)
{
	text_state *s = rec->state;
	const double told = s->time_name.rate > 0 ? s->time_name.rate : s->told.differ ? 0
	                    : s->told.rate;
	*rate = 0;
	if (s->times != TEXT_UNTIMED && no_times(s)) {
		s->times = TEXT_UNTIMED;
		s->months = false;
	}
	if (rec->opts.fs != 0)
		return WS_OK;
	if (s->months && s->rows > 1)
		return take_years(rec, rate);
	if (s->times != TEXT_UNTIMED && s->rows > 1)
		return take_even_times(rec, told, rate);
	if (s->told.differ)
		return wsi_recording_add_note(rec, "%s: its comments tell several sampling rates, so "
		                              "none is taken; give it with --fs", rec->path);
	*rate = told;
	return told > 0 ? wsi_recording_add_note(rec, "%s: its sampling rate, %g Hz, is what the "
	                                         "lines before its numbers tell", rec->path, told)
	                : WS_OK;
}

/* ---- Columns -------------------------------------------------------------- */

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
		const bool none = is_empty(s, c);
		rec->channels[i].is_signal = !counts && !vibe && !none && !is_other_time(s, c);
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

/* Are the names of the columns those that stand in row 0? */
static ws_status
settle_names(wsi_recording *rec)
{
	text_state *s = rec->state;
	const bool corner = s->columns > 1 && isnan(s->values[0]);
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
	if (!s->names || !s->names[s->columns - 1])
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for its columns", rec->path);
	return wsi_recording_add_note(rec, "%s: its first line is taken for names, as it counts the "
	                              "columns from 0 and no other line is of whole numbers alone",
	                              rec->path);
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
	return wsi_recording_add_note(rec, "%s: its first column (%.40s) rises evenly, as times do, and "
	                              "is read as a signal; if it is the time, name it in a first line, "
	                              "such as 'time_s', 'time_ms' or 'year'", rec->path,
	                              rec->channels[0].name);
}

/* Which columns are channels: neither times nor numbers of rows without a name. */
static ws_status
choose_columns(wsi_recording *rec)
{
	text_state *s = rec->state;
	const bool unnamed = s->names && s->columns > 1 && (s->names[0][0] == '\0' ||
	                                                    strncmp(s->names[0], "Unnamed", 7) == 0);
	size_t n = 0;
	s->column_of = calloc(s->columns, sizeof *s->column_of);
	if (!s->column_of)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for its columns", rec->path);
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
		return wsi_recording_set_channels(rec, 1);
	}
	if (s->corner && s->column_of[0] == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: its rows have %zu columns, the line of names before "
		                "them has %zu; a table has as many in every line", rec->path, s->columns,
		                s->columns - 1);
	return wsi_recording_set_channels(rec, n);
}

static inline double
month(const text_state *s, size_t i)
{
	return s->values[i / 12 * s->columns + s->time_column + 1 + i % 12];
}

/* Those to come have no value yet. */
static size_t
count_months(const text_state *s)
{
	size_t n = 12 * s->rows;
	while (n > 1 && isnan(month(s, n - 1)))
		--n;
	return n;
}

/* Of nines alone, as in -9999, 99.9 and -99.99? */
static bool
is_nines(double x)
{
	static const double nines[] = { 99, 999, 9999, 99999, 999999, 9.99, 99.9, 99.99, 999.9, 999.99,
	                                9999.9, 9999.99, 99999.9, 999.999, 9999.999 };
	for (size_t i = 0; i < sizeof nines / sizeof *nines; ++i)
		if (fabs(x) == nines[i])
			return true;
	return false;
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
		const double fill = is_nines(low[c]) && low[c] < 0 ? low[c]
		                    : is_nines(high[c]) ? high[c] : 0;
		double a, b;
		if (fill == 0 || low[c] == high[c])
			continue;
		const size_t n = range_without(s, c, fill, &a, &b);
		/* Farther off than the others are from each other. */
		if (!(fmin(fabs(fill - a), fabs(fill - b)) > 1.5 * (b - a)) ||
		    2 * n > s->rows - s->first_row)
			continue;
		++told;
		WSI_TRY(wsi_recording_add_note(rec, "%s: channel %.40s has %g %zu time%s, far from its "
		                               "other numbers; if it stands for a missing value, "
		                               "--missing %g says so", rec->path,
		                               rec->channels[i].name, fill, n, n == 1 ? "" : "s", fill));
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
	if (!low)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for its columns", rec->path);
	find_ranges(s, low, low + s->columns);
	const ws_status status = note_fill(rec, low, low + s->columns);
	free(low);
	return status;
}

static ws_status
set_channels(wsi_recording *rec)
{
	text_state *s = rec->state;
	double rate;
	WSI_TRY(take_times(rec, &rate));
	WSI_TRY(settle_names(rec));
	WSI_TRY(choose_columns(rec));
	rec->fs_known = rate > 0;
	for (size_t i = 0; i < rec->n_channels; ++i) {
		const size_t column = s->column_of[i];
		const char *name = s->names ? s->names[column] : "";
		if (*name != '\0')
			WSI_TRY(wsi_channel_set_name(&rec->channels[i], name));
		if (s->units)
			WSI_TRY(wsi_channel_set_unit(&rec->channels[i], s->units[column]));
		if (rec->fs_known)
			rec->channels[i].fs = rate;
		rec->channels[i].samples = s->months ? count_months(s) : s->rows - s->first_row;
	}
	if (s->months)
		WSI_TRY(wsi_channel_set_name(&rec->channels[0], "months"));
	else
		WSI_TRY(mark_signals(rec));
	WSI_TRY(look_for_fill(rec));
	WSI_TRY(note_untold_time(rec));
	if (s->dated)
		text_format_date(&s->first_date, rec->start_time);
	else if (s->times == TEXT_UNTIMED && s->told.start[0] != '\0' &&
	         text_parse_date(s->told.start, false, &s->first_date))
		text_format_date(&s->first_date, rec->start_time);
	return WS_OK;
}

/* Tabs and blanks: "1,234" might be any of two numbers. */
static ws_status
check_commas(const wsi_recording *rec)
{
	const text_state *s = rec->state;
	if (s->point != ',' || s->delimiter == ';' || s->commas_sure)
		return WS_OK;
	return WSI_FAIL(WS_E_FORMAT, "%s: nothing tells whether the commas in its numbers are decimal "
	                "marks or set off thousands; write decimal points", rec->path);
}

/* ---- The reader ----------------------------------------------------------- */

/* What is needed only while the file is read. */
static void
free_reading(text_state *s)
{
	for (size_t i = 0; s->names && i < s->columns; ++i)
		free(s->names[i]);
	for (size_t i = 0; s->units && i < s->columns; ++i)
		free(s->units[i]);
	for (size_t i = 0; i < TEXT_HEADS; ++i) {
		free(s->heads[i]);
		s->heads[i] = NULL;
	}
	if (s->fd >= 0 && !s->piped)
		close(s->fd);
	s->fd = -1;
	free(s->block);
	free(s->names);
	free(s->units);
	free(s->fields);
	free(s->line);
	free(s->lines);
	free(s->parts);
	free(s->suspect);
	free(s->skipped);
	s->skipped = NULL;
	free(s->footer_detail);
	free(s->told.names);
	s->told.names = NULL;
	s->names = s->units = s->fields = NULL;
	s->lines = NULL;
	s->parts = NULL;
	s->line = s->block = s->suspect = s->footer_detail = NULL;
}

ws_status
text_begin(wsi_recording *rec)
{
	text_state *s = rec->state = calloc(1, sizeof *s);
	if (!s)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory", rec->path);
	s->fd = -1;
	s->point = '.';
	s->most = wsi_reading_memory(&rec->opts);
	s->block = malloc(TEXT_BLOCK);
	if (!s->block)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory", rec->path);
	if (strcmp(rec->path, "-") == 0) {
		s->piped = true;
		s->fd = STDIN_FILENO;
		WSI_TRY(wsi_opened_add(rec->opts.opened, s->fd, "standard input"));
	} else {
		wsi_file f;
		WSI_TRY(wsi_file_open(&f, rec->path, rec->opts.opened));
		s->fd = f.fd;
	}
	wsi_sha256_start(&s->hash);
	return WS_OK;
}

static ws_status
text_open(wsi_recording *rec)
{
	WSI_TRY(text_begin(rec));
	text_state *s = rec->state;
	WSI_TRY(text_read_rows(rec));
	WSI_TRY(check_commas(rec));
	if (!s->piped)
		wsi_sha256_finish(&s->hash, rec->sha256);
	rec->held = s->rows * s->columns * sizeof *s->values;
	WSI_TRY(set_channels(rec));
	free_reading(s);
	return WS_OK;
}

static ws_status
text_read(wsi_recording *rec, size_t epoch, size_t channel, size_t first, size_t count, double *out)
{
	(void)epoch;
	const text_state *s = rec->state;
	for (size_t i = 0; s->months && i < count; ++i)
		out[i] = month(s, first + i);
	if (s->months)
		return WS_OK;
	const double *from = s->values + (s->first_row + first) * s->columns + s->column_of[channel];
	for (size_t i = 0; i < count; ++i)
		out[i] = from[i * s->columns];
	return WS_OK;
}

void
text_end(wsi_recording *rec)
{
	text_state *s = rec->state;
	if (!s)
		return;
	free_reading(s);
	free(s->column_of);
	free(s->values);
	free(s);
	rec->state = NULL;
}

const wsi_reader wsi_reader_text = {
	.name = "text", .probe = text_probe, .open = text_open, .read = text_read,
	.close = text_end,
};
