/* times.h - moments on a time axis as people write them. */
#ifndef CLI_TIMES_H
#define CLI_TIMES_H

#include "io/times.h"

/* "12.5", "-0.2", "250ms", "1850y". */
bool cli_parse_moment(const char *text, wsi_moment *moment);

#endif
