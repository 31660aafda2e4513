/*
 * progress.h - reporting and cancellation, safe to use from many threads:
 * any may ask whether to stop, only thread 0 calls the user.
 */
#ifndef WSI_PROGRESS_H
#define WSI_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "wavesift/wavesift.h"

typedef struct wsi_progress {
	ws_progress callback;   /* or NULL */
	void *user;
	double base, span;      /* this part of the whole: base + span * done */
	double done;            /* of this part, as last reported */
	double last;            /* time of the last call, s */
	atomic_bool cancelled;
} wsi_progress;

void wsi_progress_init(wsi_progress *p, ws_progress callback, void *user);

/* Thread 0 only; calls the user at most every 50 ms. */
void wsi_progress_report(wsi_progress *p, double done);

/* The same from inside a long step, which does not know how far it is. */
void wsi_progress_poll(wsi_progress *p);

static inline bool
wsi_cancelled(wsi_progress *p)
{
	return atomic_load_explicit(&p->cancelled, memory_order_relaxed);
}

#endif
