/*
 * pool.h - the threads of one execution.
 *
 * wsi_pool_run() has every thread do some work, the caller's as rank 0, and returns when all are
 * done.  The caller begins at once, the others as they come: they may not have started yet, and
 * when there is no work they spin for a while and then sleep (barrier.h), each before a gate of its
 * own: who has no part in it is not woken.  While the caller waits for the others it hears its
 * user.  Signals are the caller's affair.
 */
#ifndef WSI_POOL_H
#define WSI_POOL_H

#include <pthread.h>
#include <stddef.h>

#include "base/barrier.h"
#include "base/items.h"

typedef void (*wsi_pool_work)(void *arg, int rank, int size);

typedef struct wsi_pool {
	int size;               /* threads, the caller's included */
	struct wsi_worker *workers; /* [1..size) */
	int wanted;             /* threads that have a part in it */
	wsi_barrier end;        /* where these come when they have done it */
	wsi_progress *progress; /* of who is heard; or NULL */
	wsi_pool_work work;     /* NULL: go home */
	void *arg;
} wsi_pool;

/* A worker's place in the caller's workspace. */
typedef struct wsi_worker {
	wsi_pool *pool;
	int rank;
	pthread_t thread;
	wsi_barrier gate;       /* where it waits for work, and who wakes it comes */
} wsi_worker;

/* Starts `size` threads, or as many as can be had.  workers: room for size.  progress: of what they
 * will work at, or NULL. */
void wsi_pool_start(wsi_pool *pool, int size, wsi_worker *workers, wsi_progress *progress);
void wsi_pool_stop(wsi_pool *pool);

void wsi_pool_run(wsi_pool *pool, wsi_pool_work work, void *arg);

/* The same on so many threads at most, ranks 0 and up, which are told how many they are. */
void wsi_pool_run_some(wsi_pool *pool, size_t most, wsi_pool_work work, void *arg);

/* What the thread `rank` does of item i. */
typedef void wsi_pool_item(void *arg, size_t i, int rank);

/* Has all threads do n items, which they draw one by one, as base/items.h says.  told: those drawn
 * are the part of the step at work that is done. */
void wsi_pool_items(wsi_pool *pool, size_t n, wsi_pool_item *one, void *arg);
void wsi_pool_items_told(wsi_pool *pool, size_t n, wsi_pool_item *one, void *arg);

#endif
