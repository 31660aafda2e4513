/* times.h - moments on a time axis as people write them. */
#ifndef CLI_TIMES_H
#define CLI_TIMES_H

#include "io/read/times.h"

/* "12.5", "-0.2", "250ms", "1850y", "1965-01-01", "2009-08-24T00:20:03". */
bool cli_parse_moment(const char *text, wsi_moment *moment);

/* "90" s, "10min", "1.5h": above 0. */
bool cli_parse_duration(const char *text, double *seconds);

/* "256" Hz; "12/y", "0.5/min": so many in a unit of time.  Above 0. */
bool cli_parse_rate(const char *text, double *hz);

#endif
