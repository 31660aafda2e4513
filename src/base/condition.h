/* condition.h - condition variables whose waits end after a time that no clock setting changes. */
#ifndef WSI_CONDITION_H
#define WSI_CONDITION_H

#include <pthread.h>
#include <time.h>

#if defined(__APPLE__) || defined(_WIN32)
#define WSI_RELATIVE_WAIT
#endif

static inline void
wsi_condition_init(pthread_cond_t *c)
{
	pthread_condattr_t clock;
	pthread_condattr_init(&clock);
#ifndef WSI_RELATIVE_WAIT
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
#endif
	pthread_cond_init(c, &clock);
	pthread_condattr_destroy(&clock);
}

/* Waits until c is signalled, or for so many nanoseconds, below 10^9. */
static inline void
wsi_condition_wait(pthread_cond_t *c, pthread_mutex_t *lock, long nanoseconds)
{
#ifdef WSI_RELATIVE_WAIT
	const struct timespec span = { .tv_nsec = nanoseconds };
	pthread_cond_timedwait_relative_np(c, lock, &span);
#else
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += nanoseconds;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(c, lock, &until);
#endif
}

#endif
