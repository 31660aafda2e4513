/*
 * peers.h - threads that each do a share of one work, on a GPU each, and now and then look at what
 * the others have.
 *
 * Unlike at a barrier (barrier.h) one that fails comes no more: then all meetings end.
 */
#ifndef WSI_PEERS_H
#define WSI_PEERS_H

#include <pthread.h>
#include <stdbool.h>

#define WSI_MOST_PEERS 16

typedef struct wsi_peers {
	int size;
	pthread_mutex_t lock;
	pthread_cond_t met;
	int arrived;
	unsigned meeting;       /* its number */
	bool broken;
	const void *shown[WSI_MOST_PEERS]; /* what each lets the others see, by rank: set before
	                                      they meet, and left as it is until they meet again */
} wsi_peers;

void wsi_peers_init(wsi_peers *p, int size);
void wsi_peers_destroy(wsi_peers *p);
/* Waits until all have come; false where one never will. */
bool wsi_peers_meet(wsi_peers *p);
/* The caller will not come any more. */
void wsi_peers_break(wsi_peers *p);

#endif
