/* text_dates.c - dates and clocks as people write them. */
#include "io/read/text_time.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- The calendar --------------------------------------------------------- */

/* Days from 1970-01-01 in the proleptic Gregorian calendar: years start in
 * March, so that the leap day is their last. */
static int64_t
days_from_civil(int64_t year, int month, int day)
{
	year -= month <= 2;
	const int64_t era = (year >= 0 ? year : year - 399) / 400, in_era = year - era * 400;
	const int64_t in_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

void
text_civil_from_days(int64_t days, int64_t *year, int *month, int *day)
{
	days += 719468;
	const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
	const int64_t in_era = days - era * 146097;
	const int64_t y = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	const int64_t in_year = in_era - (365 * y + y / 4 - y / 100), m = (5 * in_year + 2) / 153;
	*day = (int)(in_year - (153 * m + 2) / 5 + 1);
	*month = (int)(m < 10 ? m + 3 : m - 9);
	*year = y + era * 400 + (*month <= 2);
}

bool
text_days_from(int64_t year, int month, int day, int64_t *days)
{
	static const int lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	if (year < 0 || year > 9999 || month < 1 || month > 12 || day < 1)
		return false;
	const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	if (day > lengths[month - 1] + (month == 2 && leap))
		return false;
	*days = days_from_civil(year, month, day);
	return true;
}

bool
text_days_of_parts(const int parts[3], text_date_order order, int64_t *days)
{
	static const int place[][3] = { { 2, 1, 0 }, { 2, 1, 0 }, { 2, 0, 1 }, { 0, 1, 2 } };
	int year = parts[place[order][0]];
	if (order == TEXT_YMD && parts[2] > 31)
		return false;
	year += year >= 100 ? 0 : year < 70 ? 2000 : 1900;
	return text_days_from(year, parts[place[order][1]], parts[place[order][2]], days);
}

/* ---- Parts ---------------------------------------------------------------- */

static size_t
count_digits(const char *s)
{
	return strspn(s, "0123456789");
}

/* Exactly n digits at *s, moved past them; -1 where there are none. */
static int
digits(const char **s, size_t n)
{
	int value = 0;
	for (size_t i = 0; i < n; ++i) {
		if ((*s)[i] < '0' || (*s)[i] > '9')
			return -1;
		value = 10 * value + ((*s)[i] - '0');
	}
	*s += n;
	return value;
}

static bool
skip(const char **s, char c)
{
	const bool there = **s == c;
	*s += there;
	return there;
}

/* A month's name, or its first three letters or more, at *s; 0: none. */
static int
month_name(const char **s)
{
	static const char *const names[] = {
		"january", "february", "march", "april", "may", "june", "july", "august",
		"september", "october", "november", "december",
	};
	size_t n = 0;
	while (((*s)[n] | 32) >= 'a' && ((*s)[n] | 32) <= 'z')
		++n;
	for (int i = 0; i < 12 && n >= 3; ++i)
		if (n <= strlen(names[i]) && strncasecmp(*s, names[i], n) == 0) {
			*s += n;
			*s += **s == '.' && (*s)[1] == ' ';
			return i + 1;
		}
	return 0;
}

/* Digits of a fraction at *s. */
static double
fraction(const char **s)
{
	double value = 0;
	for (double unit = 0.1; **s >= '0' && **s <= '9'; ++*s, unit /= 10)
		value += unit * (**s - '0');
	return value;
}

/* " PM" and the like. */
static bool
half_of_day(const char **s, int *hour)
{
	const char *c = *s + strspn(*s, " ");
	const char half = (char)(*c | 32);
	if ((half != 'a' && half != 'p') || (c[1] | 32) != 'm')
		return true;
	if (*hour < 1 || *hour > 12)
		return false;
	*hour = *hour % 12 + (half == 'p' ? 12 : 0);
	*s = c + 2;
	return true;
}

/* "[ ]Z", " UTC", "+02[:00]" */
static bool
zone(const char **s, text_date *date)
{
	const char *c = *s + strspn(*s, " ");
	if (*c == 'Z' || *c == 'z') {
		*s = c + 1;
		date->zone = true;
	} else if (strncmp(c, "UTC", 3) == 0 || strncmp(c, "GMT", 3) == 0) {
		*s = c + 3;
		date->zone = true;
	} else if (*c == '+' || *c == '-') {
		const int sign = *c++ == '-' ? -1 : 1;
		const int hour = digits(&c, 2);
		skip(&c, ':');
		const int minute = *c != '\0' ? digits(&c, 2) : 0;
		if (hour < 0 || minute < 0)
			return false;
		date->seconds -= sign * (hour * 3600 + minute * 60);
		date->zone = true;
		*s = c;
	}
	return true;
}

/* "00:20[:03[.25]][ PM][Z|+02[:00]]" at *s, behind a date. */
static bool
clock_of_date(const char **s, text_date *date)
{
	const size_t n = count_digits(*s);
	int hour = n == 1 || n == 2 ? digits(s, n) : -1, minute = -1, second = 0;
	double part = 0;
	if (skip(s, ':'))
		minute = digits(s, 2);
	if (hour < 0 || hour > 24 || minute < 0 || minute > 59)
		return false;
	if (skip(s, ':')) {
		second = digits(s, 2);
		if (skip(s, '.') || skip(s, ','))
			part = fraction(s);
	}
	if (second < 0 || second > 60 || !half_of_day(s, &hour))
		return false;
	if (hour == 24 && (minute > 0 || second > 0 || part > 0))
		return false;
	date->seconds += hour * 3600 + minute * 60 + second;
	date->fraction = part;
	return zone(s, date);
}

/* "20090824[T]102030" and "200908". */
static bool
compact_date(const char **s, text_date *date)
{
	const size_t n = count_digits(*s);
	const int year = digits(s, 4), month = digits(s, 2);
	int64_t days;
	if (!text_days_from(year, month, n == 6 ? 1 : digits(s, 2), &days) || year < 1000)
		return false;
	*date = (text_date){ .seconds = days * 86400 };
	if (n == 8)
		skip(s, 'T');
	const size_t left = count_digits(*s);
	if (n == 6 || left == 0)
		return **s == '\0';
	if (left != 4 && left != 6)
		return false;
	const int hour = digits(s, 2), minute = digits(s, 2), second = left == 6 ? digits(s, 2) : 0;
	if (hour > 23 || minute > 59 || second > 60)
		return false;
	date->seconds += hour * 3600 + minute * 60 + second;
	if (skip(s, '.'))
		date->fraction = fraction(s);
	return zone(s, date) && **s == '\0';
}

/* "2009-08[-24]", "2009/8/24", "2009-Aug-24" */
static bool
year_first(const char **s, text_date *date)
{
	const int year = digits(s, 4);
	const char mark = **s;
	int64_t days;
	if (mark != '-' && mark != '/' && mark != '.')
		return false;
	++*s;
	int month = month_name(s), day = 1;
	if (month == 0) {
		const size_t n = count_digits(*s);
		month = n == 1 || n == 2 ? digits(s, n) : -1;
		if (mark == '-' && n == 1 && **s == '\0')
			return false;
	}
	if (skip(s, mark)) {
		const size_t n = count_digits(*s);
		day = n == 1 || n == 2 ? digits(s, n) : -1;
	} else if (mark != '-') {
		return false;
	}
	if (!text_days_from(year, month, day, &days))
		return false;
	*date = (text_date){ .seconds = days * 86400 };
	return true;
}

/* "24-Aug-2009", "24 August 2009", "Aug 24, 2009" */
static bool
named_month(const char **s, text_date *date)
{
	int month = month_name(s);
	const bool first = month > 0;
	int64_t days;
	if (first)
		*s += strspn(*s, " -");
	const size_t n = count_digits(*s);
	const int day = n == 1 || n == 2 ? digits(s, n) : -1;
	*s += strspn(*s, first ? ", " : " -/.");
	if (!first)
		month = month_name(s);
	*s += strspn(*s, first ? "" : " -/.");
	const size_t of_year = count_digits(*s);
	if (month == 0 || (of_year != 4 && of_year != 2))
		return false;
	const int year = digits(s, of_year);
	const int parts[3] = { day, month, year };
	if (!text_days_of_parts(parts, TEXT_DMY, &days))
		return false;
	*date = (text_date){ .seconds = days * 86400 };
	return true;
}

/* "24/08/2009", "8-24-09", "24.8.2009": what is the day? */
static bool
open_date(const char **s, text_date *date)
{
	*date = (text_date){ .open = true };
	char mark = '\0';
	for (int i = 0; i < 3; ++i) {
		const size_t n = count_digits(*s);
		if (n < 1 || (n > 2 && !(i == 2 && n == 4)) || (i == 2 && n == 1))
			return false;
		date->parts[i] = digits(s, n);
		if (i == 0)
			mark = **s;
		if (i < 2 && ((mark != '/' && mark != '-' && mark != '.') || !skip(s, mark)))
			return false;
	}
	date->dots = mark == '.';
	int64_t days;
	return text_days_of_parts(date->parts, TEXT_DMY, &days) ||
	       text_days_of_parts(date->parts, TEXT_MDY, &days) ||
	       text_days_of_parts(date->parts, TEXT_YMD, &days);
}

bool
text_parse_date(const char *s, bool compact, text_date *date)
{
	const size_t n = count_digits(s);
	if ((n == 8 && s[8] == 'T') || (compact && (n == 6 || n == 8 || n == 12 || n == 14)))
		return compact_date(&s, date);
	const char *again = s;
	if (n == 4 ? !year_first(&s, date) : n > 2)
		return false;
	if (n < 3 && !(n > 0 && open_date(&s, date)) && !(s = again, named_month(&s, date)))
		return false;
	if (*s == '\0')
		return true;
	const char *clock = s + (*s == ',');
	clock += *clock == 'T' ? 1 : strspn(clock, " ");
	return clock > s && clock_of_date(&clock, date) && *clock == '\0';
}

/* ---- Clocks --------------------------------------------------------------- */

bool
text_is_short_clock(const char *s)
{
	const size_t n = count_digits(s);
	return n > 0 && s[n] == ':' && count_digits(s + n + 1) == 2 && s[n + 3] == '\0';
}

bool
text_parse_clock(const char *s, text_clock_form form, text_date *date)
{
	int parts[4] = { 0 }, k = 0;
	int64_t days = 0;
	double part = 0;
	bool has_part = false;
	/* pandas: "0 days 00:00:00.004". */
	const size_t of_days = count_digits(s);
	if (of_days > 0 && of_days < 6 && strncmp(s + of_days, " day", 4) == 0) {
		days = digits(&s, of_days);
		s += 4 + (s[4] == 's');
		s += strspn(s, " ");
	}
	for (; k < 4; ++k) {
		const size_t n = count_digits(s);
		if (n == 0 || n > 6 || (k > 0 && n != (k == 3 ? 3 : 2)))
			return false;
		parts[k] = digits(&s, n);
		if (!skip(&s, ':'))
			break;
	}
	if (k < 1 || k > 3)
		return false;
	if (k < 3 && (skip(&s, '.') || skip(&s, ','))) {
		has_part = true;
		part = fraction(&s);
	}
	if (k == 1 && !has_part && form == TEXT_CLOCK_OPEN)
		return false;
	const bool minutes = k == 1 && (has_part || form == TEXT_MINUTES);
	if (parts[1] > (minutes ? 60 : 59) || parts[2] > 60)
		return false;
	int hour = parts[0];
	if (!minutes && !half_of_day(&s, &hour))
		return false;
	*date = (text_date){ .fraction = k == 3 ? parts[3] / 1000.0 : part };
	date->seconds = 86400 * days;
	date->seconds += minutes ? parts[0] * 60 + parts[1]
	                        : (int64_t)hour * 3600 + parts[1] * 60 + parts[2];
	return *s == '\0';
}

/* ---- Printing ------------------------------------------------------------- */

double
text_years_of(double since_1970)
{
	const int64_t day = (int64_t)floor(since_1970 / 86400);
	int64_t year, first, next;
	int month, d;
	text_civil_from_days(day, &year, &month, &d);
	(void)text_days_from(year, month, 1, &first);
	(void)text_days_from(year + month / 12, month % 12 + 1, 1, &next);
	return (double)year + (month - 1 + (since_1970 / 86400 - (double)first)
	                       / (double)(next - first)) / 12;
}

void
text_format_date(const text_date *date, char out[32])
{
	int64_t days = date->seconds / 86400, rest = date->seconds % 86400, year;
	int month, day;
	if (rest < 0) {
		rest += 86400;
		--days;
	}
	text_civil_from_days(days, &year, &month, &day);
	const int n = snprintf(out, 32, "%04d-%02d-%02dT%02d:%02d:%02d", (int)year, month, day,
	                       (int)(rest / 3600), (int)(rest / 60 % 60), (int)(rest % 60));
	/* What rounds up to the next second stays before it. */
	const int micros = (int)fmin(date->fraction * 1e6 + 0.5, 999999);
	int more = 0;
	if (n > 0 && n < 24 && micros > 0)
		more = micros % 1000 ? snprintf(out + n, (size_t)(32 - n), ".%06d", micros)
		                     : snprintf(out + n, (size_t)(32 - n), ".%03d", micros / 1000);
	if (n > 0 && n + more < 31 && date->zone)
		strcpy(out + n + more, "Z");
}
