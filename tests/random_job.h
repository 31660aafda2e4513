/*
 * random_job.h - decompositions at random, for tests that compare bits.
 */
#ifndef RANDOM_JOB_H
#define RANDOM_JOB_H

#include "core_test.h"

/* One channel of `kind`, the others of any; freed by the caller. */
void *random_signals(rng *r, const ws_shape *shape, signal_kind kind);

/* Options of a method, some of which may contradict each other. */
ws_emd_opts random_options(rng *r, ws_method method);

/* A small job of a method, its x and, now and then, its noise at random;
 * number i of many. */
job random_job(rng *r, ws_method method, int i, signal_kind *kind);
void random_job_free(job *j);

void print_job(const job *j, signal_kind kind);

/* Runs j with the reference table and one thread, then in every other way, and
 * says whether all bits are the same; *valid: the options did not contradict
 * each other. */
bool same_everywhere(job *j, signal_kind kind, rng *r, bool *valid);

/* ---- Against a GPU ------------------------------------------------------------ */

/* 0 where there is a usable one, named on standard output; else says why not and
 * returns the status of a skipped test. */
int gpu_or_skip(void);

/* Runs j on the CPU, then twice on the GPU; counts jobs that were compared, and those
 * of which any bit differs, which it prints.  Options that contradict each other
 * are passed over. */
void compare_with_gpu(job *j, signal_kind kind, int *compared, int *differ);

#endif
