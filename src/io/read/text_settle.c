/* text_settle.c - times that only all rows of a table settle: dates whose order is open, calendars
 * in columns. */
#include "io/read/text_table.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *
shown_date(const text_state *s, size_t row, char text[24])
{
	const uint32_t p = s->parts[row];
	const char mark = s->dots ? '.' : '/';
	snprintf(text, 24, "%02u%c%02u%c%02u", p >> 24, mark, p >> 16 & 0xff, mark, p & 0xffff);
	return text;
}

static bool
days_of_row(const text_state *s, size_t row, text_date_order order, int64_t *days)
{
	const uint32_t p = s->parts[row];
	const int parts[3] = { (int)(p >> 24), (int)(p >> 16 & 0xff), (int)(p & 0xffff) };
	return text_days_of_parts(parts, order, days);
}

/* Does the order fit all dates?  Else *row is the first that it does not. */
static bool
order_fits(const text_state *s, text_date_order order, size_t *row)
{
	int64_t days;
	for (size_t i = 0; i < s->rows; ++i)
		if (s->parts[i] != TEXT_NO_PARTS && !days_of_row(s, i, order, &days)) {
			*row = i;
			return false;
		}
	return true;
}

/* Are all dates the same days in both orders? */
static bool
orders_agree(const text_state *s, text_date_order a, text_date_order b)
{
	int64_t x, y;
	for (size_t i = 0; i < s->rows; ++i)
		if (s->parts[i] != TEXT_NO_PARTS && days_of_row(s, i, a, &x)
		    && days_of_row(s, i, b, &y) && x != y)
			return false;
	return true;
}

static ws_status
choose_order(wsi_recording *rec, text_date_order *order)
{
	static const char *const names[] = { "", "dmy", "mdy", "ymd" };
	const text_state *s = rec->state;
	const text_date_order told = (text_date_order)rec->opts.date_order;
	char text[24];
	size_t row = 0, worst = 0;
	*order = told ? told : s->dots ? TEXT_DMY : TEXT_ORDER_OPEN;
	if (*order) {
		if (order_fits(s, *order, &row))
			return WS_OK;
		return WSI_FAIL(WS_E_FORMAT, "%s: line %zu: %s is no date in the order %s%s",
		                rec->path, s->lines[row], shown_date(s, row, text), names[*order],
		                told ? "; give another `date_order`" : "");
	}
	text_date_order found[3];
	size_t n = 0;
	for (text_date_order o = TEXT_DMY; o <= TEXT_YMD; ++o) {
		if (order_fits(s, o, &row))
			found[n++] = o;
		worst = row > worst ? row : worst;
	}
	if (n == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: line %zu: %s is no date in the order of those "
		                "before it", rec->path, s->lines[worst],
		                shown_date(s, worst, text));
	*order = found[0];
	for (size_t i = 1; i < n; ++i)
		if (!orders_agree(s, found[0], found[i]))
			return WSI_FAIL(WS_E_FORMAT, "%s: nothing tells whether %s (line %zu) is "
			                "%s or %s: give `date_order %s` or %s", rec->path,
			                shown_date(s, 0, text), s->lines[0], names[found[0]],
			                names[found[i]], names[found[0]], names[found[i]]);
	return WS_OK;
}

static ws_status
settle_dates(wsi_recording *rec)
{
	text_state *s = rec->state;
	text_date_order order;
	int64_t days, first = 0;
	WSI_TRY(choose_order(rec, &order));
	for (size_t i = 0; i < s->rows; ++i) {
		if (s->parts[i] == TEXT_NO_PARTS || !days_of_row(s, i, order, &days))
			continue;
		if (i == 0)
			first = days;
		s->values[i * s->columns + s->time_column] += 86400.0 * (double)(days - first);
	}
	s->first_date.seconds += 86400 * first;
	return WS_OK;
}

/* The moment of a row whose numbers are year, month.. or year, day of the year.. */
static bool
calendar_moment(const text_state *s, const double *row, text_date *date)
{
	const bool of_year = s->of_year;
	double part[6] = { 0, 1, 1, 0, 0, 0 };
	for (size_t i = 0; i < s->time_columns; ++i) {
		const size_t k = of_year && i > 0 ? i + 1 : i;
		part[k] = row[s->time_column + i];
		/* Seconds alone may have a fraction. */
		if (!(part[k] >= 0) || part[k] > 9999 || (k < 5 && part[k] != floor(part[k])))
			return false;
	}
	const double year = part[0] + (part[0] >= 100 ? 0 : part[0] < 70 ? 2000 : 1900);
	int64_t days;
	if (!text_days_from((int64_t)year, (int)part[1], of_year ? 1 : (int)part[2], &days) ||
	    part[3] > 24 || part[4] > 59 || part[5] >= 61)
		return false;
	if (of_year && (part[2] < 1 || part[2] > 366))
		return false;
	days += of_year ? (int64_t)part[2] - 1 : 0;
	*date = (text_date){ .fraction = part[5] - floor(part[5]) };
	date->seconds = days * 86400 + (int64_t)(part[3] * 3600 + part[4] * 60 + floor(part[5]));
	return true;
}

static ws_status
settle_calendar(wsi_recording *rec)
{
	text_state *s = rec->state;
	text_date date;
	for (size_t i = 0; i < s->rows; ++i) {
		double *row = s->values + i * s->columns;
		if (!calendar_moment(s, row, &date)) {
			if (rec->opts.fs != 0)
				continue;
			return WSI_FAIL(WS_E_FORMAT, "%s: line %zu: columns %zu to %zu (%s..) tell "
			                "no date; remove the line, or give `fs`", rec->path,
			                s->lines[i],
			                s->time_column + 1, s->time_column + s->time_columns,
			                s->names[s->time_column]);
		}
		if (i == 0) {
			s->first_date = date;
			s->dated = true;
		}
		row[s->time_column] = (double)(date.seconds - s->first_date.seconds) +
		                      (date.fraction - s->first_date.fraction);
	}
	return WS_OK;
}

ws_status
text_settle_times(wsi_recording *rec)
{
	text_state *s = rec->state;
	if (s->times == TEXT_OPEN_DATES)
		WSI_TRY(settle_dates(rec));
	else if (s->times == TEXT_CALENDAR)
		WSI_TRY(settle_calendar(rec));
	/* The nearest number on any machine, which pow() need not give. */
	char power[32];
	const int finest = s->finest == INT_MIN || s->times == TEXT_CALENDAR ? 0 : s->finest;
	snprintf(power, sizeof power, "1e%d", -finest);
	s->resolution = strtod(power, NULL) * (s->times == TEXT_NUMBERS ? s->unit : 1);
	return WS_OK;
}
