/* text_time.c - the time column of a table: its names, dates, its step. */
#include "io/text_time.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "io/recording.h"

#define DAY 86400.0
#define YEAR (365.2425 * DAY)  /* mean of the Gregorian calendar */

/* ---- Units --------------------------------------------------------------- */

static const struct {
	const char *name;
	double seconds;
} short_units[] = {
	{ "us", 1e-6 }, { "ms", 1e-3 }, { "s", 1 }, { "min", 60 }, { "h", 3600 }, { "d", DAY },
	{ "y", YEAR },
};

double
wsi_time_unit(const char *name)
{
	for (size_t i = 0; i < sizeof short_units / sizeof *short_units; ++i)
		if (strcmp(name, short_units[i].name) == 0)
			return short_units[i].seconds;
	return 0;
}

const char *
wsi_time_unit_name(double seconds)
{
	for (size_t i = 0; i < sizeof short_units / sizeof *short_units; ++i)
		if (fabs(seconds - short_units[i].seconds) < 1e-9 * seconds)
			return short_units[i].name;
	return "s";
}

const char *
wsi_format_time(double t, double unit, double fs, char text[WSI_TIME_TEXT])
{
	const double value = t / unit, size = fabs(t);
	const double near = fmax(1e-6 / fs, 2 * (nextafter(size, INFINITY) - size)) / unit;
	int decimals = 0;
	wsi_c_locale locale;
	wsi_c_locale_enter(&locale);
	if (!(fabs(value) < 1e18))
		snprintf(text, WSI_TIME_TEXT, "%.17g", value);
	else
		do
			snprintf(text, WSI_TIME_TEXT, "%.*f", decimals, value);
		while (fabs(strtod(text, NULL) - value) > near && ++decimals <= 17);
	/* "-0" is what rounds to 0 from below. */
	if (strtod(text, NULL) == 0)
		strcpy(text, "0");
	wsi_c_locale_leave(&locale);
	return text;
}

double
text_time_unit(const char *name)
{
	/* Names as they are without case, blanks, brackets and underscores. */
	static const struct {
		const char *name;
		double seconds;
	} units[] = {
		{ "time", 1 },         { "t", 1 },            { "s", 1 },
		{ "sec", 1 },          { "second", 1 },       { "seconds", 1 },
		{ "times", 1 },        { "ts", 1 },           { "timesec", 1 },
		{ "timeseconds", 1 },  { "timestamp", 1 },    { "timestamps", 1 },
		{ "ms", 1e-3 },        { "timems", 1e-3 },    { "tms", 1e-3 },
		{ "millisecond", 1e-3 }, { "milliseconds", 1e-3 },
		{ "us", 1e-6 },        { "timeus", 1e-6 },    { "tus", 1e-6 },
		{ "microseconds", 1e-6 },
		{ "minutes", 60 },     { "timemin", 60 },     { "hours", 3600 },
		{ "timeh", 3600 },     { "date", DAY },       { "datetime", DAY },
		{ "day", DAY },        { "days", DAY },       { "timed", DAY },
		{ "mjd", DAY },        { "jd", DAY },         { "year", YEAR },
		{ "years", YEAR },     { "decimalyear", YEAR }, { "timey", YEAR },
	};
	char plain[16];
	size_t n = 0;
	for (; *name != '\0'; ++name) {
		if (strchr(" ()[]_-", *name))
			continue;
		if (n == sizeof plain - 1)
			return 0;
		plain[n++] = (char)tolower((unsigned char)*name);
	}
	plain[n] = '\0';
	for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
		if (strcmp(plain, units[i].name) == 0)
			return units[i].seconds;
	return 0;
}

/* ---- Dates --------------------------------------------------------------- */

/* Exactly n digits at *s, moved past them; -1 where there are none. */
static int
digits(const char **s, int n)
{
	int value = 0;
	for (int i = 0; i < n; ++i) {
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

static void
civil_from_days(int64_t days, int64_t *year, int *month, int *day)
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

/* "00:20[:03[.25]][Z|+02[:00]]" at *s. */
static bool
parse_clock(const char **s, text_date *date)
{
	int hour = digits(s, 2), minute = skip(s, ':') ? digits(s, 2) : -1, second = 0;
	if (hour < 0 || hour > 24 || minute < 0 || minute > 59)
		return false;
	if (skip(s, ':'))
		second = digits(s, 2);
	if (second < 0 || second > 60)
		return false;
	date->seconds += hour * 3600 + minute * 60 + second;
	if (skip(s, '.'))
		for (double unit = 0.1; **s >= '0' && **s <= '9'; ++*s, unit /= 10)
			date->fraction += unit * (**s - '0');
	const int sign = **s == '-' ? -1 : 1;
	if (skip(s, 'Z')) {
		date->zone = true;
	} else if (**s == '+' || **s == '-') {
		++*s;
		hour = digits(s, 2);
		skip(s, ':');
		minute = **s != '\0' ? digits(s, 2) : 0;
		if (hour < 0 || minute < 0)
			return false;
		date->seconds -= sign * (hour * 3600 + minute * 60);
		date->zone = true;
	}
	return true;
}

bool
text_parse_date(const char *s, bool compact, text_date *date)
{
	const int year = digits(&s, 4);
	const bool dashes = skip(&s, '-');
	const int month = year >= 0 && (dashes || compact) ? digits(&s, 2) : -1;
	int day = 1;
	/* "2009-08" is a month; "200908" might be any number. */
	if (month >= 0 && (!dashes || skip(&s, '-')))
		day = digits(&s, 2);
	if (month < 1 || month > 12 || day < 1 || day > 31)
		return false;
	*date = (text_date){ .seconds = days_from_civil(year, month, day) * 86400 };
	if (*s == '\0')
		return true;
	return dashes && (skip(&s, 'T') || skip(&s, ' ')) && parse_clock(&s, date) && *s == '\0';
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
	civil_from_days(days, &year, &month, &day);
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

double
text_resolution(const char *s)
{
	int after = 0;
	s += strcspn(s, ".eE");
	if (*s == '.')
		after = (int)strspn(s + 1, "0123456789");
	s += strcspn(s, "eE");
	const long exponent = *s != '\0' ? strtol(s + 1, NULL, 10) : 0;
	/* The nearest number on any machine, which pow() need not give. */
	char power[32];
	snprintf(power, sizeof power, "1e%ld", exponent < -9999 ? -9999 : exponent > 9999 ? 9999
	         : exponent - after);
	return strtod(power, NULL);
}

/* ---- Is it uniform? ------------------------------------------------------ */

/* Neither jitter nor rounding makes an interval this many times as long as the
 * usual one; a missing row doubles it. */
#define GAP 1.75

static int
by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Every time must come after the one before. */
static bool
find_disorder(const double *times, size_t n, size_t stride, text_spacing *s)
{
	for (size_t i = 0; i < n; ++i) {
		const double at = times[i * stride];
		s->row = i;
		s->found = TEXT_NO_TIME;
		if (!isfinite(at))
			return true;
		s->interval = i > 0 ? at - times[(i - 1) * stride] : 1;
		s->found = s->interval < 0 ? TEXT_BACK : TEXT_REPEATED;
		if (!(s->interval > 0))
			return true;
	}
	return false;
}

/* The same number of months from each date to the next: of one day of the
 * month, or all of them the last. */
static bool
counts_months(const text_date *first, const double *times, size_t n, size_t stride)
{
	int64_t before = 0, step = 0;
	int first_day = 0;
	bool same = true, last = true;
	for (size_t i = 0; i < n; ++i) {
		const int64_t day = (int64_t)floor((double)first->seconds + times[i * stride]) /
		                    86400;
		int64_t year, next_year;
		int month, day_of_month, next_month, next_day;
		civil_from_days(day, &year, &month, &day_of_month);
		civil_from_days(day + 1, &next_year, &next_month, &next_day);
		const int64_t number = 12 * year + month;
		if (i == 0)
			first_day = day_of_month;
		same = same && day_of_month == first_day;
		last = last && next_day == 1;
		if (i == 1)
			step = number - before;
		if ((i > 0 && (number - before != step || step < 1)) || !(same || last))
			return false;
		before = number;
	}
	return n > 2;
}

bool
text_is_gap(const text_spacing *s, double interval)
{
	return interval > GAP * s->usual;
}

/* How many gaps there are, and how long the rows between them are together, without the gaps. */
static void
find_gaps(const double *times, size_t n, size_t stride, text_spacing *s, double *span)
{
	*span = 0;
	for (size_t i = 1; i < n; ++i) {
		const double interval = times[i * stride] - times[(i - 1) * stride];
		if (text_is_gap(s, interval))
			++s->gaps;
		else
			*span += interval;
	}
	/* One difference is rounded less than many sums. */
	if (s->gaps == 0)
		*span = times[(n - 1) * stride] - times[0];
}

/* The row farthest off an even spacing, whose step becomes step, and the rate where that is not
 * far.  What is behind a gap begins anew, in the same step. */
static void
fit(const double *times, size_t n, size_t stride, double span, double tolerance, double rounding,
    text_spacing *s)
{
	const double steps = (double)(n - 1 - s->gaps), step = span / steps;
	double worst = 0;
	for (size_t i = 1, first = 0; i < n; ++i) {
		if (text_is_gap(s, times[i * stride] - times[(i - 1) * stride]))
			first = i;
		const double off = fabs(times[i * stride] - times[first * stride]
		                        - (double)(i - first) * step);
		if (off > worst) {
			worst = off;
			s->row = i;
		}
	}
	s->off = worst;
	s->step = step;
	s->found = worst <= fmax(tolerance * step, rounding) ? TEXT_EVEN : TEXT_JITTER;
	/* Printed times are rounded: the nearest whole rate (or period) is meant
	 * where it fits them as well. */
	const double whole = step < 1 ? 1 / round(1 / step) : round(step);
	const bool fits = fabs(whole * steps - span) <= worst + 1e-12 * span;
	s->rate = 1 / (fits ? whole : step);
}

bool
text_examine(const double *times, size_t n, size_t stride, const text_date *first,
             double resolution, text_spacing *s)
{
	*s = (text_spacing){ .found = TEXT_EVEN };
	if (find_disorder(times, n, stride, s))
		return true;
	if (first && counts_months(first, times, n, stride)) {
		s->found = TEXT_MONTHS;
		return true;
	}
	double *intervals = malloc((n - 1) * sizeof *intervals);
	if (!intervals)
		return false;
	for (size_t i = 0; i + 1 < n; ++i)
		intervals[i] = times[(i + 1) * stride] - times[i * stride];
	qsort(intervals, n - 1, sizeof *intervals, by_size);
	/* Times may be off by as much as they are rounded to, unless that is a
	 * whole interval: then a missing row would look the same. */
	const double rounding = resolution < intervals[(n - 2) / 2] / 1.5 ? resolution : 0;
	s->usual = intervals[(n - 1) / 2];
	free(intervals);
	/* Dates are not printed roughly, numbers are. */
	double span;
	find_gaps(times, n, stride, s, &span);
	fit(times, n, stride, span, first ? 1e-3 : 0.25, 1.001 * rounding, s);
	return true;
}
