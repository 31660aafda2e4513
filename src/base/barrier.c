/* barrier.c - spin a little, yielding, then sleep. */
#define _GNU_SOURCE
#include "base/barrier.h"

#include <linux/futex.h>
#include <limits.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SPINS 1000 /* some 20 us */
#define YIELD_EVERY 64

void
wsi_barrier_init(wsi_barrier *b, int size)
{
	atomic_init(&b->size, size);
	atomic_init(&b->arrived, 0);
	atomic_init(&b->generation, 0);
	atomic_init(&b->asleep, 0);
}

void
wsi_barrier_resize(wsi_barrier *b, int size)
{
	/* The caller has not arrived yet, so nobody has been let through. */
	atomic_store(&b->size, size);
}

static void
relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

void
wsi_barrier_wait(wsi_barrier *b)
{
	const int generation = atomic_load(&b->generation);
	if (atomic_fetch_add(&b->arrived, 1) + 1 == atomic_load(&b->size)) {
		atomic_store(&b->arrived, 0);
		atomic_fetch_add(&b->generation, 1);
		if (atomic_load(&b->asleep) > 0)
			syscall(SYS_futex, &b->generation, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
		return;
	}
	for (int i = 0; i < SPINS; ++i) {
		if (atomic_load_explicit(&b->generation, memory_order_acquire) != generation)
			return;
		/* We may be in the way of whoever we wait for. */
		if (i % YIELD_EVERY == YIELD_EVERY - 1)
			sched_yield();
		relax();
	}
	/* The kernel compares again before it lets us sleep: no wake is lost. */
	atomic_fetch_add(&b->asleep, 1);
	while (atomic_load(&b->generation) == generation)
		syscall(SYS_futex, &b->generation, FUTEX_WAIT_PRIVATE, generation, NULL, NULL, 0);
	atomic_fetch_sub(&b->asleep, 1);
}
