/*
 * barrier.c - spin for a while, yielding, then sleep: on the generation itself where the system can
 * (Linux), else on a condition variable.
 */
#define _GNU_SOURCE
#include "base/barrier.h"

#include <sched.h>
#include <stddef.h>

#ifdef __linux__
#include <linux/futex.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "base/clock.h"
#ifdef WSI_BARRIER_CONDITION
#include "base/condition.h"
#endif
#include "base/races.h"

/* To sleep and be woken takes some 50 us, and the others wait for it at the next
 * barrier: members that differ by a little must not sleep. */
#define SPIN 100e-6 /* seconds */
#define YIELD_EVERY 64

#ifdef WSI_BARRIER_CONDITION
static void
init_sleep(wsi_barrier *b)
{
	pthread_mutex_init(&b->lock, NULL);
	wsi_condition_init(&b->changed);
}

/* Until the crossing, for so many nanoseconds, or any time where that is 0, or for no reason. */
static void
sleep_a_while(wsi_barrier *b, int generation, long nanoseconds)
{
	pthread_mutex_lock(&b->lock);
	if (atomic_load(&b->generation) != generation)
		;
	else if (nanoseconds)
		wsi_condition_wait(&b->changed, &b->lock, nanoseconds);
	else
		pthread_cond_wait(&b->changed, &b->lock);
	pthread_mutex_unlock(&b->lock);
}

/* Who is asleep has looked at the generation under the lock: no wake is lost. */
static void
wake(wsi_barrier *b)
{
	pthread_mutex_lock(&b->lock);
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
}
#else
static void
init_sleep(wsi_barrier *b)
{
	(void)b;
}

/* The kernel compares again before it lets us sleep: no wake is lost. */
static void
sleep_a_while(wsi_barrier *b, int generation, long nanoseconds)
{
	const struct timespec span = { .tv_nsec = nanoseconds };
	syscall(SYS_futex, &b->generation, FUTEX_WAIT_PRIVATE, generation,
	        nanoseconds ? &span : NULL, NULL, 0);
}

static void
wake(wsi_barrier *b)
{
	syscall(SYS_futex, &b->generation, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}
#endif

void
wsi_barrier_init(wsi_barrier *b, int size)
{
	init_sleep(b);
	atomic_init(&b->size, size);
	atomic_init(&b->arrived, 0);
	atomic_init(&b->generation, 0);
	atomic_init(&b->asleep, 0);
	wsi_is_atomic(&b->generation, sizeof b->generation);
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
wsi_barrier_relax(int i)
{
	if (i % YIELD_EVERY == YIELD_EVERY - 1)
		sched_yield();
	else
		relax();
}

/* What all have done before a crossing comes before what they do behind it.  Two tags in turn:
 * somebody may come to the next crossing while others have yet to leave this one. */
static const volatile void *
tag_of(const wsi_barrier *b, int crossing)
{
	return crossing & 1 ? &b->generation : &b->arrived;
}

/* Comes; the last lets all through.  Which crossing it is. */
static int
arrive(wsi_barrier *b)
{
	const int crossing = atomic_load(&b->generation);
	/* As long as we have not come: behind that all may be through, and fewer be asked for. */
	const int size = atomic_load(&b->size);
	wsi_happens_before(tag_of(b, crossing));
	if (atomic_fetch_add(&b->arrived, 1) + 1 < size)
		return crossing;
	atomic_store(&b->arrived, 0);
	atomic_fetch_add(&b->generation, 1);
	if (atomic_load(&b->asleep) > 0)
		wake(b);
	return crossing;
}

void
wsi_barrier_pass(wsi_barrier *b)
{
	arrive(b);
}

/* False: not all came while we span. */
static bool
spin(wsi_barrier *b, int generation)
{
	const double until = wsi_now() + SPIN;
	do {
		for (int i = 0; i < YIELD_EVERY; ++i) {
			if (atomic_load_explicit(&b->generation, memory_order_acquire) !=
			    generation)
				return true;
			relax();
		}
		/* We may be in the way of whoever we wait for. */
		sched_yield();
	} while (wsi_now() < until);
	return false;
}

int
wsi_barrier_come(wsi_barrier *b)
{
	return arrive(b);
}

/* Sleeps until the crossing, or for so many seconds; false: not all have come. */
static bool
sleep_until(wsi_barrier *b, int crossing, double seconds)
{
	const double until = wsi_now() + seconds;
	atomic_fetch_add(&b->asleep, 1);
	bool crossed;
	do
		sleep_a_while(b, crossing, (long)(seconds * 1e9));
	while (!(crossed = atomic_load(&b->generation) != crossing) &&
	       (seconds == 0.0 || wsi_now() < until));
	atomic_fetch_sub(&b->asleep, 1);
	return crossed;
}

bool
wsi_barrier_await(wsi_barrier *b, int crossing, double seconds)
{
	if (atomic_load(&b->generation) == crossing && !spin(b, crossing) &&
	    !sleep_until(b, crossing, seconds))
		return false;
	wsi_happens_after(tag_of(b, crossing));
	return true;
}

void
wsi_barrier_wait(wsi_barrier *b)
{
	wsi_barrier_await(b, wsi_barrier_come(b), 0.0);
}
