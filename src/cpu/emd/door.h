/*
 * door.h - where threads that have nothing left to do ask to be let into a team at work.
 *
 * The first of a team takes those who have asked when it suits the team, and answers once their
 * places are made; or it shuts the door, and who has asked is turned away.  Nobody waits longer
 * than a sift takes.
 */
#ifndef WSI_DOOR_H
#define WSI_DOOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct wsi_door {
	/* How many have asked since the last answer, members that the team had then, whether it
	 * is shut, and the number of answers. */
	_Atomic uint64_t asked;
	_Atomic uint64_t answer; /* twice its number, and one more where all are turned away */
} wsi_door;

/* A place in a team that was asked for. */
typedef struct wsi_ticket {
	uint64_t answers;       /* before that which tells */
	int rank;
} wsi_ticket;

void wsi_door_init(wsi_door *d);

/* The first member's. */
void wsi_door_open(wsi_door *d, int size);
/* How many are to come in; where that is not 0, wsi_door_answer() follows. */
int wsi_door_take(wsi_door *d, int size);
void wsi_door_answer(wsi_door *d);
void wsi_door_shut(wsi_door *d);

/* Of a team that is being answered: its other members wait for that. */
void wsi_door_wait(wsi_door *d, uint64_t answers);
/* Answers so far, and those that are on their way. */
uint64_t wsi_door_answers(const wsi_door *d);

/* Members that there are and that ask; 0: the door is shut. */
int wsi_door_size(const wsi_door *d);
/* False: it is shut, or there are `most` already. */
bool wsi_door_ask(wsi_door *d, int most, wsi_ticket *ticket);
/* Is there an answer, and what? */
bool wsi_door_answered(const wsi_door *d, const wsi_ticket *ticket, bool *taken);

#endif
