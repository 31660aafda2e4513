/*
 * barrier.h - where threads wait for each other, twice a sift.
 *
 * They spin for a while, which is what the others take on an idle machine, and
 * then sleep: on a busy one the processor goes to whoever is waited for.
 */
#ifndef WSI_BARRIER_H
#define WSI_BARRIER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/arena.h"

/* Sleeping threads wait on a condition variable where the system has no futexes; a build may ask
 * for it elsewhere. */
#if !defined(__linux__) && !defined(WSI_BARRIER_CONDITION)
#define WSI_BARRIER_CONDITION
#endif
#ifdef WSI_BARRIER_CONDITION
#include <pthread.h>
#endif

typedef struct wsi_barrier {
	atomic_int size;        /* threads that meet */
	atomic_int arrived;
	char apart[WSI_ALIGN];  /* who spins reads on while others arrive */
	atomic_int generation;  /* of the crossing; threads sleep on it */
	atomic_int asleep;
#ifdef WSI_BARRIER_CONDITION
	pthread_mutex_t lock;
	pthread_cond_t changed;
#endif
} wsi_barrier;

void wsi_barrier_init(wsi_barrier *b, int size);
void wsi_barrier_wait(wsi_barrier *b);

/* The same in two steps: comes; then waits until all have, for so many seconds below 1 at most
 * where that is not 0.  False: some have not come, and it is to be called again. */
int wsi_barrier_come(wsi_barrier *b);
bool wsi_barrier_await(wsi_barrier *b, int crossing, double seconds);

/* Counts as having come, without waiting for those who have not: for a thread that will
 * not come again before all have been let through. */
void wsi_barrier_pass(wsi_barrier *b);

/* One turn, the i-th, of a loop that waits for another thread: now and then the processor goes to
 * whoever wants it. */
void wsi_barrier_relax(int i);

/* Another number of threads will meet, the caller among them; none of them has come yet. */
void wsi_barrier_resize(wsi_barrier *b, int size);

#endif
