/* text_stamps.c - the times of a table's rows. */
#define _GNU_SOURCE /* strcasestr */
#include "io/read/text_table.h"
#include "io/read/time_units.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/calendar.h"

/* ---- Which columns? ------------------------------------------------------- */

static bool
is_one_of(const char *name, const char *list)
{
	char wanted[24];
	if (strlen(name) > 20)
		return false;
	snprintf(wanted, sizeof wanted, " %s ", name);
	return strcasestr(list, wanted) != NULL;
}

/* Columns from c on that are year, month, day, hour, minute, second; 0: not so. */
static size_t
calendar_columns(const text_state *s, size_t c)
{
	static const char *const names[] = {
		" year yyyy yr yy jahr ", " month mon mo mm monat ", " day dd dy tag ",
		" hour hh hr hours stunde ", " minute mm mn min minutes ",
		" second ss sec seconds ",
	};
	size_t n = 0;
	while (n < 6 && c + n < s->columns && is_one_of(s->names[c + n], names[n]))
		++n;
	if (n == 1 && c + 1 < s->columns && is_one_of(s->names[c + 1], " doy ddd jday yday "))
		for (n = 2; n < 5 && c + n < s->columns
		     && is_one_of(s->names[c + n], names[n + 1]);)
			++n;
	/* A table of nothing else has no signal. */
	return n > 1 && c + n < s->columns ? n : 0;
}

/* Digits before the decimal mark; what is no plain number has none. */
static size_t
whole_digits(const char *field)
{
	const size_t n = strspn(field, "0123456789"), more = n + strspn(field + n, ".,0123456789");
	return field[more] == '\0' ? n : 0;
}

/* Of numbers that count from 1970, by how many digits they have; 0: none. */
static double
stamp_unit(size_t digits)
{
	return digits == 10 ? 1 : digits == 13 ? 1e-3 : digits == 16 ? 1e-6 : digits == 19
	        ? 1e-9 : 0;
}

/* The unit of numbers whose name does not tell it. */
static ws_status
choose_unit(wsi_recording *rec)
{
	text_state *s = rec->state;
	static const char *const names[] = { "seconds", "milliseconds", "microseconds",
	                                     "nanoseconds" };
	const size_t n = whole_digits(s->fields[s->time_column]);
	const char *name = s->names ? s->names[s->time_column] : "";
	s->unit = s->time_name.unit > 0 ? s->time_name.unit : 1;
	if ((s->time_name.unit > 0 && !s->time_name.is_date) || n < 10)
		return WS_OK;
	const double unit = stamp_unit(n);
	if (unit == 0 && rec->opts.fs == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: line %zu: a time of %zu digits does not tell its "
		                "unit: since 1970 it would be 10 of s, 13 of ms, 16 of us, 19 of "
		                "ns; put the unit into the header (time_ms), or give `fs`",
		                rec->path, s->line_number, n);
	if (unit == 0)
		return WS_OK;
	s->unit = unit;
	return wsi_recording_add_note(rec, "%s: '%s' is taken for %s since 1970: its numbers have "
	                              "%zu digits", rec->path, name, names[(n - 10) / 3], n);
}

const char *
text_unit_behind(const char *field, double *seconds)
{
	static const struct {
		const char *text;
		double seconds;
	} units[] = { { " sec", 1 }, { " s", 1 }, { " ms", 1e-3 }, { " min", 60 }, { " hr", 3600 },
		      { " h", 3600 }, { " day", 86400 }, { " days", 86400 },
		      { " yr", WSI_YEAR } };
	const size_t n = strspn(field, "+-0123456789.,eE");
	for (size_t i = 0; n > 0 && i < sizeof units / sizeof *units; ++i)
		if (strcmp(field + n, units[i].text) == 0) {
			if (seconds)
				*seconds = units[i].seconds;
			return units[i].text;
		}
	return NULL;
}

/* What the first row's field says; false: no time. */
static ws_status
look_at_field(wsi_recording *rec, size_t c)
{
	text_state *s = rec->state;
	const char *field = s->fields[c];
	text_date date;
	s->time_column = c;
	s->time_columns = 1;
	s->compact = s->time_name.is_date ||
	             (s->time_name.is_time && s->time_name.unit == 0 && whole_digits(field) == 14);
	if (text_parse_date(field, s->compact, &date)) {
		s->times = date.open ? TEXT_OPEN_DATES : TEXT_DATES;
		s->dots = date.dots;
		if (c + 2 < s->columns && !strchr(field, ':') && strchr(s->fields[c + 1], ':') &&
		    text_parse_clock(s->fields[c + 1], TEXT_HOURS, &date))
			s->time_columns = 2;
		return WS_OK;
	}
	s->compact = false;
	s->unit_text = s->time_name.is_time ? text_unit_behind(field, &s->unit) : NULL;
	if (s->unit_text) {
		s->times = TEXT_NUMBERS;
		return WS_OK;
	}
	s->clock = s->time_name.clock;
	if (strchr(field, ':')) {
		if (text_parse_clock(field, s->clock, &date))
			s->times = TEXT_CLOCK;
		else if (text_is_short_clock(field) && rec->opts.fs == 0)
			return WSI_FAIL(WS_E_FORMAT, "%s: line %zu: nothing tells whether %s is "
			                "hours and minutes or minutes and seconds; name the column "
			                "'time (hh:mm)' or 'time (mm:ss)', or give `fs`", rec->path,
			                s->line_number, field);
		else if (text_is_short_clock(field)) {
			s->times = TEXT_CLOCK;
			s->clock = TEXT_HOURS;
		}
		return WS_OK;
	}
	if (!s->time_name.is_time || !text_is_cell(s, field) ||
	    (s->time_name.needs_stamp && stamp_unit(whole_digits(field)) == 0))
		return WS_OK;
	s->times = TEXT_NUMBERS;
	return choose_unit(rec);
}

/* A table of years by months is a series of months. */
static void
find_months(text_state *s)
{
	static const char *const names[] = {
		" jan january januar ", " feb february februar ", " mar march maerz ",
		" apr april ", " may mai ", " jun june juni ", " jul july juli ", " aug august ",
		" sep sept september ", " oct october okt oktober ", " nov november ",
		" dec december dez dezember ",
	};
	const size_t first = s->time_column + 1;
	size_t n = 0;
	while (n < 12 && first + n < s->columns && is_one_of(s->names[first + n], names[n]))
		++n;
	s->months = n == 12 && s->unit > 365 * 86400;
}

/* A time whose name says so and that no other column's does may stand anywhere. */
static ws_status
find_late_time(wsi_recording *rec)
{
	text_state *s = rec->state;
	size_t found = 0, n = 0;
	for (size_t c = 1; c < s->columns; ++c) {
		const char *name = s->names[c];
		if ((strncasecmp(name, "time", 4) == 0 || strncasecmp(name, "date", 4) == 0) &&
		    text_read_time_name(name, NULL).is_time) {
			found = c;
			++n;
		}
	}
	if (n != 1)
		return WS_OK;
	s->time_name = text_read_time_name(s->names[found], s->units ? s->units[found] : NULL);
	return look_at_field(rec, found);
}

/* Columns of dates, or times of the day, beside that of the times. */
static ws_status
find_other_dates(wsi_recording *rec)
{
	text_state *s = rec->state;
	for (size_t c = 0; c < s->columns; ++c) {
		if (text_is_cell(s, s->fields[c])
		    || (s->times != TEXT_UNTIMED && c >= s->time_column &&
		                                      c < s->time_column + s->time_columns))
			continue;
		if (!s->skipped && !(s->skipped = calloc(s->columns, sizeof *s->skipped)))
			return WSI_FAIL(WS_E_NOMEM, "%s: no memory for its columns", rec->path);
		s->skipped[c] = true;
	}
	return WS_OK;
}

/* AcqKnowledge calls the time "min" or "sec" beside "CH1". */
static void
find_acqknowledge(text_state *s)
{
	const double unit = s->names && s->columns > 1 ? text_unit_seconds(s->names[0]) : 0;
	if (unit > 0 && strncmp(s->names[1], "CH", 2) == 0 &&
	    strspn(s->names[1] + 2, "0123456789") == strlen(s->names[1]) - 2)
		s->time_name = (text_time_name){ .is_time = true, .unit = unit };
}

static ws_status
find_times(wsi_recording *rec)
{
	text_state *s = rec->state;
	s->finest = INT_MIN;
	for (size_t c = 0; c + 1 < s->columns && s->times == TEXT_UNTIMED; ++c) {
		const char *name = s->names ? s->names[c] : "";
		const size_t calendar = s->names ? calendar_columns(s, c) : 0;
		if (calendar) {
			s->times = TEXT_CALENDAR;
			s->time_column = c;
			s->time_columns = calendar;
			s->of_year = is_one_of(s->names[c + 1], " doy ddd jday yday ");
			return WS_OK;
		}
		s->time_name = text_read_time_name(name, s->units ? s->units[c] : NULL);
		if (c == 0 && !s->time_name.is_time)
			find_acqknowledge(s);
		WSI_TRY(look_at_field(rec, c));
		/* What counts rows may stand before it. */
		if (!s->names || !text_counts_by_name(name))
			break;
	}
	if (s->times == TEXT_UNTIMED)
		s->time_name = (text_time_name){ 0 };
	if (s->times == TEXT_NUMBERS && s->names)
		find_months(s);
	return s->times == TEXT_UNTIMED && s->names && s->told.rate == 0
	        ? find_late_time(rec) : WS_OK;
}

ws_status
text_find_times(wsi_recording *rec)
{
	text_state *s = rec->state;
	WSI_TRY(find_times(rec));
	/* Rows of times without one are titles: of samples, in each channel. */
	s->untimed_head = s->times == TEXT_NUMBERS && text_is_missing(s->fields[s->time_column]);
	return find_other_dates(rec);
}

/* ---- A row ---------------------------------------------------------------- */

/* Stamps of 19 digits keep them all in differences alone. */
static bool
parse_stamp(text_state *s, char *field, text_stamp *t)
{
	const bool negative = *field == '-';
	const char *digits = field + (*field == '-' || *field == '+');
	const size_t n = strspn(digits, "0123456789");
	double value;
	if (n < 10 || n > 18 + (*digits == '1') || !strchr(".,", digits[n])) {
		*t = (text_stamp){ 0 };
		if (!text_parse_cell(s, field, &value))
			return false;
		t->fraction = value;
		return true;
	}
	/* The decimal mark is told by the same rule as of all numbers. */
	if (!text_parse_cell(s, field, &value))
		return false;
	t->whole = strtoll(digits, NULL, 10);
	char part[24] = "0.";
	snprintf(part + 2, sizeof part - 2, "%.18s", digits[n] ? digits + n + 1 : "");
	t->fraction = strtod(part, NULL);
	if (negative)
		*t = (text_stamp){ -t->whole, -t->fraction };
	return true;
}

/* Midnight lies between a time of the day and one that is half a day before. */
static double
since_first_day(text_state *s, const text_date *clock)
{
	const double of_day = (double)clock->seconds + clock->fraction;
	if (s->rows > 0 && of_day < s->clock_before - 43200)
		s->clock_days += 86400;
	s->clock_before = of_day;
	return of_day + s->clock_days;
}

static bool
parse_clock(text_state *s, double *value)
{
	text_date clock;
	if (!text_parse_clock(s->fields[s->time_column], s->clock, &clock))
		return false;
	*value = since_first_day(s, &clock);
	if (s->rows == 0)
		s->first_time = *value;
	*value -= s->first_time;
	return true;
}

static bool
parse_date(text_state *s, double *value)
{
	const char *field = s->fields[s->time_column];
	text_date date, clock = { 0 };
	if (!text_parse_date(field, s->compact, &date) ||
	    date.open != (s->times == TEXT_OPEN_DATES))
		return false;
	if (s->time_columns == 2 && !text_parse_clock(s->fields[s->time_column + 1], TEXT_HOURS,
	                                              &clock))
		return false;
	date.seconds += clock.seconds;
	date.fraction += clock.fraction;
	if (date.open)
		s->parts[s->rows] = (uint32_t)date.parts[0] << 24 | (uint32_t)date.parts[1] << 16 |
		                    (uint32_t)date.parts[2];
	if (s->rows == 0) {
		s->first_date = date;
		s->dated = true;
	}
	/* Of open dates the days are added when their order is known. */
	*value = (double)(date.seconds - s->first_date.seconds) +
	         (date.fraction - s->first_date.fraction);
	return true;
}

/* The finest of the digits that times are written with. */
static void
look_at_digits(text_state *s)
{
	const char *field = s->fields[s->time_column + (s->time_columns == 2 ? 1 : 0)];
	if (s->times != TEXT_NUMBERS) {
		field = strchr(field, ':');
		if (field && strncmp(field + strcspn(field, ",."), ", ", 2) == 0)
			field = NULL;
	}
	const int decimals = field ? text_decimals(field) : 0;
	s->finest = decimals > s->finest ? decimals : s->finest;
}

bool
text_parse_stamp(text_state *s, double *value)
{
	char *field = s->fields[s->time_column] = text_bare(s->fields[s->time_column]);
	if (text_is_missing(field)) {
		*value = NAN;
		if (s->times == TEXT_OPEN_DATES)
			s->parts[s->rows] = TEXT_NO_PARTS;
		return true;
	}
	look_at_digits(s);
	if (s->times == TEXT_CLOCK)
		return parse_clock(s, value);
	if (s->times != TEXT_NUMBERS)
		return parse_date(s, value);
	char *behind = s->unit_text ? strchr(field, ' ') : NULL;
	if (s->unit_text && (!behind || strcmp(behind, s->unit_text) != 0))
		return false;
	if (behind)
		*behind = '\0';
	text_stamp t;
	if (!parse_stamp(s, field, &t))
		return false;
	if (s->rows == 0) {
		s->first_stamp = t;
		s->first_time = (double)t.whole + t.fraction;
	}
	*value = ((double)(t.whole - s->first_stamp.whole) +
	          (t.fraction - s->first_stamp.fraction)) * s->unit;
	return true;
}
