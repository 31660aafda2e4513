/* thread.c - threads that signals leave alone. */
#include "base/thread.h"

#include <signal.h>

bool
wsi_thread_start(pthread_t *thread, void *(*body)(void *arg), void *arg)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	const bool started = pthread_create(thread, NULL, body, arg) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}
