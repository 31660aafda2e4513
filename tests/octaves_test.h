/*
 * octaves_test.h - the arrays of octaves, made on any device by a plan, or by a run that cuts the
 * work, against the transform at every sample (every D-th, where D is given), made by the CPU in
 * the same type.
 */
#ifndef OCTAVES_TEST_H
#define OCTAVES_TEST_H

#include "core_test.h"

typedef struct octaves_task {
	ws_shape shape;         /* size is filled in */
	ws_cwt_opts o;          /* size and octave_arrays are filled in */
	const double *x;        /* [channel][sample] */
	const char *device;
	size_t device_memory;   /* 0: as much as there is */
	size_t memory;          /* of a run, bytes; 0: a plan, into rows with gaps */
	int threads;            /* 0: all */
} octaves_task;

typedef struct octaves_result {
	int octaves;
	size_t decimate[32], outputs[32];
	size_t blocks;          /* of the run */
	double error;           /* largest, by the largest magnitude of each frequency */
	uint64_t bits;          /* a digest of all numbers */
	char plan[1280];
} octaves_result;

/* What fails but for the numbers fails the test; so does an octave that has not the frequencies and
 * times that its decimation says. */
octaves_result octaves_compare(const octaves_task *task);

#endif
