/*
 * sifter.h - the sifting loop of one signal.
 *
 * A sifter is worked on by a team of threads (team.h).  Every member calls every function; results
 * do not depend on the size of the team.  Between two sifts a team takes in threads that have
 * nothing else to do (door.h).
 */
#ifndef WSI_SIFTER_H
#define WSI_SIFTER_H

#include "cpu/emd/team.h"

void wsi_member_layout(wsi_member *m, const wsi_ops *ops, wsi_arena *arena);

/* Lays out a sifter for a team of up to `most`; wsi_sifter_start() once it has its place. */
void wsi_sifter_layout(wsi_sifter *s, const wsi_ops *ops, const wsi_params *params, int most,
                       wsi_progress *progress, wsi_arena *arena);
void wsi_sifter_start(wsi_sifter *s);

/* Who is in the team, before its members start: members[size]. */
void wsi_sifter_team(wsi_sifter *s, wsi_member *members, int size);

/* Row i of a job. */
wsi_sifted wsi_sifter_sift(wsi_sifter *s, int rank, const wsi_sift_job *job, int i);

/* Goes on with the row at work, where the door has taken in a thread as this rank. */
void wsi_sifter_join(wsi_sifter *s, int rank, wsi_member *member);

/* Of one row. */
wsi_extent wsi_sifter_extent(wsi_sifter *s, int rank, const void *x);
bool wsi_sifter_oscillates(wsi_sifter *s, int rank, const void *x, wsi_extent input);

/* In fixed order; a team of one only. */
void wsi_sifter_mean_std(const wsi_sifter *s, const void *x, double *mean, double *std);
double wsi_sifter_energy(const wsi_sifter *s, const void *x);

#endif
