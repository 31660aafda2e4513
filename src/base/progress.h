/*
 * progress.h - reporting and cancellation, safe to use from many threads:
 * any may ask whether to stop, only thread 0 calls the user.
 *
 * A run hears its user where its threads draw items of work (items.h), where thread 0 waits for
 * the others (pool.h), between the sifts of a signal, and where an algorithm begins a step.
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
	struct wsi_progress *outer; /* that this is a part of, and its part before and after; */
	double before, after;   /* or NULL */
	atomic_bool cancelled;
} wsi_progress;

#ifdef __cplusplus
extern "C" {
#endif

void wsi_progress_init(wsi_progress *p, ws_progress callback, void *user);

/* Of work within the step at work of another, whose part it takes from `before` to `after`.  Who
 * cancels one cancels both.  Both equal: the user is heard, and told nothing new. */
void wsi_progress_within(wsi_progress *p, wsi_progress *outer, double before, double after);

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

/* Does the user want more?  From any thread; number 0 asks.  p: or NULL, then yes. */
static inline bool
wsi_goes_on(wsi_progress *p, int rank)
{
	if (p && rank == 0)
		wsi_progress_poll(p);
	return !p || !wsi_cancelled(p);
}

#endif
