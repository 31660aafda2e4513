/* barrier.c - spin for a while, yielding, then sleep. */
#define _GNU_SOURCE
#include "base/barrier.h"

#include <linux/futex.h>
#include <limits.h>
#include <sched.h>
#include <stddef.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

/* To sleep and be woken takes some 50 us, and the others wait for it at the next
 * barrier: members that differ by a little must not sleep. */
#define SPIN 100e-6 /* seconds */
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

/* Comes; the last lets all through, and then it is true. */
static bool
arrive(wsi_barrier *b)
{
	if (atomic_fetch_add(&b->arrived, 1) + 1 < atomic_load(&b->size))
		return false;
	atomic_store(&b->arrived, 0);
	atomic_fetch_add(&b->generation, 1);
	if (atomic_load(&b->asleep) > 0)
		syscall(SYS_futex, &b->generation, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	return true;
}

void
wsi_barrier_pass(wsi_barrier *b)
{
	arrive(b);
}

void
wsi_barrier_wait(wsi_barrier *b)
{
	const int generation = atomic_load(&b->generation);
	if (arrive(b))
		return;
	const double until = wsi_now() + SPIN;
	do {
		for (int i = 0; i < YIELD_EVERY; ++i) {
			if (atomic_load_explicit(&b->generation, memory_order_acquire) !=
			    generation)
				return;
			relax();
		}
		/* We may be in the way of whoever we wait for. */
		sched_yield();
	} while (wsi_now() < until);
	/* The kernel compares again before it lets us sleep: no wake is lost. */
	atomic_fetch_add(&b->asleep, 1);
	while (atomic_load(&b->generation) == generation)
		syscall(SYS_futex, &b->generation, FUTEX_WAIT_PRIVATE, generation, NULL, NULL, 0);
	atomic_fetch_sub(&b->asleep, 1);
}
