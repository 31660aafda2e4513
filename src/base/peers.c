/* peers.c - meetings of threads that may fail. */
#include "base/peers.h"

void
wsi_peers_init(wsi_peers *p, int size)
{
	*p = (wsi_peers){ .size = size };
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->met, NULL);
}

void
wsi_peers_destroy(wsi_peers *p)
{
	pthread_cond_destroy(&p->met);
	pthread_mutex_destroy(&p->lock);
}

bool
wsi_peers_meet(wsi_peers *p)
{
	pthread_mutex_lock(&p->lock);
	const unsigned meeting = p->meeting;
	if (++p->arrived == p->size) {
		p->arrived = 0;
		++p->meeting;
		pthread_cond_broadcast(&p->met);
	}
	while (p->meeting == meeting && !p->broken)
		pthread_cond_wait(&p->met, &p->lock);
	const bool all = p->meeting != meeting;
	pthread_mutex_unlock(&p->lock);
	return all;
}

void
wsi_peers_break(wsi_peers *p)
{
	pthread_mutex_lock(&p->lock);
	p->broken = true;
	pthread_cond_broadcast(&p->met);
	pthread_mutex_unlock(&p->lock);
}
