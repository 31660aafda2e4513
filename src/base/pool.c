/* pool.c - the threads of one execution. */
#include "base/pool.h"

#include <stddef.h>

#include "base/fpenv.h"
#include "base/thread.h"

/* Seconds between two questions to the user while the caller waits. */
#define HEAR 0.02

/* Threads that one wakes: few, as each takes some microseconds; not so few that the last, whom
 * others wake in turn, begins late. */
#define WAKES 4

/* Lets those begin whom a rank wakes, each of whom wakes others. */
static void
open_gates(wsi_pool *pool, int rank)
{
	for (int i = WAKES * rank + 1; i <= WAKES * (rank + 1) && i < pool->wanted; ++i)
		wsi_barrier_pass(&pool->workers[i].gate);
}

static void *
live(void *arg)
{
	wsi_worker *w = arg;
	wsi_pool *pool = w->pool;
	wsi_fpenv_set();
	for (;;) {
		wsi_barrier_wait(&w->gate);
		open_gates(pool, w->rank);
		if (!pool->work)
			return NULL;
		pool->work(pool->arg, w->rank, pool->wanted);
		/* What comes next begins behind the gate, so nobody else need be waited for. */
		wsi_barrier_pass(&pool->end);
	}
}

void
wsi_pool_start(wsi_pool *pool, int size, wsi_worker *workers, wsi_progress *progress)
{
	*pool = (wsi_pool){ .size = 1, .workers = workers, .progress = progress };
	wsi_barrier_init(&pool->end, size);
	for (; pool->size < size; ++pool->size) {
		wsi_worker *w = &workers[pool->size];
		*w = (wsi_worker){ .pool = pool, .rank = pool->size };
		wsi_barrier_init(&w->gate, 2);
		if (!wsi_thread_start(&w->thread, live, w))
			break;
	}
}

void
wsi_pool_run_some(wsi_pool *pool, size_t most, wsi_pool_work work, void *arg)
{
	const int size = most < (size_t)pool->size ? (int)most : pool->size;
	if (size <= 1) {
		work(arg, 0, 1);
		return;
	}
	pool->wanted = size;
	pool->work = work;
	pool->arg = arg;
	wsi_barrier_resize(&pool->end, size);
	open_gates(pool, 0);
	work(arg, 0, size);
	const int crossing = wsi_barrier_come(&pool->end);
	while (!wsi_barrier_await(&pool->end, crossing, pool->progress ? HEAR : 0.0))
		wsi_progress_poll(pool->progress);
}

void
wsi_pool_run(wsi_pool *pool, wsi_pool_work work, void *arg)
{
	wsi_pool_run_some(pool, (size_t)pool->size, work, arg);
}

typedef struct drawn {
	wsi_items items;
	wsi_pool_item *one;
	void *arg;
} drawn;

static void
draw(void *arg, int rank, int size)
{
	drawn *d = arg;
	(void)size;
	for (size_t i; wsi_items_next(&d->items, rank, &i);)
		d->one(d->arg, i, rank);
}

void
wsi_pool_items(wsi_pool *pool, size_t n, wsi_pool_item *one, void *arg)
{
	drawn d = { { .count = n, .progress = pool->progress }, one, arg };
	wsi_pool_run(pool, draw, &d);
}

void
wsi_pool_items_told(wsi_pool *pool, size_t n, wsi_pool_item *one, void *arg)
{
	drawn d = { { .count = n, .progress = pool->progress, .tells = true }, one, arg };
	wsi_pool_run(pool, draw, &d);
}

void
wsi_pool_stop(wsi_pool *pool)
{
	pool->work = NULL;
	pool->wanted = pool->size;
	open_gates(pool, 0);
	for (int i = 1; i < pool->size; ++i)
		pthread_join(pool->workers[i].thread, NULL);
}
