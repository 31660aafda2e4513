/*
 * check.h - what benchmark programs that stand alone, in C and in CUDA, share: they exit with a
 * message where something fails, and read the clock.  (Others have bench.h.)
 */
#ifndef BENCH_CHECK_H
#define BENCH_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include "../src/base/clock.h"
#include "wavesift/wavesift.h"

static inline void
need(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s: %s\n", what, ws_error_detail());
	exit(1);
}

static inline void
must(ws_status status)
{
	need(status == WS_OK, "wavesift");
}

/* Seconds. */
static inline double
now(void)
{
	return wsi_now();
}

#endif
