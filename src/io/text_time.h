/* text_time.h - the time column of a table: its names, dates, its step. */
#ifndef WSI_IO_TEXT_TIME_H
#define WSI_IO_TEXT_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A moment; date only in its own calendar, UTC where the text names a zone. */
typedef struct text_date {
	int64_t seconds;   /* since 1970-01-01T00:00:00 */
	double fraction;   /* of a second, 0 .. 1 */
	bool zone;         /* the text had one */
} text_date;

/* Seconds per unit of a column of this name ("time", "t (ms)", "year"), 0 if
 * the name does not tell of time. */
double text_time_unit(const char *name);

/* "2009-08", "2009-08-24", "2009-08-24T00:20:03.5+02:00", with a blank
 * for the T; compact: also "20090824". */
bool text_parse_date(const char *s, bool compact, text_date *date);

/* ISO 8601, at most 31 characters. */
void text_format_date(const text_date *date, char out[32]);

/* The rate of n >= 2 times, stride apart in an array: that of their mean step,
 * or 0 where a time is off by more than tolerance steps. */
double text_rate(const double *times, size_t n, size_t stride, double tolerance);

#endif
