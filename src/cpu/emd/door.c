/* door.c - threads ask to be let into a team. */
#define _GNU_SOURCE
#include "cpu/emd/door.h"

#include "base/barrier.h"
#include "base/races.h"

/* wsi_door.asked, from its last bit on. */
#define ASK ((uint64_t)1)
#define ASKS (((uint64_t)1 << 12) - 1)
#define SHUT ((uint64_t)1 << 12)
#define SIZE_AT 13
#define SIZES (((uint64_t)1 << 12) - 1)
#define ANSWER_AT 25

static uint64_t
word(uint64_t answers, int size, uint64_t shut)
{
	return answers << ANSWER_AT | (uint64_t)size << SIZE_AT | shut;
}

static int
size_of(uint64_t asked)
{
	return (int)(asked >> SIZE_AT & SIZES);
}

void
wsi_door_init(wsi_door *d)
{
	atomic_init(&d->asked, word(0, 0, SHUT));
	atomic_init(&d->answer, 0);
}

void
wsi_door_open(wsi_door *d, int size)
{
	atomic_store(&d->asked, word(wsi_door_answers(d), size, 0));
}

int
wsi_door_take(wsi_door *d, int size)
{
	uint64_t asked = atomic_load_explicit(&d->asked, memory_order_relaxed);
	if (!(asked & ASKS))
		return 0;
	uint64_t next;
	do
		next = word((asked >> ANSWER_AT) + 1, size + (int)(asked & ASKS), 0);
	while (!atomic_compare_exchange_weak(&d->asked, &asked, next));
	return (int)(asked & ASKS);
}

void
wsi_door_answer(wsi_door *d)
{
	wsi_happens_before(&d->answer);
	atomic_store(&d->answer, 2 * wsi_door_answers(d));
}

void
wsi_door_shut(wsi_door *d)
{
	const uint64_t answers = wsi_door_answers(d) + 1;
	atomic_exchange(&d->asked, word(answers, 0, SHUT));
	atomic_store(&d->answer, 2 * answers + 1);
}

uint64_t
wsi_door_answers(const wsi_door *d)
{
	return atomic_load_explicit(&d->asked, memory_order_relaxed) >> ANSWER_AT;
}

void
wsi_door_wait(wsi_door *d, uint64_t answers)
{
	for (int i = 0; atomic_load(&d->answer) / 2 < answers; ++i)
		wsi_barrier_relax(i);
	wsi_happens_after(&d->answer);
}

int
wsi_door_size(const wsi_door *d)
{
	const uint64_t asked = atomic_load_explicit(&d->asked, memory_order_relaxed);
	return asked & SHUT ? 0 : size_of(asked) + (int)(asked & ASKS);
}

bool
wsi_door_ask(wsi_door *d, int most, wsi_ticket *ticket)
{
	uint64_t asked = atomic_load(&d->asked);
	do {
		const int size = size_of(asked) + (int)(asked & ASKS);
		if (asked & SHUT || size >= most)
			return false;
		*ticket = (wsi_ticket){ asked >> ANSWER_AT, size };
	} while (!atomic_compare_exchange_weak(&d->asked, &asked, asked + ASK));
	return true;
}

bool
wsi_door_answered(const wsi_door *d, const wsi_ticket *ticket, bool *taken)
{
	const uint64_t answer = atomic_load(&d->answer);
	if (answer / 2 <= ticket->answers)
		return false;
	/* A team that takes us in waits for us: there is no later answer then. */
	*taken = answer == 2 * (ticket->answers + 1);
	if (*taken)
		wsi_happens_after(&d->answer);
	return true;
}
