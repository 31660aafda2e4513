/* progress.c - reporting and cancellation. */
#include "base/progress.h"

#include <time.h>

void
wsi_progress_init(wsi_progress *p, ws_progress callback, void *user)
{
	p->callback = callback;
	p->user = user;
	p->base = 0.0;
	p->span = 1.0;
	p->done = 0.0;
	p->last = 0.0;
	atomic_init(&p->cancelled, false);
}

void
wsi_progress_poll(wsi_progress *p)
{
	if (!p->callback)
		return;
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	double now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
	if (now - p->last < 0.05)
		return;
	p->last = now;
	if (p->callback(p->user, p->base + p->span * p->done))
		atomic_store_explicit(&p->cancelled, true, memory_order_relaxed);
}

void
wsi_progress_report(wsi_progress *p, double done)
{
	p->done = done < 0.0 ? 0.0 : done > 1.0 ? 1.0 : done;
	wsi_progress_poll(p);
}
