/*
 * pool.h - the threads of one execution.
 *
 * wsi_pool_run() does a job on every thread, the caller's as rank 0, and
 * returns when all are done.  The caller begins at once, the others as they come:
 * they may not have started yet, and between jobs they spin for a while and then
 * sleep (barrier.h).  Signals are the caller's affair.
 */
#ifndef WSI_POOL_H
#define WSI_POOL_H

#include <pthread.h>

#include "base/barrier.h"

typedef void (*wsi_job)(void *arg, int rank, int size);

typedef struct wsi_pool {
	int size;               /* threads, the caller's included */
	struct wsi_worker *workers; /* [1..size) */
	wsi_barrier begin, end; /* of a job */
	wsi_job job;            /* NULL: go home */
	void *arg;
} wsi_pool;

/* A worker's place in the caller's workspace. */
typedef struct wsi_worker {
	wsi_pool *pool;
	int rank;
	pthread_t thread;
} wsi_worker;

/* Starts `size` threads, or as many as can be had.  workers: room for size. */
void wsi_pool_start(wsi_pool *pool, int size, wsi_worker *workers);
void wsi_pool_stop(wsi_pool *pool);

void wsi_pool_run(wsi_pool *pool, wsi_job job, void *arg);

#endif
