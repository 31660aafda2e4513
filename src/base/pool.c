/* pool.c - the threads of one execution. */
#include "base/pool.h"

#include <stddef.h>

#include "base/fpenv.h"
#include "base/thread.h"

/* Seconds between two questions to the user while the caller waits. */
#define HEAR 0.02

static void *
work(void *arg)
{
	const wsi_worker *w = arg;
	wsi_pool *pool = w->pool;
	wsi_fpenv_set();
	for (;;) {
		wsi_barrier_wait(&pool->begin);
		if (!pool->job)
			return NULL;
		pool->job(pool->arg, w->rank, pool->size);
		wsi_barrier_wait(&pool->end);
	}
}

void
wsi_pool_start(wsi_pool *pool, int size, wsi_worker *workers, wsi_progress *progress)
{
	*pool = (wsi_pool){ .size = 1, .workers = workers, .progress = progress };
	wsi_barrier_init(&pool->begin, size);
	wsi_barrier_init(&pool->end, size);
	for (; pool->size < size; ++pool->size) {
		wsi_worker *w = &workers[pool->size];
		*w = (wsi_worker){ .pool = pool, .rank = pool->size };
		if (!wsi_thread_start(&w->thread, work, w))
			break;
	}
	wsi_barrier_resize(&pool->begin, pool->size);
	wsi_barrier_resize(&pool->end, pool->size);
}

void
wsi_pool_run(wsi_pool *pool, wsi_pool_work job, void *arg)
{
	if (pool->size == 1) {
		job(arg, 0, 1);
		return;
	}
	pool->job = job;
	pool->arg = arg;
	wsi_barrier_pass(&pool->begin);
	job(arg, 0, pool->size);
	const int crossing = wsi_barrier_come(&pool->end);
	while (!wsi_barrier_await(&pool->end, crossing, pool->progress ? HEAR : 0.0))
		wsi_progress_poll(pool->progress);
}

void
wsi_pool_stop(wsi_pool *pool)
{
	pool->job = NULL;
	if (pool->size > 1)
		wsi_barrier_pass(&pool->begin);
	for (int i = 1; i < pool->size; ++i)
		pthread_join(pool->workers[i].thread, NULL);
}
