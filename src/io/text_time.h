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

/* What one more in the last digit of a number or a date is: 0.001 for "0.125",
 * 1 for "12" and for whole seconds. */
double text_resolution(const char *s);

/* How the times of a table are spaced. */
typedef struct text_spacing {
	enum {
		TEXT_EVEN,      /* at rate, but for gaps */
		TEXT_MONTHS,    /* by whole months or years, which differ in length */
		TEXT_NO_TIME,   /* the row has none */
		TEXT_BACK,      /* the row lies before the one before it, by interval < 0 */
		TEXT_REPEATED,  /* at the same time */
		TEXT_JITTER     /* the row is off by so much, the worst of all */
	} found;
	size_t row;         /* the first such one, from 0 */
	double rate;
	double interval, off;  /* in the unit of the times */
	double usual, step;    /* between rows: the median, and what fits best beside gaps */
	size_t gaps;
} text_spacing;

/* Is there a gap between rows so far apart? */
bool text_is_gap(const text_spacing *s, double interval);

/* Examines n >= 2 times, stride apart in an array, of the finest resolution
 * that one was written with.  first: what dates count from, else NULL.  False
 * when out of memory. */
bool text_examine(const double *times, size_t n, size_t stride, const text_date *first,
                  double resolution, text_spacing *s);

#endif
