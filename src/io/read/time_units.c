/* time_units.c - units of time by name, and times written in them. */
#include "io/read/time_units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/calendar.h"

/* names: in columns of tables, the short one among them. */
static const struct {
	const char *name, *names;
	double seconds;
} units[] = {
	{ "ns", " ns nsec nanos nanosecond nanoseconds ", 1e-9 },
	{ "us", " us usec micros microsec microsecond microseconds ", 1e-6 },
	{ "ms", " ms msec msecs millis millisec millisecond milliseconds ", 1e-3 },
	{ "s", " s sec secs second seconds sek sekunde sekunden ", 1 },
	{ "min", " min mins minute minutes minuten ", 60 },
	{ "h", " h hr hrs hour hours stunden ", 3600 },
	{ "d", " d day days tag tage mjd jd ", WSI_DAY },
	{ "y", " y yr yrs year years jahr jahre ", WSI_YEAR },
};

double
wsi_time_unit(const char *name)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
		if (strcmp(name, units[i].name) == 0)
			return units[i].seconds;
	return 0;
}

const char *
wsi_time_unit_name(double seconds)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
		if (fabs(seconds - units[i].seconds) < 1e-9 * seconds)
			return units[i].name;
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
	if (!(fabs(value) < 1e19))
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
text_unit_seconds(const char *unit)
{
	char wanted[26];
	if (*unit == '\0' || strlen(unit) >= 24 || strchr(unit, ' '))
		return -1;
	snprintf(wanted, sizeof wanted, " %s ", unit);
	for (char *c = wanted; *c != '\0'; ++c)
		*c = (char)tolower((unsigned char)*c);
	for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
		if (strstr(units[i].names, wanted))
			return units[i].seconds;
	return strstr(" sample samples frame frames ", wanted) ? 0 : -1;
}
