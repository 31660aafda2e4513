/*
 * kernels_reference.h - what the CPU's engine makes of one job of sifting, for test_kernels.cpp
 * and test_gpu_ways.c.
 */
#ifndef KERNELS_REFERENCE_H
#define KERNELS_REFERENCE_H

#include "core_test.h"
#include "ops/engine.h"

typedef struct reference {
	wsi_params params;
	wsi_sift_job job; /* for another engine, which sets sifted: [mode][row] of job.out */
	wsi_rows rest, want;          /* what that leaves and gives here */
	wsi_extent *extent;
	double *scale;                /* of the job, or NULL */
	wsi_sifted *sifted;
	long halves;                  /* extrema of the job's rows that lie between two samples */
} reference;

/* Signals, options and numbers of modes at random; false where the options contradict each
 * other. */
bool reference_sift(reference *r, rng *random, ws_type type, int rows, int samples);

/* A stage of an ensemble at random: as many members of each of some channels, what is left of them,
 * and beside them a mode of as many rows of noise.  compared as the others are: r->rest and
 * r->job.beside are of noise. */
bool reference_stage(reference *r, rng *random, ws_type type, int channels, int members,
                     int samples);

/* The same of signals with plateaus, by these options, which do not. */
void reference_sift_plateaus(reference *r, rng *random, ws_type type, int rows, int samples,
                             const ws_emd_opts *opts, plateau_kind kind);

/* The same of signals most of whose stretches of 512 samples have no extremum; level 1: they are
 * level over most of the row, too; beyond 1: up to this sample. */
void reference_sift_sparse(reference *r, rng *random, ws_type type, int rows, int samples,
                           const ws_emd_opts *opts, int level);

/* Are the other engine's modes, rests and counts the same? */
bool reference_equals(const reference *r, const wsi_sifted *sifted);

void reference_free(reference *r);

#endif
