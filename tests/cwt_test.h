/*
 * cwt_test.h - what tests of the wavelet family share: one execution of a plan; transforms by the
 * functions below the plan, and signals that are hard on them.
 */
#ifndef CWT_TEST_H
#define CWT_TEST_H

#include <complex.h>

#include "core_test.h"
#include "transform/cwt/cwt.h"

typedef struct cwt_task {
	const char *name;       /* of the transform */
	const double *x;        /* [channel][epoch][sample] */
	ws_type type;
	size_t channels, epochs, samples; /* epochs 0: none */
	double fs, start;
	ws_cwt_opts o;          /* size is filled in */
	int threads;
	const char *isa;        /* NULL: the best */
	ws_progress progress;
	void *user;
} cwt_task;

/* Runs it on the CPU into out[arrays], the transform's first arrays, NULL: not wanted.  Any failure
 * but WS_E_CANCELLED fails the test. */
ws_status cwt_execute(const cwt_task *task, int arrays, void *const *out);

#define PI 3.14159265358979323846

typedef struct transform {
	wsi_cwt *cwt;
	size_t numbers;         /* of an output */
	void *out;              /* [channel][frequency][output] */
} transform;

/* The transform for n samples at fs; what fails fails the test.  wsi_cwt_destroy() */
wsi_cwt *plan_of(size_t n, double fs, ws_type type, const ws_cwt_opts *o, const char *isa);
/* Frequencies and outputs in blocks of at most f and t (0: all together). */
transform transform_in_blocks(const double *x, size_t channels, size_t n, double fs, ws_type type,
                              const ws_cwt_opts *o, const char *isa, int threads, size_t f,
                              size_t t);
/* Of one channel, by one thread, all together. */
transform transform_of(const double *x, size_t n, double fs, ws_type type, const ws_cwt_opts *o);
/* The same of spectra of one padded length (transform/cwt/near.c). */
transform transform_whole(const double *x, size_t n, double fs, ws_type type,
                          const ws_cwt_opts *o);
void transform_free(transform *r);
/* Of the first channel; WS_QUANTITY_COMPLEX only. */
double complex coefficient(const transform *r, size_t f, size_t t);

typedef enum nasty { WHITE, OFFSET, DRIFT, PINK, LINE, NASTY } nasty;
void nasty_signal(nasty kind, double *x, size_t n);

#endif
