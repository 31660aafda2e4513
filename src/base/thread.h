/* thread.h - threads that signals leave alone: handling these is the business of who called. */
#ifndef WSI_THREAD_H
#define WSI_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* With all signals blocked.  False where none is to be had. */
bool wsi_thread_start(pthread_t *thread, void *(*body)(void *arg), void *arg);

#endif
