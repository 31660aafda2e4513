/*
 * sifter_knots.h - the marks of a signal that a team sifts, and the knots on both sides of each
 * member's words.  A member is named by its rank.
 */
#ifndef WSI_SIFTER_KNOTS_H
#define WSI_SIFTER_KNOTS_H

#include "cpu/emd/team.h"

/* Marks all of this rank's words of x, which is there already, and counts them. */
void wsi_sifter_mark(wsi_sifter *s, int rank, const void *x, double flat, int set);
/* The part of them whose marks follow from this rank's own samples; it is marked while the others
 * may still be busy with theirs. */
void wsi_sifter_mark_own(wsi_sifter *s, int rank, const void *x, double flat, int set);
/* The rest, once all of x is there: the words at the seams; or all, where one of these is a
 * plateau, which may reach from the own part to another member's. */
void wsi_sifter_mark_rest(wsi_sifter *s, int rank, const void *x, double flat, int set);
/* Notes the outermost of this rank's extrema, as many as anybody may want: the next rank its whole
 * halo, a boundary rule less. */
void wsi_sifter_note_edges(wsi_sifter *s, int rank, const void *x, int set);
/* The knots on both sides of this rank's words of x, from the edges that all noted. */
void wsi_sifter_make_ends(const wsi_sifter *s, int rank, const void *x, double flat,
                          wsi_ends *ends);

/* ---- The team ------------------------------------------------------------------------------ */

static inline wsi_share *
share_of(const wsi_sifter *s, int rank)
{
	return &s->team[rank]->share;
}

static inline void
team_wait(wsi_sifter *s)
{
	if (s->size > 1)
		wsi_barrier_wait(&s->barrier);
}

static inline void
word_range(const wsi_sifter *s, int rank, size_t *word0, size_t *word1)
{
	const size_t words = WSI_WORDS(s->n), size = (size_t)s->size, k = (size_t)rank;
	*word0 = words * k / size;
	*word1 = words * (k + 1) / size;
}

static inline const void *
at(const wsi_sifter *s, const void *row, size_t sample)
{
	return (const char *)row + sample * s->ops->element;
}

#endif
