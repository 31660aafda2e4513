/* text_time.c - the time column of a table: its names and its spacing. */
#include "io/read/text_time.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/rising.h"
#include "io/read/time_units.h"

/* ---- Names of columns ----------------------------------------------------- */

#define WORD 24

/* Lower case words of letters, digits and bytes of UTF-8, without what stands between; false: there
 * are too many, or too long ones, for the name of a time. */
static bool
cut_words(const char *name, char words[8][WORD], size_t *n)
{
	*n = 0;
	for (size_t length; *name != '\0'; name += length) {
		length = 0;
		/* Both signs for micro are u. */
		const bool micro = strncmp(name, "\xc2\xb5", 2) == 0 ||
		                   strncmp(name, "\xce\xbc", 2) == 0;
		while (isalnum((unsigned char)name[length]) ||
		       ((unsigned char)name[length] & 0x80) ||
		       (name[length] == '.' && length > 0
		        && isdigit((unsigned char)name[length - 1]) &&
		        isdigit((unsigned char)name[length + 1])))
			++length;
		if (length == 0) {
			++name;
			continue;
		}
		if (*n == 8 || length >= WORD)
			return false;
		size_t m = 0;
		if (micro)
			words[*n][m++] = 'u';
		for (size_t i = micro ? 2 : 0; i < length; ++i)
			words[*n][m++] = (char)tolower((unsigned char)name[i]);
		words[(*n)++][m] = '\0';
	}
	return *n > 0;
}

static bool
is_one_of(const char *word, const char *const *list)
{
	while (*list && strcmp(word, *list) != 0)
		++list;
	return *list != NULL;
}

/* A word that may follow the name of a time and says nothing of its unit. */
static bool
is_filler(const char *word)
{
	static const char *const fillers[] = {
		"in", "since", "of", "utc", "gmt", "unix", "epoch", "local", "stamp", "start",
		"time", "from", "relative", "elapsed", "recording", "rel", "the", "at", "iso",
		"iso8601", "axis", "value", "column", "base", "tz", "cet", "cest", "datetime",
		"date", "01", "1970", "00", NULL,
	};
	return is_one_of(word, fillers);
}

/* "250hz", "2.5khz": in Hz, else 0. */
static double
rate_of(const char *word)
{
	char *end;
	const double rate = isdigit((unsigned char)*word) ? strtod(word, &end) : 0;
	if (!(rate > 0))
		return 0;
	return strcmp(end, "hz") == 0 ? rate : strcmp(end, "khz") == 0 ? 1e3 * rate : 0;
}

/* A word behind the first one. */
static bool
take_word(text_time_name *t, const char *word, const char *next)
{
	const double unit = text_unit_seconds(word), rate = rate_of(word);
	if (unit >= 0 && !(next && strcmp(word, "h") == 0 && strcmp(next, "mm") == 0)) {
		t->unit = unit;
		t->is_time &= unit > 0;
		return true;
	}
	if (rate > 0 || (next && strcmp(next, "hz") == 0 && strtod(word, NULL) > 0)) {
		t->rate = rate > 0 ? rate : strtod(word, NULL);
		return true;
	}
	if (strcmp(word, "hz") == 0)
		return t->rate > 0;
	const bool seconds_follow = next && strncmp(next, "ss", 2) == 0;
	if (strcmp(word, "m") == 0 && !seconds_follow) {
		t->unit = 60;
		return true;
	}
	if (strcmp(word, "hh") == 0 || (strcmp(word, "h") == 0 && next && strcmp(next, "mm") == 0))
		t->clock = TEXT_HOURS;
	else if ((strcmp(word, "mm") == 0 || strcmp(word, "m") == 0) && seconds_follow &&
	         t->clock == TEXT_CLOCK_OPEN)
		t->clock = TEXT_MINUTES;
	if (strcmp(word, "m") == 0)
		return true;
	static const char *const forms[] = { "hh", "mm", "ss", "sss", "mmm", "yyyy", "dd", "fff",
	                                     "ffffff", "yy", NULL };
	return is_one_of(word, forms) || is_filler(word);
}

/* The first word: what it is the name of, with a unit at its end such as "timems". */
static bool
take_first(text_time_name *t, const char *word)
{
	static const char *const times[] = {
		"time", "times", "timestamp", "timestamps", "zeit", "zeitstempel", "uhrzeit",
		        "tiempo",
		"hora", "heure", "t", "elapsed", "utc", "unixtime", "unix", "tijd", "timecode",
		"datetime", "date", "datum", "fecha", "epoch", "ts", "dates", NULL,
	};
	/* Units that are names of columns by themselves; "min" and "HR" are not. */
	static const char *const units[] = {
		"s", "sec", "secs", "second", "seconds", "sekunden", "ms", "msec", "millisecond",
		"milliseconds", "us", "usec", "microsecond", "microseconds", "ns", "nanosecond",
		"nanoseconds", "minutes", "minuten", "hours", "stunden", "day", "days", "tage",
		"mjd", "jd", "year", "years", "jahr", NULL,
	};
	const bool is_date = strncmp(word, "date", 4) == 0 || strcmp(word, "datum") == 0 ||
	                     strcmp(word, "fecha") == 0;
	t->is_time = true;
	if (is_one_of(word, times)) {
		t->is_date = is_date;
		t->needs_stamp = strcmp(word, "epoch") == 0 || strcmp(word, "unix") == 0 ||
		                 strcmp(word, "utc") == 0;
		t->unit = is_date ? WSI_DAY : 0;
		return true;
	}
	if (is_one_of(word, units)) {
		t->unit = text_unit_seconds(word);
		return true;
	}
	if (strcmp(word, "decimalyear") == 0) {
		t->unit = WSI_YEAR;
		return true;
	}
	for (size_t i = 0; times[i]; ++i) {
		const size_t n = strlen(times[i]);
		const double unit = strncmp(word, times[i], n) == 0
		        ? text_unit_seconds(word + n) : 0;
		/* "th" might be anything. */
		if (unit > 0 && (n > 1 || unit < 1 || strcmp(word + n, "sec") == 0)) {
			t->unit = unit;
			return true;
		}
	}
	return false;
}

/* Of loggers: "S_Timestamp_CAL". */
static bool
has_word(char words[][WORD], size_t n, const char *word)
{
	while (n > 0 && strcmp(words[n - 1], word) != 0)
		--n;
	return n > 0;
}

text_time_name
text_read_time_name(const char *name, const char *units)
{
	char words[8][WORD];
	size_t n;
	text_time_name t = { 0 };
	const text_time_name none = t;
	if (!cut_words(name, words, &n))
		return none;
	size_t taken = 2;
	t.is_time = true;
	const bool x = strcmp(words[0], "x") == 0;
	/* LabVIEW's; of oscilloscopes, where the units tell. */
	if (n == 2 && x && strcmp(words[1], "value") == 0)
		;
	else if (x && (n == 1 || (n == 2 && strcmp(words[1], "axis") == 0)) && units &&
	         text_unit_seconds(units) > 0)
		;
	else if (n > 1 && strcmp(words[0], "decimal") == 0 &&
	         (strcmp(words[1], "year") == 0 || strcmp(words[1], "date") == 0))
		t.unit = WSI_YEAR;
	else if (n > 1 && strcmp(words[1], "time") == 0 &&
	         (strncmp(words[0], "rel", 3) == 0 || strcmp(words[0], "local") == 0))
		;
	else if (units && text_unit_seconds(units) > 0 && has_word(words + 1, n - 1, "timestamp"))
		taken = n;
	else if (take_first(&t, words[0]))
		taken = 1;
	else
		return none;
	for (size_t i = taken; t.is_time && i < n; ++i) {
		if (!take_word(&t, words[i], i + 1 < n ? words[i + 1] : NULL))
			return none;
		t.needs_stamp &= t.unit == 0 && strcmp(words[i], "time") != 0;
	}
	if (units && *units != '\0' && cut_words(units, words, &n))
		for (size_t i = 0; i < n; ++i)
			if (!take_word(&t, words[i], i + 1 < n ? words[i + 1] : NULL))
				break;
	return t.is_time ? t : none;
}

bool
text_counts_by_name(const char *name)
{
	static const char *const whole[] = {
		"index", "idx", "row", "sample", "samples", "n", "nr", "no", "nseq", "frame", "id",
		"counter", "count", "point", NULL,
	};
	char words[8][WORD];
	size_t n;
	if (*name == '\0' || strcmp(name, "#") == 0)
		return true;
	if (!cut_words(name, words, &n) || n > 2)
		return false;
	if (n == 2 && strcmp(words[0], "unnamed") == 0)
		return true;
	return is_one_of(words[0], whole) &&
	       (n == 1 || strcmp(words[1], "index") == 0 || strcmp(words[1], "number") == 0 ||
	        strcmp(words[1], "no") == 0 || strcmp(words[1], "nr") == 0 ||
	        strcmp(words[1], "id") == 0 || strcmp(words[1], "count") == 0);
}

int
text_decimals(const char *s)
{
	int after = 0;
	s += strcspn(s, ".,eE");
	if (*s == '.' || *s == ',')
		after = (int)strspn(s + 1, "0123456789");
	s += strcspn(s, "eE");
	const long exponent = *s != '\0' ? strtol(s + 1, NULL, 10) : 0;
	return after - (int)(exponent < -9999 ? -9999 : exponent > 9999 ? 9999 : exponent);
}

/* ---- Is it uniform? ------------------------------------------------------ */

/* Neither jitter nor rounding makes an interval this many times as long as the
 * usual one; a missing row doubles it. */
#define GAP 1.75

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
counts_months(const text_date *first, const double *times, size_t n, size_t stride, double *months)
{
	int64_t before = 0, step = 0;
	int first_day = 0;
	bool same = true, last = true;
	for (size_t i = 0; i < n; ++i) {
		const int64_t day = (int64_t)floor((double)first->seconds + times[i * stride]) /
		                    86400;
		int64_t year, next_year;
		int month, day_of_month, next_month, next_day;
		text_civil_from_days(day, &year, &month, &day_of_month);
		text_civil_from_days(day + 1, &next_year, &next_month, &next_day);
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
	*months = (double)step;
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
	/* Printed times are rounded: the roundest whole rate (or period) is meant that fits them as
	 * well. */
	s->rate = 1 / step;
	s->slack = worst / span;
	for (double unit = 1e6; unit >= 1; unit /= 10) {
		const double whole = unit * round((step < 1 ? 1 / step : step) / unit);
		const double time = step < 1 ? 1 / whole : whole;
		if (whole > 0 && fabs(time * steps - span) <= worst + 1e-12 * span) {
			s->rate = 1 / time;
			break;
		}
	}
}

bool
text_examine(const double *times, size_t n, size_t stride, const text_date *first,
             double resolution, text_spacing *s)
{
	*s = (text_spacing){ .found = TEXT_EVEN };
	if (find_disorder(times, n, stride, s))
		return true;
	if (first && counts_months(first, times, n, stride, &s->step)) {
		s->found = TEXT_MONTHS;
		return true;
	}
	double *intervals = malloc((n - 1) * sizeof *intervals);
	if (!intervals)
		return false;
	for (size_t i = 0; i + 1 < n; ++i)
		intervals[i] = times[(i + 1) * stride] - times[i * stride];
	qsort(intervals, n - 1, sizeof *intervals, wsi_rising);
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
