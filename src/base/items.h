/*
 * items.h - work that threads share out, item by item.  Between two items a run hears its user, and
 * once that has said stop there are none left: what would have been made is then not there, and
 * nobody may rely on it.
 *
 * So that Ctrl-C is heard soon, an item is a few milliseconds of work at most, or hears the user
 * itself (wsi_goes_on()).
 */
#ifndef WSI_ITEMS_H
#define WSI_ITEMS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/progress.h"

typedef struct wsi_items {
	size_t count;
	size_t together;        /* that a thread draws at a time; 0: one */
	wsi_progress *progress; /* or NULL: nobody is heard */
	bool tells;             /* those drawn are the part of the step at work that is done */
	atomic_size_t next;     /* that nobody has drawn yet */
} wsi_items;

/* The next items for a thread, first .. end - 1; false: there are none. */
static inline bool
wsi_items_some(wsi_items *s, int rank, size_t *first, size_t *end)
{
	const size_t together = s->together ? s->together : 1;
	if (s->progress && wsi_cancelled(s->progress))
		return false;
	*first = atomic_fetch_add(&s->next, together);
	if (*first >= s->count)
		return false;
	*end = s->count - *first < together ? s->count : *first + together;
	if (s->progress && rank == 0 && s->tells)
		wsi_progress_part(s->progress, (double)*first / (double)s->count);
	else if (s->progress && rank == 0)
		wsi_progress_poll(s->progress);
	return !s->progress || !wsi_cancelled(s->progress);
}

/* The next item for a thread. */
static inline bool
wsi_items_next(wsi_items *s, int rank, size_t *item)
{
	size_t end;
	return wsi_items_some(s, rank, item, &end);
}

/* The least place that any thread has told, of what is no number; all ones: none. */
static inline void
wsi_note_first(_Atomic uint64_t *first, uint64_t place)
{
	uint64_t before = atomic_load(first);
	while (place < before && !atomic_compare_exchange_weak(first, &before, place))
		;
}

#endif
