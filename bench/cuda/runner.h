/* runner.h - what the runners of the public interface share: memory, failure; and the clock. */
#ifndef RUNNER_H
#define RUNNER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "wavesift/wavesift.h"

static inline void
must(ws_status status)
{
	if (status == WS_OK)
		return;
	fprintf(stderr, "%s\n", ws_error_detail());
	exit(1);
}

/* Zeros, so that no page is new when time is taken. */
static inline void *
need(size_t bytes)
{
	void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
	if (!p) {
		fprintf(stderr, "no memory for %zu bytes\n", bytes);
		exit(1);
	}
	memset(p, 0, bytes);
	return p;
}

#endif
