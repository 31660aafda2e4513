/* clock.h - seconds of a clock that only goes forward. */
#ifndef WSI_CLOCK_H
#define WSI_CLOCK_H

#include <time.h>

static inline double
wsi_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The same, up to some milliseconds late, where that costs less to ask. */
static inline double
wsi_now_about(void)
{
#ifdef CLOCK_MONOTONIC_COARSE
	struct timespec t;
	if (clock_gettime(CLOCK_MONOTONIC_COARSE, &t) == 0)
		return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#endif
	return wsi_now();
}

#endif
