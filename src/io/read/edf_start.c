/* edf_start.c - when a recording in EDF or BDF began. */
#include <math.h>
#include <string.h>

#include "io/read/edf.h"
#include "io/read/text_time.h"

/* Two digits at s, or -1. */
static int
two_digits(const char *s)
{
	if (s[0] < '0' || s[0] > '9' || s[1] < '0' || s[1] > '9')
		return -1;
	return (s[0] - '0') * 10 + (s[1] - '0');
}

/* The year of dd.mm.yy: that of EDF+'s "Startdate dd-MMM-yyyy" where it goes on like that or has no
 * other (yy from 2085 on), else one from 1985 to 2084; -1: there is none. */
static int64_t
find_year(int day, int month, int year, const char *identification)
{
	char full[12] = "";
	text_date date;
	int64_t told;
	int told_month, told_day;
	if (memcmp(identification, "Startdate ", 10) == 0)
		memcpy(full, identification + 10, 11);
	if (text_parse_date(full, false, &date) && !date.open) {
		text_civil_from_days(date.seconds / 86400, &told, &told_month, &told_day);
		if (told_month == month && told_day == day && (year < 0 || told % 100 == year))
			return told;
	}
	return year < 0 ? -1 : year < 85 ? 2000 + year : 1900 + year;
}

void
edf_set_start(wsi_recording *rec, const char *head, double first_onset)
{
	const char *date = head + 168, *time = head + 176;
	const int day = two_digits(date), month = two_digits(date + 3);
	const int64_t year = find_year(day, month, two_digits(date + 6), head + 88);
	const int hour = two_digits(time), minute = two_digits(time + 3),
	          second = two_digits(time + 6);
	int64_t days;
	if (year < 0 || !text_days_from(year, month, day, &days) || hour < 0 || hour > 23 ||
	    minute < 0 || minute > 59 || second < 0 || second > 59 || !(fabs(first_onset) < 1e9))
		return;
	const double millis = round(first_onset * 1e3), whole = floor(millis / 1e3);
	const text_date start = {
		.seconds = days * 86400 + hour * 3600 + minute * 60 + second + (int64_t)whole,
		.fraction = (millis - 1e3 * whole) / 1e3,
	};
	text_format_date(&start, rec->start_time);
}
