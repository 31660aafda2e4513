/* cwt_test.h - what tests of the wavelet family share: one execution of a plan. */
#ifndef CWT_TEST_H
#define CWT_TEST_H

#include "core_test.h"

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

#endif
