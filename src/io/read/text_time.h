/* text_time.h - the times of a table: names of columns, dates, clocks, their spacing. */
#ifndef WSI_IO_TEXT_TIME_H
#define WSI_IO_TEXT_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How "12:30" is meant. */
typedef enum text_clock_form { TEXT_CLOCK_OPEN, TEXT_HOURS, TEXT_MINUTES } text_clock_form;

/* A moment; date only in its own calendar, UTC where the text names a zone. */
typedef struct text_date {
	int64_t seconds;   /* since 1970-01-01T00:00:00; of an open date those of its clock */
	double fraction;   /* of a second, 0 .. 1 */
	bool zone;         /* the text had one */
	bool open;         /* its form does not tell which of its parts is the day */
	bool dots;         /* 24.08.2009 */
	int parts[3];      /* of an open date, as they stand; 4 digits stand last */
} text_date;

typedef enum text_date_order { TEXT_ORDER_OPEN, TEXT_DMY, TEXT_MDY, TEXT_YMD } text_date_order;

/* A number of a time column: whole + fraction; stamps of 19 digits keep them all. */
typedef struct text_stamp {
	int64_t whole;
	double fraction;
} text_stamp;

/* What the name of a column says of time. */
typedef struct text_time_name {
	bool is_time;
	bool is_date;           /* "date": numbers in it may be 20090824 */
	bool needs_stamp;       /* "epoch": only if its numbers are stamps */
	double unit;            /* s; 0: not told */
	double rate;            /* "Time:250Hz"; 0: not told */
	text_clock_form clock;  /* "time (hh:mm)" */
} text_time_name;

/* "time", "t (ms)", "year", "Time:250Hz", "Zeit [s]"; units: what stands below it, or NULL. */
text_time_name text_read_time_name(const char *name, const char *units);
/* Is it the usual name of a column that counts rows? */
bool text_counts_by_name(const char *name);

/* ---- text_dates.c */
/* Dates of any usual form; compact: also "20090824", "20090824102030" and "200908".  False too
 * where there is no such day. */
bool text_parse_date(const char *s, bool compact, text_date *date);
/* "10:20:30.5", "1:02:03 PM", "0:00.250"; whole: nothing follows.  s in *seconds + *fraction.  form
 * says what "12:30" is; it is no clock while that is open. */
bool text_parse_clock(const char *s, text_clock_form form, text_date *date);
/* Is it "12:30", with two numbers and no fraction? */
bool text_is_short_clock(const char *s);
/* Days from 1970-01-01; false: no such day. */
bool text_days_from(int64_t year, int month, int day, int64_t *days);
/* Those of an open date's parts in an order. */
bool text_days_of_parts(const int parts[3], text_date_order order, int64_t *days);
void text_civil_from_days(int64_t days, int64_t *year, int *month, int *day);
/* A date, s since 1970, in years: months are as long as each other, as rates of monthly series have
 * it. */
double text_years_of(double seconds);
/* ISO 8601, at most 31 characters. */
void text_format_date(const text_date *date, char out[32]);

/* Digits behind the decimal mark, less the exponent: 3 for "0.125", -3 for "5e3". */
int text_decimals(const char *s);

/* How the times of a table are spaced. */
typedef struct text_spacing {
	enum {
		TEXT_EVEN,      /* at rate, but for gaps */
		TEXT_MONTHS, /* by whole months or years, which differ in length: by step of them */
		TEXT_NO_TIME,   /* the row has none */
		TEXT_BACK,      /* the row lies before the one before it, by interval < 0 */
		TEXT_REPEATED,  /* at the same time */
		TEXT_JITTER     /* the row is off by so much, the worst of all */
	} found;
	size_t row;         /* the first such one, from 0 */
	double rate, slack;    /* slack: the part of it by which the times leave it open */
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
