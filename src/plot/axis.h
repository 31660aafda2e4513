/*
 * axis.h - the range of an axis, its ticks and their labels.
 *
 * Labels stay short: a common power of ten or offset moves into the note,
 * "×10⁻⁶" or "+101325", which belongs beside the axis.
 */
#ifndef WSI_PLOT_AXIS_H
#define WSI_PLOT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

#include "plot/axis_words.h"

#define WSI_AXIS_TICKS 16

typedef struct wsi_axis {
	double lo, hi;              /* what the picture shows, lo < hi */
	size_t n;                   /* ticks, at least 1 */
	double tick[WSI_AXIS_TICKS];
	char label[WSI_AXIS_TICKS][24];
	char note[48];              /* "" where the labels say it all */
} wsi_axis;

/* Around zero: -t, 0, t; t at least 2/3 of the larger extreme. */
void wsi_axis_symmetric(wsi_axis *axis, double lo, double hi);

/* The same about middle, which joins the note as an offset. */
void wsi_axis_about(wsi_axis *axis, double middle, double span);

/* Two or three ticks within lo..hi; one where the values are constant to
 * nine digits. */
void wsi_axis_range(wsi_axis *axis, double lo, double hi);

/* Likewise, with at most most ticks, from 3 to WSI_AXIS_TICKS. */
void wsi_axis_ticks(wsi_axis *axis, double lo, double hi, size_t most);

/* The same of exactly lo..hi. */
void wsi_axis_exact(wsi_axis *axis, double lo, double hi, size_t most);

/* A logarithmic axis: lo, hi, ticks and what wsi_axis_place() takes are decimal
 * logarithms of lo..hi, 0 < lo < hi.  At most most ticks, at least 4. */
void wsi_axis_log(wsi_axis *axis, double lo, double hi, size_t most);

/* Of frequencies lo..hi, whose axis is made already, linear or logarithmic: the same with ticks at
 * periods. */
void wsi_axis_periods(wsi_axis *axis, double lo, double hi, bool linear, size_t most);

/* Samples at first..last, in s or (seconds false) counted; step is the time of one
 * sample, unit what the recording counts time in, s, or 0.  Between 1 and most
 * ticks where a nice step allows; most at least 1.  brief: labels far from 0 count
 * from a round number before them, which the note tells.  Returns the title, with the
 * unit of the labels: "time (s)". */
const char *wsi_axis_time(wsi_axis *axis, double first, double last, double step, bool seconds,
                          double unit, size_t most, bool brief);

/* The same in dates, "2021-02-05", "2021-02" or "2021", of samples first..last, s from a start of
 * ISO 8601.  False, and the axis is to be made anew, where no start is told, they last less than
 * two days or more than most ticks were needed. */
bool wsi_axis_dates(wsi_axis *axis, const char *start_time, double first, double last, size_t most);

/* 0 at lo, 1 at hi. */
double wsi_axis_place(const wsi_axis *axis, double value);

/* "93.6 ms", "2.41 years", in the unit in which wsi_axis_time() tells a stretch of span s; where
 * samples are counted "12.5 samples"; "" where it is not a positive number. */
void wsi_axis_duration(char *out, size_t size, double seconds, double span, bool fs_known);

#endif
