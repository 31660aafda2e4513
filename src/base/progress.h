/*
 * progress.h - reporting and cancellation, safe to use from many threads:
 * any may ask whether to stop, only thread 0 calls the user.
 */
#ifndef WSI_PROGRESS_H
#define WSI_PROGRESS_H

#ifdef __cplusplus
#include <atomic>
using std::atomic_bool;
using std::atomic_load_explicit;
using std::memory_order_relaxed;
#else
#include <stdatomic.h>
#include <stdbool.h>
#endif

#include "wavesift/wavesift.h"

typedef struct wsi_progress {
	ws_progress callback;   /* or NULL */
	void *user;
	double from, to;        /* shares of the whole before and after the step at work */
	double part;            /* of that step */
	double last;            /* time of the last call, s */
	atomic_bool cancelled;
} wsi_progress;

#ifdef __cplusplus
extern "C" {
#endif

void wsi_progress_init(wsi_progress *p, ws_progress callback, void *user);

/* What follows takes the whole from one share to another.  Thread 0 only. */
void wsi_progress_step(wsi_progress *p, double from, double to);

/* So much of the step is done.  Thread 0 only. */
void wsi_progress_part(wsi_progress *p, double part);

/* From inside long work: calls the user, at most every 50 ms.  Thread 0 only. */
void wsi_progress_poll(wsi_progress *p);

/* From now on all is as if the user had asked to stop. */
void wsi_progress_cancel(wsi_progress *p);

#ifdef __cplusplus
}
#endif

static inline bool
wsi_cancelled(wsi_progress *p)
{
	return atomic_load_explicit(&p->cancelled, memory_order_relaxed);
}

#endif
