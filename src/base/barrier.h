/*
 * barrier.h - where a team waits for its last member, twice a sift.
 *
 * Members spin for some microseconds, which is what the others take on an
 * idle machine, and then sleep: on a busy one the processor goes to whoever
 * is waited for.  (The barrier of OpenMP spins for milliseconds.)
 */
#ifndef WSI_BARRIER_H
#define WSI_BARRIER_H

#include <stdatomic.h>

typedef struct wsi_barrier {
	int size;               /* members */
	atomic_int arrived;
	atomic_int generation;  /* of the crossing; members sleep on it */
	atomic_int asleep;
} wsi_barrier;

void wsi_barrier_init(wsi_barrier *b, int size);
void wsi_barrier_wait(wsi_barrier *b);

#endif
