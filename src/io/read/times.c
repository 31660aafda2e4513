/* times.c - moments on the time axis of a recording or a result. */
#include "io/read/times.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/calendar.h"
#include "base/status.h"
#include "io/read/text_time.h"
#include "io/read/time_units.h"

const char *
wsi_format_moment(double t, double unit, double fs, bool fs_known, char text[WSI_MOMENT_TEXT])
{
	const char *name = fs_known ? wsi_time_unit_name(unit) : "samples";
	char number[WSI_TIME_TEXT];
	snprintf(text, WSI_MOMENT_TEXT, "%s %s",
	         wsi_format_time(t, fs_known ? wsi_time_unit(name) : 1, fs, number), name);
	return text;
}

static ws_status
resolve(wsi_moment *m, const char *option, const char *path, const char *start_time, double unit)
{
	text_date start;
	if (!m->dated)
		return WS_OK;
	if (start_time && text_parse_date(start_time, false, &start))
		m->value = m->value - (double)start.seconds - start.fraction;
	else if (unit == WSI_YEAR)
		m->value = text_years_of(m->value) * WSI_YEAR;
	else
		return WSI_FAIL(WS_E_ARG, "`%s %s`: %s does not tell when it begins; give a time, "
		                "such as 12.5 or 250ms", option, m->text, path);
	return WS_OK;
}

ws_status
wsi_moments_resolve(wsi_moment *from, wsi_moment *to, const char *path, const char *start_time,
                    double unit)
{
	WSI_TRY(resolve(from, "from", path, start_time, unit));
	return resolve(to, "to", path, start_time, unit);
}

/* From the first day of a month on. */
int64_t
wsi_day_of_month(double t)
{
	const double years = t / WSI_YEAR + 1e-9, month = (years - floor(years)) * 12;
	int64_t days = 0;
	(void)text_days_from((int64_t)floor(years), (int)month + 1, 1, &days);
	return days;
}

bool
wsi_steps_by_months(double fs, double unit)
{
	const double months = 12 / (fs * WSI_YEAR);
	return unit == WSI_YEAR && fabs(months - round(months)) < 1e-6 && months > 0.5;
}

const char *
wsi_format_date(double t, const char *start_time, double unit, char text[32])
{
	wsi_format_clock(t, start_time, unit, text);
	if (strlen(text) == 19 && strcmp(text + 10, "T00:00:00") == 0)
		text[10] = '\0';
	return text;
}

const char *
wsi_format_clock(double t, const char *start_time, double unit, char text[32])
{
	text_date date = { 0 };
	text[0] = '\0';
	if (start_time && text_parse_date(start_time, false, &date) && fabs(t) < 1e12) {
		const double after = date.fraction + t;
		date.seconds += (int64_t)floor(after);
		date.fraction = after - floor(after);
	} else if (unit == WSI_YEAR && fabs(t / WSI_YEAR) < 9999) {
		date.seconds = wsi_day_of_month(t) * 86400;
	} else {
		return text;
	}
	text_format_date(&date, text);
	return text;
}

/* Dates have milliseconds; years stay numbers. */
bool
wsi_tells_dates(bool dated, const char *start_time, double fs, double unit)
{
	return (dated && start_time[0] && fs <= 1000)
	       || (wsi_steps_by_months(fs, unit) && fs > 1.5 / unit);
}

const char *
wsi_tell_moment(const wsi_recording *rec, double t, double fs, char text[WSI_MOMENT_TEXT])
{
	if (rec->fs_known && wsi_tells_dates(rec->dated, rec->start_time, fs, rec->time_unit)
	    && *wsi_format_date(t, rec->start_time, rec->time_unit, text))
		return text;
	return wsi_format_moment(t, rec->time_unit, fs, rec->fs_known, text);
}

const char *
wsi_tell_length(const wsi_recording *rec, double seconds, double fs, char text[WSI_MOMENT_TEXT])
{
	static const char *const names[] = { "d", "h", "min" };
	double unit = rec->time_unit;
	for (size_t i = 0; rec->dated && unit == 0 && i < sizeof names / sizeof *names; ++i)
		if (1.000001 / fs >= wsi_time_unit(names[i]))
			unit = wsi_time_unit(names[i]);
	/* Within a fraction of what is told from no step at all. */
	return wsi_format_moment(seconds, unit, 10 * fs, rec->fs_known, text);
}

/* The first sample at or after a moment; moments that are meant to be a
 * sample's own survive the rounding of t, the origin and their difference. */
static double
sample_at(const wsi_time_axis *axis, double t)
{
	double at = (t - axis->origin) * axis->fs, near = round(at);
	double rounding = 4 * DBL_EPSILON * (fabs(t) + fabs(axis->origin)) * axis->fs;
	return fabs(at - near) < fmax(1e-6, fmin(rounding, 0.5)) ? near : ceil(at);
}

/* Does it tell dates, where times are not counted? */
static bool
tells_dates(const wsi_time_axis *axis)
{
	return axis->fs_known && axis->start_time
	       && wsi_tells_dates(axis->dated, axis->start_time, axis->fs, 0);
}

/* A plain number may have been meant in the unit that the file counts time in, or for a year. */
static void
explain_unit(const wsi_time_axis *axis, const wsi_moment *moment, char *text, size_t size)
{
	const char *unit = wsi_time_unit_name(axis->unit);
	text[0] = '\0';
	if (!moment->dated && tells_dates(axis))
		snprintf(text, size, " (a number is a time from the beginning, in seconds without "
		         "a unit; a date is written 1965-12-31)");
	else if (!moment->dated && !moment->has_unit && axis->fs_known && axis->unit > 0
	         && strcmp(unit, "s") != 0)
		snprintf(text, size, " (a number without a unit is in seconds; in %s "
		         "it is %.40s%s)", unit, moment->text, unit);
}

/* A year that was written as a number: of dates so far apart nobody means so few seconds. */
static ws_status
check_year(const wsi_time_axis *axis, const char *option, const wsi_moment *moment)
{
	const double value = moment->value;
	if (!moment->text || moment->has_unit || moment->dated || !tells_dates(axis)
	    || !(value >= 1000 && value <= 9999) || value * axis->fs >= 1)
		return WS_OK;
	return WSI_FAIL(WS_E_ARG, "`%s %s`: %s has dates, and a number without a unit is in "
	                "seconds; give a date, such as %s-01-01", option, moment->text, axis->path,
	                moment->text);
}

/* end: it ends before the moment that an option names; else it begins after. */
static ws_status
outside(const wsi_time_axis *axis, const char *option, const wsi_moment *moment, bool end)
{
	char text[WSI_MOMENT_TEXT], unit[128];
	const bool to = option[0] == 't';
	const double t = axis->origin + (end ? (double)axis->samples / axis->fs : 0);
	char clock[32] = "";
	if (tells_dates(axis))
		wsi_format_date(t, axis->start_time, axis->unit, clock);
	else if (moment->dated)
		wsi_format_clock(t, axis->start_time, axis->unit, clock);
	explain_unit(axis, moment, unit, sizeof unit);
	return WSI_FAIL(WS_E_ARG, "`%s %s`: %s %s at %s; give %s%s", option, moment->text,
	                axis->path, end ? "ends" : "begins",
	                *clock ? clock : wsi_format_moment(t, axis->unit, axis->fs, axis->fs_known,
	                                                   text),
	                end ? to ? "a time up to then, or leave `to` out" : "a time before"
	                    : to ? "a time after" : "a time from then on, or leave `from` out",
	                    unit);
}

/* Samples from begin on and before end, which may lie anywhere. */
static void
find_ends(const wsi_time_axis *axis, const wsi_moment *from, const wsi_moment *to, double *begin,
          double *end)
{
	*begin = from->text ? sample_at(axis, from->value) : 0;
	*end = to->text ? sample_at(axis, to->value) : (double)axis->samples;
	/* A table whose first time is one step on begins at 0 as well. */
	if (*begin == -1 && from->value == 0)
		*begin = 0;
}

bool
wsi_find_time(const wsi_time_axis *axis, const wsi_moment *from, const wsi_moment *to,
              size_t *first, size_t *samples)
{
	const double n = (double)axis->samples;
	double begin, end;
	find_ends(axis, from, to, &begin, &end);
	if (!(begin >= 0 && begin < end && end <= n))
		return false;
	*first = (size_t)begin;
	*samples = (size_t)(end - begin);
	return true;
}

void
wsi_clip_time(const wsi_time_axis *axis, const wsi_moment *from, const wsi_moment *to,
              size_t *first, size_t *end)
{
	const double n = (double)axis->samples;
	double begin, stop;
	find_ends(axis, from, to, &begin, &stop);
	*first = (size_t)fmin(fmax(begin, 0), n);
	*end = (size_t)fmin(fmax(stop, (double)*first), n);
}

ws_status
wsi_select_time(const wsi_time_axis *axis, const wsi_moment *from, const wsi_moment *to,
                size_t *first, size_t *samples)
{
	char step[WSI_MOMENT_TEXT];
	const double n = (double)axis->samples;
	double begin, end;
	WSI_TRY(check_year(axis, "from", from));
	WSI_TRY(check_year(axis, "to", to));
	find_ends(axis, from, to, &begin, &end);
	if (!axis->fs_known && (from->dated || to->dated))
		return WSI_FAIL(WS_E_ARG, "`%s %s`: %s has no sampling rate, so times count "
		                "samples; give `fs`", from->dated ? "from" : "to",
		                from->dated ? from->text : to->text, axis->path);
	if (!axis->fs_known && (from->has_unit || to->has_unit))
		return WSI_FAIL(WS_E_ARG, "`%s %s`: %s has no sampling rate, so times count "
		                "samples; leave the unit out or give `fs`", from->has_unit ? "from"
		                : "to", from->has_unit ? from->text : to->text, axis->path);
	if (begin < 0 || begin >= n)
		return outside(axis, "from", from, begin > 0);
	if (end <= 0 || end > n)
		return outside(axis, "to", to, end > 0);
	if (begin >= end)
		return WSI_FAIL(WS_E_ARG, "`from %s` `to %s`: no sample of %s lies between them; "
		                "samples are %s apart", from->text ? from->text : "",
		                to->text ? to->text : "", axis->path,
		                wsi_format_moment(1 / axis->fs, axis->unit, axis->fs,
		                axis->fs_known, step));
	*first = (size_t)begin;
	*samples = (size_t)(end - begin);
	return WS_OK;
}
