/*
 * times.h - moments on the time axis of a recording or a result: how people
 * write and read them, and which samples lie between two.
 */
#ifndef WSI_IO_TIMES_H
#define WSI_IO_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/read/recording.h"

#define WSI_MOMENT_TEXT 56

typedef struct wsi_moment {
	const char *text;  /* as given; NULL: not given */
	double value;      /* s; samples where no rate is known */
	bool has_unit;     /* the text names one */
	bool dated;        /* it is a date: value is s since 1970 until it is resolved */
} wsi_moment;

typedef struct wsi_time_axis {
	const char *path;  /* for messages */
	size_t samples;
	double fs;
	double origin;     /* of sample 0 */
	double unit;       /* that the file counts time in, s; 0: not told */
	bool fs_known;     /* false: times are in samples, fs is 1 */
	const char *start_time; /* ISO 8601, the clock when the time is 0; NULL or "": not known */
	bool dated;        /* the recording has dates for times */
} wsi_time_axis;

/* Dates become times on an axis whose 0 a clock tells, or that counts years.  WS_E_ARG where
 * neither is so. */
ws_status wsi_moments_resolve(wsi_moment *from, wsi_moment *to, const char *path,
                              const char *start_time, double unit);

/* The clock at a time of such an axis, ISO 8601; "" where none is known. */
const char *wsi_format_clock(double t, const char *start_time, double unit, char text[32]);
/* The same, but of midnight, and of what counts years, the day alone. */
const char *wsi_format_date(double t, const char *start_time, double unit, char text[32]);

/* Are samples whole months apart, on an axis that counts years?  Then the day at a time of it,
 * since 1970-01-01; elsewhere they are not said to be. */
bool wsi_steps_by_months(double fs, double unit);
int64_t wsi_day_of_month(double t);

/* "12.5 s", "1850 y", "300 samples", such that --from takes the same
 * sample: into text, which is returned. */
const char *wsi_format_moment(double t, double unit, double fs, bool fs_known,
                              char text[WSI_MOMENT_TEXT]);

/* Are moments told as dates?  They are where a table has them, and of months. */
bool wsi_tells_dates(bool dated, const char *start_time, double fs, double unit);
/* A moment of a recording as people are told it, a date or as above. */
const char *wsi_tell_moment(const wsi_recording *rec, double t, double fs,
                            char text[WSI_MOMENT_TEXT]);
/* A stretch of its time, in a unit that suits its steps: "28 d". */
const char *wsi_tell_length(const wsi_recording *rec, double seconds, double fs,
                            char text[WSI_MOMENT_TEXT]);

/* The samples from one moment on and before another.  WS_E_ARG where there are
 * none, or the axis ends before. */
ws_status wsi_select_time(const wsi_time_axis *axis, const wsi_moment *from, const wsi_moment *to,
                          size_t *first, size_t *samples);

/* The same without a word: false where they are not all there. */
bool wsi_find_time(const wsi_time_axis *axis, const wsi_moment *from, const wsi_moment *to,
                   size_t *first, size_t *samples);
/* Those that there are of them: first .. end - 1. */
void wsi_clip_time(const wsi_time_axis *axis, const wsi_moment *from, const wsi_moment *to,
                   size_t *first, size_t *end);

#endif
